"""Quizzes: a plan and key material become papers of certified variants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.build import Prover, certify
from generator.codes import lookup_id, normal_id, seal
from generator.drafting import Draft, draft
from generator.faults import UnknownName
from generator.variant import Variant, canonical, part_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from generator.family import Family
    from generator.plan import PlanItem, QuizPlan

# How often an item is drawn again when the paper already holds the same question, before the plan is called impossible.
_REPEATS = 300
_BATCH = 40
# Versions of a set are named by letters while the alphabet lasts.
_LETTERS = 26


@dataclass(frozen=True, eq=False, repr=False)
class Item:
    """One question on a paper. `number` counts from 1; `code` is the look-up id; `seed` rebuilds it (staff only).

    `short` is the short form of an open code, to be read aloud; "" where there is none (sealed, or a long seed).
    """

    id: str
    number: int
    variant: Variant
    points: Fraction
    code: str
    seed: str
    short: str = ""

    def part_points(self) -> dict[str, Fraction]:
        """Return the points of each part: the item's points shared by the parts' weights."""
        return part_points(self.variant.parts, self.points)


@dataclass(frozen=True, eq=False, repr=False)
class Paper:
    """One person's or one version's questions.

    `person` is the name of whose paper it is, "" for a numbered one. `version` is a letter A to Z where a set has at
    most 26 numbered papers, "" otherwise.
    """

    number: int
    code: str
    items: tuple[Item, ...]
    person: str = ""
    version: str = ""

    @property
    def points(self) -> Fraction:
        """The points of the whole paper."""
        return sum((item.points for item in self.items), Fraction(0))


@dataclass(frozen=True, eq=False, repr=False)
class Quiz:
    """A plan carried out: `papers` versions of it. `sealed` papers carry look-up ids, open ones replay codes."""

    title: str
    slug: str
    course: str
    papers: tuple[Paper, ...]
    plan: QuizPlan
    sealed: bool
    confirmed: bool

    def manifest(self) -> dict[str, Any]:
        """Return what resolves the look-up ids: for teachers only, since the seeds in it rebuild every key."""
        return {
            "format": 1,
            "quiz": self.slug,
            "title": self.title,
            "sealed": self.sealed,
            "papers": [
                {
                    "number": paper.number,
                    "code": paper.code,
                    "items": [
                        {
                            "id": item.id,
                            "number": item.number,
                            "code": item.code,
                            "family": item.variant.family,
                            "level": item.variant.level,
                            "version": item.variant.version,
                            "seed": item.seed,
                            "parts": [part.id for part in item.variant.parts],
                        }
                        for item in paper.items
                    ],
                }
                for paper in self.papers
            ],
        }


def assemble(
    plan: QuizPlan,
    families: Mapping[str, Family],
    key: bytes | str,
    *,
    papers: int = 1,
    people: Sequence[str] | None = None,
    prover: Prover | None,
    progress: Callable[[int, int], None] | None = None,
) -> Quiz:
    """Draw and prove `papers` versions of a plan (or one for each name in `people`).

    `key` is key material (bytes: sealed papers) or a printed seed (text: open ones). Without a prover nothing is
    confirmed: good for a look at the words only. Raises BadPlan where a plan asks for more different variants than a
    family has, Unproven and RunnerUnavailable as `certify` does. `progress` is told (papers done, papers in all).
    """
    plan.checked(families)
    names = list(people) if people is not None else [str(number) for number in range(1, papers + 1)]
    drawn = [(name, list(_drafts(plan, families, key, name))) for name in names]
    flat = [each for _name, drafts in drawn for _item, each, _points, _index in drafts]
    variants = _variants(flat, prover, len(drawn[0][1]) if drawn else 1, progress)
    lettered = people is None and len(names) <= _LETTERS
    made = tuple(
        replace(_paper(number, name, drafts, variants, plan, key), version=_letter(number) if lettered else "")
        for number, (name, drafts) in enumerate(drawn, start=1)
    )
    return Quiz(plan.title, plan.slug, plan.course, made, plan, isinstance(key, bytes), prover is not None)


def _letter(number: int) -> str:
    return chr(ord("A") + number - 1)


def _variants(
    drafts: list[Draft], prover: Prover | None, per_paper: int, progress: Callable[[int, int], None] | None
) -> Iterator[Variant]:
    if prover is None:
        yield from (each.variant() for each in drafts)
        return
    total = len(drafts) // max(1, per_paper)
    for start in range(0, len(drafts), _BATCH):
        yield from certify(drafts[start : start + _BATCH], prover)
        if progress:
            progress(min(start + _BATCH, len(drafts)) // max(1, per_paper), total)


def _paper(
    number: int,
    name: str,
    drafts: list[tuple[str, Draft, Fraction | None, str]],
    variants: Iterator[Variant],
    plan: QuizPlan,
    key: bytes | str,
) -> Paper:
    items = []
    for place, (item_id, each, points, label) in enumerate(drafts, start=1):
        variant = next(variants)
        weight = points if points is not None else Fraction(sum(part.points for part in variant.parts))
        code = lookup_id(key, plan.slug, label, name) if isinstance(key, bytes) else variant.open_code or ""
        items.append(Item(item_id, place, variant, weight, code, each.seed))
    code = lookup_id(key, plan.slug, "paper", name) if isinstance(key, bytes) else f"{plan.slug}.{key}.{number}"
    return Paper(number, code, tuple(items))


def _drafts(
    plan: QuizPlan, families: Mapping[str, Family], key: bytes | str, name: str
) -> Iterator[tuple[str, Draft, Fraction | None, str]]:
    taken: dict[str, set[bytes]] = {}
    for number, item in enumerate(plan.items):
        for index in range(item.count):
            label = item.id if item.count == 1 else f"{item.id}.{index + 1}"
            yield label, _fresh(plan, number, item, families[item.family], key, name, label, taken), item.points, label


def _fresh(
    plan: QuizPlan,
    number: int,
    item: PlanItem,
    family: Family,
    key: bytes | str,
    name: str,
    label: str,
    taken: dict[str, set[bytes]],
) -> Draft:
    sealed = isinstance(key, bytes)
    mine = taken.setdefault(family.id, set())
    for attempt in range(_REPEATS):
        if isinstance(key, bytes):
            seed = seal(key, plan.slug, label, name, attempt)
        else:
            seed = f"{key}/{name}/{label}" + (f"/{attempt}" if attempt else "")
        try:
            each = draft(family, item.level, seed, parts=item.parts or None, sealed=sealed)
        except UnknownName as problem:  # a part of the family that this level shows too little for
            raise plan.fault(str(problem), item=number, name="parts") from None
        mark = canonical([dict(each.given), list(each.parts)])
        if mark not in mine:
            mine.add(mark)
            return each
    raise plan.fault(
        f"{family.id} level {item.level} has only {len(mine)} different variants for this paper, and item "
        f'"{item.id}" asks for {item.count}',
        item=number,
        name="count" if item.count > 1 else "family",
        help="lower the count, or take another level or family",
    )


def open_paper(plan: QuizPlan, families: Mapping[str, Family], seed: str, number: int) -> list[Draft]:
    """Return the questions of one paper of an open set again: a function of plan, seed and paper number."""
    return [each for _id, each, _points, _label in _drafts(plan.checked(families), families, seed, str(number))]


def merged_manifest(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Return the later manifest with the papers of the earlier one behind it: printed papers stay resolvable.

    Papers that both hold stand once, so a second run of the same set changes nothing.
    """
    codes = {paper["code"] for paper in later["papers"]}
    kept = [paper for paper in earlier["papers"] if paper["code"] not in codes]
    return {**later, "papers": [*later["papers"], *kept]}


def find_in_manifest(manifest: Mapping[str, Any], code: str) -> list[dict[str, Any]]:
    """Return the items behind a look-up id: one item, or all of a paper; empty when the manifest has no such id."""
    wanted = normal_id(code)
    for paper in manifest["papers"]:
        if normal_id(paper["code"]) == wanted:
            return list(paper["items"])
        for item in paper["items"]:
            if normal_id(item["code"]) == wanted:
                return [item]
    return []
