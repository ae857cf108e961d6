"""Quizzes: a plan and key material become papers of certified variants."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from generator.build import Prover, certify
from generator.codes import lookup_id, normal_id
from generator.sharing import settled, shared
from generator.short_codes import short_code
from generator.slots import Open, Sealed, Slots
from generator.variant import Variant, part_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from generator.drafting import Draft
    from generator.family import Family
    from generator.plan import QuizPlan
    from generator.slots import Drawn, Slot
    from generator.space import Space

_BATCH = 40
# Versions of a set are named by letters while the alphabet lasts.
_LETTERS = 26


class Person(NamedTuple):
    """Whose paper it is: what the paper is drawn for, the name that stands on it, and the id that staff know."""

    draws: str
    name: str = ""
    id: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Item:
    """One question on a paper. `number` counts from 1; `code` is the look-up id; `seed` rebuilds it (staff only).

    `short` is the short form of an open code, to be read aloud; "" where there is none (sealed, or a long seed).
    `minutes` is the time estimated for it, None where the plan says nothing.
    """

    id: str
    number: int
    variant: Variant
    points: Fraction
    code: str
    seed: str
    short: str = ""
    skills: tuple[str, ...] = ()
    minutes: Fraction | None = None

    def part_points(self) -> dict[str, Fraction]:
        """Return the points of each part: the item's points shared by the parts' weights."""
        return part_points(self.variant.parts, self.points)

    def record(self) -> dict[str, Any]:
        """Return what a manifest keeps of the question: enough to draw it again."""
        variant = self.variant
        every = [f"~{part.id}" if f"~{part.id}" in variant.chosen else part.id for part in variant.parts]
        return {
            "id": self.id,
            "number": self.number,
            "code": self.code,
            "family": variant.family,
            "level": variant.level,
            "version": variant.version,
            "seed": self.seed,
            "parts": every,
            "chosen": list(variant.chosen),
            "iso": list(variant.iso),
            "skills": list(self.skills),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Paper:
    """One person's or one version's questions.

    `person` is the name of whose paper it is, "" for a numbered one. `version` is a letter A to Z where a set has at
    most 26 numbered papers, "" otherwise. `person_id` is for staff.
    """

    number: int
    code: str
    items: tuple[Item, ...]
    person: str = ""
    version: str = ""
    person_id: str = ""

    @property
    def points(self) -> Fraction:
        """The points of the whole paper."""
        return sum((item.points for item in self.items), Fraction(0))

    def record(self) -> dict[str, Any]:
        """Return what a manifest keeps of the paper."""
        owner = {"person": {"id": self.person_id, "name": self.person}} if self.person_id else {}
        return {
            "number": self.number,
            "code": self.code,
            "version": self.version,
            **owner,
            "items": [item.record() for item in self.items],
        }


@dataclass(frozen=True, eq=False, repr=False)
class Quiz:
    """A plan carried out: `papers` versions of it. `sealed` papers carry look-up ids, open ones replay codes.

    `notes` are sentences for whoever hands the papers out.
    """

    title: str
    slug: str
    course: str
    papers: tuple[Paper, ...]
    plan: QuizPlan
    sealed: bool
    confirmed: bool
    notes: tuple[str, ...] = ()

    def manifest(self) -> dict[str, Any]:
        """Return what resolves the look-up ids: for teachers only, since the seeds in it rebuild every key."""
        return {
            "format": 1,
            "quiz": self.slug,
            "title": self.title,
            "sealed": self.sealed,
            "papers": [paper.record() for paper in self.papers],
        }


def assemble(
    plan: QuizPlan,
    families: Mapping[str, Family],
    key: bytes | str,
    *,
    papers: int = 1,
    people: Sequence[Person | str] | None = None,
    prover: Prover | None,
    progress: Callable[[int, int], None] | None = None,
) -> Quiz:
    """Draw and prove `papers` versions of a plan, or one for each of `people`.

    `key` is key material (bytes: sealed papers) or a printed seed (text: open ones). A paper is a function of key, plan
    and the person (a text stands for itself: what the paper is drawn for) or its number. Without a prover nothing is
    confirmed: good for a look at the words only. Raises BadPlan where a plan asks for more different variants than a
    family has, before anything is proven; Unproven and RunnerUnavailable as `certify` does. `progress` is told (papers
    done, papers in all).
    """
    slots = Slots(plan, families)
    material = Sealed(key, plan.slug) if isinstance(key, bytes) else Open(key)
    owners = [Person(each) if isinstance(each, str) else each for each in people] if people is not None else None
    names = [str(number) for number in range(1, papers + 1)] if owners is None else [each.draws for each in owners]
    drawn = [slots.paper(material, name) for name in names]
    variants = _variants([each.each for paper in drawn for each in paper], prover, plan.questions, progress)
    lettered = owners is None and len(names) <= _LETTERS
    made = []
    for at, (name, questions) in enumerate(zip(names, drawn, strict=True)):
        items = tuple(
            _item(place, each, next(variants), plan, key, name) for place, each in enumerate(questions, start=1)
        )
        code = lookup_id(key, plan.slug, "paper", name) if isinstance(key, bytes) else f"{plan.slug}.{key}.{at + 1}"
        made.append(
            Paper(
                number=at + 1,
                code=code,
                items=items,
                person=owners[at].name if owners else "",
                person_id=owners[at].id if owners else "",
                version=chr(ord("A") + at) if lettered else "",
            )
        )
    notes = (
        *(_sharing(slot, there, len(made)) for slot, there in shared(drawn)),
        *(_settling(slot, parts) for slot, parts in settled(drawn)),
    )
    return Quiz(
        title=plan.title,
        slug=plan.slug,
        course=plan.course,
        papers=tuple(made),
        plan=plan,
        sealed=isinstance(key, bytes),
        confirmed=prover is not None,
        notes=notes,
    )


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


def _item(place: int, drawn: Drawn, variant: Variant, plan: QuizPlan, key: bytes | str, name: str) -> Item:
    item, seed = drawn.slot.item, drawn.each.seed
    return Item(
        id=drawn.label,
        number=place,
        variant=variant,
        points=item.points if item.points is not None else Fraction(sum(part.points for part in variant.parts)),
        code=lookup_id(key, plan.slug, _code_label(drawn), name) if isinstance(key, bytes) else variant.open_code or "",
        seed=seed,
        short="" if isinstance(key, bytes) else short_code(drawn.slot.family, variant.level, seed, variant.chosen),
        skills=item.skills or (drawn.slot.family.topic,),
        minutes=item.minutes,
    )


def _code_label(drawn: Drawn) -> str:
    # An item may be called "paper", but its look-up id must not be that of the paper.
    return drawn.label if drawn.label != "paper" else "paper."


def _sharing(slot: Slot, there: Space, papers: int) -> str:
    """Say that papers hold the same question, since there are too few."""
    alike = " of equal difficulty" if slot.wanted is not None else ""
    variants = f"{there.variants} variants{alike}" if there.variants > 1 else f"one variant{alike}"
    return (
        f'item "{slot.item.id}": {slot.what} has {variants}, so that some of the {papers} papers share a question'
        + ("; equal = false in this item allows others" if slot.wanted is not None else "")
    )


def _settling(slot: Slot, parts: tuple[str, ...]) -> str:
    """Say that all papers have the same answer."""
    *most, last = parts
    named = f"parts {', '.join(most)} and {last} have" if most else f"part {last} has"
    return (
        f'item "{slot.item.id}": {named} the same answer on all papers, which equal difficulty of {slot.what} settles; '
        "equal = false in this item lets them differ"
    )


def open_paper(plan: QuizPlan, families: Mapping[str, Family], seed: str, number: int) -> list[Draft]:
    """Return the questions of one paper of an open set again: a function of plan, seed and paper number."""
    return [drawn.each for drawn in Slots(plan, families).paper(Open(seed), str(number))]


def merged_manifest(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Return the later manifest with the papers of the earlier one behind it: printed papers stay resolvable.

    Papers that both hold stand once, so a second run of the same set changes nothing.
    """
    codes = {paper["code"] for paper in later["papers"]}
    kept = [paper for paper in earlier["papers"] if paper["code"] not in codes]
    return {**later, "papers": [*later["papers"], *kept]}


def paper_in_manifest(manifest: Mapping[str, Any], code: str) -> dict[str, Any] | None:
    """Return the paper that has a look-up id, or holds a question that has it; None when the manifest has no such."""
    wanted = normal_id(code)
    for paper in manifest["papers"]:
        if wanted in {normal_id(each["code"]) for each in (paper, *paper["items"])}:
            return dict(paper)
    return None


def find_in_manifest(manifest: Mapping[str, Any], code: str) -> list[dict[str, Any]]:
    """Return the items behind a look-up id: one item, or all of a paper; empty when the manifest has no such id."""
    paper = paper_in_manifest(manifest, code)
    if paper is None:
        return []
    wanted = normal_id(code)
    items = list(paper["items"])
    return (
        items if normal_id(paper["code"]) == wanted else [item for item in items if normal_id(item["code"]) == wanted]
    )
