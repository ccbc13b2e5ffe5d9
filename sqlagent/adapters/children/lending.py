"""Lends children that are ready to run statements of files, and says in words how one ended.

Each process that asks has servers of its own, one an engine, started when it is first asked for, in 80 ms (SQLite)
and 400 ms (DuckDB). Sooner would be for nothing in a process that asks no file.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlagent.adapters.children.child import IDLE_SECONDS, Ask
from sqlagent.adapters.failures import out_of_memory, timed_out, unreachable
from sqlagent.adapters.flights import Flight
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.forks import frames
from sqlagent.forks.forking import END_SECONDS, Fork, Gone, Kept, Server
from sqlagent.forks.frames import LAST, Frame, Torn
from sqlagent.values import Failure, FailureKind

# An engine that has not broken off by itself so long after its deadline or Stop is killed (seconds).
KILL_SECONDS = 0.3
# How often somebody who waits looks whether the server should have killed long ago (seconds).
LOOK_SECONDS = 0.5
# Bytes that a child may hold beside what its statement may take: rows on their way, stacks, what malloc keeps.
SPARE_BYTES = 64_000_000
# Idle children kept of one database with one limit, and of all.
IDLE_OF_ONE, IDLE_OF_ALL = 4, 12
# How often a child is looked for: one that is idle may end, and so may a server.
TRIES = 3
# The work of the children of an engine, and the modules loaded before they are forked.
CHILD, TITLES = "sqlagent.adapters.children.child", "sqlagent.adapters.children.titles"
DOORS = {
    "sqlite": (f"{CHILD}:serve_sqlite", ("sqlagent.adapters.sqlite_engine", f"{TITLES}:title_sqlite")),
    "duckdb": (
        f"{CHILD}:serve_duckdb",
        (
            "sqlagent.adapters.children.arrow_frames",
            "sqlagent.adapters.duckdb_engine:warm",
            f"{TITLES}:title_duckdb",
        ),
    ),
}

Key = tuple[str, str, int]


class Lent:
    """A child in use: at most one thing is asked of it at a time."""

    def __init__(self, fork: Fork, key: Key) -> None:
        self.fork, self.key = fork, key
        self.is_new = True
        self.has_said = self.stays = False
        self.is_over = True
        self._idle_since = 0.0
        self._lock = threading.Lock()

    def begin(self, ask: Ask) -> None:
        """Ask one thing. Raises: Gone, OSError."""
        with self._lock:
            self.is_over, self.has_said, self.stays = False, False, False
        self.fork.begin(until=ask.until + KILL_SECONDS, more=ask.memory + SPARE_BYTES)
        self.fork.send(Frame.ASK, frames.packed(ask))

    def send(self, frame: Frame) -> None:
        """Send the child a message. Raises: OSError."""
        self.fork.send(frame)

    def stop(self) -> None:
        """Have what is asked broken off, or killed soon after. From any thread."""
        with self._lock:
            if not self.is_over:
                with suppress(OSError):
                    self.fork.send(Frame.STOP)
                with suppress(Gone):
                    self.fork.hurry(time.monotonic() + KILL_SECONDS)

    def receive(self, flight: Flight) -> tuple[Frame, bytearray]:
        """Wait for the child's next message. Raises: Torn when it ended; OSError."""
        overdue = 0.0

        def look() -> None:  # The server kills in time. This is for a server that does not.
            nonlocal overdue
            overdue = overdue + LOOK_SECONDS if flight.failure() is not None else 0.0
            if overdue > END_SECONDS:
                raise Torn("neither the child nor its server answers")

        frame, data = self.fork.receive(look, LOOK_SECONDS)
        self.has_said = True
        if frame in LAST:
            with self._lock:
                self.is_over = True
        return frame, data

    def end(self) -> dict[str, Any]:
        """Kill it if it is still there, wait, and tell how it ended (`Fork.end`)."""
        with self._lock:
            self.is_over = True
        return self.fork.end()

    def rest(self) -> None:
        """Tell the server that nothing runs. Raises: Gone."""
        self.fork.rest()
        self.is_new, self._idle_since = False, time.monotonic()

    @property
    def is_fresh(self) -> bool:
        """Say whether an idle child is surely still there."""
        return time.monotonic() - self._idle_since < IDLE_SECONDS - 2


class Stable:
    """The servers and idle children of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._servers = {engine: Kept(_starter(*how)) for engine, how in DOORS.items()}
        self._idle: list[Lent] = []
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.drop_idle)

    def server(self, engine: str) -> Server:
        """Give the server of an engine, started if need be. Raises: OSError."""
        return self._servers[engine].server()

    def take(self, key: Key) -> Lent:
        """Give a child for one database, an idle one or a new. Raises: Gone."""
        server = self.server(key[0])
        with self._lock:
            self._drop_stale()
            for number in range(len(self._idle) - 1, -1, -1):
                if self._idle[number].key == key and self._idle[number].fork.server is server:
                    return self._idle.pop(number)
        return Lent(server.fork(), key)

    def give_back(self, child: Lent) -> None:
        """Keep a child that has done what was asked, for the next."""
        try:
            child.rest()
        except Gone:
            child.fork.forget()
            return
        with self._lock:
            self._idle.append(child)
            same = [other for other in self._idle if other.key == child.key]
            if len(same) > IDLE_OF_ONE or len(self._idle) > IDLE_OF_ALL:
                oldest = same[0] if len(same) > IDLE_OF_ONE else self._idle[0]
                self._idle.remove(oldest)
                oldest.fork.forget()
            self._drop_stale()

    def drop_idle(self) -> None:
        """End all children that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.fork.forget()

    def _drop_stale(self) -> None:
        for child in [child for child in self._idle if not child.is_fresh]:
            self._idle.remove(child)
            child.fork.forget()

    def _forget(self) -> None:
        """Start anew in a process that was forked from this one."""
        self._lock = threading.Lock()
        self.drop_idle()


def _starter(door: str, modules: tuple[str, ...]) -> Callable[[], Server]:
    return lambda: Server(door, modules)


stable = Stable()


@contextmanager
def asked(engine: str, path: Path, ask: Ask, flight: Flight) -> Iterator[tuple[Lent, Frame, bytearray]]:
    """Ask one thing of a child and give it with its first message. Leaving ends what is not done.

    Raises: Unreachable where no child can be had; StatementFailed for one that was killed or crashed.
    """
    child, frame, data = _begun((engine, str(path), ask.memory), ask, flight)
    try:
        yield child, frame, data
    except (Torn, OSError) as error:
        flight.arm(None)
        raise ended(child.end(), ask, flight) from error
    finally:
        flight.arm(None)
        if child.fork.is_open:
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
            if not told and not child.fork.server.has_served:
                raise _no_server(key[0], Gone(child.fork.server.last_words())) from error
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
        return StatementFailed(out_of_memory(ask.memory))
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
