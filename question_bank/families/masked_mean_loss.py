"""LS-MEAN: average the loss over the masked positions, and over nothing else."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Decimal, Int
from grader.expr import Letter
from grader.letters import M

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.draw import Draw

_PARTS = ("terms", "sum", "mean")
_MAX_LOSSES = 400
_EXACT = re.compile(r"\d+(?:\.\d+|/0*[1-9]\d*)?", re.ASCII)


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: one short row, two masked; 2: a longer row, three or four; 3: two rows with unequal counts."""
    given = draw.given
    if level == 3:
        length = 4 + draw.below(3)
        counts = [1 + draw.below(length - 2) for _ in range(2)]
        if counts[0] == counts[1]:
            return None
        given["losses"] = [_losses(draw, length) for _ in counts]
        given["masked"] = [_places(draw, length, count) for count in counts]
        return _PARTS
    length, count = (4 + draw.below(3), 2) if level == 1 else (6 + draw.below(5), 3 + draw.below(2))
    if count > length - 2:
        return None
    given["losses"] = _losses(draw, length)
    given["masked"] = _places(draw, length, count)
    return _PARTS


def _losses(draw: Draw, length: int) -> list[str]:
    return [f"{cents // 100}.{cents % 100:02}" for cents in (5 + draw.below(596) for _ in range(length))]


def _places(draw: Draw, length: int, count: int) -> list[int]:
    """Return masked positions; never 0, so that counting positions from 1 shows itself."""
    return draw.sample(range(1, length), count)


def check_losses(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless losses and masked positions fit each other (rule R4)."""
    if "losses" not in given or "masked" not in given:
        raise ValueError("losses and masked are both needed: the loss at each position and the masked positions.")
    rows, masked = _rows(given["losses"]), _rows(given["masked"])
    if len(rows) != len(masked):
        raise ValueError("masked needs one list of positions for each row of losses.")
    if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
        raise ValueError("losses is one row of numbers, or rows of equal length.")
    if sum(len(row) for row in rows) > _MAX_LOSSES:
        raise ValueError(f"at most {_MAX_LOSSES} losses can be averaged here.")
    for row, places in zip(rows, masked, strict=True):
        for loss in row:
            if isinstance(loss, bool) or not isinstance(loss, str | int) or not _positive(str(loss)):
                raise ValueError(f'each loss is a positive number as text, such as "0.42" or "3/20"; {loss!r} is not.')
        if any(type(place) is not int or not 0 <= place < len(row) for place in places) or len(set(places)) != len(
            places
        ):
            raise ValueError(f"masked positions are different whole numbers from 0 to {len(row) - 1}.")
    if not any(masked):
        raise ValueError("at least one position must be masked: a mean over nothing is not a number.")


def _positive(text: str) -> bool:
    return len(text) <= 30 and _EXACT.fullmatch(text) is not None and 0 < Fraction(text) <= 1000


def _rows(value: Any) -> list[Any]:
    """Return a list of rows, whether one flat row or several were given."""
    if not isinstance(value, list):
        raise ValueError("losses and masked are lists.")  # noqa: TRY004 - a caller's data, not a type error of ours
    return value if value and all(isinstance(row, list) for row in value) else [value]


# What the rules are made of, besides M: the sum of the masked losses and of all losses; the number of positions and of
# unmasked ones; and three quantities that only a wrong rule uses.
S, A, P, U = Letter("S"), Letter("A"), Letter("P"), Letter("U")
ONE_LEFT, ROW_MEANS, MEDIAN = Letter("one_left"), Letter("row_means"), Letter("median")


def sizes(given: Mapping[str, Any]) -> dict[str, int | Fraction]:
    """Return the sums and counts of a batch. A quantity that does not exist, or tells nothing, is left out.

    `row_means` needs several rows with something masked in each, `median` more than two masked losses (the median of
    two is their mean), `U` something unmasked.
    """
    rows, scale = _scaled(_rows(given["losses"]))
    masked = _rows(given["masked"])
    by_row = [[row[place] for place in places] for row, places in zip(rows, masked, strict=True)]
    hidden = [loss for row in by_row for loss in row]
    positions = sum(map(len, rows))
    found: dict[str, int | Fraction] = {
        "M": len(hidden),
        "P": positions,
        "S": Fraction(sum(hidden), scale),
        "A": Fraction(sum(map(sum, rows)), scale),
        "one_left": Fraction(
            sum(row[place - 1] for row, places in zip(rows, masked, strict=True) for place in places), scale
        ),
    }
    if positions > len(hidden):
        found["U"] = positions - len(hidden)
    if len(hidden) > 2:
        ordered = sorted(hidden)
        found["median"] = Fraction(ordered[(len(hidden) - 1) // 2] + ordered[len(hidden) // 2], 2 * scale)
    if len(rows) > 1 and all(by_row):
        found["row_means"] = sum((Fraction(sum(row), len(row) * scale) for row in by_row), Fraction(0)) / len(rows)
    return found


def _scaled(rows: list[list[Any]]) -> tuple[list[list[int]], int]:
    """Return the losses as whole numbers of one unit, 1/scale: sums of many decimals without a fraction each."""
    if any("/" in str(loss) for row in rows for loss in row):  # of a caller: draws have two decimals
        exact = [[Fraction(loss) for loss in row] for row in rows]
        unit = math.lcm(*(loss.denominator for row in exact for loss in row))
        return [[int(loss * unit) for loss in row] for row in exact], unit
    split = [[str(loss).partition(".") for loss in row] for row in rows]
    places = max(len(digits) for row in split for _whole, _dot, digits in row)
    return [[int(whole + digits.ljust(places, "0")) for whole, _dot, digits in row] for row in split], 10**places


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the length of the rows and the number of masked positions."""
    rows = _rows(given["losses"])
    return (len(rows), len(rows[0]), sum(len(places) for places in _rows(given["masked"])))


FAMILY = Family(
    id="LS-MEAN",
    slug="masked_mean_loss",
    title="Mean over masked positions",
    topic="loss",
    core=True,
    version=1,
    world="losses",
    levels={1: "one short row", 2: "a longer row", 3: "two rows, still one mean"},
    draw=draw,
    asks=(
        Ask(
            "terms",
            Int(M),
            "mask.sum()",
            (
                Rule("all_positions", Int(P), "losses.numel()"),
                Rule("unmasked_counted", Int(P - M), "(~mask).sum()"),
            ),
            unit=("terms", "numbers", "losses"),
        ),
        Ask(
            "sum",
            Decimal(S, 2),
            "losses[mask].sum()",
            (
                Rule("all_positions", Decimal(A, 2), "losses.sum()"),
                Rule("unmasked_only", Decimal(A - S, 2), "losses[~mask].sum()"),
                Rule("one_based", Decimal(ONE_LEFT, 2), "losses[mask.roll(-1, -1)].sum()"),
            ),
            unit=("nats",),
        ),
        Ask(
            "mean",
            Decimal(S / M, 4),
            "losses[mask].mean()",
            (
                Rule("all_positions", Decimal(A / P, 4), "losses.mean()"),
                Rule("masked_sum_over_t", Decimal(S / P, 4), "(losses * mask).mean()"),
                Rule("mean_of_row_means", Decimal(ROW_MEANS, 4), "((losses * mask).sum(1) / mask.sum(1)).mean()"),
                Rule("not_divided", Decimal(S, 4), "losses[mask].sum()"),
                Rule("unmasked_only", Decimal((A - S) / U, 4), "losses[~mask].mean()"),
                Rule("all_sum_over_masked", Decimal(A / M, 4), "losses.sum() / mask.sum()"),
                Rule("one_based", Decimal(ONE_LEFT / M, 4), "losses[mask.roll(-1, -1)].mean()"),
                Rule("median", Decimal(MEDIAN, 4), "losses[mask].quantile(.5)"),
            ),
            follows=("terms", "sum"),
            carry=lambda _given: Decimal(Letter("sum") / Letter("terms"), 4),
            unit=("nats",),
        ),
    ),
    given_names=("losses", "masked"),
    sizes=sizes,
    check_given=check_losses,
    iso=iso,
)
