"""One child: runs what it is asked, one thing after another, and ends when nothing is asked any more.

It is forked by `sqlagent.forks.server` from a process that has the engine's driver loaded and no thread. A thread
of its own listens for Stop; when the caller goes away it ends the process, whatever that is doing.
"""

from __future__ import annotations

import os
import queue
import resource
import socket
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from sqlagent.adapters.base import Rowing
from sqlagent.adapters.children.engine import FileEngine
from sqlagent.adapters.children.engines import engine_named
from sqlagent.adapters.columnar import ColumnarRowing
from sqlagent.adapters.failures import out_of_memory
from sqlagent.adapters.flights import Flight
from sqlagent.errors import DatabaseError
from sqlagent.forks import frames
from sqlagent.forks.confining import anonymous_bytes
from sqlagent.forks.frames import Frame, Torn
from sqlagent.values import Limits

# An idle child ends after so many seconds.
IDLE_SECONDS = 10.0
# A child that holds so much more than when it began (bytes) is not used again.
KEPT_BYTES = 50_000_000
# Characters of a message; a database may quote a text of any length in one.
MESSAGE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked: `what` is "rows", "stream" (by row or by column, as is said later), "catalog" or "check".

    `seconds` is the deadline as said, `until` the same on the machine's monotonic clock; `memory` is in bytes.
    """

    what: str
    path: str
    seconds: float
    until: float
    memory: int
    limits: Limits
    sql: str = ""
    store_mark: str = ""


def serve_sqlite(channel: socket.socket, folder: Path) -> NoReturn:
    """Be a child that runs statements of a SQLite file."""
    Child(channel, engine_named("sqlite"), folder).serve()


def serve_duckdb(channel: socket.socket, folder: Path) -> NoReturn:
    """Be a child that runs statements of a DuckDB file."""
    Child(channel, engine_named("duckdb"), folder).serve()


class Child:
    """The loop of a child over its channel."""

    def __init__(self, channel: socket.socket, kind: type[FileEngine], folder: Path) -> None:
        self._channel, self._kind, self._folder = channel, kind, folder
        self._inbox: queue.SimpleQueue[tuple[Frame, Ask | None, Flight | None]] = queue.SimpleQueue()
        self._is_bounded = False
        self._at_first = anonymous_bytes()

    def serve(self) -> NoReturn:
        """Answer until nothing is asked for `IDLE_SECONDS`, or the caller is gone."""
        threading.Thread(target=self._listen, name="listener", daemon=True).start()
        while True:
            try:
                _, ask, flight = self._inbox.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                os._exit(0)
            if ask is not None and flight is not None:
                self._answer(ask, flight)

    def _listen(self) -> None:
        """Pass on what comes; a Stop goes to what was asked last, whether or not it has begun."""
        flight: Flight | None = None
        try:
            while True:
                frame, data = frames.receive(self._channel)
                if frame is Frame.STOP:
                    if flight is not None:
                        flight.stop()
                    continue
                ask = None
                if frame is Frame.ASK:
                    ask = frames.trusted(data)
                    flight = Flight(ask.seconds)
                    flight.deadline = ask.until
                self._inbox.put((frame, ask, flight))
        except (OSError, Torn):
            os._exit(0)

    def _answer(self, ask: Ask, flight: Flight) -> None:
        """Do what is asked and say how it ended; end oneself when that has left something behind."""
        broken: BaseException | None = None
        try:
            self._bound(ask.memory)
            frame, said = Frame.DONE, self._done(ask, flight)
        except DatabaseError as error:
            frame, said, broken = Frame.FAILED, _failed(error), error
        except MemoryError as error:
            failure = out_of_memory(ask.memory)
            frame, said, broken = Frame.FAILED, ("StatementFailed", failure), error
        except (BrokenPipeError, ConnectionResetError):
            os._exit(0)
        except Exception:  # noqa: BLE001 - the caller raises it
            frame, said = Frame.BROKEN, traceback.format_exc()
            broken = MemoryError()
        stays = not self._is_broken(broken)
        try:
            frames.send(self._channel, frame, frames.packed((said, stays)))
        except OSError:
            os._exit(0)
        if not stays:
            os._exit(0)

    def _is_broken(self, error: BaseException | None) -> bool:
        while error is not None:
            if isinstance(error, (MemoryError, *self._kind.broken_by)):
                return True
            error = error.__cause__
        return anonymous_bytes() > self._at_first + KEPT_BYTES

    def _bound(self, memory: int) -> None:
        """Bound the addresses of the process, coarsely: what is reserved is not what is used."""
        if self._is_bounded:
            return
        self._is_bounded = True
        held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = held + self._kind.addresses(memory)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

    def _done(self, ask: Ask, flight: Flight) -> Any:
        engine = self._kind(Path(ask.path), ask.memory, self._folder, ask.store_mark)
        if ask.what == "catalog":
            return engine.catalog(flight)
        if ask.what == "check":
            return engine.check(flight)
        with engine.session(flight, ask.sql, ask.limits) as rowing:
            self._send_rows(rowing, ask.what)
        return rowing.truncated, rowing.cut_cells

    def _send_rows(self, rowing: Rowing, what: str) -> None:
        comes_by_column = isinstance(rowing, ColumnarRowing)
        begun = (rowing.columns, rowing.kinds, comes_by_column)
        frames.send(self._channel, Frame.BEGUN, frames.packed(begun))
        wanted = Frame.BY_ROW if what == "rows" else self._inbox.get()[0]
        if wanted is Frame.BY_COLUMN and isinstance(rowing, ColumnarRowing):
            from sqlagent.adapters.children.arrow_frames import packed_columns

            for columns in rowing.column_batches():
                parts, stream = packed_columns(list(columns))
                frames.send(self._channel, Frame.COLUMNS, frames.packed(parts))
                frames.send(self._channel, Frame.ARROW, stream)
            return
        for batch in rowing:
            frames.send(self._channel, Frame.ROWS, frames.packed(batch))


def _failed(error: DatabaseError) -> tuple[str, Any]:
    failure = error.failure
    if len(failure.message) > MESSAGE_CHARS:
        from dataclasses import replace

        failure = replace(failure, message=failure.message[:MESSAGE_CHARS] + "…")
    return type(error).__name__, failure
