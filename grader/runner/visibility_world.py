# ruff: noqa: N803, N806  sizes are named by the letters of the lesson
"""The world of attention: who reads whom, seen in a real encoder under its masks.

Two looks, neither of which reads the masks: attention weights above zero (one layer), and gradients from an output back
to the embedded inputs (all layers). The weights alone tell whether a position reads itself, because the residual path
gives every position a gradient to itself.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from torch import Tensor, nn

from grader.runner.fit import Sizes, built
from grader.runner.worlds import SEED, Names, World, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.runner.tiny_model import TinyMaskedModel

MODES = ("bidirectional", "causal")
MOST_POSITIONS = 64
MOST_LAYERS = 8
WIDTH, HEADS, VOCABULARY = 8, 2, 50
NO_GRADIENT = 1e-12


class Sight(NamedTuple):
    """What an encoder of T positions shows: each tensor is (T, T), readers in rows and what they read in columns."""

    weights: Tensor
    reach: Tensor


class VisibilityWorld(World):
    """T positions of which the first n are real, a reader i, and a mode: `bidirectional` or `causal`; N layers (1)."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__()
        T = whole(given, "T")
        if T > MOST_POSITIONS:
            raise ValueError(f"T is {T}: at most {MOST_POSITIONS} positions are looked at one by one")
        n, i = whole(given, "n"), whole(given, "i", least=0)
        if n > T:
            raise ValueError(f"n is {n}, but there are only {T} positions")
        if i >= T:
            raise ValueError(f"{T} positions, counted from 0, have no position {i}")
        mode = given.get("mode")
        if mode not in MODES:
            raise ValueError(f"mode must be bidirectional or causal, not {mode!r}")
        N = whole(given, "N", 1)
        if N > MOST_LAYERS:
            raise ValueError(f"N is {N}: at most {MOST_LAYERS} layers are looked through")
        pad = torch.arange(T) >= n
        self.look = (T, n, mode, N)
        ready = {"T": T, "n": n, "i": i, "mode": mode, "N": N, "pad": pad, "one": torch.ones(T, T)}
        self.names = Names(
            ready,
            {
                "ok": lambda: ~(_future(T, mode) | pad),
                "weights": lambda: sight(*self.look).weights,
                "reached": self._reached,
            },
        )

    def _reached(self) -> Tensor:
        """Return which positions (T,) change output i: others by their gradients, i itself by its own weight."""
        i = self.names["i"]
        seen = sight(*self.look)
        reached = seen.reach[i] > NO_GRADIENT
        reached[i] = seen.weights[i, i] > 0
        return reached


@lru_cache(maxsize=256)
def sight(T: int, n: int, mode: str, N: int) -> Sight:
    """Run an encoder of N layers on T positions, the last T - n of them padding, and look at every reader at once.

    One sequence a reader: in copy i the gradient comes from output i alone. `weights` are those of the first layer,
    averaged over its heads; `reach` is the largest gradient over the features. Both float64.
    """
    model = _model(N)
    with torch.no_grad():
        at = torch.arange(T)
        x = (model.token_embedding(at % VOCABULARY) + model.position_embedding(at)).expand(T, T, WIDTH).contiguous()
    x.requires_grad_(True)  # noqa: FBT003
    future = _future(T, mode) if mode == "causal" else None
    pad = (torch.arange(T) >= n).expand(T, T)
    with torch.enable_grad():
        encoded = model.encoder(x, mask=future, src_key_padding_mask=pad)
        # The square: after a LayerNorm the plain sum of an output is the same whatever goes in.
        outputs = encoded.square().sum(-1).diagonal().sum()
        (gradient,) = torch.autograd.grad(outputs, x)
    attention = cast("nn.TransformerEncoderLayer", model.encoder.layers[0]).self_attn
    with torch.no_grad():
        weights = attention(x[:1], x[:1], x[:1], attn_mask=future, key_padding_mask=pad[:1])[1][0]
    return Sight(weights, gradient.abs().amax(-1))


def _future(T: int, mode: str) -> Tensor:
    """Return the mask (T, T) that hides from each reader, in rows, the keys after it; hides nothing unless causal."""
    everything = torch.ones(T, T, dtype=torch.bool)
    return everything.triu(1) if mode == "causal" else ~everything


@lru_cache(maxsize=MOST_LAYERS)
def _model(N: int) -> TinyMaskedModel:
    """Return the lesson's model of N layers in float64, every weight random.

    Fresh norms scale by exactly one, and then even the square hardly depends on what goes in; and fresh layers are
    copies of each other. So every parameter gets numbers of its own.
    """
    model = built(Sizes(VOCABULARY, MOST_POSITIONS, WIDTH, HEADS, 2 * WIDTH, N)).double()
    generator = torch.Generator().manual_seed(SEED)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            around = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            parameter.uniform_(around - 0.5, around + 0.5, generator=generator)
    return model.requires_grad_(False)  # noqa: FBT003
