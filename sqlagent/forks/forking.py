"""The caller's side of a server of forks: starts it, has children forked, asks them, says how one ended.

A process that is forked from one that has servers forgets them and starts its own.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any

from sqlagent.forks import frames
from sqlagent.forks.frames import Frame, Torn

# How long the end of a killed child, which gives its memory back first, is waited for (seconds).
END_SECONDS = 3.0
# Variables that a server inherits of the environment unless it is told: where things lie, language and zone. No secrets.
INHERITED = ("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE")
# Libraries start no thread when they are loaded.
THREADLESS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}


class Gone(Exception):
    """The server of forks is not there any more."""


def _pair(kind: socket.SocketKind) -> tuple[socket.socket, socket.socket]:
    """Make two joined sockets that wait for each other, whatever this process says of new sockets.

    Celery gives those of its process a timeout while it ends. Such a socket does not block, and its descriptor tells a child so.
    """
    pair = socket.socketpair(socket.AF_UNIX, kind)
    for each in pair:
        each.settimeout(None)
    return pair


class Server:
    """One server of forks, as its parent sees it.

    `door` is what its children do, "module:function" of a channel and a folder; `modules` are loaded besides, and a
    function of one ("module:function") is called, which leaves no thread behind. It
    ends when nobody asked for `idle_seconds`; 0 is never.
    """

    def __init__(
        self,
        door: str,
        modules: Iterable[str] = (),
        *,
        idle_seconds: float = 0.0,
        environment: Mapping[str, str] | None = None,
        folder: str = "/",
    ) -> None:
        self.has_served = False
        self._control, theirs = _pair(socket.SOCK_SEQPACKET)
        self._numbers = count()
        if environment is None:
            environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        places = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONNOUSERSITE": "1"}
        command = [sys.executable, "-P", "-m", "sqlagent.forks.server"]
        try:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno()), str(idle_seconds), door, *modules],
                pass_fds=[theirs.fileno()],
                env={**environment, **places, **THREADLESS},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        finally:
            theirs.close()

    @property
    def has_ended(self) -> bool:
        """Say whether the server is gone; then nothing of it is left."""
        return self._process.poll() is not None

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def say(self, fds: tuple[int, ...] = (), **words: Any) -> None:
        """Tell the server something. Raises: Gone."""
        try:
            socket.send_fds(self._control, [json.dumps(words).encode()], fds)
        except OSError as error:
            raise Gone(self.last_words()) from error

    def fork(self) -> Fork:
        """Have a child made, with a channel of its own. Raises: Gone."""
        number = next(self._numbers)
        channel, theirs = _pair(socket.SOCK_STREAM)
        end, told = os.pipe()
        try:
            self.say((theirs.fileno(), told), do="fork", child=number)
        except Gone:
            channel.close()
            os.close(end)
            raise
        finally:
            theirs.close()
            os.close(told)
        return Fork(self, number, channel, end)

    def close(self) -> None:
        """Have the server and its children end, and wait for it."""
        self._let_go()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)

    def forget(self) -> None:
        """In a process forked from ours: let go of what belongs to that."""
        self._let_go()
        self._process.returncode = 0

    def _let_go(self) -> None:
        self._control.close()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def last_words(self) -> str:
        """Tell why it did not start, in the last line that it wrote."""
        with suppress(subprocess.TimeoutExpired, ValueError):
            _, written = self._process.communicate(timeout=END_SECONDS)
            lines = written.decode("utf-8", "replace").strip().splitlines()
            return lines[-1] if lines else ""
        return ""


class Fork:
    """One child of a server, and the channel to it."""

    def __init__(self, server: Server, number: int, channel: socket.socket, ends: int) -> None:
        self.server, self._number = server, number
        self._channel, self._ends = channel, ends

    @property
    def is_open(self) -> bool:
        """Say whether the channel is still held here."""
        return self._channel.fileno() >= 0

    def begin(
        self,
        *,
        until: float | None = None,
        seconds: float | None = None,
        most: int | None = None,
        more: int | None = None,
    ) -> None:
        """Have it watched from now on. Raises: Gone.

        Its time is `until`, on the machine's monotonic clock, or `seconds` from now on. Its memory (bytes) is all
        that it may hold (`most`), or what it may hold beside what it was forked with (`more`).
        """
        said: dict[str, Any] = {"until": until, "seconds": seconds, "most": most, "more": more}
        known = {name: value for name, value in said.items() if value is not None}
        self.server.say(do="begin", child=self._number, **known)

    def hurry(self, until: float) -> None:
        """Have it killed at `until`, if it would go on for longer. From any thread. Raises: Gone."""
        self.server.say(do="stop", child=self._number, until=until)

    def rest(self) -> None:
        """Have it watched no more. Raises: Gone."""
        self.server.say(do="end", child=self._number)

    def send(self, frame: Frame, data: bytes = b"") -> None:
        """Send it a message. Raises: OSError."""
        frames.send(self._channel, frame, data)

    def receive(
        self, meanwhile: Callable[[], None], every: float, most: int = frames.MOST_BYTES
    ) -> tuple[Frame, bytearray]:
        """Wait for its next message, of `most` bytes. `meanwhile` is called after `every` so many seconds.

        Raises: Torn when it ended, OverflowError when the message is longer; OSError; what `meanwhile` raises.
        """
        frame, length = frames.head_of(self._read(frames.HEAD_BYTES, meanwhile, every))
        if length > most:
            raise OverflowError
        data = self._read(length, meanwhile, every)
        self.server.has_served = True
        return frame, data

    def _read(self, length: int, meanwhile: Callable[[], None], every: float) -> bytearray:
        data = bytearray(length)
        view, got = memoryview(data), 0
        ready = select.poll()
        ready.register(self._channel.fileno(), select.POLLIN)
        while got < length:
            if not ready.poll(every * 1_000):
                meanwhile()
                continue
            taken = self._channel.recv_into(view[got:])
            if not taken:
                raise Torn("the child has ended")
            got += taken
        return data

    def end(self) -> dict[str, Any]:
        """Kill it if it is still there, wait, and tell how it ended: `code`, `why`, `peak`; {} if unknown."""
        with suppress(Gone):
            self.server.say(do="kill", child=self._number)
        self._channel.close()
        told = b""
        ready = select.poll()
        ready.register(self._ends, select.POLLIN)
        if ready.poll(END_SECONDS * 1_000):
            told = os.read(self._ends, 4_096)
        os.close(self._ends)
        return dict(json.loads(told)) if told else {}

    def forget(self) -> None:
        """In a process forked from ours, or for a child that ends by itself: close what is held."""
        self._channel.close()
        os.close(self._ends)


class Kept:
    """A server that this process keeps: started when it is first needed, and again when it is gone."""

    def __init__(self, start: Callable[[], Server]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._server: Server | None = None
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.close)

    def server(self) -> Server:
        """Give the server, started if need be. Raises: OSError."""
        with self._lock:
            if self._server is None or self._server.has_ended:
                self._server = self._start()
            return self._server

    def lose(self, server: Server) -> None:
        """Start another one next time: this one is gone, or about to be."""
        with self._lock:
            if self._server is server:
                self._server = None

    def close(self) -> None:
        """End it and its children."""
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.close()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        if self._server is not None:
            self._server.forget()
        self._server = None
