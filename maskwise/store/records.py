"""What the store gives back: frozen records with no tie to the database, safe to hold after the transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class User:
    """An account; `password_hash` is none when nobody can sign in to it with a password."""

    id: int
    email: str
    name: str
    password_hash: str | None


@dataclass(frozen=True)
class Course:
    """A course with the zone its dates are read in and the secret its sealed variants are drawn with."""

    id: int
    slug: str
    title: str
    time_zone: str
    secret: bytes


@dataclass(frozen=True)
class Enrolment:
    """One person's part in one course: student, assistant or instructor."""

    id: int
    course_id: int
    user_id: int
    role: str

    @property
    def staff(self) -> bool:
        """Whether this person may see keys and other people's work."""
        return self.role in {"assistant", "instructor"}


@dataclass(frozen=True)
class Quiz:
    """A published quiz. `plan` is the text it was published from; a change of it is a new version."""

    id: int
    course_id: int
    slug: str
    title: str
    plan: str
    version: int
    mode: str
    tries: int
    due_at: datetime | None
    published_at: datetime


@dataclass(frozen=True)
class Issued:
    """A frozen variant in one person's hands; `variant` is canonical JSON, `points` an exact fraction as text."""

    id: int
    enrolment_id: int
    quiz_id: int
    number: int
    item: str
    code: str
    points: str
    variant: str


@dataclass(frozen=True)
class Tally:
    """How many tries of one part are used; closed parts take no more."""

    id: int
    issued_id: int
    part: str
    used: int
    allowed: int
    closed: bool

    @property
    def left(self) -> int:
        """How many tries are left."""
        return 0 if self.closed else self.allowed - self.used


@dataclass(frozen=True)
class Attempt:
    """One answer as it was sent and judged. `n` counts the tries from 1, none when the answer was not counted."""

    id: int
    tally_id: int
    part: str
    raw: str
    verdict: dict[str, Any]
    outcome: str
    counted: bool
    n: int | None
    repeats_id: int | None
    grader: str
    body_hash: str
    at: datetime


@dataclass(frozen=True)
class NewAttempt:
    """An attempt about to be stored; `meaning` is set when it is to be counted."""

    tally_id: int
    enrolment_id: int
    raw: str
    verdict: dict[str, Any]
    outcome: str
    meaning: str | None
    repeats_id: int | None
    closes: bool
    grader: str
    idempotency_key: str
    body_hash: str
    at: datetime


@dataclass(frozen=True)
class Wanted:
    """Which attempts of a course to list; none means any.

    At most `limit`, after leaving out the newest `skip`, of those older than the attempt `before`.
    """

    enrolment_id: int | None = None
    quiz_id: int | None = None
    number: int | None = None
    outcome: str | None = None
    limit: int | None = None
    skip: int | None = None
    before: int | None = None


@dataclass(frozen=True)
class ClassAttempt:
    """An attempt as the staff of a course read it: with the person, the question and the variant behind it."""

    attempt: Attempt
    name: str
    email: str
    enrolment_id: int
    quiz_id: int
    quiz: str
    issued_id: int
    number: int
    code: str
    points: str
