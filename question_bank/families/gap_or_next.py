"""OB-COMPARE: what belongs in this gap, or what comes next? How many predictions each objective scores, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Int, MultiAnswer
from grader.letters import B, M, T

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from generator.draw import Draw

# What is said of the two objectives, and which of it holds for the masked one.
STATEMENTS = ("future_hidden", "replaced", "all_but_last", "chosen_only", "both_sides")
_HOLD = frozenset({"replaced", "chosen_only", "both_sides"})

# A model of the smallest sizes: only its predictions are counted. Larger batches would be run without numbers.
_RUN_SIZES = {"D": 4, "V": 6, "H": 2}
_MOST_POSITIONS = 100_000
_MOST_PAIRS = 5_000_000

# What a next-token model scores: every position but the last of its row, against the id one place on.
_SCORES, _NEXT = "logits[:, :-1].reshape(-1, V)", "ids[:, 1:].reshape(-1)"


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: one row; 2: a batch; 3: a batch, and what is true of the masked objective."""
    given = draw.given
    rows = 1 if level == 1 else 2 + draw.below(7)
    given["B"] = rows
    length = draw.between("T", 6, 24)
    masked = draw.between("M", 2, rows * length // 3)
    if level == 3:
        given["statements"] = draw.shuffled(STATEMENTS)
    if len({rows, length, masked}) < 3:
        return None
    return ("bert", "gpt", "statements") if level == 3 else ("bert", "gpt")


def check_batch(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless such a batch exists and is small enough to be run (rule R4)."""
    for name in "BTM":
        if name in given and (type(given[name]) is not int or given[name] < 1):
            raise ValueError(f"{name} must be a whole number from 1.")
    if "statements" in given:
        _check_statements(given["statements"])
    if missing := [name for name in "BTM" if name not in given]:
        raise ValueError(f"{missing[0]} is missing from given: B sequences of length T, with M masked in all.")
    B, T, M = given["B"], given["T"], given["M"]
    if T < 2:
        raise ValueError("T = 1 leaves nothing to predict: no token after the end of a row is available.")
    if M > B * T:
        raise ValueError(f"M = {M} masked positions do not fit into B*T = {B * T}.")
    if B * T > _MOST_POSITIONS or B * T * T > _MOST_PAIRS:
        raise ValueError(f"a batch of {B} x {T} is too large to be run here: take a smaller B or T.")


def _check_statements(statements: Any) -> None:
    known = isinstance(statements, list) and all(isinstance(word, str) and word in STATEMENTS for word in statements)
    if not known or len(set(statements)) != len(statements) or len(statements) < 2:
        raise ValueError(f"statements must list two or more of {', '.join(STATEMENTS)}, each once.")


def runs(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Run the batch once through a model of the smallest sizes; a caller's own D, V and H are not needed."""
    return [{"B": given["B"], "T": given["T"], "M": given["M"], **_RUN_SIZES}]


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the digits of each operand; the asked parts are added to it."""
    return tuple(len(str(given[name])) for name in "BTM")


def _holding(given: Mapping[str, Any]) -> MultiAnswer:
    options = given["statements"]
    return MultiAnswer(_HOLD.intersection(options), options)


def _instead(new: str, old: str) -> Callable[[Mapping[str, Any]], MultiAnswer | None]:
    """Return the rule that takes one statement for another; without either of them it has no value."""

    def value(given: Mapping[str, Any]) -> MultiAnswer | None:
        options = given["statements"]
        if new not in options or old not in options:
            return None
        return MultiAnswer(_HOLD.intersection(options) - {old} | {new}, options)

    return value


def _other_objective(given: Mapping[str, Any]) -> MultiAnswer | None:
    words = {"future_hidden", "all_but_last"}
    return MultiAnswer(words, given["statements"]) if words <= set(given["statements"]) else None


def _original_kept(given: Mapping[str, Any]) -> MultiAnswer | None:
    options = given["statements"]
    return MultiAnswer(_HOLD.intersection(options) - {"replaced"}, options) if "replaced" in options else None


_REASON = "the words describe the objective; a count of scored predictions cannot tell them apart"


def _said(slip: str, value: Callable[[Mapping[str, Any]], MultiAnswer | None], example: str) -> Rule:
    reason = "no line of PyTorch gives a statement"
    return Rule(slip, value, None, reason=reason, example=({"statements": list(STATEMENTS)}, example))


FAMILY = Family(
    id="OB-COMPARE",
    slug="gap_or_next",
    title="Gap or next?",
    topic="objectives",
    core=True,
    version=1,
    world="model",
    levels={1: "one row", 2: "a batch", 3: "a batch, and what is true of the objective"},
    draw=draw,
    asks=(
        Ask(
            "bert",
            Int(M),
            "logits[mask].shape[0]",
            (
                Rule("every_position", Int(B * T), "ids.numel()"),
                Rule("next_token", Int(B * (T - 1)), "ids[:, 1:].numel()"),
            ),
            unit=("predictions", "positions", "tokens"),
            # A sum over a mean is the number of terms, whatever the losses are.
            also=('(CE(sel, tgt, reduction="sum") / CE(sel, tgt)).round().long()',),
            guessable="its key stands in the question: the part asks which of the numbers there are scored",
        ),
        Ask(
            "gpt",
            Int(B * (T - 1)),
            f"{_SCORES}.shape[0]",
            (
                Rule("every_position", Int(B * T), "ids.numel()"),
                Rule(
                    "minus_one_total",
                    Int(B * T - 1),
                    "ids.reshape(-1)[1:].numel()",
                    when=lambda given: given["B"] > 1,  # right for one row
                ),
                Rule("last_only", Int(B), "ids[:, -1].numel()"),
                Rule("masked_only", Int(M), "mask.sum()"),
            ),
            unit=("predictions", "positions", "tokens"),
            also=(f'(CE({_SCORES}, {_NEXT}, reduction="sum") / CE({_SCORES}, {_NEXT})).round().long()',),
        ),
        Ask(
            "statements",
            _holding,
            None,
            (
                _said("other_objective", _other_objective, "future_hidden, all_but_last"),
                _said("future_hidden", _instead("future_hidden", "both_sides"), "future_hidden, replaced, chosen_only"),
                _said("all_but_last", _instead("all_but_last", "chosen_only"), "replaced, all_but_last, both_sides"),
                _said("original_kept", _original_kept, "chosen_only, both_sides"),
            ),
            needs=("statements",),
            reason=_REASON,
            context=lambda given: {"options": tuple(given["statements"])},
        ),
    ),
    given_names=("B", "T", "M", "statements"),
    check_given=check_batch,
    runs=runs,
    iso=iso,
)
