"""One change in a key, a slip, an observation or a witness, made mechanically: the check must fail every time."""

import ast
from dataclasses import replace
from fractions import Fraction

import pytest

from generator.check import check_family
from generator.faults import Unproven
from grader.answers import Decimal, Int, Rational, Shape, ShapeSym
from grader.runner.service import TraceFailed
from maskwise.services.prover import Prover
from question_bank.catalogue import families

pytestmark = pytest.mark.torch

FAMILIES = families()
ASKS = [(each.id, ask.id) for each in FAMILIES.values() for ask in each.asks]
RULES = [(each.id, ask.id, rule.id) for each in FAMILIES.values() for ask in each.asks for rule in ask.rules]
DRAWS = 12


def wrong_values(formula):
    """Yield a formula with one thing changed: an axis more, one less, two swapped, a size off by one."""
    if not isinstance(formula, Shape | ShapeSym | Int | Rational | Decimal):
        yield lambda given: shifted(formula(given))
        return
    if isinstance(formula, Shape | ShapeSym):
        kind, axes = type(formula), formula.axes
        yield kind(*axes, 1)
        if axes:
            yield kind(*axes[:-1])
            yield kind(*axes[:-1], axes[-1] + 1)
            yield kind(*axes[:-1], axes[-1] * 2)
        if len({str(axis) for axis in axes}) > 1:
            yield kind(*axes[1:], axes[0])
        return
    yield shifted(formula)


def shifted(answer):
    if answer is None:
        return None
    if isinstance(answer, Decimal):
        return Decimal(answer.value + Fraction(3, 100), answer.places)
    return type(answer)(answer.value + 1)


def wrong_lines(line, others):
    """Yield a line of PyTorch with one thing changed."""
    yield f"({line})[None]" if "shape[0]" not in line and "numel" not in line else f"({line}) + 1"
    tree = ast.parse(line, mode="eval").body
    if (
        isinstance(tree, ast.Call)
        and isinstance(tree.func, ast.Attribute)
        and not isinstance(tree.func.value, ast.Name)
    ):
        yield ast.unparse(tree.func.value)
    yield from others


def replaced(family, part, change):
    return replace(family, asks=tuple(change(ask) if ask.id == part else ask for ask in family.asks))


def failures(family, runner):
    try:
        return check_family(family, Prover(remember=False, start=lambda: runner), DRAWS).failed
    except (Unproven, TraceFailed, ValueError) as error:  # a family proof that cannot be made fails as well
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("family_id", sorted(FAMILIES))
def test_the_family_as_it_stands_passes(family_id, runner):
    assert failures(FAMILIES[family_id], runner) == 0


@pytest.mark.parametrize(("family_id", "part"), ASKS)
def test_a_changed_key_is_caught(family_id, part, runner):
    family = FAMILIES[family_id]
    for key in wrong_values(family.ask(part).key):
        assert failures(replaced(family, part, lambda ask, key=key: replace(ask, key=key)), runner)


@pytest.mark.parametrize(("family_id", "part", "slip"), RULES)
def test_a_changed_slip_is_caught(family_id, part, slip, runner):
    family = FAMILIES[family_id]
    rule = next(rule for rule in family.ask(part).rules if rule.id == slip)
    for value in wrong_values(rule.value):
        changed = replace(rule, value=value)
        mutant = replaced(family, part, lambda ask, new=changed: swap(ask, slip, new))
        assert failures(mutant, runner), value


@pytest.mark.parametrize(("family_id", "part", "slip"), RULES)
def test_a_changed_witness_is_caught(family_id, part, slip, runner):
    family = FAMILIES[family_id]
    ask = family.ask(part)
    rule = next(rule for rule in ask.rules if rule.id == slip)
    if rule.witness is None:
        assert rule.reason
        assert rule.example
        return
    for line in wrong_lines(rule.witness, [ask.line]):
        changed = replace(rule, witness=line)
        assert failures(replaced(family, part, lambda ask, new=changed: swap(ask, slip, new)), runner), line


@pytest.mark.parametrize(("family_id", "part"), ASKS)
def test_a_changed_observation_is_caught(family_id, part, runner):
    family = FAMILIES[family_id]
    ask = family.ask(part)
    wrong = [rule.witness for rule in ask.rules if rule.witness]
    for line in wrong_lines(ask.line, wrong):
        assert failures(replaced(family, part, lambda ask, line=line: replace(ask, line=line)), runner), line


def swap(ask, slip, new):
    return replace(ask, rules=tuple(new if rule.id == slip else rule for rule in ask.rules))
