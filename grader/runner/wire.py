"""The frames that cross the runner's socket: four bytes of length, then JSON. Bounded on both sides."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

LARGEST_FRAME = 8 * 1024 * 1024
TRACE_FACTOR = 6  # a trace of all lines of a family takes seconds where an observation takes milliseconds
_LENGTH = struct.Struct("!I")


class BrokenFrame(Exception):
    """The other side closed in mid-frame, or sent what is no frame."""


def pack(message: Any) -> bytes:
    """Return one frame. Raises ValueError when the message is too large."""
    body = json.dumps(message, separators=(",", ":")).encode()
    if len(body) > LARGEST_FRAME:
        raise ValueError("the message is too large for the runner")
    return _LENGTH.pack(len(body)) + body


def receive(connection: socket.socket) -> Any:
    """Wait for one frame and return its message. Raises BrokenFrame, or OSError (a time-out among them)."""
    size = _length(_exactly(connection, _LENGTH.size))
    return _message(_exactly(connection, size))


class Inbox:
    """Collects the bytes of one connection and hands out whole messages, without ever waiting."""

    def __init__(self) -> None:
        self.bytes = bytearray()

    def add(self, data: bytes) -> list[Any]:
        """Take what has come and return the messages that are now whole. Raises BrokenFrame."""
        self.bytes += data
        messages = []
        while len(self.bytes) >= _LENGTH.size:
            end = _LENGTH.size + _length(self.bytes[: _LENGTH.size])
            if len(self.bytes) < end:
                break
            messages.append(_message(self.bytes[_LENGTH.size : end]))
            del self.bytes[:end]
        return messages


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        piece = connection.recv(min(65536, count - len(data)))
        if not piece:
            raise BrokenFrame("the connection was closed")
        data += piece
    return bytes(data)


def _length(data: bytes | bytearray) -> int:
    size: int = _LENGTH.unpack(data)[0]
    if size > LARGEST_FRAME:
        raise BrokenFrame("a frame is too large")
    return size


def _message(body: bytes | bytearray) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BrokenFrame("a frame holds no JSON") from error
