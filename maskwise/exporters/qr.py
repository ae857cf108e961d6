"""QR codes of ids on paper: the id and nothing else, as an SVG of one path."""

from __future__ import annotations

import functools
import io

import segno


@functools.lru_cache(maxsize=1024)
def qr(code: str) -> str:
    """Return the QR code of an id as SVG."""
    out = io.BytesIO()
    # One fixed mask: all eight read alike, and to weigh them costs more than the rest of the sheet.
    segno.make(code, error="m", micro=False, mask=0).save(
        out, kind="svg", border=0, xmldecl=False, svgns=True, nl=False
    )
    return out.getvalue().decode()
