"""Where answers are written: a space for each kind, made from what the question shows and from nothing else."""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import print_kit as kit
import pytest
from print_pdf import flat, text_of

from generator.drafting import draft
from generator.faults import BadFamily
from generator.quiz import Item, Paper, Quiz
from generator.variant import Certificate
from grader.answers import ChoiceAnswer, Decimal, ExprAnswer, Int, MultiAnswer, Rational, Seq, SetAnswer, Shape
from grader.expr import ln
from grader.letters import V
from grader.part import Part
from grader.reading.outcomes import Context
from maskwise.exporters import FORMATS, Options, pdf, text
from maskwise.exporters.space import marks, space
from question_bank.catalogue import families
from templates import tokens
from templates.markup import to_text

CASES = [(family, level) for family in sorted(families()) for level in sorted(families()[family].levels)]


def spaces(maker, n=3):
    variant = maker(n)
    return {part.id: space(part, variant.given) for part in variant.parts}


@pytest.mark.parametrize(
    ("part", "sort", "rule"),
    [
        (Part("a", Shape(8, 20)), "box", "a shape such as (2, 3, 4)"),
        (Part("a", Int(8)), "box", "a whole number"),
        (Part("a", Rational(Fraction(1, 3))), "box", "exact: a whole number or a fraction"),
        (Part("a", Decimal(Fraction(1, 3), 4), context=Context(places=4)), "box", "4 decimals"),
        (Part("a", Decimal(Fraction(1, 3), 1), context=Context(places=1)), "box", "1 decimal"),
        (Part("a", ExprAnswer(ln(V)), context=Context(letters=("V",))), "line", "exact, in V"),
        (Part("a", Seq(1, 2)), "line", "a list, in order"),
        (Part("a", SetAnswer((1, 2))), "line", "positions, in any order; “none” if there is none"),
        (Part("a", SetAnswer((1, 2), range(4))), "places", "mark every position that belongs"),
        (Part("a", ChoiceAnswer("nan", ("nan", "zero"))), "one", "mark one"),
        (Part("a", MultiAnswer(("nan",), ("nan", "zero"))), "several", "tick all that hold"),
    ],
)
def test_each_kind_has_its_space_and_its_rule(part, sort, rule):
    made = space(part, {})
    assert made.sort == sort
    assert to_text(made.rule) == rule


def test_boxes_are_as_wide_as_their_kind():
    assert space(Part("a", Shape(2)), {}).width == space(Part("a", Shape(2, 3, 4, 5, 6)), {}).width
    assert space(Part("a", Int(7)), {}).width < space(Part("a", Shape(2)), {}).width


def test_lists_and_tensors_have_a_cell_for_each_place_that_is_shown():
    row = kit.labels(3)
    made = spaces(kit.labels)
    assert (made["labels"].rows, made["labels"].columns) == (1, len(row.given["ids"]))
    assert made["where"].sort == "line"  # how many pairs there are is asked
    made = spaces(kit.grid)
    assert {(each.rows, each.columns) for each in made.values()} == {(2, 6)}
    assert to_text(made["labels"].rule) == "one number a cell"
    assert to_text(made["pad"].rule) == "one True or False a cell"


@pytest.mark.parametrize("given", [{}, {"ids": 5}, {"ids": []}, {"ids": [[1, 2], [3]]}, {"ids": [[1] * 60] * 3}])
def test_without_one_row_length_or_with_far_too_many_cells_there_is_a_line(given):
    assert space(Part("a", kit.grid(1).parts[0].answer), given).sort == "line"


def test_options_go_by_letters_unless_they_are_letters():
    made = spaces(kit.choices)
    assert [option.mark for option in made["all_ignored"].options] == list("ABCD")
    assert [to_text(option.words) for option in made["all_ignored"].options] == list(kit.EFFECTS)
    assert [to_text(option.words) for option in made["statements"].options] == list(kit.STATEMENTS.values())
    unknown = Part("unknown", MultiAnswer(("D",), ("B", "T", "D")))
    assert [option.mark for option in space(unknown, {}).options] == ["", "", ""]
    assert marks(unknown) == "D"


def test_a_position_is_not_named_twice():
    labels = (f"position {tokens.num(0)}, {tokens.text('[MASK]')}", f"position {tokens.num(1)}", "the first word")
    part = Part("leaked", SetAnswer((1,), range(3)), labels=labels)
    assert [to_text(option.words) for option in space(part, {}).options] == ["[MASK]", "", "the first word"]


def test_the_marks_of_an_answer():
    parts = {part.id: part for part in (*kit.choices(3).parts, *kit.seen(3).parts, *kit.shapes(3).parts)}
    assert marks(parts["all_ignored"]) == "D"
    assert marks(parts["all_ignored"], parts["all_ignored"].slips[0].answer) == "A"
    assert marks(parts["statements"]) == "B, D, E"
    assert marks(parts["statements"], MultiAnswer((), kit.STATEMENTS)) == "none"
    assert marks(parts["visible"]) == "{0, 1, 2}"
    assert marks(parts["leaked"]) == "none"
    assert marks(parts["enc"]) == parts["enc"].answer.display()


# --- nothing that is printed is a function of the key ---


def disguised(item, at):
    """Give a question another key in every part, and everything else that staff alone may know another value."""
    variant = item.variant
    parts = []
    for part in variant.parts:
        others = [answer for answer in part.answer.others() if answer.legal()]
        assert others, part.id
        parts.append(replace(part, answer=others[at % len(others)], slips=(), follows=(), carry=None))
    proof = variant.certificate and Certificate({}, "9.9.9", "0" * 64, variant.certificate.replay)
    words = {name: said for name, said in variant.words.items() if not name.startswith(("slip", "hint", "solution"))}
    other = replace(
        variant,
        family="XX-OTHER",
        level=9,
        version=7,
        parts=tuple(parts),
        words=words,
        iso=(1,),
        certificate=proof,
    )
    return replace(item, variant=other, seed="another seed", code="ANOTHER-CODE", short="")


@pytest.fixture(scope="module")
def bank():
    """Return a sealed quiz with a question of every family and level, asked openly and as choices."""
    items = []
    for family, level in CASES:
        made = families()[family]
        drawn = draft(made, level, "spaces", sealed=True)
        variants = [drawn.variant()]
        with suppress(BadFamily):  # a part with too few other values cannot be asked as a choice
            variants.append(draft(made, level, "spaces", parts=[f"~{name}" for name in drawn.parts]).variant())
        for variant in variants:
            number = len(items) + 1
            points = Fraction(2 * len(variant.parts))
            items.append(Item(f"q{number}", number, replace(variant, seed=None), points, f"CODE-{number}", "s" * 64))
    paper = Paper(1, "K001-9RT0-H3PZ-7QD0", tuple(items))
    return Quiz("Bank", "bank", "", (paper,), kit.quiz().plan, sealed=True, confirmed=False)


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("large", [False, True])
def test_a_students_paper_is_the_same_whatever_the_keys_are(bank, at, large):
    other = tuple(disguised(item, at) for item in bank.papers[0].items)
    changed = replace(bank, papers=(replace(bank.papers[0], items=other),))
    options = Options(large=large)
    assert pdf.sheet(changed, changed.papers, options) == pdf.sheet(bank, bank.papers, options)
    assert text.paper_text(changed, changed.papers[0]) == text.paper_text(bank, bank.papers[0])
    assert pdf.sheet(changed, changed.papers, key=True) != pdf.sheet(bank, bank.papers, key=True)


def test_the_same_data_gives_the_same_file_so_its_bytes_know_no_key_either():
    quiz = kit.quiz(papers=1, items=kit.ALL)
    other = tuple(disguised(item, 1) for item in quiz.papers[0].items)
    changed = replace(quiz, papers=(replace(quiz.papers[0], items=other),))
    assert pdf.document(changed, changed.papers) == pdf.document(quiz, quiz.papers)


def test_every_family_and_level_can_be_printed_with_its_key(bank):
    words = flat(text_of(pdf.document(bank, bank.papers)))
    keys = flat(text_of(pdf.document(bank, bank.papers, key=True)))
    for item in bank.papers[0].items:
        assert flat(to_text(item.variant.words["title"])) in words
        for part in item.variant.parts:
            made = space(part, item.variant.given)
            for option in made.options:
                assert flat(to_text(option.words)) in words, (item.variant.family, part.id)
            if made.sort != "cells":
                assert flat(marks(part)) in keys, (item.variant.family, part.id)


# --- the same on the key and as text ---


def test_on_the_key_the_right_options_are_filled():
    quiz = kit.quiz(papers=1, items=(kit.choices, kit.seen))
    first, second = pdf.sheet(quiz, quiz.papers, key=True)["papers"][0]["items"]
    filled = {part["letter"]: part["filled"] for part in first["parts"]}
    right = kit.EFFECTS.index(quiz.papers[0].items[0].variant.parts[0].answer.word)
    assert filled["a"] == [at == right for at in range(4)]
    assert filled["b"] == [False, True, False, True, True]
    assert not any(second["parts"][1]["filled"])
    assert "filled" not in pdf.sheet(quiz, quiz.papers)["papers"][0]["items"][0]["parts"][0]


def test_on_the_key_cells_hold_the_entries():
    quiz = kit.quiz(papers=1, items=(kit.labels, kit.grid))
    listed, rows = pdf.sheet(quiz, quiz.papers, key=True)["papers"][0]["items"]
    variants = [item.variant for item in quiz.papers[0].items]
    assert listed["parts"][0]["filled"] == [[str(entry) for entry in variants[0].parts[0].answer.items]]
    assert rows["parts"][1]["filled"] == [[str(entry) for entry in row] for row in variants[1].parts[1].answer.rows]
    assert listed["parts"][1]["filled"] is None


def test_a_list_that_does_not_fit_its_cells_still_stands_on_the_key():
    quiz = kit.quiz(papers=1, items=(kit.labels,))
    item = quiz.papers[0].items[0]
    short = replace(item.variant.parts[0], answer=Seq(7, 8, 9))
    item = replace(item, variant=replace(item.variant, parts=(short, *item.variant.parts[1:])))
    quiz = replace(quiz, papers=(replace(quiz.papers[0], items=(item,)),))
    assert "[7, 8, 9]" in text_of(pdf.document(quiz, quiz.papers, key=True))


def test_room_for_working_follows_from_the_points_alone():
    quiz = kit.quiz(papers=1, items=kit.ALL)
    work = {
        (item["number"], part["letter"]): part["work"]
        for item in pdf.sheet(quiz, quiz.papers)["papers"][0]["items"]
        for part in item["parts"]
    }
    assert work[1, "a"] == 0
    assert 0 < work[1, "b"] < work[4, "b"]
    assert text_of(pdf.document(quiz, quiz.papers)).count("Working") == 2


def test_a_part_that_counts_only_with_its_reason_says_so():
    quiz = kit.quiz(papers=1, items=(kit.choices, kit.shapes))
    for words in (
        text_of(pdf.document(quiz, quiz.papers)),
        FORMATS["text"](quiz, Options()).files["lesson-12.txt"].decode(),
    ):
        assert words.count("counts only together with b") == 1
