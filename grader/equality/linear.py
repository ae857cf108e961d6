"""The argument of an exponential as a sum of multiples of unlike monomials, so that exp of it is a product."""

from __future__ import annotations

from fractions import Fraction

from grader.effort import spend
from grader.equality.factors import Factor
from grader.equality.logarithms import logarithm
from grader.equality.undecided import Undecided
from grader.exact import bits
from grader.expr import Add, Div, Expr, Letter, Ln, Mul, Num, Pow, Sub

Atom = tuple[str, Factor]  # ("letter", name) or ("ln", factor)
Monomial = tuple[tuple[Atom, int], ...]
Sum = dict[Monomial, Fraction]

_MAX_TERMS = 40
_MAX_BITS = 1024  # of a coefficient


def expand(expr: Expr) -> Sum:  # noqa: C901, PLR0911 - one line a kind
    """Return a formula as a sum of monomials in letters and logarithms of factors; powers may be negative.

    Raises ``Undecided`` for roots, exponentials and quotients by sums inside it, and for long sums.
    """
    match expr:
        case Num(value=value):
            return {(): value} if value else {}
        case Letter(name=name):
            return {((("letter", name), 1),): Fraction(1)}
        case Add(left=left, right=right):
            return _plus(expand(left), expand(right), 1)
        case Sub(left=left, right=right):
            return _plus(expand(left), expand(right), -1)
        case Mul(left=left, right=right):
            return _times(expand(left), expand(right))
        case Div(left=left, right=right):
            return _times(expand(left), _inverse(expand(right)))
        case Pow(base=base, exponent=exponent):
            inner = expand(base)
            if exponent < 0:
                inner = _inverse(inner)
            result: Sum = {(): Fraction(1)}
            for _ in range(abs(exponent)):
                result = _times(result, inner)
            return result
        case Ln(argument=argument):
            return _logarithm(argument)
    raise Undecided


def _logarithm(argument: Expr) -> Sum:
    parts = logarithm(argument)
    if parts.sign < 0 or any(len(parts.indefinite) > 1 or abs(parts.powers[key]) != 1 for key in parts.indefinite):
        raise Undecided
    result: Sum = {((("ln", key), 1),): power for key, power in parts.powers.items()}
    for multiple, inner in parts.exponents:
        result = _plus(result, {monomial: value * multiple for monomial, value in expand(inner).items()}, 1)
    return result


def _bits(value: Sum) -> int:
    """Return the length of the longest coefficient."""
    return max((bits(coefficient) for coefficient in value.values()), default=0)


def _plus(a: Sum, b: Sum, sign: int) -> Sum:
    result = dict(a)
    for monomial, value in b.items():
        total = result.get(monomial, Fraction(0)) + sign * value
        if total:
            result[monomial] = total
        else:
            del result[monomial]
    return result


def _times(a: Sum, b: Sum) -> Sum:
    if len(a) * len(b) > _MAX_TERMS or _bits(a) + _bits(b) > _MAX_BITS:
        raise Undecided
    spend(12 * len(a) * len(b))
    result: Sum = {}
    for left, x in a.items():
        for right, y in b.items():
            powers = dict(left)
            for atom, exponent in right:
                powers[atom] = powers.get(atom, 0) + exponent
            items = [(atom, exponent) for atom, exponent in powers.items() if exponent]
            result = _plus(result, {tuple(sorted(items, key=repr)): x * y}, 1)
    return result


def _inverse(value: Sum) -> Sum:
    if len(value) != 1:
        raise Undecided
    [(monomial, coefficient)] = value.items()
    return {tuple((atom, -exponent) for atom, exponent in monomial): 1 / coefficient}
