"""Exact numbers: what may come into a formula, how large one may grow, and how one is written as a decimal.

No float comes in. A number that would outgrow the bound is refused before it is worked out: a short formula can name
one of millions of digits.
"""

from __future__ import annotations

from fractions import Fraction

Number = int | Fraction

MAX_BITS = 8192  # of numerator and denominator: far beyond any size, count or loss, and worked with in microseconds


def exact(value: object) -> Fraction:
    """Return a whole or rational number as a ``Fraction``. Raises ``TypeError`` for floats, bools and the rest."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    raise TypeError(f"formulas hold whole and rational numbers only, not {type(value).__name__} {value!r}")


def bits(value: Number) -> int:
    """Return the length of the longer of numerator and denominator, in bits."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def bounded(length: int, limit: int = MAX_BITS) -> None:
    """Raise ``OverflowError`` for a number that may come to more than so many bits."""
    if length > limit:
        raise OverflowError("the number is too large")


def decimal_text(value: Fraction, places: int | None = None) -> str | None:
    """Return the exact decimal expansion; None where it does not end, or not within so many places."""
    below, needed = value.denominator, {2: 0, 5: 0}
    for prime in needed:
        while below % prime == 0:
            below //= prime
            needed[prime] += 1
    length = max(needed.values())
    if below != 1 or (places is not None and length > places):
        return None
    digits = str((abs(value) * 10**length).numerator).rjust(length + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-length]}.{digits[-length:]}" if length else sign + digits
