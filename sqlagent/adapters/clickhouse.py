"""ClickHouse over its HTTP interface: `readonly = 1`, a deadline, bytes read at most; rows as they come.

Each statement is one request with its settings, and ClickHouse takes none that a statement sets besides. Read-only
ClickHouse writes nothing, changes no setting and opens no file, address or other server: its table functions need a
right that the mode takes away. A user whose profile says `readonly = 1` may send no setting, so no deadline either,
and is not taken; `readonly = 2` is.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from threading import Lock
from typing import Any

import clickhouse_connect
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError
from urllib3 import BaseHTTPResponse, PoolManager, Timeout
from urllib3.exceptions import HTTPError

from sqlagent.adapters import clickhouse_catalog, tls
from sqlagent.adapters.base import (
    CATALOG_SECONDS,
    CONNECT_SECONDS,
    Adapter,
    Batch,
    Row,
    Rowing,
    known_options,
    texts_sql,
)
from sqlagent.adapters.clickhouse_words import code_of, name_of, position_of, said
from sqlagent.adapters.failures import ended_by_server, failed, not_allowed, refused, timed_out, unreachable
from sqlagent.adapters.flights import HANG_UP_SECONDS, LOOK_EVERY, Flight, hung_up_on
from sqlagent.adapters.scanning import TOO_MUCH, scans_too_much, would_scan_too_much
from sqlagent.adapters.sqlalchemy import check_reads
from sqlagent.adapters.tally import Tally, checked
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.values import Catalog, Check, Limits

# The driver would log what servers answer.
logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)

OPTIONS = ("namespaces", *tls.OPTIONS)
PORT, TLS_PORT = 8123, 8443
# Rows of a block: the driver reads one at a time.
BLOCK_ROWS = 8_192
# Rows handed on at a time.
CHUNK = 100
# A server that says nothing for so long is given up on by the driver; statements are, at their deadline.
SILENT_SECONDS = 3_600

# ClickHouse opens this file before it asks whether it may (26.9: an empty one was made in a read-only session).
_MAKES_A_FILE = re.compile(r"\bsqlite\b[`\"]?(?:\s|/\*.*?\*/|--[^\n]*\n)*\(", re.IGNORECASE | re.DOTALL)
# Settings for the meaning of standard SQL (docs/decisions/0061), and against features that no statement needs.
SETTINGS: dict[str, Any] = {
    "join_use_nulls": 1,  # a LEFT JOIN gives NULL, and not 0 or ''
    "union_default_mode": "DISTINCT",
    "aggregate_functions_null_for_empty": 1,  # the sum of no rows is NULL
    "prefer_column_name_to_alias": 1,  # WHERE means the column, and not an alias of SELECT
    "cast_keep_nullable": 1,
    "allow_introspection_functions": 0,
    "max_block_size": BLOCK_ROWS,
    "cancel_http_readonly_queries_on_client_close": 1,
}
FORMATS = {"UUID": "string", "IPv4": "string", "IPv6": "string", "FixedString": "bytes"}
TIMED_OUT, CANCELLED_THERE, READ_ONLY, TOO_MANY_BYTES = 159, 394, 164, 307
SIGNED_OUT = frozenset((192, 193, 194, 516))


class ClickhouseDatabase(Adapter):
    """One ClickHouse database, and those besides that are named.

    Options: sslmode, sslrootcert, namespaces (other databases to read, separated by commas; `*` for all).
    """

    dialect = "clickhouse"

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
        known = known_options(options or {}, OPTIONS)
        self._sslmode, self._sslrootcert = tls.mode_of(known), known.get("sslrootcert", "")
        self._is_secure = self._sslmode not in ("", "disable")
        self._host, self._port = host or "localhost", port or (TLS_PORT if self._is_secure else PORT)
        self._addresses = tuple(addresses)
        self._database, self._user, self._password = database or "default", user or "default", password
        self._others = tuple(name.strip() for name in known.get("namespaces", "").split(",") if name.strip())
        self._opening = Lock()

    # ------------------------------------------------------------ connecting

    @cached_property
    def _client(self) -> Client:
        """Sign in. Raises: Unreachable."""
        address = self._addresses[0] if self._addresses else self._host
        try:
            client = clickhouse_connect.get_client(
                host=address,
                port=self._port,
                interface="https" if self._is_secure else "http",
                username=self._user,
                password=self._password,
                database=self._database,
                # Named only where another place is called than the name says: the pool checks the certificate for it.
                server_host_name=self._host if address != self._host else None,
                pool_mgr=self._pool(),
                connect_timeout=CONNECT_SECONDS,
                send_receive_timeout=CONNECT_SECONDS,
                query_retries=0,
                autogenerate_session_id=False,
                autogenerate_query_id=False,
                client_name="mirror",
                compress=False,
            )
        except (ClickHouseError, HTTPError, OSError, ValueError) as error:
            raise self._no_connection(error) from error
        mode = client.server_settings.get("readonly")
        if mode is not None and mode.value == "1":
            client.close()
            raise unreachable(
                f"The profile of user '{self._user}' says readonly = 1, so that Mirror may send no limit with a statement.",
                "Give the user readonly = 2 in its profile, or no such setting and SELECT alone: Mirror makes each statement read-only.",
            )
        if mode is None or mode.value == "0":
            client.set_client_setting("readonly", 1)
        client.timeout = Timeout(connect=CONNECT_SECONDS, read=SILENT_SECONDS)  # type: ignore[attr-defined] # HTTP's
        return client

    def _pool(self) -> PoolManager:
        """Make what calls the server: no proxy of the environment, no redirect, TLS as the mode says."""
        context = tls.context_for(self._sslmode, self._sslrootcert)
        more: dict[str, Any] = {}
        if context is not None:
            checked_name = self._host if context.check_hostname else None
            more = {
                "ssl_context": context,
                "server_hostname": self._host,
                "assert_hostname": checked_name or False,
            }
        return _Pool(maxsize=8, retries=False, **more)

    def _signed_in(self) -> Client:
        with self._opening:
            return self._client

    def _no_connection(self, error: Exception) -> DatabaseError:
        text, where = self._text(error), f"{self._host}:{self._port}"
        if code_of(text) in SIGNED_OUT:
            return unreachable(f"The server refused user '{self._user}'.", "Check user and password.")
        if code_of(text) == 81:
            return unreachable(f"There is no database '{self._database}'.", "Check the database's name.")
        if code_of(text):
            return unreachable(f"The server opened no session: {said(text)[0]}", "Check user and database.")
        if re.search(r"SSL|certificate|TLS", text):
            return unreachable(
                f"No TLS connection to {where} could be made: {text}", "Check the TLS settings."
            )
        if re.search(r"resolve|getaddrinfo|Name or service", text):
            return unreachable(f"There is no host named '{self._host}'.", "Check the host's name.")
        if re.search(r"timed out|timeout", text, re.IGNORECASE):
            return unreachable(
                f"{where} did not answer within {CONNECT_SECONDS} seconds.",
                "Check host and port, and firewalls on the way.",
            )
        if "refused" in text:
            return unreachable(
                f"Nothing answers at {where}.",
                "Check host and port: ClickHouse is asked over HTTP, at 8123 or, with TLS, 8443.",
            )
        return unreachable(
            f"What answers at {where} does not speak as ClickHouse does over HTTP.",
            "Check host and port (8123; with TLS 8443), and TLS.",
        )

    # ------------------------------------------------------------ asking

    def catalog(self) -> Catalog:
        """Read what this user may see of its database, and of the others that are named."""
        with self.flight(CATALOG_SECONDS) as flight:
            tally = Tally(flight)
            return checked(
                clickhouse_catalog.read_catalog(
                    lambda sql: tally.rows(self._ask(flight, sql)), self._database, self._others
                )
            )

    def check(self) -> Check:
        """Connect and tell the version, and what this user could do beyond reading."""
        started = time.monotonic()
        with self.flight(CATALOG_SECONDS) as flight:
            return clickhouse_catalog.read_check(
                lambda sql: self._ask(flight, sql), self._user, self._database, started
            )

    def _ask(self, flight: Flight, sql: str, scan_bytes: int | None = None) -> Iterator[Row]:
        """Run a statement of our own, and give its rows as they come."""
        with self._running(flight, sql, scan_bytes) as (_, _, blocks):
            for block in blocks:
                yield from block

    @contextmanager
    def _session(self, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        check_reads(sql)
        if _MAKES_A_FILE.search(sql):
            raise refused(
                "sqlite() opens a file of the server, and makes it where there is none; it is not a read."
            )
        if self.scan_bytes is not None:
            self._check_scan(flight, sql, self.scan_bytes)
        with self._running(flight, sql, self.scan_bytes) as (names, types, blocks):
            if not names:
                names, types = self._described(flight, sql)
            yield Rowing(names, map(clickhouse_catalog.kind_of, types), blocks, flight, limits)

    def _check_scan(self, flight: Flight, sql: str, most: int) -> None:
        """Ask how much a statement would read, where ClickHouse can tell. Raises: StatementFailed beyond `most`.

        The estimate is bounded too: subqueries of one value run while a statement is explained.
        """
        try:
            found = clickhouse_catalog.read_estimate(lambda asked: self._ask(flight, asked, most), sql)
        except StatementFailed as error:
            if error.failure.code == TOO_MUCH:
                raise
            return  # it explains no such statement; while it runs the server counts
        if found > most:
            raise would_scan_too_much(found, most)

    def _described(self, flight: Flight, sql: str) -> tuple[list[str], list[str]]:
        """Tell the columns of a query that gave no rows: ClickHouse then sends nothing at all."""
        query = sql.rstrip("; \t\r\n")
        try:
            told = [
                (str(row[0]), str(row[1]))
                for row in self._ask(flight, f"DESCRIBE (\n{query}\n)", self.scan_bytes)
            ]
        except StatementFailed:
            return [], []
        return [name for name, _ in told], [type_ for _, type_ in told]

    @contextmanager
    def _running(
        self, flight: Flight, sql: str, scan_bytes: int | None = None
    ) -> Iterator[tuple[Sequence[str], Sequence[str], Iterator[Batch]]]:
        """Run one statement as one request: names and types of its columns, and its rows in blocks."""
        client, number = self._signed_in(), str(uuid.uuid4())
        flight.arm(lambda: self._kill(client, number))
        settings = {**SETTINGS, "max_execution_time": f"{flight.left():.3f}"}
        if scan_bytes is not None:
            settings |= {"max_bytes_to_read": scan_bytes, "read_overflow_mode": "throw"}
        blocks: _Blocks | None = None
        try:
            context = client.create_query_context(
                query=sql,
                settings={**_sendable(client, settings), "query_id": number},
                streaming=True,
                query_tz="UTC",
                query_formats=FORMATS,
            )
            # The driver's own method for a stream begins with words of SQL that it would not take: SHOW, EXPLAIN.
            blocks = _Blocks(_answer(flight, lambda: client._query_with_context(context)))
            with hung_up_on(flight, blocks.close):
                yield blocks.names, blocks.types, iter(blocks)
        except (ClickHouseError, HTTPError, OSError) as error:
            raise self._failure(error, flight, scan_bytes) from error
        finally:
            flight.arm(None)
            if blocks is None or not blocks.are_read:
                self._kill(client, number)
            if blocks is not None:
                blocks.close()

    def _kill(self, client: Client, number: str) -> None:
        """End what runs under a number; one that has ended is no matter."""
        with suppress(ClickHouseError, HTTPError, OSError):
            client.command(f"KILL QUERY WHERE query_id = '{number}' ASYNC")

    def _failure(self, error: Exception, flight: Flight, scan_bytes: int | None) -> DatabaseError:
        stopped = flight.failure()
        if stopped is not None:
            return StatementFailed(stopped)
        text = self._text(error)
        code = code_of(text)
        message, advice = said(text)
        if code == TIMED_OUT:
            return StatementFailed(timed_out(flight.seconds))
        if code == TOO_MANY_BYTES and scan_bytes is not None:
            return scans_too_much(scan_bytes)
        if code == CANCELLED_THERE:
            return ended_by_server(message, str(code))
        if code == READ_ONLY:
            return not_allowed(message)
        if code:
            return failed(message, position_of(text), advice, name_of(text))
        return unreachable(
            f"The connection to {self._host}:{self._port} was lost while the statement ran.",
            "Run it again once the server is back.",
        )

    def _text(self, error: BaseException) -> str:
        text = str(error)
        return text.replace(self._password, "…") if self._password else text

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        name = clickhouse_catalog.quoted(column)
        path = [clickhouse_catalog.quoted(part) for part in (schema, table) if part]
        return texts_sql(path, name, limit, sample, text=f"toString({name})", length="lengthUTF8")

    def close(self) -> None:
        """Stop what is in flight, and hang up."""
        super().close()
        with self._opening:
            client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()
            client.http.clear()


class _Pool(PoolManager):
    """Calls a server and goes nowhere else: an answer that points elsewhere is an answer."""

    def urlopen(self, method: str, url: str, redirect: bool = True, **more: Any) -> BaseHTTPResponse:  # type: ignore[override]
        return super().urlopen(method, url, redirect=False, **{**more, "retries": False})


def _sendable(client: Client, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the settings that an older server does not have."""
    return {name: value for name, value in settings.items() if name in client.server_settings}


def _answer(flight: Flight, ask: Callable[[], Any]) -> Any:
    """Wait for the first rows in a thread of its own, and leave it behind when the server does not end the statement.

    Nothing comes before the first rows do, so there is nothing to hang up on. Raises: StatementFailed, and what `ask` does.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="statement")
    asked = pool.submit(ask)
    pool.shutdown(wait=False)
    until: float | None = None
    while True:
        try:
            return asked.result(timeout=LOOK_EVERY)
        except TimeoutError:
            failure = flight.failure()
            if failure is None:
                continue
            until = until or time.monotonic() + HANG_UP_SECONDS
            if time.monotonic() > until:
                asked.add_done_callback(_let_go)
                raise StatementFailed(failure) from None


def _let_go(asked: Future[Any]) -> None:
    """Close an answer that came too late."""
    if asked.exception() is None:
        _Blocks(asked.result()).close()


class _Blocks:
    """The rows of one answer, a block of the server's at a time; `are_read` says that the last one came."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self.names: Sequence[str] = result.column_names
        self.types = [type_.name for type_ in result.column_types]
        self.are_read = False

    def __iter__(self) -> Iterator[Batch]:
        with self._result.row_block_stream as blocks:
            for block in blocks:
                rows = [tuple(map(_cell, row)) for row in block]
                yield from (rows[at : at + CHUNK] for at in range(0, len(rows), CHUNK))
        self.are_read = True

    def close(self) -> None:
        """Hang up on what was not read."""
        with suppress(ClickHouseError, HTTPError, OSError):
            self._result.close()


def _cell(value: Any) -> Any:
    """Give a cell that can be kept; a time of day comes as a span."""
    if isinstance(value, timedelta):
        return str(value)
    return value
