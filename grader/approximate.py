"""Values of ln, exp and sqrt to many digits, as exact fractions: decimal answers are compared without floats."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

from grader.expr import Add, Div, Exp, Expr, Letter, Ln, Mul, Num, Pow, Sqrt, Sub

_GUARD = 25  # more digits than any cancellation in a formula of 200 characters is worth
_LARGEST = 100_000


def approximate(expr: Expr, digits: int = 40) -> Fraction:
    """Return the value of a formula without letters to ``digits`` significant digits.

    Raises ``ValueError`` with letters left or outside the domain of ln and sqrt, ``ZeroDivisionError``, and
    ``OverflowError`` for values beyond 10**100000.
    """
    number = expr.number()
    if number is not None:
        return number
    context = decimal.Context(prec=digits + _GUARD, Emax=_LARGEST, Emin=-_LARGEST)
    try:
        value = _value(expr, context)
    except (decimal.Overflow, decimal.Underflow) as error:
        raise OverflowError("the value is too large") from error
    except decimal.DivisionByZero as error:
        raise ZeroDivisionError("division by zero") from error
    except decimal.InvalidOperation as error:
        raise ValueError("the formula has no value there") from error
    return Fraction(value)


def magnitude(expr: Expr, digits: int) -> Fraction:
    """Return a bound for everything that is added up inside the formula: what nearly zero is measured by."""
    sizes = [abs(approximate(expr, digits))]
    sizes.extend(magnitude(part, digits) for part in expr.parts)
    return max(sizes)


def _value(expr: Expr, context: decimal.Context) -> Decimal:  # noqa: C901, PLR0911 - one line a kind
    match expr:
        case Num(value=value):
            return context.divide(Decimal(value.numerator), Decimal(value.denominator))
        case Add(left=left, right=right):
            return context.add(_value(left, context), _value(right, context))
        case Sub(left=left, right=right):
            return context.subtract(_value(left, context), _value(right, context))
        case Mul(left=left, right=right):
            return context.multiply(_value(left, context), _value(right, context))
        case Div(left=left, right=right):
            return context.divide(_value(left, context), _value(right, context))
        case Pow(base=base, exponent=exponent):
            return context.power(_value(base, context), Decimal(exponent))
        case Ln(argument=argument):
            return context.ln(_positive(_value(argument, context)))
        case Exp(argument=argument):
            return context.exp(_value(argument, context))
        case Sqrt(argument=argument):
            return context.sqrt(_value(argument, context))
        case Letter(name=name):
            raise ValueError(f"{name} has no value here")
    raise TypeError(f"not a formula: {expr!r}")


def _positive(value: Decimal) -> Decimal:
    if value <= 0:
        raise ValueError("ln is defined for positive numbers only")
    return value
