"""What every request has at hand: the parts the application was built from, the time, and who is signed in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, g, request

from maskwise.services.attempts import SENDS_A_MINUTE, TRIES_A_MINUTE
from maskwise.web.pace import PREVIEWS_A_MINUTE, Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from maskwise.services.accounts import Person
    from maskwise.services.attempts import Observer
    from maskwise.store import Store


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Parts:
    """What an application is built from. `secret` signs forms; `https` says that browsers reach us by it.

    The limits are those of one student at one question, and of one session for previews.
    """

    store: Store
    observer: Observer
    secret: bytes
    https: bool = False
    clock: Callable[[], datetime] = _now
    tries_a_minute: int = TRIES_A_MINUTE
    sends_a_minute: int = SENDS_A_MINUTE
    previews: Pace = field(default_factory=lambda: Pace(PREVIEWS_A_MINUTE))


def parts() -> Parts:
    """Give the parts of the running application."""
    held = current_app.extensions["maskwise"]
    assert isinstance(held, Parts)
    return held


def now() -> datetime:
    """Tell the time of the server; a client's clock is never asked."""
    return parts().clock()


def person() -> Person:
    """Tell who is signed in; only for routes that the guard keeps for signed-in people."""
    who: Person | None = g.person
    assert who is not None
    return who


def from_htmx() -> bool:
    """Whether htmx asks, and so wants a piece of a page."""
    return request.headers.get("HX-Request") == "true"


_SAFE_PATH = re.compile(r"/(?![/\\])[\x21-\x7e]{0,500}")


def safe_path(path: str | None) -> str:
    """Give a path on this site to go on to, or the front page for anything else."""
    return path if path and _SAFE_PATH.fullmatch(path) and "\\" not in path else "/"
