"""The child process behind ``child.py``: pairs of formulas come in as JSON lines, true, false or null goes out.

It may take any time and any way that SymPy takes: whoever asked kills it when the time is up.
"""

from __future__ import annotations

import json
import resource
import sys
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

_MEMORY = 2 * 1024**3


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


def main() -> None:
    """Answer until the asker goes away."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        left, right = json.loads(line)
        try:
            result = prove(Expr.from_json(left), Expr.from_json(right))
        except (ArithmeticError, ValueError, TypeError, NotImplementedError, MemoryError, RecursionError):
            result = None  # SymPy gave up: that is no proof of anything
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
