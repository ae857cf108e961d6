"""Tables as CSV: written so that a spreadsheet opens each cell as text, read with the place of each cell.

No cell of a student can become a formula: a text that starts like one gets an apostrophe in front, as spreadsheets
themselves do, and loses it when the file is read again. Numbers stay numbers. Nothing is re-encoded or mended silently.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_STARTS = "=+-@\t\r\n"
DELIMITERS = ",;\t"
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_LINE_END = re.compile(r"\r\n|\r|\n")


def cell(value: str | float | None) -> str | int | float:
    """Make one value safe; what is not text is left as it is."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    # A lone surrogate or NUL cannot stand in a file: it is shown as what it is.
    text = value.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")
    return f"'{text}" if _starts_formula(text.lstrip("'")) else text


def text_of(value: str) -> str:
    """Give the text of a cell that was read: an apostrophe that only kept it from being a formula is dropped."""
    guarded = value.startswith("'") and _starts_formula(value.lstrip("'"))
    return value[1:] if guarded else value


def _starts_formula(text: str) -> bool:
    first = unicodedata.normalize("NFKC", text[:1])  # fullwidth signs start formulas, too
    return bool(first) and first in _STARTS


def rows(head: Sequence[str], lines: Iterable[Sequence[str | float | None]]) -> Iterator[bytes]:
    """Write a table line by line, in UTF-8 with the mark that makes spreadsheets read it so."""
    yield b"\xef\xbb\xbf"
    for line in itertools.chain([head], lines):
        out = io.StringIO()
        csv.writer(out, lineterminator="\r\n").writerow([cell(value) for value in line])
        yield out.getvalue().encode()


class Cell(NamedTuple):
    """The text of a cell as it was read, and where it begins: line and column count from 1."""

    text: str
    line: int
    column: int


class BadTable(Exception):
    """A file that is no table of text: `str()` says why, `line` and `column` where (None: the whole file)."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None, help: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.help = help


def decoded(data: bytes) -> str:
    """Give the text of a file in UTF-8, with or without its mark. BadTable for another encoding, or a NUL."""
    if data.startswith(_WIDE_MARKS):
        raise BadTable("the file is not UTF-8 text", help='save it as "CSV UTF-8"')
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line, column = _place(data[: problem.start].decode("utf-8-sig", "replace"))
        raise BadTable("the file is not UTF-8 text", line, column, help='save it as "CSV UTF-8"') from None
    if "\0" in text:
        raise BadTable("the file holds a NUL, as no text does", *_place(text[: text.index("\0")]))
    return text


def _place(before: str) -> tuple[int, int]:
    """Give line and column of what follows a text."""
    ends = list(_LINE_END.finditer(before))
    return len(ends) + 1, len(before) - (ends[-1].end() if ends else 0) + 1


def read(text: str, delimiter: str) -> Iterator[list[Cell]]:
    """Read a table line by line; a cell in double quotes may hold delimiters, line ends and doubled quotes.

    Lines without any sign are left out. BadTable for a quote that is not closed, or signs behind one that is.
    """
    stops = re.compile(rf"[{re.escape(delimiter)}\r\n]")
    quoted = re.compile(r'"((?:[^"]|"")*)"')
    at, line, start = 0, 1, 0  # where the line began, for columns
    row: list[Cell] = []
    while at <= len(text):
        column, first_line = at - start + 1, line
        if text.startswith('"', at):
            found = quoted.match(text, at)
            if found is None:
                raise BadTable("a double quote is not closed", line, column, help='a quote inside a cell is written ""')
            value = found[1].replace('""', '"')
            for inner in _LINE_END.finditer(text, at, found.end()):
                line, start = line + 1, inner.end()
            at = found.end()
            if at < len(text) and text[at] not in f"{delimiter}\r\n":
                raise BadTable(
                    "something stands behind a closing quote", line, at - start + 1, help='a quote is written ""'
                )
        else:
            stop = stops.search(text, at)
            end_of_cell = stop.start() if stop else len(text)
            value, at = text[at:end_of_cell], end_of_cell
        row.append(Cell(value, first_line, column))
        if text.startswith(delimiter, at):
            at += 1
            continue
        if len(row) > 1 or row[0].text:
            yield row
        row = []
        end = _LINE_END.match(text, at)
        if end is None:
            return
        at, line, start = end.end(), line + 1, end.end()
