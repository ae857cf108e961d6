"""Plain text: `NAME.txt` with the papers and `NAME-key.txt` with the keys, for terminals, mail and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import templates
from maskwise.exporters.package import Options, Package, asked, count, points_text, slip_words
from maskwise.exporters.space import marks, space, together
from templates import markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from generator.quiz import Item, Paper, Quiz
    from generator.variant import Variant
    from grader.answers import Answer
    from grader.part import Part
    from maskwise.exporters.package import Asked
    from maskwise.exporters.space import Space

_BETWEEN: Final = "\n\n" + "-" * 72 + "\n\n"
_WIDTH: Final = 69  # of what stands under a part, behind its three blanks
_BLANK: Final = "_" * 30
_CELL: Final = "____"


def export(quiz: Quiz, options: Options) -> Package:
    """Write the papers and the keys."""
    stem = options.stem(quiz)
    files = {
        f"{stem}.txt": _BETWEEN.join(paper_text(quiz, paper) for paper in quiz.papers),
        f"{stem}-key.txt": _BETWEEN.join(paper_text(quiz, paper, key=True) for paper in quiz.papers),
    }
    summary = ((f"{stem}.txt", count(len(quiz.papers), "paper")), (f"{stem}-key.txt", count(len(quiz.papers), "key")))
    return Package({name: f"{words}\n".encode() for name, words in files.items()}, (), summary)


def paper_text(quiz: Quiz, paper: Paper, *, key: bool = False) -> str:
    """Return one paper, or its key, as plain text."""
    return templates.render(
        "text/paper.j2.txt",
        key=key,
        title=quiz.title,
        confirmed=quiz.confirmed,
        course=quiz.course,
        intro=markup.to_text(quiz.plan.intro),
        number=paper.number,
        version=paper.version if len(quiz.papers) > 1 else "",
        person=paper.person,
        code=paper.code,
        points=points_text(paper.points),
        items=[_item(item, key=key, sealed=quiz.sealed) for item in paper.items],
    )


def _item(item: Item, *, key: bool, sealed: bool) -> dict[str, Any]:
    variant = item.variant
    return {
        "number": item.number,
        "title": markup.to_text(variant.words["title"]),
        "stem": markup.to_text(variant.words["stem"]),
        "code": item.code if key or not sealed else "",
        "short": item.short if key or not sealed else "",
        "parts": [(_keyed if key else _part)(variant, each) for each in asked(item)],
        "proof": variant.certificate if key else None,
    }


def _part(variant: Variant, each: Asked) -> dict[str, Any]:
    part = each.part
    place = space(part, variant.given)
    return {
        "letter": each.letter,
        "ask": markup.to_text(variant.words.get(f"ask_{part.id}", "")),
        "points": points_text(each.points),
        "rule": markup.to_text(place.rule),
        "lines": list(_lines(place)),
        "with": markup.to_text(together(variant, part)),
    }


def _keyed(variant: Variant, each: Asked) -> dict[str, Any]:
    part = each.part
    route = variant.certificate.routes[part.id] if variant.certificate else None
    shown = _part(variant, each)
    return {
        **shown,
        "lines": shown["lines"] if part.options else [],
        "answer": _marked(part, part.answer),
        "solution": markup.to_text(variant.words.get(f"solution_{part.id}", "")),
        "line": route.line if route else "",
        "printed": route.printed if route else "",
        "by": route.by if route else "",
        "reason": route.reason if route else "",
        "slips": [
            {
                "id": slip.id,
                "value": _marked(part, slip.answer),
                "words": markup.to_text(slip_words(variant, part.id, slip.id)),
                "witness": slip.witness or slip.reason,
            }
            for slip in part.slips
        ],
    }


def _marked(part: Part, answer: Answer) -> str:
    """Return an answer, of lettered options with its letters in front: `B: zero`."""
    letters, shown = marks(part, answer), answer.display()
    return shown if letters == shown else f"{letters}: {shown}"


def _lines(place: Space) -> Iterator[str]:
    """Yield the lines of an answer space."""
    if place.sort == "cells":
        cells = [f"{at}: {_CELL}" for at in range(place.columns)]
        for row in range(place.rows):
            yield from _filled(cells, f"row {row}   " if place.rows > 1 else "")
    elif place.options:
        sign = "( )" if place.sort == "one" else "[ ]"
        offered = [
            f"{sign} {option.mark} {markup.to_text(option.words)}".replace("  ", " ").rstrip()
            for option in place.options
        ]
        offered += [] if place.sort == "one" else [f"{sign} none"]
        yield from _filled(offered, "") if place.sort == "places" else offered
    else:
        yield f"Answer: {_BLANK}"


def _filled(cells: Iterable[str], start: str) -> Iterator[str]:
    """Yield cells in lines, three blanks between them, with words in front of the first."""
    line = ""
    for cell in cells:
        if line and len(start) + len(line) + len(cell) + 3 > _WIDTH:
            yield start + line
            start, line = " " * len(start), ""
        line += ("   " if line else "") + cell
    yield start + line
