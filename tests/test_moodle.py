"""Moodle XML: what Moodle's importer reads, by its own rules, and nothing that students must not see."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from types import SimpleNamespace

import pytest
import words_quiz
from golden_files import Golden
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from grader.answers import ChoiceAnswer, MultiAnswer, Seq, SetAnswer, TensorAnswer
from grader.form import Blanks, Number, Pick, Text
from grader.part import Part, Slip
from maskwise.exporters import FORMATS, Options, cloze
from templates import tokens

NAME = "lesson-12.moodle.xml"


def export(quiz):
    return FORMATS["moodle"](quiz, Options())


def parsed(package):
    (data,) = package.files.values()
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


@pytest.fixture(scope="module")
def made():
    return export(words_quiz.quiz(papers=3))


def one(variant, points=2):
    """Return a quiz of one question."""
    quiz = words_quiz.quiz(papers=1, items=1)
    quiz.papers[0].items = (replace(quiz.papers[0].items[0], variant=variant, points=Fraction(points)),)
    return quiz


def single(answer, *slips, stem="Stem", ask="Ask?"):
    part = words_quiz.part("a", answer, *slips)
    words = {"title": "T", "stem": stem, "ask_a": ask, "hint_a": "Hint {x}~#", "solution_a": "Why"}
    words |= {f"slip_a_{slip.id}": f"Slip {slip.id}?" for slip in slips}
    return words_quiz.Variant("SH-SECRETFAMILY", 1, (part,), words, words_quiz.certificate(("a", "x", "1")))


# --- a reader of cloze fields that follows Moodle's own expressions ---

FIELD = re.compile(r"\{(\d+):([A-Z_]+):((?:\\}|[^}])*)\}")
ANSWER = re.compile(r"(?:=|%(-?\d+)%)?((?:(?<=\\)[#}~]|(?<=&)#|[^~#}])*)(?:#((?:(?<=\\)[#}~]|(?<=&)#|[^~}])*))?(?:~|$)")


def fields(html):
    for weight, kind, body in FIELD.findall(html):
        answers = []
        for piece in re.split(r"(?<!\\)~", body):
            mark = re.match(r"=|%(-?\d+)%", piece)
            fraction = 100 if mark and mark.group() == "=" else int(mark.group(1)) if mark else 0
            text, _, feedback = re.sub(r"^(?:=|%-?\d+%)", "", piece).partition("#")
            while text.endswith(("\\", "&")):
                more, _, feedback = feedback.partition("#")
                text += f"#{more}"
            answers.append((fraction, plain(text), plain(feedback)))
        yield int(weight), kind, answers


def plain(text):
    text = text.replace("\\}", "}").replace("\\#", "#")
    for entity, sign in (("&#126;", "~"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return text


def test_categories_hold_all_versions_of_an_item(made):
    root = parsed(made)
    kinds = [question.get("type") for question in root]
    assert kinds == ["category", *["cloze"] * 3, "category", *["cloze"] * 3, "category", *["numerical"] * 3]
    assert [text.text for text in root.findall("question/category/text")] == [
        "$course$/top/Problem set 12: Masked models/01 From batch to loss",
        "$course$/top/Problem set 12: Masked models/02 Counting hidden tokens",
        "$course$/top/Problem set 12: Masked models/03 Mean over masked positions",
    ]
    assert made.summary == ((NAME, "9 questions in 3 categories, every key proven by PyTorch 2.13.0"),)


def test_an_item_with_a_count_is_one_category():
    quiz = words_quiz.quiz(papers=2, items=1)
    for at, paper in enumerate(quiz.papers):
        (item,) = paper.items
        other = replace(item, id="q1.2", number=2, code=f"OTHER{at}", variant=words_quiz.shapes(10 + at))
        paper.items = (replace(item, id="q1.1"), other)
    kinds = [question.get("type") for question in parsed(export(quiz))]
    assert kinds == ["category", *["cloze"] * 4]


def test_a_slash_in_a_title_is_literal():
    root = parsed(export(words_quiz.quiz(papers=1, items=1, title="B/T")))
    assert root.find("question/category/text").text.startswith("$course$/top/B//T/")


def test_cloze_fields_hold_every_spelling_and_slip_with_its_feedback(made):
    html = parsed(made).findall("question[@type='cloze']/questiontext/text")[0].text
    (weight_a, kind_a, enc), (weight_b, _, sel) = fields(html)
    assert (weight_a, weight_b, kind_a) == (1, 2, "SHORTANSWER")
    right = [text for fraction, text, _ in enc if fraction == 100]
    assert right == ["(4, 18, 40)", "(4,18,40)", "4, 18, 40", "[4, 18, 40]", "torch.Size([4, 18, 40])"]
    wrong = {text: feedback for fraction, text, feedback in enc if fraction == 0}
    assert "Which axis did you lose?" in wrong["(4, 40)"]
    assert "<code>encoded.mean(1)</code>" in wrong["(4, 40)"]
    assert "What must a layer keep" in wrong["*"]
    reveals = {text: feedback for fraction, text, feedback in sel if fraction == 0}
    assert "logits.reshape" not in reveals["(72, 321)"]


def test_the_file_holds_no_seed_family_level_or_certificate(made):
    (data,) = made.files.values()
    text = data.decode()
    for secret in (words_quiz.SEED, words_quiz.HASH, words_quiz.HASH[:12], "SECRETFAMILY"):
        assert secret not in text
    assert not re.search(r"\blevel\b|\bseed\b|certificate|formula", text)


def test_names_ids_and_tags(made):
    questions = [question for question in parsed(made) if question.get("type") != "category"]
    names = [question.find("name/text").text for question in questions]
    assert all(name and len(name) <= 255 for name in names)
    ids = [question.find("idnumber").text for question in questions]
    assert ids == [f"K00{paper}-9RT{place}-H3PZ-7QD0" for place in (1, 2, 3) for paper in (1, 2, 3)]
    assert [tag.text for tag in questions[0].findall("tags/tag/text")] == ["maskwise", "lesson-12"]
    assert all(
        question.find(tag).get("format") == "html"
        for question in questions
        for tag in ("questiontext", "generalfeedback")
    )


def test_numbers_have_a_dot_a_tolerance_and_a_right_answer(made):
    question = parsed(made).find("question[@type='numerical']")
    answers = question.findall("answer")
    assert [answer.get("fraction") for answer in answers] == ["100", "0", "0"]
    assert [answer.find("text").text for answer in answers] == ["1.675", "1.432", "*"]
    assert answers[0].find("tolerance").text == "0.00006"
    assert question.find("defaultgrade").text == "1"


# What the importer compares fractions with; those below zero are the same with a sign.
KNOWN = {*cloze.FRACTIONS, *(f"-{fraction}" for fraction in cloze.FRACTIONS)}


def grade(choices, picked):
    """Grade what is ticked as Moodle does: shares add up, and stay between nothing and everything."""
    total = sum((Fraction(fraction) for text, fraction in choices if text in picked), Fraction(0)) / 100
    return min(max(total, Fraction(0)), Fraction(1))


def subsets(items):
    return chain.from_iterable(combinations(items, n) for n in range(len(items) + 1))


@pytest.mark.parametrize("right", range(7))
def test_several_options_earn_all_for_all_of_them_and_nothing_with_a_wrong_one(right):
    options = tuple(f"o{at}" for at in range(6))
    form = Pick(options, tuple(range(right)), several=True)
    question = parsed(export(one(single(words_quiz.Key("o", form))))).find("question[@type='multichoice']")
    assert question.find("single").text == "false"  # also where one is right: how many are is not told
    alone = [(a.find("text").text.strip("</p>"), a.get("fraction")) for a in question.findall("answer")]
    assert {fraction for _, fraction in alone} <= KNOWN
    field = cloze.field(1, form, cloze.listed(form, [], "")[0])
    ((_, kind, among),) = fields(field)
    assert kind == "MULTIRESPONSE"
    embedded = [(text, fraction) for fraction, text, _ in among]
    wanted = set(options[:right]) or {cloze.NONE}
    for listed in (alone, embedded):
        assert [text for text, _ in listed] == [*options, cloze.NONE]
        for picked in subsets([*options, cloze.NONE]):
            share = grade(listed, picked)
            if set(picked) == wanted:
                assert share > Fraction(999, 1000)
            elif set(picked) - wanted:
                assert share < Fraction(1, 10**5)  # 16.66667 six times is a little more than all
            else:
                assert share <= Fraction(len(picked), len(wanted)) + Fraction(1, 50)  # whole percents
                assert share < 1


def test_right_ones_of_a_cloze_field_add_up_to_a_hundred():
    for right in range(1, 30):
        form = Pick(tuple(f"o{at}" for at in range(30)), tuple(range(right)), several=True)
        ((_, _, answers),) = fields(cloze.field(1, form, cloze.listed(form, [], "")[0]))
        shares = [fraction for fraction, _, _ in answers if fraction > 0]
        assert (sum(shares), len(shares)) == (100, right)


def test_more_right_ones_than_the_list_has_shares_for_go_into_a_cloze_field():
    for right, kind in ((10, "multichoice"), (11, "cloze")):
        form = Pick(tuple(f"o{at}" for at in range(12)), tuple(range(right)), several=True)
        question = parsed(export(one(single(words_quiz.Key("o", form)))))[1]
        assert question.get("type") == kind


# --- parts of the answer kinds themselves ---


def asked(*parts, **words):
    texts = {"title": "T", "stem": "Stem"}
    for part in parts:
        texts |= {f"ask_{part.id}": f"Ask {part.id}?", f"hint_{part.id}": f"Hint {part.id}"}
        texts |= {f"slip_{part.id}_{slip.id}": f"Slip {slip.id}?" for slip in part.slips}
    proof = words_quiz.certificate(*((part.id, "x", "1") for part in parts))
    return words_quiz.Variant("SH-SECRETFAMILY", 1, parts, {**texts, **words}, proof)


WORDS = ("nan", "zero", "finite")
CHOICE = Part(
    "effect",
    ChoiceAnswer("finite", WORDS),
    (Slip("nan", ChoiceAnswer("nan", WORDS), "losses[:0].mean()"),),
    labels=("$a < b$ gives `nan`", f"{tokens.code('x[~m] # {1}')}", "a < b & c"),
)
PLACES = Part(
    "leaked",
    SetAnswer((2, 4), among=range(6)),
    (Slip("one_based", SetAnswer((3, 5), among=range(6)), "leak.nonzero() + 1"),),
    labels=tuple(f"position {at}, {tokens.code('[MASK]' if at == 2 else 'cat')}" for at in range(6)),
)
STATEMENTS = Part("holds", MultiAnswer(("b",), ("aa", "b", "cc")), labels=("One.", "Two.", "Three."))
LIST = Part("inputs", Seq(7, 9, 41), (Slip("unchanged", Seq(7, 9, 5), "ids"),))
ROWS = Part("labels", TensorAnswer([[-100, 7], [3, -100]]))
TRUTHS = Part("kpm", TensorAnswer([[True, False]]))


def test_a_choice_with_labels_keeps_its_order_and_the_feedback_of_each_option():
    question = parsed(export(one(asked(CHOICE)))).find("question[@type='multichoice']")
    assert question.find("single").text == "true"
    assert (question.find("shuffleanswers").text, question.find("answernumbering").text) == ("0", "ABCD")
    assert question.find("penalty").text == "1"
    assert [answer.get("fraction") for answer in question.findall("answer")] == ["0", "0", "100"]
    texts = [text.text for text in question.findall("answer/text")]
    assert texts[0] == "<p>\\(a &lt; b\\) gives <code>nan</code></p>"
    assert texts[1] == "<p><code>x[~m] # {1}</code></p>"
    assert texts[2] == "<p>a &lt; b &amp; c</p>"
    told = [text.text or "" for text in question.findall("answer/feedback/text")]
    assert "Slip nan?" in told[0]
    assert "<code>losses[:0].mean()</code>" in told[0]
    assert "Hint effect" in told[1]
    assert told[2] == ""


def test_options_of_a_cloze_field_are_html_once_and_no_wrong_one_costs_or_earns():
    root = parsed(export(one(asked(CHOICE, words_quiz.part("b", words_quiz.whole(1))))))
    html = root.find("question[@type='cloze']/questiontext/text").text
    (_, kind, answers), _ = fields(html)
    assert kind == "MULTICHOICE_V"  # upright, in order, none a drop-down
    assert [fraction for fraction, _, _ in answers] == [0, 0, 100]
    assert answers[0][1] == "\\(a &lt; b\\) gives <code>nan</code>"
    assert answers[1][1] == "<code>x[~m] # {1}</code>"
    assert answers[2][1] == "a &lt; b &amp; c"
    assert "Slip nan?" in answers[0][2]


def test_positions_are_picked_in_their_order_and_without_letters():
    question = parsed(export(one(asked(PLACES)))).find("question[@type='multichoice']")
    assert question.find("single").text == "false"
    assert (question.find("shuffleanswers").text, question.find("answernumbering").text) == ("0", "none")
    texts = [text.text for text in question.findall("answer/text")]
    assert texts[2] == "<p>position 2, <code>[MASK]</code></p>"
    assert texts[6] == "<p>none of these</p>"
    assert "Hint leaked" in question.find("incorrectfeedback/text").text
    assert "Hint leaked" in question.find("partiallycorrectfeedback/text").text


def test_lists_and_rows_are_short_answers_of_one_line():
    for part, first in ((LIST, "[7, 9, 41]"), (ROWS, "[[-100, 7], [3, -100]]"), (TRUTHS, "[[True, False]]")):
        question = parsed(export(one(asked(part)))).find("question[@type='shortanswer']")
        answers = [(a.get("fraction"), a.find("text").text) for a in question.findall("answer")]
        right = [text for fraction, text in answers if fraction == "100"]
        assert right[0] == first
        assert len(right) >= 4
        assert not any("\n" in text for _, text in answers)
    told = " ".join(export(one(asked(TRUTHS))).losses)
    assert "Equality of expressions" not in told
    assert "capital" in told


def test_what_differs_for_options_is_told():
    told = " ".join(export(one(asked(CHOICE, PLACES))).losses)
    assert "one try" in told
    assert "none as soon as a wrong one is picked" in told
    assert "1 of the known slips" in told  # one that picks several positions belongs to no option
    joined = replace(CHOICE, together=("inputs",))
    assert "counts by itself" in " ".join(export(one(asked(joined, LIST))).losses)
    assert "one try" not in " ".join(export(one(asked(LIST))).losses)


def test_one_right_statement_is_not_told_by_the_form():
    question = parsed(export(one(asked(STATEMENTS)))).find("question[@type='multichoice']")
    assert question.find("single").text == "false"
    assert question.find("answernumbering").text == "none"  # an option is a letter itself


def test_a_choice_alone_and_among_parts():
    key = words_quiz.choice("int64", "int64", "float32", "a<b}")
    root = parsed(
        export(one(single(key, words_quiz.slip("float", words_quiz.choice("float32", "int64", "float32", "a<b}")))))
    )
    question = root.find("question[@type='multichoice']")
    assert question.find("single").text == "true"
    assert [text.text for text in question.findall("answer/text")] == [
        "<p>int64</p>",
        "<p>float32</p>",
        "<p>a&lt;b}</p>",
    ]
    assert "Slip float?" in question.findall("answer/feedback/text")[1].text
    blanks = words_quiz.Key("x", Blanks((key.form(), Number(Fraction(3)), Text(("a*b",), exact=True))))
    html = parsed(export(one(single(blanks)))).find("question[@type='cloze']/questiontext/text").text
    assert [kind for _, kind, _ in fields(html)] == ["MULTICHOICE_V", "NUMERICAL", "SHORTANSWER"]


@pytest.mark.parametrize("text", ["}", "#", "~", "{", "a}b#c~d", "&", "<b>", "=x", "%50%y", "{1:NUMERICAL:=3}", "#}"])
def test_signs_of_cloze_come_back_as_they_were(text):
    form = Text((text,), exact=True)
    choices, _ = cloze.listed(form, [], "a}b#c~d")
    ((_, _, answers),) = fields(cloze.field(1, form, choices))
    assert answers == [(100, text, ""), (0, "*", "a}b#c~d")]


def test_a_star_is_no_wildcard():
    choices, _ = cloze.listed(Text(("(B*T, V)",), exact=False), [], "")
    assert choices[0].text == "(B\\*T, V)"
    assert "(B\\*T, V)" in cloze.field(1, Text(("(B*T, V)",), exact=False), choices)
    root = parsed(export(one(single(words_quiz.Key("(B*T, V)", Text(("(B*T, V)",), exact=False))))))
    assert root.find("question[@type='shortanswer']/answer/text").text == "(B\\*T, V)"


def test_a_slip_never_shadows_the_key():
    key, same = words_quiz.shape(8, 20), words_quiz.Key("(8,20)", Text(("(8,20)", "(9, 9)"), exact=False))
    choices, left_out = cloze.listed(key.form(), [(same.form(), "no")], "")
    assert [choice.text for choice in choices if choice.fraction == "0"] == ["(9, 9)"]
    assert left_out == 0
    assert cloze.listed(key.form(), [(Number(Fraction(8)), "no")], "")[1] == 1


@given(st.fractions(), st.integers(0, 6))
@settings(max_examples=200, deadline=None)
def test_decimals_are_exact_or_close_and_never_in_a_local_or_scientific_form(value, places):
    exact = Fraction(round(value * 10**places), 10**places)
    text = cloze.decimal_text(exact)
    assert re.fullmatch(r"-?\d+(\.\d+)?", text)
    assert Fraction(text) == exact
    near = Fraction(cloze.decimal_text(value))
    assert abs(near - value) <= abs(value) / 10**15


def test_a_number_is_listed_to_a_thousandth_of_its_tolerance():
    choices, _ = cloze.listed(Number(Fraction(643, 150), Fraction(6, 10**5)), [], "")
    assert (choices[0].text, choices[0].tolerance) == ("4.28666667", "0.00006")


def test_the_first_spelling_stays_first():
    choices, _ = cloze.listed(Text(("(M, V)", "(M,V)", "(m, v)", " (M,V) "), exact=False), [], "")
    assert [choice.text for choice in choices] == ["(M, V)", "(M,V)"]


def test_a_fraction_without_a_decimal_becomes_text():
    assert cloze.as_listed(Number(Fraction(1, 3))) == Text(("1/3",), exact=False)
    assert cloze.as_listed(Number(Fraction(1, 3), Fraction(1, 100))) == Number(Fraction(1, 3), Fraction(1, 100))


def test_points_become_whole_weights_and_the_scaling_is_told():
    quiz = words_quiz.quiz(papers=1, items=1)
    quiz.papers[0].items = (replace(quiz.papers[0].items[0], points=Fraction(1)),)
    package = export(quiz)
    html = parsed(package).find("question/questiontext/text").text
    assert [weight for weight, _, _ in fields(html)] == [1, 2]
    assert any("scaled" in loss for loss in package.losses)


def test_losses_are_sentences_without_markup(made):
    told = " ".join(made.losses)
    assert "accepted spellings" in told
    assert "import it into a test course first" in told
    assert all(loss.endswith(".") for loss in made.losses)
    assert not re.search(r"[⟦⟧<>`{}]", told)


def test_follow_through_and_unlisted_slips_are_told():
    variant = single(words_quiz.whole(3), words_quiz.slip("odd", words_quiz.shape(1, 2)))
    variant.parts[0].carry = SimpleNamespace()
    told = " ".join(export(one(variant)).losses)
    assert "Follow-through is lost" in told
    assert "1 of the known slips" in told


def test_equal_versions_are_kept_once():
    quiz = words_quiz.quiz(papers=2, items=1)
    quiz.papers[1].items = (replace(quiz.papers[0].items[0], code="OTHER"),)
    package = export(quiz)
    assert len(parsed(package).findall("question[@type='cloze']")) == 1
    assert any("left out: 1 question" in loss for loss in package.losses)


def test_the_same_quiz_gives_the_same_bytes(made):
    assert export(words_quiz.quiz(papers=3)).files == made.files


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_words_make_a_valid_file(words):
    root = parsed(export(one(single(words_quiz.shape(8, 20), stem=tokens.text(words), ask=tokens.code(words)))))
    assert root.find("question[@type='shortanswer']/questiontext/text").text


def test_maths_is_escaped_once():
    root = parsed(export(one(single(words_quiz.whole(1), stem="$a < b$ & c"))))
    assert "\\(a &lt; b\\) &amp; c" in root.find("question/questiontext/text").text


def test_golden_moodle(snapshot):
    golden = snapshot.use_extension(Golden)
    (data,) = export(words_quiz.quiz(papers=1)).files.values()
    assert data.decode() == golden
