from __future__ import annotations

import re

import classroom_kit as kit
import pytest

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
    before = ada.get("/record.csv").data
    assert ada.http.post(row[2], data=data).status_code == 403
    assert ada.get("/record.csv").data == before


def test_a_request_from_another_site_is_refused_even_with_its_token(ada):
    form = ada.form("hits")
    answer = ada.http.post("/quiz/1/1/hits", data={**form, "text": "12"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert "12" in answer.text  # what was typed is not lost
    assert ada.form("hits")  # and the part is still open
