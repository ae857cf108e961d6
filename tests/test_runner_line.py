"""The interpreter of lines: what it runs, it runs as Python would; what it does not know, it refuses."""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch

from grader.runner.line import LineError, Steps, compile_line
from grader.runner.steps import CarefulSteps, twin

pytestmark = pytest.mark.torch

X = torch.arange(24).view(2, 3, 4)
MASK = torch.tensor([[True, False, True], [False, True, False]])
NAMES = {
    "x": X,
    "mask": MASK,
    "T": 3,
    "word": "one",
    "torch": torch,
    "F": torch.nn.functional,
    "model": torch.nn.Linear(2, 2),
}

GOOD = {
    "x": X,
    "x.shape": X.shape,
    "x.shape[0]": 2,
    "x[mask]": X[MASK],
    "x[:, 1:, None]": X[:, 1:, None],
    "x[..., -1]": X[..., -1],
    "x[:, ::2]": X[:, ::2],
    "x.sum(1).double().mean()": X.sum(1).double().mean(),
    "x.float().mean(1, keepdim=True)": X.float().mean(1, keepdim=True),
    "~mask": ~MASK,
    "-x + 2 * T": -X + 6,
    "x * mask[..., None]": X * MASK[..., None],
    "(x ** 2 // 3 % 5) / 7": (X**2 // 3 % 5) / 7,
    "x @ x.transpose(1, 2)": X @ X.transpose(1, 2),
    "torch.cat([x, x], -1)": torch.cat([X, X], -1),
    "x.max(1).values": X.max(1).values,
    "F.one_hot(x, 24)": torch.nn.functional.one_hot(X, 24),
    "F.pad(x, (0, T - 1))": torch.nn.functional.pad(X, (0, 2)),
    "x.shape[:2] + (5,)": (2, 3, 5),
    "mask & (x[..., 0] > 4)": MASK & (X[..., 0] > 4),
    "x if T == 3 else mask": X,
    "2 ** 10": 1024,
    "not T": False,
    "x.double().to(torch.float32)": X.float(),
    "(x[0] if word == 'one' else x).sum()": X[0].sum(),
    "(x[0] if word != 'one' else x).sum()": X.sum(),
    "torch.allclose(x, x + 0)": True,
    "torch.isclose(x / 2, x - x / 2)": torch.ones(2, 3, 4, dtype=torch.bool),
    "torch.round(x / 5)": torch.round(X / 5),
    "(x / 5).round().long()": (X / 5).round().long(),
    "mask.clone()": MASK,
    "x[0].clone().fill_diagonal_(-1)": torch.tensor([[-1, 1, 2, 3], [4, -1, 6, 7], [8, 9, -1, 11]]),
}


def same(a, b):
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and a.dtype is b.dtype and torch.equal(a, b)
    return a == b


@pytest.mark.parametrize("text", GOOD)
@pytest.mark.parametrize("steps", [Steps, CarefulSteps])
def test_runs_as_python_does(text, steps):
    assert same(compile_line(text).run(NAMES, steps()), GOOD[text])


@pytest.mark.parametrize(
    "text",
    [
        "x.__class__", "x._base", "x.zero_()", "torch.load", "torch.ops", "torch.nn", "torch.hub.load('a')", "F.torch",
        "model.register_buffer", "model.__dict__", "x.grad_fn.next_functions", "x.untyped_storage().nbytes",
        "lambda: 1", "[i for i in x]", "{1: 2}", "{1}", "f'{x}'", "a := 1", "x; x", "x = 1", "import os", "",
        "x[", "(" * 300, "x" * 401, "+".join("x" * 120), "f(**x)", "1 < 2 < 3", "x and mask", "x is mask",
        "'a' * 10", "[0] * 10", "b'x'", "9 ** 9 ** 9", "10 ** 5000", "F.relu(x, inplace=True)", "torch.cat([x], out=x)",
        "mask.fill_diagonal_(0)", "mask[:].fill_diagonal_(0)", "mask.T.fill_diagonal_(0)",
        "mask.clone().T.fill_diagonal_(0)", "mask.clone(memory_format=1).fill_diagonal_(0)",
        "mask.clone().zero_()", "mask.clone.fill_diagonal_(0)", "mask.clone().fill_diagonal_",
        "clone().fill_diagonal_(0)", "word + word", "word * T",
        "await x", "1j", "x.data_ptr.__self__", "*x", "T.real", "'a'.join",
    ],
)  # fmt: skip
def test_refuses(text):
    with pytest.raises(LineError):
        compile_line(text).run(NAMES, Steps())


def test_errors_are_pythons_own():
    with pytest.raises(NameError, match="name 'nope' is not defined"):
        compile_line("nope").run(NAMES, Steps())
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        compile_line("x[9]").run(NAMES, Steps())
    with pytest.raises(ZeroDivisionError):
        compile_line("1 / 0").run(NAMES, Steps())


def test_compiled_once():
    assert compile_line("x[mask]") is compile_line("x[mask]")
    assert compile_line("CE(x, mask)").is_loss
    assert compile_line("F.cross_entropy(x, mask)").is_loss
    assert not compile_line("CE(x, mask)[None]").is_loss


def test_parts_are_run_once_where_there_is_a_memory():
    calls = []

    class Counting(CarefulSteps):
        def subscript(self, base, index):
            calls.append(index)
            return super().subscript(base, index)

    steps = Counting()
    first = compile_line("x[mask].sum()").run(NAMES, steps)
    second = compile_line("x[mask].T.sum()").run({**NAMES, "first": first}, steps)
    assert first == second
    assert len(calls) == 1


def test_large_steps_move_to_the_meta_device():
    names = {
        "a": torch.zeros(3000, 1),
        "b": torch.zeros(1, 3000),
        "i": torch.zeros(3000, dtype=torch.long),
        "torch": torch,
    }
    steps = CarefulSteps()
    for text, shape in {
        "a * b": (3000, 3000),
        "(a * b).mean(0)": (3000,),
        "(a * b) + a": (3000, 3000),
        "a @ b": (3000, 3000),
        "b[i]": (3000, 3000),
        "torch.cat([a * b, a], 1)": (3000, 3001),
        "a < b": (3000, 3000),
        "i[:, None] / i": (3000, 3000),
    }.items():
        result = compile_line(text).run(names, steps)
        assert result.is_meta, text
        assert tuple(result.shape) == shape
        assert result.dtype is (torch.bool if "<" in text else torch.float32)
    for text in ("i[:-1] * i", "c * c.T"):
        with pytest.raises(RuntimeError, match="must match the size of tensor b"):
            compile_line(text).run({**names, "c": torch.zeros(1500, 2000)}, steps)
    assert not compile_line("a + a").run(names, steps).is_meta
    assert not compile_line("b[:, i]").run(names, steps).is_meta


def test_an_unknown_mask_on_meta_says_so():
    steps = CarefulSteps()
    names = {"x": twin(X), "mask": twin(MASK)}
    with pytest.raises(LineError, match="not known how many"):
        compile_line("x[~mask]").run(names, steps)
    steps.hits.append((names["mask"], tuple(twin(index) for index in MASK.nonzero(as_tuple=True))))
    assert compile_line("x[mask]").run(names, steps).shape == (3, 4)


def test_a_clone_that_is_changed_is_nobody_elses():
    steps = CarefulSteps()
    square = torch.ones(3, 3, dtype=torch.bool)
    names = {"square": square, "i": 1}
    before = compile_line("square.clone()").run(names, steps)
    changed = compile_line("square.clone().fill_diagonal_(0)").run(names, steps)
    assert compile_line("square.clone().fill_diagonal_(0)[i].nonzero()").run(names, steps).tolist() == [[0], [2]]
    assert changed.sum() == 6
    assert square.all()
    assert before.all()
    assert compile_line("square.clone()").run(names, steps).all()
