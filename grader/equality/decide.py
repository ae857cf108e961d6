"""Decides whether two formulas are the same: images at secret points, then points that refute, then a proof.

It stands apart from `grader.equal`, which everybody imports, because most programs never compare two formulas.
"""

from __future__ import annotations

from grader.effort import DECIDING, Effort, current
from grader.equality.points import agree
from grader.equality.refute import refuted
from grader.equality.residues import is_unsure
from grader.equality.undecided import NoImage, Undecided
from grader.expr import Expr, Ln


def decide(a: Expr, b: Expr) -> bool | None:
    """Say whether the formulas agree for all positive letters; None where that stays undecided in time.

    Inside a wider ``Effort`` the work counts there; alone it may spend ``DECIDING`` units.
    """
    if current() is not None:
        return _decided(a, b)
    with Effort(DECIDING):
        return _decided(a, b)


def _decided(a: Expr, b: Expr) -> bool | None:
    try:
        if _agree(a, b):
            return True
        if not (_has_ln(a) or _has_ln(b)) or not (is_unsure(a) or is_unsure(b)):
            return False
    except Undecided:
        if a.key == b.key:
            return True
    try:
        if refuted(a, b):
            return False
    except Undecided:  # the effort is spent; the child works on its own account
        pass
    from grader.equality.child import prove  # noqa: PLC0415 - processes are of no use to most programs

    return prove(a, b)


def _agree(a: Expr, b: Expr) -> bool:
    """Compare images at two points; where a denominator is 0 at the known prime, at secret ones. Raises Undecided."""
    try:
        return agree(a, b, 0) and agree(a, b, 1)
    except NoImage:
        return agree(a, b, 1) and agree(a, b, 3)


def _has_ln(expr: Expr) -> bool:
    return isinstance(expr, Ln) or any(_has_ln(part) for part in expr.parts)
