"""A demo course to look around in: one instructor, three students, the lesson's problem set, passwords of their own."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from maskwise.services import accounts
from maskwise.services.publishing import publish
from maskwise.store import Duplicate, courses, people
from question_bank.catalogue import quiz_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from generator.build import Prover
    from maskwise.store import Store, Transaction
    from maskwise.store.records import Course

SLUG = "demo"
QUIZ = "lesson-12"
_PEOPLE = (
    ("teacher@demo.example", "Robin Teacher", "instructor"),
    ("ada@demo.example", "Ada Student", "student"),
    ("noor@demo.example", "Noor Student", "student"),
    ("kofi@demo.example", "Kofi Student", "student"),
)
_OPEN_FOR = timedelta(days=28)
_OPEN_AT_LEAST = timedelta(days=7)
_ROUNDS = 3


@dataclass(frozen=True)
class Account:
    """Somebody of the demo course; the password is told here and kept nowhere."""

    email: str
    name: str
    role: str
    password: str


def demo(
    store: Store, prover: Prover, *, now: datetime, progress: Callable[[int, int], None] | None = None
) -> tuple[Account, ...]:
    """Make the demo course if there is none, and give its people new passwords, so that those told here are right.

    A problem set that is nearly or long due is opened again. Raises Unproven and RunnerUnavailable as proving does;
    then there is no half course, and the next call goes on.
    """
    told = tuple(Account(email, name, role, accounts.new_password()) for email, name, role in _PEOPLE)
    course, published = _course(store, told, now)
    if not published:
        with suppress(Duplicate):  # another start was faster: its problem set is the one
            publish(
                store,
                course,
                quiz_plan(QUIZ),
                prover,
                mode="homework",
                due_at=now + _OPEN_FOR,
                now=now,
                progress=progress,
            )
    return told


def _course(store: Store, told: Sequence[Account], now: datetime) -> tuple[Course, bool]:
    """Give the course with its people, and whether its problem set is there; two first starts together take turns."""
    for _ in range(_ROUNDS):
        with suppress(Duplicate), store.writing() as t:
            return _course_and_people(t, told, now)
    raise AssertionError("a course that is there twice is not there")


def _course_and_people(t: Transaction, told: Sequence[Account], now: datetime) -> tuple[Course, bool]:
    course = courses.course_by_slug(t, SLUG) or courses.add_course(
        t, slug=SLUG, title="Demo course", time_zone="UTC", secret=secrets.token_bytes(32), at=now
    )
    for each in told:
        user = people.user_by_email(t, each.email)
        if user is None:
            made = accounts.create_account(t, email=each.email, name=each.name, password=each.password, now=now)
            courses.enrol(t, course_id=course.id, user_id=made.id, role=each.role)
            continue
        accounts.change_password(t, user.id, each.password)
        if courses.course_for(t, course.id, user.id) is None:
            courses.enrol(t, course_id=course.id, user_id=user.id, role=each.role)
    held = [quiz for quiz in courses.quizzes_of(t, course.id) if quiz.slug == QUIZ]
    for quiz in held:
        if quiz.due_at is not None and quiz.due_at < now + _OPEN_AT_LEAST:
            courses.set_due(t, quiz.id, now + _OPEN_FOR)
    return course, bool(held)
