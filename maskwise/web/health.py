"""For those who run the server: is the process alive, can it serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from maskwise.store import StoreUnavailable, schema
from maskwise.web.context import parts

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

pages = Blueprint("health", __name__)


@pages.get("/healthz")
def alive() -> ResponseReturnValue:
    """Answer as long as the process does."""
    return {"ok": True}


@pages.get("/readyz")
def ready() -> ResponseReturnValue:
    """Answer 200 when the database is there and has the tables of this code, 503 otherwise."""
    try:
        tables = schema.current(parts().store) == schema.newest()
    except StoreUnavailable:
        return {"ok": False, "database": False, "tables": False}, 503
    return {"ok": tables, "database": True, "tables": tables}, 200 if tables else 503
