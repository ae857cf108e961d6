"""Ways to pick an option without reading the question: what test-wise people do, and what options must not reward.

Wrong options are often made from the right one, so the right one tends to be the most alike to the others, or the
middle of numbers; and what is true often takes more, or fewer, words. `generator.choices` balances options against
these ways, and the blind guesser of `check` measures what they still win.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

WAYS: Final = ("any", "longest", "shortest", "alike", "middle")

_PIECE = re.compile(r"\w+|[^\w\s]")
_CLOSE = 1e-9  # sums of shares differ in their last digits


class Options:
    """Some options, of which lists can be tried quickly: what matters to a way of picking is worked out once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._lengths = [len(text) for text in texts]
        pieces = [frozenset(_PIECE.findall(text)) for text in texts]
        self._alike = [[len(one & other) / max(1, len(one | other)) for other in pieces] for one in pieces]
        self._numbers = _numbers(texts)

    def won(self, places: Sequence[int]) -> dict[str, float]:
        """Return for each way the chance that, among the options at these places, it picks the first."""
        lengths = [self._lengths[place] for place in places]
        alike = [sum(self._alike[place][other] for other in places) for place in places]
        return {
            "any": 1 / len(places),
            "longest": _first_of_most(lengths),
            "shortest": _first_of_most([-length for length in lengths]),
            "alike": _first_of_most(alike),
            "middle": self._middle(places),
        }

    def _middle(self, places: Sequence[int]) -> float:
        """Pick the middle of options that are numbers, or one of two middle ones; what is no number at random."""
        if self._numbers is None:
            return 1 / len(places)
        first = self._numbers[places[0]]
        below = sum(self._numbers[place] < first for place in places)
        middle = {(len(places) - 1) // 2, len(places) // 2}
        return (below in middle) / len(middle)


def _first_of_most(values: Sequence[float]) -> float:
    top = max(values) - _CLOSE
    return 1 / sum(value >= top for value in values) if values[0] >= top else 0.0


def _numbers(texts: Sequence[str]) -> list[Fraction] | None:
    try:
        return [Fraction(text) for text in texts]
    except (ValueError, ZeroDivisionError):
        return None
