"""The teacher's JSON, `NAME.json`: the whole quiz with keys, slips and certificates, in its canonical form.

Every other format loses something; this one does not. Names are sorted, numbers are exact (points as text where they
are fractions), and the same quiz gives the same bytes. It is for teachers alone: it holds every key and every seed.

`sha256` covers everything else in the file, however it is spaced, so that `verify/verify.py` sees any change; what is
true in it, that program derives again without us. A reader of an older format refuses a newer one by its number.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from generator.variant import canonical
from maskwise.exporters.package import Options, Package, count, number_text

if TYPE_CHECKING:
    from generator.quiz import Item, Paper, Quiz

# 2: with sha256, the owner of a paper, and what a plan says of a question (skills, minutes)
FORMAT = 2


def export(quiz: Quiz, options: Options) -> Package:
    """Write the quiz."""
    name = f"{options.stem(quiz)}.json"
    text = json.dumps(document(quiz), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    questions = sum(len(paper.items) for paper in quiz.papers)
    told = f"{count(len(quiz.papers), 'paper')}, {count(questions, 'question')} with keys and certificates"
    return Package({name: f"{text}\n".encode()}, (), ((name, told),))


def document(quiz: Quiz) -> dict[str, Any]:
    """Return the quiz as plain data, with the SHA-256 of all of it."""
    whole = {
        "format": FORMAT,
        "title": quiz.title,
        "slug": quiz.slug,
        "course": quiz.course,
        "intro": quiz.plan.intro,
        "sealed": quiz.sealed,
        "confirmed": quiz.confirmed,
        "papers": [_paper(paper) for paper in quiz.papers],
    }
    return {**whole, "sha256": hashlib.sha256(canonical(whole)).hexdigest()}


def _paper(paper: Paper) -> dict[str, Any]:
    return {
        "number": paper.number,
        "code": paper.code,
        "version": paper.version,
        "person": {"id": paper.person_id, "name": paper.person},
        "points": number_text(paper.points),
        "items": [_item(item) for item in paper.items],
    }


def _item(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "number": item.number,
        "code": item.code,
        "short": item.short,
        "points": number_text(item.points),
        "part_points": {part: number_text(points) for part, points in item.part_points().items()},
        "skills": list(item.skills),
        "minutes": None if item.minutes is None else number_text(item.minutes),
        "seed": item.seed,
        "variant": item.variant.to_json(),
    }
