"""Rendering: a page, or a piece of one for htmx, with what every page needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Response, g, make_response, request, url_for

import templates
from maskwise.web.assets import content_hash
from maskwise.web.guard import THEMES, csrf_token

if TYPE_CHECKING:
    from markupsafe import Markup


def page(name: str, status: int = 200, /, **values: Any) -> Response:
    """Render a whole page of `templates/pages/`."""
    return _response(templates.render(f"pages/{name}.j2.html", **_common(), **values), status)


def piece(name: str, block: str, status: int = 200, /, **values: Any) -> Response:
    """Render one block of a page, for htmx to put in place."""
    return _response(templates.render(f"pages/{name}.j2.html", block, **_common(), **values), status)


def asset(name: str) -> str:
    """Give the address of a static file; it changes with the content."""
    return url_for("static", filename=name, v=content_hash(name))


def _common() -> dict[str, Any]:
    return {
        "asset": asset,
        "csrf": csrf_token(),
        "nonce": g.nonce,
        "person": g.person,
        "theme": g.theme,
        "themes": THEMES,
        "here": request.full_path.rstrip("?") if request.method == "GET" else "/",
        "url": url_for,
    }


def _response(html: str | Markup, status: int) -> Response:
    return make_response(html, status, {"Content-Type": "text/html; charset=utf-8"})
