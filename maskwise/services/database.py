"""The state of the database, and bringing it to the version of this code: behind `maskwise db` and `doctor`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import UsageFault
from maskwise.store import Store, schema
from maskwise.store.database import database_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.settings import Settings


@dataclass(frozen=True)
class State:
    """Which database it is, which version its tables have (None: no tables) and which one this code needs."""

    kind: str
    current: str | None
    newest: str | None


def state(settings: Settings) -> State:
    """Look at the database; StoreUnavailable when it cannot be reached."""
    with _opened(settings) as store:
        return State(store.kind, schema.current(store), schema.newest())


def upgrade(settings: Settings) -> tuple[State, State]:
    """Bring the tables to the version of this code; give the state before and after."""
    with _opened(settings) as store:
        before = State(store.kind, schema.current(store), schema.newest())
        schema.upgrade(store)
        return before, State(store.kind, schema.current(store), schema.newest())


@contextmanager
def _opened(settings: Settings) -> Iterator[Store]:
    try:
        store = Store(database_url(settings.data_dir, settings.database_url.get_secret_value()))
    except ValueError as error:
        raise UsageFault(f"MASKWISE_DATABASE_URL: {error}") from None
    try:
        yield store
    finally:
        store.close()
