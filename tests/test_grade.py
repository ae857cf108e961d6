"""Grading: verdicts, slips in order, notes, follow-through, and what is never graded."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.answers import Decimal, ExprAnswer, Int, Rational, Shape, ShapeSym
from grader.equality import child
from grader.expr import Letter, Num, exp, ln
from grader.grade import FORMULA_ONLY, grade
from grader.letters import B, D, M, T, V
from grader.part import Part, Slip
from grader.read import Context

LESSON = {"B": 8, "T": 20, "D": 48, "V": 1000, "M": 12}
TRYIT = [
    Part("enc", Shape(B, T, D).at(LESSON), (Slip("time_axis_dropped", Shape(B, D).at(LESSON), "encoded.mean(1)"),)),
    Part("logits", Shape(B, T, V).at(LESSON), (Slip("width_kept", Shape(B, T, D).at(LESSON), "encoded"),)),
    Part(
        "sel",
        Shape(M, V).at(LESSON),
        (
            Slip("all_positions", Shape(B * T, V).at(LESSON), "logits.reshape(-1, V)"),
            Slip("twin", Shape(B * T, V).at(LESSON), None, "the first of two equal slips is named"),
            Slip("transposed", Shape(V, M).at(LESSON), "logits[mask].T", reveals=True),
            Slip("impossible", Shape(M - 20, V).at(LESSON), None, "negative sizes cannot be typed"),
        ),
    ),
]
SEEN = {"enc": [8, 20, 48], "logits": [8, 20, 1000], "sel": [12, 1000]}


def one(part, text, observed, before=(), **options):
    return grade([part], {part.id: text}, {part.id: before}, observed={part.id: observed}, **options)[part.id]


def test_the_lessons_own_answers_are_right_in_every_spelling():
    for part in TRYIT:
        spellings = part.answer.spellings()
        assert len(spellings) > 12
        for spelling in spellings:
            verdict = grade(TRYIT, {part.id: spelling}, observed=SEEN)[part.id]
            assert (verdict.outcome, verdict.score, verdict.slip) == ("right", 1, None), spelling
            assert verdict.checked == ("formula", "run")
            assert verdict.read_as == part.answer.display()


def test_slips_are_named_in_order_and_in_every_spelling():
    for part in TRYIT:
        for slip in part.slips[:1] + part.slips[2:3]:
            for spelling in slip.answer.spellings():
                verdict = grade(TRYIT, {part.id: spelling}, observed=SEEN)[part.id]
                assert (verdict.outcome, verdict.score, verdict.slip) == ("wrong", 0, slip.id), spelling


def test_wrong_answers_without_a_slip_and_in_another_order():
    assert one(TRYIT[0], "(8, 48, 20)", SEEN["enc"]).note == "other_order"
    plain = one(TRYIT[0], "(8, 20)", SEEN["enc"])
    assert (plain.outcome, plain.slip, plain.note) == ("wrong", None, None)
    both = one(TRYIT[2], "(1000, 12)", SEEN["sel"])
    assert (both.slip, both.note) == ("transposed", "other_order")


@pytest.mark.parametrize(
    ("text", "note"),
    [("", "empty"), ("  \n", "empty"), ("(8, 20", "unreadable"), ("8*20*48", "ask"), ("(B, T, D)", "unreadable")],
)
def test_what_is_not_read_is_not_graded(text, note):
    for observed in (SEEN["enc"], None):
        verdict = one(TRYIT[0], text, observed)
        assert (verdict.outcome, verdict.note, verdict.score, verdict.read_as) == ("not_graded", note, 0, None)
        assert verdict.reading is not None


def test_without_a_run_nothing_is_right_or_wrong():
    for observed in (None, {}, {"logits": [8, 20, 1000]}):
        for text in ("(8, 20, 48)", "(8, 48)"):
            verdict = grade(TRYIT, {"enc": text}, observed=observed)["enc"]
            assert (verdict.outcome, verdict.note, verdict.read_as) == ("not_graded", "no_runner", text)


def test_a_run_that_contradicts_the_key_decides_nothing():
    for observed in ([8, 20, 47], [8, 20], "nan", 5, ["8", "20"], {"sizes": {}}):
        for text in ("(8, 20, 48)", "(8, 20, 47)"):
            verdict = one(TRYIT[0], text, observed)
            assert (verdict.outcome, verdict.note) == ("not_graded", "undecided"), observed
    total = Part("total", Int(37))
    for observed in (38, "36", "37.5", True, [37], "nan", "inf"):
        assert one(total, "37", observed).note == "undecided"
    for observed in (37, "37", "37.0", 37.0):
        assert one(total, "37", observed).outcome == "right"


def test_values_may_come_from_a_run_as_floats():
    share = Part("rate", Rational(Fraction(37, 160)))
    assert one(share, "37/160", "0.23125").outcome == "right"
    third = Part("mean", Rational(Fraction(1, 3)))
    assert one(third, "1/3", "0.3333333333333333").outcome == "right"
    assert one(third, "1/3", "0.3334").note == "undecided"
    loss = Part("loss", Decimal(ln(1000), 4))
    assert one(loss, "6.9078", repr(6.907755278982137)).outcome == "right"
    assert one(loss, "6.9078", "6.9").note == "undecided"


def test_a_key_that_no_run_can_confirm_says_so():
    verdict = one(Part("why", Int(3)), "3", FORMULA_ONLY)
    assert (verdict.outcome, verdict.checked) == ("right", ("formula",))


LETTERS = Context(letters=("B", "T", "D", "V"))
FLAT = Part("flat", ShapeSym(B * T, V), (Slip("sum_not_product", ShapeSym(B + T, V), None, "none"),), LETTERS)
RUN = {"sizes": {"B": 3, "T": 5, "D": 7, "V": 11}, "shape": [15, 11]}


def test_letters_are_compared_as_formulas_and_at_the_sizes_of_runs():
    for observed in (RUN, [RUN, {"sizes": {"B": 2, "T": 9, "D": 7, "V": 4}, "shape": [18, 4]}]):
        for text in ("(B*T, V)", "(T*B, V)", "(BT, V)", "torch.Size([B*T, V])", "(T/(1/B), V)"):
            assert one(FLAT, text, observed).outcome == "right"
        wrong = one(FLAT, "(B+T, V)", observed)
        assert (wrong.outcome, wrong.slip, wrong.checked) == ("wrong", "sum_not_product", ("formula", "run"))
        assert one(FLAT, "(V, B*T)", observed).note == "other_order"
    coincidence = {"sizes": {"B": 2, "T": 2, "V": 5}, "shape": [4, 5]}
    assert one(FLAT, "(B+T, V)", coincidence).outcome == "wrong"
    for broken in (
        {**RUN, "shape": [15, 12]},
        {"sizes": {"B": 3}, "shape": [15, 11]},
        {"shape": [15, 11]},
        {},
        [],
        "x",
    ):
        assert one(FLAT, "(B*T, V)", broken).note == "undecided"


def test_expressions_are_compared_as_formulas_and_at_the_sizes_of_runs():
    part = Part("loss", ExprAnswer(ln(V)), (Slip("inverse", ExprAnswer(1 / V), None, "none"),), LETTERS)
    run = {"sizes": {"V": 1000}, "value": repr(6.907755278982137)}
    assert one(part, "-ln(1/V)", run).outcome == "right"
    assert one(part, "1/V", run).slip == "inverse"
    assert one(part, "ln(V)", {**run, "value": "6.8"}).note == "undecided"
    assert one(part, "ln(V)", FORMULA_ONLY).checked == ("formula",)


def test_what_the_grader_cannot_decide_in_time_is_not_wrong(monkeypatch):
    monkeypatch.setattr(child, "prove", lambda _a, _b: None)
    key = ln(1 + exp(B))
    part = Part("f", ExprAnswer(key), (), LETTERS)
    value = {"sizes": {"B": 2}, "value": repr(2.1269280110429727)}
    equal = one(part, "B + ln(1 + exp(-B))", value)
    assert (equal.outcome, equal.note) == ("not_graded", "undecided")
    assert one(part, "B + ln(2 + exp(-B))", value).outcome == "wrong"
    assert one(part, "ln(1 + exp(B))", value).outcome == "right"


RATE = Part("rate", Rational(Fraction(37, 160)), (Slip("over_one", Rational(Fraction(23, 100)), None, "none"),))


def test_a_rounded_key_is_told_twice_and_then_counted():
    first = one(RATE, "0.231", "0.23125")
    assert (first.outcome, first.note, first.score, first.slip) == ("not_graded", "rounded", 0, None)
    assert one(RATE, "0.231", "0.23125", ["0.2312"]).note == "rounded"
    assert one(RATE, "0.231", "0.23125", ["0.2312", "1/4"]).note == "rounded"
    third = one(RATE, "0.231", "0.23125", ["0.2312", "0.23"])
    assert (third.outcome, third.note) == ("wrong", None)
    assert one(RATE, "0.23", "0.23125", ["0.2312", "0.23"]).slip == "over_one"
    assert one(RATE, "0.23125", "0.23125", ["0.2312", "0.23"]).outcome == "right"


def test_an_exam_counts_a_rounded_key_as_the_rule_says():
    assert one(RATE, "0.231", "0.23125", mode="exam").outcome == "wrong"
    assert one(RATE, "0.231", "0.23125", mode="practice").note == "rounded"


COUNTS = [
    Part("total", Int(37), (Slip("one_row", Int(5), "mask[0].sum()"),)),
    Part(
        "visible",
        Int(123),
        (Slip("hidden_counted", Int(37), "mask.sum()"), Slip("from_40", Int(120), None, "none")),
        follows=("total",),
        carry=Int(Num(160) - Letter("total")),
    ),
    Part("rate", Rational(Fraction(37, 160)), follows=("total",), carry=Rational(Letter("total") / 160)),
]
COUNTED = {"total": 37, "visible": 123, "rate": "0.23125"}


def counted(submitted, before=None):
    return grade(COUNTS, submitted, before, observed=COUNTED)


def test_work_that_carries_a_wrong_value_on_earns_half():
    verdicts = counted({"total": "40", "visible": "120", "rate": "1/4"})
    assert [verdict.outcome for verdict in verdicts.values()] == ["wrong", "wrong", "wrong"]
    for name in ("visible", "rate"):
        verdict = verdicts[name]
        assert (verdict.score, verdict.carried, verdict.note, verdict.slip) == (Fraction(1, 2), True, "carried", None)


def test_only_a_wrong_earlier_value_is_carried():
    assert counted({"total": "37", "visible": "120"})["visible"].slip == "from_40"
    assert counted({"visible": "120"})["visible"].score == 0
    assert counted({"total": "(40", "visible": "120"})["visible"].score == 0
    assert counted({"total": "40", "visible": "123"})["visible"].outcome == "right"
    assert counted({"total": "40", "visible": "119"})["visible"].score == 0


def test_the_last_counted_answer_is_carried():
    assert counted({"visible": "120"}, {"total": ["5", "40"]})["visible"].carried
    assert not counted({"visible": "120"}, {"total": ["40", "5"]})["visible"].carried
    assert counted({"visible": "120"}, {"total": ["40", "unreadable"]})["visible"].carried
    assert not counted({"total": "5", "visible": "120"}, {"total": ["40"]})["visible"].carried


MEANS = [
    Part("terms", Int(3)),
    Part("sum", Decimal(Fraction(649, 100), 2)),
    Part(
        "mean",
        Decimal(Fraction(649, 300), 4),
        follows=("terms", "sum"),
        carry=Decimal(Letter("sum") / Letter("terms"), 4),
    ),
]
MEASURED = {"terms": 3, "sum": "6.49", "mean": repr(6.49 / 3)}


def mean_after(terms, total, mean, **options):
    answers = {"terms": terms, "sum": total, "mean": mean}
    return grade(MEANS, answers, observed=MEASURED, **options)["mean"]


@pytest.mark.parametrize("terms", ["3", "3.0", "6/2", " +3 "])
def test_a_right_earlier_value_counts_as_right_in_every_kind_and_spelling(terms):
    for total in ("6.49", "6.495", "649/100"):
        verdict = mean_after(terms, total, "2.165")
        assert (verdict.outcome, verdict.carried, verdict.score) == ("wrong", False, 0), (terms, total)
    assert mean_after("4", "6.495", "1.6238").carried
    assert mean_after(terms, "7.49", "2.4967").carried


def test_a_rounded_earlier_value_is_carried_only_where_it_counts():
    parts = [
        Part("rate", Rational(Fraction(37, 160))),
        Part("rest", Rational(Fraction(123, 160)), follows=("rate",), carry=Rational(1 - Letter("rate"))),
    ]
    seen = {"rate": "0.23125", "rest": "0.76875"}

    def rest(before, mode="homework"):
        return grade(parts, {"rest": "1-0.23"}, {"rate": before}, observed=seen, mode=mode)["rest"].carried

    assert not rest(["0.23"])  # told and free
    assert not rest(["0.23", "0.23"])
    assert rest(["0.23", "0.23", "0.23"])
    assert rest(["0.23"], mode="exam")
    assert not rest(["37/160", "0.23"])


def test_earlier_answers_are_looked_at_as_far_as_is_worth_it():
    many = ["ln(" * 60] * 100_000
    assert counted({"visible": "120"}, {"total": [*many, "40"]})["visible"].carried


def test_a_value_without_place_in_the_formula_is_not_carried():
    part = Part("mean", Rational(2), follows=("total",), carry=Rational(Num(74) / Letter("total")))
    verdict = grade([COUNTS[0], part], {"total": "0", "mean": "9"}, observed={"total": 37, "mean": 2})["mean"]
    assert (verdict.outcome, verdict.score) == ("wrong", 0)


def test_parts_come_in_their_order_and_only_as_asked():
    assert list(grade(TRYIT, {"sel": "(12, 1000)", "enc": "8"}, observed=SEEN)) == ["enc", "sel"]
    assert grade(TRYIT, {}, observed=SEEN) == {}
    with pytest.raises(ValueError, match=r"no part is called 'loss'; there are enc, logits, sel"):
        grade(TRYIT, {"loss": "()"}, observed=SEEN)


def test_verdicts_parts_and_slips_are_stored():
    verdict = grade(TRYIT, {"sel": "(160, 1000)"}, observed=SEEN)["sel"]
    assert verdict.to_json() == {
        "outcome": "wrong",
        "score": 0,
        "read_as": "(160, 1000)",
        "slip": "all_positions",
        "note": None,
        "carried": False,
        "checked": ["formula", "run"],
    }
    assert counted({"total": "40", "visible": "120"})["visible"].to_json()["score"] == 0.5
    for part in (*TRYIT, *COUNTS, FLAT, RATE):
        again = Part.from_json(part.to_json())
        assert again == part
        assert again.to_json() == part.to_json()
        assert again.kind == part.answer.kind
