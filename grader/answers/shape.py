"""The shape of a tensor in numbers: a tuple of sizes whose order counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import RIGHT, WRONG, Answer, Judgement, Plain, plain, put, restored, shown, shown_tex, stored
from grader.form import Form, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class Shape(Answer):
    """Sizes, whole numbers or formulas: ``Shape(M, V)``, ``Shape(8, 20, 48)``, ``Shape()`` for no axis."""

    axes: tuple[Plain, ...]
    kind: ClassVar[str] = "shape"

    def __init__(self, *axes: object) -> None:
        object.__setattr__(self, "axes", tuple(plain(axis) for axis in axes))

    def at(self, given: Mapping[str, Number]) -> Self:
        """Return the shape with numbers put in."""
        return type(self)(*(put(axis, given) for axis in self.axes))

    def legal(self) -> bool:
        """Say whether every size is a whole number, 0 or more."""
        return all(isinstance(axis, int) and axis >= 0 for axis in self.axes)

    def sizes(self) -> tuple[int, ...]:
        """Return the sizes of a legal shape. Raises ``ValueError`` where one is no whole number."""
        sizes = tuple(axis for axis in self.axes if isinstance(axis, int))
        if len(sizes) != len(self.axes):
            raise ValueError(f"{self.display()} is not a shape in numbers")
        return sizes

    def equals(self, other: Answer) -> bool | None:
        """Compare size by size."""
        return isinstance(other, Shape) and self.legal() and other.legal() and self.axes == other.axes

    def judge(self, value: Value) -> Judgement:
        """Compare sizes; the same sizes in another order are wrong, and noted."""
        sizes = self.sizes()
        if not isinstance(value, tuple):
            return WRONG
        typed = tuple(size for size in value if isinstance(size, int))
        if len(typed) != len(value):
            return WRONG
        if typed == sizes:
            return RIGHT
        if sorted(typed) == sorted(sizes):
            return Judgement("wrong", "other_order")
        return WRONG

    def display(self) -> str:
        """Return ``(8, 20, 48)``, ``(12,)`` or ``()``."""
        return bracketed([shown(axis) for axis in self.axes])

    def tex(self) -> str:
        """Return the shape as TeX."""
        return bracketed([shown_tex(axis) for axis in self.axes])

    def form(self) -> Form:
        """Return the spellings that a platform can list."""
        return Text(self.spellings(), exact=False)

    def spellings(self) -> tuple[str, ...]:
        """Return the shape in the spellings of content.md 4.2."""
        return spelled([shown(axis) for axis in self.axes])

    def unreadable(self) -> tuple[str, ...]:
        """Return open brackets, products, letters, words and nothing."""
        return ("(7, 9", "7, 9)", "7*9", "(7,, 9)", "(B, T)", "(7, ?)", "1,000", "7/9", "(7.5, 9)", "idk", "0", "")

    def others(self) -> tuple[Answer, ...]:
        """Return the shape with an axis dropped, added, changed, or with two exchanged."""
        from grader.reading.shapes import MAX_AXES  # noqa: PLC0415 - only these samples need to know what is read

        sizes = self.sizes()
        near = [(*sizes, 1), (*sizes, 7), sizes[1:], sizes[::-1], (*sizes[:-1], sizes[-1] + 1) if sizes else (1,)]
        return tuple(
            Shape(*near_by) for near_by in dict.fromkeys(near) if near_by != sizes and len(near_by) <= MAX_AXES
        )

    def to_json(self) -> dict[str, Any]:
        """Return the kind and the axes."""
        return {"kind": self.kind, "axes": [stored(axis) for axis in self.axes]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the shape."""
        return cls(*(restored(axis) for axis in data["axes"]))


def bracketed(axes: list[str]) -> str:
    """Return the axes as Python writes a tuple."""
    return f"({axes[0]},)" if len(axes) == 1 else f"({', '.join(axes)})"


def spelled(axes: list[str]) -> tuple[str, ...]:
    """Return the spellings that name these sizes, canonical first."""
    listed = ", ".join(axes)
    if not axes:
        return ("()", "[]", "torch.Size([])", "scalar", "0-d", "zero-dimensional", "torch.Size(())", "no axes")
    if len(axes) == 1:
        size = axes[0]
        spellings = [f"({size},)", f"[{size}]", f"torch.Size([{size}])", f"{size},", f"shape: ({size},)", f"<{size}>"]
        return (*spellings, size, f"({size})") if size.isdigit() and int(size) > 1 else tuple(spellings)
    packed = ",".join(axes)
    spellings = [f"({listed})", f"({packed})", listed, packed, f"[{listed}]", f"torch.Size([{listed}])"]
    spellings += [f"({listed},)", f"shape = ({listed})", f"{{{listed}}}", f"<{listed}>", "; ".join(axes)]
    spellings += [" × ".join(axes), " by ".join(axes), " x ".join(axes)]
    if axes[0] != "0" and all(axis.isalnum() for axis in axes):  # 0x12 looks like a hexadecimal number
        spellings += ["x".join(axes)]
    if all(axis.isalnum() for axis in axes):
        spellings += [" ".join(axes)]
    return tuple(spellings)
