"""Polynomials into irreducible factors, for the arguments of ln and sqrt.

Complete for what questions ask (numbers, letters, linear and quadratic factors, several letters); the rest is
undecided here and goes to a fuller factoriser.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING

from grader.effort import spend
from grader.equality.integers import prime_factors
from grader.equality.polynomials import (
    Poly,
    coefficients,
    common_divisor,
    degree,
    derivative,
    divide_exactly,
    letters,
    primitive,
    total_degree,
)
from grader.equality.undecided import Undecided

if TYPE_CHECKING:
    from collections.abc import Iterator

# A factor is a prime, a letter, or an irreducible polynomial in normal form as a sorted tuple of its terms.
Frozen = tuple[tuple[tuple[tuple[str, int], ...], int], ...]
Factor = int | str | Frozen
Factoriser = Callable[[Poly], list[tuple[Poly, int]]]

_ROOT_TRIES = 400


def freeze(poly: Poly) -> Frozen:
    """Return a polynomial as something hashable."""
    return tuple(sorted(poly.items()))


def factor(poly: Poly) -> tuple[int, dict[Factor, int]]:
    """Return the sign of the normal form and the factors of a polynomial that is not zero. Raises ``Undecided``."""
    sign, items = _factor(freeze(poly))
    return sign, dict(items)


@lru_cache(maxsize=128)
def _factor(frozen: Frozen) -> tuple[int, tuple[tuple[Factor, int], ...]]:
    content, common, rest = primitive(dict(frozen))
    found: dict[Factor, int] = dict(prime_factors(abs(content)))
    found.update(common)
    for piece, power in _irreducible(rest):
        frozen_piece = freeze(piece)
        found[frozen_piece] = found.get(frozen_piece, 0) + power
    return (1 if content > 0 else -1), tuple(found.items())


_FACTORISERS: list[Factoriser] = []


@contextmanager
def factoriser(function: Factoriser) -> Iterator[None]:
    """Use a fuller factoriser inside the block, for what this module leaves undecided."""
    _FACTORISERS.append(function)
    _factor.cache_clear()
    try:
        yield
    finally:
        _FACTORISERS.pop()
        _factor.cache_clear()


def _irreducible(poly: Poly) -> list[tuple[Poly, int]]:
    """Return the irreducible factors of a primitive polynomial without a common monomial."""
    if total_degree(poly) < 2:
        return [(poly, 1)] if total_degree(poly) else []
    try:
        return _factored(poly)
    except Undecided:
        if not _FACTORISERS:
            raise
        return _FACTORISERS[-1](poly)


def _factored(poly: Poly) -> list[tuple[Poly, int]]:
    """Return the factors of a polynomial of degree 2 or more, as far as the methods here reach."""
    names = letters(poly)
    for name in names if len(names) > 1 else []:
        # What the coefficients in a letter share is a factor without that letter.
        shared: Poly = {}
        for coefficient in coefficients(poly, name).values():
            shared = common_divisor(shared, coefficient)
        if total_degree(shared):
            return _split_off(poly, shared)
        if degree(poly, name) == 1:
            return [(poly, 1)]
    repeated = common_divisor(poly, derivative(poly, names[0]))
    if total_degree(repeated):
        return _split_off(poly, repeated)
    return _univariate(poly, names[0]) if len(names) == 1 else _homogeneous(poly, names)


def _split_off(poly: Poly, part: Poly) -> list[tuple[Poly, int]]:
    """Return the factors of a part and of the rest."""
    rest = divide_exactly(poly, part)
    if rest is None:
        raise Undecided
    return _irreducible(primitive(part)[2]) + _irreducible(primitive(rest)[2])


def _homogeneous(poly: Poly, names: list[str]) -> list[tuple[Poly, int]]:
    """Factor a polynomial in two letters whose terms have one degree, such as x^2 - y^2, through one letter."""
    whole = total_degree(poly)
    if len(names) != 2 or any(sum(exponent for _, exponent in monomial) != whole for monomial in poly):
        raise Undecided
    first, second = names
    single: Poly = {}
    for monomial, value in poly.items():
        exponent = dict(monomial).get(first, 0)
        single[((first, exponent),) if exponent else ()] = value
    found = []
    for piece, power in _univariate(single, first):
        top = degree(piece, first)
        filled: Poly = {}
        for monomial, value in piece.items():
            exponent = dict(monomial).get(first, 0)
            full = ((first, exponent), (second, top - exponent))
            filled[tuple(item for item in full if item[1])] = value
        found.append((primitive(filled)[2], power))
    return found


def _univariate(poly: Poly, name: str) -> list[tuple[Poly, int]]:
    """Split linear factors off; what is left is irreducible up to degree 3."""
    found: list[tuple[Poly, int]] = []
    rest = poly
    while degree(rest, name) > 1:
        root = _rational_root(rest, name)
        if root is None:
            break
        above, below = root
        line: Poly = {((name, 1),): below, (): -above} if above else {((name, 1),): below}
        quotient = divide_exactly(rest, line)
        if quotient is None:
            raise Undecided
        rest = quotient
        found.append((line, 1))
    if degree(rest, name) > 3:
        raise Undecided
    if degree(rest, name):
        found.append((primitive(rest)[2], 1))
    return found


def _rational_root(poly: Poly, name: str) -> tuple[int, int] | None:
    """Return a root as (numerator, denominator), or None. Raises ``Undecided`` where there are too many candidates."""
    values = {dict(monomial).get(name, 0): value for monomial, value in poly.items()}
    top = max(values)
    above, below = _divisors(abs(values.get(0, 0))), _divisors(abs(values[top]))
    if len(above) * len(below) > _ROOT_TRIES:
        raise Undecided
    for q in below:
        for p in above:
            if gcd(p, q) != 1:
                continue
            spend(len(values))
            for candidate in (p, -p):
                if sum(value * candidate**power * q ** (top - power) for power, value in values.items()) == 0:
                    return candidate, q
    return None


def _divisors(number: int) -> list[int]:
    divisors = [1]
    for prime, power in prime_factors(number) if number else ():
        divisors = [divisor * prime**exponent for divisor in divisors for exponent in range(power + 1)]
        if len(divisors) > _ROOT_TRIES:
            raise Undecided
    return divisors
