"""The demo course: made once, startable again and again, by two at once, and long after it was made.

The questions are hand-made here; test_browser_whole_way.py starts the real ones.
"""

from __future__ import annotations

import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from fractions import Fraction
from types import SimpleNamespace

import classroom_kit as kit
import pytest
import stores

from generator.faults import Unproven
from maskwise.services import accounts, attempts, demo, publishing
from maskwise.store import courses, people


@pytest.fixture(autouse=True)
def papers(monkeypatch):
    """Let everybody be handed two questions, in the time that proving them takes."""

    def assemble(_plan, _families, _key, *, people, **_more):
        time.sleep(0.2)
        return SimpleNamespace(papers=[SimpleNamespace(items=items()) for _ in people])

    def items():
        made = [kit.certified(kit.shapes()), kit.certified(kit.letters())]
        return [
            SimpleNamespace(number=n, id=f"item-{n}", code=secrets.token_hex(8), points=Fraction(3), variant=variant)
            for n, variant in enumerate(made, start=1)
        ]

    monkeypatch.setattr(publishing, "assemble", assemble)


@pytest.fixture
def store(kind, tmp_path):
    with stores.opened(kind, tmp_path) as opened:
        yield opened


def held(store):
    """Give course, quizzes and students of the demo course."""
    with store.reading() as t:
        course = courses.course_by_slug(t, demo.SLUG)
        return course, courses.quizzes_of(t, course.id), courses.people_in(t, course.id, "student")


def questions_of(store, email):
    with store.reading() as t:
        user = people.user_by_email(t, email)
        course, enrolment = courses.courses_of(t, user.id)[0]
        quiz = courses.quizzes_of(t, course.id)[0]
        return user.id, quiz.id, courses.issued_to(t, enrolment.id, quiz.id)


@stores.BOTH
def test_an_old_demo_course_is_open_again_after_the_next_start(store):
    demo.demo(store, None, now=kit.NOW)
    user, quiz, before = questions_of(store, "ada@demo.example")
    late = kit.NOW + timedelta(days=400)

    def send(now):
        found = attempts.place(store, user, quiz, 1)
        part = found.variant.parts[0]
        return attempts.submit(
            store,
            kit.Echo(),
            user_id=user,
            quiz_id=quiz,
            number=1,
            part_id=part.id,
            text=part.answer.display(),
            key="k" * 20,
            now=now,
        )

    with pytest.raises(attempts.PartClosed):
        send(late)
    demo.demo(store, None, now=late)
    assert send(late).outcome == "right"
    assert questions_of(store, "ada@demo.example")[2] == before  # the questions in hand stay
    _, quizzes, _ = held(store)
    assert {quiz.due_at for quiz in quizzes} == {late + timedelta(days=28)}
    demo.demo(store, None, now=late + timedelta(days=3))
    assert held(store)[1][0].due_at == late + timedelta(days=28)  # still weeks to go: not moved
    demo.demo(store, None, now=late + timedelta(days=25))
    assert held(store)[1][0].due_at == late + timedelta(days=53)


@stores.BOTH
def test_two_first_starts_together_make_one_course(store):
    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(lambda _: demo.demo(store, None, now=kit.NOW), range(2)))
    _course, quizzes, students = held(store)
    assert [quiz.slug for quiz in quizzes] == ["lesson-12", "warm-up"]
    assert len(students) == 3
    for email in ("ada@demo.example", "noor@demo.example", "kofi@demo.example"):
        assert len(questions_of(store, email)[2]) == 2
    for n, email in enumerate(account.email for account in told[0]):  # one of the two passwords is the right one
        rights = 0
        for each in told:
            try:
                accounts.sign_in(store, email=email, password=each[n].password, address=email, now=kit.NOW)
            except accounts.WrongSignIn:
                continue
            rights += 1
        assert rights == 1


@stores.BOTH
def test_a_start_that_broke_off_is_gone_on_with(store, monkeypatch):
    def broken(*_args, **_kwargs):
        raise Unproven("a key cannot be proven")

    with monkeypatch.context() as patched, pytest.raises(Unproven):  # noqa: PT012 - the patch lasts as long as the call
        patched.setattr(demo, "publish", broken)
        demo.demo(store, None, now=kit.NOW)
    assert held(store)[1] == []
    demo.demo(store, None, now=kit.NOW)
    assert len(questions_of(store, "kofi@demo.example")[2]) == 2


@stores.BOTH
def test_somebody_who_has_an_account_already_is_put_into_the_course(store):
    with store.writing() as t:
        accounts.create_account(t, email="noor@demo.example", name="Noor", password="x" * 20, now=kit.NOW)
    demo.demo(store, None, now=kit.NOW)
    assert len(held(store)[2]) == 3
    assert len(questions_of(store, "noor@demo.example")[2]) == 2
