"""What answers earn, and how many tries a part has: all figures of points on pages and in files come from here.

Nothing is kept but the answers with their scores; what they count together is worked out whenever somebody looks.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grader.score import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.part import Part
    from maskwise.store.records import Attempt, Quiz


def one_try(quiz: Quiz, part: Part) -> bool:
    """Say whether a part has one try: a choice in work that counts, where a second try would be a guess."""
    return quiz.mode != "practice" and part.one_try


def best(said: Iterable[Attempt]) -> Fraction:
    """Give the best score among counted attempts, 0 to 1."""
    return max((Fraction(attempt.verdict["score"]) for attempt in said if attempt.counted), default=Fraction(0))


def best_scores(parts: Iterable[Part], said: Sequence[Attempt]) -> dict[str, Fraction]:
    """Give the best score at each part, 0 to 1, each by itself."""
    return {part.id: best(attempt for attempt in said if attempt.part == part.id) for part in parts}


def earned(parts: Sequence[Part], said: Sequence[Attempt]) -> dict[str, Fraction]:
    """Give what each part counts, 0 to 1: one of two options counts only with its reason."""
    return counted(parts, best_scores(parts, said))


def earned_by(parts: Sequence[Part], said: Sequence[Attempt], attempt: Attempt) -> Fraction:
    """Give what one attempt counts, 0 to 1, with the best of the other parts."""
    if not attempt.counted:
        return Fraction(0)
    scores = {**best_scores(parts, said), attempt.part: Fraction(attempt.verdict["score"])}
    return counted(parts, scores)[attempt.part]
