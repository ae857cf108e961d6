"""How an answer is understood: the service behind `maskwise read` and the preview beside an answer box.

It takes the text, the kind and what the question declares, and nothing else: no key can leak from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.read import READERS, Ask, Context, Ok, Reject, read, value_to_json
from maskwise.errors import UsageFault, did_you_mean
from maskwise.services.lines import BadLine, answer_lines, only, read_lines, text_field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def make_context(declared: Mapping[str, Any] | None, letters: Iterable[str] | None = None) -> Context:
    """Make the reading context from its JSON form; `letters` replaces those in it. UsageFault for a bad one."""
    fields = dict(declared or {})
    if letters is not None:
        fields["letters"] = list(letters)
    try:
        return Context.from_json(fields)
    except (ValueError, TypeError) as error:
        raise UsageFault(f"the context cannot be used: {error}") from None


def understood(kind: str, answer: str, context: Context) -> dict[str, Any]:
    """Give {"outcome", "read_as", "value", "hint", "choices"} of one answer; UsageFault for an unknown kind."""
    if kind not in READERS:
        raise UsageFault(
            f'there is no answer kind "{kind}"', help=did_you_mean(kind, READERS) or f"the kinds: {', '.join(READERS)}"
        )
    return reading_to_json(kind, read(kind, answer, context))


def reading_to_json(kind: str, reading: Ok | Ask | Reject) -> dict[str, Any]:
    """Give a reading in the form that scripts get."""
    if isinstance(reading, Ok):
        return {
            "outcome": "ok",
            "read_as": reading.read_as,
            "value": value_to_json(kind, reading.value),
            "hint": None,
            "choices": [],
        }
    if isinstance(reading, Ask):
        choices = [{"label": choice.label, "text": choice.text} for choice in reading.choices]
        return {"outcome": "ask", "read_as": None, "value": None, "hint": reading.question, "choices": choices}
    return {
        "outcome": "reject",
        "read_as": reading.read_so_far,
        "value": None,
        "hint": hint_of(reading),
        "choices": [],
    }


def hint_of(reading: Reject) -> str:
    """Say what to change, with the one repair that is built from the student's own tokens."""
    return f"{reading.hint} Use {reading.repair}" if reading.repair else reading.hint


def read_answers(raw: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Read lines {"kind", "answer", "letters"?, "context"?}; a line that cannot be read becomes {"error", "line"}."""
    return answer_lines(read_lines(raw), _read_line)


def _read_line(line: Mapping[str, Any]) -> dict[str, Any]:
    only(line, "kind", "answer", "letters", "context", "id")
    letters, declared = line.get("letters"), line.get("context")
    if letters is not None and not (isinstance(letters, list) and all(isinstance(name, str) for name in letters)):
        raise BadLine('"letters" must be a list of texts')
    if declared is not None and not isinstance(declared, dict):
        raise BadLine('"context" must be an object')
    result = understood(text_field(line, "kind"), text_field(line, "answer"), make_context(declared, letters))
    return {"id": line["id"], **result} if "id" in line else result
