"""What a student may see of a question: the one place where a variant, with keys and proof, becomes a view without.

Pages get these views and never a variant. Evidence (the key, what PyTorch printed, the solution) is in a view only when
the part is closed, and with it every part whose key that evidence would tell (`telling`); a family, a level, a seed or
a hash never is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from generator.variant import part_letters, part_points
from maskwise.services.picking import key_of, offered, told, widget
from maskwise.services.preview import Reading
from maskwise.services.scoring import best_scores, earned, one_try
from maskwise.services.telling import told_by

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from generator.variant import Variant
    from grader.part import Part
    from maskwise.services.picking import Option, Widget
    from maskwise.store.records import Attempt, Issued, Quiz, Tally


@dataclass(frozen=True)
class Said:
    """One attempt as its student reads it.

    `result` is a code, the words for it stand in the pages: right, carried, wrong, rounded, repeat, unreadable, ask,
    undecided, no_runner. `words` is Markdown. `shown` is the answer as a list shows it, see
    `picking.told`.
    """

    when: str
    iso: str
    letter: str
    raw: str
    shown: str
    result: str
    counted: bool
    reading: Reading
    words: str | None
    witness: str | None
    other_order: bool
    repeats: str | None


@dataclass(frozen=True)
class Evidence:
    """What a closed part shows. `axes` are (size, letter or empty) when the key is a shape; `solution` is Markdown.

    A key that no run can show has neither `line` nor `printed`.
    """

    key: Reading
    axes: tuple[tuple[str, str], ...] | None
    line: str
    printed: str
    solution: str


@dataclass(frozen=True)
class PartView:
    """One part. state: open, right, spent. `declared` is what reading may use, as the preview sends it back.

    `widget` is what it is answered with, `options` what can be picked there. `one_try` says that it has one try,
    `together` are the letters of the parts that must be right for this one to count, and `held` says that it is right
    and does not count yet.

    `own` is how the right answer was read. `tells` are the parts whose keys the evidence of this one would tell, and
    `waits_for` the letters of those that are open. Until they are closed, a part that was answered right shows what
    PyTorch printed, which says no more than the student did, but no solution; a spent one shows nothing.
    """

    id: str
    letter: str
    ask: str
    hint: str
    kind: str
    widget: Widget
    options: tuple[Option, ...]
    declared: dict[str, Any]
    state: str
    one_try: bool
    together: tuple[str, ...]
    held: bool
    used: int
    allowed: int
    left: int
    points: str
    earned: str
    partly: bool
    last: Said | None
    own: Reading | None
    evidence: Evidence | None
    tells: frozenset[str]
    waits_for: tuple[str, ...]


@dataclass(frozen=True)
class QuestionView:
    """A question with its parts, and the tries at it, newest first."""

    number: int
    code: str
    title: str
    stem: str
    points: str
    earned: str
    parts: tuple[PartView, ...]
    log: tuple[Said, ...]

    def part(self, part_id: str) -> PartView | None:
        """Return one part; none when it is not asked here."""
        return next((part for part in self.parts if part.id == part_id), None)


@dataclass(frozen=True)
class Step:
    """A question as the row of segments shows it. state: done, closed, half, none."""

    number: int
    title: str
    state: str
    closed: int
    parts: int
    earned: Fraction
    points: Fraction


def view(
    quiz: Quiz, item: Issued, variant: Variant, tallies: Mapping[str, Tally], said: Sequence[Attempt], zone: str
) -> QuestionView:
    """Show one question to the student who holds it. `said` are the attempts at it, oldest first."""
    shares = part_points(variant.parts, Fraction(item.points))
    letters = part_letters(variant.parts)
    still_open = {part.id for part in variant.parts if not tallies[part.id].closed}
    tells = {part.id: frozenset(told_by(variant, part)) for part in variant.parts if part.id not in still_open}
    free = {part_id for part_id, others in tells.items() if not others & still_open}
    log = {
        attempt.id: _said(quiz, variant, tallies, attempt, letters, said, ZoneInfo(zone), free=free) for attempt in said
    }
    scores, counts = best_scores(variant.parts, said), earned(variant.parts, said)
    parts = []
    for part in variant.parts:
        tally = tallies[part.id]
        mine = [attempt for attempt in said if attempt.part == part.id]
        once = one_try(quiz, part)
        got = counts[part.id] * shares[part.id]
        parts.append(
            PartView(
                id=part.id,
                letter=letters[part.id],
                ask=variant.words[f"ask_{part.id}"],
                hint=variant.words.get(f"hint_{part.id}", ""),
                kind=part.answer.kind,
                widget=widget(part),
                options=offered(part),
                declared=part.context.to_json(),
                state=_state(tally, mine),
                one_try=once,
                together=tuple(sorted(letters[other] for other in part.together if other in letters)),
                held=counts[part.id] < scores[part.id],
                used=tally.used,
                allowed=1 if once else tally.allowed,
                left=min(tally.left, 1) if once else tally.left,
                points=said_points(shares[part.id]),
                earned=said_points(got),
                partly=0 < got < shares[part.id],
                last=log[mine[-1].id] if mine else None,
                own=next((log[attempt.id].reading for attempt in mine if attempt.outcome == "right"), None),
                evidence=_shown(variant, part, right=_state(tally, mine) == "right", free=part.id in free),
                tells=tells.get(part.id, frozenset()),
                waits_for=tuple(sorted(letters[other] for other in tells.get(part.id, frozenset()) & still_open)),
            )
        )
    return QuestionView(
        number=item.number,
        code=item.code,
        title=variant.words["title"],
        stem=variant.words["stem"],
        points=said_points(Fraction(item.points)),
        earned=said_points(sum((counts[part.id] * shares[part.id] for part in variant.parts), Fraction(0))),
        parts=tuple(parts),
        log=tuple(reversed(log.values())),
    )


def step(item: Issued, variant: Variant, tallies: Mapping[str, Tally], said: Sequence[Attempt]) -> Step:
    """Sum one question up for the row of segments and the list of questions."""
    shares = part_points(variant.parts, Fraction(item.points))
    counts = earned(variant.parts, said)
    points = sum((counts[part.id] * shares[part.id] for part in variant.parts), Fraction(0))
    closed = sum(tallies[part.id].closed for part in variant.parts)
    if closed == len(variant.parts):
        state = "done" if points == Fraction(item.points) else "closed"
    else:
        state = "half" if any(attempt.counted for attempt in said) else "none"
    return Step(item.number, variant.words["title"], state, closed, len(variant.parts), points, Fraction(item.points))


def said_points(points: Fraction) -> str:
    """Write points as people do: whole numbers bare, halves and quarters as decimals, thirds as fractions."""
    if points.denominator == 1:
        return str(points.numerator)
    if 100 % points.denominator == 0:
        return f"{float(points):g}"
    return str(points)


def result_of(attempt: Attempt) -> str:
    """Sum an attempt up in one code, see `Said`."""
    if attempt.repeats_id is not None:
        return "repeat"
    if attempt.outcome == "right":
        return "right"
    if attempt.outcome == "wrong":
        return "carried" if attempt.verdict["carried"] else "wrong"
    note = attempt.verdict["note"]
    return note if note in {"rounded", "ask", "undecided", "no_runner"} else "unreadable"


def clock(moment: datetime, zone: ZoneInfo, *, day_of: datetime | None = None) -> str:
    """Write a moment as a clock in the zone of the course shows it, with its day where that is another one."""
    local = moment.astimezone(zone)
    if day_of is not None and local.date() == day_of.astimezone(zone).date():
        return f"{local:%H:%M}"
    return f"{local:%a} {local.day} {local:%b}, {local:%H:%M}"


def _state(tally: Tally, said: Iterable[Attempt]) -> str:
    if any(attempt.outcome == "right" for attempt in said):
        return "right"
    return "spent" if tally.closed else "open"


def _said(
    quiz: Quiz,
    variant: Variant,
    tallies: Mapping[str, Tally],
    attempt: Attempt,
    letters: Mapping[str, str],
    others: Sequence[Attempt],
    zone: ZoneInfo,
    *,
    free: Collection[str],
) -> Said:
    part = variant.part(attempt.part)
    result = result_of(attempt)
    words, witness = (
        _feedback(variant, part, attempt, closed=tallies[part.id].closed) if _missed(result) else (None, None)
    )
    before = next((other for other in others if other.id == attempt.repeats_id), None)
    order_told = part.id in free or (quiz.mode == "practice" and not tallies[part.id].closed)
    reading = Reading.from_json(attempt.verdict["reading"])
    return Said(
        when=clock(attempt.at, zone, day_of=others[-1].at),
        iso=attempt.at.isoformat(),
        letter=letters[part.id],
        raw=attempt.raw,
        shown=told(offered(part), reading, attempt.raw),
        result=result,
        counted=attempt.counted,
        reading=reading,
        words=words,
        witness=witness,
        other_order=order_told and attempt.verdict["note"] == "other_order",
        repeats=clock(before.at, zone, day_of=others[-1].at) if before else None,
    )


def _missed(result: str) -> bool:
    return result in {"wrong", "repeat", "carried"}


def _feedback(variant: Variant, part: Part, attempt: Attempt, *, closed: bool) -> tuple[str | None, str | None]:
    """Find the words for a wrong answer: those of its slip with the witness, else the hint of the part."""
    if attempt.verdict["carried"]:
        return None, None
    slip = next((slip for slip in part.slips if slip.id == attempt.verdict["slip"]), None)
    if slip is None:
        return variant.words.get(f"hint_{part.id}"), None
    words = variant.words.get(f"slip_{part.id}_{slip.id}")
    # A witness that holds the line of the key would tell it: it waits until the part is closed.
    witness = slip.witness if closed or not slip.reveals else None
    return words, witness


def _shown(variant: Variant, part: Part, *, right: bool, free: bool) -> Evidence | None:
    if free:
        return _evidence(variant, part)
    return replace(_evidence(variant, part), solution="") if right else None


def _evidence(variant: Variant, part: Part) -> Evidence:
    route = variant.certificate.routes.get(part.id) if variant.certificate else None
    return Evidence(
        key=key_of(part.answer),
        axes=_key_axes(variant, part),
        line=route.line if route else "",
        printed=route.printed if route else "",
        solution=variant.words.get(f"solution_{part.id}", ""),
    )


def _key_axes(variant: Variant, part: Part) -> tuple[tuple[str, str], ...] | None:
    """Name the axes of a key that is a shape: sizes are all different, so a size tells its letter."""
    if part.answer.kind not in {"shape", "shape_sym"}:
        return None
    sizes = {
        str(size): letter
        for letter, size in variant.given.items()
        if len(letter) == 1 and letter.isupper() and isinstance(size, int)
    }
    inside = part.answer.display().strip("()")
    axes = [axis.strip() for axis in inside.split(",") if axis.strip()]
    return tuple((axis, sizes.get(axis, axis if len(axis) == 1 and axis.isupper() else "")) for axis in axes)
