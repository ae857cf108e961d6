"""Tables as CSV that a spreadsheet opens as text: no cell of a student can become a formula.

A text that starts like a formula gets an apostrophe in front, as spreadsheets themselves do; numbers stay numbers.
"""

from __future__ import annotations

import csv
import io
import itertools
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_STARTS = "=+-@\t\r\n"


def cell(value: str | float | None) -> str | int | float:
    """Make one value safe; what is not text is left as it is."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    # A lone surrogate or NUL cannot stand in a file: it is shown as what it is.
    text = value.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")
    first = unicodedata.normalize("NFKC", text[:1])  # fullwidth signs start formulas, too
    return f"'{text}" if first and first in _STARTS else text


def rows(head: Sequence[str], lines: Iterable[Sequence[str | float | None]]) -> Iterator[bytes]:
    """Write a table line by line, in UTF-8 with the mark that makes spreadsheets read it so."""
    yield b"\xef\xbb\xbf"
    for line in itertools.chain([head], lines):
        out = io.StringIO()
        csv.writer(out, lineterminator="\r\n").writerow([cell(value) for value in line])
        yield out.getvalue().encode()
