"""Every error as words: what happened, what to do, the request's id, and what was typed so that it is not lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog
from flask import Response, g, request, url_for
from werkzeug.exceptions import BadHost, HTTPException, RequestEntityTooLarge

from maskwise.services import attempts
from maskwise.services.picking import NoPick
from maskwise.store import StoreUnavailable
from maskwise.web.context import from_htmx
from maskwise.web.guard import Forged, SignedOut
from maskwise.web.pace import TooManyPreviews
from maskwise.web.pages import page, piece

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

log = structlog.get_logger(__name__)

# exception -> (status, the name of its words in templates/pages/error.j2.html)
_SAID: dict[type[Exception], tuple[int, str]] = {
    SignedOut: (403, "signed_out"),
    Forged: (403, "forged"),
    attempts.Missing: (404, "missing"),
    attempts.BadKey: (400, "bad_request"),
    NoPick: (400, "no_pick"),
    attempts.KeyReused: (409, "key_reused"),
    attempts.PartClosed: (409, "closed"),
    attempts.TooFast: (429, "too_fast"),
    TooManyPreviews: (429, "too_many_previews"),
    StoreUnavailable: (503, "unavailable"),
}
_BY_STATUS = {
    400: "bad_request",
    403: "forbidden",
    404: "missing",
    405: "bad_request",
    409: "key_reused",
    413: "too_large",
    429: "too_fast",
}
_PICKS_SHOWN = 20
_RETRY_AFTER = {429: "60", 503: "5"}


def install(app: Flask) -> None:
    """Answer every exception with a page, or a line for htmx."""
    app.register_error_handler(Exception, _handle)


def _handle(error: Exception) -> Response:
    for kind, (status, words) in _SAID.items():
        if isinstance(error, kind):
            if status == 503:
                log.error("store unavailable", request_id=g.get("request_id"), reason=str(error))
            return _answer(status, words)
    if isinstance(error, HTTPException):
        if error.response is not None or (error.code or 500) < 400:  # a redirect of the router's own
            answer = error.get_response()
            assert isinstance(answer, Response)
            return answer
        status = error.code or 500
        answer = _answer(status, _BY_STATUS.get(status, "broken"))
        if status == 405:
            answer.headers["Allow"] = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
        return answer
    log.error("unexpected", request_id=g.get("request_id"), endpoint=request.endpoint, exc_info=error)
    return _answer(500, "broken")


def _answer(status: int, words: str) -> Response:
    at = request.view_args or {}
    values = {
        "status": status,
        "words": words,
        "request_id": g.get("request_id", ""),
        "typed": _typed(status),
        "back": _question(at) if status != 404 else None,
    }
    # A page has links, and where the host is no host there can be none.
    small = from_htmx() or isinstance(request.routing_exception, BadHost)
    try:
        answer = piece("error", "line", status, **values) if small else page("error", status, **values)
    except Exception:  # what breaks every page breaks this one, too
        log.exception("no page for an error", request_id=g.get("request_id"))
        return Response(f"{status}  Request {g.get('request_id', '')}\n", status, content_type="text/plain")
    if small and "part" in at:  # what was being answered shows it, and the box keeps its text
        answer.headers["HX-Retarget"] = f"#und-{at['part']}"  # an address of ours has nothing but a name there
        answer.headers["HX-Reswap"] = "innerHTML"
    if status in _RETRY_AFTER:
        answer.headers["Retry-After"] = _RETRY_AFTER[status]
    return answer


def _question(at: Mapping[str, Any]) -> str | None:
    """Give the address of the question that something was sent to."""
    if "part" not in at:
        return None
    return url_for("student.ask", quiz_id=at["quiz_id"], number=at["number"])


def _typed(status: int) -> str:
    """Give back the answer that was sent, if one was; a body that is too large is not read."""
    if status == 413 or request.method != "POST":
        return ""
    try:
        return request.form.get("text", "") or ", ".join(request.form.getlist("pick")[:_PICKS_SHOWN])
    except RequestEntityTooLarge:
        return ""
