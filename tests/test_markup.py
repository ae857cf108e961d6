"""Question text: one reading, three writers, and nothing that a value holds is read as Markdown."""

import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templates import markup, markup_html, markup_lms, markup_tree, tokens

NASTY = (
    "B*T*V",
    "logits[:, i](x)",
    "**bold**",
    "`code`",
    "a | b",
    "$x$",
    "<script>alert(1)</script>",
    "⟦x⟧",
    '⟦["num","8","B"]⟧',
    '#eval(read("/etc/passwd"))',
    "\\(x\\)",
    "&amp; &lt;",
    "\ue0000\ue001",
    "}~#={1:NUMERICAL:=3}",
    "\u202eabc",
)


@pytest.mark.parametrize("value", NASTY)
@pytest.mark.parametrize("make", [tokens.code, tokens.text, tokens.shape, lambda v: tokens.num(v, "B")])
def test_a_value_comes_out_as_it_went_in(make, value):
    assert markup.to_text(f"before {make(value)} after") == f"before {value} after"
    assert value in list(leaves(markup.to_typst(make(value))))


def leaves(data):
    """Yield the strings of nested lists."""
    for item in data if isinstance(data, list) else [data]:
        if isinstance(item, list):
            yield from leaves(item)
        else:
            yield item


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.words = set(), set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.words += data


def read(html):
    reader = Reader()
    reader.feed(html)
    return reader


@pytest.mark.parametrize("value", NASTY)
def test_html_holds_the_value_as_text_only(value):
    reader = read(markup.to_html(tokens.code(value)))
    assert reader.words == value
    assert reader.tags == {"p", "code"}


def test_the_three_writers_agree_on_the_words():
    text = f"A batch has {tokens.named(8, 'B')} rows of **{tokens.num(20, 'T')}** ids: {tokens.shape((8, 20))}, `x*y`."
    assert markup.to_text(text) == "A batch has B = 8 rows of 20 ids: (8, 20), x*y."
    assert read(markup.to_html(text)).words == "A batch has B = 8 rows of 20 ids: (8, 20), x*y."
    assert markup.to_typst(text) == [
        [
            "p",
            [
                *("A batch has ", ["named", "8", "B"], " rows of ", ["strong", [["num", "20", "T"]]], " ids: "),
                *(["shape", "(8, 20)"], ", ", ["code", "x*y"], "."),
            ],
        ]
    ]


def test_numbers_carry_their_axis():
    assert markup.to_html(tokens.num(8, "B")) == '<p><span class="axis axis-b" data-a="B">8</span></p>'
    assert markup.to_html(tokens.named(8, "B")) == '<p><span class="axis axis-b" data-a="B"><b>B</b> = 8</span></p>'
    assert markup.to_html(tokens.num(3)) == '<p><span class="num">3</span></p>'


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ((8, 20, 48), "(8, 20, 48)"),
        ((12,), "(12,)"),
        ((), "()"),
        (Fraction(3, 20), "3/20"),
        (Fraction(4, 2), "2"),
        (True, "True"),
        (SimpleNamespace(display=lambda: "(B*T, V)"), "(B*T, V)"),
        (SimpleNamespace(text="T*(T + 1)/2"), "T*(T + 1)/2"),
    ],
)
def test_values_are_said_as_people_read_them(value, said):
    assert tokens.said(value) == said


def test_a_float_is_refused():
    with pytest.raises(TypeError, match="float"):
        tokens.num(0.1)


STRIP = tokens.strip([["the", "[MASK]", "went"], ["[MASK]", "dog", "[PAD]"]])


def test_a_strip_is_ordered_lists_with_solid_masks():
    html = markup.to_html(f"Look:\n\n{STRIP}")
    assert html.count("<ol") == 2
    assert html.count('<li class="m">') == 2
    assert '<li class="m"><small>1</small>[MASK]</li>' in html
    assert '<figcaption class="sr">the, [MASK], went; [MASK], dog, [PAD]</figcaption>' in html


@pytest.mark.parametrize("write", [markup.to_html, markup.to_lms])
def test_no_caption_or_label_of_a_strip_counts_its_masks(write):
    row = ["a", "[MASK]", "b", "[MASK]", "c", "[MASK]", "d"]
    html = write(tokens.strip([row]))
    labels = re.findall(r'aria-label="([^"]*)"|<(?:fig)?caption[^>]*>([^<]*)<', html)
    told = " ".join(" ".join(pair) for pair in labels)
    assert not re.search(r"\b(?:3|7|three|seven)\b", told)
    assert not re.search(r"\d", markup.to_typst(tokens.strip([row]))[0][4])


def test_a_strip_within_a_line_stands_alone():
    tree = markup_tree.parse(f"before {STRIP} after")
    assert [node[0] for node in tree] == ["p", "strip", "p"]


def test_a_platform_gets_tables_and_tex():
    html = markup.to_lms(f"$B < T$ {STRIP}\n\n$$\n\\frac{{a}}{{b}}\n$$")
    assert "\\(B &lt; T\\)" in html
    assert "\\[\\frac{a}{b}\\]" in html
    assert "<caption>the, [MASK], went; [MASK], dog, [PAD]</caption>" in html
    assert "class=" not in html


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"(B, T, D)", "(B, T, D)"),
        (r"\frac{|M|}{B \times T}", "|M|/(B × T)"),
        (r"L = \frac{1}{|M|} \sum_{(b,t) \in M} -\log p_{b,t}", "L = 1/|M| ∑_((b, t) ∈ M) - log p_(b, t)"),
        (r"\sqrt{D/H}", "sqrt(D/H)"),
        (r"-\ln V", "-ln V"),
        (r"k_0 + k_1 + \dots", "k_0 + k_1 + …"),
    ],
)
def test_maths_reads_as_a_person_would_type_it(tex, said):
    assert markup.to_text(f"${tex}$") == said
    assert "<math" in markup.to_html(f"${tex}$")


@pytest.mark.parametrize("tex", [r"\nosuchthing", r"\frac{a", r"\input{/etc/passwd}", "x" * 3000])
def test_maths_that_cannot_be_set_is_shown_as_typed_and_reported(tex):
    html = markup.to_html(tokens.maths(tex))
    assert read(html).tags <= {"p", "code"}
    assert markup.problems(tokens.maths(tex))


def test_maths_makes_no_link():
    reader = read(markup.to_html(tokens.maths(r"\href{javascript:x}{y}")))
    assert reader.tags <= {"p", "math", "mi", "mrow"}
    assert reader.attributes <= {"display"}


def test_maths_text_cannot_break_out():
    for write in (markup.to_html, markup.to_lms):
        assert "<img" not in write(tokens.maths(r"\text{<img src=x onerror=y>} & b"))
    assert "img" not in read(markup.to_html(tokens.maths(r"\text{<img src=x>}"))).tags


def test_numbers_stand_within_maths():
    assert markup.to_text(f"$M = {tokens.num(12)} < {tokens.named(20, 'T')}$") == "M = 12 < T = 20"


def test_no_links_images_headings_or_raw_html():
    text = "# no\n\n[a](javascript:x) ![b](http://x/y.png) <b>c</b> http://x.y\n\n> q"
    assert read(markup.to_html(text)).tags == {"p"}


def test_lists_tables_and_code():
    text = "- one\n- *two*\n\n3. three\n\n| a | b |\n|---|---|\n| 1 | `x` |\n\n```\nlogits[mask]\n```"
    html = markup.to_html(text)
    assert "<ul><li>one</li><li><em>two</em></li></ul>" in html
    assert '<ol start="3"><li>three</li></ol>' in html
    assert '<th scope="col">a</th>' in html
    assert "<pre><code>logits[mask]</code></pre>" in html


def test_a_table_has_its_heads_and_caption():
    html = markup.to_html(tokens.table(["0.42", "1.10"], head=[0, 1], caption="Losses", sides=["loss"]))
    assert "<caption>Losses</caption><thead><tr><td></td>" in html
    assert '<th scope="row">loss</th><td>0.42</td>' in html
    assert (
        markup.to_text(tokens.table(["0.42", "1.10"], head=[0, 1], sides=["loss"]))
        == "        0     1\n  loss  0.42  1.10"
    )


def test_broken_and_forged_tokens_are_words():
    for word in ('⟦["num",8,"B"]⟧', '⟦["img","x"]⟧', "⟦[]⟧", '⟦["strip",[["a",1]],"",0]⟧', "⟦x", "x⟧", '⟦["num"]⟧'):
        assert markup.to_text(f"a {word} b") == f"a {word} b"
        assert markup.problems(f"a {word} b")
    assert markup.problems(f"fine {tokens.num(3)} $x$") == []


MARKS = "word * _ ` $ | - 1. <b> &lt; \\ ~ --- [a](b) :- 5 ( ⟦ ⟧".split(" ")  # noqa: SIM905  they read better in a row
VALUES = [tokens.num(8, "B"), tokens.code("a*b"), tokens.maths("x^2"), STRIP, tokens.text("*q*")]
PIECES = st.sampled_from([*MARKS, "\n", "\n\n", " ", "  \n", "- ", "1. ", *VALUES])


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=400, deadline=None)
def test_any_text_is_set_safely(text):
    tree = markup_tree.parse(text)
    html = markup_html.PAGES.blocks(tree)
    assert markup_html.belt(html) == html.replace("\xa0", "&nbsp;")  # the belt spells a hard space so
    lms = markup_lms.LMS.blocks(tree)
    assert read(lms).attributes <= {"border", "scope", "start"}
    assert json.loads(json.dumps(markup.to_typst(text))) == markup.to_typst(text)
    markup.to_text(text)


@given(st.lists(PIECES, max_size=10).map("".join))
@settings(max_examples=400, deadline=None)
def test_the_short_way_for_plain_words_gives_what_the_whole_reader_gives(text):
    whole = markup_tree.parse(f"{text}\n\n*end*")
    assert markup_tree.parse(f"{text}\n\nend") == [*whole[:-1], ["p", ["end"]]] or whole[-1] != ["p", [["em", ["end"]]]]


def test_hostile_characters_pass_the_belt():
    for value in NASTY:
        html = markup_html.PAGES.blocks(markup_tree.parse(f"{tokens.text(value)} {tokens.code(value)}"))
        assert markup_html.belt(html) == html
