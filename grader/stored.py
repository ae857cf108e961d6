"""Formulas to their stored form and back: nested lists such as ["*", "B", ["+", "T", 1]]."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from grader.expr import FUNCTIONS, OPERATORS, Expr, Letter, Num, Pow, power


def to_json(expr: Expr) -> Any:
    """Return a whole number or a name as it is, another number as "p/q", the rest as [sign, parts...]."""
    match expr:
        case Num(value=value):
            return value.numerator if value.denominator == 1 else str(value)
        case Letter(name=name):
            return name
        case Pow(base=base, exponent=exponent):
            return [expr.sign, to_json(base), exponent]
    return [expr.sign, *(to_json(part) for part in expr.parts)]


def from_json(data: Any) -> Expr:
    """Rebuild a formula from ``Expr.to_json``. Raises ``ValueError`` for anything else."""
    try:
        return _rebuilt(data)
    except ArithmeticError as error:
        raise ValueError(f"a stored formula has no value: {error}") from error


def _rebuilt(data: Any) -> Expr:
    match data:
        case bool():
            pass
        case int():
            return Num(data)
        case str() if data.isidentifier():
            return Letter(data)
        case str() if data.replace("/", "", 1).removeprefix("-").isdecimal():
            return Num(Fraction(data))
        case ["**", base, int() as exponent]:
            return power(_rebuilt(base), Fraction(exponent))
        case [("+" | "-" | "*" | "/") as sign, first, *rest] if rest:
            value = _rebuilt(first)
            for item in rest:
                value = OPERATORS[sign](value, _rebuilt(item))
            return value
        case [("ln" | "exp" | "sqrt") as name, argument]:
            return FUNCTIONS[name](_rebuilt(argument))
    raise ValueError(f"not a formula: {data!r}")
