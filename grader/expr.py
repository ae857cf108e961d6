"""Formulas in the letters of a question, as small immutable trees.

Keys, slips and what students type meet here: a key is written once in Python (``Shape(M, V)``, ``B * T - M``) and
serves the question in numbers, the question in letters, the solution and the export. Nothing in a tree is a float,
and ``==`` between trees raises: whether two formulas are the same is a question for ``grader.equal.same``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any

from grader.exact import Number, bits, bounded, exact

Values = Mapping[str, Number]
Formula = Callable[[Values], Number]


def expr(value: object) -> Expr:
    """Return a number or a formula as a formula. Raises ``TypeError`` for anything else."""
    return value if isinstance(value, Expr) else Num(exact(value))


@dataclass(frozen=True, eq=False, repr=False)
class Expr:
    """A formula: numbers, letters, ``+ - * /``, whole powers, ``ln``, ``exp`` and ``sqrt``, built by Python operators.

    Numbers fold as they meet, and raise ``OverflowError`` where the result may exceed ``exact.MAX_BITS``; else a tree
    keeps its order. ``text`` is canonical: ``T*B`` and ``B*T`` agree there.
    """

    __hash__ = None  # type: ignore[assignment] # formulas are looked up by key

    def __eq__(self, other: object) -> bool:
        raise TypeError("== does not decide whether two formulas agree; use grader.equal.same(a, b)")

    def __repr__(self) -> str:
        return f"<{self.text}>"

    def __reduce__(self) -> tuple[Callable[[Any], Expr], tuple[Any]]:
        # What a formula remembers of itself belongs to this process alone.
        return Expr.from_json, (self.to_json(),)

    def __add__(self, other: object) -> Expr:
        return add(self, expr(other))

    def __radd__(self, other: object) -> Expr:
        return add(expr(other), self)

    def __sub__(self, other: object) -> Expr:
        return subtract(self, expr(other))

    def __rsub__(self, other: object) -> Expr:
        return subtract(expr(other), self)

    def __mul__(self, other: object) -> Expr:
        return multiply(self, expr(other))

    def __rmul__(self, other: object) -> Expr:
        return multiply(expr(other), self)

    def __truediv__(self, other: object) -> Expr:
        return divide(self, expr(other))

    def __rtruediv__(self, other: object) -> Expr:
        return divide(expr(other), self)

    def __pow__(self, other: object) -> Expr:
        return power(self, other.value if isinstance(other, Num) else exact(other))

    def __neg__(self) -> Expr:
        return multiply(MINUS_ONE, self)

    sign = ""  # the operator or function at the top of the tree; numbers and letters have none

    @property
    def parts(self) -> tuple[Expr, ...]:
        """The formulas that this one is built from, left to right."""
        return ()

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset().union(*(part.letters() for part in self.parts))

    def letters(self) -> frozenset[str]:
        """Return the names of the letters in the formula."""
        return self._letters

    def at(self, values: Values) -> Expr:
        """Put numbers in for letters. Raises ``ValueError`` and ``ArithmeticError`` where that has no value."""
        if not self._letters & values.keys():
            return self
        return self._rebuild(tuple(part.at(values) for part in self.parts))

    def _rebuild(self, parts: tuple[Expr, ...]) -> Expr:
        raise NotImplementedError  # every kind of tree with parts says how it is built

    def number(self) -> Fraction | None:
        """Return the exact value where the formula is a plain number, else None."""
        return None

    def approx(self, digits: int = 40) -> Fraction:
        """Return the value of a formula without letters, right to ``digits`` significant digits.

        Raises ``ValueError`` with letters left or outside the domain, ``OverflowError`` beyond 10**1000.
        """
        from grader.approximate import approximate  # noqa: PLC0415 - that module needs this one

        return approximate(self, digits)

    @cached_property
    def text(self) -> str:
        """The canonical text, such as ``B*T``, ``D/H`` or ``T*(T + 1)/2``: equal texts mean equal formulas."""
        from grader.writing import text  # noqa: PLC0415 - that module needs this one

        return text(self)

    @property
    def key(self) -> str:
        """What stands for the formula in sets and dictionaries: formulas with equal keys are equal."""
        return self.text

    @cached_property
    def tex(self) -> str:
        """The formula for print and pages, as TeX."""
        from grader.writing import tex  # noqa: PLC0415 - that module needs this one

        return tex(self)

    def to_json(self) -> Any:
        """Return nested lists: 3, "3/4", "B", ["*", "B", "T"], ["**", "V", 2], ["ln", "V"]."""
        from grader.stored import to_json  # noqa: PLC0415 - that module needs this one

        return to_json(self)

    @staticmethod
    def from_json(data: Any) -> Expr:
        """Rebuild a formula from ``to_json``. Raises ``ValueError`` for anything else."""
        from grader.stored import from_json  # noqa: PLC0415 - that module needs this one

        return from_json(data)

    def to_sympy(self) -> Any:
        """Return the same tree as a SymPy expression over positive symbols. Loads SymPy."""
        from grader.equality.sympy_tree import to_sympy  # noqa: PLC0415 - SymPy stays out of ordinary imports

        return to_sympy(self)

    @cached_property
    def _formula(self) -> Formula:
        from grader.compiled import formula  # noqa: PLC0415 - that module needs this one

        return formula(self)

    def compile(self) -> Formula:
        """Return a fast function from values by letter to the exact value.

        It may raise ``ZeroDivisionError``, and ``OverflowError`` for too long a number. Raises ``ValueError`` for a
        formula with ln, exp or sqrt, whose values are not rational.
        """
        return self._formula


@dataclass(frozen=True, eq=False, repr=False)
class Num(Expr):
    """A whole or rational number."""

    value: Fraction

    def __init__(self, value: Number) -> None:
        object.__setattr__(self, "value", exact(value))

    def number(self) -> Fraction:
        """Return the number."""
        return self.value


ZERO, ONE, MINUS_ONE = Num(0), Num(1), Num(-1)


@dataclass(frozen=True, eq=False, repr=False)
class Letter(Expr):
    """A letter of the question, or any other name; its value is positive."""

    name: str

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ValueError(f"not a name for a letter: {self.name!r}")

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset((self.name,))

    def at(self, values: Values) -> Expr:
        """Return the number for this letter, or the letter."""
        value = values.get(self.name)
        return self if value is None else Num(value)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Binary(Expr):
    """Two formulas and an operator between them."""

    left: Expr
    right: Expr

    def __init__(self, left: Expr, right: Expr) -> None:
        fields = self.__dict__  # three times as fast as object.__setattr__, in the hottest place of reading
        fields["left"] = left
        fields["right"] = right

    @property
    def parts(self) -> tuple[Expr, ...]:
        """Left and right."""
        return (self.left, self.right)

    def _rebuild(self, parts: tuple[Expr, ...]) -> Expr:
        return OPERATORS[self.sign](*parts)


class Add(Binary):
    """A sum."""

    sign = "+"


class Sub(Binary):
    """A difference."""

    sign = "-"


class Mul(Binary):
    """A product."""

    sign = "*"


class Div(Binary):
    """A quotient."""

    sign = "/"


@dataclass(frozen=True, eq=False, repr=False)
class Pow(Expr):
    """A whole power, which may be negative."""

    base: Expr
    exponent: int

    sign = "**"

    @property
    def parts(self) -> tuple[Expr, ...]:
        """The base alone: the exponent is no formula."""
        return (self.base,)

    def _rebuild(self, parts: tuple[Expr, ...]) -> Expr:
        return power(parts[0], Fraction(self.exponent))


@dataclass(frozen=True, eq=False, repr=False)
class Function(Expr):
    """A function of one formula."""

    argument: Expr

    @property
    def parts(self) -> tuple[Expr, ...]:
        """The argument."""
        return (self.argument,)

    def _rebuild(self, parts: tuple[Expr, ...]) -> Expr:
        return FUNCTIONS[self.sign](parts[0])


class Ln(Function):
    """The natural logarithm."""

    sign = "ln"


class Exp(Function):
    """The exponential function."""

    sign = "exp"


class Sqrt(Function):
    """The positive square root."""

    sign = "sqrt"


def _folded(operation: Callable[[Fraction, Fraction], Fraction], left: Num, right: Num) -> Num:
    bounded(bits(left.value) + bits(right.value) + 1)
    return Num(operation(left.value, right.value))


def add(left: Expr, right: Expr) -> Expr:
    """Return left + right; two numbers fold."""
    if isinstance(right, Num):
        if isinstance(left, Num):
            return _folded(operator.add, left, right)
        if not right.value:
            return left
    elif isinstance(left, Num) and not left.value:
        return right
    return Add(left, right)


def subtract(left: Expr, right: Expr) -> Expr:
    """Return left - right; two numbers fold."""
    if isinstance(right, Num):
        if isinstance(left, Num):
            return _folded(operator.sub, left, right)
        if not right.value:
            return left
    return Sub(left, right)


def multiply(left: Expr, right: Expr) -> Expr:
    """Return left * right; two numbers fold, 1 disappears, and 0 stays alone."""
    if isinstance(left, Num):
        if isinstance(right, Num):
            return _folded(operator.mul, left, right)
        if left.value in (0, 1):
            return right if left.value else ZERO
    elif isinstance(right, Num) and right.value in (0, 1):
        return left if right.value else ZERO
    return Mul(left, right)


def divide(left: Expr, right: Expr) -> Expr:
    """Return left / right; two numbers fold. Raises ``ZeroDivisionError`` for the number 0 below."""
    if isinstance(right, Num):
        if not right.value:
            raise ZeroDivisionError("division by zero")
        if isinstance(left, Num):
            return _folded(operator.truediv, left, right)
        if right.value == 1:
            return left
    return Div(left, right)


def power(base: Expr, exponent: Fraction) -> Expr:
    """Return base ** exponent. Raises ``ValueError`` unless it is whole, ``ZeroDivisionError`` for 0**-1."""
    if exponent.denominator != 1:
        raise ValueError(f"powers are whole numbers, not {exponent}")
    whole = exponent.numerator
    if isinstance(base, Num):
        if not base.value and not whole:
            raise ValueError("0**0 has no value")
        bounded(bits(base.value) * abs(whole))
        return Num(Fraction(base.value**whole))
    if whole in (0, 1):
        return base if whole else ONE
    return Pow(base, whole)


def ln(argument: object) -> Expr:
    """Return the natural logarithm. Raises ``ValueError`` for a number that is not positive."""
    inner = expr(argument)
    if isinstance(inner, Num):
        if inner.value <= 0:
            raise ValueError(f"ln is defined for positive numbers, not {inner.value}")
        if inner.value == 1:
            return ZERO
    return Ln(inner)


def exp(argument: object) -> Expr:
    """Return the exponential."""
    inner = expr(argument)
    return ONE if isinstance(inner, Num) and not inner.value else Exp(inner)


def sqrt(argument: object) -> Expr:
    """Return the positive square root; a number that is a square folds. Raises ``ValueError`` for a negative number."""
    inner = expr(argument)
    if isinstance(inner, Num):
        if inner.value < 0:
            raise ValueError(f"sqrt is not defined for {inner.value}")
        above, below = isqrt(inner.value.numerator), isqrt(inner.value.denominator)
        if Fraction(above * above, below * below) == inner.value:
            return Num(Fraction(above, below))
    return Sqrt(inner)


OPERATORS: dict[str, Callable[[Expr, Expr], Expr]] = {"+": add, "-": subtract, "*": multiply, "/": divide}
FUNCTIONS: dict[str, Callable[[object], Expr]] = {"ln": ln, "exp": exp, "sqrt": sqrt}
