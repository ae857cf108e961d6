"""An expression in the letters of the question; every way to write the same formula is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import RIGHT, UNDECIDED, WRONG, Answer, Judgement
from grader.equal import same
from grader.expr import Expr, expr
from grader.form import Form, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class ExprAnswer(Answer):
    """A formula: ``ExprAnswer(T * (T + 1) / 2)``."""

    value: Expr
    kind: ClassVar[str] = "expr"

    def __init__(self, value: object) -> None:
        object.__setattr__(self, "value", expr(value))

    def at(self, given: Mapping[str, Number]) -> Self:  # noqa: ARG002 - the question stays in letters
        """Return the formula as it is: it is asked in letters."""
        return self

    def legal(self) -> bool:
        """Every formula is legal."""
        return True

    def equals(self, other: Answer) -> bool | None:
        """Compare the formulas."""
        return same(self.value, other.value) if isinstance(other, ExprAnswer) else False

    def judge(self, value: Value) -> Judgement:
        """Compare the formulas."""
        if not isinstance(value, Expr):
            return WRONG
        match same(self.value, value):
            case True:
                return RIGHT
            case None:
                return UNDECIDED
        return WRONG

    def display(self) -> str:
        """Return the canonical text."""
        return self.value.text

    def tex(self) -> str:
        """Return the formula as TeX."""
        return self.value.tex

    def form(self) -> Form:
        """Return the spellings that a platform can list."""
        return Text(self.spellings(), exact=False)

    def spellings(self) -> tuple[str, ...]:
        """Return the formula with other signs, without blanks, in brackets, and in two equal forms."""
        text = self.value.text
        texts = [text, f"({text})", f" {text} ", f"({text})*1", f"0 + {text}" if text[0] != "-" else f"0 {text}"]
        texts += [text.replace(" ", ""), text.replace("**", "^"), text.replace("**", "^").replace("*", "·")]
        return tuple(dict.fromkeys(texts))

    def unreadable(self) -> tuple[str, ...]:
        """Return an open power, an unknown letter, an equation, two answers, words and nothing."""
        return ("(2", "2^", "2*zzz", "x = 2", "1 or 2", "2 + + 1", "2!", "sum(k)", "1/0", "idk", "")

    def others(self) -> tuple[Answer, ...]:
        """Return the formula plus one, doubled and squared."""
        candidates = [ExprAnswer(self.value + 1), ExprAnswer(self.value * 2), ExprAnswer(self.value + self.value * 3)]
        return tuple(candidate for candidate in candidates if self.apart(candidate))

    def to_json(self) -> dict[str, Any]:
        """Return the kind and the formula."""
        return {"kind": self.kind, "value": self.value.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the answer."""
        return cls(Expr.from_json(data["value"]))
