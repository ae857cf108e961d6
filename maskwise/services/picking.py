"""What a part offers to pick, and picks as the one text that is read, stored and graded.

To pick is a way of typing: positions become `2, 4`, options go by their letters. Nothing here looks at a key: options
stand in the order of the question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from grader.answers import ChoiceAnswer, MultiAnswer, Seq, SetAnswer, TensorAnswer
from grader.options import letters_of
from maskwise.services.preview import Reading, shown
from templates import tokens
from templates.markup import to_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from grader.answers import Answer
    from grader.part import Part

Widget = Literal["line", "lines", "positions", "one", "several"]

NONE = "none"  # what is sent, and can be typed, for no position and no option


class NoPick(Exception):
    """Picks that no page of ours can send: unknown, twice, or more of them than can be picked."""


class Nothing(Exception):
    """Nothing was picked and nothing typed."""


@dataclass(frozen=True)
class Option:
    """One thing to pick.

    `value` is what is sent for it, `letter` the letter it goes by (empty for positions), `word` what reading makes of
    it, `label` Markdown. The label of a position is what stands there, without the position.
    """

    value: str
    letter: str
    word: str
    label: str


def widget(part: Part) -> Widget:
    """Name what a part is answered with."""
    match part.answer:
        case SetAnswer(among=among) if among:
            return "positions"
        case ChoiceAnswer():
            return "one"
        case MultiAnswer():
            return "several"
        case TensorAnswer():
            return "lines"
    return "line"


def offered(part: Part) -> tuple[Option, ...]:
    """Give what can be picked, in the order of the question; nothing where an answer can only be typed."""
    words = part.options
    if part.kind == "set":
        labels = part.labels or ("",) * len(words)
        return tuple(Option(word, "", word, _there(word, label)) for word, label in zip(words, labels, strict=True))
    # Options that are single letters themselves go by no other letter.
    letters = letters_of(words) or ("",) * len(words)
    labels = part.labels or tuple(tokens.text(word) for word in words)
    return tuple(
        Option(letter or word, letter, word, label) for word, letter, label in zip(words, letters, labels, strict=True)
    )


def _there(position: str, label: str) -> str:
    """Take the words "position 2," off a label: a page sets the number apart."""
    for number in (position, tokens.num(int(position))):
        start = f"position {number}"
        if label.lower().startswith(start.lower()):
            return label[len(start) :].lstrip(" ,:")
    return label


def sent(kind: str, options: Sequence[Option], text: str, picks: Sequence[str], filled: str = "") -> str:
    """Give the text that an answer is: what was typed, else what was picked.

    `filled` is what the page had put into the box: text that nobody touched is not typed, where something is picked.
    Raises NoPick, and Nothing where there is neither.
    """
    values = [option.value for option in options]
    allowed = [*values, NONE] if kind == "multi" and NONE not in values else values
    if len(picks) > len(allowed) or len(set(picks)) < len(picks) or not set(picks) <= set(allowed):
        raise NoPick
    if kind == "choice" and len(picks) > 1:
        raise NoPick
    if text.strip() and not (picks and text == filled):
        return text
    if not picks:
        raise Nothing
    return ", ".join(sorted(picks, key=allowed.index))


def says(reading: Reading, picks: Sequence[str]) -> bool:
    """Say whether positions that were typed are those that were picked beside them."""
    return reading.cells is None or set(reading.cells[0]) == set(picks)


def picked(options: Collection[Option], reading: Reading) -> frozenset[str]:
    """Give the values that an answer picks, as it was read; none where it could not be."""
    words = set(reading.words or (reading.cells or ((),))[0])
    values = {option.value for option in options if option.word in words}
    return frozenset(values or ({NONE} if reading.words == () else ()))


def told(options: Sequence[Option], reading: Reading, raw: str) -> str:
    """Give an answer as a list of answers shows it, on one line.

    Options are named (`B: both sides are read`), several lines are one as they were read; the rest is as it was typed.
    """
    if reading.words is not None:
        named = [_named(option) for option in options if option.word in reading.words]
        return "; ".join(named) or NONE
    return reading.read_as if reading.read_as and "\n" in raw.strip() else raw


def _named(option: Option) -> str:
    label = " ".join(to_text(option.label).split()).rstrip(".")
    return f"{option.letter}: {label}" if option.letter else label


def key_of(answer: Answer) -> Reading:
    """Take a key apart as answers are, for where it is shown."""
    match answer:
        case Seq(items=value) | SetAnswer(items=value):
            return shown(answer.kind, value, answer.display())
        case TensorAnswer(rows=value):
            return shown(answer.kind, value, answer.display())
        case ChoiceAnswer(word=word):
            return shown(answer.kind, word, answer.display())
        case MultiAnswer(words=words):
            return shown(answer.kind, words, answer.display())
    return Reading(answer.kind, "ok", read_as=answer.display())
