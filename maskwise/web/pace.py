"""How often something that stores nothing may be asked for: a count a minute for each session, in memory.

What is stored is counted in the database (`services.attempts`, `services.accounts`). A preview is not: each process
counts its own.
"""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

PREVIEWS_A_MINUTE = 300  # somebody who types without a pause makes five a second
_WINDOW = timedelta(minutes=1)
_MOST_KEPT = 10_000


class TooManyPreviews(Exception):
    """More previews in a minute than anybody can type."""


class Pace:
    """Counts by the minute; safe to ask from several threads."""

    def __init__(self, a_minute: int) -> None:
        self._a_minute = a_minute
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[datetime, int]] = {}  # who -> when the minute began, how many since

    def allows(self, who: str, now: datetime) -> bool:
        """Count one more, and say whether it is within the limit."""
        with self._lock:
            began, count = self._counts.get(who, (now, 0))
            if now - began >= _WINDOW:
                began, count = now, 0
            if len(self._counts) >= _MOST_KEPT and who not in self._counts:
                self._counts = {key: each for key, each in self._counts.items() if now - each[0] < _WINDOW}
            self._counts[who] = (began, count + 1)
        return count < self._a_minute
