"""Plain text: `NAME.txt` with the papers and `NAME-key.txt` with the keys, for terminals, mail and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import templates
from maskwise.exporters.package import Options, Package, asked, count, points_text
from templates import markup

if TYPE_CHECKING:
    from generator.quiz import Item, Paper, Quiz
    from generator.variant import Variant
    from maskwise.exporters.package import Asked

_BETWEEN = "\n\n" + "-" * 72 + "\n\n"


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
        "parts": [_part(variant, each, key=key) for each in asked(item)],
        "proof": variant.certificate if key else None,
    }


def _part(variant: Variant, each: Asked, *, key: bool) -> dict[str, Any]:
    part = each.part
    shown: dict[str, Any] = {
        "letter": each.letter,
        "ask": markup.to_text(variant.words.get(f"ask_{part.id}", "")),
        "points": points_text(each.points),
    }
    if not key:
        return shown
    route = variant.certificate.routes[part.id] if variant.certificate else None
    return {
        **shown,
        "answer": part.answer.display(),
        "solution": markup.to_text(variant.words.get(f"solution_{part.id}", "")),
        "line": route.line if route else "",
        "printed": route.printed if route else "",
        "by": route.by if route else "",
        "slips": [
            {"id": slip.id, "value": slip.answer.display(), "witness": slip.witness or ""} for slip in part.slips
        ],
    }
