"""Papers and keys on paper: the numbers are there, the keys are not, and the file is tagged, closed and repeatable."""

import hashlib
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import print_kit as kit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from print_pdf import everything_in, flat, reader, struct, text_of

import templates
from maskwise.exporters import FORMATS, ExportRefused, Options, pdf
from templates import tokens


@pytest.fixture(scope="module")
def made():
    quiz = kit.quiz(papers=3, items=kit.ALL)
    return quiz, FORMATS["pdf"](quiz, Options())


def test_two_files_with_their_summary(made):
    _, package = made
    assert list(package.files) == ["lesson-12.pdf", "lesson-12-key.pdf"]
    papers = package.files["lesson-12.pdf"]
    assert package.summary == (
        ("lesson-12.pdf", f"3 papers, {pdf.pages(papers)} pages"),
        ("lesson-12-key.pdf", "3 keys"),
    )
    assert pdf.pages(papers) == len(reader(papers).pages)


def test_every_number_of_the_question_is_on_the_paper(made):
    quiz, _package = made
    for paper in quiz.papers:
        text = text_of(pdf.document(quiz, [paper]))
        given_numbers = paper.items[0].variant.given
        for letter in "BTDV":
            assert f"{letter} = {given_numbers[letter]}" in text
        assert paper.code in text
        for word in [word for row in paper.items[1].variant.given["tokens"] for word in row]:
            assert word in text


def test_the_students_file_holds_no_key_seed_family_level_or_hash(made):
    quiz, package = made
    found = everything_in(package.files["lesson-12.pdf"])
    for secret in (kit.SEED, kit.SEED[:16], kit.HASH, kit.HASH[:12], kit.FAMILY):
        assert secret not in found
    assert not re.search(r"\blevel\b|\bseed\b|\bfamily\b|certificate|torch\.Size", found, re.IGNORECASE)
    for paper in quiz.papers:
        for item in paper.items:
            for part in item.variant.parts:
                shown = part.answer.display()
                # Options stand on the paper; a word of three signs may stand anywhere.
                assert shown not in found or part.options or len(shown) < 4, shown
            assert item.code not in found


def test_the_key_file_holds_what_proves_it(made):
    quiz, package = made
    text = flat(text_of(package.files["lesson-12-key.pdf"]))
    for paper in quiz.papers:
        for item in paper.items:
            assert item.code in text
            assert f"Certificate{kit.HASH[:12]}" in text
            assert kit.HASH[:13] not in text
            for part in item.variant.parts:
                route = item.variant.certificate.routes[part.id]
                assert flat(part.answer.display()) in text
                assert flat(route.line) in text
                assert flat(route.printed) in text
                assert flat(f"proven by {route.by}{': ' + route.reason if route.reason else ''}") in text
                for slip in part.slips:
                    assert slip.id in text
                    assert flat(slip.witness or slip.reason) in text
                    assert flat(f"Which of them did you mean by {slip.id.replace('_', ' ')}?") in text
                    if not part.options:
                        assert flat(slip.answer.display()) in text
    assert "PyTorch2.13.0" in text


def test_the_secrets_test_can_fail(made):
    found = everything_in(made[1].files["lesson-12-key.pdf"])
    assert kit.HASH[:12] in found
    assert "proven by" in found


def test_the_same_quiz_gives_the_same_bytes(made):
    quiz, package = made
    assert FORMATS["pdf"](quiz, Options()).files == package.files
    assert FORMATS["pdf"](kit.quiz(papers=3, items=kit.ALL), Options()).files == package.files


def test_another_process_gives_the_same_bytes(made):
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import hashlib, print_kit as kit\nfrom maskwise.exporters import FORMATS, Options\n"
        "files = FORMATS['pdf'](kit.quiz(papers=3, items=kit.ALL), Options()).files\n"
        "print([hashlib.sha256(data).hexdigest() for data in files.values()])"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", code, here], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([hashlib.sha256(data).hexdigest() for data in made[1].files.values()])


@pytest.mark.parametrize("name", ["lesson-12.pdf", "lesson-12-key.pdf"])
def test_the_file_is_tagged_and_declares_pdf_ua(made, name):
    data = made[1].files[name]
    read = reader(data)
    assert read.root_object["/MarkInfo"]["/Marked"]
    assert str(read.root_object["/Lang"]) == "en"
    assert b"<pdfuaid:part>1</pdfuaid:part>" in data
    assert read.metadata.creation_date is None
    assert read.metadata.modification_date is None
    assert set(read.metadata) <= {"/Title", "/Creator"}
    headings = [node["/S"] for node in struct(data, {"/H1", "/H2"})]
    matrix = "key" in name
    assert headings.count("/H1") == 3 + matrix
    assert headings.count("/H2") == 24 + matrix
    pictured = struct(data, {"/Figure", "/Formula"})
    assert pictured
    assert all(str(node.get("/Alt", "")) for node in pictured)


def test_strips_are_figures_whose_alternative_text_lists_and_never_counts(made):
    quiz, package = made
    alts = [str(node["/Alt"]) for node in struct(package.files["lesson-12.pdf"], {"/Figure"})]
    strips = [alt for alt in alts if "[MASK]" in alt]
    assert len(strips) == 2 * len(quiz.papers)
    rows = quiz.papers[0].items[1].variant.given["tokens"]
    assert "; ".join(", ".join(row) for row in rows) in strips
    assert not any(re.search(r"\d|masked", alt) for alt in strips)


def test_fonts_are_embedded_and_ours(made):
    names = {
        str(font.get_object()["/BaseFont"]).partition("+")[2]
        for page in reader(made[1].files["lesson-12.pdf"]).pages
        for font in page["/Resources"]["/Font"].values()
    }
    assert names
    assert all(re.match(r"LibertinusSerif|DejaVuSansMono|NewCM", name) for name in names), names


def test_pages_count_within_each_paper():
    quiz = kit.quiz(papers=2, items=kit.CLASSIC * 3)
    pages = reader(pdf.document(quiz, quiz.papers)).pages
    each = len(pages) // 2
    assert each > 1
    told = [re.findall(r"(\d+) of (\d+)", page.extract_text())[-1] for page in pages]
    assert told == [(str(at), str(each)) for at in range(1, each + 1)] * 2
    lone = reader(pdf.document(quiz, [quiz.papers[1]])).pages
    assert [re.findall(r"(\d+) of (\d+)", page.extract_text())[-1] for page in lone] == told[:each]


def test_a_quiz_that_is_not_confirmed_is_refused():
    quiz = with_variant(kit.quiz(papers=1), certificate=None)
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


def with_variant(quiz, **changes):
    """Return a quiz whose first question is changed."""
    paper = quiz.papers[0]
    first = replace(paper.items[0], variant=replace(paper.items[0].variant, **changes))
    return replace(quiz, papers=(replace(paper, items=(first, *paper.items[1:])), *quiz.papers[1:]))


def with_words(words, title="T"):
    quiz = kit.quiz(papers=1, items=kit.CLASSIC[:1], title=title, course=title, intro=tokens.text(words))
    said = quiz.papers[0].items[0].variant.words
    return with_variant(quiz, words={**said, "stem": tokens.text(words), "ask_enc": tokens.code(words)})


@pytest.mark.parametrize("words", HOSTILE)
def test_nothing_that_looks_like_typst_is_read_as_typst(words):
    quiz = with_words(words, title=words)
    text = re.sub(r"\s+", "", text_of(pdf.document(quiz, quiz.papers)))
    assert text.count(re.sub(r"\s+", "", words)) >= 4


@pytest.mark.parametrize("words", HOSTILE)
def test_nor_in_names_options_and_what_pytorch_printed(words):
    quiz = kit.quiz(people=[words], items=(kit.choices,))
    variant = quiz.papers[0].items[0].variant
    named = replace(variant.parts[0], labels=tuple(tokens.text(f"{at} {words}") for at in range(4)), together=())
    routes = dict.fromkeys(
        variant.certificate.routes, variant.certificate.routes["sel"]._replace(line=words, printed=words)
    )
    quiz = with_variant(quiz, parts=(named,), certificate=variant.certificate._replace(routes=routes))
    assert flat(text_of(pdf.document(quiz, quiz.papers))).count(flat(words)) >= 5
    assert flat(text_of(pdf.document(quiz, quiz.papers, key=True))).count(flat(words)) >= 6


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


def test_code_within_a_line_stays_on_it():
    quiz = kit.quiz(papers=1, items=kit.CLASSIC[:1])
    said = quiz.papers[0].items[0].variant.words
    printed = tokens.code("tensor([[4],\n        [5]])")
    quiz = with_variant(quiz, words={**said, "stem": f"It prints {printed}. Why?"})
    assert "It prints tensor([[4], [5]]). Why?" in text_of(pdf.document(quiz, quiz.papers))


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
    quiz = kit.quiz(papers=1, items=kit.CLASSIC[:1])
    said = quiz.papers[0].items[0].variant.words
    quiz = with_variant(quiz, words={**said, "stem": tokens.maths(tex, display=display)})
    assert pdf.document(quiz, quiz.papers).startswith(b"%PDF")
