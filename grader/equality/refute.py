"""Proofs that two formulas differ: one point where their values do.

Values are worked out as decimals with a proven error; where roots of negative numbers keep them from having one, as
exact images, over numbers that are bounded before they are worked out.
"""

from __future__ import annotations

from fractions import Fraction

from grader.approximate import enclose
from grader.effort import spend
from grader.equality.points import agree
from grader.equality.residues import is_unsure
from grader.equality.undecided import Undecided
from grader.exact import bits, bounded
from grader.expr import OPERATORS, Exp, Expr, Letter, Ln, Num, Pow, Sqrt, exp, ln, power, sqrt

# Small, large and between 0 and 1, so that factors of either sign and order are met.
_VALUES = tuple(Fraction(text) for text in ("2", "1", "7", "1/3", "5", "11", "1/2", "3", "29", "4/5", "13", "6"))
_STARTS = (0, 3, 5, 8, 2, 10)
_DIGITS = 70
_MAX_BITS = 1024  # of a number on the way to an exact image


def refuted(a: Expr, b: Expr) -> bool:
    """Say whether some point is known at which the two have unlike values; False says nothing.

    Raises ``Undecided`` where the effort allowed runs out.
    """
    names = sorted(a.letters() | b.letters())
    for start in _STARTS if names else (0,):
        values = {name: _VALUES[(start + step) % len(_VALUES)] for step, name in enumerate(names)}
        if _differ(a, b, values):
            return True
    return False


def _differ(a: Expr, b: Expr, values: dict[str, Fraction]) -> bool:
    try:
        left, right = enclose(a, values, _DIGITS), enclose(b, values, _DIGITS)
    except (ValueError, ArithmeticError):
        return _images_differ(a, b, values)  # perhaps roots of negative numbers, which have images
    return left.minus(right)[0] > 0


def _images_differ(a: Expr, b: Expr, values: dict[str, Fraction]) -> bool:
    try:
        left, right = _at(a, values), _at(b, values)
    except (ValueError, ArithmeticError):
        return False  # no value there, or too long a one
    try:
        return not (is_unsure(left) or is_unsure(right)) and not agree(left, right, 0)
    except Undecided:
        return False


def _at(expr: Expr, values: dict[str, Fraction]) -> Expr:  # noqa: PLR0911 - one line a kind
    """Put numbers in; roots of negative numbers stay. Raises ``ValueError`` for logarithms of them."""
    match expr:
        case Num():
            return expr
        case Letter(name=name):
            return Num(values[name])
        case Pow(base=base, exponent=exponent):
            return power(_bounded(_at(base, values), abs(exponent)), Fraction(exponent))
        case Sqrt(argument=argument):
            inner = _at(argument, values)
            return Sqrt(inner) if isinstance(inner, Num) and inner.value < 0 else sqrt(inner)
        case Ln(argument=argument):
            return ln(_at(argument, values))
        case Exp(argument=argument):
            return exp(_at(argument, values))
    left, right = (_bounded(_at(part, values), 2) for part in expr.parts)
    return OPERATORS[expr.sign](left, right)


def _bounded(expr: Expr, times: int) -> Expr:
    """Return the formula. Raises ``OverflowError`` where a number so many times as long would be too long."""
    spend(5)
    if isinstance(expr, Num):
        bounded(bits(expr.value) * times, _MAX_BITS)
    return expr
