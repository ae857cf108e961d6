"""From a plan to the questions of one paper: which source fills each place, and how its numbers are drawn.

A paper is a function of the key material and its own name alone. It does not depend on how many others are made, and
yet in each place all papers of a set have equally difficult questions: the iso key of a place is public (`space`).
"""

from __future__ import annotations

from itertools import count
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, Protocol

from generator.codes import derive, open_key, open_seed, seal
from generator.draw import Draw
from generator.faults import BadFamily, UnknownName
from generator.plan import EVERY_PART, source_path
from generator.space import (
    Space,
    asked_parts,
    drafted,
    mark_of,
    reference_keys,
    space,
    try_choices,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generator.drafting import Draft
    from generator.family import Family
    from generator.faults import BadPlan
    from generator.plan import PlanItem, QuizPlan, Source
    from generator.plan_places import Path
    from generator.space import Class

# How many draws without one of the wanted key are taken for "there is none": at least this many, and so many times as
# it takes on average.
_FRUITLESS = 300
_FRUITLESS_TIMES = 30
# How often a question that the paper already holds is drawn again, for each one that it holds, before the space of
# questions is called exhausted.
_REPEATS = 300
_REPEATS_EACH = 30


class Material(Protocol):
    """What papers are drawn from: a secret, or a printed seed."""

    def seed(self, name: str, label: str, attempt: int) -> str:
        """Return the seed of one question of the paper with this name."""

    def draw(self, name: str, label: str) -> Draw:
        """Return a draw for what a paper picks from a pool."""


class Sealed(NamedTuple):
    """Key material of graded papers."""

    secret: bytes
    slug: str

    def seed(self, name: str, label: str, attempt: int) -> str:
        """Return 64 hex digits, an HMAC."""
        return seal(self.secret, self.slug, label, name, attempt)

    def draw(self, name: str, label: str) -> Draw:
        """Return a draw under the secret."""
        return Draw(derive(self.secret, "pick", self.slug, label, name))


class Open(NamedTuple):
    """The printed seed of practice sheets."""

    text: str

    def seed(self, name: str, label: str, attempt: int) -> str:
        """Return a short whole number."""
        return open_seed(self.text, name, label, attempt)

    def draw(self, name: str, label: str) -> Draw:
        """Return a draw from the printed seed."""
        return Draw(open_key(self.text, "pick", name, label))


class Slot(NamedTuple):
    """A source as it fills a place of a paper; `wanted` is the class its questions must be of (None: any)."""

    item: PlanItem
    family: Family
    source: Source
    path: Path
    wanted: Class | None

    @property
    def what(self) -> str:
        """The kind of question, in words."""
        return f"{self.family.id} level {self.source.level}"

    def space(self, enough: int | None = None) -> Space:
        """Count the different questions that may fill this place."""
        return space(self.family, self.source, self.wanted.key if self.wanted else None, enough)


class Drawn(NamedTuple):
    """One question of a paper: its label (`pipeline`, `pool.2`), the slot it fills, and its draft."""

    label: str
    slot: Slot
    each: Draft


class Slots:
    """A plan made ready for drawing. Raises BadPlan where it asks for more than a family has."""

    def __init__(self, plan: QuizPlan, families: Mapping[str, Family]) -> None:
        self._plan = plan.checked(families)
        self._rows = _rows(self._plan, families)

    def paper(self, material: Material, name: str) -> list[Drawn]:
        """Draw the questions of one paper, in order and no two alike. Raises BadPlan when there are too few."""
        taken: dict[str, set[bytes]] = {}
        out = []
        for item, slots in zip(self._plan.items, self._rows, strict=True):
            chosen = slots
            if item.pick is not None and item.pick < len(slots):
                chosen = material.draw(name, item.id).sample(slots, item.pick)
            for label, slot in zip(item.labels(), chosen, strict=True):
                each = self._fresh(slot, material, name, label, taken.setdefault(slot.family.id, set()))
                out.append(Drawn(label, slot, each))
        return out

    def _fresh(self, slot: Slot, material: Material, name: str, label: str, taken: set[bytes]) -> Draft:
        """Draw one question of a slot that the paper does not hold yet."""
        wanted = slot.wanted
        misses = repeats = 0
        for attempt in count():
            seed = material.seed(name, label, attempt)
            each = self._draft(slot, seed, sealed=isinstance(material, Sealed))
            if each is None:
                misses += 1
                if wanted is not None and misses >= max(_FRUITLESS, ceil(_FRUITLESS_TIMES / wanted.share)):
                    raise _none_found(self._plan, slot, misses)
                continue
            misses = 0
            mark = mark_of(each)
            if mark not in taken:
                taken.add(mark)
                return each
            repeats += 1
            if repeats >= _REPEATS + _REPEATS_EACH * len(taken):
                raise _too_few(self._plan, slot, slot.space())
        raise AssertionError

    def _draft(self, slot: Slot, seed: str, *, sealed: bool) -> Draft | None:
        key = slot.wanted.key if slot.wanted else None
        try:
            return drafted(slot.family, slot.source, seed, key=key, sealed=sealed)
        except UnknownName as problem:  # a part of the family that this level shows too little for
            raise self._plan.fault(str(problem), *slot.path, "parts") from None


def _rows(plan: QuizPlan, families: Mapping[str, Family]) -> list[list[Slot]]:
    """Return the slots of each item: one a question, or one an entry of a pool."""
    rows = [
        [
            Slot(item, families[source.family], source, source_path(item, number, entry), None)
            for entry, source in enumerate(item.sources)
            for _ in range(item.count)
        ]
        for number, item in enumerate(plan.items)
    ]
    chosen = {slot.source: slot for slots in rows for slot in slots if slot.source.choice}
    for slot in chosen.values():
        _can_be_choices(plan, slot)
    alike: dict[Source, list[Slot]] = {}
    for slots in rows:
        for slot in slots:
            if plan.is_equal(slot.item):
                alike.setdefault(slot.source, []).append(slot)
    wanted = {source: iter(_wanted(plan, slots)) for source, slots in alike.items()}
    return [
        [slot._replace(wanted=next(wanted[slot.source])) if plan.is_equal(slot.item) else slot for slot in slots]
        for slots in rows
    ]


def _wanted(plan: QuizPlan, slots: Sequence[Slot]) -> tuple[Class, ...]:
    """Return the class of each of the slots that ask for one source on every paper."""
    first = slots[0]
    try:
        found = reference_keys(first.family, first.source, len(slots))
    except UnknownName as problem:
        raise plan.fault(str(problem), *first.path, "parts") from None
    if isinstance(found, Space):
        raise _too_few(plan, slots[-1], found, asked=len(slots))
    return found


def _can_be_choices(plan: QuizPlan, slot: Slot) -> None:
    """Refuse a part as a choice that the level never asks, or that has too few other values."""
    source = slot.source
    if not source.parts and EVERY_PART not in source.choice:
        asked = asked_parts(slot.family, source)
        for part in source.choice:
            if part not in asked:
                raise plan.fault(
                    f'{slot.what} does not ask "{part}"; it asks {", ".join(asked)}',
                    *slot.path,
                    "as",
                    part,
                    key=True,
                    help=f'parts = ["{part}"] asks it',
                )
    try:
        try_choices(slot.family, source)
    except BadFamily as problem:
        raise plan.fault(f'item "{slot.item.id}": {problem}', *slot.path, "as") from None
    except UnknownName as problem:
        raise plan.fault(str(problem), *slot.path, "parts") from None


def _none_found(plan: QuizPlan, slot: Slot, draws: int) -> BadPlan:
    return plan.fault(
        f'item "{slot.item.id}": {draws} draws of {slot.what} brought no question as difficult as on other papers',
        *slot.path,
        "family",
        help="take another level, or write equal = false",
    )


def _too_few(plan: QuizPlan, slot: Slot, there: Space, asked: int | None = None) -> BadPlan:
    item = slot.item
    kind = "different variants of equal difficulty" if slot.wanted is not None else "different variants"
    has = f"{slot.what} has only {there.variants} {kind}"
    if asked is not None and there.variants >= asked:
        has = f"{slot.what} has too few variants of equal difficulty"
    elif not there.exact:
        has = f"of {slot.what}, a long search found only {there.variants} {kind}"
    wants = f'item "{item.id}" asks for {item.count}'
    if item.count == 1:
        wants = f'all are on this paper before item "{item.id}"'
    elif asked is not None and asked > item.count:
        wants += f", of {asked} in all"
    return plan.fault(
        f"{has}, and {wants}",
        *slot.path,
        "count" if item.count > 1 else "family",
        help="lower the count, or take another level or family"
        + (", or write equal = false" if plan.is_equal(item) else ""),
    )
