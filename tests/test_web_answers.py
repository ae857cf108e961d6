from __future__ import annotations

import json
import re

import classroom_kit as kit
import pytest
import stores


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


def test_a_rounded_key_is_told_and_costs_nothing(ada):
    page = ada.answer("rate", "0.143", number=2)
    assert page.status_code == 200
    assert "Right so far" in page.text
    assert "give it exactly" in page.text
    assert "3 tries left" in page.text


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


def test_evidence_that_would_tell_another_answer_waits_and_comes_with_it(ada):
    """The share of masked positions states how many they are: its solution waits for that part, and opens with it.

    What PyTorch printed for a right answer says no more than the student did, and stands there at once.
    """
    waiting = ada.answer("rate", "1/7", number=2, htmx=True).text
    assert "1 of 1 point" in waiting
    assert '<span class="value">1/7</span>' in waiting
    assert "The worked solution opens when part b is done, too." in waiting
    assert "tensor(0.1429" in waiting
    assert 'class="sol"' not in waiting
    done = ada.answer("total", "24", number=2, htmx=True).text
    freed = done[done.index('id="part-rate"') :]
    assert 'hx-swap-oob="true"' in freed[: freed.index(">")]
    assert 'class="sol"' in freed
    assert "opens when" not in done
    page = ada.get("/quiz/1/2").text
    assert page.count('class="torch"') == 2
    assert 'id="part-flat"' not in done  # a part with an open box is left alone


def test_an_answer_that_waits_is_not_told_when_the_tries_are_used(ada):
    for text in ("1/2", "1/3", "1/5"):
        page = ada.answer("rate", text, number=2).text
    assert "The answer opens when part b is done, too." in page
    assert "The answer is" not in page
    ada.answer("total", "24", number=2)
    assert "The answer is" in ada.get("/quiz/1/2").text


def test_parts_are_named_as_people_list_them():
    from templates.environment import template

    parts = template("pages/pieces.j2.html").module.parts
    said = [str(parts(letters)) for letters in ("a", "ab", "abd")]
    assert said == ["part a is", "parts a and b are", "parts a, b and d are"]


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
