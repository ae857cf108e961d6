"""Confirmed results on disk, so that a second look at a variant needs no PyTorch.

One small SQLite file in the data folder. It holds what runs gave, never a verdict; losing it costs time only, so a file
that cannot be read or written is worked around, not reported as a failure.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FILE = "proofs.sqlite3"
_TABLE = "CREATE TABLE IF NOT EXISTS proof (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
_BUSY_SECONDS = 2.0


def cache_key(*parts: Any) -> str:
    """Return the key of a proof: a hash of everything it depends on."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class ProofCache:
    """A persistent map from cache keys to JSON values; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / FILE if folder is not None else None

    def _connect(self) -> sqlite3.Connection | None:
        if self._file is None:
            return None
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileExistsError):
                os.close(os.open(self._file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))  # its owner's alone
            connection = sqlite3.connect(self._file, timeout=_BUSY_SECONDS, isolation_level=None)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(_TABLE)
        except (OSError, sqlite3.Error):
            return None
        return connection

    def get(self, keys: Sequence[str]) -> dict[str, Any]:
        """Return the values of the known keys."""
        connection = self._connect() if self._file and self._file.exists() else None
        if connection is None:
            return {}
        found: dict[str, Any] = {}
        try:
            with closing(connection):
                for key in keys:
                    row = connection.execute("SELECT value FROM proof WHERE key = ?", (key,)).fetchone()
                    if row:
                        found[key] = json.loads(row[0])
        except (sqlite3.Error, ValueError):
            return {}
        return found

    def put(self, values: Mapping[str, Any]) -> None:
        """Keep values under their keys."""
        connection = self._connect() if values else None
        if connection is None:
            return
        rows = [(key, json.dumps(value, separators=(",", ":"))) for key, value in values.items()]
        try:
            with closing(connection):
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany("INSERT OR REPLACE INTO proof VALUES (?, ?)", rows)
                connection.execute("COMMIT")
        except sqlite3.Error:
            return
