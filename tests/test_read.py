"""Reading: the tables of spellings, and what holds for every text."""

from __future__ import annotations

import csv
import json
import re
import string
import tracemalloc
import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.equal import same
from grader.exact import decimal_text
from grader.read import READERS, Ask, Context, Ok, Reject, Written, read, value_to_json
from grader.reading.names import names

DATA = Path(__file__).parent / "data"
KINDS = tuple(READERS)
LETTERS = Context(letters=tuple("BTDVMHC"))


def table(name):
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def context_of(row):
    return Context.from_json(json.loads(row["context"] or "{}"))


def values_of(kind, question, context):
    return [value_to_json(kind, read(kind, choice.text, context).value) for choice in question.choices]


BEHAVIOUR = table("reading.csv")
SPELLINGS = table("answers.csv")


@pytest.mark.parametrize("row", BEHAVIOUR, ids=[f"{row['kind']}-{row['input'][:40]}" for row in BEHAVIOUR])
def test_the_table_of_behaviour(row):
    kind, text, wanted, context = row["kind"], json.loads(row["input"]), row["value_or_words"], context_of(row)
    outcome = read(kind, text, context)
    match outcome:
        case Ok(value=value):
            assert (row["outcome"], json.dumps(value_to_json(kind, value))) == ("ok", wanted)
        case Ask():
            assert (row["outcome"], values_of(kind, outcome, context)) == ("ask", json.loads(wanted))
        case Reject(hint=hint):
            assert row["outcome"] == "reject", outcome
            assert wanted in hint


# What each refusal of answers.csv must tell the student; the words of the row are a summary.
MEANING = {
    "reject: use decimal digits": "decimal digits",
    "reject: use digits": "digits",
    "reject: number too large": "number is too large|, and so is the number",
    "reject: power too large": "power is too large",
    "reject: division by zero": "division by zero",
    "reject: two signs in a row": "signs in a row",
    "reject: two operators in a row": "operators or signs in a row",
    "reject: a power is missing": "power is missing",
    "reject: give one number": "one number",
    "reject: give one answer": "one answer",
    "reject: not a number": "not a number",
    "reject: give only the expression": "only the expression",
    "reject: a whole number is wanted": "whole number is wanted",
    "reject: give an exact whole number": "exact number.*whole number",
    "reject: a bracket is not closed": "not closed",
    "reject: a bracket is not opened": "not opened",
    "reject: every size is needed here": "Every size is needed",
    "reject: sizes are whole numbers": "whole numbers",
    "reject: sizes cannot be negative": "negative",
    "reject: give the shape, not a tensor": "shape, not a tensor",
    "reject: this part wants letters": "wants letters",
    "reject: this part wants numbers; put the values in": "wants numbers.*put the values in",
    "reject: this part wants numbers; D has a value in the question": "wants numbers; D has a value",
    "reject: E is not a letter of this question": "E is not a letter of this question",
    "reject: Q is not a letter of this question": "Q is not a letter of this question",
    "reject: V2 is not a letter of this question; write V^2 or 2V": r"V2 is not a letter.*V\^2 or 2V",
    "reject: use the letters and numbers of the question only": "only the letters of the question",
    "reject: use the letters of the question: B, T, D, V, M, H, C": "B, T, D, V, M, H, C",
    "reject: only letters of the question, numbers and + - * / ^ ( ) ln exp sqrt": r"only.*\+ - \* / \^ \( \) ln",
    "reject: separate every size the same way, with commas": "the same way, with commas",
    "reject: separate sizes with commas": "Separate sizes with commas",
    "reject: a size is missing between two commas": "missing between two commas",
    "reject: a blank inside a number? separate sizes with commas": "blank inside a number.*commas",
    "reject: that looks like a hexadecimal number; separate sizes with commas": "hexadecimal number.*commas",
    "reject: a size must not start with 0 (write 1000 without a comma)": "start with 0.*1000 without a comma",
    "reject: a size must not start with 0 (write 48, or 1000 without a comma)": "must not start with 0",
    "reject: give the sizes, for example (2, 3, 4)": r"only the sizes, for example \(2, 3, 4\)",
    "reject: write only the sizes, for example (2, 3, 4)": r"only the sizes, for example \(2, 3, 4\)",
    "reject: choose by letter": "by its letter",
    "reject: list the letters": "List the letters",
    "reject: separate the ids": "separate the numbers",
    "reject: write none if there are no positions": "Write none if there are no positions",
    "reject: the rows differ in length": "rows differ in length",
}


@pytest.mark.parametrize("row", SPELLINGS, ids=[f"{row['kind']}-{row['input'][:40]}" for row in SPELLINGS])
def test_every_spelling_comes_out_as_listed(row):
    kind, wanted, context = row["kind"], row["expected_value_or_reject"], context_of(row)
    outcome = read(kind, row["input"], context)
    if wanted.startswith("reject"):
        assert isinstance(outcome, Reject), outcome
        assert re.search(MEANING[wanted], outcome.hint)
    elif wanted.startswith("ask"):
        assert isinstance(outcome, Ask), outcome
        assert all(isinstance(read(kind, choice.text, context), Ok) for choice in outcome.choices)
    else:
        assert isinstance(outcome, Ok), outcome
        agree(kind, outcome, wanted, context)


def agree(kind, outcome, wanted, context):
    value = outcome.value
    if kind in ("shape", "shape_sym"):
        assert outcome.read_as == wanted
    elif kind == "expr":
        assert same(value, read(kind, wanted, context).value)
    elif kind in ("seq", "set", "tensor"):
        listed = json.loads(wanted.replace("True", "true").replace("False", "false"))
        assert json.dumps(value_to_json(kind, value)) == json.dumps(listed)
    elif kind == "multi":
        assert ",".join(value) == wanted
    elif isinstance(value, str):
        assert value == wanted
    else:
        assert abs(Fraction(value) - Fraction(wanted)) < (
            Fraction(1, 10**6) if kind == "decimal" else Fraction(1, 10**40)
        )


def test_reading_is_pure():
    for row in BEHAVIOUR:
        text, context = json.loads(row["input"]), context_of(row)
        first, second = (repr(read(row["kind"], text, context)) for _ in range(2))
        assert first == second


@pytest.mark.parametrize("kind", KINDS)
def test_repairs_read_and_use_the_students_own_tokens(kind):
    repaired = 0
    for row in BEHAVIOUR:
        text, context = json.loads(row["input"]), context_of(row)
        outcome = read(kind, text, context)
        if not isinstance(outcome, Reject) or outcome.repair is None:
            continue
        repaired += 1
        assert not isinstance(read(kind, outcome.repair, context), Reject)
        digits = re.sub(r"\D", "", outcome.repair)
        text = unicodedata.normalize("NFKC", text)
        available = "".join(re.findall(r"\d", text))
        for size in re.findall(r"\d+", outcome.repair):
            assert size in re.sub(r"[,\s_']", "", text), (text, outcome.repair)
        assert len(digits) <= len(available)
        assert set(re.findall(r"[^\W\d]", outcome.repair)) <= set(re.findall(r"[^\W\d]", text))
    assert repaired or kind == "decimal"


@pytest.mark.parametrize("kind", KINDS)
def test_samples_share_no_number_with_the_answer(kind):
    for text in ("(2, 3, 4", "2 or 3", "5/7/9", "2..3", "(5, 7, 9", "2,,3,,4,,5"):
        outcome = read(kind, text, LETTERS)
        if isinstance(outcome, Reject):
            sample = outcome.hint.rsplit(". ", 1)[-1]
            numbers = set(re.findall(r"\d+", sample)) & set(re.findall(r"\d+", text))
            assert not numbers or kind in ("expr", "shape_sym"), (text, outcome.hint)


def test_what_was_read_so_far_is_a_beginning_of_the_answer():
    for kind, text, so_far in (
        ("shape", "(8, 20, 4 8)", "(8, 20,"),
        ("expr", "B*T*Q", "B*T*"),
        ("int", "12 or 13", "12"),
        ("shape_sym", "(B, T, zzz)", "(B, T,"),
    ):
        outcome = read(kind, text, LETTERS)
        assert isinstance(outcome, Reject)
        assert outcome.read_so_far == so_far


def test_what_was_typed_as_one_decimal_keeps_its_precision():
    for text, places, digits in (("0.150", 3, 3), ("6.9e0", 1, 2), ("12", 0, 2), ("66,70", 2, 4), ("-0.05", 2, 1)):
        value = read("decimal", text).value
        assert isinstance(value, Written)
        assert (value.places, value.digits) == (places, digits)
    percent = read("rational", "66.7%", Context(allow=frozenset({"percent"}))).value
    assert (percent, percent.places, percent.digits) == (Fraction(667, 1000), 3, 3)
    assert not isinstance(read("decimal", "3/20").value, Written)


def test_the_echo_says_how_arithmetic_and_signs_were_read():
    assert read("int", "3*4").read_as == "3*4 = 12"
    assert read("int", "1,200").read_as == "1200"
    assert read("expr", "D//H", LETTERS).notes == ("// is read as division.",)
    assert read("decimal", "log(1000)").read_as == "ln(1000)"
    assert read("decimal", "log(1000)").notes
    assert read("shape", "(12)").notes
    assert read("shape", "6, 1e3").notes == ("1e3 is read as 1000.",)


def test_contexts_go_through_json_and_refuse_what_they_do_not_know():
    data = {"letters": ["B", "T"], "unit": ["tokens"], "places": 3, "allow": ["inf", "nan"], "mask_id": 0}
    assert Context.from_json(data).to_json() == data
    assert Context().to_json() == {}
    for wrong in ({"letter": ["B"]}, {"allow": ["all"]}, {"letters": "BT"}, {"places": "3"}, {"letters": ["B T"]}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Context.from_json(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"letters": [f"L{count}" for count in range(27)]},
        {"letters": ["L" * 25]},
        {"unit": ["u"] * 27},
        {"unit": ["u" * 25]},
        {"options": ["o"] * 27},
        {"options": ["o" * 101]},
        {"allow": ["nan"] * 6},
        {"places": 10**9 + 1},
        {"mask_id": -(10**12)},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_contexts_are_small(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} in the context"):
        Context.from_json(wrong)


def test_contexts_at_their_limits_are_taken():
    full = {"letters": [f"L{count:023}" for count in range(26)], "unit": ["u" * 24] * 26, "options": ["o" * 100] * 26}
    assert Context.from_json(full).to_json() == full


def test_little_is_kept_of_what_visitors_declare_and_type():
    """More than the caches of words hold: contexts of every kind, and long and short words in each."""
    names.cache_clear()
    tracemalloc.start()
    try:
        for turn in range(100):
            context = Context.from_json({"letters": [f"L{turn:010}_{count:010}" for count in range(26)]})
            for word in range(200):
                read("expr", f"w{turn}x{word}", context)
                read("expr", f"w{word}" * 40, context)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        names.cache_clear()
    assert kept < 4_000_000


_SAMPLE = re.compile(r" (?=Write |Give (?:a whole|an exact|one) number, such as )")


def test_every_hint_is_made_of_whole_sentences():
    for row in (*BEHAVIOUR, *SPELLINGS):
        text = json.loads(row["input"]) if row["input"].startswith('"') else row["input"]
        outcome = read(row["kind"], text, context_of(row)) if row["kind"] in READERS else None
        if isinstance(outcome, Reject):
            for sentence in _SAMPLE.split(outcome.hint):
                assert sentence[-1] in ".?", outcome.hint


def test_a_whole_number_with_a_dot_is_offered_what_it_can_mean():
    def asked(text):
        question = read("int", text)
        assert isinstance(question, Ask)
        return question.question, [read("int", choice.text).value for choice in question.choices]

    for text, value in (("1.200", 1200), ("-1.234", -1234), ("1.200+1.300", 2500)):
        question, values = asked(text)
        assert values == [value]
        assert "two readings" not in question
        assert question.endswith("? With a decimal sign there, the answer is no whole number.")
    for text, both in (("1.000", [1000, 1]), ("1.200*5", [6000, 6]), ("1.125*8", [9000, 9])):
        question, values = asked(text)
        assert values == both
        assert "two readings" in question


def test_an_unknown_kind_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match=r"colour.*shape"):
        read("colour", "red")


def test_decimals_are_written_exactly():
    for value, text in ((Fraction(3, 20), "0.15"), (Fraction(-1, 8), "-0.125"), (Fraction(10**30), "1" + "0" * 30)):
        assert decimal_text(value) == text
    assert decimal_text(Fraction(2, 3)) is None
    assert decimal_text(Fraction(1, 10**13), 12) is None
    assert value_to_json("decimal", Fraction(2, 3)) == "2/3"


# -- hypothesis

TYPED = st.text(alphabet=string.printable + "×·÷−²½√≈∞（），；０１９ＢＴ\u200b\u0301", max_size=60)


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(KINDS), text=st.one_of(TYPED, st.text(max_size=40)))
def test_any_text_gives_an_outcome_and_the_same_one_again(kind, text):
    context = Context(letters=("B", "T", "D", "V"), unit=("tokens",), allow=frozenset({"percent", "nan", "inf"}))
    outcome = read(kind, text, context)
    assert repr(outcome) == repr(read(kind, text, context))
    match outcome:
        case Ok(value=value):
            json.dumps(value_to_json(kind, value))
        case Ask(choices=choices):
            assert choices
            assert all(isinstance(read(kind, choice.text, context), Ok) for choice in choices)
        case Reject(hint=hint, repair=repair):
            assert hint
            assert repair is None or not isinstance(read(kind, repair, context), Reject)


SIZES = st.lists(st.integers(0, 2000), min_size=2, max_size=8)


@settings(max_examples=150, deadline=None)
@given(
    sizes=SIZES,
    separator=st.sampled_from([", ", ",", " ,", "; ", " x ", " × ", " by ", " X ", " ", ",\n", "\t"]),
    wrap=st.sampled_from(
        ["{}", "({})", "[{}]", "{{{}}}", "<{}>", "torch.Size([{}])", "shape: ({})", "`({})`", " ({}). "]
    ),
)
def test_shapes_read_back_in_every_spelling(sizes, separator, wrap):
    outcome = read("shape", wrap.format(separator.join(map(str, sizes))))
    assert isinstance(outcome, Ok), outcome
    assert outcome.value == tuple(sizes)
