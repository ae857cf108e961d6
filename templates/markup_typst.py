"""Writes the tree of a text as data for print: nested lists that `print/words.typ` sets. No Typst source is ever made.

Everything is a string inside of a list, and Typst only ever places strings: there is no `eval` in our `.typ` files, and
so nothing in a question, an author's words or a course's title can become markup, read a file or run for ever. Maths
comes as the tree of `markup_maths`, which the print files build from Typst's own functions, with the plain text beside
it as the alternative text that a tagged PDF needs; maths of letters, numbers and signs alone comes as a line of text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from templates import markup_maths, markup_text
from templates.markup_html import listing

if TYPE_CHECKING:
    from templates.markup_tree import Line, Node


def blocks(tree: list[Node]) -> list[Any]:
    """Return blocks as data."""
    return [_block(node) for node in tree]


def line(items: Line) -> list[Any]:
    """Return one line as data."""
    return [item.replace("\n", " ") if isinstance(item, str) else _inline(item) for item in items]


def _inline(node: Node) -> list[Any]:
    match node[0]:
        case "em" | "strong":
            return [node[0], line(node[1])]
        case "maths" | "display":
            return maths(node[1], display=node[0] == "display")
        case "code" | "shape" | "num" | "named" | "br":
            return node
        case _:
            return _block(node)


def maths(tex: str, *, display: bool = False) -> list[Any]:
    """Return maths as data: its kind, its tree, its words."""
    try:
        tree = markup_maths.read(tex)
    except markup_maths.MathsError:
        return ["code", tex]
    pieces = None if display else markup_maths.flat(tree)
    if pieces is not None:
        return ["flat", pieces]
    return ["display" if display else "maths", tree, markup_maths.words(tree)]


def _block(node: Node) -> list[Any]:  # noqa: PLR0911  one return a kind
    match node[0]:
        case "p":
            return ["p", line(node[1])]
        case "ul":
            return ["ul", [blocks(item) for item in node[1]]]
        case "ol":
            return ["ol", node[1], [blocks(item) for item in node[2]]]
        case "display":
            return maths(node[1], display=True)
        case "strip":
            return ["strip", node[1], node[2], node[3], listing(node)]
        case "table":
            _, head, rows, caption, sided = node
            return [
                "table",
                [line(cell) for cell in head],
                [[line(cell) for cell in row] for row in rows],
                caption,
                sided,
            ]
        case "codeblock":
            return node
        case _:
            return _inline(node)


def plain(tree: list[Node]) -> str:
    """Return the words alone, on one line: for alternative texts and document titles."""
    return " ".join(markup_text.blocks(tree).split())
