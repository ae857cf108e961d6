"""Parts asked as a choice: the key among what wrong rules give, nowhere in particular."""

import itertools
from collections import Counter

import pytest

from generator.build import certify
from generator.choices import LEAST, MOST
from generator.drafting import draft
from generator.faults import UnknownName
from generator.variant import OpenCode, Variant
from grader.answers import ChoiceAnswer
from grader.grade import grade
from grader.read import Ok, read
from question_bank.catalogue import families, family

FAMILIES = families()
LEVELS = [(each.id, level) for each in FAMILIES.values() for level in each.levels]


def as_choices(family_id, level, seed, first=False):
    asked = draft(FAMILIES[family_id], level, seed).parts[: 1 if first else None]
    return draft(FAMILIES[family_id], level, seed, parts=[f"~{part}" for part in asked]).variant()


@pytest.mark.parametrize(("family_id", "level"), LEVELS)
def test_one_option_is_the_key_and_no_two_are_equal(family_id, level):
    for number in range(15):
        open_parts = {part.id: part for part in draft(FAMILIES[family_id], level, str(number)).variant().parts}
        for part in as_choices(family_id, level, str(number)).parts:
            if not isinstance(part.answer, ChoiceAnswer):
                assert part.answer.kind == "multi"
                continue
            assert LEAST <= len(part.options) <= MOST
            assert part.answer.of == open_parts[part.id].answer
            assert part.options.count(part.answer.of.display()) == 1
            assert len(part.labels) == len(part.options) == len(set(part.options))
            values = [part.answer.of, *(slip.answer.of for slip in part.slips)]
            for one, other in itertools.combinations(values, 2):
                assert one.apart(other)
            shown = {slip.answer.display() for slip in part.slips}
            assert shown <= set(part.options)
            assert not shown & {part.answer.display()}


@pytest.mark.parametrize("family_id", sorted(FAMILIES))
def test_every_place_is_equally_likely(family_id):
    """200 questions: a place that is favoured by a fifth would show."""
    level = min(FAMILIES[family_id].levels)
    places = Counter()
    for number in range(200):
        part = as_choices(family_id, level, f"place-{number}", first=True).parts[0]
        places[len(part.options), part.options.index(part.answer.display())] += 1
    for options in {count for count, _place in places}:
        asked = sum(places[options, place] for place in range(options))
        for place in range(options):
            wanted = asked / options
            assert abs(places[options, place] - wanted) <= 5 * (wanted * (1 - 1 / options)) ** 0.5 + 1


@pytest.mark.torch
@pytest.mark.parametrize("family_id", sorted(FAMILIES))
def test_letters_and_values_are_graded_and_slips_named(family_id, prover):
    for level in FAMILIES[family_id].levels:
        asked = draft(FAMILIES[family_id], level, "graded").parts
        marked = [f"~{part}" for part in asked]
        variant = certify([draft(FAMILIES[family_id], level, "graded", parts=marked)], prover)[0]
        assert variant.intact()
        assert Variant.from_json(variant.to_json()).canonical() == variant.canonical()
        observed = variant.certificate.observed()
        assert prover.observed(variant) == observed
        for part in variant.parts:
            if part.kind != "choice":
                continue
            named = {slip.answer.display(): slip.id for slip in part.slips}
            for place, option in enumerate(part.options):
                for text in (chr(ord("A") + place), f"({chr(ord('a') + place)})", option):
                    verdict = grade([part], {part.id: text}, observed=observed)[part.id]
                    right = option == part.answer.display()
                    assert verdict.outcome == ("right" if right else "wrong"), (part.id, text)
                    assert verdict.slip == named.get(option)


def test_the_mark_stands_in_the_code():
    one = draft(family("SH-TRYIT"), 2, "7", parts=["enc", "~sel"])
    code = OpenCode.parse(one.variant().open_code)
    assert code.parts == ("enc", "~sel")
    assert draft(family(code.family), code.level, code.seed, parts=code.parts).variant() is not None
    kinds = {part.id: part.kind for part in one.variant().parts}
    assert kinds == {"enc": "shape", "sel": "choice"}


def test_an_unknown_part_is_refused_with_or_without_the_mark():
    for part in ("nothing", "~nothing"):
        with pytest.raises(UnknownName, match="nothing"):
            draft(family("SH-TRYIT"), 2, "7", parts=[part])


def test_reading_a_choice_depends_on_its_options_alone():
    part = as_choices("SH-TRYIT", 1, "3").parts[0]
    for option in part.options:
        result = read("choice", option, part.context)
        assert isinstance(result, Ok)
        assert result.value == option
    assert part.context.to_json() == {"options": list(part.options)}
