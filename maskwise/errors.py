"""What can go wrong, in the words of the person who can put it right, with the exit code of the command line.

    MaskwiseError                  what a command reports and ends with; never a traceback
      UserError                    the person at the command line can mend it
        UsageFault        exit 2   a wrong option, level, count or seed
        NotFound          exit 3   no such family, quiz, code or file
        Refused           exit 5   the state or a permission forbids it: a file exists, a code does not resolve
      AuthorError                  the author of a plan, family or wording can mend it; it has a place in a file
        BadFile           exit 2   a file that was given cannot be read as what it should be
        ChecksFailed      exit 4   a key, a slip or a wording failed its check
      EnvironmentFault    exit 6   the operator can mend it: disk, folder, port, database, platform

Anything else that reaches the top is a bug (exit 1) and is reported as one; an interrupt exits with 130.
Faults that belong to one answer of one student are no errors but verdicts, and live in `grader`.
"""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

OK, UNEXPECTED, USAGE, NOT_FOUND, CHECKS_FAILED, REFUSED, ENVIRONMENT = range(7)
INTERRUPTED = 130

REPORT_LINE = "This is a fault in Maskwise. Please report it with the lines above and the output of `maskwise doctor`."


@dataclass(frozen=True)
class Place:
    """Where in a file: line and column count from 1, `width` characters are underlined, `note` stands beside them."""

    file: str
    line: int | None = None
    column: int | None = None
    source_line: str | None = None
    width: int = 1
    note: str = ""

    def __str__(self) -> str:
        """Give `file:line:col`, as far as known, in the form that editors and terminals make a link of."""
        parts = [self.file]
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)


class MaskwiseError(Exception):
    """An error with words for a person: one line of message, at best a place and what to do next."""

    exit_code: ClassVar[int] = UNEXPECTED

    def __init__(self, message: str, *, help: str = "", place: Place | None = None, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.place = place
        self.code = code


class UserError(MaskwiseError):
    """The person at the command line can put it right."""


class UsageFault(UserError):
    """A wrong option, level, count, seed or name of a part."""

    exit_code = USAGE


class NotFound(UserError):
    """No such family, quiz, code or file."""

    exit_code = NOT_FOUND


class Refused(UserError):
    """The state or a permission forbids it."""

    exit_code = REFUSED


class AuthorError(MaskwiseError):
    """The author of a plan, family or wording can put it right."""


class BadFile(AuthorError):
    """A file that was given cannot be read as what it should be."""

    exit_code = USAGE


class ChecksFailed(AuthorError):
    """A key, a slip, a wording or a certificate failed its check."""

    exit_code = CHECKS_FAILED


class EnvironmentFault(MaskwiseError):
    """Disk, folder, port, database or platform is not as needed."""

    exit_code = ENVIRONMENT


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Name the nearest known word as a question, or nothing when none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - only an error pays for it

    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return f'did you mean "{folded[near[0]]}"?' if near else ""


def source_line(path: Path, line: int) -> str | None:
    """Read one line of a text file for showing it; None when it cannot be read any more."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return lines[line - 1] if 0 < line <= len(lines) else None


_TOML_AT = re.compile(r"\s*\(at line (\d+), column (\d+)\)$|\s*\(at end of document\)$")


def toml_fault(path: Path, error: ValueError) -> BadFile:
    """Turn a TOMLDecodeError into an error at its place; Python 3.11 tells the place only in the message."""
    text = str(error)
    found = _TOML_AT.search(text)
    message = text[: found.start()] if found else text
    if found and found.group(1):
        line, column = int(found.group(1)), int(found.group(2))
    else:  # the end of the document: the last line with something on it
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
        except OSError:
            lines = []
        line, column = max(len(lines), 1), len(lines[-1]) + 1 if lines else 1
    place = Place(str(path), line, column, source_line(path, line))
    return BadFile(f"this is not valid TOML: {message[:1].lower()}{message[1:]}", place=place)


def os_fault(error: OSError, doing: str) -> MaskwiseError:
    """Say what an operating system's refusal means for the person; `doing` is what was tried, as in "write x.pdf"."""
    where = f" ({error.filename})" if error.filename and str(error.filename) not in doing else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EnvironmentFault(
            f"the disk is full: cannot {doing}{where}",
            help="free some space or choose another folder; nothing was left half written",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return EnvironmentFault(f"no permission to {doing}{where}", help="choose a folder that you may write to")
    if error.errno == errno.EROFS:
        return EnvironmentFault(f"cannot {doing}{where}: the file system is read-only", help="choose another folder")
    if error.errno == errno.ENOENT:
        return EnvironmentFault(f"cannot {doing}{where}: there is no such place", help="choose another folder or file")
    reason = (error.strerror or str(error)).lower()
    return EnvironmentFault(f"cannot {doing}{where}: {reason}")
