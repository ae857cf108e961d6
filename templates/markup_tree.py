"""Reads Markdown with protected tokens into a small tree: the one walk that all writers share.

A node is a list whose first item names it, so the tree is JSON as it stands. A line is a list of text and of

    ["em", line] ["strong", line] ["code", text] ["num", number, letter] ["named", number, letter] ["shape", text]
    ["maths", tex] ["br"]

and a text is a list of blocks

    ["p", line] ["ul", [blocks, ...]] ["ol", start, [blocks, ...]] ["display", tex] ["codeblock", text]
    ["strip", rows, caption, start] ["table", head cells, rows of cells, caption, first column is a head]

where a cell is a line. There are no links, images, headings or raw HTML: question text needs none, and what is not
there cannot be abused.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from templates import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Node: TypeAlias = list[Any]
Line: TypeAlias = list[Any]  # of str and Node

# While Markdown is read, a token is one made-up word between two private characters: neither space nor punctuation.
_IN: Final = "\ue000"
_OUT: Final = "\ue001"
_HELD: Final = re.compile(f"{_IN}(\\d+){_OUT}")


# What could mean more than words in the Markdown that is read here: these signs anywhere, an item of a list, a table's
# line or a term at the start of a line, and blanks around a line.
_SIGN: Final = re.compile(r"[*_`\\&$|~\r\0\t]")
_FIRST: Final = re.compile(r"[-+: ]|\d+[.)]")
_LATER: Final = re.compile(r"\n(?:[-+: ]|\d+[.)])")
_GAP: Final = re.compile(r"\n{2,}")


@functools.cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415  15 ms that texts of plain words and tokens do not need
    from mdit_py_plugins.dollarmath import dollarmath_plugin  # noqa: PLC0415

    return (
        MarkdownIt("zero", {"html": False, "typographer": False})
        .enable(["emphasis", "backticks", "escape", "entity", "newline", "list", "table", "fence"])
        .use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    )


# The same sizes and lines stand in many texts. What is kept is shared between trees: no writer changes a tree.
_token = functools.lru_cache(maxsize=4096)(tokens.read)


def parse(markdown: str) -> list[Node]:
    """Return the blocks of a text."""
    held: list[Node] = []

    def hold(match: re.Match[str]) -> str:
        data = _token(match.group(1))
        if data is None:
            return match.group()
        held.append(data)
        return f"{_IN}{len(held) - 1}{_OUT}"

    plain = markdown.replace(_IN, "\ufffd").replace(_OUT, "\ufffd")
    source = tokens.PATTERN.sub(hold, plain)
    if _only_words(source):
        return [node for words in _GAP.split(source) for node in _paragraph(_plain_line(words, held))]
    stream = iter(_reader().parse(source))
    return list(_blocks(stream, None, held))


def _only_words(source: str) -> bool:
    """Say whether a text is words and tokens alone.

    Most are, and are then split into paragraphs at once, twenty times faster and with the same result.
    """
    if _SIGN.search(source) or _FIRST.match(source) or source.endswith(" "):
        return False
    return "\n" not in source or not (_LATER.search(source) or " \n" in source)


def _blocks(stream: Iterator[Token], end: str | None, held: list[Node]) -> Iterator[Node]:
    """Read blocks up to the closing token `end`."""
    for token in stream:
        kind = token.type
        if kind == end:
            return
        if kind == "inline":
            yield from _paragraph(_line(token.children or [], held))
        elif kind == "bullet_list_open":
            yield ["ul", _items(stream, "bullet_list_close", held)]
        elif kind == "ordered_list_open":
            start = int(token.attrGet("start") or 1)
            yield ["ol", start, _items(stream, "ordered_list_close", held)]
        elif kind == "math_block":
            yield ["display", _tex(token.content.strip(), held)]
        elif kind == "fence":
            yield ["codeblock", _plain(token.content, held).rstrip("\n")]
        elif kind == "table_open":
            yield _table(stream, held)


def _items(stream: Iterator[Token], end: str, held: list[Node]) -> list[list[Node]]:
    items = []
    for token in stream:
        if token.type == end:
            break
        items.append(list(_blocks(stream, "list_item_close", held)))
    return items


def _table(stream: Iterator[Token], held: list[Node]) -> Node:
    head: list[Line] = []
    rows: list[list[Line]] = []
    in_head = False
    for token in stream:
        if token.type == "table_close":
            break
        if token.type == "thead_open":
            in_head = True
        elif token.type == "thead_close":
            in_head = False
        elif token.type == "tr_open" and not in_head:
            rows.append([])
        elif token.type == "inline":
            (head if in_head else rows[-1]).append(_line(token.children or [], held))
    return ["table", head, rows, "", 0]


def _paragraph(line: Line) -> Iterator[Node]:
    """Split a paragraph at the tokens that stand on their own."""
    rest: Line = []
    for item in line:
        if isinstance(item, list) and (item[0] in tokens.BLOCKS or item[0] == "display"):
            yield from _text(rest)
            yield item
            rest = []
        else:
            rest.append(item)
    yield from _text(rest)


def _text(line: Line) -> Iterator[Node]:
    while line and line[0] in (" ", "\n", ["br"]):
        line = line[1:]
    while line and line[-1] in (" ", "\n", ["br"]):
        line = line[:-1]
    if line and not all(isinstance(item, str) and not item.strip() for item in line):
        yield ["p", line]


def _line(children: list[Token], held: list[Node]) -> Line:
    """Read one line of text; emphasis nests."""
    stack: list[Line] = [[]]
    for child in children:
        kind = child.type
        if kind in {"em_open", "strong_open"}:
            stack.append([])
        elif kind in {"em_close", "strong_close"}:
            inner = stack.pop()
            whole = any(isinstance(item, list) and item[0] in tokens.BLOCKS for item in inner)
            stack[-1] += inner if whole else [[kind.partition("_")[0], inner]]  # a figure is not emphasised
        elif kind == "code_inline":
            stack[-1].append(["code", _plain(child.content, held)])
        elif kind in {"math_inline", "math_inline_double"}:
            name = "maths" if kind == "math_inline" else "display"
            stack[-1].append([name, _tex(child.content.strip(), held)])
        elif kind == "hardbreak":
            stack[-1].append(["br"])
        elif kind == "softbreak":
            _add(stack[-1], "\n")
        else:
            _release(child.content, held, stack[-1])
    return stack[0]


def _plain_line(words: str, held: list[Node]) -> Line:
    line: Line = []
    _release(words.strip("\n"), held, line)
    return line


def _add(line: Line, text: str) -> None:
    if line and isinstance(line[-1], str):
        line[-1] += text
    elif text:
        line.append(text)


def _release(content: str, held: list[Node], line: Line) -> None:
    """Put the tokens of a piece of text back."""
    for index, piece in enumerate(_HELD.split(content)):
        if index % 2 == 0:
            if piece:
                _add(line, piece)
            continue
        node = held[int(piece)]
        if node[0] == "text":
            _add(line, node[1])
        elif node[0] == "maths":
            line.append(["display" if node[2] else "maths", node[1]])
        elif node[0] == "table":
            line.append(_cells(node))
        else:
            line.append(node)


def _cells(node: Node) -> Node:
    """Turn a table token, whose cells are words, into a table whose cells are lines."""
    _, rows, head, caption, sides = node
    body = [[[word] for word in row] for row in rows]
    top = [[word] for word in head]
    if sides:
        body = [[[side], *row] for side, row in zip(sides, body, strict=False)]
        top = [[""], *top] if head and len(head) < len(body[0]) else top
    return ["table", top, body, caption, int(bool(sides))]


def _plain(content: str, held: list[Node]) -> str:
    """Put tokens back where only letters can stand: in code."""
    return _HELD.sub(lambda match: _word(held[int(match.group(1))]), content)


def _word(node: Node) -> str:
    if node[0] == "named":
        return f"{node[2]} = {node[1]}"
    return str(node[1]) if isinstance(node[1], str) else ""


def _tex(content: str, held: list[Node]) -> str:
    """Put tokens back within maths."""
    return _HELD.sub(lambda match: _tex_word(held[int(match.group(1))]), content)


def _tex_word(node: Node) -> str:
    word = _word(node)
    if node[0] in {"num", "named", "maths"}:
        return word
    return "\\text{" + word.translate(_TEX_TEXT) + "}"


# Inside of \text{} these would be read as TeX; nothing in a question needs them there.
_TEX_TEXT: Final = str.maketrans(dict.fromkeys("\\{}$", " "))
