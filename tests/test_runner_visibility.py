"""The world of attention: who reads whom, by weights and gradients, against plain counting and against experiments."""

import itertools
import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch

from grader.runner import visibility_world
from grader.runner.observe import observe
from grader.runner.visibility_world import NO_GRADIENT, VisibilityWorld, sight

pytestmark = pytest.mark.torch

MODES = ("bidirectional", "causal")
WEIGHTS, REACHED = "weights[i].nonzero()", "reached.nonzero()"


def positions(given, lines):
    """Return {line: positions}, each an index list of one-dimensional hits."""
    seen = observe("visibility", given, {text: text for text in lines})
    assert {text: one.error for text, one in seen.items() if one.error} == {}
    assert all(one.shape == (len(one.value), 1) for one in seen.values())
    return {text: [position for (position,) in one.value] for text, one in seen.items()}


def visible(n, i, mode):
    return [j for j in range(n) if mode == "bidirectional" or j <= i]


@pytest.mark.parametrize("layers", [1, 2])
def test_both_looks_agree_with_counting(layers):
    for length in range(1, 8):
        for n, i, mode in itertools.product(range(1, length + 1), range(length), MODES):
            given = {"T": length, "n": n, "i": i, "mode": mode, "N": layers}
            wanted = visible(n, i, mode)
            assert positions(given, [WEIGHTS, REACHED]) == {WEIGHTS: wanted, REACHED: wanted}, given


# line -> what it gives (bidirectional, causal) for T = 7, n = 5, i = 2
LINES = {
    "(one[i, :n] if mode == 'causal' else one.tril()[i]).nonzero()": ([0, 1, 2], [0, 1, 2, 3, 4]),
    "ok.clone().fill_diagonal_(0)[i].nonzero()": ([0, 1, 3, 4], [0, 1]),
    "one.triu(-1).tril(1)[i, :n].nonzero()": ([1, 2, 3], [1, 2, 3]),
    "one.triu()[i, :n].nonzero()": ([2, 3, 4], [2, 3, 4]),
    "one[i].nonzero()": ([0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6]),
    # the key, looked at three ways, after a line that worked on a clone of `ok`
    "ok[i].nonzero()": ([0, 1, 2, 3, 4], [0, 1, 2]),
    WEIGHTS: ([0, 1, 2, 3, 4], [0, 1, 2]),
    REACHED: ([0, 1, 2, 3, 4], [0, 1, 2]),
    "pad.nonzero()": ([5, 6], [5, 6]),
}


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("mode", MODES)
def test_every_line_of_the_family(mode, layers):
    wanted = {line: value[MODES.index(mode)] for line, value in LINES.items()}
    assert positions({"T": 7, "n": 5, "i": 2, "mode": mode, "N": layers}, wanted) == wanted


def output(model, x, n, mode):
    """Return the encoder's output for x (T, D), with masks written out entry by entry."""
    length = x.shape[0]
    hidden = torch.tensor([[mode == "causal" and key > reader for key in range(length)] for reader in range(length)])
    pad = torch.tensor([[key >= n for key in range(length)]])
    with torch.no_grad():
        return model.encoder(x[None], mask=hidden, src_key_padding_mask=pad)[0]


def test_an_experiment_sees_the_same():
    """Change one input: exactly the outputs that read it change. Readers themselves change by the residual path."""
    model = visibility_world._model(2)
    generator = torch.Generator().manual_seed(3)
    for length, mode in itertools.product((4, 7), MODES):
        x = torch.randn(length, 8, dtype=torch.float64, generator=generator)
        for n in range(1, length + 1):
            before = output(model, x, n, mode)
            for j in range(length):
                other = x.clone()
                other[j] += torch.randn(8, dtype=torch.float64, generator=generator)
                moved = (output(model, other, n, mode) - before).abs().amax(1) > 1e-9
                for i in range(length):
                    given = {"T": length, "n": n, "i": i, "mode": mode, "N": 2}
                    reached = VisibilityWorld(given).names["reached"]
                    if i != j:
                        assert bool(moved[i]) == bool(reached[j]) == (j in visible(n, i, mode)), (given, j)


def test_padding_moves_no_real_output_unless_it_is_left_unmasked():
    model = visibility_world._model(1)
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(6, 8, dtype=torch.float64, generator=generator)
    other = x.clone()
    other[4:] = torch.randn(2, 8, dtype=torch.float64, generator=generator)
    assert torch.equal(output(model, x, 4, "bidirectional")[:4], output(model, other, 4, "bidirectional")[:4])
    assert (output(model, x, 6, "bidirectional") - output(model, other, 6, "bidirectional")).abs().amax(1).min() > 1e-9


@pytest.mark.parametrize("layers", [1, 2, 8])
def test_gradients_leave_no_doubt(layers):
    """What is read has a gradient far above the bound; what is not read has none at all."""
    for length, mode in itertools.product((1, 4, 9, 12), MODES):
        for n in range(1, length + 1):
            reach = sight(length, n, mode, layers).reach.tolist()
            for i, j in itertools.product(range(length), repeat=2):
                if j in visible(n, i, mode):
                    assert reach[i][j] > 1e6 * NO_GRADIENT
                elif i != j:
                    assert reach[i][j] == 0


def test_weights_are_shares():
    weights = sight(7, 5, "causal", 2).weights
    assert weights.dtype is torch.float64
    assert torch.allclose(weights.sum(1), torch.ones(7, dtype=torch.float64))
    assert weights[0].tolist() == [1.0, 0, 0, 0, 0, 0, 0]


def test_a_padded_reader_does_not_read_itself_though_its_gradient_is_there():
    world = VisibilityWorld({"T": 5, "n": 3, "i": 4, "mode": "bidirectional"})
    assert sight(5, 3, "bidirectional", 1).reach[4, 4] > NO_GRADIENT
    assert world.names["reached"].tolist() == [True, True, True, False, False]


def test_the_same_given_makes_the_same_world():
    given = {"T": 7, "n": 5, "i": 2, "mode": "causal", "N": 2}
    first = [VisibilityWorld(given).names[name] for name in ("weights", "reached", "ok", "pad")]
    reach = sight(7, 5, "causal", 2).reach
    sight.cache_clear()
    visibility_world._model.cache_clear()
    torch.manual_seed(99)
    second = [VisibilityWorld(given).names[name] for name in ("weights", "reached", "ok", "pad")]
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))
    assert torch.equal(sight(7, 5, "causal", 2).reach, reach)


def test_layers_are_no_copies_of_each_other():
    first, second = visibility_world._model(2).encoder.layers
    assert not torch.equal(first.linear1.weight, second.linear1.weight)
    assert all(parameter.dtype is torch.float64 for parameter in first.parameters())
    assert not any(parameter.requires_grad for parameter in visibility_world._model(2).parameters())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"T": 65, "n": 9}, "T is 65: at most 64 positions are looked at one by one"),
        ({"T": 0}, "T must be a whole number from 1 on, not 0"),
        ({"T": "7"}, "T must be a whole number from 1 on, not '7'"),
        ({"n": 8}, "n is 8, but there are only 7 positions"),
        ({"n": 0}, "n must be a whole number from 1 on, not 0"),
        ({"n": None}, "n must be a whole number from 1 on, not None"),
        ({"i": 7}, "7 positions, counted from 0, have no position 7"),
        ({"i": -1}, "i must be a whole number from 0 on, not -1"),
        ({"mode": "both"}, "mode must be bidirectional or causal, not 'both'"),
        ({"mode": ["causal"]}, "mode must be bidirectional or causal, not ['causal']"),
        ({"N": 9}, "N is 9: at most 8 layers are looked through"),
        ({"N": 0}, "N must be a whole number from 1 on, not 0"),
    ],
)
def test_questions_that_make_no_sense(given, message):
    given = {"T": 7, "n": 5, "i": 2, "mode": "causal", **given}
    seen = observe("visibility", given, {"a": WEIGHTS})["a"]
    assert seen.error == f"ValueError: {message}"


def test_the_largest_question_is_answered():
    given = {"T": 64, "n": 60, "i": 30, "mode": "causal", "N": 8}
    assert positions(given, [WEIGHTS, REACHED]) == {WEIGHTS: list(range(31)), REACHED: list(range(31))}
