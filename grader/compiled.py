"""Formulas as plain Python functions: the generator evaluates keys and slips by the thousand."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grader.exact import bits, bounded
from grader.expr import Add, Div, Expr, Formula, Letter, Mul, Num, Pow, Sub

if TYPE_CHECKING:
    from grader.exact import Number
    from grader.expr import Values


def formula(expr: Expr) -> Formula:
    """Return a function from values to the exact value. Raises ``ValueError`` for ln, exp and sqrt."""
    match expr:
        case Num(value=fraction):
            number: Number = fraction.numerator if fraction.denominator == 1 else fraction
            return lambda _values: number
        case Letter(name=name):
            return lambda values: values[name]
        case Pow(base=base, exponent=exponent):
            return _power(base.compile(), exponent)
        case Add() | Sub() | Mul() | Div():
            return _joined(expr.sign, expr.left.compile(), expr.right.compile())
    raise ValueError(f"{expr.sign} has no exact value; use at() and approx()")


def _joined(sign: str, left: Formula, right: Formula) -> Formula:
    if sign == "+":
        return lambda values: left(values) + right(values)
    if sign == "-":
        return lambda values: left(values) - right(values)
    if sign == "*":
        return lambda values: left(values) * right(values)
    return lambda values: _quotient(left(values), right(values))


def _quotient(above: Number, below: Number) -> Number:
    if type(above) is int and type(below) is int and not above % below:
        return above // below
    value = Fraction(above) / below
    return value.numerator if value.denominator == 1 else value


def _power(base: Formula, exponent: int) -> Formula:
    # Sums and products grow by the length of their parts; only powers can outgrow everything.
    size = abs(exponent)

    def raised(values: Values) -> Number:
        value = base(values)
        bounded(bits(value) * size)
        return value**exponent if exponent >= 0 else Fraction(value) ** exponent

    return raised
