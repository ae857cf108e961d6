"""What reading needs to know of a formula: is it zero everywhere, and which sign has it."""

from __future__ import annotations

from grader.equality.points import image
from grader.equality.undecided import Undecided
from grader.expr import Add, Div, Exp, Expr, Letter, Ln, Mul, Num, Pow, Sqrt, Sub


def is_zero(expr: Expr) -> bool:
    """Say whether a formula is certainly 0 for all letters."""
    if isinstance(expr, Num):
        return not expr.value
    if not _may_vanish(expr):
        return False
    try:
        return not any(image(expr, 1).above)
    except Undecided:
        return False


def _may_vanish(expr: Expr) -> bool:
    if isinstance(expr, Add | Sub | Ln):
        return True
    if isinstance(expr, Num):
        return not expr.value
    return not isinstance(expr, Exp) and any(_may_vanish(part) for part in expr.parts)


def sign_of(expr: Expr) -> int:  # noqa: PLR0911 - one line a kind
    """Return 1 or -1 where the sign is certain for all positive letters, else 0."""
    match expr:
        case Num(value=value):
            return (value > 0) - (value < 0)
        case Letter() | Exp():
            return 1
        case Sqrt():
            return 1 if sign_of(expr.argument) == 1 else 0
        case Add(left=left, right=right):
            sign = sign_of(left)
            return sign if sign == sign_of(right) else 0
        case Sub(left=left, right=right):
            if isinstance(left, Num) and isinstance(right, Num):  # folds where formulas are built
                return sign_of(left - right)
            sign = sign_of(left)
            return sign if sign and sign == -sign_of(right) else 0
        case Mul(left=left, right=right) | Div(left=left, right=right):
            return sign_of(left) * sign_of(right)
        case Pow(base=base, exponent=exponent):
            sign = sign_of(base)
            return sign if exponent % 2 else abs(sign)
        case Ln(argument=argument):
            number = argument.number()
            return 0 if number is None else (number > 1) - (number < 1)
    return 0
