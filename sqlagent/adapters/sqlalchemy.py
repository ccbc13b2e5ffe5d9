"""The long tail: any server that has a SQLAlchemy dialect installed, read as carefully as that dialect allows.

Where the dialect has a read-only transaction it is opened; everywhere one statement runs at a time,
begins with a word that reads, has a deadline, is never committed and is rolled back. Where there is no
read-only transaction, the guard and the user's own privileges are the only locks, and `check` says so.
Dialects that open files are not taken here: files have adapters, and a folder, of their own.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from sqlagent.adapters import sqlalchemy_catalog
from sqlagent.adapters.base import (
    CATALOG_SECONDS,
    CONNECT_SECONDS,
    VALUE_CHARS,
    Adapter,
    Batch,
    Rowing,
    known_options,
)
from sqlagent.adapters.failures import (
    ended_by_server,
    failed,
    is_the_store,
    not_allowed,
    refused,
    unreachable,
)
from sqlagent.adapters.flights import Flight
from sqlagent.adapters.sqlalchemy_dialects import FILES, READ_ONLY, REPLACED, speaks
from sqlagent.adapters.tally import checked
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.values import Catalog, Check, Failure, FailureKind, Kind, Limits, Rows

OPTIONS = ("dialect",)
# Rows fetched at a time.
CHUNK = 100
# Codes of a statement that was ended by somebody: by the standard, PostgreSQL's, MySQL's.
ENDED = ("70100", "57014", 1317)
# The driver's own clock comes first; ours ends the statement this many seconds after the deadline.
LATE_SECONDS = 0.2
# How long a driver may take to notice that it should end.
LEFT_BEHIND_SECONDS = 0.8

READS = frozenset(("select", "with", "values", "table", "show", "explain", "describe", "desc", ""))
# Those that no server-side cursor takes.
DESCRIBES = frozenset(("show", "explain", "describe", "desc"))

# Further arguments of a driver, by its name.
CONNECT_WITH: dict[str, dict[str, Any]] = {
    "psycopg": {"connect_timeout": CONNECT_SECONDS, "passfile": "/dev/null/none", "application_name": "mirror"},
    "psycopg2": {"connect_timeout": CONNECT_SECONDS, "passfile": "/dev/null/none", "application_name": "mirror"},
    "pymysql": {"connect_timeout": CONNECT_SECONDS, "local_infile": False, "program_name": "mirror"},
    "mysqldb": {"connect_timeout": CONNECT_SECONDS, "local_infile": 0},
    "pymssql": {"login_timeout": CONNECT_SECONDS},
    "pyodbc": {"timeout": CONNECT_SECONDS},
}  # fmt: skip

CLASSES: tuple[tuple[type | tuple[type, ...], Kind], ...] = (
    (bool, Kind.BOOLEAN),
    (int, Kind.INTEGER),
    ((float, Decimal), Kind.NUMBER),
    (datetime, Kind.DATETIME),
    (date, Kind.DATE),
    (clock, Kind.TIME),
    (str, Kind.TEXT),
    ((bytes, bytearray, memoryview), Kind.BINARY),
    (timedelta, Kind.OTHER),
)


class SqlalchemyDatabase(Adapter):
    """One database behind a SQLAlchemy dialect. Options: dialect, as in `mssql+pymssql` (must be said)."""

    def __init__(
        self,
        host: str,
        port: int | None,
        database: str,
        user: str,
        password: str,
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._name = known_options(options or {}, OPTIONS).get("dialect", "")
        if not re.fullmatch(r"[a-z0-9_]+(\+[a-z0-9_]+)?", self._name):
            raise ValueError("The option 'dialect' names the SQLAlchemy dialect, as in 'mssql+pymssql'.")
        if self._name.split("+")[0] in FILES:
            raise ValueError(f"'{self._name}' opens files; only dialects of servers are taken here.")
        if self._name.split("+")[0] in REPLACED:
            raise ValueError(f"'{self._name}' is connected as Spark SQL.")
        if any(re.search(r"[=;?{}\\]", part) for part in (host, database, user)):
            raise ValueError("Host, database and user are names, not connection strings.")
        self.dialect = speaks(self._name)
        self._where = f"{host}:{port}" if port else host
        self._password = password
        self._url = sa.URL.create(
            self._name, user or None, password or None, host or None, port, database or None
        )

    # ------------------------------------------------------------ connecting

    @cached_property
    def _engine(self) -> sa.Engine:
        """The maker of connections; nothing is kept open between statements. Raises: Unreachable."""
        try:
            driver = self._url.get_dialect().driver
            return sa.create_engine(
                self._url, poolclass=NullPool, connect_args=dict(CONNECT_WITH.get(driver, {}))
            )
        except (NoSuchModuleError, ImportError) as error:
            advice = "Install the package that brings it into the environment that Mirror runs in."
            raise unreachable(f"The dialect '{self._name}' is not installed: {error}.", advice) from error
        except SQLAlchemyError as error:
            raise unreachable(f"The dialect '{self._name}' cannot be used: {self._text(error)}") from error

    @contextmanager
    def _connected(self, flight: Flight) -> Iterator[sa.Connection]:
        """Open a connection, read-only where the dialect can; roll back and close it."""
        connection = self._connection()
        try:
            stop = self._stopper(connection)
            flight.arm(stop)
            late = threading.Timer(flight.left() + LATE_SECONDS, stop)
            late.daemon = True
            late.start()
            try:
                self._set_up(connection, flight)
                if self.store_mark and sqlalchemy_catalog.is_marked(connection, self.store_mark):
                    raise is_the_store()
                yield connection
            finally:
                late.cancel()
        except SQLAlchemyError as error:
            raise self._failure(error, flight) from error
        finally:
            flight.arm(None)
            with suppress(SQLAlchemyError, OSError):
                connection.rollback()
            with suppress(SQLAlchemyError, OSError):
                connection.close()

    def _connection(self) -> sa.Connection:
        """Connect within `CONNECT_SECONDS`, whether or not the driver can be told so. Raises: Unreachable."""
        engine = self._engine
        pool = ThreadPoolExecutor(1, thread_name_prefix="connect")
        made = pool.submit(engine.connect)
        pool.shutdown(wait=False)
        try:
            return made.result(CONNECT_SECONDS)
        except TimeoutError as error:
            made.add_done_callback(_let_go)
            raise unreachable(
                f"{self._where} did not answer within {CONNECT_SECONDS} seconds.",
                "Check host and port, and firewalls on the way.",
            ) from error
        except DatabaseError:
            raise
        except Exception as error:  # a driver raises what the libraries below it do
            raise unreachable(
                f"No connection to {self._where}: {self._text(error)}",
                "Check host, port, database, user and password.",
            ) from error

    def _set_up(self, connection: sa.Connection, flight: Flight) -> None:
        name = "mariadb" if getattr(connection.dialect, "is_mariadb", False) else connection.dialect.name
        seconds = flight.left()
        for statement in READ_ONLY.get(name, ()):
            text = statement.format(milliseconds=max(1, int(seconds * 1_000)), seconds=f"{seconds:.3f}")
            connection.exec_driver_sql(text)

    def _stopper(self, connection: sa.Connection) -> Callable[[], None]:
        """Say how to end what a connection runs, from another thread, as its driver can."""
        raw: Any = connection.connection.dbapi_connection
        if connection.dialect.name in ("mysql", "mariadb"):
            number = int(connection.exec_driver_sql("SELECT CONNECTION_ID()").scalar() or 0)
            connection.rollback()
            return lambda: self._kill(f"KILL QUERY {number}")
        cursors: list[Any] = []

        def remember(_c: Any, cursor: Any, *_rest: Any) -> None:
            cursors[:] = [cursor]

        sa.event.listen(connection, "before_cursor_execute", remember)

        def stop() -> None:
            for owner in (raw, *cursors):
                for way in ("cancel_safe", "cancel", "interrupt"):
                    if callable(getattr(owner, way, None)):
                        with suppress(*self._errors, OSError):
                            getattr(owner, way)()
                        return

        return stop

    @property
    def _errors(self) -> tuple[type[BaseException], ...]:
        return (self._engine.dialect.dbapi.Error,) if self._engine.dialect.dbapi is not None else ()

    def _kill(self, statement: str) -> None:
        """End what another connection runs; a server that is gone runs nothing."""
        with suppress(SQLAlchemyError, OSError), self._engine.connect() as other:
            other.exec_driver_sql(statement)

    # ------------------------------------------------------------ asking

    @property
    def _home(self) -> str:
        """The namespace of names without one, for a dialect that tells none."""
        return ""

    def catalog(self) -> Catalog:
        """Read what SQLAlchemy's inspector tells, namespace by namespace."""
        with self.flight(CATALOG_SECONDS) as flight, self._connected(flight) as connection:
            return checked(sqlalchemy_catalog.read_catalog(connection, self.dialect, self._home))

    def check(self) -> Check:
        """Connect and tell the server, and what the user could do beyond reading where this engine tells."""
        started = time.monotonic()
        with self.flight(CATALOG_SECONDS) as flight, self._connected(flight) as connection:
            user = self._url.username or ""
            return sqlalchemy_catalog.read_check(connection, user, self.is_held, started)

    @property
    def is_held(self) -> bool:
        """Whether the dialect has a read-only transaction that is opened here."""
        return self._engine.dialect.name in READ_ONLY

    @contextmanager
    def _session(self, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        word = check_reads(sql)
        with self._connected(flight) as connection:
            options: dict[str, Any] = {"no_parameters": True}
            if word not in DESCRIBES:
                options |= {"stream_results": True, "max_row_buffer": CHUNK}
            flight.check()
            result = connection.execution_options(**options).exec_driver_sql(sql)
            try:
                if not result.returns_rows:
                    raise refused("This statement returns no rows.")
                chunks = self._chunks(result, flight)
                first = next(chunks, [])
                kinds = _kinds(first, len(result.keys()))
                yield Rowing(_names(result), kinds, chain([first], chunks), flight, limits)
            finally:
                self._leave(result, flight)

    def _all_rows(self, flight: Flight, sql: str, limits: Limits) -> Rows:
        return _given_up_on(flight, lambda: super(SqlalchemyDatabase, self)._all_rows(flight, sql, limits))

    def _leave(self, result: sa.CursorResult[Any], flight: Flight) -> None:
        """End a statement whose rows were not all read, so that closing does not wait for the rest."""
        if not result.closed and not result._soft_closed:
            flight.let_go()
        with suppress(SQLAlchemyError, OSError, *self._errors):
            result.close()

    def _chunks(self, result: sa.CursorResult[Any], flight: Flight) -> Iterator[Batch]:
        try:
            # Not `yield_per` with `partitions()`: that gave 1,000,000 rows at once (SQLAlchemy 2.1.9).
            for rows in result.partitions(CHUNK):
                yield [tuple(map(_cell, row)) for row in rows]
        except SQLAlchemyError as error:
            raise self._failure(error, flight) from error

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        source: Any = sa.table(table, sa.column(column), schema=schema or None)
        if sample is not None:
            source = sa.select(source.c[column]).limit(sample).subquery("part")
        name = source.c[column]
        length = sa.Function(LENGTHS.get(self._engine.dialect.name, "length"), name)
        chosen = (
            sa.select(name)
            .where(length >= 1, length <= VALUE_CHARS)
            .group_by(name)
            .order_by(sa.func.count().desc(), name)
            .limit(limit)
        )
        # Its own style of parameters: with the driver's, a % in a name would be doubled.
        kind: Any = type(self._engine.dialect)
        dialect = kind(paramstyle="named")
        return str(chosen.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))

    # ------------------------------------------------------------ what went wrong

    def _failure(self, error: Exception, flight: Flight) -> DatabaseError:
        """Say in our errors what the driver said in its own."""
        failure = flight.failure()
        if failure is not None:
            return StatementFailed(failure)
        text = self._text(error)
        if isinstance(error, DBAPIError) and error.connection_invalidated:
            return unreachable(
                f"The connection to {self._where} was lost while the statement ran: {text}",
                "Run it again once the server is back.",
            )
        if re.search(
            r"statement timeout|max_statement_time|maximum statement execution time|timed out", text
        ):
            return StatementFailed(Failure(FailureKind.TIMEOUT, text))
        orig = getattr(error, "orig", None)
        code = str(getattr(orig, "sqlstate", None) or getattr(orig, "pgcode", None) or "")
        if code in ENDED or next(iter(getattr(orig, "args", ())), None) in ENDED:
            return ended_by_server(text, code)
        if re.search(r"read.only", text, re.IGNORECASE):
            return not_allowed(text)
        return failed(text, code=code)

    def _text(self, error: Exception) -> str:
        """The driver's own message, on one line, without the password."""
        orig = getattr(error, "orig", None) or error
        args = [str(arg) for arg in getattr(orig, "args", ()) if isinstance(arg, str | bytes)]
        text = re.sub(r"\s+", " ", args[-1] if len(args) == 1 else str(orig)).strip()
        if self._password:
            text = text.replace(self._password, "…")
        return f"{text[:500].rstrip('.')}."


def _let_go(made: Future[sa.Connection]) -> None:
    """Close a connection that came too late."""
    if made.exception() is None:
        made.result().close()


def _given_up_on(flight: Flight, work: Callable[[], Rows]) -> Rows:
    """Do work in a thread of its own, and leave it behind when its driver cannot break it off.

    Nothing is known of these drivers but the interface of Python's databases, which has no way to stop
    a statement. The thread ends when the server answers.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="statement")
    done = pool.submit(work)
    pool.shutdown(wait=False)
    until: float | None = None
    while True:
        try:
            return done.result(timeout=LEFT_BEHIND_SECONDS / 4)
        except TimeoutError:
            failure = flight.failure()
            if failure is None:
                continue
            until = until or time.monotonic() + LEFT_BEHIND_SECONDS
            if time.monotonic() > until:
                raise StatementFailed(failure) from None


LENGTHS = {"mysql": "char_length", "mariadb": "char_length", "mssql": "len"}

_QUOTED = r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]'
# Comments of engines: two dashes before anything, or only before a space of ASCII; # or not.
_NOTES = tuple(
    rf"/\*.*?\*/|--{before}[^\r\n]*{hashes}"
    for before in ("", r"(?=[\x00-\x20\x7f]|\Z)")
    for hashes in ("", r"|\#[^\r\n]*")
)
# And a text: a backslash is one, or hides the quote behind it.
_READINGS = tuple(
    re.compile(rf"{text}|{_QUOTED}|{notes}", re.DOTALL)
    for text in (r"'(?:[^']|'')*'", r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*\"""")
    for notes in _NOTES
)
_WRITES = re.compile(r"(?<![\w.])(insert|update|delete|merge|into|truncate|drop|alter|create)(?!\w)", re.I)


def check_reads(sql: str) -> str:
    """Let one statement through that begins as a read, and give its first word in lower case.

    The text is read in every way that engines read backslashes and comments; it must pass in all. This knows
    no engine's grammar: it is a net under the guard, not a lock. Raises: StatementFailed.

    Example:
        >>> check_reads("SELECT 'a;b' AS x;")
        'select'
        >>> check_reads("WITH a AS (SELECT 1) DELETE FROM t")
        Traceback (most recent call last):
        ...
        sqlagent.errors.StatementFailed: DELETE is not a read.
    """
    word = ""
    for reading in _READINGS:
        bare = reading.sub(lambda found: "  " if found[0].startswith(("--", "/*", "#")) else " x ", sql)
        bare = bare.strip().rstrip(";").strip()
        if not bare:
            raise refused("There is no statement here.")
        if ";" in bare:
            raise refused("One statement at a time, please: this text holds several.")
        first = re.match(r"[\s(]*([A-Za-z]*)", bare)
        word = first[1].lower() if first else ""
        if word not in READS:
            raise refused(f"{word.upper()} is not a read.")
        writes = _WRITES.search(bare)
        if writes is not None and word != "show":
            raise refused(f"{writes[1].upper()} is not a read.")
    return word


def _names(result: sa.CursorResult[Any]) -> list[str]:
    """Name the columns as the driver does: twice where it says so twice."""
    cursor = result.cursor
    described = cursor.description if cursor is not None else None
    return [str(column[0]) for column in described] if described else [str(key) for key in result.keys()]  # noqa: SIM118


def _kinds(rows: Batch, width: int) -> list[Kind]:
    """Tell kinds by the first cells that hold something: drivers differ in what else they tell."""
    kinds = []
    for number in range(width):
        cell = next((row[number] for row in rows if row[number] is not None), None)
        kinds.append(next((kind for classes, kind in CLASSES if isinstance(cell, classes)), Kind.OTHER))
    return kinds


def _cell(value: Any) -> Any:
    """Give a cell that can be kept: plain classes as they are, anything else as its text."""
    if value is None or isinstance(
        value, str | int | float | Decimal | date | clock | timedelta | bytes | list | dict
    ):
        return value
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    return str(value)
