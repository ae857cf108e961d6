"""Writes the tree of a text as HTML: every tag is made here, every piece of text escaped.

`Writer` writes for our own pages; `markup_lms` alters it for learning platforms. Class names that pages may style:

    span.axis.axis-b[data-a=B]   a number that is the size of an axis      span.num  any other number
    code, code.shape, pre > code                                            math      MathML
    figure.seq > ol.strip > li > small (position), li.m ([MASK]), li.p ([PAD]); figcaption, or figcaption.sr, unseen
    table.data > caption, th[scope]
"""

from __future__ import annotations

from html import escape as escape_all
from typing import TYPE_CHECKING, Final

from templates import markup_maths, tokens

if TYPE_CHECKING:
    from templates.markup_tree import Line, Node

_TAGS: Final = {
    *("p", "em", "strong", "code", "pre", "br", "span", "b", "small", "ul", "ol", "li", "figure", "figcaption"),
    *("div", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mfrac", "msqrt", "mspace", "mtable", "mtr", "mtd"),
    *("msub", "msup", "msubsup", "munder", "mover", "munderover"),
}
_ATTRIBUTES: Final = {
    "span": {"class", "data-a"},
    "code": {"class"},
    "div": {"class", "role", "tabindex", "aria-label"},
    "figure": {"class"},
    "figcaption": {"class"},
    "ol": {"class", "start", "aria-label"},
    "li": {"class"},
    "table": {"class", "border"},
    "th": {"scope"},
    "math": {"display"},
    "mo": {"stretchy"},
    "mspace": {"width"},
}


def belt(html: str) -> str:
    """Drop whatever is not on the list of tags that the writers make: a second lock on a door that is already shut."""
    import nh3  # noqa: PLC0415  only pages need it

    return nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=set(), link_rel=None)


def escape(words: str) -> str:
    """Escape text that stands between tags."""
    return escape_all(words, quote=False)


def listing(node: Node) -> str:
    """Name the tokens of strips in order: `the, [MASK], went; a, dog, [MASK]`."""
    return "; ".join(", ".join(row) for row in node[1])


class Writer:
    """HTML for our own pages."""

    # A table wider than a phone scrolls in a box of its own, which the keyboard reaches, too.
    table_open = '<div class="wide" role="group" tabindex="0"{named}><table class="data">'
    table_close = "</table></div>"

    def blocks(self, tree: list[Node]) -> str:
        """Write blocks."""
        return "\n".join(self.block(node) for node in tree)

    def line(self, items: Line) -> str:
        """Write one line."""
        return "".join(escape(item) if isinstance(item, str) else self.inline(item) for item in items)

    def inline(self, node: Node) -> str:  # noqa: PLR0911  one return a kind
        """Write one piece of a line."""
        match node[0]:
            case "em" | "strong":
                return f"<{node[0]}>{self.line(node[1])}</{node[0]}>"
            case "code":
                return f"<code>{escape(node[1])}</code>"
            case "shape":
                return self.shape(node[1])
            case "num" | "named":
                return self.number(*node)
            case "maths" | "display":
                return self.maths(node[1], display=node[0] == "display")
            case "br":
                return "<br>"
            case _:
                return self.block(node)  # a block within a list or a cell stays where it stands

    def block(self, node: Node) -> str:  # noqa: PLR0911  one return a kind
        """Write one block."""
        match node[0]:
            case "p":
                return f"<p>{self.line(node[1])}</p>"
            case "ul":
                return f"<ul>{self.items(node[1])}</ul>"
            case "ol":
                start = f' start="{node[1]}"' if node[1] != 1 else ""
                return f"<ol{start}>{self.items(node[2])}</ol>"
            case "display":
                return f"<p>{self.maths(node[1], display=True)}</p>"
            case "codeblock":
                return f"<pre><code>{escape(node[1])}</code></pre>"
            case "strip":
                return self.strip(node)
            case "table":
                return self.table(node)
            case _:
                return self.inline(node)

    def items(self, items: list[list[Node]]) -> str:
        """Write the items of a list; one that is a single paragraph is set tight."""
        return "".join(
            f"<li>{self.line(item[0][1]) if len(item) == 1 and item[0][0] == 'p' else self.blocks(item)}</li>"
            for item in items
        )

    def shape(self, words: str) -> str:
        """Write a shape."""
        return f'<code class="shape">{escape(words)}</code>'

    def number(self, kind: str, number: str, letter: str) -> str:
        """Write a number, marked with its axis where it is the size of one."""
        if not letter:
            return f'<span class="num">{escape(number)}</span>'
        shown = f"<b>{escape(letter)}</b> = {escape(number)}" if kind == "named" else escape(number)
        if len(letter) == 1 and letter.isascii() and letter.isalpha():
            return f'<span class="axis axis-{letter.lower()}" data-a="{letter}">{shown}</span>'
        return f'<span class="axis">{shown}</span>'

    def maths(self, tex: str, *, display: bool) -> str:
        """Write TeX as MathML; what cannot be set is shown as it was typed."""
        try:
            return markup_maths.mathml(markup_maths.read(tex), display=display)
        except markup_maths.MathsError:
            return f"<code>{escape(tex)}</code>"

    def strip(self, node: Node) -> str:
        """Write token strips: an ordered list for each row; the caption names the tokens and never counts them."""
        _, rows, caption, start = node
        out = []
        for index, row in enumerate(rows):
            label = f"Tokens of sequence {index + start}" if len(rows) > 1 else "Tokens"
            cells = "".join(_cell(start + place, word) for place, word in enumerate(row))
            out.append(f'<ol class="strip" start="{start}" aria-label="{label}">{cells}</ol>')
        told = (
            f"<figcaption>{escape(caption)}</figcaption>"
            if caption
            else f'<figcaption class="sr">{escape(listing(node))}</figcaption>'
        )
        return f'<figure class="seq">{"".join(out)}{told}</figure>'

    def table(self, node: Node) -> str:
        """Write a small table."""
        _, head, rows, caption, sided = node
        told = f"<caption>{escape(caption)}</caption>" if caption else ""
        top = "".join(f'<th scope="col">{self.line(cell)}</th>' if cell != [""] else "<td></td>" for cell in head)
        body = "".join(
            f"<tr>{''.join(self._side(cell, head=sided and not at) for at, cell in enumerate(row))}</tr>"
            for row in rows
        )
        thead = f"<thead><tr>{top}</tr></thead>" if head else ""
        named = f' aria-label="{escape_all(caption, quote=True)}"' if caption else ""
        opened = self.table_open.replace("{named}", named)
        return f"{opened}{told}{thead}<tbody>{body}</tbody>{self.table_close}"

    def _side(self, cell: Line, *, head: bool) -> str:
        return f'<th scope="row">{self.line(cell)}</th>' if head else f"<td>{self.line(cell)}</td>"


def _cell(place: int, word: str) -> str:
    kind = ' class="m"' if word == tokens.MASK else ' class="p"' if word == "[PAD]" else ""
    return f"<li{kind}><small>{place}</small>{escape(word)}</li>"


PAGES: Final = Writer()
