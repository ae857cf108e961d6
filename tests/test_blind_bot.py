"""The blind guesser: it finds what can be guessed, and learns from feedback only what everybody hears."""

from dataclasses import replace

import pytest

from generator.build import build
from generator.testwise import WAYS, Options
from grader.answers import ChoiceAnswer, Int, Shape
from grader.part import Part
from grader.reading.outcomes import Context
from maskwise.services.blind_bot import BlindBot, PartScore, Share
from maskwise.services.checking import _unfair, checked
from maskwise.services.guesses import Numbers, guesses, numbers_in
from question_bank.catalogue import family
from templates import tokens


def part(kind_answer, **context):
    return Part("it", kind_answer, context=Context(**context))


def test_numbers_are_read_from_tokens_lists_and_tables():
    words = [
        f"A batch has {tokens.named(8, 'B')} sequences of length {tokens.named(20, 'T')}.",
        f"They have {tokens.num(2)}, {tokens.num(0)} and {tokens.num(5)} masked positions.",
        tokens.table([["0.5", "1.25"]], head=[0, 1]),
        tokens.strip([["the", "cat"]]),
    ]
    seen = numbers_in(words)
    assert seen.scalars == (8, 20, 2, 0, 5)
    assert [[str(value) for value in row] for row in seen.rows] == [["2", "0", "5"], ["1/2", "5/4"]]


def test_shapes_are_sizes_in_the_order_of_the_text():
    made = guesses(part(Shape(8, 48)), Numbers((8, 20, 48), ()))
    assert "(8, 48)" in made
    assert "()" in made
    assert "(48, 8)" not in made
    assert len(made) == len(set(made)) == 8


def test_numbers_are_made_two_by_two():
    made = guesses(part(Int(160)), Numbers((8, 20), ((1, 2, 3),)))
    assert {"8", "20", "160", "28", "12", "6"} <= set(made)


def test_a_choice_can_only_be_one_of_its_options():
    asked = Part("it", ChoiceAnswer("b", ("a", "b", "c")), context=Context(options=("a", "b", "c")))
    assert guesses(asked, Numbers((), ())) == ["a", "b", "c"]


def test_ways_of_picking_an_option():
    assert Options(["3", "1", "5"]).won([0, 1, 2])["middle"] == 1
    assert Options(["2", "1", "3", "4"]).won([0, 1, 2, 3])["middle"] == 0.5
    assert Options(["1", "2", "3", "4"]).won([0, 1, 2, 3])["middle"] == 0
    assert Options(["(12, 9)", "(12, 7)", "(3, 9)", "(4, 4)"]).won([0, 1, 2, 3])["alike"] == 1
    assert Options(["bbb", "a", "cc"]).won([0, 1, 2]) | {"alike": 0} == {
        "any": 1 / 3,
        "longest": 1,
        "shortest": 0,
        "alike": 0,
        "middle": 1 / 3,
    }


def test_a_share_is_above_only_when_luck_does_not_explain_it():
    lucky, sure = Share(), Share()
    for number in range(200):
        lucky.add(number % 100 < 27)
        sure.add(number % 100 < 45)
    assert not lucky.above
    assert sure.above
    few = Share()
    few.add(1)
    few.add(1)
    assert not few.above


@pytest.mark.torch
def test_what_stands_in_the_text_is_guessed(prover):
    """The key stands in the text, and the text has three numbers: three tries find it."""
    plain = family("CT-BASIC")
    shown = replace(plain.ask("total"), key=lambda given: Int(given["B"]), line="mask.shape[0]", rules=(), follows=())
    easy = replace(
        plain,
        asks=(shown, *plain.asks[1:]),
        levels={1: "the answer is in the text"},
        draw=lambda draw, level: plain.draw(draw, level) and ("total",),
    )
    found = checked(easy, 120, prover)
    (score,) = found.scores.values()
    assert score.homework.score > 3 / 12


@pytest.mark.torch
def test_it_plays_by_the_rules_of_homework(prover):
    bot = BlindBot()
    for number in range(30):
        bot.play(build(family("SH-TRYIT"), 2, f"play-{number}", prover))
    assert set(bot.scores) == {"enc", "logits", "sel", "tgt", "loss"}
    for score in bot.scores.values():
        assert score.homework.played == 30
        assert 0 <= score.exam.score <= 0.25
        assert sum(sum(counts) for counts in score.positions.values()) == 30
        assert set(score.choice) == set(WAYS)


def test_a_score_names_its_best_way():
    score = PartScore()
    for name, right in (("any", 0.25), ("alike", 1.0)):
        score.choice.setdefault(name, Share()).add(right)
    assert score.best_choice.score == 1.0


def test_a_part_that_is_guessed_is_a_problem_without_a_reason():
    plain = family("CT-BASIC")
    score = PartScore()
    for _ in range(100):
        score.homework.add(1)
    assert ["understands nothing" in problem for problem in _unfair(plain, "total", score)] == [True]
    asks = tuple(replace(ask, guessable="for a reason") for ask in plain.asks)
    assert list(_unfair(replace(plain, asks=asks), "total", score)) == []


def test_a_favoured_place_is_a_problem():
    score = PartScore(positions={4: [25, 25, 25, 25], 5: [90, 4, 2, 2, 2]})
    told = list(_unfair(family("CT-BASIC"), "total", score))
    assert told
    assert all("choice of 5" in problem for problem in told)


@pytest.mark.torch
def test_a_family_whose_words_cannot_be_used_fails_alone_and_says_where(prover):
    found = checked(replace(family("CT-BASIC"), slug="no_such_words"), 2, prover)
    assert found.failed == 1
    assert found.report.variants == 0
    assert "no_such_words" in str(found.unusable)
