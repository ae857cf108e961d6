"""Protected tokens: how a value of a question enters its Markdown without ever being read as Markdown.

`B*T*V` holds two asterisks and `logits[:, i](x)` looks like a link, so a value is never pasted into the text. A filter
turns it into a token, a JSON list between two rare brackets, for instance `⟦["num","8","B"]⟧`, and the writers of
`templates.markup` set each token in their own way. Tokens are data: a forged or broken one can make nothing that a
filter could not make, since every writer checks the payload and escapes it.

The JSON is pure ASCII, so that the brackets cannot occur inside of a token.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

OPEN: Final = "⟦"
CLOSE: Final = "⟧"
PATTERN: Final = re.compile(r"⟦(\[[\x20-\x7e]*?\])⟧")

# Tokens that stand on their own and not within a line of text.
BLOCKS: Final = frozenset({"strip", "table", "codeblock"})

MASK: Final = "[MASK]"


def said(value: object) -> str:
    """Return a value as people read it: whole numbers bare, fractions reduced, answers and expressions by themselves.

    Raises TypeError for a float: its last digits are noise, and nothing that is drawn or keyed is one.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float: pass whole numbers, fractions or text")
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | Fraction):
        return str(value)
    if isinstance(value, list | tuple):
        return shape_text(value)
    display = getattr(value, "display", None)
    if callable(display):
        return str(display())
    text = getattr(value, "text", None)
    return text if isinstance(text, str) else str(value)


def shape_text(axes: Sequence[object]) -> str:
    """Return axes as Python prints a tuple: `(8, 20)`, `(12,)`, `()`."""
    words = [said(axis) for axis in axes]
    return f"({words[0]},)" if len(words) == 1 else f"({', '.join(words)})"


def token(kind: str, *payload: Any) -> str:
    """Return one token. The payload is made of text, whole numbers, None and lists of them."""
    return f"{OPEN}{json.dumps([kind, *payload], separators=(',', ':'))}{CLOSE}"


def num(value: object, letter: str = "") -> str:
    """Set a number, with the letter of its axis for pages that colour it."""
    if type(value) is int and (not letter or letter.isalpha()):  # the common case, eight times faster than json.dumps
        return f'⟦["num","{value}","{letter}"]⟧'
    return token("num", said(value), letter)


def named(value: object, letter: str) -> str:
    """Set `B = 8`."""
    if type(value) is int and letter.isalpha():
        return f'⟦["named","{value}","{letter}"]⟧'
    return token("named", said(value), letter)


def shape(value: object) -> str:
    """Set a shape: a tuple of sizes or letters, or an answer that displays itself as one."""
    return token("shape", said(value))


def code(value: object) -> str:
    """Set a short piece of code within a line."""
    return token("code", said(value))


def text(value: object) -> str:
    """Set words that are not ours as they are, whatever Markdown they seem to hold."""
    return token("text", said(value))


def maths(value: object, *, display: bool = False) -> str:
    """Set TeX, within a line or (display) on its own. An expression gives its own TeX."""
    tex = getattr(value, "tex", None)
    tex = tex() if callable(tex) else tex
    return token("maths", tex if isinstance(tex, str) else said(value), int(display))


def strip(rows: Sequence[Any], caption: str = "", start: int = 0) -> str:
    """Set rows of words as token strips, `[MASK]` solid, positions counted from `start`.

    rows: list of rows of words, or one flat row. The caption must not count anything: a count would answer a question.
    """
    if rows and isinstance(rows[0], str):
        rows = [rows]
    return token("strip", [[said(word) for word in row] for row in rows], caption, start)


def table(rows: Sequence[Any], head: Sequence[object] = (), caption: str = "", sides: Sequence[object] = ()) -> str:
    """Set a small table. rows: rows of cells, or one flat row; head: column heads; sides: a head for each row."""
    if rows and not isinstance(rows[0], list | tuple):
        rows = [rows]
    return token("table", [_words(row) for row in rows], _words(head), caption, _words(sides))


def codeblock(value: Iterable[object] | str) -> str:
    """Set lines of code on their own."""
    return token("codeblock", value if isinstance(value, str) else "\n".join(_words(value)))


def _words(cells: Iterable[object]) -> list[str]:
    return [said(cell) for cell in cells]


FILTERS: Final[dict[str, Callable[..., str]]] = {
    "num": num,
    "named": named,
    "shape": shape,
    "code": code,
    "text": text,
    "maths": maths,
    "strip": strip,
    "table": table,
    "codeblock": codeblock,
}

_SHAPES: Final[dict[str, tuple[type, ...]]] = {
    "num": (str, str),
    "named": (str, str),
    "shape": (str,),
    "code": (str,),
    "text": (str,),
    "maths": (str, int),
    "strip": (list, str, int),
    "table": (list, list, str, list),
    "codeblock": (str,),
}


def read(payload: str) -> list[Any] | None:
    """Read what stands between the brackets; None when it is no token that a filter makes."""
    try:
        data = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    wanted = _SHAPES.get(data[0]) if data and isinstance(data[0], str) else None
    if wanted is None or len(data) != len(wanted) + 1:
        return None
    if not all(isinstance(value, kind) for value, kind in zip(data[1:], wanted, strict=True)):
        return None
    lists = [value for value in data[1:] if isinstance(value, list)]
    return data if all(_is_words(value, deep=value is data[1]) for value in lists) else None


def _is_words(value: list[Any], *, deep: bool) -> bool:
    if deep:
        return all(isinstance(row, list) and _is_words(row, deep=False) for row in value)
    return all(isinstance(word, str) for word in value)
