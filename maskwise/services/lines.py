"""JSON Lines in and out: a line that is broken becomes an error in its place, and the rest goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.errors import MaskwiseError
from maskwise.services.lower import translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

LONGEST = 1_000_000  # bytes of one line; a response is a few hundred


class BadLine(MaskwiseError):
    """One line cannot be read or does not say what is needed; it becomes `{"error": ...}`."""


@dataclass(frozen=True)
class Line:
    """A line of the input: its number from 1, and its object or what is wrong with it."""

    number: int
    value: Mapping[str, Any] | None
    error: str | None


def read_lines(raw: Iterable[bytes]) -> Iterator[Line]:
    """Give every line that is not blank; never raises for what a line holds."""
    for number, line in enumerate(raw, start=1):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901 - a mark that some editors put in front
        if not line.strip():
            continue
        try:
            yield Line(number, _parsed(line), None)
        except BadLine as error:
            yield Line(number, None, error.message)


def _parsed(line: bytes) -> Mapping[str, Any]:
    if len(line) > LONGEST:
        raise BadLine(f"longer than {LONGEST:,} bytes")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLine(f"not UTF-8 text (byte {error.start + 1})") from None
    try:
        value = json.loads(text, object_pairs_hook=_no_doubles, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadLine(f"not JSON: {error.msg[:1].lower()}{error.msg[1:]} at character {error.pos + 1}") from None
    except ValueError:  # a whole number of thousands of digits
        raise BadLine("holds a number that is too long") from None
    except RecursionError:
        raise BadLine("nested too deeply") from None
    if not isinstance(value, dict):
        raise BadLine('not an object: a line looks like {"name": value, ...}')
    return value


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise BadLine(f'names "{double}" twice')
    return out


def _no_constant(name: str) -> Any:
    raise BadLine(f"{name} is no JSON number")


def answer_lines(
    lines: Iterable[Line], answer: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Answer each line; what goes wrong with one line stands in its place as {"error", "line"}."""
    for line in lines:
        if line.value is None:
            yield {"error": f"line {line.number}: {line.error}", "line": line.number}
            continue
        try:
            yield answer(line.value)
        except Exception as error:  # noqa: BLE001 - one line never stops the rest
            yield {"error": f"line {line.number}: {_words(error)}", "line": line.number}


def _words(error: Exception) -> str:
    known = translated(error)
    if known is None:
        return f"unexpected {type(error).__name__}: {error}"
    return f"{known.message} ({known.help})" if known.help else known.message


def text_field(value: Mapping[str, Any], name: str) -> str:
    """Give a required text of a line."""
    found = value.get(name)
    if not isinstance(found, str):
        raise BadLine(f'"{name}" is missing' if found is None else f'"{name}" must be text')
    return found


def only(value: Mapping[str, Any], *names: str) -> None:
    """Refuse a name that a line does not have: a typing slip would otherwise go unseen."""
    for name in value:
        if name not in names:
            from maskwise.errors import did_you_mean  # noqa: PLC0415 - only an error pays for it

            raise BadLine(f'unknown name "{name}"', help=did_you_mean(name, names))
