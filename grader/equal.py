"""Whether two formulas are the same for all positive letters: exact where it says yes or no, and it may say neither.

Images at secret points decide nearly everything in microseconds. What they do not reach is refuted at a few chosen
points, or proved by SymPy on a tree that we built, in a child process that is killed when its time is up. Running out
of time is never "different".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.expr import Expr

__all__ = ["same"]


def same(a: Expr, b: Expr) -> bool | None:
    """Say whether the formulas agree for all positive letters; None where that stays undecided in time."""
    from grader.equality.decide import decide  # noqa: PLC0415 - most programs ask for no comparison of formulas

    return decide(a, b)
