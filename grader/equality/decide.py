"""Decides whether two formulas are the same: images at secret points, then points that refute, then a proof.

It stands apart from `grader.equal`, which everybody imports, because most programs never compare two formulas.
"""

from __future__ import annotations

from grader.equality.points import agree
from grader.equality.refute import refuted
from grader.equality.residues import is_unsure
from grader.equality.undecided import Undecided
from grader.expr import Expr, Ln


def decide(a: Expr, b: Expr) -> bool | None:
    """Say whether the formulas agree for all positive letters; None where that stays undecided in time."""
    try:
        if agree(a, b, 0):
            return agree(a, b, 1)
        if not (_has_ln(a) or _has_ln(b)) or not (is_unsure(a) or is_unsure(b)):
            return False
    except Undecided:
        if a.key == b.key:
            return True
    if refuted(a, b):
        return False
    from grader.equality.child import prove  # noqa: PLC0415 - processes are of no use to most programs

    return prove(a, b)


def _has_ln(expr: Expr) -> bool:
    return isinstance(expr, Ln) or any(_has_ln(part) for part in expr.parts)
