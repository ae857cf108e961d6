"""VI-SEE: which positions one position can read, with and without a causal mask, with and without padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import SetAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generator.draw import Draw

MODES = ("bidirectional", "causal")
# More positions than anyone would tick, and more layers than it takes to see that depth changes nothing.
_MOST_POSITIONS = 64
_MOST_LAYERS = 8


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: no padding; 2: padding; 3: two layers with a causal mask, with or without padding.

    1 <= i <= n-2, so that both modes differ and "later places" are not "all places".
    """
    length = draw.between("T", 4 if level == 1 else 5, 9)
    if level == 1:
        real = draw.given["n"] = length
    else:
        real = draw.between("n", 4, length - 1 if level == 2 else length)
    draw.between("i", 1, real - 2)
    draw.given["mode"] = "causal" if level == 3 else draw.pick(MODES)
    if level == 3:
        draw.given["N"] = 2
    return ("visible",)


def check_positions(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless there is such a position among the real ones (rule R4)."""
    for name, what in (("T", "the positions"), ("n", "the real positions"), ("i", "the position that reads")):
        if name not in given:
            raise ValueError(f"{name} is needed: {what}.")
        if type(given[name]) is not int:
            raise ValueError(f"{name} must be a whole number.")
    T, n, i = given["T"], given["n"], given["i"]
    if not 1 <= T <= _MOST_POSITIONS:
        raise ValueError(f"T must be from 1 to {_MOST_POSITIONS}: each position is looked at by itself.")
    if not 1 <= n <= T:
        raise ValueError(f"n = {n} real positions do not fit: n is from 1 to T = {T}.")
    if not 0 <= i < n:
        raise ValueError(f"i = {i} is no real position: positions count from 0, so i is from 0 to n - 1 = {n - 1}.")
    if given.get("mode") not in MODES:
        raise ValueError(f"mode must be {' or '.join(MODES)}.")
    layers = given.get("N", 1)
    if type(layers) is not int or not 1 <= layers <= _MOST_LAYERS:
        raise ValueError(f"N must be a whole number of layers from 1 to {_MOST_LAYERS}.")


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the mode, and whether there is padding."""
    return (given["mode"], given["n"] < given["T"])


def _positions(given: Mapping[str, Any], items: Iterable[int]) -> SetAnswer:
    return SetAnswer(items, among=range(given["T"]))


def _visible(given: Mapping[str, Any], *, causal: bool) -> SetAnswer:
    """Return what position i reads: all up to itself under a causal mask, else all that are real."""
    return _positions(given, range(given["i"] + 1 if causal else given["n"]))


def _key(given: Mapping[str, Any]) -> SetAnswer:
    return _visible(given, causal=given["mode"] == "causal")


def _other_mode(given: Mapping[str, Any]) -> SetAnswer:
    return _visible(given, causal=given["mode"] != "causal")


def _neighbours(given: Mapping[str, Any]) -> SetAnswer:
    i = given["i"]
    return _positions(given, range(max(0, i - 1), min(i + 2, given["n"])))


FAMILY = Family(
    id="VI-SEE",
    slug="visible_positions",
    title="Visible positions",
    topic="visibility",
    core=True,
    version=1,
    world="visibility",
    levels={1: "no padding", 2: "padding", 3: "two layers, causal mask"},
    draw=draw,
    asks=(
        Ask(
            "visible",
            _key,
            "(weights[i] > 0).nonzero()[:, 0]",
            (
                Rule(
                    "other_mode",
                    _other_mode,
                    "(one[i, :n] if mode == 'causal' else one.tril()[i]).nonzero()",
                ),
                Rule(
                    "not_itself",
                    lambda given: _positions(given, _key(given).items - {given["i"]}),
                    "ok.clone().fill_diagonal_(0)[i].nonzero()",
                ),
                Rule("neighbours_only", _neighbours, "one.triu(-1).tril(1)[i, :n].nonzero()"),
                Rule(
                    "future_only",
                    lambda given: _positions(given, range(given["i"], given["n"])),
                    "one.triu()[i, :n].nonzero()",
                ),
                Rule(
                    "padding_too",
                    lambda given: _positions(given, range(given["T"])),
                    "one[i].nonzero()",
                    when=lambda given: given["n"] < given["T"],  # without padding it is what a causal mask hides
                ),
            ),
            also=("reached.nonzero()[:, 0]",),
            guessable="few runs of positions begin or end at a number of the question; the key is one of them",
        ),
    ),
    given_names=("T", "n", "i", "mode", "N"),
    check_given=check_positions,
    iso=iso,
)
