"""Errors as a person reads them: what, where (file:line:col, the line, a caret) and what to do next.

This file is loaded when something went wrong, and not before.
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

import click

from maskwise.cli.talk import tinted
from maskwise.errors import REPORT_LINE, UNEXPECTED, EnvironmentFault, MaskwiseError, Place, UsageFault, os_fault
from maskwise.services.lower import translated

if TYPE_CHECKING:
    from collections.abc import Sequence


def report(error: Exception, arguments: Sequence[str] | None = None) -> int:
    """Tell the error on stderr and give the exit code."""
    known = as_known(error)
    if known is not None:
        click.echo(render(known), err=True)
        return known.exit_code
    words = list(arguments if arguments is not None else sys.argv[1:])
    if any(word == "--verbose" or (word[:1] == "-" and set(word[1:]) == {"v"}) for word in words):
        click.echo("".join(traceback.format_exception(error)).rstrip(), err=True)
    head = tinted("error", "red", sys.stderr)
    click.echo(f"{head}: unexpected {type(error).__name__}: {error}", err=True)
    frames = traceback.extract_tb(error.__traceback__)
    if frames:
        click.echo(f"  --> {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}", err=True)
    click.echo(f"  {REPORT_LINE} With -v a traceback stands above.", err=True)
    return UNEXPECTED


def as_known(error: Exception) -> MaskwiseError | None:
    """Give the error in the words of `maskwise.errors`, or None when it is a bug."""
    if isinstance(error, click.ClickException):
        return _from_click(error)
    return translated(error) or (_from_system(error) if isinstance(error, OSError) else None)


def _from_click(error: click.ClickException) -> MaskwiseError:
    message = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else "maskwise"
    return UsageFault(message[:1].lower() + message[1:], help=f"`{path} --help` shows how it is used")


def _from_system(error: OSError) -> MaskwiseError | None:
    known = os_fault(error, "go on")
    return known if isinstance(known, EnvironmentFault) and error.errno is not None else None


def render(error: MaskwiseError) -> str:
    """Give the error as lines: head, place, source line with caret, help."""
    head = tinted(f"error[{error.code}]" if error.code else "error", "red", sys.stderr)
    lines = [f"{head}: {error.message}"]
    place = error.place
    if place is not None:
        lines.append(f"  --> {place}")
        if place.source_line is not None and place.line is not None:
            lines.extend(_with_caret(place))
    if error.help:
        lines.append(f"  help: {error.help}")
    return "\n".join(lines)


def _with_caret(place: Place) -> list[str]:
    assert place.source_line is not None
    source = place.source_line.rstrip("\n")
    column = place.column or 1
    if len(source) > 160:  # keep the marked place in view
        start = max(0, min(column - 60, len(source) - 150))
        source, column = source[start : start + 150], column - start
    number = f"{place.line:>5}"
    lines = [f"{number} | {source.replace(chr(9), ' ')}"]
    if place.column is not None:
        caret = "^" * max(1, min(place.width, len(source) - column + 1))
        lines.append(f"{'':>5} | {'':>{column - 1}}{caret}{' ' + place.note if place.note else ''}")
    return lines
