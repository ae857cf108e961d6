"""What the runner saw when it ran one line, in a form that crosses the socket. Loads no PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Seen:
    """The outcome of one line of PyTorch.

    `shape` is the shape of a tensor (or of a `torch.Size`), in sizes per axis; None for anything else.
    `value` is an int, a bool, the exact text of a float (`repr`), a nested list of these, or None where only the shape
    was asked for. `printed` is what Python prints for a line that people get to see (`observe`), else the value as
    text; where the numbers of a tensor are random (those of a model, of scores) it is the shape,
    `torch.Size([12, 6])`.
    `error` is `"IndexError: ..."` when the line raised; then the other fields are empty.
    `device` says where the tensor lived: `meta` tensors have a shape and no numbers.
    """

    shape: tuple[int, ...] | None = None
    value: Any = None
    printed: str = ""
    error: str | None = None
    device: Literal["cpu", "meta"] = "cpu"

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        shape = None if self.shape is None else list(self.shape)
        return {
            "shape": shape,
            "value": self.value,
            "printed": self.printed,
            "error": self.error,
            "device": self.device,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Seen:
        """Rebuild from `to_json`. Raises KeyError or TypeError on anything else."""
        shape = data["shape"]
        return cls(
            None if shape is None else tuple(shape), data["value"], data["printed"], data["error"], data["device"]
        )
