"""Time and memory of hostile answers, in process: the slowest and the largest of the corpus in tests/data.

    python bench/hostile.py [--rounds 3]

With them go short bombs made by tests/bombs.py: powers of sums of quotients inside each other, differences that cancel,
roots, logarithms, formulas drawn at random. Each is read, graded against a key with its wrong rules and what a run
gave, and decided against another key. A text's time is its processor time, the best of the rounds: what is measured is
the grader, not what else the machine does. The child process in which SymPy looks for a proof has a time limit of its
own and is left out.
"""

import argparse
import json
import time
import tracemalloc
from fractions import Fraction
from pathlib import Path

from shown import table, verdict

from grader.answers import KINDS, Decimal, ExprAnswer, Int, Rational, Shape, ShapeSym
from grader.equal import same
from grader.equality import child
from grader.expr import ln, sqrt
from grader.grade import grade
from grader.letters import B, D, T, V
from grader.part import Part, Slip
from grader.read import Context, Ok
from tests.bombs import formulas, numbers

CORPUS = Path(__file__).parent.parent / "tests" / "data" / "hostile_answers.jsonl"
MILLISECONDS, MEGABYTES = 5, 20
KEY = B * T + sqrt((T - B) * (V - D))
SIZES = {"B": 3, "T": 5, "D": 7, "V": 11, "H": 2, "F": 13, "N": 4, "L": 6, "M": 8, "C": 9, "K": 12}
KEYS = {  # the key of a kind, a wrong rule, and what the run gave
    "shape": (Shape(8, 20, 48), Shape(8, 20), [8, 20, 48]),
    "shape_sym": (ShapeSym(B * T, V), ShapeSym(B + T, V), {"sizes": SIZES, "shape": [15, 11]}),
    "int": (Int(37), Int(38), 37),
    "rational": (Rational(Fraction(37, 160)), Rational(Fraction(1, 4)), "0.23125"),
    "decimal": (Decimal(ln(1000), 4), Decimal(ln(2), 4), "6.907755278982137"),
    "expr": (ExprAnswer(ln(V) + B * T), ExprAnswer(ln(V)), {"sizes": SIZES, "value": "17.397895272798371"}),
}


def corpus():
    """Yield (id, kind, text, context) of the rows whose kind is read."""
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] in KINDS:
            text = row["answer"] if "answer" in row else "".join(piece * times for piece, times in row["repeat"])
            yield row["id"], row["kind"], text, Context(letters=tuple(row["letters"]))


def bombs(step):
    """Yield (text, kind, text, context) of the bombs that are made, or of every so many of them."""
    letters = Context(letters=("B", "T", "D", "V"))
    for text in formulas()[::step]:
        yield text, "shape_sym", f"({text}, V)", letters
        yield text, "expr", text, letters
    for text in numbers()[::step]:
        for kind in ("int", "rational", "decimal"):
            yield text, kind, text, Context()


def judge(kind, text, context):
    key, wrong, observed = KEYS[kind]
    part = Part("p", key, (Slip("wrong", wrong, None, "none"),), context)
    verdict = grade([part], {"p": text}, observed={"p": observed})["p"]
    if kind == "expr" and isinstance(verdict.reading, Ok):
        same(verdict.reading.value, KEY)


def milliseconds(*asked):
    start = time.thread_time()
    judge(*asked)
    return (time.thread_time() - start) * 1000


def megabytes(*asked):
    tracemalloc.start()
    judge(*asked)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every", type=int, default=1, help="measure every so many of the bombs")
    asked = parser.parse_args()
    child.prove = lambda _a, _b: None
    measured = list(corpus())
    listed = len(measured)
    measured += bombs(asked.every)
    milliseconds(*measured[0][1:])  # imports are no part of grading
    taken, slowest = max((min(milliseconds(*each) for _ in range(asked.rounds)), name) for name, *each in measured)
    used, largest = max((megabytes(*each), name) for name, *each in measured[:listed] + measured[listed::50])
    table(
        (f"{listed} hostile answers, {len(measured) - listed} bombs", "figure", "of", "target", "met"),
        (
            ("slowest", f"{taken:.2f} ms", _short(slowest), f"≤ {MILLISECONDS} ms", verdict(taken, MILLISECONDS)),
            ("largest", f"{used:.2f} MB", _short(largest), f"≤ {MEGABYTES} MB", verdict(used, MEGABYTES)),
            ("PrairieLearn (quoted)", "5 of 42 killed at 4 s, up to 1,068 MB", "", "", ""),
        ),
    )


def _short(name):
    return name if len(name) <= 40 else f"{name[:37]}..."


if __name__ == "__main__":
    main()
