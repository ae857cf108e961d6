"""Rosters: who is in them, where a fault is, and that nothing of a file becomes a formula or another person."""

import contextlib
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.quiz import Paper
from maskwise.errors import BadFile, NotFound, Refused
from maskwise.services import csv_files, roster

PLAIN = "id,name,email\ns-1,Ada Byron,ada@school.edu\ns-2,Alan Turing,\n"


def people(text, encoding="utf-8"):
    return roster.parse(text.encode(encoding) if isinstance(text, str) else text, "class.csv").students


def fault(text):
    with pytest.raises(BadFile) as caught:
        people(text)
    return caught.value


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_delimiters_line_ends_and_the_mark_make_no_difference(delimiter, end, encoding):
    text = PLAIN.replace(",", delimiter).replace("\n", end)
    assert people(text, encoding) == (
        ("s-1", "Ada Byron", "ada@school.edu"),
        ("s-2", "Alan Turing", ""),
    )


def test_columns_are_known_by_name_in_any_order_and_case():
    found = roster.parse(b" E-Mail , section ,NAME,Id\nada@school.edu,3,Ada,s-1\n", "class.csv")
    assert found.students == (("s-1", "Ada", "ada@school.edu"),)
    assert found.unused == ("section",)


def test_without_an_id_the_address_is_it_in_any_case():
    assert people("name,email\nAda,Ada@School.edu\n") == (("ada@school.edu", "Ada", "Ada@School.edu"),)


@pytest.mark.parametrize(
    "name",
    [
        "Zoë Şahin",
        "李小龍",
        "Людмила",
        "محمد",
        "נועה",
        "ป๋อม",
        "O'Neil, Ann",
        'Ann "Al" Smith',
        "می‌خواهم",
        "=1+1",
        "-",
        "@x",
    ],
)
def test_names_of_any_script_are_kept_as_they_are(name):
    out = io.StringIO()
    csv.writer(out).writerows([["id", "name"], ["1", name]])
    assert people(out.getvalue())[0].name == name


def test_blanks_and_line_ends_inside_a_name_are_one_blank():
    assert people('id,name\n7,"Ann\n  Smith "\n')[0].name == "Ann Smith"


def test_lines_without_words_are_no_people():
    assert len(people("id,name\n\n1,Ada\n , \n2,Alan\n\n")) == 2


TABLE = {
    "no header": ("1,Ada\n2,Alan\n", 1, 1, 'there is no column id: the first line names "1", "Ada"'),
    "empty": ("", None, None, "the roster is empty"),
    "nobody": ("id,name\n", None, None, "names nobody"),
    "twice the same id": ("id\na\nb\nA\n a \n", 4, 1, "lines 2, 4 and 5 have the same id"),
    "full width is no difference": ("id\ns1\nｓ1\n", 3, 1, "lines 2 and 3"),
    "too few cells": ("id,name\n1,Ada\n2\n", 3, 1, "line 3 has 1 cell, and the header has 2"),
    "too many cells": ("id,name\n1,Smith, Ann\n", 2, 9, "has 3 cells"),
    "no id": ('id,name\n1,Ada\n,"Al, an"\n', 3, 1, "line 3 has no id"),
    "two columns": ("id,name,ID\n1,2,3\n", 1, 9, 'two columns are called "id"'),
    "a role": ("id,name,role\n1,Ada,instructor\n", 1, 9, "gives nobody a role"),
    "an address": ("id,email\n1,ada@school\n", 2, 3, '"ada@school" is no e-mail address'),
    "a strange letter": ("id,email\n1,аda@school.edu\n", 2, 3, "CYRILLIC SMALL LETTER A"),
    "a formula as address": ("id,email\n1,\"=cmd|' /C calc'!A0\"\n", 2, 3, "no e-mail address"),
    "a rounded number": ("id\n1.2E+11\n", 2, 1, "a spreadsheet rounded"),
    "a quote left open": ('id,name\n1,"Ada\n2,Alan\n', 2, 3, "not closed"),
    "behind a quote": ('id,name\n1,"Ada" B\n', 2, 8, "behind a closing quote"),
    "after a cell of two lines": ('id,name\n1,"A\nB"\n2\n', 4, 1, "line 4 has 1 cell"),
    "a long name": (f"id,name\n1,{'x' * 201}\n", 2, 3, "longer than 200"),
    "a turning sign": ("id,name\n1,Ada\u202eB\n", 2, 3, "U+202E"),
    "a bell": ("id,name\n1,A\x07B\n", 2, 3, "U+0007"),
    "a NUL": ("id,name\n1,A\x00\n", 2, 4, "NUL"),
    "Latin-1": ("id,name\n1,Zoë\n".encode("latin-1"), 2, 5, "not UTF-8"),
    "UTF-16": ("id\n1\n".encode("utf-16"), None, None, "not UTF-8"),
    "too large": (b"id\n" + b"x" * roster.MAX_BYTES, None, None, "larger than 4 MB"),
    "too many": ("id\n" + "".join(f"{n}\n" for n in range(roster.MAX_PEOPLE + 1)), 10_002, 1, "at most 10,000"),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_fault_is_told_with_its_line_and_column(name):
    text, line, column, says = TABLE[name]
    found = fault(text)
    assert says in found.message
    assert found.help or line is not None
    if name != "too large":
        assert (found.place.file, found.place.line, found.place.column) == ("class.csv", line, column)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(NotFound, match="there is no file"):
        roster.load(tmp_path / "none.csv")


CELLS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5), st.sampled_from(csv_files.DELIMITERS))
def test_what_a_spreadsheet_writes_is_read_cell_by_cell(rows, delimiter):
    """Python's own writer is the spreadsheet; our reader must give the cells back, with true places."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    text = out.getvalue()
    found = list(csv_files.read(text, delimiter))
    assert [[cell.text for cell in row] for row in found] == rows
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for row in found:
        for cell in row:
            assert lines[cell.line - 1][cell.column - 1] == '"'


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: f"id,name\n{text}".encode("utf-8", "replace")))
def test_no_bytes_make_the_reader_stumble(data):
    with contextlib.suppress(BadFile):
        assert all(student.id for student in roster.parse(data, "class.csv").students)


@given(st.lists(st.tuples(CELLS, st.text(alphabet="'=+-@＝ax", max_size=4)), max_size=4))
def test_cells_that_look_like_formulas_come_back_as_text(rows):
    """Written for a spreadsheet, no cell starts a formula; read again, each is what it was."""
    data = b"".join(csv_files.rows(("a", "b"), rows))
    _head, *found = csv_files.read(csv_files.decoded(data), ",")
    for row, cells in zip(rows, found, strict=True):
        assert [cell.text[:1] not in set("=+-@\t\r\n＝＋－＠") for cell in cells] == [True, True]
        assert [csv_files.text_of(cell.text) for cell in cells] == list(row)


# --- the list of papers ---


def papers(*owners):
    return [
        Paper(number, f"CODE-{number}", (), person=name, person_id=known)
        for number, (known, name) in enumerate(owners, start=1)
    ]


def test_the_list_of_papers_says_who_has_which():
    data = roster.written(papers(("s-1", "=SUM(A1)"), ("s-2", "Zoë")))
    assert data.decode("utf-8-sig").splitlines() == [
        "id,name,paper,code",
        "s-1,'=SUM(A1),1,CODE-1",
        "s-2,Zoë,2,CODE-2",
    ]
    assert [(s.id, s.name) for s in people(data)] == [("s-1", "=SUM(A1)"), ("s-2", "Zoë")]


def test_numbered_papers_leave_room_to_fill_in():
    assert roster.written(papers(("", ""))).decode("utf-8-sig").splitlines()[1] == ",,1,CODE-1"


def test_what_was_filled_in_outlives_a_second_run():
    blank = roster.written(papers(("", ""), ("", "")))
    filled = blank.replace(b",,1,", b"s-9,=Eve,1,").replace(b",", b";")
    kept = roster.keeping(filled, roster.written(papers(("", ""), ("", ""), ("", ""))), "list.csv")
    assert kept.decode("utf-8-sig").splitlines()[1:] == ["s-9,'=Eve,1,CODE-1", ",,2,CODE-2", ",,3,CODE-3"]
    other = kept.replace(b"CODE-1", b"CODE-A")
    both = roster.keeping(other, blank, "list.csv").decode("utf-8-sig").splitlines()
    assert both[1:] == [",,1,CODE-1", ",,2,CODE-2", "s-9,'=Eve,1,CODE-A", ",,3,CODE-3"]


@pytest.mark.parametrize("mine", [b"my notes", b"", b"\xff", b"a,b\n1,2\n", b"id,name,paper,code\n1,2\n"])
def test_a_file_that_is_no_list_of_papers_is_not_replaced(mine):
    with pytest.raises(Refused, match="is no list of papers"):
        roster.keeping(mine, roster.written(papers(("", ""))), "list.csv")
