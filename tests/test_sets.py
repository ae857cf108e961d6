"""Sets of papers: no question twice, equal difficulty, pools, honest counts; and none depends on how many there are."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from generator.drafting import iso_key
from generator.faults import BadPlan
from generator.plan import PlanItem, QuizPlan, Source
from generator.quiz import Person, assemble, open_paper
from generator.slots import Open, Sealed, Slots
from generator.space import Space, classes, drafted, mark_of, reference_keys, space
from generator.variant import canonical
from question_bank.catalogue import families, quiz_plan

KEY = b"\x07" * 32
SOURCES = [Source(family.id, level) for family in families().values() for level in family.levels]


def ids(source):
    return f"{source.family} level {source.level}"


def plan_of(*items, **more):
    return QuizPlan("Title", "slug", tuple(items), **more)


def toml(text):
    return QuizPlan.parse(f'title = "x"\n{text}', "x.toml")


def made(plan, key=KEY, **more):
    return assemble(plan, families(), key, prover=None, **more)


def question(item):
    return canonical([item.variant.family, dict(item.variant.given), [part.id for part in item.variant.parts]])


def bytes_of(quiz):
    return [[(item.variant.canonical(), item.code, item.seed) for item in paper.items] for paper in quiz.papers]


# --- no question twice, honest counts ---


@pytest.mark.parametrize("equal", [True, False])
def test_two_items_of_one_kind_never_give_one_question(equal):
    items = [PlanItem(f"i{n}", (Source("CT-BASIC", 1),), count=4) for n in range(5)]
    for paper in made(plan_of(*items, equal=equal), papers=10).papers:
        assert len({question(item) for item in paper.items}) == 20


def test_a_question_asked_openly_is_not_asked_again_as_a_choice():
    openly = PlanItem("a", (Source("SH-SYMBOL", 3, (), ()),), count=3)
    chosen = PlanItem("b", (Source("SH-SYMBOL", 3, (), ("queries",)),), count=2)
    for paper in made(plan_of(openly, chosen, equal=False), papers=5).papers:
        assert len({question(item) for item in paper.items}) == 5


@pytest.mark.parametrize("equal", [True, False])
def test_a_paper_can_hold_all_there_are(equal):
    plan = plan_of(PlanItem("q", (Source("SH-SYMBOL", 3),), count=5), equal=equal)
    quiz = made(plan, papers=20)
    for paper in quiz.papers:
        assert len({question(item) for item in paper.items}) == 5
    assert quiz.notes


def test_more_than_there_are_is_refused_with_the_exact_count():
    for equal in ("true", "false"):
        with pytest.raises(BadPlan, match=r"SH-SYMBOL level 3 has only 5 different variants, .* asks for 9") as caught:
            made(toml(f'equal = {equal}\n[[item]]\nfamily = "SH-SYMBOL"\nlevel = 3\ncount = 9\n'))
        assert (caught.value.line, caught.value.column) == (6, 9)


def test_two_items_that_ask_for_more_than_there_are_together():
    text = '[[item]]\nfamily = "SH-SYMBOL"\nlevel = 3\ncount = 3\n'
    with pytest.raises(BadPlan, match=r"only 5 different variants, and item \"q2\" asks for 3, of 6 in all") as caught:
        made(toml(text + text))
    assert caught.value.line == 9


def test_a_large_space_holds_many():
    quiz = made(plan_of(PlanItem("q", (Source("LS-MEAN", 2),), count=200)))
    assert len({question(item) for item in quiz.papers[0].items}) == 200
    assert quiz.notes == ()


def test_nothing_is_proven_before_the_plan_is_found_possible():
    class Never:
        def __getattr__(self, name):
            pytest.fail("a prover was asked")

    plan = plan_of(PlanItem("a", (Source("SH-CHAIN"),)), PlanItem("b", (Source("SH-SYMBOL", 3),), count=6))
    with pytest.raises(BadPlan):
        assemble(plan, families(), KEY, papers=3, prover=Never())


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_a_space_is_counted_as_draws_find_it(source):
    """An exact count is that of a much longer search; any other is a lower bound that was really found."""
    family = families()[source.family]
    there = space(family, source, None, 60)
    assert there.variants <= 60
    if there.exact:
        assert {mark_of(drafted(family, source, f"other/{n}")) for n in range(600)} <= {
            mark_of(drafted(family, source, f"space/{n}")) for n in range(2500)
        }
    else:
        assert there.variants == 60


def test_spaces_that_are_known():
    symbols = families()["SH-SYMBOL"]
    assert space(symbols, Source("SH-SYMBOL", 1)) == Space(16, exact=True)
    assert space(symbols, Source("SH-SYMBOL", 2)) == Space(6, exact=True)
    assert space(symbols, Source("SH-SYMBOL", 3)) == Space(5, exact=True)
    assert space(symbols, Source("SH-SYMBOL", 1), None, 10) == Space(10, exact=False)


# --- equal difficulty ---


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_all_papers_have_equally_difficult_questions(source):
    quiz = made(plan_of(PlanItem("q", (source,), count=2)), papers=25)
    for at in range(2):
        keys = {paper.items[at].variant.iso for paper in quiz.papers}
        assert len(keys) == 1
        assert {tuple(paper.record()["items"][at]["iso"]) for paper in quiz.papers} == keys


def test_the_rule_can_be_switched_off_for_a_plan_and_for_an_item():
    item = PlanItem("q", (Source("SH-CHAIN", 1),))
    for plan in (
        plan_of(item, equal=False),
        plan_of(replace(item, equal=False)),
    ):
        assert len({paper.items[0].variant.iso for paper in made(plan, papers=25).papers}) > 1
    plan = plan_of(replace(item, equal=True), equal=False)
    assert len({paper.items[0].variant.iso for paper in made(plan, papers=25).papers}) == 1


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_the_reference_is_a_frequent_key_and_known_beforehand(source):
    """Of what the level draws, the class that papers share is among the most frequent."""
    family = families()[source.family]
    (wanted,) = reference_keys(family, source, 1)
    seen = Counter(iso_key(family, source.level, f"own/{n}") for n in range(600))
    assert seen[wanted.key] >= 0.5 * seen.most_common(1)[0][1]
    assert wanted == next(iter(classes(family, source)))
    drawn = Slots(plan_of(PlanItem("q", (source,))), families()).paper(Sealed(KEY, "s"), "1")[0]
    assert drawn.each.variant({}).iso == wanted.key


def test_a_small_class_is_followed_by_the_next_one():
    family, source = families()["SH-SYMBOL"], Source("SH-SYMBOL", 3)
    found = reference_keys(family, source, 5)
    assert len({each.key for each in found}) == 5
    assert reference_keys(family, source, 6) == Space(5, exact=True)


def test_a_key_that_no_draw_has_is_said():
    """A family whose difficulty follows from what its seed never repeats."""
    chain = families()["SH-CHAIN"]
    strange = replace(chain, iso=lambda given: (given["V"], given["D"], given["T"]))
    plan = toml('[[item]]\nfamily = "SH-CHAIN"\n')
    with pytest.raises(BadPlan, match=r'item "q1": \d+ draws of SH-CHAIN level 1 brought no question') as caught:
        assemble(plan, {"SH-CHAIN": strange}, KEY, papers=20, prover=None)
    assert caught.value.line == 3
    assert "equal = false" in caught.value.help


@pytest.mark.parametrize("source", SOURCES, ids=ids)
def test_a_question_like_others_is_the_one_that_its_seed_draws(source):
    """Looking for a key only leaves seeds out: it never gives a seed another question."""
    family = families()[source.family]
    (wanted,) = reference_keys(family, source, 1)
    found = [drafted(family, source, str(n), key=wanted.key) for n in range(300)]
    for number, each in enumerate(found):
        if each is not None:
            plain = drafted(family, source, str(number))
            assert plain.variant({}).canonical() == each.variant({}).canonical()
            assert each.variant({}).iso == wanted.key
    assert sum(each is not None for each in found) >= 3


def test_answers_that_equal_difficulty_settles_are_told():
    """Everybody averages as many losses, so that their number is one for all; the sums differ."""
    item = PlanItem("q", (Source("LS-MEAN", 2),))
    (note,) = made(plan_of(item), papers=20).notes
    assert note.startswith('item "q": part terms has the same answer on all papers')
    assert made(plan_of(item), papers=7).notes == ()  # too few to tell
    assert made(plan_of(item, equal=False), papers=20).notes == ()
    (one,) = made(plan_of(replace(item, sources=(Source("SH-SYMBOL", 3),))), papers=20).notes
    assert "share a question" in one  # a shape in letters has one key, whatever the difficulty


# --- papers and people ---


def test_a_paper_does_not_depend_on_how_many_are_made():
    plan = quiz_plan("lesson-12")
    for key in (KEY, "12"):
        assert bytes_of(made(plan, key, papers=2)) == bytes_of(made(plan, key, papers=30))[:2]


def test_a_paper_is_a_function_of_secret_quiz_and_person():
    plan = quiz_plan("lesson-12")
    ada, alan, eve = (Person(f"person/{each}", each.title(), each) for each in ("ada", "alan", "eve"))
    both = bytes_of(made(plan, people=[ada, alan]))
    turned = bytes_of(made(plan, people=[eve, alan, ada]))
    assert both == [turned[2], turned[1]]
    assert both[0] != both[1]
    assert bytes_of(made(plan, b"\x08" * 32, people=[ada, alan])) != both
    assert bytes_of(made(replace(plan, slug="other"), people=[ada, alan])) != both
    first = made(plan, people=[ada]).papers[0]
    assert (first.person, first.person_id, first.version) == ("Ada", "ada", "")
    assert first.record()["person"] == {"id": "ada", "name": "Ada"}


def test_a_person_with_a_number_as_id_has_no_numbered_paper():
    plan = quiz_plan("lesson-12")
    assert bytes_of(made(plan, people=[Person("person/1", "", "1")])) != bytes_of(made(plan, papers=1))


def test_versions_have_letters_while_the_alphabet_lasts():
    plan = plan_of(PlanItem("q", (Source("LS-MEAN", 2),)))
    assert "".join(paper.version for paper in made(plan, papers=26).papers) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert {paper.version for paper in made(plan, papers=27).papers} == {""}
    assert made(plan, people=["enrolment-1"]).papers[0].version == ""


def test_an_item_called_paper_has_a_look_up_id_of_its_own():
    paper = made(plan_of(PlanItem("paper", (Source("LS-MEAN", 2),)))).papers[0]
    assert paper.items[0].code != paper.code


def test_skills_and_minutes_come_from_the_plan_or_the_family():
    named = PlanItem("a", (Source("LS-MEAN", 2),), skills=("averages",))
    items = made(plan_of(named, PlanItem("b", (Source("LS-MEAN", 2),)))).papers[0].items
    assert [item.skills for item in items] == [("averages",), ("loss",)]


# --- open sets ---


def test_open_seeds_are_short_whole_numbers_and_codes_short_texts():
    quiz = made(quiz_plan("lesson-12"), "week-3", papers=30)
    items = [item for paper in quiz.papers for item in paper.items]
    assert all(item.seed == str(int(item.seed)) and int(item.seed) < 2**20 for item in items)
    assert all(len(item.short) <= 18 for item in items)
    assert len({(item.variant.family, item.variant.level, item.seed) for item in items}) > 0.95 * len(items)
    assert not any(item.short for paper in made(quiz_plan("lesson-12")).papers for item in paper.items)


def test_an_open_paper_is_drawn_again_from_plan_seed_and_number():
    plan = quiz_plan("lesson-12")
    paper = made(plan, "7", papers=3).papers[2]
    again = open_paper(plan, families(), "7", 3)
    assert [each.variant().canonical() for each in again] == [item.variant.canonical() for item in paper.items]


# --- pools ---

POOL = """
[[item]]
id = "pool"
pick = 2
points = 1.5
from = [
    { family = "CT-BASIC", level = 1 },
    { family = "CT-BASIC", level = 2 },
    { family = "LS-MEAN", level = 1 },
    { family = "SH-CHAIN", level = 1, parts = ["enc"], as = "choice" },
    { family = "SH-CHAIN", level = 1 },
]
"""


def picks(plan, material, papers):
    slots = Slots(plan, families())
    return [picked(slots.paper(material, str(number))) for number in range(1, papers + 1)]


def picked(paper):
    kinds = [(drawn.each.family.id, drawn.each.level, drawn.each.chosen) for drawn in paper]
    known = [
        ("CT-BASIC", 1, ()),
        ("CT-BASIC", 2, ()),
        ("LS-MEAN", 1, ()),
        ("SH-CHAIN", 1, ("~enc",)),
        ("SH-CHAIN", 1, ()),
    ]
    return tuple(known.index(kind) for kind in kinds)


@pytest.mark.parametrize("material", [Sealed(KEY, "slug"), Open("7")], ids=["sealed", "open"])
def test_each_paper_picks_different_entries_and_every_pair_equally_often(material):
    found = Counter(picks(toml(POOL), material, 600))
    assert set(found) == set(combinations(range(5), 2))
    expected = 600 / 10
    assert sum((count - expected) ** 2 / expected for count in found.values()) < 27.9  # chi square, 9 degrees, 0.1 %


def test_papers_of_a_set_have_equal_points_and_compare_only_with_the_same_entry():
    papers = made(toml(POOL), papers=40).papers
    assert {paper.points for paper in papers} == {3}
    keys = {}
    for paper in papers:
        for item in paper.items:
            variant = item.variant
            keys.setdefault((variant.family, variant.level, variant.chosen), set()).add(variant.iso)
    assert [len(found) for found in keys.values()] == [1] * 5


def test_what_is_picked_is_sealed():
    plan = toml(POOL)
    first = picks(plan, Sealed(KEY, "slug"), 40)
    assert first == picks(plan, Sealed(KEY, "slug"), 40)
    assert first != picks(plan, Sealed(b"\x08" * 32, "slug"), 40)
    assert first != picks(plan, Sealed(KEY, "other"), 40)


def test_a_pool_of_which_all_are_picked_keeps_the_order_of_the_plan():
    plan = toml(POOL.replace("pick = 2", "pick = 5"))
    assert set(picks(plan, Sealed(KEY, "slug"), 5)) == {(0, 1, 2, 3, 4)}


def test_two_equal_entries_give_two_questions():
    entry = '{ family = "SH-SYMBOL", level = 3 }'
    for paper in made(toml(f"[[item]]\npick = 2\npoints = 1\nfrom = [{entry}, {entry}]"), papers=10).papers:
        assert question(paper.items[0]) != question(paper.items[1])


# --- parts as choices ---


def test_all_parts_of_a_level_that_asks_at_random_can_be_choices():
    plan = plan_of(PlanItem("q", (Source("SH-SYMBOL", 1, (), ("*",)),)), equal=False)
    for paper in made(plan, papers=20).papers:
        variant = paper.items[0].variant
        assert [part.kind for part in variant.parts] == ["choice"] * 2
        assert variant.chosen == tuple(f"~{part.id}" for part in variant.parts)


def test_a_part_that_the_level_never_asks_is_no_choice():
    with pytest.raises(BadPlan, match='SH-TRYIT level 1 does not ask "tgt"; it asks enc, logits, sel') as caught:
        made(toml('[[item]]\nfamily = "SH-TRYIT"\nas = { tgt = "choice" }\n'))
    assert (caught.value.line, caught.value.column) == (4, 8)


def test_a_part_that_the_level_shows_too_little_for_is_said_at_its_place():
    with pytest.raises(BadPlan, match="part") as caught:
        made(toml('[[item]]\nfamily = "SH-SYMBOL"\nlevel = 1\nparts = ["selected"]\n'))
    assert caught.value.line == 5
