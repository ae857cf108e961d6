"""SymPy kept at arm's length: one child process, asked when nothing else decides, killed when its time is up."""

from __future__ import annotations

import atexit
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from grader.effort import PROOF_SECONDS, current

if TYPE_CHECKING:
    from grader.expr import Expr

START_SECONDS = 15.0

_ROOT = Path(__file__).resolve().parents[2]


class Prover:
    """The child, started at the first question and again after it was killed. Safe to ask from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def prove(self, a: Expr, b: Expr, seconds: float = PROOF_SECONDS) -> bool | None:
        """Return True or False where the child proves it in time, else None.

        Whoever finds it busy or starting waits no longer for it than a proof may take.
        """
        question = json.dumps([a.to_json(), b.to_json()]) + "\n"
        if not self._lock.acquire(timeout=seconds):
            return None
        try:
            answer = self._asked(question, seconds)
        finally:
            self._lock.release()
        result = json.loads(answer) if answer is not None else None
        return result if isinstance(result, bool) else None

    def _asked(self, question: str, seconds: float) -> bytes | None:
        child = self._running()
        if child is None:
            return None
        answer = None
        try:
            if child.stdin is not None:
                child.stdin.write(question.encode())
                child.stdin.flush()
                answer = _line(child, seconds)
        except OSError:  # it died while it was being asked
            answer = None
        if answer is None:
            self._kill()
        return answer

    def _running(self) -> subprocess.Popen[bytes] | None:
        """Return a child that is ready, starting one where there is none. None where it does not come up."""
        if self._owner != os.getpid():  # a fork has taken over our memory, not our child
            self._child = None
        if self._child is not None:
            if self._child.poll() is None:
                return self._child
            self._kill()
        self._owner = os.getpid()
        command = [sys.executable, "-m", "grader.equality.prover", str(self._owner)]
        try:
            self._child = subprocess.Popen(  # noqa: S603 - our own module under our own interpreter
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=_ROOT
            )
        except OSError:
            return None
        if _line(self._child, START_SECONDS) is None:
            self._kill()
        return self._child

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:  # what was not yet written is lost with the child
                    continue

    def close(self) -> None:
        """End the child, where this process has one."""
        with self._lock:
            if self._owner == os.getpid():
                self._kill()


def _line(child: subprocess.Popen[bytes], seconds: float) -> bytes | None:
    """Return one line from the child within the time, else None."""
    if child.stdout is None:
        return None
    deadline = time.monotonic() + seconds
    received = b""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while not received.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                return None
            piece = os.read(child.stdout.fileno(), 4096)
            if not piece:
                return None
            received += piece
    return received


_PROVER = Prover()
atexit.register(_PROVER.close)


def prove(a: Expr, b: Expr) -> bool | None:
    """Ask this process's child. None where nothing is proved in time, or no child can be had.

    All questions inside one ``Effort`` share its time.
    """
    effort = current()
    if effort is None:
        return _PROVER.prove(a, b)
    if effort.seconds <= 0:
        return None
    began = time.monotonic()
    try:
        return _PROVER.prove(a, b, effort.seconds)
    finally:
        effort.seconds -= time.monotonic() - began
