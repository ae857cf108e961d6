"""Our trees as SymPy trees: built node by node, never from a string. Imported only where SymPy is wanted."""

from __future__ import annotations

from typing import Any

import sympy as untyped

from grader.expr import Add, Div, Exp, Expr, Letter, Ln, Mul, Num, Pow, Sqrt, Sub

sympy: Any = untyped  # its functions carry no types


def to_sympy(expr: Expr) -> Any:  # noqa: C901, PLR0911 - one line a kind of tree
    """Return the formula over positive symbols."""
    match expr:
        case Num(value=value):
            return sympy.Rational(value.numerator, value.denominator)
        case Letter(name=name):
            return sympy.Symbol(name, positive=True)
        case Add(left=left, right=right):
            return to_sympy(left) + to_sympy(right)
        case Sub(left=left, right=right):
            return to_sympy(left) - to_sympy(right)
        case Mul(left=left, right=right):
            return to_sympy(left) * to_sympy(right)
        case Div(left=left, right=right):
            return to_sympy(left) / to_sympy(right)
        case Pow(base=base, exponent=exponent):
            return to_sympy(base) ** exponent
        case Ln(argument=argument):
            return sympy.log(to_sympy(argument))
        case Exp(argument=argument):
            return sympy.exp(to_sympy(argument))
        case Sqrt(argument=argument):
            return to_sympy(argument) ** sympy.Rational(1, 2)
    raise TypeError(f"not a formula: {expr!r}")
