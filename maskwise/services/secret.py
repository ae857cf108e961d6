"""The data folder's secret: 32 random bytes that make graded work impossible to rebuild elsewhere.

With `--seed S` the bytes of sealed papers are a function of S and of this secret. Whoever holds the file can rebuild
keys, so that only its owner may read it, and it is made once and never printed.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from typing import TYPE_CHECKING

from maskwise.config import ready_data_folder
from maskwise.errors import EnvironmentFault, Refused, os_fault
from maskwise.files import flush_folder

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "secret"
LENGTH = 32


def course_secret(data_dir: Path) -> bytes:
    """Give the secret of a data folder, made on first use; two processes that start together get the same one."""
    path = ready_data_folder(data_dir) / FILE_NAME
    try:
        if not path.exists():
            _make(path)
        return _read(path)
    except OSError as error:
        raise os_fault(error, f"use the secret in {path}") from error


def _make(path: Path) -> None:
    hidden = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(f"{secrets.token_hex(LENGTH)}\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):  # another process was first: its secret is the one
            os.link(hidden, path)
        flush_folder(path.parent)
    finally:
        hidden.unlink()


def _read(path: Path) -> bytes:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise Refused(f"the secret {path} is no file", help="move it away; a new one is made, and makes other papers")
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Refused(
            f"the secret {path} can be read by others", help=f"close it: chmod 600 {path}; nothing was done with it"
        )
    text = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != LENGTH:
        raise EnvironmentFault(
            f"the secret {path} is damaged", help="bring it back from a backup: papers made with it need it"
        )
    return secret
