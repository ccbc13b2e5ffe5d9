"""The way to a database through an SSH server, whose host key is known before anything secret is sent.

One connection for each adapter, opened when it is first used, opened again when it broke, and ended with the adapter. It runs in a
thread with a loop of its own, as the library is made of coroutines and the drivers are not. Drivers call a port of this machine:
so TLS goes through to the database and checks its own name. Connections of other users of this machine are not let in.

Of this machine's SSH nothing is used: no configuration, no agent, no keys, no known hosts.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import threading
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import asyncssh

from sqlagent.adapters.base import CONNECT_SECONDS, LOOPBACK
from sqlagent.adapters.failures import unreachable
from sqlagent.adapters.flights import Flight
from sqlagent.adapters.ssh_keys import key_read
from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.values import FINGERPRINT, SSH_SAID, SSH_SILENT, SshServer

# A server that vanished without a word is noticed after so many unanswered questions, one every so many seconds.
KEEPALIVE_SECONDS, KEEPALIVE_COUNT = 5, 3
# How long the server is asked why a connection failed (seconds), how often a waiting caller looks whether it is
# stopped, and how long the end of the thread is waited for.
ASK_SECONDS, LOOK_EVERY, END_SECONDS = 3.0, 0.05, 2.0
# Always in this order, so that a server with several keys shows the same one each time. RSA with SHA-1 and DSA are not taken.
HOST_KEYS = (
    *("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"),
    *("rsa-sha2-512", "rsa-sha2-256"),
)
# Packets are taken as they are: what unpacks to more than was sent is nothing a database needs.
NO_COMPRESSION = ("none",)
# Errors of a call that nobody took.
_NOBODY = (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH)
# State of an open connection in /proc/net/tcp.
_ESTABLISHED = "01"

LOGIN_ADVICE = "Check the user and how it signs in to the SSH server."
REACH_ADVICE = (
    "Host and port of the database are as the SSH server sees them: localhost is the SSH server itself."
)

Answer = TypeVar("Answer")

logging.getLogger("asyncssh").setLevel(
    logging.CRITICAL
)  # it tells of users and addresses, and of what is raised here


class _Client(asyncssh.SSHClient):
    """Takes the one host key that was confirmed."""

    def __init__(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint
        self.shown = ""

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.shown = key.get_fingerprint()
        return self.shown == self._fingerprint


class SshTunnel:
    """A way through an SSH server to one host and port, which the server finds and calls."""

    def __init__(self, server: SshServer, host: str, port: int) -> None:
        if not FINGERPRINT.fullmatch(server.fingerprint):
            raise ValueError("The SSH server's key is not known. Confirm its fingerprint first.")
        self._server, self._to = server, (host, port)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._connection: asyncssh.SSHClientConnection | None = None
        self._port = 0

    def port(self, flight: Flight | None) -> int:
        """Give the port of this machine that leads to the database. Raises: Unreachable, StatementFailed."""
        while not self._lock.acquire(timeout=LOOK_EVERY):
            if flight is not None:
                flight.check()
        try:
            if flight is None and not self._is_open:
                raise self._lost()
            if flight is not None and not self._is_open:
                self._port = self._waited(self._opened(), flight)
            return self._port
        finally:
            self._lock.release()

    def lost(self) -> Unreachable | None:
        """Say that the connection to the SSH server broke, if it did."""
        return None if self._is_open else self._lost()

    def refusal(self) -> Unreachable | None:
        """Say why nothing comes through: ask the SSH server for a connection, and let it go. None where it gives one."""
        if not self._is_open or self._loop is None:
            return self._lost()
        try:
            asyncio.run_coroutine_threadsafe(self._tried(), self._loop).result(ASK_SECONDS)
        except asyncssh.ChannelOpenError as error:
            return self._not_forwarded(error)
        except (asyncssh.Error, OSError, TimeoutError):
            return self._lost()
        return None

    def close(self) -> None:
        """Hang up, and end the thread."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
            if loop is None or thread is None:
                return
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(self._hang_up)
                loop.call_soon_threadsafe(loop.stop)
        thread.join(END_SECONDS)

    # ------------------------------------------------------------ in the thread of the caller

    @property
    def _is_open(self) -> bool:
        return self._connection is not None and not self._connection.is_closed()

    def _waited(self, work: Coroutine[Any, Any, Answer], flight: Flight) -> Answer:
        """Wait for the loop, until the statement is stopped or over. Raises: Unreachable, StatementFailed."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="ssh", daemon=True)
            self._thread.start()
        doing: Future[Answer] = asyncio.run_coroutine_threadsafe(work, self._loop)
        while not wait([doing], LOOK_EVERY).done:
            if (failure := flight.failure()) is not None:
                doing.cancel()
                raise StatementFailed(failure)
        return doing.result()

    def _lost(self) -> Unreachable:
        return _said(
            f"The connection to the SSH server {self._server.place} was lost.",
            "Run it again once the server is back.",
        )

    def _not_forwarded(self, error: asyncssh.ChannelOpenError) -> Unreachable:
        to = f"{self._to[0]}:{self._to[1]}"
        if error.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED:
            return _said(
                f"The SSH server {self._server.place} does not forward to {to} for user '{self._server.user}'.",
                "Its administrator allows it (AllowTcpForwarding, PermitOpen).",
            )
        return _said(f"The SSH server {self._server.place} reaches nothing at {to}.", REACH_ADVICE)

    # ------------------------------------------------------------ in the thread of the loop

    async def _opened(self) -> int:
        """Connect, sign in and listen; give the port. Raises: Unreachable."""
        self._hang_up()
        server = self._server
        key = key_read(server.key, server.password) if server.key else None
        client = _Client(server.fingerprint)
        options: dict[str, Any] = {
            "username": server.user,
            "client_keys": [key] if key is not None else None,
            "password": None if key is not None else server.password,
            "preferred_auth": "publickey" if key is not None else "password,keyboard-interactive",
            "agent_path": None,
            "known_hosts": ([], [], []),
            "client_factory": lambda: client,
            "keepalive_interval": KEEPALIVE_SECONDS,
            "keepalive_count_max": KEEPALIVE_COUNT,
        }
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                connection = await _called(server, asyncssh.connect, options)
                listened: list[int] = []
                listener: asyncssh.SSHListener = await connection.forward_local_port(
                    LOOPBACK, 0, *self._to, lambda host, port: _is_ours(host, port, listened)
                )
                listened.append(int(listener.get_port()))
        except asyncssh.HostKeyNotVerifiable:
            raise _other_key(server, client.shown) from None
        except asyncssh.PermissionDenied:
            what = "key" if key is not None else "password"
            words = f"The SSH server {server.place} refused the {what} of user '{server.user}'."
            raise _said(words, LOGIN_ADVICE) from None
        except (asyncssh.Error, OSError, TimeoutError) as error:
            raise _silent(server, error) from None
        self._connection = connection
        return int(listener.get_port())

    async def _tried(self) -> None:
        assert self._connection is not None
        _, writer = await self._connection.open_connection(*self._to)
        writer.close()

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.abort()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()


def host_key_shown(server: SshServer) -> str:
    """Ask an SSH server for its host key and give the fingerprint. Nobody signs in, nothing secret is sent. Raises: Unreachable."""

    async def shown() -> str:
        async with asyncio.timeout(CONNECT_SECONDS):
            key: asyncssh.SSHKey | None = await _called(server, asyncssh.get_server_host_key, {})
        return key.get_fingerprint() if key is not None else ""

    try:
        found = asyncio.run(shown())
    except (asyncssh.Error, OSError, TimeoutError) as error:
        raise _silent(server, error) from None
    if not found:
        raise _silent(server, OSError())
    return found


async def _called(server: SshServer, call: Any, options: dict[str, Any]) -> Any:
    """Call the addresses of a server, one after another. Raises: OSError of the last, asyncssh.Error, Unreachable."""
    try:
        prepared = await _prepared(options)
    except ValueError:
        raise _said(
            "The user or the password for the SSH server holds signs that SSH does not take.",
            "Type both anew, without control signs.",
        ) from None
    refused: OSError = OSError("it has no address")
    for address in server.addresses or (server.host,):
        try:
            return await call(address, server.port, config=None, options=prepared)
        except OSError as error:  # an IPv6 address is no way where this machine has none
            refused = error
    raise refused


async def _prepared(options: dict[str, Any]) -> asyncssh.SSHClientConnectionOptions:
    prepared: asyncssh.SSHClientConnectionOptions = await asyncssh.SSHClientConnectionOptions.construct(
        config=None,
        server_host_key_algs=HOST_KEYS,
        compression_algs=NO_COMPRESSION,
        tcp_keepalive=True,
        gss_auth=False,
        gss_kex=False,
        x509_trusted_certs=None,
        **options,
    )
    return prepared


def _other_key(server: SshServer, shown: str) -> Unreachable:
    return _said(
        f"The SSH server {server.place} shows another key than the one that was confirmed: {shown}. Nothing was sent to it.",
        "Ask its administrator whether its key was changed. If it was, empty the fingerprint in the form of the source, "
        "test it, and confirm the new key. If it was not, something else answers at that address.",
    )


def _silent(server: SshServer, error: Exception) -> Unreachable:
    """Say that nothing that Mirror can talk with answers there."""
    if isinstance(error, OSError) and error.errno in _NOBODY:
        words = f"Nothing answers at the SSH server {server.place}."
    elif isinstance(error, TimeoutError):
        words = f"The SSH server {server.place} did not answer within {CONNECT_SECONDS} seconds."
    elif isinstance(error, asyncssh.KeyExchangeFailed):
        words = (
            f"The SSH server {server.place} offers no way of encryption or kind of key that is taken today."
        )
    else:
        words = f"The SSH server {server.place} broke off, or speaks no SSH."
    advice = "Check the SSH server's host and port, that it runs, and firewalls on the way."
    return unreachable(words, advice, SSH_SILENT)


def _said(message: str, advice: str) -> Unreachable:
    return unreachable(message, advice, SSH_SAID)


def _is_ours(host: str, port: int, to: Sequence[int]) -> bool:
    """Say whether a connection to a port of this machine was made by a process of this user, as Linux tells; True where it does not.

    Example:
        >>> _is_ours("127.0.0.1", 1, [2])
        False
    """
    try:
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return True
    owners = [uid for one in to for uid in _owners(lines, (host, port), (LOOPBACK, one))]
    return bool(owners) and all(uid == os.geteuid() for uid in owners)


def _owners(lines: Iterable[str], at: tuple[str, int], to: tuple[str, int]) -> Iterable[int]:
    """Give the users of the open connections between two IPv4 addresses and ports: a local port may be used towards several."""
    wanted = [_written(*at), _written(*to), _ESTABLISHED]
    return (int(parts[7]) for parts in map(str.split, lines) if parts[1:4] == wanted)


def _written(host: str, port: int) -> str:
    return f"{bytes(map(int, host.split('.')))[::-1].hex().upper()}:{port:04X}"
