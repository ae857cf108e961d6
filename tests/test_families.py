"""Every family at every level, over many draws: what content and code promise of a question."""

import functools
import itertools
import re

import pytest

from generator.build import certify
from generator.drafting import LESSON_SIZES, draft, from_given
from generator.raw import Values
from generator.variant import OpenCode, Variant, canonical
from grader.grade import grade
from grader.read import Ok, read
from question_bank.catalogue import families, family
from templates.markup import to_html, to_text, to_typst

FAMILIES = families()
LEVELS = [(each.id, level) for each in FAMILIES.values() for level in each.levels]
DRAWS = 200
RUN = 67  # a level; 200 and more a family


@functools.cache
def drawn(family_id, level):
    """Return questions of a level that are drawn and not run: a thousand times cheaper."""
    return [draft(FAMILIES[family_id], level, str(number)) for number in range(DRAWS)]


@functools.cache
def parts_drawn(family_id, level):
    return [item.variant().parts for item in drawn(family_id, level)]


@functools.cache
def hint_of(kind, text, context):
    """Return the hint for a text that cannot be read: questions of a level mostly share their contexts."""
    return read(kind, text, context).hint


@pytest.fixture(scope="module")
def certified(prover):
    made = {}

    def get(family_id, level):
        if (family_id, level) not in made:
            drafts = [draft(FAMILIES[family_id], level, f"test-{number}") for number in range(RUN)]
            made[family_id, level] = certify(drafts, prover)
        return made[family_id, level]

    return get


@pytest.mark.parametrize(("family_id", "level"), LEVELS)
def test_draws_are_distinct_discriminating_and_repeatable(family_id, level):
    each = FAMILIES[family_id]
    for number, one in enumerate(drawn(family_id, level)):
        two = draft(each, level, str(number))
        assert canonical(dict(one.given)) == canonical(dict(two.given))
        assert one.parts == two.parts
        assert any(one.given.get(name) != value for name, value in LESSON_SIZES.items())
        each.check_given(one.given)
        for ask, rules in one.served:
            values = [ask.raw(one.given, one.sizes), *(rule.raw(one.given, one.sizes) for rule in rules)]
            assert all(Values(a).find(b) is None for a, b in itertools.combinations(values, 2))
            assert len(rules) >= min(2, len([rule for rule in ask.rules if rule.applies(one.given, one.sizes)]))


@pytest.mark.parametrize(
    ("family_id", "level"), [(f, n) for f, n in LEVELS if f in ("SH-CHAIN", "SH-TRYIT", "CL-SHAPES")]
)
def test_sizes_that_are_shown_differ(family_id, level):
    for given in (item.given for item in drawn(family_id, level)):
        sizes = [value for value in given.values() if isinstance(value, int)]
        if "k" in given:
            sizes.append(sum(given["k"]))
        assert len(set(sizes)) == len(sizes)
        assert min(given[name] for name in "BTDV") > 1


@pytest.mark.torch
@pytest.mark.parametrize(("family_id", "level"), LEVELS)
def test_certified_variants_hold_together(family_id, level, certified):
    for variant in certified(family_id, level):
        assert variant.intact()
        again = Variant.from_json(variant.to_json())
        assert again.canonical() == variant.canonical()
        assert again.intact()
        for words in variant.words.values():
            assert to_text(words).strip()
            assert to_html(words).strip()
            assert to_typst(words)
        for part in variant.parts:
            route = variant.certificate.routes[part.id]
            assert route.formula == part.answer.display()
            assert to_text(variant.words[f"solution_{part.id}"]).endswith(part.answer.display())
            assert route.printed in to_text(variant.words[f"solution_{part.id}"])


@pytest.mark.torch
@pytest.mark.parametrize(("family_id", "level"), LEVELS)
def test_right_is_right_and_each_slip_is_named_in_every_spelling(family_id, level, certified):
    """Keys in every spelling; slips in two of theirs a variant, in turn, so that each comes up again and again."""
    for number, variant in enumerate(certified(family_id, level)):
        observed = variant.certificate.observed()
        for part in variant.parts:
            for spelling in part.answer.spellings():
                verdict = grade([part], {part.id: spelling}, observed=observed)[part.id]
                assert verdict.outcome == "right", (variant.open_code, part.id, spelling, verdict)
                assert verdict.slip is None
            for slip in part.slips:
                spellings = slip.answer.spellings()
                assert len(set(spellings)) >= 5
                for place in (2 * number, 2 * number + 1):
                    spelling = spellings[place % len(spellings)]
                    verdict = grade([part], {part.id: spelling}, observed=observed)[part.id]
                    assert (verdict.outcome, verdict.slip) == ("wrong", slip.id), (variant.open_code, part.id, spelling)
            for text in part.answer.unreadable() if number % 5 == 0 else ():
                verdict = grade([part], {part.id: text}, observed=observed)[part.id]
                assert verdict.outcome == "not_graded", (part.id, text)


@pytest.mark.parametrize(("family_id", "level"), LEVELS)
def test_slips_are_named_over_two_hundred_draws(family_id, level):
    """The grader's naming without the run's part: 200 draws, one spelling more each time."""
    for number, parts in enumerate(parts_drawn(family_id, level)):
        for part in parts:
            for slip in part.slips:
                spellings = slip.answer.spellings()
                result = read(part.answer.kind, spellings[number % len(spellings)], part.context)
                assert isinstance(result, Ok), (number, part.id, slip.id, result)
                named = next(s.id for s in part.slips if s.answer.judge(result.value).outcome == "right")
                assert named == slip.id
                assert part.answer.judge(result.value).outcome == "wrong"


@pytest.mark.torch
@pytest.mark.parametrize(("family_id", "level"), LEVELS)
def test_no_feedback_and_no_hint_states_a_key(family_id, level, certified):
    for variant in certified(family_id, level):
        keys = [part.answer.display() for part in variant.parts]
        for name, words in variant.words.items():
            if not name.startswith(("slip_", "hint_")):
                continue
            text = to_text(words)
            for key in keys:
                assert not re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.]*\w)", text), (variant.open_code, name, key)


@pytest.mark.parametrize(("family_id", "level"), LEVELS)
def test_no_hint_of_reading_states_a_key(family_id, level):
    """A hint about format costs no try: its sample must never be the key, whatever was typed before."""
    for number, parts in enumerate(parts_drawn(family_id, level)):
        for part in parts:
            key = re.compile(rf"(?<![\w.]){re.escape(part.answer.display())}(?![\w.]*\w)")
            for text in ("idk", "idk 2", "idk 2 3501", "?"):
                assert not key.search(hint_of(part.kind, text, part.context)), (number, part.id, text)


@pytest.mark.torch
@pytest.mark.parametrize("family_id", sorted(FAMILIES))
def test_open_codes_rebuild_the_identical_variant(family_id, certified, prover):
    for level in FAMILIES[family_id].levels:
        variant = certified(family_id, level)[0]
        code = OpenCode.parse(variant.open_code)
        assert code.version == FAMILIES[code.family].version
        assert (
            certify([draft(family(code.family), code.level, code.seed)], prover)[0].canonical() == variant.canonical()
        )


@pytest.mark.torch
def test_a_code_names_the_parts_that_a_plan_chose(prover):
    """Which draws are kept depends on the parts asked, so the code must say them."""
    for number in range(60):
        one = draft(family("LS-MEAN"), 1, str(number), parts=["terms"])
        code = OpenCode.parse(one.variant().open_code)
        assert code.parts == ("terms",)
        again = draft(family(code.family), code.level, code.seed, parts=code.parts)
        assert canonical(dict(again.given)) == canonical(dict(one.given))
        assert again.parts == one.parts
    assert certify([again], prover)[0].canonical() == certify([one], prover)[0].canonical()


@pytest.mark.torch
def test_the_lessons_own_numbers_as_given(prover):
    variant = certify([from_given(family("SH-TRYIT"), {"B": 8, "T": 20, "D": 48, "V": 1000, "M": 12})], prover)[0]
    assert {part.id: part.answer.display() for part in variant.parts} == {
        "enc": "(8, 20, 48)",
        "logits": "(8, 20, 1000)",
        "sel": "(12, 1000)",
        "tgt": "(12,)",
        "loss": "()",
    }


@pytest.mark.torch
def test_given_bypasses_drawing_and_drops_what_equals_the_key(prover):
    variant = certify([from_given(family("SH-CHAIN"), {"B": 1, "T": 7, "D": 7, "V": 7})], prover)[0]
    slips = {part.id: [slip.id for slip in part.slips] for part in variant.parts}
    assert "width_kept" not in slips["logits"]
    assert "one_hot" in slips["ids"]
    huge = certify([from_given(family("SH-TRYIT"), {"B": 64, "T": 512, "D": 768, "V": 30522, "M": 4915})], prover)[0]
    assert huge.part("sel").answer.display() == "(4915, 30522)"
    assert huge.certificate.routes["sel"].device == "meta"


@pytest.mark.parametrize(
    ("family_id", "given", "says"),
    [
        ("SH-CHAIN", {"B": 2, "T": 3, "D": 10, "V": 9, "H": 3}, "not a multiple of H"),
        ("SH-CHAIN", {"B": 2, "T": 30, "D": 10, "V": 9, "L": 20}, "longer than the position table"),
        ("SH-CHAIN", {"B": 0, "T": 3, "D": 10, "V": 9}, "whole number from 1"),
        ("SH-CHAIN", {"B": 2, "T": 3, "D": 10}, "V is missing"),
        ("SH-CHAIN", {"B": "2", "T": 3, "D": 10, "V": 9}, "whole number from 1"),
        ("SH-TRYIT", {"B": 2, "T": 3, "D": 10, "V": 9, "M": 7}, "do not fit"),
        ("SH-TRYIT", {"B": 2, "T": 3, "D": 10, "V": 9, "k": [1]}, "k must list"),
        ("SH-TRYIT", {"B": 2, "T": 3, "D": 10, "V": 9, "k": [0, 0]}, "at least one in all"),
        ("SH-TRYIT", {"B": 2, "T": 3, "D": 10, "V": 9, "k": [1, 2], "M": 4}, "not the sum"),
        ("CT-BASIC", {"B": 2, "T": 3, "k": [4, 1]}, "0 to T = 3"),
        ("CT-BASIC", {"B": 2, "T": 3}, "k is needed"),
        ("LS-MEAN", {"losses": ["0.5", "x"], "masked": [1]}, "positive number"),
        ("LS-MEAN", {"losses": ["0.5", "1e9"], "masked": [1]}, "positive number"),
        ("LS-MEAN", {"losses": ["0.5", "0.7"], "masked": [2]}, "from 0 to 1"),
        ("LS-MEAN", {"losses": ["0.5", "0.7"], "masked": []}, "at least one"),
        ("LS-MEAN", {"losses": [["0.5"], ["0.7", "0.8"]], "masked": [[0], [1]]}, "rows of equal length"),
        ("SH-SYMBOL", {"letters": ["B", "Q"]}, "letters must list"),
        ("SH-SYMBOL", {"letters": ["B"]}, "at least B, T, D and V"),
        ("SH-TRYIT", {"B": 2, "T": 3, "D": 10, "V": 9, "m": 7}, 'knows no "m"'),
    ],
)
def test_given_that_describes_no_model_is_refused_with_a_sentence(family_id, given, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        from_given(family(family_id), given)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("family_id", "given", "asked"),
    [
        ("SH-TRYIT", {"B": 2, "T": 5, "D": 6, "V": 9}, ["enc", "logits"]),
        ("SH-TRYIT", {"B": 2, "T": 5, "D": 6, "V": 9, "k": [1, 2]}, ["enc", "logits", "sel", "tgt", "loss"]),
        ("SH-CHAIN", {"B": 2, "T": 5, "D": 6, "V": 9, "H": 3, "N": 2}, ["ids", "emb", "enc", "logits"]),
        ("CT-BASIC", {"B": 2, "T": 5, "k": [1, 2]}, ["total", "visible", "rate"]),
        ("LS-MEAN", {"losses": [["1.5", "2"], ["0.25", "3"]], "masked": [[1], []]}, ["terms", "sum", "mean"]),
        ("SH-SYMBOL", {"letters": ["B", "T", "D", "V", "C"]}, None),
    ],
)
def test_every_part_is_asked_for_which_the_names_suffice(family_id, given, asked, prover):
    variant = certify([from_given(family(family_id), given)], prover)[0]
    assert asked is None or [part.id for part in variant.parts] == asked
    assert all(to_text(words).strip() for words in variant.words.values())


@pytest.mark.torch
def test_a_rule_without_a_value_is_left_out(prover):
    variant = certify([from_given(family("CT-BASIC"), {"B": 2, "T": 4, "V": 9, "k": [4, 4]})], prover)[0]
    assert variant.part("visible").answer.display() == "0"
    assert "masked_to_visible" not in [slip.id for slip in variant.part("rate").slips]


def test_losses_of_a_caller_may_have_any_number_of_decimals():
    item = from_given(family("LS-MEAN"), {"losses": ["1", "0.125", "2.5"], "masked": [0, 1]})
    assert [item.key(ask).display() for ask, _rules in item.served] == ["2", "1.13", "0.5625"]
