"""Options as words: how they are typed, lettered, and written as TeX."""

from __future__ import annotations

import re
from string import ascii_uppercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in "_#$%&{}"})
_LOOSE = re.compile(r"[\s_]+|(?<=[^\W\d_]{2})-(?=\w)")  # a hyphen joins words; behind one letter it is a minus


def word_tex(word: str) -> str:
    r"""Return a word as text inside TeX: ``\text{all\_positions}``."""
    return rf"\text{{{word.translate(_ESCAPED)}}}"


def typed(word: str) -> str:
    """Return what is left of an option when case, blanks, underscores and hyphens between words do not count."""
    return _LOOSE.sub("", word).lower()


def typed_alike(options: Sequence[str]) -> bool:
    """Say whether an option is empty, or two differ by no more than case and blanks."""
    seen = {typed(option) for option in options}
    return len(seen) < len(options) or "" in seen


def letters_of(options: Sequence[str]) -> tuple[str, ...]:
    """Return the letters A, B, ... by which options can be named; none where an option is itself a single letter."""
    if len(options) > len(ascii_uppercase) or any(len(option) == 1 and option.isalpha() for option in options):
        return ()
    return tuple(ascii_uppercase[: len(options)])


def spelled_word(word: str) -> list[str]:
    """Return a word in the spellings that mean it."""
    spelled = [word, f" {word} ", f"`{word}`", f'"{word}"', f"answer: {word}"]
    if typed(word) == word.replace("_", "").lower():
        spelled += [word.upper(), word.replace("_", " ")]
    return spelled
