"""A part of any kind, asked as a choice: its key among what its wrong rules give.

The options say nothing about which of them is the key: they are shuffled by a draw of their own, no two are equal, and
of several lists that the draw offers, the one is kept in which the key is no more the longest, the shortest, the middle
or the most alike to the others than chance would have it. At least two options are what wrong rules give, where there
are as many; values near any of them fill up.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from generator.faults import BadFamily
from generator.testwise import WAYS, Options
from grader.answers import (
    Answer,
    ChoiceAnswer,
    Decimal,
    ExprAnswer,
    Int,
    MultiAnswer,
    Rational,
    SetAnswer,
    Shape,
    ShapeSym,
)
from grader.reading.outcomes import Context
from templates import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generator.draw import Draw
    from grader.part import Part

# In front of a part's id in a list of parts: asked as a choice.
CHOICE_MARK = "~"

MOST = 5
LEAST = 4
_LISTS = 120
_FINE = 1000
# At least so many options are what known mistakes give, where the part has as many.
_SLIPS = 2
_NEAR = 13


def as_choice(part: Part, draw: Draw) -> Part:
    """Return the part with four or five options: its key and what its slips give.

    A part that is a choice already stays as it is. Raises BadFamily where the kind has too few other values to offer.
    """
    key = part.answer
    if isinstance(key, ChoiceAnswer | MultiAnswer):
        return part
    wrong = _apart_from([slip.answer for slip in part.slips if slip.answer.legal()], [key])
    near = _near([key, *wrong])
    if len(wrong) + len(near) < LEAST - 1:
        raise BadFamily(f"part {part.id}: too few different values to ask it as a choice; ask it openly")
    offered = _balanced(key, wrong, near, draw)
    order = draw.shuffled(offered)
    options = tuple(answer.display() for answer in order)

    def chosen(answer: Answer) -> ChoiceAnswer:
        return ChoiceAnswer(answer.display(), options, of=answer)

    return replace(
        part,
        answer=chosen(key),
        slips=tuple(replace(slip, answer=chosen(slip.answer)) for slip in part.slips if slip.answer in offered),
        context=Context(options=options),
        labels=tuple(_label(answer) for answer in order),
        follows=(),
        carry=None,
    )


def _balanced(key: Answer, wrong: list[Answer], near: list[Answer], draw: Draw) -> list[Answer]:
    """Return the key and four other values, three where there are no more: of many lists, the least rewarding one.

    For every way of picking, the draw says whether it is to win this time, as often as brings it nearest to chance; a
    list in which it picks by chance alone will do as well. Among equal lists, the one with most slips is kept.
    """
    pool = [key, *wrong, *near]
    size = min(MOST, len(pool))
    luck = {way: draw.below(_FINE) for way in WAYS[1:]}
    options = Options([answer.display() for answer in pool])
    lists = [(places, options.won(places)) for places in _lists(len(wrong), len(near), size, draw)]
    wanted = {}
    for way, chance in luck.items():
        low, high = min(won[way] for _, won in lists), max(won[way] for _, won in lists)
        often = (1 / size - low) / (high - low) if high > low else 0.0
        wanted[way] = high if chance < often * _FINE else low

    def off(won: dict[str, float]) -> float:
        return sum(min(abs(won[way] - share), abs(won[way] - 1 / size)) for way, share in wanted.items())

    def worth(one: tuple[list[int], dict[str, float]]) -> tuple[float, int]:
        places, won = one
        return round(off(won), 2), -sum(place <= len(wrong) for place in places)

    return [pool[place] for place in min(lists, key=worth)[0]]


def _lists(wrong: int, near: int, size: int, draw: Draw) -> Iterator[list[int]]:
    """Yield lists of places in the pool, the key's (0) first: some slips, and values near by for the rest."""
    least = max(min(_SLIPS, wrong), size - 1 - near)
    most = min(wrong, size - 1)
    slips, others = range(1, wrong + 1), range(wrong + 1, wrong + near + 1)
    for _ in range(_LISTS):
        some = draw.sample(slips, least + draw.below(most - least + 1))
        yield [0, *some, *draw.sample(others, size - 1 - len(some))]


def _near(answers: list[Answer]) -> list[Answer]:
    """Return values near the answers, and values near those: the key has no more of them than any other."""
    found: list[Answer] = []
    for around in (answers, None):
        for answer in found[:] if around is None else around:
            others = [other for other in (*_reshaped(answer), *answer.others()) if other.legal()]
            found += _apart_from(others, [*answers, *found])
            if len(found) >= _NEAR:
                return found[:_NEAR]
    return found


def _reshaped(answer: Answer) -> list[Answer]:
    """Return a shape with an axis less, a number doubled and halved, a set with one member moved."""
    if isinstance(answer, Shape | ShapeSym) and answer.axes:
        return [type(answer)(*answer.axes[1:]), type(answer)(*answer.axes[:-1])]
    if isinstance(answer, Int) and type(answer.value) is int:
        return [Int(answer.value * 2), Int(answer.value // 2)]
    if isinstance(answer, Decimal) and isinstance(answer.value, int | Fraction):
        return [Decimal(answer.value * 2, answer.places), Decimal(Fraction(answer.value) / 2, answer.places)]
    if isinstance(answer, SetAnswer):
        free = [place for place in answer.among if place not in answer.items]
        moved = [(*(set(answer.items) - {gone}), come) for gone in sorted(answer.items) for come in free]
        return [SetAnswer(items, answer.among) for items in moved]
    return []


def _apart_from(answers: list[Answer], others: list[Answer]) -> list[Answer]:
    """Return those of the answers that equal none of the others, nor one another, nor look alike."""
    kept: list[Answer] = []
    looks = {other.display() for other in others}
    for answer in answers:
        display = answer.display()
        # Values of most kinds are equal only where they look alike; rounded numbers and formulas need a comparison.
        close = isinstance(answer, Decimal | ShapeSym | ExprAnswer)
        if display in looks or (close and not all(answer.apart(other) for other in (*others, *kept))):
            continue
        looks.add(display)
        kept.append(answer)
    return kept


def _label(answer: Answer) -> str:
    """Return the words of an option: the value, set as its kind is set elsewhere."""
    if isinstance(answer, Shape | ShapeSym):
        return tokens.shape(answer)
    if isinstance(answer, Int | Rational | Decimal):
        return tokens.num(answer)
    if isinstance(answer, ExprAnswer):
        return tokens.maths(answer)
    return tokens.code(answer)
