"""Positions whose order does not count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import RIGHT, WRONG, Answer, Judgement
from grader.form import Form, Pick, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class SetAnswer(Answer):
    """Positions without order: ``SetAnswer((2, 4), among=range(6))``; ``among`` are those that can be picked."""

    items: frozenset[int]
    among: tuple[int, ...]
    kind: ClassVar[str] = "set"

    def __init__(self, items: Iterable[int], among: Iterable[int] = ()) -> None:
        object.__setattr__(self, "items", frozenset(_whole(items)))
        object.__setattr__(self, "among", _whole(among))

    def at(self, given: Mapping[str, Number]) -> Self:  # noqa: ARG002 - positions hold no letters
        """Return the set as it is."""
        return self

    def legal(self) -> bool:
        """Say whether every position is 0 or more."""
        return all(item >= 0 for item in self.items)

    def equals(self, other: Answer) -> bool | None:
        """Compare the positions."""
        return isinstance(other, SetAnswer) and self.items == other.items

    def judge(self, value: Value) -> Judgement:
        """Compare the positions; all of them count, and no others."""
        return RIGHT if isinstance(value, frozenset) and value == self.items else WRONG

    def display(self) -> str:
        """Return ``{2, 4}`` or ``none``."""
        return f"{{{', '.join(self._texts)}}}" if self.items else "none"

    def tex(self) -> str:
        """Return the set as TeX."""
        return rf"\{{{', '.join(self._texts)}\}}" if self.items else r"\emptyset"

    def form(self) -> Form:
        """Return the positions to pick from, or spellings where the set holds others or none can be picked."""
        if not self.among or not self.items.issubset(self.among):
            return Text(tuple(text for text in self.spellings() if "\n" not in text), exact=False)
        right = tuple(place for place, item in enumerate(self.among) if item in self.items)
        return Pick(tuple(map(str, self.among)), right, several=True)

    def spellings(self) -> tuple[str, ...]:
        """Return the set in braces, bare, turned round, and as PyTorch prints it; or the words for an empty one."""
        texts = self._texts
        if not texts:
            return ("none", "{}", "[]", "()", "∅", "no positions", "None", "set()", "tensor([])")
        listed, turned = ", ".join(texts), ", ".join(reversed(texts))
        column = (",\n" + " " * 8).join(f"[{text}]" for text in texts)
        spelled = [f"{{{listed}}}", listed, f"{{{turned}}}", f"[{listed}]", f"({listed})", f"tensor([{turned}])"]
        spelled += [f"tensor([{column}])", f"positions {' and '.join(texts)}", " ".join(texts), ",".join(texts)]
        return tuple(dict.fromkeys(spelled))

    def unreadable(self) -> tuple[str, ...]:
        """Return a range, a repeated position, open brackets, fractions, a dash, words and nothing."""
        return ("7-9", "7..9", "7, 7", "{7, 9", "7, 9}", "7.5", "{7,, 9}", "[[7, 9]]", "-", "-7", "all", "idk", "")

    def others(self) -> tuple[Answer, ...]:
        """Return the set with a position more, with one less, all moved on by one, and what it leaves out."""
        items, universe = self.items, frozenset(self.among)
        more = min(universe - items, default=max(items, default=-1) + 1)
        near = [items | {more}, items - {min(items, default=0)}, frozenset(item + 1 for item in items)]
        near += [universe - items] if universe else []
        return tuple(SetAnswer(other, self.among) for other in dict.fromkeys(near) if other != items)

    def to_json(self) -> dict[str, Any]:
        """Return the kind, the positions in order, and those that can be picked."""
        data: dict[str, Any] = {"kind": self.kind, "items": sorted(self.items)}
        return data | {"among": list(self.among)} if self.among else data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the set."""
        return cls(data["items"], data.get("among", ()))

    @property
    def _texts(self) -> list[str]:
        return [str(item) for item in sorted(self.items)]


def _whole(items: Iterable[int]) -> tuple[int, ...]:
    """Return the positions as a tuple. Raises ``TypeError`` for anything but whole numbers."""
    positions = tuple(items)
    if bad := [item for item in positions if type(item) is not int]:
        raise TypeError(f"positions are whole numbers, not {bad[0]!r}")
    return positions
