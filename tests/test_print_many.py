"""Large sets are written in several files, each set by a process of its own."""

import json

import pytest

from generator.plan import QuizPlan
from generator.quiz import assemble
from maskwise.exporters import pdf
from maskwise.exporters.package import Options
from question_bank.catalogue import families

pytestmark = pytest.mark.torch

PLAN = 'title = "Many"\n[[item]]\nfamily = "SH-CHAIN"\nlevel = 1\n'


@pytest.fixture(scope="module")
def seven(prover):
    return assemble(QuizPlan.parse(PLAN), families(), b"k" * 32, papers=7, prover=prover)


def test_many_papers_stand_in_several_files_and_are_the_same_bytes(seven, monkeypatch):
    monkeypatch.setattr(pdf, "TOGETHER", 3)
    here = pdf.export(seven, Options())
    monkeypatch.setattr(pdf, "_HERE", 2)
    beside = pdf.export(seven, Options())
    parts = ("1-3", "4-6", "7-7")
    assert set(beside.files) == {f"many-{part}.pdf" for part in parts} | {f"many-key-{part}.pdf" for part in parts}
    assert beside.files == here.files
    assert [name for name, _what in beside.summary] == [
        *(f"many-{part}.pdf" for part in parts),
        *(f"many-key-{part}.pdf" for part in parts),
    ]
    assert beside.summary[0][1].startswith("3 papers, ")
    assert beside.summary[2][1].startswith("1 paper, ")


def test_a_small_set_stands_in_one_file(seven):
    assert set(pdf.export(seven, Options()).files) == {"many.pdf", "many-key.pdf"}


def test_each_file_holds_its_own_papers(seven, monkeypatch):
    monkeypatch.setattr(pdf, "TOGETHER", 3)
    made = pdf.export(seven, Options())
    shown = json.dumps(pdf.sheet(seven, seven.papers[3:6]), ensure_ascii=False)
    for paper in seven.papers:
        assert (paper.code in shown) == (paper.number in (4, 5, 6))
    assert made.files["many-4-6.pdf"] == pdf.document(seven, seven.papers[3:6])
