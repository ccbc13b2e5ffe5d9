"""A real HTTP server on loopback that takes messages and fails in every way: it writes its answers byte by byte.

Each path is a manner of answering; `HookServer.received` keeps what came, as bytes and in parts.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nthanks"


@dataclass(frozen=True)
class Received:
    """One message: its path, its headers with small letters, its body."""

    path: str
    headers: dict[str, str]
    body: bytes


def _status(line: str, *headers: str, body: str = "") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {line}", f"Content-Length: {len(body)}", *headers, "", body]).encode()


def _in_minutes(minutes: int) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(minutes=minutes), usegmt=True)


@dataclass
class HookServer:
    """The server; `answer` says what a path gets: bytes, or pieces with waits (seconds) between."""

    certificate: tuple[str, str] | None = None
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    sent: int = 0

    def __post_init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.stopping = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def url(self, path: str = "/ok", scheme: str = "http", host: str = "127.0.0.1") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def answer(self, path: str) -> Iterator[bytes | float]:
        """Chunks to send, and seconds to wait between them."""
        answers: dict[str, list[bytes | float]] = {
            "/ok": [OK],
            "/created": [_status("201 Created")],
            "/no-content": [b"HTTP/1.1 204 No Content\r\n\r\n"],
            "/400": [_status("400 Bad Request", body="no such\r\nfield \x00")],
            "/404": [_status("404 Not Found")],
            "/408": [_status("408 Request Timeout")],
            "/410": [_status("410 Gone")],
            "/500": [_status("500 Internal Server Error", body="oh no")],
            "/429-seconds": [_status("429 Too Many Requests", "Retry-After: 120")],
            "/429-date": [_status("429 Too Many Requests", f"Retry-After: {_in_minutes(10)}")],
            "/429-past": [_status("429 Too Many Requests", f"Retry-After: {_in_minutes(-10)}")],
            "/429-ever": [_status("429 Too Many Requests", "Retry-After: 99999999999")],
            "/429-nonsense": [_status("429 Too Many Requests", "Retry-After: soon")],
            "/503": [_status("503 Service Unavailable", "Retry-After: 7")],
            "/to-private": [_status("302 Found", "Location: http://10.0.0.1/")],
            "/to-metadata": [_status("307 Temporary Redirect", "Location: http://169.254.169.254/latest/")],
            "/to-itself": [_status("308 Permanent Redirect", f"Location: {self.url('/ok')}")],
            "/hang": [3_600.0],
            "/close": [],
            "/half-head": [b"HTTP/1.1 200 OK\r\nConte"],
            "/half-body": [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
            "/nonsense": [b"\x00\xff SSH-2.0 what\r\n\r\n"],
            "/other-reason": [_status("200 hunter2")],
            "/unknown": [_status("299 hunter2")],
            "/secrets": [_status("200 OK", "X-Token: hunter2", body="internal: hunter2")],
            "/secrets-refused": [_status("403 hunter2", "Retry-After: hunter2", body="internal: hunter2")],
            "/secrets-moved": [_status("302 Found", "Location: http://internal/hunter2")],
            "/empty-reason": [b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"],
            "/huge-head": [b"HTTP/1.1 200 OK\r\n" + b"X-Much: " + b"x" * 5_000_000],
            "/secret": [_status("400 Bad Request", body="bad /secret address")],
        }
        if path == "/huge":
            yield b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
            for _ in range(10_000):
                yield b"x" * 100_000
        elif path.startswith("/drip"):
            body = b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + b"x" * 10_000
            at = 0 if path == "/drip-head" else 45
            yield body[:at]
            for byte in range(at, len(body)):
                yield body[byte : byte + 1]
                yield 0.02
        elif path.startswith("/refusing-bucket/"):
            told = "<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>"
            yield _status("403 Forbidden", "Content-Type: application/xml", body=told)
        elif path.startswith("/telling-bucket/"):
            told = "<Error><Code>hunter2</Code><Message>hunter2 of the inside</Message></Error>"
            yield _status("418 hunter2", "Content-Type: application/xml", body=told)
        elif path == "/informational":
            for _ in range(10_000):
                yield b"HTTP/1.1 103 Early Hints\r\n\r\n"
                yield 0.02
        else:
            yield from answers[path]

    def stop(self) -> None:
        """Close the door; connections that hang are let go."""
        self.stopping.set()
        self._socket.close()

    def _serve(self) -> None:
        while not self.stopping.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            if self.certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(*self.certificate)
                connection = context.wrap_socket(connection, server_side=True)
            stream = connection.makefile("rb")
            first = stream.readline().split()
            if len(first) != 3 or first[0] not in (b"POST", b"PUT"):
                connection.sendall(_status("400 Bad Request"))
                return
            path = first[1].decode()
            headers = {}
            while line := stream.readline().strip():
                name, _, value = line.decode().partition(":")
                headers[name.lower()] = value.strip()
            self.received.append(
                Received(path, headers, stream.read(int(headers.get("content-length", "0"))))
            )
            for piece in self.answer(path):
                if isinstance(piece, bytes):
                    connection.sendall(piece)
                    self.sent += len(piece)
                elif self.stopping.wait(piece):
                    return


@contextmanager
def hook_server(**given: object) -> Iterator[HookServer]:
    """A server that is gone afterwards."""
    server = HookServer(**given)  # type: ignore[arg-type]
    try:
        yield server
    finally:
        server.stop()
