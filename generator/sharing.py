"""What papers of one set have in common, against the wish of whoever hands them out: questions, and answers.

A set can only be told honestly: where there are fewer questions than papers, some are shared; and where what makes
questions equally difficult settles an answer (as many terms on each paper), everybody has the same one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from generator.space import drafted, mark_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from generator.drafting import Draft
    from generator.family import Family
    from generator.plan import Source
    from generator.slots import Drawn, Slot
    from generator.space import Space

# Fewer papers than these may well have the same answer by chance.
_ENOUGH = 8
# Draws of any difficulty that tell whether an answer could be another one.
_TRIED = 24


def shared(papers: Iterable[Sequence[Drawn]]) -> Iterator[tuple[Slot, Space]]:
    """Yield the slots whose questions several papers must share, since there are fewer of them than are drawn."""
    for slot, drafts in _by_kind(papers):
        if len({mark_of(each) for each in drafts}) < len(drafts):
            there = slot.space(len(drafts))
            if there.exact:
                yield slot, there


def settled(papers: Sequence[Sequence[Drawn]]) -> Iterator[tuple[Slot, tuple[str, ...]]]:
    """Yield slots with the parts whose answer equal difficulty settles: one on all papers, where the level has more."""
    if len(papers) < _ENOUGH:
        return
    for slot, drafts in _by_kind(papers):
        if slot.wanted is None or len(drafts) < _ENOUGH:
            continue
        constant = [part for part, keys in _keys(drafts, constant=True).items() if len(keys) == 1]
        free = _free(slot.family, slot.source) if constant else {}
        parts = tuple(part for part in constant if len(free.get(part, ())) > 1)
        if parts:
            yield slot, parts


def _by_kind(papers: Iterable[Sequence[Drawn]]) -> Iterator[tuple[Slot, list[Draft]]]:
    drafts: dict[Hashable, list[Draft]] = {}
    slots: dict[Hashable, Slot] = {}
    for paper in papers:
        for drawn in paper:
            slot = drawn.slot
            kind: Hashable = (slot.item.id, slot.source, slot.wanted and slot.wanted.key)
            slots.setdefault(kind, slot)
            drafts.setdefault(kind, []).append(drawn.each)
    yield from zip(slots.values(), drafts.values(), strict=True)


def _keys(drafts: Iterable[Draft], *, constant: bool = False) -> dict[str, set[str]]:
    """Return the keys of each part as displayed; looking for constant ones ends when there are none."""
    found: dict[str, set[str]] = {}
    for each in drafts:
        for ask, _rules in each.served:
            if not constant or len(found.get(ask.id, ())) < 2:
                found.setdefault(ask.id, set()).add(each.key(ask).display())
        if constant and all(len(keys) > 1 for keys in found.values()):
            break
    return found


@lru_cache(maxsize=1024)
def _free(family: Family, source: Source) -> dict[str, set[str]]:
    """Return the keys that a source has when any difficulty will do."""
    drafts = (drafted(family, source, f"free/{number}") for number in range(_TRIED))
    return _keys(each for each in drafts if each is not None)
