"""A database in a file, whose statements run in children: the adapter that the caller holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlagent.adapters.base import CATALOG_SECONDS, Adapter, Batch, Rowing, file_powers, known_options
from sqlagent.adapters.children.child import Ask
from sqlagent.adapters.children.lending import Lent, asked
from sqlagent.adapters.children.plain import plain
from sqlagent.adapters.flights import Flight
from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.forks.frames import LAST, Frame, Torn
from sqlagent.values import Catalog, Check, Kind, Limits, Rows

# The limits of a statement of this machine's memory (bytes).
STATEMENT_MEMORY = 2_000_000_000


class ChildBroken(RuntimeError):
    """Our own code in a child failed; the message is its traceback."""


class FileDatabase(Adapter):
    """One file. `database` is its path. Subclasses name the engine, which is also the dialect.

    `memory` is what a statement may take where nothing else is said (bytes).
    """

    memory = STATEMENT_MEMORY

    def __init__(self, database: str, options: Mapping[str, str] | None = None) -> None:
        super().__init__()
        known_options(options or {}, ())
        self.path = Path(database).absolute()

    def catalog(self) -> Catalog:
        """Read tables, columns, keys and comments. Raises: Unreachable, StatementFailed."""
        found: Catalog = self._told("catalog")
        return found

    def check(self) -> Check:
        """Open the file, read its schema, and tell whether this process could write to it. Raises: Unreachable."""
        found: Check = self._told("check")
        return replace(found, powers=file_powers(self.path))

    def _told(self, what: str) -> Any:
        with self.flight(CATALOG_SECONDS) as flight:
            ask = self._ask(what, flight, Limits(), "")
            with asked(self.dialect, self.path, ask, flight) as (child, frame, data):
                return said(child, frame, data)

    def _ask(self, what: str, flight: Flight, limits: Limits, sql: str) -> Ask:
        memory = limits.memory or self.memory
        return Ask(
            what, str(self.path), flight.seconds, flight.deadline, memory, limits, sql, self.store_mark
        )

    def _all_rows(self, flight: Flight, sql: str, limits: Limits) -> Rows:
        return self._gathered(self._asked("rows", flight, sql, limits))

    def _session(self, flight: Flight, sql: str, limits: Limits) -> AbstractContextManager[Rowing]:
        return self._asked("stream", flight, sql, limits)

    @contextmanager
    def _asked(self, what: str, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        ask = self._ask(what, flight, limits, sql)
        with asked(self.dialect, self.path, ask, flight) as (child, frame, data):
            if frame is not Frame.BEGUN:
                said(child, frame, data)
                raise Torn("rows come before they are announced")
            columns, kinds, comes_by_column = plain(data)
            made = ChildColumns if comes_by_column else ChildRows
            yield made(columns, kinds, child, flight, limits, is_coming=what == "rows")


class ChildRows(Rowing):
    """Rows that a child has kept within the limits already."""

    def __init__(
        self,
        columns: tuple[str, ...],
        kinds: tuple[Kind, ...],
        child: Lent,
        flight: Flight,
        limits: Limits,
        *,
        is_coming: bool,
    ) -> None:
        super().__init__(columns, kinds, (), flight, limits)
        self._child, self._is_coming = child, is_coming

    def __iter__(self) -> Iterator[Batch]:
        if not self._is_coming:
            self._child.send(Frame.BY_ROW)
        while (batch := self._next(Frame.ROWS)) is not None:
            yield plain(batch)

    def _next(self, wanted: Frame) -> bytearray | None:
        """Give the next batch, or None after the last. Raises: StatementFailed, Unreachable, Torn."""
        frame, data = self._child.receive(self._flight)
        self._flight.check()
        if frame is wanted:
            return data
        self.truncated, self.cut_cells = said(self._child, frame, data)
        return None


class ChildColumns(ChildRows):
    """Rows that a child also gives by column; a `ColumnStream` of the ports."""

    def column_batches(self) -> Iterator[list[Any]]:
        """Yield batches of columns. Raises: StatementFailed, Unreachable."""
        from sqlagent.adapters.children.arrow_frames import unpacked_columns  # loads pyarrow

        self._child.send(Frame.BY_COLUMN)
        while (parts := self._next(Frame.COLUMNS)) is not None:
            frame, stream = self._child.receive(self._flight)
            if frame is not Frame.ARROW:
                raise Torn("columns without their arrays")
            yield unpacked_columns(plain(parts), stream)


def said(child: Lent, frame: Frame, data: bytearray) -> Any:
    """Read the last message: what was asked for, or the error that it ended with.

    Raises: StatementFailed, Unreachable; ChildBroken for a mistake of ours; Torn.
    """
    if frame not in LAST:
        raise Torn(f"{frame.name} is no end")
    told, child.stays = plain(data)
    if frame is Frame.DONE:
        return told
    if frame is Frame.BROKEN:
        raise ChildBroken(told)
    name, failure = told
    raise (Unreachable if name == "Unreachable" else StatementFailed)(failure)
