"""MySQL and MariaDB, read only: a read-only transaction, one statement, a deadline, rolled back.

The driver is told to take no local files and no second statement. MySQL's read-only
transaction still lets a statement set, lock or write a file, so a statement must begin with
a word that reads and may not hold the word INTO; the session's SQL mode is made the one in
which quotes mean what the guard's parser thinks they mean.
"""

from __future__ import annotations

import re
import ssl
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from typing import Any

import pymysql
import pymysql.connections
from pymysql.constants import FIELD_TYPE
from pymysql.cursors import SSCursor

from sqlagent.adapters import mysql_catalog, mysql_powers, tls
from sqlagent.adapters.base import (
    CATALOG_SECONDS,
    CONNECT_SECONDS,
    LOOPBACK,
    MARKER_COLUMN,
    MARKER_TABLE,
    Adapter,
    Batch,
    Rowing,
    known_options,
    texts_sql,
)
from sqlagent.adapters.failures import (
    ended_by_server,
    failed,
    is_the_store,
    not_allowed,
    refused,
    timed_out,
    unreachable,
)
from sqlagent.adapters.flights import Flight, hung_up_on
from sqlagent.adapters.mysql_connection import (
    ANSWER_BYTES,
    CHUNK_BYTES,
    HEAD_BYTES,
    Connection,
    all_told,
    told,
)
from sqlagent.adapters.mysql_statements import check_reads, position_of
from sqlagent.adapters.tally import Tally, checked
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.values import Catalog, Check, Failure, FailureKind, Kind, Limits

OPTIONS = tls.OPTIONS
LOCK_SECONDS = 5
# Rows fetched at a time: few, as each may be long.
CHUNK = 20
# A server that vanished without a word is given up on this many seconds after the deadline.
GRACE_SECONDS = 15
# A hint in MySQL's SQL may lift the deadline the server was given; then we end the statement
# ourselves, this many seconds after.
LATE_SECONDS = 0.3
# Modes that change what a quote or a backslash is.
BAD_MODES = frozenset(
    ("NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "ANSI", "ORACLE", "MSSQL", "DB2", "POSTGRESQL", "MAXDB")
)

MARKED = f"SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '{MARKER_TABLE}'"  # noqa: S608

KINDS: dict[int, Kind] = {
    **dict.fromkeys(
        (FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.INT24, FIELD_TYPE.YEAR),
        Kind.INTEGER,
    ),
    **dict.fromkeys((FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL, FIELD_TYPE.FLOAT, FIELD_TYPE.DOUBLE), Kind.NUMBER),
    **dict.fromkeys((FIELD_TYPE.DATE, FIELD_TYPE.NEWDATE), Kind.DATE),
    **dict.fromkeys((FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP), Kind.DATETIME),
    FIELD_TYPE.TIME: Kind.TIME,
    FIELD_TYPE.BIT: Kind.BINARY,
    **dict.fromkeys((FIELD_TYPE.ENUM, FIELD_TYPE.SET), Kind.TEXT),
}  # fmt: skip
TEXTS = frozenset(
    (
        *(FIELD_TYPE.VARCHAR, FIELD_TYPE.VAR_STRING, FIELD_TYPE.STRING, FIELD_TYPE.BLOB),
        *(FIELD_TYPE.TINY_BLOB, FIELD_TYPE.MEDIUM_BLOB, FIELD_TYPE.LONG_BLOB),
    )
)
BINARY_CHARSET = 63


class MysqlDatabase(Adapter):
    """One MySQL or MariaDB database. Options: sslmode (disable, require, verify-full), sslrootcert."""

    dialect = "mysql"

    def __init__(
        self,
        host: str,
        port: int | None,
        database: str,
        user: str,
        password: str,
        options: Mapping[str, str] | None = None,
        addresses: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._addresses = tuple(addresses)
        self._host, self._port = host or "127.0.0.1", port or 3306
        self._database, self._user = database, user
        self._connect_with: dict[str, Any] = {
            "host": self._host,
            "port": self._port,
            "user": user,
            "password": password,
            "database": database,
            "charset": "utf8mb4",
            "local_infile": False,
            "autocommit": True,
            "connect_timeout": CONNECT_SECONDS,
            "cursorclass": SSCursor,
            "program_name": "mirror",
        }
        known = known_options(options or {}, OPTIONS)
        self._sslmode, self._sslrootcert = tls.mode_of(known), known.get("sslrootcert", "")

    @cached_property
    def _how(self) -> dict[str, Any]:
        """The arguments of the driver. Raises: OSError for certificates that cannot be read."""
        context = tls.context_for(self._sslmode, self._sslrootcert)
        if context is not None:
            return {**self._connect_with, "ssl": context}
        return {**self._connect_with, **({"ssl_disabled": True} if self._sslmode else {})}

    def _called(self, flight: Flight | None = None) -> Connection:
        """Call the server. Raises: pymysql.Error, OSError, DatabaseError."""
        if self.tunnel is None:
            return Connection(addresses=self._addresses, **self._how, read_timeout=CONNECT_SECONDS)
        how = {**self._how, "port": self.tunnel.port(flight)}
        return Connection(addresses=[LOOPBACK], **how, read_timeout=CONNECT_SECONDS)

    def catalog(self) -> Catalog:
        """Read what this user may see, in three statements whatever the number of tables."""
        with self.flight(CATALOG_SECONDS) as flight, self._connected(flight) as connection:
            tally = Tally(flight)
            return checked(
                mysql_catalog.read_catalog(lambda sql: tally.rows(told(connection, sql)), self._database)
            )

    def check(self) -> Check:
        """Connect and tell what this user could do beyond reading, with the SQL for one that could not."""
        started = time.monotonic()
        with self.flight(CATALOG_SECONDS) as flight, self._connected(flight) as connection:
            return mysql_catalog.read_check(lambda sql: all_told(connection, sql), self._database, started)

    @contextmanager
    def _connected(self, flight: Flight) -> Iterator[Any]:
        """Open a read-only transaction and end it. Raises: Unreachable, StatementFailed."""
        try:
            connection = self._called(flight)
            connection._read_timeout = flight.seconds + GRACE_SECONDS
        except (pymysql.Error, OSError, ValueError) as error:  # what answers may speak another language
            raise (self.tunnel and self.tunnel.refusal()) or self._no_connection(error) from error
        try:
            with hung_up_on(flight, lambda: self._end(connection)):
                self._set_up(connection, flight)
                self._refuse_the_store(connection)
                thread = connection.thread_id()
                flight.arm(lambda: self._kill(thread))
                late = threading.Timer(flight.left() + LATE_SECONDS, self._kill, (thread,))
                late.daemon = True
                late.start()
                try:
                    yield connection
                finally:
                    late.cancel()
        except pymysql.Error as error:
            raise self._failure(error, flight, "") from error
        finally:
            flight.arm(None)
            connection.close()

    def _set_up(self, connection: Any, flight: Flight) -> None:
        ((version, mode),) = all_told(connection, "SELECT VERSION(), @@SESSION.sql_mode")
        seconds = flight.left()
        if "mariadb" in version.lower():
            limit = f"max_statement_time = {seconds:.3f}"
        else:
            limit = f"max_execution_time = {int(seconds * 1_000) or 1}"
        lock = min(LOCK_SECONDS, int(seconds) or 1)
        kept = ",".join(word for word in mode.split(",") if word and word not in BAD_MODES)
        for statement in (
            f"SET SESSION {limit}, lock_wait_timeout = {lock}, innodb_lock_wait_timeout = {lock}",
            f"SET SESSION sql_mode = '{kept}'",
            "SET SESSION TRANSACTION READ ONLY",
            "START TRANSACTION READ ONLY",
        ):
            all_told(connection, statement)

    def _refuse_the_store(self, connection: Any) -> None:
        """See that the database is not Mirror's own store. Raises: StatementFailed, pymysql.Error."""
        if not self.store_mark or not all_told(connection, MARKED):
            return
        try:
            said = all_told(connection, f"SELECT {MARKER_COLUMN} FROM {MARKER_TABLE}")  # noqa: S608 - constants
        except pymysql.Error as error:
            raise is_the_store() from error
        if any(str(row[0]) == self.store_mark for row in said):
            raise is_the_store()

    @contextmanager
    def _session(self, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        check_reads(sql)
        with self._connected(flight) as connection:
            cursor = connection.cursor()
            connection.allow(HEAD_BYTES)
            try:
                cursor.execute(sql)
                if cursor.description is None:
                    raise refused("This statement returns no rows.")
                names = [column[0] for column in cursor.description]
                rowing = Rowing(names, _kinds(cursor), self._chunks(cursor, flight, sql), flight, limits)
                yield rowing
            except pymysql.Error as error:
                raise self._failure(error, flight, sql) from error
            finally:
                self._leave(connection, cursor)

    def _chunks(self, cursor: Any, flight: Flight, sql: str) -> Iterator[Batch]:
        try:
            while chunk := self._chunk(cursor):
                yield list(chunk)
        except pymysql.Error as error:
            raise self._failure(error, flight, sql) from error

    def _chunk(self, cursor: Any) -> Any:
        cursor.connection.allow(CHUNK_BYTES)
        return cursor.fetchmany(CHUNK)

    def _leave(self, connection: Any, cursor: Any) -> None:
        """End a statement whose rows were not all read, then read what is already on its way."""
        result = cursor._result
        if result is not None and result.unbuffered_active:
            connection.allow(ANSWER_BYTES)
            self._kill(connection.thread_id())
            try:
                cursor.close()
            except pymysql.Error:
                result.unbuffered_active = False

    def _kill(self, thread: int, what: str = "QUERY") -> None:
        """End what a connection runs, by another one; a server that is gone runs nothing."""
        try:
            with closing(self._called()) as other:
                all_told(other, f"KILL {what} {int(thread)}")
        except (pymysql.Error, OSError, DatabaseError):
            return

    def _end(self, connection: Any) -> None:
        """Hang up, and have the server end the session when it next looks."""
        connection.break_off()
        threading.Thread(target=self._kill, args=(connection.thread_id(), "CONNECTION"), daemon=True).start()

    def _failure(self, error: pymysql.Error, flight: Flight, sql: str) -> DatabaseError:
        """Say in our errors what the server said in its own."""
        code = error.args[0] if error.args else 0
        message = str(error.args[-1]) if error.args else str(error)
        stopped = flight.failure()
        if stopped is not None and code in (0, 1317, 1927, 2006, 2013):
            return StatementFailed(stopped)
        if code == 1317:
            return ended_by_server(message, str(code))
        if code in (1969, 3024):
            return StatementFailed(timed_out(flight.seconds))
        if code == 1205:
            advice = "Somebody else has locked a table of this statement. Try again later."
            return StatementFailed(Failure(FailureKind.TIMEOUT, message, advice=advice))
        if code in (1792, 1290):
            return not_allowed(message)
        if code in (0, 1053, 1927, 2006, 2013, 2014) or not isinstance(code, int):
            if self.tunnel is not None and (lost := self.tunnel.lost()) is not None:
                return lost
            return unreachable(
                f"The connection to {self._host}:{self._port} was lost while the statement ran: {message.rstrip('.')}.",
                "Run it again once the server is back.",
            )
        advice = ""
        if code in (1142, 1143, 1370):
            advice = "Ask the owner of the database to grant this user SELECT on it."
        return failed(message, position_of(message, sql), advice, str(code))

    def _no_connection(self, error: Exception) -> DatabaseError:
        """Say why there is no connection, and what to do about it."""
        code = error.args[0] if error.args else 0
        text = str(error.args[-1]) if error.args else str(error)
        where = f"{self._host}:{self._port}"
        if code == 1045:
            return unreachable(
                f"The server refused the password of user '{self._user}'.", "Check user and password."
            )
        if code in (1044, 1049):
            said = "has no database" if code == 1049 else f"does not let user '{self._user}' into database"
            return unreachable(f"The server {said} '{self._database}'.", "Check the database's name.")
        if code in (1040, 1203, 1226):  # of the server, of one user, of what this user was granted
            return unreachable(f"The server at {where} has no free connection.", "Try again in a moment.")
        if code == 1130:
            return unreachable(f"The server does not let anybody in from this machine: {text}.")
        if re.search(r"getaddrinfo|Name or service|nodename|Temporary failure in name", text):
            return unreachable(
                f"There is no host named '{self._host}'.",
                "Check the host's name. Inside a container, localhost is the container itself.",
            )
        if "refused" in text:
            return unreachable(
                f"Nothing answers at {where}.",
                "Check host and port, and that the server runs. Inside a container, localhost is the container itself.",
            )
        if "timed out" in text:
            return unreachable(
                f"{where} did not answer within {CONNECT_SECONDS} seconds.",
                "Check host and port, and firewalls on the way.",
            )
        if re.search(r"SSL|certificate|TLS", text) or isinstance(error, ssl.SSLError):
            return unreachable(
                f"No TLS connection to {where} could be made: {text}", "Check the TLS settings."
            )
        return unreachable(f"No connection to {where}: {text}")

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        name = mysql_powers.quoted(column)
        path = [mysql_powers.quoted(part) for part in (schema, table) if part]
        return texts_sql(path, name, limit, sample, text=name, length="char_length")


def _kinds(cursor: Any) -> list[Kind]:
    kinds = []
    for field in cursor._result.fields:
        if field.type_code in TEXTS:
            kinds.append(Kind.BINARY if field.charsetnr == BINARY_CHARSET else Kind.TEXT)
        else:
            kinds.append(KINDS.get(field.type_code, Kind.OTHER))
    return kinds
