"""Student text to a value, an open question, or a hint: the one door through which every typed answer comes.

Reading depends on the text, the kind of answer and what the question declares, never on the key; so a preview cannot leak,
and what cannot be read costs no try. ``read`` never raises on any text and checks every limit before it works.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from grader.expr import Expr
from grader.reading.outcomes import Ask, Choice, Context, Ok, Reject, Value, Written

__all__ = ["Ask", "Choice", "Context", "Ok", "Outcome", "Reject", "Value", "Written", "read", "value_to_json"]

Outcome = Ok | Ask | Reject
Reader = Callable[[str, Context], Outcome]

READERS: dict[str, Reader] = {}


def read(kind: str, text: str, context: Context = Context()) -> Outcome:  # noqa: B008 - a context is immutable
    """Read an answer of the kind. Raises ``ValueError`` for an unknown kind, and nothing else."""
    reader = READERS.get(kind)
    if reader is None:
        raise ValueError(f"unknown kind of answer {kind!r}; known are {', '.join(READERS)}")
    return reader(text, context)


def value_to_json(kind: str, value: Value) -> Any:
    """Return a value as experience.md shows it to scripts.

    Whole numbers as numbers, rationals "p/q", decimals as exact decimal strings where they end (else "p/q"), shapes as
    lists, expressions and letter axes as canonical text.
    """
    match value:
        case tuple():
            return [item.text if isinstance(item, Expr) else item for item in value]
        case Expr():
            return value.text
        case Fraction() if kind == "decimal":
            return decimal_text(value)
        case Fraction():
            return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    return value


def decimal_text(value: Fraction) -> str:
    """Return the exact decimal expansion where there is one, else the reduced fraction."""
    below, places = value.denominator, 0
    while below % 10 == 0:
        below //= 10
        places += 1
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
            places += 1
    if below != 1:
        return f"{value.numerator}/{value.denominator}"
    scaled = abs(value) * 10**places
    digits = str(scaled.numerator).rjust(places + 1, "0")
    whole, part = (digits[:-places], digits[-places:].rstrip("0")) if places else (digits, "")
    return ("-" if value < 0 else "") + whole + (f".{part}" if part else "")
