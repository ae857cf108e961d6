"""The two secret points of this process, and the images that formulas keep at them.

The first point is modulo 2**127-1. That prime is known, so that someone could type a multiple of it; whatever agrees
at the first point is therefore confirmed at a second one, modulo a prime that nobody knows.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from grader.equality.integers import is_prime
from grader.equality.residues import NeedsWide, Pair, Point
from grader.equality.undecided import NoImage

if TYPE_CHECKING:
    from grader.expr import Expr

MERSENNE = 2**127 - 1


@dataclass(frozen=True, slots=True)
class Seen:
    """The image of a formula at a point: a fraction of pairs a + b*i."""

    above: Pair
    below: Pair


@cache
def _point(index: int) -> Point:
    """Return a point: even ones modulo 2**127-1, odd ones modulo a secret prime."""
    prime = MERSENNE if index % 2 == 0 else _new_prime()
    return Point(prime, secrets.token_bytes(32))


def _new_prime() -> int:
    """Return a random prime of 127 bits that is 3 modulo 4."""
    while True:
        candidate = secrets.randbits(127) | 1 << 126 | 3
        if is_prime(candidate):
            return candidate


def secret_prime() -> int:
    """Return this process's prime of 127 bits that nobody knows."""
    return _point(1).prime


def image(expr: Expr, index: int = 0) -> Seen:
    """Return the image at a point, kept on the formula. Raises ``Undecided``, ``NoImage`` for a denominator of 0."""
    kept: dict[str, Seen] = expr.__dict__
    name = f"image {index}"
    seen = kept.get(name)
    if seen is None:
        point = _point(index)
        try:
            a, b = point.narrow(expr)
            above, below = (a, 0), (b, 0)
        except NeedsWide:
            above, below = point.wide(expr)
        if not any(below):
            raise NoImage
        seen = kept[name] = Seen(above, below)
    return seen


def agree(a: Expr, b: Expr, index: int) -> bool:
    """Say whether two formulas have one image at a point. Raises ``Undecided``."""
    first, second = image(a, index), image(b, index)
    prime = _point(index).prime
    if not (first.above[1] or first.below[1] or second.above[1] or second.below[1]):
        return (first.above[0] * second.below[0] - second.above[0] * first.below[0]) % prime == 0
    return _cross(first.above, second.below, prime) == _cross(second.above, first.below, prime)


def _cross(x: Pair, y: Pair, prime: int) -> Pair:
    return (x[0] * y[0] - x[1] * y[1]) % prime, (x[0] * y[1] + x[1] * y[0]) % prime
