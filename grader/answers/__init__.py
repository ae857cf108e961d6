"""Answer kinds: what a key is, how a value is judged against it, and how it is written. One file a kind.

A new kind is one file here and one line in ``KINDS``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.answers.answer import Answer, Judgement
from grader.answers.choice import ChoiceAnswer
from grader.answers.decimals import Decimal
from grader.answers.formula import ExprAnswer
from grader.answers.multi import MultiAnswer
from grader.answers.rational import Rational
from grader.answers.seq import Seq
from grader.answers.sets import SetAnswer
from grader.answers.shape import Shape
from grader.answers.shape_sym import ShapeSym
from grader.answers.tensor import TensorAnswer
from grader.answers.whole import Int

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "KINDS",
    "Answer",
    "ChoiceAnswer",
    "Decimal",
    "ExprAnswer",
    "Int",
    "Judgement",
    "MultiAnswer",
    "Rational",
    "Seq",
    "SetAnswer",
    "Shape",
    "ShapeSym",
    "TensorAnswer",
    "answer_from_json",
    "register",
]


def register(*classes: type[Answer]) -> dict[str, type[Answer]]:
    """Return the classes by kind. Raises ``ValueError`` where two claim one kind."""
    kinds: dict[str, type[Answer]] = {}
    for answer in classes:
        if answer.kind in kinds:
            raise ValueError(f"two answer kinds are called {answer.kind!r}")
        kinds[answer.kind] = answer
    return kinds


KINDS: dict[str, type[Answer]] = register(
    Shape,
    ShapeSym,
    Int,
    Rational,
    Decimal,
    ExprAnswer,
    Seq,
    SetAnswer,
    TensorAnswer,
    ChoiceAnswer,
    MultiAnswer,
)


def answer_from_json(data: Mapping[str, Any]) -> Answer:
    """Rebuild an answer of any kind. Raises ``ValueError`` for an unknown kind."""
    kind = data.get("kind")
    if kind not in KINDS:
        raise ValueError(f"unknown kind of answer {kind!r}; known are {', '.join(KINDS)}")
    return KINDS[kind].from_json(data)
