"""CL-SHAPES: the shapes of a classification head on pooled vectors, and of its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Shape
from grader.letters import B, C, D, T, V
from question_bank.families._shapes import LOSS_GUESSABLE, TRACE_SIZES, check_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.draw import Draw

_PARTS = {1: ("logits",), 2: ("labels", "loss"), 3: ("pooled", "logits", "predictions", "weight", "bias")}


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: class scores; 2: labels and loss; 3: from the encoder output on to the head's own weights."""
    for name, least, most in (("B", 2, 16), ("T", 4, 40), ("D", 8, 64), ("C", 2, 10), ("V", 20, 1000)):
        draw.between(name, least, most)
    return _PARTS[level] if len(set(draw.given.values())) == len(draw.given) else None


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the digits of each operand; the asked parts are added to it."""
    return tuple(len(str(given[name])) for name in "BTDCV" if name in given)


def _ask(
    part: str, key: Shape, line: str, rules: tuple[Rule, ...], *, also: tuple[str, ...] = (), guessable: str = ""
) -> Ask:
    """Return a part about classes; all are traced. Without C there is no head, so only pooled vectors can be asked."""
    needs = () if part == "pooled" else ("C",)
    return Ask(part, key, line, rules, needs=needs, traced=True, also=also, guessable=guessable)


FAMILY = Family(
    id="CL-SHAPES",
    slug="classifier_shapes",
    title="A head on pooled vectors",
    topic="classification",
    core=True,
    version=1,
    world="model",
    levels={
        1: "class scores, with a distractor",
        2: "labels and loss",
        3: "from the encoder output to the head's weights",
    },
    draw=draw,
    asks=(
        _ask(
            "pooled",
            Shape(B, D),
            "pooled",
            (
                Rule("axis_kept", Shape(B, 1, D), "encoded[:, :1]"),
                Rule("time", Shape(B, T), "encoded.mean(-1)"),
                Rule("not_pooled", Shape(B, T, D), "encoded"),
            ),
            also=("encoded[:, 0]",),
        ),
        _ask(
            "logits",
            Shape(B, C),
            "class_logits",
            (
                Rule("per_token", Shape(B, T, C), "head_c(encoded)"),
                Rule("vocab", Shape(B, V), "head(pooled)"),
                Rule("width", Shape(B, D), "pooled"),
                Rule("transposed", Shape(C, B), "class_logits.T"),
            ),
            also=("head_c(encoded[:, 0])",),
        ),
        _ask(
            "labels",
            Shape(B),
            "y",
            (
                Rule("one_hot", Shape(B, C), "F.one_hot(y, C)"),
                Rule("column", Shape(B, 1), "y[:, None]"),
            ),
        ),
        _ask(
            "loss",
            Shape(),
            "CE(class_logits, y)",
            (
                Rule("per_example", Shape(B), 'CE(class_logits, y, reduction="none")'),
                Rule("one_element_vector", Shape(1), "CE(class_logits, y)[None]"),
            ),
            guessable=LOSS_GUESSABLE,
        ),
        _ask(
            "predictions",
            Shape(B),
            "class_logits.argmax(-1)",
            (
                Rule("scores_kept", Shape(B, C), "class_logits"),
                Rule("axis_kept", Shape(B, 1), "class_logits.argmax(-1, keepdim=True)"),
            ),
            guessable="as a choice, all that its slips give is written longer than the key",
        ),
        _ask(
            "weight",
            Shape(C, D),
            "head_c.weight",
            (
                Rule("in_by_out", Shape(D, C), "head_c.weight.T"),
                Rule("batch", Shape(B, C), "class_logits"),
            ),
        ),
        _ask("bias", Shape(C), "head_c.bias", (Rule("width", Shape(D), "pooled[0]"),)),
    ),
    given_names=("B", "T", "D", "C", "V", "L", "H", "F", "N"),
    check_given=check_model,
    iso=iso,
    trace_sizes=TRACE_SIZES,
)
