"""Samples for hints: they show a form, and share no number with what the student typed.

Reading knows neither the question nor its key, and a hint costs no try: a sample that happened to be the key would give
it away. So the numbers are larger than any that a question of ours shows or asks for.
"""

from __future__ import annotations

import re

_SIZES = ((2500, 3501, 4500), (2600, 3601, 4600), (2700, 3701, 4700), (2800, 3801, 4800), (2900, 3901, 4900))
_SMALL = (2, 3, 4)  # a shape that no question has: its sequences are four long at least
_DIGITS = re.compile(r"\d+")


def _apart(text: str, choices: tuple[tuple[int, int, int], ...] = _SIZES) -> tuple[int, int, int]:
    used = {int(piece) for piece in _DIGITS.findall(text[:1000]) if len(piece) < 10}
    return next((sizes for sizes in choices if not used.intersection(sizes)), choices[-1])


def shape(text: str) -> str:
    """Return a sample shape."""
    first, second, third = _apart(text, (_SMALL, *_SIZES))
    return f"({first}, {second}, {third})"


def letter_shape() -> str:
    """Return a sample shape in letters that no question declares."""
    return "(P, Q*R)"


def whole(text: str) -> str:
    """Return a sample whole number."""
    return str(_apart(text)[1])


def fraction(text: str) -> str:
    """Return a sample fraction."""
    first, second, _ = _apart(text)
    return f"{first}/{second}"


def decimal(text: str) -> str:
    """Return a sample decimal."""
    first, second, _ = _apart(text)
    return f"{first}.{second}"


def numbers(text: str) -> str:
    """Return a sample list of numbers."""
    return str(list(_apart(text)))


def positions(text: str) -> str:
    """Return a sample set of positions."""
    first, second, _ = _apart(text)
    return f"{{{first}, {second}}}"


def pairs(text: str) -> str:
    """Return a sample list of pairs."""
    first, second, third = _apart(text)
    return f"[({first}, {second}), ({first}, {third})]"


def rows(text: str) -> str:
    """Return a sample tensor of two rows."""
    first, second, third = _apart(text)
    return f"[[{first}, {second}], [{third}, {first}]]"


def truths() -> str:
    """Return a sample tensor of booleans; a row of one entry is none that a question has."""
    return "[[True], [False]]"
