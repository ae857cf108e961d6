"""Where words go: data to stdout, talk to stderr, colour only to a terminal that wants it."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

import click

from maskwise.cli.options import asked


def data(text: str = "") -> None:
    """Print data for people or a pipe on stdout."""
    click.echo(text, color=_colour(sys.stdout))


def emit(value: Any) -> None:
    """Print one JSON document on stdout; text outside ASCII stays readable."""
    click.echo(_json(value, indent=2))


def json_line(value: Any) -> str:
    """Give one line of a JSON Lines file, without the line break."""
    return _json(value, separators=(",", ":"))


def _json(value: Any, **layout: Any) -> str:
    """Write JSON as readable UTF-8; half a surrogate pair, which has no UTF-8, stands as the escape it came as."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, **layout)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def say(text: str) -> None:
    """Talk on stderr, unless --quiet."""
    if not asked().quiet:
        click.echo(text, err=True, color=_colour(sys.stderr))


def note(text: str) -> None:
    """Say what a person should know although all went well."""
    say(f"{bold('note', sys.stderr)}: {text}")


def bold(text: str, stream: TextIO | None = None) -> str:
    """Mark a word on a terminal; on stdout unless another stream is named."""
    return click.style(text, bold=True) if _colour(stream or sys.stdout) else text


def tinted(text: str, colour: str, stream: TextIO | None = None) -> str:
    """Colour a verdict on a terminal; colour means a verdict or an axis, nothing else."""
    return click.style(text, fg=colour, bold=True) if _colour(stream or sys.stdout) else text


def _colour(stream: TextIO) -> bool:
    context = click.get_current_context(silent=True)
    wanted = context is None or context.find_root().obj is None or not asked().no_color
    return wanted and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def understood(kind: str, read_as: str) -> str:
    """Say how an answer was read, as in `shape, 3 axes: 6 · 15 · 32`; other kinds than shapes speak for themselves."""
    if not kind.startswith("shape"):
        return read_as
    axes = [axis.strip() for axis in read_as.removeprefix("(").removesuffix(")").split(", ") if axis.strip()]
    axes = [axis.removesuffix(",") for axis in axes]
    if not axes:
        return "shape with no axis"
    return f"shape, {len(axes)} {'axis' if len(axes) == 1 else 'axes'}: {' · '.join(axes)}"
