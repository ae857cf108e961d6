"""CT-BASIC: how many positions are hidden, how many stay visible, and which share that is."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Answer, Int, Rational
from grader.expr import Letter, Num
from grader.letters import B, M, T, V
from question_bank.families._shapes import check_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.draw import Draw

# Common words only: the grid of level 3 is counted, not read.
_WORDS = (  # noqa: SIM905 - a text reads better than fifty quoted words
    "the cat went home and the dog ran after it while rain fell on the old red roof of our small house by the river "
    "where two boats lay under a tree and a man sat on a box with his book until the sun came out again"
).split(" ")
_PARTS = {1: ("total", "visible"), 2: ("total", "visible", "rate"), 3: ("total", "rate", "sel_rows")}


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: equal counts; 2: a list of counts, V as distractor; 3: a grid of words, no counts in the text."""
    given = draw.given
    rows = draw.between("B", 2, 4 if level == 3 else 8)
    length = draw.between("T", 6, 10 if level == 3 else 24)
    vocabulary = 20 + draw.below(981)
    most = length // 2
    if level == 1:
        given["k"] = [1 + draw.below(most)] * rows
    else:
        given["V"] = vocabulary
        given["k"] = [1 + draw.below(most) for _ in range(rows)]
        if len(set(given["k"])) == 1:
            return None
    total = sum(given["k"])
    if len({rows, length, vocabulary, total}) < 4:
        return None
    if level == 3:
        given["tokens"] = [_row(draw, length, count) for count in given["k"]]
    return _PARTS[level]


def _row(draw: Draw, length: int, hidden: int) -> list[str]:
    start = draw.below(len(_WORDS) - length + 1)
    masked = set(draw.sample(range(length), hidden))
    return ["[MASK]" if place in masked else _WORDS[start + place] for place in range(length)]


def check_counts(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless the counts describe a batch (rule R4)."""
    for name in "BTV":
        if name in given and (type(given[name]) is not int or not 1 <= given[name] <= 10**6):
            raise ValueError(f"{name} must be a whole number from 1 to 1,000,000.")
    if "B" not in given or "T" not in given:
        raise ValueError("B and T are needed: the number of sequences and their length.")
    if "k" not in given:
        raise ValueError("k is needed: the masked positions of each sequence.")
    check_rows(given)


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the number of sequences, the form of the count, and the digits of the length."""
    return (given["B"], len(set(given["k"])) == 1, "tokens" in given, len(str(given["T"])))


def _equal(given: Mapping[str, Any]) -> bool:
    return len(set(given["k"])) == 1


def _unequal(given: Mapping[str, Any]) -> bool:
    return not _equal(given)


def _visible_from_total(given: Mapping[str, Any]) -> Answer:
    return Int(Num(Fraction(given["B"] * given["T"])) - Letter("total"))


def _rate_from_total(given: Mapping[str, Any]) -> Answer:
    return Rational(Letter("total") / (given["B"] * given["T"]))


def _rows_from_total(_given: Mapping[str, Any]) -> Answer:
    return Int(Letter("total"))


FAMILY = Family(
    id="CT-BASIC",
    slug="count_masks",
    title="Counting hidden tokens",
    topic="counting",
    core=True,
    version=1,
    world="counts",
    levels={
        1: "equal counts",
        2: "a list of counts, with a distractor",
        3: "a grid of tokens, nothing counted for you",
    },
    draw=draw,
    asks=(
        Ask(
            "total",
            Int(M),
            "mask.sum()",
            (
                Rule("largest_row", lambda given: Int(max(given["k"])), "mask.sum(1).max()", when=_unequal),
                Rule(
                    "first_row_times_b",
                    lambda given: Int(given["k"][0] * given["B"]),
                    "mask[0].sum() * B",
                    when=_unequal,
                ),
                Rule("mean_row", Int(M / B), "mask.sum(1).double().mean()", when=_unequal),
                Rule("times_b", Int(M * B), "mask.sum() * B"),
                Rule("one_row", lambda given: Int(given["k"][0]), "mask[0].sum()", when=_equal),
            ),
            unit=("positions", "tokens", "masked", "masked positions", "hidden positions"),
        ),
        Ask(
            "visible",
            Int(B * T - M),
            "(~mask).sum()",
            (
                Rule("hidden_counted", Int(M), "mask.sum()"),
                Rule("one_sequence", Int(T - M), "T - mask.sum()"),
            ),
            follows=("total",),
            carry=_visible_from_total,
            unit=("positions", "tokens", "visible", "visible positions"),
        ),
        Ask(
            "rate",
            Rational(M / (B * T)),
            "mask.double().mean()",
            (
                Rule("over_one_sequence", Rational(M / T), "mask.sum() / T"),
                Rule("over_vocab", Rational(M / V), "mask.sum() / V", needs=("V",)),
                Rule("masked_to_visible", Rational(M / (B * T - M)), "mask.sum() / (~mask).sum()"),
                Rule("visible_share", Rational(1 - M / (B * T)), "(~mask).double().mean()"),
            ),
            follows=("total",),
            carry=_rate_from_total,
            unit=("of the tokens", "of the positions", "of all positions", "of all tokens"),
            allow=("percent",),
        ),
        Ask(
            "sel_rows",
            Int(M),
            "logits[mask].shape[0]",
            (Rule("all", Int(B * T), "logits.reshape(-1, V).shape[0]"),),
            follows=("total",),
            carry=_rows_from_total,
            unit=("rows",),
            needs=("V",),
            guessable="as a choice, its one slip is longer than the key, so that short options are likelier",
        ),
    ),
    given_names=("B", "T", "V", "k", "tokens"),
    check_given=check_counts,
    iso=iso,
)
