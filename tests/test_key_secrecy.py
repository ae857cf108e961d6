"""What a student gets while parts are open: real questions of every family and level, parts closed in every order.

A page depends on which parts are closed and on which was closed last, so the orders below meet every such pair.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import chain, combinations
from types import SimpleNamespace

import classroom_kit as kit
import lxml.etree
import lxml.html
import pytest

from generator.build import certify
from generator.drafting import draft, from_given
from generator.proof import underlying
from grader.answers import ChoiceAnswer, Decimal, Int, MultiAnswer, Rational, Seq, SetAnswer
from grader.read import read
from maskwise.services import question, telling
from maskwise.store import courses
from question_bank.catalogue import families
from templates.markup import to_text

pytestmark = pytest.mark.torch

# Plans that ask parts as choices: a closed one shows the right option.
AS_CHOICES = {
    ("SH-TRYIT as choices", 3): ("~enc", "logits", "~sel", "tgt"),
    ("CT-BASIC as choices", 2): ("~total", "visible", "~rate"),
    ("LK-FIND as choices", 2): ("~leaked", "count", "~share", "hidden"),
    ("LB-READ as choices", 2): ("scored", "~sel", "~where"),
}
CASES = [(family, level) for family in sorted(families()) for level in sorted(families()[family].levels)]
CASES += AS_CHOICES
MISSES = {
    "int": "99991",
    "rational": "99991/99989",
    "decimal": "99991.5",
    "shape": "(77777, 77777, 77779, 77779)",
    "set": "{77777, 77778}",
    "multi": "none",
}
# What is always there or is the student's own: the question itself, what was typed, points, times, the other pages.
TAGS = {"footer", "dialog", "template", "nav", "form", "h1", "head"}
NAMED = {"steps", "saved", "log"}
CLASSES = {"bar", "eyebrow", "foot", "keys", "prompt", "ask", "tries", "tag", "was", "hints", "later"}


@pytest.fixture(scope="module")
def variants(prover):
    made = {}
    for name, level in CASES:
        family = families()[name.partition(" ")[0]]
        parts = AS_CHOICES.get((name, level), ())
        drafts = [draft(family, level, f"secrecy-{n}", parts=parts, sealed=True) for n in range(4)]
        made[name, level] = certify(drafts, prover)
    return made


def ids(case):
    return f"{case[0]} level {case[1]}"


def subsets(names):
    return chain.from_iterable(combinations(names, n) for n in range(len(names) + 1))


def orders(names):
    """List orders of closing in which every part is the last one after every set of others."""
    open_pairs = {(frozenset(before), last) for last in names for before in subsets([n for n in names if n != last])}
    found = []
    while open_pairs:
        order = []
        for _ in names:
            left = [name for name in names if name not in order]
            order.append(min(left, key=lambda name: (frozenset(order), name) not in open_pairs))
        new = {(frozenset(order[:at]), last) for at, last in enumerate(order)}
        if not new & open_pairs:  # begin with the rarest pair, then go on as it comes
            before, last = min(open_pairs, key=lambda pair: (len(pair[0]), sorted(pair[0]), pair[1]))
            order = [*sorted(before), last, *(name for name in names if name not in before and name != last)]
            new = {(frozenset(order[:at]), last) for at, last in enumerate(order)}
        open_pairs -= new
        found.append(order)
    return found


def missed(part):
    """Give a text that is read, is wrong, and holds no key."""
    if part.kind == "shape_sym":
        letter = part.context.letters[0]
        return f"({', '.join([letter] * 6)})"
    if part.kind == "seq":
        return "[(77777, 77778)]" if part.context.rows is not None else "[77777, 77778]"
    if part.kind == "tensor":
        return "\n".join(["77777 77778"] * (part.context.rows or 2))
    if part.kind == "choice":
        return next(word for word in part.options if word != part.answer.word)
    return MISSES[part.kind]


def says(text, key):
    """Say whether a text holds a key in any of its spellings, between other signs than letters and digits.

    A shape without brackets, such as 12 for (12,), is a number of the question like others, and so are lists. The words
    of several options tell where all of them stand.
    """
    key = underlying(key)
    if isinstance(key, ChoiceAnswer | MultiAnswer):
        words = (key.word,) if isinstance(key, ChoiceAnswer) else key.words
        return all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words)
    spellings = {key.display(), *key.spellings()}
    if key.kind in ("shape", "shape_sym", "seq", "set", "tensor"):
        spellings = {spelling for spelling in spellings if spelling.strip()[-1] in ")]}"}
    return any(re.search(rf"(?<![\w.]){re.escape(spelling.strip())}(?![\w.]*\w)", text) for spelling in spellings)


def evidence_of(html):
    """Give what a page or piece shows besides the question and the student's own, as text."""
    tree = lxml.html.fromstring(f"<div>{html}</div>" if "<html" not in html else html)
    for each in list(tree.iter(lxml.etree.Element)):
        classes = set(each.get("class", "").split())
        own = "okline" in classes and "The answer is" not in each.text_content()
        own = own or ("torch" in classes and each.xpath("ancestor::*[contains(@class, 'right')]"))
        if each.tag in TAGS or each.get("id") in NAMED or classes & CLASSES or own:
            each.clear(keep_tail=True)
    return tree.text_content()


def all_bytes(answer):
    """Give headers and body of an answer without times, what is drawn at random, and the number of the quiz."""
    text = f"{answer.headers}\n{answer.text}"
    text = re.sub(r"datetime=\"[^\"]*\"|nonce[-=][^\s;>]+|value=\"[^\"]*\"|/quiz/\d+|\d\d:\d\d", "", text)
    return unescape(text)


def without(text, answers):
    """Take out what the student said, and PyTorch after it: 11/40 may hold another key as one of its numbers."""
    for answer in answers:
        text = re.sub(rf"(?<![\w.]){re.escape(answer.display())}(?!\w)", "", text)
    return re.sub(r'<div class="(torch|okline)".*?</div>', "", text) if answers else text


def reasoned(variant, part_id):
    """Say whether no run has shown this key, so that nothing was printed."""
    return variant.certificate.routes[part_id].by == "reasoned"


# --- the rule, on every subset of every question ---


def view_of(variant, closed, right):
    """Show a question with some parts closed, each by one try."""
    tallies = {
        part.id: SimpleNamespace(
            closed=part.id in closed, used=int(part.id in closed), allowed=1, left=int(part.id not in closed)
        )
        for part in variant.parts
    }
    item = SimpleNamespace(number=1, code="CODE", points=str(len(variant.parts)))
    said = [
        SimpleNamespace(
            id=n,
            part=part.id,
            raw="typed",
            outcome="right" if right else "wrong",
            counted=True,
            n=1,
            repeats_id=None,
            at=kit.NOW,
            verdict={
                "score": "1" if right else "0",
                "slip": None,
                "note": None if right else "other_order",
                "carried": False,
                "reading": question.Reading(part.kind, "ok", read_as="typed").to_json(),
            },
        )
        for n, part in enumerate(variant.parts)
        if part.id in closed
    ]
    return question.view(SimpleNamespace(mode="homework"), item, variant, tallies, said, "UTC")


def words_of(part):
    """Give all that a view of a part holds beside the question and the student's own answer."""
    found = [part.last.words, part.last.witness] if part.last else []
    if part.evidence:
        shown = part.evidence
        found.append(to_text(shown.solution))
        if part.state != "right":  # else it is what the student said
            found += [shown.key.read_as, shown.line, shown.printed]
            found += [word for axis in shown.axes or () for word in axis]
    return "\n".join(text for text in found if text)


@pytest.mark.parametrize("case", CASES, ids=ids)
@pytest.mark.parametrize("right", [True, False])
def test_no_view_of_a_closed_part_states_the_key_of_an_open_one(variants, case, right):
    for variant in variants[case]:
        for closed in subsets([part.id for part in variant.parts]):
            shown = view_of(variant, closed, right)
            still_open = [part for part in variant.parts if part.id not in closed]
            for part in shown.parts:
                assert (part.evidence is None) == (part.id not in closed or (bool(part.waits_for) and not right))
                if part.waits_for and part.evidence:
                    assert part.evidence.printed or reasoned(variant, part.id)
                    assert not part.evidence.solution
                text = words_of(part)
                for other in still_open:
                    assert not says(text, other.answer), (closed, part.id, other.id, text)
                if part.waits_for:
                    assert not part.last.other_order
            if not still_open:
                assert all(part.evidence for part in shown.parts)


@pytest.mark.parametrize("family", sorted(families()))
def test_the_same_for_every_pair_of_parts_that_a_plan_may_choose(prover, family):
    """A plan may ask any parts of a family together, more than a level does."""
    made = families()[family]
    drafts = [from_given(made, draft(made, level, "pairs").given, level=level) for level in made.levels]
    for variant in certify(drafts, prover):
        for part in variant.parts:
            told = set(telling.told_by(variant, part))
            text = telling.shown_with(variant, part)
            for other in variant.parts:
                if other.id != part.id and other.id not in told:
                    assert not says(text, other.answer), (variant.given, part.id, other.id)


def test_where_a_key_is_told_its_part_is_waited_for(variants):
    """The cases that teachers know: a share states the count, two shapes are one, a mean states its terms."""
    told = {
        case: {part.id: set(telling.told_by(variants[case][0], part)) for part in variants[case][0].parts}
        for case in CASES
    }
    assert {"total"} <= told["CT-BASIC", 2]["visible"]
    assert {"total"} <= told["CT-BASIC", 2]["rate"]
    assert {"total", "sel_rows"} <= told["CT-BASIC", 3]["rate"]
    assert "sel_rows" in told["CT-BASIC", 3]["total"]
    assert {"terms", "sum"} <= told["LS-MEAN", 2]["mean"]
    assert "enc" in told["SH-CHAIN", 2]["emb"]
    assert "emb" in told["SH-CHAIN", 2]["enc"]
    assert told["SH-TRYIT", 2]["enc"] == set()  # and nothing waits for no reason
    assert {"count"} <= told["LK-FIND", 2]["leaked"]  # a list tells how many it holds
    assert {"scored", "sel"} <= told["LB-READ", 2]["where"]
    assert {"sel"} <= told["LB-READ", 2]["scored"]  # the other size is shown


@pytest.mark.parametrize(
    ("text", "key", "stated"),
    [
        ("torch.Size([12, 6])", kit.Shape(12, 6), True),
        ("torch.Size([12])", kit.Shape(12), True),
        ("torch.Size([])", kit.Shape(), True),
        ("mask.sum()", kit.Shape(), False),
        ("(112, 6)", kit.Shape(12, 6), False),
        ("(12,6)", kit.Shape(12, 6), True),
        ("tensor(24)", Int(24), True),
        ("tensor(240)", Int(24), False),
        ("0.24 and 24.5", Int(24), False),
        ("24.0 positions", Int(24), True),
        ("24/168", Int(24), True),  # more than it must
        ("2/14 of them", Rational(kit.Fraction(1, 7)), True),
        ("tensor(1.6700, dtype=torch.float64)", Decimal(kit.Fraction(167, 100), 2), True),
        ("x_2 and 3", Int(2), False),
        ("positions 2 and 4", SetAnswer((2, 4)), True),
        ("positions 1, 2 and 4", SetAnswer((1, 2, 4)), True),
        ("tensor([[2],\n        [4]])", SetAnswer((2, 4)), True),
        ("tensor([2, 4])", SetAnswer((2, 4)), True),
        ("tensor([False, False,  True, False,  True])", SetAnswer((2, 4)), True),
        ("tensor([False,  True,  True])", SetAnswer((2, 4)), False),
        ("at 2, and later at 24", SetAnswer((2, 4)), False),
        ("there are none", SetAnswer(()), True),
        ("tensor([0.5000, 3.0000], dtype=torch.float64)", Seq(kit.Fraction(1, 2), 3), True),
        ("tensor([0.3333, 3.0000])", Seq(kit.Fraction(1, 3), 3), True),
        ("tensor([0.3334, 3.0000])", Seq(kit.Fraction(1, 3), 3), False),
        ("tensor([[0, 2],\n        [1, 4]])", Seq((0, 2), (1, 4)), True),
        ("tensor([[0, 2],\n        [1, 5]])", Seq((0, 2), (1, 4)), False),
        ("tensor([7., 9.])", Seq(7, 9), True),
        ("tensor([[-100,    7],\n        [   3, -100]])", kit.TensorAnswer([[-100, 7], [3, -100]]), True),
        ("tensor([[ True, False]])", kit.TensorAnswer([[True, False]]), True),
        ("It raises an IndexError.", ChoiceAnswer("IndexError", ("nan", "IndexError")), True),
        ("It is finite.", ChoiceAnswer("nan", ("nan", "finite")), False),
        ("both are read", MultiAnswer(("chosen_only",), ("chosen_only", "both_sides")), False),
        ("It reads both sides.", MultiAnswer(("chosen_only",), ("chosen_only", "both_sides")), True),
        ("(8, 20)", ChoiceAnswer("(8, 20)", ("(8, 20)", "(20, 8)"), of=kit.Shape(8, 20)), True),
        ("tensor(0.1429)", Rational(kit.Fraction(1, 7)), True),
        ("tensor(0.1428)", Rational(kit.Fraction(1, 7)), False),
        ("tensor(12.0004)", Int(12), False),
        ("1/0", Int(1), True),
    ],
)
def test_what_counts_as_stating_a_key(text, key, stated):
    assert telling.states(text, key) is stated


# --- every byte of every answer ---


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_parts_closed_in_every_order_tell_no_key_of_an_open_part(variants, case, tmp_path):
    variant = variants[case][0]
    by_id = {part.id: part for part in variant.parts}
    with kit.school("sqlite", tmp_path, tries=1) as school:
        ada = school.browser("ada")
        number = 0
        for right in (False, True):
            for order in orders(list(by_id)):
                number += 1
                with school.store.writing() as t:
                    quiz = courses.add_quiz(
                        t,
                        course_id=school.courses["dl"].id,
                        slug=f"walk-{number}",
                        title="Walk",
                        plan="{}",
                        version=1,
                        mode="homework",
                        tries=1,
                        due_at=None,
                        at=kit.NOW,
                    )
                    kit.issue(t, quiz, school.enrolments["ada"], [variant])
                walk(ada, quiz.id, by_id, order, right=right, shown=[p for p in by_id if not reasoned(variant, p)])
        for path in ("/", f"/quiz/{quiz.id}"):
            assert "torch" not in ada.get(path).text


def walk(browser, quiz_id, parts, order, *, right, shown):
    """Close the parts one after the other and look at all that comes back. `shown`: parts whose key was printed."""
    address = f"/quiz/{quiz_id}/1"
    fresh = browser.get(address)
    form = kit.fields(fresh.text)
    distinct = {name for name, part in parts.items() if not says(all_bytes(fresh), part.answer)}
    closed = []
    for at, name in enumerate(order):
        text = parts[name].answer.display() if right else missed(parts[name])
        assert read(parts[name].kind, text, parts[name].context).read_as is not None
        data = {"csrf": form["csrf"], "key": f"{quiz_id}-{at}".rjust(16, "k"), "text": text}
        piece = browser.http.post(f"{address}/{name}", data=data, headers={"HX-Request": "true"})
        closed.append(name)
        page = browser.get(f"{address}?said={name}")
        assert f'class="card part {"right" if right else "spent"}" id="part-{name}"' in page.text
        mine = [parts[each].answer for each in closed] if right else []
        for other in (part for part in parts.values() if part.id not in closed):
            for answer in (piece, page):
                where = (order, closed, other.id)
                assert not says(evidence_of(answer.text), other.answer), where
                if other.id in distinct and other.answer not in mine:
                    assert not says(without(all_bytes(answer), mine), other.answer), where
    done = browser.get(address).text
    assert done.count('class="torch"') == len(shown)
    assert "opens when" not in done
