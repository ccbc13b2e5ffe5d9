"""Messages between a child and its caller: a kind, a length, and bytes."""

from __future__ import annotations

import pickle
import socket
import struct
from enum import IntEnum
from typing import Any

_HEAD = struct.Struct("!BQ")
HEAD_BYTES = _HEAD.size
# No message comes near it: what says so is torn.
MOST_BYTES = 2**32


class Frame(IntEnum):
    """The kind of a message. The first four go to the child, the others come from it."""

    ASK = 1
    BY_ROW = 2
    BY_COLUMN = 3
    STOP = 4
    BEGUN = 5
    ROWS = 6
    COLUMNS = 7
    ARROW = 8
    TOLD = 9
    DONE = 10
    FAILED = 11
    BROKEN = 12


# After these a child has nothing more to say.
LAST = frozenset((Frame.DONE, Frame.FAILED, Frame.BROKEN))


class Torn(Exception):
    """The other side ended in the middle of a message, or before one."""


def packed(value: object) -> bytes:
    """Write a value as bytes that `trusted` reads."""
    return pickle.dumps(value, protocol=5)


def trusted(data: bytes | bytearray) -> Any:
    """Read what the caller wrote; for the child alone."""
    return pickle.loads(data)  # noqa: S301 - the caller's own words


def send(channel: socket.socket, frame: Frame, data: Any = b"") -> None:
    """Send one message; `data` is bytes or a buffer. Raises: OSError when nobody reads."""
    view = memoryview(data).cast("B")
    head = _HEAD.pack(frame, len(view))
    if len(view) < 65_536:
        channel.sendall(head + bytes(view))
        return
    channel.sendall(head)
    channel.sendall(view)


def head_of(data: bytes | bytearray) -> tuple[Frame, int]:
    """Read the head of a message: its kind and length. Raises: Torn."""
    number, length = _HEAD.unpack(data)
    if number not in Frame.__members__.values() or length > MOST_BYTES:
        raise Torn("no message begins so")
    return Frame(number), length


def receive(channel: socket.socket) -> tuple[Frame, bytearray]:
    """Wait for a message and read it. Raises: Torn, OSError."""
    frame, length = head_of(_exactly(channel, HEAD_BYTES))
    return frame, _exactly(channel, length)


def _exactly(channel: socket.socket, length: int) -> bytearray:
    data = bytearray(length)
    view, got = memoryview(data), 0
    while got < length:
        count = channel.recv_into(view[got:])
        if not count:
            raise Torn("nobody writes any more")
        got += count
    return data
