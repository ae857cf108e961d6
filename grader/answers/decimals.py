"""A number asked to some decimals: right within a little more than half a unit of the last one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import (
    RIGHT,
    ROUNDED,
    WRONG,
    Answer,
    Judgement,
    Plain,
    plain,
    put,
    restored,
    shown_tex,
    stored,
)
from grader.answers.rational import is_rounded
from grader.expr import Expr
from grader.form import Form
from grader.form import Number as NumberForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class Decimal(Answer):
    """A value or formula, asked to ``places`` decimals: ``Decimal(ln(V), 4)``."""

    value: Plain
    places: int
    kind: ClassVar[str] = "decimal"

    def __init__(self, value: object, places: int) -> None:
        object.__setattr__(self, "value", plain(value))
        object.__setattr__(self, "places", places)

    def at(self, given: Mapping[str, Number]) -> Self:
        """Return the answer with numbers put in."""
        return type(self)(put(self.value, given), self.places)

    def legal(self) -> bool:
        """Say whether the value is a number."""
        return not isinstance(self.value, Expr) or not self.value.letters()

    @property
    def tolerance(self) -> Fraction:
        """How far an answer may be off: 0.6 units of the last decimal."""
        return Fraction(6, 10 ** (self.places + 1))

    @cached_property
    def _number(self) -> Fraction:
        return self.value.approx() if isinstance(self.value, Expr) else Fraction(self.value)

    def number(self) -> Fraction:
        """Return the value, exact or to 40 digits. Raises ``ValueError`` where letters are left."""
        return self._number

    def equals(self, other: Answer) -> bool | None:
        """Compare within the tolerance."""
        return isinstance(other, Decimal) and self._distance(other) <= self.tolerance

    def apart(self, other: Answer) -> bool:
        """Say whether the values are at least three tolerances apart."""
        return not isinstance(other, Decimal) or self._distance(other) >= 3 * self.tolerance

    def _distance(self, other: Decimal) -> Fraction:
        return abs(self.number() - other.number())

    def judge(self, value: Value) -> Judgement:
        """Compare within the tolerance; the key at fewer decimals comes out as rounded."""
        if not isinstance(value, int | Fraction):
            return WRONG
        key = self.number()
        if abs(key - value) <= self.tolerance:
            return RIGHT
        return ROUNDED if is_rounded(key, value, self.places) else WRONG

    def display(self) -> str:
        """Return exactly ``places`` decimals, halves away from zero; a formula with letters as it is."""
        if not self.legal() and isinstance(self.value, Expr):
            return self.value.text
        key = self.number()
        scaled = abs(key) * 10**self.places
        units = str((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator))
        digits = units.rjust(self.places + 1, "0")
        text = f"{digits[: -self.places]}.{digits[-self.places :]}" if self.places else digits
        return f"-{text}" if key < 0 and units.strip("0") else text

    def tex(self) -> str:
        """Return the decimals, or the formula as TeX."""
        return self.display() if self.legal() else shown_tex(self.value)

    def form(self) -> Form:
        """Return the number with its tolerance."""
        return NumberForm(self.number(), self.tolerance)

    def spellings(self) -> tuple[str, ...]:
        """Return the decimals with a sign, with a comma, as about, with another digit, in scientific notation."""
        shown = self.display()
        texts = [shown, f"~{shown}", f"≈ {shown}", f"{shown}e0", f" {shown} ", f"({shown})"]
        if "." in shown:
            whole, part = shown.split(".")
            texts.append(f"{shown}0")
            if len(part) != 3 or whole in ("0", "-0"):  # 6,907 could be six thousand
                texts.append(f"{whole},{part}")
        texts.append(shown.replace("-", "−") if shown.startswith("-") else f"+{shown}")
        if isinstance(self.value, Expr):
            texts.append(self.value.text)
        return tuple(texts)

    def unreadable(self) -> tuple[str, ...]:
        """Return two numbers, a hexadecimal one, a comma that could group, words and nothing."""
        return ("6,907", "6.9, 7.1", "6.9±0.1", "6.9.0", "--6.9", "0x1p3", "lg 100", "nan", "V/2", "about", "")

    def others(self) -> tuple[Answer, ...]:
        """Return values safely outside the tolerance."""
        key, step = self.number(), 10 * self.tolerance
        near = [key + step, key - step, key + 1, -key, key * 2]
        candidates = [Decimal(value, self.places) for value in dict.fromkeys(near)]
        return tuple(candidate for candidate in candidates if self.apart(candidate))

    def to_json(self) -> dict[str, Any]:
        """Return the kind, the value and the decimals asked for."""
        return {"kind": self.kind, "value": stored(self.value), "places": self.places}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the answer."""
        return cls(restored(data["value"]), data["places"])
