# ruff: noqa: N803, N806  sizes are named by the letters of the lesson
"""The worlds in which lines are run, and the two without a model: a grid of counts, given losses.

A world is made from what a question shows (`given`), always the same way for the same given: no clock, no global seed.
It offers the names of the lines (B, T, ids, logits, mask, ...) and makes most of them only when a line asks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from grader.runner.steps import CarefulSteps

SEED = 12
REAL_GRID = 20_000_000
LARGEST_SIZE = 2**31
IGNORE = -100
VOCABULARY_OF_LOSSES = 10


class Names(Mapping[str, Any]):
    """The names of a world: some ready, the others made when first asked for."""

    def __init__(self, ready: dict[str, Any], makers: Mapping[str, Callable[[], Any]]) -> None:
        self.ready = {"torch": torch, "F": functional, "CE": functional.cross_entropy, **ready}
        self.makers = makers

    def __getitem__(self, name: str) -> Any:
        """Return a value, made if need be. Raises KeyError for an unknown name."""
        ready = self.ready
        if name not in ready:
            ready[name] = self.makers[name]()
        return ready[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.ready, **self.makers})

    def __len__(self) -> int:
        return len({**self.ready, **self.makers})


class World:
    """Names for lines, and the way their steps are carried out."""

    device: Literal["cpu", "meta"] = "cpu"
    names: Names
    steps: CarefulSteps

    def __init__(self) -> None:
        self.steps = CarefulSteps()

    def shows(self, result: Tensor) -> bool:  # noqa: ARG002  the worlds with random numbers look at it
        """Tell whether the numbers of a result mean something; else its shape alone is what was seen."""
        return True

    def loss_backward(self, loss: Tensor) -> None:
        """Run `backward()` from a loss where the world has weights."""


def whole(given: Mapping[str, Any], name: str, missing: int | None = None, least: int = 1) -> int:
    """Return a whole number of the given. Raises ValueError when it is missing or out of its range."""
    value = given.get(name, missing)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < LARGEST_SIZE:
        raise ValueError(f"{name} must be a whole number from {least} on, not {value!r}")
    return value


def make_mask(given: Mapping[str, Any], B: int, T: int) -> Tensor | None:
    """Return the mask (B, T) that the given describes (masked, k, K or M); None when it describes none."""
    if "masked" in given:
        return mask_at(given["masked"], B, T)
    counts = counts_per_row(given, B, T)
    generator = torch.Generator().manual_seed(SEED)
    if counts is not None:
        rank = torch.rand(B, T, generator=generator).argsort(1).argsort(1)
        return rank < torch.tensor(counts)[:, None]
    if "M" not in given:
        return None
    mask = torch.zeros(B * T, dtype=torch.bool)
    mask[torch.randperm(B * T, generator=generator)[: total(given, B, T)]] = True
    return mask.view(B, T)


def counts_per_row(given: Mapping[str, Any], B: int, T: int) -> list[int] | None:
    """Return how many are masked in each row (k, or K in every one), if that is given."""
    counts = given.get("k")
    if counts is None:
        if "K" not in given or "M" in given:
            return None
        counts = [whole(given, "K", least=0)] * B
    if not isinstance(counts, Sequence) or isinstance(counts, str) or len(counts) != B:
        raise ValueError(f"k must hold {B} numbers, one a row")
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= T:
            raise ValueError(f"a row of {T} positions cannot have {count!r} masked")
    if "M" in given and given["M"] != sum(counts):
        raise ValueError(f"M is {given['M']!r}, but k adds up to {sum(counts)}")
    return list(counts)


def total(given: Mapping[str, Any], B: int, T: int) -> int:
    """Return M, the masked positions of the whole batch. Raises ValueError when there are not so many positions."""
    M = whole(given, "M", least=0)
    if M > B * T:
        raise ValueError(f"M is {M}, but the batch has only {B * T} positions")
    return M


def mask_at(rows: Any, B: int, T: int, name: str = "masked") -> Tensor:
    """Return the mask (B, T) with True at the positions listed row by row. `name` is what the given calls the list."""
    mask = torch.zeros(B, T, dtype=torch.bool)
    if not isinstance(rows, list) or len(rows) != B:
        raise ValueError(f"{name} must hold {B} lists of positions, one a row")
    for b, positions in enumerate(rows):
        if not isinstance(positions, list):
            raise ValueError(f"{name} must hold lists of positions, not {positions!r}")  # noqa: TRY004
        for position in positions:
            if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < T:
                raise ValueError(f"a row of {T} positions has no position {position!r}")
            mask[b, position] = True
    return mask


class CountsWorld(World):
    """A grid of masked and visible positions: B T, V where scores matter, and k (or M, K, masked)."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__()
        B, T = whole(given, "B"), whole(given, "T")
        if B * T > REAL_GRID:
            raise ValueError(f"a grid of {B} x {T} positions is too large to be counted by running")
        mask = make_mask(given, B, T)
        if mask is None:
            raise ValueError("the mask needs M or k among the given")
        rows, cols = mask.nonzero(as_tuple=True)
        ready = {"B": B, "T": T, "M": rows.shape[0], "mask": mask, "rows": rows, "cols": cols}
        if "V" in given:
            ready["V"] = whole(given, "V")
        self.names = Names(ready, {"logits": self._logits})

    def _logits(self) -> Tensor:
        """Return scores (B, T, V), all zero, in the memory of one number."""
        names = self.names
        return torch.zeros(()).expand(names["B"], names["T"], names["V"])


class LossesWorld(World):
    """Given losses at each position, produced by the real cross-entropy on scores that were built for them.

    `losses` is a list of exact texts (one row, then everything is one-dimensional) or a list of such rows.
    `masked` lists positions alike. float64 throughout.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__()
        stated = given.get("losses")
        if not isinstance(stated, list) or not stated:
            raise ValueError("losses must be a list of numbers, or of rows of numbers")
        flat = not isinstance(stated[0], list)
        rows: list[list[Any]] = [stated] if flat else stated
        B, T = len(rows), len(rows[0])
        if any(not isinstance(row, list) or len(row) != T for row in rows) or not T:
            raise ValueError("every row of losses must have the same length")
        wanted = torch.tensor([[_loss(text) for text in row] for row in rows], dtype=torch.float64)
        masked = given.get("masked")
        mask = mask_at([masked] if flat else masked, B, T)
        V = VOCABULARY_OF_LOSSES
        ids = torch.randint(0, V - 1, (B, T), generator=torch.Generator().manual_seed(SEED))
        logits = torch.zeros(B, T, V, dtype=torch.float64)
        logits.scatter_(2, ids[..., None], _scores(wanted, V)[..., None])
        losses = functional.cross_entropy(logits.transpose(1, 2), ids, reduction="none")
        if not torch.allclose(losses, wanted, rtol=1e-12, atol=1e-12):
            raise RuntimeError("cross-entropy does not give the stated losses")
        values = {
            "losses": losses, "mask": mask, "ids": ids, "logits": logits,
            "inputs": ids.masked_fill(mask, V - 1), "labels": ids.masked_fill(~mask, IGNORE),
        }  # fmt: skip
        if flat:
            values = {name: value[0] for name, value in values.items()}
        self._check(values, V)
        where = values["mask"].nonzero(as_tuple=True)
        ready = {"B": B, "T": T, "V": V, "M": where[0].shape[0], "cols": where[-1], **values}
        if not flat:
            ready["rows"] = where[0]
        self.names = Names(
            ready,
            {"sel": lambda: self.names["logits"][self.names["mask"]], "tgt": lambda: ids.view(mask.shape)[mask]},
        )

    @staticmethod
    def _check(values: dict[str, Tensor], V: int) -> None:
        """Hold the two ways of scoring only hidden positions against each other: ignored labels, and a selection."""
        logits, labels, mask = values["logits"], values["labels"], values["mask"]
        ignoring = functional.cross_entropy(logits.reshape(-1, V), labels.reshape(-1))
        selecting = functional.cross_entropy(logits[mask], labels[mask])
        if not torch.allclose(ignoring, selecting, rtol=1e-12, atol=1e-12, equal_nan=True):
            raise RuntimeError("ignored labels and the selection give different losses")


def _loss(text: Any) -> float:
    """Read one loss. Raises ValueError unless it is a finite number of 0 or more."""
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise ValueError(f"{text!r} is no loss")  # noqa: TRY004
    value = float(Fraction(text)) if isinstance(text, str) and "/" in text else float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{text!r} is no loss: a loss is 0 or more")
    return value


def _scores(losses: Tensor, V: int) -> Tensor:
    """Return the score at the right id that yields each loss when all other scores are 0.

    A loss l needs a = ln(V - 1) - ln(e^l - 1); written so that neither small nor large losses lose digits. A loss of
    0 needs an unbounded score: at 1,000 float64 gives exactly 0.
    """
    scores = math.log(V - 1) - losses - torch.log(-torch.expm1(-losses))
    return torch.where(losses == 0, 1000.0, scores)
