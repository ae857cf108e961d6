"""The child process that holds PyTorch: `python -m grader.runner.serve SOCKET OWNER LIMIT`.

It listens on a private Unix socket, answers one request after another for any number of clients, and ends by itself
when the process OWNER is gone. A request that takes longer than LIMIT seconds ends the process (the kernel's alarm
does it, even while native code runs); the owner starts another. The first line on standard output tells the owner how
the start went.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.runner import wire

MISSING = (
    "PyTorch is not installed here, so keys cannot be proven and answers cannot be graded. "
    "Install it with: pip install torch --index-url https://download.pytorch.org/whl/cpu"
)
EXIT_MISSING = 3
MEMORY = 3 * 1024**3
MOST_CLIENTS = 128
SEND_SECONDS = 10.0

Handler = Callable[[dict[str, Any]], Any]


def main(arguments: list[str]) -> int:
    """Serve until the owner is gone or the socket is closed. Returns the exit code."""
    path, owner, limit = Path(arguments[0]), int(arguments[1]), float(arguments[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the owner's to handle
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(owner, path), daemon=True).start()
    try:
        version, handlers = _load()
    except Exception as error:  # noqa: BLE001  a library that does not load can raise anything; people get to read it
        missing = isinstance(error, ModuleNotFoundError) and error.name == "torch"
        _announce({"missing": MISSING if missing else f"PyTorch is installed here but does not start: {error}"})
        return EXIT_MISSING
    listener = _listen(path)
    _announce({"ready": version})
    try:
        _serve(listener, handlers, limit)
    finally:
        path.unlink(missing_ok=True)
    return 0


def _load() -> tuple[str, dict[str, Handler]]:
    """Load PyTorch, quietly and with one thread, and return its version and what can be asked."""
    warnings.simplefilter("ignore")  # no numpy, an odd head count: nothing a user could act on
    import torch  # noqa: PLC0415  loaded here, so that a missing PyTorch becomes a message

    from grader.runner.observe import observe  # noqa: PLC0415
    from grader.runner.trace import trace  # noqa: PLC0415

    torch.set_num_threads(1)

    def observe_all(request: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {name: seen.to_json() for name, seen in observe(world, given, lines).items()}
            for world, given, lines in request["requests"]
        ]

    def trace_all(request: dict[str, Any]) -> dict[str, Any]:
        return asdict(trace(request["constants"], request["lines"]))

    observe("model", {"B": 2, "T": 3, "D": 4, "V": 5, "M": 2}, {"loss": "CE(logits[mask], ids[mask])"})  # warm
    _limit_memory()
    return torch.__version__, {
        "observe": observe_all,
        "trace": trace_all,
        "hello": lambda _request: {"torch": torch.__version__, "pid": os.getpid()},
    }


def _limit_memory() -> None:
    """Let a line that asks for too much memory fail by itself instead of endangering the machine."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) if sys.platform == "linux" else 0
    if pages:
        limit = pages * resource.getpagesize() + MEMORY
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or hard > limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _listen(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    listener.listen(64)
    listener.setblocking(False)  # noqa: FBT003
    return listener


def _announce(message: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _end_with(owner: int, path: Path) -> None:
    """End this process soon after its owner, however that one ended."""
    while os.getppid() == owner:
        time.sleep(0.25)
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        path.parent.rmdir()
    os._exit(0)


def _serve(listener: socket.socket, handlers: dict[str, Handler], limit: float) -> None:
    """Answer whole requests in the order in which they arrive; never wait for a slow sender."""
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ, None)
        clients = 0
        while True:
            for key, _events in selector.select():
                if key.data is None:
                    connection, _address = listener.accept()
                    if clients >= MOST_CLIENTS:
                        connection.close()
                        continue
                    connection.settimeout(SEND_SECONDS)
                    selector.register(connection, selectors.EVENT_READ, wire.Inbox())
                    clients += 1
                    continue
                client = key.fileobj
                assert isinstance(client, socket.socket)
                if not _answer(client, key.data, handlers, limit):
                    selector.unregister(client)
                    client.close()
                    clients -= 1


def _answer(client: socket.socket, inbox: wire.Inbox, handlers: dict[str, Handler], limit: float) -> bool:
    """Read what there is and answer every whole request. Returns False when the connection is over."""
    try:
        data = client.recv(65536)
        if not data:
            return False
        for request in inbox.add(data):
            if not isinstance(request, dict):
                return False
            with _alarm(limit * (wire.TRACE_FACTOR if request.get("ask") == "trace" else 1)):
                reply = _handle(request, handlers)
            client.sendall(reply)
    except (wire.BrokenFrame, OSError):
        return False
    return True


def _handle(request: dict[str, Any], handlers: dict[str, Handler]) -> bytes:
    try:
        return wire.pack({"ok": handlers[request["ask"]](request)})
    except Exception as error:  # noqa: BLE001  a bad request must not end the service of the others
        return wire.pack({"error": f"{type(error).__name__}: {error}"[:2000]})


@contextlib.contextmanager
def _alarm(limit: float) -> Iterator[None]:
    """End the process if the block takes longer than the limit."""
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
