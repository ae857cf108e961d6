"""SH-CHAIN: give the shape of the ids, the embeddings, the encoder output and the prediction scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family
from grader.answers import Shape
from grader.letters import B, D, T, V
from question_bank.families._shapes import (
    EMB_RULES,
    ENC_RULES,
    IDS_RULES,
    LOGITS_RULES,
    MAX_LENGTH,
    TRACE_SIZES,
    check_model,
    draw_sizes,
    keep,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.draw import Draw

PARTS = ("ids", "emb", "enc", "logits")
_SHOWN = {1: "BTDV", 2: "BTDVL", 3: "BTDVLHFN"}


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1 asks one drawn part; 2 all four with L shown; 3 adds F, N and H, which no key needs."""
    draw_sizes(draw)
    asked = (draw.pick(PARTS),) if level == 1 else PARTS
    return asked if keep(draw.given, _SHOWN[level]) else None


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Equal digits of each operand, and the same distractors shown."""
    return (*sorted(given), *(len(str(given[name])) for name in "BTDV"))


FAMILY = Family(
    id="SH-CHAIN",
    slug="shape_chain",
    title="Shape along the pipeline",
    topic="shapes",
    core=True,
    version=1,
    world="model",
    levels={1: "one drawn tensor", 2: "all four tensors, maximum length shown", 3: "all four, with distractors"},
    draw=draw,
    asks=(
        Ask("ids", Shape(B, T), "ids", IDS_RULES, traced=True),
        Ask("emb", Shape(B, T, D), "x", EMB_RULES, traced=True),
        Ask("enc", Shape(B, T, D), "encoded", ENC_RULES, traced=True),
        Ask("logits", Shape(B, T, V), "logits", (*LOGITS_RULES, MAX_LENGTH), traced=True),
    ),
    given_names=("B", "T", "D", "V", "L", "H", "F", "N"),
    check_given=check_model,
    iso=iso,
    trace_sizes=TRACE_SIZES,
)
