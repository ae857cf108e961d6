"""Gives the Typst source of papers and keys: `print/words.typ`, which sets question text, then `print/paper.typ`."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "print"


@functools.cache
def source() -> str:
    """Return the whole source as one text, so that the compiler needs no folder to import from."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in ("words.typ", "paper.typ"))
