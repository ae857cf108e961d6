"""2**20 seeds tried against a sealed paper: none gives its numbers; the seed of an open paper is found among them."""

import guesser
import pytest
from test_guess_the_seed import SECRET, made, questions

pytestmark = pytest.mark.drill
ALL = 1 << 20


@pytest.mark.parametrize(("at", "below"), [(0, ALL), (1, ALL // 8), (2, ALL // 8)])
def test_every_open_seed_against_a_sealed_paper(at, below):
    assert guesser.matches(questions(made(SECRET))[at], guesser.open_seeds(below)) == []


def test_small_secrets_against_a_sealed_paper():
    quiz = made(SECRET)
    seeds = guesser.seeds_of_small_secrets(ALL, quiz.slug, "mean", "1")
    assert guesser.matches(questions(quiz)[0], seeds) == []


def test_the_seed_of_an_open_paper_is_found():
    quiz = made("7")
    found = guesser.matches(questions(quiz)[1], guesser.open_seeds(ALL))
    assert found == [quiz.papers[0].items[1].seed]
