"""Answer kinds: each makes its own samples, and one set of tests asks all of them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.answers import (
    KINDS,
    ChoiceAnswer,
    Decimal,
    ExprAnswer,
    Int,
    MultiAnswer,
    Rational,
    Seq,
    SetAnswer,
    Shape,
    ShapeSym,
    TensorAnswer,
    answer_from_json,
    register,
)
from grader.expr import ln, sqrt
from grader.form import Number, Pick, Text
from grader.letters import B, D, H, M, T, V
from grader.read import Context, Ok, read

LETTERS = Context(letters=("B", "T", "D", "V", "H", "M"))
OUTCOMES = ("nan", "zero", "finite", "zeros", "IndexError")
STATEMENTS = ("future_hidden", "replaced", "all_but_last", "chosen_only", "both_sides")
PROGRAMS = ("masked", "all_positions", "zero_filled", "softmax_first", "causal")
LETTERED = ("A", "B", "C", "D", "E")
SHAPES = ("(12, 1000)", "(8, 12, 1000)", "(12, 48)", "(160, 1000)")

SAMPLES = (
    Shape(8, 20, 48),
    Shape(12, 1000),
    Shape(12),
    Shape(1),
    Shape(0),
    Shape(0, 5),
    Shape(),
    Shape(2, 3, 4, 5, 6, 7, 8, 9),
    ShapeSym(B, T, D),
    ShapeSym(B * T, V),
    ShapeSym(B, H, T, D / H),
    ShapeSym(B * T),
    ShapeSym(M),
    ShapeSym(B, 1, D),
    ShapeSym(B * (T + 1), 2 * V),
    ShapeSym(),
    Int(37),
    Int(0),
    Int(1),
    Int(-5),
    Int(1000),
    Int(123456789),
    Rational(Fraction(3, 20)),
    Rational(Fraction(2, 3)),
    Rational(Fraction(-3, 4)),
    Rational(2),
    Rational(0),
    Rational(Fraction(1, 7)),
    Decimal(Fraction("6.9078"), 4),
    Decimal(Fraction("0.42"), 2),
    Decimal(Fraction("-0.69"), 2),
    Decimal(Fraction(2, 3), 3),
    Decimal(Fraction(1234), 1),
    Decimal(ln(1000), 4),
    Decimal(sqrt(2), 3),
    ExprAnswer(B * T),
    ExprAnswer(T * (T + 1) / 2),
    ExprAnswer(ln(V)),
    ExprAnswer(-(B + T)),
    ExprAnswer(4 * D**2 + 9 * D),
    ExprAnswer(M / (B * T)),
    Seq(0, 1, 5, 3, 4),
    Seq(7),
    Seq(0),
    Seq(-100, -100, 7),
    Seq(),
    Seq(Fraction(1, 2), 3),
    Seq(Fraction(-1, 3), Fraction(5, 7)),
    Seq((0, 2), (1, 4), (1, 7)),
    Seq((0, 2)),
    Seq((1, 0), (0, 1)),
    Seq("masked", "causal", "all_positions"),
    Seq("causal"),
    SetAnswer((2, 4), among=range(6)),
    SetAnswer((0, 1, 2, 3)),
    SetAnswer((5,), among=(1, 5, 7)),
    SetAnswer(()),
    SetAnswer((), among=range(4)),
    TensorAnswer([[-100, 7, -100], [3, -100, -100]]),
    TensorAnswer([[7, 0]]),
    TensorAnswer([[4], [9], [2]]),
    TensorAnswer([[True, False, False], [False, False, True]]),
    TensorAnswer([[False, True]]),
    ChoiceAnswer("nan", OUTCOMES),
    ChoiceAnswer("IndexError", OUTCOMES),
    ChoiceAnswer("yes", ("yes", "no")),
    ChoiceAnswer("C", LETTERED),
    ChoiceAnswer("(12, 1000)", SHAPES, of=Shape(12, 1000)),
    ChoiceAnswer("37", ("37", "160", "123"), of=Int(37)),
    MultiAnswer(("replaced", "chosen_only", "both_sides"), STATEMENTS),
    MultiAnswer(("both_sides",), STATEMENTS),
    MultiAnswer((), STATEMENTS),
    MultiAnswer(("D", "A"), LETTERED),
)
each_sample = pytest.mark.parametrize("answer", SAMPLES, ids=[f"{one.kind}-{one.display()}" for one in SAMPLES])


def context_of(answer):
    """Return what a question declares for such an answer."""
    match answer:
        case ChoiceAnswer(options=options) | MultiAnswer(options=options):
            return Context(options=options)
        case Seq(items=items) if any(isinstance(item, str) for item in items):
            return Context(options=PROGRAMS)
        case Seq(items=items) if any(isinstance(item, tuple) for item in items):
            return Context(rows=2)
        case TensorAnswer(boolean=True):
            return Context(allow=frozenset({"boolean"}))
    return LETTERS


def test_every_kind_has_samples():
    assert {sample.kind for sample in SAMPLES} == set(KINDS)


@each_sample
def test_spellings_read_back_as_the_value(answer):
    spellings = answer.spellings()
    assert len(set(spellings)) >= 5
    for spelling in spellings:
        outcome = read(answer.kind, spelling, context_of(answer))
        assert isinstance(outcome, Ok), (spelling, outcome)
        assert answer.judge(outcome.value).outcome == "right", spelling
    assert read(answer.kind, answer.display(), context_of(answer)).value is not None


@each_sample
def test_unreadable_samples_are_not_graded(answer):
    assert len(answer.unreadable()) >= 5
    for text in answer.unreadable():
        assert not isinstance(read(answer.kind, text, context_of(answer)), Ok), text


@each_sample
def test_others_are_wrong_legal_and_apart(answer):
    assert answer.others()
    for other in answer.others():
        assert other.legal()
        assert answer.equals(other) is False
        assert answer.apart(other)
        for spelling in other.spellings():
            outcome = read(answer.kind, spelling, context_of(answer))
            assert isinstance(outcome, Ok), (spelling, outcome)
            assert answer.judge(outcome.value).outcome != "right", spelling


@each_sample
def test_storage_gives_the_same_answer(answer):
    again = answer_from_json(answer.to_json())
    assert again == answer
    assert hash(again) == hash(answer)
    assert again.equals(answer)
    assert answer.legal()
    assert answer.tex()
    assert all(answer != other for other in answer.others())


@each_sample
def test_forms_ask_for_the_answer(answer):
    form = answer.form()
    if isinstance(form, Text):
        assert form.accepted[0] == answer.display()
        assert not form.exact
        assert not any("\n" in text for text in form.accepted)
    elif isinstance(form, Pick):
        picked = [form.options[place] for place in form.right]
        assert form.several == (answer.kind != "choice")
        outcome = read(answer.kind, ", ".join(picked) or "none", context_of(answer))
        assert answer.judge(outcome.value).outcome == "right"
    else:
        assert isinstance(form, Number)
        assert answer.judge(form.value if form.value.denominator != 1 else int(form.value)).outcome == "right"
        assert form.tolerance == getattr(answer, "tolerance", 0)


def test_formulas_become_numbers():
    given = {"B": 8, "T": 20, "D": 48, "V": 1000, "M": 12}
    assert Shape(B * T, V).at(given).display() == "(160, 1000)"
    assert Shape(M).at(given) == Shape(12)
    assert Int(B * T - M).at(given) == Int(148)
    assert Rational(M / (B * T)).at(given).display() == "3/40"
    assert Decimal(ln(V), 4).at(given).display() == "6.9078"
    assert ShapeSym(B * T, V).at(given) == ShapeSym(B * T, V)
    assert ShapeSym(B * T, V).sizes_at(given) == Shape(160, 1000)
    assert Int(B * T - M).display() == "B*T - M"


def test_what_cannot_be_typed_is_not_legal():
    assert not Int(M / B).at({"M": 7, "B": 2}).legal()
    assert not Shape(B - 5, 3).at({"B": 2}).legal()
    assert not Shape(B, 3).legal()
    assert not Int(B).legal()
    assert not Rational(B).legal()
    assert not Decimal(ln(V), 2).legal()
    assert not ShapeSym(B, 5).legal()
    assert ShapeSym(B, 1).legal()
    for unready in (Shape(B).sizes, Int(B).number, Rational(B).number):
        with pytest.raises(ValueError, match=r"B|\(B,\)"):
            unready()


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        ("0.125", 2, "0.13"),
        ("-0.125", 2, "-0.13"),
        ("0.124", 2, "0.12"),
        ("0.0004", 2, "0.00"),
        ("-0.0004", 2, "0.00"),
        ("2", 2, "2.00"),
        ("1.5", 0, "2"),
        ("12345.678", 1, "12345.7"),
        ("0.995", 2, "1.00"),
    ],
)
def test_decimals_are_shown_with_halves_away_from_zero(value, places, text):
    assert Decimal(Fraction(value), places).display() == text


@pytest.mark.parametrize(
    ("key", "places", "typed", "outcome"),
    [
        ("6.90776", 4, "6.9078", "right"),
        ("6.90776", 4, "6.9077", "right"),  # cut off instead of rounded: within 0.6 of the last decimal
        ("6.90776", 4, "6.9079", "wrong"),
        ("6.90776", 4, "6.908", "rounded"),
        ("6.90776", 4, "6.91", "rounded"),
        ("6.90776", 4, "6.9", "rounded"),
        ("6.90776", 4, "7", "wrong"),  # one digit could be guessed
        ("6.90776", 4, "6.90", "wrong"),  # claims two decimals and misses them
        ("6.90776", 4, "6.907", "wrong"),
        ("6.90776", 4, "691/100", "wrong"),  # a fraction claims to be exact
        ("6.90776", 4, "6.90776", "right"),
        ("6.90776", 4, "6.9080", "wrong"),
        ("12.3456", 3, "12", "rounded"),
        ("0.5", 2, "0.5", "right"),
        ("0.0412", 4, "0.04", "wrong"),
        ("0.0412", 4, "0.041", "rounded"),
        ("0.00006", 4, "0", "right"),
        ("1000.4", 1, "1000", "rounded"),
        ("1000.4", 1, "1e3", "wrong"),
    ],
)
def test_rounded_decimals_are_told_from_wrong_ones(key, places, typed, outcome):
    assert Decimal(Fraction(key), places).judge(read("decimal", typed).value).outcome == outcome


@pytest.mark.parametrize(
    ("key", "typed", "outcome"),
    [
        ("2/3", "0.67", "rounded"),
        ("2/3", "0.667", "rounded"),
        ("2/3", "66.7%", "rounded"),
        ("2/3", "0.66", "wrong"),
        ("2/3", "0.7", "wrong"),
        ("2/3", "67/100", "wrong"),
        ("2/3", "4/6", "right"),
        ("3/20", "0.15", "right"),
        ("3/20", "15%", "right"),
        ("37/160", "0.23", "rounded"),
        ("37/160", "0.231", "rounded"),
        ("37/160", "0.2312", "rounded"),
        ("37/160", "0.23125", "right"),
        ("37/160", "0.24", "wrong"),
    ],
)
def test_rounded_shares_are_told_from_wrong_ones(key, typed, outcome):
    context = Context(allow=frozenset({"percent"}))
    assert Rational(Fraction(key)).judge(read("rational", typed, context).value).outcome == outcome


def test_order_is_noted_where_the_sizes_agree():
    assert Shape(8, 20, 48).judge((20, 8, 48)).note == "other_order"
    assert Shape(8, 20, 48).judge((20, 8, 40)).note is None
    assert ShapeSym(B, T, D / H).judge((T, B, 1 / (H / D))).note == "other_order"
    assert ShapeSym(B, T, D).judge((T, B, B)).note is None
    assert Shape(12).judge(()).note is None


def test_distances():
    assert Decimal(1, 2).equals(Decimal(Fraction("1.006"), 2))
    assert not Decimal(1, 2).apart(Decimal(Fraction("1.017"), 2))
    assert Decimal(1, 2).apart(Decimal(Fraction("1.018"), 2))
    assert Int(3).apart(Int(4))
    assert not Int(3).apart(Int(3))
    assert Int(3).apart(Rational(3))


def test_values_of_other_types_are_wrong_not_errors():
    for sample in SAMPLES:
        for value in ("nan", (), 10**40, Fraction(1, 10**9), (B, T, M, M), B + 97, frozenset({97}), ((97, 1),)):
            assert sample.judge(value).outcome in ("right", "wrong")


def test_kinds_refuse_doubles_and_the_unknown():
    with pytest.raises(ValueError, match="two answer kinds are called 'int'"):
        register(Int, Shape, Int)
    with pytest.raises(ValueError, match="colour"):
        answer_from_json({"kind": "colour"})
    with pytest.raises(TypeError):
        Int(2.0)
    with pytest.raises(TypeError):
        Shape(8, 20.0)
