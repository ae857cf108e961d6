"""The real lesson through every format: what is asked is set, numbers agree, keys stay out of students' files."""

import json
import re
from dataclasses import replace

import print_kit as kit
import pytest
from lxml import etree
from print_pdf import text_of

from generator.quiz import assemble
from grader.form import Pick, Text
from maskwise.exporters import FORMATS, Options, pdf
from question_bank.catalogue import families, quiz_plan
from templates import markup

SECRET = b"a secret of this test, 32 bytes."


@pytest.fixture(scope="module")
def lesson():
    quiz = assemble(quiz_plan("lesson-12"), families(), SECRET, papers=6, prover=None)
    papers = tuple(
        replace(paper, items=tuple(replace(item, variant=kit.proven(item.variant)) for item in paper.items))
        for paper in quiz.papers
    )
    return replace(quiz, papers=papers)


@pytest.fixture(scope="module")
def pages(lesson):
    """Return the text of each paper, printed alone."""
    return {paper.number: text_of(pdf.document(lesson, [paper])) for paper in lesson.papers}


def test_every_word_of_every_variant_can_be_set(lesson):
    for paper in lesson.papers:
        for item in paper.items:
            for name, words in item.variant.words.items():
                assert markup.problems(words) == [], name
                assert "⟦" not in markup.to_text(words) + markup.to_html(words) + json.dumps(markup.to_typst(words))


def test_the_numbers_of_every_question_are_on_its_paper(lesson, pages):
    for paper in lesson.papers:
        for item in paper.items:
            for name, value in item.variant.given.items():
                if isinstance(value, int) and f'"{name}"]⟧' in item.variant.words["stem"]:
                    assert f"{name} = {value}" in pages[paper.number], (item.variant.family, name)
                if name == "losses":
                    flat = [loss for row in value for loss in (row if isinstance(row, list) else [row])]
                    assert all(loss in pages[paper.number] for loss in flat)


def test_the_words_of_paper_page_and_platform_agree(lesson):
    for item in lesson.papers[0].items:
        numbers = [
            re.findall(r"\d+(?:\.\d+)?", re.sub(r"<[^>]+>", " ", text))
            for text in (markup.to_text(item.variant.words["stem"]), markup.to_html(item.variant.words["stem"]))
        ]
        assert sorted(set(numbers[0])) == sorted(set(numbers[1]))


def test_no_shape_key_stands_on_a_students_paper(lesson, pages):
    for paper in lesson.papers:
        for item in paper.items:
            assert item.seed not in pages[paper.number]
            for part in item.variant.parts:
                shown = part.answer.display()
                if re.fullmatch(r"\(\d+, [\d, ]+\)", shown):
                    assert shown not in pages[paper.number]


def test_students_files_name_no_family_and_no_seed(lesson):
    made = [FORMATS[name](lesson, Options()).files for name in ("pdf", "text", "moodle")]
    for files in made:
        for name, data in files.items():
            if "-key" in name:
                continue
            found = data.decode("latin-1")
            for paper in lesson.papers:
                for item in paper.items:
                    assert item.variant.family not in found
                    assert item.seed not in found
            assert kit.HASH not in found


def test_moodle_holds_every_key_as_a_right_answer(lesson):
    (data,) = FORMATS["moodle"](lesson, Options()).files.values()
    root = etree.fromstring(data)
    texts = {question.find("idnumber").text: question for question in root if question.find("idnumber") is not None}
    assert len(root.findall("question[@type='category']")) == len(lesson.papers[0].items)
    for paper in lesson.papers:
        for item in paper.items:
            question = texts.get(item.code)
            if question is None:  # the same question as another version's
                continue
            html = question.find("questiontext/text").text
            rights = re.findall(r"[:~]=((?:\\.|[^~#}\\])+)", html)
            rights = [right.replace("\\", "").replace("&lt;", "<").replace("&amp;", "&") for right in rights]
            for part in item.variant.parts:
                form = part.form()
                if isinstance(form, Pick):
                    assert picked(question, form) == form.right
                elif isinstance(form, Text):
                    assert form.accepted[0] in rights
                else:
                    near = [right.partition(":")[0] for right in rights]
                    assert any(abs(float(right) - float(form.value)) <= 1e-6 for right in near if _number(right))


def picked(question, form):
    """Return the places of the options that count: a question of one part lists answers, a cloze one field a part."""
    labels = [re.sub(r"<p>|</p>", "", markup.to_lms(label)) for label in form.labels] or list(form.options)
    marks = [(float(answer.get("fraction")), answer.find("text").text) for answer in question.findall("answer")]
    if not marks:
        fields = re.findall(r"\{\d+:MULTI[A-Z_]+:(.*?)(?<!\\)\}", question.find("questiontext/text").text)
        listed = next(field for field in fields if labels[0] in field)
        found = re.findall(r"(?:^|~)(=|%-?\d+%)((?:\\.|[^~#\\])*)", listed)
        marks = [(100 if mark == "=" else int(mark.strip("%")), text) for mark, text in found]
    counts = {re.sub(r"<p>|</p>", "", text).strip(): percent for percent, text in marks}
    return tuple(place for place, label in enumerate(labels) if counts[label] > 0)


def _number(text):
    return re.fullmatch(r"-?\d+(\.\d+)?", text)


def test_two_secrets_give_different_papers(lesson):
    other = assemble(quiz_plan("lesson-12"), families(), SECRET[::-1], papers=1, prover=None)
    assert pdf.document(other, other.papers) != pdf.document(lesson, [lesson.papers[0]])
    again = assemble(quiz_plan("lesson-12"), families(), SECRET, papers=6, prover=None)
    assert pdf.document(again, [again.papers[0]]) == pdf.document(lesson, [lesson.papers[0]])
