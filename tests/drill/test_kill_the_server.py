"""Kill -9 of the server at random points while a class sends answers; clients send again under the same key.

What must hold: nothing that was acknowledged is lost, nothing counts twice, and no part takes more than its tries.
A client's acknowledgement is the page it gets back. `make drill` prints the table.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import random
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import classroom_kit as kit
import pytest
import stores
from sqlalchemy import text

from maskwise.services import accounts
from maskwise.store import Store, courses, people, schema

pytestmark = pytest.mark.drill

STUDENTS, QUESTIONS, TRIES = 84, 3, 3  # of three parts each: 84 * 3 * 3 * 3 = 2,268 answers, of which 2,000 are sent
SUBMITS, CLIENTS, KILLS = 2000, 8, 40


def class_of_students(store):
    """Make a course with its students, each with a session; gives (token, enrolment) a student."""
    now = datetime.now(UTC)
    made = []
    with store.writing() as t:
        course = courses.add_course(t, slug="d", title="Drill", time_zone="UTC", secret=b"s" * 32, at=now)
        quiz = courses.add_quiz(
            t,
            course_id=course.id,
            slug="q",
            title="Drill",
            plan="{}",
            version=1,
            mode="homework",
            tries=TRIES,
            due_at=None,
            at=now,
        )
        for n in range(STUDENTS):
            user = people.add_user(t, email=f"s{n}@example.org", name=f"S {n}", password_hash=None, at=now)
            enrolment = courses.enrol(t, course_id=course.id, user_id=user.id, role="student")
            kit.issue(t, quiz, enrolment, [kit.certified(kit.shapes(8 + q)) for q in range(QUESTIONS)])
            made.append((user.id, enrolment.id))
    return quiz.id, [(accounts.open_session(store, user, now), enrolment) for user, enrolment in made]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The server as a process of its own that is killed and started again."""

    def __init__(self, url):
        self.url, self.port = url, free_port()
        self.process = None

    def start(self):
        script = Path(__file__).with_name("school_server.py")
        self.process = subprocess.Popen([sys.executable, str(script), self.url, str(self.port)])
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise AssertionError("the server does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()


def csrf_of(token):
    binding = f"session:{hashlib.sha256(token.encode()).hexdigest()}"
    return hmac.new(b"k" * 32, f"csrf:{binding}".encode(), hashlib.sha256).hexdigest()


def send(port, token, path, fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        headers = {
            "Cookie": f"maskwise={token}",
            "Content-Type": "application/x-www-form-urlencoded",
            "HX-Request": "true",
        }
        connection.request("POST", path, urlencode(fields), headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def work(quiz_id, students):
    """List what is sent: (token, enrolment, path, text, key), each text at a part once, in the order of tries."""
    wrong = {"logits": "({n}, 2, 3)", "sel": "({n}, 9)", "hits": "{n}"}
    for n in range(TRIES):
        for number in range(1, QUESTIONS + 1):
            for part, pattern in wrong.items():
                for token, enrolment in students:
                    words = pattern.format(n=200 + n)
                    yield token, enrolment, f"/quiz/{quiz_id}/{number}/{part}", words, secrets.token_urlsafe(18)


class Clients:
    """Sends every job until it is acknowledged; a broken connection or a 503 means: again, under the same key."""

    def __init__(self, server, jobs):
        self.server, self.jobs = server, iter(jobs)
        self.lock, self.acknowledged, self.retries = threading.Lock(), [], 0

    def run(self):
        while True:
            with self.lock:
                job = next(self.jobs, None)
            if job is None:
                return
            token, _enrolment, path, words, key = job
            fields = {"csrf": csrf_of(token), "key": key, "text": words}
            while (status := self.once(token, path, fields)) != 200:
                assert status in {None, 503}, status
                self.retries += 1
                time.sleep(0.05)
            self.acknowledged.append(job)

    def once(self, token, path, fields):
        try:
            return send(self.server.port, token, path, fields)
        except (OSError, http.client.HTTPException):
            return None


def keep_killing(server, done):
    """Kill and start the server at random moments until the clients are done."""
    kills = 0
    while kills < KILLS and not done.wait(random.uniform(0.05, 0.6)):
        server.kill()
        kills += 1
        server.start()
    return kills


def under_fire(server, jobs):
    """Let the clients send all jobs while the server is killed; gives the clients and the number of kills."""
    clients, done = Clients(server, jobs), threading.Event()
    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        kills = pool.submit(keep_killing, server, done)
        running = [pool.submit(clients.run) for _ in range(CLIENTS)]
        try:
            for each in running:
                each.result()
        finally:
            done.set()
    server.kill()
    return clients, kills.result()


def found_in(store, acknowledged):
    """Look at what the database holds afterwards."""
    with store.reading() as t:
        rows = t.execute(text("SELECT idempotency_key, counted FROM attempts")).all()
        off = t.execute(
            text(
                "SELECT count(*) FROM tallies t WHERE used > allowed OR used <> "
                "(SELECT count(*) FROM attempts a WHERE a.tally_id = t.id AND a.n IS NOT NULL)"
            )
        ).scalar()
        integrity = t.execute(text("PRAGMA integrity_check")).scalar() if store.kind == "sqlite" else "ok"
    by_key = Counter(row.idempotency_key for row in rows)
    return {
        "rows": len(rows),
        "lost": sum(by_key[key] == 0 for *_, key in acknowledged),
        "doubled": len(rows) - len(by_key),
        "tallies off": off,
        "not counted": sum(not row.counted for row in rows),
        "integrity": integrity,
    }


@stores.BOTH
def test_killing_the_server_loses_nothing_and_doubles_nothing(kind, tmp_path, capsys):
    with stores.database(kind, tmp_path) as url:
        store = Store(url)
        schema.upgrade(store)
        quiz_id, students = class_of_students(store)
        server = Server(url)
        server.start()
        started = time.perf_counter()
        clients, kills = under_fire(server, list(work(quiz_id, students))[:SUBMITS])
        seconds = time.perf_counter() - started
        found = found_in(store, clients.acknowledged)
        store.close()
    with capsys.disabled():
        told = ", ".join(f"{name} {value}" for name, value in found.items())
        sys.stdout.write(
            f"\n{kind:<11} {len(clients.acknowledged)} acknowledged, {kills} kills, {clients.retries} retries, "
            f"{seconds:.0f} s: {told}\n"
        )
    assert len(clients.acknowledged) == SUBMITS
    assert kills >= 10
    assert found == {
        "rows": SUBMITS,
        "lost": 0,
        "doubled": 0,
        "tallies off": 0,
        "not counted": 0,
        "integrity": "ok",
    }
