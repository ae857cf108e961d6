"""Quiz plans: what is read, and that every mistake is shown where it stands, with what to write instead."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.drafting import draft
from generator.faults import BadPlan, UnknownName
from generator.plan import EVERY_PART, PlanItem, QuizPlan, Source
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
WHOLE = """title = "Everything"
slug = "all"
tries = 2
minutes = 20
equal = false

[[item]]
id = "choices"
family = "SH-TRYIT"
level = 2
parts = ["enc", "sel"]
as = { sel = "choice" }
minutes = 2.5
skills = ["shapes", "selection"]
equal = true

[[item]]
family = "CT-BASIC"
as = "choice"

[[item]]
id = "pool"
pick = 2
points = 3

[[item.from]]
family = "SH-CHAIN"
level = 3

[[item.from]]
family = "LS-MEAN"
parts = ["mean"]
as = "choice"

[[item.from]]
family = "SH-SYMBOL"
as.flat = "choice"

[[item]]
pick = 1
points = 1
from = [
    { family = "CT-BASIC", level = 2 },  # one
    { family = "CT-BASIC", level = 3 },
]
"""


def parsed(text):
    return QuizPlan.parse(text, "my.toml").checked(families())


def fault_of(text):
    try:
        parsed(text)
    except BadPlan as fault:
        return fault
    return None


def test_a_plan_is_read():
    plan = parsed(GOOD)
    assert (plan.title, plan.slug, plan.tries, plan.minutes, plan.equal) == ("Shapes", "shapes", 3, None, True)
    assert [(item.id, item.family, item.level, item.points, item.count) for item in plan.items] == [
        ("one", "SH-CHAIN", 2, Fraction(5, 2), 3),
        ("q2", "SH-TRYIT", 1, None, 1),
    ]
    assert plan.items[1].parts == ("enc", "sel")
    assert plan.questions == 4
    assert plan.items[0].labels() == ("one.1", "one.2", "one.3")


def test_everything_a_plan_can_say():
    plan = parsed(WHOLE)
    assert (plan.slug, plan.tries, plan.minutes, plan.equal) == ("all", 2, 20, False)
    choices, counts, pool, inline = plan.items
    assert choices.sources == (Source("SH-TRYIT", 2, ("enc", "sel"), ("sel",)),)
    assert choices.sources[0].tokens(("enc", "sel")) == ("enc", "~sel")
    assert (choices.minutes, choices.skills, choices.equal) == (Fraction(5, 2), ("shapes", "selection"), True)
    assert (plan.is_equal(choices), plan.is_equal(counts)) == (True, False)
    assert counts.sources == (Source("CT-BASIC", 1, (), (EVERY_PART,)),)
    assert counts.sources[0].tokens(("total", "rate")) == ("~total", "~rate")
    assert (pool.pick, pool.points, pool.labels()) == (2, Fraction(3), ("pool.1", "pool.2"))
    assert pool.sources == (
        Source("SH-CHAIN", 3),
        Source("LS-MEAN", 1, ("mean",), ("mean",)),
        Source("SH-SYMBOL", 1, (), ("flat",)),
    )
    assert [source.level for source in inline.sources] == [2, 3]
    assert inline.labels() == ("q4.1",)


def test_the_time_that_questions_are_estimated_at():
    text = 'title = "x"\nminutes = 5\n[[item]]\nfamily = "SH-CHAIN"\nminutes = 1.5\ncount = 3\n'
    assert QuizPlan.parse(text).estimate() == Fraction(9, 2)
    assert QuizPlan.parse(text + '[[item]]\nfamily = "SH-CHAIN"\n').estimate() is None


SOURCES = st.builds(
    Source,
    st.sampled_from(["SH-CHAIN", "LS-MEAN"]),
    st.integers(0, 9),
    st.lists(st.sampled_from(["enc", "sum"]), unique=True).map(tuple),
    st.sampled_from([(), ("enc",), (EVERY_PART,)]),
)
AMOUNTS = st.none() | st.integers(1, 4000).map(lambda quarters: Fraction(quarters, 4))
ITEMS = st.builds(
    PlanItem,
    st.sampled_from(["a", "b-1"]),
    st.lists(SOURCES, min_size=1, max_size=3).map(tuple),
    AMOUNTS,
    st.integers(1, 5),
    st.none(),
    AMOUNTS,
    st.sampled_from([(), ("shapes",)]),
    st.sampled_from([None, True, False]),
).map(lambda item: replace(item, count=1, pick=1) if len(item.sources) > 1 else item)


@given(
    st.lists(ITEMS, min_size=1, max_size=3).map(tuple), st.integers(1, 9), st.none() | st.integers(1, 90), st.booleans()
)
def test_a_stored_plan_comes_back(items, tries, minutes, equal):
    plan = QuizPlan("Title", "slug", items, "course", "intro", tries, minutes, equal)
    again = QuizPlan.from_json(json.loads(json.dumps(plan.to_json())))
    assert again.items == items
    assert again.to_json() == plan.to_json()
    assert (again.tries, again.minutes, again.equal) == (tries, minutes, equal)


def test_a_plan_that_an_earlier_version_stored_is_read():
    item = {"id": "one", "family": "SH-CHAIN", "level": 2, "points": "5/2", "count": 3, "parts": ["enc"]}
    stored = {"title": "Shapes", "slug": "shapes", "course": "", "intro": "", "tries": 3, "items": [item]}
    plan = QuizPlan.from_json(stored)
    assert plan.items == (PlanItem("one", (Source("SH-CHAIN", 2, ("enc",)),), Fraction(5, 2), 3),)
    assert (plan.minutes, plan.equal) == (None, True)


@pytest.mark.parametrize(
    ("title", "slug"),
    [("Übung 3: Größen", "ubung-3-groen"), ("深層学習", "quiz"), ("x" * 80, "x" * 60), ("a" * 59 + " b", "a" * 59)],
)
def test_a_title_makes_a_slug(title, slug):
    assert QuizPlan.parse(GOOD.replace("Shapes", title)).slug == slug


# change, and the text that is marked on which line
FAULTS = {
    "level": (GOOD, "level = 2", "level = 9", 6, "9", 'SH-CHAIN has no level "9"'),
    "family": (GOOD, "sh-chain", "SH-CHAINS", 5, '"SH-CHAINS"', 'Did you mean "SH-CHAIN"?'),
    "points below 0": (GOOD, "points = 2.5", "points = -1", 7, "-1", "points is a number above 0"),
    "points yes": (GOOD, "points = 2.5", "points = true", 7, "true", "points is a number above 0"),
    "points in tenths": (GOOD, "points = 2.5", "points = 2.3  # x", 7, "2.3", "quarters"),
    "points nan": (GOOD, "points = 2.5", "points = nan", 7, "nan", "points is a number above 0"),
    "count 0": (GOOD, "count = 3", "count = 0", 8, "0", "count is a whole number from 1"),
    "count text": (GOOD, "count = 3", 'count = "3"', 8, '"3"', "count is a whole number"),
    "count yes": (GOOD, "count = 3", "count = true", 8, "true", "count is a whole number"),
    "a setting": (GOOD, "count = 3", "cuont = 3", 8, "cuont", 'Did you mean "count"?'),
    "parts twice": (GOOD, '["enc", "sel"]', '["enc", "enc"]', 12, '["enc", "enc"]', "different part ids"),
    "parts empty": (GOOD, '["enc", "sel"]', "[]", 12, "[]", "different part ids"),
    "a part": (GOOD, '["enc", "sel"]', '["emb"]', 12, '"emb"', 'SH-TRYIT has no part "emb"'),
    "a mark": (GOOD, '["enc", "sel"]', '["~sel"]', 12, '"~sel"', "asked as a choice by"),
    "id": (GOOD, 'id = "one"', 'id = "One!"', 4, '"One!"', "lower-case"),
    "title number": (GOOD, 'title = "Shapes"', "title = 3", 1, "3", "title is plain text"),
    "title empty": (GOOD, 'title = "Shapes"', 'title = ""', 1, '""', "the plan has no title"),
    "no family": (GOOD, 'family = "SH-TRYIT"', "", 10, "[[item]]", "the item has no family"),
    "a plan's setting": (WHOLE, "tries = 2", "trys = 2", 3, "trys", 'Did you mean "tries"?'),
    "minutes 0": (WHOLE, "minutes = 20", "minutes = 0", 4, "0", "minutes is a whole number from 1 to 1440"),
    "minutes half": (WHOLE, "minutes = 20", "minutes = 2.5", 4, "2.5", "minutes is a whole number"),
    "equal": (WHOLE, "equal = false", 'equal = "no"', 5, '"no"', "equal is true or false"),
    "as what": (WHOLE, 'as = { sel = "choice" }', 'as = "box"', 12, '"box"', 'as is "choice"'),
    "as nothing": (WHOLE, 'as = { sel = "choice" }', "as = {}", 12, "{}", 'as is "choice"'),
    "as who": (WHOLE, '{ sel = "choice" }', '{ tgt = "choice" }', 12, "tgt", 'no asked part "tgt"'),
    "as how": (WHOLE, '{ sel = "choice" }', '{ sel = "open" }', 12, '"open"', 'can be asked as a "choice"'),
    "as of a level": (WHOLE, 'as.flat = "choice"', 'as.flot = "choice"', 37, "as.flot", 'no part "flot"'),
    "item minutes": (WHOLE, "minutes = 2.5", "minutes = 2.1", 13, "2.1", "minutes come in quarters"),
    "skills text": (WHOLE, '["shapes", "selection"]', '"shapes"', 14, '"shapes"', "skills is a list"),
    "skills twice": (WHOLE, '["shapes", "selection"]', '["a", " a"]', 14, '["a", " a"]', "skills is a list"),
    "pick too many": (WHOLE, "pick = 2", "pick = 4", 23, "4", "picks 4 different entries, and there are 3"),
    "pick 0": (WHOLE, "pick = 2", "pick = 0", 23, "0", "pick is a whole number from 1"),
    "no pick": (WHOLE, "pick = 2\n", "", 25, "[[item.from]]", "does not say how many"),
    "no points": (WHOLE, "points = 3", "", 21, "[[item]]", "a pool has no points"),
    "a pool's family": (WHOLE, "points = 3", 'points = 3\nfamily = "SH-CHAIN"', 25, "family", "no family of its own"),
    "a pool's count": (WHOLE, "points = 3", "points = 3\ncount = 2", 25, "count", "no count of its own"),
    "an entry's points": (WHOLE, "level = 3\n\n", "points = 3\n\n", 28, "points", "no points of its own"),
    "an entry's level": (WHOLE, "level = 3\n\n", "level = 7\n\n", 28, "7", 'SH-CHAIN has no level "7"'),
    "an entry's part": (WHOLE, '["mean"]', '["maen"]', 32, '"maen"', 'no part "maen"'),
    "an entry's setting": (WHOLE, 'parts = ["mean"]', 'part = ["mean"]', 32, "part", 'Did you mean "parts"?'),
    "an inline entry": (WHOLE, 'CT-BASIC", level = 3', 'CT-BASICS", level = 3', 44, '"CT-BASICS"', "CT-BASIC"),
    "an inline level": (WHOLE, "level = 3 },\n]", 'level = "3" },\n]', 44, '"3"', "level is a whole number"),
    "no entries": (WHOLE, "pick = 1\npoints = 1\nfrom", "pick = 1\npoints = 1\nform", 42, "form", 'mean "from"'),
    "empty pool": (GOOD, "count = 3", "pick = 1\nfrom = []", 5, "family", "a pool has no family"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_each_mistake_is_shown_where_it_stands(name):
    plan, old, new, line, marked, says = FAULTS[name]
    assert plan.count(old) >= 1
    text = plan.replace(old, new, 1)
    with pytest.raises(BadPlan) as caught:
        parsed(text)
    fault = caught.value
    assert says in fault.message
    assert (fault.file, fault.line, fault.source_line) == ("my.toml", line, text.splitlines()[line - 1])
    assert fault.source_line[fault.column - 1 :][: fault.width] == marked
    assert fault.help or "Did you mean" in fault.message or "has no" in fault.message or "Known" in fault.message


def test_two_items_with_one_id():
    with pytest.raises(BadPlan, match="used twice") as caught:
        QuizPlan.parse(GOOD.replace('family = "SH-TRYIT"', 'id = "one"\nfamily = "SH-TRYIT"'))
    assert caught.value.line == 11


@pytest.mark.parametrize(
    ("change", "line"), [(('title = "Shapes"', 'title = "Shapes'), 1), (("[[item]]\nfamily", "[[item]\nfamily"), 10)]
)
def test_what_is_no_toml_is_shown_where_it_breaks(change, line):
    with pytest.raises(BadPlan, match="not TOML") as caught:
        QuizPlan.parse(GOOD.replace(*change))
    assert caught.value.line == line


@pytest.mark.parametrize("text", ["", "title = 'x'", "title = 'x'\nitem = 3", "[[[", "\x00", "a" * 300_000, "[" * 5000])
def test_broken_files_are_refused_with_words(text):
    with pytest.raises(BadPlan):
        QuizPlan.parse(text)


def test_limits_are_said():
    many = 'title = "x"\n' + '[[item]]\nfamily = "SH-CHAIN"\n' * 201
    with pytest.raises(BadPlan, match="at most 200 items; this one has 201") as caught:
        QuizPlan.parse(many)
    assert caught.value.line == 2 + 2 * 200
    long = 'title = "x"\n' + '[[item]]\nfamily = "SH-CHAIN"\ncount = 200\n' * 6
    with pytest.raises(BadPlan, match="at most 1000 questions") as caught:
        QuizPlan.parse(long)
    assert caught.value.line == 1 + 6 * 3


@given(st.text(max_size=80) | st.text(alphabet="[]{}=.,\"'#\nabitem from1", max_size=80))
def test_no_text_makes_the_reader_stumble(text):
    for plan in (text, f'title = "x"\n[[item]]\nfamily = "SH-CHAIN"\n{text}'):
        fault = fault_of(plan)
        lines = plan.replace("\r\n", "\n").split("\n")
        if fault is not None and fault.line is not None:
            assert fault.source_line == lines[fault.line - 1].rstrip("\r")


def test_ready_made_quizzes_are_found_and_hold_what_they_promise():
    assert "lesson-12" in quizzes()
    plan = quiz_plan("lesson-12")
    assert {item.family for item in plan.items} == set(families())  # each section of the lesson has its exercise
    assert 60 <= plan.estimate() <= 75
    assert sum(item.points for item in plan.items) == 42


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
