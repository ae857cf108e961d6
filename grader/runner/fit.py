# ruff: noqa: N803, N806, SLF001  sizes are named by the letters of the lesson; parameters are put in place by hand
"""Models of many sizes without paying for each construction.

Building the module tree takes PyTorch longer than running it, and every variant has sizes of its own. So one real
model per depth is built by `TinyMaskedModel` and kept as a pattern; a model of other sizes copies its module tree and
gets its own parameters, as views of one shared random buffer. A test compares such a copy, attribute by attribute, with
a model that was built the long way.

Only the position table asks for a gradient: it enters at the first step, so `backward()` from the loss has to pass
through every step to reach it, and the gradients of the other weights, which nobody looks at, are not computed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import torch
from torch import Tensor, nn

from grader.runner.tiny_model import TinyMaskedModel

Module = TypeVar("Module", bound=nn.Module)


@dataclass(frozen=True, slots=True)
class Sizes:
    """V ids, L positions in the table, width D, H heads, feed-forward width F, N layers."""

    V: int
    L: int
    D: int
    H: int
    F: int
    N: int

    @property
    def parameters(self) -> int:
        """How many parameters a model of these sizes has."""
        V, L, D, F = self.V, self.L, self.D, self.F
        return V * D + L * D + self.N * (4 * D * D + 2 * D * F + 9 * D + F) + V * D + V


class _Buffer:
    """A row of random numbers that grows; parameters are views of it."""

    def __init__(self) -> None:
        self.numbers = torch.empty(0)

    def first(self, count: int) -> Tensor:
        """Return the first `count` numbers, shape (count,)."""
        if self.numbers.numel() < count:
            generator = torch.Generator().manual_seed(12)
            size = 1 << max(16, math.ceil(math.log2(count)))
            self.numbers = torch.empty(size).uniform_(-0.1, 0.1, generator=generator)
        return self.numbers


_BUFFER = _Buffer()
_LINEAR = nn.Linear(1, 1)


@lru_cache(maxsize=8)
def _pattern(N: int, *, even: bool) -> TinyMaskedModel:
    """Return the model whose module tree is copied for depth N; the encoder notes whether the head count is even."""
    return TinyMaskedModel(3, 2, 4, H=2 if even else 1, F=5, N=N)


@lru_cache(maxsize=64)
def fitted(sizes: Sizes) -> TinyMaskedModel:
    """Return a model of these sizes on the CPU; the same one for the same sizes.

    Where H does not divide D, or a size is not positive, PyTorch's own construction raises its own error.
    """
    positive = min(sizes.V, sizes.L, sizes.D, sizes.H, sizes.F, sizes.N) > 0
    if not positive or sizes.D % sizes.H:
        return built(sizes)
    cut = _Cut(_BUFFER.first(sizes.parameters))
    model = _copy(_pattern(sizes.N, even=sizes.H % 2 == 0))
    D, F, V = sizes.D, sizes.F, sizes.V
    _fit_embedding(model.token_embedding, V, D, cut)
    _fit_embedding(model.position_embedding, sizes.L, D, cut, grad=True)
    for layer in model.encoder.layers:
        _fit_layer(layer, D, sizes.H, F, cut)
    _fit_linear(model.language_head, D, V, cut)
    return model


def linear(wide: int, out: int) -> nn.Linear:
    """Return a layer that turns vectors of `wide` numbers into `out` numbers; its weights ask for no gradient."""
    layer = _copy(_LINEAR)
    _fit_linear(layer, wide, out, _Cut(_BUFFER.first(wide * out + out)))
    return layer


def built(sizes: Sizes, device: str = "cpu") -> TinyMaskedModel:
    """Construct the long way, on `cpu` or `meta`; the position table alone asks for a gradient."""
    with torch.device(device):
        model = TinyMaskedModel(sizes.V, sizes.L, sizes.D, H=sizes.H, F=sizes.F, N=sizes.N)
    model.requires_grad_(False)  # noqa: FBT003
    model.position_embedding.weight.requires_grad_(True)  # noqa: FBT003
    return model


class _Cut:
    """Hands out consecutive pieces of the buffer as parameters."""

    def __init__(self, numbers: Tensor) -> None:
        self.numbers = numbers
        self.at = 0

    def parameter(self, *shape: int, grad: bool = False) -> nn.Parameter:
        """Return the next piece as a parameter of this shape."""
        strides = (shape[1], 1) if len(shape) == 2 else (1,)
        piece = self.numbers.as_strided(shape, strides, self.at)
        self.at += math.prod(shape)
        return nn.Parameter(piece, requires_grad=grad)


def _copy(module: Module) -> Module:
    """Copy a module tree; the parameters are filled in afterwards."""
    copy = module.__class__.__new__(module.__class__)
    fields = dict(module.__dict__)
    for name, value in fields.items():
        if isinstance(value, dict):
            fields[name] = value.copy() if value else value.__class__()
    children: dict[str, nn.Module | None] = fields["_modules"]
    for name, child in children.items():
        children[name] = None if child is None else _copy(child)
    copy.__dict__.update(fields)
    return copy


def _fit_embedding(module: nn.Embedding, count: int, D: int, cut: _Cut, *, grad: bool = False) -> None:
    module.num_embeddings, module.embedding_dim = count, D
    module._parameters["weight"] = cut.parameter(count, D, grad=grad)


def _fit_linear(module: nn.Linear, wide: int, out: int, cut: _Cut) -> None:
    module.in_features, module.out_features = wide, out
    module._parameters["weight"] = cut.parameter(out, wide)
    module._parameters["bias"] = cut.parameter(out)


def _fit_norm(module: nn.LayerNorm, D: int, cut: _Cut) -> None:
    module.normalized_shape = (D,)
    module._parameters["weight"] = cut.parameter(D)
    module._parameters["bias"] = cut.parameter(D)


def _fit_layer(layer: nn.Module, D: int, H: int, F: int, cut: _Cut) -> None:
    assert isinstance(layer, nn.TransformerEncoderLayer)
    attention = layer.self_attn
    attention.embed_dim = attention.kdim = attention.vdim = D
    attention.num_heads, attention.head_dim = H, D // H
    attention._parameters["in_proj_weight"] = cut.parameter(3 * D, D)
    attention._parameters["in_proj_bias"] = cut.parameter(3 * D)
    _fit_linear(attention.out_proj, D, D, cut)
    _fit_linear(layer.linear1, D, F, cut)
    _fit_linear(layer.linear2, F, D, cut)
    _fit_norm(layer.norm1, D, cut)
    _fit_norm(layer.norm2, D, cut)
