"""Requests that no browser of ours sends: odd paths, queries, headers, forms. Each is answered, none breaks us."""

from __future__ import annotations

import random

import classroom_kit as kit
import pytest

ODD = [
    "a%0Ab",
    "a%0A",
    "a%0D%0ASet-Cookie:%20x=1",
    "%E2%82%AC",
    "%F0%9F%98%80",
    "%ED%A0%80",
    "%FF%FE",
    "%00",
    "a%00",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%5c..",
    "a b",
    "a%20",
    "A",
    "1",
    "-1",
    "99999999999999999999",
    "2147483648",
    "x" * 3000,
    "%25",
    "%",
    "%zz",
    "{{7*7}}",
    "'%22%3E%3Cb%3E",
    "said",
    "%C4%B0",
    "٣",
]
PATHS = [
    "/{}",
    "/quiz/{}",
    "/quiz/1/{}",
    "/quiz/1/1/{}",
    "/quiz/1/1/{}/preview",
    "/quiz/{}/1/hits",
    "/quiz/1/{}/hits",
    "/quiz/1/{}/hits/preview",
    "/course/{}/attempts",
    "/course/{}/attempts.csv",
    "/static/{}",
    "/record.csv{}",
    "/.//{}",
]
QUERIES = [
    "/?said={}",
    "/quiz/1/1?said={}",
    "/sign-in?next={}",
    "/sign-in?next=/{}",
    "/record?{}",
    "/course/1/attempts?student={}&quiz={}&question={}&outcome={}&page={}",
    "/course/1/attempts.csv?student={}&quiz={}&question={}&outcome={}",
    "/static/base.css?v={}",
]
HEADERS = [
    "Accept",
    "Accept-Encoding",
    "Content-Type",
    "Cookie",
    "Host",
    "HX-Current-URL",
    "HX-Target",
    "HX-Trigger",
    "If-Modified-Since",
    "If-None-Match",
    "If-Range",
    "Origin",
    "Range",
    "Referer",
    "Sec-Fetch-Site",
    "X-CSRF-Token",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
]
VALUES = [
    "",
    " ",
    "\x7f",
    "é",
    "ÿþ",
    "0",
    "-1",
    "bytes=0-",
    "bytes=-1",
    "bytes=9-1,2-3",
    "*",
    '"',
    "a=b; maskwise=x; maskwise_visit=%00; maskwise_theme=\xe9",
    "maskwise_visit=é",
    "multipart/form-data",
    "multipart/form-data; boundary=\xe9",
    "application/x-www-form-urlencoded; charset=utf-7",
    "text/plain; charset=nothing",
    "evil.example:99999",
    "[::1",
    "x" * 5000,
    "Thu, 99 Foo 2026 99:99:99 GMT",
]


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    with kit.school("sqlite", tmp_path_factory.mktemp("odd")) as opened:
        yield opened


@pytest.fixture(scope="module")
def browsers(school):
    found = {name: school.browser(name or None) for name in ("", "ada", "ivy")}
    for browser in found.values():
        browser.csrf = kit.fields(browser.get("/", follow_redirects=True).text)["csrf"]
    return found


def whole(answer):
    """Check what every answer is: no fault of ours, and headers that can be sent."""
    assert answer.status_code < 500, answer.text[-500:]
    for name, value in answer.headers:
        assert "\n" not in value, name
        assert "\r" not in value, name
        value.encode("latin-1")


@pytest.mark.parametrize("part", ["a%0Ab", "%E2%82%AC", "a%0A", "A", "1a", "a" * 41, "a-b"])
@pytest.mark.parametrize("tail", ["", "/preview"])
def test_a_part_that_can_be_none_is_no_address(browsers, part, tail):
    ada = browsers["ada"]
    for htmx in ({"HX-Request": "true"}, {}):
        answer = ada.http.post(
            f"/quiz/1/1/{part}{tail}", data={"csrf": ada.csrf, "text": "1", "key": "k" * 20}, headers=htmx
        )
        assert answer.status_code == 404
        assert "HX-Retarget" not in answer.headers


@pytest.mark.parametrize("who", ["", "ada", "ivy"])
@pytest.mark.parametrize("htmx", [{"HX-Request": "true"}, {}], ids=["htmx", "page"])
def test_odd_paths_and_queries(browsers, who, htmx):
    browser = browsers[who]
    for pattern in PATHS + QUERIES:
        for odd in ODD:
            path = pattern.replace("{}", odd)
            whole(browser.http.get(path, headers=htmx))
            data = {"csrf": browser.csrf, "text": odd, "key": odd, "kind": odd, "declared": odd, "next": odd}
            whole(browser.http.post(path, data=data, headers=htmx))


@pytest.mark.parametrize("who", ["", "ada", "ivy"])
def test_odd_headers(school, browsers, who):
    browser = browsers[who]
    for name in HEADERS:
        for value in VALUES:
            for path in ("/", "/quiz/1/1", "/record.csv", "/static/base.css", "/healthz", "/sign-in?next=/record"):
                whole(browser.http.get(path, headers={name: value}))
            for path in ("/quiz/1/1/hits", "/preview", "/sign-in", "/theme"):
                whole(browser.http.post(path, data=b"csrf=x&text=1", headers={"HX-Request": "true", name: value}))


def test_bytes_drawn_at_random(browsers):
    draw = random.Random(12)  # the same on every run
    ada = browsers["ada"]
    for _ in range(400):
        junk = "".join(f"%{draw.randrange(256):02X}" for _ in range(draw.randrange(1, 9)))
        path = draw.choice(PATHS + QUERIES).replace("{}", junk)
        whole(ada.http.get(path))
        body = f"csrf={ada.csrf}&text={junk}&key={junk}&kind=shape&declared={junk}&{junk}={junk}"
        whole(ada.http.post(path, data=body, content_type="application/x-www-form-urlencoded"))


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "ODD"])
def test_odd_methods(browsers, method):
    for path in ("/", "/quiz/1/1/hits", "/static/base.css", "/healthz", "/nothing"):
        whole(browsers["ada"].http.open(path, method=method))
