from __future__ import annotations

import csv
import io
import re

import classroom_kit as kit
import pytest

from maskwise.services import csv_files
from maskwise.store import StoreUnavailable


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
