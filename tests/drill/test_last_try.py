"""Races for the last try, a thousand rounds with 8, 32 and 100 clients: exactly one wins each."""

from __future__ import annotations

import secrets
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import classroom_kit as kit
import pytest
import stores

from maskwise.services import attempts
from maskwise.store import StoreUnavailable
from maskwise.store import attempts as rows

pytestmark = pytest.mark.drill

ROUNDS = {8: 500, 32: 400, 100: 100}


@stores.BOTH
def test_a_thousand_races_for_the_last_try(kind, tmp_path, capsys):
    with kit.school(kind, tmp_path, tries=1) as school:
        variant = kit.certified(kit.shapes())
        user = school.people["tess"].id
        total = sum(ROUNDS.values())
        with school.store.writing() as t:
            quiz = school.quizzes["dl"]
            kit.issue(t, quiz, school.enrolments["tess"], [variant] * total)

        def send(number, n):
            """Send one answer as a browser does: again under the same key while the store is busy."""
            key = secrets.token_urlsafe(18)
            while True:
                try:
                    stored = attempts.submit(
                        school.store,
                        school.observer,
                        user_id=user,
                        quiz_id=quiz.id,
                        number=number,
                        part_id="hits",
                        text=str(100 + n),
                        key=key,
                        now=kit.NOW,
                        tries_a_minute=10**6,
                        sends_a_minute=10**6,
                    )
                except attempts.PartClosed:
                    return "closed"
                except StoreUnavailable:
                    continue
                return "counted" if stored.counted else "not counted"

        number, started, lines = 0, time.perf_counter(), []
        for clients, rounds in ROUNDS.items():
            wins = []
            with ThreadPoolExecutor(clients) as pool:
                for _ in range(rounds):
                    number += 1
                    results = list(pool.map(lambda n, at=number: send(at, n), range(clients)))
                    wins.append(results.count("counted"))
                    assert results.count("closed") == clients - 1
            lines.append(f"{clients} clients, {rounds} rounds: {sum(n != 1 for n in wins)} with other than one winner")
            assert set(wins) == {1}
        with school.store.reading() as t:
            held = rows.tallies_of(t, range(1, 10_000))
        assert max(tally.used for parts in held.values() for tally in parts.values()) == 1
        with capsys.disabled():
            sys.stdout.write(f"\n{kind:<11} {'; '.join(lines)} ({time.perf_counter() - started:.0f} s)\n")
