"""Answers that are picked, and those of several items or lines: forms, forgeries, one try, what counts together."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import classroom_kit as kit
import pytest

from grader.answers import ChoiceAnswer, MultiAnswer, Seq, SetAnswer, TensorAnswer
from grader.part import Part
from maskwise.services import attempts, picking
from maskwise.services.preview import Reading


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def school(request, tmp_path):
    with kit.school(request.param, tmp_path, questions=(kit.lists, kit.joined)) as opened:
        yield opened


@pytest.fixture
def ada(school):
    return school.browser("ada")


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """A school for what stores nothing."""
    with kit.school("sqlite", tmp_path_factory.mktemp("picks"), questions=(kit.lists, kit.joined)) as opened:
        yield opened


def part_of(page, part):
    """Give the piece of a page that is one part."""
    start = page.index(f'id="part-{part}"')
    return page[start : page.index("</section>", start)]


def picked_in(page, part):
    """Give what is picked in the form of a part."""
    return re.findall(r'name="pick" value="([^"]*)" checked', part_of(page, part))


def text_in(page, part):
    box = re.search(rf'id="in-{part}"[^>]*value="([^"]*)"', page, re.DOTALL)
    return box[1] if box else re.search(rf'<textarea id="in-{part}"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)[1]


def place(school, number=1):
    return attempts.place(school.store, school.people["ada"].id, school.quizzes["dl"].id, number)


# --- picking ---


def test_positions_are_picked_without_javascript_and_stay_picked(ada):
    page = ada.answer("leaked", picks=["3", "5"])
    assert page.status_code == 200
    assert len(page.history) == 1
    assert "Where does counting begin?" in page.text
    assert "You picked" in part_of(page.text, "leaked")
    assert picked_in(page.text, "leaked") == ["3", "5"]
    assert text_in(page.text, "leaked") == "3, 5"
    done = ada.answer("leaked", picks=["4", "2"]).text  # the box still says 3, 5, and nobody typed that
    assert 'class="card part right" id="part-leaked"' in done
    assert "tensor([2, 4])" in done


def test_positions_that_are_typed_are_picked_on_the_page(ada):
    page = ada.answer("leaked", "positions 5 and 3").text
    assert picked_in(page, "leaked") == ["3", "5"]
    assert text_in(page, "leaked") == "positions 5 and 3"


@pytest.mark.parametrize("htmx", [True, False])
def test_what_is_typed_wins_over_other_picks_and_says_so(ada, htmx):
    page = ada.answer("leaked", "3 5", picks=["2", "4"], htmx=htmx).text
    assert "Not right yet" in page
    assert "what is typed counts" in page
    same = ada.answer("leaked", "1, 0", picks=["0", "1"], htmx=htmx).text
    assert "Not right yet" in same
    assert "what is typed counts" not in same


def test_nobody_is_told_of_typing_by_an_address(ada):
    assert "what is typed counts" not in ada.get("/quiz/1/1?typed=1").text
    assert "what is typed counts" not in ada.get("/quiz/1/1?typed=1&said=nothing").text


def test_no_position_is_typed_as_none(ada):
    page = ada.answer("leaked", "none").text
    assert "Not right yet" in page
    assert picked_in(page, "leaked") == []


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("leaked", "Pick positions, or type none."),
        ("effect", "Pick one of the options first."),
        ("statements", "Tick what holds, or “none of these”."),
        ("inputs", "Type an answer first."),
        ("labels", "Type an answer first."),
    ],
)
@pytest.mark.parametrize("htmx", [True, False])
def test_nothing_picked_and_nothing_typed_is_told_and_not_stored(ada, part, words, htmx):
    answer = ada.answer(part, "", htmx=htmx)
    assert answer.status_code == 422
    assert words in answer.text
    assert "autofocus" in part_of(answer.text, part)
    assert "Nothing yet" in ada.get("/record").text


def test_options_go_by_their_letters_and_are_named_wherever_they_are_listed(school, ada):
    page = ada.answer("statements", picks=["A", "C"]).text
    assert picked_in(page, "statements") == ["A", "C"]
    said = "A: The future is hidden; C: The loss is taken only at chosen positions"
    assert said[:50] in page
    assert said in ada.get("/record").text
    assert said in school.browser("ivy").get("/course/1/attempts").text
    own = list(csv.DictReader(io.StringIO(ada.get("/record.csv").data.decode("utf-8-sig"), newline="")))
    assert (own[0]["answer"], own[0]["read_as"]) == ("A, C", "future_hidden, chosen_only")
    done = ada.answer("statements", picks=["D", "B", "C"]).text
    assert 'class="card part right" id="part-statements"' in done
    assert 'class="torch"' not in part_of(done, "statements")  # a reasoned key: no run has shown it
    assert "A gap is filled from both sides." in done


def test_none_of_several_options_is_an_answer_and_none_beside_others_is_none(ada):
    assert picked_in(ada.answer("statements", picks=["none"]).text, "statements") == ["none"]
    both = ada.answer("statements", picks=["A", "none"])
    assert both.status_code == 422
    assert "Doesn’t use a try." in both.text
    assert "2 of 3 tries left" in both.text


def test_rows_are_typed_in_lines_and_kept(ada):
    page = ada.answer("labels", "-100 7\n3 -100 5")
    assert page.status_code == 422
    assert text_in(page.text, "labels") == "-100 7\n3 -100 5"
    page = ada.answer("labels", "-100 7 -100\r\n3 -100 0").text
    assert "<code>[[-100, 7, -100], [3, -100, 0]]</code>" in ada.get("/record").text  # on one line
    assert "row 0: -100, 7, -100; row 1: 3, -100, 0" in page
    done = ada.answer("labels", "[[-100, 7, -100], [3, -100, -100]]").text
    assert 'class="card part right" id="part-labels"' in done


def test_a_first_line_that_is_empty_stays_where_it_is(ada):
    page = ada.answer("labels", "\n-100 7").text
    assert re.search(r"<textarea[^>]*>\n\n-100 7</textarea>", page)


# --- forged requests ---

FORGED = [
    ("leaked", ["6"]),
    ("leaked", ["-1"]),
    ("leaked", ["02"]),
    ("leaked", ["2", "2"]),
    ("leaked", [""]),
    ("leaked", ["none"]),
    ("leaked", [str(n) for n in range(10_000)][:9_000]),
    ("leaked", ["2"] * 10_000),
    ("effect", ["E"]),
    ("effect", ["a"]),
    ("effect", ["finite"]),
    ("effect", ["A", "B"]),
    ("effect", ["A", "A"]),
    ("effect", ["none"]),
    ("effect", ["<script>"]),
    ("statements", ["E"]),
    ("statements", ["A", "B", "C", "D", "none", "A"]),
    ("inputs", ["1"]),
    ("labels", ["0"]),
]


@pytest.mark.parametrize(("part", "picks"), FORGED, ids=lambda value: str(value)[:24])
@pytest.mark.parametrize("tail", ["", "/preview"])
@pytest.mark.parametrize("htmx", [{"HX-Request": "true"}, {}], ids=["htmx", "page"])
def test_what_no_page_offers_is_refused_and_costs_nothing(untouched, part, picks, tail, htmx):
    ada = untouched.browser("ada")
    data = {**ada.form(part), "pick": picks}
    answer = ada.http.post(f"/quiz/1/1/{part}{tail}", data=data, headers=htmx)
    assert answer.status_code in {400, 413}
    assert "Nothing was counted." in answer.text
    assert len(answer.text) < 20_000
    at = place(untouched)
    assert at.said == []
    assert all(tally.used == 0 for tally in at.tallies.values())


def test_a_typed_option_that_is_none_costs_nothing(ada):
    for text in ("E", "maybe", "A or B", "finite, nan"):
        answer = ada.answer("effect", text)
        assert answer.status_code == 422, text
        assert "one try" in part_of(answer.text, "effect")
    assert 'class="card part right" id="part-effect"' in ada.answer("effect", "Finite").text


# --- one try ---


def test_a_choice_that_counts_has_one_try_and_says_so_before(school, ada):
    page = ada.get("/quiz/1/1").text
    assert '<span class="tries">one try</span>' in part_of(page, "effect")
    assert "One try: the answer that you check is the one that counts." in part_of(page, "effect")
    assert "one try" not in part_of(page, "statements")
    form = ada.form("effect")
    page = ada.answer("effect", picks=["A"]).text
    shown = part_of(page, "effect")
    assert 'class="card part spent"' in page
    assert "What does nothing to average give?" in shown
    assert re.search(r"The answer is.*?<b>C</b>.*?finite", shown, re.DOTALL)
    again = ada.answer("effect", picks=["C"], form={**form, "key": "k" * 20})
    assert again.status_code == 409
    assert [said.n for said in place(school).said] == [1]


@pytest.mark.parametrize("mode", ["practice", "exam"])
def test_in_practice_a_choice_has_its_tries_and_in_an_exam_one(tmp_path, mode):
    with kit.school("sqlite", tmp_path, questions=(kit.lists,), mode=mode) as school:
        ada = school.browser("ada")
        assert ("one try" in ada.get("/quiz/1").text) is (mode == "exam")
        assert ("one try" in ada.get("/quiz/1/1").text) is (mode == "exam")
        page = part_of(ada.answer("effect", picks=["A"]).text, "effect")
        assert ("2 of 3 tries left" in page) is (mode == "practice")


# --- what counts together ---


def points(page, part):
    return re.search(r'class="tag[^>]*>.*?(\d+) of (\d+) point', part_of(page, part), re.DOTALL).groups()


def test_a_part_of_two_options_counts_once_its_reason_is_right(school, ada):
    assert "Counts only where part b is right, too." in ada.get("/quiz/1/2").text
    held = ada.answer("runs", picks=["B"], number=2).text
    assert "Right, and counts once part b is right, too." in held
    assert points(held, "runs") == ("0", "1")
    assert "0 of 7 points" in ada.get("/quiz/1").text
    ivy = school.browser("ivy")
    assert "0 of 1" in ivy.get("/course/1/attempts").text
    assert "<td>right" not in ivy.get("/course/1/attempts").text
    done = ada.answer("which", "12", number=2, htmx=True).text
    assert points(done, "runs") == ("1", "1")  # it comes with the answer that it waited for
    assert "counts once" not in done
    assert "2 of 7 points" in ada.get("/quiz/1").text
    rows = list(csv.DictReader(io.StringIO(ivy.get("/course/1/attempts.csv").data.decode("utf-8-sig"), newline="")))
    assert {(row["part"], row["points"]) for row in rows} == {("a", "1.0"), ("b", "1.0")}
    own = list(csv.DictReader(io.StringIO(ada.get("/record.csv").data.decode("utf-8-sig"), newline="")))
    assert {(row["part"], row["points"]) for row in own} == {("a", "1.0"), ("b", "1.0")}
    assert "1 of 1" in ada.get("/record").text


def test_it_never_counts_where_the_reason_stays_wrong(school, ada):
    ada.answer("runs", picks=["B"], number=2)
    for text in ("11", "13", "0"):
        page = ada.answer("which", text, number=2).text
    assert "Right, and counts only where part b is right, too." in page
    assert points(page, "runs") == ("0", "1")
    rows = list(
        csv.DictReader(
            io.StringIO(
                school.browser("ivy").get("/course/1/attempts.csv").data.decode("utf-8-sig"),
                newline="",
            )
        )
    )
    assert {row["points"] for row in rows} == {"0.0"}


def test_a_wrong_one_of_two_takes_nothing_from_its_reason(ada):
    ada.answer("which", "12", number=2)
    page = ada.answer("runs", picks=["A"], number=2).text
    assert (points(page, "runs"), points(page, "which")) == (("0", "1"), ("1", "1"))


# --- what is understood ---


@pytest.mark.parametrize(
    ("kind", "declared", "text", "words"),
    [
        ("seq", {}, "0 1 5 3", ["Understood as a list of 4", "0, 1, 5, 3"]),
        ("seq", {"rows": 2}, "(0, 2), (1, 4)", ["Understood as pairs", "(0, 2), (1, 4)"]),
        ("seq", {"options": ["causal", "masked"]}, "masked causal", ["masked, causal"]),
        ("set", {}, "4, 2", ["Understood as positions", "2, 4"]),
        ("set", {}, "3", ["Understood as position<"]),
        ("set", {}, "none", ["Understood as positions", "none"]),
        ("tensor", {"rows": 2}, "-100 7\n3 -100", ["Understood as 2 rows", "row 0: -100, 7; row 1: 3, -100"]),
        ("tensor", {"allow": ["boolean"]}, "[[T, F]]", ["Understood as 1 row", "row 0: True, False"]),
        ("choice", {"options": ["nan", "zero"]}, "b", ["zero"]),
        ("multi", {"options": ["x1", "x2"]}, "B, A", ["x1, x2"]),
    ],
)
def test_each_kind_is_understood_in_its_own_way(untouched, kind, declared, text, words):
    ada = untouched.browser("ada")
    csrf = kit.fields(ada.get("/").text)["csrf"]
    data = {"csrf": csrf, "kind": kind, "text": text, "declared": json.dumps(declared)}
    answer = ada.http.post("/preview", data=data)
    assert answer.status_code == 200
    for each in words:
        assert each in answer.text
    if kind == "set":  # how many they are may be another part of the question
        assert not re.search(r"Understood as (a |\d)", answer.text)


@pytest.mark.parametrize("kind", ["seq", "set", "tensor", "choice", "multi"])
def test_an_empty_box_shows_what_is_wanted_with_numbers_of_no_question(untouched, kind):
    ada = untouched.browser("ada")
    csrf = kit.fields(ada.get("/").text)["csrf"]
    for declared in ({}, {"rows": 2}, {"allow": ["boolean"]}, {"options": ["x1", "x2"]}):
        data = {"csrf": csrf, "kind": kind, "text": " ", "declared": json.dumps(declared)}
        answer = ada.http.post("/preview", data=data)
        assert answer.status_code == 200
        assert all(int(number) >= 2500 for number in re.findall(r"\d+", answer.text))


def test_a_preview_without_javascript_reads_what_was_picked(ada):
    form = ada.form("leaked")
    page = ada.http.post("/quiz/1/1/leaked/preview", data={**form, "pick": ["3", "1"]}).text
    assert "Understood as positions" in part_of(page, "leaked")
    assert picked_in(page, "leaked") == ["1", "3"]
    page = ada.http.post("/quiz/1/1/leaked/preview", data={**form, "text": "0", "pick": ["3", "1"]}).text
    assert picked_in(page, "leaked") == ["0"]
    assert "what is typed counts" in page
    assert "Nothing yet" in ada.get("/record").text


def test_readings_that_were_stored_before_lists_are_read_again():
    kept = Reading("shape", "ok", read_as="(1, 2)", axes=("1", "2")).to_json()
    del kept["cells"], kept["words"]
    assert Reading.from_json(kept).axes == ("1", "2")


# --- the key is in none of it ---

PAIRS = {
    "leaked": (SetAnswer((2, 4), among=range(6)), SetAnswer((0, 1, 3, 5), among=range(6))),
    "empty": (SetAnswer((2,), among=range(6)), SetAnswer((), among=range(6))),
    "inputs": (Seq(7, 9, 41), Seq(1)),
    "labels": (TensorAnswer([[-100, 7], [3, -100]]), TensorAnswer([[1, 2, 3]])),
    "effect": (ChoiceAnswer("nan", ("nan", "zero", "finite")), ChoiceAnswer("finite", ("nan", "zero", "finite"))),
    "statements": (MultiAnswer(("x",), ("x", "yy", "zz")), MultiAnswer(("yy", "zz"), ("x", "yy", "zz"))),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_pages_that_differ_in_the_key_alone_are_the_same_bytes(tmp_path, kind):
    """Open, and after an answer that is wrong for both: what is offered says nothing of what is right."""
    pages = []
    for at, key in enumerate(PAIRS[kind]):
        (tmp_path / str(at)).mkdir()
        part = Part("only", key, labels=tuple(f"words {n}" for n in range(len(Part("only", key).options))))
        words = {"title": "T", "stem": "S", "ask_only": "Which?", "hint_only": "Look.", "solution_only": "So."}
        lines = {"only": ("line", "printed", "formula only")}
        with kit.school("sqlite", tmp_path / str(at), questions=()) as school:
            with school.store.writing() as t:
                variant = kit.certified(kit._frozen({}, (part,), words, lines))
                kit.issue(t, school.quizzes["dl"], school.enrolments["ada"], [variant])
            ada = school.browser("ada")
            told = [ada.get("/quiz/1/1").text, ada.answer("only", "").text]
            if kind in {"inputs", "labels"}:
                told.append(ada.answer("only", "8 8\n8 8" if kind == "labels" else "8 8").text)
            elif kind in {"leaked", "empty"}:
                told.append(ada.answer("only", picks=["1", "2"]).text)
            drop = r'[0-9A-F]{4}(-[0-9A-F]{4}){3}|name="(?:csrf|key)" value="[^"]*"|nonce="[^"]*"'
            pages.append([re.sub(drop, "", text) for text in told])
    assert pages[0] == pages[1]


def test_no_page_holds_a_key_of_an_open_part(ada):
    told = [ada.get("/quiz/1/1").text]
    told += [ada.answer(part, text, htmx=True).text for part, text in (("labels", "-100 7"), ("inputs", "7 9"))]
    told += [ada.answer("leaked", picks=["0"]).text, ada.answer("statements", picks=["A"]).text]
    for secret in ("{2, 4}", "2, 4", "[7, 9, 41", "7,  9, 41", "tensor(", "Originals where hidden", "leak.nonzero"):
        assert all(secret not in page for page in told), secret


def test_positions_and_options_without_words_of_their_own_can_be_picked():
    plain = picking.offered(Part("p", SetAnswer((1,), among=range(2, 4))))
    assert [(option.value, option.label) for option in plain] == [("2", ""), ("3", "")]
    letters = picking.offered(Part("p", ChoiceAnswer("B", ("B", "T"))))  # letters themselves go by no other letter
    assert [(option.value, option.letter) for option in letters] == [("B", ""), ("T", "")]
    assert picking.picked(letters, Reading("choice", "ok", read_as="T", words=("T",))) == {"T"}


def test_a_choice_of_letters_is_sent_as_it_stands(tmp_path):
    part = Part("only", ChoiceAnswer("T", ("T", "B*T")))
    part = replace(part, context=replace(part.context, options=("T", "B*T")))
    words = {"title": "T", "stem": "S", "ask_only": "Which?", "hint_only": "Look.", "solution_only": "So."}
    with kit.school("sqlite", tmp_path, questions=()) as school:
        with school.store.writing() as t:
            variant = kit.certified(kit._frozen({}, (part,), words, {"only": ("", "", "formula only")}))
            kit.issue(t, school.quizzes["dl"], school.enrolments["ada"], [variant])
        page = school.browser("ada").answer("only", picks=["T"]).text
    assert 'class="card part right" id="part-only"' in page
