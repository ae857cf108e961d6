"""Tensors of two axes: rows in brackets of their own, as PyTorch prints them, or one row a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.reading import samples
from grader.reading.items import integer, single, strangers, truth
from grader.reading.lists import Atom, Group, Node, lines, split, tree
from grader.reading.outcomes import Ask, Context, Ok, Reject
from grader.reading.sequences import listed, read_list
from grader.reading.signals import Unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_tensor(text: str, context: Context) -> Ok | Ask | Reject:
    """Read rows of whole numbers, or of booleans where the part allows them; the value is a tuple of tuples."""
    sample = samples.truths() if "boolean" in context.allow else samples.rows(text)
    return read_list(text, context, _tensor, f"Write the rows, for example {sample}.")


def _tensor(body: str, context: Context) -> Ok:
    rows = tuple(tuple(_entry(group, context) for group in row) for row in _rows(body, context))
    if empty := [row for row in rows if not row]:
        raise Unreadable("A row is empty." if len(empty) < len(rows) else "There are no entries.")
    if len({len(row) for row in rows}) > 1:
        raise Unreadable("The rows differ in length: give every row the same number of entries.")
    if context.rows is not None and len(rows) != context.rows:
        wanted = "1 row" if context.rows == 1 else f"{context.rows} rows"
        raise Unreadable(f"This part wants {wanted}, and the answer has {len(rows)}.")
    texts = (f"[{', '.join(map(str, row))}]" for row in rows)
    return Ok(rows, f"[{', '.join(texts)}]")


def _rows(body: str, context: Context) -> Sequence[Sequence[Group]]:
    """Return the rows, each as what stands between its separators."""
    node = listed(tree(body))
    nodes = node.nodes()
    if not nodes:
        rows = [split(row) for row in lines(node.elements)]
        if len(rows) > 1 or (context.rows == 1 and rows[0]):
            return rows
        for group in rows[0]:
            _entry(group, context)  # a word or sign that is not read is worth more than the missing brackets
        inside = body[node.at + 1 : node.end - 1] if node.opening else body
        repair = f"[[{inside}]]" if rows[0] and context.rows is None and "\n" not in inside else None
        raise Unreadable("Give every row brackets of its own, or a line of its own.", 0, repair)
    groups = split(node.elements)
    strangers(groups, context)
    if stray := [group for group in groups if len(group) > 1 or not isinstance(group[0], Node)]:
        raise Unreadable("Give every row brackets of its own.", stray[0][0].at)
    if deeper := [inner for inner in nodes if inner.nodes()]:
        repair = body[nodes[0].at : nodes[0].end] if len(nodes) == 1 else None
        raise Unreadable("There are more brackets than a tensor of rows has.", deeper[0].at, repair)
    return [split(inner.elements) for inner in nodes]


def _entry(group: Group, context: Context) -> int:
    """Return one entry, a boolean where the part allows them."""
    first = group[0]
    if "boolean" not in context.allow:
        return integer(single(group, context), first.at, "Entries")
    if len(group) == 1 and isinstance(first, Atom):
        return truth(first, context)
    raise Unreadable("Is a comma missing? Every entry is True or False here.", first.at)
