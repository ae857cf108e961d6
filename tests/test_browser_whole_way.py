"""From the lesson's plan to stored, graded attempts, through every layer, with the real PyTorch and a real browser."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time

import classroom_kit as kit
import live
import pytest
import stores

from maskwise.services import accounts, attempts, demo, question
from maskwise.services.prover import Prover
from maskwise.store import Store, courses, people
from maskwise.store.database import database_url
from question_bank.catalogue import quiz_plan

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def set_of_problems(data):
    """`maskwise generate`: the numbers that paper and LMS get."""
    out = data / "out"
    command = [sys.executable, "-m", "maskwise", "--data-dir", str(data)]
    subprocess.run([*command, "generate", "lesson-12", "--seed", "12", "-f", "json", "-o", str(out)], check=True)
    return json.loads((out / "lesson-12.json").read_text())


@pytest.fixture(scope="module")
def served(data, set_of_problems):
    """`maskwise serve --demo` as a person starts it; gives the address and the passwords."""
    command = [sys.executable, "-m", "maskwise", "--data-dir", str(data), "serve", "--demo", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    passwords, address = {}, None
    for line in process.stdout:
        if found := re.match(r"\w+\s+(\S+@\S+)\s+password (\S+)", line):
            passwords[found[1]] = found[2]
        if line.startswith("http"):
            address = line.strip().rstrip("/")
            break
    assert address, process.stdout.read()
    yield address, passwords
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=20)
    assert "Traceback" not in rest


def held(data, email):
    """What a student of the demo course holds: number -> variant as it was frozen."""
    store = Store(database_url(data))
    with store.reading() as t:
        user = people.user_by_email(t, email)
        course, enrolment = courses.courses_of(t, user.id)[0]
        quiz = courses.quizzes_of(t, course.id)[0]
        items = courses.issued_to(t, enrolment.id, quiz.id)
    store.close()
    return user.id, quiz.id, {item.number: json.loads(item.variant) for item in items}


@pytest.mark.browser
def test_from_the_plan_to_stored_attempts(data, set_of_problems, served):
    address, passwords = served
    email = "ada@demo.example"
    user_id, quiz_id, variants = held(data, email)
    assert len(variants) == len(quiz_plan("lesson-12").items) == 13
    assert all(variant["certificate"]["agree"] for variant in variants.values())
    with live.chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(8000)
        page.goto(address)
        page.fill("#email", email)
        page.fill("#password", passwords[email])
        page.click("main button")
        page.click("main a.btn")
        _wait_for_pytorch(page, f"{address}/quiz/{quiz_id}/{_number_of(variants, 'SH-TRYIT')}")
        for number, variant in variants.items():
            page.goto(f"{address}/quiz/{quiz_id}/{number}")
            html = page.content()
            assert variant["family"] not in html
            assert variant["certificate"]["sha256"] not in html
            routes = variant["certificate"]["routes"]
            for part in variant["parts"]:
                _fill(page, part, routes[part["id"]]["formula"])
                page.click(f"#answer-{part['id']} button.primary")
                page.wait_for_selector(f"#part-{part['id']}.right")
            for part in variant["parts"]:  # what waited for another part has come with it
                shown = page.locator(f"#part-{part['id']} .torch samp")
                printed = routes[part["id"]]["printed"]
                assert [each.inner_text() for each in shown.all()] == ([printed] if printed else [])
                assert page.locator(f"#part-{part['id']} details.sol").count() == 1
        page.goto(f"{address}/quiz/{quiz_id}")
        assert page.locator(".tag.good").count() == 13
        page.goto(f"{address}/record")
        assert page.locator("tbody tr").count() >= sum(len(v["parts"]) for v in variants.values())
        page.set_viewport_size({"width": 320, "height": 800})
        for number in variants:
            page.goto(f"{address}/quiz/{quiz_id}/{number}")
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, number
    store = Store(database_url(data))
    for number, variant in variants.items():
        at = attempts.place(store, user_id, quiz_id, number)
        counted = [said for said in at.said if said.counted]
        assert {said.part: said.outcome for said in counted} == {part["id"]: "right" for part in variant["parts"]}
        assert all(tally.closed for tally in at.tallies.values())
        for said in counted:
            reasoned = variant["certificate"]["routes"][said.part]["by"] == "reasoned"
            assert ("run" in said.verdict["checked"]) is not reasoned
    store.close()


def _number_of(variants, family):
    return next(number for number, variant in variants.items() if variant["family"] == family)


def _fill(page, part, formula):
    """Answer a part on its page: options are ticked, the rest is typed."""
    if part["answer"]["kind"] not in {"choice", "multi"}:
        page.fill(f"#in-{part['id']}", formula)
        return
    options = part["answer"]["options"]
    for word in part["answer"].get("words", [part["answer"].get("word")]):
        page.check(f"#part-{part['id']} .option >> nth={options.index(word)}")


def _wait_for_pytorch(page, address):
    """Send something wrong until PyTorch is up: until then it cannot be graded, and costs nothing."""
    page.goto(address)
    for n in range(9):
        page.fill("#in-loss", f"({90 + n}, 2)")
        page.click("#answer-loss button.primary")
        page.wait_for_selector("#part-loss .fb")
        if page.locator("#part-loss .fb.miss").count():
            return
        assert "no try was used" in page.locator("#part-loss .fb").inner_text()
        time.sleep(1.5)
    raise AssertionError("PyTorch does not start")


@pytest.fixture(scope="module")
def course(data, set_of_problems, tmp_path_factory):
    """The demo course on a store of its own, asked by a live runner that a test can kill."""
    folder = tmp_path_factory.mktemp("live")
    with stores.opened("sqlite", folder) as store, Prover(data) as prover:
        demo.demo(store, prover, now=kit.NOW)
        with Prover(data, wait=False) as observer:
            _ = observer.runner
            yield store, observer, folder


def test_with_pytorch_killed_nothing_is_graded_no_try_used_and_it_comes_back(course):
    store, observer, folder = course
    user_id, quiz_id, variants = held(folder, "noor@demo.example")
    number = _number_of(variants, "SH-TRYIT")
    key = variants[number]["certificate"]["routes"]["enc"]["formula"]

    def send(text, part="enc"):
        return attempts.submit(
            store,
            observer,
            user_id=user_id,
            quiz_id=quiz_id,
            number=number,
            part_id=part,
            text=text,
            key=secrets.token_urlsafe(18),
            now=kit.NOW,
        )

    _until(observer.runner.alive)
    assert send("(1, 2, 3)").outcome == "wrong"
    for text in (key, "(1, 2, 4)"):  # although the answer of PyTorch to this very question is known in memory
        _until(observer.runner.alive)
        os.kill(observer.runner.pid, signal.SIGKILL)
        stored = send(text)
        assert (stored.outcome, stored.verdict["note"], stored.counted) == ("not_graded", "no_runner", False)
    at = attempts.place(store, user_id, quiz_id, number)
    assert at.tallies["enc"].used == 1
    _until(observer.runner.alive)
    assert send(key).outcome == "right"
    at = attempts.place(store, user_id, quiz_id, number)
    view = question.view(at.quiz, at.item, at.variant, at.tallies, at.said, "UTC")
    assert view.part("enc").evidence.printed.startswith("torch.Size([")


def _until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_part_of_the_warm_up_is_asked_as_a_choice_and_graded_against_the_run(course):
    store, observer, *_ = course
    with store.reading() as t:
        user = people.user_by_email(t, "noor@demo.example")
        demo_course, enrolment = courses.courses_of(t, user.id)[0]
        quiz = next(quiz for quiz in courses.quizzes_of(t, demo_course.id) if quiz.slug == "warm-up")
        item = courses.issued_to(t, enrolment.id, quiz.id)[0]
    (part,) = json.loads(item.variant)["parts"]
    assert part["answer"]["kind"] == "choice"
    _until(observer.runner.alive)
    letter = "ABCDE"[part["answer"]["options"].index(part["answer"]["word"])]
    stored = attempts.submit(
        store,
        observer,
        user_id=user.id,
        quiz_id=quiz.id,
        number=1,
        part_id=part["id"],
        text="",
        picks=[letter],
        key=secrets.token_urlsafe(18),
        now=kit.NOW,
    )
    assert (stored.outcome, stored.raw, stored.verdict["checked"]) == ("right", letter, ["formula", "run"])
    at = attempts.place(store, user.id, quiz.id, 1)
    evidence = question.view(at.quiz, at.item, at.variant, at.tallies, at.said, "UTC").part(part["id"]).evidence
    assert evidence.printed.startswith("torch.Size([")


def test_every_slip_of_the_demo_gets_its_words_and_never_the_key(course):
    *_, folder = course
    *_, variants = held(folder, "kofi@demo.example")
    for variant in variants.values():
        for part in variant["parts"]:
            for slip in part["slips"]:
                words = variant["words"][f"slip_{part['id']}_{slip['id']}"]
                assert words.strip(), (variant["family"], part["id"], slip["id"])


def test_every_student_holds_sealed_variants_of_their_own(course):
    *_, folder = course
    mine = [held(folder, f"{name}@demo.example")[2] for name in ("ada", "noor", "kofi")]
    assert all(variant["seed"] is None for variants in mine for variant in variants.values())
    given = [json.dumps([variant["given"] for variant in variants.values()]) for variants in mine]
    assert len(set(given)) == 3


def test_a_second_start_keeps_the_course_and_tells_passwords_that_work(course):
    store, observer, *_ = course
    told = demo.demo(store, observer, now=kit.NOW)
    again = demo.demo(store, observer, now=kit.NOW)
    assert {account.email for account in told} == {account.email for account in again}
    now = kit.NOW
    for account in again:
        accounts.sign_in(store, email=account.email, password=account.password, address="", now=now)
    with pytest.raises(accounts.WrongSignIn):
        accounts.sign_in(store, email=told[0].email, password=told[0].password, address="", now=now)
    with store.reading() as t:
        demo_course = courses.course_by_slug(t, "demo")
        assert [quiz.slug for quiz in courses.quizzes_of(t, demo_course.id)] == ["lesson-12", "warm-up"]
        assert len(courses.people_in(t, demo_course.id, "student")) == 3
