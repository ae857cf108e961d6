"""What makes a key a proven key: the formula, the run and the trace must say the same.

Nothing here computes a key. It turns a draft into the lines PyTorch is asked, holds the answers against the formulas,
and says in a `Route` what agreed. A family proof holds what is true for every variant of a family version and is made
once: the symbolic traces, and which witnesses would give a key away.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from generator.faults import Unproven
from generator.variant import Route
from grader.answers import Answer, Decimal, Int, Rational, Shape, ShapeSym
from grader.equal import same
from grader.expr import Expr, Num

if TYPE_CHECKING:
    from generator.build import Draft
    from generator.family import Ask, Family
    from grader.runner.service import Seen

# A float64 run against an exact value: the sums have a few dozen terms, so 1e-9 is far above their rounding and far
# below any wrong rule.
_CLOSE = Fraction(1, 10**9)

RunLines = Callable[[Sequence[tuple[str, Mapping[str, Any], Mapping[str, str]]]], Sequence[Mapping[str, "Seen"]]]
TraceLines = Callable[[Mapping[str, int], Mapping[str, str]], Mapping[str, list[Any]]]


@dataclass(frozen=True)
class FamilyProof:
    """What holds for every variant of one family version.

    `traces` say per part what was traced; `revealing` holds the (part, slip) whose witness would show the key.
    """

    traces: Mapping[str, str]
    revealing: frozenset[tuple[str, str]]

    def reveals(self, part: str, slip: str) -> bool:
        """Whether this slip's witness may be shown only when the part is closed."""
        return (part, slip) in self.revealing

    def to_json(self) -> dict[str, Any]:
        """Return the proof as plain data."""
        return {"traces": dict(self.traces), "revealing": sorted(list(pair) for pair in self.revealing)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FamilyProof:
        """Rebuild a proof from `to_json`."""
        return cls(data["traces"], frozenset((part, slip) for part, slip in data["revealing"]))


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
                f"but PyTorch gives {shown} for {_named(run)}."
            )


def agrees(answer: Answer, run: Mapping[str, Any], got: Seen) -> bool:
    """Whether what PyTorch gave is this answer: shapes axis by axis, whole numbers exactly, others within 1e-9."""
    if got.error is not None:
        return False
    if isinstance(answer, Shape):
        return got.shape == tuple(answer.axes)
    if isinstance(answer, ShapeSym):
        return got.shape == _put_in(answer, run)
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


def _put_in(answer: ShapeSym, run: Mapping[str, Any]) -> tuple[int, ...]:
    sizes = {name: value for name, value in run.items() if isinstance(value, int)}
    axes = []
    for axis in answer.axes:
        number = axis.at(sizes).number() if isinstance(axis, Expr) else Fraction(axis)
        if number is None or number.denominator != 1:
            return (-1,)
        axes.append(int(number))
    return tuple(axes)


def _named(run: Mapping[str, Any]) -> str:
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
    proof: FamilyProof,
) -> Route:
    """Describe how the key of one part was proven, after `compare` found the routes equal."""
    got = seen[0][ask.id]
    line = ask.prints or (f"{ask.line}.shape" if isinstance(key, Shape | ShapeSym) else ask.line)
    trace = proof.traces.get(ask.id)
    if isinstance(key, Shape):
        ran = Shape(*(got.shape or ())).display()
    elif isinstance(key, ShapeSym):
        ran = "; ".join(
            f"{Shape(*(r[ask.id].shape or ())).display()} at {_named(run)}" for run, r in zip(runs, seen, strict=True)
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


def prove_family(
    family: Family,
    drafts: Sequence[Draft],
    trace: TraceLines,
    run: RunLines,
) -> FamilyProof:
    """Trace every shape key of a family at its sizes, and find the witnesses that would show a key.

    `drafts` are questions of every level on which the witnesses are tried. Raises Unproven when a trace gives another
    expression than the key, or than the slip whose witness is proven here once for all variants.
    """
    traces = _trace_shapes(family, trace)
    _check_examples(family)
    revealing: set[tuple[str, str]] = set()
    for item in drafts:
        _check_witnesses(item, run)
        revealing |= _revealing(item, run)
    return FamilyProof(traces, frozenset(revealing))


def _check_witnesses(item: Draft, run: RunLines) -> None:
    """Hold every rule that applies against its witness, served or not.

    A rule that equals the key, or says the same as another, is never served, and so would never be run with a variant.
    """
    family, given, sizes = item.family, item.given, item.sizes
    rules = {
        f"{ask.id}.{rule.id}": (ask.id, rule)
        for ask, _served in item.served
        for rule in ask.rules
        if rule.witness is not None and rule.applies(given, sizes)
    }
    lines = {name: rule.witness or "" for name, (_part, rule) in rules.items()}
    runs = family.runs(given)
    seen = run([(family.world, each, lines) for each in runs])
    for part, rule in rules.values():
        answer = rule.value.at(sizes) if isinstance(rule.value, Answer) else rule.value(given)
        if answer is not None and answer.legal():
            compare(item, part, rule.id, answer, runs, seen)


def _trace_shapes(family: Family, trace: TraceLines) -> dict[str, str]:
    asks = [ask for ask in family.asks if ask.traced]
    # name -> what it is called in a fault, its line, its shape
    wanted = {ask.id: (f"part {ask.id}: the key", ask.line, ask.key) for ask in asks} | {
        f"{ask.id}.{rule.id}": (f'part {ask.id}: the slip "{rule.id}"', rule.witness or "", rule.value)
        for ask in family.asks
        for rule in ask.rules
        if rule.once
    }
    if not wanted:
        return {}
    lines = {name: line for name, (_what, line, _formula) in wanted.items()}
    for constants in family.trace_sizes:
        traced = trace(constants, lines)
        for name, (what, _line, formula) in wanted.items():
            assert isinstance(formula, Shape | ShapeSym)
            axes = [axis.at(constants) if isinstance(axis, Expr) else Num(Fraction(axis)) for axis in formula.axes]
            found = [Expr.from_json(axis) for axis in traced[name]]
            if len(axes) != len(found) or not all(same(a, b) for a, b in zip(axes, found, strict=True)):
                shown = "(" + ", ".join(axis.text for axis in found) + ")"
                raise Unproven(
                    f"{family.id} {what} is {formula.display()}, but tracing the model symbolically "
                    f"gives {shown} at {_named(constants)}."
                )
    sizes = "; ".join(_named(constants) for constants in family.trace_sizes)
    return {
        ask.id: f"{ask.key.display()} for every B, T and M; traced at {sizes}"
        for ask in asks
        if isinstance(ask.key, Answer)
    }


def _check_examples(family: Family) -> None:
    """Hold each rule that PyTorch cannot confirm against its worked example."""
    for ask in family.asks:
        for rule in ask.rules:
            if rule.example is None:
                continue
            given, wanted = rule.example
            value = rule.value
            if isinstance(value, ShapeSym):
                shown = Shape(*_put_in(value, given)).display()
            elif isinstance(value, Answer):
                shown = value.at(family.sizes(given)).display()
            else:
                found = value(given)
                shown = found.display() if found else "nothing"
            if shown != wanted:
                raise Unproven(
                    f'{family.id} part {ask.id}: the slip "{rule.id}" gives {shown} for its example {_named(given)}, '
                    f"which says {wanted}."
                )


def _revealing(item: Draft, run: RunLines) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    lines: dict[str, str] = {}
    origin: dict[str, tuple[Ask, str]] = {}
    for ask, rules in item.served:
        key_line = ast.dump(ast.parse(ask.line, mode="eval").body)
        for rule in rules:
            if rule.witness is None:
                continue
            tree = ast.parse(rule.witness, mode="eval").body
            if any(ast.dump(node) == key_line for node in ast.walk(tree)):
                found.add((ask.id, rule.id))
                continue
            for number, child in enumerate(_last_step_removed(tree)):
                name = f"{ask.id}.{rule.id}.{number}"
                lines[name] = ast.unparse(child)
                origin[name] = (ask, rule.id)
    runs = item.family.runs(item.given)
    results = run([(item.family.world, each, lines) for each in runs])
    for each, result in zip(runs, results, strict=True):
        for name, (ask, slip) in origin.items():
            if agrees(item.key(ask), each, result[name]):
                found.add((ask.id, slip))
    return found


def _last_step_removed(tree: ast.expr) -> list[ast.expr]:
    """Return what remains when the outermost step of a line is not taken: its operands, arguments and receiver."""
    if isinstance(tree, ast.Call):
        receiver = [tree.func.value] if isinstance(tree.func, ast.Attribute) and not _is_module(tree.func.value) else []
        return [*receiver, *tree.args, *(keyword.value for keyword in tree.keywords)]
    if isinstance(tree, ast.Subscript | ast.Attribute):
        return [tree.value]
    if isinstance(tree, ast.BinOp):
        return [tree.left, tree.right]
    if isinstance(tree, ast.UnaryOp):
        return [tree.operand]
    return []


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"F", "torch"}
