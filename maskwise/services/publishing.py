"""Publishing a quiz in a course and handing it out: each student holds sealed variants, proven and frozen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from generator.quiz import assemble
from maskwise.store import courses
from question_bank.catalogue import families

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from generator.build import Prover
    from generator.plan import QuizPlan
    from generator.quiz import Paper
    from maskwise.store import Store, Transaction
    from maskwise.store.courses import NewIssued
    from maskwise.store.records import Course, Quiz


def publish(
    store: Store,
    course: Course,
    plan: QuizPlan,
    prover: Prover,
    *,
    mode: Literal["practice", "homework"],
    due_at: datetime | None,
    now: datetime,
    progress: Callable[[int, int], None] | None = None,
) -> Quiz:
    """Publish a plan and hand it to every student of the course.

    Everything is drawn and proven first; if a key cannot be proven, nothing is published. Raises Duplicate when the
    quiz is published, Unproven and RunnerUnavailable as proving does.
    """
    with store.reading() as t:
        waiting = [enrolment.id for _user, enrolment in courses.people_in(t, course.id, "student")]
    papers = _papers(course, plan, prover, waiting, progress)
    with store.writing() as t:
        quiz = courses.add_quiz(
            t,
            course_id=course.id,
            slug=plan.slug,
            title=plan.title,
            plan=json.dumps(plan.to_json(), sort_keys=True),
            version=1,
            mode=mode,
            tries=plan.tries,
            due_at=due_at,
            at=now,
        )
        _issue(t, quiz, waiting, papers, now)
    return quiz


def _papers(
    course: Course,
    plan: QuizPlan,
    prover: Prover,
    enrolments: Sequence[int],
    progress: Callable[[int, int], None] | None,
) -> Sequence[Paper]:
    """Draw one paper a person. The person's name in the draw is the enrolment: the same person gets the same again."""
    people = [f"enrolment-{enrolment}" for enrolment in enrolments]
    return assemble(plan, families(), course.secret, people=people, prover=prover, progress=progress).papers


def _issue(t: Transaction, quiz: Quiz, enrolments: Sequence[int], papers: Sequence[Paper], now: datetime) -> None:
    for enrolment_id, paper in zip(enrolments, papers, strict=True):
        items: list[NewIssued] = [
            {
                "number": item.number,
                "item": item.id,
                "code": item.code,
                "points": str(item.points),
                "variant": item.variant.canonical().decode(),
                "parts": [part.id for part in item.variant.parts],
            }
            for item in paper.items
        ]
        courses.issue(t, enrolment_id=enrolment_id, quiz_id=quiz.id, tries=quiz.tries, items=items, at=now)
