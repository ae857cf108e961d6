# ruff: noqa: N803, N806  sizes are named by their letters
"""Shapes for all sizes by torch.export, held against the formulas and against runs."""

import pytest

from grader.equal import same
from grader.expr import Expr
from grader.letters import B, M, T
from grader.runner.service import TraceFailed

pytestmark = pytest.mark.torch


def wanted(D, V, H, L, C):
    """Return the lines of the shape families with their axes."""
    return {
        "ids": (B, T),
        "x": (B, T, D),
        "encoded": (B, T, D),
        "logits.shape": (B, T, V),
        "logits[mask]": (M, V),
        "ids[mask]": (M,),
        "CE(logits[mask], ids[mask])": (),
        "CE(sel, tgt)[None]": (1,),
        'CE(sel, tgt, reduction="none")': (M,),
        "F.one_hot(ids, V)": (B, T, V),
        "torch.cat([tok(ids), pos(at).expand(B, T, D)], -1)": (B, T, 2 * D),
        "model(F.pad(ids, (0, L - T)))": (B, L, V),
        "encoded[..., None] * head.weight.T": (B, T, D, V),
        "logits[:, cols]": (B, M, V),
        "logits[:, cols].flatten(0, 1)": (B * M, V),
        "logits[rows]": (M, T, V),
        "logits.reshape(-1, V)": (B * T, V),
        "ids.reshape(-1)": (B * T,),
        "F.one_hot(ids.reshape(-1), V)": (B * T, V),
        "encoded[:, 0]": (B, D),
        "encoded[0]": (T, D),
        "pooled": (B, D),
        "head_c(encoded.mean(1))": (B, C),
        "class_logits": (B, C),
        "y": (B,),
        "CE(class_logits, y)": (),
        "class_logits.argmax(-1)": (B,),
        "head_c.weight": (C, D),
        "head_c.bias": (C,),
        "head_c(encoded[:, 0])": (B, C),
        "head_c(encoded)": (B, T, C),
        "head(pooled)": (B, V),
        "class_logits.T": (C, B),
        "head_c.weight.T": (D, C),
        "pooled[0]": (D,),
        "q": (B, H, T, D // H),
        "scores": (B, H, T, T),
        "F.linear(x, attn.in_proj_weight[:D])": (B, T, D),
        "attn(x, x, x)[1]": (B, T, T),
        "logits.transpose(1, 2)": (B, V, T),
        "torch.cat([ids, ids, ids[:, 1:]], 1)": (B, 3 * T - 1),
    }


@pytest.mark.parametrize("sizes", [(12, 50, 3, 64, 2), (40, 977, 5, 90, 7), (8, 6, 1, 512, 3)])
def test_every_shape_holds_for_all_sizes(runner, sizes):
    D, V, H, L, C = sizes
    lines = wanted(*sizes)
    traced = runner.trace({"D": D, "V": V, "H": H, "L": L, "C": C}, {line: line for line in lines})
    assert list(traced) == list(lines)
    for line, axes in lines.items():
        assert len(traced[line]) == len(axes), line
        for axis, formula in zip(traced[line], axes, strict=True):
            assert same(Expr.from_json(axis), Expr.from_json(formula) if isinstance(formula, int) else formula), line


def test_a_trace_and_a_run_agree(runner):
    lines = {line: line for line in wanted(12, 50, 3, 64, 2)}
    traced = runner.trace({"D": 12, "V": 50, "H": 3, "L": 64}, lines)
    for b, t, m in ((2, 5, 3), (5, 17, 60), (7, 4, 1)):
        given = {"B": b, "T": t, "D": 12, "V": 50, "H": 3, "L": 64, "M": m}
        seen = runner.observe("model", given, lines)
        for line, axes in traced.items():
            sizes = tuple(Expr.from_json(axis).at({"B": b, "T": t, "M": m}).number() for axis in axes)
            assert seen[line].shape == sizes, line


def test_what_stays_open_is_reported(runner):
    with pytest.raises(TraceFailed, match=r"masked_select\(.*: ValueError: the trace leaves a size open"):
        runner.trace({"D": 8, "V": 6}, {"a": "torch.masked_select(logits, mask[..., None])", "b": "logits"})


def test_a_line_for_one_length_only_is_named(runner):
    with pytest.raises(TraceFailed) as raised:
        runner.trace({"D": 8, "V": 6}, {"good": "logits", "bad": "ids + ids[:, :7]"})
    assert "ids + ids[:, :7]: " in str(raised.value)
    assert "logits" not in str(raised.value)


@pytest.mark.parametrize("line", ["logits[mask].shape[0]", "nope", "ids.__class__", "ids; ids", "attn(x, x, x)"])
def test_a_line_without_a_tensor_is_named(runner, line):
    with pytest.raises(TraceFailed) as raised:
        runner.trace({"D": 8, "V": 6}, {"a": line})
    assert str(raised.value).startswith(f"{line}: ")


def test_constants_are_checked(runner):
    for constants in ({"V": 6}, {"D": 0, "V": 6}, {"D": 8, "V": 6, "B": 3}):
        with pytest.raises(ValueError, match=r"whole number|no constant B"):
            runner.trace(constants, {"a": "ids"})
