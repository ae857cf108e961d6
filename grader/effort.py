"""How much work one answer may cost: methods that can grow say what they are about to spend, before they do it.

Limits on the text bound what is read; they do not bound what a short formula makes an exact method do. A unit is about
a microsecond. Where nothing is counted (keys, the child process behind ``equality.child``) work is free.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Self

from grader.equality.undecided import Undecided

READING = 1_000
DECIDING = 1_200
PROOF_SECONDS = 2.0  # for all questions to the child process together


class Effort:
    """What is left to spend inside a ``with`` block."""

    __slots__ = ("_before", "seconds", "units")

    def __init__(self, units: int, seconds: float = PROOF_SECONDS) -> None:
        self.units = units
        self.seconds = seconds
        self._before: Token[Effort | None] | None = None

    def __enter__(self) -> Self:
        self._before = _CURRENT.set(self)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._before is not None:
            _CURRENT.reset(self._before)


_CURRENT: ContextVar[Effort | None] = ContextVar("effort", default=None)


def current() -> Effort | None:
    """Return what the work at hand may spend; None where nothing is counted."""
    return _CURRENT.get()


def spend(units: int) -> None:
    """Take units before doing that much work. Raises ``Undecided`` where they are not left."""
    effort = _CURRENT.get()
    if effort is not None:
        effort.units -= units
        if effort.units < 0:
            raise Undecided
