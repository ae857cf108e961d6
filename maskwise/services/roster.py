"""Rosters: who gets a paper, read from a CSV file, and who got which one, written beside the key.

A roster names people and grants nothing. Nothing in it is merged, guessed or mended: what is doubtful is refused with
its line, so that nobody gets another person's paper.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from maskwise.errors import BadFile, NotFound, Place, Refused, os_fault
from maskwise.services import csv_files
from maskwise.services.csv_files import BadTable, Cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from generator.quiz import Paper

MAX_BYTES = 4_000_000
MAX_PEOPLE = 10_000
MAX_CELL = 200
COLUMNS = ("id", "name", "email")
HEAD = ("id", "name", "paper", "code")
_ALSO = {"e-mail": "email", "mail": "email"}
_ROLES = frozenset({"role", "roles", "is_admin", "admin", "is_staff", "staff", "permissions"})
_EMAIL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
# What a spreadsheet makes of a long number: its last digits are gone.
_ROUNDED = re.compile(r"\d(?:[.,]\d+)?E\+?\d+", re.IGNORECASE)
# Signs that turn the direction of what follows them: a name could then show another one.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Student(NamedTuple):
    """One line of a roster. `id` is what the paper is a function of; `name` and `email` may be empty."""

    id: str
    name: str
    email: str


class Roster(NamedTuple):
    """People in the order of the file, and the columns that were not used."""

    students: tuple[Student, ...]
    unused: tuple[str, ...]


def load(path: Path) -> Roster:
    """Read a roster file. Raises NotFound, BadFile with line and column, or EnvironmentFault."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}") from None
    except OSError as error:
        raise os_fault(error, f"read {path}") from error
    return parse(data, str(path))


def parse(data: bytes, file: str) -> Roster:
    """Read the bytes of a roster: CSV in UTF-8 with a header; columns id, name and email by name, in any order.

    The delimiter is comma, semicolon or tab. Where there is no id, the e-mail address is it. Raises BadFile.
    """
    if len(data) > MAX_BYTES:
        raise BadFile(f"{file} is larger than {MAX_BYTES // 1_000_000} MB", help="is it a roster in CSV?")
    text = ""
    try:
        text = csv_files.decoded(data)
        return _roster(text)
    except BadTable as problem:
        raise BadFile(str(problem), help=problem.help, place=_place(file, text, problem)) from None


def _place(file: str, text: str, problem: BadTable) -> Place:
    shown = None
    if problem.line is not None:
        lines = re.split(r"\r\n|\r|\n", text)
        shown = lines[problem.line - 1] if problem.line <= len(lines) else None
        if shown is not None and len(shown) > 4 * MAX_CELL:
            shown = None
    return Place(file, problem.line, problem.column, shown)


def _roster(text: str) -> Roster:
    rows = csv_files.read(text, _delimiter(text))
    head = next(rows, None)
    if head is None:
        raise BadTable("the roster is empty", help="its first line names the columns: id,name,email")
    places, unused = _columns(head)
    students: list[Student] = []
    found: dict[str, list[Cell]] = {}
    for row in rows:
        if not any(cell.text.strip() for cell in row):
            continue
        if len(row) != len(head):
            raise _ragged(row, head)
        student = _student(row, places)
        mine = row[places["id" if "id" in places else "email"]]
        found.setdefault(unicodedata.normalize("NFKC", student.id).casefold(), []).append(mine)
        students.append(student)
        if len(students) > MAX_PEOPLE:
            raise BadTable(f"a roster has at most {MAX_PEOPLE:,} people", mine.line, mine.column)
    if not students:
        raise BadTable("the roster names nobody", help="one line a person below the header")
    for same in found.values():
        if len(same) > 1:
            raise _twice(same)
    return Roster(tuple(students), unused)


def _twice(cells: Sequence[Cell]) -> BadTable:
    *most, last = (str(cell.line) for cell in cells)
    shown = most if len(most) <= 5 else [*most[:4], "..."]
    return BadTable(
        f'lines {", ".join(shown)} and {last} have the same id, "{cells[1].text.strip()}"',
        cells[1].line,
        cells[1].column,
        help="each person has one line and an id of their own; capitals make no difference",
    )


def _delimiter(text: str) -> str:
    """Give the sign between cells: the one that stands in the header most often outside quotes."""
    head = re.sub(r'"[^"]*"', "", text[: 50 * MAX_CELL]).lstrip("\r\n")
    head = re.split(r"[\r\n]", head, maxsplit=1)[0]
    return max(csv_files.DELIMITERS, key=head.count)


def _columns(head: Sequence[Cell]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Give the place of each column that is used, and the names of the others."""
    places: dict[str, int] = {}
    unused = []
    for place, cell in enumerate(head):
        name = cell.text.strip().casefold()
        name = _ALSO.get(name, name)
        if name in _ROLES:
            raise BadTable(
                f'a roster gives nobody a role, and here is a column "{cell.text.strip()}"',
                cell.line,
                cell.column,
                help="take the column out",
            )
        if name not in COLUMNS:
            unused.append(cell.text.strip())
        elif name in places:
            raise BadTable(f'two columns are called "{name}"', cell.line, cell.column, help="take one of them out")
        else:
            places[name] = place
    if not places.keys() & {"id", "email"}:
        named = ", ".join(f'"{cell.text.strip()[:40]}"' for cell in head[:8])
        raise BadTable(
            f"there is no column id: the first line names {named}",
            head[0].line,
            head[0].column,
            help="write a first line such as id,name,email; without id, email tells people apart",
        )
    return places, tuple(unused)


def _ragged(row: Sequence[Cell], head: Sequence[Cell]) -> BadTable:
    where = row[len(head)] if len(row) > len(head) else row[-1]
    cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
    return BadTable(
        f"line {row[0].line} has {cells}, and the header has {len(head)}",
        where.line,
        where.column,
        help='a comma inside a name needs quotes: "Smith, Ann"',
    )


def _student(row: Sequence[Cell], places: Mapping[str, int]) -> Student:
    values = {name: _text(row[place], name) for name, place in places.items()}
    email = values.get("email", "")
    if email and not _EMAIL.fullmatch(email):
        cell = row[places["email"]]
        strange = next((sign for sign in email if not sign.isascii()), "")
        why = f": {strange} ({unicodedata.name(strange, 'a sign')}) is no Latin letter" if strange else ""
        raise BadTable(f'"{email}" is no e-mail address{why}', cell.line, cell.column, help="name@school.edu")
    column = "id" if "id" in places else "email"
    cell = row[places[column]]
    known = values[column]
    if not known:
        raise BadTable(f"line {cell.line} has no {column}", cell.line, cell.column, help="each person needs one")
    if _ROUNDED.fullmatch(known):
        raise BadTable(
            f'the id "{known}" was a number that a spreadsheet rounded',
            cell.line,
            cell.column,
            help="make the column a column of text, and put the ids in again",
        )
    return Student(known if column == "id" else known.casefold(), values.get("name", ""), email)


def _text(cell: Cell, name: str) -> str:
    """Give the words of a cell: blanks and line ends between them are one blank."""
    value = csv_files.text_of(" ".join(cell.text.split()))
    if len(value) > MAX_CELL:
        raise BadTable(
            f"the {name} of line {cell.line} is longer than {MAX_CELL} signs", cell.line, cell.column, help="shorten it"
        )
    for sign in value:
        if sign in _TURNING or unicodedata.category(sign) in ("Cc", "Co", "Cn", "Cs"):
            raise BadTable(
                f"the {name} of line {cell.line} holds a sign that nobody sees (U+{ord(sign):04X})",
                cell.line,
                cell.column,
                help="type it again",
            )
    return unicodedata.normalize("NFC", value)


def written(papers: Sequence[Paper]) -> bytes:
    """Give the CSV of who has which paper; without names it is to be filled in."""
    lines = ((paper.person_id, paper.person, paper.number, paper.code) for paper in papers)
    return b"".join(csv_files.rows(HEAD, lines))


def keeping(earlier: bytes, made: bytes, name: str) -> bytes:
    """Give the CSV of papers with the lines of an earlier one: what was filled in by hand, and papers printed before.

    Raises Refused when the earlier file is no such CSV: it is somebody's, and is not replaced.
    """
    try:
        text = csv_files.decoded(earlier)
        head, *old = csv_files.read(text, _delimiter(text))
        places = [[cell.text.strip().casefold() for cell in head].index(column) for column in HEAD]
        known = [[csv_files.text_of(row[place].text) for place in places] for row in old]
    except (BadTable, ValueError, IndexError):
        raise Refused(f"{name} is no list of papers", help="move it away, or choose another folder") from None
    by_code = {row[-1]: row for row in known}
    _head, *rows = csv_files.read(csv_files.decoded(made), ",")
    new = [[csv_files.text_of(cell.text) for cell in row] for row in rows]
    merged = [by_code[row[-1]] if not row[0] and row[-1] in by_code else row for row in new]
    codes = {row[-1] for row in new}
    merged += [row for row in known if row[-1] not in codes]
    lines = ([*row[:2], int(row[2]) if row[2].isdecimal() else row[2], row[3]] for row in merged)
    return b"".join(csv_files.rows(HEAD, lines))
