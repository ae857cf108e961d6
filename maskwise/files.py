"""Writing results so that a reader never meets half a file, and a set of files is there whole or not at all.

Every file is first written beside its place under a hidden name and flushed to the disk, and only when all of them
stand there are they renamed. A full disk, a Ctrl-C or a kill before that leaves nothing under the final names.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import threading
from typing import TYPE_CHECKING

from maskwise.errors import Refused, os_fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path
    from types import FrameType


def write_file(path: Path, content: bytes, *, force: bool = False) -> None:
    """Write one file, whole or not at all; Refused when it exists and `force` is off, EnvironmentFault by the disk."""
    write_all({path: content}, force=force)


def write_all(files: Mapping[Path, bytes], *, force: bool = False, private: Collection[Path] = ()) -> None:
    """Write several files, all or none, making missing folders; only the owner may read the `private` ones.

    Raises Refused when one exists and `force` is off, EnvironmentFault when the disk or a permission forbids it. In
    both cases, and on an interrupt, the folder is as it was before.
    """
    refuse_existing(files, force=force)
    made_folders: list[Path] = []
    waiting: dict[Path, Path] = {}  # final name -> hidden name
    try:
        for path, content in files.items():
            _make_folder(path.parent, made_folders)
            hidden = _hidden(path)
            waiting[path] = hidden
            _write_new(hidden, content, path, private=path in private)
        with _no_interrupt():
            _put_in_place(waiting, force=force)
    except BaseException:
        for hidden in waiting.values():
            with contextlib.suppress(OSError):
                hidden.unlink(missing_ok=True)
        for folder in reversed(made_folders):
            with contextlib.suppress(OSError):  # somebody else's file is in it by now
                folder.rmdir()
        raise
    for folder in {path.parent for path in files}:
        flush_folder(folder)


def refuse_existing(paths: Mapping[Path, bytes] | list[Path], *, force: bool) -> None:
    """Refuse before any work is done when a result would replace a file and nobody asked for that."""
    if force:
        return
    there = [path for path in paths if path.exists() or path.is_symlink()]
    if there:
        names = ", ".join(str(path) for path in there[:3]) + (f" and {len(there) - 3} more" if len(there) > 3 else "")
        verb = "exists" if len(there) == 1 else "exist"
        raise Refused(f"{names} {verb} already", help="choose another folder with -o, or replace with --force")


def _hidden(path: Path) -> Path:
    return path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.part")


def _make_folder(folder: Path, made: list[Path]) -> None:
    missing = []
    step = folder
    while not step.exists():
        missing.append(step)
        step = step.parent
    try:
        for step in reversed(missing):
            step.mkdir()
            made.append(step)
    except OSError as error:
        raise os_fault(error, f"make the folder {folder}") from error


def _write_new(hidden: Path, content: bytes, path: Path, *, private: bool) -> None:
    mode = 0o600 if private else 0o666  # the user's umask takes away from it
    try:
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise os_fault(error, f"write {path}") from error


def _put_in_place(waiting: Mapping[Path, Path], *, force: bool) -> None:
    """Rename all; when one fails, undo those that came before it."""
    kept: dict[Path, Path] = {}  # final name -> where the file that it replaces is kept meanwhile
    placed: list[Path] = []
    current = next(iter(waiting), None)
    try:
        for path, hidden in waiting.items():
            current = path
            if force and path.exists():
                _put_aside(path, kept)
            _rename_new(hidden, path)
            placed.append(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            for path in placed:
                path.unlink()
            for path, aside in kept.items():
                aside.rename(path)
        if isinstance(error, OSError):
            raise os_fault(error, f"write {current}") from error
        raise
    for aside in kept.values():
        with contextlib.suppress(OSError):
            aside.unlink()


def _put_aside(path: Path, kept: dict[Path, Path]) -> None:
    if path.is_dir():
        raise Refused(f"{path} is a folder", help="choose another folder with -o")
    aside = _hidden(path)
    path.rename(aside)
    kept[path] = aside


def _rename_new(hidden: Path, path: Path) -> None:
    """Rename without replacing what may have appeared meanwhile; a link fails where a rename would overwrite."""
    try:
        os.link(hidden, path)
    except FileExistsError:
        raise Refused(f"{path} exists already", help="replace it with --force") from None
    except OSError:  # a file system without hard links: the check before is all there is
        if path.exists():
            raise Refused(f"{path} exists already", help="replace it with --force") from None
        hidden.rename(path)
    else:
        hidden.unlink()


def flush_folder(folder: Path) -> None:
    """Make the new names durable; some file systems refuse it, and then nothing more can be done."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """Hold Ctrl-C back for the few renames, and deliver it after them; only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []

    def hold(number: int, _frame: FrameType | None) -> None:
        held.append(number)

    before = signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt
