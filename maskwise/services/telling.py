"""Which other keys the evidence of a part tells: while one of those parts is open, the evidence waits.

The parts of a question build on each other: the share of masked positions states their number, embeddings and encoder
output have one shape. So key, printed line and solution of a closed part are held against the key of every open part,
however that key is written there. Where something short is taken for a key that is none, a solution opens later than
it could; nothing else is lost.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from grader.answers import Decimal, Int, Rational
from templates.markup import to_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generator.variant import Variant
    from grader.answers import Answer
    from grader.part import Part

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?: ?/ ?\d+)?(?![\w]|\.\d)")
_ROUND = str.maketrans("[]", "()")


def told_by(variant: Variant, part: Part) -> Iterator[str]:
    """Yield the other parts whose keys the evidence of this one would tell, in the order they are asked.

    It tells those of the parts it follows in any case: its solution works with their values.
    """
    text = shown_with(variant, part)
    for other in variant.parts:
        if other.id != part.id and (other.id in part.follows or states(text, other.answer)):
            yield other.id


def shown_with(variant: Variant, part: Part) -> str:
    """Return all that is shown of a closed part, as plain text."""
    route = variant.certificate.routes.get(part.id) if variant.certificate else None
    printed = (route.line, route.printed) if route else ()
    return "\n".join((part.answer.display(), *printed, _plain(variant.words.get(f"solution_{part.id}", ""))))


def states(text: str, key: Answer) -> bool:
    """Say whether a text states a key: as it is displayed, with other brackets, or as the same number."""
    if re.search(rf"(?<![\w.]){re.escape(_unified(key.display()))}(?![\w.]*\w)", _unified(text)):
        return True
    if not isinstance(key, Int | Rational | Decimal):
        return False
    shown = Fraction(key.display())
    return any(_value(found[0]) == shown for found in _NUMBER.finditer(text))


def _unified(text: str) -> str:
    """Write `[12, 6]`, `(12,6)` and `(12, 6)` alike, and `(12,)` as `(12)`."""
    alike = re.sub(r"\s+", " ", text.translate(_ROUND))
    return re.sub(r",? ?\)", ")", re.sub(r", ?", ", ", alike)).replace("( ", "(")


def _value(number: str) -> Fraction | None:
    try:
        return Fraction(number.replace(" ", ""))
    except ZeroDivisionError:
        return None


@lru_cache(maxsize=2048)
def _plain(markdown: str) -> str:
    return to_text(markdown)
