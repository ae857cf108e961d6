# ruff: noqa: N806  sizes are named by the letters of the lesson
"""Shapes for all sizes at once: the lines are exported with B and T open and the masked count unknown.

`torch.export` runs the model on tensors whose sizes are symbols. What comes out as the size of an axis is then a
formula in B, T and M that holds for every batch, not only for the one that a question shows. D, V and H stay numbers of
the trace; the caller repeats it at further sizes. This route shares no code with the keys' own formulas.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy
import torch
from torch import Tensor, nn
from torch.export import Dim

from grader.expr import Expr, Letter, Num
from grader.runner.fit import Sizes, built
from grader.runner.line import Line, Steps, compile_line
from grader.runner.model_world import Stages, head_by_head
from grader.runner.observe import describe
from grader.runner.worlds import Names, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_POSITIONS = 512
SAMPLE = (3, 7)
KNOWN_SIZES = frozenset("VLDHFNC")


@dataclass(frozen=True, slots=True)
class Traced:
    """The axes of every line that has a shape for all sizes, in `Expr.to_json` form, and why the others have none."""

    axes: dict[str, list[Any]]
    errors: dict[str, str]


def trace(constants: Mapping[str, int], lines: Mapping[str, str]) -> Traced:
    """Trace the lines with the constants D and V (H = 1, F = 2D, N = 1, C = 2, L = 512 unless given).

    Raises ValueError for a missing or unknown constant. When one line spoils the trace of all, each is traced alone.
    """
    if unknown := set(constants) - KNOWN_SIZES:
        raise ValueError(f"a trace has no constant {', '.join(sorted(unknown))}")
    for name in {"D", "V"} | set(constants):
        whole(constants, name)
    try:
        return _trace(constants, lines)
    except Exception as error:  # noqa: BLE001  export raises many kinds; which line it was is found out below
        if len(lines) == 1:
            return Traced({}, dict.fromkeys(lines, describe(error)))
    axes: dict[str, list[Any]] = {}
    errors: dict[str, str] = {}
    for name, text in lines.items():
        alone = trace(constants, {name: text})
        axes.update(alone.axes)
        errors.update(alone.errors)
    return Traced(axes, errors)


class _Failed:
    """Why lines gave no tensor. Not a plain attribute of the module: export puts those back after its run."""

    def __init__(self) -> None:
        self.errors: dict[str, str] = {}


class _Lines(nn.Module):
    """A module whose outputs are ids, the rows of the hits, and then the tensor of each line that has one."""

    def __init__(self, constants: Mapping[str, int], lines: Mapping[str, Line], failed: _Failed) -> None:
        super().__init__()
        self.failed = failed
        D, self.heads = whole(constants, "D"), whole(constants, "H", 1)
        V, L, N = whole(constants, "V"), whole(constants, "L", MOST_POSITIONS), whole(constants, "N", 1)
        sizes = Sizes(V, L, D, self.heads, whole(constants, "F", 2 * D), N)
        self.model = built(sizes)
        self.class_head = nn.Linear(D, whole(constants, "C", 2))
        self.stages = Stages(self.model)
        self.sizes = {"D": D, "V": V, "L": L, "H": self.heads, "N": N, "C": self.class_head.out_features}
        self.lines = lines

    def forward(self, ids: Tensor, mask: Tensor) -> list[Tensor]:
        """Run every line on ids (B, T) and mask (B, T)."""
        names = self._names(ids, mask)
        results = [ids, names["rows"]]
        self.failed.errors.clear()
        for name, line in self.lines.items():
            try:
                result = line.run(names, Steps())
            except Exception as error:  # noqa: BLE001  reported beside the shapes of the other lines
                self.failed.errors[name] = describe(error)
                continue
            if isinstance(result, Tensor):
                results.append(result)
            else:
                self.failed.errors[name] = f"TypeError: the line gives a {type(result).__name__}, not a tensor"
        return results

    def _names(self, ids: Tensor, mask: Tensor) -> Names:
        """Return the names of the model world, on tensors whose sizes are symbols."""
        model = self.model
        B, T = ids.shape
        rows, cols = mask.nonzero(as_tuple=True)
        inputs = ids.masked_fill(mask, self.sizes["V"] - 1)
        ready = {
            "B": B, "T": T, "M": rows.shape[0], **self.sizes,
            "ids": ids, "inputs": inputs, "mask": mask, "rows": rows, "cols": cols, **self.stages.run(inputs),
            "model": model, "tok": model.token_embedding, "pos": model.position_embedding,
            "head": model.language_head, "head_c": self.class_head, "attn": model.encoder.layers[0].self_attn,
        }  # fmt: skip
        makers: dict[str, Callable[[], Any]] = {
            "at": lambda: torch.arange(T),
            "sel": lambda: names["logits"][mask],
            "tgt": lambda: ids[mask],
            "labels": lambda: ids.masked_fill(~mask, -100),
            "pooled": lambda: names["encoded"].mean(1),
            "class_logits": lambda: self.class_head(names["pooled"]),
            "y": lambda: ids[:, 0] % self.sizes["C"],
            "q": lambda: head_by_head(names["attn"], names["x"], 0),
            "scores": lambda: names["q"] @ head_by_head(names["attn"], names["x"], 1).transpose(-1, -2),
            "one": lambda: torch.ones(T, T),
        }
        names = Names(ready, makers)
        return names


def _trace(constants: Mapping[str, int], lines: Mapping[str, str]) -> Traced:
    errors: dict[str, str] = {}
    compiled: dict[str, Line] = {}
    for name, text in lines.items():
        try:
            compiled[name] = compile_line(text.strip().removesuffix(".shape"))
        except Exception as error:  # noqa: BLE001
            errors[name] = describe(error)
    failed = _Failed()
    module = _Lines(constants, compiled, failed)
    open_sizes = {0: Dim("B", min=2, max=512), 1: Dim("T", min=4, max=min(module.sizes["L"], MOST_POSITIONS))}
    ids = torch.zeros(SAMPLE, dtype=torch.long)
    mask = torch.zeros(SAMPLE, dtype=torch.bool)
    mask[0, 1] = mask[2, 3] = True
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        program = torch.export.export(module, (ids, mask), dynamic_shapes=(open_sizes, open_sizes))
    first, second, *rest = _shapes(program)
    letters = {first[0]: Letter("B"), first[1]: Letter("T"), second[0]: Letter("M")}
    errors.update(failed.errors)
    axes: dict[str, list[Any]] = {}
    for name, shape in zip([name for name in compiled if name not in failed.errors], rest, strict=True):
        try:
            axes[name] = [_formula(size, letters).to_json() for size in shape]
        except ValueError as error:
            errors[name] = describe(error)
    return Traced(axes, errors)


def _shapes(program: torch.export.ExportedProgram) -> list[list[sympy.Expr]]:
    """Return the shape of every output as SymPy expressions."""
    (output,) = [node for node in program.graph.nodes if node.op == "output"]
    return [
        [size.node.expr if isinstance(size, torch.SymInt) else sympy.Integer(size) for size in node.meta["val"].shape]
        for node in output.args[0]
    ]


def _formula(size: sympy.Expr, letters: Mapping[sympy.Expr, Letter]) -> Expr:
    """Write a size in the letters B, T and M. Raises ValueError when it is no such formula."""
    if size in letters:
        return letters[size]
    if isinstance(size, sympy.Rational):
        return Num(size.p) / Num(size.q) if size.q != 1 else Num(size.p)
    if isinstance(size, sympy.Pow) and isinstance(size.exp, sympy.Integer):
        return _formula(size.base, letters) ** int(size.exp)
    if isinstance(size, sympy.Add | sympy.Mul):
        parts = [_formula(part, letters) for part in size.args]
        whole_thing = parts[0]
        for part in parts[1:]:
            whole_thing = whole_thing + part if isinstance(size, sympy.Add) else whole_thing * part
        return whole_thing
    raise ValueError(f"the trace leaves a size open that is no formula in B, T and M: {size}")
