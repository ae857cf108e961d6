"""Random numbers that are a function of their key alone: SHA-256 in counter mode, no bias, no platform, no state.

A variant must be rebuilt years later on another machine, so no library generator is used: its algorithm could change
under us. The rule is public (block i = SHA-256(key || i), read as big-endian 64-bit words, rejection below n), so that
a checker that shares no code with this one can draw the same numbers.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

_SPAN = 1 << 64
_WORDS = struct.Struct(">4Q")
_COUNTER = struct.Struct(">Q")


def draw_key(family: str, level: int, version: int, seed: str) -> bytes:
    """Return the 32 bytes from which every number of one variant is drawn.

    `seed` is any text for open variants, 64 lower-case hex digits (an HMAC) for sealed ones.
    """
    return hashlib.sha256(f"maskwise/1|{family}|{level}|{version}|{seed}".encode()).digest()


class Draw:
    """A stream of whole numbers, each kept in `given` under its name when it has one."""

    __slots__ = ("_block", "_key", "_left", "_words", "given")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._words: tuple[int, ...] = ()
        self._left = 0
        self.given: dict[str, Any] = {}

    def word(self) -> int:
        """Return the next 64-bit word."""
        if not self._left:
            self._words = _WORDS.unpack(hashlib.sha256(self._key + _COUNTER.pack(self._block)).digest())
            self._block += 1
            self._left = 4
        self._left -= 1
        return self._words[3 - self._left]

    def below(self, n: int) -> int:
        """Return a whole number in 0..n-1, every one equally likely."""
        if n < 1:
            raise ValueError(f"nothing to draw from below {n}")
        limit = _SPAN - _SPAN % n
        while True:
            word = self.word()
            if word < limit:
                return word % n

    def between(self, name: str, lo: int, hi: int) -> int:
        """Draw a whole number in lo..hi, both included, and keep it under `name`."""
        value = lo + self.below(hi - lo + 1)
        self.given[name] = value
        return value

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.below(len(options))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order (Fisher-Yates)."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = self.below(last + 1)
            out[last], out[other] = out[other], out[last]
        return out

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Return k different items in the order of `items` (the first k steps of Fisher-Yates choose them)."""
        places = list(range(len(items)))
        for step in range(k):
            other = step + self.below(len(places) - step)
            places[step], places[other] = places[other], places[step]
        return [items[place] for place in sorted(places[:k])]
