"""Compiled templates kept in the data folder: compiling five families' words costs a command more than all its work.

What is kept is only ever a copy: it is named after the template's text, the code that compiles it and the versions of
Python and Jinja, so that a change of any of them simply is not found, and a folder that cannot be written costs time
and nothing else. The data folder belongs to its owner alone, like the program's own compiled files.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import secrets
import stat
import sys
from functools import lru_cache
from pathlib import Path
from types import CodeType

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

import templates
from templates import environment

FOLDER = "templates"


def keep_compiled(data_dir: Path) -> None:
    """Let templates that are compiled from now on be kept in, and taken from, the data folder.

    What is taken from there is run: a folder that others may write in is not used.
    """
    folder = data_dir / FOLDER
    if _ours_alone(data_dir) and _ours_alone(folder):
        environment.environment().bytecode_cache = _Kept(folder)


def _ours_alone(folder: Path) -> bool:
    """Say whether nobody but this user can put a file there; a folder that is yet to be made is made so."""
    try:
        found = folder.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


class _Kept(BytecodeCache):
    """Jinja asks here before it compiles, and hands over what it compiled."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take the compiled template when it is there and whole."""
        with contextlib.suppress(OSError, EOFError, ValueError, TypeError):
            found = marshal.loads(self._path(bucket).read_bytes())  # noqa: S302 - our own file in the owner's own folder
            if isinstance(found, CodeType):
                bucket.code = found

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template; without a place for it, go on without."""
        with contextlib.suppress(OSError):
            path = self._path(bucket)
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            hidden = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
            hidden.write_bytes(marshal.dumps(bucket.code))
            hidden.replace(path)

    def _path(self, bucket: Bucket) -> Path:
        name = hashlib.sha256(f"{_compiler()} {bucket.key} {bucket.checksum}".encode()).hexdigest()
        return self._folder / f"{name}.bin"


@lru_cache(maxsize=1)
def _compiler() -> str:
    """Name what compiles: our environment's own code, Jinja and Python."""
    own = Path(str(templates.__file__)).with_name("environment.py").read_bytes()
    return f"{hashlib.sha256(own).hexdigest()} {jinja2.__version__} {sys.implementation.cache_tag}"
