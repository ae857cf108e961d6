# ruff: noqa: N803, N806  sizes are named by the letters of the lesson
"""The world of the model: one batch run through it once, every stage kept, and the names that lines use for them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from grader.runner.fit import Sizes, built, fitted, linear
from grader.runner.worlds import IGNORE, SEED, Names, World, counts_per_row, make_mask, total, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grader.runner.tiny_model import TinyMaskedModel

REAL_LOGITS = 2_000_000
REAL_PARAMETERS = 5_000_000
REAL_PAIRS = 20_000_000
MOST_LAYERS = 200
ANY_LENGTH = 5  # of the sequences that vectors were pooled from, where the question shows only the vectors


class Stages:
    """Watches one model by forward hooks and keeps the tensors of its last forward pass."""

    def __init__(self, model: TinyMaskedModel) -> None:
        self.model = model
        self.seen: dict[str, Tensor] | None = None
        model.encoder.register_forward_pre_hook(self._entered)
        model.encoder.register_forward_hook(self._left("encoded"))
        model.language_head.register_forward_hook(self._left("logits"))

    def _entered(self, _module: nn.Module, inputs: tuple[Any, ...]) -> None:
        if self.seen is not None:
            self.seen["x"] = inputs[0]

    def _left(self, name: str) -> Callable[[nn.Module, Any, Any], None]:
        def note(_module: nn.Module, _inputs: Any, output: Tensor) -> None:
            if self.seen is not None:
                self.seen[name] = output

        return note

    def run(self, ids: Tensor) -> dict[str, Tensor]:
        """Run the model on ids (B, T) and return x (B, T, D), encoded (B, T, D) and logits (B, T, V)."""
        self.seen = {}
        try:
            with torch.enable_grad():
                self.model(ids)
            return self.seen
        finally:
            self.seen = None


@lru_cache(maxsize=64)
def watched(sizes: Sizes) -> Stages:
    """Return a real model of these sizes, watched; the same one for the same sizes."""
    return Stages(fitted(sizes))


@lru_cache(maxsize=4)
def _watched_on_meta(sizes: Sizes) -> Stages:
    return Stages(built(sizes, "meta"))


class ModelWorld(World):
    """The lesson's model on one batch: B D V and T, with L H F N C and M, k, K or masked where the question has them.

    A class head of C classes stands on the vectors pooled over the positions; y are the right classes.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__()
        self.given = given
        self.B, self.T = B, T = whole(given, "B"), whole(given, "T", ANY_LENGTH)
        self.D, self.V = D, V = whole(given, "D"), whole(given, "V")
        self.H, self.L = whole(given, "H", 1), whole(given, "L", T)
        self.C = whole(given, "C", 2)
        N = whole(given, "N", 1)
        if N > MOST_LAYERS:
            raise ValueError(f"a model of {N} layers is too deep to be built here")
        sizes = Sizes(V, self.L, D, self.H, whole(given, "F", 2 * D), N)
        self.device = "cpu" if _fits(sizes, B, self.C) else "meta"
        self.backward_done = False
        self.stages = watched(sizes) if self.device == "cpu" else _watched_on_meta(sizes)
        model = self.stages.model
        self.names = Names(
            {
                "B": B, "T": T, "D": D, "V": V, "L": self.L, "H": self.H, "N": sizes.N, "C": self.C,
                "model": model, "tok": model.token_embedding, "pos": model.position_embedding,
                "head": model.language_head, "attn": model.encoder.layers[0].self_attn,
            },
            self._makers(),
        )  # fmt: skip
        if "K" in given:
            self.names.ready["K"] = whole(given, "K", least=0)
        self._run()

    def shows(self, result: Tensor) -> bool:
        """Tell whether a result is a count: all other numbers come from random weights."""
        return not result.ndim and not result.is_floating_point()

    def _makers(self) -> dict[str, Callable[[], Any]]:
        names = self._name
        return {
            "M": lambda: int(names("rows").shape[0]),
            "K": lambda: self._missing("K"),
            "mask": lambda: self._missing("mask", "M or k"),
            "rows": lambda: self._missing("rows", "M or k"),
            "cols": lambda: self._missing("cols", "M or k"),
            "idx": self._idx,
            "labels": self._labels,
            "sel": lambda: self._kept(lambda: self.steps.subscript(names("logits"), names("mask"))),
            "tgt": lambda: self.steps.subscript(names("ids"), names("mask")),
            "at": lambda: torch.arange(self.T, device=self.device),
            "causal_logits": self._causal_logits,
            "head_c": self._class_head,
            "pooled": lambda: self._kept(lambda: names("encoded").mean(1)),
            "class_logits": lambda: self._kept(lambda: names("head_c")(names("pooled"))),
            "y": self._classes,
            "q": lambda: head_by_head(names("attn"), names("x"), 0),
            "scores": lambda: names("q") @ head_by_head(names("attn"), names("x"), 1).transpose(-1, -2),
            "one": lambda: torch.ones(self.T, self.T, device=self.device),
        }

    def _name(self, name: str) -> Any:
        return self.names[name]

    @staticmethod
    def _missing(name: str, needs: str | None = None) -> Any:
        raise NameError(f"name {name!r} is not defined" if needs is None else f"{name} needs {needs} among the given")

    @staticmethod
    def _kept(make: Callable[[], Any]) -> Any:
        """Make a tensor that the loss may be derived from, so with its history."""
        with torch.enable_grad():
            return make()

    def _run(self) -> None:
        """Draw the ids (B, T), hide the masked ones and run the model once."""
        B, T, V, ready = self.B, self.T, self.V, self.names.ready
        last = max(0, V - 1)  # the mask id: no original holds it
        if self.device == "meta":
            ids = inputs = torch.empty(B, T, dtype=torch.long, device="meta")
            self._mask_on_meta()
        else:
            generator = torch.Generator().manual_seed(SEED)
            ids = inputs = torch.randint(0, max(1, last), (B, T), generator=generator)
            mask = make_mask(self.given, B, T)
            if mask is not None:
                inputs = ids.masked_fill(mask, last)
                rows, cols = mask.nonzero(as_tuple=True)
                ready.update(mask=mask, rows=rows, cols=cols)
        seen = self.stages.run(inputs)
        ready.update(seen, ids=ids, inputs=inputs)
        self.steps.known.append((self.stages.model.language_head, seen["encoded"], seen["logits"]))

    def _mask_on_meta(self) -> None:
        """Give the mask without numbers, and its M hits as index vectors (M,)."""
        B, T, ready = self.B, self.T, self.names.ready
        if "masked" in self.given:
            M = sum(len(set(row)) for row in self.given["masked"])
        else:
            counts = counts_per_row(self.given, B, T)
            if counts is None and "M" not in self.given:
                return
            M = total(self.given, B, T) if counts is None else sum(counts)
        mask = torch.empty(B, T, dtype=torch.bool, device="meta")
        rows = torch.empty(M, dtype=torch.long, device="meta")
        cols = torch.empty(M, dtype=torch.long, device="meta")
        self.steps.hits.append((mask, (rows, cols)))
        ready.update(mask=mask, rows=rows, cols=cols)

    def _idx(self) -> Tensor:
        """Return the masked positions row by row, (B, K), where every row has the same number."""
        K = self._name("K")
        if self.device == "meta":
            return torch.empty(self.B, K, dtype=torch.long, device="meta")
        return cast("Tensor", self._name("cols").view(self.B, K))

    def _causal_logits(self) -> Tensor:
        """Return the scores (B, T, V) of the same model for the next id: nothing hidden but what comes later.

        `is_causal=False` only keeps PyTorch from looking whether the mask is the usual one, which needs its numbers.
        """
        model = self.stages.model
        future = torch.ones(self.T, self.T, dtype=torch.bool, device=self.device).triu(1)
        x = model.token_embedding(self._name("ids")) + model.position_embedding(self._name("at"))
        return cast("Tensor", model.language_head(model.encoder(x, mask=future, is_causal=False)))

    def _class_head(self) -> nn.Linear:
        """Return the head, D to C, that is put on pooled vectors."""
        return linear(self.D, self.C) if self.device == "cpu" else nn.Linear(self.D, self.C, device="meta")

    def _classes(self) -> Tensor:
        """Return the right class of each sequence, (B,)."""
        if self.device == "meta":
            return torch.empty(self.B, dtype=torch.long, device="meta")
        return torch.randint(0, self.C, (self.B,), generator=torch.Generator().manual_seed(SEED))

    def _labels(self) -> Tensor:
        ids, mask = self._name("ids"), self._name("mask")
        return cast("Tensor", ids.masked_fill(~mask, IGNORE))

    def loss_backward(self, loss: Tensor) -> None:
        """Run `backward()` once, from the first loss of this world. Raises RuntimeError if no gradient arrives."""
        if self.backward_done or loss.ndim:
            return
        self.backward_done = True
        loss.backward()  # type: ignore[no-untyped-call]
        table = self.stages.model.position_embedding.weight
        if table.grad is None:
            raise RuntimeError("backward() brought no gradient to the position table")
        table.grad = None


def head_by_head(attention: nn.MultiheadAttention, x: Tensor, which: int) -> Tensor:
    """Return the queries (0) or keys (1) that attention makes of x (B, T, D), head by head: (B, H, T, D/H)."""
    B, T, D = x.shape
    rows = slice(which * D, (which + 1) * D)
    flat = functional.linear(x, attention.in_proj_weight[rows], attention.in_proj_bias[rows])
    return flat.view(B, T, attention.num_heads, attention.head_dim).transpose(1, 2)


def _fits(sizes: Sizes, B: int, C: int) -> bool:
    """Tell whether real tensors are small enough, a full-length batch of L positions and its scores included."""
    return (
        B * sizes.L * max(sizes.V, C) <= REAL_LOGITS
        and sizes.parameters + sizes.D * C + C <= REAL_PARAMETERS
        and B * sizes.L * max(3 * sizes.D, sizes.F) * sizes.N <= REAL_PAIRS
        and B * sizes.H * sizes.L**2 * sizes.N <= REAL_PAIRS
    )
