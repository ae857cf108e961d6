"""What grading says about one part: codes and values, no prose. Words for the codes belong to the templates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from grader.reading.outcomes import Ask, Ok, Reject

if TYPE_CHECKING:
    from fractions import Fraction

Result = Literal["right", "wrong", "not_graded"]
Note = Literal["other_order", "rounded", "carried", "unreadable", "ask", "empty", "undecided", "no_runner"]
Reading = Ok | Ask | Reject


@dataclass(frozen=True, eq=False)
class Verdict:
    """The outcome for a part.

    ``score`` is the share of the part earned, 0 to 1; ``slip`` the id of the wrong rule that gives this answer;
    ``carried`` marks method credit for work carried on from a wrong earlier part; ``checked`` names what the answer was
    held against ("formula", "run"). Only right and wrong count as a try.
    """

    outcome: Result
    score: Fraction
    read_as: str | None = None
    slip: str | None = None
    note: Note | None = None
    carried: bool = False
    checked: tuple[str, ...] = ()
    reading: Reading | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what is stored with an attempt; the reading is not, it follows from the raw text."""
        whole = self.score.denominator == 1
        return {
            "outcome": self.outcome,
            "score": self.score.numerator if whole else float(self.score),
            "read_as": self.read_as,
            "slip": self.slip,
            "note": self.note,
            "carried": self.carried,
            "checked": list(self.checked),
        }
