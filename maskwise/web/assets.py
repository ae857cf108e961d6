"""The static files: where they are, and the hash of their content that their addresses carry."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

STATIC = Path(__file__).parent / "static"


def content_hash(name: str) -> str | None:
    """Return the hash of a static file; None when there is no such file."""
    return _hash(name) if name in _names() else None


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(file.relative_to(STATIC).as_posix() for file in STATIC.rglob("*") if file.is_file())


@functools.cache
def _hash(name: str) -> str:
    return hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
