"""What reading an answer can come to, and what the question may declare for it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from grader.expr import Expr

if TYPE_CHECKING:
    from collections.abc import Mapping

Items = tuple[int | Fraction | str | tuple[int, ...], ...]  # of a list: numbers, words, pairs or rows
Value = int | Fraction | str | Expr | Items | tuple[Expr, ...] | frozenset[int]

ALLOWED = ("percent", "nan", "inf", "set", "boolean")

# How many words a list may hold and how long each may be: a visitor may declare a context for a preview.
_LIMITS = {"letters": (26, 24), "unit": (26, 24), "options": (26, 100), "allow": (len(ALLOWED), 24)}
_MAX_NUMBER = 10**9


@dataclass(frozen=True)
class Context:
    """What a question declares for reading: nothing here depends on its key.

    ``letters`` in the question's order; ``unit`` words that may follow a number; ``places`` the decimals asked for;
    ``mask_id``, ``ignore`` and ``rows`` for lists; ``allow`` of percent, nan, inf, set, boolean; ``options`` of
    choices.
    """

    letters: tuple[str, ...] = ()
    mask_id: int | None = None
    ignore: int | None = None
    unit: tuple[str, ...] = ()
    places: int | None = None
    rows: int | None = None
    allow: frozenset[str] = field(default_factory=frozenset)
    options: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Context:
        """Build a context from its JSON form. Raises ``ValueError`` that names an unknown key or a wrong value."""
        known = {item.name for item in fields(cls)}
        values: dict[str, Any] = {}
        for key, value in data.items():
            if key not in known:
                raise ValueError(f"unknown key {key!r} in the context; known are {', '.join(sorted(known))}")
            values[key] = _declared(key, value)
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Return what is set, as JSON values."""
        data: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None or value in ((), frozenset()):
                continue
            data[item.name] = sorted(value) if isinstance(value, frozenset) else value
            if isinstance(value, tuple):
                data[item.name] = list(value)
        return data


def _declared(key: str, value: Any) -> Any:
    """Check one value of a context. Raises ``ValueError`` that names the key."""
    if key in ("letters", "unit", "options", "allow"):
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{key} in the context must be a list of words")
        count, length = _LIMITS[key]
        if len(value) > count:
            raise ValueError(f"{key} in the context may hold at most {count} words, not {len(value)}")
        if long := next((item for item in value if len(item) > length), None):
            raise ValueError(f"{key} in the context: {long[:length]!r}... is longer than {length} characters")
        if key == "letters" and (bad := next((item for item in value if not item.isidentifier()), None)):
            raise ValueError(f"letters in the context must be names, and {bad!r} is none")
        if key == "allow":
            if bad := next((item for item in value if item not in ALLOWED), None):
                raise ValueError(f"allow in the context knows {', '.join(ALLOWED)}, not {bad!r}")
            return frozenset(value)
        return tuple(value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"{key} in the context must be a whole number")
    if value is not None and abs(value) > _MAX_NUMBER:
        raise ValueError(f"{key} in the context must be at most {_MAX_NUMBER} in size")
    return value


@dataclass(frozen=True, eq=False, init=False)
class Ok:
    """The answer was read. ``notes`` are remarks such as that log is the natural logarithm."""

    value: Value
    notes: tuple[str, ...]

    def __init__(self, value: Value, read_as: str = "", notes: tuple[str, ...] = ()) -> None:
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "notes", notes)
        if read_as:
            self.__dict__["read_as"] = read_as

    @cached_property
    def read_as(self) -> str:
        """How the answer was understood. For formulas it is written only when someone looks: grading does not."""
        value = self.value
        if not isinstance(value, tuple):
            return value.text if isinstance(value, Expr) else str(value)
        axes = [axis.text if isinstance(axis, Expr) else str(axis) for axis in value]
        return f"({axes[0]},)" if len(axes) == 1 else f"({', '.join(axes)})"

    def __repr__(self) -> str:
        return f"Ok({self.value!r}, {self.read_as!r}, {self.notes!r})"


@dataclass(frozen=True)
class Choice:
    """One reading of an ambiguous answer: what it means, and the text to submit to mean it."""

    label: str
    text: str


@dataclass(frozen=True)
class Ask:
    """The answer has several readings; none is guessed.

    ``alone`` is what to add where all readings but one turn out to be no answer.
    """

    question: str
    choices: tuple[Choice, ...]
    alone: str = ""


@dataclass(frozen=True)
class Reject:
    """The answer cannot be read. ``hint`` says what to change; ``repair`` uses the student's own tokens only."""

    hint: str
    read_so_far: str | None = None
    repair: str | None = None


class Written(Fraction):
    """A number that was typed as one decimal: its value, its decimals and its significant digits.

    Grading needs them to tell a key that was rounded from a value that is wrong (0.15 and 0.150 are equal numbers, but
    claim a different precision).
    """

    __slots__ = ("digits", "places")

    places: int
    digits: int

    def __new__(cls, value: Fraction, places: int, digits: int) -> Self:
        """Return the value with the precision at which it was typed; percents count two more decimals."""
        self = super().__new__(cls, value)
        self.places = places
        self.digits = digits
        return self
