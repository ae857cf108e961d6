"""The world of pooling: every line of CL-POOL against sums made by hand."""

import random
import warnings
from fractions import Fraction

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch

from grader.runner.observe import observe
from grader.runner.pooling_world import PoolingWorld

pytestmark = pytest.mark.torch

MEAN = "(rows * mask[:, None]).sum(0) / mask.sum()"
MEAN_OF_BATCH = "((batch * masks[..., None]).sum(1) / masks.sum(1, keepdim=True))[0]"
GIVEN = {"rows": [[2, 5], [4, -1], [3, 2], [7, 8], [1, 6]], "n": 3, "n2": 5}
POOLED = {
    "rows[0]": ["2", "5"],
    MEAN: ["3", "2"],
    MEAN_OF_BATCH: ["3", "2"],
    "rows.mean(0)": ["17/5", "4"],
    "(rows * mask[:, None]).mean(0)": ["9/5", "6/5"],
    "(rows * mask[:, None]).sum(0) / (n + n2)": ["9/8", "3/4"],
    "(rows * mask[:, None]).sum(0)": ["9", "6"],
    "rows[~mask].mean(0)": ["4", "7"],
    "rows[:n].mean(-1)": ["7/2", "3/2", "5/2"],
    "rows[:n].mean(0)": ["3", "2"],
}


def check(given, wanted):
    seen = observe("pooling", given, {text: text for text in wanted})
    assert {text: one.error for text, one in seen.items() if one.error} == {}
    for text, numbers in wanted.items():
        assert all(isinstance(number, str) for number in seen[text].value)
        assert len(seen[text].value) == len(numbers), text
        for got, number in zip(seen[text].value, numbers, strict=True):
            assert abs(Fraction(got) - Fraction(number)) < Fraction(1, 10**12), text


def test_every_line_of_the_family():
    check(GIVEN, POOLED)
    neighbour = [[9, 9], [8, 8], [7, 7], [6, 6], [5, 5]]
    check({**GIVEN, "neighbour": neighbour}, POOLED)
    check({**GIVEN, "neighbour": neighbour}, {MEAN_OF_BATCH.replace("[0]", "[1]"): ["7", "7"]})


def test_floats_keep_every_digit():
    seen = observe("pooling", {"rows": [[1, 0], [0, 0], [0, 1]], "n": 3}, {"mean": MEAN, "way": MEAN_OF_BATCH})
    assert seen["mean"].value == ["0.3333333333333333", "0.3333333333333333"]
    assert seen["mean"].printed == "tensor([0.3333, 0.3333], dtype=torch.float64)"
    assert seen["way"].value == seen["mean"].value


def test_names_and_shapes():
    names = PoolingWorld({**GIVEN, "neighbour": GIVEN["rows"]}).names
    assert {name: names[name] for name in ("T", "D", "B", "n", "n2")} == {"T": 5, "D": 2, "B": 2, "n": 3, "n2": 5}
    assert names["mask"].tolist() == [True, True, True, False, False]
    assert names["masks"].tolist() == [[True, True, True, False, False], [True] * 5]
    assert (names["batch"].shape, names["batch"].dtype) == ((2, 5, 2), torch.float64)
    alone = PoolingWorld(GIVEN).names
    assert alone["batch"].shape == (1, 5, 2)
    assert alone["masks"].shape == (1, 5)


def test_any_rows_against_loops():
    draw = random.Random(12)
    for _ in range(100):
        length = draw.randrange(2, 7)
        n = draw.randrange(1, length)
        rows = [[draw.randrange(-9, 10) for _ in range(2)] for _ in range(length)]
        mean = [str(Fraction(sum(row[axis] for row in rows[:n]), n)) for axis in range(2)]
        check({"rows": rows, "n": n}, {MEAN: mean, MEAN_OF_BATCH: mean, "rows[0]": [str(x) for x in rows[0]]})


def test_exact_texts_are_numbers_too():
    check({"rows": [["1/2", "0.25"], ["-3/2", 4]], "n": 2}, {MEAN: ["-1/2", "17/8"]})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rows": []}, "rows must be a list of rows of numbers"),
        ({"rows": [1, 2]}, "rows must be a list of rows of numbers"),
        ({"rows": [[1], []]}, "rows must be a list of rows of numbers"),
        ({"rows": [[1, 2], [3]]}, "every row of rows must have the same length"),
        ({"rows": [[1, True]]}, "'True' is no number of an encoded row"),
        ({"rows": [[1, 0.5]]}, "'0.5' is no number of an encoded row"),
        ({"rows": [[1, "nan"]]}, "'nan' is no number of an encoded row"),
        ({"rows": [[1, "1e999999999"]]}, "'1e999999999' is no number of an encoded row"),
        ({"rows": [[1, 10**13]]}, "'10000000000000' is too large for an encoded row"),
        ({"rows": [[1, 10**400]]}, f"'{'1' + '0' * 39}' is no number of an encoded row"),
        ({"rows": [[1, "1/0"]]}, "'1/0' divides by zero"),
        ({"rows": [[1] * 101] * 100}, "rows holds more than 10000 numbers"),
        ({"n": 4}, "n is 4, but there are only 3 rows"),
        ({"n": 0}, "n must be a whole number from 1 on, not 0"),
        ({"n": [1]}, "n must be a whole number from 1 on, not [1]"),
        ({"n2": 4}, "n2 is 4, but there are only 3 rows"),
        ({"neighbour": [[1, 2]] * 3}, "n2 must be a whole number from 1 on, not None"),
        (
            {"neighbour": [[1, 2]] * 2, "n2": 2},
            "neighbour must have 3 rows of 2 numbers, padding included, as rows has",
        ),
    ],
)
def test_rows_that_make_no_sense(given, message):
    seen = observe("pooling", {"rows": [[1, 2], [3, 4], [5, 6]], "n": 2, **given}, {"a": MEAN})["a"]
    assert seen.error == f"ValueError: {message}"
