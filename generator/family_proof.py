"""What holds for every variant of a family version, proven once.

The symbolic traces of its shapes; that every wrong rule is what its witness or its worked example gives, also where a
draw would drop the rule; and which witnesses would give a key away.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.faults import Unproven
from generator.proof import agrees, compare, named, put_in
from grader.answers import Answer, Shape, ShapeSym
from grader.equal import same
from grader.expr import Expr, Num

if TYPE_CHECKING:
    from generator.drafting import Draft
    from generator.family import Ask, Family, Rule
    from grader.runner.service import Seen

RunLines = Callable[[Sequence[tuple[str, Mapping[str, Any], Mapping[str, str]]]], Sequence[Mapping[str, "Seen"]]]
TraceLines = Callable[[Mapping[str, int], Mapping[str, str]], Mapping[str, list[Any]]]


@dataclass(frozen=True)
class FamilyProof:
    """What holds for every variant of one family version.

    `traces` say per part what was traced. `judged` holds the (part, slip) whose witness was tried, `revealing` those of
    them that would show the key.
    """

    traces: Mapping[str, str]
    revealing: frozenset[tuple[str, str]]
    judged: frozenset[tuple[str, str]]

    def reveals(self, part: str, slip: str) -> bool:
        """Whether this slip's witness may be shown only when the part is closed; so is one that was never tried."""
        return (part, slip) in self.revealing or (part, slip) not in self.judged

    def to_json(self) -> dict[str, Any]:
        """Return the proof as plain data."""
        return {
            "traces": dict(self.traces),
            "revealing": sorted(list(pair) for pair in self.revealing),
            "judged": sorted(list(pair) for pair in self.judged),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FamilyProof:
        """Rebuild a proof from `to_json`."""
        return cls(data["traces"], _pairs(data["revealing"]), _pairs(data["judged"]))


def _pairs(values: Sequence[Sequence[str]]) -> frozenset[tuple[str, str]]:
    return frozenset((part, slip) for part, slip in values)


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
    judged: set[tuple[str, str]] = set()
    for item in drafts:
        _check_witnesses(item, run)
        found, tried = _revealing(item, run)
        revealing |= found
        judged |= tried
    return FamilyProof(traces, frozenset(revealing), frozenset(judged))


def _check_witnesses(item: Draft, run: RunLines) -> None:
    """Hold every rule that applies against its witness, served or not.

    A rule that equals the key, or says the same as another, is never served, and so would never be run with a variant.
    """
    family, given, sizes = item.family, item.given, item.sizes
    rules = {f"{ask.id}.{rule.id}": (ask.id, rule) for ask, rule in _applying(item)}
    lines = {name: item.spelled(rule.witness or "") for name, (_part, rule) in rules.items()}
    runs = family.runs(given)
    seen = run([(family.world, each, lines) for each in runs])
    for part, rule in rules.values():
        answer = rule.value.at(sizes) if isinstance(rule.value, Answer) else rule.value(given)
        if answer is not None and answer.legal():
            compare(item, part, rule.id, answer, runs, seen)


def _trace_shapes(family: Family, trace: TraceLines) -> dict[str, str]:
    asks = [ask for ask in family.asks if ask.traced]
    # name -> what it is called in a fault, its line, its shape
    wanted = {ask.id: (f"part {ask.id}: the key", ask.line or "", ask.key) for ask in asks} | {
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
                    f"gives {shown} at {named(constants)}."
                )
    sizes = "; ".join(named(constants) for constants in family.trace_sizes)
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
                shown = Shape(*put_in(value, given)).display()
            elif isinstance(value, Answer):
                shown = value.at(family.sizes(given)).display()
            else:
                found = value(given)
                shown = found.display() if found else "nothing"
            if shown != wanted:
                raise Unproven(
                    f'{family.id} part {ask.id}: the slip "{rule.id}" gives {shown} for its example {named(given)}, '
                    f"which says {wanted}."
                )


def _revealing(item: Draft, run: RunLines) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return (revealing, judged): witnesses that hold the key's own line, or give its value one step before the end."""
    found: set[tuple[str, str]] = set()
    judged: set[tuple[str, str]] = set()
    lines: dict[str, str] = {}
    origin: dict[str, tuple[Ask, str]] = {}
    for ask, rule in _applying(item):
        key_line = ast.dump(ast.parse(item.spelled(ask.line), mode="eval").body) if ask.line else ""
        tree = ast.parse(item.spelled(rule.witness or ""), mode="eval").body
        judged.add((ask.id, rule.id))
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
    return found, judged


def _applying(item: Draft) -> Iterator[tuple[Ask, Rule]]:
    """Yield the rules with a witness that apply to a question, whether this draw serves them or not."""
    for ask, _served in item.served:
        for rule in ask.rules:
            if rule.witness is not None and rule.applies(item.given, item.sizes):
                yield ask, rule


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
