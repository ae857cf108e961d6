"""A whole number; nothing else is right."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import RIGHT, WRONG, Answer, Judgement, Plain, plain, put, restored, shown, shown_tex, stored
from grader.expr import Expr
from grader.form import Form
from grader.form import Number as NumberForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class Int(Answer):
    """A whole number or a formula that gives one: ``Int(B * T - M)``."""

    value: Plain
    kind: ClassVar[str] = "int"

    def __init__(self, value: object) -> None:
        object.__setattr__(self, "value", plain(value))

    def at(self, given: Mapping[str, Number]) -> Self:
        """Return the answer with numbers put in."""
        return type(self)(put(self.value, given))

    def legal(self) -> bool:
        """Say whether the value is a whole number."""
        return isinstance(self.value, int)

    def equals(self, other: Answer) -> bool | None:
        """Compare the numbers."""
        return (
            isinstance(other, Int)
            and not isinstance(self.value, Expr)
            and not isinstance(other.value, Expr)
            and self.value == other.value
        )

    def judge(self, value: Value) -> Judgement:
        """Compare the numbers."""
        return RIGHT if isinstance(value, int) and value == self.number() else WRONG

    def number(self) -> int | Fraction:
        """Return the number. Raises ``ValueError`` where letters are left."""
        if isinstance(self.value, Expr):
            raise ValueError(f"{self.value.text} has no value yet")  # noqa: TRY004 - the type is right
        return self.value

    def display(self) -> str:
        """Return the number, bare."""
        return shown(self.value)

    def tex(self) -> str:
        """Return the number as TeX."""
        return shown_tex(self.value)

    def form(self) -> Form:
        """Return a number without tolerance."""
        return NumberForm(Fraction(self.number()))

    def spellings(self) -> tuple[str, ...]:
        """Return the number with a sign, with .0, in brackets, grouped, as a quotient."""
        value = int(self.number())
        texts = [f"{value}", f"{value}.0", f"({value})", f"{value * 2}/2", f" {value} ", f"{value}."]
        if value >= 0:
            texts += [f"+{value}", f"{value}*1"]
        else:
            texts += [f"−{-value}"]
        if abs(value) >= 1000:
            texts += [f"{value:,}", f"{value:,}".replace(",", " "), f"{value:_}"]
        return tuple(texts)

    def unreadable(self) -> tuple[str, ...]:
        """Return words, two numbers, letters, something that is not whole, and nothing."""
        return ("twelve", "7 or 9", "~7", "7.5", "B*T", "0x1f", "7, 9", "1.200", "7 8", "--7", "7!", "9/0", "")

    def others(self) -> tuple[Answer, ...]:
        """Return the neighbours and the double."""
        value = int(self.number())
        return tuple(Int(near) for near in dict.fromkeys((value + 1, value - 1, value * 2, -value)) if near != value)

    def to_json(self) -> dict[str, Any]:
        """Return the kind and the value."""
        return {"kind": self.kind, "value": stored(self.value)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the answer."""
        return cls(restored(data["value"]))
