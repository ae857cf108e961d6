"""From what a student typed to verdicts: read, compare with the key and with the run, name the slip.

No verdict of right or wrong is given where the answer cannot be read, where equality stays undecided, where no run
confirms the key, or where key and run disagree; none of these costs a try.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal

from grader.answers import (
    Answer,
    ChoiceAnswer,
    Decimal,
    ExprAnswer,
    Int,
    Judgement,
    MultiAnswer,
    Rational,
    Seq,
    SetAnswer,
    Shape,
    ShapeSym,
    TensorAnswer,
)
from grader.effort import DECIDING, Effort
from grader.equality.undecided import Undecided
from grader.expr import Expr
from grader.read import Ok, Reject, Value, read
from grader.verdict import Note, Reading, Verdict

if TYPE_CHECKING:
    from grader.part import Part

Mode = Literal["practice", "homework", "exam"]

# What stands in ``observed`` for a part whose key no run can confirm; its certificate says so too.
FORMULA_ONLY = "formula only"

_ROUNDED_AT_MOST = 2
_LOOKED_AT = 40  # earlier answers of a part, the latest ones: those that cannot be read are free, and may be many
_NOTHING = Fraction(0)
_HALF = Fraction(1, 2)
_CLOSE = Fraction(1, 100_000)  # absolute and relative, for values that a run gives as a float


def grade(
    parts: Sequence[Part],
    submitted: Mapping[str, str],
    before: Mapping[str, Sequence[str]] | None = None,
    *,
    observed: Mapping[str, Any] | None,
    mode: Mode = "homework",
) -> dict[str, Verdict]:
    """Return a verdict for each part that was submitted, in the order of the parts.

    ``before`` holds earlier raw answers by part, oldest first. ``observed`` holds what the run gave for the key of
    each part: a list for shapes, a number or exact text for values, {"sizes": {...}, "shape": [...]} (or "value") for
    parts in letters, nested lists for lists, sets and tensors, words for options, "formula only" where no run can be.
    A part of another kind that is asked as a choice has what its own kind has. Raises ``ValueError`` for a part that
    does not exist.
    """
    by_id = {part.id: part for part in parts}
    if unknown := [name for name in submitted if name not in by_id]:
        raise ValueError(f"no part is called {unknown[0]!r}; there are {', '.join(by_id)}")
    history = before or {}
    seen = observed or {}
    return {
        part.id: _grade_part(part, submitted, history, by_id, seen.get(part.id), mode)
        for part in parts
        if part.id in submitted
    }


def _grade_part(
    part: Part,
    submitted: Mapping[str, str],
    before: Mapping[str, Sequence[str]],
    by_id: Mapping[str, Part],
    observed: Any,
    mode: Mode,
) -> Verdict:
    raw = submitted[part.id]
    reading = read(part.kind, raw, part.context)
    if not isinstance(reading, Ok):
        note: Note = "ask" if not isinstance(reading, Reject) else "unreadable" if raw.strip() else "empty"
        return _not_graded(note, reading)
    if observed is None:
        return _not_graded("no_runner", reading)
    with Effort(DECIDING):  # for key, run and slips together
        return _decided(part, reading, submitted, before, by_id, observed, mode)


def _decided(
    part: Part,
    reading: Ok,
    submitted: Mapping[str, str],
    before: Mapping[str, Sequence[str]],
    by_id: Mapping[str, Part],
    observed: Any,
    mode: Mode,
) -> Verdict:
    judgement, checked = _held_against(part.answer, reading.value, observed)
    if judgement.outcome == "undecided":
        return _not_graded("undecided", reading, checked)
    if judgement.outcome == "right":
        return Verdict("right", Fraction(1), reading.read_as, checked=checked, reading=reading)
    if judgement.outcome == "rounded" and mode != "exam" and _rounded_before(part, before) < _ROUNDED_AT_MOST:
        return _not_graded("rounded", reading, checked)
    if _is_carried(part, reading.value, submitted, before, by_id, mode):
        return Verdict("wrong", _HALF, reading.read_as, None, "carried", carried=True, checked=checked, reading=reading)
    slip = next((slip.id for slip in part.slips if _matches(slip.answer, reading.value)), None)
    return Verdict("wrong", _NOTHING, reading.read_as, slip, judgement.note, checked=checked, reading=reading)


def _matches(answer: Answer, value: Value) -> bool:
    """Say whether a wrong rule gives this value; one whose value is not legal in its part never does."""
    return answer.legal() and answer.judge(value).outcome == "right"


def _not_graded(note: Note, reading: Reading, checked: tuple[str, ...] = ()) -> Verdict:
    read_as = reading.read_as if isinstance(reading, Ok) else None
    return Verdict("not_graded", _NOTHING, read_as, note=note, checked=checked, reading=reading)


# -- key and run


def _held_against(key: Answer, value: Value, observed: Any) -> tuple[Judgement, tuple[str, ...]]:
    """Judge a value by the key, and hold key and value against the run; where these disagree nothing is decided."""
    judgement = key.judge(value)
    if observed == FORMULA_ONLY:
        return judgement, ("formula",)
    checked = ("formula", "run")
    if isinstance(key, ShapeSym | ExprAnswer):
        return _at_sizes(judgement, value, observed), checked
    return (judgement if _confirms(key, observed) else Judgement("undecided")), checked


def _confirms(key: Answer, observed: Any) -> bool:  # noqa: PLR0911 - one line a kind
    """Say whether the run gave the value of the key."""
    match key:
        case Int() | Rational() | Decimal():
            # A run computes shares and means as floats; whole numbers it gives exactly.
            return _is(Fraction(key.number()), observed, exactly=isinstance(key, Int))
        case Shape(axes=axes):
            return isinstance(observed, list | tuple) and list(observed) == list(axes)
        case ShapeSym(axes=axes):
            return _at_sizes(Judgement("right"), axes, observed).outcome == "right"
        case ExprAnswer(value=value):
            return _at_sizes(Judgement("right"), value, observed).outcome == "right"
        case Seq(items=items):
            listed = _list(observed)
            return listed is not None and len(listed) == len(items) and all(map(_is_item, items, listed))
        case SetAnswer(items=items):
            listed = _list(observed)
            positions = None if listed is None else [_position(position) for position in listed]
            return positions is not None and len(positions) == len(items) and set(positions) == items
        case TensorAnswer(rows=rows):
            return _same_entries([list(row) for row in rows], observed)
        case ChoiceAnswer(word=word, of=behind):
            return observed == word if behind is None else _confirms(behind, observed)
        case MultiAnswer(words=words):
            listed = _list(observed)
            return listed is not None and len(listed) == len(words) and all(word in listed for word in words)
    return False


def _list(observed: Any) -> list[Any] | None:
    return list(observed) if isinstance(observed, list | tuple) else None


def _is(wanted: Fraction, observed: Any, *, exactly: bool) -> bool:
    """Say whether a run gave a number: this one, or one that is nearly this one unless that cannot be."""
    number = _number(observed)
    return number is not None and (
        number == wanted or (not exactly and abs(number - wanted) <= _CLOSE * (1 + abs(wanted)))
    )


def _is_item(item: Any, observed: Any) -> bool:
    """Say whether a run gave this item of a list: a number, a word, or a pair."""
    if isinstance(item, tuple):
        return _same_entries(list(item), observed)
    if isinstance(item, int | Fraction):
        return _is(Fraction(item), observed, exactly=isinstance(observed, int))
    return bool(item == observed)


def _position(observed: Any) -> int | None:
    """Return a position, which nonzero() puts in a list of its own."""
    if isinstance(observed, list | tuple) and len(observed) == 1:
        observed = observed[0]
    return observed if type(observed) is int else None


def _same_entries(wanted: Any, observed: Any) -> bool:
    """Say whether two nested lists hold the same numbers or booleans; True is no 1."""
    if not isinstance(wanted, list):
        return type(wanted) is type(observed) and bool(wanted == observed)
    listed = _list(observed)
    return listed is not None and len(listed) == len(wanted) and all(map(_same_entries, wanted, listed))


def _number(observed: Any) -> Fraction | None:
    """Return the number that a run gave: an int, or the exact text of one."""
    if isinstance(observed, bool) or not isinstance(observed, int | float | str | Fraction):
        return None
    try:
        return Fraction(observed)
    except (ValueError, OverflowError, ZeroDivisionError):  # nan, inf, or no number at all
        return None


def _at_sizes(judgement: Judgement, value: Value, observed: Any) -> Judgement:
    """Put the sizes of each run into an answer in letters, and compare with what that run gave.

    An answer that agrees with the key and not with a run leaves nothing decided. One on which the formulas could not
    agree in time is wrong where a run says so, and stays undecided where the runs agree: some sizes are no proof.
    """
    runs = observed if isinstance(observed, list) else [observed]
    agrees = [_agrees_at(value, run) for run in runs]
    if not agrees or None in agrees:
        return Judgement("undecided")
    if judgement.outcome == "right" and not all(agrees):
        return Judgement("undecided")
    if judgement.outcome == "undecided" and not all(agrees):
        return Judgement("wrong")
    return judgement


def _agrees_at(value: Value, run: Any) -> bool | None:
    """Say whether an answer in letters has, at the sizes of a run, the shape or value of it; None where nobody knows.

    The work grows with the text of the answer and not with its value, which may have millions of digits.
    """
    from grader.equality.sizes import gives, gives_nearly  # noqa: PLC0415 - most answers hold no letters

    if not isinstance(run, Mapping) or "sizes" not in run:
        return None
    try:
        sizes = {str(name): int(size) for name, size in run["sizes"].items()}
        wanted = [Fraction(size) for size in run["shape"]] if isinstance(value, tuple) else [Fraction(run["value"])]
    except (KeyError, TypeError, ValueError):
        return None
    try:
        if isinstance(value, Expr):
            return gives_nearly(value, sizes, wanted[0], _CLOSE * (1 + abs(wanted[0])))
        axes = [axis for axis in value if isinstance(axis, Expr)] if isinstance(value, tuple) else []
        return len(axes) == len(wanted) and all(map(gives, axes, repeat(sizes), wanted))
    except Undecided:
        return None
    except (ValueError, ArithmeticError):  # no value there
        return False


# -- what earlier answers allow


@dataclass(frozen=True)
class _Earlier:
    """A value that counted in an earlier part, and whether it was right there; both as they were read."""

    value: int | Fraction
    right: bool


def _rounded_before(part: Part, before: Mapping[str, Sequence[str]]) -> int:
    """Return how often the key came rounded already: that outcome is free, but not for ever."""
    return sum(judgement.outcome == "rounded" for _, judgement in _judged(part, before.get(part.id, ())))


def _judged(part: Part, answers: Sequence[str]) -> Iterator[tuple[Value, Judgement]]:
    """Yield the value and judgement of every answer that can be read, oldest first, of the latest ones."""
    for raw in answers[-_LOOKED_AT:]:
        reading = read(part.kind, raw, part.context)
        if isinstance(reading, Ok):
            yield reading.value, part.answer.judge(reading.value)


def _is_carried(
    part: Part,
    value: Value,
    submitted: Mapping[str, str],
    before: Mapping[str, Sequence[str]],
    by_id: Mapping[str, Part],
    mode: Mode,
) -> bool:
    """Say whether the answer is the key computed from the student's own earlier values, one of which is wrong."""
    if part.carry is None:
        return False
    values: dict[str, int | Fraction] = {}
    wrong = False
    for name in part.follows:
        earlier = by_id.get(name)
        if earlier is None or not isinstance(earlier.answer, Int | Rational | Decimal):
            return False
        own = _own_value(earlier, submitted, before, mode)
        values[name] = Fraction(earlier.answer.number()) if own is None else own.value
        wrong = wrong or (own is not None and not own.right)
    if not wrong:
        return False
    try:
        carried = part.carry.at(values)
        return carried.legal() and carried.judge(value).outcome == "right"
    except (ValueError, ArithmeticError):  # the student's value has no place in the formula
        return False


def _own_value(
    part: Part, submitted: Mapping[str, str], before: Mapping[str, Sequence[str]], mode: Mode
) -> _Earlier | None:
    """Return the student's last counted value for an earlier part: the one handed in now, or the latest before.

    A rounded key counts, as wrong, where it is no longer free.
    """
    latest = (submitted[part.id],) if part.id in submitted else ()
    found: _Earlier | None = None
    rounded = 0
    for value, judgement in _judged(part, (*before.get(part.id, ()), *latest)):
        if judgement.outcome == "rounded":
            rounded += 1
        free = judgement.outcome == "rounded" and mode != "exam" and rounded <= _ROUNDED_AT_MOST
        if isinstance(value, int | Fraction) and judgement.outcome != "undecided" and not free:
            found = _Earlier(value, judgement.outcome == "right")
    return found
