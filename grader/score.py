"""What the parts of a question count together: a part of two options counts only with its reason."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from grader.part import Part


def counted(parts: Iterable[Part], scores: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return the share of each part that counts, 0 to 1, in the order of the parts.

    ``scores`` holds the share earned by part; what is missing is 0. A part with ``together`` counts only where each of
    those parts has its full score; one that is not among the parts was not asked, and holds nothing back.
    """
    asked = list(parts)
    earned = {part.id: scores.get(part.id, Fraction(0)) for part in asked}
    return {
        part.id: earned[part.id] if all(earned.get(reason, 1) == 1 for reason in part.together) else Fraction(0)
        for part in asked
    }
