"""What every kind of answer can do: be judged, shown, stored, asked on paper, and make its own test samples."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from grader.exact import Number, exact
from grader.expr import Expr, expr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.form import Form
    from grader.reading.outcomes import Items, Value

Plain = int | Fraction | Expr


@dataclass(frozen=True)
class Judgement:
    """How a value compares with a key. ``rounded``: it is the key at a lower precision; ``undecided``: nobody knows."""

    outcome: Literal["right", "wrong", "rounded", "undecided"]
    note: Literal["other_order"] | None = None


RIGHT = Judgement("right")
WRONG = Judgement("wrong")
ROUNDED = Judgement("rounded")
UNDECIDED = Judgement("undecided")


class Answer(ABC):
    """A key, or what a wrong rule gives. Frozen; equal when kind and stored form are equal."""

    kind: ClassVar[str]

    @abstractmethod
    def at(self, given: Mapping[str, Number]) -> Self:
        """Return the answer with numbers put in for letters; kinds that are asked in letters stay as they are."""

    @abstractmethod
    def legal(self) -> bool:
        """Say whether the value can be typed in its kind: no fraction among whole numbers, no negative size."""

    @abstractmethod
    def equals(self, other: Answer) -> bool | None:
        """Say whether the two agree under the kind's own comparison; None where that stays undecided."""

    def apart(self, other: Answer) -> bool:
        """Say whether the two are safely different, so that no answer could match both."""
        return self.equals(other) is False

    @abstractmethod
    def judge(self, value: Value) -> Judgement:
        """Compare a value, as ``read`` gave it, with this answer."""

    @abstractmethod
    def display(self) -> str:
        """Return the answer as it is shown: ``(8, 20, 48)``, ``3/20``, ``6.9078``, ``B*T``."""

    @abstractmethod
    def tex(self) -> str:
        """Return the answer as TeX."""

    @abstractmethod
    def form(self) -> Form:
        """Return what a sheet or a learning platform can ask for this answer."""

    @abstractmethod
    def spellings(self) -> tuple[str, ...]:
        """Return texts, at least five, that read back as this value; the first is the canonical one."""

    @abstractmethod
    def unreadable(self) -> tuple[str, ...]:
        """Return texts that are not graded in a part of this kind."""

    @abstractmethod
    def others(self) -> tuple[Answer, ...]:
        """Return wrong values near by, each legal."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON values, with its kind."""

    @classmethod
    @abstractmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the answer. Raises ``KeyError`` or ``ValueError`` where the data is none."""

    @cached_property
    def _stored(self) -> str:
        return json.dumps(self.to_json(), sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self._stored == other._stored

    def __hash__(self) -> int:
        return hash(self._stored)


def plain(value: object) -> Plain:
    """Return a number or formula as int, else Fraction, else Expr. Raises ``TypeError`` for a float."""
    if type(value) is int:
        return value
    if isinstance(value, Expr):
        number = value.number()
        if number is None:
            return value
        value = number
    number = exact(value)
    return number.numerator if number.denominator == 1 else number


def put(value: Plain, given: Mapping[str, Number]) -> Plain:
    """Return the value with numbers put in for its letters."""
    return plain(value.at(given)) if isinstance(value, Expr) else value


def shown(value: Plain) -> str:
    """Return a number or formula as text: whole numbers bare, rationals reduced."""
    return value.text if isinstance(value, Expr) else str(value)


def shown_tex(value: Plain) -> str:
    """Return a number or formula as TeX."""
    return expr(value).tex


def stored(value: Plain) -> Any:
    """Return a number or formula as JSON."""
    return expr(value).to_json()


def restored(data: Any) -> Plain:
    """Return the number or formula behind its JSON. Raises ``ValueError``."""
    return plain(Expr.from_json(data))


def items_of(value: Value) -> Items | None:
    """Return the list that was read, None for a value of another sort."""
    if not isinstance(value, tuple):
        return None
    items = tuple(item for item in value if not isinstance(item, Expr))
    return items if len(items) == len(value) else None
