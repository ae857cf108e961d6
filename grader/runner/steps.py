"""How the steps of a line are carried out on the worlds' tensors: real while small, on the meta device when large.

A witness may ask for a tensor far larger than anything the question holds (`encoded[..., None] * head.weight.T` has
B*T*D*V numbers). Its shape is still PyTorch's to give: such a step is done on the meta device, where tensors have
shapes and no numbers. Boolean masks select an unknown number of rows there, so they are replaced by index pairs.
"""

from __future__ import annotations

import math
import operator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from grader.runner.line import LineError, Steps

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 2_000_000


def twin(value: Any) -> Any:
    """Return a meta tensor of the same shape, strides and dtype; lists and tuples item by item; the rest as it is."""
    if isinstance(value, Tensor):
        return (
            value
            if value.is_meta
            else torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
        )
    if isinstance(value, list):
        return [twin(item) for item in value]
    if type(value) is tuple:
        return tuple([twin(item) for item in value])
    return value


def _on_meta(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.is_meta
    return isinstance(value, list | tuple) and any(_on_meta(item) for item in value)


class CarefulSteps(Steps):
    """Steps on real tensors that move to the meta device before a result would hold more than `LARGEST` numbers.

    `hits` maps masks that live on the meta device to their index pair (rows, cols). `known` holds module calls whose
    result the forward pass has already shown: (module, input, output). `on_meta` tells whether a step of the line that
    ran last used the meta device.
    """

    def __init__(self) -> None:
        self.hits: list[tuple[Tensor, tuple[Tensor, ...]]] = []
        self.known: list[tuple[nn.Module, Tensor, Tensor]] = []
        self.on_meta = False
        self.memory = {}

    def binary(self, op: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """Return `a op b`, on the meta device when the broadcast result would be too large."""
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            if a.is_meta or b.is_meta:
                self.on_meta = True
                a, b = twin(a), twin(b)
            elif a.numel() * b.numel() > LARGEST and _size(op, a, b) > LARGEST:
                self.on_meta = True
                return op(twin(a), twin(b)) if op is operator.matmul else _spread(op, a, b)
        elif _on_meta(a) or _on_meta(b):
            self.on_meta = True
        return op(a, b)

    def subscript(self, base: Any, index: Any) -> Any:
        """Return `base[index]`, with the same care."""
        if not isinstance(base, Tensor):
            return base[index]
        parts = index if isinstance(index, tuple) else (index,)
        whole = [part for part in parts if isinstance(part, Tensor) and part.dtype is not torch.bool]
        if not base.is_meta and not (whole and self._grows(base, parts, whole)):
            return base[index]
        self.on_meta = True
        return twin(base)[tuple(self._plain(parts))]

    def call(self, function: Callable[..., Any], args: list[Any], keywords: dict[str, Any]) -> Any:
        """Return `function(*args, **keywords)`; what the forward pass already gave is not computed twice."""
        if isinstance(function, nn.Module):
            if len(args) == 1:
                for module, given, result in self.known:
                    if function is module and args[0] is given:
                        return result
        elif _on_meta(args) or _on_meta(getattr(function, "__self__", None)):
            self.on_meta = True
            args = twin(args)
            keywords = {name: twin(value) for name, value in keywords.items()}
        return function(*args, **keywords)

    def _grows(self, base: Tensor, parts: tuple[Any, ...], whole: list[Tensor]) -> bool:
        """Tell whether indexing by whole numbers gives too large a result; in doubt by trying it without numbers."""
        if _at_most(base, parts, whole) <= LARGEST:
            return False
        trial: Tensor = twin(base)[tuple(self._plain(parts))]
        return trial.numel() > LARGEST

    def _plain(self, parts: tuple[Any, ...]) -> list[Any]:
        """Replace boolean masks by index vectors and put every index on the meta device."""
        plain: list[Any] = []
        for part in parts:
            if isinstance(part, Tensor) and part.dtype is torch.bool:
                plain += [twin(index) for index in self._positions(part)]
            else:
                plain.append(twin(part))
        return plain

    def _positions(self, mask: Tensor) -> tuple[Tensor, ...]:
        for known, positions in self.hits:
            if mask is known:
                return positions
        if mask.is_meta:
            raise LineError("too large to run: on the meta device it is not known how many entries this mask selects")
        return mask.nonzero(as_tuple=True)


def _at_most(base: Tensor, parts: tuple[Any, ...], whole: list[Tensor]) -> int:
    """Bound how many numbers `base[parts]` holds: the index vectors replace the first one's axis, at the least."""
    picked = _broadcast([part.shape for part in whole])
    axis = 0
    for part in parts:
        if part is whole[0] and axis < base.ndim:
            return base.numel() // max(1, base.shape[axis]) * picked
        if part is Ellipsis:
            break
        if isinstance(part, Tensor) and part.dtype is torch.bool:
            axis += part.ndim
        elif part is not None:
            axis += 1
    return base.numel() * picked


def _size(op: Callable[[Any, Any], Any], a: Tensor, b: Tensor) -> int:
    """Return how many numbers `a op b` holds; 0 when PyTorch should say that it does not work."""
    try:
        if op is operator.matmul:
            return a.numel() // max(1, a.shape[-1]) * b.shape[-1]
    except IndexError:
        return 0
    return _broadcast([a.shape, b.shape])


def _spread(op: Callable[[Any, Any], Any], a: Tensor, b: Tensor) -> Tensor:
    """Return `a op b`, element by element, on the meta device.

    PyTorch's own broadcasting gives the shape and its operator, on one pair of numbers, the dtype. Its operator on meta
    tensors would say the same, ten times slower than all other steps of a line together.
    """
    whole, _ = torch.broadcast_tensors(a, b)  # type: ignore[no-untyped-call]
    sample = op(a.as_strided((), ()), b.as_strided((), ()))
    return torch.empty(whole.shape, dtype=sample.dtype, device="meta")


def _broadcast(shapes: list[torch.Size]) -> int:
    """Return how many numbers tensors of these shapes make together, should they fit."""
    return math.prod(map(max, zip_longest(*map(reversed, shapes), fillvalue=1)))
