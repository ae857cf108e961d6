"""Symbolic tracing by torch.export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def trace(constants: Mapping[str, int], lines: Mapping[str, str]) -> dict[str, Any]:
    """Report that no line is traced yet."""
    return {"axes": {}, "errors": dict.fromkeys(lines, f"tracing is not ready ({len(constants)} constants)")}
