"""The argument of a logarithm as a product of factors, each taken as positive.

ln of a product, quotient or power becomes a sum in which ln of each factor is a symbol of its own: -ln(1/V),
ln(V^2)/2 and ln V have one form, and so have ln 9 and 2 ln 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from grader.equality.factors import Factor, factor
from grader.equality.integers import prime_factors
from grader.equality.polynomials import from_expr
from grader.equality.undecided import Undecided
from grader.expr import Add, Div, Exp, Expr, Letter, Ln, Mul, Num, Pow, Sqrt, Sub


@dataclass
class Logarithm:
    """ln of something: powers of factors, plus multiples of the formulas inside exponentials.

    A polynomial factor with a minus sign in it may be negative. ``sign`` is that of the product of all factors;
    ``unsure`` says that the signs of several factors play together, so that two forms may differ and still agree.
    """

    powers: dict[Factor, Fraction] = field(default_factory=dict)
    exponents: list[tuple[Fraction, Expr]] = field(default_factory=list)
    sign: int = 1

    def add(self, key: Factor, power: Fraction) -> None:
        """Multiply by a power of a factor."""
        total = self.powers.get(key, Fraction(0)) + power
        if total:
            self.powers[key] = total
        else:
            self.powers.pop(key, None)

    @cached_property
    def indefinite(self) -> list[Factor]:
        """The factors that are positive for some letters and negative for others."""
        return [key for key in self.powers if isinstance(key, tuple) and any(value < 0 for _, value in key)]


def logarithm(argument: Expr) -> Logarithm:
    """Return the factors of an argument, kept on it. Raises ``Undecided`` where they are out of reach."""
    kept: dict[str, Logarithm] = argument.__dict__
    result = kept.get("logarithm")
    if result is None:
        result = Logarithm()
        _collect(argument, Fraction(1), result)
        kept["logarithm"] = result
    return result


def _collect(expr: Expr, power: Fraction, into: Logarithm) -> None:  # noqa: C901 - one line a kind
    """Multiply by expr ** power."""
    match expr:
        case Num(value=value):
            if not value:
                raise Undecided
            _sign(value < 0, power, into)
            for prime, exponent in prime_factors(abs(value.numerator)):
                into.add(prime, power * exponent)
            for prime, exponent in prime_factors(value.denominator):
                into.add(prime, -power * exponent)
        case Letter(name=name):
            into.add(name, power)
        case Mul(left=left, right=right):
            _collect(left, power, into)
            _collect(right, power, into)
        case Div(left=left, right=right):
            _collect(left, power, into)
            _collect(right, -power, into)
        case Pow(base=base, exponent=exponent):
            _collect(base, power * exponent, into)
        case Sqrt(argument=argument):
            _collect(argument, power / 2, into)
        case Exp(argument=argument):
            into.exponents.append((power, argument))
        case Add() | Sub():
            _collect_sum(expr, power, into)
        case Ln():
            raise Undecided


def _collect_sum(expr: Expr, power: Fraction, into: Logarithm) -> None:
    above, below = from_expr(expr)
    if not above or not below:
        raise Undecided
    for poly, side in ((above, power), (below, -power)):
        sign, factors = factor(poly)
        _sign(sign < 0, power, into)
        for key, exponent in factors.items():
            into.add(key, side * exponent)


def _sign(negative: bool, power: Fraction, into: Logarithm) -> None:  # noqa: FBT001 - what is to be multiplied in
    if negative:
        if power.denominator != 1:
            raise Undecided
        if power.numerator % 2:
            into.sign = -into.sign
