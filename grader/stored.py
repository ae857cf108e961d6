"""Formulas back from their stored form: nested lists such as ["*", "B", ["+", "T", 1]]."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from grader.expr import FUNCTIONS, OPERATORS, Expr, Letter, Num, power


def from_json(data: Any) -> Expr:
    """Rebuild a formula from ``Expr.to_json``. Raises ``ValueError`` for anything else."""
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
            return power(from_json(base), Fraction(exponent))
        case [("+" | "-" | "*" | "/") as sign, first, *rest] if rest:
            value = from_json(first)
            for item in rest:
                value = OPERATORS[sign](value, from_json(item))
            return value
        case [("ln" | "exp" | "sqrt") as name, argument]:
            return FUNCTIONS[name](from_json(argument))
    raise ValueError(f"not a formula: {data!r}")
