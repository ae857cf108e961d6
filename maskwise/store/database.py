"""Opening the database and taking one transaction at a time, with errors that say what the caller can do.

SQLite runs in WAL mode with synchronous=FULL (an acknowledged attempt survives a power cut) and every transaction that
writes begins with BEGIN IMMEDIATE, so two writers queue instead of failing half-way.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Engine

# What the functions of this package take. Callers hand it on and never look inside.
Transaction = Connection

LOCK_WAIT_SECONDS = 5


class StoreUnavailable(Exception):
    """The database is locked, full, read-only or away. Nothing of the transaction was kept; trying again is safe."""


class Duplicate(Exception):
    """A row that must be unique is there already. Nothing of the transaction was kept."""


def database_url(data_dir: Path, given: str | None = None) -> str:
    """Tell where the store is: what the operator named, else a file in the data folder."""
    if not given:
        return f"sqlite:///{data_dir / 'maskwise.db'}"
    for prefix in ("postgresql://", "postgres://"):
        if given.startswith(prefix):  # psycopg 3 is the driver that is installed
            return "postgresql+psycopg://" + given.removeprefix(prefix)
    return given


class Store:
    """One database. Hold one for a process; close() when done."""

    def __init__(self, url: str, *, lock_wait: float = LOCK_WAIT_SECONDS) -> None:
        """Open lazily; `lock_wait` is how many seconds a write waits for another before StoreUnavailable."""
        address = make_url(url)
        self.kind = address.get_backend_name()
        if self.kind == "sqlite":
            self._engine = _sqlite(address, lock_wait)
        elif self.kind == "postgresql":
            self._engine = _postgresql(address, lock_wait)
        else:
            raise ValueError(f"the store runs on SQLite or PostgreSQL, not on {self.kind}")
        self._writer = self._engine.execution_options(maskwise_write=True)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Give a transaction that sees one moment of the database and keeps nothing."""
        with _named_errors(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Give a transaction that is kept whole when the block ends, and not at all when it raises.

        Raises Duplicate for a row that must be unique, StoreUnavailable when the database cannot be written.
        """
        with _named_errors(), self._writer.begin() as connection:
            yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()


@contextmanager
def _named_errors() -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        raise Duplicate(_reason(error)) from None
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise StoreUnavailable(_reason(error)) from None
    except DBAPIError as error:
        if error.connection_invalidated or isinstance(error.orig, sqlite3.DatabaseError):
            raise StoreUnavailable(_reason(error)) from None
        raise


def _reason(error: Exception) -> str:
    """Give the first line of what the database said: the lines below it can hold what somebody typed, or an address."""
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return lines[0] if lines else type(error).__name__


def own(file: Path) -> None:
    """Make a database file that only its owner may read, whatever the folder allows; one that exists stays as it is.

    SQLite gives the files it puts beside it the same mode.
    """
    with suppress(OSError):  # a folder that cannot be written is told when the database is opened
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _sqlite(url: URL, lock_wait: float) -> Engine:
    if url.database and url.database != ":memory:":
        file = Path(url.database).resolve()
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        own(file)
    engine = create_engine(
        url,
        connect_args={"timeout": lock_wait},
        hide_parameters=True,  # no answer and no address in an error that is logged
        pool_size=16,
        max_overflow=32,
        pool_timeout=10,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, below
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "recursive_triggers=ON",  # so that INSERT OR REPLACE cannot remove what DELETE may not
            f"busy_timeout={int(lock_wait * 1000)}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("maskwise_write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _postgresql(url: URL, lock_wait: float) -> Engine:
    limits = f"-c lock_timeout={int(lock_wait * 1000)} -c statement_timeout=20000 -c timezone=UTC"
    return create_engine(
        url,
        connect_args={"options": limits, "connect_timeout": 5},
        hide_parameters=True,
        pool_size=16,
        max_overflow=32,
        pool_timeout=10,
        pool_pre_ping=True,  # a restarted server costs no request
    )
