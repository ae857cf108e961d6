"""Short open codes: to be read aloud, with a check symbol, and with the content version that they need.

    SH-TRYIT.L1.v1.12  =  0ZVB-M1GV-KCX

Crockford's digits in groups of four; any case, O for 0 and I or L for 1 are read, dashes and blanks are not. In order:
a head (level, kind of seed, whether parts were chosen), the family (a hash of its id, so that further families change
no code), its version, its content (`content_of`), the chosen parts, the seed, and the check symbol.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from generator.codes import DIGITS, LOOK_UP_DIGITS, grouped, normal_id
from generator.fingerprint import content_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generator.family import Family

_FAMILY_DIGITS = 3
CONTENT_DIGITS = 3
# What a short code can hold; other variants have their plain code only.
_LEVELS = 8
_PARTS = 31
_ASKS = 16
_LONGEST_TEXT = 12
_NUMBER_DIGITS = 12
_SHORTEST = 1 + _FAMILY_DIGITS + 1 + CONTENT_DIGITS + 1 + 1
# A power of x goes round after 31 steps, and so the check symbol cannot tell places that are further apart.
_LONGEST = 31
_TEXT_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/.:"
_NUMBER = re.compile(r"0|[1-9][0-9]*")
# GF(32) by x^5 + x^2 + 1.
_FIELD = 0b100101


class Short(NamedTuple):
    """What a short code says. `seed` is as it was; `parts` as in an open code, with `~` where asked as a choice."""

    family: Family
    level: int
    version: int
    content: str
    seed: str
    parts: tuple[str, ...]


class BadCode(Exception):
    """A text in the form of a short code that says nothing: `str()` tells why, in words."""


class UnknownFamily(BadCode):
    """A sound code of a family that is not installed."""


class OtherContent(BadCode):
    """A sound code that was made by another content of its family: its numbers or words would differ."""


def short_code(family: Family, level: int, seed: str, chosen: Sequence[str] = ()) -> str:
    """Return the short form of an open code; "" where there is none: a long seed, or more parts than it can hold."""
    packed = _packed_seed(seed)
    parts = _packed_parts(family, chosen)
    if packed is None or parts is None or not 0 <= level < _LEVELS:
        return ""
    textual, digits = packed
    head = level << 2 | textual << 1 | bool(chosen)
    body = [head, *_family_digits(family.id), *_packed_version(family.version), *_values(content_of(family)), *parts]
    if len(body) + len(digits) + 1 == LOOK_UP_DIGITS:  # of that length are look-up ids; a zero in front changes nothing
        body.append(0)
    body += digits
    if len(body) + 1 > _LONGEST:
        return ""
    return grouped(_text([*body, _check(body)]))


def could_be_short(text: str) -> bool:
    """Whether a text has the form of a short code, sound or not. Look-up ids, of 16 digits, are none."""
    plain = normal_id(text).replace("-", "")
    return (
        _SHORTEST <= len(plain) <= _LONGEST and len(plain) != LOOK_UP_DIGITS and all(digit in DIGITS for digit in plain)
    )


def read_short(text: str, families: Iterable[Family]) -> Short:
    """Return what a short code says.

    Raises UnknownFamily and OtherContent for a sound code of something that is not installed, BadCode for a code with a
    wrong digit, or two that were swapped.
    """
    values = _values(normal_id(text).replace("-", ""))
    if _check(values[:-1]) != values[-1]:
        raise BadCode("the check symbol does not fit: a digit of this code is wrong or missing, or two are swapped")
    rest = _Digits(values[:-1])
    head = rest.take(1)[0]
    hashed = rest.take(_FAMILY_DIGITS)
    version = rest.number()
    content = _text(rest.take(CONTENT_DIGITS))
    alike = [family for family in families if _family_digits(family.id) == tuple(hashed)]
    if not alike:
        raise UnknownFamily("this code is of a family that is not installed here")
    family = next((each for each in alike if (each.version, content_of(each)) == (version, content)), alike[0])
    if (family.version, content_of(family)) != (version, content):
        raise OtherContent(
            f"the code was made by {family.id} version {version} (content {content}), "
            f"installed is version {family.version} (content {content_of(family)})"
        )
    parts = _parts(family, rest) if head & 1 else ()
    return Short(family, head >> 2, version, content, _seed(rest.left(), textual=bool(head & 2)), parts)


class _Digits:
    """Takes digits one after the other; BadCode when there are too few, as in no code that was ever made."""

    def __init__(self, values: list[int]) -> None:
        self._values = values
        self._at = 0

    def take(self, count: int) -> list[int]:
        taken = self._values[self._at : self._at + count]
        if len(taken) < count:
            raise BadCode("this code is too short")
        self._at += count
        return taken

    def number(self) -> int:
        """Take a number of four bits a digit, the highest first; the fifth bit says that another digit follows."""
        value = 0
        while True:
            digit = self.take(1)[0]
            value = value << 4 | digit & 15
            if not digit & 16:
                return value

    def left(self) -> list[int]:
        return self._values[self._at :]


def _packed_version(version: int) -> list[int]:
    digits = [version & 15]
    while version := version >> 4:
        digits.insert(0, version & 15 | 16)
    return digits


def _packed_parts(family: Family, chosen: Sequence[str]) -> list[int] | None:
    """Return the count, and a digit a part: its place in the family, and whether it is asked as a choice."""
    if not chosen:
        return []
    places = list(family.by_id)
    digits = [len(chosen)]
    for token in chosen:
        place = places.index(token.removeprefix("~"))
        if place >= _ASKS:
            return None
        digits.append(place << 1 | token.startswith("~"))
    return digits if len(chosen) <= _PARTS else None


def _parts(family: Family, rest: _Digits) -> tuple[str, ...]:
    places = list(family.by_id)
    tokens = []
    for digit in rest.take(rest.take(1)[0]):
        if digit >> 1 >= len(places):
            raise BadCode(f"this code names a part that {family.id} does not have")
        tokens.append(("~" if digit & 1 else "") + places[digit >> 1])
    if not tokens or len(set(tokens)) < len(tokens):
        raise BadCode("this code names its parts in a way that no code does")
    return tuple(tokens)


def _packed_seed(seed: str) -> tuple[bool, list[int]] | None:
    """Return whether a seed is kept as text, and its digits; None for one that is too long."""
    if _NUMBER.fullmatch(seed):
        digits = _base(int(seed), 32) if len(seed) <= 2 * _NUMBER_DIGITS else []
        return (False, digits) if 0 < len(digits) <= _NUMBER_DIGITS else None
    if not 0 < len(seed) <= _LONGEST_TEXT or not all(sign in _TEXT_SIGNS for sign in seed):
        return None
    number = 1  # keeps signs of value 0 in front
    for sign in seed:
        number = number * len(_TEXT_SIGNS) + _TEXT_SIGNS.index(sign)
    return True, _base(number, 32)


def _seed(digits: list[int], *, textual: bool) -> str:
    number = 0
    for digit in digits:
        number = number * 32 + digit
    if not textual:
        return str(number)
    signs = [_TEXT_SIGNS[value] for value in _base(number, len(_TEXT_SIGNS))[1:]]
    if not signs:
        raise BadCode("this code holds no seed")
    return "".join(signs)


def _base(number: int, base: int) -> list[int]:
    digits = [number % base]
    while number := number // base:
        digits.insert(0, number % base)
    return digits


@lru_cache(maxsize=1024)
def _family_digits(family_id: str) -> tuple[int, ...]:
    digest = hashlib.sha256(f"maskwise/1|family|{family_id}".encode()).digest()
    number = int.from_bytes(digest[:2], "big") >> 1
    return (number >> 10, number >> 5 & 31, number & 31)


def _check(values: Sequence[int]) -> int:
    """Return the check symbol: the sum of the digits times rising powers of x in GF(32).

    A wrong digit changes one term. Swapping two different digits changes two by a different factor each. Neither sum
    can stay the same, within 31 digits.
    """
    total = 0
    for value in values:  # Horner's rule: the digit before the symbol is multiplied once
        total = _times_x(total ^ value)
    return total


def _times_x(value: int) -> int:
    doubled = value << 1
    return doubled ^ _FIELD if doubled & 32 else doubled


def _values(text: str) -> list[int]:
    return [DIGITS.index(digit) for digit in text]


def _text(values: Iterable[int]) -> str:
    return "".join(DIGITS[value] for value in values)
