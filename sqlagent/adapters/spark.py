"""Spark SQL through its Thrift server (and others that speak HiveServer2's protocol): queries alone.

Spark has no read-only session and, by itself, no users: what a session may do, anybody in it may.
Three things are done all the same. A query is sent in brackets, `( ... ) LIMIT n`: Spark's own
grammar lets nothing but a query stand there, and the server, which gathers a result before it
hands it over, never gathers more than was asked for (a result of 100,000,000 rows ended a server with
1 GB of memory, November 2026). Settings that would read files or the server's environment from inside a
query are switched off. Known calls of scripts and of Java are refused by name, for a plain message. Names
guarantee nothing: the guard and the storage's own permissions are the locks.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime
from decimal import Decimal
from ssl import SSLContext, SSLError
from typing import Any

from pyhive import hive
from pyhive.exc import Error as HiveError
from pyhive.sasl_compat import PureSASLClient
from TCLIService import ttypes
from thrift.Thrift import TException
from thrift.transport import TSocket, TSSLSocket, TTransport
from thrift_sasl import TSaslClientTransport

from sqlagent.adapters import spark_catalog, tls
from sqlagent.adapters.base import (
    CATALOG_SECONDS,
    CONNECT_SECONDS,
    VALUE_CHARS,
    Adapter,
    Batch,
    Row,
    Rowing,
    known_options,
)
from sqlagent.adapters.failures import CANCELLED, ended_by_server, failed, refused, timed_out, unreachable
from sqlagent.adapters.flights import Flight
from sqlagent.adapters.spark_words import bracketed, class_of, position_of, said
from sqlagent.adapters.tally import Tally, checked
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.values import Catalog, Cell, Check, Kind, Limits

# They would put SQL, and every server that does not answer, into the log.
for _name in ("pyhive", "thrift"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

OPTIONS = ("auth", "namespaces", *tls.OPTIONS)
AUTHS = ("plain", "nosasl")
PORT = 10_000
# Rows fetched at a time.
CHUNK = 200
# A server that vanished without a word is given up on this many seconds after the deadline.
GRACE_SECONDS = 15
# How long Spark may take to say why a statement failed.
REASON_SECONDS = 2.0

# Settings by which SQL means what the guard takes it to mean, and that keep files and the environment out of it.
SETTINGS = {
    "spark.sql.variable.substitute": "false",  # '${env:HOME}' in a text
    "spark.sql.runSQLOnFiles": "false",  # FROM parquet.`/path`
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    # Partition by partition, a statement could not be ended any more (4.3.0: it went on for 134 seconds).
    "spark.sql.thriftServer.incrementalCollect": "false",
    "hive.server2.long.polling.timeout": "100ms",
}

KINDS: dict[str, Kind] = {
    **dict.fromkeys(("TINYINT_TYPE", "SMALLINT_TYPE", "INT_TYPE", "BIGINT_TYPE"), Kind.INTEGER),
    **dict.fromkeys(("FLOAT_TYPE", "DOUBLE_TYPE", "DECIMAL_TYPE"), Kind.NUMBER),
    **dict.fromkeys(("STRING_TYPE", "VARCHAR_TYPE", "CHAR_TYPE"), Kind.TEXT),
    "BOOLEAN_TYPE": Kind.BOOLEAN,
    "DATE_TYPE": Kind.DATE,
    "TIMESTAMP_TYPE": Kind.DATETIME,
    "BINARY_TYPE": Kind.BINARY,
}


class SparkDatabase(Adapter):
    """One Spark namespace, and those besides that are named.

    Options: auth (plain, nosasl), sslmode, sslrootcert, namespaces (others to read, separated by
    commas; `*` for all).
    """

    dialect = "spark"

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
        known = known_options(options or {}, OPTIONS)
        self._host, self._port = host or "localhost", port or PORT
        self._database = database or "default"
        self._user, self._password = user or "mirror", password
        self._auth = known.get("auth") or "plain"
        if self._auth not in AUTHS:
            raise ValueError(f"Unknown auth '{self._auth}'. Known: {', '.join(AUTHS)}.")
        self._others = tuple(name.strip() for name in known.get("namespaces", "").split(",") if name.strip())
        self._sslmode, self._sslrootcert = tls.mode_of(known), known.get("sslrootcert", "")

    def catalog(self) -> Catalog:
        """Read what this user may see: one statement a table, after two a namespace."""
        with self.flight(CATALOG_SECONDS) as flight, self._connected(flight) as connection:
            tally, ask = Tally(flight), self._asker(connection, flight)
            return checked(
                spark_catalog.read_catalog(
                    lambda sql: list(tally.rows(ask(sql))), self._database, self._others
                )
            )

    def check(self) -> Check:
        """Connect and tell the server's version; Spark tells nobody what a user may write."""
        started = time.monotonic()
        with self.flight(CATALOG_SECONDS) as flight, self._connected(flight) as connection:
            return spark_catalog.read_check(
                self._asker(connection, flight), self._user, self._database, started
            )

    def _asker(self, connection: hive.Connection, flight: Flight) -> Callable[[str], list[Row]]:
        """Give a function that runs one statement of our own and reads all of it."""

        def ask(sql: str) -> list[Row]:
            statement = _Statement(connection, flight, sql)
            try:
                statement.run(sql)
                return [row for chunk in statement.chunks(CHUNK) for row in chunk]
            finally:
                statement.close()

        return ask

    @contextmanager
    def _connected(self, flight: Flight) -> Iterator[hive.Connection]:
        """Open a session and end it. Raises: Unreachable, StatementFailed."""
        # The server's own clock, in whole seconds; ours is looked at every tenth of one.
        settings = {**SETTINGS, "spark.sql.thriftServer.queryTimeout": str(int(flight.left()) + 1)}
        try:
            socket = _socket(self._host, self._port, tls.context_for(self._sslmode, self._sslrootcert))
            socket.setTimeout(CONNECT_SECONDS * 1_000)
            connection = hive.Connection(
                thrift_transport=self._transport(socket),
                username=self._user,
                database=self._database.replace("`", "``"),
                configuration={f"set:hiveconf:{name}": value for name, value in settings.items()},
            )
        except (HiveError, TException, OSError, AssertionError) as error:
            raise self._no_connection(error) from error
        socket.setTimeout((flight.seconds + GRACE_SECONDS) * 1_000)
        try:
            yield connection
        except (TException, OSError) as error:
            raise self._lost(error, flight) from error
        finally:
            with suppress(HiveError, TException, OSError):
                connection.close()

    def _transport(self, socket: Any) -> Any:
        """Say who we are, over a socket, as the server asks it."""
        if self._auth == "nosasl":
            return TTransport.TBufferedTransport(socket)

        def client() -> Any:
            return PureSASLClient(self._host, username=self._user, password=self._password or "none")

        return TSaslClientTransport(client, "PLAIN", socket)

    @contextmanager
    def _session(self, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        placed = bracketed(sql, limits.rows + 1)
        with self._connected(flight) as connection:
            statement = _Statement(connection, flight, sql)
            try:
                statement.run(placed)
                if not statement.names:
                    raise refused("This statement returns no rows.")
                yield Rowing(statement.names, statement.kinds, self._chunks(statement), flight, limits)
            finally:
                statement.close()

    def _chunks(self, statement: _Statement) -> Iterator[Batch]:
        try:
            yield from statement.chunks(CHUNK)
        except (TException, OSError) as error:
            raise self._lost(error, statement.flight) from error

    def _lost(self, error: Exception, flight: Flight) -> DatabaseError:
        if flight.is_cancelled:
            return StatementFailed(CANCELLED)
        return unreachable(
            f"The connection to {self._host}:{self._port} was lost while the statement ran: "
            f"{_text(error).rstrip('.')}.",
            "Run it again once the server is back.",
        )

    def _no_connection(self, error: Exception) -> DatabaseError:
        """Say why there is no connection, and what to do about it."""
        text, where = _text(error), f"{self._host}:{self._port}"
        caused = text if isinstance(error, SSLError) else _text(getattr(error, "inner", None) or error)
        if isinstance(error, SSLError) or re.search(r"SSL|certificate|TLS", text + caused):
            return unreachable(
                f"No TLS connection to {where} could be made: {caused}", "Check the TLS settings."
            )
        if isinstance(error, HiveError):
            message, _ = said(text)
            return unreachable(f"The server opened no session: {message}", "Check the database's name.")
        if re.search(r"Bad status|SASL", text):
            return unreachable(
                f"The server refused user '{self._user}'.",
                "Check user and password, and which authentication the server asks for.",
            )
        if re.search(r"getaddrinfo|Name or service|nodename|Temporary failure in name|resolve", text):
            return unreachable(
                f"There is no host named '{self._host}'.",
                "Check the host's name. Inside a container, localhost is the container itself.",
            )
        if re.search(r"timed out|timeout|Timeout", text + caused):
            return unreachable(
                f"{where} did not answer within {CONNECT_SECONDS} seconds.",
                "Check host and port, firewalls on the way, and that a Thrift server listens there.",
            )
        if "Could not connect" in text or "refused" in text:
            return unreachable(
                f"Nothing answers at {where}.",
                "Check host and port, and that the Thrift server runs. Inside a container, localhost is the "
                "container itself.",
            )
        return unreachable(
            f"What answers at {where} does not speak as a Spark Thrift server does: {text or type(error).__name__}.",
            "Check host and port, TLS, and which authentication the server asks for.",
        )

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        name = spark_catalog.quoted(column)
        source = ".".join(map(spark_catalog.quoted, (schema, table) if schema else (table,)))
        if sample is not None:
            source = f"(SELECT {name} FROM {source} LIMIT {sample}) AS part"  # noqa: S608 - quoted names
        return (
            f"SELECT CAST({name} AS STRING) FROM {source} "  # noqa: S608 - quoted names
            f"WHERE char_length(CAST({name} AS STRING)) BETWEEN 1 AND {VALUE_CHARS} "
            f"GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT {int(limit)}"
        )


class _Statement:
    """One statement in the server: begun, waited for, fetched, closed. Used by one thread."""

    def __init__(self, connection: hive.Connection, flight: Flight, sql: str) -> None:
        self.flight, self._sql = flight, sql
        self._cursor = connection.cursor()
        self._client = connection.client
        self.names: list[str] = []
        self.kinds: list[Kind] = []
        self._types: list[str] = []

    def run(self, placed: str) -> None:
        """Begin it and wait until its rows are there. Raises: StatementFailed, TException."""
        self.flight.check()
        try:
            self._cursor.execute(placed, async_=True)
            self._wait()
            self._describe()
        except HiveError as error:
            raise self._failure(_text(error)) from error

    def _wait(self) -> None:
        states = ttypes.TOperationState
        while True:
            answer = self._cursor.poll(get_progress_update=False)
            state = answer.operationState
            if state == states.FINISHED_STATE:
                return
            if state in (states.RUNNING_STATE, states.PENDING_STATE, states.INITIALIZED_STATE):
                self._stop_if_asked()
                continue
            if state == states.TIMEDOUT_STATE:
                raise StatementFailed(timed_out(self.flight.seconds))
            if state == states.CANCELED_STATE:
                stopped = self.flight.failure()
                raise StatementFailed(stopped) if stopped else ended_by_server("It was cancelled there")
            raise self._failure(self._reason(answer))

    def _reason(self, answer: Any) -> str:
        """Say why it failed. Spark says that it did a moment before it says why (2 of 100 times, 4.3.0)."""
        until = time.monotonic() + REASON_SECONDS
        while not answer.errorMessage and time.monotonic() < until:
            time.sleep(0.02)
            answer = self._cursor.poll(get_progress_update=False)
        return str(answer.errorMessage or "The statement ended for no reason given.")

    def _stop_if_asked(self) -> None:
        """End it in the server when it was cancelled or is over time. Raises: StatementFailed."""
        failure = self.flight.failure()
        if failure is not None:
            self._cancel()
            raise StatementFailed(failure)

    def _cancel(self) -> None:
        with suppress(HiveError):
            self._cursor.cancel()

    def _describe(self) -> None:
        handle = self._cursor._operationHandle
        if not handle.hasResultSet:
            return
        answer = self._client.GetResultSetMetadata(ttypes.TGetResultSetMetadataReq(handle))
        hive._check_status(answer)
        for column in answer.schema.columns:
            entry = column.typeDesc.types[0].primitiveEntry
            type_ = ttypes.TTypeId._VALUES_TO_NAMES.get(entry.type, "") if entry is not None else ""
            self.names.append(column.columnName)
            self._types.append(type_)
            self.kinds.append(KINDS.get(type_, Kind.OTHER))

    def chunks(self, size: int) -> Iterator[Batch]:
        """Fetch the rows, a few at a time. Raises: StatementFailed, TException."""
        if not self.names:
            return
        handle = self._cursor._operationHandle
        while True:
            self.flight.check()
            request = ttypes.TFetchResultsReq(handle, ttypes.TFetchOrientation.FETCH_NEXT, size)
            answer = self._client.FetchResults(request)
            try:
                hive._check_status(answer)
            except HiveError as error:
                raise self._failure(_text(error)) from error
            columns = [
                _cells(column, type_)
                for column, type_ in zip(answer.results.columns, self._types, strict=True)
            ]
            chunk: Batch = list(zip(*columns, strict=True))
            if not chunk:
                return
            yield chunk

    def close(self) -> None:
        """End it where it still runs, and let the server forget it."""
        with suppress(HiveError, TException, OSError):
            self._cursor.close()

    def _failure(self, text: str) -> StatementFailed:
        """Say in our errors what Spark said in its own."""
        failure = self.flight.failure()
        if failure is not None:
            return StatementFailed(failure)
        if "TIMEDOUT" in text:
            return StatementFailed(timed_out(self.flight.seconds))
        message, advice = said(text)
        if "OutOfMemoryError" in text or "maxResultSize" in text:
            message = "The result is too large for the memory of Spark's driver."
            advice = "Ask for less, or lower the rows of a result in this source's limits."
        if "PERMISSION" in text or "AccessControlException" in text:
            advice = advice or "Ask the owner of the database to let this user read it."
        return failed(message, position_of(text, self._sql), advice, class_of(text))


# ---------------------------------------------------------------- wires


def _text(error: object) -> str:
    """Say what an error of the driver's says: the server's own words where it holds them."""
    given = getattr(error, "args", None) or ("",)
    status = getattr(given[0], "status", None)
    if status is not None and status.errorMessage:
        return str(status.errorMessage)
    return str(getattr(error, "message", None) or error)


def _socket(host: str, port: int, context: SSLContext | None) -> Any:
    if context is None:
        return TSocket.TSocket(host, port, socket_keepalive=True)
    return _TlsSocket(host, port, ssl_context=context, validate_callback=_checked_by_context)


class _TlsSocket(TSSLSocket.TSSLSocket):  # type: ignore[misc]
    """A socket that can be closed although it was never open (thrift 0.25 stumbles)."""

    def close(self) -> None:
        if self.handle is not None:
            super().close()


def _checked_by_context(certificate: object, host: str) -> None:
    """Leave names to the context, which knows the mode that was asked for."""


# ---------------------------------------------------------------- cells


def _cells(column: Any, type_: str) -> Sequence[Cell]:
    """Turn one column of a chunk into cells of the right class."""
    values: list[Any] = hive._unwrap_column(column)
    read = _READERS.get(type_)
    return values if read is None else [None if value is None else read(value) for value in values]


def _date(text: str) -> Cell:
    """Read a date; years that Python does not have stay text."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


def _stamp(text: str) -> Cell:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return text


_READERS: dict[str, Callable[[Any], Cell]] = {
    "DATE_TYPE": _date,
    "TIMESTAMP_TYPE": _stamp,
    "DECIMAL_TYPE": Decimal,
}
