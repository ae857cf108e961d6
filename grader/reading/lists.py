"""Lists as they are typed and printed: brackets, separators, and what stands between them.

A list is a tree of brackets. Which values it may hold, and how deep it may go, is said by the kind of answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from grader.reading.grammar import MAX_DEPTH
from grader.reading.signals import Unreadable

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_SAME_WAY = "Separate everything the same way, with commas; a decimal sign is a dot."

# [MASK] before brackets, fractions before numbers, words with their dots.
_TOKEN = re.compile(
    r"(?P<blank> +)"
    r"|(?P<line>\n)"
    r"|(?P<mask>\[ ?mask ?\]|<\|? ?mask ?\|?>|(?:tokenizer\.)?mask(?:_token)?_id\b|mask\b(?! ?[=:]))"
    r"|(?P<ignore>ignore(?:_index|_id|_value| index| value)?\b)"
    r"|(?P<fraction>\d+ ?/ ?\d+(?![\w/]| ?/|\.\d))"
    r"|(?P<number>(?:\d+(?:_\d+)*(?:\.(?!\.)\d*)?|\.\d+)(?:e[+-]?\d+)?(?!\w|\.\d))"
    r"|(?P<range>\.\.\.?|\b(?:to|through|until)\b)"
    r"|(?P<link>\band\b|&)"
    r"|(?P<call>(?:(?:torch|np|numpy)\.)?(?:tensor|longtensor|array|list|tuple|set|frozenset) ?(?=\())"
    r"|(?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
    r"|(?P<separator>[,;])"
    r"|(?P<open>[(\[{<])"
    r"|(?P<close>[)\]}>])"
    r"|(?P<sign>[-+])"
    r"|(?P<quote>[\"'`])"
    r"|(?P<other>[\w.]*\w|.)",
    re.IGNORECASE,
)
# Words that say what a number is, and may stand in front of each.
_NOUNS = frozenset(("position", "positions", "pos", "place", "places", "id", "ids", "index", "token", "head", "row"))
# What PyTorch and NumPy add to a printed tensor: how it is stored.
_ARGUMENT = re.compile(
    r",[ \n]?(?:dtype ?= ?[\w.]+|device ?= ?['\"]?\w+(?::\d+)?['\"]?|requires_grad ?= ?\w+|grad_fn ?= ?<\w+>"
    r"|size ?= ?\([\d, ]*\))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Atom:
    """A number, a word, or a sign, with its place in the text."""

    kind: str
    text: str
    at: int
    end: int
    signed: str = ""  # "-" or "+" in front of a number


@dataclass
class Node:
    """What stands in one pair of brackets; the whole text is a node without any."""

    opening: str
    at: int
    called: bool = False
    end: int = 0
    elements: list[Atom | Node] = field(default_factory=list)

    def nodes(self) -> list[Node]:
        """Return the brackets inside."""
        return [element for element in self.elements if isinstance(element, Node)]


Group = list[Atom | Node]


def without_arguments(text: str) -> str:
    """Return a printed tensor without its dtype, device and the like."""
    return _ARGUMENT.sub("", text) if "=" in text and "(" in text else text


def tree(text: str) -> Node:  # noqa: C901 - one case a kind of token
    """Read brackets and what is in them. Raises ``Unreadable`` for brackets that do not match or go too deep."""
    root = Node("", 0, end=len(text))
    path = [root]
    called = False
    for found in _TOKEN.finditer(text):
        kind, piece, at = found.lastgroup or "other", found.group(), found.start()
        if kind in ("blank", "quote") or (kind == "line" and len(path) > 1):
            continue
        here = path[-1].elements
        match kind:
            case "call":
                called = True
                continue
            case "open":
                if len(path) > MAX_DEPTH:
                    raise Unreadable(f"The brackets are too deep: at most {MAX_DEPTH} inside each other are read.", at)
                node = Node(piece, at, called)
                here.append(node)
                path.append(node)
            case "close":
                if len(path) == 1:
                    raise Unreadable("A bracket is closed that was not opened.", at, text[:at] + text[at + 1 :])
                if _CLOSING[path[-1].opening] != piece:
                    raise Unreadable("The brackets do not match.", at)
                _close(path, at + 1)
            case "number" | "fraction":
                here.append(_number(here, kind, piece, at, text))
            case _:
                here.append(Atom(kind, piece, at, at + len(piece)))
        called = False
    if len(path) > 1:
        missing = "".join(_CLOSING[node.opening] for node in reversed(path[1:]))
        raise Unreadable("A bracket is not closed.", len(text), text + missing)
    if all(isinstance(element, Atom) and element.kind == "line" for element in root.elements):
        raise Unreadable("There is nothing but quotes.")
    return root


def _close(path: list[Node], end: int) -> None:
    """Close the innermost bracket; those of tensor([...]) are one pair with the list inside."""
    node = path.pop()
    node.end = end
    if node.called and len(node.elements) == 1 and isinstance(node.elements[0], Node):
        inner = node.elements[0]
        inner.called = True
        path[-1].elements[-1] = inner


def _number(here: Group, kind: str, piece: str, at: int, text: str) -> Atom:
    """Return a number; a sign in front belongs to it where no other number could stand on its left."""
    end = at + len(piece)
    sign = here[-1] if here else None
    if not isinstance(sign, Atom) or sign.kind != "sign":
        return Atom(kind, piece, at, end)
    before = here[-2] if len(here) > 1 else None
    first = before is None or (isinstance(before, Atom) and before.kind in ("separator", "line", "link"))
    apart = text[sign.at - 1 : sign.at] in (" ", "\n") and sign.end == at
    if not first and not apart:
        return Atom(kind, piece, at, end)
    here.pop()
    return Atom(kind, piece, sign.at, end, sign.text)


def split(elements: Group) -> list[Group]:  # noqa: C901 - one case a kind of separator
    """Return what stands between the separators: commas or semicolons, or else blanks; no group is empty.

    Line breaks and the word "and" separate, too. Raises ``Unreadable`` for two kinds and for a gap between two.
    """
    elements = _without_nouns(elements)
    hard = {element.text for element in elements if isinstance(element, Atom) and element.kind == "separator"}
    if len(hard) > 1:
        raise Unreadable(_SAME_WAY)
    for end in (elements[:1], elements[-1:]):
        if end and isinstance(end[0], Atom) and end[0].kind == "link":
            raise Unreadable(f"Something is missing beside {end[0].text}.", end[0].at)
    if not hard:
        return _by_blanks(elements)
    groups: list[Group] = [[]]
    soft = True  # the last separator may stand beside another one
    for element in elements:
        if isinstance(element, Atom) and element.kind in ("line", "link"):
            if groups[-1]:
                groups.append([])
                soft = True
        elif isinstance(element, Atom) and element.kind == "separator":
            if groups[-1]:
                groups.append([])
            elif not soft or len(groups) == 1:
                raise Unreadable("Something is missing between two separators.", element.at)
            soft = False
        else:
            groups[-1].append(element)
            soft = False
    if not groups[-1]:
        groups.pop()  # a separator at the end
    return groups


def _without_nouns(elements: Group) -> Group:
    """Leave out words such as "position" in front of numbers and brackets."""
    following = [*elements, None][1:]
    return [
        element
        for element, after in zip(elements, following, strict=True)
        if not (isinstance(element, Atom) and element.kind == "word" and element.text.lower() in _NOUNS)
        or not (isinstance(after, Node) or (after is not None and after.kind == "number"))
    ]


def _by_blanks(elements: Group) -> list[Group]:
    """Return every element by itself; a range keeps what it joins."""
    groups: list[Group] = []
    joined = False
    for before, after in pairwise(elements):
        if isinstance(before, Atom) and isinstance(after, Atom) and (before.kind, after.kind) == ("number", "fraction"):
            raise Unreadable("A blank before a fraction may be a mixed number: separate with commas.", after.at)
    for element in elements:
        if isinstance(element, Atom) and element.kind in ("line", "link"):
            continue
        binds = isinstance(element, Atom) and element.kind in ("range", "sign")
        if groups and (binds or joined):
            groups[-1].append(element)
        else:
            groups.append([element])
        joined = binds
    return groups


def lines(elements: Group) -> list[Group]:
    """Return the rows of a text without brackets: its lines, or what stands between semicolons; one where it has none.

    A separator at the end of a line belongs to the line break.
    """
    kinds = {element.text for element in elements if isinstance(element, Atom) and element.kind == "separator"}
    breaks = "line" if any(isinstance(element, Atom) and element.kind == "line" for element in elements) else ""
    if not breaks and ";" in kinds and (kinds == {",", ";"} or any(len(row) > 1 for row in _cut(elements, ";"))):
        breaks = ";"
    if not breaks:
        return [elements]
    rows = _cut(elements, breaks)
    for row in rows:
        if len(row) > 1 and breaks == "line" and isinstance(row[-1], Atom) and row[-1].kind == "separator":
            row.pop()
    return [row for row in rows if row] if breaks == "line" or not rows[-1] else rows


def _cut(elements: Group, breaks: str) -> list[Group]:
    rows: list[Group] = [[]]
    for element in elements:
        if isinstance(element, Atom) and (element.text == breaks or (breaks == "line" and element.kind == "line")):
            rows.append([])
        else:
            rows[-1].append(element)
    return rows


def whole(root: Node) -> Node:
    """Return the one pair of brackets around everything, or the root where there is none; ``[1, 2],`` is ``[1, 2]``."""
    elements = [item for item in root.elements if not (isinstance(item, Atom) and item.kind in ("line", "separator"))]
    nodes = root.nodes()
    alone = len(nodes) == 1 and elements == nodes and len(root.elements) <= 2 and root.elements[0] is nodes[0]
    return nodes[0] if alone else root
