"""Grading of lists, sets, tensors and options: one table of verdicts, what a run must confirm, and what counts."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from grader.answers import (
    ChoiceAnswer,
    Decimal,
    ExprAnswer,
    Int,
    MultiAnswer,
    Seq,
    SetAnswer,
    Shape,
    ShapeSym,
    TensorAnswer,
)
from grader.expr import ln
from grader.form import Pick, Text
from grader.grade import FORMULA_ONLY, grade
from grader.letters import B, M, T, V
from grader.part import Part, Slip
from grader.read import Context
from grader.score import counted

OUTCOMES = ("nan", "zero", "finite", "IndexError")
HOLDS = ("future_hidden", "replaced", "all_but_last", "chosen_only", "both_sides")
PROGRAMS = ("masked", "all_positions", "zero_filled")


def slips(**answers):
    return tuple(Slip(name, answer, "line") for name, answer in answers.items())


IDS = Part(
    "inputs",
    Seq(4, 11, 7, 11),
    slips(ignore_value_in_input=Seq(4, -100, 7, -100), unchanged=Seq(4, 6, 7, 2), twin=Seq(4, 6, 7, 2)),
    Context(mask_id=11, ignore=-100),
)
MEAN = Part("mean", Seq(Fraction(5, 3), Fraction(7, 2)), slips(first_row=Seq(1, 4)))
PLACES = Part(
    "where",
    Seq((0, 2), (1, 0)),
    slips(one_based=Seq((1, 3), (2, 1)), ignored_listed=Seq((0, 0), (0, 1))),
    Context(rows=2),
)
MATCH = Part(
    "match", Seq("zero_filled", "masked"), slips(swapped=Seq("masked", "zero_filled")), Context(options=PROGRAMS)
)
LEAKED = Part("leaked", SetAnswer((1, 4), among=range(6)), slips(all_scored=SetAnswer((1, 3, 4)), none=SetAnswer(())))
NOTHING = Part("leaked", SetAnswer((), among=range(6)), slips(kept=SetAnswer((2,))))
LABELS = Part(
    "labels",
    TensorAnswer([[-100, 6], [2, -100]]),
    slips(inverted=TensorAnswer([[4, -100], [-100, 7]]), ragged=TensorAnswer([[1], [2, 3]])),
    Context(ignore=-100, rows=2),
)
PADDING = Part(
    "kpm",
    TensorAnswer([[False, True], [False, False]]),
    slips(as_given=TensorAnswer([[True, False], [True, True]])),
    Context(allow=frozenset({"boolean"}), rows=2),
)
RESULT = Part(
    "minus_one",
    ChoiceAnswer("IndexError", OUTCOMES),
    slips(ignored=ChoiceAnswer("finite", OUTCOMES)),
    Context(options=OUTCOMES),
)
STATED = Part(
    "statements",
    MultiAnswer(("replaced", "chosen_only", "both_sides"), HOLDS),
    slips(next_token=MultiAnswer(("future_hidden", "all_but_last"), HOLDS)),
    Context(options=HOLDS),
)


def asked(key, *others, options=(), **named):
    """Return a part of another kind, asked as a choice."""
    words = tuple(options) or tuple(answer.display() for answer in (key, *named.values(), *others))
    made = {name: ChoiceAnswer(wrong.display(), words, wrong) for name, wrong in named.items()}
    return Part("sel", ChoiceAnswer(key.display(), words, key), slips(**made), Context(options=words))


SELECTED = asked(Shape(12, 1000), Shape(12, 48), all_positions=Shape(160, 1000))
FLAT = asked(ShapeSym(B * T, V), ShapeSym(B, T, V), sum_not_product=ShapeSym(B + T, V))
LOSS = asked(Decimal(ln(1000), 4), Decimal(ln(10), 4))
FORMULA = asked(ExprAnswer(M * ln(V)), ExprAnswer(ln(V)))

SEEN = {
    id(IDS): [4, 11, 7, 11],
    id(MEAN): ["1.6666666666666667", "3.5"],
    id(PLACES): [[0, 2], [1, 0]],
    id(MATCH): ["zero_filled", "masked"],
    id(LEAKED): [[1], [4]],
    id(NOTHING): [],
    id(LABELS): [[-100, 6], [2, -100]],
    id(PADDING): [[False, True], [False, False]],
    id(RESULT): "IndexError",
    id(STATED): FORMULA_ONLY,
    id(SELECTED): [12, 1000],
    id(FLAT): {"sizes": {"B": 3, "T": 5, "V": 11}, "shape": [15, 11]},
    id(LOSS): "6.907755278982137",
    id(FORMULA): {"sizes": {"M": 2, "V": 7}, "value": "3.8918202981106265"},
}

# part, typed, outcome, slip, note
TABLE = (
    (IDS, "[4, 11, 7, 11]", "right", None, None),
    (IDS, "4 [MASK] 7 [MASK]", "right", None, None),
    (IDS, "tensor([ 4, 11,  7, 11])", "right", None, None),
    (IDS, "4, ignore, 7, ignore", "wrong", "ignore_value_in_input", None),
    (IDS, "4 6 7 2", "wrong", "unchanged", None),
    (IDS, "11, 4, 7, 11", "wrong", None, "other_order"),
    (IDS, "4, 11, 7", "wrong", None, None),
    (IDS, "4, 11, 7, 11, 11", "wrong", None, None),
    (IDS, "[]", "wrong", None, None),
    (IDS, "(4, 11), (7, 11)", "wrong", None, None),
    (IDS, "4117", "wrong", None, None),
    (IDS, "041107", "not_graded", None, "unreadable"),
    (IDS, "4-11", "not_graded", None, "ask"),
    (IDS, "", "not_graded", None, "empty"),
    (MEAN, "5/3, 7/2", "right", None, None),
    (MEAN, "1 2/3, 3.5", "right", None, None),
    (MEAN, "10/6; 3 1/2", "right", None, None),
    (MEAN, "1.67, 3.5", "not_graded", None, "rounded"),
    (MEAN, "1.6667, 7/2", "not_graded", None, "rounded"),
    (MEAN, "1.67, 3.6", "wrong", None, None),
    (MEAN, "1.7, 3.5", "not_graded", None, "rounded"),
    (MEAN, "2, 3.5", "wrong", None, None),  # one digit could be guessed
    (MEAN, "1.66, 3.5", "wrong", None, None),
    (MEAN, "167/100, 3.5", "wrong", None, None),  # a fraction claims to be exact
    (MEAN, "7/2, 5/3", "wrong", None, "other_order"),
    (MEAN, "1, 4", "wrong", "first_row", None),
    (PLACES, "(0, 2), (1, 0)", "right", None, None),
    (PLACES, "tensor([[0, 2],\n        [1, 0]])", "right", None, None),
    (PLACES, "(1, 0), (0, 2)", "wrong", None, "other_order"),
    (PLACES, "(1, 3), (2, 1)", "wrong", "one_based", None),
    (PLACES, "(0, 0), (0, 1)", "wrong", "ignored_listed", None),
    (PLACES, "(2, 0), (0, 1)", "wrong", None, None),
    (PLACES, "0, 2, 1, 0", "not_graded", None, "unreadable"),
    (MATCH, "zero filled, masked", "right", None, None),
    (MATCH, "c, a", "right", None, None),
    (MATCH, "masked, zero_filled", "wrong", "swapped", "other_order"),
    (MATCH, "masked", "wrong", None, None),
    (MATCH, "masked, nothing", "not_graded", None, "unreadable"),
    (LEAKED, "{1, 4}", "right", None, None),
    (LEAKED, "positions 4 and 1", "right", None, None),
    (LEAKED, "1, 3, 4", "wrong", "all_scored", None),
    (LEAKED, "none", "wrong", "none", None),
    (LEAKED, "1", "wrong", None, None),
    (LEAKED, "1, 4, 5", "wrong", None, None),
    (LEAKED, "1-4", "not_graded", None, "ask"),
    (LEAKED, "1, 1, 4", "not_graded", None, "unreadable"),
    (LEAKED, "-", "not_graded", None, "unreadable"),
    (NOTHING, "none", "right", None, None),
    (NOTHING, "{}", "right", None, None),
    (NOTHING, "2", "wrong", "kept", None),
    (LABELS, "[[-100, 6], [2, -100]]", "right", None, None),
    (LABELS, "ignore 6\n2 ignore", "right", None, None),
    (LABELS, "[[4, -100], [-100, 7]]", "wrong", "inverted", None),
    (LABELS, "[[2, -100], [-100, 6]]", "wrong", None, None),
    (LABELS, "[[-100, 6, 0], [2, -100, 0]]", "wrong", None, None),
    (LABELS, "[-100, 6, 2, -100]", "not_graded", None, "unreadable"),
    (LABELS, "[[-100, 6], [2]]", "not_graded", None, "unreadable"),
    (PADDING, "[[False, True], [False, False]]", "right", None, None),
    (PADDING, "0 1\n0 0", "right", None, None),
    (PADDING, "T F\nT T", "wrong", "as_given", None),
    (PADDING, "1 1\n0 0", "wrong", None, None),
    (PADDING, "2 1\n0 0", "not_graded", None, "unreadable"),
    (RESULT, "index error", "right", None, None),
    (RESULT, "D", "right", None, None),
    (RESULT, "finite", "wrong", "ignored", None),
    (RESULT, "a", "wrong", None, None),
    (RESULT, "c, d", "not_graded", None, "unreadable"),
    (RESULT, "4", "not_graded", None, "unreadable"),
    (STATED, "B, D, E", "right", None, None),
    (STATED, "both sides, replaced and chosen only", "right", None, None),
    (STATED, "A, C", "wrong", "next_token", None),
    (STATED, "B, D", "wrong", None, None),
    (STATED, "A, B, C, D, E", "wrong", None, None),
    (STATED, "none", "wrong", None, None),
    (STATED, "all", "not_graded", None, "unreadable"),
    (SELECTED, "(12, 1000)", "right", None, None),
    (SELECTED, "a", "right", None, None),
    (SELECTED, "(160,1000)", "wrong", "all_positions", None),
    (SELECTED, "c", "wrong", None, None),
    (SELECTED, "(12, 1001)", "not_graded", None, "unreadable"),
    (FLAT, "(B*T, V)", "right", None, None),
    (FLAT, "b", "wrong", "sum_not_product", None),
    (LOSS, "6.9078", "right", None, None),
    (LOSS, "b", "wrong", None, None),
    (FORMULA, "a", "right", None, None),
)


def verdict_of(part, text, observed=..., before=(), **options):
    seen = SEEN[id(part)] if observed is ... else observed
    return grade([part], {part.id: text}, {part.id: before}, observed={part.id: seen}, **options)[part.id]


@pytest.mark.parametrize(
    ("part", "text", "outcome", "slip", "note"), TABLE, ids=[f"{row[0].id}-{row[1][:30]}" for row in TABLE]
)
def test_the_table_of_verdicts(part, text, outcome, slip, note):
    verdict = verdict_of(part, text)
    assert (verdict.outcome, verdict.slip, verdict.note) == (outcome, slip, note)
    assert verdict.score == (1 if outcome == "right" else 0)
    json.dumps(verdict.to_json())


PARTS = {part.id + part.kind + part.answer.display(): part for part, *_ in TABLE}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_keys_slips_and_other_values_in_every_spelling(part):
    for spelling in part.answer.spellings():
        assert verdict_of(part, spelling).outcome == "right", spelling
    for slip in part.slips:
        if not slip.answer.legal():
            continue
        first = next(one.id for one in part.slips if one.answer == slip.answer)
        for spelling in slip.answer.spellings():
            assert verdict_of(part, spelling).slip == first, spelling
    for text in part.answer.unreadable():
        assert verdict_of(part, text).outcome == "not_graded", text


# -- the run


@pytest.mark.parametrize(
    ("part", "confirmed", "contradicted"),
    [
        (IDS, [[4, 11, 7, 11], ["4", "11", "7", "11"]], [[4, 11, 7], [4, 11, 7, 12], "4", None, {}, [[4], [11]], 4]),
        (
            MEAN,
            [["1.6666666666666667", "3.5"], ["5/3", "7/2"], [1.6666666666666667, 3.5]],
            [["1.67", "3.5"], ["3.5", "1.6666666666666667"], [2, 3], ["nan", "3.5"], [True, "3.5"]],
        ),
        (PLACES, [[[0, 2], [1, 0]], ((0, 2), (1, 0))], [[[1, 0], [0, 2]], [0, 2], [[0, 2]], [[0, 2], [True, 0]]]),
        (MATCH, [["zero_filled", "masked"]], [["masked", "zero_filled"], "masked", ["masked"]]),
        (LEAKED, [[1, 4], [[1], [4]], [[4], [1]], [4, 1]], [[1], [1, 4, 4], [[1, 4]], [True, 4], ["1", "4"], 1]),
        (NOTHING, [[], ()], [[0], None, "none", [[]]]),
        (
            LABELS,
            [[[-100, 6], [2, -100]]],
            [[[-100, 6]], [-100, 6, 2, -100], [[-100, 6], [2, "-100"]], [[-100, 6], 2], "x"],
        ),
        (PADDING, [[[False, True], [False, False]]], [[[0, 1], [0, 0]], [[False, True], [False, 0]], [[True], [True]]]),
        (RESULT, ["IndexError"], ["finite", 4, None, ["IndexError"]]),
        (STATED, [FORMULA_ONLY, ["both_sides", "replaced", "chosen_only"]], [["replaced"], "replaced", [1, 2, 3], []]),
        (SELECTED, [[12, 1000]], [[12, 48], "(12, 1000)", {}, None]),
        (
            FLAT,
            [SEEN[id(FLAT)], [SEEN[id(FLAT)], {"sizes": {"B": 2, "T": 9, "V": 4}, "shape": [18, 4]}]],
            [{"sizes": {"B": 3, "T": 5, "V": 11}, "shape": [8, 11]}, [15, 11], [], "(B*T, V)"],
        ),
        (LOSS, ["6.907755278982137"], ["6.9", 7, "a"]),
        (FORMULA, [SEEN[id(FORMULA)]], [{"sizes": {"M": 2, "V": 7}, "value": "1.9"}, "3.89"]),
    ],
    ids=lambda value: f"{value.id}-{value.kind}" if isinstance(value, Part) else "",
)
def test_a_run_must_give_the_key_and_else_nothing_is_decided(part, confirmed, contradicted):
    right, wrong = part.answer.display(), part.answer.others()[0].display()
    for observed in confirmed:
        assert verdict_of(part, right, observed).outcome == "right", observed
        assert verdict_of(part, wrong, observed).outcome == "wrong", observed
    for observed in contradicted:
        for text in (right, wrong):
            verdict = verdict_of(part, text, observed)
            note = "no_runner" if observed is None else "undecided"
            assert (verdict.outcome, verdict.note) == ("not_graded", note), observed


def test_a_reasoned_key_is_checked_by_its_formula_alone():
    assert verdict_of(STATED, "B, D, E").checked == ("formula",)
    assert verdict_of(RESULT, "D").checked == ("formula", "run")
    assert verdict_of(SELECTED, "a", FORMULA_ONLY).checked == ("formula",)


def test_a_rounded_list_is_free_twice_and_counts_in_an_exam():
    for before, outcome in (((), "not_graded"), (("1.67, 3.5",), "not_graded"), (("1.67, 3.5",) * 2, "wrong")):
        assert verdict_of(MEAN, "1.667, 3.5", before=before).outcome == outcome
    assert verdict_of(MEAN, "1.67, 3.5", mode="exam").outcome == "wrong"
    assert verdict_of(MEAN, "5/3, 3.5", mode="exam").outcome == "right"


def test_whole_numbers_are_rounded_as_fractions_are():
    large = Seq(Fraction(37, 3), 5)
    assert large.judge((12, 5)).outcome == "rounded"
    assert large.judge((Fraction(12), 5)).outcome == "wrong"  # 24/2 claims to be exact
    assert large.judge((13, 5)).outcome == "wrong"
    assert Seq(12, 5).judge((12, 5)).outcome == "right"


# -- parts


def test_parts_offer_what_can_be_picked():
    assert LEAKED.options == ("0", "1", "2", "3", "4", "5")
    assert RESULT.options == OUTCOMES
    assert STATED.options == HOLDS
    assert SELECTED.options == ("(12, 1000)", "(160, 1000)", "(12, 48)")
    assert (IDS.options, LABELS.options, Part("p", Int(3)).options) == ((), (), ())
    assert [part.one_try for part in (RESULT, SELECTED, STATED, LEAKED, IDS)] == [True, True, False, False, False]


def test_forms_carry_the_labels_of_their_options():
    labels = tuple(f"`{word}`" for word in OUTCOMES)
    labelled = Part("p", RESULT.answer, (), RESULT.context, labels=labels)
    assert labelled.form() == Pick(OUTCOMES, (3,), labels)
    assert RESULT.form() == Pick(OUTCOMES, (3,))
    assert LEAKED.form() == Pick(LEAKED.options, (1, 4), several=True)
    assert NOTHING.form() == Pick(NOTHING.options, (), several=True)
    assert STATED.form() == Pick(HOLDS, (1, 3, 4), several=True)
    assert isinstance(Part("p", Seq(7, 9), labels=("a",)).form(), Text)
    assert isinstance(Part("p", SetAnswer((1, 2))).form(), Text)
    assert isinstance(Part("p", SetAnswer((1, 9), among=range(4))).form(), Text)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_parts_are_stored_and_rebuilt(part):
    data = json.loads(json.dumps(part.to_json()))
    assert Part.from_json(data) == part
    assert "labels" not in data
    assert "together" not in data
    more = Part(part.id, part.answer, part.slips, part.context, labels=("x",), together=("why",))
    assert Part.from_json(json.loads(json.dumps(more.to_json()))) == more


def test_a_part_of_two_options_counts_with_its_reason_only():
    yes_no = ("yes", "no")
    runs = Part("runs", ChoiceAnswer("yes", yes_no), (), Context(options=yes_no), together=("which",))
    which = Part("which", RESULT.answer, (), RESULT.context)
    one, half = Fraction(1), Fraction(1, 2)
    assert counted([runs, which], {"runs": one, "which": one}) == {"runs": 1, "which": 1}
    for earned in ({"runs": one}, {"runs": one, "which": half}, {"runs": one, "which": Fraction(0)}):
        scores = counted([runs, which], earned)
        assert scores == {"runs": 0, "which": earned.get("which", 0)}
    assert counted([runs, which], {"which": one}) == {"runs": 0, "which": 1}
    assert counted([runs], {"runs": one}) == {"runs": 1}


def test_lists_hold_what_they_may_hold():
    for wrong in (lambda: Seq(1.5), lambda: Seq((1, 2.0)), lambda: SetAnswer((1.0,)), lambda: SetAnswer((True,))):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="not both"):
        TensorAnswer([[1, True]])
    with pytest.raises(ValueError, match="'maybe' is not one of the options"):
        MultiAnswer(("maybe",), HOLDS)
    assert not Seq(1, "masked").legal()
    assert not Seq((0, -1)).legal()
    assert not Seq((0, 1, 2)).legal()
    assert not SetAnswer((-1,)).legal()
    assert not TensorAnswer([[1], [2, 3]]).legal()
    assert not TensorAnswer([]).legal()
    assert not ChoiceAnswer("maybe", OUTCOMES).legal()
    assert not ChoiceAnswer("nan", ("nan", "NaN")).legal()
    assert not MultiAnswer((), ("a, b", "c d")).legal()
    assert Seq(B, B * T).at({"B": 2, "T": 3}) == Seq(2, 6)
    assert not Seq(B).legal()
    assert TensorAnswer([[1, 0]]) != TensorAnswer([[True, False]])
    assert TensorAnswer([[1, 0]]).equals(TensorAnswer([[True, False]])) is False
    assert MultiAnswer(("both_sides", "replaced"), HOLDS) == MultiAnswer(("replaced", "both_sides"), HOLDS)
    assert SetAnswer((2, 1)).equals(SetAnswer((1, 2), among=range(4)))
