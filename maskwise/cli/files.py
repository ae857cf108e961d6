"""Files that commands read and write: JSON Lines in from a file or `-`, results out to the screen or a file."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.cli.talk import data, json_line
from maskwise.errors import NotFound, Refused, UsageFault, os_fault
from maskwise.files import refuse_existing, write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@contextmanager
def lines_of(name: str, *, words: str) -> Iterator[Iterable[bytes]]:
    """Open a file of lines, or standard input for `-`; NotFound names what was looked for."""
    if name == "-":
        yield sys.stdin.buffer
        return
    path = Path(name).expanduser()
    if path.is_dir():
        raise UsageFault(f"{name} is a folder, not {words}")
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise NotFound(
            f"there is no file {name}", help=f"this command reads {words}, or - for standard input"
        ) from None
    except OSError as error:
        raise os_fault(error, f"read {name}") from error
    with file:
        yield file


def put_lines(results: Iterable[dict[str, Any]], output: Path | None, *, force: bool) -> tuple[int, int]:
    """Write results as JSON Lines to the screen as they come, or whole to a file; give (lines, lines with an error)."""
    if output is not None:
        refuse_existing([output], force=force)
    count = errors = 0
    kept: list[str] = []
    for result in results:
        count += 1
        errors += "error" in result
        if output is None:
            data(json_line(result))
        else:
            kept.append(json_line(result))
    if output is not None:
        write_file(output, "".join(f"{line}\n" for line in kept).encode(), force=force)
    return count, errors


def json_argument(name: str, text: str | None) -> dict[str, Any] | None:
    """Read an option whose value is a JSON object."""
    if text is None:
        return None
    import json

    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageFault(
            f"{name} is not JSON: {error}", help=f"""quote it for the shell: {name} '{{"B": 8}}'"""
        ) from None
    if not isinstance(value, dict):
        raise UsageFault(f"{name} must be a JSON object", help=f"""as in {name} '{{"B": 8}}'""")
    return value


def refuse_terminal(name: str) -> None:
    """Refuse to wait for lines that nobody is going to type."""
    if name == "-" and sys.stdin.isatty():
        raise Refused("nothing comes in on standard input", help="pipe a file into the command")
