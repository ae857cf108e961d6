"""What the server writes about itself: JSON, one line an event, to standard error.

No answer, name or address of anybody is ever logged. An exception may carry any of them in its message, and so may the
database's words behind it; of an exception only its kind and the places in the code it came by are written.
"""

from __future__ import annotations

import logging
import sys
import traceback
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from structlog.typing import Processor


def log_to_stderr() -> None:
    """Write our own events, and what libraries warn of, as JSON lines."""
    shared: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        without_words,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer()],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared[:2],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                without_words,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.raiseExceptions = False  # what cannot be written is not printed in full instead
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a request that waits for a thread is no event


def without_words(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Put the kinds and places of an exception and of those before it in place of its text."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["exception"] = list(_kinds_and_places(error))
    return event


def _kinds_and_places(error: BaseException) -> list[str]:
    lines: list[str] = []
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        lines.append(f"{type(at).__module__}.{type(at).__qualname__}")
        lines += [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(at.__traceback__)]
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return lines
