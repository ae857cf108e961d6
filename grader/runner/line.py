"""Lines of PyTorch, read and run by a small interpreter of our own.

Keys and slips come with the line that yields them (`logits[mask]`). They are run here, not by Python's own evaluator:
one expression of names, attributes, calls, subscripts and operators, bounded before it runs, that reaches a fixed list
of functions and no attribute with an underscore at its end. A line is compiled once into nested closures, because the
same few lines run for every variant.

How the steps are carried out is left to a `Steps` object: on real tensors, with care for size, or inside an export.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

MAX_TEXT = 400
MAX_NODES = 200
MAX_BITS = 4096

TORCH_NAMES = frozenset(
    {
        "abs", "all", "allclose", "any", "arange", "argmax", "bfloat16", "bool", "cat", "equal", "eye", "float16",
        "float32", "float64", "full", "int16", "int32", "int64", "isclose", "isnan", "logical_and", "logical_not",
        "logical_or", "long", "masked_select", "ones", "ones_like", "round", "softmax", "stack", "tensor", "tril",
        "triu", "uint8", "where", "zeros", "zeros_like",
    }
)  # fmt: skip
FUNCTIONAL_NAMES = frozenset(
    {
        "cross_entropy", "embedding", "gelu", "layer_norm", "linear", "log_softmax", "nll_loss", "one_hot", "pad",
        "relu", "softmax",
    }
)  # fmt: skip
IN_PLACE = frozenset({"fill_diagonal_"})  # on a clone that no other part of any line holds
NUMBERS = (int, float, torch.SymInt, torch.SymFloat, torch.SymBool)


class LineError(Exception):
    """The line is not one of ours: a syntax, a name or a size that the interpreter refuses."""


class Steps:
    """Carries out single steps exactly as Python would.

    `memory`, where there is one, keeps what subscripts and calls gave, by their text and whether gradients were
    recorded: the lines of a question share most of their parts. Lines change no tensor in place that anything else
    holds, so a part means the same wherever it stands.
    """

    memory: dict[tuple[str, bool], Any] | None = None

    def binary(self, op: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """Return `a op b`."""
        return op(a, b)

    def subscript(self, base: Any, index: Any) -> Any:
        """Return `base[index]`."""
        return base[index]

    def call(self, function: Callable[..., Any], args: list[Any], keywords: dict[str, Any]) -> Any:
        """Return `function(*args, **keywords)`."""
        return function(*args, **keywords)


Node = Callable[[Mapping[str, Any], Steps], Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One compiled expression. `is_loss`: its last step is a call of cross-entropy."""

    text: str
    node: Node = field(repr=False)
    is_loss: bool

    def run(self, names: Mapping[str, Any], steps: Steps) -> Any:
        """Evaluate with these names. Raises whatever PyTorch raises, NameError, or LineError."""
        return self.node(names, steps)


BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}


@lru_cache(maxsize=4096)
def compile_line(text: str) -> Line:
    """Read one expression. Raises LineError when it is too long or holds something that lines do not have."""
    if len(text) > MAX_TEXT:
        raise LineError(f"a line has at most {MAX_TEXT} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise LineError(f"not one expression: {text!r}") from error
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise LineError(f"a line has at most {MAX_NODES} parts")
    top = tree.body
    is_loss = isinstance(top, ast.Call) and ast.unparse(top.func) in {"CE", "F.cross_entropy"}
    return Line(text, _node(top), is_loss)


def _node(tree: ast.expr) -> Node:
    """Turn one part of the tree into a closure."""
    for kind, make in MAKERS.items():
        if isinstance(tree, kind):
            return make(tree)
    raise LineError(f"lines have no {type(tree).__name__}: {ast.unparse(tree)}")


def _constant(tree: ast.Constant) -> Node:
    value = tree.value
    if isinstance(value, bytes | complex) or (isinstance(value, int) and value.bit_length() > MAX_BITS):
        raise LineError(f"lines have no such constant: {ast.unparse(tree)[:40]}")
    return lambda _names, _steps: value


def _name(tree: ast.Name) -> Node:
    name = tree.id

    def run(names: Mapping[str, Any], _steps: Steps) -> Any:
        try:
            return names[name]
        except KeyError:
            raise NameError(f"name {name!r} is not defined") from None

    return run


def _attribute(tree: ast.Attribute) -> Node:
    name = tree.attr
    if name.startswith("_") or name.endswith("_"):
        raise LineError(f"lines have no attribute {name!r}")
    base = _node(tree.value)
    return lambda names, steps: _read_attribute(base(names, steps), name)


def _read_attribute(base: Any, name: str) -> Any:
    """Read an attribute of a tensor, a shape, a part of the model or an allowed function; nothing else."""
    if isinstance(base, Tensor):
        return getattr(base, name)
    if isinstance(base, ModuleType):
        if name in (TORCH_NAMES if base is torch else FUNCTIONAL_NAMES):
            return getattr(base, name)
        raise LineError(f"lines do not use {base.__name__}.{name}")
    if isinstance(base, nn.Module):
        value = getattr(base, name)
        if isinstance(value, Tensor | nn.Module | int | float):
            return value
        raise LineError(f"lines do not use .{name} of a part of the model")
    if isinstance(base, tuple) and (isinstance(base, torch.Size) or name in {"values", "indices"}):
        return getattr(base, name)
    raise LineError(f"lines do not use .{name} of {type(base).__name__}")


def _subscript(tree: ast.Subscript) -> Node:
    base, index = _node(tree.value), _node(tree.slice)
    return _remembered(tree, lambda names, steps: steps.subscript(base(names, steps), index(names, steps)))


def _slice(tree: ast.Slice) -> Node:
    parts = [None if part is None else _node(part) for part in (tree.lower, tree.upper, tree.step)]
    return lambda names, steps: slice(*[None if part is None else part(names, steps) for part in parts])


def _tuple(tree: ast.Tuple) -> Node:
    parts = [_node(part) for part in tree.elts]
    return lambda names, steps: tuple([part(names, steps) for part in parts])


def _list(tree: ast.List) -> Node:
    parts = [_node(part) for part in tree.elts]
    return lambda names, steps: [part(names, steps) for part in parts]


def _call(tree: ast.Call) -> Node:
    return _remembered(tree, _carried_out(tree))


def _carried_out(tree: ast.Call) -> Node:
    """Turn a call into a closure that calls anew whenever it runs."""
    function = _function(tree.func)
    args = [_node(part) for part in tree.args]
    keywords: dict[str, Node] = {}
    for keyword in tree.keywords:
        if keyword.arg is None:
            raise LineError("lines have no ** arguments")
        if keyword.arg in {"out", "inplace"}:
            raise LineError(f"lines change nothing in place: {keyword.arg}=")
        keywords[keyword.arg] = _node(keyword.value)

    def run(names: Mapping[str, Any], steps: Steps) -> Any:
        return steps.call(
            function(names, steps),
            [part(names, steps) for part in args],
            {name: part(names, steps) for name, part in keywords.items()},
        )

    return run


def _function(tree: ast.expr) -> Node:
    """Turn what is called into a closure; the few methods that work in place get a clone of their own to work on."""
    if not (isinstance(tree, ast.Attribute) and tree.attr in IN_PLACE):
        return _node(tree)
    name, clone = tree.attr, tree.value
    if not (isinstance(clone, ast.Call) and ast.unparse(clone).endswith(".clone()")):
        raise LineError(f"lines change nothing in place but a fresh clone: {ast.unparse(tree)}")
    make = _carried_out(clone)
    return lambda names, steps: getattr(make(names, steps), name)


def _remembered(tree: ast.expr, node: Node) -> Node:
    """Let a part be carried out once where the steps have a memory."""
    text = ast.unparse(tree)

    def run(names: Mapping[str, Any], steps: Steps) -> Any:
        memory = steps.memory
        if memory is None:
            return node(names, steps)
        key = text, torch.is_grad_enabled()
        if key not in memory:
            memory[key] = node(names, steps)
        return memory[key]

    return run


def _binary(tree: ast.BinOp) -> Node:
    op = BINARY.get(type(tree.op))
    if op is None:
        raise LineError(f"lines have no such operator: {ast.unparse(tree)}")
    left, right = _node(tree.left), _node(tree.right)

    def run(names: Mapping[str, Any], steps: Steps) -> Any:
        a, b = left(names, steps), right(names, steps)
        if not (isinstance(a, Tensor) or isinstance(b, Tensor)):
            _check_plain(op, a, b)
        return steps.binary(op, a, b)

    return run


def _check_plain(op: Callable[[Any, Any], Any], a: Any, b: Any) -> None:
    """Refuse plain arithmetic that could grow without end, before it is done."""
    if isinstance(a, tuple) and isinstance(b, tuple) and op is operator.add:
        return
    if not (isinstance(a, NUMBERS) and isinstance(b, NUMBERS)):
        raise LineError(f"lines do not calculate with {type(a).__name__} and {type(b).__name__}")
    if not (isinstance(a, int) and isinstance(b, int)):
        return
    bits = a.bit_length() * b if op is operator.pow and b > 0 else a.bit_length() + b.bit_length()
    if bits > MAX_BITS:
        raise LineError("a number in a line grows too large")


def _unary(tree: ast.UnaryOp) -> Node:
    op, operand = UNARY[type(tree.op)], _node(tree.operand)
    return lambda names, steps: op(operand(names, steps))


def _compare(tree: ast.Compare) -> Node:
    if len(tree.ops) != 1 or type(tree.ops[0]) not in COMPARE:
        raise LineError(f"lines have no such comparison: {ast.unparse(tree)}")
    op, left, right = COMPARE[type(tree.ops[0])], _node(tree.left), _node(tree.comparators[0])
    return lambda names, steps: steps.binary(op, left(names, steps), right(names, steps))


def _choice(tree: ast.IfExp) -> Node:
    test, yes, no = _node(tree.test), _node(tree.body), _node(tree.orelse)
    return lambda names, steps: yes(names, steps) if test(names, steps) else no(names, steps)


MAKERS: dict[type[ast.expr], Callable[[Any], Node]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.IfExp: _choice,
}
