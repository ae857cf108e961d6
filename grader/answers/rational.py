"""An exact fraction: unreduced ones and ending decimals are right too, a rounded decimal is told so."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
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
    shown,
    shown_tex,
    stored,
)
from grader.exact import decimal_text
from grader.expr import Expr
from grader.form import Form, Text
from grader.form import Number as NumberForm
from grader.reading.outcomes import Value, Written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.exact import Number

_FEW = 12
_COUNTED = 200
_PLACES = 12  # a longer decimal is no spelling that anyone would type


@dataclass(frozen=True, eq=False, init=False)
class Rational(Answer):
    """An exact number or a formula that gives one: ``Rational(M / (B * T))``."""

    value: Plain
    kind: ClassVar[str] = "rational"

    def __init__(self, value: object) -> None:
        object.__setattr__(self, "value", plain(value))

    def at(self, given: Mapping[str, Number]) -> Self:
        """Return the answer with numbers put in."""
        return type(self)(put(self.value, given))

    def legal(self) -> bool:
        """Say whether the value is a number."""
        return not isinstance(self.value, Expr)

    def number(self) -> Fraction:
        """Return the number. Raises ``ValueError`` where letters are left."""
        if isinstance(self.value, Expr):
            raise ValueError(f"{self.value.text} has no value yet")  # noqa: TRY004 - the type is right
        return Fraction(self.value)

    def equals(self, other: Answer) -> bool | None:
        """Compare the numbers exactly."""
        return isinstance(other, Rational) and self.legal() and other.legal() and self.value == other.value

    def judge(self, value: Value) -> Judgement:
        """Compare exactly; a decimal that is the key rounded comes out as rounded."""
        key = self.number()
        if not isinstance(value, int | Fraction):
            return WRONG
        if value == key:
            return RIGHT
        return ROUNDED if is_rounded(key, value) else WRONG

    def display(self) -> str:
        """Return the reduced fraction."""
        return shown(self.value)

    def tex(self) -> str:
        """Return the fraction as TeX."""
        return shown_tex(self.value)

    def form(self) -> Form:
        """Return a whole number, or the fraction in several spellings."""
        value = self.number()
        if value.denominator == 1:
            return NumberForm(value)
        # Who counts part and whole writes the fraction as counted: all with a denominator that can be counted by hand.
        most = max(_FEW, _COUNTED // value.denominator)
        unreduced = (f"{value.numerator * k}/{value.denominator * k}" for k in range(2, most + 1))
        return Text(tuple(dict.fromkeys((*self.spellings(), *unreduced))), exact=False)

    def spellings(self) -> tuple[str, ...]:
        """Return the fraction reduced, spaced, unreduced, and as a decimal where that ends."""
        value = self.number()
        above, below = value.numerator, value.denominator
        texts = [str(value), f"{above * 2}/{below * 2}", f"{above} / {below}", f"({value})", f"{above * 5}/{below * 5}"]
        texts.append(f"{above}÷{below}")
        if decimal := decimal_text(value, _PLACES):
            texts += [decimal, decimal + "0" if "." in decimal else decimal + ".0"]
        return tuple(dict.fromkeys(texts))

    def unreadable(self) -> tuple[str, ...]:
        """Return a division by zero, a rounded sign, two numbers, words and nothing."""
        return ("3/0", "~0.7", "1/2 or 1/3", "a half", "M/T", "3//", "0.333...", "1/2, 1/3", "7 bananas", "")

    def others(self) -> tuple[Answer, ...]:
        """Return the complement, the inverse, the double, and the value plus one."""
        value = self.number()
        near = [1 - value, value + 1, value * 2, *([1 / value] if value else [])]
        return tuple(Rational(other) for other in dict.fromkeys(near) if other != value)

    def to_json(self) -> dict[str, Any]:
        """Return the kind and the value."""
        return {"kind": self.kind, "value": stored(self.value)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the answer."""
        return cls(restored(data["value"]))


def is_rounded(key: Fraction, value: int | Fraction, places: int | None = None) -> bool:
    """Say whether a typed decimal is the key at a lower precision (fewer than ``places`` decimals, where given).

    It must have two significant digits at least and be off by half a unit of its last digit at most: single digits
    could be probed for free.
    """
    if not isinstance(value, Written) or value.digits < 2 or (places is not None and value.places >= places):
        return False
    half_unit = Fraction(1, 2 * 10**value.places)
    return abs(key - value) <= half_unit
