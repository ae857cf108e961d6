"""Papers and keys on paper: the numbers are there, the keys are not, and the file is tagged, closed and repeatable."""

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
import words_quiz
from hypothesis import given, settings
from hypothesis import strategies as st

import templates
from maskwise.exporters import FORMATS, ExportRefused, Options, pdf
from templates import tokens


@pytest.fixture(scope="module")
def made():
    quiz = words_quiz.quiz(papers=3)
    return quiz, FORMATS["pdf"](quiz, Options())


def text_of(data, *pages):
    reader = pypdf.PdfReader(io.BytesIO(data))
    chosen = [reader.pages[at] for at in pages] if pages else reader.pages
    return "\n".join(page.extract_text() for page in chosen).replace("\N{NO-BREAK SPACE}", " ")


def everything_in(data):
    """Return all strings and streams of a PDF, decoded: text, names, metadata, tags and alternative texts."""
    reader = pypdf.PdfReader(io.BytesIO(data))
    out = [data.decode("latin-1"), text_of(data)]

    def walk(value, depth=0):
        if depth > 60:
            return
        if isinstance(value, pypdf.generic.IndirectObject):
            return
        if isinstance(value, pypdf.generic.DictionaryObject):
            for name, inner in value.items():
                out.append(str(name))
                walk(inner, depth + 1)
            if isinstance(value, pypdf.generic.StreamObject):
                out.append(value.get_data().decode("latin-1"))
        elif isinstance(value, list):
            for inner in value:
                walk(inner, depth + 1)
        else:
            out.append(str(value))

    for number in range(1, len(reader.xref[0]) + len(reader.xref_objStm) + 1):
        walk(reader.get_object(number))
    return "\n".join(out)


def struct(data, kinds):
    """Return the elements of these kinds in the structure tree."""
    reader = pypdf.PdfReader(io.BytesIO(data))
    found, todo = [], [reader.root_object["/StructTreeRoot"]]
    while todo:
        node = todo.pop()
        if isinstance(node, pypdf.generic.IndirectObject):
            node = node.get_object()
        if isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, pypdf.generic.DictionaryObject):
            if node.get("/S") in kinds:
                found.append(node)
            todo.append(node.get("/K", []))
    return found


def test_two_files_with_their_summary(made):
    _, package = made
    assert list(package.files) == ["lesson-12.pdf", "lesson-12-key.pdf"]
    assert package.summary == (("lesson-12.pdf", "3 papers, 3 pages"), ("lesson-12-key.pdf", "3 keys"))
    assert pdf.pages(package.files["lesson-12.pdf"]) == len(
        pypdf.PdfReader(io.BytesIO(package.files["lesson-12.pdf"])).pages
    )


def test_every_number_of_the_question_is_on_the_paper(made):
    quiz, package = made
    for at, paper in enumerate(quiz.papers):
        text = text_of(package.files["lesson-12.pdf"], at)
        given_numbers = paper.items[0].variant.given
        for letter in "BTDV":
            assert f"{letter} = {given_numbers[letter]}" in text
        assert paper.code in text
        words = [word for row in paper.items[1].variant.given["rows"] for word in row]
        for word in words:
            assert word in text


def test_the_students_file_holds_no_key_seed_family_level_or_hash(made):
    quiz, package = made
    found = everything_in(package.files["lesson-12.pdf"])
    for secret in (words_quiz.SEED, words_quiz.SEED[:16], words_quiz.HASH, words_quiz.HASH[:12], "SECRETFAMILY"):
        assert secret not in found
    assert not re.search(r"\blevel\b|\bseed\b|\bfamily\b|certificate|torch\.Size", found, re.IGNORECASE)
    for paper in quiz.papers:
        for item in paper.items:
            for part in item.variant.parts:
                shown = part.answer.display()
                assert f"{shown}" not in found or len(shown) < 4, shown
            assert item.code not in found


def test_the_key_file_holds_what_proves_it(made):
    quiz, package = made
    text = text_of(package.files["lesson-12-key.pdf"])
    flat = re.sub(r"\s+", "", text)
    for paper in quiz.papers:
        for item in paper.items:
            assert item.code in text
            assert item.variant.certificate.sha256 in flat
            for part in item.variant.parts:
                assert part.answer.display() in text
                assert item.variant.certificate.routes[part.id].by in text.replace("\xa0", " ")
                for slip in part.slips:
                    assert slip.answer.display() in text
                    assert re.sub(r"\s+", "", slip.witness or "") in flat
    assert "PyTorch 2.13.0" in text


def test_the_secrets_test_can_fail(made):
    found = everything_in(made[1].files["lesson-12-key.pdf"])
    assert words_quiz.HASH in found
    assert "proven by" in found


def test_the_same_quiz_gives_the_same_bytes(made):
    quiz, package = made
    assert FORMATS["pdf"](quiz, Options()).files == package.files
    assert FORMATS["pdf"](words_quiz.quiz(papers=3), Options()).files == package.files


def test_another_process_gives_the_same_bytes(made):
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import hashlib, words_quiz\nfrom maskwise.exporters import FORMATS, Options\n"
        "files = FORMATS['pdf'](words_quiz.quiz(papers=3), Options()).files\n"
        "print([hashlib.sha256(data).hexdigest() for data in files.values()])"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", code, here], capture_output=True, text=True, check=True)
    import hashlib

    assert done.stdout.strip() == str([hashlib.sha256(data).hexdigest() for data in made[1].files.values()])


@pytest.mark.parametrize("name", ["lesson-12.pdf", "lesson-12-key.pdf"])
def test_the_file_is_tagged_and_declares_pdf_ua(made, name):
    data = made[1].files[name]
    reader = pypdf.PdfReader(io.BytesIO(data))
    assert reader.root_object["/MarkInfo"]["/Marked"]
    assert str(reader.root_object["/Lang"]) == "en"
    assert b"<pdfuaid:part>1</pdfuaid:part>" in data
    assert reader.metadata.creation_date is None
    assert reader.metadata.modification_date is None
    assert set(reader.metadata) <= {"/Title", "/Creator"}
    headings = [node["/S"] for node in struct(data, {"/H1", "/H2"})]
    assert headings.count("/H1") == 3
    assert headings.count("/H2") == 9
    pictured = struct(data, {"/Figure", "/Formula"})
    assert pictured
    assert all(str(node.get("/Alt", "")) for node in pictured)


def test_strips_are_figures_whose_alternative_text_lists_and_never_counts(made):
    quiz, package = made
    alts = [str(node["/Alt"]) for node in struct(package.files["lesson-12.pdf"], {"/Figure"})]
    strips = [alt for alt in alts if "[MASK]" in alt]
    assert len(strips) == len(quiz.papers)
    rows = quiz.papers[0].items[1].variant.given["rows"]
    assert "; ".join(", ".join(row) for row in rows) in strips
    assert not any(re.search(r"\d|masked", alt) for alt in strips)


def test_fonts_are_embedded_and_ours(made):
    reader = pypdf.PdfReader(io.BytesIO(made[1].files["lesson-12.pdf"]))
    names = {
        str(font.get_object()["/BaseFont"]).partition("+")[2]
        for page in reader.pages
        for font in page["/Resources"]["/Font"].values()
    }
    assert names
    assert all(re.match(r"LibertinusSerif|DejaVuSansMono|NewCM", name) for name in names), names


def test_pages_count_within_each_paper():
    quiz = words_quiz.quiz(papers=2, items=9)
    data = pdf.document(quiz, quiz.papers)
    reader = pypdf.PdfReader(io.BytesIO(data))
    each = len(reader.pages) // 2
    assert each > 1
    told = [re.findall(r"(\d+) of (\d+)", page.extract_text())[-1] for page in reader.pages]
    assert told == [(str(at), str(each)) for at in range(1, each + 1)] * 2
    lone = pypdf.PdfReader(io.BytesIO(pdf.document(quiz, [quiz.papers[1]])))
    assert [re.findall(r"(\d+) of (\d+)", page.extract_text())[-1] for page in lone.pages] == told[:each]


def test_personal_papers_are_one_file_each():
    package = FORMATS["pdf"](words_quiz.quiz(papers=2), Options(name="exam", personal=True))
    assert list(package.files) == ["exam-1.pdf", "exam-2.pdf", "exam-key.pdf"]


def test_a_quiz_that_is_not_confirmed_is_refused():
    quiz = words_quiz.quiz(papers=1)
    paper = quiz.papers[0]
    paper.items = (replace(paper.items[0], variant=replace(paper.items[0].variant, certificate=None)), *paper.items[1:])
    for name in ("pdf", "moodle"):
        with pytest.raises(ExportRefused, match="not confirmed"):
            FORMATS[name](quiz, Options())


HOSTILE = (
    '#read("/etc/passwd")',
    '#import "@preview/cetz:0.1.0": *',
    "#lorem(10**8)",
    '$#eval("1")$ *b* _i_ `c` <lbl> @ref = h',
    '"#panic()"',
    "#set page(width: 1pt)",
    "\\#sys.inputs ]",
    "// comment */",
)


def with_words(words, title="T"):
    quiz = words_quiz.quiz(papers=1, items=1, title=title, course=title, intro=tokens.text(words))
    item = quiz.papers[0].items[0]
    variant = replace(
        item.variant, words={**item.variant.words, "stem": tokens.text(words), "ask_enc": tokens.code(words)}
    )
    quiz.papers[0].items = (replace(item, variant=variant),)
    return quiz


@pytest.mark.parametrize("words", HOSTILE)
def test_nothing_that_looks_like_typst_is_read_as_typst(words):
    quiz = with_words(words, title=words)
    text = re.sub(r"\s+", "", text_of(pdf.document(quiz, quiz.papers)))
    assert text.count(re.sub(r"\s+", "", words)) >= 4


def test_no_typst_source_evaluates():
    for file in (Path(templates.__file__).parent / "print").glob("*.typ"):
        assert not re.search(r"\beval\b|\bread\(|@preview|plugin\(", file.read_text(encoding="utf-8")), file


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_categories=["Cc", "Cf"]), max_size=60))
@settings(max_examples=25, deadline=None)
def test_any_words_in_latin_letters_can_be_printed(words):
    quiz = with_words(words)
    assert pdf.document(quiz, quiz.papers).startswith(b"%PDF")


@pytest.mark.parametrize("words", ["a\x1fb", "深度学习", "\U0001f600"])
def test_a_sign_without_a_glyph_is_refused_by_name(words):
    quiz = with_words(words)
    with pytest.raises(ExportRefused, match="the fonts for print have no sign for"):
        pdf.document(quiz, quiz.papers)


TEX = (
    r"(B, T, D)",
    r"\frac{|M|}{B \times T} = \frac{12}{160}",
    r"L = \frac{1}{|M|} \sum_{(b,t) \in M} -\log p_{b,t}",
    r"\sqrt{D/H} + x^{2}_{1}",
    r"\left(\frac{a}{b}\right)",
    r"\begin{cases}a&b\\c&d\end{cases}",
    r"\operatorname{softmax}(z)",
    r"k_0 + \dots + k_{B-1}",
    r"\text{mean} \le \ln V",
)


@pytest.mark.parametrize("tex", TEX)
@pytest.mark.parametrize("display", [False, True])
def test_maths_is_set(tex, display):
    quiz = words_quiz.quiz(papers=1, items=1)
    item = quiz.papers[0].items[0]
    words = {**item.variant.words, "stem": tokens.maths(tex, display=display)}
    quiz.papers[0].items = (replace(item, variant=replace(item.variant, words=words)),)
    assert pdf.document(quiz, quiz.papers).startswith(b"%PDF")


def test_the_students_data_is_made_without_keys():
    quiz = words_quiz.quiz(papers=1)
    data = json.dumps(pdf.sheet(quiz, quiz.papers, key=False))
    assert not re.search(r"answer|solution|slips|sha256|printed|torch", data)
