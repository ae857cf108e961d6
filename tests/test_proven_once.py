"""Slips whose witness is a whole forward pass of its own: proven once a family version, not with every variant."""

from dataclasses import replace

import pytest

from generator.build import certify
from generator.drafting import from_given
from generator.family import Rule
from generator.family_proof import prove_family
from generator.faults import BadFamily, Unproven
from generator.proof import run_lines
from grader.answers import Int, Shape
from grader.expr import expr
from grader.letters import B, T, V
from question_bank.catalogue import families, family

FAMILIES = families()
ONCE = [
    (each.id, ask.id, rule.id) for each in FAMILIES.values() for ask in each.asks for rule in ask.rules if rule.once
]
GIVEN = {"B": 8, "T": 20, "D": 48, "V": 1000, "M": 12, "L": 32}


def with_rule(family_id, part, rule):
    """Return the family with one rule of a part in place of its namesake."""
    each = FAMILIES[family_id]
    asks = tuple(
        replace(ask, rules=tuple(rule if old.id == rule.id else old for old in ask.rules)) if ask.id == part else ask
        for ask in each.asks
    )
    return replace(each, asks=asks)


def test_the_longest_batch_is_such_a_slip_wherever_it_is_asked():
    assert {("SH-TRYIT", "logits", "max_length"), ("SH-CHAIN", "logits", "max_length")} == set(ONCE)


@pytest.mark.torch
@pytest.mark.parametrize(("family_id", "part", "slip"), ONCE)
def test_a_variant_serves_the_slip_and_its_run_leaves_it_out(family_id, part, slip, prover):
    item = from_given(family(family_id), GIVEN)
    assert f"{part}.{slip}" not in run_lines(item)
    assert {f"{part}.width_kept", part} <= set(run_lines(item))
    served = {each.id: each for each in certify([item], prover)[0].part(part).slips}
    assert served[slip].answer.display() == "(8, 32, 1000)"
    assert served[slip].witness


@pytest.mark.torch
@pytest.mark.parametrize(("family_id", "part", "slip"), ONCE)
def test_its_witness_is_traced_at_every_size_and_run_on_the_trial_questions(family_id, part, slip, runner):
    each = FAMILIES[family_id]
    traced, ran = [], []

    def trace(constants, lines):
        traced.append(lines)
        return runner.trace(constants, lines)

    def run(requests):
        ran.extend(lines for _world, _given, lines in requests)
        return runner.observe_many(requests)

    prove_family(each, [from_given(each, GIVEN)], trace, run)
    assert len(traced) == len(each.trace_sizes) >= 3
    assert all(f"{part}.{slip}" in lines for lines in traced)
    assert any(f"{part}.{slip}" in lines for lines in ran)


@pytest.mark.torch
@pytest.mark.parametrize("value", [Shape(B, V), Shape(B, T, V), Shape(V, B, T)])
def test_the_trace_alone_catches_a_wrong_value(value, runner):
    """No trial question at all: what is left is the trace."""
    rule = next(rule for rule in family("SH-TRYIT").ask("logits").rules if rule.once)
    each = with_rule("SH-TRYIT", "logits", replace(rule, value=value))
    with pytest.raises(Unproven, match=r'slip "max_length" is .* but tracing'):
        prove_family(each, [], runner.trace, runner.observe_many)


@pytest.mark.torch
def test_the_trial_questions_alone_catch_a_wrong_value(runner):
    """A trace that says what the wrong rule says: what is left is the run."""
    rule = next(rule for rule in family("SH-TRYIT").ask("logits").rules if rule.once)
    each = with_rule("SH-TRYIT", "logits", replace(rule, value=Shape(B, V)))
    formulas = {ask.id: ask.key for ask in each.asks} | {"logits.max_length": Shape(B, V)}

    def agreeing(constants, lines):
        return {name: [expr(axis).at(constants).to_json() for axis in formulas[name].axes] for name in lines}

    prove_family(each, [], agreeing, runner.observe_many)
    with pytest.raises(Unproven, match=r'slip "max_length" is .* but PyTorch gives'):
        prove_family(each, [from_given(each, GIVEN)], agreeing, runner.observe_many)


@pytest.mark.parametrize(
    "rule",
    [
        Rule("max_length", Int(B * T), "B * T", once=True),
        Rule("max_length", lambda given: Shape(given["B"]), "ids[:, 0]", once=True),
        Rule("max_length", Shape(B, V), None, reason="no line", example=({}, ""), once=True),
    ],
)
def test_a_rule_that_no_trace_can_prove_is_refused(rule):
    with pytest.raises(BadFamily, match="proven once needs"):
        with_rule("SH-TRYIT", "logits", rule)


def test_a_family_without_sizes_to_trace_at_cannot_prove_once():
    with pytest.raises(BadFamily, match="sizes to trace it at"):
        replace(FAMILIES["SH-CHAIN"], trace_sizes=())


def test_a_witness_that_was_never_tried_is_held_back(prover):
    for each in families().values():
        proof = prover.family_proof(each)
        assert proof.reveals("no_part", "no_slip")
        for ask in each.asks:
            for rule in ask.rules:
                assert rule.witness is None or (ask.id, rule.id) in proof.judged
