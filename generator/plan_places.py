"""Where each setting of a plan stands: TOML read once more for its places, since `tomllib` keeps none.

Only called with text that `tomllib` has read, and only when there is something to complain about.
"""

from __future__ import annotations

import re
from typing import NamedTuple

Path = tuple["str | int", ...]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}\n#]*")
_BLANKS = re.compile(r"[ \t]*")
_NOTHING = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
# Strings, the long ones first. Escapes are taken in one step, so that \" ends nothing.
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'{3}.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'',
    re.DOTALL,
)


class Place(NamedTuple):
    """Line and column, counted from 1, how many characters are meant, and the line as it stands."""

    line: int
    column: int
    width: int
    text: str


def place_of(text: str, path: Path, *, key: bool = False) -> Place | None:
    """Return where the value at `path` stands, or its key; else where the nearest table around it begins.

    A path is made of names and of places in lists from 0: `("item", 2, "from", 0, "level")`. None when not even the
    outermost table has a place: the plan as a whole is meant.
    """
    walk = _Walk(text)
    walk.run()
    if key and path in walk.keys:
        return _placed(text, *walk.keys[path])
    for end in range(len(path), 0, -1):
        if path[:end] in walk.values:
            return _placed(text, *walk.values[path[:end]])
    return None


def _placed(text: str, start: int, end: int) -> Place:
    before = text.rfind("\n", 0, start) + 1
    after = text.find("\n", start)
    line = text[before : after if after >= 0 else len(text)].rstrip("\r")
    width = max(1, min(end, before + len(line)) - start)
    return Place(text.count("\n", 0, start) + 1, start - before + 1, width, line)


class _Walk:
    """Goes through the text once; `values` and `keys` hold the spans found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.values: dict[Path, tuple[int, int]] = {}
        self.keys: dict[Path, tuple[int, int]] = {}
        self._lists: dict[Path, int] = {}  # [[name]] -> the number of its latest table

    def run(self) -> None:
        table: Path = ()
        while self._skip(_NOTHING) < len(self.text):
            before = self.at
            if self.text[self.at] == "[":
                table = self._head()
            else:
                self._pair(table)
            if self.at == before:  # no TOML that we know of: what was found so far stands
                return

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def _take(self, sign: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def _head(self) -> Path:
        """Read `[name]` or `[[name]]` and return the path of the table that it opens."""
        start = self.at
        many = self._take("[[")
        if not many:
            self._take("[")
        names = self._names()
        self._take("]]" if many else "]")
        path: Path = ()
        for name in names[:-1]:
            path = self._latest((*path, name))
        path = (*path, *names[-1:])
        if many:
            self._lists[path] = self._lists.get(path, -1) + 1
            self.values.setdefault(path, (start, self.at))
        path = self._latest(path)
        self.values[path] = (start, self.at)
        return path

    def _latest(self, path: Path) -> Path:
        return (*path, self._lists[path]) if path in self._lists else path

    def _names(self) -> Path:
        names: list[str] = []
        while True:
            self._skip(_BLANKS)
            start = self.at
            quoted = self.text[start : start + 1] in ('"', "'")
            self._skip(_STRING if quoted else _BARE_KEY)
            names.append(self.text[start : self.at].strip("\"'"))
            self._skip(_BLANKS)
            if not self._take("."):
                return tuple(names)

    def _pair(self, table: Path) -> None:
        start = self.at
        path = (*table, *self._names())
        self.keys[path] = (start, start + len(self.text[start : self.at].rstrip()))
        self._take("=")
        self._skip(_BLANKS)
        self._value(path)
        for end in range(len(table) + 1, len(path)):  # as.sel = "choice" opens the table "as", too
            self.values.setdefault(path[:end], (start, self.at))

    def _value(self, path: Path) -> None:
        start = self.at
        first = self.text[start : start + 1]
        if first in ('"', "'"):
            self._skip(_STRING)
        elif first == "[":
            self._list(path, "]")
        elif first == "{":
            self._list(path, "}")
        else:
            self._skip(_BARE_VALUE)
        self.values[path] = (start, start + len(self.text[start : self.at].rstrip()))

    def _list(self, path: Path, closing: str) -> None:
        """Read the values of an array, or the pairs of an inline table, up to the closing bracket."""
        self.at += 1
        number = 0
        while self._skip(_NOTHING) < len(self.text) and not self._take(closing):
            before = self.at
            if closing == "}":
                self._pair(path)
            else:
                self._value((*path, number))
            number += 1
            self._skip(_NOTHING)
            self._take(",")
            if self.at == before:
                return
