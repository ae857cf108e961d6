"""What a student's copy gives away: nothing that leads to the key, while an open sheet's seed is found in no time."""

from dataclasses import replace

import guesser
import pytest

from generator.plan import QuizPlan
from generator.quiz import Person, assemble
from maskwise.exporters import FORMATS, Options
from maskwise.exporters.text import paper_text
from question_bank.catalogue import families

SECRET = b"\x05" * 32
BOUND = 1 << 12
# Questions whose numbers no two seeds share by chance.
PLAN = """
title = "Guess"

[[item]]
id = "mean"
family = "LS-MEAN"
level = 2

[[item]]
id = "shapes"
family = "SH-TRYIT"
level = 3

[[item]]
id = "rows"
family = "LS-MEAN"
level = 3
"""


def questions(quiz, number=0):
    paper = quiz.papers[number]
    kinds = [(families()[item.variant.family], item.variant.level) for item in paper.items]
    return guesser.printed(paper_text(quiz, paper), kinds)


def made(key, **more):
    return assemble(QuizPlan.parse(PLAN), families(), key, prover=None, **more)


def test_the_guesser_sees_all_numbers_of_a_question():
    """The tool must not be blind: of the right seed, every number stands in the text."""
    quiz = made(SECRET, papers=5)
    for number, paper in enumerate(quiz.papers):
        for question, item in zip(questions(quiz, number), paper.items, strict=True):
            assert len(question.numbers) >= 5
            assert guesser.matches(question, [item.seed]) == [item.seed]


def test_the_seed_of_an_open_sheet_is_found():
    """So that this can fail: a set whose first question has a seed within the bound."""
    seed = next(str(n) for n in range(100_000) if int(made(str(n)).papers[0].items[0].seed) < BOUND)
    quiz = made(seed)
    found = guesser.matches(questions(quiz)[0], guesser.open_seeds(BOUND))
    assert found == [quiz.papers[0].items[0].seed]


def test_no_open_seed_gives_the_numbers_of_a_sealed_paper():
    for question in questions(made(SECRET)):
        assert guesser.matches(question, guesser.open_seeds(BOUND)) == []


def test_what_is_printed_is_no_seed_and_no_key():
    quiz = made(SECRET, people=[Person("person/ada", "Ada", "ada")])
    paper = quiz.papers[0]
    assert paper.code in paper_text(quiz, paper)
    codes = [paper.code, *(item.code for item in paper.items)]
    for question, item in zip(questions(quiz), paper.items, strict=True):
        for name in ("1", "person/ada"):
            assert guesser.matches(question, guesser.seeds_from_print(codes, quiz.slug, item.id, name)) == []
    # It finds what there is to find: a paper that was drawn with a key that can be read.
    readable = made(b"my secret", people=["person/ada"])
    found = guesser.seeds_from_print(["MY SECRET"], readable.slug, "mean", "person/ada")
    assert guesser.matches(questions(readable)[0], found) == [readable.papers[0].items[0].seed]


def test_no_small_secret_gives_the_numbers_of_a_sealed_paper():
    quiz = made(SECRET)
    seeds = list(guesser.seeds_of_small_secrets(BOUND // 4, quiz.slug, "mean", "1"))
    assert guesser.matches(questions(quiz)[0], seeds) == []
    weak = made((700).to_bytes(32, "big"), papers=40)
    hits = [
        guesser.matches(questions(weak, n)[0], guesser.seeds_of_small_secrets(701, weak.slug, "mean", str(n + 1)))
        for n in range(8)
    ]
    assert any(hits)  # where the first attempt was taken


def with_other_keys(quiz):
    """Give the quiz with another value in place of every key that is not a choice, its words and numbers untouched."""

    def changed(part):
        others = [] if part.options else part.answer.others()
        return replace(part, answer=others[0]) if others else part

    papers = []
    for paper in quiz.papers:
        items = [
            replace(item, variant=replace(item.variant, parts=tuple(map(changed, item.variant.parts))))
            for item in paper.items
        ]
        papers.append(replace(paper, items=tuple(items)))
    return replace(quiz, papers=tuple(papers))


@pytest.mark.torch
@pytest.mark.parametrize("form", ["text", "pdf"])
def test_nothing_printed_for_students_is_a_function_of_a_key(prover, form):
    quiz = assemble(QuizPlan.parse(PLAN), families(), SECRET, papers=2, prover=prover)
    end = "txt" if form == "text" else "pdf"
    before, after = (FORMATS[form](each, Options()).files for each in (quiz, with_other_keys(quiz)))
    assert before[f"guess.{end}"] == after[f"guess.{end}"]
    assert before[f"guess-key.{end}"] != after[f"guess-key.{end}"]  # the keys were changed
