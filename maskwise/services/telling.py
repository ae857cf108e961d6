"""Which other keys the evidence of a part tells: while one of those parts is open, the evidence waits.

The parts of a question build on each other: the share of masked positions states their number, a list of leaks how many
they are, embeddings and encoder output have one shape. So key, printed line and solution of a closed part are held
against the key of every open part, however that key is written there. Where something short is taken for a key that is
none, a solution opens later than it could; nothing else is lost. Options are part of the question, and there for
every reader: that they are listed tells nothing, that one of them is named in an evidence does.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from generator.proof import underlying
from grader.answers import ChoiceAnswer, Decimal, Int, MultiAnswer, Rational, Seq, SetAnswer, Shape
from templates.markup import to_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from generator.variant import Variant
    from grader.answers import Answer
    from grader.part import Part

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?: ?/ ?\d+)?(?![\w]|\.\d)")
_ROUND = str.maketrans("[]{}", "()()")
_INNER = re.compile(r"\(([^()]+)\)")  # a bracket with none inside
_TRUTHS = re.compile(r"(?:True|False)(?:, (?:True|False))*")
_PLACES = 3  # from so many decimals on, a number that is a key rounded states it


def told_by(variant: Variant, part: Part) -> Iterator[str]:
    """Yield the other parts whose keys the evidence of this one would tell, in the order they are asked.

    It tells those of the parts it follows, or counts with, in any case: its solution works with their values.
    """
    text = shown_with(variant, part)
    builds_on = {*part.follows, *part.together}
    for other in variant.parts:
        if other.id != part.id and (other.id in builds_on or _tells(variant, text, other)):
            yield other.id


def _tells(variant: Variant, text: str, other: Part) -> bool:
    return states(text, other.answer) or _names(text, other) or _sizes(variant, text, other)


def shown_with(variant: Variant, part: Part) -> str:
    """Return all that is shown of a closed part, as plain text, and how many items its key has."""
    route = variant.certificate.routes.get(part.id) if variant.certificate else None
    printed = (route.line, route.printed) if route else ()
    key = underlying(part.answer)
    many = (str(len(key.items)),) if isinstance(key, Seq | SetAnswer) else ()
    return "\n".join((key.display(), *many, *printed, _plain(variant.words.get(f"solution_{part.id}", ""))))


def states(text: str, key: Answer) -> bool:
    """Say whether a text states a key: as it is displayed, with other brackets, as the same number or list, in words.

    Of several options it is enough to name one, right or not.
    """
    key = underlying(key)
    if isinstance(key, ChoiceAnswer | MultiAnswer):
        return _says(text, (key.word,) if isinstance(key, ChoiceAnswer) else key.options)
    unified = _unified(text)
    if re.search(rf"(?<![\w.]){re.escape(_unified(key.display()))}(?![\w.]*\w)", unified):
        return True
    if isinstance(key, SetAnswer):
        return _states_positions(unified, key)
    if isinstance(key, Seq):
        numbers = [item for item in key.items if isinstance(item, int | Fraction)]
        return len(numbers) == len(key.items) > 0 and any(_same_numbers(numbers, found) for found in _lists(unified))
    if not isinstance(key, Int | Rational | Decimal):
        return False
    shown = Fraction(key.display())
    return any(_is(found[0], shown, exactly=isinstance(key, Int)) for found in _NUMBER.finditer(text))


def _names(text: str, other: Part) -> bool:
    """Say whether a text holds the words of an option as a page shows them."""
    if not other.labels or not isinstance(other.answer, ChoiceAnswer | MultiAnswer):
        return False
    told = other.options if isinstance(other.answer, MultiAnswer) else (other.answer.word,)
    labels = (label for word, label in zip(other.options, other.labels, strict=True) if word in told)
    return _says(text, (_plain(label).strip().rstrip(".") for label in labels))


def _sizes(variant: Variant, text: str, other: Part) -> bool:
    """Say whether a text holds all sizes of a shape that the question does not show: its rows, where V is given."""
    if not isinstance(other.answer, Shape):
        return False
    shown = {value for value in variant.given.values() if isinstance(value, int)}
    hidden = [size for size in other.answer.axes if isinstance(size, int) and size > 1 and size not in shown]
    return bool(hidden) and all(states(text, Int(size)) for size in hidden)


def _says(text: str, words: Iterable[str]) -> bool:
    spaced = " ".join(text.split())
    spellings = {spelling for word in words for spelling in (word, word.replace("_", " ")) if spelling}
    return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", spaced, re.IGNORECASE) for each in spellings)


def _states_positions(unified: str, key: SetAnswer) -> bool:
    """Say whether a text lists these positions: `2, 4`, `2 and 4`, a column of brackets, or truths for all places."""
    if not key.items:
        return False
    items = sorted(key.items)
    listed = r"\W+(?:and\W+)?".join(map(str, items))
    if re.search(rf"(?<![\w.]){listed}(?![\w.]*\w)", unified):
        return True
    truths = (found.split(", ") for found in _INNER.findall(unified) if _TRUTHS.fullmatch(found))
    return any([at for at, truth in enumerate(row) if truth == "True"] == items for row in truths)


def _lists(unified: str) -> Iterator[list[str]]:
    """Yield the items of every bracket that holds numbers alone."""
    for inside in _INNER.findall(unified):
        items = [item.strip() for item in inside.split(",") if item.strip()]
        if all(_NUMBER.fullmatch(item) for item in items):
            yield items


def _same_numbers(wanted: list[int | Fraction], found: list[str]) -> bool:
    pairs = zip(wanted, found, strict=False)
    return len(wanted) == len(found) and all(_is(text, Fraction(item), exactly=False) for item, text in pairs)


def _is(number: str, wanted: Fraction, *, exactly: bool) -> bool:
    """Say whether a number as it is written is this value, or this value rounded."""
    above, _slash, below = number.replace(" ", "").partition("/")  # either may be a decimal: 9.97/3
    try:
        value = Fraction(above) / Fraction(below or 1)
    except ZeroDivisionError:
        return False
    places = len(number.partition(".")[2])
    return value == wanted or (not exactly and places >= _PLACES and abs(value - wanted) <= Fraction(1, 2 * 10**places))


@lru_cache(maxsize=512)
def _unified(text: str) -> str:
    """Write `[12, 6]`, `(12,6)` and `{12, 6}` alike, `(12,)` as `(12)`, and `3.` in a list as `3`."""
    alike = re.sub(r"\s+", " ", text.translate(_ROUND))
    alike = re.sub(r"(?<=\d)\.(?=[,)])", "", alike)
    return re.sub(r",? ?\)", ")", re.sub(r", ?", ", ", alike)).replace("( ", "(")


@lru_cache(maxsize=2048)
def _plain(markdown: str) -> str:
    return to_text(markdown)
