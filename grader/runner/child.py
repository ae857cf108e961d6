"""Starts, watches and ends the process that holds PyTorch. Loads no PyTorch itself."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STEADY_SECONDS = 1.0
SILENT_ENDS = 3


class Child:
    """One process `grader.runner.serve` and the private folder of its socket.

    `ready` is set while it answers, `settled` once a start has come to an end, good or bad. `problem` is a sentence for
    people once it is known that it cannot start.
    When a process that had been ready dies, another is started at once, under the same path, for all who use it.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.folder = Path(tempfile.mkdtemp(prefix="maskwise-runner-"))
        self.path = self.folder / "socket"
        self.owner = os.getpid()
        self.ready = threading.Event()
        self.settled = threading.Event()
        self.problem: str | None = None
        self.version: str | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = threading.RLock()
        self.closed = False
        self.silent_ends = 0

    def start(self) -> None:
        """Start the process unless one is running or starting; returns at once."""
        with self.lock:
            if self.closed or self.problem is not None:
                return
            if self.process is not None and self.process.poll() is None:
                return
            self._spawn()

    def wait(self, seconds: float) -> bool:
        """Wait until the process answers; False when it did not come up in time or cannot."""
        end = time.monotonic() + seconds
        while True:
            self.start()
            self.settled.wait(max(0.0, end - time.monotonic()))
            if self.ready.is_set():
                return True
            if self.problem is not None or self.closed or time.monotonic() >= end:
                return False
            time.sleep(0.05)

    def kill(self) -> None:
        """End the process as it is; the next start makes a new one."""
        with self.lock:
            if self.process is not None:
                self.ready.clear()
                self.process.kill()

    def close(self) -> None:
        """End the process for good and remove its folder."""
        if os.getpid() != self.owner:
            return
        with self.lock:
            self.closed = True
            process = self.process
        if process is not None:
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _spawn(self) -> None:
        self.ready.clear()
        self.settled.clear()
        places = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(places),
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        }
        self.folder.mkdir(mode=0o700, exist_ok=True)
        process = subprocess.Popen(  # noqa: S603  our own interpreter and module
            [sys.executable, "-P", "-m", "grader.runner.serve", str(self.path), str(self.owner), str(self.limit)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        self.process = process
        threading.Thread(target=self._watch, args=(process,), name="runner-watch", daemon=True).start()

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Follow one process from its first words to its end, and replace it if it had been of use."""
        assert process.stdout is not None
        with process.stdout as words:
            said = words.readline()
        message: dict[str, str] = {}
        with contextlib.suppress(ValueError):
            message = json.loads(said)
        with self.lock:
            if "missing" in message:
                self.problem = message["missing"]
            elif "ready" in message and process is self.process:
                self.version = message["ready"]
                self.silent_ends = 0
                self.ready.set()
            if message:
                self.settled.set()
        started = time.monotonic()
        process.wait()
        with self.lock:
            if process is not self.process:
                return
            self.ready.clear()
            if not message and not self.closed:
                self.silent_ends += 1
                if self.silent_ends >= SILENT_ENDS:
                    self.problem = f"PyTorch is installed here but ends while it starts (exit {process.returncode})."
            self.settled.set()
        if "ready" in message:
            time.sleep(max(0.0, STEADY_SECONDS - (time.monotonic() - started)))  # no faster than once a second
            self.start()
