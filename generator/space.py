"""The space of a family's questions: which are equally difficult, and how many different ones there are.

Everything here is a function of family, level, parts and version alone: it looks at open draws with fixed seeds, so
that what is chosen for a paper is public and does not depend on how many papers are made.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from generator.drafting import draft, draft_like, iso_key
from generator.variant import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from generator.drafting import Draft
    from generator.family import Family
    from generator.plan import Source

    IsoKey = tuple[Any, ...]

# Open draws that tell which iso keys a source has, and how often: few as a rule, more where those are not enough.
_SAMPLES = (32, 2048)
# Of a key's draws, how many are carried through to see that its questions can be asked.
_TRIED = 8
# Draws on which options are made to see that there are enough: they take milliseconds each.
_CHOSEN = 4
# A space counts as exhausted when so many questions a known variant, and so many in all, have been nothing new. With n
# equally likely variants, one is missed with a chance of n * e^-20.
_STALE_EACH = 20
_STALE = 300
# No search looks at more first draws than this.
_LONGEST = 60_000


class Space(NamedTuple):
    """How many different questions were found; `exact` when the search has clearly exhausted them."""

    variants: int
    exact: bool


class Class(NamedTuple):
    """Questions of equal difficulty: their iso key, and the share of draws that have it."""

    key: IsoKey
    share: float


def mark_of(each: Draft) -> bytes:
    """Return what makes a question different from others of its family: its numbers and its parts."""
    return canonical([dict(each.given), list(each.parts)])


def drafted(
    family: Family, source: Source, seed: str, *, key: IsoKey | None = None, sealed: bool = False
) -> Draft | None:
    """Draw one question of a source; with a key, only one that has it: None where this seed gives none.

    Raises UnknownName and BadFamily as `draft` does.
    """

    def one(parts: tuple[str, ...] | None) -> Draft | None:
        if key is None:
            return draft(family, source.level, seed, parts=parts, sealed=sealed)
        return draft_like(family, source.level, seed, key, parts=parts, sealed=sealed)

    if source.parts:
        return one(source.tokens(source.parts))
    each = one(None)
    return one(source.tokens(each.parts)) if source.choice and each is not None else each


def try_choices(family: Family, source: Source) -> None:
    """Raise BadFamily where a part has too few other values to be asked as a choice, seen on a few fixed draws."""
    for number in range(_CHOSEN):
        each = drafted(family, source, f"choice/{number}")
        assert each is not None
        each.variant({})


def asked_parts(family: Family, source: Source) -> tuple[str, ...]:
    """Return every part that the source's level asks, in the family's order: levels may ask some at random."""
    found: set[str] = set()
    for key in _sample(family, source, _SAMPLES[-1]):
        found.update(key[-1])
    return tuple(part for part in family.by_id if part in found)


@lru_cache(maxsize=1024)
def _sample(family: Family, source: Source, draws: int) -> Mapping[IsoKey, list[str]]:
    """Return the iso keys of so many fixed draws with the seeds of each."""
    seeds: dict[IsoKey, list[str]] = {}
    for number in range(draws):
        seed = f"iso/{number}"
        key = iso_key(family, source.level, seed, source.parts or None)
        if key is not None:
            seeds.setdefault(key, []).append(seed)
    return seeds


def classes(family: Family, source: Source, draws: int = _SAMPLES[0]) -> Iterator[Class]:
    """Yield the classes of equally difficult questions of a source, the most frequent first.

    Keys so rare that none of the fixed draws has them, and keys whose questions cannot be asked, are left out.
    """
    seeds = _sample(family, source, draws)
    for key in sorted(seeds, key=lambda key: (-len(seeds[key]), canonical(key))):
        if _can_be_asked(family, source, key, seeds[key]):
            yield Class(key, len(seeds[key]) / draws)


def _can_be_asked(family: Family, source: Source, key: IsoKey, seeds: Sequence[str]) -> bool:
    return any(drafted(family, source, seed, key=key) for seed in seeds[:_TRIED])


@lru_cache(maxsize=1024)
def space(family: Family, source: Source, key: IsoKey | None = None, enough: int | None = None) -> Space:
    """Count the different questions of a source, or of one class of it; a search that ends when there are `enough`."""
    seen: set[bytes] = set()
    stale = 0
    for number in count():
        if enough is not None and len(seen) >= enough:
            return Space(len(seen), exact=False)
        if stale >= max(_STALE, _STALE_EACH * len(seen)):
            return Space(len(seen), exact=bool(seen))
        if number >= _LONGEST:
            return Space(len(seen), exact=False)
        each = drafted(family, source, f"space/{number}", key=key)
        if each is None:
            continue
        before = len(seen)
        seen.add(mark_of(each))
        stale = 0 if len(seen) > before else stale + 1
    raise AssertionError


@lru_cache(maxsize=1024)
def reference_keys(family: Family, source: Source, questions: int) -> tuple[Class, ...] | Space:
    """Return the class of each of so many questions of one source on a paper; their `Space` when there are too few.

    All are of the most frequent class, as long as it has questions enough; then of the next one.
    """
    for draws in _SAMPLES:
        found: list[Class] = []
        for each in classes(family, source, draws):
            left = questions - len(found)
            found += [each] * (1 if left == 1 else min(left, space(family, source, each.key, left).variants))
            if len(found) == questions:
                return tuple(found)
    return space(family, source)
