"""What the shape families share: the sizes they draw and the wrong rules that occur in more than one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.family import Rule
from grader.answers import Shape
from grader.letters import B, D, L, M, T, V

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generator.draw import Draw

# Sizes at which the model is traced symbolically: D, V and H are constants of a trace, so three further sizes.
TRACE_SIZES = (
    {"D": 24, "V": 60, "H": 3, "C": 5, "L": 512},
    {"D": 40, "V": 321, "H": 5, "C": 7, "L": 512},
    {"D": 14, "V": 1000, "H": 2, "C": 9, "L": 512},
)


def draw_sizes(draw: Draw, *, max_b: int = 16) -> None:
    """Draw B, T, H, D, V, L, N and F in the ranges of SH-CHAIN."""
    draw.between("B", 2, max_b)
    length = draw.between("T", 4, 40)
    heads = draw.between("H", 1, 8)
    width = draw.given["D"] = heads * (2 + draw.below(7))
    draw.between("V", 20, 1000)
    draw.between("L", length + 1, length + 20)
    draw.between("N", 2, 4)
    draw.given["F"] = width * (2 + draw.below(3))


def keep(given: dict[str, Any], names: Iterable[str]) -> bool:
    """Keep only what the question shows; False when two of the shown sizes are equal (rule R1: draw again)."""
    shown = tuple(names)
    for name in set(given) - set(shown):
        del given[name]
    sizes = [given[name] for name in shown if isinstance(given[name], int)]
    return len(set(sizes)) == len(sizes)


def check_model(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless a model of these sizes can be built (rule R4)."""
    for name in "BTDVLHFNCM":
        if name in given and (type(given[name]) is not int or not 1 <= given[name] <= 10**9):
            raise ValueError(f"{name} must be a whole number from 1 to 1,000,000,000.")
    for name in "BTDV":
        if name not in given:
            raise ValueError(f"{name} is missing from given: a model needs B, T, D and V.")
    if given["D"] % given.get("H", 1):
        raise ValueError(f"D = {given['D']} is not a multiple of H = {given['H']}, so no such attention can be built.")
    if given["T"] > given.get("L", given["T"]):
        raise ValueError(f"T = {given['T']} is longer than the position table, L = {given['L']}.")
    check_masked(given)


def check_masked(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless the masked positions (M in all, or k in each sequence) fit into the batch."""
    if "k" in given:
        check_rows(given)
        if given.get("M", sum(given["k"])) != sum(given["k"]):
            raise ValueError(f"M = {given['M']} is not the sum of k, {sum(given['k'])}.")
    if given.get("M", 1) > given["B"] * given["T"]:
        raise ValueError(f"M = {given['M']} masked positions do not fit into B*T = {given['B'] * given['T']}.")


def check_rows(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless k lists the masked positions of each of B sequences of length T, one at least in all."""
    rows = given["k"]
    if not isinstance(rows, list) or len(rows) != given["B"] or any(type(count) is not int for count in rows):
        raise ValueError(f"k must list the masked positions of each of the B = {given['B']} sequences.")
    if any(not 0 <= count <= given["T"] for count in rows) or sum(rows) < 1:
        raise ValueError(f"k counts masked positions: 0 to T = {given['T']} in a sequence, at least one in all.")


IDS_RULES = (Rule("one_hot", Shape(B, T, V), "F.one_hot(ids, V)"),)

EMB_RULES = (
    Rule("concat_not_add", Shape(B, T, 2 * D), "torch.cat([tok(ids), pos(at).expand(B, T, D)], -1)"),
    Rule("time_axis_dropped", Shape(B, D), "x.mean(1)"),
)

ENC_RULES = (
    Rule("time_axis_dropped", Shape(B, D), "encoded.mean(1)"),
    Rule("encoder_outputs_vocab", Shape(B, T, V), "head(encoded)"),
    Rule("seq_first", Shape(T, B, D), "encoded.transpose(0, 1)"),
)

LOGITS_RULES = (
    Rule("one_score_per_seq", Shape(B, V), "head(encoded.mean(1))"),
    Rule("width_kept", Shape(B, T, D), "encoded"),
    Rule("head_adds_axis", Shape(B, T, D, V), "encoded[..., None] * head.weight.T"),
)

MAX_LENGTH = Rule("max_length", Shape(B, L, V), "model(F.pad(ids, (0, L - T)))", needs=("L",), once=True)

SEL_RULES = (
    Rule("keeps_batch", Shape(B, M, V), "logits[:, cols]"),
    Rule("features", Shape(M, D), "encoded[mask]"),
    # Where the counts stand per sequence, the question itself says what M is not.
    Rule("per_sequence_m", Shape(B * M, V), "logits[:, cols].flatten(0, 1)", needs=("M",)),
    Rule("all_positions", Shape(B * T, V), "logits.reshape(-1, V)"),
    Rule("transposed", Shape(V, M), "logits[mask].T"),
    Rule("argmaxed", Shape(M), "logits[mask].argmax(-1)"),
    Rule("keeps_time", Shape(M, T, V), "logits[rows]"),
)

TGT_RULES = (
    Rule("one_hot", Shape(M, V), "F.one_hot(ids[mask], V)"),
    Rule("column", Shape(M, 1), "ids[mask][:, None]"),
    Rule("all", Shape(B, T), "ids"),
)

# Why `loss` is easily picked from options: whatever else is offered is longer.
LOSS_GUESSABLE = "as a choice, no other shape is written as short as ()"
LOSS_RULES = (
    Rule("one_element_vector", Shape(1), "CE(sel, tgt)[None]"),
    Rule("per_token", Shape(M), 'CE(sel, tgt, reduction="none")'),
)
