"""Student text to a value, an open question, or a hint: the one door through which every typed answer comes.

Reading depends on the text, the kind of answer and what the question declares, never on the key; so a preview cannot
leak, and what cannot be read costs no try. ``read`` never raises on any text and checks every limit before it works.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from grader.effort import READING, Effort
from grader.exact import decimal_text
from grader.expr import Expr
from grader.reading.axes import read_shape_sym
from grader.reading.chosen import read_choice, read_multi
from grader.reading.formulas import read_expr
from grader.reading.numbers import read_decimal, read_int, read_rational
from grader.reading.outcomes import Ask, Choice, Context, Ok, Reject, Value, Written
from grader.reading.sequences import read_seq, read_set
from grader.reading.shapes import read_shape
from grader.reading.tensors import read_tensor

__all__ = ["Ask", "Choice", "Context", "Ok", "Outcome", "Reject", "Value", "Written", "read", "value_to_json"]

Outcome = Ok | Ask | Reject
Reader = Callable[[str, Context], Outcome]

READERS: dict[str, Reader] = {
    "shape": read_shape,
    "shape_sym": read_shape_sym,
    "int": read_int,
    "rational": read_rational,
    "decimal": read_decimal,
    "expr": read_expr,
    "seq": read_seq,
    "set": read_set,
    "tensor": read_tensor,
    "choice": read_choice,
    "multi": read_multi,
}

_MAX_CHOICES = 6


def read(kind: str, text: str, context: Context = Context()) -> Outcome:  # noqa: B008 - a context is immutable
    """Read an answer of the kind. Raises ``ValueError`` for an unknown kind, and nothing else."""
    reader = READERS.get(kind)
    if reader is None:
        raise ValueError(f"unknown kind of answer {kind!r}; known are {', '.join(READERS)}")
    with Effort(READING):
        return _read(reader, text, context)


def _read(reader: Reader, text: str, context: Context) -> Outcome:
    outcome = reader(text, context)
    if isinstance(outcome, Ask):
        return _settled(outcome, reader, context)
    if isinstance(outcome, Reject) and outcome.repair is not None:
        mended = reader(outcome.repair, context)
        if isinstance(mended, Ask):
            mended = _settled(mended, reader, context)
        return replace(outcome, repair=None) if isinstance(mended, Reject) else outcome
    return outcome


def _settled(question: Ask, reader: Reader, context: Context, depth: int = 3) -> Ask | Reject:
    """Return the question with choices that read without another one, each labelled by how it reads."""
    choices: list[Choice] = []
    for choice in question.choices:
        reading = reader(choice.text, context)
        if isinstance(reading, Ask) and depth:
            further = _settled(reading, reader, context, depth - 1)
            choices += further.choices if isinstance(further, Ask) else ()
        elif isinstance(reading, Ok):
            choices.append(Choice(choice.label or reading.read_as, choice.text))
    if not choices or len(choices) > _MAX_CHOICES:
        return Reject(f"{question.question} Write it so that it can be read in one way only, with brackets.")
    if len(choices) == 1 and question.alone:
        return Ask(f"Did you mean {choices[0].label}? {question.alone}", tuple(choices))
    return Ask(question.question, tuple(choices))


def value_to_json(kind: str, value: Value) -> Any:
    """Return a value as experience.md shows it to scripts.

    Whole numbers as numbers, rationals "p/q", decimals as exact decimal strings where they end (else "p/q"), shapes as
    lists, expressions and letter axes as canonical text; lists and tensors as nested lists, sets in order, options as
    words.
    """
    match value:
        case frozenset():
            return sorted(value)
        case tuple():
            return [_item_to_json(item) for item in value]
        case Expr():
            return value.text
        case Fraction() if kind == "decimal":
            return decimal_text(value) or f"{value.numerator}/{value.denominator}"
    return _item_to_json(value)


def _item_to_json(item: object) -> Any:
    match item:
        case Expr():
            return item.text
        case Fraction():
            return item.numerator if item.denominator == 1 else f"{item.numerator}/{item.denominator}"
        case tuple():
            return list(item)
    return item
