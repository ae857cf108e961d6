"""The world of shown tokens: every line of LB-BUILD, LB-READ and LK-FIND against values worked out by hand."""

import random
import time
import warnings
from fractions import Fraction

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch

from grader.runner.observe import observe
from grader.runner.token_world import TokenWorld

pytestmark = pytest.mark.torch


def run(given, lines):
    return observe("tokens", given, {text: text for text in lines})


def values(given, wanted):
    """Return {line: value} for every line of `wanted`, floats as exact fractions."""
    seen = run(given, wanted)
    assert {text: one.error for text, one in seen.items() if one.error} == {}
    return {text: as_number(one.value) for text, one in seen.items()}


def as_number(value):
    if isinstance(value, str):
        number = Fraction(value)
        return number.numerator if number.denominator == 1 else float(number)
    return value


ONE_ROW = {"ids": [7, 3, 0, 5, 9, 0], "masked": [1, 3], "mask_id": 19, "n": 5, "V": 20}
BUILT = {
    "ids.masked_fill(mask, mask_id)": [7, 19, 0, 19, 9, 0],
    "torch.where(mask, mask_id, ids)": [7, 19, 0, 19, 9, 0],
    "inputs": [7, 19, 0, 19, 9, 0],
    "ids.masked_fill(~mask, -100)": [-100, 3, -100, 5, -100, -100],
    "torch.where(mask, ids, -100)": [-100, 3, -100, 5, -100, -100],
    "labels": [-100, 3, -100, 5, -100, -100],
    "torch.allclose(CE(flat, labels.reshape(-1)), CE(sel, tgt))": True,
    "torch.equal(inputs[~mask], ids[~mask])": True,
    # the wrong rules
    "ids.clone()": [7, 3, 0, 5, 9, 0],
    "ids.masked_fill(mask, -100)": [7, -100, 0, -100, 9, 0],
    "inputs.masked_fill(~mask, -100)": [-100, 19, -100, 19, -100, -100],
    "ids * mask": [0, 3, 0, 5, 0, 0],
    "ids.masked_fill(~mask & (ids != PAD), -100)": [-100, 3, 0, 5, -100, 0],
    "ids.masked_fill(mask.roll(-1, -1), mask_id)": [19, 3, 19, 5, 9, 0],
    "ids.masked_fill(~mask.roll(-1, -1), -100)": [7, -100, 0, -100, -100, -100],
    "ids": [7, 3, 0, 5, 9, 0],
    # other names
    "original": [7, 3, 0, 5, 9, 0],
    "real": [True, True, True, True, True, False],
    "scored": [False, True, False, True, False, False],
    "cols": [1, 3],
    "tgt": [3, 5],
    "mask.sum()": 2,
}


def test_inputs_and_labels_of_one_row():
    assert values(ONE_ROW, BUILT) == BUILT
    assert values({**ONE_ROW, "masked": [[1, 3]]}, BUILT) == BUILT
    seen = run(ONE_ROW, ["inputs", "logits", "sel", "V", "M", "n", "B", "T"])
    assert [seen[name].value for name in ("V", "M", "n", "B", "T")] == [20, 2, 5, 1, 6]
    assert seen["inputs"].printed == "tensor([ 7, 19,  0, 19,  9,  0])"
    assert (seen["logits"].shape, seen["sel"].shape) == ((6, 20), (2, 20))


def test_inputs_and_labels_of_two_rows():
    given = {"ids": [[4, 8, 6, 0], [2, 5, 3, 7]], "masked": [[1], [0, 3]], "mask_id": 9, "n": [3, 4]}
    wanted = {
        "ids.masked_fill(mask, mask_id)": [[4, 9, 6, 0], [9, 5, 3, 9]],
        "torch.where(mask, ids, -100)": [[-100, 8, -100, -100], [2, -100, -100, 7]],
        "ids.masked_fill(mask.roll(-1, -1), mask_id)": [[9, 8, 6, 0], [2, 5, 9, 9]],
        "torch.allclose(CE(flat, labels.reshape(-1)), CE(sel, tgt))": True,
        "real": [[True, True, True, False], [True, True, True, True]],
        "rows": [0, 1, 1],
        "cols": [1, 0, 3],
        "n": [3, 4],
        "n[1]": 4,
        "V": 10,
        "M": 3,
    }
    assert values(given, wanted) == wanted


def test_another_ignore_value():
    given = {"ids": [4, 8, 6, 2], "masked": [1, 2], "mask_id": 9, "ignore": -1}
    wanted = {
        "labels": [-1, 8, 6, -1],
        "torch.allclose(CE(flat, labels.reshape(-1), ignore_index=ignore), CE(sel, tgt))": True,
        "ids.masked_fill(~mask, ignore)": [-1, 8, 6, -1],
    }
    assert values(given, wanted) == wanted
    error = run(given, ["CE(flat, labels.reshape(-1))"])["CE(flat, labels.reshape(-1))"].error
    assert error == "IndexError: Target -1 is out of bounds."


def test_without_n_every_position_is_real():
    assert values({"ids": [4, 0, 6], "masked": [1], "mask_id": 9}, ["real"]) == {"real": [True] * 3}


READ = {"labels": [[-100, 4, -100, 0, -100], [9, -100, -100, -100, 3]], "V": 12}
IS_READ = {
    "scored.sum()": 4,
    '(CE(flat, labels.reshape(-1), reduction="sum") / CE(flat, labels.reshape(-1))).round()': 4,
    "(~scored).sum()": 6,
    "scored.nonzero()": [[0, 1], [0, 3], [1, 0], [1, 4]],
    "(scored & (labels != 0)).sum()": 3,
    "labels.numel()": 10,
    "(~scored + (labels == 0)).sum()": 7,
    "scored.nonzero() + 1": [[1, 2], [1, 4], [2, 1], [2, 5]],
    "(~scored).nonzero()": [[0, 0], [0, 2], [0, 4], [1, 1], [1, 2], [1, 3]],
    "mask.sum()": 4,
    "M": 4,
    "tgt": [4, 0, 9, 3],
}


def test_labels_are_read():
    assert values(READ, IS_READ) == IS_READ
    shapes = {
        "logits[scored]": (4, 12),
        "logits[:, scored.nonzero()[:, 1]]": (2, 4, 12),
        "logits.reshape(-1, V)": (10, 12),
        "sel": (4, 12),
    }
    seen = run(READ, shapes)
    assert {text: one.shape for text, one in seen.items()} == shapes
    # scores are random, so nothing of them but their shape is shown
    assert seen["sel"].printed == "torch.Size([4, 12])"
    assert seen["sel"].value is None


@pytest.mark.parametrize("ignore", [-1, 0, 7, -2_000])
def test_labels_with_another_ignore_value(ignore):
    labels = [[ignore if label == -100 else label + 1 for label in row] for row in READ["labels"]]
    scored = sum(label != ignore for row in labels for label in row)
    lines = {
        "scored.sum()": scored,
        '(CE(flat, labels.reshape(-1), reduction="sum", ignore_index=ignore)'
        " / CE(flat, labels.reshape(-1), ignore_index=ignore)).round()": scored,
        "(~scored).sum()": 10 - scored,
    }
    assert values({"labels": labels, "V": 13, "ignore": ignore}, lines) == lines


LEAKY = {
    "original": [5, 8, 2, 6, 3, 7, 4],
    "inputs": [5, 19, 2, 6, 19, 11, 4],
    "labels": [-100, 8, 2, 6, 3, 7, -100],
    "mask_id": 19,
}
COPIED = '((CE(copying, labels, ignore_index=ignore, reduction="none") < 0.5) & scored & ~kept).nonzero()'
FOUND = {
    "leak.nonzero()": [[2], [3]],
    COPIED: [[2], [3]],
    "leak.sum()": 2,
    "leak.sum() / scored.sum()": 0.4,
    "(scored & (inputs == mask_id)).sum()": 2,
    "(scored & (inputs == mask_id)).nonzero()": [[1], [4]],
    "(inputs == original).nonzero()": [[0], [2], [3], [6]],
    "scored.nonzero()": [[1], [2], [3], [4], [5]],
    "leak.nonzero() + 1": [[3], [4]],
    "scored.sum()": 5,
    "(scored & (inputs == labels)).nonzero()": [[2], [3]],
    "leak.double().mean()": float(Fraction(repr(2 / 7))),
    "leak.sum() / (scored & (inputs == mask_id)).sum()": 1,
}


def test_leaks_are_found():
    assert values(LEAKY, FOUND) == FOUND


def test_what_is_kept_by_policy_is_no_leak():
    wanted = {
        "leak.nonzero()": [[3]],
        COPIED: [[3]],
        "leak.sum()": 1,
        "leak.sum() / scored.sum()": 0.2,
        "kept": [False, False, True, False, False, False, False],
        "(scored & (inputs == labels)).nonzero()": [[2], [3]],
    }
    assert values({**LEAKY, "kept": [2]}, wanted) == wanted


def test_no_leak_is_an_empty_list():
    given = {**LEAKY, "inputs": [5, 19, 19, 19, 19, 19, 4]}
    assert values(given, ["leak.nonzero()", COPIED]) == {"leak.nonzero()": [], COPIED: []}


def test_the_effect_of_a_leak_is_seen_exactly_where_it_is():
    draw = random.Random(12)
    for _ in range(200):
        length, size = draw.randrange(6, 15), draw.choice([20, 1000, 30522])
        original = [draw.randrange(size - 1) for _ in range(length)]
        scored = draw.sample(range(length), draw.randrange(2, length))
        leaked = sorted(draw.sample(scored, draw.randrange(len(scored))))
        inputs = [size - 1 if t in scored and t not in leaked else original[t] for t in range(length)]
        labels = [original[t] if t in scored else -100 for t in range(length)]
        given = {"original": original, "inputs": inputs, "labels": labels, "mask_id": size - 1}
        positions = [[t] for t in leaked]
        assert values(given, ["leak.nonzero()", COPIED]) == {"leak.nonzero()": positions, COPIED: positions}


def test_a_copying_model_loses_nothing_at_a_leak_and_much_elsewhere():
    losses = torch.nn.functional.cross_entropy(
        TokenWorld(LEAKY).names["copying"], TokenWorld(LEAKY).names["labels"], reduction="none"
    )
    assert (losses[[2, 3]] < 1e-9).all()
    assert (losses[[1, 4, 5]] > 29).all()
    assert (losses[[0, 6]] == 0).all()  # not scored: no loss, and no leak


def test_rows_have_leaks_too():
    given = {
        "original": [[5, 8, 2], [6, 3, 7]],
        "inputs": [[5, 8, 9], [9, 3, 7]],
        "labels": [[-100, 8, 2], [6, -100, 7]],
        "mask_id": 9,
        "kept": [[], [2]],
    }
    wanted = {"leak.nonzero()": [[0, 1]], "mask.sum()": 4, "rows": [0, 0, 1, 1], "V": 10}
    assert values(given, wanted) == wanted


def test_the_same_given_makes_the_same_world():
    first, second = TokenWorld(READ), TokenWorld(READ)
    for name in ("logits", "flat", "sel", "tgt", "mask"):
        assert torch.equal(first.names[name], second.names[name])
    assert first.names["logits"].dtype is torch.float64
    torch.manual_seed(99)
    assert torch.equal(TokenWorld(READ).names["logits"], first.names["logits"])
    assert first.names["logits"].reshape(-1, 12).unique(dim=0).shape == (10, 12)  # no two positions score alike


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "ids or labels must be among the given"),
        ({"ids": []}, "ids must hold rows of ids, not []"),
        ({"ids": "5 6"}, "ids must hold rows of ids, not '5 6'"),
        ({"ids": [5, "6"]}, "ids must hold whole numbers, not '6'"),
        ({"ids": [5, True]}, "ids must hold whole numbers, not True"),
        ({"ids": [5, 2**40]}, "ids must hold whole numbers, not 1099511627776"),
        ({"ids": [5, -1]}, "ids hold -1, which is no id"),
        ({"ids": [[5, 6], [7]]}, "every row of ids must have the same length"),
        ({"ids": [[5, 6], 7]}, "ids must hold rows of ids, not 7"),
        ({"ids": [5, 6], "V": 6}, "a vocabulary of 6 ids has no id 6"),
        ({"ids": [5, 6], "V": 0}, "V must be a whole number from 1 on, not 0"),
        ({"ids": [5, 6], "V": 8, "mask_id": 8}, "a vocabulary of 8 ids has no id 8"),
        ({"ids": [5, 6], "mask_id": -1}, "mask_id must be a whole number from 0 on, not -1"),
        ({"ids": [5, 6], "mask_id": "9"}, "mask_id must be a whole number from 0 on, not '9'"),
        ({"ids": [5, 6], "masked": [2]}, "a row of 2 positions has no position 2"),
        ({"ids": [5, 6], "masked": [-1]}, "a row of 2 positions has no position -1"),
        ({"ids": [5, 6], "masked": 1}, "masked must hold lists of positions, not 1"),
        ({"ids": [[5, 6], [7, 8]], "masked": [0]}, "masked must hold 2 lists of positions, one a row"),
        ({"ids": [5, 6], "kept": ["a"]}, "a row of 2 positions has no position 'a'"),
        ({"ids": [[5, 6], [7, 8]], "kept": [[0]]}, "kept must hold 2 lists of positions, one a row"),
        ({"ids": [5, 6], "n": 3}, "a row of 2 positions cannot have 3 real ones"),
        ({"ids": [[5, 6], [7, 8]], "n": [1]}, "n must hold 2 numbers, one a row"),
        ({"ids": [5, 6], "ignore": "no"}, "ignore must be a whole number, not 'no'"),
        ({"labels": [5, -1]}, "labels hold -1, which is neither an id nor the ignore value -100"),
        ({"labels": [5, 6], "inputs": [5, 6, 7]}, "labels must have 1 x 3 entries, as inputs has"),
        ({"labels": [5, 6], "inputs": [[5, 6]]}, "labels must hold rows of ids, not 5"),
        ({"ids": [[1] * 101] * 100}, "100 x 101 tokens are too many to be shown"),
    ],
)
def test_tokens_that_make_no_sense(given, message):
    seen = observe("tokens", given, {"a": "T"})["a"]
    assert seen.error == f"ValueError: {message}"


def test_names_that_the_given_does_not_make():
    lines = ["inputs", "mask", "labels", "leak", "rows"]
    seen = run({"ids": [5, 6]}, lines)
    assert seen["mask"].error == "NameError: mask needs masked or labels among the given"
    assert all(seen[name].error.startswith("NameError: ") for name in lines)
    assert run({"labels": [5, 6]}, ["inputs"])["inputs"].error == "NameError: name 'inputs' is not defined"


def test_large_vocabularies_cost_neither_time_nor_memory():
    given = {"labels": [[3, -100, 250_000, -100]] * 8, "V": 250_002}
    started = time.perf_counter()
    wanted = {'(CE(flat, labels.reshape(-1), reduction="sum") / CE(flat, labels.reshape(-1))).round()': 16}
    assert values(given, wanted) == wanted
    seen = run({**given, "V": 2**30}, ["logits[scored]", "scored.sum()", "scored.nonzero()"])
    assert seen["logits[scored]"].shape == (16, 2**30)
    assert seen["logits[scored]"].device == "meta"
    assert seen["scored.sum()"].value == 16
    assert time.perf_counter() - started < 10


def test_lists_and_booleans_cross_the_socket(runner):
    sight = {"T": 6, "n": 5, "i": 2, "mode": "causal", "N": 2}
    seen = runner.observe_many(
        [
            (
                "tokens",
                {"ids": [7, 3, 5], "masked": [1], "mask_id": 9},
                {"a": "labels", "b": "mask", "c": "mask.all()"},
            ),
            ("visibility", sight, {"a": "reached.nonzero()", "b": "weights[0]"}),
            (
                "pooling",
                {"rows": [[1, 2], [2, 5], [9, 9]], "n": 2},
                {"a": "rows[:n].mean(0)", "b": "rows[~mask].long()"},
            ),
        ]
    )
    assert [one["a"].value for one in seen] == [[-100, 3, -100], [[0], [1], [2]], ["1.5", "3.5"]]
    assert [one["b"].value for one in seen] == [[False, True, False], ["1.0", *["0.0"] * 5], [[9, 9]]]
    assert seen[0]["c"].value is False
    assert [one["a"].printed for one in seen] == [
        "tensor([-100,    3, -100])",
        "tensor([[0],\n        [1],\n        [2]])",
        "tensor([1.5000, 3.5000], dtype=torch.float64)",
    ]
