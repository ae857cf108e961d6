"""Real databases for tests: a fresh SQLite file, or a PostgreSQL database of this process, emptied for each test."""

from __future__ import annotations

import functools
import os
import uuid
from contextlib import contextmanager

import psycopg
import pytest

from maskwise.store import Store, schema
from maskwise.store.database import database_url

BOTH = pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
LOCAL = "postgresql://postgres@127.0.0.1:5432/postgres"


def _server() -> str:
    return os.environ.get("MASKWISE_TEST_POSTGRES_URL") or LOCAL


@functools.cache
def _why_no_postgres() -> str | None:
    try:
        psycopg.connect(_server(), connect_timeout=3).close()
    except psycopg.Error as error:
        return f"no PostgreSQL server at {_server()}: {error}"
    return None


def need_postgres() -> None:
    """Skip with the reason where there is no server; in CI that is a failure instead."""
    reason = _why_no_postgres()
    if reason is None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(f"{reason}; set MASKWISE_TEST_POSTGRES_URL")


@contextmanager
def empty_database():
    """Make a PostgreSQL database for one test and remove it afterwards."""
    need_postgres()
    name = f"maskwise_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(_server(), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            yield _server().rsplit("/", 1)[0] + "/" + name
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def database(kind, folder):
    """Give the address of an empty database."""
    if kind == "sqlite":
        yield database_url(folder)
    else:
        with empty_database() as url:
            yield database_url(folder, url)


@contextmanager
def opened(kind, folder, **options):
    """Give a store with its tables made."""
    with database(kind, folder) as url:
        store = Store(url, **options)
        try:
            schema.upgrade(store)
            yield store
        finally:
            store.close()
