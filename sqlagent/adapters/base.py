"""The base of all adapters: the list of statements in flight, rows in batches, cells cut to size.

An adapter decides how to open a read-only session and what its driver's errors mean; this
decides how many rows are kept and how a long cell is cut, and ends statements on `cancel`.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Protocol

from sqlagent.adapters.failures import check_text, failed
from sqlagent.adapters.flights import Flight
from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.values import (
    Catalog,
    Cell,
    Check,
    FailureKind,
    Kind,
    Limits,
    Power,
    Rows,
    Severity,
    StoredTexts,
    Table,
)

Row = tuple[Cell, ...]
Batch = list[Row]

# Where a tunnel is entered.
LOOPBACK = "127.0.0.1"
# Seconds to reach a server, to read a catalog, and to look for the values of one column.
CONNECT_SECONDS = 8
CATALOG_SECONDS = 60.0
VALUES_SECONDS = 3.0
# Rows looked at when counting a whole column takes too long.
VALUES_SAMPLE = 20_000
# Stored texts longer than this are prose, not values somebody would name.
VALUE_CHARS = 200
# How long `cancel` goes on asking before it gives up (seconds), and how often it asks.
CANCEL_SECONDS, CANCEL_EVERY = 4.0, 0.1

BATCH_ROWS, BATCH_CHARS = 1_000, 2_000_000
# Kinds whose cells are never long, and classes of cells that may be.
NARROW = frozenset((Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME, Kind.TIME, Kind.BOOLEAN))
PLAIN = frozenset((str, bytes))
LONG = PLAIN | {list, dict}
# The table by which Mirror's own store is known, and its column: a source with the same mark is the store.
MARKER_TABLE, MARKER_COLUMN = "mirror_store_marker", "mark"


class Rowing:
    """A `RowStream` over an adapter's rows: keeps the limits while they pass.

    Rows come in small chunks and each chunk is cut as it arrives, so that only a few long
    cells are ever held whole.
    """

    def __init__(
        self,
        columns: Iterable[str],
        kinds: Iterable[Kind],
        chunks: Iterable[Batch],
        flight: Flight,
        limits: Limits,
    ) -> None:
        self.columns = tuple(columns)
        self.kinds = tuple(kinds)
        self.truncated = False
        self.cut_cells = 0
        self._chunks = chunks
        self._flight = flight
        self._limits = limits

    def __iter__(self) -> Iterator[Batch]:
        kinds = self.kinds or (Kind.OTHER,) * len(self.columns)
        wide = [(number, kind is Kind.TEXT) for number, kind in enumerate(kinds) if kind not in NARROW]
        rows, chars = self._limits.rows, self._limits.total_chars
        batch: Batch = []
        weight = 0
        for chunk in _readable(self._chunks):
            if len(chunk) > rows or chars <= 0:
                self.truncated = True
                chunk = chunk[:rows] if chars > 0 else []
            held = sum(self._weigh(chunk, number, is_text) for number, is_text in wide)
            rows -= len(chunk)
            chars -= held
            weight += held
            batch += chunk
            if len(batch) >= BATCH_ROWS or weight > BATCH_CHARS:
                self._flight.check()
                yield batch
                batch, weight = [], 0
            if self.truncated:
                break
        self._flight.check()
        if batch:
            yield batch

    def _weigh(self, chunk: Batch, number: int, is_text: bool) -> int:
        """Count the characters of one column of a chunk, and cut its long cells in place."""
        most = self._limits.cell_chars
        if is_text:
            with suppress(TypeError):  # a text that the driver gives as an object, such as a UUID
                held = sum(map(len, filter(None, map(itemgetter(number), chunk))))
                if held <= most:
                    return held
        held = 0
        for place, row in enumerate(chunk):
            size = cell_chars(row[number])
            if size > most:
                chunk[place] = (*row[:number], cut_cell(row[number], most), *row[number + 1 :])
                self.cut_cells += 1
            held += min(size, most)
        return held


def _readable(chunks: Iterable[Batch]) -> Iterator[Batch]:
    """Pass chunks on; a cell that Python cannot hold (a date BC, a decimal out of range, an invalid text) is an error in words. Raises: StatementFailed."""
    try:
        yield from chunks
    except (ValueError, OverflowError, ArithmeticError) as error:
        advice = "Cast the column to another type, or leave it out."
        raise failed(f"The rows could not be read: {error}.", advice=advice) from error


def cell_chars(cell: Cell) -> int:
    """Count the characters of a cell that may be long; 0 for one that never is.

    Example:
        >>> cell_chars("abc"), cell_chars(["a"]), cell_chars(12345)
        (3, 5, 0)
    """
    if cell.__class__ not in LONG:
        return 0
    return len(cell if cell.__class__ in PLAIN else str(cell))


def cut_cell(cell: Cell, most: int) -> str | bytes:
    """Keep the beginning of a long cell, with a sign that it is one."""
    return cell[:most] + "…".encode() if isinstance(cell, bytes) else str(cell)[:most] + "…"


class Tunnel(Protocol):
    """A way to a server through another one, which opens when it is first used and again when it broke."""

    def port(self, flight: Flight | None) -> int:
        """Give the port of this machine (`LOOPBACK`) that leads to the server. Raises: Unreachable, StatementFailed.

        Without a flight, a way that is not open stays closed.
        """

    def lost(self) -> Unreachable | None:
        """Say that the way broke, if it did."""

    def refusal(self) -> Unreachable | None:
        """Say why no connection comes through it, asked when one failed; None where that was not the way's doing."""

    def close(self) -> None:
        """Close the way, and what goes through it. Idempotent."""


class Adapter(ABC):
    """A source. Subclasses open sessions; statements in flight are counted and stopped here."""

    dialect: str
    # The marker of the store that may not be opened; empty where there is none.
    store_mark = ""
    # How many bytes a statement may read, for engines that count them; None sets no bound.
    scan_bytes: int | None = None
    # The way to the server; None where it is called itself.
    tunnel: Tunnel | None = None

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: set[Flight] = set()

    @abstractmethod
    def _session(self, flight: Flight, sql: str, limits: Limits) -> AbstractContextManager[Rowing]:
        """Open a read-only session, run one statement, and give its rows as they come."""

    @abstractmethod
    def catalog(self) -> Catalog:
        """Read tables, columns, keys and comments. Raises: DatabaseError."""

    @abstractmethod
    def check(self) -> Check:
        """Connect, tell server and version, and what this user could write. Raises: Unreachable."""

    @abstractmethod
    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        """Write the SELECT that lists texts of a column, of `sample` rows or of all."""

    @contextmanager
    def flight(self, seconds: float) -> Iterator[Flight]:
        """Keep a statement in the list of those that `cancel` ends."""
        flight = Flight(seconds)
        with self._lock:
            self._flights.add(flight)
        try:
            yield flight
        finally:
            flight.arm(None)
            flight.done.set()
            with self._lock:
                self._flights.discard(flight)

    @contextmanager
    def stream(self, sql: str, limits: Limits) -> Iterator[Rowing]:
        """Run one statement and hand its rows over in batches. Raises: StatementFailed, Unreachable."""
        check_text(sql)
        with self.flight(limits.seconds) as flight, self._session(flight, sql, limits) as rowing:
            yield rowing

    def execute(self, sql: str, limits: Limits) -> Rows:
        """Run one statement in a read-only session. Raises: StatementFailed, Unreachable."""
        check_text(sql)
        with self.flight(limits.seconds) as flight:
            return self._all_rows(flight, sql, limits)

    def _all_rows(self, flight: Flight, sql: str, limits: Limits) -> Rows:
        return self._gathered(self._session(flight, sql, limits))

    def _gathered(self, session: AbstractContextManager[Rowing]) -> Rows:
        started = time.monotonic()
        with session as rowing:
            rows = tuple(row for batch in rowing for row in batch)
        seconds = time.monotonic() - started
        return Rows(rowing.columns, rows, rowing.truncated, seconds, rowing.kinds, rowing.cut_cells)

    def values(self, table: str, column: str, limit: int, schema: str = "") -> StoredTexts:
        """List distinct stored texts of a column, most frequent first.

        When counting the whole column takes longer than `VALUES_SECONDS`, its first
        `VALUES_SAMPLE` rows are counted instead, and the texts are not whole.
        Prose (over `VALUE_CHARS` characters) is left out. Raises: DatabaseError, also when both take too long.
        """
        limits = Limits(VALUES_SECONDS, limit, VALUE_CHARS)
        try:
            rows = self.execute(self._values_sql(table, column, limit, schema, None), limits).rows
        except StatementFailed as error:
            if error.failure.kind is not FailureKind.TIMEOUT:
                raise
            sql = self._values_sql(table, column, limit, schema, VALUES_SAMPLE)
            return StoredTexts((str(row[0]) for row in self.execute(sql, limits).rows), is_whole=False)
        return StoredTexts(str(row[0]) for row in rows)

    def cancel(self) -> None:
        """End every statement this object has in flight, in the database itself.

        Asks again until the statement is gone (one that has not quite begun would miss a
        single request), for at most `CANCEL_SECONDS`.
        """
        with self._lock:
            flights = list(self._flights)
        until = time.monotonic() + CANCEL_SECONDS
        while flights and time.monotonic() < until:
            for flight in flights:
                flight.stop()
            flights[0].done.wait(CANCEL_EVERY)
            flights = [flight for flight in flights if not flight.done.is_set()]

    def close(self) -> None:
        """Stop what is in flight, and close the way to the server; nothing else is kept open. Idempotent."""
        self.cancel()
        if self.tunnel is not None:
            self.tunnel.close()


def quoted(name: str) -> str:
    """Quote an identifier as standard SQL does.

    Example:
        >>> quoted('the "b" side')
        '"the ""b"" side"'
    """
    return '"' + name.replace('"', '""') + '"'


def texts_sql(
    path: Sequence[str],
    name: str,
    limit: int,
    sample: int | None,
    *,
    text: str,
    length: str = "length",
    only: str = "",
) -> str:
    """Write the SELECT that lists the texts of a column, the most frequent first, of `sample` rows or of all.

    `path` and `name` are quoted already; `text` is the column as a text, `length` the function that counts its
    characters, and `only` a condition on its rows.

    Example:
        >>> texts_sql(['"city"'], '"name"', 10, None, text='"name"')
        'SELECT "name" FROM "city" WHERE length("name") BETWEEN 1 AND 200 GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT 10'
    """
    source = ".".join(path)
    if sample is not None:
        source = f"(SELECT {name} FROM {source} LIMIT {int(sample)}) AS part"  # noqa: S608 - quoted names
    condition = " AND ".join(filter(None, (only, f"{length}({text}) BETWEEN 1 AND {VALUE_CHARS}")))
    return (
        f"SELECT {text} FROM {source} WHERE {condition} "  # noqa: S608 - quoted names
        f"GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT {int(limit)}"
    )


def with_known_keys(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Leave out foreign keys to tables that are not among these.

    Example:
        >>> from sqlagent.values import ForeignKey
        >>> keys = (ForeignKey(("city_id",), "city", ("id",)), ForeignKey(("owner_id",), "owner", ("id",)))
        >>> shop = Table("shop", (), foreign_keys=keys)
        >>> [key.table for key in with_known_keys([Table("city", ()), shop])[1].foreign_keys]
        ['city']
    """
    found = tuple(tables)
    known = {(table.schema, table.name) for table in found}
    return tuple(
        replace(
            table,
            foreign_keys=tuple(key for key in table.foreign_keys if (key.schema, key.table) in known),
        )
        for table in found
    )


def structure_hash(tables: Iterable[Table], made: object = ()) -> str:
    """Hash the parts of a catalog that count as drift: names, types, nullability, keys; not comments or row counts. `made` holds names of functions and types.

    Example:
        >>> from sqlagent.values import Column
        >>> one = Table("city", (Column("name", "TEXT"),), row_estimate=5)
        >>> two = Table("city", (Column("name", "TEXT"),), row_estimate=9, comment="Cities")
        >>> structure_hash([one]) == structure_hash([two])
        True
    """
    digest = hashlib.sha256()
    for table in tables:
        keys = [(k.columns, k.schema, k.table, k.referenced) for k in table.foreign_keys]
        columns = [(c.name, c.type, c.nullable) for c in table.columns]
        digest.update(repr((table.key, table.is_view, table.primary_key, keys, columns)).encode())
    if made:
        digest.update(repr(made).encode())
    return digest.hexdigest()[:32]


def known_options(options: Mapping[str, str], known: Iterable[str]) -> dict[str, str]:
    """Keep the options an adapter knows. Raises: ValueError naming one it does not."""
    allowed = set(known)
    for name in options:
        if name not in allowed:
            names = ", ".join(sorted(allowed)) or "none"
            raise ValueError(f"Unknown option '{name}'. Known options: {names}.")
    return {name: str(value) for name, value in options.items()}


def file_powers(path: Path) -> tuple[Power, ...]:
    """Tell that we could write to the file of a source, where the operating system would let us."""
    words = "write to the file, because its permissions allow that to the account Mirror runs as; Mirror opens it read-only"
    return (Power("file_writable", words),) if os.access(path, os.W_OK) else ()


def severest_first(powers: Iterable[Power]) -> tuple[Power, ...]:
    """Order powers, severest first; those of one severity keep their order.

    Example:
        >>> [power.code for power in severest_first([Power("temporary", ""), Power("write", "")])]
        ['write', 'temporary']
    """
    order = list(Severity)
    return tuple(sorted(powers, key=lambda power: order.index(power.severity)))
