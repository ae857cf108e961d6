"""Time and memory of hostile answers, in process: the slowest and the largest of the corpus in tests/data.

    python bench/hostile.py [--rounds 3]

Each is read and, where it reads as a formula, decided against a key. A text's time is the best of the rounds: what is
measured is the grader, not what else the machine does.
"""

import argparse
import json
import time
import tracemalloc
from pathlib import Path

from shown import table, verdict

from grader.answers import KINDS
from grader.equal import same
from grader.letters import B, T
from grader.read import Context, Ok, read

CORPUS = Path(__file__).parent.parent / "tests" / "data" / "hostile_answers.jsonl"
MILLISECONDS, MEGABYTES = 5, 20
KEY = B * T


def texts():
    """Yield (id, kind, text, context) of the rows whose kind is read."""
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] in KINDS:
            text = row["answer"] if "answer" in row else "".join(piece * times for piece, times in row["repeat"])
            yield row["id"], row["kind"], text, Context(letters=tuple(row["letters"]))


def grade(kind, text, context):
    reading = read(kind, text, context)
    if kind == "expr" and isinstance(reading, Ok):
        same(reading.value, KEY)


def milliseconds(*asked):
    start = time.perf_counter()
    grade(*asked)
    return (time.perf_counter() - start) * 1000


def megabytes(*asked):
    tracemalloc.start()
    grade(*asked)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    corpus = list(texts())
    slowest = max((min(milliseconds(*asked) for _ in range(rounds)), name) for name, *asked in corpus)
    largest = max((megabytes(*asked), name) for name, *asked in corpus)
    table(
        (f"{len(corpus)} hostile answers", "figure", "of", "target", "met"),
        (
            ("slowest", f"{slowest[0]:.2f} ms", slowest[1], f"≤ {MILLISECONDS} ms", verdict(slowest[0], MILLISECONDS)),
            ("largest", f"{largest[0]:.2f} MB", largest[1], f"≤ {MEGABYTES} MB", verdict(largest[0], MEGABYTES)),
            ("PrairieLearn (quoted)", "5 of 42 killed at 4 s, up to 1,068 MB", "", "", ""),
        ),
    )


if __name__ == "__main__":
    main()
