r"""Writes the tree of a text as plain HTML for learning platforms: no classes, maths as TeX between `\(` and `\)`.

Platforms drop classes and render TeX themselves; token strips become tables with a caption that names the tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from templates import tokens
from templates.markup_html import Writer, escape, listing

if TYPE_CHECKING:
    from templates.markup_tree import Node


class LmsWriter(Writer):
    """HTML for a learning platform."""

    table_open = '<table border="1">'
    table_close = "</table>"

    def shape(self, words: str) -> str:
        """Write a shape."""
        return f"<code>{escape(words)}</code>"

    def number(self, kind: str, number: str, letter: str) -> str:
        """Write a number; axes have no colour here."""
        return f"<em>{escape(letter)}</em> = {escape(number)}" if kind == "named" and letter else escape(number)

    def maths(self, tex: str, *, display: bool) -> str:
        """Write TeX for MathJax; escaped once, as text."""
        return f"\\[{escape(tex)}\\]" if display else f"\\({escape(tex)}\\)"

    def strip(self, node: Node) -> str:
        """Write token strips as one table: positions, then a row of tokens for each sequence."""
        _, rows, caption, start = node
        width = max((len(row) for row in rows), default=0)
        told = escape(f"{caption} {listing(node)}" if caption else listing(node))
        many = len(rows) > 1
        corner = "<td></td>" if many else ""
        top = "".join(f'<th scope="col">{start + place}</th>' for place in range(width))
        body = "".join(
            f"<tr>{_side(start + at) if many else ''}{''.join(_cell(word) for word in row)}</tr>"
            for at, row in enumerate(rows)
        )
        return (
            f"{self.table_open}<caption>{told}</caption><thead><tr>{corner}{top}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )


def _side(place: int) -> str:
    return f'<th scope="row">{place}</th>'


def _cell(word: str) -> str:
    shown = escape(word)
    return f"<td><strong>{shown}</strong></td>" if word == tokens.MASK else f"<td>{shown}</td>"


LMS: Final = LmsWriter()
