"""Nothing leaves its page and nothing lies over anything else, in every size and on every kind of page."""

from dataclasses import replace
from fractions import Fraction

import print_kit as kit
import pytest
from print_pdf import faults, struct

from generator.drafting import draft
from generator.quiz import Item, Paper, Quiz
from grader.answers import ExprAnswer
from grader.letters import B, T, V
from maskwise.exporters import Options, pdf
from question_bank.catalogue import families
from templates import tokens

# The margins at the sides, less half a line's width.
SIDE, LARGE_SIDE = 64.7, 50.6
LOOKS = {
    "a4": Options(),
    "letter": Options(paper="letter"),
    "large": Options(large=True),
    "large letter": Options(large=True, paper="letter"),
}
PICKS = (kit.choices, kit.seen, kit.choices)
SETS = {
    "kinds": kit.quiz(papers=2, items=kit.ALL),
    "picks": kit.quiz(papers=2, items=PICKS),
    "many picks": kit.quiz(papers=1, items=(kit.choices,) * 30),
    "names": kit.quiz(people=["Ada Lovelace", "Åsa Nilsson-Überfeld von und zu Grünewald am See"], items=kit.CLASSIC),
    "open": kit.quiz(papers=2, items=kit.ALL, sealed=False),
    "long titles": kit.quiz(
        papers=2, title="What a model reads " * 5, course="Deep learning " * 6, intro="Take care. " * 40
    ),
}


def side(options):
    return LARGE_SIDE if options.large else SIDE


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", SETS)
def test_papers_keep_their_margins(name, look):
    quiz, options = SETS[name], LOOKS[look]
    assert faults(pdf.document(quiz, quiz.papers, options), side=side(options)) == []


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("name", SETS)
def test_keys_keep_their_margins(name, paper):
    quiz = SETS[name]
    assert faults(pdf.document(quiz, quiz.papers, Options(paper=paper), key=True), side=SIDE) == []


@pytest.mark.parametrize("papers", [26, 40])
def test_tables_of_all_keys_keep_their_margins(papers):
    quiz = kit.quiz(papers=papers, items=kit.ALL)
    data = pdf.sheet(quiz, quiz.papers, key=True)
    data["papers"] = data["papers"][:1]
    assert faults(pdf.compiled(data), side=SIDE) == []


@pytest.fixture(scope="module")
def bank():
    """Return a quiz with two questions of every family and level."""
    items = []
    for family in sorted(families()):
        for level in sorted(families()[family].levels):
            for seed in ("pages", "more pages"):
                variant = draft(families()[family], level, seed, sealed=True).variant()
                points = Fraction(len(variant.parts))
                items.append(Item(f"q{len(items)}", len(items) + 1, variant, points, f"CODE-{len(items)}", "s"))
    paper = Paper(1, "K001-9RT0-H3PZ-7QD0", tuple(items))
    return Quiz("Bank", "bank", "", (paper,), kit.quiz().plan, sealed=True, confirmed=False)


@pytest.mark.parametrize("look", LOOKS)
def test_every_family_keeps_its_margins(bank, look):
    assert faults(pdf.document(bank, bank.papers, LOOKS[look]), side=side(LOOKS[look])) == []


@pytest.mark.torch
def test_the_key_of_every_family_keeps_its_margins(bank, prover):
    from generator.build import certify

    drafts = [
        draft(families()[family], level, "keys", sealed=True)
        for family in sorted(families())
        for level in sorted(families()[family].levels)
    ]
    proven = certify(drafts, prover)
    items = tuple(
        replace(bank.papers[0].items[0], number=number, variant=variant, points=Fraction(len(variant.parts)))
        for number, variant in enumerate(proven, start=1)
    )
    quiz = replace(bank, papers=(replace(bank.papers[0], items=items),))
    assert faults(pdf.document(quiz, quiz.papers, key=True), side=SIDE) == []


# --- words of authors ---


def with_stem(stem):
    quiz = kit.quiz(papers=1, items=kit.CLASSIC[:1])
    item = quiz.papers[0].items[0]
    item = replace(item, variant=replace(item.variant, words={**item.variant.words, "stem": stem}))
    return replace(quiz, papers=(replace(quiz.papers[0], items=(item,)),))


WIDE = {
    "a table of many columns": tokens.table([f"{at}.25" for at in range(40)], head=range(40), sides=["loss"]),
    "a table without heads": tokens.table([[f"{at}{row}.25" for at in range(24)] for row in range(3)]),
    "strips of long words": tokens.strip([f"unbelievable{at}" for at in range(23)]),
    "code": tokens.codeblock(
        "loss = F.cross_entropy(logits[mask].reshape(-1, V), labels[mask], reduction='mean') * 2\n    x"
    ),
    "code in a line": "Look: " + tokens.code("F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100)"),
    "a long formula": f"$$\nL = {' + '.join(f'x_{at}' for at in range(34))}\n$$",
    "many words": "\n\n".join(["A model reads both sides of the gap, and the gap alone is scored. " * 8] * 12),
    "many strips": tokens.strip([["the", "cat", "[MASK]", "home"] * 5] * 14),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", WIDE)
def test_whatever_an_author_writes_keeps_the_margins(name, look):
    quiz, options = with_stem(WIDE[name]), LOOKS[look]
    assert faults(pdf.document(quiz, quiz.papers, options), side=side(options)) == []


def test_long_words_without_blanks_keep_the_margins_of_a_key():
    quiz = kit.quiz(papers=2, items=kit.CLASSIC[:1])
    item = quiz.papers[0].items[0]
    long = "*".join("BTDVHFNCMK" * 8)
    routes = {name: route._replace(line=long, printed=long) for name, route in item.variant.certificate.routes.items()}
    key = ExprAnswer(sum((B * T**power for power in range(1, 12)), V))
    slip = replace(item.variant.parts[0].slips[0], answer=key, witness=long)
    part = replace(item.variant.parts[0], answer=key, slips=(slip,))
    proof = item.variant.certificate._replace(routes=routes)
    item = replace(item, variant=replace(item.variant, parts=(part,), certificate=proof))
    quiz = replace(quiz, papers=(replace(quiz.papers[0], items=(item,)), quiz.papers[1]))
    assert faults(pdf.document(quiz, quiz.papers, key=True), side=SIDE) == []


def test_the_test_of_margins_can_fail():
    wide = with_stem(tokens.code("x" * 120))
    assert any("leaves its margins" in fault for fault in faults(pdf.document(wide, wide.papers), side=SIDE))
    close = with_stem(tokens.strip(["b"] * 10, start=10**30))
    assert any("over each other" in fault for fault in faults(pdf.document(close, close.papers), side=SIDE))


# --- what is read out ---


@pytest.mark.parametrize("name", SETS)
def test_what_is_drawn_has_words_that_count_nothing(name):
    quiz = SETS[name]
    for key in (False, True):
        pictured = struct(pdf.document(quiz, quiz.papers, key=key), {"/Figure", "/Formula"})
        alts = [str(node["/Alt"]) for node in pictured]
        assert alts or key or name == "many picks"
        for alt in alts:
            assert alt.strip()
            assert "masked" not in alt
            if "[MASK]" in alt:
                assert not any(sign.isdigit() for sign in alt)
