"""Puts a family to the test: many draws of every level, and everything that is promised of a variant held against them.

What is looked at: the routes to every key agree; no wrong rule equals the key and each is told from the others by the
grader itself; every block of words is there and no feedback states a key; an open code rebuilds the identical variant;
how many different variants a level has. And figures for its author: how many draws are kept, which wrong rules are
left out how often, and how long a variant takes.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from generator.build import certify
from generator.drafting import Draft, draft
from generator.faults import AuthorFault, UnknownName, Unproven
from generator.variant import OpenCode, Variant, canonical
from grader.grade import grade
from templates.markup import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from generator.build import Prover
    from generator.family import Family
    from grader.part import Part

_BATCH = 50
# Certified variants rebuilt in full from their open code, per level; every other one is compared as drawn.
_REBUILT = 5
# Failures of one level that are told in full; the rest is counted.
_TOLD = 5


@dataclass
class PartReport:
    """How often a part was asked, and how often each of its wrong rules was left out there."""

    asked: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Return the share of the questions in which each rule was left out, for those that ever were."""
        shares = {slip: round(count / self.asked, 3) for slip, count in sorted(self.left_out.items())}
        return {"asked": self.asked, "left_out": shares}


@dataclass
class LevelReport:
    """What was found for one level: `variants` proven, `distinct` questions, `problems` as sentences.

    `tries` draws were made for them: those that broke a rule were drawn again. `seconds` is the time they took.
    """

    level: int
    variants: int = 0
    distinct: int = 0
    failed: int = 0
    problems: list[str] = field(default_factory=list)
    drawn: int = 0
    tries: int = 0
    seconds: float = 0.0
    parts: dict[str, PartReport] = field(default_factory=dict)

    @property
    def acceptance(self) -> float:
        """The share of draws that are kept."""
        return self.drawn / self.tries if self.tries else 0.0

    def count(self, item: Draft) -> None:
        """Count a draw with its wrong rules."""
        self.drawn += 1
        self.tries += item.tries
        for ask, rules in item.served:
            part = self.parts.setdefault(ask.id, PartReport())
            part.asked += 1
            part.left_out.update(rule.id for rule in ask.rules if rule not in rules)

    def fail(self, problem: str) -> None:
        """Count a failure, and keep its sentence if there is room."""
        self.failed += 1
        if len(self.problems) < _TOLD:
            self.problems.append(problem)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "level": self.level,
            "variants": self.variants,
            "distinct": self.distinct,
            "failed": self.failed,
            "problems": self.problems,
            "acceptance": round(self.acceptance, 3),
            "milliseconds": round(1000 * self.seconds / self.variants, 2) if self.variants else None,
            "parts": {part: report.to_json() for part, report in self.parts.items()},
        }


@dataclass
class FamilyReport:
    """What was found for one family."""

    id: str
    levels: list[LevelReport]

    @property
    def failed(self) -> int:
        """How many things failed."""
        return sum(level.failed for level in self.levels)

    @property
    def variants(self) -> int:
        """How many variants were proven."""
        return sum(level.variants for level in self.levels)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "id": self.id,
            "variants": self.variants,
            "failed": self.failed,
            "levels": [level.to_json() for level in self.levels],
        }


def check_family(
    family: Family,
    prover: Prover,
    n: int,
    progress: Callable[[int], None] | None = None,
    look: Callable[[Variant], None] | None = None,
) -> FamilyReport:
    """Check `n` draws of every level. RunnerUnavailable passes through: without PyTorch nothing can be checked.

    `progress` is told how many variants were done since it was told last; `look` is shown every proven variant.
    """
    return FamilyReport(family.id, [_level(family, level, prover, n, progress, look) for level in family.levels])


def _level(
    family: Family,
    level: int,
    prover: Prover,
    n: int,
    progress: Callable[[int], None] | None,
    look: Callable[[Variant], None] | None,
) -> LevelReport:
    report = LevelReport(level)
    seen: set[bytes] = set()
    began = time.perf_counter()
    for batch in _batches(family, level, n, report):
        for variant in _proven(batch, prover, report):
            report.variants += 1
            seen.add(canonical([dict(variant.given), [part.id for part in variant.parts]]))
            for problem in _problems(variant):
                report.fail(f"{variant.open_code}: {problem}")
            if report.variants <= _REBUILT:
                _rebuild(family, variant, prover, report)
            if look:
                paused = time.perf_counter()
                look(variant)
                began += time.perf_counter() - paused
        if progress:
            progress(len(batch))
    report.seconds = time.perf_counter() - began
    report.distinct = len(seen)
    return report


def _batches(family: Family, level: int, n: int, report: LevelReport) -> Iterator[list[Draft]]:
    batch: list[Draft] = []
    for number in range(1, n + 1):
        seed = f"check-{number}"
        try:
            one, two = draft(family, level, seed), draft(family, level, seed)
        except (AuthorFault, UnknownName) as problem:
            report.fail(f"{family.id} level {level} seed {seed}: {problem}")
            return
        if canonical(dict(one.given)) != canonical(dict(two.given)) or one.parts != two.parts:
            report.fail(f"{family.id} level {level} seed {seed}: two draws with one seed differ")
        report.count(one)
        batch.append(one)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _proven(batch: Sequence[Draft], prover: Prover, report: LevelReport) -> Iterator[Variant]:
    """Certify a batch; when it fails as a whole, one by one, so that each failure is named."""
    try:
        yield from certify(batch, prover)
    except (Unproven, AuthorFault, ValueError):
        for each in batch:
            try:
                yield from certify([each], prover)
            except (Unproven, AuthorFault, ValueError) as problem:
                report.fail(f"seed {each.seed}: {problem}")


def _rebuild(family: Family, variant: Variant, prover: Prover, report: LevelReport) -> None:
    code = OpenCode.parse(variant.open_code or "")
    if code is None:
        report.fail(f"{variant.open_code}: this is no replay code")
        return
    again = certify([draft(family, code.level, code.seed, parts=code.parts)], prover)[0]
    if again.canonical() != variant.canonical():
        report.fail(f"{variant.open_code}: the replay code rebuilds another variant")
    if not variant.intact():
        report.fail(f"{variant.open_code}: the certificate does not cover its own variant")


def _problems(variant: Variant) -> Iterator[str]:
    assert variant.certificate is not None
    observed = variant.certificate.observed()
    texts = {}
    for name, words in variant.words.items():
        texts[name] = to_text(words)
        if not texts[name].strip():
            yield f"the words {name} are empty"
    for part in variant.parts:
        yield from _missing_words(part, texts)
        yield from _stated_keys(part, variant.parts, texts)
        yield from _grading(part, observed)
        if part.answer.display() not in texts.get(f"solution_{part.id}", ""):
            yield f"part {part.id}: the solution does not end in the key"


def _missing_words(part: Part, texts: Mapping[str, str]) -> Iterator[str]:
    wanted = [f"ask_{part.id}", f"hint_{part.id}", f"solution_{part.id}"]
    wanted += [f"slip_{part.id}_{slip.id}" for slip in part.slips]
    for name in wanted:
        if name not in texts:
            yield f"part {part.id}: the words {name} are missing"


def _stated_keys(part: Part, parts: Sequence[Part], texts: Mapping[str, str]) -> Iterator[str]:
    """No hint and no feedback may state the key of any part that could still be open."""
    names = [f"hint_{part.id}", *(f"slip_{part.id}_{slip.id}" for slip in part.slips)]
    keys = [(other, other.answer.display()) for other in parts]
    for name in names:
        text = texts.get(name, "")
        for other, key in keys:
            if key in text and re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.]*\w)", text):
                yield f"part {part.id}: the words {name} state the key of part {other.id}"


def _grading(part: Part, observed: Mapping[str, Any]) -> Iterator[str]:
    verdict = grade([part], {part.id: part.answer.display()}, observed=observed)[part.id]
    if verdict.outcome != "right":
        yield f"part {part.id}: the key {part.answer.display()} is graded {verdict.outcome}"
    for slip in part.slips:
        if slip.answer.equals(part.answer) is not False:
            yield f"part {part.id}: the slip {slip.id} equals the key {part.answer.display()}"
            continue
        verdict = grade([part], {part.id: slip.answer.display()}, observed=observed)[part.id]
        if verdict.outcome != "wrong" or verdict.slip != slip.id:
            named = verdict.slip or verdict.outcome
            yield f"part {part.id}: {slip.answer.display()} is the slip {slip.id}, but is graded {named}"
