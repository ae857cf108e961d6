"""Formulas as quick functions: a draw is judged by all its wrong rules, thousands of times a second.

Building answer objects for every rule of every draw would cost more than drawing; so a formula in the letters is
compiled once into a function of the sizes that returns bare numbers. Answer objects are made later, for what is served.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from grader.answers import Answer, Decimal, Int, Rational, Shape, ShapeSym
from grader.expr import Expr, Letter

if TYPE_CHECKING:
    Given = Mapping[str, Any]
    Sizes = Mapping[str, int | Fraction]

RawFormula = Callable[["Given", "Sizes"], Any]

# Decimals are compared as whole numbers of 10^-(places+3): 3 x tolerance (0.6 units) is then 1,800, plus rounding.
_FINE = 1000
_TOO_NEAR = 1802


def letters_of(formula: Answer | Callable[[Given], Answer | None]) -> frozenset[str]:
    """Return the letters that a formula needs; none for a function of `given`, which looks for itself."""
    if not isinstance(formula, Answer):
        return frozenset()
    parts = formula.axes if isinstance(formula, Shape | ShapeSym) else (getattr(formula, "value", None),)
    return frozenset().union(*(part.letters() for part in parts if isinstance(part, Expr)))


def _number(value: Any) -> Callable[[Sizes], Any]:
    if isinstance(value, Letter):
        return itemgetter(value.name)
    if isinstance(value, Expr):
        return value.compile()
    return lambda _sizes: value


def _shape(axes: tuple[Any, ...]) -> RawFormula:
    if len(axes) > 1 and all(isinstance(axis, Letter) for axis in axes):
        get = itemgetter(*(axis.name for axis in axes))
        return lambda _given, sizes: get(sizes)
    functions = tuple(_number(axis) for axis in axes)
    return lambda _given, sizes: tuple([function(sizes) for function in functions])


def compile_formula(formula: Answer | Callable[[Given], Answer | None]) -> RawFormula:
    """Return a function (given, sizes) -> comparable value; answers of list families are compared as they are.

    It returns None where the formula has no value: the share of masked to visible, where nothing is visible.
    """
    compiled = _compiled(formula)

    def raw(given: Given, sizes: Sizes) -> Any:
        try:
            return compiled(given, sizes)
        except ZeroDivisionError:
            return None

    return raw if _divides(formula) else compiled


def _divides(formula: Any) -> bool:
    return not isinstance(formula, Answer) or "/" in formula.display()


def _compiled(formula: Answer | Callable[[Given], Answer | None]) -> RawFormula:
    if isinstance(formula, Shape):
        return _shape(formula.axes)
    if isinstance(formula, ShapeSym):
        return lambda _given, _sizes: formula
    if isinstance(formula, Int | Rational):
        number = _number(formula.value)
        return lambda _given, sizes: number(sizes)
    if isinstance(formula, Decimal):
        number, scale = _number(formula.value), 10**formula.places * _FINE
        return lambda _given, sizes: _near(number(sizes), scale)
    if isinstance(formula, Answer):
        return lambda _given, sizes: comparable(formula.at(sizes))
    return lambda given, _sizes: comparable(formula(given))


def comparable(answer: Answer | None) -> Any:
    """Return what two answers of one part are compared by: a number, a tuple, or the answer itself."""
    if isinstance(answer, Decimal):
        value = answer.value.approx() if isinstance(answer.value, Expr) else Fraction(answer.value)
        return _near(value, 10**answer.places * _FINE)
    if isinstance(answer, Int | Rational):
        return answer.value
    if isinstance(answer, Shape):
        return tuple(answer.axes)
    return answer


class Near(int):
    """A decimal in fine units; those within three tolerances of each other cannot be told apart."""

    __slots__ = ()


def _near(value: int | Fraction, scale: int) -> Near:
    return Near(value.numerator * scale // value.denominator)


# What `Values.find` says when a value equals the key.
KEY = -1


class Values:
    """The values of one part so far, the key first; tells which of them a new one equals."""

    __slots__ = ("_exact", "_list")

    def __init__(self, key: Any) -> None:
        # Whole numbers, fractions and tuples are equal or not; decimals and letters need a comparison each.
        self._exact: dict[Any, int] | None = None if isinstance(key, Near | Answer) else {key: KEY}
        self._list: list[Any] = [key]

    def find(self, value: Any) -> int | None:
        """Return the place of an earlier value that this one equals (`KEY`, or 0, 1, ... as added), or None."""
        if self._exact is not None:
            return self._exact.get(value)
        for place, other in enumerate(self._list, start=KEY):
            if (-_TOO_NEAR < value - other < _TOO_NEAR) if type(value) is Near else not value.apart(other):
                return place
        return None

    def add(self, value: Any) -> None:
        """Keep a value that equals none before it."""
        if self._exact is not None:
            self._exact[value] = len(self._exact) - 1
        else:
            self._list.append(value)


def _whole(value: Any) -> bool:
    return type(value) is int or value.denominator == 1


def _sizes(axes: tuple[Any, ...]) -> bool:
    return all((type(axis) is int or axis.denominator == 1) and axis >= 0 for axis in axes)


# Values that a kind cannot hold would be refused as format, not diagnosed.
LEGAL: Mapping[str, Callable[[Any], bool]] = {"int": _whole, "shape": _sizes}
