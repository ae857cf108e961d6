"""What the server logs when things break: what and where, and never an answer, a name, an address or a password."""

from __future__ import annotations

import io
import json
import logging
import random
import secrets
import sqlite3

import classroom_kit as kit
import psycopg
import pytest
import stores
import structlog

from maskwise.services import accounts
from maskwise.store import Duplicate, StoreUnavailable, courses
from maskwise.web import logs

ANSWER, NAME, EMAIL, WORD = "canary-answer-471184711", "Canary Name", "canary@example.org", "canary-password"
CANARIES = ("canary", "471184711", "Canary")


@pytest.fixture
def logged(monkeypatch):
    """Log as `serve` does; gives what was logged so far, checked."""
    root, stream = logging.getLogger(), io.StringIO()
    before, level = root.handlers[:], root.level
    with monkeypatch.context() as patched:
        patched.setattr("sys.stderr", stream)
        logs.log_to_stderr()

    def read():
        said = stream.getvalue()
        for canary in CANARIES:
            assert canary not in said, said
        return [json.loads(line) for line in said.splitlines()]

    yield read
    root.handlers, root.level = before, level
    structlog.reset_defaults()


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def school(request, tmp_path_factory):
    with kit.school(request.param, tmp_path_factory.mktemp("logs"), tries=10_000) as opened:
        with opened.store.writing() as t:
            canary = accounts.create_account(t, email=EMAIL, name=NAME, password=WORD, now=kit.NOW)
            enrolment = courses.enrol(t, course_id=opened.courses["dl"].id, user_id=canary.id, role="student")
            kit.issue(t, opened.quizzes["dl"], enrolment, [kit.certified(kit.shapes())])
        opened.people["canary"] = canary
        yield opened


def raising(error):
    def broken(*_args, **_kwargs):
        raise error from ValueError(f"{ANSWER} by {NAME} <{EMAIL}>")  # what is behind an error is printed, too

    return broken


FAULTS = [
    RuntimeError(f"cannot grade {ANSWER!r}"),
    ValueError(ANSWER, NAME, EMAIL),
    KeyError(ANSWER),
    UnicodeEncodeError("utf-8", f"{ANSWER}\udcff", 18, 19, EMAIL),
    Duplicate(f"Key (email)=({EMAIL}) already exists"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize(
    "place",
    [
        "maskwise.services.attempts.grade",
        "maskwise.services.attempts.read",
        "maskwise.store.attempts.add",
        "maskwise.store.attempts.count_since",
        "maskwise.services.question.view",
        "maskwise.services.preview.read",
        "classroom_kit.Echo.observed",
    ],
)
def test_no_fault_on_the_way_of_an_answer_logs_it(school, logged, monkeypatch, place, fault):
    browser = school.browser("canary")
    form = browser.form("logits")
    monkeypatch.setattr(place, raising(fault))
    for htmx in (True, False):
        for text in (ANSWER, f"({random.randrange(10**9)}, 471184711)"):
            browser.answer("logits", text, form=form | {"key": secrets.token_hex(10)}, htmx=htmx)
    browser.get("/quiz/1/1")
    browser.http.post("/preview", data={"csrf": form["csrf"], "kind": "int", "text": ANSWER, "declared": "{}"})
    found = logged()
    assert found or (place == "maskwise.services.preview.read" and isinstance(fault, ValueError))  # a bad request
    if place != "maskwise.store.attempts.add":  # where what is there twice is looked for again
        for entry in found:
            assert any("test_web_logs.py" in line for line in entry["exception"]), entry  # and one finds the place


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize(
    "place", ["maskwise.store.people.user_by_email", "maskwise.store.people.count_sign_in", "templates.render"]
)
def test_no_fault_of_signing_in_logs_who(school, logged, monkeypatch, place, fault):
    browser = school.browser()
    browser.get("/sign-in")
    csrf = kit.fields(browser.get("/sign-in").text)["csrf"]
    monkeypatch.setattr(place, raising(fault))
    data = {"csrf": csrf, "email": EMAIL, "password": f"{WORD}?", "next": f"/{ANSWER}"}
    answer = browser.http.post("/sign-in", data=data)
    assert answer.status_code == 500  # also where the page of the error could not be made either: then Flask logs it
    assert logged()


def test_a_fault_while_a_file_is_written_names_nobody(school, logged):
    """Waitress logs what breaks in the middle of a download."""
    try:
        raising(RuntimeError(f"{ANSWER} {EMAIL}"))()
    except RuntimeError:
        logging.getLogger("waitress").exception("Exception while serving %s", "/course/1/attempts.csv")
    (entry,) = logged()
    assert entry["event"] == "Exception while serving /course/1/attempts.csv"
    assert entry["level"] == "error"
    assert entry["exception"][0] == "builtins.RuntimeError"


def test_the_database_names_what_is_there_twice_without_its_value(school):
    with pytest.raises(Duplicate) as caught, school.store.writing() as t:
        accounts.create_account(t, email=EMAIL, name=NAME, password=WORD, now=kit.NOW)
    assert "canary" not in str(caught.value)
    assert "email" in str(caught.value)  # the column or its constraint is told
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@stores.BOTH
def test_a_row_that_breaks_a_rule_is_not_told_with_its_values(kind, tmp_path):
    from sqlalchemy import text

    with stores.opened(kind, tmp_path) as store:
        for values in (f"'{EMAIL}', NULL", f"NULL, '{NAME}'"):
            with pytest.raises((Duplicate, StoreUnavailable)) as caught, store.writing() as t:
                t.execute(text(f"INSERT INTO users (email, name, created_at) VALUES ({values}, '2026-01-01')"))
            assert not any(canary in str(caught.value) for canary in CANARIES)


def test_the_reason_of_a_store_that_is_away_is_one_line(school, logged, monkeypatch):
    from sqlalchemy.exc import OperationalError

    browser = school.browser("canary")
    detail = f"database is locked\nDETAIL: Failing row contains ({ANSWER}, {EMAIL})"
    kinds = {"sqlite": sqlite3.OperationalError, "postgresql": psycopg.OperationalError}
    behind = OperationalError("INSERT ...", {"raw": ANSWER}, kinds[school.store.kind](detail))
    form = browser.form("logits")
    monkeypatch.setattr("maskwise.store.attempts.add", raising(behind))
    assert browser.answer("logits", "(471184711, 471184711)", form=form).status_code == 503
    (entry,) = logged()
    assert entry["reason"] == "database is locked"
