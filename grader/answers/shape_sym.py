"""The shape of a tensor in letters: each axis is a formula, and axes are compared as formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import RIGHT, UNDECIDED, WRONG, Answer, Judgement
from grader.answers.shape import Shape, bracketed, spelled
from grader.equal import same
from grader.expr import Expr, Num, expr
from grader.form import Form, Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class ShapeSym(Answer):
    """Axes as formulas: ``ShapeSym(B * T, V)``. A plain 1 is an axis of size one."""

    axes: tuple[Expr, ...]
    kind: ClassVar[str] = "shape_sym"

    def __init__(self, *axes: object) -> None:
        object.__setattr__(self, "axes", tuple(expr(axis) for axis in axes))

    def at(self, given: Mapping[str, Number]) -> Self:  # noqa: ARG002 - the question stays in letters
        """Return the shape as it is: it is asked in letters."""
        return self

    def sizes_at(self, given: Mapping[str, Number]) -> Shape:
        """Return the shape in numbers at these sizes."""
        return Shape(*self.axes).at(given)

    def legal(self) -> bool:
        """Say whether every axis holds a letter or is 1."""
        return all(axis.letters() or axis.number() == 1 for axis in self.axes)

    def equals(self, other: Answer) -> bool | None:
        """Compare axis by axis as formulas."""
        return isinstance(other, ShapeSym) and all_same(self.axes, other.axes)

    def judge(self, value: Value) -> Judgement:
        """Compare axes; the same axes in another order are wrong, and noted."""
        axes = tuple(item for item in value if isinstance(item, Expr)) if isinstance(value, tuple) else ()
        if not isinstance(value, tuple) or len(axes) != len(value):
            return WRONG
        match all_same(self.axes, axes):
            case True:
                return RIGHT
            case None:
                return UNDECIDED
        return Judgement("wrong", "other_order") if _reordered(self.axes, axes) else WRONG

    def display(self) -> str:
        """Return ``(B*T, V)``."""
        return bracketed([axis.text for axis in self.axes])

    def tex(self) -> str:
        """Return the shape as TeX."""
        return bracketed([axis.tex for axis in self.axes])

    def form(self) -> Form:
        """Return the spellings that a platform can list."""
        return Text(self.spellings(), exact=False)

    def spellings(self) -> tuple[str, ...]:
        """Return the shape in the spellings of content.md 4.2, and with other signs for products."""
        texts = spelled([axis.text for axis in self.axes])
        return tuple(dict.fromkeys((*texts, texts[0].replace("*", "·"), texts[0].lower())))

    def unreadable(self) -> tuple[str, ...]:
        """Return open brackets, products, numbers, unknown letters and nothing."""
        return ("(B, T", "B, T)", "B*T", "(B,, T)", "(7, 9)", "(B, ?)", "(B, zzz)", "(B, T) or (T, B)", "idk", "")

    def others(self) -> tuple[Answer, ...]:
        """Return the shape with an axis dropped, added or changed, or turned round."""
        axes = self.axes
        near = [(*axes, Num(1)), axes[1:], axes[::-1], (*axes[:-1], axes[-1] * 2) if axes else (Num(1),)]
        candidates = [ShapeSym(*near_by) for near_by in near]
        return tuple(candidate for candidate in candidates if self.apart(candidate) and candidate.legal())

    def to_json(self) -> dict[str, Any]:
        """Return the kind and the axes."""
        return {"kind": self.kind, "axes": [axis.to_json() for axis in self.axes]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the shape."""
        return cls(*(Expr.from_json(axis) for axis in data["axes"]))


def all_same(left: Sequence[Expr], right: Sequence[Expr]) -> bool | None:
    """Compare formulas one by one: False as soon as two differ, None where one comparison stays undecided."""
    if len(left) != len(right):
        return False
    results = [same(a, b) for a, b in zip(left, right, strict=True)]
    return False if False in results else None if None in results else True


def _reordered(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    """Say whether the axes agree in some order."""
    if len(left) != len(right):
        return False
    rest = list(right)
    for axis in left:
        found = next((index for index, other in enumerate(rest) if same(axis, other)), None)
        if found is None:
            return False
        del rest[found]
    return True
