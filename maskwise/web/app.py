"""The application from its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter

from maskwise.web import errors, guard, health, signing, staff, student
from maskwise.web.assets import STATIC

if TYPE_CHECKING:
    from maskwise.web.context import Parts


class PartId(BaseConverter):
    """The id of a part in an address: what could be none is no address of ours, and reaches no page and no header."""

    regex = r"[a-z][a-z0-9_]{0,39}"


def create_app(parts: Parts, *, behind_proxy: bool = False) -> Flask:
    """Build the application; `behind_proxy` trusts one proxy to tell the client's address and scheme."""
    app = Flask("maskwise.web", static_folder=str(STATIC), static_url_path="/static", template_folder=None)
    app.config["MAX_FORM_PARTS"] = 20
    app.extensions["maskwise"] = parts
    guard.install(app)
    errors.install(app)
    app.url_map.converters["part"] = PartId
    for blueprint in (signing.pages, student.pages, staff.pages, health.pages):
        app.register_blueprint(blueprint)
    if behind_proxy:
        app.wsgi_app = ProxyFix(app.wsgi_app)  # type: ignore[method-assign]  # Flask's own way to wrap it
    return app
