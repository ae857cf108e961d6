# ruff: noqa: N806  sizes are named by the letters of the lesson
"""The world of shown tokens: rows of ids, model inputs and labels as a question prints them, and scores for them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.runner.worlds import IGNORE, SEED, Names, World, mask_at, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PAD = 0
MOST_TOKENS = 10_000
REAL_SCORES = 10_000_000
LARGEST_LABEL = 2**31
SURE = 30.0  # the score by which a copying model prefers what it sees: its loss there is below 1e-4 for any vocabulary
TABLES = ("original", "ids", "inputs", "labels")


class TokenWorld(World):
    """Tokens that a question shows: ids (or original) with `masked`, or labels alone, or original, inputs and labels.

    Each is a list of ids (then all tensors are one-dimensional) or a list of equally long rows; `masked` and `kept`
    list positions alike, `n` counts the real positions, one number or one a row. `mask_id`, `ignore` (-100 unless
    given) and `V` (the largest id + 1 unless given) are whole numbers.

    What the given leaves out is made from it where it can be: inputs and labels from ids and `masked`, the mask from
    the labels. Raises ValueError with a sentence for anything else.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__()
        self.given = given
        self.ignore = self._ignore()
        shown = [name for name in TABLES if name in given]
        if not shown:
            raise ValueError("ids or labels must be among the given")
        first = given[shown[0]]
        self.one_row = not (isinstance(first, list) and first and isinstance(first[0], list))
        tables = {name: self._rows(name) for name in shown}
        self.B, self.T = len(tables[shown[0]]), len(tables[shown[0]][0])
        if any(len(row) != self.T for row in tables[shown[0]]):
            raise ValueError(f"every row of {shown[0]} must have the same length")
        for name, rows in tables.items():
            if [len(row) for row in rows] != [self.T] * self.B:
                raise ValueError(f"{name} must have {self.B} x {self.T} entries, as {shown[0]} has")
        if self.B * self.T > MOST_TOKENS:
            raise ValueError(f"{self.B} x {self.T} tokens are too many to be shown")
        ready: dict[str, Any] = {"B": self.B, "T": self.T, "V": self._vocabulary(tables), "PAD": PAD}
        ready["ignore"] = self.ignore
        if "mask_id" in given:
            ready["mask_id"] = given["mask_id"]
        ready.update({name: self._tensor(rows) for name, rows in tables.items()})
        ready.update(self._counted())
        for name, other in (("ids", "original"), ("original", "ids")):
            if name in ready and other not in ready:
                ready[other] = ready[name]
        self.names = Names(ready, self._makers())

    def shows(self, result: Tensor) -> bool:
        """Tell whether numbers are to be shown: not those of scores, which are random here."""
        return not (result.is_floating_point() and result.ndim)

    def _ignore(self) -> int:
        ignore = self.given.get("ignore", IGNORE)
        if isinstance(ignore, bool) or not isinstance(ignore, int) or abs(ignore) > LARGEST_LABEL:
            raise ValueError(f"ignore must be a whole number, not {ignore!r}")
        return ignore

    def _rows(self, name: str) -> list[list[int]]:
        """Return a table of the given as rows. Raises ValueError unless it holds whole numbers."""
        stated = self.given[name]
        rows = [stated] if self.one_row else stated
        if not isinstance(rows, list) or not rows:
            raise ValueError(f"{name} must be a list of ids, or of rows of ids")
        for row in rows:
            if not isinstance(row, list) or not row:
                raise ValueError(f"{name} must hold rows of ids, not {row!r}")
            for entry in row:
                if isinstance(entry, bool) or not isinstance(entry, int) or abs(entry) > LARGEST_LABEL:
                    raise ValueError(f"{name} must hold whole numbers, not {entry!r}")
        return rows

    def _vocabulary(self, tables: Mapping[str, list[list[int]]]) -> int:
        """Return V. Raises ValueError for an entry that is no id of it (and, among labels, not the ignore value)."""
        largest = whole(self.given, "mask_id", least=0) if "mask_id" in self.given else 0
        for name, rows in tables.items():
            ids = {entry for row in rows for entry in row}
            if name == "labels":
                ids.discard(self.ignore)
            if ids and min(ids) < 0:
                what = f"neither an id nor the ignore value {self.ignore}" if name == "labels" else "no id"
                raise ValueError(f"{name} hold {min(ids)}, which is {what}")
            largest = max({largest} | ids)
        V = whole(self.given, "V", largest + 1)
        if largest >= V:
            raise ValueError(f"a vocabulary of {V} ids has no id {largest}")
        return V

    def _counted(self) -> dict[str, Any]:
        """Return what the given says of positions: n and real, the mask, and what is kept by policy."""
        values: dict[str, Any] = {}
        n = self._real_lengths()
        if n is not None:
            values["n"] = n[0] if self.one_row else torch.tensor(n)
            values["real"] = self._as_shown(torch.arange(self.T) < torch.tensor(n)[:, None])
        for name, place in (("masked", "mask"), ("kept", "kept")):
            if name in self.given:
                listed = self.given[name]
                flat = self.one_row and not (isinstance(listed, list) and listed and isinstance(listed[0], list))
                values[place] = self._as_shown(mask_at([listed] if flat else listed, self.B, self.T, name))
        return values

    def _real_lengths(self) -> list[int] | None:
        """Return n as one number a row, None where it is not given."""
        if "n" not in self.given:
            return None
        n = self.given["n"]
        counts = n if isinstance(n, list) else [n] * self.B
        if len(counts) != self.B:
            raise ValueError(f"n must hold {self.B} numbers, one a row")
        for count in counts:
            if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= self.T:
                raise ValueError(f"a row of {self.T} positions cannot have {count!r} real ones")
        return list(counts)

    def _tensor(self, rows: list[list[int]]) -> Tensor:
        return torch.tensor(rows[0] if self.one_row else rows)

    def _as_shown(self, rows: Tensor) -> Tensor:
        """Return a grid (B, T) in the form of what is shown: (T,) where that is one row."""
        return rows[0] if self.one_row else rows

    def _makers(self) -> dict[str, Callable[[], Any]]:
        def names(name: str) -> Any:
            return self.names[name]

        makers: dict[str, Callable[[], Any]] = {
            "inputs": lambda: names("ids").masked_fill(names("mask"), names("mask_id")),
            "labels": lambda: names("ids").masked_fill(~names("mask"), self.ignore),
            "scored": lambda: names("labels") != self.ignore,
            "mask": self._mask,
            "real": lambda: torch.ones_like(names("mask")),
            "kept": lambda: torch.zeros_like(names("mask")),
            "leak": lambda: names("scored") & (names("inputs") == names("labels")) & ~names("kept"),
            "M": lambda: int(names("mask").sum()),
            "cols": lambda: names("mask").nonzero(as_tuple=True)[-1],
            "logits": self._logits,
            "flat": lambda: names("logits").reshape(-1, names("V")),
            "copying": self._copying,
            "sel": lambda: self.steps.subscript(names("logits"), names("mask")),
            "tgt": lambda: names("ids" if "masked" in self.given else "labels")[names("mask")],
        }
        if not self.one_row:
            makers["rows"] = lambda: names("mask").nonzero(as_tuple=True)[0]
        return makers

    def _mask(self) -> Tensor:
        """Return the scored positions where `masked` does not say which are masked."""
        if "labels" not in self.given:
            raise NameError("mask needs masked or labels among the given")
        scored: Tensor = self.names["scored"]
        return scored

    def _logits(self) -> Tensor:
        """Return random scores (..., V) in float64; without numbers where they would be too many."""
        shape, V = self._score_shape(), self.names["V"]
        if math.prod(shape) > REAL_SCORES:
            return torch.empty(shape, dtype=torch.float64, device="meta")
        steps = (1, 1) if self.one_row else (self.T, 1, 1)
        return _random(1 << max(16, (V + self.B * self.T).bit_length())).as_strided(shape, steps)

    def _copying(self) -> Tensor:
        """Return the scores (..., V) of a model that is sure of whatever id stands in its input."""
        shape = self._score_shape()
        if math.prod(shape) > REAL_SCORES:
            return torch.empty(shape, dtype=torch.float64, device="meta")
        return torch.zeros(shape, dtype=torch.float64).scatter_(-1, self.names["inputs"][..., None], SURE)

    def _score_shape(self) -> tuple[int, ...]:
        V: int = self.names["V"]
        return (self.T, V) if self.one_row else (self.B, self.T, V)


@lru_cache(maxsize=4)
def _random(count: int) -> Tensor:
    """Return so many random numbers, (count,).

    Drawing scores anew would take longer than all lines together, so each position's scores are a stretch of these that
    begins one number further on.
    """
    return torch.randn(count, dtype=torch.float64, generator=torch.Generator().manual_seed(SEED))
