"""LK-FIND: at which scored positions the answer still stands in the input, and how many are hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from generator.family import Ask, Family, Rule
from grader.answers import Int, Rational, SetAnswer
from grader.expr import Letter
from grader.letters import M, T
from question_bank.families._tokens import (
    IGNORE,
    check_ids,
    check_ignore,
    check_positions,
    check_rows,
    check_typed,
    ignore_of,
    rows_of,
    spell,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from generator.draw import Draw

PARTS = ("leaked", "count", "share", "hidden")
_TABLES = ("original", "inputs", "labels")

# Scored positions whose answer stands in the input against the policy, and those that show [MASK].
LEAKED, HIDDEN = Letter("leaked"), Letter("hidden")


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: one leak; 2: several; 3: the policy 80/10/10, with positions kept by design and one random id."""
    kept, random = (1 + draw.below(2), 1) if level == 3 else (0, 0)
    leaks = {1: 1, 2: 2 + draw.below(2), 3: 1 + draw.below(2)}[level]
    hidden = 1 + draw.below(4) if level == 2 else 3 + draw.below(3)
    length = {1: 7, 2: 8, 3: 11}[level] + draw.below(4)
    scored = kept + random + leaks + hidden
    mask_id = draw.between("mask_id", 30, 98)
    if scored > length - 2:
        return None
    ids: list[int] = []
    while len(ids) < length:
        token = 1 + draw.below(mask_id - 1)
        if token not in ids:
            ids.append(token)
    places = draw.shuffled(draw.sample(range(length), scored))
    leaked, rest = places[:leaks], places[leaks:]
    if length - 1 in leaked:  # so that positions counted from 1 stay positions
        return None
    inputs, labels = list(ids), [IGNORE] * length
    for place in places:
        labels[place] = ids[place]
    for place in rest[:hidden]:
        inputs[place] = mask_id
    for place in rest[hidden : hidden + random]:
        inputs[place] = 1 + draw.below(mask_id - 1)
        if inputs[place] in ids:
            return None
    draw.given |= {"original": ids, "inputs": inputs, "labels": labels}
    if level == 3:
        draw.given["kept"] = sorted(rest[hidden + random :])
    return PARTS


class Place(NamedTuple):
    """One position: what the model reads there, what it is scored on, and what the policy says."""

    at: int
    scored: bool
    shown: bool  # the input holds the label
    hidden: bool  # the input holds mask_id
    unchanged: bool  # the input holds the original id
    kept: bool


def places(given: Mapping[str, Any]) -> Iterator[Place]:
    """Yield every position; without `mask_id` none is hidden, without `original` none is unchanged."""
    ignore, mask_id, kept = ignore_of(given), given.get("mask_id"), _kept(given)
    read, labels = _row(given, "inputs"), _row(given, "labels")
    original = _row(given, "original") if "original" in given else [None] * len(read)
    for at, (token, label, own) in enumerate(zip(read, labels, original, strict=True)):
        yield Place(at, label != ignore, token == label, token == mask_id, token == own, at in kept)


def those(test: Callable[[Place], bool], moved: int = 0) -> Callable[[Mapping[str, Any]], SetAnswer]:
    """Return the set of positions that pass a test, moved on where counting is."""

    def value(given: Mapping[str, Any]) -> SetAnswer:
        found = [place.at + moved for place in places(given) if test(place)]
        return SetAnswer(found, among=range(len(_row(given, "inputs"))))

    return value


def _leaks(place: Place) -> bool:
    return place.scored and place.shown and not place.kept


def _row(given: Mapping[str, Any], name: str) -> list[int]:
    row: list[int] = rows_of(given[name])[0]
    return row


def _kept(given: Mapping[str, Any]) -> list[int]:
    kept: list[int] = rows_of(given["kept"])[0] if given.get("kept") else []
    return kept


def _has_kept(given: Mapping[str, Any]) -> bool:
    return bool(_kept(given))


def check_leaks(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless inputs and labels are those of one sequence with something to score (rule R4)."""
    tables = _check_tables(given)
    ignore = check_ignore(given)
    scored = [at for at, label in enumerate(tables["labels"]) if label != ignore]
    if not scored:
        raise ValueError(f"at least one label must differ from the ignore value {ignore}: nothing would be scored.")
    answers = {at: tables["labels"][at] for at in scored}
    ids = {name: row for name, row in tables.items() if name != "labels"}
    check_ids(given, len(tables["inputs"]), {**ids, "labels": answers.values()})
    for at, label in answers.items():
        if "original" in tables and label != tables["original"][at]:
            raise ValueError(f"the label at position {at} is not the original id there, {tables['original'][at]}.")
        if label == given.get("mask_id"):
            raise ValueError(f"the label at position {at} is mask_id: no token was hidden there.")
    if "kept" in given:
        for at in check_positions(given["kept"], "kept", [len(tables["inputs"])])[0]:
            if answers.get(at) != tables["inputs"][at]:
                raise ValueError(f"kept lists scored positions that show their own id, and position {at} does not.")
    check_typed("leaked", those(_leaks)(given).display())


def _check_tables(given: Mapping[str, Any]) -> dict[str, list[int]]:
    if "inputs" not in given or "labels" not in given:
        raise ValueError("inputs and labels are both needed: what the model reads and what it is scored on.")
    tables = {}
    for name in _TABLES:
        if name in given:
            rows = check_rows(given, name)
            if len(rows) != 1:
                raise ValueError(f"{name} has {len(rows)} rows: leaks are looked for in one sequence, so give one row.")
            tables[name] = rows[0]
    if len(set(map(len, tables.values()))) != 1:
        raise ValueError(f"{', '.join(tables)} must be equally long.")
    return tables


def sizes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return positions, scored positions, leaks, and those that show [MASK] if its id is given."""
    found = list(places(given))
    counted = {"T": len(found), "M": sum(place.scored for place in found), "leaked": sum(map(_leaks, found))}
    if "mask_id" in given:
        counted["hidden"] = sum(place.scored and place.hidden for place in found)
    return counted


def runs(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what is run: flat rows."""
    run: dict[str, Any] = {name: _row(given, name) for name in _TABLES if name in given}
    run |= {name: given[name] for name in ("mask_id", "ignore") if name in given}
    return [run | ({"kept": _kept(given)} if "kept" in given else {})]


def spelled(line: str, given: Mapping[str, Any]) -> str:
    """Return a line with the ignore value of the question, and without kept positions where the question has none."""
    return spell(line if given.get("kept") else line.replace(" & ~kept", ""), given)


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return length, scored positions, leaks, hidden and kept positions, and the digits of the ids."""
    found = sizes(given)
    digits = len(str(max(_row(given, "inputs"))))
    return (found["T"], found["M"], found["leaked"], found.get("hidden"), len(_kept(given)), digits)


_SCORED_AND_SHOWN = "scored & (inputs == labels) & ~kept"

FAMILY = Family(
    id="LK-FIND",
    slug="find_leaks",
    title="Find the leaks",
    topic="leakage",
    core=True,
    version=1,
    world="tokens",
    levels={1: "one leak", 2: "several leaks", 3: "80/10/10, with positions kept by design"},
    draw=draw,
    asks=(
        Ask(
            "leaked",
            those(_leaks),
            f"({_SCORED_AND_SHOWN}).nonzero()",
            (
                Rule(
                    "hidden_instead",
                    those(lambda place: place.scored and place.hidden),
                    "(scored & (inputs == mask_id)).nonzero()",
                    needs=("mask_id",),
                ),
                Rule(
                    "every_visible",
                    those(lambda place: place.unchanged),
                    "(inputs == original).nonzero()",
                    needs=("original",),
                ),
                Rule("every_scored", those(lambda place: place.scored), "scored.nonzero()"),
                Rule("one_based", those(_leaks, moved=1), "leak.nonzero() + 1"),
                Rule(
                    "kept_by_design",
                    those(lambda place: place.scored and place.shown),
                    "(scored & (inputs == labels)).nonzero()",
                    when=_has_kept,
                ),
            ),
            # A model that copies what it reads has nearly no loss where the answer stands in its input.
            also=(
                "leak.nonzero()",
                "(scored & (CE(copying, labels, ignore_index=-100, reduction='none') < 1) & ~kept).nonzero()",
            ),
        ),
        Ask(
            "count",
            Int(LEAKED),
            f"({_SCORED_AND_SHOWN}).sum()",
            (
                Rule("hidden_counted", Int(HIDDEN), "(scored & (inputs == mask_id)).sum()"),
                Rule("all_scored", Int(M), "scored.sum()"),
            ),
            unit=("positions", "tokens", "leaks", "leaked", "leaked positions"),
            also=("leak.sum()",),
        ),
        Ask(
            "share",
            Rational(LEAKED / M),
            f"({_SCORED_AND_SHOWN}).sum() / scored.sum()",
            (
                Rule("over_t", Rational(LEAKED / T), "leak.double().mean()"),
                Rule(
                    "leaked_to_hidden",
                    Rational(LEAKED / HIDDEN),
                    "leak.sum() / (scored & (inputs == mask_id)).sum()",
                ),
            ),
            unit=("of the scored positions", "of the scored", "of scored positions", "of the positions"),
            allow=("percent",),
            also=("leak[scored].double().mean()",),
        ),
        Ask(
            "hidden",
            Int(HIDDEN),
            "(scored & (inputs == mask_id)).sum()",
            (Rule("leaked_counted", Int(LEAKED), "leak.sum()"),),
            unit=("positions", "tokens", "hidden", "hidden positions"),
            also=("(inputs[scored] == mask_id).sum()",),
        ),
    ),
    given_names=("original", "inputs", "labels", "mask_id", "ignore", "kept"),
    sizes=sizes,
    check_given=check_leaks,
    runs=runs,
    iso=iso,
    spell=spelled,
)
