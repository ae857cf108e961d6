"""Time and memory of reading hostile answers, in process: the slowest and the largest of the corpus in tests/data.

python bench/hostile.py
"""

import argparse
import json
import time
import tracemalloc
from pathlib import Path

from grader.answers import KINDS
from grader.read import Context, read

CORPUS = Path(__file__).parent.parent / "tests" / "data" / "hostile_answers.jsonl"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    slowest, largest, count = (0.0, ""), (0.0, ""), 0
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] not in KINDS:
            continue
        count += 1
        text = row["answer"] if "answer" in row else "".join(piece * times for piece, times in row["repeat"])
        context = Context(letters=tuple(row["letters"]))
        best = min(timed(row["kind"], text, context) for _ in range(options.rounds))
        slowest = max(slowest, (best, row["id"]))
        tracemalloc.start()
        read(row["kind"], text, context)
        largest = max(largest, (tracemalloc.get_traced_memory()[1], row["id"]))
        tracemalloc.stop()
    print("| hostile answers | slowest, ms (target ≤ 5) | largest, MB (target ≤ 20) |")
    print("|---|---|---|")
    print(f"| {count} | {slowest[0] * 1000:.2f} ({slowest[1]}) | {largest[0] / 1e6:.2f} ({largest[1]}) |")


def timed(kind, text, context):
    start = time.perf_counter()
    read(kind, text, context)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
