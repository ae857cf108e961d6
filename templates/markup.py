"""Question text for every medium: Markdown with protected tokens -> HTML | data for print | plain text.

One walk reads the text (`markup_tree`), three writers set it. What may stand in a text: paragraphs, *emphasis*,
**strong**, `code`, lists, tables, fenced code, maths between `$` or `$$` (the opening one not before a space or after a
digit), and the tokens of `templates.tokens`. Raw HTML and links are plain text.

    text -> markup_tree.parse -> markup_html (markup_lms alters it) | markup_typst | markup_text
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from templates import markup_html, markup_lms, markup_maths, markup_text, markup_tree, markup_typst, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator


def escape(words: str) -> str:
    """Escape words that are not question text for use between HTML tags."""
    return markup_html.escape(words)


@functools.lru_cache(maxsize=4096)
def to_html(markdown: str) -> str:
    """Return safe HTML with MathML."""
    return markup_html.belt(markup_html.PAGES.blocks(markup_tree.parse(markdown)))


@functools.lru_cache(maxsize=4096)
def to_html_line(markdown: str) -> str:
    """Return safe HTML of a text that is one paragraph without the paragraph: for labels and headings."""
    tree = markup_tree.parse(markdown)
    one = len(tree) == 1 and tree[0][0] == "p"
    page = markup_html.PAGES
    return markup_html.belt(page.line(tree[0][1]) if one else page.blocks(tree))


@functools.lru_cache(maxsize=4096)
def to_lms(markdown: str) -> str:
    """Return the plain HTML that learning platforms keep, maths as TeX for MathJax."""
    return markup_lms.LMS.blocks(markup_tree.parse(markdown))


@functools.lru_cache(maxsize=4096)
def to_typst(markdown: str) -> list[Any]:
    """Return the blocks as JSON-able lists for `print/words.typ`: data, never markup. Not to be changed: it is kept."""
    return markup_typst.blocks(markup_tree.parse(markdown))


@functools.lru_cache(maxsize=4096)
def to_text(markdown: str) -> str:
    """Return plain text."""
    return markup_text.blocks(markup_tree.parse(markdown))


def problems(markdown: str) -> list[str]:
    """Tell what in a text cannot be set as meant, for `check`: broken tokens and unknown maths."""
    found = []
    tree = markup_tree.parse(markdown)
    for kind, word in _leaves(tree):
        if kind in {"maths", "display"}:
            try:
                markup_maths.read(word)
            except markup_maths.MathsError as error:
                found.append(str(error))
        elif tokens.OPEN in word or tokens.CLOSE in word:
            found.append(f"a broken token or a stray bracket: {word!r}")
    return found


def _leaves(node: Any, kind: str = "") -> Iterator[tuple[str, str]]:
    """Yield every piece of text in a tree with the kind of node it stands in."""
    if isinstance(node, str):
        yield kind, node
    elif isinstance(node, list):
        named = bool(node) and isinstance(node[0], str) and node[0] in _KINDS
        for item in node[1:] if named else node:
            yield from _leaves(item, node[0] if named else kind)


_KINDS = frozenset(
    "p em strong code num named shape maths display br ul ol codeblock strip table".split()  # noqa: SIM905  a list of words
)
