"""Proofs that two formulas differ: one point where their exact values do."""

from __future__ import annotations

from fractions import Fraction

from grader.approximate import approximate, magnitude
from grader.equality.points import agree
from grader.equality.residues import is_unsure
from grader.equality.undecided import Undecided
from grader.expr import Exp, Expr, Letter, Ln, Num, Pow, Sqrt, add, divide, exp, ln, multiply, power, sqrt, subtract

# Small, large and between 0 and 1, so that factors of either sign and order are met.
_VALUES = tuple(Fraction(text) for text in ("2", "1", "7", "1/3", "5", "11", "1/2", "3", "29", "4/5", "13", "6"))
_STARTS = (0, 3, 5, 8, 2, 10)
_DIGITS = 60
_CERTAIN = 10**65  # 85 digits are worked with; 200 characters of formula cannot lose 20 of them


def refuted(a: Expr, b: Expr) -> bool:
    """Say whether some point is known at which the two have unlike values; False says nothing."""
    names = sorted(a.letters() | b.letters())
    for start in _STARTS if names else (0,):
        values = {name: _VALUES[(start + step) % len(_VALUES)] for step, name in enumerate(names)}
        if _differ(a, b, values):
            return True
    return False


def _differ(a: Expr, b: Expr, values: dict[str, Fraction]) -> bool:
    try:
        left, right = _at(a, values), _at(b, values)
    except (ValueError, ZeroDivisionError):
        return False  # no value there
    try:
        return not (is_unsure(left) or is_unsure(right)) and not agree(left, right, 0)
    except Undecided:
        pass
    try:
        gap = abs(approximate(left, _DIGITS) - approximate(right, _DIGITS))
        scale = 1 + magnitude(left, _DIGITS) + magnitude(right, _DIGITS)
    except (ValueError, ZeroDivisionError, OverflowError):
        return False
    return gap * _CERTAIN > scale


def _at(expr: Expr, values: dict[str, Fraction]) -> Expr:  # noqa: PLR0911 - one line a kind
    """Put numbers in; roots of negative numbers stay. Raises ``ValueError`` for logarithms of them."""
    match expr:
        case Num():
            return expr
        case Letter(name=name):
            return Num(values[name])
        case Pow(base=base, exponent=exponent):
            return power(_at(base, values), Fraction(exponent))
        case Sqrt(argument=argument):
            inner = _at(argument, values)
            return Sqrt(inner) if isinstance(inner, Num) and inner.value < 0 else sqrt(inner)
        case Ln(argument=argument):
            return ln(_at(argument, values))
        case Exp(argument=argument):
            return exp(_at(argument, values))
    left, right = (_at(part, values) for part in expr.parts)
    return {"+": add, "-": subtract, "*": multiply, "/": divide}[expr.sign](left, right)
