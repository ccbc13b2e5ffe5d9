"""Servers on loopback that speak MySQL or PostgreSQL until they do not: they answer without end, or byte by byte."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

MEGABYTE = b"x" * 1_000_000
Speaker = Callable[[socket.socket], None]


@contextmanager
def rogue(speak: Speaker) -> Iterator[int]:
    """Listen on a port of this machine; every connection is spoken to in a thread of its own."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def serve() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=talk, args=(client,), daemon=True).start()

        def talk(client: socket.socket) -> None:
            with client, suppress(OSError, struct.error):
                speak(client)

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


def exactly(client: socket.socket, size: int) -> bytes:
    held = b""
    while len(held) < size:
        part = client.recv(size - len(held))
        if not part:
            raise OSError("gone")
        held += part
    return held


# ---------------------------------------------------------------- MySQL

OK = b"\x00\x00\x00\x02\x00\x00\x00"
EOF = b"\xfe\x00\x00\x02\x00"
GREETING = (
    b"\x0a8.0.99\x00" + struct.pack("<I", 7) + b"12345678\x00" + b"\xff\xf7" + b"\x2d\x02\x00" + b"\xff\x81\x15"
    + b"\x00" * 10 + b"123456789012\x00" + b"mysql_native_password\x00"
)  # fmt: skip


def packet(number: int, data: bytes) -> bytes:
    return struct.pack("<I", len(data))[:3] + bytes([number % 256]) + data


def said(text: bytes) -> bytes:
    """A text with its length before it."""
    return (bytes([len(text)]) if len(text) < 251 else b"\xfd" + struct.pack("<I", len(text))[:3]) + text


def column(name: bytes) -> bytes:
    facts = struct.pack("<HIBHB", 45, 1_000, 253, 0, 0)
    return b"".join(map(said, (b"def", b"", b"", b"", name, name))) + b"\x0c" + facts + b"\x00\x00"


def mysql(*, answers: Callable[[socket.socket, str], None]) -> Speaker:
    """A server that lets everybody in; `answers` is given what is asked after the session is set up."""

    def speak(client: socket.socket) -> None:
        client.sendall(packet(0, GREETING))
        head = exactly(client, 4)
        exactly(client, int.from_bytes(head[:3], "little"))
        client.sendall(packet(2, OK))
        while True:
            head = exactly(client, 4)
            asked = exactly(client, int.from_bytes(head[:3], "little"))[1:].decode("utf-8", "replace")
            if asked.startswith(("SET ", "START ")):
                client.sendall(packet(1, OK))
            elif "sql_mode" in asked:
                rows(client, ["8.0.99", "ANSI"])
            else:
                answers(client, asked)

    return speak


def rows(client: socket.socket, *found: list[str]) -> None:
    width = len(found[0])
    parts = [bytes([width]), *[column(b"c")] * width, EOF]
    parts += [b"".join(said(cell.encode()) for cell in row) for row in found] + [EOF]
    client.sendall(b"".join(packet(number, part) for number, part in enumerate(parts, 1)))


def rows_without_end(client: socket.socket, asked: str) -> None:
    """Many small rows."""
    head = [b"\x06", *[column(b"c")] * 6, EOF]
    client.sendall(b"".join(packet(number, part) for number, part in enumerate(head, 1)))
    number = len(head)
    while True:
        held = b""
        for _ in range(2_000):
            number += 1
            row = b"".join(map(said, (b"shop", b"t%d" % number, b"c", b"int", b"1", b"y" * 100)))
            held += packet(number, row)
        client.sendall(held)


def a_row_without_end(client: socket.socket, asked: str) -> None:
    """One row of packets that are as large as they can be, each followed by another."""
    head = [b"\x01", column(b"c"), EOF]
    client.sendall(b"".join(packet(number, part) for number, part in enumerate(head, 1)))
    for number in range(4, 10_000):
        client.sendall(b"\xff\xff\xff" + bytes([number % 256]))
        for _ in range(16):
            client.sendall(MEGABYTE)
        client.sendall(b"x" * (0xFFFFFF - 16 * len(MEGABYTE)))


def columns_without_end(client: socket.socket, asked: str) -> None:
    """A result that says it has as many columns as there can be."""
    client.sendall(packet(1, b"\xfe" + b"\xff" * 7 + b"\x00"))
    number = 1
    while True:
        held = b""
        for _ in range(1_000):
            number += 1
            held += packet(number, column(b"c"))
        client.sendall(held)


def mysql_greeting_without_end(client: socket.socket) -> None:
    for number in range(10_000):
        client.sendall(b"\xff\xff\xff" + bytes([number % 256]))
        for _ in range(16):
            client.sendall(MEGABYTE)
        client.sendall(b"x" * (0xFFFFFF - 16 * len(MEGABYTE)))


def mysql_byte_by_byte(client: socket.socket) -> None:
    for byte in packet(0, GREETING * 1_000):
        client.sendall(bytes([byte]))
        time.sleep(0.5)


# ---------------------------------------------------------------- PostgreSQL


def message(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("!I", len(data) + 4) + data


def postgres(*, answers: Callable[[socket.socket], None] | None, first: Speaker | None = None) -> Speaker:
    """A server that refuses TLS and lets everybody in, then answers the first question so."""

    def speak(client: socket.socket) -> None:
        while True:
            body = exactly(client, int.from_bytes(exactly(client, 4), "big") - 4)
            if body[:4] != struct.pack("!I", 80877103):
                break
            client.sendall(b"N")
        if first is not None:
            first(client)
        known = {
            b"server_version": b"16.1",
            b"client_encoding": b"UTF8",
            b"standard_conforming_strings": b"on",
        }
        client.sendall(message(b"R", struct.pack("!I", 0)))
        client.sendall(b"".join(message(b"S", name + b"\0" + value + b"\0") for name, value in known.items()))
        client.sendall(message(b"K", struct.pack("!II", 1, 1)) + message(b"Z", b"I"))
        while True:
            kind = exactly(client, 1)
            exactly(client, int.from_bytes(exactly(client, 4), "big") - 4)
            if kind == b"Q":
                client.sendall(message(b"C", b"BEGIN\0") + message(b"Z", b"T"))
            elif kind == b"S" and answers is not None:
                answers(client)

    return speak


def described() -> bytes:
    field = b"c\0" + struct.pack("!IHIhih", 0, 0, 25, -1, -1, 0)
    return message(b"1", b"") + message(b"2", b"") + message(b"T", struct.pack("!H", 1) + field)


def postgres_rows_without_end(client: socket.socket) -> None:
    client.sendall(described())
    row = message(b"D", struct.pack("!HI", 1, 1_000) + b"x" * 1_000)
    while True:
        client.sendall(row * 1_000)


def postgres_a_row_without_end(client: socket.socket) -> None:
    client.sendall(described() + b"D" + struct.pack("!IHI", 2_000_000_000, 1, 1_999_999_000))
    while True:
        client.sendall(MEGABYTE)


def postgres_notices_without_end(client: socket.socket) -> None:
    notice = message(b"N", b"SNOTICE\0C00000\0M" + b"x" * 10_000 + b"\0\0")
    while True:
        client.sendall(notice * 100)


SPEAKERS: dict[str, tuple[str, Speaker]] = {
    "mysql rows": ("mysql", mysql(answers=rows_without_end)),
    "mysql row": ("mysql", mysql(answers=a_row_without_end)),
    "mysql columns": ("mysql", mysql(answers=columns_without_end)),
    "mysql greeting": ("mysql", mysql_greeting_without_end),
    "mysql trickle": ("mysql", mysql_byte_by_byte),
    "postgres rows": ("postgres", postgres(answers=postgres_rows_without_end)),
    "postgres row": ("postgres", postgres(answers=postgres_a_row_without_end)),
    "postgres notices": ("postgres", postgres(answers=None, first=postgres_notices_without_end)),
    "mysql by SQLAlchemy": ("mysql+pymysql", mysql(answers=rows_without_end)),
}
