"""What the families about shown tokens share: rows of ids or labels, positions in them, and what a caller may give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Rows = list[list[int]]

IGNORE = -100
PAD = 0
# What a caller may give: entries that a person can still read, an answer that can still be typed, scores that are run.
_MOST_ENTRIES = 100
_LONGEST_ANSWER = 200
_MOST_SCORES = 2_000_000
_LARGEST = 10**6


def rows_of(value: Any) -> list[Any]:
    """Return a list of rows, whether one flat row or several were given."""
    return list(value) if value and isinstance(value[0], list) else [value]


def flat(rows: Rows) -> Any:
    """Return one row as a flat list, several as they are: a batch of one row is asked and run as a row."""
    return rows[0] if len(rows) == 1 else rows


def ignore_of(given: Mapping[str, Any]) -> int:
    """Return the ignore value of a question."""
    value: int = given.get("ignore", IGNORE)
    return value


def spell(line: str, given: Mapping[str, Any]) -> str:
    """Return a line with the ignore value of the question in place of the usual one."""
    ignore = ignore_of(given)
    return line if ignore == IGNORE else line.replace(str(IGNORE), str(ignore))


def check_rows(given: Mapping[str, Any], name: str) -> list[Any]:
    """Return the rows of whole numbers given under a name. Raises ValueError with a sentence for anything else."""
    value = given[name]
    if not isinstance(value, list) or not value:
        raise ValueError(f"{name} is a row of whole numbers, or a list of such rows.")
    rows = rows_of(value)
    if any(not isinstance(row, list) or not row for row in rows) or len({len(row) for row in rows}) != 1:
        raise ValueError(f"{name} is a row of whole numbers, or a list of rows that are equally long.")
    if len(rows) * len(rows[0]) > _MOST_ENTRIES:
        raise ValueError(f"{name} may have at most {_MOST_ENTRIES} entries: more cannot be shown and answered.")
    for row in rows:
        for entry in row:
            if type(entry) is not int or abs(entry) > _LARGEST:
                raise ValueError(f"{name} holds {entry!r}, which is no whole number up to {_LARGEST:,}.")
    return rows


def check_whole(given: Mapping[str, Any], name: str, least: int) -> None:
    """Raise ValueError unless what is given under a name, if anything, is a whole number from `least` to a million."""
    if name in given and (type(given[name]) is not int or not least <= given[name] <= _LARGEST):
        raise ValueError(f"{name} must be a whole number from {least:,} to {_LARGEST:,}.")


def check_ignore(given: Mapping[str, Any]) -> int:
    """Return the ignore value. Raises ValueError unless it is a whole number."""
    check_whole(given, "ignore", -_LARGEST)
    return ignore_of(given)


def check_ids(given: Mapping[str, Any], positions: int, tables: Mapping[str, Iterable[int]]) -> None:
    """Raise ValueError unless all ids, listed by the name of their table, are of one vocabulary.

    The vocabulary must be small enough for the scores of that many positions to be run.
    """
    check_whole(given, "mask_id", 0)
    check_whole(given, "V", 1)
    listed = {name: list(ids) for name, ids in tables.items()}
    for name, ids in listed.items():
        if min(ids, default=0) < 0:
            raise ValueError(f"{name} holds {min(ids)}, and ids start at 0.")
    if "mask_id" in given:
        listed["mask_id"] = [given["mask_id"]]
    largest = max((entry for ids in listed.values() for entry in ids), default=0)
    if "V" in given and largest >= given["V"]:
        raise ValueError(f"V = {given['V']} is too small: id {largest} is shown, and ids run from 0 to V - 1.")
    if positions * max(given.get("V", 0), largest + 1) > _MOST_SCORES:
        raise ValueError("this batch has too many scores to be run: show fewer positions, or a smaller vocabulary.")


def check_positions(value: Any, name: str, lengths: list[int]) -> Rows:
    """Return the positions of each row. `lengths` are the positions that each row has.

    Raises ValueError with a sentence unless different positions are listed, flat for one row or one list a row.
    """
    if not isinstance(value, list):
        raise ValueError(f"{name} is a list of positions, or one such list a row.")  # noqa: TRY004 - a caller's data
    rows = rows_of(value) if value else [value]
    if len(rows) != len(lengths) or any(not isinstance(row, list) for row in rows):
        raise ValueError(f"{name} needs one list of positions for each row.")
    for places, length in zip(rows, lengths, strict=True):
        if any(type(place) is not int or not 0 <= place < length for place in places):
            raise ValueError(f"{name} lists whole numbers from 0 to {length - 1}, the real positions of its row.")
        if len(set(places)) != len(places):
            raise ValueError(f"{name} lists a position twice.")
    return rows


def check_typed(name: str, displayed: str) -> None:
    """Raise ValueError where an answer would be longer than what can be typed."""
    if len(displayed) > _LONGEST_ANSWER:
        raise ValueError(f"the answer for {name} would have more than {_LONGEST_ANSWER} signs: show fewer positions.")
