"""What is wrong with a template, said so that its author can mend it: file, line, column, caret and a next step.

Jinja's own messages name a Python exception and often a line inside Jinja. Here each is brought back to the template's
own line, in the form that compilers use.
"""

from __future__ import annotations

import difflib
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jinja2

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT: Final = Path(__file__).parent

_QUOTED: Final = re.compile(r"'([^']+)'")


@dataclass(eq=False)
class TemplateFault(Exception):
    """A template that cannot be read or rendered. `str()` is the whole report; the fields stand for programs."""

    code: str  # W101 grammar, W102 no such template or block, W103 unknown name, W104 unknown filter, W105 other
    file: str  # as a person would type it, templates/questions/shape_chain.j2.md
    line: int  # from 1; 0 where there is none
    column: int  # from 1; 0 where there is none
    source_line: str
    message: str
    note: str = ""  # stands beside the caret
    help: str = ""
    width: int = 1  # of the caret

    def __str__(self) -> str:
        """Return the report over several lines."""
        out = [f"error[{self.code}]: {self.message}"]
        if self.line:
            number = f"{self.line:5d}"
            place = f":{self.line}:{self.column}" if self.column else f":{self.line}"
            out += [f"  --> {self.file}{place}", f"{number} | {self.source_line}"]
            if self.column:
                caret = f"{' ' * (self.column - 1)}{'^' * self.width} {self.note}".rstrip()
                out.append(f"{' ' * len(number)} | {caret}")
            elif self.note:
                out.append(f"{' ' * len(number)} | {self.note}")
        else:
            out.append(f"  --> {self.file}")
        if self.help:
            out.append(f"  help: {self.help}")
        return "\n".join(out)


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant: a near spelling, or the letter that a long name begins with."""
    names = sorted(known)
    lower = {known_name.lower(): known_name for known_name in reversed(names)}
    close = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    if close:
        return lower[close[0]]
    letter = name[:1].upper()
    return letter if letter in names else None


def _help(name: str, known: Iterable[str]) -> str:
    meant = near(name, known)
    return f'did you mean "{meant}"?' if meant else ""


def shown(file: str) -> str:
    """Return the path of a template as a person would type it, from the top of the repository."""
    path = Path(file)
    return f"templates/{path.relative_to(ROOT).as_posix()}" if path.is_relative_to(ROOT) else file


def _where(file: str, line: int, word: str | None) -> tuple[str, int, int]:
    """Return the source line, the column of the word in it and the word's width."""
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return "", 0, 1
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    found = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text) if word else None
    return (text, found.start() + 1, len(found.group())) if found else (text, 0, 1)


def of_syntax(error: jinja2.TemplateSyntaxError, file: str, filters: Iterable[str]) -> TemplateFault:
    """Make the fault of a template that does not parse."""
    message = error.message or "this cannot be read"
    quoted = _QUOTED.search(message)
    word = quoted.group(1) if quoted else None
    source, column, width = _where(file, error.lineno, word)
    if message.startswith("No filter named"):
        help_text = _help(word or "", filters)
        return TemplateFault(
            "W104", shown(file), error.lineno, column, source, f'unknown filter "{word}"', "", help_text, width
        )
    return TemplateFault("W101", shown(file), error.lineno, column, source, message.rstrip("."), "", "", width)


def no_template(name: str, known: Iterable[str]) -> TemplateFault:
    """Make the fault of a template that does not exist."""
    return TemplateFault("W102", f"templates/{name}", 0, 0, "", f'no template "{name}"', "", _help(name, known))


def no_block(name: str, file: str, block: str, known: Iterable[str]) -> TemplateFault:
    """Make the fault of a block that the template lacks."""
    names = sorted(known)
    help_text = _help(block, names) or f"it has: {', '.join(names)}"
    return TemplateFault("W102", shown(file), 0, 0, "", f'no block "{block}" in {name}', "", help_text)


def of_rendering(error: Exception, values: Mapping[str, Any], file: str) -> TemplateFault:
    """Make the fault of an error raised while rendering; its traceback must already be mapped to template lines."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_template(frame.filename)]
    where, line = (frames[-1].filename, frames[-1].lineno or 0) if frames else (file, 0)
    if isinstance(error, jinja2.TemplateNotFound):
        source, column, width = _where(where, line, error.message)
        message = f'no template "{error.message}"'
        return TemplateFault("W102", shown(where), line, column, source, message, "", "", width)
    if isinstance(error, jinja2.UndefinedError):
        message = error.message or "unknown name"
        quoted = _QUOTED.findall(message)
        word = quoted[-1] if quoted else None
        source, column, width = _where(where, line, word)
        if message.endswith("is undefined") and len(quoted) == 1:
            kind = "question text" if "questions" in Path(where).parts else "template"
            known = sorted(values)
            note = f"defined here: {', '.join(known)}" if known else "nothing is defined here"
            return TemplateFault(
                "W103",
                shown(where),
                line,
                column,
                source,
                f'unknown name "{word}" in {kind}',
                note,
                _help(word or "", known),
                width,
            )
        return TemplateFault("W103", shown(where), line, column, source, message, "", "", width)
    source, _, _ = _where(where, line, None)
    return TemplateFault("W105", shown(where), line, 0, source, f"{type(error).__name__}: {error}")


def _is_template(filename: str) -> bool:
    return ".j2." in Path(filename).name
