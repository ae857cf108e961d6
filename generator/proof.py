"""What makes a key a proven key: the formula, the run and the trace must say the same.

Nothing here computes a key. It turns a draft into the lines PyTorch is asked, holds the answers against the formulas,
and says in a `Route` what agreed.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from generator.faults import Unproven
from generator.variant import Route
from grader.answers import Answer, ChoiceAnswer, Decimal, Int, Rational, Seq, SetAnswer, Shape, ShapeSym, TensorAnswer
from grader.expr import Expr
from grader.grade import FORMULA_ONLY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generator.drafting import Draft
    from generator.family import Ask
    from grader.runner.service import Seen

# A float64 run against an exact value: the sums have a few dozen terms, so 1e-9 is far above their rounding and far
# below any wrong rule.
_CLOSE = Fraction(1, 10**9)


def run_lines(item: Draft) -> Mapping[str, str]:
    """Return the lines to run for a draft.

    <part> for each key, <part>+1 and so on for its other ways of looking, <part>?1 for what must hold, <part>.<slip>
    for each served witness. Keys that no run can show have none; witnesses that the family's proof holds for all sizes
    (`Rule.once`) are left out.
    """
    lines = _lines(item.served)
    if item.family.spell is None:
        return lines
    return {name: item.spelled(line) for name, line in lines.items()}


@lru_cache(maxsize=4096)
def _lines(served: tuple[tuple[Ask, tuple[Any, ...]], ...]) -> Mapping[str, str]:
    lines = {}
    for ask, rules in served:
        if ask.line is not None:
            lines[ask.id] = ask.line
        lines.update(zip(ways(ask), ask.also, strict=True))
        lines.update({f"{ask.id}?{number}": line for number, line in enumerate(ask.holds, start=1)})
        for rule in rules:
            if rule.witness is not None and not rule.once:
                lines[f"{ask.id}.{rule.id}"] = rule.witness
    return lines


def ways(ask: Ask) -> tuple[str, ...]:
    """Return the names under which the further lines of a key are run."""
    return tuple(f"{ask.id}+{number}" for number in range(1, len(ask.also) + 1))


def compare_key(
    item: Draft,
    ask: Ask,
    key: Answer,
    runs: Sequence[Mapping[str, Any]],
    seen: Sequence[Mapping[str, Seen]],
) -> None:
    """Raise Unproven unless every way of looking gave the key, and what must hold holds."""
    if ask.line is not None:
        compare(item, ask.id, None, key, runs, seen)
    for name, line in zip(ways(ask), ask.also, strict=True):
        for run, result in zip(runs, seen, strict=True):
            if not agrees(key, run, result[name]):
                raise Unproven(
                    f"{item.family.id} level {item.level} part {ask.id}: the key is {key.display()} by formula, "
                    f"but {line} gives {_gave(result[name])} for {named(run)}."
                )
    for number, line in enumerate(ask.holds, start=1):
        for run, result in zip(runs, seen, strict=True):
            got = result[f"{ask.id}?{number}"]
            if got.value is not True:
                raise Unproven(
                    f"{item.family.id} level {item.level} part {ask.id}: {line} must hold, "
                    f"but gives {_gave(got)} for {named(run)}."
                )


def compare(
    item: Draft,
    part: str,
    slip: str | None,
    answer: Answer,
    runs: Sequence[Mapping[str, Any]],
    seen: Sequence[Mapping[str, Seen]],
) -> None:
    """Raise Unproven unless the runs gave exactly this answer."""
    name = part if slip is None else f"{part}.{slip}"
    for run, result in zip(runs, seen, strict=True):
        if not agrees(answer, run, result[name]):
            what = "key" if slip is None else f'slip "{slip}"'
            raise Unproven(
                f"{item.family.id} level {item.level} part {part}: the {what} is {answer.display()} by formula, "
                f"but PyTorch gives {_gave(result[name])} for {named(run)}."
            )


def _gave(got: Seen) -> str:
    return got.error or (got.printed if got.value is not None else str(got.shape))


def agrees(answer: Answer, run: Mapping[str, Any], got: Seen) -> bool:  # noqa: PLR0911 - one return a kind
    """Whether what PyTorch gave is this answer: shapes axis by axis, whole numbers exactly, others within 1e-9."""
    if got.error is not None:
        return False
    answer = underlying(answer)
    if isinstance(answer, Shape):
        return got.shape == tuple(answer.axes)
    if isinstance(answer, ShapeSym):
        return got.shape == put_in(answer, run)
    if isinstance(answer, Seq | SetAnswer | TensorAnswer):
        return isinstance(got.value, list) and _agree(answer, got.value)
    if got.value is None or isinstance(got.value, list):
        return False
    value = number(got.value)
    if isinstance(answer, Int):
        return value == answer.value
    return value is not None and _near(value, exact(answer))


def _agree(answer: Seq | SetAnswer | TensorAnswer, value: list[Any]) -> bool:
    """Compare lists: sets by their members, which `nonzero` gives as lists of one; the rest item by item."""
    if isinstance(answer, SetAnswer):
        members = [item[0] if isinstance(item, list) and len(item) == 1 else item for item in value]
        plain = [item for item in members if type(item) is int]
        return len(plain) == len(members) == len(set(plain)) and set(plain) == set(answer.items)
    if isinstance(answer, TensorAnswer):
        return value == [list(row) for row in answer.rows] and _same_types(answer.rows, value)
    return len(value) == len(answer.items) and all(map(_same_item, answer.items, value))


def _same_types(rows: Sequence[Sequence[Any]], value: list[list[Any]]) -> bool:
    """Tell True from 1, which Python does not."""
    return all(
        type(a) is type(b) for one, other in zip(rows, value, strict=True) for a, b in zip(one, other, strict=True)
    )


def _same_item(item: Any, got: Any) -> bool:
    if isinstance(item, tuple):
        return isinstance(got, list) and tuple(got) == item
    if isinstance(item, str):
        return bool(got == item)
    value = None if isinstance(got, list) else number(got)
    if value is None or item is None:
        return False
    return value == item if type(item) is int and type(got) is int else _near(value, Fraction(item))


def _near(value: Fraction, wanted: Fraction) -> bool:
    return abs(value - wanted) <= _CLOSE * max(Fraction(1), abs(wanted))


def number(value: Any) -> Fraction | None:
    """Return the number that a run gave: a bool counts as 0 or 1, floats come as exact text; None for nan and words."""
    try:
        return Fraction(int(value)) if isinstance(value, bool) else Fraction(str(value))
    except ValueError:
        return None


def underlying(answer: Answer) -> Answer:
    """Return the answer itself; of one that is asked as a choice, the value that its right option shows."""
    return answer.of if isinstance(answer, ChoiceAnswer) and answer.of is not None else answer


def exact(answer: Answer) -> Fraction:
    """Return the number of a one-number answer (40 digits where it is transcendental)."""
    assert isinstance(answer, Int | Rational | Decimal)
    value = answer.value
    if isinstance(value, Expr):
        number = value.number()
        return value.approx() if number is None else number
    return Fraction(value)


def put_in(answer: ShapeSym, run: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the shape that letters have at the sizes of a run; (-1,) where an axis would be no whole number."""
    sizes = {name: value for name, value in run.items() if isinstance(value, int)}
    axes = []
    for axis in answer.axes:
        number = axis.at(sizes).number() if isinstance(axis, Expr) else Fraction(axis)
        if number is None or number.denominator != 1:
            return (-1,)
        axes.append(int(number))
    return tuple(axes)


def named(run: Mapping[str, Any]) -> str:
    """Return sizes in words: `B = 8, T = 20`."""
    return ", ".join(f"{name} = {value}" for name, value in run.items())


def observed(answer: Answer, runs: Sequence[Mapping[str, Any]], got: Sequence[Seen]) -> Any:
    """Return what the grader compares an answer with besides the formula: the runs' own results."""
    answer = underlying(answer)
    if isinstance(answer, ShapeSym):
        return [
            {
                "sizes": {name: value for name, value in run.items() if isinstance(value, int)},
                "shape": list(seen.shape or ()),
            }
            for run, seen in zip(runs, got, strict=True)
        ]
    return list(got[0].shape or ()) if isinstance(answer, Shape) else got[0].value


def reasoned(ask: Ask, key: Answer) -> Route:
    """Describe a key that no run can show."""
    return Route(
        formula=key.display(),
        run=None,
        trace=None,
        by="reasoned",
        line="",
        printed="",
        observed=FORMULA_ONLY,
        reason=ask.reason,
    )


def route(
    item: Draft,
    ask: Ask,
    key: Answer,
    runs: Sequence[Mapping[str, Any]],
    seen: Sequence[Mapping[str, Seen]],
    trace: str | None,
) -> Route:
    """Describe how the key of one part was proven, after `compare_key` found the routes equal."""
    if ask.line is None:
        return reasoned(ask, key)
    got = seen[0][ask.id]
    asked = item.spelled(ask.line)
    line = ask.prints or (f"{asked}.shape" if isinstance(key, Shape | ShapeSym) else asked)
    if isinstance(key, Shape):
        ran = Shape(*(got.shape or ())).display()
    elif isinstance(key, ShapeSym):
        ran = "; ".join(
            f"{Shape(*(r[ask.id].shape or ())).display()} at {named(run)}" for run, r in zip(runs, seen, strict=True)
        )
    elif isinstance(key, Int):
        ran = str(got.value)
    elif isinstance(got.value, list):
        ran = _listed(got.value)
    else:
        ran = format(float(got.value), ".10g")
    return Route(
        formula=key.display(),
        run=ran,
        trace=trace,
        by="formula + run + trace" if trace else "formula + run",
        line=line,
        also=tuple(item.spelled(other) for other in (*ask.also, *ask.holds)),
        printed=got.printed,
        observed=observed(key, runs, [each[ask.id] for each in seen]),
        device=got.device,
        raw=str(got.value) if isinstance(got.value, float | str) else None,
        reason="" if trace else "no trace: the key is computed from the values in the question",
    )


def _listed(value: list[Any]) -> str:
    """Return what a run gave as it is displayed: floats to ten digits."""
    items = [
        _listed(item) if isinstance(item, list) else format(float(item), ".10g") if isinstance(item, str) else str(item)
        for item in value
    ]
    return f"[{', '.join(items)}]"
