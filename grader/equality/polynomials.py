"""Polynomials in the letters with whole coefficients: enough to split the argument of a logarithm into factors.

A polynomial is a dictionary from monomials to whole numbers without zeros; a monomial is a sorted tuple of (letter,
power). Sizes are bounded; what outgrows the bound is undecided.
"""

from __future__ import annotations

from math import gcd

from grader.effort import spend
from grader.equality.undecided import Undecided
from grader.expr import Add, Div, Expr, Letter, Mul, Num, Pow, Sub

Monomial = tuple[tuple[str, int], ...]
Poly = dict[Monomial, int]

ONE: Poly = {(): 1}
_MAX_TERMS = 80
_MAX_BITS = 1024  # of a coefficient


def from_expr(expr: Expr) -> tuple[Poly, Poly]:  # noqa: PLR0911 - one line a kind
    """Return numerator and denominator of a formula. Raises ``Undecided`` for functions in it and for long ones."""
    match expr:
        case Num(value=value):
            return ({(): value.numerator} if value else {}), {(): value.denominator}
        case Letter(name=name):
            return {((name, 1),): 1}, ONE
        case Add(left=left, right=right) | Sub(left=left, right=right):
            (a, b), (c, d) = from_expr(left), from_expr(right)
            sign = 1 if isinstance(expr, Add) else -1
            if b == d:
                return combine(a, c, sign), b
            return combine(times(a, d), times(c, b), sign), times(b, d)
        case Mul(left=left, right=right):
            (a, b), (c, d) = from_expr(left), from_expr(right)
            return times(a, c), times(b, d)
        case Div(left=left, right=right):
            (a, b), (c, d) = from_expr(left), from_expr(right)
            return times(a, d), times(b, c)
        case Pow(base=base, exponent=exponent):
            above, below = from_expr(base)
            if exponent < 0:
                above, below = below, above
            return power(above, abs(exponent)), power(below, abs(exponent))
    raise Undecided


def combine(a: Poly, b: Poly, sign: int = 1) -> Poly:
    """Return a + sign * b."""
    spend(1 + (len(a) + len(b)) // 3)
    result = dict(a)
    for monomial, coefficient in b.items():
        value = result.get(monomial, 0) + sign * coefficient
        if value:
            result[monomial] = value
        else:
            del result[monomial]
    return result


def merge(a: Monomial, b: Monomial) -> Monomial:
    """Return the product of two monomials."""
    if not a or not b:
        return a or b
    powers = dict(a)
    for name, exponent in b:
        powers[name] = powers.get(name, 0) + exponent
    return tuple(sorted((name, exponent) for name, exponent in powers.items() if exponent))


def times(a: Poly, b: Poly) -> Poly:
    """Return a * b. Raises ``Undecided`` beyond the bound."""
    if a == ONE:
        return b
    if b == ONE:
        return a
    if len(a) * len(b) > _MAX_TERMS**2 // 4 or _bits(a) + _bits(b) > _MAX_BITS:
        raise Undecided
    spend(2 + 5 * len(a) * len(b) // 2)
    result: Poly = {}
    for left, x in a.items():
        for right, y in b.items():
            monomial = merge(left, right)
            result[monomial] = result.get(monomial, 0) + x * y
    if len(result) > _MAX_TERMS:
        raise Undecided
    return {monomial: value for monomial, value in result.items() if value}


def _bits(poly: Poly) -> int:
    """Return the length of the longest coefficient."""
    return max((value.bit_length() for value in poly.values()), default=0)


def power(base: Poly, exponent: int) -> Poly:
    """Return base ** exponent for an exponent of 0 or more."""
    result = ONE
    for _ in range(exponent):
        result = times(result, base)
    return result


def letters(poly: Poly) -> list[str]:
    """Return the letters in a polynomial, sorted."""
    return sorted({name for monomial in poly for name, _ in monomial})


def degree(poly: Poly, letter: str) -> int:
    """Return the degree in a letter."""
    return max((dict(monomial).get(letter, 0) for monomial in poly), default=0)


def total_degree(poly: Poly) -> int:
    """Return the largest total degree."""
    return max((sum(exponent for _, exponent in monomial) for monomial in poly), default=0)


def coefficients(poly: Poly, letter: str) -> dict[int, Poly]:
    """Return the polynomial in one letter: power -> coefficient, a polynomial in the others."""
    spend(1 + len(poly))
    result: dict[int, Poly] = {}
    for monomial, value in poly.items():
        powers = dict(monomial)
        exponent = powers.pop(letter, 0)
        result.setdefault(exponent, {})[tuple(sorted(powers.items()))] = value
    return result


def derivative(poly: Poly, letter: str) -> Poly:
    """Return the derivative by a letter."""
    result: Poly = {}
    for monomial, value in poly.items():
        powers = dict(monomial)
        exponent = powers.get(letter, 0)
        if exponent:
            result[merge(monomial, ((letter, -1),))] = value * exponent
    return result


def leading(poly: Poly) -> Monomial:
    """Return the monomial that decides the sign of the normal form."""
    spend(2 * len(poly))
    return max(poly, key=_order)


def _order(monomial: Monomial) -> tuple[int, list[tuple[tuple[int, ...], int]]]:
    """Rank by total degree, then by the power of the first letter, and so on: an order that products respect."""
    # Earlier letters rank higher, so their code points count downwards; the 1 ends a name above all longer ones.
    ranks = [((*(-ord(char) for char in name), 1), exponent) for name, exponent in monomial]
    return sum(exponent for _, exponent in monomial), ranks


def primitive(poly: Poly) -> tuple[int, Monomial, Poly]:
    """Return (signed content, common monomial, rest): the rest has coprime coefficients, the leading one positive."""
    spend(1 + 2 * len(poly))
    content = gcd(*poly.values())
    if poly[leading(poly)] < 0:
        content = -content
    shared = dict(next(iter(poly)))
    for monomial in poly:
        powers = dict(monomial)
        shared = {name: min(exponent, powers[name]) for name, exponent in shared.items() if name in powers}
    common = tuple(sorted(shared.items()))
    inverse = tuple((name, -exponent) for name, exponent in common)
    return content, common, {merge(monomial, inverse): value // content for monomial, value in poly.items()}


def divide_exactly(a: Poly, b: Poly) -> Poly | None:
    """Return a / b where b divides a, else None."""
    quotient: Poly = {}
    top = leading(b)
    rest = a
    for _ in range(4 * _MAX_TERMS):
        if not rest:
            return quotient
        monomial = leading(rest)
        value, remainder = divmod(rest[monomial], b[top])
        step = merge(monomial, tuple((name, -exponent) for name, exponent in top))
        if remainder or any(exponent < 0 for _, exponent in step):
            return None
        quotient[step] = quotient.get(step, 0) + value
        rest = combine(rest, times({step: value}, b), -1)
    return None


def common_divisor(a: Poly, b: Poly) -> Poly:
    """Return the greatest common divisor, in normal form, by primitive remainders letter after letter."""
    if not a or not b:
        content, common, rest = primitive(a or b)
        return times({common: abs(content)}, rest)
    spend(5 + len(a) + len(b))
    names = sorted({*letters(a), *letters(b)})
    if not names:
        return {(): gcd(a[()], b[()])}
    letter = names[0]
    content_a, a = _split_content(a, letter)
    content_b, b = _split_content(b, letter)
    shared = common_divisor(content_a, content_b)
    if degree(a, letter) < degree(b, letter):
        a, b = b, a
    for _ in range(40):
        if not degree(b, letter):
            # A remainder without the letter: the parts without content share nothing, unless it is zero.
            return times(shared, a) if not b else shared
        a, b = b, _remainder(a, b, letter)
        if b:
            b = _split_content(b, letter)[1]
    raise Undecided


def _split_content(poly: Poly, letter: str) -> tuple[Poly, Poly]:
    """Return (content, rest): the greatest common divisor of the coefficients in a letter, and what is left."""
    content: Poly = {}
    for coefficient in coefficients(poly, letter).values():
        content = common_divisor(content, coefficient)
    rest = divide_exactly(poly, content)
    if rest is None:
        raise Undecided
    if rest[leading(rest)] < 0:
        rest = {monomial: -value for monomial, value in rest.items()}
    return content, rest


def _remainder(a: Poly, b: Poly, letter: str) -> Poly:
    """Return the pseudo-remainder of a by b in a letter."""
    below = degree(b, letter)
    lead = coefficients(b, letter)[below]
    while a and degree(a, letter) >= below:
        above = degree(a, letter)
        head = coefficients(a, letter)[above]
        shift: Monomial = ((letter, above - below),) if above > below else ()
        a = combine(times(a, lead), times(times(head, {shift: 1}), b), -1)
    return a
