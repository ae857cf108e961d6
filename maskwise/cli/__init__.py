"""The commands. This file starts them and turns whatever goes wrong into words and an exit code.

Nothing heavy is imported here: `maskwise --help` loads click and this package's four base files alone.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
from typing import TYPE_CHECKING

import click

from maskwise.cli.root import ReaderGone, root
from maskwise.errors import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

TERMINATED = 143  # 128 + SIGTERM, as a shell reports it
PIPE_CLOSED = 141  # 128 + SIGPIPE: `maskwise families list | head -1` ends quietly

# Python looks for unreachable cycles after 700 new objects. Imports and papers make a hundred thousand that stay, so a
# command spent a tenth of its time on looking; this many are still looked through at once, also by a server that stays.
YOUNG_OBJECTS = 10_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; `arguments` are those of the process when None."""
    if arguments is not None:  # somebody's own process
        return _run(arguments)
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])
    try:
        return _run(None)
    finally:
        gc.freeze()  # the process ends now: what is left goes with it, and need not be looked through once more


def _run(arguments: Sequence[str] | None) -> int:
    with _cleanly_terminated():
        try:
            code = root.main(args=arguments, prog_name="maskwise", standalone_mode=False)
            if sys.stdout is not None:  # closed by the caller
                sys.stdout.flush()
        except ReaderGone:
            _drop_stdout()
            return PIPE_CLOSED
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except SystemExit as stop:  # shell completion ends this way, and a TERM signal
            return stop.code if isinstance(stop.code, int) else 0
        except Exception as error:  # noqa: BLE001 - the top: everything else becomes a report
            from maskwise.cli import faults

            return faults.report(error, arguments)
        return code if isinstance(code, int) else 0


def _drop_stdout() -> None:
    """Send what is still in the buffer nowhere, so that the interpreter's own flush at exit stays quiet."""
    with contextlib.suppress(OSError, ValueError):
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def _cleanly_terminated() -> Iterator[None]:
    """Let a TERM signal unwind the stack, so that half-written files are taken away."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
