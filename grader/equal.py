"""Whether two formulas are the same."""

from __future__ import annotations

from grader.expr import Expr


def same(a: Expr, b: Expr) -> bool | None:
    """Say whether the formulas agree for all positive letters; None where that stays undecided in time."""
    return a.key == b.key
