"""Courses, quizzes and records as pages and files list them: a student's own, and for staff the whole class."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from generator.variant import Variant, part_letters, part_points
from maskwise.services import csv_files
from maskwise.services.attempts import Missing
from maskwise.services.picking import offered, told
from maskwise.services.preview import Reading
from maskwise.services.question import Step, clock, result_of, said_points, step
from maskwise.services.scoring import earned_by
from maskwise.store import attempts, courses
from maskwise.store.records import Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from maskwise.store import Store, Transaction
    from maskwise.store.records import Attempt, ClassAttempt, Course, Enrolment, Issued, Quiz

PAGE = 50
OUTCOMES = ("right", "wrong", "not_graded")
_CSV_PAGE = 2000


@dataclass(frozen=True)
class QuizLine:
    """A quiz as its student's home lists it."""

    quiz: Quiz
    due: str | None
    steps: tuple[Step, ...]

    @property
    def done(self) -> int:
        """How many questions are finished, right or not."""
        return sum(step.state in {"done", "closed"} for step in self.steps)

    @property
    def started(self) -> bool:
        """Whether anything was answered."""
        return any(step.state != "none" for step in self.steps)

    @property
    def earned(self) -> str:
        """Points so far."""
        return said_points(sum((step.earned for step in self.steps), Fraction(0)))

    @property
    def points(self) -> str:
        """Points in all."""
        return said_points(sum((step.points for step in self.steps), Fraction(0)))


@dataclass(frozen=True)
class CourseLine:
    """A course as somebody's home lists it."""

    course: Course
    staff: bool
    quizzes: tuple[QuizLine, ...]


@dataclass(frozen=True)
class Row:
    """An attempt in a table. `family`, `level` and `slip` are for staff; a student's own record leaves them empty.

    `shown` is the answer as a table shows it (`picking.told`), `in_words` where it names options.
    """

    when: str
    iso: str
    name: str
    email: str
    quiz: str
    number: int
    letter: str
    raw: str
    shown: str
    in_words: bool
    read_as: str
    result: str
    counted: bool
    n: int | None
    earned: str
    points: str
    code: str
    slip: str
    family: str
    level: int | None
    grader: str


@dataclass(frozen=True)
class ClassPage:
    """One page of a class's attempts with what a filter offers. `counts` sum up all that match."""

    course: Course
    rows: tuple[Row, ...]
    counts: Mapping[str, int]
    page: int
    pages: int
    students: tuple[tuple[int, str], ...]
    quizzes: tuple[tuple[int, str], ...]
    numbers: tuple[int, ...]


def home(store: Store, user_id: int) -> tuple[CourseLine, ...]:
    """List a person's courses; for students with their quizzes and how far they are."""
    with store.reading() as t:
        return tuple(
            CourseLine(course, enrolment.staff, tuple(_quizzes(t, course, enrolment)))
            for course, enrolment in courses.courses_of(t, user_id)
        )


def quiz_of(store: Store, user_id: int, quiz_id: int) -> tuple[Course, QuizLine]:
    """Give a quiz that a student holds with its steps. Raises Missing."""
    with store.reading() as t:
        found = courses.quiz_for(t, quiz_id, user_id)
        if found is None:
            raise Missing
        quiz, course, enrolment = found
        steps = _steps(t, courses.issued_to(t, enrolment.id, quiz.id))
    if not steps:
        raise Missing
    return course, QuizLine(quiz, _due(quiz, course), steps)


def record(store: Store, user_id: int) -> tuple[Row, ...]:
    """List all that one person sent, newest first."""
    with store.reading() as t:
        found: list[Row] = []
        for course, enrolment in courses.courses_of(t, user_id):
            if not enrolment.staff:
                sent = attempts.of_course(t, course.id, Wanted(enrolment_id=enrolment.id))
                found += _rows(t, course, sent, staff=False)
    return tuple(found)


def course_of(store: Store, user_id: int, course_id: int) -> tuple[Course, Enrolment]:
    """Give a course to somebody who is in it. Raises Missing."""
    with store.reading() as t:
        found = courses.course_for(t, course_id, user_id)
    if found is None:
        raise Missing
    return found


def class_page(store: Store, course: Course, wanted: Wanted, page: int) -> ClassPage:
    """List what a class sent, newest first, one page of what matches."""
    with store.reading() as t:
        by_result = attempts.count_of_course(t, course.id, wanted)
        total = sum(by_result.values())
        pages = max(1, -(-total // PAGE))
        page = min(max(1, page), pages)
        there = Wanted(**{**vars(wanted), "limit": PAGE, "skip": (page - 1) * PAGE})
        rows = tuple(_rows(t, course, attempts.of_course(t, course.id, there), staff=True))
        students = courses.people_in(t, course.id, "student")
        quizzes = courses.quizzes_of(t, course.id)
        numbers = courses.numbers_of(t, course.id)
    counted = {outcome: n for (outcome, counted), n in by_result.items() if counted}
    return ClassPage(
        course=course,
        rows=rows,
        counts={
            "all": total,
            "right": counted.get("right", 0),
            "wrong": counted.get("wrong", 0),
            "not_counted": total - sum(counted.values()),
        },
        page=page,
        pages=pages,
        students=tuple((enrolment.id, user.name) for user, enrolment in students),
        quizzes=tuple((quiz.id, quiz.title) for quiz in quizzes),
        numbers=tuple(numbers),
    )


def class_csv(store: Store, course: Course, wanted: Wanted) -> Iterator[bytes]:
    """Write what a class sent as CSV, newest first, with the columns that only staff see."""
    head = (
        *("time_utc", "name", "email", "quiz", "question", "part", "answer", "read_as", "result", "counted", "try"),
        *("points", "of_points", "slip", "family", "level", "lookup_id", "grader"),
    )

    def lines() -> Iterator[tuple[str | int | float | None, ...]]:
        last: int | None = None  # what arrives while the file is written is newer, and moves no page
        while True:
            with store.reading() as t:
                there = Wanted(**{**vars(wanted), "limit": _CSV_PAGE, "before": last})
                sent = attempts.of_course(t, course.id, there)
                rows = _rows(t, course, sent, staff=True)
            for row in rows:
                yield (
                    *(row.iso, row.name, row.email, row.quiz, row.number, row.letter, row.raw, row.read_as, row.result),
                    *("yes" if row.counted else "no", row.n, _number(row.earned), _number(row.points)),
                    *(row.slip, row.family, row.level, row.code, row.grader),
                )
            if len(sent) < _CSV_PAGE:
                return
            last = sent[-1].attempt.id

    return csv_files.rows(head, lines())


def record_csv(store: Store, user_id: int) -> Iterator[bytes]:
    """Write a student's own record as CSV."""
    head = ("time_utc", "quiz", "question", "part", "answer", "read_as", "result", "counted", "points", "lookup_id")
    lines = (
        (
            *(row.iso, row.quiz, row.number, row.letter, row.raw, row.read_as, row.result),
            *("yes" if row.counted else "no", _number(row.earned), row.code),
        )
        for row in record(store, user_id)
    )
    return csv_files.rows(head, lines)


def _number(points: str) -> str | float:
    """Keep a number a number in the file; a third stays as its fraction."""
    return points if "/" in points else float(points)


def _quizzes(t: Transaction, course: Course, enrolment: Enrolment) -> Iterator[QuizLine]:
    for quiz in courses.quizzes_of(t, course.id):
        steps = _steps(t, courses.issued_to(t, enrolment.id, quiz.id))
        if steps or enrolment.staff:
            yield QuizLine(quiz, _due(quiz, course), steps)


def _steps(t: Transaction, items: list[Issued]) -> tuple[Step, ...]:
    ids = [item.id for item in items]
    tallies = attempts.tallies_of(t, ids)
    said = attempts.attempts_at(t, ids)
    return tuple(step(item, _variant(item), tallies[item.id], said.get(item.id, [])) for item in items)


def _due(quiz: Quiz, course: Course) -> str | None:
    return clock(quiz.due_at, ZoneInfo(course.time_zone)) if quiz.due_at else None


def _variant(item: Issued) -> Variant:
    return Variant.from_json(json.loads(item.variant))


def _rows(t: Transaction, course: Course, sent: list[ClassAttempt], *, staff: bool) -> list[Row]:
    zone = ZoneInfo(course.time_zone)
    items = courses.issued_by_id(t, {each.issued_id for each in sent})
    variants = {item_id: _variant(item) for item_id, item in items.items()}
    facts: dict[int, tuple[Variant, dict[str, str], dict[str, Fraction]]] = {
        item_id: (variant, part_letters(variant.parts), part_points(variant.parts, Fraction(items[item_id].points)))
        for item_id, variant in variants.items()
    }
    joined = {item_id for item_id, variant in variants.items() if any(part.together for part in variant.parts)}
    others = attempts.attempts_at(t, joined) if joined else {}  # what such a part counts depends on its reason
    return [_row(each, *facts[each.issued_id], others.get(each.issued_id, []), zone, staff=staff) for each in sent]


def _row(
    each: ClassAttempt,
    variant: Variant,
    letters: Mapping[str, str],
    shares: Mapping[str, Fraction],
    others: list[Attempt],
    zone: ZoneInfo,
    *,
    staff: bool,
) -> Row:
    attempt = each.attempt
    verdict: Mapping[str, Any] = attempt.verdict
    reading = Reading.from_json(verdict["reading"])
    return Row(
        when=clock(attempt.at, zone),
        iso=f"{attempt.at:%Y-%m-%dT%H:%M:%SZ}",
        name=each.name,
        email=each.email,
        quiz=each.quiz,
        number=each.number,
        letter=letters[attempt.part],
        raw=attempt.raw,
        shown=told(offered(variant.part(attempt.part)), reading, attempt.raw),
        in_words=reading.words is not None,
        read_as=reading.read_as or "",
        result=result_of(attempt),
        counted=attempt.counted,
        n=attempt.n,
        earned=said_points(earned_by(variant.parts, others, attempt) * shares[attempt.part]),
        points=said_points(shares[attempt.part]),
        code=each.code,
        slip=(verdict["slip"] or "") if staff else "",
        family=variant.family if staff else "",
        level=variant.level if staff else None,
        grader=attempt.grader,
    )
