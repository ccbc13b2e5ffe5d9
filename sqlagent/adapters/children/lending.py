"""The caller's side: starts the server of forks, lends children that are ready, says how one ended.

Each process that asks has servers of its own, one an engine, started when first asked for or by `start`. A
process that is forked from one that has them forgets them and starts its own.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from sqlagent.adapters.base import Flight, out_of_memory, timed_out, unreachable
from sqlagent.adapters.children import frames
from sqlagent.adapters.children.child import IDLE_SECONDS, Ask
from sqlagent.adapters.children.frames import Frame, Torn
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.values import Failure, FailureKind

# An engine that has not broken off by itself so long after its deadline or Stop is killed (seconds).
KILL_SECONDS = 0.3
# How long the end of a killed child, which gives its memory back first, is waited for (seconds).
END_SECONDS = 3.0
# Idle children kept of one database with one limit, and of all.
IDLE_OF_ONE, IDLE_OF_ALL = 4, 12
# What a server inherits of the environment: where things lie, language and zone. No secrets.
INHERITED = ("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE")
# Libraries start no thread when they are loaded.
THREADLESS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}

# How often a child is looked for: one that is idle may end, and so may a server.
TRIES = 3

Key = tuple[str, str, int]


class Gone(Exception):
    """The server of forks is not there any more."""


class Server:
    """The server of forks of one engine, as its parent sees it."""

    def __init__(self, engine: str, module: str = "sqlagent.adapters.children.server") -> None:
        self.engine = engine
        self.has_served = False
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._numbers = count()
        environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        environment |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONNOUSERSITE": "1"}
        command = [sys.executable, "-P", "-m", module, engine]
        try:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=environment | THREADLESS,
                cwd="/",
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

    def fork(self, key: Key) -> Lent:
        """Have a child made. Raises: Gone."""
        number = next(self._numbers)
        channel, theirs = socket.socketpair()
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
        return Lent(self, number, key, channel, end)

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


@dataclass
class Lent:
    """A child in use: at most one thing is asked of it at a time."""

    server: Server
    number: int
    key: Key
    channel: socket.socket
    ends: int
    is_new: bool = True
    idle_since: float = 0.0
    has_said: bool = False
    stays: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_over: bool = True

    def begin(self, ask: Ask) -> None:
        """Ask one thing. Raises: Gone, OSError."""
        with self.lock:
            self.is_over, self.has_said, self.stays = False, False, False
        self.server.say(
            do="begin", child=self.number, until=ask.until + KILL_SECONDS, memory=ask.limits.memory
        )
        self.send(Frame.ASK, frames.packed(ask))

    def send(self, frame: Frame, data: bytes = b"") -> None:
        """Send the child a message. Raises: OSError."""
        frames.send(self.channel, frame, data)

    def stop(self) -> None:
        """Have what is asked broken off, or killed soon after. From any thread."""
        with self.lock:
            if not self.is_over:
                with suppress(OSError):
                    self.send(Frame.STOP)
                with suppress(Gone):
                    self.server.say(do="stop", child=self.number, until=time.monotonic() + KILL_SECONDS)

    def receive(self, flight: Flight) -> tuple[Frame, bytearray]:
        """Wait for the child's next message. Raises: Torn when it ended; OSError."""
        frame, length = frames.head_of(self._read(frames.HEAD_BYTES, flight))
        data = self._read(length, flight)
        self.has_said = self.server.has_served = True
        if frame in (Frame.DONE, Frame.FAILED, Frame.BROKEN):
            with self.lock:
                self.is_over = True
        return frame, data

    def _read(self, length: int, flight: Flight) -> bytearray:
        data = bytearray(length)
        view, got = memoryview(data), 0
        ready = select.poll()
        ready.register(self.channel.fileno(), select.POLLIN)
        overdue = 0.0
        while got < length:
            if not ready.poll(500):
                # The server kills in time. This is for a server that does not.
                overdue = overdue + 0.5 if flight.failure() is not None else 0.0
                if overdue > END_SECONDS:
                    raise Torn("neither the child nor its server answers")
                continue
            taken = self.channel.recv_into(view[got:])
            if not taken:
                raise Torn("the child has ended")
            got += taken
        return data

    def end(self) -> dict[str, Any]:
        """Kill it if it is still there, wait, and tell how it ended: `code`, `why`, `peak`; {} if unknown."""
        with self.lock:
            self.is_over = True
        with suppress(Gone):
            self.server.say(do="kill", child=self.number)
        self.channel.close()
        told = b""
        ready = select.poll()
        ready.register(self.ends, select.POLLIN)
        if ready.poll(END_SECONDS * 1_000):
            told = os.read(self.ends, 4_096)
        os.close(self.ends)
        return dict(json.loads(told)) if told else {}

    def rest(self) -> None:
        """Tell the server that nothing runs. Raises: Gone."""
        self.server.say(do="end", child=self.number)
        self.is_new, self.idle_since = False, time.monotonic()

    def forget(self) -> None:
        """In a process forked from ours, or for a child that ended by itself: close what is held."""
        self.channel.close()
        os.close(self.ends)

    @property
    def is_fresh(self) -> bool:
        """Say whether an idle child is surely still there."""
        return time.monotonic() - self.idle_since < IDLE_SECONDS - 2


class Stable:
    """The servers and idle children of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._servers: dict[str, Server] = {}
        self._idle: list[Lent] = []

    def server(self, engine: str) -> Server:
        """Give the server of an engine, started if need be. Raises: OSError."""
        with self._lock:
            found = self._servers.get(engine)
            if found is None or found.has_ended:
                found = self._servers[engine] = Server(engine)
            return found

    def take(self, key: Key) -> Lent:
        """Give a child for one database, an idle one or a new. Raises: Gone."""
        server = self.server(key[0])
        with self._lock:
            self._drop_stale()
            for number in range(len(self._idle) - 1, -1, -1):
                if self._idle[number].key == key and self._idle[number].server is server:
                    return self._idle.pop(number)
        return server.fork(key)

    def give_back(self, child: Lent) -> None:
        """Keep a child that has done what was asked, for the next."""
        try:
            child.rest()
        except Gone:
            child.forget()
            return
        with self._lock:
            self._idle.append(child)
            same = [other for other in self._idle if other.key == child.key]
            if len(same) > IDLE_OF_ONE or len(self._idle) > IDLE_OF_ALL:
                oldest = same[0] if len(same) > IDLE_OF_ONE else self._idle[0]
                self._idle.remove(oldest)
                oldest.forget()
            self._drop_stale()

    def drop_idle(self) -> None:
        """End all children that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.forget()

    def _drop_stale(self) -> None:
        for child in [child for child in self._idle if not child.is_fresh]:
            self._idle.remove(child)
            child.forget()

    def forget(self) -> None:
        """Start anew in a process that was forked from this one."""
        for child in self._idle:
            child.forget()
        for server in self._servers.values():
            server.forget()
        self.__init__()  # type: ignore[misc]

    def close(self) -> None:
        """End all servers and children."""
        self.drop_idle()
        with self._lock:
            servers, self._servers = list(self._servers.values()), {}
        for server in servers:
            server.close()


stable = Stable()
os.register_at_fork(after_in_child=stable.forget)
atexit.register(stable.close)


def start(*engines: str) -> None:
    """Start servers of forks before they are asked for; returns at once."""
    for engine in engines:
        stable.server(engine)


@contextmanager
def asked(engine: str, path: Path, ask: Ask, flight: Flight) -> Iterator[tuple[Lent, Frame, bytearray]]:
    """Ask one thing of a child and give it with its first message. Leaving ends what is not done.

    Raises: Unreachable where no child can be had; StatementFailed for one that was killed or crashed.
    """
    child, frame, data = _begun((engine, str(path), ask.limits.memory), ask, flight)
    try:
        yield child, frame, data
    except (Torn, OSError) as error:
        flight.arm(None)
        raise ended(child.end(), ask, flight) from error
    finally:
        flight.arm(None)
        if child.channel.fileno() >= 0:
            if child.is_over and child.stays:
                stable.give_back(child)
            else:
                child.end()


def _begun(key: Key, ask: Ask, flight: Flight) -> tuple[Lent, Frame, bytearray]:
    """Ask, and again where an idle child has just ended or the server is gone: nothing had begun then."""
    for tries in range(TRIES):
        is_last = tries == TRIES - 1
        try:
            child = stable.take(key)
        except (Gone, OSError) as error:
            if is_last:
                raise _no_server(key[0], error) from error
            continue
        flight.arm(child.stop)
        try:
            child.begin(ask)
            flight.check()
            return child, *child.receive(flight)
        except Gone as error:
            child.end()
            if is_last:
                raise _no_server(key[0], error) from error
        except (Torn, OSError) as error:
            was_idle = not child.is_new and not child.has_said
            told = child.end()
            if not told and not child.server.has_served:
                raise _no_server(key[0], Gone(child.server.last_words())) from error
            if is_last or not was_idle or told.get("code") != 0:
                raise ended(told, ask, flight) from error
        except BaseException:
            child.end()
            raise
    raise AssertionError("the last try raises")


def _no_server(engine: str, error: Exception) -> DatabaseError:
    said = f": {error}" if str(error) else ""
    advice = "Look whether the machine has memory and processes left, and whether the driver is installed."
    return unreachable(f"The process that runs statements of {engine} does not start{said}.", advice)


def ended(told: dict[str, Any], ask: Ask, flight: Flight) -> DatabaseError:
    """Say as an error of ours how a child ended that had not answered."""
    code, why = told.get("code"), told.get("why", "")
    stopped = flight.failure()
    if why == "memory" and not flight.is_cancelled:
        return StatementFailed(out_of_memory(ask.limits.memory))
    if stopped is not None or why == "time":
        return StatementFailed(stopped or timed_out(ask.seconds))
    if not told:
        message = "The process that ran the statement ended together with its server."
        return StatementFailed(Failure(FailureKind.ERROR, message, advice="Run it again."))
    if code == -signal.SIGKILL:
        message = "The statement was killed by the system, most likely because the machine ran out of memory."
        advice = "Ask for less, or try again when the machine has less to do."
        return StatementFailed(Failure(FailureKind.ERROR, message, advice=advice))
    how = f" ({signal.Signals(-code).name})" if isinstance(code, int) and code < 0 else ""
    message = f"The database's engine crashed while it ran this statement{how}. Nothing else was harmed."
    advice = "Write it another way: shorter texts and paths, less nesting, a plainer function."
    return StatementFailed(Failure(FailureKind.ERROR, message, advice=advice))
