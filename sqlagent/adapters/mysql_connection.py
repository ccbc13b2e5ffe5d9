"""A connection to MySQL or MariaDB: TLS without reading all certificates, checked addresses, and a bound of bytes for each answer.

It also runs statements of our own. `mysql` decides which statements of people run, and how they end.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pymysql
import pymysql.connections
from pymysql.constants import CR

from sqlagent.adapters.base import Row
from sqlagent.adapters.flights import hang_up

# Bytes a server may send: until we are in, and about the columns of an answer; as rows of a statement of our own; for
# one fetch of somebody's rows, each of which may have the 16 MB of the driver's largest packet. PyMySQL itself reads
# whatever comes: a server that answered without end took 2.4 GB in 3 s (measured 2026-11).
HEAD_BYTES, ANSWER_BYTES, CHUNK_BYTES = 4_000_000, 64_000_000, 400_000_000


def _any_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Connection(pymysql.connections.Connection):  # type: ignore[misc]
    """A connection that takes TLS where the server offers it, as the driver does, but cheaply.

    The driver reads all of the machine's certificates for each connection, to check none of
    them: 15 of the 19 ms that a statement cost (November 2026).
    """

    ANY_CERTIFICATE = _any_certificate()

    def __init__(self, *, addresses: Sequence[str], **how: Any) -> None:
        self._addresses = addresses
        self._allowed = HEAD_BYTES
        super().__init__(**how, defer_connect=True)
        with self.broken_off_after(2 * self.connect_timeout):
            self.connect()

    def allow(self, size: int) -> None:
        """Let the server send so many bytes from now on, and no more."""
        self._allowed = size

    @contextmanager
    def broken_off_after(self, seconds: float) -> Iterator[None]:
        """Close the socket when it takes longer: the driver's own clock begins anew with each byte."""
        late = threading.Timer(seconds, self.break_off)
        late.daemon = True
        late.start()
        try:
            yield
        finally:
            late.cancel()

    def break_off(self) -> None:
        """Hang up on the server, from any thread."""
        sock = self._sock
        if sock is not None:
            hang_up(sock.fileno())

    def _read_bytes(self, num_bytes: int) -> bytes:
        self._allowed -= num_bytes
        if self._allowed < 0:
            self._force_close()
            raise pymysql.err.OperationalError(CR.CR_SERVER_LOST, "it sent more than any honest answer has")
        return bytes(super()._read_bytes(num_bytes))

    def connect(self, sock: socket.socket | None = None) -> None:
        """Call the addresses that were given, one after another; without any, where the name leads."""
        if sock is None and self._addresses:
            sock = self._called()
        super().connect(sock)

    def _called(self) -> socket.socket:
        refused: OSError | None = None
        for address in self._addresses:
            try:
                found = socket.create_connection((address, self.port), self.connect_timeout)
            except OSError as error:
                refused = error
            else:
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                return found
        raise pymysql.err.OperationalError(
            CR.CR_CONN_HOST_ERROR, f"Can't connect to MySQL server on {self.host!r} ({refused})"
        ) from refused

    def _create_ssl_ctx(self, sslp: Any) -> ssl.SSLContext:
        return sslp if isinstance(sslp, ssl.SSLContext) else self.ANY_CERTIFICATE


def told(connection: Connection, sql: str) -> Iterator[Row]:
    """Run one statement of our own and give its rows as they come; the rest of them is not read."""
    cursor = connection.cursor()
    connection.allow(HEAD_BYTES)
    try:
        cursor.execute(sql)
        connection.allow(ANSWER_BYTES)
        yield from cursor if cursor.description else ()
    finally:
        if cursor._result is not None:
            cursor._result.unbuffered_active = False  # or the driver would read the rest, however much it is


def all_told(connection: Connection, sql: str) -> list[Row]:
    """Run one statement of our own and read all of it."""
    return list(told(connection, sql))
