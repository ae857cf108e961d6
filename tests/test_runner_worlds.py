# ruff: noqa: N803  sizes are named by their letters
"""The worlds, looked at from inside: every line of the first five families, at many sizes, real and on meta."""

import warnings
from fractions import Fraction
from itertools import pairwise

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch

from grader.runner import model_world
from grader.runner import observe as observing
from grader.runner.fit import Sizes, built, fitted
from grader.runner.model_world import ModelWorld, Stages
from grader.runner.observe import observe

pytestmark = pytest.mark.torch


def shapes(B, T, D, V, M, L, H, C):
    """Return every key and witness line of SH-CHAIN, SH-TRYIT and SH-SYMBOL with the shape that it must have."""
    return {
        "ids": (B, T),
        "x": (B, T, D),
        "encoded": (B, T, D),
        "logits": (B, T, V),
        "logits[mask]": (M, V),
        "ids[mask]": (M,),
        "CE(logits[mask], ids[mask])": (),
        "F.one_hot(ids, V)": (B, T, V),
        "torch.cat([tok(ids), pos(at).expand(B, T, D)], -1)": (B, T, 2 * D),
        "x.mean(1)": (B, D),
        "encoded.mean(1)": (B, D),
        "head(encoded)": (B, T, V),
        "encoded.transpose(0, 1)": (T, B, D),
        "head(encoded.mean(1))": (B, V),
        "encoded[..., None] * head.weight.T": (B, T, D, V),
        "model(F.pad(ids, (0, L - T)))": (B, L, V),
        "encoded[mask]": (M, D),
        "logits[:, cols]": (B, M, V),
        "logits[:, cols].flatten(0, 1)": (B * M, V),
        "logits.reshape(-1, V)": (B * T, V),
        "logits[mask].T": (V, M),
        "logits[mask].argmax(-1)": (M,),
        "logits[rows]": (M, T, V),
        "logits[rows, cols]": (M, V),
        "F.one_hot(ids[mask], V)": (M, V),
        "ids[mask][:, None]": (M, 1),
        "CE(sel, tgt)[None]": (1,),
        'CE(sel, tgt, reduction="none")': (M,),
        "ids.reshape(-1)": (B * T,),
        "logits.reshape(-1, V).T": (V, B * T),
        "F.one_hot(ids.reshape(-1), V)": (B * T, V),
        "encoded[:, 0]": (B, D),
        "encoded[:, :1]": (B, 1, D),
        "encoded[0]": (T, D),
        "encoded.mean(1, keepdim=True)": (B, 1, D),
        "pooled": (B, D),
        "head_c(encoded.mean(1))": (B, C),
        "head_c(encoded)": (B, T, C),
        "head(encoded[:, 0])": (B, V),
        "q": (B, H, T, D // H),
        "scores": (B, H, T, T),
        "q @ q.transpose(-1, -2)": (B, H, T, T),
        "F.linear(x, attn.in_proj_weight[:D])": (B, T, D),
        "attn(x, x, x)[1]": (B, T, T),
        "logits.transpose(1, 2)": (B, V, T),
    }


SIZES = [
    (2, 4, 6, 20, 3, 5, 3, 7),
    (8, 20, 48, 1000, 12, 33, 1, 2),
    (3, 7, 12, 6, 5, 9, 4, 2),
    (16, 40, 64, 999, 213, 60, 8, 5),
    (1, 5, 12, 6, 1, 5, 3, 2),
]
LARGE = (8, 512, 768, 30522, 600, 600, 12, 3)


def look(B, T, D, V, M, L, H, C, **more):
    given = {"B": B, "T": T, "D": D, "V": V, "M": M, "L": L, "H": H, "C": C, **more}
    wanted = shapes(B, T, D, V, M, L, H, C)
    return wanted, observe("model", given, {text: text for text in wanted})


@pytest.mark.parametrize("sizes", SIZES)
def test_every_line_gives_its_shape(sizes):
    wanted, seen = look(*sizes, N=2)
    assert {text: (one.shape, one.error) for text, one in seen.items()} == {
        text: (shape, None) for text, shape in wanted.items()
    }
    assert seen["logits[mask]"].printed == f"torch.Size([{sizes[4]}, {sizes[3]}])"
    assert seen["logits"].device == "cpu"


@pytest.mark.parametrize("sizes", [*SIZES[:3], LARGE])
def test_the_meta_device_gives_the_same_shapes(sizes, monkeypatch):
    monkeypatch.setattr(model_world, "REAL_LOGITS", 0)
    wanted, seen = look(*sizes)
    assert {text: (one.shape, one.error, one.device) for text, one in seen.items()} == {
        text: (shape, None, "meta") for text, shape in wanted.items()
    }


def test_large_models_are_not_built():
    for large in ({"V": 2_000_000}, {"D": 4000}, {"T": 400_000, "D": 4}, {"L": 2_000_000}, {"N": 90, "D": 120}):
        given = {"B": 2, "T": 5, "D": 12, "V": 50, "M": 3, **large}
        assert observe("model", given, {"sel": "logits[mask]"})["sel"].shape == (3, given["V"])
        assert observe("model", given, {"sel": "logits[mask].shape"})["sel"].device == "meta"


@pytest.mark.parametrize("k", [[1, 3, 2], [0, 5, 0], [5, 5, 5]])
def test_masks_follow_the_counts_of_each_row(k):
    given = {"B": 3, "T": 5, "D": 4, "V": 11, "k": k}
    world = ModelWorld(given)
    assert world.names["mask"].sum(1).tolist() == k
    assert world.names["M"] == sum(k)
    assert observe("model", given, {"a": "logits[mask]"})["a"].shape == (sum(k), 11)
    assert observe("model", {**given, "M": sum(k)}, {"a": "logits[mask]"})["a"].error is None
    assert "adds up" in observe("model", {**given, "M": sum(k) + 1}, {"a": "logits[mask]"})["a"].error


def test_k_the_same_in_every_row_makes_an_index():
    given = {"B": 3, "T": 5, "D": 4, "V": 11, "K": 2}
    lines = {"idx": "idx", "gather": "logits[:, idx]", "m": "logits[mask]"}
    seen = observe("model", given, lines)
    assert [seen[name].shape for name in lines] == [(3, 2), (3, 3, 2, 11), (6, 11)]
    seen = observe("model", {**given, "V": 2_000_000}, lines)
    assert [seen[name].shape for name in lines] == [(3, 2), (3, 3, 2, 2_000_000), (6, 2_000_000)]


def test_hidden_tokens_are_replaced_and_labelled():
    world = ModelWorld({"B": 3, "T": 6, "D": 4, "V": 11, "M": 7})
    ids, inputs, labels, mask = (world.names[name] for name in ("ids", "inputs", "labels", "mask"))
    assert (ids < 10).all()
    assert (inputs[mask] == 10).all()
    assert torch.equal(inputs[~mask], ids[~mask])
    assert torch.equal(labels[mask], ids[mask])
    assert (labels[~mask] == -100).all()


def test_the_same_given_makes_the_same_world():
    given = {"B": 3, "T": 6, "D": 4, "V": 11, "M": 7}
    first, second = ModelWorld(given), ModelWorld(given)
    assert torch.equal(first.names["logits"], second.names["logits"])
    assert torch.equal(first.names["mask"], second.names["mask"])


def test_stages_come_from_hooks_and_are_the_models_own():
    model = built(Sizes(11, 9, 8, 2, 16, 2))
    stages = Stages(model)
    ids = torch.randint(0, 11, (3, 7))
    seen = stages.run(ids)
    assert torch.equal(seen["logits"], model(ids))
    assert torch.equal(seen["x"], model.token_embedding(ids) + model.position_embedding(torch.arange(7)))
    assert torch.equal(model.language_head(seen["encoded"]), seen["logits"])
    assert stages.seen is None


def test_the_loss_runs_backward_once():
    world = ModelWorld({"B": 3, "T": 6, "D": 4, "V": 11, "M": 7})
    with torch.enable_grad():
        loss = torch.nn.functional.cross_entropy(world.names["sel"], world.names["tgt"])
    world.loss_backward(loss)
    assert world.backward_done
    world.loss_backward(loss)  # a second time would raise: the graph is gone
    assert world.stages.model.position_embedding.weight.grad is None


def test_a_loss_without_a_way_back_is_an_error():
    given = {"B": 3, "T": 6, "D": 4, "V": 11, "M": 7}
    seen = observe("model", given, {"cut": "CE(logits.detach()[mask], ids[mask])"})
    assert seen["cut"].error.startswith("RuntimeError: element 0 of tensors does not require grad")


@pytest.mark.parametrize("sizes", [Sizes(50, 9, 12, 3, 24, 2), Sizes(7, 5, 8, 2, 5, 1), Sizes(1000, 20, 48, 4, 96, 3)])
def test_a_fitted_copy_is_a_model_of_these_sizes(sizes):
    copy, real = fitted(sizes), built(sizes)
    assert sizes.parameters == sum(parameter.numel() for parameter in real.parameters())
    for (name, mine), (other, theirs) in zip(copy.named_modules(), real.named_modules(), strict=True):
        assert (name, type(mine)) == (other, type(theirs))
        assert mine.__dict__.keys() == theirs.__dict__.keys()
        for field, value in mine.__dict__.items():
            if field in {"_parameters", "_modules"}:
                continue
            if not field.endswith("_hooks"):
                assert value == theirs.__dict__[field], (name, field)
        assert {key: (p.shape, p.requires_grad) for key, p in mine._parameters.items() if p is not None} == {
            key: (p.shape, p.requires_grad) for key, p in theirs._parameters.items() if p is not None
        }
    places = sorted((p.storage_offset(), p.numel()) for p in copy.parameters())
    assert all(at + count <= after for (at, count), (after, _) in pairwise(places))
    ids = torch.randint(0, sizes.V, (2, sizes.L))
    real.load_state_dict(copy.state_dict())
    assert torch.equal(copy(ids), real(ids))


def test_copies_do_not_share_hooks_or_parts():
    first, second = fitted(Sizes(50, 9, 12, 3, 24, 2)), fitted(Sizes(51, 9, 12, 3, 24, 2))
    assert not {id(module) for module in first.modules()} & {id(module) for module in second.modules()}
    before = len(second.encoder._forward_hooks)
    first.encoder.register_forward_hook(lambda *_: None).remove()
    assert first.encoder._forward_hooks is not second.encoder._forward_hooks
    assert len(second.encoder._forward_hooks) == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"D": 6, "H": 4}, "AssertionError: embed_dim must be divisible by num_heads"),
        ({"M": 99}, "ValueError: M is 99, but the batch has only 15 positions"),
        ({"L": 4}, "IndexError: index out of range in self"),
        ({"N": 10**6}, "ValueError: a model of 1000000 layers is too deep"),
        ({"B": 0}, "ValueError: B must be a whole number from 1 on, not 0"),
        ({"V": "7"}, "ValueError: V must be a whole number from 1 on, not '7'"),
        ({"T": True}, "ValueError: T must be"),
        ({"D": 2**40}, "ValueError: D must be"),
        ({"k": [1, 2]}, "ValueError: k must hold 3 numbers"),
        ({"k": [1, 2, 9]}, "ValueError: a row of 5 positions cannot have 9 masked"),
    ],
)
def test_a_world_that_cannot_be_made_is_an_observation(given, message):
    seen = observe("model", {"B": 3, "T": 5, "D": 6, "V": 11, **given}, {"a": "logits", "b": "ids"})
    assert seen["a"].error.startswith(message)
    assert seen["a"] == seen["b"]


def test_errors_of_one_line_leave_the_others():
    given = {"B": 3, "T": 5, "D": 6, "V": 11}
    lines = {"a": "logits[mask]", "b": "CE(logits, ids)", "c": "attn(x, x, x)", "d": "logits", "e": "logits.view(4)"}
    seen = observe("model", given, lines)
    assert seen["a"].error == "NameError: mask needs M or k among the given"
    assert seen["b"].error == "RuntimeError: Expected target size [3, 11], got [3, 5]"
    assert seen["c"].error == "TypeError: the line gives a tuple, neither a tensor nor a number"
    assert seen["d"].error is None
    assert seen["e"].error.startswith("RuntimeError: shape '[4]' is invalid")
    assert seen["e"].shape is None


COUNTS = {
    "mask.sum()": 6,
    "(~mask).sum()": 12,
    "mask.double().mean()": Fraction(1, 3),
    "logits[mask].shape[0]": 6,
    "mask.sum(1).max()": 3,
    "mask[0].sum() * B": 3,
    "mask.sum(1).double().mean()": 2,
    "mask.sum() * B": 18,
    "mask[0].sum()": 1,
    "T - mask.sum()": 0,
    "mask.sum() / T": 1,
    "mask.sum() / V": Fraction(6, 700),
    "mask.sum() / (~mask).sum()": Fraction(1, 2),
    "(~mask).double().mean()": Fraction(2, 3),
    "logits.reshape(-1, V).shape[0]": 18,
}


def test_counts():
    seen = observe("counts", {"B": 3, "T": 6, "V": 700, "k": [1, 3, 2]}, {text: text for text in COUNTS})
    for text, value in COUNTS.items():
        assert seen[text].error is None
        assert abs(Fraction(str(seen[text].value)) - value) < Fraction(1, 10**15), text
        assert isinstance(seen[text].value, str) == ("/" in text or "double" in text)
    assert torch.get_default_dtype() is torch.float32


def test_counts_need_no_memory_for_scores():
    seen = observe(
        "counts", {"B": 4, "T": 1000, "V": 2**30, "k": [0, 0, 0, 0]}, {"a": "logits.reshape(-1, V).shape[0]"}
    )
    assert seen["a"].value == 4000
    seen = observe("counts", {"B": 4, "T": 2**30, "V": 5, "k": [1, 1, 1, 1]}, {"a": "mask.sum()"})
    assert "too large" in seen["a"].error


ROWS = {"losses": [["0.42", "1.10", "3.07", "0.05"], ["6.00", "2.22", "1.00", "0.31"]], "masked": [[1, 3], [2]]}
FLAT = {"losses": ["0.42", "1.10", "3.07", "0.05", "6.00"], "masked": [1, 3]}


def test_losses_of_one_row():
    wanted = {
        "mask.sum()": 2,
        "losses[mask].sum()": "1.15",
        "losses[mask].mean()": "0.575",
        "losses.numel()": 5,
        "(~mask).sum()": 3,
        "losses.sum()": "10.64",
        "losses[~mask].sum()": "9.49",
        "losses[mask.roll(-1, -1)].sum()": "3.49",
        "losses.mean()": "2.128",
        "(losses * mask).mean()": "0.23",
        "losses[mask].quantile(.5)": "0.575",
        "losses.sum() / mask.sum()": "5.32",
        "CE(logits[mask], ids[mask])": "0.575",
        "CE(logits, labels)": "0.575",
        "CE(sel, tgt)": "0.575",
        "CE(logits.reshape(-1, V), labels.reshape(-1))": "0.575",
        "CE(logits.reshape(-1, V), ids.reshape(-1))": "2.128",
        "(losses * mask).mean() / losses[mask].mean()": "0.4",
        "losses[mask].mean() / (losses * mask).mean()": "2.5",
        "mask.sum() / (~mask).sum()": "0.66666666666666666",
        "losses[mask].mean() - losses.mean()": "-1.553",
        "losses.mean() - losses[mask].mean()": "1.553",
        "losses[mask].mean() - (losses * mask).mean()": "0.345",
    }
    seen = observe("losses", FLAT, {text: text for text in wanted})
    for text, value in wanted.items():
        assert seen[text].error is None, text
        if isinstance(value, int):
            assert seen[text].value == value
        else:
            assert abs(float(seen[text].value) - float(value)) < 1e-12, text


def test_losses_of_two_rows():
    wanted = {
        "losses[mask].mean()": 2.15 / 3,
        "((losses * mask).sum(1) / mask.sum(1)).mean()": (1.15 / 2 + 1.00) / 2,
        "losses[mask.roll(-1, -1)].mean()": (0.42 + 3.07 + 2.22) / 3,
        "(losses * mask).mean()": 2.15 / 8,
        "CE(logits.reshape(-1, V), labels.reshape(-1))": 2.15 / 3,
    }
    seen = observe("losses", ROWS, {text: text for text in wanted})
    for text, value in wanted.items():
        assert abs(float(seen[text].value) - value) < 1e-12, text
    assert observe("losses", ROWS, {"a": "losses"})["a"].shape == (2, 4)


@pytest.mark.parametrize("loss", ["0", "0.0001", "0.05", "6", "36.5", "800"])
def test_any_loss_can_be_built(loss):
    seen = observe("losses", {"losses": [loss, "1.00"], "masked": [0]}, {"a": "losses[mask].sum()"})["a"]
    assert seen.error is None
    assert abs(float(seen.value) - float(loss)) < 1e-12 * max(1.0, float(loss))


@pytest.mark.parametrize(
    "given",
    [
        {"losses": [], "masked": []},
        {"losses": ["1", "2"]},
        {"losses": ["1", "2"], "masked": [2]},
        {"losses": ["-1", "2"], "masked": [1]},
        {"losses": ["nan", "2"], "masked": [1]},
        {"losses": ["one", "2"], "masked": [1]},
        {"losses": [["1", "2"], ["1"]], "masked": [[0], [0]]},
        {"losses": [["1", "2"]], "masked": [0]},
        {"masked": [0]},
    ],
)
def test_losses_that_make_no_sense(given):
    assert observe("losses", given, {"a": "losses"})["a"].error.startswith("ValueError: ")


def test_a_line_that_stands_twice_is_run_once(monkeypatch):
    looked = []
    look = observing._look
    monkeypatch.setattr(
        observing, "_look", lambda world, text, **how: looked.append((text, how["shown"])) or look(world, text, **how)
    )
    seen = observe(
        "losses", FLAT, {"mean": "losses.mean()", "masked.everything": "losses.mean()", "sum.all": "losses.sum()"}
    )
    assert looked == [("losses.mean()", True), ("losses.sum()", False)]
    assert seen["mean"] == seen["masked.everything"] != seen["sum.all"]
    assert list(seen) == ["mean", "masked.everything", "sum.all"]


PRINTED = {
    "mask.sum()": ("tensor(6)", "6"),
    "logits[mask].shape[0]": ("6", "6"),
    "mask.double().mean()": ("tensor(0.3333, dtype=torch.float64)", "0.3333333333333333"),
    "mask.sum() / V": ("tensor(0.0086)", "0.008571428571428572"),
    "mask[0]": ("tensor([False, False, False, False, False,  True])", "[False, False, False, False, False, True]"),
}


def test_what_pytorch_prints_is_kept_for_lines_that_are_shown():
    given = {"B": 3, "T": 6, "V": 700, "k": [1, 3, 2]}
    shown = observe("counts", given, {f"part_{at}": text for at, text in enumerate(PRINTED)})
    others = observe("counts", given, {f"part.slip_{at}": text for at, text in enumerate(PRINTED)})
    assert [(one.printed, other.printed) for one, other in zip(shown.values(), others.values(), strict=True)] == list(
        PRINTED.values()
    )
    assert [one.value for one in shown.values()] == [one.value for one in others.values()]
