"""A student's paper as data for `templates/print/`: nothing in it is a key or leads to one.

No function here looks at an answer. A space to write in comes from `space`, which sees the kind of an answer and what
the question shows.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from maskwise.exporters.package import asked, points_text
from maskwise.exporters.qr import qr
from maskwise.exporters.space import all_picks, space, together
from templates import markup

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from generator.quiz import Item, Paper, Quiz
    from generator.variant import Variant
    from maskwise.exporters.package import Asked, Options
    from maskwise.exporters.space import Space

_SHEETS: Final = {"a4": "a4", "letter": "us-letter"}

# Longer words than this may not fit on a page by themselves, and are let go on to the next.
_LONG: Final = 1400
# How much of a title stands on every foot, in signs.
_FOOT: Final = 60
# Room for working below a part of two points or more: millimetres for each point, and the most points that count.
_WORKING: Final = 9
_WORKED_POINTS: Final = 5

# An answer sheet: rows in a column, and how many marks wide all columns of a page may be together.
_SHEET_ROWS: Final = 22
_SHEET_WIDTH: Final = 22


class Print(NamedTuple):
    """How a document is set. size: points of its text; picks: answers go on a sheet of their own."""

    size: int
    sheet: str
    letters: bool
    picks: bool

    @property
    def scale(self) -> float:
        """How much larger than the ordinary print."""
        return self.size / ORDINARY


ORDINARY: Final = 11
LARGE: Final = 18


def look(quiz: Quiz, options: Options, *, large: bool) -> Print:
    """Return how the documents of a quiz are set: a version's letter only where there are several."""
    size = LARGE if large else ORDINARY
    return Print(size, _SHEETS[options.paper], len(quiz.papers) > 1, all_picks(quiz))


def document(quiz: Quiz, papers: Sequence[Paper], options: Options) -> dict[str, Any]:
    """Return the data of a document with the given papers of a quiz."""
    chosen = look(quiz, options, large=options.large)
    return {
        **head(quiz, chosen),
        "key": False,
        "intro": markup.to_typst(quiz.plan.intro),
        "matrix": None,
        "papers": [
            {
                **named(paper, chosen),
                "qr": qr(paper.code),
                "items": [_item(item, chosen, sealed=quiz.sealed) for item in paper.items],
                "answers": _answer_sheet(paper, chosen) if chosen.picks else None,
            }
            for paper in papers
        ],
    }


def head(quiz: Quiz, chosen: Print) -> dict[str, Any]:
    """Return what papers and keys begin with."""
    return {
        "size": chosen.size,
        "sheet": chosen.sheet,
        "title": quiz.title,
        "foot": textwrap.shorten(quiz.title, int(_FOOT / chosen.scale), placeholder=" …"),
        "course": quiz.course,
    }


def named(paper: Paper, chosen: Print) -> dict[str, Any]:
    """Return what tells a paper from the others of its set."""
    version = paper.version if chosen.letters else ""
    return {
        "number": paper.number,
        "name": f"version {version}" if version else f"paper {paper.number}",
        "version": version,
        "code": paper.code,
        "person": paper.person,
        "points": points_text(paper.points),
    }


def shown_item(item: Item, chosen: Print) -> dict[str, Any]:
    """Return the words of a question, without its parts and codes."""
    words = item.variant.words
    return {
        "number": item.number,
        "title": line(words["title"]),
        "points": points_text(item.points),
        "stem": markup.to_typst(words["stem"]),
        "long": len(words["stem"]) * chosen.scale**2 > _LONG,
    }


def shown_part(variant: Variant, each: Asked, chosen: Print) -> dict[str, Any]:
    """Return the words of a part and the space for its answer."""
    part = each.part
    words = variant.words.get(f"ask_{part.id}", "")
    place = space(part, variant.given)
    length = len(words) + sum(len(option.words) + 60 for option in place.options) + 12 * place.rows * place.columns
    return {
        "letter": each.letter,
        "ask": markup.to_typst(words),
        "points": points_text(each.points),
        "long": length * chosen.scale**2 > _LONG,
        "space": shown_space(place),
        "with": line(together(variant, part)),
    }


def shown_space(place: Space) -> dict[str, Any]:
    """Return a space as data."""
    return {
        "sort": place.sort,
        "rule": line(place.rule),
        "width": place.width,
        "rows": place.rows,
        "columns": place.columns,
        "options": [[option.mark, markup.to_typst(option.words)] for option in place.options],
        "longest": max((len(markup.to_text(option.words)) for option in place.options), default=0),
    }


def line(words: str) -> list[Any]:
    """Return Markdown of one paragraph as a line."""
    blocks = markup.to_typst(words)
    if not blocks:
        return []
    return blocks[0][1] if blocks[0][0] == "p" and len(blocks) == 1 else [markup.to_text(words)]


def _item(item: Item, chosen: Print, *, sealed: bool) -> dict[str, Any]:
    code = "" if sealed else item.code
    return {
        **shown_item(item, chosen),
        "code": code,
        "short": "" if sealed else item.short,
        "qr": qr(item.short or code) if code else "",
        "parts": [
            {
                **shown_part(item.variant, each, chosen),
                "listed": chosen.picks,
                "work": _working(each.points),
            }
            for each in asked(item)
        ],
        "proof": None,
    }


def _working(points: Fraction) -> int:
    """Return the room for working below a part, in millimetres."""
    return min(int(points), _WORKED_POINTS) * _WORKING if points >= 2 else 0


def _answer_sheet(paper: Paper, chosen: Print) -> list[Any]:
    """Return the pages of an answer sheet: columns of rows (name, marks, whether several may be marked)."""
    rows = []
    for item in paper.items:
        for each in asked(item):
            place = space(each.part, item.variant.given)
            marks = [option.mark or markup.to_text(option.words) for option in place.options]
            several = place.sort != "one"
            rows.append([f"{item.number}{each.letter}", [*marks, "none"] if several else marks, several])
    most = int(_SHEET_ROWS / chosen.scale)
    deep = -(-len(rows) // -(-len(rows) // most))  # columns of equal length
    columns = [rows[start : start + deep] for start in range(0, len(rows), deep)]
    pages: list[list[Any]] = [[]]
    for column in columns:
        if pages[-1] and sum(map(_wide, [*pages[-1], column])) * chosen.scale > _SHEET_WIDTH:
            pages.append([])
        pages[-1].append(column)
    return pages


def _wide(rows: Sequence[Any]) -> float:
    """Return how wide a column of an answer sheet is, in marks: its names, its longest row, the gap behind it."""
    return 4 + max(sum(max(1.0, len(mark) / 3) for mark in marks) for _name, marks, _several in rows)
