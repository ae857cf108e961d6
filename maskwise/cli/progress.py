"""A progress bar for work that turns out to be long: on a terminal only, and only after a second."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING

from maskwise.cli.options import asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 1.0  # seconds without a bar


@contextlib.contextmanager
def progress(label: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function to call with (done, total); it draws on stderr when somebody watches and work takes long."""
    if asked().quiet or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    bar = _Bar(label, unit)
    try:
        yield bar.move
    finally:
        bar.stop()


class _Bar:
    """Draws nothing, and imports nothing, until `PATIENCE` is over."""

    def __init__(self, label: str, unit: str) -> None:
        self._label = label
        self._unit = unit
        self._started = time.monotonic()
        self._draw: Callable[[int, int], None] | None = None
        self._end: Callable[[], None] | None = None

    def move(self, done: int, total: int) -> None:
        """Show that `done` of `total` are finished."""
        if self._draw is None:
            if time.monotonic() - self._started < PATIENCE or done >= total:
                return
            self._draw = self._start()
        self._draw(done, total)

    def stop(self) -> None:
        """Leave the last state of the bar on the terminal."""
        if self._end is not None:
            self._end()

    def _start(self) -> Callable[[int, int], None]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(stderr=True, no_color=True if asked().no_color else None)
        shown = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20, style="none", complete_style="none", finished_style="none", pulse_style="none"),
            TextColumn("{task.completed}/{task.total} " + self._unit),
            TimeElapsedColumn(),
            console=console,
        )
        task = shown.add_task(self._label, total=None)
        shown.start()
        self._end = shown.stop

        def draw(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total)

        return draw
