"""2**20 seeds tried against a sealed paper: none gives its numbers; every seed of an open paper is found."""

import guesser
import pytest
from test_guess_the_seed import SECRET, made, questions

pytestmark = pytest.mark.drill
ALL = 1 << 20


def test_every_open_seed_against_a_sealed_paper():
    for question in questions(made(SECRET)):
        assert guesser.matches(question, guesser.open_seeds(ALL)) == []


def test_small_secrets_against_a_sealed_paper():
    quiz = made(SECRET)
    seeds = guesser.seeds_of_small_secrets(ALL, quiz.slug, "mean", "1")
    assert guesser.matches(questions(quiz)[0], seeds) == []


def test_every_seed_of_an_open_paper_is_found():
    quiz = made("7")
    for question, item in zip(questions(quiz), quiz.papers[0].items, strict=True):
        assert guesser.matches(question, guesser.open_seeds(ALL)) == [item.seed]
