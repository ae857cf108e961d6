"""Bringing the tables to the version this code knows, or back to an older one.

The migrations run in one transaction on both databases: one that is killed half-way leaves the old version.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import text

from maskwise.store.database import StoreUnavailable

if TYPE_CHECKING:
    from maskwise.store.database import Store, Transaction

_FOLDER = Path(__file__).parent / "migrations"
_ONE_AT_A_TIME = 7211_0001  # any fixed number: PostgreSQL's name for the lock below


def upgrade(store: Store, version: str = "head") -> None:
    """Bring the tables up to `version`; two processes that start together take turns."""
    with store.writing() as transaction:
        try:
            command.upgrade(_config(store, transaction), version)
        except CommandError as error:  # made by a newer program
            raise StoreUnavailable(f"its tables are not known to this version of Maskwise: {error}") from error


def downgrade(store: Store, version: str) -> None:
    """Take the tables back to `version`; "base" removes them all."""
    with store.writing() as transaction:
        command.downgrade(_config(store, transaction), version)


def current(store: Store) -> str | None:
    """Tell which version the tables have; none when there are no tables."""
    with store.reading() as transaction:
        return MigrationContext.configure(transaction).get_current_revision()


def newest() -> str | None:
    """Tell which version this code knows."""
    return ScriptDirectory(str(_FOLDER)).get_current_head()


def _config(store: Store, transaction: Transaction) -> Config:
    if store.kind == "postgresql":
        transaction.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _ONE_AT_A_TIME})
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = transaction
    return config
