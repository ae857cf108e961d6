"""The application from its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from maskwise.web import errors, guard, health, signing, staff, student
from maskwise.web.pages import STATIC

if TYPE_CHECKING:
    from maskwise.web.context import Parts


def create_app(parts: Parts, *, behind_proxy: bool = False) -> Flask:
    """Build the application; `behind_proxy` trusts one proxy to tell the client's address and scheme."""
    app = Flask("maskwise.web", static_folder=str(STATIC), static_url_path="/static", template_folder=None)
    app.config["MAX_FORM_PARTS"] = 20
    app.extensions["maskwise"] = parts
    guard.install(app)
    errors.install(app)
    for blueprint in (signing.pages, student.pages, staff.pages, health.pages):
        app.register_blueprint(blueprint)
    if behind_proxy:
        app.wsgi_app = ProxyFix(app.wsgi_app)  # type: ignore[method-assign]  # Flask's own way to wrap it
    return app
