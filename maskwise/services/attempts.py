"""Sending an answer, and the record of what was sent.

submit() reads and grades first, which touches nothing, and then stores: the try and the attempt in one transaction.
Everything that is not a verdict (unreadable, two readings, undecided in time, no PyTorch) is stored and costs nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from generator.variant import Variant
from grader.grade import grade
from grader.read import Ok, read, value_to_json
from grader.verdict import Verdict
from maskwise import __version__
from maskwise.services import picking
from maskwise.services.preview import LONGEST, described
from maskwise.services.scoring import one_try
from maskwise.store import Duplicate, attempts, courses
from maskwise.store.records import NewAttempt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from grader.part import Part
    from maskwise.store import Store
    from maskwise.store.records import Attempt, Course, Enrolment, Issued, Quiz, Tally

log = structlog.get_logger(__name__)

A_MINUTE = timedelta(minutes=1)
TRIES_A_MINUTE = 10  # at one question
SENDS_A_MINUTE = 60  # to one question, those that spend no try with them
KEY = re.compile(r"[A-Za-z0-9_-]{16,64}")


class Observer(Protocol):
    """Who asks PyTorch: what it gave for the keys of a variant, or none when it cannot be asked."""

    def observed(self, variant: Variant) -> Mapping[str, Any] | None:
        """Give the value of each part's key as the run gave it."""


class Missing(Exception):
    """There is no such quiz, question or part for this person: the same for what is not there and not theirs."""


class BadKey(Exception):
    """The form did not bring the key that makes sending it twice safe."""


class KeyReused(Exception):
    """The key of this form stored another answer before; that one stays."""


class PartClosed(Exception):
    """The part takes no more answers: right, tries used, or the quiz is over."""


class TooFast(Exception):
    """Too many answers to one question in a minute."""


@dataclass(frozen=True)
class Place:
    """A question in somebody's hands, with all that a page or a verdict about it needs."""

    quiz: Quiz
    course: Course
    enrolment: Enrolment
    item: Issued
    variant: Variant
    tallies: dict[str, Tally]
    said: list[Attempt]


def place(store: Store, user_id: int, quiz_id: int, number: int) -> Place:
    """Find a question that a student holds. Raises Missing."""
    with store.reading() as t:
        found = courses.quiz_for(t, quiz_id, user_id)
        item = courses.issued_item(t, found[2].id, quiz_id, number) if found else None
        if found is None or item is None:
            raise Missing
        tallies = attempts.tallies_of(t, [item.id])[item.id]
        said = attempts.attempts_at(t, [item.id]).get(item.id, [])
    return Place(*found, item, Variant.from_json(json.loads(item.variant)), tallies, said)


def submit(
    store: Store,
    observer: Observer,
    *,
    user_id: int,
    quiz_id: int,
    number: int,
    part_id: str,
    text: str,
    key: str,
    now: datetime,
    picks: Sequence[str] = (),
    filled: str = "",
    tries_a_minute: int = TRIES_A_MINUTE,
    sends_a_minute: int = SENDS_A_MINUTE,
) -> Attempt:
    """Take one answer and give the attempt that stands for it, stored now or under the same key before.

    It is typed (`text`) or picked (`picks`; `filled` is what the page had put into the box). Raises Missing, NoPick,
    Nothing, BadKey, KeyReused, PartClosed, TooFast, and StoreUnavailable when nothing could be kept.
    """
    at = place(store, user_id, quiz_id, number)
    tally = at.tallies.get(part_id)
    if tally is None:
        raise Missing
    part = at.variant.part(part_id)
    text = picking.sent(part.kind, picking.offered(part), text, picks, filled)
    if not KEY.fullmatch(key):
        raise BadKey
    body_hash = _hash(json.dumps([quiz_id, number, part_id, text]))
    if (before := _stored(store, at.enrolment.id, key, body_hash)) is not None:
        return before
    if tally.closed or (at.quiz.due_at is not None and now > at.quiz.due_at):
        raise PartClosed
    with store.reading() as t:
        spent, sent = attempts.count_since(t, at.enrolment.id, at.item.id, now - A_MINUTE)
    if spent >= tries_a_minute or sent >= sends_a_minute:
        raise TooFast
    verdict = _judged(observer, at, part, text)
    new = NewAttempt(
        tally_id=tally.id,
        enrolment_id=at.enrolment.id,
        raw=text[:LONGEST],
        verdict=_plain(verdict, part, text),
        outcome=verdict.outcome,
        meaning=_meaning(verdict, part, text),
        repeats_id=None,
        closes=verdict.outcome == "right" or one_try(at.quiz, part),  # spending a try and closing are one statement
        grader=f"maskwise {__version__}",
        idempotency_key=key,
        body_hash=body_hash,
        at=now,
    )
    return _keep(store, new)


def _keep(store: Store, new: NewAttempt) -> Attempt:
    """Store the attempt; whoever was faster with the same key, the same meaning or the last try decides."""
    for _ in range(3):
        try:
            with store.writing() as t:
                same = attempts.by_meaning(t, new.tally_id, new.meaning) if new.meaning else None
                attempts.add(t, new if same is None else _repeated(new, same))
        except attempts.NoTryLeft:
            found = _stored(store, new.enrolment_id, new.idempotency_key, new.body_hash)
            if found is None:
                raise PartClosed from None
            return found
        except Duplicate:
            pass  # the same key, or the same meaning a moment ago: the next round sees which
        found = _stored(store, new.enrolment_id, new.idempotency_key, new.body_hash)
        if found is not None:
            return found
    raise AssertionError("a row that is there twice is not there")


def _repeated(new: NewAttempt, same: Attempt) -> NewAttempt:
    """Store a second answer of the same meaning as not counted, pointing at the first."""
    fields = {**vars(new), "meaning": None, "repeats_id": same.id, "closes": False}
    return NewAttempt(**fields)


def _stored(store: Store, enrolment_id: int, key: str, body_hash: str) -> Attempt | None:
    with store.reading() as t:
        found = attempts.by_key(t, enrolment_id, key)
    if found is not None and found.body_hash != body_hash:
        raise KeyReused
    return found


def _judged(observer: Observer, at: Place, part: Part, text: str) -> Verdict:
    before: dict[str, Sequence[str]] = {
        each.id: [said.raw for said in at.said if said.part == each.id] for each in at.variant.parts
    }
    try:
        observed = observer.observed(at.variant)
    except Exception:
        log.exception("observer failed", code=at.item.code)
        observed = None
    try:
        return grade(
            at.variant.parts,
            {part.id: text},
            before,
            observed=observed,
            mode="practice" if at.quiz.mode == "practice" else "homework",
        )[part.id]
    except Exception:
        log.exception("grading failed", code=at.item.code, part=part.id)
        return Verdict(
            outcome="not_graded",
            score=Fraction(0),
            read_as=None,
            slip=None,
            note="undecided",
            carried=False,
            checked=(),
            reading=None,
        )


def _plain(verdict: Verdict, part: Part, text: str) -> dict[str, Any]:
    """Put a verdict into codes and values, with how the text was read."""
    reading = verdict.reading if verdict.reading is not None else read(part.answer.kind, text, part.context)
    return {
        "outcome": verdict.outcome,
        "score": str(verdict.score),
        "slip": verdict.slip,
        "note": verdict.note,
        "carried": verdict.carried,
        "checked": list(verdict.checked),
        "reading": described(part.answer.kind, reading).to_json(),
    }


def _meaning(verdict: Verdict, part: Part, text: str) -> str | None:
    """Name what a counted answer says: its value and what it earned; none when it is not counted."""
    if verdict.outcome == "not_graded":
        return None
    result = read(part.answer.kind, text, part.context)
    value = value_to_json(part.answer.kind, result.value) if isinstance(result, Ok) else text
    return _hash(json.dumps([value, str(verdict.score)]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
