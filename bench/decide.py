"""Decide 200 pairs of formulas (student's text, key): our reader and exact equality, beside two ways through SymPy.

    python bench/decide.py [--rounds 5]

Both SymPy ways get what helps them: letters declared positive, decimals as fractions, the key read beforehand (as ours
is). "parse_expr + simplify" trusts the text. The "whitelist" way is what a careful course system does in spirit: the
syntax tree is checked against a list of allowed nodes and names, SymPy reads the text, then `equals`, and `simplify`
where that has no opinion. The three take turns, each time in a new process, so that each pair is
decided for the first time. A pair's time is its median over the rounds; one that takes longer than the limit is
undecided.
"""

import argparse
import ast
import multiprocessing
import signal
import statistics
import time
from contextlib import contextmanager
from pathlib import Path

import sympy
from shown import table, verdict
from sympy.parsing.sympy_parser import convert_xor, parse_expr, rationalize, standard_transformations

from grader.equal import same
from grader.read import Context, Ok, read

PAIRS = Path(__file__).with_name("pairs.txt")
LETTERS = "BTDVLHFNCMK"
LIMIT = 5  # seconds
OURS, PLAIN, CAREFUL = "Maskwise", "SymPy: parse_expr + simplify", "SymPy: whitelist, equals, simplify"
MAXIMA, COURSE = "Maxima, warm pipe (quoted)", "PrairieLearn (quoted)"
QUOTED = {COURSE: (3058, 16885, None, 3, None), MAXIMA: (188, None, None, None, None)}  # as `summary`
GOALS = {CAREFUL: 100, MAXIMA: 5}

CONTEXT = Context(letters=tuple(LETTERS))
NAMES = {letter: sympy.Symbol(letter, positive=True) for letter in LETTERS} | {
    "ln": sympy.log,
    "log": sympy.log,
    "log2": lambda x: sympy.log(x, 2),
    "sqrt": sympy.sqrt,
    "exp": sympy.exp,
}
STEPS = (*standard_transformations, convert_xor, rationalize)
ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Pow,
    ast.USub,
    ast.UAdd,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
)
WARM_UP = (("K*(L+2)", "K*L+2*K"), ("ln(K^3)", "3*ln(K)"), ("sqrt(9*K)", "2*sqrt(K)"))


class TooLong(BaseException):
    """The time limit; no `except Exception` on the way may swallow it."""


def pairs():
    lines = (line.strip() for line in PAIRS.read_text(encoding="utf-8").splitlines())
    fields = (line.split(" | ") for line in lines if line and not line.startswith("#"))
    return [(student, key, mark == "=") for student, key, mark in fields]


# -- the three ways: how each keeps a key, and how it decides a student's text


def our_key(text):
    reading = read("expr", text, CONTEXT)
    if not isinstance(reading, Ok):
        raise SystemExit(f"not read: {text}")
    return reading.value


def ours(text, key):
    reading = read("expr", text, CONTEXT)
    return same(reading.value, key) if isinstance(reading, Ok) else None


def sympy_key(text):
    return parse_expr(text, local_dict=NAMES, transformations=STEPS)


def plain(text, key):
    return sympy.simplify(parse_expr(text, local_dict=NAMES, transformations=STEPS) - key) == 0


def careful(text, key):
    tree = ast.parse(text.replace("^", "**"), mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED) or (isinstance(node, ast.Name) and node.id not in NAMES):
            return None
    value = sympy.sympify(text, locals=NAMES, rational=True)
    verdict = value.equals(key)
    return sympy.simplify(value - key) == 0 if verdict is None else verdict


WAYS = {OURS: (our_key, ours), PLAIN: (sympy_key, plain), CAREFUL: (sympy_key, careful)}


# -- measuring


@contextmanager
def limited():
    def ring(_signal, _frame):
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def one(decide, text, key):
    """Return (microseconds, verdict)."""
    verdict = None
    start = time.perf_counter()
    try:
        with limited():
            start = time.perf_counter()
            verdict = decide(text, key)
            taken = time.perf_counter() - start
    except TooLong:
        taken = time.perf_counter() - start
    return taken * 1e6, verdict


def a_round(name):
    """Decide every pair in one way; return [(microseconds, verdict)]."""
    make, decide = WAYS[name]
    keys = [make(key) for _, key, _ in pairs()]
    if name == OURS:
        for key in keys:  # a key is kept with its image at the secret points
            same(key, key)
    for student, key in WARM_UP:
        one(decide, student, make(key))
    return [one(decide, student, key) for (student, _, _), key in zip(pairs(), keys, strict=True)]


def summary(rounds, truths):
    """Return (median, p95, slowest) in microseconds and the counts of wrong and undecided pairs."""
    by_pair = list(zip(*rounds, strict=True))
    times = [statistics.median(taken for taken, _ in found) for found in by_pair]
    verdicts = [[verdict for _, verdict in found] for found in by_pair]
    wrong = sum(not {None, truth}.issuperset(each) for each, truth in zip(verdicts, truths, strict=True))
    undecided = sum(None in each for each in verdicts)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1], max(times), wrong, undecided


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    rounds = {name: [] for name in WAYS}
    for _ in range(asked.rounds):
        for name, found in rounds.items():
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                found.append(pool.apply(a_round, (name,)))
    truths = [truth for _, _, truth in pairs()]
    rows = {name: summary(found, truths) for name, found in rounds.items()} | QUOTED
    shown = []
    for name, row in rows.items():
        cells = ["" if value is None else f"{value:,.0f}" for value in row]
        ours_is, goal, met = f"1/{row[0] / rows[OURS][0]:.0f}", "", ""
        if name == OURS:
            cells[0] = f"{row[0]:.1f}"
            ours_is, goal, met = "", "0 wrong", verdict(row[3], 0)
        elif name in GOALS:
            goal, met = f"≤ 1/{GOALS[name]}", verdict(GOALS[name] * rows[OURS][0], row[0])
        shown.append((name, *cells, ours_is, goal, met))
    table(
        ("200 pairs", "median, µs", "p95, µs", "slowest, µs", "wrong", "undecided", "ours is", "target", "met"), shown
    )
    print(
        "\nQuoted: a like machine, December 2026, another list of 200 pairs. SymPy has its letters declared positive "
        f"and its keys read beforehand; more than {LIMIT} s counts as undecided."
    )


if __name__ == "__main__":
    main()
