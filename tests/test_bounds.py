"""No number outgrows its bound, whoever works it out: folding, values, compiled formulas, text, decimals."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.approximate import Uncertain, enclose
from grader.equality.integers import prime_factors
from grader.equality.linear import expand
from grader.equality.polynomials import from_expr
from grader.equality.undecided import Undecided
from grader.exact import MAX_BITS, bits
from grader.expr import Expr, Num, exp, ln, sqrt
from grader.letters import B, D, T, V
from grader.read import Context, Ok, Reject, read, value_to_json

LONG = 2 ** (MAX_BITS - 1)
LETTERS = Context(letters=("B", "T", "D", "V"))


def tower(base, power=12, times=5):
    for _ in range(times):
        base = base**power
    return base


@pytest.mark.parametrize(
    "work",
    [
        lambda: Num(LONG) * Num(LONG),
        lambda: Num(1) / LONG / LONG,
        lambda: Num(Fraction(1, LONG)) + Fraction(1, LONG - 1),
        lambda: Num(Fraction(1, LONG)) - Fraction(1, LONG - 1),
        lambda: Num(3) ** 10**9,
        lambda: Num(3) ** -(10**9),
        lambda: tower(Num(12)),
        lambda: tower(B + T).at({"B": 3, "T": 5}),
        lambda: tower(B / T + 1).compile()({"B": 3, "T": 5}),
        lambda: tower(B / T, -12).compile()({"B": 3, "T": 5}),
    ],
)
def test_a_number_that_would_be_too_long_is_not_worked_out(work):
    start = time.thread_time()
    with pytest.raises(OverflowError):
        work()
    assert time.thread_time() - start < 0.05


def test_numbers_within_the_bound_are_worked_out():
    assert bits((Num(2) ** 4000 * Num(2) ** 4000).number()) == 8001
    assert (D**12).compile()({"D": 1000}) == 1000**12


def test_stored_formulas_without_a_value_are_refused():
    for wrong in (["**", 9, 10**9], ["/", 1, 0], ["*", ["**", 2, 8000], ["**", 2, 8000]], ["**", 0, -1]):
        with pytest.raises(ValueError):
            Expr.from_json(wrong)


def test_methods_that_collect_numbers_give_up_on_long_ones():
    for method, formula in ((from_expr, tower(2 * B)), (expand, tower(2 * B)), (from_expr, tower(B / 7 + 1))):
        with pytest.raises(Undecided):
            method(formula)
    with pytest.raises(Undecided):
        prime_factors(3**5000)


# -- text


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("(((((2*B)^12)^12)^12)^12)^12", "2**248832*B**248832"),
        ("-((((2.5*B)^11)^11)^11)^11", "-5**14641*B**14641/2**14641"),
        ("((((2/(7*T))^12)^12)^12)^12", "2**20736/(7**20736*T**20736)"),
        ("(2*B)^3", "8*B**3"),
    ],
)
def test_a_power_too_long_to_print_stays_a_power(typed, shown):
    outcome = read("expr", typed, LETTERS)
    assert isinstance(outcome, Ok)
    assert outcome.read_as == shown
    assert outcome.value.tex
    assert value_to_json("expr", outcome.value) == shown


def test_writing_takes_no_longer_than_the_formula_is():
    nested = "B"
    for step in range(19):
        nested = f"({nested}+T)*{'DV'[step % 2]}"
    outcome = read("expr", nested, LETTERS)
    start = time.thread_time()
    assert isinstance(outcome, Ok)
    assert outcome.read_as.count("(") == 19
    assert outcome.value.tex.count(r"\left(") == 19
    assert time.thread_time() - start < 0.01


# -- decimals with a proven error


def test_what_cancels_is_worked_out_again():
    seven = Fraction("1.94591014905531330510535")
    for large in (20, 100, 300, 700):
        assert abs((ln(7) + exp(large) - exp(large)).approx() - seven) < Fraction(1, 10**22)
    with pytest.raises(Uncertain):
        (ln(7) + exp(5000) - exp(5000)).approx()
    assert read("decimal", "ln(7)+exp(90)-exp(90)").value - seven < Fraction(1, 10**22)


def test_nothing_is_said_where_digits_do_not_tell():
    gap = ln(8) - 3 * ln(2)
    assert abs(gap.approx()) < Fraction(1, 10**40)
    for formula in (1 / gap, ln(gap), sqrt(gap)):
        with pytest.raises(Uncertain):
            formula.approx()
    assert 1 / (1 / (gap + Fraction(1, 10**50))).approx() < Fraction(2, 10**50)


@pytest.mark.parametrize(
    "text", ["exp(5000)", "exp(-5000)", "exp(-200000)", "exp(10^12)", "exp(-10^12)", "ln(7)/exp(9999)"]
)
def test_values_beyond_all_use_are_refused_at_once(text):
    start = time.thread_time()
    outcome = read("decimal", text)
    assert time.thread_time() - start < 0.005
    assert isinstance(outcome, Reject)
    assert "too large or too small" in outcome.hint


LEAVES = st.one_of(st.sampled_from([B, T, D, V]), st.fractions(-9, 9, max_denominator=9).map(Num))
FORMULAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner, st.sampled_from("+-*")).map(
            lambda three: {"+": three[0] + three[1], "-": three[0] - three[1], "*": three[0] * three[1]}[three[2]]
        ),
        st.tuples(inner, st.integers(2, 5)).map(lambda pair: pair[0] ** pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] / (pair[1] * pair[1] + Fraction(1, 7))),
    ),
    max_leaves=9,
)
VALUES = {"B": 3, "T": Fraction(5, 3), "D": 7, "V": Fraction(11, 13)}


@settings(max_examples=150, deadline=None)
@given(formula=FORMULAS, digits=st.sampled_from([5, 12, 40]))
def test_the_true_value_lies_within_the_radius(formula, digits):
    try:
        ball = enclose(formula, VALUES, digits)
        true = formula.at(VALUES).number()
    except (Uncertain, ArithmeticError):
        return
    assert abs(true - Fraction(ball.middle)) <= Fraction(ball.radius)


@settings(max_examples=60, deadline=None)
@given(formula=FORMULAS)
def test_few_digits_and_many_agree_on_functions(formula):
    for function in (ln, sqrt, exp):
        try:
            rough, fine = (enclose(function(formula * formula / 50 + 1), VALUES, digits) for digits in (8, 60))
        except (Uncertain, ArithmeticError):
            continue
        assert abs(Fraction(rough.middle) - Fraction(fine.middle)) <= Fraction(rough.radius) + Fraction(fine.radius)
