"""The exact image of a formula at a secret point of a prime field: equal formulas have equal images.

Letters get secret squares, ln of each irreducible factor and exp of each monomial a secret symbol of its own. For
formulas of + - * / and whole powers two unlike ones agree with a chance below 10**-30. Images are fractions
(numerator, denominator), so that nothing is inverted; with roots they are pairs a + b*i, since a square root may need
i with i*i = -1.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import TYPE_CHECKING

from grader.equality.linear import expand
from grader.equality.logarithms import Logarithm, logarithm
from grader.equality.undecided import Undecided
from grader.expr import Add, Div, Exp, Expr, Letter, Ln, Mul, Num, Pow, Sqrt, Sub

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.equality.factors import Factor

Image = tuple[int, int]
Pair = tuple[int, int]
WideImage = tuple[Pair, Pair]

_EXPONENT_UNIT = 27720  # exp(m * a/b) is read for every b that divides this
_REMEMBERED = 4096
_LONGEST = 80  # characters of a name that is worth remembering; longer ones are drawn again


class NeedsWide(Exception):
    """The formula holds a root or an exponential: its image is a pair."""


def _needs_wide(_expr: Expr) -> Image:
    raise NeedsWide


class Point:
    """A secret point modulo a prime that is 3 modulo 4."""

    def __init__(self, prime: int, secret: bytes) -> None:
        self.prime = prime
        self._secret = secret
        self._letters: dict[str, int] = {}
        self._symbols: dict[str, int] = {}
        self._roots: dict[int, Pair] = {}
        self._narrow: dict[type[Expr], Callable[[Expr], Image]] = {
            Num: self._num,
            Letter: self._letter,
            Add: self._add,
            Sub: self._sub,
            Mul: self._mul,
            Div: self._div,
            Pow: self._pow,
            Ln: self._ln,
            Exp: _needs_wide,
            Sqrt: _needs_wide,
        }

    # -- secrets

    def _draw(self, name: str) -> int:
        digest = hashlib.blake2b(name.encode(), key=self._secret, digest_size=32).digest()
        return int.from_bytes(digest, "big") % self.prime or 1

    def symbol(self, name: str) -> int:
        """Return the secret value of ln of a factor or exp of a monomial."""
        value = self._symbols.get(name)
        if value is None:
            if len(self._symbols) > _REMEMBERED:
                self._symbols.clear()
            value = self._draw(name)
            if len(name) <= _LONGEST:
                self._symbols[name] = value
        return value

    def letter(self, name: str) -> int:
        """Return the secret value of a letter."""
        value = self._letters.get(name)
        if value is None:
            if len(self._letters) > _REMEMBERED:
                self._letters.clear()
            value = self._letters[name] = self._draw(f"letter {name}")
        return value

    def root(self, value: int) -> Pair:
        """Return a square root of a field element, as a + b*i."""
        found = self._roots.get(value)
        if found is None:
            if len(self._roots) > _REMEMBERED:
                self._roots.clear()
            prime = self.prime
            root = pow(value, (prime + 1) // 4, prime)
            real = root * root % prime == value % prime
            found = self._roots[value] = (root, 0) if real else (0, pow(prime - value, (prime + 1) // 4, prime))
        return found

    def factor(self, key: Factor) -> int:
        """Return the value of a factor."""
        if isinstance(key, int):
            return key % self.prime
        if isinstance(key, str):
            return self.letter(key)
        total = 0
        for monomial, coefficient in key:
            term = coefficient
            for name, exponent in monomial:
                term = term * pow(self.letter(name), exponent, self.prime) % self.prime
            total += term
        return total % self.prime

    # -- formulas without roots

    def narrow(self, expr: Expr) -> Image:
        """Return the image of a formula without roots and exponentials. Raises ``Undecided``, ``NeedsWide``."""
        return self._narrow[type(expr)](expr)

    def _num(self, expr: Expr) -> Image:
        value: Fraction = expr.value  # type: ignore[attr-defined]
        return value.numerator % self.prime, value.denominator % self.prime

    def _letter(self, expr: Expr) -> Image:
        name: str = expr.name  # type: ignore[attr-defined]
        return self._letters.get(name) or self.letter(name), 1

    def _add(self, expr: Expr) -> Image:
        left: Expr = expr.left  # type: ignore[attr-defined]
        right: Expr = expr.right  # type: ignore[attr-defined]
        a, b = self._narrow[type(left)](left)
        c, d = self._narrow[type(right)](right)
        if b == d:
            return (a + c) % self.prime, b
        return (a * d + c * b) % self.prime, b * d % self.prime

    def _sub(self, expr: Expr) -> Image:
        left: Expr = expr.left  # type: ignore[attr-defined]
        right: Expr = expr.right  # type: ignore[attr-defined]
        a, b = self._narrow[type(left)](left)
        c, d = self._narrow[type(right)](right)
        if b == d:
            return (a - c) % self.prime, b
        return (a * d - c * b) % self.prime, b * d % self.prime

    def _mul(self, expr: Expr) -> Image:
        left: Expr = expr.left  # type: ignore[attr-defined]
        right: Expr = expr.right  # type: ignore[attr-defined]
        a, b = self._narrow[type(left)](left)
        c, d = self._narrow[type(right)](right)
        return a * c % self.prime, (1 if b == d == 1 else b * d % self.prime)

    def _div(self, expr: Expr) -> Image:
        left: Expr = expr.left  # type: ignore[attr-defined]
        right: Expr = expr.right  # type: ignore[attr-defined]
        a, b = self._narrow[type(left)](left)
        c, d = self._narrow[type(right)](right)
        return a * d % self.prime, b * c % self.prime

    def _pow(self, expr: Expr) -> Image:
        base: Expr = expr.base  # type: ignore[attr-defined]
        exponent: int = expr.exponent  # type: ignore[attr-defined]
        a, b = self._narrow[type(base)](base)
        if exponent < 0:
            a, b, exponent = b, a, -exponent
        return pow(a, exponent, self.prime), (1 if b == 1 else pow(b, exponent, self.prime))

    def _ln(self, expr: Expr) -> Image:
        return self.log(logarithm(expr.argument))  # type: ignore[attr-defined]

    def log(self, parts: Logarithm) -> Image:
        """Return the image of ln of a product of factors."""
        flipped: Factor | None = None
        if parts.sign < 0:
            odd = [key for key in parts.indefinite if parts.powers[key].numerator % 2]
            if len(odd) != 1:
                raise Undecided
            flipped = odd[0]
        above, below = 0, 1
        for key, power in parts.powers.items():
            name = f"ln -({key})" if key == flipped else f"ln {key}"
            term = power.numerator * self.symbol(name)
            above, below = above * power.denominator + term * below, below * power.denominator
        for power, inner in parts.exponents:
            try:
                a, b = self.narrow(inner)
            except NeedsWide as needs:
                raise Undecided from needs
            a, b = a * power.numerator, b * power.denominator
            above, below = (above * b + a * below) % self.prime, below * b % self.prime
        return above % self.prime, below % self.prime

    # -- roots and exponentials

    def wide(self, expr: Expr) -> WideImage:
        """Return the image of any formula. Raises ``Undecided``."""
        if not has_roots(expr):
            above, below = self.narrow(expr)
            return (above, 0), (below, 0)
        match expr:
            case Add() | Sub() | Mul() | Div():
                return self._joined(expr.sign, self.wide(expr.left), self.wide(expr.right))
            case Pow(base=base, exponent=exponent):
                a, b = self.wide(base)
                if exponent < 0:
                    a, b = b, a
                return self._power(a, abs(exponent)), self._power(b, abs(exponent))
            case Ln(argument=argument):
                above, below = self.log(logarithm(argument))
                return (above, 0), (below, 0)
            case Sqrt(argument=argument):
                return self.square_root(argument)
            case Exp(argument=argument):
                return self.exponential(((Fraction(1), argument),))
        raise Undecided

    def _joined(self, sign: str, left: WideImage, right: WideImage) -> WideImage:
        (a, b), (c, d) = left, right
        if sign == "*":
            return self._times(a, c), self._times(b, d)
        if sign == "/":
            return self._times(a, d), self._times(b, c)
        if sign == "-":
            c = self._times((self.prime - 1, 0), c)
        return self._plus(self._times(a, d), self._times(c, b)), self._times(b, d)

    def square_root(self, argument: Expr) -> WideImage:
        """Return the image of a root: sqrt(a^2 b) is a sqrt(b) for positive a.

        A factor f of unknown sign is taken alone and in its normal form only: the root of a square of it is its size,
        and the roots of f and -f are i times each other in a way that depends on the letters. Neither has an image.
        """
        if isinstance(argument, Num) and argument.value < 0:  # only in a formula taken at a point
            a, b = self.square_root(Num(-argument.value))
            return self._times(a, (0, 1)), b
        parts = logarithm(argument)
        indefinite = parts.indefinite
        if len(indefinite) > 1 or parts.sign < 0 or any(parts.powers[key] != 1 for key in indefinite):
            raise Undecided
        above: Pair = (1, 0)
        below: Pair = (1, 0)
        for key, power in parts.powers.items():
            piece = self._rational_power(self.factor(key), power / 2)
            above, below = (self._times(above, piece), below) if power > 0 else (above, self._times(below, piece))
        more = self.exponential(tuple((power / 2, inner) for power, inner in parts.exponents))
        return self._times(above, more[0]), self._times(below, more[1])

    def exponential(self, parts: tuple[tuple[Fraction, Expr], ...]) -> WideImage:
        """Return the image of exp of a sum: a product, in which exp(ln a) is a."""
        above: Pair = (1, 0)
        below: Pair = (1, 0)
        for multiple, inner in parts:
            for monomial, coefficient in expand(inner).items():
                power = multiple * coefficient
                if len(monomial) == 1 and monomial[0][0][0] == "ln" and monomial[0][1] == 1:
                    key = monomial[0][0][1]
                    piece = self._rational_power(self.factor(key), power)
                else:
                    units = power * _EXPONENT_UNIT
                    if units.denominator != 1:
                        raise Undecided
                    piece = (pow(self.symbol(f"exp {monomial}"), abs(units.numerator), self.prime), 0)
                above, below = (self._times(above, piece), below) if power > 0 else (above, self._times(below, piece))
        return above, below

    def _rational_power(self, value: int, power: Fraction) -> Pair:
        """Return value ** |power| for whole and half powers."""
        size = abs(power)
        if size.denominator == 1:
            return pow(value, size.numerator, self.prime), 0
        if size.denominator != 2:
            raise Undecided
        whole = (pow(value, size.numerator // 2, self.prime), 0)
        return self._times(whole, self.root(value))

    def _plus(self, x: Pair, y: Pair) -> Pair:
        return (x[0] + y[0]) % self.prime, (x[1] + y[1]) % self.prime

    def _times(self, x: Pair, y: Pair) -> Pair:
        if not x[1] and not y[1]:
            return x[0] * y[0] % self.prime, 0
        return (x[0] * y[0] - x[1] * y[1]) % self.prime, (x[0] * y[1] + x[1] * y[0]) % self.prime

    def _power(self, base: Pair, exponent: int) -> Pair:
        result: Pair = (1, 0)
        while exponent:
            if exponent & 1:
                result = self._times(result, base)
            base = self._times(base, base)
            exponent >>= 1
        return result


def has_roots(expr: Expr) -> bool:
    """Say whether a formula may need square roots: it holds sqrt, or exp, which can turn into one."""
    return isinstance(expr, Sqrt | Exp) or any(has_roots(part) for part in expr.parts)


def is_unsure(expr: Expr) -> bool:
    """Say whether unlike images may still belong to equal formulas.

    So it is where the signs of factors under a logarithm play together: ln((V-1)^2) is 2*ln(V-1) or 2*ln(1-V).
    """
    if isinstance(expr, Ln):
        parts = logarithm(expr.argument)
        indefinite = parts.indefinite
        if len(indefinite) > 1 or any(abs(parts.powers[key]) != 1 for key in indefinite):
            return True
    return any(is_unsure(part) for part in expr.parts)
