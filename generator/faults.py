"""Errors of people who write families, plans and words: each says where, what and what to do."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class AuthorFault(Exception):
    """A mistake in a file that an author wrote.

    `line` and `column` count from 1; None where the whole file is meant. `code` is stable (`error[P201]`).
    """

    code = "E000"

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        source_line: str | None = None,
        help: str | None = None,
        width: int = 1,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.source_line = source_line
        self.help = help
        self.width = width


class BadPlan(AuthorFault):
    """A quiz plan that cannot be read or cannot be met."""

    code = "P201"


class BadFamily(AuthorFault):
    """A family whose ranges, rules or words contradict each other."""

    code = "F301"


class UnknownName(Exception):
    """A family, level, part, quiz or code that does not exist: `said` is the fact, `near` what was probably meant."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        self.near = tuple(difflib.get_close_matches(name.upper(), [k.upper() for k in self.known], n=1, cutoff=0.5))
        hint = ""
        for candidate in self.known:
            if candidate.upper() in self.near:
                hint = f' Did you mean "{candidate}"?'
        if not hint and self.known:
            hint = " Known: " + ", ".join(self.known) + "."
        what, _, whole = kind.partition(" of ")
        self.said = f'{whole} has no {what} "{name}"' if whole else f'there is no {kind} "{name}"'
        super().__init__(f"{self.said[0].upper()}{self.said[1:]}.{hint}")


class Unproven(Exception):
    """The routes to a key disagree, so nothing may be shown, printed, exported or graded."""
