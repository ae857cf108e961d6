"""What somebody can try who understands nothing and only sees numbers: the guesses of the blind guesser.

It reads the numbers and rows of a question, not its words, and makes of them what an answer of the part's kind can be
made of: sizes in the order in which they stand, sums, products and shares, rows with other numbers put in, runs of
positions. No guess knows a rule of the subject or of a family.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from templates import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.part import Part

Number = int | Fraction

_MOST_AXES = 4
_MOST_SCALARS = 8
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")
_JOINED = re.compile(r"\s*(?:,|and)?\s*")


@dataclass(frozen=True)
class Numbers:
    """The numbers of a question: single ones in the order of their first appearance, and rows of them."""

    scalars: tuple[Number, ...]
    rows: tuple[tuple[Number, ...], ...]


def numbers_in(words: Iterable[str]) -> Numbers:
    """Collect the numbers of some words: protected values, cells of tables and strips, digits in code and text."""
    scalars: dict[Number, None] = {}
    rows: dict[tuple[Number, ...], None] = {}
    for text in words:
        listed: list[Number] = []
        end = 0
        for found in tokens.PATTERN.finditer(text):
            if not _JOINED.fullmatch(text[end : found.start()]):
                _keep(listed, rows)
                listed = []
            end = found.end()
            single, many = _values(tokens.read(found[1]) or ["", ""])
            listed += single
            scalars.update(dict.fromkeys(single))
            rows.update(dict.fromkeys(many))
        _keep(listed, rows)
    return Numbers(tuple(scalars)[:_MOST_SCALARS], tuple(rows))


def _keep(listed: list[Number], rows: dict[tuple[Number, ...], None]) -> None:
    """Numbers that stand side by side, joined by commas, are a row too."""
    if len(listed) > 1:
        rows[tuple(listed)] = None


def _values(token: list[Any]) -> tuple[list[Number], list[tuple[Number, ...]]]:
    """Return the single numbers and the rows of one token."""
    if token[0] in ("strip", "table"):
        rows = [tuple(value for cell in row for value in _read(cell)) for row in token[1]]
        return [], [row for row in rows if row]
    return _read(token[1]), []


def _read(text: str) -> list[Number]:
    return [_plain(Fraction(found)) for found in _NUMBER.findall(text)]


def _plain(value: Fraction) -> Number:
    return value.numerator if value.denominator == 1 else value


def guesses(part: Part, seen: Numbers) -> list[str]:  # noqa: PLR0911 - one return a kind
    """Return the different answers that a blind guesser can think of for a part, as texts."""
    rows = [row for row in seen.rows if all(isinstance(value, int) for value in row)]
    match part.kind:
        case "choice":
            return list(part.options)
        case "multi":
            return [", ".join(chosen) or "none" for chosen in _subsets(part.options)]
        case "shape_sym":
            return [_shape(axes) for axes in _runs(part.context.letters)]
        case "shape":
            return [_shape(axes) for axes in _runs([value for value in seen.scalars if isinstance(value, int)])]
        case "set":
            return [_listed(places) for places in dict.fromkeys(_places(seen, rows, part.options))]
        case "seq" | "tensor":
            return _lists(part, seen, rows)
    return _spelled(_values_of(part, seen), part.context.places)


def _runs(values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield every choice of at most four values that keeps their order."""
    for length in range(min(len(values), _MOST_AXES) + 1):
        yield from itertools.combinations(values, length)


def _subsets(options: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for length in range(len(options) + 1):
        yield from itertools.combinations(options, length)


def _shape(axes: Sequence[Any]) -> str:
    return f"({axes[0]},)" if len(axes) == 1 else f"({', '.join(map(str, axes))})"


def _values_of(part: Part, seen: Numbers) -> Iterator[Number]:
    """Yield what single numbers can be made of the numbers seen: themselves, by two, and what rows come to."""
    whole: list[Number] = list(seen.scalars)
    for row in seen.rows:
        whole += [len(row), sum(row), max(row), min(row)]
    whole = list(dict.fromkeys(whole))
    if part.kind == "int":
        yield from whole
        for a, b in itertools.combinations(whole, 2):
            yield a * b
            yield a + b
            yield max(a, b) - min(a, b)
    elif part.kind == "rational":
        products = [a * b for a, b in itertools.combinations(seen.scalars, 2)]
        for a, b in itertools.permutations(dict.fromkeys((*whole, *products)), 2):
            if b:
                yield Fraction(a) / Fraction(b)
    else:
        yield from whole
        for row in seen.rows:
            yield from row
            yield Fraction(sum(row))
            yield Fraction(sum(row)) / len(row)
            for few in itertools.combinations(row, 2):
                yield Fraction(sum(few))
                yield Fraction(sum(few)) / 2


def _spelled(values: Iterable[Number], places: int | None) -> list[str]:
    texts: dict[str, None] = {}
    for value in values:
        number = Fraction(value)
        shown = f"{float(number):.{places}f}" if places is not None else str(_plain(number))
        texts[shown] = None
    return list(texts)


def _places(seen: Numbers, rows: Sequence[Sequence[Number]], options: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Yield sets of positions: runs between numbers seen, the rows themselves, and where rows hold a value or agree."""
    size = len(options) or max((len(row) for row in rows), default=0)
    ends = sorted({0, size, *(value for value in seen.scalars if isinstance(value, int) and 0 <= value <= size)})
    for start, end in itertools.combinations(sorted({*ends, *(end + 1 for end in ends if end < size)}), 2):
        yield tuple(range(start, end))
    for row in rows:
        if all(0 <= value < size for value in row) and len(set(row)) == len(row):
            yield tuple(sorted(int(value) for value in row))
        for value in dict.fromkeys(row):
            yield tuple(place for place, other in enumerate(row) if other == value)
    for one, other in itertools.combinations(rows, 2):
        if len(one) == len(other):
            yield tuple(place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a == b)
            yield tuple(place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)


def _listed(places: Sequence[int]) -> str:
    return ", ".join(map(str, places)) or "none"


def _lists(part: Part, seen: Numbers, rows: Sequence[Sequence[Number]]) -> list[str]:
    """Make rows and grids: as they stand, with a number put in at listed places or elsewhere; and places of a value."""
    longest = max((len(row) for row in rows), default=0)
    grid = [list(row) for row in rows if len(row) == longest and longest > 1]
    if part.kind == "seq" and part.context.rows is not None:
        return [_pairs(grid, value, same=same) for value in _cells(grid) for same in (True, False)]
    if part.kind == "seq":
        columns = list(zip(*grid, strict=True))
        sums: list[list[Number]] = [[sum(column) for column in columns]] if columns else []
        made: list[list[Number]] = [*grid, *sums, *_columns(rows)]
        made += [put for row in grid for put in _put_in(row, seen, rows)]
        return list(dict.fromkeys(f"[{', '.join(str(value) for value in row)}]" for row in made))
    wanted = part.context.rows or len(grid)
    grids = [grid[:wanted], grid[-wanted:]]
    grids += [list(put) for put in zip(*(_put_in(row, seen, rows) for row in grid[:wanted]), strict=False)]
    return list(dict.fromkeys(f"[{', '.join(str(list(row)) for row in one)}]" for one in grids if one))


def _columns(rows: Sequence[Sequence[Number]]) -> Iterator[list[Number]]:
    """Yield the means of the first rows of a table, as many as there are."""
    for count in range(1, len(rows) + 1):
        block = rows[:count]
        if len({len(row) for row in block}) == 1:
            yield [_plain(Fraction(sum(column)) / count) for column in zip(*block, strict=True)]


def _put_in(row: Sequence[Number], seen: Numbers, rows: Sequence[Sequence[Number]]) -> list[list[Number]]:
    """Return the row with one of the numbers seen at the places that another row lists, or at all others."""
    listed = [other for other in rows if other != tuple(row) and all(0 <= value < len(row) for value in other)]
    listed += [(value,) for value in seen.scalars if isinstance(value, int) and 0 <= value < len(row)]
    made = []
    for places in listed:
        for value in seen.scalars:
            made.append([value if at in places else own for at, own in enumerate(row)])
            made.append([own if at in places else value for at, own in enumerate(row)])
    return made


def _cells(grid: Sequence[Sequence[Number]]) -> list[Number]:
    return list(dict.fromkeys(value for row in grid for value in row))


def _pairs(grid: Sequence[Sequence[Number]], value: Number, *, same: bool) -> str:
    found = [(b, t) for b, row in enumerate(grid) for t, cell in enumerate(row) if (cell == value) is same]
    return f"[{', '.join(map(str, found))}]"
