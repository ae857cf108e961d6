"""LB-READ: which positions labels score, how many, where, and how many rows of scores that selects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Int, Seq, Shape
from grader.expr import Letter
from grader.letters import B, M, T, V
from question_bank.families._tokens import (
    IGNORE,
    check_ids,
    check_ignore,
    check_rows,
    check_typed,
    ignore_of,
    rows_of,
    spell,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.draw import Draw
    from grader.answers import Answer

PARTS = ("scored", "ignored", "sel", "where")
# Ignore values that programs use besides PyTorch's own; none of them can be an id.
_CUSTOM = (-1, -9, -99, -999)

# Scored positions whose label is 0.
ZEROS = Letter("zeros")


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: one row; 2: two rows, with a label 0; 3: the same with an ignore value of its own."""
    given = draw.given
    rows = 1 if level == 1 else 2
    length = 8 + draw.below(4) if level == 1 else 5 + draw.below(2)
    vocabulary = draw.between("V", 20, 99)
    if level == 3:
        given["ignore"] = draw.pick(_CUSTOM)
    ignore = ignore_of(given)
    counts = [4 + draw.below(3)] if level == 1 else [1 + draw.below(length - 1) for _ in range(rows)]
    places = [draw.sample(range(length), count) for count in counts]
    total = sum(counts)
    if not 4 <= total <= 8 or len(set(counts)) < rows or len({rows, length, vocabulary, total}) < 4:
        return None
    labels = [[ignore] * length for _ in range(rows)]
    for row, scored in zip(labels, places, strict=True):
        for place in scored:
            row[place] = 1 + draw.below(vocabulary - 1)
    if level > 1:
        at = draw.below(rows)
        labels[at][draw.pick(places[at])] = 0
    given["labels"] = labels
    return PARTS


def check_read(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless the labels are those of a batch with something to score (rule R4)."""
    if "labels" not in given:
        raise ValueError("labels is needed: a row of labels, or a list of rows.")
    rows = check_rows(given, "labels")
    ignore = check_ignore(given)
    scored = [label for row in rows for label in row if label != ignore]
    if not scored:
        raise ValueError(f"at least one label must differ from the ignore value {ignore}: nothing would be scored.")
    check_ids(given, len(rows) * len(rows[0]), {"labels": scored})
    check_typed("where", places(given, scored=True).display())


def sizes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return rows, positions, scored positions, those of them with label 0, and the vocabulary if it is given."""
    rows, ignore = rows_of(given["labels"]), ignore_of(given)
    scored = [label for row in rows for label in row if label != ignore]
    found = {"B": len(rows), "T": len(rows[0]), "M": len(scored), "zeros": scored.count(0)}
    return found | ({"V": given["V"]} if "V" in given else {})


def places(given: Mapping[str, Any], *, scored: bool, moved: int = 0) -> Seq:
    """Return the scored positions, or the ignored ones, as pairs (row, position), moved on where counting is."""
    ignore = ignore_of(given)
    return Seq(
        *(
            (row + moved, at + moved)
            for row, labels in enumerate(rows_of(given["labels"]))
            for at, label in enumerate(labels)
            if (label != ignore) is scored
        )
    )


def runs(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what is run: always rows, since each place is a row and a position."""
    run: dict[str, Any] = {"labels": rows_of(given["labels"])}
    return [run | {name: given[name] for name in ("V", "ignore") if name in given}]


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return rows and length, scored positions, whether a label is 0, the ignore value's form, digits of V."""
    found = sizes(given)
    own = ignore_of(given) != IGNORE
    return (found["B"], found["T"], found["M"], found["zeros"] > 0, own, len(str(given.get("V", ""))))


def _key_places(given: Mapping[str, Any]) -> Answer:
    return places(given, scored=True)


def _one_based(given: Mapping[str, Any]) -> Answer:
    return places(given, scored=True, moved=1)


def _ignored_places(given: Mapping[str, Any]) -> Answer | None:
    found = places(given, scored=False)
    return found if found.items else None


def _has_zero(given: Mapping[str, Any]) -> bool:
    return bool(sizes(given)["zeros"])


def _context(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"rows": len(rows_of(given["labels"]))}


_LOSS = "CE(flat, labels.reshape(-1), ignore_index=-100"
_COUNTED = ("positions", "labels", "entries", "tokens")

FAMILY = Family(
    id="LB-READ",
    slug="read_labels",
    title="What is scored?",
    topic="labels",
    core=True,
    version=1,
    world="tokens",
    levels={1: "one row", 2: "two rows, with a label 0", 3: "an ignore value of its own"},
    draw=draw,
    asks=(
        Ask(
            "scored",
            Int(M),
            "(labels != -100).sum()",
            (
                Rule("ignored_counted", Int(B * T - M), "(~scored).sum()"),
                Rule("label_zero_is_padding", Int(M - ZEROS), "(scored & (labels != 0)).sum()", when=_has_zero),
                Rule("all", Int(B * T), "labels.numel()"),
            ),
            unit=(*_COUNTED, "scored", "scored positions"),
            # The sum of the losses holds each scored position once, and the mean divides by their number.
            also=(f"({_LOSS}, reduction='sum') / {_LOSS})).round()",),
        ),
        Ask(
            "ignored",
            Int(B * T - M),
            "(labels == -100).sum()",
            (
                Rule("scored_counted", Int(M), "scored.sum()"),
                Rule(
                    "label_zero_is_padding", Int(B * T - M + ZEROS), "(~scored + (labels == 0)).sum()", when=_has_zero
                ),
            ),
            unit=(*_COUNTED, "ignored", "ignored positions"),
            also=("(~scored).sum()",),
        ),
        Ask(
            "sel",
            Shape(M, V),
            "logits[labels != -100]",
            (
                Rule("batch_kept", Shape(B, M, V), "logits[:, scored.nonzero()[:, 1]]"),
                Rule("all_positions", Shape(B * T, V), "logits.reshape(-1, V)"),
            ),
        ),
        Ask(
            "where",
            _key_places,
            "(labels != -100).nonzero()",
            (
                Rule("one_based", _one_based, "scored.nonzero() + 1"),
                Rule("ignored_listed", _ignored_places, "(~scored).nonzero()"),
            ),
            also=("scored.nonzero()",),
            context=_context,
        ),
    ),
    given_names=("labels", "V", "ignore"),
    sizes=sizes,
    check_given=check_read,
    runs=runs,
    iso=iso,
    spell=spell,
)
