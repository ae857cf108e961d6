"""What the benchmark of print compares with: plain Typst sources that say what our papers and keys say."""

import importlib
import re
from dataclasses import replace

import print_kit as kit
import pytest
import typst
from print_pdf import struct, text_of

from generator.quiz import Person, assemble
from maskwise.exporters import pdf
from question_bank.catalogue import families, quiz_plan


@pytest.fixture
def bare(monkeypatch, request, tmp_path):
    """Return a function that makes the bare PDF of a document's data."""
    monkeypatch.syspath_prepend(str(request.config.rootpath / "bench"))
    script = importlib.import_module("bare")
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True)
    compiler = typst.Compiler(root=tmp_path, font_paths=fonts, ignore_system_fonts=True)

    def made(data):
        text, qr = script.document({**data, "matrix": None})
        return compiler.compile(input=text, format="pdf", sys_inputs={"qr": qr}, pdf_standards=["ua-1"])

    return made


def words(data):
    """Return the words of a document; how many spaces stand between signs of maths is each side's own."""
    return re.findall(r"\w+", text_of(data))


def lesson():
    quiz = assemble(quiz_plan("lesson-12"), families(), b"k" * 32, people=[Person("1", "Ada Lovelace")], prover=None)
    (paper,) = quiz.papers
    items = tuple(replace(item, variant=kit.proven(item.variant)) for item in paper.items)
    return replace(quiz, papers=(replace(paper, items=items),))


QUIZZES = {"kinds": lambda: kit.quiz(people=["Ada Lovelace"], items=kit.ALL), "lesson": lesson}


@pytest.mark.parametrize("name", QUIZZES)
@pytest.mark.parametrize("key", [False, True])
def test_the_bare_document_says_what_ours_says(bare, name, key):
    quiz = QUIZZES[name]()
    data = pdf.sheet(quiz, quiz.papers, key=key)
    mine, theirs = pdf.compiled(data), bare(data)
    assert abs(pdf.pages(mine) - pdf.pages(theirs)) <= 1
    assert set(words(mine)) ^ set(words(theirs)) == set()
    assert abs(len(words(mine)) - len(words(theirs))) <= 0.02 * len(words(mine))
    figures = [len(struct(each, {"/Figure", "/Table", "/H2"})) for each in (mine, theirs)]
    assert figures[0] == figures[1]
