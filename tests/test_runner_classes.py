# ruff: noqa: N803  sizes are named by their letters
"""The world of the model: the class head of CL-SHAPES, and the two objectives of OB-COMPARE."""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch

from grader.runner import model_world
from grader.runner.model_world import ModelWorld
from grader.runner.observe import observe

pytestmark = pytest.mark.torch

SUM_BY_MEAN = '(CE({0}, {1}, reduction="sum") / CE({0}, {1})).round().long()'
GAP = SUM_BY_MEAN.format("logits[mask]", "ids[mask]")
NEXT = SUM_BY_MEAN.format("causal_logits[:, :-1].reshape(-1, V)", "ids[:, 1:].reshape(-1)")
NEXT_OF_LOGITS = NEXT.replace("causal_", "")


def shapes(B, T, D, C, V):
    """Return every line of CL-SHAPES with the shape that it must have."""
    return {
        "pooled": (B, D),
        "encoded[:, 0]": (B, D),
        "encoded.mean(1)": (B, D),
        "class_logits": (B, C),
        "head_c(pooled)": (B, C),
        "head_c(encoded[:, 0])": (B, C),
        "y": (B,),
        "CE(class_logits, y)": (),
        "CE(head_c(encoded[:, 0]), y)": (),
        "class_logits.argmax(-1)": (B,),
        "head_c.weight": (C, D),
        "head_c.bias": (C,),
        # the wrong rules
        "head_c(encoded)": (B, T, C),
        "head(pooled)": (B, V),
        "class_logits.T": (C, B),
        "head_c.weight.T": (D, C),
        "pooled[0]": (D,),
        "encoded": (B, T, D),
    }


@pytest.mark.parametrize("sizes", [(4, 6, 12, 3, 50), (16, 40, 61, 9, 999), (2, 5, 8, 11, 20), (1, 4, 7, 2, 6)])
@pytest.mark.parametrize("on_meta", [False, True])
def test_classes(sizes, on_meta, monkeypatch):
    if on_meta:
        monkeypatch.setattr(model_world, "REAL_LOGITS", 0)
    wanted = shapes(*sizes)
    seen = observe("model", dict(zip("BTDCV", sizes, strict=True)), {text: text for text in wanted})
    assert {text: (one.shape, one.error) for text, one in seen.items()} == {
        text: (shape, None) for text, shape in wanted.items()
    }
    assert {one.device for one in seen.values()} == {"meta" if on_meta else "cpu"}
    assert seen["class_logits"].printed == f"torch.Size([{sizes[0]}, {sizes[3]}])"


def test_classes_without_a_length():
    wanted = shapes(4, model_world.ANY_LENGTH, 12, 3, 50)
    seen = observe("model", {"B": 4, "D": 12, "C": 3, "V": 50}, {text: text for text in wanted})
    assert {text: one.shape for text, one in seen.items()} == wanted


@pytest.mark.parametrize("large", [{"C": 2_000_000}, {"C": 100_000, "D": 64}, {"T": 3000, "C": 900}])
def test_large_heads_are_not_built(large):
    given = {"B": 2, "T": 5, "D": 12, "C": 3, "V": 50, **large}
    sizes = [given[name] for name in "BTDCV"]
    wanted = shapes(*sizes)
    seen = observe("model", given, {text: text for text in wanted})
    assert {text: (one.shape, one.device) for text, one in seen.items()} == {
        text: (shape, "meta") for text, shape in wanted.items()
    }


def test_the_class_loss_goes_back_through_the_encoder():
    world = ModelWorld({"B": 4, "D": 12, "C": 3, "V": 50})
    names = world.names
    with torch.no_grad():  # as lines are run
        logits, y = names["class_logits"], names["y"]
    world.loss_backward(torch.nn.functional.cross_entropy(logits, y))
    assert world.backward_done
    assert set(y.tolist()) <= {0, 1, 2}


def test_the_same_given_makes_the_same_classes():
    given = {"B": 4, "T": 6, "D": 12, "C": 3, "V": 50}
    first, second = ModelWorld(given).names, ModelWorld(given).names
    torch.manual_seed(99)
    for name in ("pooled", "class_logits", "y"):
        assert torch.equal(first[name], second[name])
    head = second["head_c"]
    assert (head.in_features, head.out_features) == (12, 3)
    assert torch.allclose(second["class_logits"], second["pooled"] @ head.weight.T + head.bias)


def test_two_heads_share_no_part():
    world = ModelWorld({"B": 4, "T": 6, "D": 12, "C": 3, "V": 50})
    other = ModelWorld({"B": 4, "T": 6, "D": 12, "C": 5, "V": 50})
    assert world.names["head_c"].weight.shape == (3, 12)
    assert other.names["head_c"].weight.shape == (5, 12)
    assert world.names["head_c"].out_features == 3


@pytest.mark.parametrize(("B", "T", "M"), [(1, 4, 1), (4, 9, 7), (8, 20, 12), (16, 40, 213), (2, 2, 4)])
def test_both_objectives_are_counted(B, T, M):
    wanted = {
        "mask.sum()": M,
        GAP: M,
        "ids[:, 1:].numel()": B * (T - 1),
        NEXT: B * (T - 1),
        NEXT_OF_LOGITS: B * (T - 1),
        # the wrong rules
        "ids.numel()": B * T,
        "ids.reshape(-1)[1:].numel()": B * T - 1,
        "ids[:, -1].numel()": B,
    }
    given = {"B": B, "T": T, "M": M, "D": 8, "V": 20, "H": 2}
    seen = observe("model", given, {text: text for text in wanted})
    assert {text: (one.value, one.error) for text, one in seen.items()} == {
        text: (value, None) for text, value in wanted.items()
    }
    shown = observe("model", given, {"bert": "mask.sum()", "scores": "logits[mask]"})
    assert shown["bert"].printed == f"tensor({M})"  # a count is shown, unlike the numbers of random weights
    assert shown["scores"].printed == f"torch.Size([{M}, 20])"


def test_causal_scores_know_nothing_of_what_comes_later():
    world = ModelWorld({"B": 2, "T": 7, "D": 8, "V": 20, "H": 2, "N": 2, "M": 3})
    names = world.names
    assert names["causal_logits"].shape == (2, 7, 20)
    for t in range(1, 7):
        cut = names["ids"].clone()
        cut[:, t:] = (cut[:, t:] + 1) % 19
        other = ModelWorld({"B": 2, "T": 7, "D": 8, "V": 20, "H": 2, "N": 2, "M": 3})
        other.names.ready["ids"] = cut
        same = torch.isclose(names["causal_logits"], other.names["causal_logits"], atol=1e-6).all(-1)
        assert same[:, :t].all()
        assert not same[:, t:].any()
    bidirectional = world.stages.model(names["ids"])
    assert not torch.isclose(bidirectional[:, 0], names["causal_logits"][:, 0], atol=1e-6).all()
    one_layer = ModelWorld({"B": 2, "T": 7, "D": 8, "V": 20, "H": 2})  # there the last position reads all in both
    last = one_layer.stages.model(one_layer.names["ids"])[:, -1]
    assert torch.allclose(last, one_layer.names["causal_logits"][:, -1], atol=1e-6)


def test_causal_scores_on_meta(monkeypatch):
    monkeypatch.setattr(model_world, "REAL_LOGITS", 0)
    given = {"B": 3, "T": 5, "D": 8, "V": 20, "H": 2, "M": 4}
    seen = observe("model", given, {"a": "causal_logits", "b": "causal_logits[:, :-1].reshape(-1, V)"})
    assert (seen["a"].shape, seen["b"].shape, seen["a"].device) == ((3, 5, 20), (12, 20), "meta")
