from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
import stores
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import insert, inspect, text

from maskwise.store import Duplicate, Store, StoreUnavailable, attempts, courses, people, schema, tables
from maskwise.store.records import NewAttempt

NOW = datetime(2026, 11, 12, 13, 57, tzinfo=UTC)


@pytest.fixture
def store(kind, tmp_path):
    with stores.opened(kind, tmp_path) as opened:
        yield opened


def course_with_student(t):
    course = courses.add_course(t, slug="dl", title="Deep learning", time_zone="UTC", secret=b"s" * 32, at=NOW)
    user = people.add_user(t, email="Ada@Example.org", name="Ada", password_hash=None, at=NOW)
    enrolment = courses.enrol(t, course_id=course.id, user_id=user.id, role="student")
    quiz = courses.add_quiz(
        t,
        course_id=course.id,
        slug="q",
        title="Quiz",
        plan="",
        version=1,
        mode="homework",
        tries=3,
        due_at=None,
        at=NOW,
    )
    items = [
        {"number": n, "item": f"i{n}", "code": f"c{n}", "points": "1", "variant": "{}", "parts": ["a", "b"]}
        for n in (1, 2)
    ]
    courses.issue(t, enrolment_id=enrolment.id, quiz_id=quiz.id, tries=3, items=items, at=NOW)
    return course, user, enrolment, quiz


def new(enrolment, tally, key, *, meaning="m", raw="(1, 2)", closes=False, at=NOW):
    return NewAttempt(
        tally_id=tally.id,
        enrolment_id=enrolment.id,
        raw=raw,
        verdict={"outcome": "wrong"},
        outcome="wrong" if meaning else "not_graded",
        meaning=meaning,
        repeats_id=None,
        closes=closes,
        grader="test",
        idempotency_key=key,
        body_hash="h",
        at=at,
    )


def tally_of(t, enrolment, quiz, part="a"):
    item = courses.issued_item(t, enrolment.id, quiz.id, 1)
    return attempts.tallies_of(t, [item.id])[item.id][part]


@stores.BOTH
def test_the_migrations_make_exactly_the_tables_of_the_code(store):
    with store.reading() as t:
        context = MigrationContext.configure(t, opts={"compare_type": True, "compare_server_default": False})
        assert compare_metadata(context, tables.metadata) == []
    assert schema.current(store) == schema.newest()


@stores.BOTH
def test_migrations_go_down_and_up_again(store):
    schema.downgrade(store, "base")
    assert schema.current(store) is None
    with store.reading() as t:
        assert set(inspect(t).get_table_names()) <= {"alembic_version"}
    schema.upgrade(store)
    schema.upgrade(store)  # a second time changes nothing
    with store.writing() as t:
        course_with_student(t)


@stores.BOTH
def test_a_migration_that_breaks_off_leaves_the_old_tables(kind, tmp_path, monkeypatch):
    with stores.database(kind, tmp_path) as url:
        store = Store(url)
        from alembic import op

        real = op.create_index

        def break_off(name, *args, **kwargs):
            if name == "ix_issued_quiz_id":
                raise KeyboardInterrupt
            return real(name, *args, **kwargs)

        monkeypatch.setattr(op, "create_index", break_off)
        with pytest.raises(KeyboardInterrupt):
            schema.upgrade(store)
        with store.reading() as t:
            assert inspect(t).get_table_names() == []
        monkeypatch.undo()
        schema.upgrade(store)
        store.close()


@stores.BOTH
def test_processes_that_start_together_take_turns_at_the_migration(kind, tmp_path):
    with stores.database(kind, tmp_path) as url:
        several = [Store(url) for _ in range(4)]
        # Alembic itself is for one thread at a time; separate processes are what start together.
        import subprocess
        import sys

        line = "import sys; from maskwise.store import Store, schema; schema.upgrade(Store(sys.argv[1]))"
        running = [subprocess.Popen([sys.executable, "-c", line, url], stderr=subprocess.PIPE) for _ in several]
        for process in running:
            assert process.wait(60) == 0, process.stderr.read()
            process.stderr.close()
        assert schema.current(several[0]) == schema.newest()
        for store in several:
            store.close()


@pytest.mark.parametrize("kind", ["sqlite"])
def test_sqlite_is_set_to_keep_what_it_acknowledged(store):
    with store.reading() as t:
        settings = {name: t.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")}
        assert settings == {"journal_mode": "wal", "synchronous": 2}
        assert t.execute(text("PRAGMA foreign_keys")).scalar() == 1
        assert t.execute(text("PRAGMA busy_timeout")).scalar() == 5000


@stores.BOTH
def test_rows_that_must_exist_are_demanded(store):
    with pytest.raises(Duplicate), store.writing() as t:
        courses.enrol(t, course_id=99, user_id=99, role="student")
    with pytest.raises(Duplicate), store.writing() as t:  # noqa: PT012 - the transaction is what is tested
        course, user, *_ = course_with_student(t)
        courses.enrol(t, course_id=course.id, user_id=user.id, role="instructor")
    with store.reading() as t:  # and the whole transaction of the second is gone
        assert courses.course_by_slug(t, "dl") is None


@stores.BOTH
@pytest.mark.parametrize("table", ["attempts", "issued"])
def test_what_was_answered_and_handed_out_cannot_be_rewritten(store, table):
    with store.writing() as t:
        _, _, enrolment, quiz = course_with_student(t)
        attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), "k"))
    column = "raw" if table == "attempts" else "variant"
    for statement in (
        f"UPDATE {table} SET {column} = 'x'",
        f"DELETE FROM {table}",
        f"DELETE FROM {table} WHERE id = 1",
        *([f"TRUNCATE {table} CASCADE"] if store.kind == "postgresql" else []),
        *([f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"] if store.kind == "sqlite" else []),
    ):
        with pytest.raises(Exception, match="never changed"), store.writing() as t:
            t.execute(text(statement))
    with store.reading() as t:
        assert t.execute(text(f"SELECT count(*) FROM {table}")).scalar() == (1 if table == "attempts" else 2)


@stores.BOTH
def test_moments_come_back_in_utc_and_need_a_zone(store):
    zone = timezone(timedelta(hours=5, minutes=30))
    with store.writing() as t:
        _, _, enrolment, quiz = course_with_student(t)
        attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), "k", at=NOW.astimezone(zone)))
    with store.reading() as t:
        assert attempts.by_key(t, enrolment.id, "k").at == NOW
        assert attempts.by_key(t, enrolment.id, "k").at.tzinfo is UTC
    with pytest.raises(Exception, match="time zone"), store.writing() as t:
        people.add_user(t, email="x", name="x", password_hash=None, at=datetime(2026, 1, 1))  # noqa: DTZ001


@stores.BOTH
@pytest.mark.parametrize("raw", ["", "a\x00b", "\ud800", "\\u0000", '"', "😀 ٣ ﹣", "=1+1\r\n\t", "x" * 5000])
def test_any_text_is_kept_to_the_last_character(store, raw):
    with store.writing() as t:
        _, _, enrolment, quiz = course_with_student(t)
        attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), "k", raw=raw, meaning=None))
    with store.reading() as t:
        assert attempts.by_key(t, enrolment.id, "k").raw == raw


@stores.BOTH
def test_tries_are_spent_one_by_one_and_no_more_than_allowed(store):
    with store.writing() as t:
        _, _, enrolment, quiz = course_with_student(t)
    for n in range(3):
        with store.writing() as t:
            attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), f"k{n}", meaning=f"m{n}"))
    with pytest.raises(attempts.NoTryLeft), store.writing() as t:
        attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), "k9", meaning="m9"))
    with store.reading() as t:
        tally = tally_of(t, enrolment, quiz)
        assert (tally.used, tally.closed, tally.left) == (3, True, 0)
        assert [a.n for a in attempts.attempts_at(t, [tally.issued_id])[tally.issued_id]] == [1, 2, 3]
        assert tally_of(t, enrolment, quiz, "b").left == 3


@stores.BOTH
def test_a_right_answer_closes_the_part(store):
    with store.writing() as t:
        _, _, enrolment, quiz = course_with_student(t)
        attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), "k", closes=True))
    with pytest.raises(attempts.NoTryLeft), store.writing() as t:
        attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), "k2", meaning="other"))


@stores.BOTH
def test_a_taken_key_or_meaning_undoes_the_spending(store):
    with store.writing() as t:
        _, _, enrolment, quiz = course_with_student(t)
        attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), "k", meaning="m"))
    for key, meaning in (("k", "other"), ("other", "m")):
        with pytest.raises(Duplicate), store.writing() as t:
            attempts.add(t, new(enrolment, tally_of(t, enrolment, quiz), key, meaning=meaning))
    with store.reading() as t:
        assert tally_of(t, enrolment, quiz).used == 1
        assert attempts.by_meaning(t, tally_of(t, enrolment, quiz).id, "m").n == 1


@stores.BOTH
def test_32_writers_at_the_last_try_spend_it_once(store):
    with store.writing() as t:
        _, _, enrolment, quiz = course_with_student(t)
        tally = tally_of(t, enrolment, quiz)
        for n in range(2):
            attempts.add(t, new(enrolment, tally, f"before{n}", meaning=f"before{n}"))

    def race(n):
        try:
            with store.writing() as t:
                attempts.add(t, new(enrolment, tally, f"race{n}", meaning=f"race{n}"))
        except attempts.NoTryLeft:
            return 0
        return 1

    with ThreadPoolExecutor(32) as pool:
        assert sum(pool.map(race, range(32))) == 1
    with store.reading() as t:
        assert tally_of(t, enrolment, quiz).used == 3
        assert len(attempts.attempts_at(t, [tally.issued_id])[tally.issued_id]) == 3


@stores.BOTH
def test_sign_ins_are_counted_in_a_window_and_forgotten(store):
    minute, hour = timedelta(minutes=1), timedelta(hours=1)

    def count(buckets, at):
        with store.writing() as t:
            return people.count_sign_in(t, buckets, at=at, since=at - minute, forget=at - hour)

    assert [count(["a", "b"], NOW), count(["a", "c"], NOW), count(["d"], NOW)] == [1, 2, 1]
    assert count(["a"], NOW + 2 * minute) == 1
    assert count(["z"], NOW + 2 * hour) == 1
    with store.reading() as t:
        assert t.execute(text("SELECT count(*) FROM sign_ins")).scalar() == 1


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_locked_database_is_named_and_keeps_nothing(kind, tmp_path):
    with stores.opened(kind, tmp_path, lock_wait=0.2) as store:
        other = sqlite3.connect(tmp_path / "maskwise.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked"), store.writing() as t:
            course_with_student(t)
        with store.reading() as t:  # readers go on
            assert courses.course_by_slug(t, "dl") is None
        other.execute("ROLLBACK")
        other.close()
        with store.writing() as t:
            course_with_student(t)


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_full_disk_is_named_keeps_nothing_and_passes(kind, tmp_path):
    with stores.opened(kind, tmp_path) as store:
        with store.writing() as t:
            pages = t.execute(text("PRAGMA page_count")).scalar()
            t.execute(text(f"PRAGMA max_page_count={pages + 1}"))
        with pytest.raises(StoreUnavailable, match="full"), store.writing() as t:
            t.execute(
                insert(tables.users),
                [{"email": f"{n}@x", "name": "n" * 200, "created_at": NOW} for n in range(500)],
            )
        with store.writing() as t:
            assert t.execute(text("SELECT count(*) FROM users")).scalar() == 0
            t.execute(text("PRAGMA max_page_count=100000"))
        with store.writing() as t:
            course_with_student(t)


def test_a_postgresql_server_that_is_away_is_named():
    store = Store("postgresql+psycopg://nobody@127.0.0.1:1/none")
    with pytest.raises(StoreUnavailable), store.reading():
        pass


def test_other_databases_are_refused():
    with pytest.raises(ValueError, match="mysql"):
        Store("mysql://localhost/x")
