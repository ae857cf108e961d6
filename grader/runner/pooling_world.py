# ruff: noqa: N803, N806  sizes are named by the letters of the lesson
"""The world of pooling: given rows of encoder output, of which the first n belong to real tokens."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.runner.worlds import Names, World, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_NUMBERS = 10_000
LARGEST_NUMBER = 10**12
NUMBER = re.compile(r"[+-]?[0-9]{1,20}(\.[0-9]{1,20}|/[0-9]{1,20})?", re.ASCII)


class PoolingWorld(World):
    """One encoded sequence `rows` (T, D), n of them real; with `neighbour` and n2 a second one of the same batch.

    Entries are whole numbers or exact texts (`"3/2"`, `"0.25"`); everything is float64. `n2` alone may be given where
    only the neighbour's length matters; then the batch holds one sequence.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__()
        rows = _rows(given, "rows")
        T, D = rows.shape
        ready: dict[str, Any] = {"T": T, "D": D, "rows": rows, "n": _length(given, "n", T)}
        batch, lengths = rows[None], [ready["n"]]
        if "n2" in given:
            ready["n2"] = _length(given, "n2", T)
        if "neighbour" in given:
            neighbour = _rows(given, "neighbour")
            if neighbour.shape != rows.shape:
                raise ValueError(f"neighbour must have {T} rows of {D} numbers, padding included, as rows has")
            lengths.append(_length(given, "n2", T))
            batch = torch.stack([rows, neighbour])
        masks = torch.arange(T) < torch.tensor(lengths)[:, None]
        ready.update(B=len(lengths), batch=batch, masks=masks, mask=masks[0])
        self.names = Names(ready, {})


def _length(given: Mapping[str, Any], name: str, T: int) -> int:
    """Return how many rows are real. Raises ValueError unless it is one of 1 to T."""
    n = whole(given, name)
    if n > T:
        raise ValueError(f"{name} is {n}, but there are only {T} rows")
    return n


def _rows(given: Mapping[str, Any], name: str) -> Tensor:
    """Return a given table of numbers as a tensor (T, D). Raises ValueError when it is none."""
    stated = given.get(name)
    if not isinstance(stated, list) or not stated or not all(isinstance(row, list) and row for row in stated):
        raise ValueError(f"{name} must be a list of rows of numbers")
    if len({len(row) for row in stated}) != 1:
        raise ValueError(f"every row of {name} must have the same length")
    if len(stated) * len(stated[0]) > MOST_NUMBERS:
        raise ValueError(f"{name} holds more than {MOST_NUMBERS} numbers")
    return torch.tensor([[_number(entry) for entry in row] for row in stated], dtype=torch.float64)


def _number(entry: Any) -> float:
    """Read one entry. Raises ValueError unless it is a whole number or the text of an exact one."""
    text = str(entry) if type(entry) is int else entry
    if not isinstance(text, str) or not NUMBER.fullmatch(text):
        raise ValueError(f"{str(entry)[:40]!r} is no number of an encoded row")
    try:
        number = Fraction(text)
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by zero") from None
    if abs(number) > LARGEST_NUMBER:
        raise ValueError(f"{text!r} is too large for an encoded row")
    return float(number)
