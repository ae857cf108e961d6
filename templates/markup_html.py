"""Writes the tree of a text as HTML for pages: every tag is made here, every piece of text escaped.

Class names that pages may style:

    span.axis.axis-b[data-a=B]   a number that is the size of an axis      span.num  any other number
    code, code.shape, pre > code                                            math      MathML
    figure.seq > ol.strip > li > small (position), li.m ([MASK]), li.p ([PAD]); figcaption, or figcaption.sr, unseen
    table.data > caption, th[scope]
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

import nh3

from templates import markup_maths, tokens

if TYPE_CHECKING:
    from templates.markup_tree import Line, Node

_TAGS: Final = {
    *("p", "em", "strong", "code", "pre", "br", "span", "b", "small", "ul", "ol", "li", "figure", "figcaption"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mfrac", "msqrt", "mspace", "mtable", "mtr", "mtd"),
    *("msub", "msup", "msubsup", "munder", "mover", "munderover"),
}
_ATTRIBUTES: Final = {
    "span": {"class", "data-a"},
    "code": {"class"},
    "figure": {"class"},
    "figcaption": {"class"},
    "ol": {"class", "start", "aria-label"},
    "li": {"class"},
    "table": {"class"},
    "th": {"scope"},
    "math": {"display"},
    "mo": {"stretchy"},
    "mspace": {"width"},
}


def belt(html: str) -> str:
    """Drop whatever is not on the list of tags that this writer makes: a second lock on a door that is already shut."""
    return nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=set(), link_rel=None)


def blocks(tree: list[Node]) -> str:
    """Write blocks."""
    return "\n".join(_block(node) for node in tree)


def line(items: Line) -> str:
    """Write one line."""
    return "".join(escape(item, quote=False) if isinstance(item, str) else _inline(item) for item in items)


def _inline(node: Node) -> str:  # noqa: PLR0911  one return a kind
    match node[0]:
        case "em" | "strong":
            return f"<{node[0]}>{line(node[1])}</{node[0]}>"
        case "code":
            return f"<code>{escape(node[1], quote=False)}</code>"
        case "shape":
            return f'<code class="shape">{escape(node[1], quote=False)}</code>'
        case "num" | "named":
            return _number(node)
        case "maths" | "display":
            return maths(node[1], display=node[0] == "display")
        case "br":
            return "<br>"
        case _:
            return _block(node)  # a block within a list or a cell stays where it stands


def _number(node: Node) -> str:
    kind, number, letter = node
    if not letter:
        return f'<span class="num">{escape(number)}</span>'
    shown = f"<b>{escape(letter)}</b> = {escape(number)}" if kind == "named" else escape(number)
    if len(letter) == 1 and letter.isascii() and letter.isalpha():
        return f'<span class="axis axis-{letter.lower()}" data-a="{letter}">{shown}</span>'
    return f'<span class="axis">{shown}</span>'


def maths(tex: str, *, display: bool = False) -> str:
    """Write TeX as MathML; what cannot be set is shown as it was typed."""
    try:
        return markup_maths.mathml(markup_maths.read(tex), display=display)
    except markup_maths.MathsError:
        return f"<code>{escape(tex, quote=False)}</code>"


def _block(node: Node) -> str:  # noqa: PLR0911  one return a kind
    match node[0]:
        case "p":
            return f"<p>{line(node[1])}</p>"
        case "ul":
            return f"<ul>{_items(node[1])}</ul>"
        case "ol":
            start = f' start="{node[1]}"' if node[1] != 1 else ""
            return f"<ol{start}>{_items(node[2])}</ol>"
        case "display":
            return f"<p>{maths(node[1], display=True)}</p>"
        case "codeblock":
            return f"<pre><code>{escape(node[1], quote=False)}</code></pre>"
        case "strip":
            return _strip(node)
        case "table":
            return _table(node)
        case _:
            return _inline(node)


def _items(items: list[list[Node]]) -> str:
    return "".join(
        f"<li>{line(item[0][1]) if len(item) == 1 and item[0][0] == 'p' else blocks(item)}</li>" for item in items
    )


def _strip(node: Node) -> str:
    """Write token strips: an ordered list for each row, and a caption that names the tokens and never counts them."""
    _, rows, caption, start = node
    out = []
    for index, row in enumerate(rows):
        label = f"Tokens of sequence {index + start}" if len(rows) > 1 else "Tokens"
        cells = "".join(_cell(start + place, word) for place, word in enumerate(row))
        out.append(f'<ol class="strip" start="{start}" aria-label="{label}">{cells}</ol>')
    told = (
        f"<figcaption>{escape(caption, quote=False)}</figcaption>"
        if caption
        else f'<figcaption class="sr">{escape(listing(node), quote=False)}</figcaption>'
    )
    return f'<figure class="seq">{"".join(out)}{told}</figure>'


def listing(node: Node) -> str:
    """Name the tokens of strips in order: `the, [MASK], went; a, dog, [MASK]`."""
    return "; ".join(", ".join(row) for row in node[1])


def _cell(place: int, word: str) -> str:
    kind = ' class="m"' if word == tokens.MASK else ' class="p"' if word == "[PAD]" else ""
    return f"<li{kind}><small>{place}</small>{escape(word, quote=False)}</li>"


def _table(node: Node) -> str:
    _, head, rows, caption, sided = node
    told = f"<caption>{escape(caption, quote=False)}</caption>" if caption else ""
    top = "".join(f'<th scope="col">{line(cell)}</th>' if cell != [""] else "<td></td>" for cell in head)
    body = "".join(
        f"<tr>{''.join(_side(cell, head=sided and not at) for at, cell in enumerate(row))}</tr>" for row in rows
    )
    thead = f"<thead><tr>{top}</tr></thead>" if head else ""
    return f'<table class="data">{told}{thead}<tbody>{body}</tbody></table>'


def _side(cell: Line, *, head: bool) -> str:
    return f'<th scope="row">{line(cell)}</th>' if head else f"<td>{line(cell)}</td>"
