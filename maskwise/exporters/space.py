"""Where an answer is written on paper: a space that follows from the kind of answer and from what the question shows.

Nothing here depends on a key, not even on how many axes or items it has: what is printed around a blank would tell what
belongs in it. So a space is made from the kind, the declared context, the options and the given numbers.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import templates
from generator.variant import part_letters
from grader.answers import Seq, TensorAnswer
from grader.form import Number, Pick
from grader.options import letters_of
from grader.reading import samples
from templates import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from generator.quiz import Quiz
    from generator.variant import Variant
    from grader.part import Part

Sort = Literal["box", "line", "cells", "one", "several", "places"]

# Boxes are as wide as their kind needs, in millimetres: never as wide as this key needs.
_BOXES: Final = {"int": 28, "rational": 34, "decimal": 34, "shape": 56, "shape_sym": 64}
_OTHER_BOX: Final = 40
# Names under which a question shows rows that a list or a tensor follows place by place, and the most cells of a page.
_ROWS: Final = ("ids", "rows", "inputs", "labels")
_MOST_CELLS: Final = 120


class Option(NamedTuple):
    """One option. mark: a letter or position, "" for none; words: Markdown, "" where the mark says all."""

    mark: str
    words: str


class Space(NamedTuple):
    """An answer space.

    sort: a box, a line, rows of cells, options of which one or several are marked, or positions. rule: how to answer,
    Markdown. width: of a box, in millimetres. rows, columns: of the cells. options: what is picked from; where several
    may be marked, "none" is offered beside them.
    """

    sort: Sort
    rule: str
    width: int = 0
    rows: int = 0
    columns: int = 0
    options: tuple[Option, ...] = ()


def space(part: Part, given: Mapping[str, Any]) -> Space:
    """Return the space for the answer to a part of a question that shows `given`."""
    kind, context = part.kind, part.context
    if part.options:
        sort = _sort(part)
        return Space(sort, _rule(sort), options=tuple(_options(part, places=sort == "places")))
    cells = _cells(part, given)
    if cells:
        rows, columns = cells
        boolean = isinstance(part.answer, TensorAnswer) and part.answer.boolean
        return Space("cells", _rule("cells", boolean=boolean), rows=rows, columns=columns)
    rule = _rule(kind, places=context.places, letters=context.letters)
    if kind in _BOXES:
        return Space("box", rule, width=_BOXES[kind])
    if kind != "expr" and isinstance(part.form(), Number):
        return Space("box", rule, width=_OTHER_BOX)
    return Space("line", rule)


def _sort(part: Part) -> Sort:
    if part.kind == "set":
        return "places"
    form = part.form()
    return "several" if isinstance(form, Pick) and form.several else "one"


def _options(part: Part, *, places: bool) -> Iterator[Option]:
    words = part.options
    labels = part.labels or ("",) * len(words)
    if places:
        for position, label in zip(words, labels, strict=True):
            yield Option(position, _beside(position, label))
        return
    marks = letters_of(words) or ("",) * len(words)
    for mark, word, label in zip(marks, words, labels, strict=True):
        yield Option(mark, label or tokens.text(word))


def _beside(position: str, label: str) -> str:
    """Return what a label says beside the position, which its bubble shows: `[MASK]` of `position 2, [MASK]`."""
    for lead in (f"position {tokens.num(int(position))}", f"position {position}"):
        if label.startswith(lead):
            return label.removeprefix(lead).lstrip(", ")
    return label


def marked(part: Part) -> tuple[bool, ...]:
    """Return for each option of a part whether it is right: for the key alone."""
    form = part.form()
    right = form.right if isinstance(form, Pick) else ()
    return tuple(place in right for place in range(len(part.options)))


def marks(part: Part, answer: Any = None) -> str:
    """Return what is marked where an answer (none named: the key) is given, for staff: `B`, `A, C`, `none`.

    Of a part without options, or whose options have no letters, that is the answer as displayed.
    """
    answer = part.answer if answer is None else answer
    letters = letters_of(part.options)
    form = answer.form() if letters and part.kind != "set" else None
    if not isinstance(form, Pick):
        shown: str = answer.display()
        return shown
    return ", ".join(letters[place] for place in form.right) or "none"


def _cells(part: Part, given: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return rows and columns of cells where the question shows rows which the answer follows place by place.

    A list of pairs or words follows none. How many items the answer has is never looked at.
    """
    answer = part.answer
    if isinstance(answer, Seq):
        if any(isinstance(item, tuple | str) for item in answer.items):
            return None
    elif not isinstance(answer, TensorAnswer):
        return None
    shown = next((given[name] for name in _ROWS if isinstance(given.get(name), list) and given[name]), None)
    if shown is None:
        return None
    rows = shown if isinstance(shown[0], list) else [shown]
    columns = {len(row) for row in rows if isinstance(row, list)}
    if len(columns) != 1:
        return None
    size = (1 if isinstance(answer, Seq) else len(rows)), columns.pop()
    return size if 0 < size[0] * size[1] <= _MOST_CELLS else None


_RULES: Final = "print/rules.j2.md"


@functools.lru_cache(maxsize=512)
def _rule(block: str, *, places: int | None = None, letters: tuple[str, ...] = (), boolean: bool = False) -> str:
    """Return how to answer, Markdown; empty for a kind that nothing is said of."""
    if block not in templates.blocks(_RULES) or (block == "decimal" and places is None):
        return ""
    return templates.render(_RULES, block, places=places, letters=letters, boolean=boolean, sample=samples.shape(""))


def together(variant: Variant, part: Part) -> str:
    """Return which other parts must be right for a part to count, Markdown; empty where it counts alone."""
    if not part.together:
        return ""
    letters = part_letters(variant.parts)
    return templates.render(_RULES, "together", letters=[letters[other] for other in part.together])


@functools.lru_cache(maxsize=1)  # asked for every paper of a set that is written paper by paper
def all_picks(quiz: Quiz) -> bool:
    """Whether every part of every paper is answered by marking options, so that one sheet takes all answers."""
    return all(part.options for paper in quiz.papers for item in paper.items for part in item.variant.parts)
