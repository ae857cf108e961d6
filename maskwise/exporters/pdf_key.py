"""The staff key as data for `templates/print/`: all keys in one table, then each paper with what proves its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from grader.answers import Seq, TensorAnswer
from maskwise.exporters import pdf_sheet
from maskwise.exporters.package import asked, number_text, slip_words
from maskwise.exporters.space import marked, marks
from templates import markup

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generator.quiz import Item, Paper, Quiz
    from generator.variant import Variant
    from maskwise.exporters.package import Asked, Options
    from maskwise.exporters.pdf_sheet import Print

SHORT_HASH: Final = 12

# The table of all keys, in points: a sign, a cell's margins, the columns in front; and how many signs wide a cell is.
_SIGN: Final = 4.1
_AROUND: Final = 9
_NAME: Final = 34
_POINTS: Final = 40
_WIDEST: Final = (24, 18, 14)
# The longest word that still fits on a line of its own.
_LINE: Final = 60
# How high a table may be, in points, to be kept on one page that lies on its side, or stands upright.
_DEPTH: Final = (330, 560)
# How wide text may be on a page, upright and turned, in points.
_ROOM: Final = {"a4": (464, 711), "letter": (481, 661)}


def document(quiz: Quiz, papers: Sequence[Paper], options: Options) -> dict[str, Any]:
    """Return the data of a document with the keys of the given papers."""
    chosen = pdf_sheet.look(quiz, options, large=False)
    return {
        **pdf_sheet.head(quiz, chosen),
        "key": True,
        "intro": [],
        "matrix": _matrix(papers, options.paper) if len(papers) > 1 else None,
        "papers": [
            {
                **pdf_sheet.named(paper, chosen),
                "person": " · ".join(filter(None, (paper.person, paper.person_id))),
                "qr": "",
                "items": [_item(item, chosen) for item in paper.items],
                "answers": None,
            }
            for paper in papers
        ],
    }


def _item(item: Item, chosen: Print) -> dict[str, Any]:
    certificate = item.variant.certificate
    return {
        **pdf_sheet.shown_item(item, chosen),
        "code": item.code,
        "short": item.short,
        "qr": "",
        "parts": [_part(item.variant, each, chosen) for each in asked(item)],
        "proof": {"torch": certificate.torch, "sha256": certificate.sha256[:SHORT_HASH]} if certificate else None,
    }


def _part(variant: Variant, each: Asked, chosen: Print) -> dict[str, Any]:
    part = each.part
    shown = pdf_sheet.shown_part(variant, each, chosen)
    route = variant.certificate.routes[part.id] if variant.certificate else None
    return {
        **shown,
        "answer": soft(marks(part), _LINE),
        "filled": _filled(each, shown["space"]),
        "solution": markup.to_typst(variant.words.get(f"solution_{part.id}", "")),
        "run": [soft(route.line, _LINE), soft(" ".join(route.printed.split()), _LINE)]
        if route and route.line
        else None,
        "by": route.by if route else "",
        "reason": route.reason if route else "",
        "slips": [
            [
                soft(marks(part, slip.answer)),
                slip.id,
                pdf_sheet.line(slip_words(variant, part.id, slip.id)),
                soft(slip.witness or "", _LINE),
                "" if slip.witness else slip.reason,
            ]
            for slip in part.slips
        ],
    }


def _filled(each: Asked, place: dict[str, Any]) -> list[Any] | None:
    """Return what fills the space of a part; None where it is a box or a line, or the answer does not fit its cells."""
    answer = each.part.answer
    if place["options"]:
        return list(marked(each.part))
    rows: Sequence[Sequence[Any]] = ()
    if place["sort"] == "cells" and isinstance(answer, Seq):
        rows = [answer.items]
    elif place["sort"] == "cells" and isinstance(answer, TensorAnswer):
        rows = answer.rows
    fits = len(rows) == place["rows"] and all(len(row) == place["columns"] for row in rows)
    return [[str(entry) for entry in row] for row in rows] if rows and fits else None


def soft(words: str, most: int = _WIDEST[-1]) -> str:
    """Let words of more than `most` signs without a blank break behind their signs, so that they stay in a column."""
    if all(len(word) <= most for word in words.split(" ")):
        return words
    return "".join(f"{sign}\u200b" if sign in ",*/+)_(" else sign for sign in words)


# --- the table of all keys ---


def _matrix(papers: Sequence[Paper], sheet: str) -> dict[str, Any]:
    """Return the table of all keys: a row a part, a column a paper; several tables where one would be too wide."""
    keys = [dict(_keys(paper)) for paper in papers]
    names = list(dict.fromkeys(name for each in keys for name in each))
    names.sort(key=lambda name: name[0])  # questions in order; a paper that lacks a part leaves its cell empty
    upright, turned = (room - _NAME - _POINTS for room in _ROOM[sheet])
    for most in _WIDEST:  # the widest cells that leave one upright table; else a page on its side
        columns = [
            max(len(_heading(paper)) + 2, *(min(most, len(key)) for key, _points in each.values())) * _SIGN + _AROUND
            for paper, each in zip(papers, keys, strict=True)
        ]
        wide = sum(columns) > upright
        if not wide:
            break
    deep = sum(9 + 8 * max(-(-len(each[name][0]) // most) for each in keys if name in each) for name in names)
    tables = [
        {
            "name": _span([papers[at] for at in group]),
            "whole": deep < (_DEPTH[0] if wide else _DEPTH[1]),
            "columns": [_NAME, _POINTS, *(columns[at] for at in group)],
            "head": [_heading(papers[at]) for at in group],
            "rows": [
                [
                    f"{name[0]}{name[1]}",
                    next(each[name][1] for each in keys if name in each),
                    [soft(keys[at][name][0]) if name in keys[at] else "" for at in group],
                ]
                for name in names
            ],
        }
        for group in _groups(columns, turned if wide else upright)
    ]
    return {"wide": wide, "tables": tables}


def _keys(paper: Paper) -> Iterator[tuple[tuple[int, str], tuple[str, str]]]:
    """Yield for each part of a paper its question's number and its letter, its key and its points."""
    for item in paper.items:
        for each in asked(item):
            yield (item.number, each.letter), (marks(each.part), number_text(each.points))


def _groups(columns: Sequence[float], room: float) -> list[range]:
    """Return the columns in groups that fit beside each other."""
    groups, start, used = [], 0, 0.0
    for at, width in enumerate(columns):
        if at > start and used + width > room:
            groups.append(range(start, at))
            start, used = at, 0.0
        used += width
    return [*groups, range(start, len(columns))]


def _heading(paper: Paper) -> str:
    return paper.version or str(paper.number)


def _span(papers: Sequence[Paper]) -> str:
    what = "version" if papers[0].version else "paper"
    first, last = _heading(papers[0]), _heading(papers[-1])
    return f"{what} {first}" if len(papers) == 1 else f"{what}s {first} to {last}"
