"""Ask PyTorch without loading it: the client of the one process that holds it.

Everything outside `grader.runner` goes through `Runner`. Answers about the same world and lines are kept, because the
same sizes are asked for again and again while a class works on one question.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import weakref
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from grader.runner import wire
from grader.runner.child import Child
from grader.runner.seen import Seen

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["Request", "Runner", "RunnerUnavailable", "Seen", "TraceFailed"]

LIMIT_SECONDS = 20.0
START_SECONDS = 90.0
CONNECT_SECONDS = 10.0
MOST_KEPT = 8192
SLACK_SECONDS = 5.0  # on top of what the process itself allows a request, before its client gives up

Request = tuple[str, Mapping[str, Any], Mapping[str, str]]


class RunnerUnavailable(Exception):
    """Nothing can be run now. The text is a sentence for people; `permanent` when waiting will not help."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class TraceFailed(Exception):
    """A line could not be traced for all sizes; the text names the line and PyTorch's reason."""


class Runner:
    """The owner of one PyTorch process, or with `connect` a client of another owner's.

    `wait=True` (commands) starts the process and waits for it. `wait=False` (pages) never waits for a start: while the
    process is coming up it raises RunnerUnavailable at once, and works as soon as it is up. A request that takes longer
    than `limit` seconds (a trace: six times that) is cut off by the process itself, which ends and is started anew. A
    request that waits behind another's is given up without harm to either. Safe to use from several threads and after
    a fork. `path` is the socket for others to connect to.
    """

    def __init__(self, *, connect: Path | None = None, wait: bool = True, limit: float = LIMIT_SECONDS) -> None:
        self.limit = limit
        self.waits = wait
        self.child: Child | None = None
        if connect is None:
            self.child = Child(limit)
            weakref.finalize(self, Child.close, self.child)
            self.path = self.child.path
            self.child.start()
        else:
            self.path = connect
        self.lock = threading.Lock()
        self.idle: list[socket.socket] = []
        self.process = os.getpid()
        self.kept: dict[Hashable, dict[str, Seen]] = {}
        self.unheard: float | None = None  # since when the process has owed every answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process if this is its owner; close the connections."""
        self._drop_idle()
        if self.child is not None:
            self.child.close()

    def observe(self, world: str, given: Mapping[str, Any], lines: Mapping[str, str]) -> dict[str, Seen]:
        """Run the lines in one world; name -> what was seen, errors of single lines included.

        Raises RunnerUnavailable, and ValueError for an unknown world.
        """
        kept = self.kept.get(_key(world, given, lines))
        if kept is not None:
            return dict(kept)
        return self.observe_many([(world, given, lines)])[0]

    def observe_many(self, requests: Sequence[Request]) -> list[dict[str, Seen]]:
        """Do the same for many worlds in one round trip; what is known already is not asked for."""
        keys = [_key(*request) for request in requests]
        found = [self.kept.get(key) for key in keys]
        open_ones = [place for place, kept in enumerate(found) if kept is None]
        if open_ones:
            message = [(requests[i][0], dict(requests[i][1]), dict(requests[i][2])) for i in open_ones]
            replies = self._ask({"ask": "observe", "requests": message}, self.limit + SLACK_SECONDS)
            for place, reply in zip(open_ones, replies, strict=True):
                seen = {name: Seen.from_json(data) for name, data in reply.items()}
                self._keep(keys[place], seen)
                found[place] = seen
        return [dict(seen) for seen in found if seen is not None]

    def trace(self, constants: Mapping[str, int], lines: Mapping[str, str]) -> dict[str, list[Any]]:
        """Trace the lines by torch.export with B, T and the masked count M open; name -> the axes of its shape.

        `constants` hold D and V, and H, L, F, N, C where they matter. An axis is a whole number or an expression in
        the JSON form of `grader.expr`. Raises TraceFailed when a line has no shape for all sizes, RunnerUnavailable.
        """
        message = {"ask": "trace", "constants": dict(constants), "lines": dict(lines)}
        reply = self._ask(message, self._longest())
        if reply["errors"]:
            raise TraceFailed("; ".join(f"{lines[name]}: {text}" for name, text in reply["errors"].items()))
        axes: dict[str, list[Any]] = reply["axes"]
        return axes

    def version(self) -> str:
        """Return the version of PyTorch that runs. Raises RunnerUnavailable."""
        if self.child is not None and self.child.version is not None:
            return self.child.version
        return str(self._ask({"ask": "hello"}, CONNECT_SECONDS)["torch"])

    @property
    def pid(self) -> int:
        """The process id of the process that holds PyTorch. Raises RunnerUnavailable."""
        return int(self._ask({"ask": "hello"}, CONNECT_SECONDS)["pid"])

    def alive(self) -> bool:
        """Tell whether a request would be answered now, without waiting for a start."""
        if self._is_owner() and self.child is not None and not self.child.ready.is_set():
            return False
        try:
            with self._connect():
                return True
        except OSError:
            return False

    def _is_owner(self) -> bool:
        return self.child is not None and self.child.owner == os.getpid()

    def _keep(self, key: Hashable, seen: dict[str, Seen]) -> None:
        with self.lock:
            while len(self.kept) >= MOST_KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = seen

    def _longest(self) -> float:
        """Return after how many seconds without any answer the process cannot be at work any more."""
        return self.limit * wire.TRACE_FACTOR + SLACK_SECONDS

    def _ask(self, message: dict[str, Any], seconds: float) -> Any:
        """Send one request and return the reply; a process that died in between is replaced and asked again."""
        frame = wire.pack(message)
        started = time.monotonic()
        for last in (False, True):
            reply = self._try(frame, seconds)
            if reply is not None:
                break
            if time.monotonic() - started > 0.8 * min(seconds, self.limit):
                raise RunnerUnavailable("Running this took too long and was cut off, so it cannot be graded.")
            if last or not self.waits:
                self._wake()
                raise RunnerUnavailable("The PyTorch process ended and is being started again. Try again in a moment.")
        assert reply is not None
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["ok"]

    def _try(self, frame: bytes, seconds: float) -> dict[str, Any] | None:
        """Send the frame over a kept connection or else a new one; None when the process died over it.

        Raises RunnerUnavailable when no reply comes in time: the process may be at work for somebody else.
        """
        started = time.monotonic()
        while True:
            connection, fresh = self._connection()
            try:
                connection.settimeout(seconds)
                connection.sendall(frame)
                self.unheard = self.unheard or time.monotonic()
                reply: dict[str, Any] = wire.receive(connection)
            except TimeoutError:
                connection.close()
                self._end_if_stuck()
                raise RunnerUnavailable("PyTorch is busy with other work. Try again in a moment.") from None
            except (OSError, wire.BrokenFrame):
                connection.close()
                self._drop_idle()
                self.unheard = None
                if fresh or time.monotonic() - started > 1.0:
                    return None
                continue
            with self.lock:
                self.unheard = None
                self.idle.append(connection)
            return reply

    def _end_if_stuck(self) -> None:
        """End a process that has been silent for longer than any request may take; its own alarm has failed."""
        silent = self.unheard is not None and time.monotonic() - self.unheard > self._longest()
        if silent and self._is_owner() and self.child is not None:
            self.unheard = None
            self.child.kill()

    def _connection(self) -> tuple[socket.socket, bool]:
        """Return a connection and whether it is new. Raises RunnerUnavailable."""
        with self.lock:
            if self.process != os.getpid():  # after a fork the parent's connections are the parent's
                self.process, self.idle = os.getpid(), []
            if self.idle:
                return self.idle.pop(), False
        end = time.monotonic() + START_SECONDS
        while True:
            self._await_start()
            try:
                return self._connect(), True
            except OSError:
                self._wake()
                if not self.waits or time.monotonic() > end:
                    raise RunnerUnavailable(
                        "The PyTorch process is not running, so keys cannot be proven and answers cannot be graded now."
                    ) from None
                time.sleep(0.05)

    def _await_start(self) -> None:
        """Let the owner's process come up. Raises RunnerUnavailable when it cannot, or when this runner never waits."""
        child = self.child
        if child is None or not self._is_owner() or child.ready.is_set():
            return
        if child.closed:
            raise RunnerUnavailable("The PyTorch process was closed.", permanent=True)
        if self.waits:
            child.wait(START_SECONDS)
        else:
            child.start()
        if child.problem is not None:
            raise RunnerUnavailable(child.problem, permanent=True)
        if not child.ready.is_set():
            raise RunnerUnavailable("PyTorch is still starting. Try again in a moment.")

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(CONNECT_SECONDS)
            connection.connect(str(self.path))
        except OSError:
            connection.close()
            raise
        return connection

    def _wake(self) -> None:
        if self._is_owner() and self.child is not None:
            self.child.start()

    def _drop_idle(self) -> None:
        with self.lock:
            idle, self.idle = self.idle, []
        for connection in idle:
            connection.close()


def _key(world: str, given: Mapping[str, Any], lines: Mapping[str, str]) -> Hashable:
    """Return a key by value; quick for the plain numbers that most questions consist of."""
    key = (world, *given.items(), None, *lines.items())
    try:
        hash(key)
    except TypeError:
        return (world, json.dumps(dict(given), sort_keys=True), *lines.items())
    return key
