"""Plain text papers and the teacher's JSON."""

import json

import print_kit as kit
from golden_files import Golden

from maskwise.exporters import FORMATS, Options


def test_a_paper_has_no_key_and_the_key_has_all():
    package = FORMATS["text"](kit.quiz(papers=2), Options())
    paper, key = (data.decode() for data in package.files.values())
    assert list(package.files) == ["lesson-12.txt", "lesson-12-key.txt"]
    for hidden in (kit.HASH, kit.FAMILY, kit.SEED, "(5, 19, 40)", "encoded.mean(1)"):
        assert hidden not in paper
    for shown in (kit.HASH, "(5, 19, 40)", "encoded.mean(1)", "torch.Size([5, 19, 40])"):
        assert shown in key
    assert "⟦" not in paper + key


def test_every_kind_can_be_answered_in_plain_text():
    package = FORMATS["text"](kit.quiz(papers=2, items=kit.ALL), Options())
    paper, key = (data.decode() for data in package.files.values())
    for shown in (
        "Version B · K002",
        "Answer: ____",
        "(4 decimals)",
        "0: ____   1: ____",
        "row 1   0: ____",
        "[ ] 2 [MASK]   [ ] 3 home",
        "( ) A nan\n   ( ) B zero",
        "[ ] C the loss stands at every position but the last",
        "[ ] none",
    ):
        assert shown in paper
    for shown in (
        "Answer: B: zero",
        "Answer: B, D, E: replaced, chosen_only, both_sides",
        "Answer: {0, 1, 2}",
        "slip zero_assumed: C: finite   losses.sum()",
        "proven by reasoned: it is the objective in words",
    ):
        assert shown in key
        assert shown not in paper


def test_a_personal_paper_has_its_name():
    paper = FORMATS["text"](kit.quiz(people=["Ada Lovelace"]), Options()).files["lesson-12.txt"].decode()
    assert "Name: Ada Lovelace   Student number: ____" in paper


def test_golden_text(snapshot):
    golden = snapshot.use_extension(Golden)
    for data in FORMATS["text"](kit.quiz(papers=1, items=kit.ALL), Options()).files.values():
        assert data.decode() == golden


def test_json_is_canonical_and_whole():
    quiz = kit.quiz(papers=2)
    package = FORMATS["json"](quiz, Options(name="x"))
    data = package.files["x.json"]
    assert FORMATS["json"](kit.quiz(papers=2), Options(name="x")).files["x.json"] == data
    read = json.loads(data)
    assert [paper["code"] for paper in read["papers"]] == [paper.code for paper in quiz.papers]
    assert read["papers"][0]["items"][0]["variant"] == quiz.papers[0].items[0].variant.to_json()
    assert read["papers"][0]["items"][0]["part_points"] == {"enc": "1", "sel": "2"}
    assert package.summary == (("x.json", "2 papers, 6 questions with keys and certificates"),)
