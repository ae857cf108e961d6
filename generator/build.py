"""From a family, a level and key material to a certified variant.

Two steps, because they cost a thousandfold of each other: `draft` draws and judges the wrong rules (microseconds);
`certify` asks PyTorch and renders every word. If the routes to a key disagree, it raises, and there is no variant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import templates
from generator.drafting import Draft, draft
from generator.proof import compare, compare_key, named, route, run_lines
from generator.variant import Replay, Route, Variant
from grader.answers import Answer

if TYPE_CHECKING:
    from generator.family import Family
    from generator.family_proof import FamilyProof
    from grader.runner.service import Seen

Request = tuple[str, Mapping[str, Any], Mapping[str, str]]


class Prover(Protocol):
    """Who runs PyTorch for us: `maskwise.services.prover` with its runner and its store of proofs."""

    def run(self, requests: Sequence[Request]) -> list[dict[str, Seen]]:
        """Run the lines of each request; RunnerUnavailable when nothing can run."""

    def family_proof(self, family: Family) -> FamilyProof:
        """Return what holds for every variant of a family version: traces, and which witnesses give a key away."""

    def version(self) -> str:
        """Return the version of PyTorch that runs."""


def certify(drafts: Sequence[Draft], prover: Prover) -> list[Variant]:
    """Prove and word each draft: one round trip to PyTorch for all of them.

    Raises Unproven when a formula and a run disagree, for a key or for a slip's witness; RunnerUnavailable when PyTorch
    cannot run.
    """
    requests: list[Request] = []
    spans: list[tuple[int, int]] = []
    for item in drafts:
        lines = run_lines(item)
        runs = item.family.runs(item.given)
        spans.append((len(requests), len(requests) + len(runs)))
        requests.extend((item.family.world, run, lines) for run in runs)
    seen = prover.run(requests)
    version = prover.version()
    out = []
    for item, (start, stop) in zip(drafts, spans, strict=True):
        proof = prover.family_proof(item.family)
        runs = [dict(request[1]) for request in requests[start:stop]]
        out.append(_certified(item, runs, seen[start:stop], proof, version))
    return out


def _certified(
    item: Draft, runs: list[dict[str, Any]], seen: list[dict[str, Seen]], proof: FamilyProof, version: str
) -> Variant:
    routes = {}
    for (ask, rules), (key, wrong) in zip(item.served, item.answers, strict=True):
        compare_key(item, ask, key, runs, seen)
        for rule, answer in zip(rules, wrong, strict=True):
            if rule.witness is not None and not rule.once:
                compare(item, ask.id, rule.id, answer, runs, seen)
        routes[ask.id] = route(item, ask, key, runs, seen, proof.traces.get(ask.id))
    words = render_words(item, runs, routes)
    lines = {ask.id: item.spelled(ask.line) for ask, _rules in item.served if ask.line is not None}
    return item.variant(words, proof.reveals).certified(routes, version, Replay(item.family.world, tuple(runs), lines))


def build(family: Family, level: int, seed: str, prover: Prover, *, parts: Sequence[str] | None = None) -> Variant:
    """Return one certified open variant."""
    return certify([draft(family, level, seed, parts=parts)], prover)[0]


def render_words(item: Draft, runs: Sequence[Mapping[str, Any]], routes: Mapping[str, Route]) -> dict[str, str]:
    """Render every block of a proven question; TemplateFault when a name is unknown."""
    family = item.family
    words = item.front()
    values = {**item.given, "level": item.level, "parts": item.parts}
    sizes = dict(item.sizes)
    at = named(runs[0])
    for (ask, rules), (key, _wrong) in zip(item.served, item.answers, strict=True):
        proven = routes[ask.id]
        words[f"hint_{ask.id}"] = templates.renderer(family.template, f"hint_{ask.id}")(values)
        for rule in rules:
            words[f"slip_{ask.id}_{rule.id}"] = family.feedback[ask.id, rule.id]
        worked = {
            "formula": ask.key if isinstance(ask.key, Answer) else None,
            "key": key.display(),
            "sizes": sizes,
            "line": proven.line,
            "printed": proven.printed,
            "also": proven.also,
            "at": at,
        }
        solution = templates.renderer(family.template, f"solution_{ask.id}")
        words[f"solution_{ask.id}"] = solution({**values, "worked": worked})
    return {name: text.strip() for name, text in words.items()}
