"""An ordered list: numbers, words of the options, or pairs of row and position."""

from __future__ import annotations

from collections import Counter
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
    items_of,
    plain,
    put,
    restored,
    shown,
    shown_tex,
    stored,
)
from grader.answers.rational import is_rounded
from grader.exact import decimal_text
from grader.expr import Expr
from grader.form import Form, Text
from grader.options import word_tex
from grader.reading.outcomes import Written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.exact import Number
    from grader.reading.outcomes import Value

Pair = tuple[int, ...]
Item = Plain | str | Pair

_PLACES = 12  # a longer decimal is no spelling that anyone would type


@dataclass(frozen=True, eq=False, init=False)
class Seq(Answer):
    """Items whose order counts: ``Seq(0, 1, 5)``, ``Seq(Fraction(1, 2), 3)``, ``Seq((0, 2), (1, 4))``, ``Seq("a")``."""

    items: tuple[Item, ...]
    kind: ClassVar[str] = "seq"

    def __init__(self, *items: object) -> None:
        object.__setattr__(self, "items", tuple(map(_item, items)))

    def at(self, given: Mapping[str, Number]) -> Self:
        """Return the list with numbers put in."""
        return type(self)(*(put(item, given) if isinstance(item, Expr) else item for item in self.items))

    def legal(self) -> bool:
        """Say whether every item has its value, all are of one sort, and rows and positions count from 0."""
        sorts = {_sort(item) for item in self.items}
        pairs = [item for item in self.items if isinstance(item, tuple)]
        return (
            len(sorts) <= 1
            and not any(isinstance(item, Expr) for item in self.items)
            and all(len(pair) == 2 and min(pair) >= 0 for pair in pairs)
        )

    def equals(self, other: Answer) -> bool | None:
        """Compare item by item."""
        return isinstance(other, Seq) and self.legal() and other.legal() and self.items == other.items

    def judge(self, value: Value) -> Judgement:
        """Compare item by item, exactly. The items in another order are wrong, and noted.

        Where every other item agrees, decimals that are an item rounded come out as rounded.
        """
        items = items_of(value)
        if items is None:
            return WRONG
        if items == self.items:
            return RIGHT
        if len(items) != len(self.items):
            return WRONG
        if all(key == typed or _is_rounded(key, typed) for key, typed in zip(self.items, items, strict=True)):
            return ROUNDED
        return Judgement("wrong", "other_order") if Counter(items) == Counter(self.items) else WRONG

    def display(self) -> str:
        """Return ``[0, 1, 5]``, ``[1/2, 3]``, ``[(0, 2), (1, 4)]`` or ``[masked, causal]``."""
        return f"[{', '.join(map(_shown, self.items))}]"

    def tex(self) -> str:
        """Return the list as TeX."""
        return f"[{', '.join(map(_tex, self.items))}]"

    def form(self) -> Form:
        """Return the spellings that a platform can list: those of one line."""
        return Text(tuple(text for text in self.spellings() if "\n" not in text), exact=False)

    def spellings(self) -> tuple[str, ...]:
        """Return the list in brackets, bare, packed, as a tuple, and as PyTorch prints it."""
        texts = [_shown(item) for item in self.items]
        listed, packed = ", ".join(texts), ",".join(text.replace(" ", "") for text in texts)
        if not texts:
            return ("[]", "()", "[ ]", "{}", "tensor([])")
        spelled = [f"[{listed}]", f"[{packed}]", f"[{listed},]", f"({listed},)", f"[ {listed} ]"]
        if len(texts) > 1 or not isinstance(self.items[0], tuple):  # a pair alone is a list of two numbers
            spelled += [listed, packed, f"( {listed} )"]
            if len(texts) > 1 and "/" not in listed:  # 3 1/2 could be a mixed number
                spelled.append(" ".join(texts))
        if any(isinstance(item, str) for item in self.items):
            return tuple(dict.fromkeys((*spelled, f"[{', '.join(map(repr, texts))}]", listed.upper())))
        if all(isinstance(item, tuple) for item in self.items):
            rows = [text.replace("(", "[").replace(")", "]") for text in texts]
            spelled += [f"[{', '.join(rows)}]", f"tensor([{(',' + chr(10) + ' ' * 8).join(rows)}])"]
        else:
            spelled += [f"tensor([{listed}])", "; ".join(texts), f"{{{listed}}}"]
            decimals = [
                decimal_text(Fraction(item), _PLACES) for item in self.items if isinstance(item, int | Fraction)
            ]
            if all(decimals):
                spelled.append(", ".join(text or "" for text in decimals))
        return tuple(dict.fromkeys(spelled))

    def unreadable(self) -> tuple[str, ...]:
        """Return ids run together, open brackets, a gap, two answers, letters, words and nothing."""
        return ("07934", "7,, 9", "[7, 9", "7, 9]", "7, 9 or 8", "[7; 8, 9]", "[[7, 8, 9]]", "7..9", "B*T", "idk", "")

    def others(self) -> tuple[Answer, ...]:
        """Return the list turned round, without an item, with one twice, and with one changed."""
        items = self.items
        near: list[tuple[Item, ...]] = [items[::-1], items[1:], (*items, *items[-1:]), (*items[1:], *items[:1])]
        if items:
            near.append((*items[:-1], _changed(items[-1])))
        else:
            near.append((7,))
        return tuple(Seq(*other) for other in dict.fromkeys(near) if other != items)

    def to_json(self) -> dict[str, Any]:
        """Return the kind and the items: numbers and formulas as ever, a pair as a list, a word as {"word": ...}."""
        return {"kind": self.kind, "items": [_stored(item) for item in self.items]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the list."""
        return cls(*map(_restored, data["items"]))


def _item(item: object) -> Item:
    """Return a word, a pair of whole numbers, or a number or formula. Raises ``TypeError`` for anything else."""
    if isinstance(item, str):
        return item
    if isinstance(item, tuple | list):
        numbers = tuple(number for number in item if type(number) is int)
        if len(numbers) != len(item):
            raise TypeError(f"a pair holds whole numbers only, not {item!r}")
        return numbers
    return plain(item)


def _sort(item: Item) -> type:
    return type(item) if isinstance(item, str | tuple) else Fraction


def _is_rounded(key: Item, typed: object) -> bool:
    """Say whether a typed number is an item at a lower precision; whole numbers have no decimals."""
    if not isinstance(key, int | Fraction) or not isinstance(typed, int | Fraction):
        return False
    if isinstance(typed, int):
        typed = Written(Fraction(typed), 0, len(str(abs(typed)).lstrip("0")))
    return is_rounded(Fraction(key), typed)


def _shown(item: Item) -> str:
    if isinstance(item, str):
        return item
    return f"({', '.join(map(str, item))})" if isinstance(item, tuple) else shown(item)


def _tex(item: Item) -> str:
    if isinstance(item, str):
        return word_tex(item)
    return _shown(item) if isinstance(item, tuple) else shown_tex(item)


def _changed(item: Item) -> Item:
    if isinstance(item, str):
        return item
    return (*item[:-1], item[-1] + 1) if isinstance(item, tuple) else plain(item + 1)


def _stored(item: Item) -> Any:
    if isinstance(item, str):
        return {"word": item}
    return list(item) if isinstance(item, tuple) else stored(item)


def _restored(data: Any) -> Item:
    match data:
        case {"word": str() as word}:
            return word
        case [int(), *_]:
            return _item(data)
    return restored(data)
