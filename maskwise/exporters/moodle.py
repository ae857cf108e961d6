"""Moodle XML: `NAME.moodle.xml`, one category for each item of the plan with all its versions as a pool.

Several parts stay together as a cloze question; one part alone is a short answer, a number or a choice. Everything in
the file may be seen by students after an attempt, so no seed, family, level or certificate stands in it: questions are
known by their look-up ids. The tree is built by lxml, never by pasting text, and the same quiz gives the same bytes.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from math import gcd, lcm
from typing import TYPE_CHECKING

from lxml import etree

import templates
from grader.form import Blanks, Form, Number, Pick, Text
from grader.options import letters_of
from maskwise.exporters import cloze
from maskwise.exporters.package import Options, Package, asked, confirmed, count, slip_words
from templates import markup

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from generator.quiz import Item, Quiz
    from generator.variant import Variant
    from grader.part import Part
    from maskwise.exporters.package import Asked

_WORDS = "moodle/words.j2.md"
# What XML 1.0 cannot hold.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST_NAME = 255
_LONGEST_ID = 100


@dataclass(eq=False, repr=False)
class _Found:
    """What the questions turned out to be and to need, for the summary and the list of losses."""

    questions: int = 0
    categories: int = 0
    spellings: set[int] = field(default_factory=set)
    letters: bool = False
    case: bool = False
    several: bool = False
    choices: bool = False
    together: bool = False
    slips: bool = False
    slips_left_out: int = 0
    carried: bool = False
    scaled: int = 0
    repeats: int = 0


def export(quiz: Quiz, options: Options) -> Package:
    """Write the question bank file. Raises ExportRefused for a quiz that is not confirmed."""
    confirmed(quiz)
    found = _Found()
    name = f"{options.stem(quiz)}.moodle.xml"
    data = _document(quiz, found)
    told = f"{count(found.questions, 'question')} in {count(found.categories, 'category', 'categories')}"
    return Package(
        {name: data}, tuple(_losses(found)), ((name, f"{told}, every key proven by PyTorch {_torch(quiz)}"),)
    )


def _document(quiz: Quiz, found: _Found) -> bytes:
    root = etree.Element("quiz")
    for items in _pools(quiz):
        root.append(_category(quiz, items[0]))
        found.categories += 1
        seen: set[str] = set()
        for item in items:
            body = _body(item)
            if body in seen:
                found.repeats += 1
                continue
            seen.add(body)
            root.append(_question(quiz, item, found))
            found.questions += 1
    etree.indent(root, " ")
    data: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return data + b"\n"


def _pools(quiz: Quiz) -> Iterator[list[Item]]:
    """Yield the versions of each item of the plan, in the order of the plan; an item with a count is one pool."""
    pools: dict[str, list[Item]] = {}
    for paper in quiz.papers:
        for item in paper.items:
            pools.setdefault(item.id.partition(".")[0], []).append(item)
    yield from pools.values()


def _torch(quiz: Quiz) -> str:
    used = {item.variant.certificate.torch for paper in quiz.papers for item in paper.items if item.variant.certificate}
    return ", ".join(sorted(used))


def _body(item: Item) -> str:
    words = item.variant.words
    return "\n".join([words["stem"], *(words.get(f"ask_{part.id}", "") for part in item.variant.parts)])


def _clean(text: str) -> str:
    # Nothing printable is illegal, and looking for that is many times as fast as the pattern.
    return text if text.replace("\n", "").isprintable() else _ILLEGAL.sub("\ufffd", text)


def _text(parent: etree._Element, tag: str, text: str, *, html: bool = False) -> etree._Element:
    """Add `<tag><text>...</text></tag>`."""
    element = etree.SubElement(parent, tag)
    if html:
        element.set("format", "html")
    etree.SubElement(element, "text").text = _clean(text)
    return element


def _title(item: Item) -> str:
    return " ".join(markup.to_text(item.variant.words["title"]).split())


def _category(quiz: Quiz, item: Item) -> etree._Element:
    question = etree.Element("question", type="category")
    levels = (quiz.title, f"{item.number:02d} {_title(item)}")
    _text(question, "category", "/".join(["$course$", "top", *(level.replace("/", "//") for level in levels)]))
    return question


def _question(quiz: Quiz, item: Item, found: _Found) -> etree._Element:
    parts = list(asked(item))
    forms = [part.part.form() for part in parts]
    lone = len(parts) == 1 and not isinstance(forms[0], Blanks) and cloze.can_share(forms[0])
    kind = _kind(forms[0]) if lone else "cloze"
    question = etree.Element("question", type=kind)
    _text(question, "name", f"{item.number:02d} {_title(item)} ({item.code})"[:_LONGEST_NAME])
    stem = markup.to_lms(item.variant.words["stem"])
    fields = _asks(item.variant, parts[0]) if lone else _fields(item, parts, forms, found)
    _text(question, "questiontext", f"{stem}\n{fields}", html=True)
    _text(question, "generalfeedback", _solution(item.variant, parts), html=True)
    if lone:
        etree.SubElement(question, "defaultgrade").text = cloze.decimal_text(item.points)
    one_try = lone and parts[0].part.kind == "choice"  # a second try among few options would be a guess
    etree.SubElement(question, "penalty").text = "1" if one_try else "0.3333333"
    etree.SubElement(question, "hidden").text = "0"
    if len(item.code) <= _LONGEST_ID:
        etree.SubElement(question, "idnumber").text = _clean(item.code)
    if lone:
        _lone(question, item.variant, parts[0].part, forms[0], found)
    tags = etree.SubElement(question, "tags")
    for tag in ("maskwise", quiz.slug):
        _text(tags, "tag", tag)
    return question


def _kind(form: Form) -> str:
    match cloze.as_listed(form):
        case Number():
            return "numerical"
        case Pick():
            return "multichoice"
        case _:
            return "shortanswer"


def _asks(variant: Variant, each: Asked) -> str:
    return markup.to_lms(variant.words.get(f"ask_{each.part.id}", ""))


def _fields(item: Item, parts: list[Asked], forms: list[Form], found: _Found) -> str:
    """Write the asks of a cloze question, each with its field."""
    weights = _weights([part.points for part in parts])
    if sum(weights) != item.points:
        found.scaled += 1
    out = []
    for each, form, weight in zip(parts, forms, weights, strict=True):
        ask = _asks(item.variant, each)
        head = f"<p><strong>{each.letter}</strong></p>" if each.letter else ""
        inner = ask.removeprefix("<p>")
        lead = f"<p><strong>{each.letter})</strong> {inner}" if each.letter and inner != ask else head + ask
        places = form.forms if isinstance(form, Blanks) else (form,)
        lone = not isinstance(form, Blanks)
        slots = " ".join(
            cloze.field(weight, place, _listed(item.variant, each.part, place, found, lone=lone)) for place in places
        )
        out.append(f"{lead}\n<p>{slots}</p>")
    return "\n".join(out)


def _weights(points: list[Fraction]) -> list[int]:
    """Return the smallest whole numbers in the ratio of the points, or the points themselves where they are whole."""
    if all(value.denominator == 1 for value in points):
        return [int(value) for value in points]
    scale = lcm(*(value.denominator for value in points))
    whole = [int(value * scale) for value in points]
    return [value // gcd(*whole) for value in whole]


def _listed(
    variant: Variant, part: Part, form: Form, found: _Found, *, lone: bool, hinted: bool = True
) -> list[cloze.Choice]:
    """List a form's answers with feedback, and note what is lost. `lone`: the form is the whole of its part."""
    slips = [(slip.answer.form(), _told(variant, part, at)) for at, slip in enumerate(part.slips)] if lone else []
    hint = _feedback(variant.words.get(f"hint_{part.id}", ""), "") if hinted else ""
    choices, left_out = cloze.listed(form, slips, hint)
    listed = cloze.as_listed(form)
    if isinstance(listed, Text):
        if not listed.exact:
            found.spellings.add(sum(choice.fraction == "100" for choice in choices))
        found.case |= any(sign.isalpha() for sign in listed.accepted[0])
    found.letters |= part.kind in {"shape_sym", "expr"}
    found.several |= isinstance(listed, Pick) and cloze.is_several(listed)
    found.choices |= part.kind == "choice"
    found.together |= bool(part.together)
    found.slips |= bool(part.slips)
    found.slips_left_out += left_out + (0 if lone else len(part.slips))
    found.carried |= part.carry is not None
    return choices


def _told(variant: Variant, part: Part, at: int) -> str:
    """Return the feedback of a slip: its words and, where it does not give the key away, the line that it equals."""
    slip = part.slips[at]
    shown = slip.witness if slip.witness and not slip.reveals else ""
    return _feedback(slip_words(variant, part.id, slip.id), shown)


@functools.lru_cache(maxsize=1024)
def _feedback(words: str, witness: str) -> str:
    """Set the words of a slip or a hint, fit for XML; mostly they are the same in every question of a family."""
    told = markup.to_lms(words)
    if witness:
        told += markup.to_lms(templates.render(_WORDS, "witness", line=witness))
    return _clean(told)


def _solution(variant: Variant, parts: list[Asked]) -> str:
    out = []
    for each in parts:
        head = f"<p><strong>{each.letter})</strong></p>" if each.letter else ""
        out.append(head + markup.to_lms(variant.words.get(f"solution_{each.part.id}", "")))
    return "\n".join(out)


def _lone(question: etree._Element, variant: Variant, part: Part, form: Form, found: _Found) -> None:
    """Add the answers of a question of one part."""
    kind = _kind(form)
    if kind == "multichoice":
        assert isinstance(form, Pick)
        _options(question, variant, part, form)
    elif kind == "shortanswer":
        etree.SubElement(question, "usecase").text = "0"
    add = etree.SubElement  # a question has some dozens of answers
    text_format = "html" if kind == "multichoice" else "moodle_auto_format"
    hinted = not (isinstance(form, Pick) and cloze.is_several(form))  # there the whole question has its feedback
    for choice in _listed(variant, part, form, found, lone=True, hinted=hinted):
        answer = add(question, "answer")
        answer.set("fraction", choice.fraction)
        answer.set("format", text_format)
        text = f"<p>{choice.text}</p>" if kind == "multichoice" else choice.text
        add(answer, "text").text = _clean(text)
        feedback = add(answer, "feedback")
        feedback.set("format", "html")
        add(feedback, "text").text = choice.feedback
        if kind == "numerical":
            etree.SubElement(answer, "tolerance").text = choice.tolerance or "0"


def _options(question: etree._Element, variant: Variant, part: Part, form: Pick) -> None:
    """Add how options are picked: in the order of the question, which is that of its letters elsewhere."""
    several = cloze.is_several(form)
    etree.SubElement(question, "single").text = "false" if several else "true"
    etree.SubElement(question, "shuffleanswers").text = "0"
    lettered = part.kind != "set" and letters_of(form.options)
    etree.SubElement(question, "answernumbering").text = "ABCD" if lettered else "none"
    if several:
        for tag in ("partiallycorrectfeedback", "incorrectfeedback"):
            _text(question, tag, _feedback(variant.words.get(f"hint_{part.id}", ""), ""), html=True)


def _losses(found: _Found) -> Iterator[str]:
    """Say in plain words what Moodle cannot keep."""
    low, high = min(found.spellings, default=0), max(found.spellings, default=0)
    said: tuple[tuple[object, str, dict[str, str]], ...] = (
        (found.spellings, "text_only", {"spellings": str(low) if low == high else f"{low} to {high}"}),
        (found.letters, "symbolic", {}),
        (found.case, "case", {}),
        (found.several, "several", {}),
        (found.choices, "one_try", {}),
        (found.together, "together", {}),
        (found.slips, "slips", {}),
        (found.slips_left_out, "other_slips", {"left_out": str(found.slips_left_out)}),
        (found.carried, "carried", {}),
        (found.scaled, "weights", {"items": count(found.scaled, "question")}),
        (found.repeats, "repeats", {"repeats": count(found.repeats, "question")}),
        (True, "pools", {}),
        (True, "again", {}),
        (True, "unverified", {}),
    )
    for lost, block, values in said:
        if lost:
            yield markup.to_text(templates.render(_WORDS, block, **values))
