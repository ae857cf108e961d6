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

    outcome: ok, ask, reject, or empty. `axes` are the sizes of a shape as text. `repair` is a text made of the
    student's own signs that can be read; `choices` are (label, text to send) for each possible meaning.
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

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, as attempts keep it."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reading:
        """Rebuild it from `to_json`."""
        axes = data["axes"]
        return cls(
            **{
                **data,
                "axes": None if axes is None else tuple(axes),
                "notes": tuple(data["notes"]),
                "choices": tuple((label, text) for label, text in data["choices"]),
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
            return Reading(
                kind, "ok", read_as=result.read_as, axes=_axes(kind, result.value), notes=tuple(result.notes)
            )
        case Ask():
            choices = tuple((choice.label, choice.text) for choice in result.choices)
            return Reading(kind, "ask", question=result.question, choices=choices)
        case Reject():
            return Reading(kind, "reject", hint=result.hint, read_so_far=result.read_so_far, repair=result.repair)


def _axes(kind: str, value: Any) -> tuple[str, ...] | None:
    if kind not in {"shape", "shape_sym"}:
        return None
    return tuple(str(axis) for axis in value_to_json(kind, value))
