"""Run lines in a world and write down what was seen. Whatever a line raises is an observation, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.runner.line import Line, compile_line
from grader.runner.model_world import ModelWorld
from grader.runner.pooling_world import PoolingWorld
from grader.runner.seen import Seen
from grader.runner.steps import CarefulSteps
from grader.runner.token_world import TokenWorld
from grader.runner.visibility_world import VisibilityWorld
from grader.runner.worlds import CountsWorld, LossesWorld, World

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WORLDS: dict[str, Callable[[Mapping[str, Any]], World]] = {
    "model": ModelWorld,
    "counts": CountsWorld,
    "losses": LossesWorld,
    "tokens": TokenWorld,
    "visibility": VisibilityWorld,
    "pooling": PoolingWorld,
}
LONGEST_LIST = 1000
LONGEST_ERROR = 500


def observe(world: str, given: Mapping[str, Any], lines: Mapping[str, str]) -> dict[str, Seen]:
    """Run every line in one world made from the given; name -> what was seen.

    A line under a plain name (`total`) is one that people get to see, with what PyTorch prints for it. Under any other
    name (`total.one_row`) its value alone is wanted, and `printed` is that value as text: PyTorch takes longer to print
    a tensor than to make it. Raises KeyError for an unknown world. When the world itself cannot be made, every line has
    that error.
    """
    make = WORLDS[world]
    with torch.no_grad():
        try:
            place = make(given)
        except Exception as error:  # noqa: BLE001  what PyTorch raises for these sizes is the observation
            failed = Seen(error=describe(error))
            return dict.fromkeys(lines, failed)
        shown = {text for name, text in lines.items() if name.isidentifier()}
        # Each line once: the key of one part is often a witness of the next.
        seen = {text: _look(place, text, shown=text in shown) for text in dict.fromkeys(lines.values())}
        return {name: seen[text] for name, text in lines.items()}


def describe(error: BaseException) -> str:
    """Name an error in one line, as Python's last line does."""
    text = str(error).strip().split("\n", 1)[0]
    return f"{type(error).__name__}: {text}"[:LONGEST_ERROR]


def _look(world: World, text: str, *, shown: bool) -> Seen:
    try:
        line = compile_line(text)
        world.steps.on_meta = False
        result = _run(world, line)
        return _seen(world, line, result, shown=shown)
    except Exception as error:  # noqa: BLE001  as above
        return Seen(error=describe(error))


def _run(world: World, line: Line) -> Any:
    if not line.is_loss:
        return line.run(world.names, world.steps)
    with torch.enable_grad():
        result = line.run(world.names, world.steps)
        if isinstance(result, Tensor):
            world.loss_backward(result)
    return result.detach()


def _seen(world: World, line: Line, result: Any, *, shown: bool) -> Seen:
    if isinstance(result, torch.Size):
        return Seen(tuple(result), None, str(result), None, "meta" if world.steps.on_meta else world.device)
    if isinstance(result, Tensor):
        return _seen_tensor(world, line, result, shown=shown)
    if isinstance(result, bool | int | float):
        return Seen(None, _value(result), str(result))
    raise TypeError(f"the line gives a {type(result).__name__}, neither a tensor nor a number")


def _seen_tensor(world: World, line: Line, result: Tensor, *, shown: bool) -> Seen:
    shape = tuple(result.shape)
    if result.is_meta:
        return Seen(shape, None, str(result.shape), None, "meta")
    if not world.shows(result):
        return Seen(shape, None, str(result.shape))
    printed = str(result) if shown else ""
    if result.dtype is torch.float32:
        result = _in_float64(world, line)
    if result.numel() > LONGEST_LIST:
        return Seen(shape, None, printed or str(result.shape))
    numbers = result.tolist()
    return Seen(shape, _value(numbers), printed or str(numbers))


def _in_float64(world: World, line: Line) -> Tensor:
    """Run the line again with float64 as the type that whole numbers divide into, for an exact value."""
    steps = CarefulSteps()
    torch.set_default_dtype(torch.float64)
    try:
        result: Tensor = line.run(world.names, steps)
    finally:
        torch.set_default_dtype(torch.float32)
    return result


def _value(value: Any) -> Any:
    """Turn numbers into JSON values that lose nothing: floats as text."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return [_value(item) for item in value]
    return value
