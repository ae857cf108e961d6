"""A student's copy holds no key and nothing that leads to one: in its words, tags, metadata, names and QR codes."""

import io
import json
import re
from dataclasses import replace
from fractions import Fraction

import print_kit as kit
import pypdf
import pytest
import segno
from print_pdf import everything_in, text_of
from print_qr import codes_in, decoded

from generator.build import certify
from generator.codes import lookup_id, seal
from generator.drafting import draft
from generator.quiz import Item, Paper, Quiz
from maskwise.exporters import FORMATS, Options, pdf
from maskwise.exporters.qr import qr
from question_bank.catalogue import families
from templates.markup import to_text

SECRET = b"a secret of this test, 32 bytes."


@pytest.fixture(scope="module")
def sealed(prover):
    """Return one proven sealed paper with a question of every family, at its highest level."""
    drafts, items = [], []
    for number, (name, family) in enumerate(sorted(families().items()), start=1):
        drafts.append(draft(family, max(family.levels), seal(SECRET, "bank", name), sealed=True))
        items.append((f"q{number}", number, lookup_id(SECRET, "bank", name), seal(SECRET, "bank", name)))
    variants = certify(drafts, prover)
    made = tuple(
        Item(name, number, variant, Fraction(len(variant.parts)), code, seed)
        for (name, number, code, seed), variant in zip(items, variants, strict=True)
    )
    paper = Paper(1, lookup_id(SECRET, "bank", "paper"), made)
    return Quiz("Bank", "bank", "", (paper,), kit.quiz().plan, sealed=True, confirmed=True)


def secrets_of(quiz):
    """Yield what may stand on no student's copy: (what it is, its text)."""
    for paper in quiz.papers:
        for item in paper.items:
            variant = item.variant
            yield "seed", item.seed
            yield "seed", item.seed[:12]
            yield "hash", variant.certificate.sha256[:12]
            yield "family", variant.family
            yield "code of a question", item.code
            for part in variant.parts:
                yield "line of a key", variant.certificate.routes[part.id].line
                for slip in part.slips:
                    yield "slip", slip.id
                    yield "witness", slip.witness or ""
            for name, words in variant.words.items():
                if name.startswith(("slip", "hint", "solution")):
                    yield name, words


@pytest.mark.torch
@pytest.mark.parametrize("options", [Options(), Options(large=True), Options(paper="letter", personal=True)])
def test_no_student_s_file_holds_what_leads_to_a_key(sealed, options):
    asked = asked_in(sealed)
    for name in ("pdf", "text"):
        package = FORMATS[name](sealed, options)
        for file, data in package.files.items():
            found = everything_in(data) if name == "pdf" else data.decode()
            hidden = [
                (what, text)
                for what, text in secrets_of(sealed)
                if len(text) > 11 and text in found and text not in asked
            ]
            assert bool(hidden) == ("-key" in file), (file, hidden[:3])
            if "-key" not in file:
                assert not re.search(r"\b(level|seed|family|slip|witness)\b|sha256|torch\.Size", found, re.IGNORECASE)


def asked_in(quiz):
    """Return the words of the questions themselves: an ask may name the very line that is run."""
    return "\n".join(
        to_text(words)
        for item in quiz.papers[0].items
        for name, words in item.variant.words.items()
        if name.startswith(("title", "stem", "ask"))
    )


@pytest.mark.torch
def test_no_key_that_a_question_does_not_show_stands_on_its_paper(sealed):
    """Keys of two axes and more, of lists, tensors and formulas: short numbers stand anywhere."""
    words = text_of(pdf.document(sealed, sealed.papers))
    for item in sealed.papers[0].items:
        for part in item.variant.parts:
            key = part.answer.display()
            if not part.options and len(key) > 7:
                assert key not in words, (item.variant.family, part.id)


def test_the_file_tells_of_no_person_time_or_place():
    read = pypdf.PdfReader(io.BytesIO(pdf.document(kit.quiz(papers=1), kit.quiz(papers=1).papers)))
    assert set(read.metadata) <= {"/Title", "/Creator"}
    assert read.metadata.title == "Problem set 12: Masked models"
    assert read.metadata.creation_date is None


# --- QR codes ---


@pytest.mark.parametrize(
    "text", ["K001-9RT0-H3PZ-7QD0", "7", "12345", "lesson-12.7.1", "SH-TRYIT.L2:enc+~sel.v1.a seed/1"]
)
def test_the_reader_of_qr_codes_reads_what_another_wrote(text):
    for error in "lmqh":
        made = segno.make(text, error=error, micro=False)
        if made.version <= 4:
            assert decoded([[int(dark) for dark in row] for row in made.matrix]) == text


def test_a_sealed_paper_has_one_qr_code_which_is_its_look_up_id():
    quiz = kit.quiz(papers=3, items=kit.ALL)
    for paper in quiz.papers:
        assert codes_in(pdf.document(quiz, [paper])) == [paper.code]
    assert codes_in(pdf.document(quiz, quiz.papers)) == [paper.code for paper in quiz.papers]
    assert codes_in(pdf.document(quiz, quiz.papers, Options(large=True))) == [paper.code for paper in quiz.papers]


def test_an_answer_sheet_has_the_code_again():
    quiz = kit.quiz(papers=1, items=(kit.choices, kit.seen))
    assert codes_in(pdf.document(quiz, quiz.papers)) == [quiz.papers[0].code] * 2


def test_a_personal_paper_s_code_holds_no_name():
    quiz = kit.quiz(people=["Ada Lovelace"])
    assert codes_in(pdf.document(quiz, quiz.papers)) == [quiz.papers[0].code]


def test_an_open_sheet_has_the_short_code_of_every_question():
    quiz = kit.quiz(papers=1, items=kit.ALL, sealed=False)
    (paper,) = quiz.papers
    assert codes_in(pdf.document(quiz, quiz.papers)) == [paper.code, *(item.short for item in paper.items)]


def test_without_a_short_code_the_plain_one_stands_in_its_place():
    quiz = kit.quiz(papers=1, sealed=False)
    paper = replace(quiz.papers[0], items=tuple(replace(item, short="") for item in quiz.papers[0].items))
    quiz = replace(quiz, papers=(paper,))
    assert codes_in(pdf.document(quiz, quiz.papers)) == [paper.code, *(item.code for item in paper.items)]


def test_keys_have_no_qr_codes():
    quiz = kit.quiz(papers=2)
    assert codes_in(pdf.document(quiz, quiz.papers, key=True)) == []
    assert "QR" not in json.dumps(pdf.sheet(quiz, quiz.papers, key=True))


def test_a_qr_code_is_drawn_from_the_code_alone():
    assert qr("K001-9RT0-H3PZ-7QD0") != qr("K002-9RT0-H3PZ-7QD0")
    assert re.fullmatch(r'<svg [^>]*><path class="qrline" stroke="#000" d="[Mmh0-9. -]+"/></svg>', qr("K001"))
