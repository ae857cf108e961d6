from __future__ import annotations

import csv
import io
import json
import re

import classroom_kit as kit
import pytest
import stores

from maskwise.services import csv_files
from maskwise.store import StoreUnavailable

# route -> who gets what: anonymous, student ada, her neighbour ben (his own page), student cy of the other course,
# assistant tess, instructor ivy, instructor joe of the other course. {quiz} and {course} are those of the first course.
WHO = ("", "ada", "ben", "cy", "tess", "ivy", "joe")
MATRIX = {
    ("signing.sign_in", "GET", "/sign-in"): (200, 303, 303, 303, 303, 303, 303),
    ("signing.sign_in", "POST", "/sign-in"): (403, 403, 403, 403, 403, 403, 403),  # an empty form
    ("signing.sign_out", "POST", "/sign-out"): (403, 303, 303, 303, 303, 303, 303),
    ("signing.theme", "POST", "/theme"): (403, 303, 303, 303, 303, 303, 303),
    ("student.home", "GET", "/"): (303, 200, 200, 200, 200, 200, 200),
    ("student.quiz", "GET", "/quiz/1"): (303, 200, 200, 404, 404, 404, 404),
    ("student.ask", "GET", "/quiz/1/1"): (303, 200, 200, 404, 404, 404, 404),
    ("student.answer", "POST", "/quiz/1/1/hits"): (403, 200, 200, 404, 404, 404, 404),
    ("student.preview_page", "POST", "/quiz/1/1/hits/preview"): (403, 200, 200, 404, 404, 404, 404),
    ("student.preview_piece", "POST", "/preview"): (403, 200, 200, 200, 200, 200, 200),
    ("student.record", "GET", "/record"): (303, 200, 200, 200, 200, 200, 200),
    ("student.record_csv", "GET", "/record.csv"): (303, 200, 200, 200, 200, 200, 200),
    ("staff.attempts", "GET", "/course/1/attempts"): (303, 403, 403, 404, 200, 200, 404),
    ("staff.attempts_csv", "GET", "/course/1/attempts.csv"): (303, 403, 403, 404, 200, 200, 404),
    ("health.alive", "GET", "/healthz"): (200,) * 7,
    ("health.ready", "GET", "/readyz"): (200,) * 7,
    ("static", "GET", "/static/base.css"): (200,) * 7,
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with kit.school("sqlite", tmp_path_factory.mktemp("school")) as opened:
        yield opened


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def school(request, tmp_path):
    with kit.school(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture
def ada(school):
    return school.browser("ada")


def csrf_of(browser):
    return kit.fields(browser.get("/", follow_redirects=True).text)["csrf"]


# --- who may ---


def test_every_route_has_a_row_in_the_matrix(shared):
    routes = {
        (rule.endpoint, method)
        for rule in shared.app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert routes == {(endpoint, method) for endpoint, method, _path in MATRIX}


@pytest.mark.parametrize("row", MATRIX, ids=lambda row: f"{row[1]} {row[2]}")
def test_everybody_gets_what_the_matrix_says(shared, row):
    _endpoint, method, path = row
    for who, wanted in zip(WHO, MATRIX[row], strict=True):
        browser = shared.browser(who or None)
        if method == "GET":
            assert browser.get(path).status_code == wanted, who
            assert browser.http.head(path).status_code == wanted, who
        else:
            data = {"csrf": csrf_of(browser), "kind": "int", "text": "11", "key": "k" * 20}
            data["text"] = "11" if who != "ben" else "10"
            answer = browser.http.post(path, data=data, headers={"HX-Request": "true"})
            assert answer.status_code == wanted, who
        for other in {"GET", "POST", "PUT", "DELETE", "PATCH"} - {m for e, m, p in MATRIX if p == path}:
            assert browser.http.open(path, method=other).status_code in {403, 405, 303}, (who, other)


def test_what_is_not_there_and_what_is_not_yours_look_the_same(shared):
    cy = shared.browser("cy")

    def page(path):
        text = cy.get(path).text
        return re.sub(r"[0-9a-f]{16}|nonce=\"[^\"]+\"|value=\"/[^\"]*\"|value=\"[0-9a-f]{64}\"", "", text)

    assert page("/quiz/1/1") == page("/quiz/999/1") == page("/quiz/1") == page("/no/such/page")


@pytest.mark.parametrize(
    "path", ["/quiz/99999999999999999999", "/quiz/1/0", "/quiz/1/-1", "/quiz/x", "/%00", "/quiz/1/1/%00"]
)
def test_odd_addresses_are_not_found(ada, path):
    assert ada.get(path).status_code in {404, 405}


def test_a_session_that_ended_is_nobodys(school):
    ada = school.browser("ada")
    school.clock.forward(hours=13)
    assert ada.get("/").status_code == 303
    answer = ada.http.post("/quiz/1/1/logits", data={"text": "(8, 20, 7777)"})
    assert answer.status_code == 403
    assert "(8, 20, 7777)" in answer.text
    assert "Sign in again" in answer.text


def test_signing_out_ends_the_session_wherever_its_cookie_is(school):
    ada = school.browser("ada")
    token = ada.http.get_cookie("maskwise").value
    ada.http.post("/sign-out", data={"csrf": csrf_of(ada)})
    thief = school.app.test_client()
    thief.set_cookie("maskwise", token)
    assert thief.get("/").status_code == 303


# --- signing in ---


def test_a_wrong_password_and_an_unknown_address_get_the_same_words(school):
    browser = school.browser()
    answers = [browser.sign_in(*who) for who in (("ada@example.org", "no"), ("nobody@example.org", "no"))]
    assert {answer.status_code for answer in answers} == {403}
    texts = [
        re.sub(r'nonce="[^"]+"|value="[^"]*"', "", answer.text).replace("ada@", "").replace("nobody@", "")
        for answer in answers
    ]
    assert texts[0] == texts[1]


def test_passwords_are_hashed_as_rfc_9106_says():
    hasher = kit.REAL_HASHER
    assert (hasher.type.name, hasher.memory_cost, hasher.time_cost) >= ("ID", 64 * 1024, 3)


@pytest.mark.parametrize("email", ["", "a\x00b", "\udcff", "x" * 5000, "ADA@EXAMPLE.ORG "])
def test_odd_addresses_never_break(school, email):
    answer = school.browser().sign_in(email.encode("utf-8", "surrogateescape"))
    assert answer.status_code == (303 if email.startswith("ADA") else 403)


def test_signing_in_is_slowed_down_per_account_and_per_address(school):
    browser = school.browser()
    statuses = [browser.sign_in("ada@example.org", "no").status_code for _ in range(11)]
    assert statuses == [403] * 10 + [429]
    assert browser.sign_in("ada@example.org").status_code == 429  # even with the right password
    school.clock.forward(seconds=61)
    assert browser.sign_in("ada@example.org").status_code == 303


def test_a_class_behind_one_address_can_sign_in_at_once(school):
    assert {
        school.browser().sign_in(f"{name}@example.org").status_code for name in school.people for _ in range(5)
    } == {303}


def test_many_accounts_cannot_be_tried_from_one_address(school):
    statuses = [school.browser().sign_in(f"somebody{n}@example.org", "no").status_code for n in range(11)]
    assert statuses == [403] * 10 + [429]


def test_a_new_session_is_given_at_each_sign_in_and_the_cookie_holds_nothing(school):
    browser = school.browser()
    browser.http.set_cookie("maskwise", "planted")
    answer = browser.sign_in("ada@example.org")
    cookie = next(c for c in answer.headers.getlist("Set-Cookie") if c.startswith("maskwise="))
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    first = browser.http.get_cookie("maskwise").value
    assert first != "planted"
    assert re.fullmatch(r"[\w-]{43}", first)
    browser.sign_in("ada@example.org")
    assert browser.http.get_cookie("maskwise").value != first
    old = school.app.test_client()
    old.set_cookie("maskwise", first)
    assert old.get("/").status_code == 303


def test_behind_https_cookies_are_secure_and_bound_to_the_site(school):
    from dataclasses import replace

    from maskwise.web import create_app

    app = create_app(replace(school.app.extensions["maskwise"], https=True))
    client = app.test_client()
    page = client.get("/sign-in", base_url="https://localhost")
    csrf = kit.fields(page.text)["csrf"]
    answer = client.post(
        "/sign-in",
        data={"csrf": csrf, "email": "ada@example.org", "password": kit.PASSWORD},
        base_url="https://localhost",
    )
    cookie = next(c for c in answer.headers.getlist("Set-Cookie") if c.startswith("__Host-maskwise="))
    assert "Secure" in cookie
    assert "Path=/" in cookie
    assert "max-age" in answer.headers["Strict-Transport-Security"]


@pytest.mark.parametrize("goal", ["//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil", ""])
def test_after_signing_in_one_stays_on_this_site(school, goal):
    assert school.browser().sign_in("ada@example.org", next=goal).headers["Location"] == "/"


def test_one_goes_on_to_where_one_wanted(school):
    browser = school.browser()
    first = browser.get("/quiz/1/2?said=flat")
    assert first.headers["Location"] == "/sign-in?next=/quiz/1/2?said%3Dflat"
    assert browser.sign_in("ada@example.org", next="/quiz/1/2").headers["Location"] == "/quiz/1/2"


# --- forms from elsewhere ---

UNSAFE = [row for row in MATRIX if row[1] == "POST"]


@pytest.mark.parametrize("row", UNSAFE, ids=lambda row: row[2])
@pytest.mark.parametrize("token", [None, "", "0" * 64, "of ben", "of the visit"])
def test_without_its_token_no_form_does_anything(shared, row, token):
    ada = shared.browser("ada")
    others = {"of ben": lambda: csrf_of(shared.browser("ben")), "of the visit": lambda: csrf_of(shared.browser())}
    data = {"text": "12", "key": "z" * 20, "kind": "int", "email": "ada@example.org", "password": kit.PASSWORD}
    if token is not None:
        data["csrf"] = others.get(token, lambda: token)()
    assert ada.http.post(row[2], data=data).status_code == 403
    assert ada.get("/record").text.count("<tr>") <= 1 or "zzz" not in ada.get("/record").text


def test_a_request_from_another_site_is_refused_even_with_its_token(ada):
    form = ada.form("hits")
    answer = ada.http.post("/quiz/1/1/hits", data={**form, "text": "12"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert "12" in answer.text  # what was typed is not lost
    assert ada.form("hits")  # and the part is still open


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


# --- answering ---


def test_a_question_is_answered_without_javascript(ada):
    page = ada.answer("logits", "(8, 20, 48)")
    assert page.status_code == 200
    assert len(page.history) == 1  # sent, then redirected: reloading sends nothing
    assert "Not right yet" in page.text
    assert "The head is a Linear." in page.text
    assert "Your answer is what <code>encoded</code> gives." in page.text
    assert "2 of 3 tries left" in page.text
    assert 'value="(8, 20, 48)"' in page.text
    done = ada.answer("logits", "8x20x1000").text
    assert "1 of 1 point" in done
    assert "torch.Size([8, 20, 1000])" in done
    assert "Question 1, 1 of 3 parts finished" in done


def test_an_unreadable_answer_is_a_422_that_shows_the_repair_and_keeps_the_text(ada):
    for htmx in (False, True):
        answer = ada.answer("sel", "(12; 1000", htmx=htmx)
        assert answer.status_code == 422
        assert "Can’t read this yet." in answer.text
        assert "Doesn’t use a try." in answer.text
        assert 'value="(12; 1000"' in answer.text
        assert "autofocus" in answer.text
    assert "1 of 1 point" in ada.answer("sel", "(12, 1000)").text


def test_an_ambiguous_answer_offers_its_readings(ada):
    answer = ada.answer("logits", "8*20")
    assert answer.status_code == 422
    texts = re.findall(r'<button class="fix" data-fills value="([^"]*)" form="use-logits"', answer.text)
    assert len(texts) >= 2


def test_an_empty_answer_is_not_stored(ada):
    answer = ada.answer("logits", "  ")
    assert answer.status_code == 422
    assert "Type an answer first" in answer.text
    assert "Nothing yet" in ada.get("/record").text


def test_sending_a_form_twice_counts_once_and_changing_it_is_refused(ada):
    form = ada.form("logits")
    ada.answer("logits", "(8, 20, 48)", form=form)
    assert "2 of 3 tries left" in ada.answer("logits", "(8, 20, 48)", form=form).text
    changed = ada.answer("logits", "(8, 20, 49)", form=form)
    assert changed.status_code == 409
    assert "(8, 20, 49)" in changed.text


def test_a_closed_part_answers_409_and_keeps_the_text(ada):
    form = ada.form("hits")
    ada.answer("hits", "12")
    answer = ada.answer("hits", "13", form=form)
    assert answer.status_code == 409
    assert "takes no more answers" in answer.text


def test_without_pytorch_the_page_says_so_and_takes_no_try(school, ada):
    school.observer.on = False
    page = ada.answer("hits", "12").text
    assert "cannot be graded just now" in page
    assert "no try was used" in page
    assert "3 tries left" in page


def test_a_piece_for_htmx_brings_the_part_and_what_else_changed(ada):
    answer = ada.answer("logits", "(8, 20, 48)", htmx=True)
    assert answer.status_code == 200
    assert "<html" not in answer.text
    assert answer.text.count('hx-swap-oob="true"') == 4
    assert answer.text.lstrip().startswith("<section")
    old, new = kit.fields(answer.text)["key"], ada.form("logits")["key"]
    assert old != new


def test_a_preview_without_javascript_shows_the_reading_and_stores_nothing(ada):
    form = ada.form("logits")
    page = ada.http.post("/quiz/1/1/logits/preview", data={**form, "text": "7 8 9"})
    assert page.status_code == 200
    assert "Understood as a shape with 3 axes" in page.text
    assert 'value="7 8 9"' in page.text
    assert "Nothing yet" in ada.get("/record").text


@stores.BOTH
def test_a_rate_limit_is_a_429_with_a_time(kind, tmp_path):
    with kit.school(kind, tmp_path, limit=2) as school:
        ada = school.browser("ada")
        for text in ("1", "2"):
            ada.answer("hits", text)
        answer = ada.answer("hits", "12")
        assert answer.status_code == 429
        assert answer.headers["Retry-After"] == "60"


# --- what a student must not see ---


def everything(browser):
    """Read every byte that somebody gets from every page, with headers and cookies."""
    pages = ["/", "/quiz/1", "/quiz/1/1", "/quiz/1/2", "/quiz/1/1?said=logits", "/record", "/record.csv", "/nothing"]
    answers = [browser.get(path) for path in pages]
    answers += [
        browser.answer("logits", text, htmx=htmx)
        for text, htmx in (("(8, 20, 48)", True), ("8*20", True), ("(1; 2", False))
    ]
    answers.append(browser.http.post("/preview", data={"csrf": csrf_of(browser), "kind": "shape", "text": "(1, 2)"}))
    return "\n".join(f"{answer.headers}\n{answer.text}" for answer in answers)


def test_no_byte_tells_a_key_or_where_a_question_came_from(school):
    text = everything(school.browser("ada"))
    for secret in ("SH-CANARY", "canaryhash", "sha256", "certificate", "seed"):
        assert secret not in text, secret
    for key in ("(8, 20, 1000)", "torch.Size", "(12, 1000)", "tensor(12)", "Each hit gives one row", "B*T, V", "1/7"):
        assert key not in text, key
    assert not re.search(r"(?<!aria-)\blevel\b", text)


def test_the_page_of_an_open_part_has_the_same_bytes_whatever_the_key(tmp_path):
    """Two questions that differ in their keys alone give pages of equal size and equal text."""
    from dataclasses import replace

    from grader.answers import Int

    texts = []
    for value in (12, 17):
        variant, routes = kit.shapes()
        parts = (*variant.parts[:2], replace(variant.parts[2], answer=Int(value)))
        changed = kit.certified((replace(variant, parts=parts), routes))
        folder = tmp_path / str(value)
        folder.mkdir()
        with kit.school("sqlite", folder) as school:
            with school.store.writing() as t:
                quiz = school.quizzes["other"]
                kit.issue(t, quiz, school.enrolments["ben"], [changed])
            ben = school.browser("ben")
            page = ben.get("/quiz/1/1").text
            texts.append(re.sub(r'[0-9A-F]{4}(-[0-9A-F]{4}){3}|value="[^"]*"|nonce="[^"]*"', "", page))
    assert texts[0] == texts[1]


def test_a_preview_is_the_same_bytes_for_everybody(shared):
    def look(name):
        browser = shared.browser(name)
        data = {"csrf": csrf_of(browser), "kind": "shape", "text": "8 20 1000", "declared": "{}"}
        return browser.http.post("/preview", data=data).data

    assert look("ada") == look("cy") == look("ivy")


def test_the_preview_of_a_page_cannot_reach_a_question(ada, monkeypatch):
    def reached(*_args, **_kwargs):
        raise AssertionError

    csrf = csrf_of(ada)
    monkeypatch.setattr("maskwise.services.attempts.place", reached)
    monkeypatch.setattr("maskwise.store.courses.issued_item", reached)
    data = {"csrf": csrf, "kind": "shape_sym", "text": "B T", "declared": json.dumps({"letters": ["B", "T"]})}
    assert ada.http.post("/preview", data=data).status_code == 200


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
