"""A guesser: it holds the program and a student's paper, not the secret, and looks for seeds that give its numbers.

Who finds the seed of a question has its key. The guesser knows which family and level it looks at: the words tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from generator.codes import seal
from generator.drafting import draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from generator.family import Family

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")


class Printed(NamedTuple):
    """A question on a paper: what the guesser recognises it as, and the numbers that stand in it."""

    family: Family
    level: int
    numbers: frozenset[str]


def printed(text: str, kinds: Iterable[tuple[Family, int]]) -> list[Printed]:
    """Give the questions of a paper in plain text; they are numbered `1.`, `2.` at the beginning of a line."""
    _head, *blocks = re.split(r"(?m)^(?=\d+\. )", text)
    return [
        Printed(family, level, frozenset(NUMBER.findall(block)))
        for (family, level), block in zip(kinds, blocks, strict=True)
    ]


def numbers_of(value: object) -> Iterator[str]:
    """Give the numbers of a question's `given` as they are printed."""
    if isinstance(value, list):
        for each in value:
            yield from numbers_of(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from numbers_of(each)
    elif isinstance(value, int | str) and not isinstance(value, bool) and NUMBER.fullmatch(str(value)):
        yield str(value)


def matches(question: Printed, seeds: Iterable[str]) -> list[str]:
    """Give the seeds whose numbers all stand in the question."""
    return [
        seed
        for seed in seeds
        if question.numbers.issuperset(numbers_of(dict(draft(question.family, question.level, seed).given)))
    ]


def open_seeds(below: int) -> Iterator[str]:
    """Give every seed that an open set of any seed can have, as far as `below`."""
    return map(str, range(below))


def seeds_from_print(codes: Iterable[str], slug: str, label: str, name: str) -> Iterator[str]:
    """Give what is printed as a seed, and as the key of a sealed draw, in several spellings."""
    for code in codes:
        for spelling in sorted({code, code.replace("-", ""), code.lower(), code.lower().replace("-", "")}):
            yield spelling
            yield from (seal(spelling.encode(), slug, label, name, attempt) for attempt in range(40))


def seeds_of_small_secrets(below: int, slug: str, label: str, name: str) -> Iterator[str]:
    """Give what sealed draws would be under secrets that are small numbers."""
    return (seal(number.to_bytes(32, "big"), slug, label, name, 0) for number in range(below))
