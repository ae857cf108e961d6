"""Numbers as people write them: grouping in threes and decimal commas become plain digits, or an open question.

No locale is guessed. ``1,234.5`` and ``1.234,5`` tell by their last separator; ``6,907`` does not tell at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.reading.signals import Ambiguous, Unreadable

# A run of digits with single separators between them. Digits glued to a word (log10) are part of the word.
_RUN = re.compile(r"(?<![\w.])(?:\d+(?:[.,_' ]\d+)*|\.\d+)")
_GROUPED = {sign: re.compile(rf"[1-9]\d{{0,2}}(?:{re.escape(sign)}\d{{3}})+") for sign in (",", ".", "_", " ")}


NUMBER_WORDS = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand|million|half|third|quarter)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Style:
    """How a kind reads separators: ``whole`` parts take 1,200 as grouped, others ask."""

    whole: bool


def plain(text: str, style: Style) -> str:
    """Return the text with every number in plain digits and a decimal dot.

    Raises ``Unreadable`` for what is no number, ``Ambiguous`` where one could be read in two ways.
    """
    pieces: list[str] = []
    end = 0
    for found in _RUN.finditer(text):
        try:
            digits = _plain_run(found.group(), style)
        except Unreadable as problem:
            raise Unreadable(problem.hint, found.start(), problem.repair) from None
        if isinstance(digits, tuple):
            before, after = text[: found.start()], text[found.end() :]
            raise Ambiguous(
                f"{found.group()} has two readings: is the {_name(found.group())} a decimal sign, or does it group?",
                tuple(f"{before}{spelling}{after}" for spelling in digits),
                "With a decimal sign there, the answer is no whole number." if style.whole else "",
            )
        pieces += [text[end : found.start()], digits]
        end = found.end()
    return "".join((*pieces, text[end:])) if end else text


def _decimal(head: str, tail: str) -> str:
    """Return a decimal with three places in a spelling that cannot be read as digits in groups of three."""
    ending = tail.rstrip("0")
    return head if not ending else f"{head}.{ending}" if len(ending) < len(tail) else f"{head}.{tail}0"


def _name(run: str) -> str:
    return "comma" if "," in run else "dot"


def _plain_run(run: str, style: Style) -> str | tuple[str, ...]:
    """Return plain digits for one run, or the spellings of its readings."""
    signs = {sign for sign in run if not sign.isdigit()}
    if not signs or run.startswith("."):
        return run
    if "'" in signs:
        joined, dotted = run.replace("'", ""), run.replace("'", ".")
        raise Unreadable(f"An apostrophe in a number is not read: write {joined} or {dotted}.")
    if len(signs) == 1:
        return _one_sign(run, signs.pop(), style)
    last = max(run.rfind("."), run.rfind(","))
    decimal = run[last] if last >= 0 else ""
    groups = signs - {decimal}
    # The last separator is the decimal sign; it stands once, and one other sign groups in threes before it.
    if decimal and run.count(decimal) == 1 and len(groups) == 1:
        grouping = groups.pop()
        head, tail = run[:last], run[last + 1 :]
        if _GROUPED[grouping].fullmatch(head) and tail.isdigit():
            return f"{head.replace(grouping, '')}.{tail}"
    raise Unreadable("That is not a number; or it is more than one: give one number, with at most one decimal sign.")


def _one_sign(run: str, sign: str, style: Style) -> str | tuple[str, ...]:  # noqa: PLR0911 - one case after the other
    grouped = bool(_GROUPED[sign].fullmatch(run))
    joined = run.replace(sign, "")
    if sign in "_ ":
        if not grouped:
            problem = "There is a blank inside a number" if sign == " " else "An underscore groups digits in threes"
            raise Unreadable(f"{problem}: give one number, and group digits in threes or not at all.")
        return joined
    if run.count(sign) > 1:
        if not grouped:
            raise Unreadable("That is not a number; or it is more than one: give one number.")
        return joined
    head, tail = run.split(sign)
    dotted = f"{head}.{tail}"
    if sign == ".":
        if style.whole and grouped:
            return joined, _decimal(head, tail)
        return dotted
    if style.whole and grouped:
        return joined
    if len(tail) == 3 and head.strip("0") and not style.whole:
        return dotted, joined
    return dotted
