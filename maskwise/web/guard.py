"""Who may do what, in one place: closed unless opened here, with CSRF tokens, limits of size, and headers.

A request passes: size limit -> session -> signed in, unless the route is open -> CSRF token on every unsafe method.
Whether an object is somebody's is asked by the services, where the object is fetched.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Any

from flask import abort, g, redirect, request, url_for

from maskwise.services import accounts
from maskwise.web.assets import content_hash
from maskwise.web.context import now, parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask, Response
    from flask.typing import ResponseReturnValue

OPEN = frozenset({"signing.sign_in", "static", "health.alive", "health.ready"})
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
ANSWER_BYTES = 64 * 1024
# Smaller than an answer: a sign-in, a choice of colours, nothing but a token.
BODY_BYTES = {"signing.sign_in": 8 * 1024, "signing.sign_out": 2 * 1024, "signing.theme": 2 * 1024}
THEMES = ("system", "light", "dark")

_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; font-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class SignedOut(Exception):
    """Nobody is signed in, and something was sent: what was typed must not be lost."""


class Forged(Exception):
    """The form did not come from a page of ours."""


def install(app: Flask) -> None:
    """Put the guard before and after every request."""
    app.before_request(_begin)
    app.before_request(_check)
    app.after_request(_headers)


def session_cookie() -> str:
    """Name the cookie; browsers tie one with this prefix to the site and to https."""
    return "__Host-maskwise" if parts().https else "maskwise"


def csrf_token() -> str:
    """Give the token that a form on this page must bring back: bound to the session, or to the visit before one."""
    return hmac.new(parts().secret, f"csrf:{_binding()}".encode(), hashlib.sha256).hexdigest()


def set_cookie(response: Response, name: str, value: str, seconds: int | None) -> None:
    """Set a cookie that no script reads and no other site sends."""
    response.set_cookie(name, value, max_age=seconds, secure=parts().https, httponly=True, samesite="Lax", path="/")


def _begin() -> None:
    g.request_id = secrets.token_hex(8)
    g.nonce = secrets.token_urlsafe(16)
    g.person = None
    g.session_token = None
    g.visit = request.cookies.get("maskwise_visit", "")
    g.new_visit = False
    g.theme = request.cookies.get("maskwise_theme", "system")
    if g.theme not in THEMES:
        g.theme = "system"
    request.max_content_length = BODY_BYTES.get(request.endpoint or "", ANSWER_BYTES)


def _check() -> ResponseReturnValue | None:
    if request.endpoint in {"static", "health.alive", "health.ready"}:
        return None
    token = request.cookies.get(session_cookie(), "")
    if token:
        g.person = accounts.whose(parts().store, token, now())
        g.session_token = token if g.person else None
    if request.endpoint is None:  # no such address: not found, whoever asks
        return None
    if request.endpoint not in OPEN and g.person is None:
        if request.method not in SAFE:
            raise SignedOut
        return redirect(url_for("signing.sign_in", next=request.full_path.rstrip("?")), 303)
    if request.method not in SAFE:
        _check_csrf()
    return None


def _check_csrf() -> None:
    sent = request.form.get("csrf", "") or request.headers.get("X-CSRF-Token", "")
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if site not in {"same-origin", "none"} or not _binding():
        raise Forged
    if not hmac.compare_digest(sent.encode("utf-8", "replace"), csrf_token().encode()):
        raise Forged


def _binding() -> str:
    if g.session_token:
        return f"session:{hashlib.sha256(g.session_token.encode()).hexdigest()}"
    if not g.visit:
        if request.method not in SAFE:
            return ""
        g.visit, g.new_visit = secrets.token_urlsafe(24), True
    return f"visit:{g.visit}"


def _headers(response: Response) -> Response:
    headers = response.headers
    headers["X-Request-Id"] = g.get("request_id", "")
    headers["Content-Security-Policy"] = _POLICY.format(nonce=g.get("nonce", ""))
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=(), payment=(), usb=()"
    if parts().https:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if request.endpoint == "static" and response.status_code in {200, 206, 304}:
        headers["Cache-Control"] = _kept(request.view_args or {})
    else:
        headers["Cache-Control"] = "no-store"
    if g.get("new_visit") and response.mimetype == "text/html":
        set_cookie(response, "maskwise_visit", g.visit, None)
    return response


def _kept(asked: Mapping[str, Any]) -> str:
    """Let browsers keep a file for ever when its address holds the hash of its content, else for an hour.

    Fonts and htmx are named by style sheets and modules, which know no hash.
    """
    named = request.args.get("v") == content_hash(str(asked.get("filename", "")))
    return "public, max-age=31536000, immutable" if named else "public, max-age=3600"


def only(*, allowed: bool) -> None:
    """Stop with 403 where somebody is known to be in the place but not allowed to do this."""
    if not allowed:
        abort(403)
