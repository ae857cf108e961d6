"""A demo course to look around in: one instructor, three students, a warm-up and the lesson's problem set.

The warm-up is short and is answered by picking: an open question asked as a choice, positions, statements.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from generator.plan_reading import read_plan
from maskwise.services import accounts
from maskwise.services.publishing import publish
from maskwise.store import Duplicate, courses, people
from question_bank.catalogue import quiz_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from generator.build import Prover
    from generator.plan import QuizPlan
    from maskwise.store import Store, Transaction
    from maskwise.store.records import Course

SLUG = "demo"
QUIZ = "lesson-12"
_WARM_UP = """\
title = "Warm-up: pick what holds"
slug = "warm-up"
intro = "Positions count from 0."
tries = 3

[[item]]
id = "scores"
family = "SH-TRYIT"
level = 1
parts = ["sel"]
as = "choice"
minutes = 1

[[item]]
id = "leaks"
family = "LK-FIND"
level = 1
parts = ["leaked", "hidden"]
minutes = 2

[[item]]
id = "objectives"
family = "OB-COMPARE"
level = 3
parts = ["statements"]
minutes = 2
"""
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

    A quiz that is nearly or long due is opened again. Raises Unproven and RunnerUnavailable as proving does; then there
    is no half quiz, and the next call goes on.
    """
    told = tuple(Account(email, name, role, accounts.new_password()) for email, name, role in _PEOPLE)
    course, published = _course(store, told, now)
    for plan in _plans():
        if plan.slug in published:
            continue
        with suppress(Duplicate):  # another start was faster: its quiz is the one
            publish(store, course, plan, prover, mode="homework", due_at=now + _OPEN_FOR, now=now, progress=progress)
    return told


def _plans() -> tuple[QuizPlan, ...]:
    return quiz_plan(QUIZ), read_plan(_WARM_UP, "warm-up of the demo")


def _course(store: Store, told: Sequence[Account], now: datetime) -> tuple[Course, frozenset[str]]:
    """Give the course with its people, and the quizzes that are there; two first starts together take turns."""
    for _ in range(_ROUNDS):
        with suppress(Duplicate), store.writing() as t:
            return _course_and_people(t, told, now)
    raise AssertionError("a course that is there twice is not there")


def _course_and_people(t: Transaction, told: Sequence[Account], now: datetime) -> tuple[Course, frozenset[str]]:
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
    held = courses.quizzes_of(t, course.id)
    for quiz in held:
        if quiz.due_at is not None and quiz.due_at < now + _OPEN_AT_LEAST:
            courses.set_due(t, quiz.id, now + _OPEN_FOR)
    return course, frozenset(quiz.slug for quiz in held)
