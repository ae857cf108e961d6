"""How an answer is understood: a pure function of its text, its kind and what the question declares.

Nothing here takes a variant, so nothing here can tell anything about a key.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from grader.read import Ask, Context, Ok, Reject, read, value_to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 2000  # characters kept of an answer; reading refuses anything over a few hundred


@dataclass(frozen=True)
class Reading:
    """What reading made of a text. Words about it stand in the pages.

    outcome: ok, ask, reject, or empty. `axes` are the sizes of a shape as text; `cells` the rows of a list (one), of a
    set (one, in order) or of a tensor; `words` the options of a choice. `repair` is a text made of the student's own
    signs that can be read; `choices` are (label, text to send) for each possible meaning.
    """

    kind: str
    outcome: Literal["ok", "ask", "reject", "empty"]
    read_as: str | None = None
    axes: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    hint: str | None = None
    read_so_far: str | None = None
    repair: str | None = None
    question: str | None = None
    choices: tuple[tuple[str, str], ...] = ()
    cells: tuple[tuple[str, ...], ...] | None = None
    words: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, as attempts keep it."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reading:
        """Rebuild it from `to_json`; what was kept before lists and choices were read has neither cells nor words."""
        axes, cells, words = data["axes"], data.get("cells"), data.get("words")
        return cls(
            **{
                **data,
                "axes": None if axes is None else tuple(axes),
                "notes": tuple(data["notes"]),
                "choices": tuple((label, text) for label, text in data["choices"]),
                "cells": None if cells is None else tuple(tuple(row) for row in cells),
                "words": None if words is None else tuple(words),
            }
        )


def preview(kind: str, text: str, context: Mapping[str, Any]) -> Reading:
    """Read a text as an answer of a kind; ValueError for an unknown kind or a context that is none."""
    return understood(kind, text, Context.from_json(dict(context)))


def understood(kind: str, text: str, context: Context) -> Reading:
    """Read a text as an answer of a kind, in the context that a part declares."""
    if not text.strip():
        read(kind, "", context)  # an unknown kind is an error for an empty box, too
        return Reading(kind, "empty")
    return described(kind, read(kind, text, context))


def described(kind: str, result: Ok | Ask | Reject) -> Reading:
    """Put what `grader.read` gives into plain data."""
    match result:
        case Ok():
            return shown(kind, result.value, result.read_as, tuple(result.notes))
        case Ask():
            choices = tuple((choice.label, choice.text) for choice in result.choices)
            return Reading(kind, "ask", question=result.question, choices=choices)
        case Reject():
            return Reading(kind, "reject", hint=result.hint, read_so_far=result.read_so_far, repair=result.repair)


def shown(kind: str, value: Any, read_as: str, notes: tuple[str, ...] = ()) -> Reading:
    """Take a value of a kind apart, so that a page can set it: sizes, cells, words."""
    return Reading(
        kind,
        "ok",
        read_as=read_as,
        notes=notes,
        axes=_axes(kind, value),
        cells=_cells(kind, value),
        words=_words(kind, value),
    )


def _axes(kind: str, value: Any) -> tuple[str, ...] | None:
    if kind not in {"shape", "shape_sym"}:
        return None
    return tuple(str(axis) for axis in value_to_json(kind, value))


def _cells(kind: str, value: Any) -> tuple[tuple[str, ...], ...] | None:
    match kind:
        case "seq" | "set":
            items = sorted(value) if isinstance(value, frozenset) else value
            return (tuple(_cell(item) for item in items),)
        case "tensor":
            return tuple(tuple(str(entry) for entry in row) for row in value)
    return None


def _cell(item: Any) -> str:
    return f"({', '.join(map(str, item))})" if isinstance(item, tuple) else str(item)


def _words(kind: str, value: Any) -> tuple[str, ...] | None:
    match kind:
        case "choice":
            return (value,)
        case "multi":
            return tuple(value)
    return None
