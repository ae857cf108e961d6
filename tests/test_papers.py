"""One run of `generate` for a class: the same numbers in every file, nothing in the students' file, the same bytes."""

import io
import json
import re
import zlib

import pytest
from pypdf import PdfReader

from generator.quiz import find_in_manifest
from generator.variant import Variant
from maskwise.services.papers import generate

pytestmark = pytest.mark.torch

CLASS = 40
SECRET = b"\x05" * 32


def made(prover, *, secret=SECRET, seed="12", n=CLASS, formats=("pdf", "json"), open_=False):
    return generate("lesson-12", secret=secret, seed=seed, n=n, open_=open_, formats=formats, prover=prover)


@pytest.fixture(scope="module")
def papers(prover):
    return made(prover)


@pytest.fixture(scope="module")
def text(papers):
    """The text of each paper, pages joined: a paper starts where the look-up id follows its number."""
    reader = PdfReader(io.BytesIO(papers.files["lesson-12.pdf"]))
    return [re.sub(r"\s+", " ", page.extract_text().replace("\xa0", " ")) for page in reader.pages]


def numbers(value):
    """Give the numbers in what a question shows; words, such as the name of a mode, are said otherwise on paper."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield str(abs(value))
    elif isinstance(value, str) and value[:1].isdigit():
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)


# What stands on paper as a sentence, and what students count for themselves.
IN_WORDS = ("letters", "statements", "mode")
COUNTED = {"CT-BASIC": ("k", "B", "T"), "VI-SEE": ("n",), "CL-POOL": ("n",)}


def test_the_numbers_on_paper_are_those_of_the_json(papers, text):
    whole = json.loads(papers.files["lesson-12.json"])
    assert len(whole["papers"]) == CLASS
    for paper, told in zip(papers.quiz.papers, whole["papers"], strict=True):
        assert told["code"] == paper.code
        mine = " ".join(page for page in text if paper.code in page)
        assert mine
        for item, written in zip(paper.items, told["items"], strict=True):
            variant = Variant.from_json(written["variant"])
            assert variant.canonical() == item.variant.canonical()
            assert variant.intact()
            hidden = (*IN_WORDS, *COUNTED.get(variant.family, ()))
            shown = [value for name, value in variant.given.items() if name not in hidden]
            for number in numbers(shown):
                assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d])", mine), (paper.number, item.id, number)


def everything(pdf):
    """Metadata, alternative texts and every decompressed stream of a PDF."""
    streams = [pdf]
    for start in re.finditer(rb"stream\r?\n", pdf):
        try:
            streams.append(zlib.decompressobj().decompress(pdf[start.end() :]))
        except zlib.error:
            continue
    return str(PdfReader(io.BytesIO(pdf)).metadata) + b"\n".join(streams).decode("latin-1")


def test_the_students_file_tells_nothing(papers, text, prover):
    found = everything(papers.files["lesson-12.pdf"]) + " ".join(text)
    for paper in papers.quiz.papers:
        for item in paper.items:
            assert item.seed not in found
            assert item.variant.certificate.sha256 not in found
            assert item.variant.family not in found
            for part in item.variant.parts:
                if part.kind == "shape" and len(part.answer.axes) > 1:
                    assert part.answer.display() not in found
    for word in ("level", "seed", "torch.Size", "one_hot", "certificate"):
        assert word not in found
    key = made(prover, n=1).files["lesson-12-key.pdf"]
    pages = "".join(page.extract_text() for page in PdfReader(io.BytesIO(key)).pages)
    assert papers.quiz.papers[0].items[0].variant.certificate.sha256[:12] in re.sub(
        r"\s", "", pages
    )  # the search can find


def test_a_second_run_gives_the_same_bytes_and_another_folder_does_not(papers, prover):
    few = made(prover, n=2)
    assert made(prover, n=2).files == few.files
    assert made(prover, formats=["json"]).files["lesson-12.json"] == papers.files["lesson-12.json"]
    other = made(prover, n=2, secret=b"\x06" * 32)
    seed = made(prover, n=2, seed="13")
    for name in few.files:
        assert few.files[name] != other.files[name]
        assert few.files[name] != seed.files[name]
    assert made(prover, n=2, seed=None).files != made(prover, n=2, seed=None).files


def test_papers_of_a_class_differ_and_do_not_depend_on_its_size(papers, prover):
    few = made(prover, n=2)
    assert [paper.code for paper in few.quiz.papers] == [paper.code for paper in papers.quiz.papers[:2]]
    codes = [item.code for paper in papers.quiz.papers for item in paper.items]
    assert len(set(codes)) == len(codes)
    chains = {json.dumps(dict(paper.items[0].variant.given)) for paper in papers.quiz.papers}
    assert len(chains) == CLASS


def test_the_manifest_resolves_paper_and_item(papers):
    manifest = json.loads(papers.files["lesson-12.manifest.json"])
    paper = papers.quiz.papers[7]
    found = find_in_manifest(manifest, paper.code.lower())
    assert [each["id"] for each in found] == [item.id for item in paper.items]
    assert find_in_manifest(manifest, paper.items[2].code)[0]["seed"] == paper.items[2].seed
    assert find_in_manifest(manifest, "0000-0000-0000-0000") == []


def test_open_papers_are_a_function_of_the_seed_alone(prover):
    one = made(prover, n=2, open_=True, formats=["pdf"])
    two = made(prover, n=2, open_=True, formats=["pdf"], secret=b"\x09" * 32)
    assert one.files == two.files
    assert "lesson-12.manifest.json" not in one.files
    for item in one.quiz.papers[1].items:
        assert item.variant.open_code
