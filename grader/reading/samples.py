"""Samples for hints: they show a form, and share no number with what the student typed."""

from __future__ import annotations

import re

_SIZES = ((2, 3, 4), (5, 7, 9), (6, 11, 13), (14, 15, 17), (21, 22, 23))
_DIGITS = re.compile(r"\d+")


def _apart(text: str) -> tuple[int, int, int]:
    used = {int(piece) for piece in _DIGITS.findall(text[:1000]) if len(piece) < 10}
    return next((sizes for sizes in _SIZES if not used.intersection(sizes)), _SIZES[-1])


def shape(text: str) -> str:
    """Return a sample shape."""
    first, second, third = _apart(text)
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
