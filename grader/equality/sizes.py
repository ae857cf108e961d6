"""Whether a formula gives, at the sizes of a run, what the run gave: in work that grows with its text, not its value.

Without functions it is worked out modulo a prime that nobody knows, every division checked; a formula in which nothing
is divided by zero and that has the residue of a number has its value, but for a chance below 10**-30. Other values are
compared as decimals with a proven error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.approximate import Uncertain, enclose
from grader.effort import spend
from grader.equality.points import secret_prime
from grader.equality.undecided import Undecided
from grader.expr import Add, Div, Expr, Function, Letter, Mul, Num, Pow, Sub

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

_DIGITS = (65, 200)
_INVERSE = 8  # units of effort


def gives(expr: Expr, sizes: Mapping[str, int], wanted: Fraction) -> bool:
    """Say whether the formula has exactly this value at the sizes.

    Raises ``ZeroDivisionError``, ``ValueError`` for a letter without a size or a formula with ln, exp or sqrt, and
    ``Undecided`` beyond the effort allowed.
    """
    prime = secret_prime()
    return (_residue(expr, sizes, prime) * wanted.denominator - wanted.numerator) % prime == 0


def gives_nearly(expr: Expr, sizes: Mapping[str, int], wanted: Fraction, within: Fraction) -> bool | None:
    """Say whether the formula comes so near to a value at the sizes; None where that is not told in time.

    Raises ``ZeroDivisionError``, ``OverflowError``, and ``ValueError`` where it has no value there.
    """
    for digits in _DIGITS:
        try:
            value = enclose(expr, sizes, digits)
        except (Uncertain, Undecided):
            continue
        nearest, farthest = value.minus(enclose(Num(wanted), {}, digits))
        if farthest <= within:
            return True
        if nearest > within:
            return False
    return None


def _residue(expr: Expr, sizes: Mapping[str, int], prime: int) -> int:  # noqa: PLR0911 - one line a kind
    match expr:
        case Num(value=value):
            return value.numerator * _inverse(value.denominator, prime) % prime
        case Letter(name=name):
            if name not in sizes:
                raise ValueError(f"{name} has no size in the run")
            return sizes[name] % prime
        case Add(left=left, right=right):
            return (_residue(left, sizes, prime) + _residue(right, sizes, prime)) % prime
        case Sub(left=left, right=right):
            return (_residue(left, sizes, prime) - _residue(right, sizes, prime)) % prime
        case Mul(left=left, right=right):
            return _residue(left, sizes, prime) * _residue(right, sizes, prime) % prime
        case Div(left=left, right=right):
            return _residue(left, sizes, prime) * _inverse(_residue(right, sizes, prime), prime) % prime
        case Pow(base=base, exponent=exponent):
            below = _residue(base, sizes, prime)
            return pow(below if exponent >= 0 else _inverse(below, prime), abs(exponent), prime)
        case Function():
            raise ValueError(f"{expr.sign} has no exact value")
    raise TypeError(f"not a formula: {expr!r}")


def _inverse(value: int, prime: int) -> int:
    if value == 1:
        return 1
    if not value:
        raise ZeroDivisionError("division by zero")
    spend(_INVERSE)
    return pow(value, -1, prime)
