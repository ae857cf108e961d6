"""SH-TRYIT: carry a batch through selection to the scalar loss. The lesson's own "Try it"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Shape
from grader.letters import B, D, M, T, V
from question_bank.families._shapes import (
    ENC_RULES,
    LOGITS_RULES,
    LOSS_GUESSABLE,
    LOSS_RULES,
    MAX_LENGTH,
    SEL_RULES,
    TGT_RULES,
    TRACE_SIZES,
    check_model,
    draw_sizes,
    keep,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.draw import Draw

PARTS = ("enc", "logits", "sel", "tgt", "loss")


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1 asks the lesson's three shapes; 2 all five; 3 shows the counts per sequence in place of M, and L."""
    given = draw.given
    if level < 3:
        draw_sizes(draw)
        total = draw.between("M", 2, given["B"] * given["T"] // 3)
        shown = "BTDVM"
    else:
        draw_sizes(draw, max_b=6)
        rows = given["k"] = [1 + draw.below(given["T"] // 3) for _ in range(given["B"])]
        if len(set(rows)) == 1:
            return None
        total = sum(rows)
        shown = "BTDVLk"
    if not keep(given, shown):
        return None
    sizes = [given[name] for name in shown if name not in "kM"]
    if total in sizes or total == given["B"] * given["T"]:
        return None
    return PARTS[:3] if level == 1 else PARTS


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the form of the count (total or per sequence) and the digits of each operand."""
    return ("k" in given, *(len(str(given[name])) for name in "BTDV"))


FAMILY = Family(
    id="SH-TRYIT",
    slug="batch_to_loss",
    title="From batch to loss",
    topic="shapes",
    core=True,
    version=1,
    world="model",
    levels={
        1: "encoder output, scores, selected scores",
        2: "on to targets and loss",
        3: "counts per sequence, with a distractor",
    },
    draw=draw,
    asks=(
        Ask(
            "enc",
            Shape(B, T, D),
            "encoded",
            (*ENC_RULES, Rule("selected_features", Shape(M, D), "encoded[mask]")),
            traced=True,
        ),
        Ask("logits", Shape(B, T, V), "logits", (*LOGITS_RULES, MAX_LENGTH), traced=True),
        Ask("sel", Shape(M, V), "logits[mask]", SEL_RULES, traced=True),
        Ask("tgt", Shape(M), "ids[mask]", TGT_RULES, traced=True),
        Ask(
            "loss",
            Shape(),
            "CE(logits[mask], ids[mask])",
            LOSS_RULES,
            needs=("M",),
            traced=True,
            guessable=LOSS_GUESSABLE,
        ),
    ),
    given_names=("B", "T", "D", "V", "M", "L", "k", "H", "F", "N"),
    check_given=check_model,
    iso=iso,
    trace_sizes=TRACE_SIZES,
)
