"""The teacher's JSON, `NAME.json`: the whole quiz with keys, slips and certificates, in its canonical form.

Every other format loses something; this one does not. Names are sorted, numbers are exact (points as text where they
are fractions), and the same quiz gives the same bytes. It is for teachers alone: it holds every key and every seed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from maskwise.exporters.package import Options, Package, count, number_text

if TYPE_CHECKING:
    from generator.quiz import Item, Quiz

FORMAT = 1


def export(quiz: Quiz, options: Options) -> Package:
    """Write the quiz."""
    name = f"{options.stem(quiz)}.json"
    text = json.dumps(document(quiz), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    questions = sum(len(paper.items) for paper in quiz.papers)
    told = f"{count(len(quiz.papers), 'paper')}, {count(questions, 'question')} with keys and certificates"
    return Package({name: f"{text}\n".encode()}, (), ((name, told),))


def document(quiz: Quiz) -> dict[str, Any]:
    """Return the quiz as plain data."""
    return {
        "format": FORMAT,
        "title": quiz.title,
        "slug": quiz.slug,
        "course": quiz.course,
        "intro": quiz.plan.intro,
        "sealed": quiz.sealed,
        "confirmed": quiz.confirmed,
        "papers": [
            {
                "number": paper.number,
                "code": paper.code,
                "points": number_text(paper.points),
                "items": [_item(item) for item in paper.items],
            }
            for paper in quiz.papers
        ],
    }


def _item(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "number": item.number,
        "code": item.code,
        "points": number_text(item.points),
        "part_points": {part: number_text(points) for part, points in item.part_points().items()},
        "seed": item.seed,
        "variant": item.variant.to_json(),
    }
