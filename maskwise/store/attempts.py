"""Tries and attempts: one guarded statement spends a try, and the attempt stands in the same transaction.

Two requests can race for the last try, a client can send the same request twice, and a process can die at any point.
The database alone decides: the update finds no free try, or the unique key is taken, and the transaction keeps nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, insert, literal, or_, select, update

from maskwise.store.records import Attempt, ClassAttempt, NewAttempt, Tally, Wanted
from maskwise.store.tables import attempts, enrolments, issued, quizzes, tallies, users

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Row

    from maskwise.store.database import Transaction

_TALLY = (
    tallies.c.id,
    tallies.c.issued_id,
    tallies.c.part,
    tallies.c.used,
    tallies.c.allowed,
    tallies.c.closed,
)
_ATTEMPT = (
    attempts.c.id,
    attempts.c.tally_id,
    tallies.c.part,
    attempts.c.raw,
    attempts.c.verdict,
    attempts.c.outcome,
    attempts.c.counted,
    attempts.c.n,
    attempts.c.repeats_id,
    attempts.c.grader,
    attempts.c.body_hash,
    attempts.c.at,
)


class NoTryLeft(Exception):
    """The part is closed: answered right, or its tries are used. Nothing was kept."""


def spend(t: Transaction, tally_id: int, *, closes: bool) -> int:
    """Spend one try and tell which it was, from 1; a right answer closes the part at once.

    Raises NoTryLeft. This is the only place where a try is counted, and it is one statement.
    """
    n = t.execute(
        update(tallies)
        .where(tallies.c.id == tally_id, tallies.c.used < tallies.c.allowed, tallies.c.closed.is_(False))
        .values(used=tallies.c.used + 1, closed=or_(literal(closes), tallies.c.used + 1 >= tallies.c.allowed))
        .returning(tallies.c.used)
    ).scalar()
    if n is None:
        raise NoTryLeft
    return int(n)


def add(t: Transaction, new: NewAttempt) -> None:
    """Store one attempt; one with a meaning is counted and spends a try.

    Raises NoTryLeft, or Duplicate when the key or, for a counted one, the meaning is there already: then nothing
    is kept, and the caller looks which of the two it was.
    """
    counted = new.meaning is not None
    n = spend(t, new.tally_id, closes=new.closes) if counted else None
    t.execute(
        insert(attempts).values(
            tally_id=new.tally_id,
            enrolment_id=new.enrolment_id,
            raw=new.raw,
            verdict=json.dumps(new.verdict, sort_keys=True, separators=(",", ":")),
            outcome=new.outcome,
            counted=counted,
            n=n,
            meaning=new.meaning,
            repeats_id=new.repeats_id,
            grader=new.grader,
            idempotency_key=new.idempotency_key,
            body_hash=new.body_hash,
            at=new.at,
        )
    )


def by_key(t: Transaction, enrolment_id: int, idempotency_key: str) -> Attempt | None:
    """Find the attempt that was stored under a key."""
    row = t.execute(
        _select().where(attempts.c.enrolment_id == enrolment_id, attempts.c.idempotency_key == idempotency_key)
    ).first()
    return _attempt(row) if row else None


def by_meaning(t: Transaction, tally_id: int, meaning: str) -> Attempt | None:
    """Find the counted attempt at a part that said the same."""
    row = t.execute(_select().where(attempts.c.tally_id == tally_id, attempts.c.meaning == meaning)).first()
    return _attempt(row) if row else None


def count_since(t: Transaction, enrolment_id: int, issued_id: int, since: datetime) -> tuple[int, int]:
    """Count what a person sent to one question since a moment: (those that spent a try, all)."""
    spent, sent = t.execute(
        select(func.count(attempts.c.n), func.count())
        .select_from(attempts)
        .join(tallies, tallies.c.id == attempts.c.tally_id)
        .where(
            attempts.c.enrolment_id == enrolment_id,
            attempts.c.at > since,
            tallies.c.issued_id == issued_id,
        )
    ).one()
    return int(spent), int(sent)


def tallies_of(t: Transaction, issued_ids: Iterable[int]) -> dict[int, dict[str, Tally]]:
    """Give the tallies of several questions: question -> part -> tally."""
    found: dict[int, dict[str, Tally]] = {}
    for row in t.execute(select(*_TALLY).where(tallies.c.issued_id.in_(list(issued_ids))).order_by(tallies.c.id)):
        tally = Tally(*row)
        found.setdefault(tally.issued_id, {})[tally.part] = tally
    return found


def attempts_at(t: Transaction, issued_ids: Iterable[int]) -> dict[int, list[Attempt]]:
    """Give the attempts at several questions, oldest first: question -> attempts."""
    found: dict[int, list[Attempt]] = {}
    query = _select(tallies.c.issued_id).where(tallies.c.issued_id.in_(list(issued_ids))).order_by(attempts.c.id)
    for row in t.execute(query):
        found.setdefault(int(row[-1]), []).append(_attempt(row[:-1]))
    return found


def of_course(t: Transaction, course_id: int, wanted: Wanted) -> list[ClassAttempt]:
    """List the attempts of a course that match, newest first, of all its people or of one."""
    query = (
        _matching(
            _select(
                users.c.name,
                users.c.email,
                enrolments.c.id,
                quizzes.c.id,
                quizzes.c.title,
                issued.c.id,
                issued.c.number,
                issued.c.code,
                issued.c.points,
            ),
            course_id,
            wanted,
        )
        .order_by(attempts.c.id.desc())
        .limit(wanted.limit)
        .offset(wanted.skip)
    )
    return [ClassAttempt(_attempt(row[: len(_ATTEMPT)]), *row[len(_ATTEMPT) :]) for row in t.execute(query)]


def count_of_course(t: Transaction, course_id: int, wanted: Wanted) -> dict[tuple[str, bool], int]:
    """Count the attempts that match by (outcome, counted)."""
    query = _matching(
        select(attempts.c.outcome, attempts.c.counted, func.count()).join(tallies, tallies.c.id == attempts.c.tally_id),
        course_id,
        wanted,
    ).group_by(attempts.c.outcome, attempts.c.counted)
    return {(outcome, bool(counted)): int(n) for outcome, counted, n in t.execute(query)}


def _matching(query: Select[Any], course_id: int, wanted: Wanted) -> Select[Any]:
    query = (
        query.join(issued, issued.c.id == tallies.c.issued_id)
        .join(quizzes, quizzes.c.id == issued.c.quiz_id)
        .join(enrolments, enrolments.c.id == attempts.c.enrolment_id)
        .join(users, users.c.id == enrolments.c.user_id)
        .where(enrolments.c.course_id == course_id)
    )
    for column, value in (
        (enrolments.c.id, wanted.enrolment_id),
        (quizzes.c.id, wanted.quiz_id),
        (issued.c.number, wanted.number),
        (attempts.c.outcome, wanted.outcome),
    ):
        if value is not None:
            query = query.where(column == value)
    return query if wanted.before is None else query.where(attempts.c.id < wanted.before)


def _select(*more: Any) -> Select[Any]:
    return select(*_ATTEMPT, *more).join(tallies, tallies.c.id == attempts.c.tally_id)


def _attempt(row: Row[Any] | tuple[Any, ...]) -> Attempt:
    values = list(row)
    values[4] = json.loads(values[4])
    return Attempt(*values)
