"""Writes docs/answers.md from the table that the reader is tested with, through the reader and the grader themselves.

Nothing on the page is typed by hand but its headings: what an answer means, the words of a hint and the verdicts are
what the code says now. `test_docs.py` compares; `python tests/answers_page.py --refresh` writes it anew.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

from grader.answers import (
    ChoiceAnswer,
    Decimal,
    ExprAnswer,
    Int,
    MultiAnswer,
    Rational,
    Seq,
    SetAnswer,
    Shape,
    ShapeSym,
    TensorAnswer,
)
from grader.expr import ln
from grader.grade import grade
from grader.letters import B, D, H, T, V
from grader.part import Part, Slip
from grader.read import Ask, Context, Ok, Reject, read, value_to_json

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "answers.md"
TABLE = ROOT / "tests" / "data" / "reading.csv"

KINDS = {
    "shape": "Shapes in numbers",
    "shape_sym": "Shapes in letters",
    "int": "Whole numbers",
    "rational": "Exact fractions",
    "decimal": "Decimal numbers",
    "expr": "Expressions",
    "seq": "Lists",
    "set": "Sets of positions",
    "tensor": "Tensors of rows",
    "choice": "One option",
    "multi": "Several options",
}
_AS_READ = ("shape", "shape_sym", "seq", "set", "tensor", "choice", "multi")  # others are shown by their value
_LONGEST = 44  # a longer text tests a limit; on the page it would hide the others
_SPELLINGS, _SAMPLES = 12, 3

_HEAD = """\
# How answers are read and graded

This page is written from the table that the reader is tested with. Every line was read or graded by the program itself.
Texts longer than a line and invisible signs are left out here; ⏎ stands for the end of a line.

Reading comes first and knows only three things: the text, the kind of answer, and what the question declares (its
letters, its unit, its number of decimals, the id of its mask, its options). It never sees the key. It ends in one of
three ways:

- **understood**: the answer is graded. How it was understood stands beside the box.
- **asked back**: the text has two readings. Both are offered; none is guessed. It costs no try.
- **not read**: a hint says what to change. It costs no try.

The tables show the first sentence of a hint. Where several texts stand together, it is the hint for the first of them.
"""

_GRADED = """\
## Grading

What was understood is compared with the formula of the key and with what PyTorch gave. Shapes, whole numbers,
fractions, lists, sets and tensors are compared exactly; expressions by their value for every size, not by their text.
Options are all or nothing. A decimal is right within 0.6 of its last asked place. A key that was rounded is told from a
wrong value, twice a part at most, and costs no try.
Where PyTorch cannot be asked, an answer is not graded and no try is used.
"""


def page():
    """Return the text of docs/answers.md."""
    parts = [_HEAD]
    with TABLE.open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    for kind, title in KINDS.items():
        rows = [row for row in table if row["kind"] == kind and _fits(json.loads(row["input"]))]
        usual = Counter(row["context"] for row in rows).most_common(1)[0][0]
        declared = "".join(
            f" The {what} of the question are {', '.join(words)} here."
            for what, words in (("letters", _listed(usual, "letters")), ("options", _listed(usual, "options")))
            if words
        )
        parts.append(f"## {title}\n\nIn `maskwise read` this kind is called `{kind}`.{declared}\n")
        parts.append(_lines(kind, rows, usual))
    parts.append(_GRADED)
    parts.append(_verdicts())
    return "\n".join(parts)


def _fits(text):
    return text.replace("\n", "").isprintable() and len(text.strip()) > 0 and len(text) <= _LONGEST


def _listed(declared, name):
    return json.loads(declared or "{}").get(name, ())


def _lines(kind, rows, usual):
    """Return one table: understood, asked back, not read; texts of one meaning stand together."""
    understood, asked, refused = {}, {}, {}
    for row in rows:
        text, declared = json.loads(row["input"]), _declared(row["context"], usual)
        outcome = read(kind, text, Context.from_json(json.loads(row["context"] or "{}")))
        match outcome:
            case Ok(value=value):
                meaning = json.dumps(value_to_json(kind, value))
                understood.setdefault((meaning, declared), (_meant(kind, outcome), []))[1].append(text)
            case Ask(choices=choices):
                meaning = " or ".join(_code(_meant_by(kind, choice, row["context"])) for choice in choices)
                asked.setdefault((meaning, declared), []).append(text)
            case Reject(hint=hint):  # the table names what a hint must say: hints that say it are one line here
                refused.setdefault((row["value_or_words"], declared), (_first(hint), []))[1].append(text)
    lines = ["| typed | what comes of it |", "|---|---|"]
    for (_meaning, declared), (meant, texts) in understood.items():
        lines.append(f"| {_texts(texts, _SPELLINGS)} | understood as {meant}{declared} |")
    for (meaning, declared), texts in asked.items():
        lines.append(f"| {_texts(texts, _SAMPLES)} | asked back: {meaning}{declared} |")
    for (_words, declared), (hint, texts) in refused.items():
        said = _plain(hint).removesuffix(".") if declared else _plain(hint)
        lines.append(f"| {_texts(texts, _SAMPLES)} | not read: {said}{declared} |")
    return "\n".join(lines) + "\n"


def _meant_by(kind, choice, declared):
    reading = read(kind, choice.text, Context.from_json(json.loads(declared or "{}")))
    return reading.read_as if kind in _AS_READ else str(value_to_json(kind, reading.value))


def _meant(kind, outcome):
    if kind in _AS_READ:
        return _code(outcome.read_as)
    return _code(str(value_to_json(kind, outcome.value)))


def _first(hint):
    """Return what is wrong, without the sample behind it, which is alike for every hint of a kind."""
    sentences = re.split(r"(?<![.])[.] ", hint)
    return sentences[0] + "." if len(sentences) > 1 else hint


def _declared(declared, usual):
    given = json.loads(declared or "{}")
    words = []
    if "allow" in given:
        words.append(f"the part allows {' and '.join(_ALLOWED.get(name, name) for name in given['allow'])}")
    if "unit" in given:
        words.append(f"the unit is `{given['unit'][0]}`")
    if "mask_id" in given:
        words.append(f"the id of the mask is {given['mask_id']}")
    if "ignore" in given:
        words.append(f"the ignored label is {given['ignore']}")
    if "rows" in given:
        words.append(f"{given['rows']} rows are declared" if given["rows"] > 1 else "1 row is declared")
    for name in ("letters", "options"):
        listed = ", ".join(_listed(declared, name))
        if listed and listed != ", ".join(_listed(usual, name)):
            words.append(f"the {name} are {_plain(listed)}")
    return f", where {' and '.join(words)}" if words else ""


def _texts(texts, most):
    shown = list(dict.fromkeys(re.sub(" *\n *", " ⏎ ", text.strip()) for text in texts))
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(_code(text) for text in shown[:most]) + more


def _code(text):
    fence = "``" if "`" in text else "`"
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _plain(text):
    """Return words as they are, whatever signs of Markdown stand in them."""
    for sign in "\\`*_<>|[]":
        text = text.replace(sign, f"\\{sign}")
    return text


_ALLOWED = {"set": "a set", "boolean": "booleans"}


def _asked(kind, answer, observed, slips=(), **declared):
    found = tuple(Slip(name, wrong, "line", reveals=False) for name, wrong in slips)
    return kind, Part("p", answer, found, Context(**declared)), observed


def _verdicts():
    letters = ("B", "T", "D", "V", "H")
    shape = _asked("shape", Shape(8, 20, 1000), [8, 20, 1000], (("width_kept", Shape(8, 20, 48)),))
    in_letters = _asked(
        "shape in letters",
        ShapeSym(B, H, T, D / H),
        {"sizes": {"B": 3, "H": 4, "T": 7, "D": 20}, "shape": [3, 4, 7, 5]},
        (("full_width", ShapeSym(B, H, T, D)),),
        letters=letters,
    )
    whole = _asked("whole number", Int(12), 12)
    share = _asked("fraction", Rational(Fraction(1, 6)), "1/6")
    mean = _asked("decimal, 4 places", Decimal(Fraction(61, 20), 4), "3.05", places=4)
    third = _asked("decimal, 4 places", Decimal(Fraction(20, 3), 4), repr(20 / 3), places=4)
    formula = _asked(
        "expression", ExprAnswer(ln(V)), {"sizes": {"V": 7}, "value": "1.9459101490553133051"}, letters=("V",)
    )
    ids = _asked(
        "list",
        Seq(4, 9, 7, 9),
        [4, 9, 7, 9],
        (("unchanged", Seq(4, 6, 7, 2)),),
        mask_id=9,
    )
    vector = _asked("list of exact numbers", Seq(Fraction(5, 3), Fraction(7, 2)), ["1.6666666666666667", "3.5"])
    leaked = _asked("set", SetAnswer((1, 4)), [[1], [4]], (("all_scored", SetAnswer((1, 3, 4))),))
    labels = _asked("tensor", TensorAnswer([[-100, 6], [2, -100]]), [[-100, 6], [2, -100]], ignore=-100)
    outcomes = ("nan", "zero", "finite", "IndexError")
    outcome = _asked("one option", ChoiceAnswer("IndexError", outcomes), "IndexError", options=outcomes)
    words = ("future_hidden", "replaced", "chosen_only", "both_sides")
    several = _asked("several options", MultiAnswer(words[1:], words), "formula only", options=words)
    rows = (
        *((shape, text) for text in ("8x20x1000", "(8, 20, 48)", "(20, 8, 1000)", "(8, 20, 1000")),
        *((in_letters, text) for text in ("B,H,T,D/H", "(B, H, T, H*D/H^2)", "(B, H, T, D)")),
        *((whole, text) for text in ("12.0", "3*4", "13")),
        *((share, text) for text in ("1/6", "2/12", "0.1667", "0.17", "0.2")),
        *((mean, text) for text in ("3.05", "3.0500", "3.1")),
        *((third, text) for text in ("6.6667", "6.6666", "6.67", "6.7", "6.6")),
        *((formula, text) for text in ("-ln(1/V)", "ln(V^2)/2", "log(V)", "log10(V)")),
        *((ids, text) for text in ("4 [MASK] 7 [MASK]", "4, 6, 7, 2", "9, 4, 9, 7", "4979")),
        *((vector, text) for text in ("1 2/3, 3.5", "1.67, 3.5", "2, 3.5")),
        *((leaked, text) for text in ("4 and 1", "1, 3, 4", "1", "1-4")),
        *((labels, text) for text in ("ignore 6; 2 ignore", "[[-100, 6], [2, 0]]", "[-100, 6, 2, -100]")),
        *((outcome, text) for text in ("index error", "d", "finite", "c or d")),
        *((several, text) for text in ("B, C, D", "both sides, replaced, chosen only", "B, D", "all")),
    )
    lines = ["| kind | key | typed | verdict |", "|---|---|---|---|"]
    for (kind, part, observed), text in rows:
        verdict = grade([part], {"p": text}, observed={"p": observed})["p"]
        lines.append(f"| {kind} | {_code(part.answer.display())} | {_code(text)} | {_said(verdict)} |")
    kind, part, _observed = shape
    verdict = grade([part], {"p": "(8, 20, 1000)"}, observed=None)["p"]
    lines.append(f"| {kind} | {_code(part.answer.display())} | `(8, 20, 1000)` | {_said(verdict)} |")
    return "\n".join(lines) + "\n"


_NOTES = {
    "other_order": "the values are right, the order is not",
    "rounded": "right as a rounded value",
    "unreadable": "it could not be read",
    "ask": "it has two readings",
    "no_runner": "PyTorch could not be asked",
}


def _said(verdict):
    words = verdict.outcome.replace("_", " ")
    if verdict.slip:
        words += f", the slip {_code(verdict.slip)}"
    if verdict.note:
        words += f": {_NOTES[verdict.note]}"
    return words


if __name__ == "__main__":
    if sys.argv[1:] != ["--refresh"]:
        sys.exit("usage: python tests/answers_page.py --refresh")
    PAGE.write_text(page(), encoding="utf-8")
