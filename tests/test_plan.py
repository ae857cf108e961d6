"""Quiz plans: what is read, and that every mistake is shown where it stands."""

from fractions import Fraction

import pytest

from generator.drafting import draft
from generator.faults import BadPlan, UnknownName
from generator.plan import QuizPlan
from generator.quiz import assemble
from question_bank.catalogue import families, quiz_plan, quizzes

GOOD = """title = "Shapes"

[[item]]
id = "one"
family = "sh-chain"
level = 2
points = 2.5
count = 3

[[item]]
family = "SH-TRYIT"
parts = ["enc", "sel"]
"""


def test_a_plan_is_read():
    plan = QuizPlan.parse(GOOD).checked(families())
    assert (plan.title, plan.slug, plan.tries) == ("Shapes", "shapes", 3)
    assert [(item.id, item.family, item.level, item.points, item.count) for item in plan.items] == [
        ("one", "SH-CHAIN", 2, Fraction(5, 2), 3),
        ("q2", "SH-TRYIT", 1, None, 1),
    ]
    assert plan.items[1].parts == ("enc", "sel")
    again = QuizPlan.from_json(plan.to_json())
    assert again.items == plan.items


@pytest.mark.parametrize(
    ("title", "slug"),
    [("Übung 3: Größen", "ubung-3-groen"), ("深層学習", "quiz"), ("x" * 80, "x" * 60), ("a" * 59 + " b", "a" * 59)],
)
def test_a_title_makes_a_slug(title, slug):
    assert QuizPlan.parse(GOOD.replace("Shapes", title)).slug == slug


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (("level = 2", "level = 9"), 6, 'SH-CHAIN has no level "9"'),
        (("sh-chain", "SH-CHAINS"), 5, 'Did you mean "SH-CHAIN"?'),
        (("points = 2.5", "points = -1"), 7, "points is a number above 0"),
        (("points = 2.5", "points = true"), 7, "points is a number above 0"),
        (("points = 2.5", "points = 2.3"), 7, "quarters"),
        (("points = 2.5", "points = nan"), 7, "points is a number above 0"),
        (("count = 3", "count = 0"), 8, "count is a whole number from 1"),
        (("count = 3", 'count = "3"'), 8, "count is a whole number"),
        (("count = 3", "cuont = 3"), 8, 'Did you mean "count"?'),
        (('["enc", "sel"]', '["enc", "enc"]'), 12, "different part ids"),
        (('["enc", "sel"]', '["emb"]'), 12, 'SH-TRYIT has no part "emb"'),
        (('id = "one"', 'id = "One!"'), 4, "lower-case"),
        (('title = "Shapes"', "title = 3"), 1, "title is plain text"),
        (('title = "Shapes"', 'title = ""'), 1, "has no title"),
        (('title = "Shapes"', 'title = "Shapes'), 1, "not TOML"),
        (("[[item]]\nfamily", "[[item]\nfamily"), 10, "not TOML"),
        (('family = "SH-TRYIT"', ""), 10, "the item has no family"),
    ],
)
def test_each_mistake_is_shown_where_it_stands(change, line, says):
    with pytest.raises(BadPlan) as caught:
        QuizPlan.parse(GOOD.replace(*change), "my.toml").checked(families())
    fault = caught.value
    assert says in fault.message
    assert (fault.file, fault.line) == ("my.toml", line)
    assert fault.source_line in GOOD.replace(*change).splitlines()
    assert fault.column >= 1


def test_two_items_with_one_id():
    with pytest.raises(BadPlan, match="used twice"):
        QuizPlan.parse(GOOD.replace('family = "SH-TRYIT"', 'id = "one"\nfamily = "SH-TRYIT"'))


@pytest.mark.parametrize("text", ["", "title = 'x'", "title = 'x'\nitem = 3", "[[[", "\x00", "a" * 300_000, "[" * 5000])
def test_broken_files_are_refused_with_words(text):
    with pytest.raises(BadPlan):
        QuizPlan.parse(text)


def test_more_variants_than_a_family_has_is_refused_with_the_honest_count():
    plan = QuizPlan.parse('title = "x"\n[[item]]\nfamily = "SH-SYMBOL"\nlevel = 3\ncount = 9\n')
    with pytest.raises(BadPlan, match="only 5 different variants") as caught:
        assemble(plan, families(), "seed", prover=None)
    assert caught.value.line == 5


def test_count_brings_different_questions():
    plan = QuizPlan.parse('title = "x"\n[[item]]\nfamily = "SH-SYMBOL"\nlevel = 3\ncount = 5\n')
    quiz = assemble(plan, families(), "seed", prover=None)
    asked = [tuple(part.id for part in item.variant.parts) for item in quiz.papers[0].items]
    assert len(set(asked)) == 5


def test_ready_made_quizzes_are_found_and_hold_what_they_promise():
    assert "lesson-12" in quizzes()
    plan = quiz_plan("lesson-12")
    assert len(plan.items) == 6
    assert {item.family for item in plan.items} == set(families())


def test_unknown_quiz_and_missing_file(tmp_path):
    with pytest.raises(UnknownName, match='Did you mean "lesson-12"'):
        quiz_plan("lesson12")
    with pytest.raises(UnknownName):
        quiz_plan(str(tmp_path / "none.toml"))
    file = tmp_path / "bad.toml"
    file.write_bytes(b"title = '\xff'")
    with pytest.raises(BadPlan, match="UTF-8"):
        quiz_plan(str(file))


def test_draft_refuses_levels_and_parts_that_do_not_exist():
    chain = families()["SH-CHAIN"]
    with pytest.raises(UnknownName):
        draft(chain, 4, "1")
    with pytest.raises(UnknownName):
        draft(chain, 1, "1", parts=["sel"])
