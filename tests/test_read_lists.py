"""Lists, sets, tensors and options: random values printed in many spellings read back; no text ever raises."""

from __future__ import annotations

import json
import string
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from grader.equal import same
from grader.exact import decimal_text
from grader.expr import Num, exp, ln
from grader.letters import B, D, T, V
from grader.options import letters_of, typed_alike
from grader.read import READERS, Ask, Context, Ok, Reject, Written, read, value_to_json

ROOT = Path(__file__).parent.parent
LETTERS = Context(letters=("B", "T", "D", "V"))
LABELS = Context(mask_id=5, ignore=-100)
WORDS = ("masked", "all_positions", "zero_filled", "softmax_first", "causal", "IndexError", "nan")
many = settings(max_examples=120, deadline=None)


def spaced(draw, separator):
    """Return a separator with a blank in front or behind, or without."""
    return draw(st.sampled_from(["", " "])) + separator + draw(st.sampled_from([" ", "", "  ", "\t", "\n"]))


@st.composite
def joined(draw, texts, *, blanks=True):
    """Join texts with one kind of separator, maybe with one at the end, in brackets or bare."""
    separator = draw(st.sampled_from([",", ";", " "] if blanks and len(texts) > 1 else [",", ";"]))
    between = " " if separator == " " else spaced(draw, separator)
    body = between.join(texts)
    if texts and separator != " " and draw(st.booleans()):
        body += separator
    return body


WRAPS = ("{}", "[{}]", "({})", "{{{}}}", "[ {} ]", "`{}`", "{}.", "\n{}\n", '"{}"')


@st.composite
def whole_number(draw, low=-2000, high=2000):
    """Return a whole number and a spelling of it."""
    value = draw(st.integers(low, high))
    texts = [str(value), f"{value}.0", f"+{value}" if value >= 0 else f"−{-value}"]
    if abs(value) >= 1000:
        texts.append(f"{value:_}")
    return value, draw(st.sampled_from(texts))


@st.composite
def any_number(draw):
    """Return a fraction and a spelling that stands between commas."""
    value = draw(st.fractions(-50, 50, max_denominator=40))
    above, below = value.numerator, value.denominator
    texts = [str(value), f"{above * 3}/{below * 3}", f"{above} / {below}", f"({value})", f"{above}÷{below}"]
    texts += [text for text in [decimal_text(value)] if text]
    if below > 1 and abs(value) > 1:
        ones = abs(value).__floor__()
        texts.append(f"{'-' if value < 0 else ''}{ones} {abs(value) - ones}")
    return value, draw(st.sampled_from(texts))


@st.composite
def token_id(draw):
    """Return an id or label and a spelling of it, by its name too."""
    value = draw(st.one_of(st.sampled_from([5, -100]), st.integers(0, 99)))
    names = {5: ["[MASK]", "MASK", "mask_id", "<mask>", "'[MASK]'"], -100: ["ignore", "ignore_index", "−100", "IGNORE"]}
    return value, draw(st.sampled_from([str(value), *names.get(value, [])]))


def read_back(kind, text, context):
    outcome = read(kind, text, context)
    assert isinstance(outcome, Ok), (text, outcome)
    again = read(kind, outcome.read_as, context)
    assert isinstance(again, Ok), (outcome.read_as, again)
    assert json.dumps(value_to_json(kind, again.value)) == json.dumps(value_to_json(kind, outcome.value))
    return outcome.value


@many
@given(st.data())
def test_lists_of_ids_read_back(data):
    items = data.draw(st.lists(token_id(), min_size=1, max_size=9))
    body = data.draw(joined([text for _, text in items]))
    wrap = data.draw(st.sampled_from([*WRAPS[:5], "tensor([{}])", "labels = [{}]", "inputs: {}", "[{}],"]))
    assert read_back("seq", wrap.format(body), LABELS) == tuple(value for value, _ in items)


@many
@given(st.data())
def test_lists_of_numbers_read_back(data):
    items = data.draw(st.lists(any_number(), min_size=2, max_size=5))
    body = data.draw(joined([text for _, text in items], blanks=False))
    wrap = data.draw(st.sampled_from([*WRAPS[:5], "tensor([{}])", "mean = [{}]"]))
    value = read_back("seq", wrap.format(body), Context())
    assert value == tuple(value for value, _ in items)
    for number in value:
        assert isinstance(number, int | Fraction)


@many
@given(st.data())
def test_pairs_read_back(data):
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), min_size=1, max_size=6))
    inner = data.draw(st.sampled_from(["({}, {})", "[{}, {}]", "({},{})", "({} {})", "({}; {})", "<{}, {}>"]))
    texts = [inner.format(*pair) for pair in pairs]
    lines = "\n".join(f"{row} {place}" for row, place in pairs)
    printed = ",\n        ".join(f"[{row}, {place}]" for row, place in pairs)
    rows, places = zip(*pairs, strict=True)
    spelled = [f"[{data.draw(joined(texts))}]", f"tensor([{printed}])"]
    spelled += [f"(tensor({list(rows)}), tensor({list(places)}))"]
    spelled += [lines, ", ".join(texts)] if len(pairs) > 1 else []
    text = data.draw(st.sampled_from(spelled))
    assert read_back("seq", text, Context(rows=3)) == tuple(pairs)


@many
@given(st.data())
def test_sets_read_back_in_any_order(data):
    positions = data.draw(st.lists(st.integers(0, 60), min_size=1, max_size=12, unique=True))
    texts = list(map(str, positions))
    column = ",\n        ".join(f"[{text}]" for text in texts)
    spelled = [wrap.format(data.draw(joined(texts))) for wrap in WRAPS]
    spelled += [f"tensor([{column}])", f"positions {' and '.join(texts)}", f"\\{{{', '.join(texts)}\\}}"]
    spelled += [f"{', '.join(texts[:-1])} and {texts[-1]}" if texts[1:] else texts[0], f"set({texts})".replace("'", "")]
    text = data.draw(st.sampled_from(spelled))
    for kind, context in (("set", Context()), ("seq", Context(allow=frozenset({"set"})))):
        assert read_back(kind, text, context) == frozenset(positions)


@many
@given(st.data())
def test_tensors_read_back(data):
    width = data.draw(st.integers(1, 6))
    rows = data.draw(st.lists(st.lists(token_id(), min_size=width, max_size=width), min_size=1, max_size=4))
    texts = [[text if text != "MASK" else "[MASK]" for _, text in row] for row in rows]  # [MASK] is no row of one
    check_tensor(data, texts, [[value for value, _ in row] for row in rows], LABELS)


@many
@given(st.data())
def test_boolean_tensors_read_back(data):
    width = data.draw(st.integers(1, 6))
    row = st.lists(st.booleans(), min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=1, max_size=4))
    names = {True: ["True", "true", "T", "t", "1"], False: ["False", "FALSE", "F", "f", "0"]}
    texts = [[data.draw(st.sampled_from(names[entry])) for entry in row] for row in rows]
    check_tensor(data, texts, rows, Context(allow=frozenset({"boolean"}), rows=len(rows)))


def check_tensor(data, texts, rows, context):
    """Read one of the ways to write rows; numbers must come back as numbers, booleans as booleans."""
    comma, blank = [", ".join(row) for row in texts], [" ".join(row) for row in texts]
    spelled = [f"[{', '.join(f'[{row}]' for row in comma)}]", f"[{' '.join(f'[{row}]' for row in blank)}]"]
    spelled += [f"tensor([{(',' + chr(10) + '        ').join(f'[{row}]' for row in comma)}])"]
    spelled += [f"(({'), ('.join(comma)}))" if len(rows) > 1 else f"(({comma[0]}),)"]
    spelled += [f"labels = [{','.join(f'[{row}]' for row in comma)}]"]
    if len(rows) > 1:
        spelled += ["\n".join(blank), "\n".join(comma), ",\n".join(comma), "\r\n".join(f"[{row}]" for row in blank)]
        spelled += ["; ".join(comma)] if len(rows[0]) > 1 else []
    value = read_back("tensor", data.draw(st.sampled_from(spelled)), context)
    assert json.dumps([list(row) for row in value]) == json.dumps(rows)


@st.composite
def spelled_option(draw, options, word):
    """Return an option as it may be typed: with case and blanks of its own, or by its letter."""
    texts = [word, word.upper(), word.replace("_", " "), word.replace("_", "-"), f"'{word}'"]
    letter = letters_of(options)[options.index(word)]
    texts += [letter, letter.lower(), f"({letter.lower()})", f"{letter})", f"{letter}."]
    return draw(st.sampled_from(texts))


@many
@given(st.data())
def test_choices_read_back(data):
    options = tuple(data.draw(st.permutations(WORDS)))[: data.draw(st.integers(2, len(WORDS)))]
    word = data.draw(st.sampled_from(options))
    wrap = data.draw(st.sampled_from(["{}", " {} ", "`{}`", "answer: {}", "option {}", "({})", "{},"]))
    text = wrap.format(data.draw(spelled_option(options, word)))
    assert read_back("choice", text, Context(options=options)) == word


@many
@given(st.data())
def test_several_options_read_back(data):
    options = tuple(data.draw(st.permutations(WORDS)))
    words = data.draw(st.lists(st.sampled_from(options), min_size=1, max_size=6, unique=True))
    texts = [data.draw(spelled_option(options, word)) for word in words]
    separator = data.draw(st.sampled_from([", ", "; ", " and ", ",", " & ", ", and "]))
    text = separator.join(texts)
    wrap = data.draw(st.sampled_from(["{}", "[{}]", "{{{}}}", "options: {}"]))
    context = Context(options=options)
    assert read_back("multi", wrap.format(text), context) == tuple(option for option in options if option in words)
    assert read_back("seq", wrap.format(text), context) == tuple(words)


@many
@given(st.data())
def test_whole_numbers_and_fractions_read_back(data):
    value, text = data.draw(whole_number())
    assert read("int", text).value == value
    value, text = data.draw(any_number())
    assert read("rational", text).value == value


LEAVES = st.one_of(st.sampled_from([B, T, D, V]), st.integers(1, 9).map(Num))
FORMULAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: two[0] + two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] * two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] / two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] - two[1] * 2),
        inner.map(lambda one: one**2),
        st.sampled_from([B * T, V + 1]).map(ln),
        st.sampled_from([B, T]).map(exp),
    ),
    max_leaves=6,
)


@many
@given(FORMULAS, st.sampled_from(["{}", "({})", " {} ", "0 + {}", "({})*1", "`{}`"]), st.integers(0, 3))
def test_expressions_read_back(formula, wrap, style):
    text = formula.text
    if len(text) > 150:
        return
    text = [text, text.replace("**", "^"), text.replace("**", "^").replace("*", "·"), text.replace(" ", "")][style]
    outcome = read("expr", wrap.format(f"({text})" if wrap.startswith("0") else text), LETTERS)
    assert isinstance(outcome, Ok), (text, outcome)
    assert same(outcome.value, formula) is not False


def test_values_are_what_the_schema_of_the_command_says():
    schema = json.loads((ROOT / "docs" / "schemas" / "read.schema.json").read_text(encoding="utf-8"))
    wanted = Draft202012Validator(schema["properties"]["value"])
    for kind, text, context in (
        ("seq", "4 [MASK] 7", LABELS),
        ("seq", "1/2, 0.25, 3", Context()),
        ("seq", "(0, 2), (1, 4)", Context(rows=2)),
        ("seq", "masked, nan", Context(options=WORDS)),
        ("set", "4, 2", Context()),
        ("set", "none", Context()),
        ("tensor", "1 2\n3 4", Context()),
        ("tensor", "T F\nF T", Context(allow=frozenset({"boolean"}))),
        ("choice", "b", Context(options=WORDS)),
        ("multi", "b, c", Context(options=WORDS)),
    ):
        wanted.validate(value_to_json(kind, read(kind, text, context).value))


# -- what stays refused or asked


@pytest.mark.parametrize("kind", ["seq", "set", "tensor"])
def test_what_was_typed_is_echoed_as_it_counts(kind):
    if kind == "seq":
        assert read(kind, "0.50, 4/2, 1 1/2").read_as == "[0.5, 2, 3/2]"
        written = read(kind, "0.33, 12, 4/2").value
        assert isinstance(written[0], Written)
        assert (written[0].places, written[0].digits) == (2, 2)
        assert [type(number) for number in written[1:]] == [int, int]
    elif kind == "set":
        assert read(kind, "4 2").read_as == "{2, 4}"
    else:
        assert read(kind, "4 2\n1 0").read_as == "[[4, 2], [1, 0]]"


def test_a_mask_is_a_number_only_where_the_question_says_so():
    for text in ("0 [MASK]", "[0, mask_id]", "<mask>", "MASK, 3"):
        assert isinstance(read("seq", text, Context(mask_id=0)), Ok)
        refused = read("seq", text)
        assert isinstance(refused, Reject)
        assert "has no id in this part" in refused.hint
    assert read("seq", "[MASK]", Context(mask_id=0)).value == (0,)


def test_letters_name_options_only_where_no_option_is_a_letter():
    sizes = Context(options=("B", "T", "D", "H"))
    assert read("multi", "D, H", sizes).value == ("D", "H")
    assert isinstance(read("multi", "A", sizes), Reject)
    assert letters_of(("B", "T")) == ()
    assert letters_of(("nan", "zero")) == ("A", "B")
    assert typed_alike(("index error", "IndexError"))
    assert not typed_alike(("nan", "zero"))


def test_options_that_come_out_alike_are_named_by_their_letters():
    twins = Context(options=("all rows", "all_rows", "none of it"))
    assert read("choice", "all_rows", twins).value == "all_rows"
    assert isinstance(read("choice", "ALLROWS", twins), Reject)
    assert read("choice", "a", twins).value == "all rows"


def test_formulas_as_options_are_typed_with_and_without_blanks():
    context = Context(options=("B*T - M", "B*T", "M/(B*T)", "low_at_step_0", "-0.69"))
    for text, option in (
        ("B*T-M", "B*T - M"),
        ("b*t - m", "B*T - M"),
        ("M / (B * T)", "M/(B*T)"),
        ("low-at-step-0", "low_at_step_0"),
        ("Low at step 0", "low_at_step_0"),
        ("−0.69", "-0.69"),
    ):
        assert read("choice", text, context).value == option


def test_hints_never_name_an_option_or_call_an_answer_nearly_right():
    context = Context(options=("masked", "causal", "zero_filled"))
    for kind in ("choice", "multi", "seq"):
        for text in ("idk", "2", "all", "A or B", "maskd", "-", "causal?", "both"):
            outcome = read(kind, text, context)
            assert isinstance(outcome, Reject), (kind, text)
            assert not any(option in outcome.hint.lower().replace(text, "") for option in context.options)
            assert not any(word in outcome.hint.lower() for word in ("almost", "nearly", "close"))


# -- any text


CONTEXTS = (
    Context(),
    Context(letters=("B", "T"), unit=("tokens",), allow=frozenset({"percent", "nan", "inf"})),
    LABELS,
    Context(rows=1),
    Context(rows=2),
    Context(allow=frozenset({"set"})),
    Context(allow=frozenset({"boolean"}), rows=2),
    Context(options=WORDS),
    Context(options=("A", "B", "C")),
    Context(options=("(12, 1000)", "()", "B*T", "int64", "37")),
)
PIECES = st.sampled_from(
    [
        *string.punctuation,
        *(
            "\n",
            " ",
            "\t",
            "0",
            "1",
            "7",
            "1/2",
            "1.5",
            "..",
            "to",
            "and",
            "or",
            "[MASK]",
            "mask_id",
            "ignore",
            "T",
            "F",
        ),
        *("tensor([", "])", "dtype=torch.int64", "positions", "labels =", "none", "a)", "(b)", "nan", "index error"),
        *(
            "all",
            "½",
            "²",
            "×",
            "∅",
            "−",
            "\\frac{1}{2}",
            "\\{",
            "１",
            "2-4",
            "set()",
            "int",
            "masked",
            "False",
            "\u0301",
        ),
    ]
)
TEXTS = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=40).map("".join), st.lists(PIECES).map(" ".join))


@settings(max_examples=300, deadline=None)
@given(kind=st.sampled_from(sorted(READERS)), text=TEXTS, context=st.sampled_from(CONTEXTS))
def test_any_text_gives_an_outcome_in_every_kind(kind, text, context):
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


@settings(max_examples=200, deadline=None)
@given(kind=st.sampled_from(["seq", "set", "tensor", "choice", "multi"]), text=TEXTS, context=st.sampled_from(CONTEXTS))
def test_how_an_answer_was_read_reads_as_the_same(kind, text, context):
    outcome = read(kind, text, context)
    listed = any("," in option for option in context.options)
    if isinstance(outcome, Ok) and len(outcome.read_as) <= 200 and not (listed and kind != "choice"):
        again = read(kind, outcome.read_as, context)
        assert isinstance(again, Ok), (text, outcome, again)
        assert value_to_json(kind, again.value) == value_to_json(kind, outcome.value)
