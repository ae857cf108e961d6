"""The pages: Flask on top of the services, rendered on the server, working without JavaScript.

    server.py     serve(): what `maskwise serve` runs, with waitress
    app.py        create_app(): the application from its parts
    context.py    what every request has at hand: store, clock, who is signed in
    guard.py      one place for who may: deny by default, CSRF, limits, headers
    pages.py      rendering a page or a piece of one
    pace.py       a count a minute for what stores nothing
    assets.py     static files and the hashes in their addresses
    logs.py       what the server writes about itself, and what it never does
    errors.py     every error as words with a request id, with what was typed kept
    signing.py    student.py   staff.py   health.py     the pages themselves
    static/       style, fonts, our own small modules, htmx

This process never imports torch: PyTorch is asked in a process of its own.
"""

from maskwise.web.app import create_app
from maskwise.web.context import Parts
from maskwise.web.server import Served, serve

__all__ = ["Parts", "Served", "create_app", "serve"]
