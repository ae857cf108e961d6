"""Versions with their letters and the table of all keys; names; answer sheets; sizes of print and page; open sheets."""

import re
from dataclasses import replace

import print_kit as kit
import pytest
from print_pdf import boxes, flat, reader, text_of

from maskwise.exporters import Options, pdf

PICKS = (kit.choices, kit.seen, kit.choices)
LARGE = Options(large=True)


def words(data):
    """Return the words of a document without its running feet, as a sorted list."""
    text = re.sub(r"\d+ of \d+", " ", text_of(data))
    return sorted(set(text.split()))


# --- letters ---


def test_several_versions_carry_their_letters_and_a_lone_one_none():
    quiz = kit.quiz(papers=3)
    for paper, letter in zip(quiz.papers, "ABC", strict=True):
        text = text_of(pdf.document(quiz, [paper]))
        assert f"Version {letter} ·" in text
        assert f"version {letter} · {paper.code}" in text  # on every foot
    lone = kit.quiz(papers=1)
    text = text_of(pdf.document(lone, lone.papers))
    assert "Paper 1 ·" in text
    assert "ersion A" not in text


def test_the_letter_is_large():
    quiz = kit.quiz(papers=3)
    for paper, letter in zip(quiz.papers, "ABC", strict=True):
        read = reader(pdf.document(quiz, [paper]))
        runs = boxes(read, read.pages[0])
        tallest = max((box for box in runs if box.words), key=lambda box: box.top - box.bottom)
        assert tallest.words == letter
        assert tallest.top - tallest.bottom == pytest.approx(15)  # half of 30 points
    lone = kit.quiz(papers=1)
    read = reader(pdf.document(lone, lone.papers))
    assert not any(box.words == "A" for box in boxes(read, read.pages[0]))


def test_more_papers_than_letters_go_by_numbers():
    quiz = kit.quiz(papers=27, items=kit.CLASSIC[:1])
    text = text_of(pdf.document(quiz, [quiz.papers[26]]))
    assert "Paper 27 ·" in text
    assert "ersion" not in text


# --- the table of all keys ---


def matrix(quiz, **options):
    return pdf.sheet(quiz, quiz.papers, Options(**options), key=True)["matrix"]


def test_the_key_begins_with_one_table_a_row_a_part_and_a_column_a_version():
    quiz = kit.quiz(papers=4, items=kit.CLASSIC)
    made = matrix(quiz)
    (table,) = made["tables"]
    assert not made["wide"]
    assert table["head"] == list("ABCD")
    assert [row[0] for row in table["rows"]] == ["1a", "1b", "2a", "2b", "3"]
    assert [row[1] for row in table["rows"]] == ["1", "2", "1", "1", "1"]
    for at, paper in enumerate(quiz.papers):
        keys = [part.answer.display() for item in paper.items for part in item.variant.parts]
        assert [row[2][at] for row in table["rows"]] == keys
    first = text_of(pdf.document(quiz, quiz.papers, key=True), 0)
    assert "versions A to D" in first
    assert all(row[2][3] in first for row in table["rows"])


def test_choices_stand_in_the_table_by_their_letters():
    (table,) = matrix(kit.quiz(papers=2, items=(kit.choices,)))["tables"]
    assert table["rows"][0][2] == ["C", "D"]
    assert table["rows"][1][2] == ["B, D, E"] * 2


def test_one_paper_has_no_table():
    assert matrix(kit.quiz(papers=1)) is None


@pytest.mark.parametrize(("papers", "first", "last"), [(26, "A", "Z"), (40, "1", "40")])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_what_is_too_wide_stands_in_several_tables_on_pages_on_their_side(papers, first, last, paper):
    quiz = kit.quiz(papers=papers, items=kit.ALL)
    made = matrix(quiz, paper=paper)
    assert made["wide"]
    heads = [name for table in made["tables"] for name in table["head"]]
    assert (heads[0], heads[-1], len(heads)) == (first, last, papers)
    assert len(made["tables"]) > 1
    for table in made["tables"]:
        assert sum(table["columns"]) <= (711 if paper == "a4" else 661)
        assert all(len(row[2]) == len(table["head"]) for row in table["rows"])
    data = pdf.sheet(quiz, quiz.papers, Options(paper=paper), key=True)
    page = reader(pdf.compiled({**data, "papers": data["papers"][:1]})).pages[0]
    assert page.mediabox.width > page.mediabox.height


def test_a_part_that_a_version_lacks_has_an_empty_cell():
    one = kit.quiz(papers=2, items=kit.CLASSIC)
    short = replace(one.papers[1], items=one.papers[1].items[:2])
    (table,) = matrix(replace(one, papers=(one.papers[0], short)))["tables"]
    assert table["rows"][-1] == ["3", "1", ["1.6750", ""]]


def test_a_long_key_breaks_within_its_cell():
    parts = kit.letters(1).parts
    assert "\u200b" not in pdf.pdf_key.soft(parts[0].answer.display())
    assert (
        pdf.pdf_key.soft("B*T*V*D*H*F*N*C*M*K")
        == "B*\u200bT*\u200bV*\u200bD*\u200bH*\u200bF*\u200bN*\u200bC*\u200bM*\u200bK"
    )


# --- names ---


def test_a_personal_paper_carries_its_name_on_top_and_on_every_foot():
    quiz = kit.quiz(people=["Ada Lovelace", "Åsa Nilsson-Überfeld von und zu Grünewald"], items=kit.CLASSIC * 2)
    for paper in quiz.papers:
        pages = reader(pdf.document(quiz, [paper])).pages
        assert len(pages) > 1
        for number, page in enumerate(pages, start=1):
            text = page.extract_text().replace("\xa0", " ")
            assert f"{paper.code} · {paper.person}" in text
            assert f"{number} of {len(pages)}" in text
        assert f"Name {paper.person}" in pages[0].extract_text().replace("\xa0", " ")
        assert paper.person in text_of(pdf.document(quiz, [paper], key=True))


def test_a_personal_paper_holds_no_other_name():
    quiz = kit.quiz(people=["Ada Lovelace", "Grace Hopper"])
    assert "Grace" not in text_of(pdf.document(quiz, quiz.papers[:1]))


def test_personal_files_are_one_paper_each():
    quiz = kit.quiz(papers=2)
    package = pdf.export(quiz, Options(name="exam", personal=True))
    assert list(package.files) == ["exam-1.pdf", "exam-2.pdf", "exam-key.pdf"]
    assert package.files["exam-2.pdf"] == pdf.document(quiz, quiz.papers[1:])


# --- answer sheets ---


def test_a_quiz_of_picks_alone_has_an_answer_sheet_at_its_end():
    quiz = kit.quiz(papers=2, items=PICKS)
    for paper in quiz.papers:
        pages = [page.extract_text() for page in reader(pdf.document(quiz, [paper])).pages]
        assert [at for at, text in enumerate(pages) if "Answer sheet" in text] == [len(pages) - 1]
        last = pages[-1].replace("\xa0", " ")
        assert "Student number" in last
        assert last.count(paper.code) == 2
        assert flat("1aABCD 1bABCDEnone 1cABCD 2a") in flat(last)
        assert "Mark your answers on the answer sheet" in pages[0]
        assert flat("Anan Bzero Cfinite DIndexError") in flat(pages[0])
        assert "mark one" not in pages[0]


def test_its_rows_hold_the_marks_of_every_part():
    quiz = kit.quiz(papers=1, items=PICKS)
    ((columns,),) = pdf.sheet(quiz, quiz.papers)["papers"][0]["answers"]
    rows = {name: (marks, several) for name, marks, several in columns}
    assert rows["1a"] == (list("ABCD"), False)
    assert rows["1b"] == ([*"ABCDE", "none"], True)
    assert rows["2a"] == ([*(str(at) for at in range(6 + 3 % 3)), "none"], True)
    assert len(rows) == 8


def test_many_parts_stand_in_several_columns_and_then_on_several_pages():
    quiz = kit.quiz(papers=1, items=(kit.choices,) * 30)
    pages = pdf.sheet(quiz, quiz.papers)["papers"][0]["answers"]
    assert sum(len(rows) for columns in pages for rows in columns) == 90
    assert all(len(rows) <= 22 for columns in pages for rows in columns)
    assert len(pages) > 1
    assert any(len(columns) > 1 for columns in pages)
    few = kit.quiz(papers=1, items=(kit.choices,) * 8)
    ((one, other),) = pdf.sheet(few, few.papers)["papers"][0]["answers"]
    assert len(one) == len(other) == 12


def test_a_quiz_with_something_to_write_has_no_answer_sheet():
    quiz = kit.quiz(papers=1, items=(*PICKS, kit.counting))
    data = pdf.sheet(quiz, quiz.papers)
    assert data["papers"][0]["answers"] is None
    text = text_of(pdf.document(quiz, quiz.papers))
    assert "nswer sheet" not in text
    assert flat("mark one Anan Bzero") in flat(text)


def test_the_key_of_a_quiz_of_picks_has_no_answer_sheet():
    quiz = kit.quiz(papers=1, items=PICKS)
    assert "Answer sheet" not in text_of(pdf.document(quiz, quiz.papers, key=True))


# --- sizes ---


@pytest.mark.parametrize("items", [kit.ALL, PICKS])
def test_large_print_says_the_same_in_eighteen_points(items):
    quiz = kit.quiz(papers=1, items=items)
    plain, large = pdf.document(quiz, quiz.papers), pdf.document(quiz, quiz.papers, LARGE)
    assert words(large) == words(plain)
    assert pdf.pages(large) > pdf.pages(plain)
    sizes = set()
    for page in reader(large).pages:
        sizes |= set(map(float, re.findall(r"/f\d+ ([\d.]+) Tf", page.get_contents().get_data().decode("latin-1"))))
    assert 18 in sizes
    # What is set smaller within a line: code, which is wide, and the pieces of a formula.
    assert min(sizes) >= 0.6 * 14


def test_the_key_is_set_as_ever_beside_large_papers():
    quiz = kit.quiz(papers=2)
    files = pdf.export(quiz, LARGE).files
    assert files["lesson-12-key.pdf"] == pdf.export(quiz, Options()).files["lesson-12-key.pdf"]
    assert files["lesson-12.pdf"] == pdf.document(quiz, quiz.papers, LARGE)


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_the_page_is_a4_or_letter(paper, size):
    quiz = kit.quiz(papers=2)
    for key in (False, True):
        for page in reader(pdf.document(quiz, quiz.papers, Options(paper=paper), key=key)).pages:
            assert (round(float(page.mediabox.width)), round(float(page.mediabox.height))) == size


# --- open sheets ---


def test_open_sheets_carry_the_codes_of_every_question_in_both_forms():
    quiz = kit.quiz(papers=2, sealed=False)
    text = text_of(pdf.document(quiz, quiz.papers[:1]))
    for item in quiz.papers[0].items:
        assert f"{item.code} · {item.short}" in text
    assert quiz.papers[0].code in text
    sealed = text_of(pdf.document(kit.quiz(), kit.quiz().papers[:1]))
    assert all(item.code not in sealed for item in kit.quiz().papers[0].items)
