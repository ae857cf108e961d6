from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from fractions import Fraction
from itertools import count

import classroom_kit as kit
import pytest
import stores

from grader.runner.service import RunnerUnavailable, Seen
from maskwise.services import attempts, question
from maskwise.services.prover import Prover
from maskwise.store import StoreUnavailable
from maskwise.store import attempts as rows


@pytest.fixture
def school(kind, tmp_path):
    with kit.school(kind, tmp_path) as opened:
        yield opened


@pytest.fixture
def sqlite(tmp_path):
    with kit.school("sqlite", tmp_path) as opened:
        yield opened


def send(school, part, text, *, who="ada", quiz="dl", number=1, key=None, tries=1000, sends=1000):
    return attempts.submit(
        school.store,
        school.observer,
        user_id=school.people[who].id,
        quiz_id=school.quizzes[quiz].id,
        number=number,
        part_id=part,
        text=text,
        key=key or secrets.token_urlsafe(18),
        now=school.clock(),
        tries_a_minute=tries,
        sends_a_minute=sends,
    )


def place(school, who="ada", number=1):
    return attempts.place(school.store, school.people[who].id, school.quizzes["dl"].id, number)


def tally(school, part, **where):
    return place(school, **where).tallies[part]


def seen(school, part, **where):
    at = place(school, **where)
    return question.view(at.quiz, at.item, at.variant, at.tallies, at.said, "UTC").part(part)


@stores.BOTH
def test_a_right_answer_is_stored_counted_and_closes_the_part(school):
    stored = send(school, "logits", "8 x 20 x 1000")
    assert (stored.outcome, stored.counted, stored.n, stored.verdict["score"]) == ("right", True, 1, "1")
    assert stored.raw == "8 x 20 x 1000"
    assert stored.verdict["checked"] == ["formula", "run"]
    assert stored.grader.startswith("maskwise ")
    assert stored.at == kit.NOW
    assert tally(school, "logits").closed
    with pytest.raises(attempts.PartClosed):
        send(school, "logits", "(1, 2)")


@stores.BOTH
def test_a_wrong_answer_names_its_slip_and_its_witness(school):
    send(school, "logits", "(8, 20, 48)")
    part = seen(school, "logits")
    assert part.last.result == "wrong"
    assert part.last.words == "The head is a Linear. Which axis does a Linear change?"
    assert part.last.witness == "encoded"
    assert (part.used, part.left, part.state, part.evidence) == (1, 2, "open", None)


def test_a_witness_that_tells_the_key_waits_until_the_part_is_closed(sqlite):
    send(sqlite, "logits", "(1000, 20, 8)")
    assert seen(sqlite, "logits").last.witness is None
    send(sqlite, "logits", "(1, 2, 3)")
    send(sqlite, "logits", "(1, 2, 4)")
    assert seen(sqlite, "logits").state == "spent"
    first = place(sqlite).said[0]
    at = place(sqlite)
    view = question.view(at.quiz, at.item, at.variant, at.tallies, at.said, "UTC")
    assert view.log[-1].witness == "logits.permute(2, 1, 0)"
    assert first.verdict["slip"] == "keyed"


def test_an_answer_without_a_slip_gets_the_hint(sqlite):
    send(sqlite, "sel", "(3, 4)")
    assert seen(sqlite, "sel").last.words == "What does each hit of the mask contribute?"


def test_other_order_is_told_only_once_the_part_is_closed(sqlite):
    send(sqlite, "logits", "(20, 8, 1000)")
    assert not seen(sqlite, "logits").last.other_order
    send(sqlite, "logits", "(20, 1000, 8)")
    send(sqlite, "logits", "(1000, 8, 20)")
    assert seen(sqlite, "logits").last.other_order


@stores.BOTH
@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("(12; 1000", "unreadable"),
        ("8, 20, 1,000", "unreadable"),
        ("8*20", "ask"),
        ("a\x00b", "unreadable"),
        ("\ud800", "unreadable"),
    ],
)
def test_what_cannot_be_read_is_stored_and_costs_nothing(school, text, result):
    stored = send(school, "logits", text)
    assert (stored.outcome, stored.counted, stored.n, stored.raw) == ("not_graded", False, None, text)
    part = seen(school, "logits")
    assert (part.used, part.last.result) == (0, result)


def test_a_very_long_answer_is_refused_and_kept_in_part(sqlite):
    stored = send(sqlite, "logits", "9" * 60_000)
    assert not stored.counted
    assert len(stored.raw) == 2000


@stores.BOTH
def test_without_pytorch_nothing_is_graded_and_no_try_used(school):
    school.observer.on = False
    for text in ("(8, 20, 1000)", "(8, 20, 48)"):
        stored = send(school, "logits", text)
        assert (stored.outcome, stored.counted, stored.verdict["note"]) == ("not_graded", False, "no_runner")
    assert tally(school, "logits").used == 0
    school.observer.on = True
    assert send(school, "logits", "(8, 20, 1000)").outcome == "right"


def test_an_observer_or_grader_that_breaks_costs_no_try(sqlite, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("broken")

    monkeypatch.setattr(sqlite.observer, "observed", broken)
    assert send(sqlite, "logits", "(8, 20, 1000)").verdict["note"] == "no_runner"
    monkeypatch.undo()
    monkeypatch.setattr(attempts, "grade", broken)
    assert send(sqlite, "logits", "(8, 20, 1000)").verdict["note"] == "undecided"
    assert tally(sqlite, "logits").used == 0


class Lively:
    """A runner that knows every answer by heart, and counts the signs of life that are asked of it."""

    def __init__(self, variant):
        self.variant, self.signs, self.alive = variant, 0, True

    @property
    def pid(self):
        self.signs += 1
        if not self.alive:
            raise RunnerUnavailable("away")
        return 1

    def observe_many(self, requests):
        seen = {}
        for part, route in self.variant.certificate.routes.items():
            shape = route.observed if isinstance(route.observed, list) else []
            seen[part] = Seen(tuple(shape), None if shape else route.observed, route.printed)
        return [seen for _ in requests]


def test_one_sign_of_life_is_asked_for_each_answer_and_none_means_no_verdict(sqlite):
    runner = Lively(kit.certified(kit.shapes()))
    sqlite.observer = Prover(start=lambda: runner)
    assert send(sqlite, "logits", "(8, 20, 48)").outcome == "wrong"
    assert runner.signs == 1
    runner.alive = False  # although it still knows the answers by heart
    assert send(sqlite, "logits", "(8, 20, 1000)").verdict["note"] == "no_runner"
    assert (runner.signs, tally(sqlite, "logits").used) == (2, 1)
    runner.alive = True
    assert send(sqlite, "logits", "(8, 20, 1000)").outcome == "right"


@stores.BOTH
def test_the_same_meaning_is_never_charged_twice(school):
    first = send(school, "logits", "(8, 20, 48)")
    school.clock.forward(minutes=4)
    again = send(school, "logits", "8x20x48")
    assert (again.counted, again.repeats_id, again.n) == (False, first.id, None)
    assert tally(school, "logits").used == 1
    last = seen(school, "logits").last
    assert (last.result, last.repeats) == ("repeat", "13:57")
    send(school, "logits", "(8, 20, 49)")
    assert tally(school, "logits").used == 2


@stores.BOTH
def test_the_same_key_gives_the_same_reply_and_another_body_is_refused(school):
    key = secrets.token_urlsafe(18)
    first = send(school, "logits", "(8, 20, 48)", key=key)
    assert send(school, "logits", "(8, 20, 48)", key=key) == first
    with pytest.raises(attempts.KeyReused):
        send(school, "logits", "(8, 20, 1000)", key=key)
    with pytest.raises(attempts.KeyReused):
        send(school, "sel", "(8, 20, 48)", key=key)
    assert tally(school, "logits").used == 1
    assert send(school, "logits", "(8, 20, 48)", key=key, who="ben").id != first.id  # another person's key space


@stores.BOTH
def test_a_reply_is_repeated_after_the_part_was_closed(school):
    key = secrets.token_urlsafe(18)
    first = send(school, "hits", "12", key=key)
    assert tally(school, "hits").closed
    assert send(school, "hits", "12", key=key) == first


@pytest.mark.parametrize("key", ["", "short", "x" * 65, "with blank in it 1", "ä" * 20])
def test_a_key_that_is_none_is_refused(sqlite, key):
    with pytest.raises(attempts.BadKey):
        attempts.submit(
            sqlite.store,
            sqlite.observer,
            user_id=sqlite.people["ada"].id,
            quiz_id=sqlite.quizzes["dl"].id,
            number=1,
            part_id="logits",
            text="1",
            key=key,
            now=kit.NOW,
        )


@pytest.mark.parametrize(
    "where", [{"who": "cy"}, {"who": "ivy"}, {"number": 3}, {"part": "nothing"}, {"quiz": "other"}]
)
def test_what_is_not_yours_is_not_there(sqlite, where):
    with pytest.raises(attempts.Missing):
        send(sqlite, **{"part": "logits", "text": "(1, 2)", **where})


@stores.BOTH
def test_32_parallel_answers_to_the_last_try_spend_it_once(school):
    send(school, "logits", "(1, 1, 1)")
    send(school, "logits", "(1, 1, 2)")
    numbers = count(100)

    def race(_):
        try:
            return send(school, "logits", f"(1, 1, {next(numbers)})").counted
        except attempts.PartClosed:
            return False

    with ThreadPoolExecutor(32) as pool:
        assert sum(pool.map(race, range(32))) == 1
    assert tally(school, "logits").used == 3
    assert sum(said.counted for said in place(school).said) == 3


@stores.BOTH
def test_parallel_sends_of_one_form_store_one_attempt(school):
    key = secrets.token_urlsafe(18)
    with ThreadPoolExecutor(16) as pool:
        ids = {stored.id for stored in pool.map(lambda _: send(school, "logits", "(8, 20, 48)", key=key), range(16))}
    assert len(ids) == 1
    assert tally(school, "logits").used == 1
    assert len(place(school).said) == 1


@stores.BOTH
def test_parallel_sends_of_one_meaning_cost_one_try(school):
    with ThreadPoolExecutor(16) as pool:
        stored = list(pool.map(lambda _: send(school, "logits", "(8, 20, 48)"), range(16)))
    assert sum(each.counted for each in stored) == 1
    assert {each.repeats_id for each in stored if not each.counted} == {next(e.id for e in stored if e.counted)}
    assert tally(school, "logits").used == 1


@pytest.fixture
def options(kind, tmp_path):
    with kit.school(kind, tmp_path, questions=(kit.lists, kit.joined)) as opened:
        yield opened


@stores.BOTH
def test_a_choice_is_closed_by_its_first_counted_answer(options):
    stored = send(options, "effect", "E")
    assert (stored.counted, tally(options, "effect").closed) == (False, False)
    assert send(options, "effect", "a").verdict["slip"] == "nan"
    assert (tally(options, "effect").used, tally(options, "effect").closed) == (1, True)
    part = seen(options, "effect")
    assert (part.state, part.used, part.left, part.allowed, part.one_try) == ("spent", 1, 0, 1, True)
    with pytest.raises(attempts.PartClosed):
        send(options, "effect", "finite")
    send(options, "statements", "A")  # of several options any number may be picked, so they keep their tries
    assert (seen(options, "statements").left, seen(options, "statements").one_try) == (2, False)


@stores.BOTH
def test_32_parallel_guesses_at_a_choice_are_one(options):
    def guess(n):
        try:
            return send(options, "effect", "ABCD"[n % 4]).counted
        except attempts.PartClosed:
            return False

    with ThreadPoolExecutor(32) as pool:
        assert sum(pool.map(guess, range(32))) == 1
    assert tally(options, "effect").used == 1
    assert [said.n for said in place(options).said if said.counted] == [1]


def test_picks_are_the_text_that_is_stored(tmp_path):
    with kit.school("sqlite", tmp_path, questions=(kit.lists,)) as school:
        at = {"user_id": school.people["ada"].id, "quiz_id": school.quizzes["dl"].id, "number": 1, "now": kit.NOW}
        key = secrets.token_urlsafe(18)

        def pick(*picks, text="", filled="", key=key):
            return attempts.submit(
                school.store,
                school.observer,
                part_id="leaked",
                text=text,
                picks=picks,
                filled=filled,
                key=key,
                **at,
            )

        first = pick("5", "3")
        assert (first.raw, first.verdict["reading"]["cells"]) == ("3, 5", [["3", "5"]])
        assert pick("3", "5") == first  # the same form again
        again = pick("3", "5", key=secrets.token_urlsafe(18))
        assert again.repeats_id == first.id
        assert pick("2", "4", text="3, 5", filled="3, 5", key=secrets.token_urlsafe(18)).outcome == "right"


def test_what_a_part_of_two_options_counts_is_worked_out_from_what_was_sent(tmp_path):
    with kit.school("sqlite", tmp_path, questions=(kit.joined,)) as school:

        def earned():
            return [seen(school, part).earned for part in ("runs", "which")]

        send(school, "runs", "error")
        assert (earned(), seen(school, "runs").held, seen(school, "runs").state) == (["0", "0"], True, "right")
        send(school, "which", "11")
        assert earned() == ["0", "0"]
        send(school, "which", "12")
        assert (earned(), seen(school, "runs").held) == (["1", "1"], False)


@stores.BOTH
def test_too_many_tries_at_one_question_in_a_minute_wait(school):
    for n in range(4):
        send(school, "logits" if n < 2 else "sel", f"(1, 2, {n})", tries=4)
    with pytest.raises(attempts.TooFast):
        send(school, "hits", "12", tries=4)
    send(school, "total", "24", number=2, tries=4)  # another question
    school.clock.forward(seconds=61)
    assert send(school, "hits", "12", tries=4).outcome == "right"


@stores.BOTH
def test_what_spends_no_try_has_a_larger_limit_of_its_own(school):
    send(school, "logits", "(1, 2, 3)", tries=2, sends=7)
    for text in ("unreadable", "8*20", "1 2 3", "(1; 2"):  # unreadable, asked back, repeated: none is a try
        send(school, "logits", text, tries=2, sends=7)
    school.observer.on = False
    send(school, "logits", "(8, 20, 1000)", tries=2, sends=7)
    school.observer.on = True
    assert send(school, "logits", "(8, 20, 1000)", tries=2, sends=7).outcome == "right"
    with pytest.raises(attempts.TooFast):
        send(school, "sel", "(12, 1000)", tries=2, sends=7)
    assert (attempts.TRIES_A_MINUTE, attempts.SENDS_A_MINUTE) == (10, 60)


def test_after_the_due_time_of_the_server_nothing_is_taken(tmp_path):
    due = kit.NOW + timedelta(minutes=1)
    with kit.school("sqlite", tmp_path, due=due) as school:
        school.clock.now = due
        assert send(school, "hits", "11").counted
        school.clock.now = due + timedelta(milliseconds=1)
        with pytest.raises(attempts.PartClosed):
            send(school, "hits", "12")


def test_work_carried_on_from_a_wrong_answer_earns_half_and_a_better_one_counts(sqlite):
    send(sqlite, "total", "32", number=2)
    half = send(sqlite, "rate", "4/21", number=2)
    assert (half.outcome, half.verdict["carried"], half.verdict["score"]) == ("wrong", True, "1/2")
    part = seen(sqlite, "rate", number=2)
    assert (part.earned, part.points, part.partly, part.last.result) == ("0.5", "1", True, "carried")
    send(sqlite, "rate", "1/7", number=2)
    assert seen(sqlite, "rate", number=2).earned == "1"


def test_a_rounded_key_is_a_note_twice_and_then_counts(sqlite):
    stored = [send(sqlite, "rate", text, number=2) for text in ("0.143", "0.1429", "0.14286")]
    assert [each.counted for each in stored] == [False, False, True]
    assert [each.verdict["note"] for each in stored] == ["rounded", "rounded", None]
    assert tally(sqlite, "rate", number=2).used == 1
    assert seen(sqlite, "rate", number=2).last.result == "wrong"


@stores.BOTH
def test_a_store_that_fails_half_way_keeps_nothing(school, monkeypatch):
    def full(*_args, **_kwargs):
        raise StoreUnavailable("database or disk is full")

    real = rows.spend

    def spend_then_fail(*args, **kwargs):
        real(*args, **kwargs)
        full()

    monkeypatch.setattr(rows, "spend", spend_then_fail)
    key = secrets.token_urlsafe(18)
    with pytest.raises(StoreUnavailable):
        send(school, "logits", "(8, 20, 48)", key=key)
    monkeypatch.undo()
    assert tally(school, "logits").used == 0
    assert place(school).said == []
    assert send(school, "logits", "(8, 20, 48)", key=key).n == 1


def test_views_of_open_parts_hold_no_evidence(sqlite):
    send(sqlite, "logits", "(8, 20, 48)")
    at = place(sqlite)
    view = question.view(at.quiz, at.item, at.variant, at.tallies, at.said, "UTC")
    text = repr(view)
    for secret in (*kit.SECRETS, "torch.Size", "(8, 20, 1000)", "(12, 1000)", "Each hit gives one row", "tensor(12)"):
        assert secret not in text, secret


def test_points_are_written_as_people_do():
    written = [question.said_points(Fraction(text)) for text in ("2", "1/2", "5/4", "1/3", "0")]
    assert written == ["2", "0.5", "1.25", "1/3", "0"]
