"""The child process behind ``child.py``: pairs of formulas come in as JSON lines, true, false or null goes out.

It may go any way that SymPy goes: whoever asked kills it when the time is up. Should the asker be gone by then, the
child ends by itself, and whatever it is at, it gets only so much of the processor and of the memory.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import sympy as untyped

from grader.equality.factors import factoriser
from grader.equality.points import agree
from grader.equality.polynomials import Poly, letters
from grader.equality.residues import is_unsure
from grader.equality.sympy_tree import to_sympy
from grader.equality.undecided import Undecided
from grader.expr import Expr

sympy: Any = untyped  # its functions carry no types

_MEMORY = 1024**3
_CPU_SECONDS = 3  # for one question, with its reading; whole seconds are what the system counts
_GLANCE = 0.25  # seconds between two looks whether the asker is still there


def prove(a: Expr, b: Expr) -> bool | None:
    """Decide with a full factoriser and SymPy's own transformations; None where they prove nothing."""
    with factoriser(_factor), suppress(Undecided):
        if agree(a, b, 0):
            return agree(a, b, 1)
        if not (is_unsure(a) or is_unsure(b)):
            return False
    gap = to_sympy(a) - to_sympy(b)
    # Factors count as positive, as everywhere: so the logarithm of a product may be taken apart.
    attempts = (sympy.expand_log(gap, force=True), sympy.radsimp(gap), sympy.sqrtdenest(gap))
    if any(sympy.simplify(attempt) == 0 for attempt in attempts):
        return True
    return None


def _factor(poly: Poly) -> list[tuple[Poly, int]]:
    """Return the irreducible factors of a primitive polynomial by SymPy."""
    names = letters(poly)
    symbols = [sympy.Symbol(name, positive=True) for name in names]
    terms = {tuple(dict(monomial).get(name, 0) for name in names): value for monomial, value in poly.items()}
    _, found = sympy.Poly.from_dict(terms, *symbols).factor_list()
    factors: list[tuple[Poly, int]] = []
    for piece, power in found:
        back: Poly = {}
        for exponents, value in piece.terms():
            back[tuple((name, size) for name, size in zip(names, exponents, strict=True) if size)] = int(value)
        factors.append((back, int(power)))
    return factors


def _limit(what: int, amount: int) -> None:
    """Set a limit that may be raised again, no higher than the system allows."""
    _, ceiling = resource.getrlimit(what)
    resource.setrlimit(what, (amount if ceiling == resource.RLIM_INFINITY else min(amount, ceiling), ceiling))


def _allow_cpu() -> None:
    """Allow so much more of the processor from now on; the system ends the process where it takes more."""
    _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + _CPU_SECONDS)


def _end_with(parent: int) -> None:
    """End this process, in the middle of a proof if need be, when the process that started it is gone."""
    while os.getppid() == parent:
        time.sleep(_GLANCE)
    os._exit(0)


def main(parent: int) -> None:
    """Answer until the asker, which is the process that started this one, goes away."""
    _limit(resource.RLIMIT_AS, _MEMORY)
    _limit(resource.RLIMIT_CORE, 0)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        _allow_cpu()
        left, right = json.loads(line)
        try:
            result = prove(Expr.from_json(left), Expr.from_json(right))
        except (ArithmeticError, ValueError, TypeError, NotImplementedError, MemoryError, RecursionError):
            result = None  # SymPy gave up: that is no proof of anything
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
