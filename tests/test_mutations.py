"""One change in a key, a slip, an observation or a witness, made mechanically: the check must fail every time.

Thousands of changed families are checked, so the work is shared: each line is run once for each question, the models
are traced only where runs alone do not catch the change, and a change is looked for in few draws before many.
"""

import ast
import json
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from generator.check import check_family
from generator.drafting import draft, from_given
from generator.faults import BadFamily, Unproven
from grader.answers import Decimal, Int, Rational, Shape, ShapeSym
from grader.runner.service import TraceFailed
from maskwise.services.prover import Prover
from question_bank.catalogue import families

pytestmark = pytest.mark.torch

FAMILIES = families()
ASKS = [(each.id, ask.id) for each in FAMILIES.values() for ask in each.asks]
RULES = [(each.id, ask.id, rule.id) for each in FAMILIES.values() for ask in each.asks for rule in ask.rules]
FURTHER = [(each.id, ask.id) for each in FAMILIES.values() for ask in each.asks if ask.also or ask.holds]
DRAWS = 12
IN_LETTERS = (Shape, ShapeSym, Int, Rational, Decimal)
NEAR = 3


class RanOnce:
    """The runner, with each line run once for each question: most lines of a changed family are those of the family."""

    def __init__(self, runner):
        self._runner = runner
        self._seen = {}

    def observe_many(self, requests):
        asked = [(world, given, lines, json.dumps([world, given], sort_keys=True)) for world, given, lines in requests]
        new = []
        for world, given, lines, place in asked:
            fresh = {name: line for name, line in lines.items() if (place, line) not in self._seen}
            if fresh:
                new.append((place, (world, given, fresh)))
        results = self._runner.observe_many([request for _place, request in new]) if new else []
        for (place, (_world, _given, fresh)), seen in zip(new, results, strict=True):
            self._seen.update({(place, line): seen[name] for name, line in fresh.items()})
        return [{name: self._seen[place, line] for name, line in lines.items()} for _, _, lines, place in asked]

    def __getattr__(self, name):
        return getattr(self._runner, name)


@pytest.fixture(scope="module")
def quick(runner):
    return RanOnce(runner)


def wrong_values(formula):
    """Yield a formula with one thing changed: an axis more, one less, two swapped, a size off by one.

    What a function of the given returns is replaced by values near by: an item less, one changed, another order.
    """
    if not isinstance(formula, IN_LETTERS):
        for number in range(NEAR):
            yield lambda given, number=number: near(formula(given), number)
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
    if isinstance(answer, Decimal):
        return Decimal(answer.value + Fraction(3, 100), answer.places)
    return type(answer)(answer.value + 1)


def near(answer, number):
    if answer is None:
        return None
    if isinstance(answer, IN_LETTERS):
        return shifted(answer)
    others = answer.others()
    return others[number % len(others)]


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
    yield from (other for other in others if other is not None)


def replaced(family, part, change):
    return replace(family, asks=tuple(change(ask) if ask.id == part else ask for ask in family.asks))


def swap(ask, slip, new):
    return replace(ask, rules=tuple(new if rule.id == slip else rule for rule in ask.rules))


@cache
def levels_of(family_id, part):
    """Return the levels whose questions show enough for this part to be asked."""
    family = FAMILIES[family_id]
    found = {}
    for level, words in family.levels.items():
        given = draft(family, level, "levels").given
        if any(ask.id == part for ask, _rules in from_given(family, given, level=level).served):
            found[level] = words
    return found


def narrowed(family, part):
    """Return the family with this part alone asked and nothing traced: what is caught there is caught by the whole."""

    def draw(draw, level):
        return None if family.draw(draw, level) is None else (part,)

    asks = tuple(
        replace(ask, traced=False, rules=tuple(replace(rule, once=False) for rule in ask.rules)) for ask in family.asks
    )
    return replace(family, asks=asks, draw=draw, levels=levels_of(family.id, part))


def failures(family, runner, draws):
    try:
        return check_family(family, Prover(remember=False, start=lambda: runner), draws).failed
    except (Unproven, TraceFailed, ValueError) as error:  # a family proof that cannot be made fails as well
        return f"{type(error).__name__}: {error}"


def caught(family, part, runner):
    """Whether the check of a changed family fails: looked for where it is cheap before it is looked for everywhere."""
    few = narrowed(family, part)
    try:
        Prover(remember=False, start=lambda: runner).family_proof(few)
    except (Unproven, BadFamily, ValueError):  # no draw in which the change does not make two answers one
        return True
    return any(failures(few, runner, draws) for draws in (1, DRAWS)) or failures(family, runner, DRAWS)


@pytest.mark.parametrize("family_id", sorted(FAMILIES))
def test_the_family_as_it_stands_passes(family_id, quick):
    assert failures(FAMILIES[family_id], quick, DRAWS) == 0


@pytest.mark.parametrize(("family_id", "part"), ASKS)
def test_a_part_alone_passes_as_it_stands(family_id, part, quick):
    assert failures(narrowed(FAMILIES[family_id], part), quick, 2) == 0


@pytest.mark.parametrize(("family_id", "part"), ASKS)
def test_a_changed_key_is_caught(family_id, part, quick):
    family = FAMILIES[family_id]
    ask = family.ask(part)
    if ask.line is None:
        assert ask.reason
        return
    for key in wrong_values(ask.key):
        assert caught(replaced(family, part, lambda ask, key=key: replace(ask, key=key)), part, quick)


@pytest.mark.parametrize(("family_id", "part", "slip"), RULES)
def test_a_changed_slip_is_caught(family_id, part, slip, quick):
    family = FAMILIES[family_id]
    rule = next(rule for rule in family.ask(part).rules if rule.id == slip)
    for value in wrong_values(rule.value):
        changed = replace(rule, value=value)
        mutant = replaced(family, part, lambda ask, new=changed: swap(ask, slip, new))
        assert caught(mutant, part, quick), value


@pytest.mark.parametrize(("family_id", "part", "slip"), RULES)
def test_a_changed_witness_is_caught(family_id, part, slip, quick):
    family = FAMILIES[family_id]
    ask = family.ask(part)
    rule = next(rule for rule in ask.rules if rule.id == slip)
    if rule.witness is None:
        assert rule.reason
        assert rule.example
        return
    for line in wrong_lines(rule.witness, [ask.line]):
        changed = replace(rule, witness=line)
        assert caught(replaced(family, part, lambda ask, new=changed: swap(ask, slip, new)), part, quick), line


@pytest.mark.parametrize(("family_id", "part"), ASKS)
def test_a_changed_observation_is_caught(family_id, part, quick):
    family = FAMILIES[family_id]
    ask = family.ask(part)
    if ask.line is None:
        assert ask.reason
        return
    wrong = [rule.witness for rule in ask.rules]
    for line in wrong_lines(ask.line, wrong):
        mutant = replaced(family, part, lambda ask, line=line: replace(ask, line=line))
        assert caught(mutant, part, quick), line


@pytest.mark.parametrize(("family_id", "part"), FURTHER)
def test_a_changed_second_look_is_caught(family_id, part, quick):
    """Further lines for a key, each in place of itself; and what must hold, turned into its opposite."""
    family = FAMILIES[family_id]
    ask = family.ask(part)
    for place, further in enumerate(ask.also):
        for line in wrong_lines(further, [rule.witness for rule in ask.rules]):
            also = (*ask.also[:place], line, *ask.also[place + 1 :])
            assert caught(replaced(family, part, lambda ask, also=also: replace(ask, also=also)), part, quick), line
    for place, held in enumerate(ask.holds):
        for line in (f"({held}) == False", f"({held})[None]"):
            holds = (*ask.holds[:place], line, *ask.holds[place + 1 :])
            assert caught(replaced(family, part, lambda ask, holds=holds: replace(ask, holds=holds)), part, quick), line
