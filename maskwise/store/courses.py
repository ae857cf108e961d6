"""Courses, who is in them, the quizzes published there, and the variants in people's hands."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from sqlalchemy import insert, select, update

from maskwise.store.records import Course, Enrolment, Issued, Quiz, User
from maskwise.store.tables import courses, enrolments, issued, quizzes, tallies, users

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from maskwise.store.database import Transaction

_COURSE = (courses.c.id, courses.c.slug, courses.c.title, courses.c.time_zone, courses.c.secret)
_ENROLMENT = (enrolments.c.id, enrolments.c.course_id, enrolments.c.user_id, enrolments.c.role)
_QUIZ = (
    quizzes.c.id,
    quizzes.c.course_id,
    quizzes.c.slug,
    quizzes.c.title,
    quizzes.c.plan,
    quizzes.c.version,
    quizzes.c.mode,
    quizzes.c.tries,
    quizzes.c.due_at,
    quizzes.c.published_at,
)
_ISSUED = (
    issued.c.id,
    issued.c.enrolment_id,
    issued.c.quiz_id,
    issued.c.number,
    issued.c.item,
    issued.c.code,
    issued.c.points,
    issued.c.variant,
)


class NewIssued(TypedDict):
    """One frozen variant to hand out; `parts` are the ids of its parts in order."""

    number: int
    item: str
    code: str
    points: str
    variant: str
    parts: Sequence[str]


def add_course(t: Transaction, *, slug: str, title: str, time_zone: str, secret: bytes, at: datetime) -> Course:
    """Make a course; Duplicate when the slug is taken."""
    row = t.execute(
        insert(courses)
        .values(slug=slug, title=title, time_zone=time_zone, secret=secret, created_at=at)
        .returning(*_COURSE)
    ).one()
    return Course(*row)


def course_by_slug(t: Transaction, slug: str) -> Course | None:
    """Find a course by its short name."""
    row = t.execute(select(*_COURSE).where(courses.c.slug == slug)).first()
    return Course(*row) if row else None


def enrol(t: Transaction, *, course_id: int, user_id: int, role: str) -> Enrolment:
    """Put a person into a course; Duplicate when already in it."""
    row = t.execute(
        insert(enrolments).values(course_id=course_id, user_id=user_id, role=role).returning(*_ENROLMENT)
    ).one()
    return Enrolment(*row)


def courses_of(t: Transaction, user_id: int) -> list[tuple[Course, Enrolment]]:
    """List the courses a person is in, with their part there."""
    rows = t.execute(
        select(*_COURSE, *_ENROLMENT)
        .join(enrolments, enrolments.c.course_id == courses.c.id)
        .where(enrolments.c.user_id == user_id)
        .order_by(courses.c.title, courses.c.id)
    )
    return [(Course(*row[:5]), Enrolment(*row[5:])) for row in rows]


def course_for(t: Transaction, course_id: int, user_id: int) -> tuple[Course, Enrolment] | None:
    """Give a course to somebody who is in it; none for everybody else, as for a course that is not there."""
    row = t.execute(
        select(*_COURSE, *_ENROLMENT)
        .join(enrolments, enrolments.c.course_id == courses.c.id)
        .where(courses.c.id == course_id, enrolments.c.user_id == user_id)
    ).first()
    return (Course(*row[:5]), Enrolment(*row[5:])) if row else None


def people_in(t: Transaction, course_id: int, role: str) -> list[tuple[User, Enrolment]]:
    """List the people with one role, by name."""
    rows = t.execute(
        select(users.c.id, users.c.email, users.c.name, users.c.password_hash, *_ENROLMENT)
        .join(enrolments, enrolments.c.user_id == users.c.id)
        .where(enrolments.c.course_id == course_id, enrolments.c.role == role)
        .order_by(users.c.name, users.c.id)
    )
    return [(User(*row[:4]), Enrolment(*row[4:])) for row in rows]


def add_quiz(
    t: Transaction,
    *,
    course_id: int,
    slug: str,
    title: str,
    plan: str,
    version: int,
    mode: str,
    tries: int,
    due_at: datetime | None,
    at: datetime,
) -> Quiz:
    """Publish a quiz; Duplicate when this version of it is published."""
    row = t.execute(
        insert(quizzes)
        .values(
            course_id=course_id,
            slug=slug,
            title=title,
            plan=plan,
            version=version,
            mode=mode,
            tries=tries,
            due_at=due_at,
            published_at=at,
        )
        .returning(*_QUIZ)
    ).one()
    return Quiz(*row)


def set_due(t: Transaction, quiz_id: int, due_at: datetime) -> None:
    """Move the moment until which a quiz takes answers."""
    t.execute(update(quizzes).where(quizzes.c.id == quiz_id).values(due_at=due_at))


def quizzes_of(t: Transaction, course_id: int) -> list[Quiz]:
    """List the quizzes of a course, oldest first."""
    rows = t.execute(select(*_QUIZ).where(quizzes.c.course_id == course_id).order_by(quizzes.c.id))
    return [Quiz(*row[:10]) for row in rows]


def quiz_for(t: Transaction, quiz_id: int, user_id: int) -> tuple[Quiz, Course, Enrolment] | None:
    """Give a quiz to somebody who is in its course; none for everybody else, as for a quiz that is not there."""
    row = t.execute(
        select(*_QUIZ, *_COURSE, *_ENROLMENT)
        .join(courses, courses.c.id == quizzes.c.course_id)
        .join(enrolments, enrolments.c.course_id == courses.c.id)
        .where(quizzes.c.id == quiz_id, enrolments.c.user_id == user_id)
    ).first()
    return (Quiz(*row[:10]), Course(*row[10:15]), Enrolment(*row[15:])) if row else None


def issue(
    t: Transaction, *, enrolment_id: int, quiz_id: int, tries: int, items: Sequence[NewIssued], at: datetime
) -> None:
    """Hand out frozen variants with an untouched tally for every part; Duplicate when this was done before."""
    for item in items:
        issued_id = t.execute(
            insert(issued)
            .values(
                enrolment_id=enrolment_id,
                quiz_id=quiz_id,
                number=item["number"],
                item=item["item"],
                code=item["code"],
                points=item["points"],
                variant=item["variant"],
                issued_at=at,
            )
            .returning(issued.c.id)
        ).scalar_one()
        t.execute(insert(tallies), [{"issued_id": issued_id, "part": part, "allowed": tries} for part in item["parts"]])


def issued_to(t: Transaction, enrolment_id: int, quiz_id: int) -> list[Issued]:
    """List what one person holds of one quiz, in order."""
    rows = t.execute(
        select(*_ISSUED)
        .where(issued.c.enrolment_id == enrolment_id, issued.c.quiz_id == quiz_id)
        .order_by(issued.c.number)
    )
    return [Issued(*row) for row in rows]


def issued_item(t: Transaction, enrolment_id: int, quiz_id: int, number: int) -> Issued | None:
    """Give one question of what a person holds."""
    row = t.execute(
        select(*_ISSUED).where(
            issued.c.enrolment_id == enrolment_id, issued.c.quiz_id == quiz_id, issued.c.number == number
        )
    ).first()
    return Issued(*row) if row else None


def issued_by_code(t: Transaction, code: str) -> tuple[Issued, Quiz, User] | None:
    """Give what a look-up id stands for: the variant, its quiz, and whose it is."""
    row = t.execute(
        select(*_ISSUED, *_QUIZ, users.c.id, users.c.email, users.c.name, users.c.password_hash)
        .join(quizzes, quizzes.c.id == issued.c.quiz_id)
        .join(enrolments, enrolments.c.id == issued.c.enrolment_id)
        .join(users, users.c.id == enrolments.c.user_id)
        .where(issued.c.code == code)
    ).first()
    if row is None:
        return None
    at, end = len(_ISSUED), len(_ISSUED) + len(_QUIZ)
    return Issued(*row[:at]), Quiz(*row[at:end]), User(*row[end:])


def issued_by_id(t: Transaction, issued_ids: Iterable[int]) -> dict[int, Issued]:
    """Give several issued variants by their ids."""
    rows = t.execute(select(*_ISSUED).where(issued.c.id.in_(list(issued_ids))))
    return {row[0]: Issued(*row) for row in rows}


def students_issued(t: Transaction, quiz_id: int) -> set[int]:
    """Tell which enrolments hold a quiz already."""
    return set(t.execute(select(issued.c.enrolment_id).where(issued.c.quiz_id == quiz_id).distinct()).scalars())


def numbers_of(t: Transaction, course_id: int) -> list[int]:
    """List the question numbers that occur in the quizzes of a course."""
    query = (
        select(issued.c.number)
        .join(quizzes, quizzes.c.id == issued.c.quiz_id)
        .where(quizzes.c.course_id == course_id)
        .distinct()
        .order_by(issued.c.number)
    )
    return list(t.execute(query).scalars())
