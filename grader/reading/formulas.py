"""Answers that are an expression in the letters of the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.reading.clean import clean
from grader.reading.grammar import EXPRESSION
from grader.reading.names import names
from grader.reading.outcomes import Ask, Choice, Context, Ok, Reject
from grader.reading.signals import Ambiguous, Unreadable
from grader.reading.terms import Terms
from grader.reading.tokens import tokens

if TYPE_CHECKING:
    from grader.expr import Expr

SAMPLE = "Write for example 2*(P + Q)."


def read_expr(text: str, context: Context) -> Ok | Ask | Reject:
    """Read an expression; the value is an ``Expr`` in the declared letters."""
    cleaned = clean(text, context)
    if isinstance(cleaned, Reject):
        return cleaned
    try:
        value, notes = formula(cleaned, context)
    except Unreadable as problem:
        return rejected(problem, cleaned, SAMPLE)
    except Ambiguous as problem:
        return Ask(problem.question, tuple(Choice("", spelling) for spelling in problem.texts))
    return Ok(value, notes=notes)


def formula(cleaned: str, context: Context) -> tuple[Expr, tuple[str, ...]]:
    """Return the formula and remarks. Raises ``Unreadable`` and ``Ambiguous``."""
    if "=" in cleaned:
        left, _, right = cleaned.partition("=")
        repair = left.strip() if "=" not in right else None
        raise Unreadable("Give only the expression, without an equals sign.", len(left), repair)
    terms = Terms(cleaned, tokens(cleaned, names(context.letters)), EXPRESSION)
    return terms.whole(), tuple(terms.notes)


def rejected(problem: Unreadable, cleaned: str, sample: str) -> Reject:
    """Return the rejection for a signal: what was read so far, and a sample beside the hint."""
    so_far = cleaned[: problem.at].rstrip() or None
    repair = problem.repair if problem.repair and problem.repair != cleaned else None
    return Reject(f"{problem.hint} {sample}", so_far, repair)
