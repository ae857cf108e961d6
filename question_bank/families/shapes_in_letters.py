"""SH-SYMBOL: write the shape of a tensor in letters. No numbers are drawn, so there are few variants by nature."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Shape, ShapeSym
from grader.letters import B, C, D, H, M, T, V
from question_bank.families._shapes import (
    EMB_RULES,
    ENC_RULES,
    IDS_RULES,
    LOGITS_RULES,
    LOSS_GUESSABLE,
    LOSS_RULES,
    SEL_RULES,
    TGT_RULES,
    TRACE_SIZES,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generator.draw import Draw

LETTERS = {1: ("B", "T", "D", "V"), 2: ("B", "T", "D", "V", "M", "C"), 3: ("B", "T", "D", "V", "M", "C", "H")}
_STAGES = ("ids", "x", "encoded", "logits")
_RESHAPED = ("flat", "flat_labels", "first", "class_second")
_SELECTED = ("selected", "targets", "loss")
_CLASSES = ("pooled", "class_logits")
_HEADS = ("queries", "scores")

# Two legal assignments of sizes to the letters: the key is run at both.
RUNS = (
    {"B": 3, "T": 7, "D": 20, "V": 31, "M": 5, "C": 6, "H": 4},
    {"B": 5, "T": 9, "D": 42, "V": 65, "M": 8, "C": 10, "H": 6},
)


def in_letters(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return rules of the families in numbers as rules in letters."""
    return tuple(replace(rule, value=ShapeSym(*rule.value.axes)) for rule in rules if isinstance(rule.value, Shape))


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: a stage and a reshape; 2: two selections and a class shape; 3: the heads and one part of level 2."""
    draw.given["letters"] = list(LETTERS[level])
    if level == 1:
        return draw.pick(_STAGES), draw.pick(_RESHAPED)
    if level == 2:
        return (*draw.sample(_SELECTED, 2), draw.pick(_CLASSES))
    return (*_HEADS, draw.pick((*_SELECTED, *_CLASSES)))


def check_letters(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless `letters` names letters this family knows."""
    letters = given.get("letters")
    if not isinstance(letters, list) or not letters or any(letter not in LETTERS[3] for letter in letters):
        raise ValueError(f"letters must list some of {', '.join(LETTERS[3])}.")
    if not set("BTDV") <= set(letters):
        raise ValueError("letters must hold at least B, T, D and V: no model can be run without them.")


def sizes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the letters in play; their sizes stay letters."""
    return dict.fromkeys(given.get("letters", ()), 1)


def runs(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the two assignments for the letters in play; no letter beyond them."""
    return [{letter: run[letter] for letter in LETTERS[3] if letter in given["letters"]} for run in RUNS]


def ask(
    part: str, key: ShapeSym, line: str, rules: tuple[Rule, ...], needs: tuple[str, ...] = (), guessable: str = ""
) -> Ask:
    """Return a part whose key holds for every size: it is run at two and traced for all."""
    return Ask(part, key, line, rules, needs=needs, traced=True, guessable=guessable)


FAMILY = Family(
    id="SH-SYMBOL",
    slug="shapes_in_letters",
    title="Shapes in letters",
    topic="shapes",
    core=True,
    version=1,
    world="model",
    levels={1: "stages of the model and reshapes", 2: "selection and classes", 3: "attention heads"},
    draw=draw,
    asks=(
        ask("ids", ShapeSym(B, T), "ids", in_letters(IDS_RULES)),
        ask("x", ShapeSym(B, T, D), "x", in_letters(EMB_RULES)),
        ask("encoded", ShapeSym(B, T, D), "encoded", in_letters(ENC_RULES)),
        ask("logits", ShapeSym(B, T, V), "logits", in_letters(LOGITS_RULES)),
        ask(
            "flat",
            ShapeSym(B * T, V),
            "logits.reshape(-1, V)",
            (
                Rule(
                    "sum_not_product",
                    ShapeSym(B + T, V),
                    None,
                    reason="no natural line adds the two sizes",
                    example=({"B": 8, "T": 20, "V": 1000}, "(28, 1000)"),
                ),
                Rule("transposed", ShapeSym(V, B * T), "logits.reshape(-1, V).T"),
            ),
        ),
        ask(
            "flat_labels",
            ShapeSym(B * T),
            "ids.reshape(-1)",
            (
                Rule("not_flattened", ShapeSym(B, T), "ids"),
                Rule("one_hot", ShapeSym(B * T, V), "F.one_hot(ids.reshape(-1), V)"),
            ),
        ),
        ask("selected", ShapeSym(M, V), "logits[mask]", in_letters(r for r in SEL_RULES if r.id != "per_sequence_m")),
        ask("targets", ShapeSym(M), "ids[mask]", in_letters(TGT_RULES)),
        ask(
            "loss",
            ShapeSym(),
            "CE(logits[mask], ids[mask])",
            in_letters(LOSS_RULES),
            needs=("M",),
            guessable=LOSS_GUESSABLE,
        ),
        ask(
            "first",
            ShapeSym(B, D),
            "encoded[:, 0]",
            (
                Rule("axis_kept", ShapeSym(B, 1, D), "encoded[:, :1]"),
                Rule("first_sequence", ShapeSym(T, D), "encoded[0]"),
            ),
        ),
        ask(
            "pooled",
            ShapeSym(B, D),
            "encoded.mean(1)",
            (
                Rule("axis_kept", ShapeSym(B, 1, D), "encoded.mean(1, keepdim=True)"),
                Rule("not_pooled", ShapeSym(B, T, D), "encoded"),
            ),
            guessable="as a choice, all that its slips give is written longer than the key",
        ),
        ask(
            "class_logits",
            ShapeSym(B, C),
            "head_c(encoded[:, 0])",
            (
                Rule("per_token", ShapeSym(B, T, C), "head_c(encoded)"),
                Rule("width", ShapeSym(B, D), "encoded[:, 0]"),
                Rule("vocab", ShapeSym(B, V), "head(encoded[:, 0])"),
            ),
        ),
        ask(
            "queries",
            ShapeSym(B, H, T, D / H),
            "q",
            (
                Rule(
                    "full_width",
                    ShapeSym(B, H, T, D),
                    None,
                    reason="no natural line gives every head the full width",
                    example=({"B": 8, "T": 20, "D": 48, "H": 3}, "(8, 3, 20, 48)"),
                ),
                Rule("scores", ShapeSym(B, H, T, T), "q @ q.transpose(-1, -2)"),
                Rule("head_not_split", ShapeSym(B, T, D), "F.linear(x, attn.in_proj_weight[:D])"),
            ),
        ),
        ask(
            "scores",
            ShapeSym(B, H, T, T),
            "scores",
            (
                Rule("width", ShapeSym(B, H, T, D / H), "q"),
                Rule("no_head_axis", ShapeSym(B, T, T), "attn(x, x, x)[1]"),
            ),
        ),
        ask(
            "class_second",
            ShapeSym(B, V, T),
            "logits.transpose(1, 2)",
            (
                Rule("classes_last", ShapeSym(B, T, V), "logits"),
                Rule("flattened", ShapeSym(B * T, V), "logits.reshape(-1, V)"),
            ),
        ),
    ),
    given_names=("letters",),
    sizes=sizes,
    check_given=check_letters,
    runs=runs,
    iso=lambda given: tuple(given["letters"]),
    letters_shown=lambda given: tuple(given["letters"]),
    trace_sizes=TRACE_SIZES,
)
