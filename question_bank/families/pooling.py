"""CL-POOL: one vector for a sequence, its first one or the mean over its real positions."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Seq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from generator.draw import Draw

_PARTS = ("first", "mean")
_WIDTH = 2
_LARGEST = 9
_MOST_NUMBERS = 200
_LIMIT = 10**6
# An exact number: whole, a fraction, or a decimal.
_NUMBER = re.compile(r"-?[0-9]{1,7}(\.[0-9]{1,6}|/[0-9]{1,7})?", re.ASCII)


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: a mean of whole numbers; 2: with fractions; 3: a second, longer sequence in the batch.

    Padding rows are not zero, as an encoder's output there is not: else adding them would change nothing.
    """
    length = 3 + draw.below(4)
    real = 2 + draw.below(length - 2)
    rows = [_row(draw) for _ in range(length)]
    if level == 1:
        rows[real - 1] = [_completing(draw, sum(row[at] for row in rows[: real - 1]), real) for at in range(_WIDTH)]
    if any(sum(column) % real for column in zip(*rows[:real], strict=True)) == (level == 1):
        return None
    if not all(any(row) for row in rows):
        return None
    draw.given.update(rows=rows, n=real)
    if level == 3:
        draw.given.update(n2=length, neighbour=[_row(draw) for _ in range(length)])
    return _PARTS


def _row(draw: Draw) -> list[int]:
    return [draw.below(2 * _LARGEST + 1) - _LARGEST for _ in range(_WIDTH)]


def _completing(draw: Draw, total: int, count: int) -> int:
    """Return an entry with which `count` entries, the others adding up to `total`, have a whole mean."""
    return draw.pick([entry for entry in range(-_LARGEST, _LARGEST + 1) if (total + entry) % count == 0])


def check_rows(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless the rows are an encoded sequence with n real ones (rule R4)."""
    if "rows" not in given or "n" not in given:
        raise ValueError("rows and n are both needed: the encoded rows and how many of them are real.")
    length, width = _checked(given["rows"], "rows")
    for name in ("n", "n2"):
        if name in given and (type(given[name]) is not int or not 1 <= given[name] <= length):
            raise ValueError(f"{name} counts real positions: a whole number from 1 to {length}, the number of rows.")
    if "neighbour" in given:
        if "n2" not in given:
            raise ValueError("n2 is needed with neighbour: how many of its rows are real.")
        if _checked(given["neighbour"], "neighbour") != (length, width):
            raise ValueError(f"neighbour needs {length} rows of {width} numbers, padding included, as rows has.")


def _checked(rows: Any, name: str) -> tuple[int, int]:
    """Return how many rows there are and how wide they are."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
        raise ValueError(f"{name} is a list of rows of numbers, one for each position.")
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"all rows of {name} have the same number of entries.")
    if len(rows) * len(rows[0]) > _MOST_NUMBERS:
        raise ValueError(f"{name} holds more than {_MOST_NUMBERS} numbers.")
    for entry in (entry for row in rows for entry in row):
        if not _is_number(entry):
            raise ValueError(f'{name} holds whole numbers or exact ones as text, such as "3/2"; {entry!r} is neither.')
    return len(rows), len(rows[0])


def _is_number(entry: Any) -> bool:
    text = str(entry) if type(entry) is int else entry
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        return False
    try:
        return abs(Fraction(text)) <= _LIMIT
    except ZeroDivisionError:
        return False


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the number of rows and of real ones, and whether a neighbour is shown."""
    return (len(given["rows"]), given["n"], "neighbour" in given)


def _exact(given: Mapping[str, Any]) -> list[list[Fraction]]:
    return [[Fraction(entry) for entry in row] for row in given["rows"]]


def _real(given: Mapping[str, Any]) -> list[list[Fraction]]:
    return _exact(given)[: given["n"]]


def _columns(rows: Iterable[Sequence[Fraction]], divisor: int) -> Seq:
    """Return the sums down the rows, divided."""
    return Seq(*(sum(column, Fraction(0)) / divisor for column in zip(*rows, strict=True)))


def _over(divisor: Callable[[Mapping[str, Any]], int]) -> Callable[[Mapping[str, Any]], Seq]:
    """Return the rule that adds up the real rows and divides by something."""
    return lambda given: _columns(_real(given), divisor(given))


def _masked_mean(given: Mapping[str, Any]) -> Seq:
    return _columns(_real(given), given["n"])


def _first_row(given: Mapping[str, Any]) -> Seq:
    return Seq(*_exact(given)[0])


def _inverted(given: Mapping[str, Any]) -> Seq | None:
    """Return the mean of the padding; without padding there is none."""
    padding = _exact(given)[given["n"] :]
    return _columns(padding, len(padding)) if padding else None


def _padding_included(given: Mapping[str, Any]) -> Seq:
    rows = _exact(given)
    return _columns(rows, len(rows))


def _features_averaged(given: Mapping[str, Any]) -> Seq:
    return Seq(*(sum(row, Fraction(0)) / len(row) for row in _real(given)))


_SUM = "(rows * mask[:, None]).sum(0)"

FAMILY = Family(
    id="CL-POOL",
    slug="pooling",
    title="First vector or masked mean",
    topic="classification",
    core=True,
    version=1,
    world="pooling",
    levels={1: "a mean of whole numbers", 2: "a mean with fractions", 3: "two sequences of unequal length"},
    draw=draw,
    asks=(
        Ask("first", _first_row, "rows[0]", (Rule("mean", _masked_mean, "rows[:n].mean(0)"),), also=("batch[0, 0]",)),
        Ask(
            "mean",
            _masked_mean,
            f"{_SUM} / mask.sum()",
            (
                Rule("padding_included", _padding_included, "rows.mean(0)"),
                Rule("divided_by_t", _over(lambda given: len(given["rows"])), "(rows * mask[:, None]).mean(0)"),
                Rule(
                    "divided_by_batch_tokens",
                    _over(lambda given: given["n"] + given["n2"]),
                    f"{_SUM} / (n + n2)",
                    needs=("n2",),
                ),
                Rule("first_row", _first_row, "rows[0]"),
                Rule("not_divided", _over(lambda _given: 1), _SUM),
                Rule("mask_inverted", _inverted, "rows[~mask].mean(0)"),
                Rule("features_averaged", _features_averaged, "rows[:n].mean(-1)"),
            ),
            also=(
                "rows[mask].mean(0)",
                "((batch * masks[..., None]).sum(1) / masks.sum(1, keepdim=True))[0]",
            ),
        ),
    ),
    given_names=("rows", "n", "n2", "neighbour"),
    check_given=check_rows,
    iso=iso,
)
