"""Values of formulas as decimals with a proven error: no float, and no number longer than it is asked for.

A value is a ball: the true value lies within ``radius`` of ``middle``. So a difference that cancels is seen rather than
believed, and worked out again with more digits; how many are worth trying is bounded.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from grader.effort import spend
from grader.equality.undecided import Undecided
from grader.expr import Add, Div, Exp, Expr, Letter, Ln, Mul, Num, Pow, Sqrt, Sub

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grader.exact import Number

_GUARD = 25
_STEPS = (1, 3, 9)  # times the digits asked for, where terms cancel
_LARGEST = 1000  # a value beyond 10**1000 or 10**-1000 is none that anyone compares
_FUNCTION_SPEED = 100  # digits**2 of ln or exp that a unit of effort pays for
_TRAPS = [decimal.DivisionByZero, decimal.Overflow, decimal.Underflow, decimal.InvalidOperation]
_ZERO = Decimal(0)


class Uncertain(ValueError):
    """The digits that are worth trying do not tell the value."""


class Ball(NamedTuple):
    """A value known to lie within ``radius`` of ``middle``."""

    middle: Decimal
    radius: Decimal

    def minus(self, other: Ball) -> tuple[Decimal, Decimal]:
        """Return the least and the largest distance between the two values."""
        gap = _UP.abs(_UP.subtract(self.middle, other.middle))
        reach = _UP.add(self.radius, other.radius)
        reach = _UP.add(reach, _UP.multiply(gap, _SLACK))
        return max(_DOWN.subtract(gap, reach), _ZERO), _UP.add(gap, reach)


def _context(digits: int, rounding: str = decimal.ROUND_HALF_EVEN) -> decimal.Context:
    return decimal.Context(
        prec=digits, rounding=rounding, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=list(_TRAPS)
    )


_UP = _context(12, decimal.ROUND_UP)  # radii are never negative: up is outwards
_DOWN = _context(12, decimal.ROUND_FLOOR)
_SLACK = Decimal("1e-10")


def enclose(expr: Expr, values: Mapping[str, Number], digits: int) -> Ball:
    """Return the value of a formula at values for its letters, worked out with so many digits.

    Raises ``ValueError`` outside the domain of ln and sqrt and with letters left, ``ZeroDivisionError``,
    ``OverflowError``, ``Uncertain`` where the digits do not tell which, and ``Undecided`` beyond the effort allowed.
    """
    try:
        return _Balls(values, digits).of(expr)
    except (decimal.Overflow, decimal.Underflow) as error:
        raise OverflowError("the value is too large or too small") from error
    except decimal.InvalidOperation as error:
        raise ValueError("the formula has no value there") from error


def approximate(expr: Expr, digits: int = 40) -> Fraction:
    """Return the value of a formula without letters to ``digits`` significant digits.

    Where terms cancel to nearly nothing it is right to ``digits`` decimals. Raises ``ValueError`` with letters left or
    outside the domain of ln and sqrt, ``ZeroDivisionError``, ``OverflowError`` for values beyond 10**1000 or below
    10**-1000, ``Uncertain`` where digits do not tell.
    """
    number = expr.number()
    if number is not None:
        return number
    found: Ball | None = None
    for step in _STEPS:
        try:
            found = enclose(expr, {}, step * digits + _GUARD)
        except (Uncertain, Undecided):
            continue
        if found.radius.scaleb(digits, _UP) <= found.middle.copy_abs():
            return _fraction(found.middle, digits)
    if found is None or found.radius.scaleb(digits, _UP) > 1:
        raise Uncertain("the value cannot be told from its digits")
    return _fraction(found.middle, digits)


def _fraction(value: Decimal, digits: int) -> Fraction:
    """Return the value rounded to a few digits more than asked, so that nothing is longer than it is worth."""
    if value and abs(value.adjusted()) > _LARGEST:
        raise OverflowError("the value is too large or too small")
    return Fraction(_context(digits + _GUARD).plus(value))


class _Balls:
    """The values of one formula at one place, to so many digits."""

    def __init__(self, values: Mapping[str, Number], digits: int) -> None:
        self._values = values
        self._work = _context(digits)
        self._flags = self._work.flags
        self._unit = Decimal(1).scaleb(1 - digits)
        self._price = 1 + digits * digits // _FUNCTION_SPEED
        self._digits = digits
        self._functions: dict[type[Expr], Callable[[Ball], Ball]] = {Ln: self._ln, Exp: self._exp, Sqrt: self._sqrt}

    def of(self, expr: Expr) -> Ball:  # noqa: PLR0911 - one line a kind
        """Return the value of a formula."""
        match expr:
            case Num(value=value):
                return self._number(value)
            case Letter(name=name):
                if name not in self._values:
                    raise ValueError(f"{name} has no value here")
                return self._number(self._values[name])
            case Add(left=left, right=right):
                return self._sum(self.of(left), self.of(right), self._work.add)
            case Sub(left=left, right=right):
                return self._sum(self.of(left), self.of(right), self._work.subtract)
            case Mul(left=left, right=right):
                return self._product(self.of(left), self.of(right))
            case Div(left=left, right=right):
                return self._product(self.of(left), self._inverse(self.of(right)))
            case Pow(base=base, exponent=exponent):
                raised = self._power(self.of(base), abs(exponent))
                return raised if exponent >= 0 else self._inverse(raised)
        (argument,) = expr.parts
        inner = self.of(argument)
        spend(self._price)
        return self._functions[type(expr)](inner)

    def _rounded(self, middle: Decimal, radius: Decimal) -> Ball:
        """Return the last result of the working precision: what rounding may have cost is added to its radius."""
        if self._flags[decimal.Inexact]:
            self._flags[decimal.Inexact] = False
            radius = _UP.add(radius, _UP.multiply(_UP.abs(middle), self._unit))
        return Ball(middle, radius)

    def _number(self, value: Number) -> Ball:
        above, below = Decimal(value.numerator), Decimal(value.denominator)
        if below == 1 and abs(value.numerator).bit_length() < 3 * self._digits:
            return Ball(above, _ZERO)
        return self._rounded(self._work.divide(above, below), _ZERO)

    def _sum(self, a: Ball, b: Ball, operation: Callable[[Decimal, Decimal], Decimal]) -> Ball:
        spend(3)
        return self._rounded(operation(a.middle, b.middle), _UP.add(a.radius, b.radius))

    def _product(self, a: Ball, b: Ball) -> Ball:
        spend(3)
        middle = self._work.multiply(a.middle, b.middle)
        if not a.radius and not b.radius:
            return self._rounded(middle, _ZERO)
        outer = _UP.add(_UP.abs(a.middle), a.radius)
        across = _UP.multiply(_UP.abs(b.middle), a.radius)
        return self._rounded(middle, _UP.add(_UP.multiply(outer, b.radius), across))

    def _inverse(self, a: Ball) -> Ball:
        spend(3)
        if not a.middle and not a.radius:
            raise ZeroDivisionError("division by zero")
        nearest = _DOWN.subtract(a.middle.copy_abs(), a.radius)
        if nearest <= 0:
            raise Uncertain("nearly a division by zero")
        radius = _UP.divide(_UP.divide(a.radius, nearest), nearest) if a.radius else _ZERO
        return self._rounded(self._work.divide(Decimal(1), a.middle), radius)

    def _power(self, base: Ball, exponent: int) -> Ball:
        result = Ball(Decimal(1), _ZERO)
        while exponent:
            if exponent & 1:
                result = self._product(result, base)
            exponent >>= 1
            if exponent:
                base = self._product(base, base)
        return result

    def _ln(self, a: Ball) -> Ball:
        nearest = _DOWN.subtract(a.middle, a.radius)
        if nearest <= 0:
            raise self._outside(a, "ln is defined for positive numbers only")
        return self._rounded(self._work.ln(a.middle), _UP.divide(a.radius, nearest) if a.radius else _ZERO)

    def _exp(self, a: Ball) -> Ball:
        if a.radius > 1:
            raise Uncertain("too little is known of an exponent")
        middle = self._work.exp(a.middle)
        return self._rounded(middle, _UP.multiply(_UP.multiply(2, _UP.plus(middle)), a.radius))

    def _sqrt(self, a: Ball) -> Ball:
        if not a.middle and not a.radius:
            return a
        nearest = _DOWN.subtract(a.middle, a.radius)
        if nearest <= 0:
            raise self._outside(a, "sqrt is not defined for negative numbers")
        middle = self._work.sqrt(a.middle)
        return self._rounded(middle, _UP.divide(a.radius, _UP.plus(middle)) if a.radius else _ZERO)

    @staticmethod
    def _outside(a: Ball, words: str) -> ValueError:
        """Return that a function has no value there, or that this cannot be told."""
        certain = a.middle < 0 and a.middle.copy_abs() > a.radius
        return ValueError(words) if certain or not a.radius else Uncertain(words)
