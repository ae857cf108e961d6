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
from grader.answers import Answer, Decimal, Int, Rational, Shape, ShapeSym
from grader.expr import Expr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generator.drafting import Draft
    from generator.family import Ask
    from grader.runner.service import Seen

# A float64 run against an exact value: the sums have a few dozen terms, so 1e-9 is far above their rounding and far
# below any wrong rule.
_CLOSE = Fraction(1, 10**9)


def run_lines(item: Draft) -> Mapping[str, str]:
    """Return the lines to run for a draft: <part> for each key, <part>.<slip> for each served witness.

    Witnesses that the family's proof holds for all sizes (`Rule.once`) are left out.
    """
    return _lines(item.served)


@lru_cache(maxsize=4096)
def _lines(served: tuple[tuple[Ask, tuple[Any, ...]], ...]) -> Mapping[str, str]:
    lines = {}
    for ask, rules in served:
        lines[ask.id] = ask.line
        for rule in rules:
            if rule.witness is not None and not rule.once:
                lines[f"{ask.id}.{rule.id}"] = rule.witness
    return lines


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
            got = result[name]
            shown = got.error or (got.printed if got.value is not None else str(got.shape))
            raise Unproven(
                f"{item.family.id} level {item.level} part {part}: the {what} is {answer.display()} by formula, "
                f"but PyTorch gives {shown} for {named(run)}."
            )


def agrees(answer: Answer, run: Mapping[str, Any], got: Seen) -> bool:
    """Whether what PyTorch gave is this answer: shapes axis by axis, whole numbers exactly, others within 1e-9."""
    if got.error is not None:
        return False
    if isinstance(answer, Shape):
        return got.shape == tuple(answer.axes)
    if isinstance(answer, ShapeSym):
        return got.shape == put_in(answer, run)
    if got.value is None or isinstance(got.value, list):
        return False
    value = Fraction(str(got.value)) if not isinstance(got.value, bool) else Fraction(int(got.value))
    if isinstance(answer, Int):
        return value == answer.value
    wanted = exact(answer)
    return abs(value - wanted) <= _CLOSE * max(Fraction(1), abs(wanted))


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
    if isinstance(answer, ShapeSym):
        return [
            {
                "sizes": {name: value for name, value in run.items() if isinstance(value, int)},
                "shape": list(seen.shape or ()),
            }
            for run, seen in zip(runs, got, strict=True)
        ]
    return list(got[0].shape or ()) if isinstance(answer, Shape) else got[0].value


def route(
    ask: Ask,
    key: Answer,
    runs: Sequence[Mapping[str, Any]],
    seen: Sequence[Mapping[str, Seen]],
    trace: str | None,
) -> Route:
    """Describe how the key of one part was proven, after `compare` found the routes equal."""
    got = seen[0][ask.id]
    line = ask.prints or (f"{ask.line}.shape" if isinstance(key, Shape | ShapeSym) else ask.line)
    if isinstance(key, Shape):
        ran = Shape(*(got.shape or ())).display()
    elif isinstance(key, ShapeSym):
        ran = "; ".join(
            f"{Shape(*(r[ask.id].shape or ())).display()} at {named(run)}" for run, r in zip(runs, seen, strict=True)
        )
    elif isinstance(key, Int):
        ran = str(got.value)
    else:
        ran = format(float(got.value), ".10g")
    return Route(
        formula=key.display(),
        run=ran,
        trace=trace,
        by="formula + run + trace" if trace else "formula + run",
        line=line,
        printed=got.printed,
        observed=observed(key, runs, [each[ask.id] for each in seen]),
        device=got.device,
        raw=str(got.value) if isinstance(got.value, float | str) else None,
        reason="" if trace else "no trace: the key is a number computed from the values in the question",
    )
