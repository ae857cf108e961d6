"""Writes the tree of a text as plain text for terminals and text files, and for alternative texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from templates import markup_maths, tokens

if TYPE_CHECKING:
    from templates.markup_tree import Line, Node


def blocks(tree: list[Node]) -> str:
    """Write blocks, an empty line between them."""
    return "\n\n".join(_block(node) for node in tree)


def line(items: Line) -> str:
    """Write one line."""
    return "".join(item if isinstance(item, str) else _inline(item) for item in items)


def _inline(node: Node) -> str:
    match node[0]:
        case "em" | "strong":
            return line(node[1])
        case "code" | "shape" | "num":
            return str(node[1])
        case "named":
            return f"{node[2]} = {node[1]}" if node[2] else str(node[1])
        case "maths":
            return maths(node[1])
        case "br":
            return "\n"
        case _:
            return _block(node)


def maths(tex: str) -> str:
    """Write TeX as a person would type it; what cannot be set stays as it is."""
    try:
        return markup_maths.words(markup_maths.read(tex))
    except markup_maths.MathsError:
        return tex


def _block(node: Node) -> str:  # noqa: PLR0911  one return a kind
    match node[0]:
        case "p":
            return line(node[1])
        case "ul":
            return "\n".join(_item("- ", item) for item in node[1])
        case "ol":
            return "\n".join(_item(f"{node[1] + at}. ", item) for at, item in enumerate(node[2]))
        case "display":
            return f"    {maths(node[1])}"
        case "codeblock":
            return "\n".join(f"    {text}" for text in node[1].split("\n"))
        case "strip":
            return strip(node)
        case "table":
            return table(node)
        case _:
            return _inline(node)


def _item(mark: str, item: list[Node]) -> str:
    return mark + blocks(item).replace("\n", "\n" + " " * len(mark))


def strip(node: Node) -> str:
    """Write token strips: positions above, words below, `[MASK]` between heavy bars."""
    _, rows, caption, start = node
    out = [caption] if caption else []
    for row in rows:
        cells = [f"▌{word}▐" if word == tokens.MASK else word for word in row]
        out.append("\n".join(_columns([[str(start + place) for place in range(len(row))], cells])))
    return "\n\n".join(out)


def table(node: Node) -> str:
    """Write a table with its columns under each other."""
    _, head, rows, caption, _ = node
    grid = [[line(cell) for cell in row] for row in ([head] if head else []) + rows]
    return "\n".join(([caption] if caption else []) + _columns(grid))


def _columns(grid: list[list[str]]) -> list[str]:
    count = max((len(row) for row in grid), default=0)
    wide = [max((len(row[at]) for row in grid if at < len(row)), default=0) for at in range(count)]
    return ["  " + "  ".join(cell.ljust(wide[at]) for at, cell in enumerate(row)).rstrip() for row in grid]
