"""Exact numbers, and the refusal of anything else: no float comes into a formula or an answer."""

from __future__ import annotations

from fractions import Fraction

Number = int | Fraction


def exact(value: object) -> Fraction:
    """Return a whole or rational number as a ``Fraction``. Raises ``TypeError`` for floats, bools and the rest."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    raise TypeError(f"formulas hold whole and rational numbers only, not {type(value).__name__} {value!r}")
