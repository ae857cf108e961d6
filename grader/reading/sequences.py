"""Ordered lists of numbers or pairs, and sets of positions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.reading import samples
from grader.reading.chosen import read_words
from grader.reading.clean import EMPTY, clean
from grader.reading.formulas import rejected
from grader.reading.items import integer, ranged, shown, single, strangers
from grader.reading.labels import without_label
from grader.reading.lists import Group, Node, lines, split, tree, whole, without_arguments
from grader.reading.outcomes import Ask, Choice, Context, Ok, Reject
from grader.reading.signals import Ambiguous, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

_NOTHING = re.compile(
    r"none(?: of (?:them|these|the above))?|nothing"
    r"|no (?:positions?|places?|heads?|tokens?|ids?|indices|entries|items?|numbers?)"
    r"|(?:an? |the )?empty(?: set| list)?|[∅øØ]",
    re.IGNORECASE,
)
_DASHES = frozenset("-–—/.")
_TEX_QUOTIENT = re.compile(r"\(\((-?\d{1,30})\)/\((-?\d{1,30})\)\)")  # as the clean-up writes \frac
_TEX = {r"\{": "{", r"\}": "}", r"\emptyset": "∅", r"\varnothing": "∅", r"\left": "", r"\right": ""}
_ONE_LIST = "One list is wanted: use one pair of brackets around all numbers."
_PAIRS = "Give each place as a pair of its own: row and position in brackets."


def read_seq(text: str, context: Context) -> Ok | Ask | Reject:
    """Read an ordered list; the value is a tuple of numbers, of pairs, or of words where options are declared.

    Where sets are allowed, it is a set that is read.
    """
    if "set" in context.allow:
        return read_set(text, context)
    if context.options:
        return read_words(text, context)
    sample = samples.pairs(text) if context.rows is not None else samples.numbers(text)
    return read_list(text, context, _sequence, f"Write the list, for example {sample}.")


def read_set(text: str, context: Context) -> Ok | Ask | Reject:
    """Read positions whose order does not count; the value is a ``frozenset`` of ints."""
    return read_list(text, context, _set, f"Write the positions, for example {samples.positions(text)}, or none.")


def read_list(text: str, context: Context, evaluate: Callable[[str, Context], Ok], sample: str) -> Ok | Ask | Reject:
    """Clean a list up, line breaks kept, and evaluate what is left without labels."""
    cleaned = clean(text, context, lines=True)
    if isinstance(cleaned, Reject):
        return cleaned
    if "\\" in cleaned:
        for sign, plain in _TEX.items():
            cleaned = cleaned.replace(sign, plain)
    cleaned = _TEX_QUOTIENT.sub(r"\1/\2", cleaned)
    body = without_label(without_arguments(cleaned), context).strip(" \n")
    if not body:
        return Reject(EMPTY)
    try:
        return evaluate(body, context)
    except Unreadable as problem:
        return rejected(problem, body, sample)
    except Ambiguous as problem:
        return Ask(problem.question, tuple(Choice("", spelling) for spelling in problem.texts))


def listed(root: Node) -> Node:
    """Return the node that holds the list: brackets around everything and around one printed tensor are left out."""
    node = whole(root)
    inner = node.nodes()
    while len(inner) == 1 and inner[0].called and len(split(node.elements)) == 1 and len(split(node.elements)[0]) == 1:
        node = inner[0]
        inner = node.nodes()
    return node


# -- ordered lists


def _sequence(body: str, context: Context) -> Ok:
    node = listed(tree(body))
    if context.rows is not None and not node.nodes():
        pairs = _pairs_of_lines(node, body, context)
        return Ok(pairs, f"[{', '.join(map(shown, pairs))}]")
    groups = split(node.elements)
    if context.rows is not None or _holds_lists(groups):
        pairs = _pairs(groups, body, context)
        return Ok(pairs, f"[{', '.join(map(shown, pairs))}]")
    ranged(groups, body, context)
    items = tuple(single(group, context) for group in groups)
    return Ok(items, f"[{', '.join(map(shown, items))}]")


def _holds_lists(groups: list[Group]) -> bool:
    """Say whether brackets inside hold more than one number each; one in square brackets is a list, too."""
    nodes = [group[0] for group in groups if isinstance(group[0], Node)]
    return any(len(node.elements) != 1 or isinstance(node.elements[0], Node) for node in nodes) or (
        len(nodes) == len(groups) == 1 and nodes[0].opening != "("
    )


def _pairs(groups: list[Group], body: str, context: Context) -> tuple[tuple[int, int], ...]:
    """Return pairs of row and position. Raises ``Unreadable`` for other lists of lists, and for none."""
    nodes = [group[0] for group in groups if len(group) == 1 and isinstance(group[0], Node)]
    strangers(groups, context)
    if len(nodes) != len(groups):
        raise Unreadable(_PAIRS if context.rows is not None else _ONE_LIST, groups[0][0].at)
    if len(nodes) == 2 and nodes[0].called and nodes[1].called:  # what torch.where prints: rows, then positions
        rows, places = ([_place(group, context) for group in split(half.elements)] for half in nodes)
        if len(rows) != len(places):
            raise Unreadable("The two lists differ in length: a row and a position make a pair.", nodes[1].at)
        return tuple(zip(rows, places, strict=True))
    inside = [split(inner.elements) for inner in nodes]
    if len(nodes) == 1 and (nodes[0].nodes() or (context.rows is None and len(inside[0]) != 2)):
        raise Unreadable("Use one pair of brackets around the list.", nodes[0].at, body[nodes[0].at : nodes[0].end])
    for inner, pair in zip(nodes, inside, strict=True):
        if len(pair) != 2:
            raise Unreadable(_ONE_LIST if context.rows is None else _PAIRS, inner.at)
    return tuple((_place(row, context), _place(place, context)) for row, place in inside)


def _pairs_of_lines(node: Node, body: str, context: Context) -> tuple[tuple[int, int], ...]:
    """Return pairs that stand in lines of their own; other lists of numbers are no pairs."""
    rows = [split(row) for row in lines(node.elements)]
    if len(rows) > 1 and all(len(row) == 2 for row in rows):
        return tuple((_place(row, context), _place(place, context)) for row, place in rows)
    groups = split(node.elements)
    if not groups:
        return ()
    for group in groups:
        single(group, context)  # a word or sign that is not read is worth more than the missing brackets
    texts = [body[group[0].at : group[-1].end] for group in groups]
    raise Unreadable(_PAIRS, groups[0][0].at, f"[({', '.join(texts)})]" if len(texts) == 2 else None)


def _place(group: Group, context: Context) -> int:
    at = group[0].at
    value = integer(single(group, context), at, "Rows and positions")
    if value < 0:
        raise Unreadable("Rows and positions count from 0.", at)
    return value


# -- sets


def _set(body: str, context: Context) -> Ok:
    if _NOTHING.fullmatch(body):
        return Ok(frozenset(), "none")
    if set(body) <= _DASHES:
        raise Unreadable("Write none if there are no positions.")
    node = listed(tree(body))
    groups = split(node.elements)
    nodes = node.nodes()
    if len(nodes) == len(groups) == 1 and len(split(nodes[0].elements)) != 1:
        raise Unreadable(
            "Use one pair of brackets around the positions.", nodes[0].at, body[nodes[0].at : nodes[0].end]
        )
    ranged(groups, body, context)
    positions: list[int] = []
    for group in groups:
        at = group[0].at
        value = integer(single(group, context), at, "Positions")
        if value < 0:
            raise Unreadable("Positions count from 0.", at)
        if value in positions:
            raise Unreadable(f"{value} is listed twice: name every position once.", at)
        positions.append(value)
    texts = ", ".join(map(str, sorted(positions)))
    return Ok(frozenset(positions), f"{{{texts}}}" if texts else "none")
