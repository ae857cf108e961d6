"""A two-dimensional tensor of whole numbers or of booleans, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import RIGHT, WRONG, Answer, Judgement, items_of
from grader.form import Form, Text
from grader.options import word_tex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class TensorAnswer(Answer):
    """Rows of whole numbers, or of booleans: ``TensorAnswer([[-100, 7], [3, -100]])``."""

    rows: tuple[tuple[int, ...], ...]
    kind: ClassVar[str] = "tensor"

    def __init__(self, rows: Iterable[Sequence[int]]) -> None:
        listed = tuple(tuple(row) for row in rows)
        types = {type(entry) for row in listed for entry in row}
        if types - {int} and types - {bool}:
            raise TypeError("a tensor holds whole numbers, or booleans, and not both")
        object.__setattr__(self, "rows", listed)

    @property
    def boolean(self) -> bool:
        """Whether the entries are booleans."""
        return any(isinstance(entry, bool) for row in self.rows for entry in row)

    def at(self, given: Mapping[str, Number]) -> Self:  # noqa: ARG002 - entries hold no letters
        """Return the tensor as it is."""
        return self

    def legal(self) -> bool:
        """Say whether there are entries, and as many in every row."""
        return len({len(row) for row in self.rows}) == 1 and bool(self.rows[0])

    def equals(self, other: Answer) -> bool | None:
        """Compare entry by entry; numbers are no booleans."""
        return isinstance(other, TensorAnswer) and self.boolean == other.boolean and self.rows == other.rows

    def judge(self, value: Value) -> Judgement:
        """Compare entry by entry."""
        rows = items_of(value)
        if rows is None or rows != self.rows:
            return WRONG
        boolean = any(isinstance(entry, bool) for row in rows if isinstance(row, tuple) for entry in row)
        return RIGHT if boolean == self.boolean else WRONG

    def display(self) -> str:
        """Return ``[[-100, 7], [3, -100]]`` or ``[[True, False]]``."""
        return f"[{', '.join(f'[{row}]' for row in self._lines())}]"

    def tex(self) -> str:
        """Return the tensor as TeX."""
        if not self.boolean:
            return self.display()
        rows = (", ".join(word_tex(str(entry)) for entry in row) for row in self.rows)
        return f"[{', '.join(f'[{row}]' for row in rows)}]"

    def form(self) -> Form:
        """Return the spellings that a platform can list: those of one line."""
        return Text(tuple(text for text in self.spellings() if "\n" not in text), exact=False)

    def spellings(self) -> tuple[str, ...]:
        """Return the rows nested, packed, as tuples, as printed, and one a line; booleans as 1 and 0 too."""
        lines = self._lines()
        shown = self.display()
        printed = f"tensor([{(',' + chr(10) + ' ' * 8).join(f'[{line}]' for line in lines)}])"
        spelled = [shown, shown.replace(" ", ""), shown.replace("[", "(").replace("]", ")"), printed, f" {shown} "]
        spelled += [shown.replace("], [", "]\n ["), shown.replace(",", "").replace("][", "] [")]
        if len(lines) > 1:
            spelled += ["\n".join(lines), "\n".join(lines).replace(",", ""), shown[1:-1]]
        if self.boolean:
            numbers = shown.replace("True", "1").replace("False", "0")
            spelled += [numbers, numbers.replace("1", "T").replace("0", "F"), shown.lower()]
        return tuple(dict.fromkeys(spelled))

    def unreadable(self) -> tuple[str, ...]:
        """Return ragged rows, open brackets, a gap, three levels, fractions, ranges, words and nothing."""
        texts = ("[[7, 9], [8]]", "[[7, 9], [8, 7]", "[[7,, 9]]", "[[[7]]]", "[[7.5, 9]]", "[[7..9]]", "B*T", "[]")
        return (*texts, "[[7, or], [8, 9]]", "idk", "")

    def others(self) -> tuple[Answer, ...]:
        """Return the tensor with rows in another order or read backwards, an entry changed, and a column less."""
        rows = self.rows
        first = (not rows[0][0] if self.boolean else rows[0][0] + 1, *rows[0][1:])
        near = [rows[::-1], tuple(row[::-1] for row in rows), (first, *rows[1:]), tuple(row[1:] for row in rows)]
        candidates = [TensorAnswer(other) for other in dict.fromkeys(near) if other != rows]
        return tuple(candidate for candidate in candidates if candidate.legal())

    def to_json(self) -> dict[str, Any]:
        """Return the kind and the rows."""
        return {"kind": self.kind, "rows": [list(row) for row in self.rows]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the tensor."""
        return cls(data["rows"])

    def _lines(self) -> list[str]:
        return [", ".join(map(str, row)) for row in self.rows]
