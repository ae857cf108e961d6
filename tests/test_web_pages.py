from __future__ import annotations

import csv
import io
import re

import classroom_kit as kit
import pytest

from maskwise.services import classroom, csv_files
from maskwise.store import StoreUnavailable
from maskwise.store.records import Wanted


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def school(request, tmp_path):
    with kit.school(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture
def ada(school):
    return school.browser("ada")


def csrf_of(browser):
    return kit.fields(browser.get("/", follow_redirects=True).text)["csrf"]


# --- headers, limits, errors ---


@pytest.mark.parametrize("path", ["/sign-in", "/", "/quiz/1/1", "/record", "/nothing", "/healthz"])
def test_every_answer_carries_the_headers(ada, path):
    headers = ada.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'nonce-")
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert re.fullmatch(r"[0-9a-f]{16}", headers["X-Request-Id"])


def test_pages_hold_no_inline_script_or_style_and_a_fresh_nonce(ada):
    pages = [ada.get("/quiz/1/1").text for _ in range(2)]
    for page in pages:
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", page)
    nonces = [set(re.findall(r'nonce="([^"]+)"', page)) for page in pages]
    assert [len(found) for found in nonces] == [1, 1]
    assert nonces[0] != nonces[1]


@pytest.mark.parametrize(("path", "size"), [("/quiz/1/1/hits", 70_000), ("/sign-in", 9_000), ("/preview", 70_000)])
def test_bodies_over_the_limit_of_their_route_are_refused(ada, path, size):
    data = {"csrf": csrf_of(ada), "text": "9" * size, "key": "k" * 20, "kind": "int"}
    answer = ada.http.post(path, data=data)
    assert answer.status_code == 413
    assert len(answer.text) < 10_000


@pytest.mark.parametrize(
    "body",
    [
        b"csrf=%s&key=kkkkkkkkkkkkkkkkkkkk&text=%%00%%00",
        b"csrf=%s&key=kkkkkkkkkkkkkkkkkkkk&text=%%ED%%A0%%80",
        b"csrf=%s&key=%%00&text=1",
        b"csrf=%s&text=%%FF%%FE&key=kkkkkkkkkkkkkkkkkkkk",
    ],
)
def test_bytes_that_are_no_text_never_break(ada, body):
    answer = ada.http.post(
        "/quiz/1/1/hits",
        data=body % csrf_of(ada).encode(),
        content_type="application/x-www-form-urlencoded",
    )
    assert answer.status_code in {400, 422}


@pytest.mark.parametrize(
    "declared", ["[]", "{", "null", '{"unknown": 1}', '{"letters": 5}', "[" * 5000, '{"places": 1e999}', ""]
)
def test_a_forged_context_of_a_preview_is_a_bad_request(ada, declared):
    data = {"csrf": csrf_of(ada), "kind": "shape", "text": "(1, 2)", "declared": declared}
    assert ada.http.post("/preview", data=data).status_code == 400


def test_an_unknown_kind_in_a_preview_is_a_bad_request(ada):
    assert ada.http.post("/preview", data={"csrf": csrf_of(ada), "kind": "nothing", "text": "1"}).status_code == 400


def test_a_store_that_is_away_is_a_503_that_keeps_what_was_typed(school, monkeypatch):
    ada = school.browser("ada")
    form = ada.form("hits")

    def away(*_args, **_kwargs):
        raise StoreUnavailable("database is locked")

    monkeypatch.setattr("maskwise.store.attempts.add", away)
    for htmx in (False, True):
        answer = ada.answer("hits", "4711", form=form, htmx=htmx)
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "5"
        assert "Not saved" in answer.text
    assert answer.headers["HX-Retarget"] == "#und-hits"
    monkeypatch.undo()
    assert ada.answer("hits", "4711", form=form).status_code == 200
    assert ada.get("/record").text.count("4711") == 1


def test_a_fault_of_ours_is_a_500_with_a_number_and_no_trace(school, monkeypatch):
    ada = school.browser("ada")

    def broken(*_args, **_kwargs):
        raise RuntimeError("a secret detail")

    monkeypatch.setattr("maskwise.services.classroom.home", broken)
    answer = ada.get("/")
    assert answer.status_code == 500
    assert "a secret detail" not in answer.text
    assert answer.headers["X-Request-Id"] in answer.text


def test_health_tells_process_and_database_apart(school, monkeypatch):
    browser = school.browser()

    def away(_store):
        raise StoreUnavailable("away")

    assert browser.get("/readyz").json == {"ok": True, "database": True, "tables": True}
    monkeypatch.setattr("maskwise.store.schema.current", away)
    assert browser.get("/readyz").status_code == 503
    assert browser.get("/healthz").status_code == 200


# --- staff ---


def test_the_class_is_listed_filtered_and_paged(school):
    ada, ben, ivy = (school.browser(name) for name in ("ada", "ben", "ivy"))
    ada.answer("logits", "(8, 20, 48)")
    ada.answer("logits", "unreadable")
    ben.answer("hits", "12")
    page = ivy.get("/course/1/attempts").text
    assert "width_kept" in page
    assert "SH-CANARY" in page
    assert page.count("<time") == 3
    for query, wanted in (
        ("outcome=right", 1),
        ("question=2", 0),
        (f"student={school.enrolments['ada'].id}", 2),
        ("outcome=wrong&quiz=1", 1),
        ("student=x&page=-4&outcome=%00", 3),
    ):
        assert ivy.get(f"/course/1/attempts?{query}").text.count("<time") == wanted, query
    for n in range(60):
        ben.answer("logits", f"no {n}")
    assert ivy.get("/course/1/attempts?page=2").text.count("<time") == 13
    assert "Page 2 of 2" in ivy.get("/course/1/attempts?page=99").text


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "－1", "＋1", "＠x", "\n=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_a_file_becomes_a_formula(text):
    assert csv_files.cell(text) == f"'{text}"


def test_numbers_and_plain_text_are_left_alone_in_files():
    assert [csv_files.cell(value) for value in (-1, 0.5, "a=1", "", None)] == [-1, 0.5, "a=1", "", ""]


def test_the_file_of_a_class_reads_back_as_it_was_sent(school):
    ada, ivy = school.browser("ada"), school.browser("ivy")
    sent = ["=HYPERLINK(1)", 'a "quoted", text', "line\nbreak", "a\x00b", "(8, 20, 48)"]
    for text in sent:
        ada.answer("logits", text)
    answer = ivy.get("/course/1/attempts.csv")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="dl-attempts.csv"'
    lines = list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"), newline="")))
    raws = [line["answer"] for line in reversed(lines)]
    assert raws == ["'=HYPERLINK(1)", 'a "quoted", text', "line\nbreak", "a\\x00b", "(8, 20, 48)"]
    assert lines[0]["slip"] == "width_kept"
    assert lines[0]["points"] == "0.0"
    own = ada.get("/record.csv").data.decode("utf-8-sig")
    assert "width_kept" not in own
    assert "SH-CANARY" not in own


def test_a_file_that_is_written_while_answers_arrive_holds_each_once(school, monkeypatch):
    ada, ivy = school.browser("ada"), school.browser("ivy")
    for n in range(7):
        ada.answer("logits", f"early {n}")
    monkeypatch.setattr("maskwise.services.classroom._CSV_PAGE", 3)
    course, _ = classroom.course_of(school.store, school.people["ivy"].id, school.courses["dl"].id)
    file = classroom.class_csv(school.store, course, Wanted())
    got = b""
    for number, line in enumerate(file):
        got += line
        if number < 6:
            ada.answer("sel", f"late {number}")
    raws = [row["answer"] for row in csv.DictReader(io.StringIO(got.decode("utf-8-sig"), newline=""))]
    early = [raw for raw in raws if raw.startswith("early")]
    assert early == [f"early {n}" for n in reversed(range(7))]
    assert len(raws) == len(set(raws))
    assert ivy.get("/course/1/attempts.csv").data.count(b"late") == 6


# --- limits ---


def test_who_is_stopped_finds_the_way_back_to_the_question(tmp_path):
    with kit.school("sqlite", tmp_path, limit=1) as small:
        ada = small.browser("ada")
        form = ada.form("hits")
        ada.answer("hits", "11")
        stopped = ada.answer("hits", "12")
        assert stopped.status_code == 429
        assert '<a class="btn primary" href="/quiz/1/1">Back to the question</a>' in stopped.text
        small.clock.forward(minutes=2)
        reused = ada.answer("hits", "13", form=form | {"key": "k" * 20})
        assert reused.status_code == 200
        assert "Back to the question" in ada.answer("hits", "14", form=form | {"key": "k" * 20}).text  # 409


def test_previews_have_a_generous_limit_for_each_session(tmp_path):
    from dataclasses import replace

    from maskwise.web import create_app
    from maskwise.web.pace import PREVIEWS_A_MINUTE, Pace

    assert PREVIEWS_A_MINUTE >= 240  # more than typing makes
    with kit.school("sqlite", tmp_path) as small:
        small.app = create_app(replace(small.app.extensions["maskwise"], previews=Pace(3)))
        small.app.test_client_class = kit.Client
        ada, ben = small.browser("ada"), small.browser("ben")

        def look(browser, path="/preview"):
            data = {"csrf": csrf_of(browser), "kind": "int", "text": "12", "declared": "{}"}
            return browser.http.post(path, data=data, headers={"HX-Request": "true"})

        assert [look(ada).status_code for _ in range(2)] == [200, 200]
        assert look(ada, "/quiz/1/1/hits/preview").status_code == 200
        stopped = look(ada)
        assert (stopped.status_code, stopped.headers["Retry-After"]) == (429, "60")
        assert "No preview just now. Previews are back in a minute." in stopped.text
        assert look(ada, "/quiz/1/1/hits/preview").status_code == 429
        assert look(ben).status_code == 200  # a limit of each session
        assert "1 of 1 point" in ada.answer("hits", "12").text  # and answers are taken
        small.clock.forward(seconds=61)
        assert look(ada).status_code == 200


def test_counts_of_sessions_long_gone_are_forgotten():
    from maskwise.web.pace import _MOST_KEPT, Pace

    pace, clock = Pace(1), kit.Clock()
    for n in range(_MOST_KEPT):
        pace.allows(f"session {n}", clock())
    clock.forward(minutes=2)
    assert pace.allows("another", clock())
    assert len(pace._counts) == 1


# --- small things ---


def test_colours_are_kept_in_a_cookie(ada):
    ada.http.post("/theme", data={"csrf": csrf_of(ada), "theme": "dark", "next": "/record"})
    assert 'data-theme="dark"' in ada.get("/").text
    ada.http.set_cookie("maskwise_theme", '"><script>')
    assert 'data-theme="system"' in ada.get("/").text


def test_times_are_those_of_the_course(ada):
    ada.answer("logits", "(8, 20, 48)")
    assert ">15:57</time>" in ada.get("/quiz/1/1").text  # Helsinki is two hours ahead in November


def test_static_files_are_kept_by_browsers_and_named_by_content(ada):
    page = ada.get("/").text
    address = re.search(r'href="(/static/base\.css\?v=[0-9a-f]{12})"', page).group(1)
    answer = ada.get(address)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    answer.close()


@pytest.mark.parametrize(
    "address",
    [
        "/static/fonts/atkinson-hyperlegible-next.woff2",
        "/static/vendor/htmx-4.0.1.esm.min.js",
        "/static/base.css",
        "/static/base.css?v=",
        "/static/base.css?v=000000000000",
    ],
)
def test_static_files_whose_address_holds_no_hash_are_asked_for_again(ada, address):
    answer = ada.get(address)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "public, max-age=3600"
    again = ada.get(address, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.headers["Cache-Control"]) == (304, "public, max-age=3600")
    answer.close()


def test_the_web_process_loads_no_torch_and_the_command_line_no_flask():
    import subprocess
    import sys

    look = "import sys; {}; print([m for m in ('torch', 'sympy', 'flask', 'sqlalchemy') if m in sys.modules])"
    for line, wanted in (
        ("import maskwise.web", "['flask', 'sqlalchemy']"),
        ("import maskwise.cli", "[]"),
        ("import sympy", "['sympy'"),  # and the look can fail
    ):
        out = subprocess.run(
            [sys.executable, "-c", look.format(line)], capture_output=True, text=True, check=True
        ).stdout
        assert out.startswith(wanted), line
