"""PostgreSQL, read only: a read-only transaction, one statement, deadlines, rolled back.

A statement is sent by the extended protocol, which takes exactly one, and is described
before it runs: one that returns no columns (COPY, DO, SET, VACUUM) never starts. A
superuser's powers are set aside for the session (`postgres_session`). The catalog is read by
`postgres_catalog`, the user's privileges by `postgres_powers`.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from psycopg import abc, generators, pq
from psycopg.adapt import AdaptersMap, Transformer
from psycopg.types.datetime import IntervalLoader
from psycopg.types.string import TextLoader

from sqlagent.adapters import postgres_catalog
from sqlagent.adapters.base import (
    CATALOG_SECONDS,
    CONNECT_SECONDS,
    LOOPBACK,
    NARROW,
    Adapter,
    Batch,
    Row,
    Rowing,
    known_options,
    quoted,
    texts_sql,
)
from sqlagent.adapters.column_kinds import kind_of
from sqlagent.adapters.columnar import ColumnarRowing
from sqlagent.adapters.failures import check_text, failed, not_allowed, refused, unreachable
from sqlagent.adapters.flights import Flight, hung_up_on
from sqlagent.adapters.postgres_copy import (
    CopiedLines,
    Copying,
    Defusing,
    copy_sql,
    csv_sql,
    gathered,
)
from sqlagent.adapters.postgres_session import Session, cancel, drop, end, look_first, set_up
from sqlagent.adapters.tally import Tally, checked
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.values import Catalog, Check, Failure, FailureKind, Kind, Limits

OPTIONS = ("sslmode", "sslrootcert", "sslcert", "sslkey")
# Rows asked of the driver at a time. 20 took 0.62 s for 1,000,000 rows x 8 where 1 took 1.5 s
# and 100 took 0.53 s. A computed text may be a gigabyte (repeat, string_agg): then one by one.
CHUNK = 20


class _WholeInterval(IntervalLoader):
    """Keeps an interval with months as text: a month is not a number of days."""

    def load(self, data: Any) -> Any:
        if b"mon" in bytes(data) or b"year" in bytes(data):
            return bytes(data).decode()
        return super().load(data)


def _adapters() -> AdaptersMap:
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_loader("interval", _WholeInterval)
    as_text = ("inet", "cidr", "int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange")
    multi = tuple(f"{name[:-5]}multirange" for name in as_text if name.endswith("range"))
    for name in (*as_text, *multi, "record"):
        adapters.register_loader(name, TextLoader)
    return adapters


ADAPTERS = _adapters()
# Loaders that give a text unchanged: ours, and psycopg's for text and for types it does not know.
TEXT_LOADERS = frozenset((TextLoader, ADAPTERS.get_loader(25, pq.Format.TEXT)))
PLAIN_TEXTS = frozenset(("text", "varchar", "name"))


class PostgresDatabase(Adapter):
    """One PostgreSQL database. Options: sslmode, sslrootcert, sslcert, sslkey."""

    dialect = "postgres"

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
        self._host = host or "localhost"
        self._where = f"{host or 'localhost'}:{port or 5432}"
        self._database, self._user = database, user
        self._connect_with: dict[str, Any] = {
            # One name an address: TLS is about the name, the call goes to the address.
            "host": ",".join([self._host] * max(len(addresses), 1)),
            **({"hostaddr": ",".join(addresses)} if addresses else {}),
            "port": port or 5432,
            "dbname": database,
            "user": user,
            "password": password or None,
            # Ignore the password file of Mirror's user.
            "passfile": "/dev/null/none",
            "connect_timeout": CONNECT_SECONDS,
            "client_encoding": "UTF8",
            "application_name": "mirror",
            # A server that vanished without a word is noticed after about 25 seconds.
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 25_000,
            **_with_authorities(known_options(options or {}, OPTIONS)),
        }

    def catalog(self) -> Catalog:
        """Read what this user may select, in four statements whatever the number of tables."""
        with self.flight(CATALOG_SECONDS) as flight, self._connected(flight) as connection:
            return checked(postgres_catalog.read_catalog(connection, Tally(flight, connection.close)))

    def check(self) -> Check:
        """Connect and tell what this user could do beyond reading, with the SQL for a role that could not."""
        started = time.monotonic()
        with self.flight(CATALOG_SECONDS) as flight, self._connected(flight, as_is=True) as connection:
            return postgres_catalog.read_check(connection, started)

    @contextmanager
    def _connected(self, flight: Flight, *, as_is: bool = False) -> Iterator[Session]:
        """Open a read-only transaction and end it. Raises: Unreachable, StatementFailed."""
        way = self._connect_with
        if self.tunnel is not None:
            way = {**way, "hostaddr": LOOPBACK, "port": self.tunnel.port(flight)}
        try:
            connection = Session.connect(**way, context=ADAPTERS_CONTEXT)
        except psycopg.Error as error:
            raise (self.tunnel and self.tunnel.refusal()) or self._no_connection(error) from error
        try:
            connection.read_only = True
            flight.arm(lambda: cancel(connection))
            with hung_up_on(flight, lambda: drop(connection)):
                set_up(connection, flight, as_is=as_is, store_mark=self.store_mark)
                yield connection
        except psycopg.Error as error:
            raise self._failure(error, flight) from error
        finally:
            flight.arm(None)
            end(connection)

    @contextmanager
    def _session(self, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        with self._connected(flight) as connection:
            description = self._prepare(connection, flight, sql)
            columns = [_name(description, number) for number in range(description.nfields)]
            kinds = _kinds(connection, description)
            chunk = CHUNK if _is_stored(description, kinds) else 1
            chunks = self._chunks(connection, flight, chunk)
            copy = copy_sql(sql)
            if copy is None:
                yield Rowing(columns, kinds, chunks, flight, limits)
                return
            copying = Copying(connection, flight, copy, limits.rows + 1, self._failure)
            batches = self._copied(connection, flight, sql, description, copying, chunks)
            with closing(ColumnarRowing(columns, kinds, chunks, batches, flight, limits)) as rowing:
                yield rowing

    @contextmanager
    def stream_csv(self, sql: str, limits: Limits, *, live: str, plain: str) -> Iterator[CopiedLines | None]:
        """Run one statement and hand it over as lines of CSV. Raises: StatementFailed, Unreachable.

        See `sqlagent.ports.CsvStreaming`, which also says when it gives None.
        """
        check_text(sql)
        with self.flight(limits.seconds) as flight, self._connected(flight) as connection:
            description = self._prepare(connection, flight, sql)
            types = [name for name, _ in _types(connection, description)]
            is_unicode = connection.pgconn.parameter_status(b"server_encoding") == b"UTF8"
            copy = csv_sql(sql, types, Defusing(live, plain), limits) if is_unicode else None
            if copy is None:
                yield None
                return
            columns = [_name(description, number) for number in range(description.nfields)]
            kinds = _kinds(connection, description)
            copying = Copying(connection, flight, copy, limits.rows, self._failure)
            yield CopiedLines(columns, kinds, copying, limits) if copying.begins() else None

    def _prepare(self, connection: Session, flight: Flight, sql: str) -> pq.abc.PGresult:
        """Have the one statement parsed and described. Raises: StatementFailed."""
        pgconn = connection.pgconn
        flight.check()
        look_first(connection, sql)
        pgconn.send_prepare(b"", sql.encode())
        _one_result(connection)
        pgconn.send_describe_prepared(b"")
        description = _one_result(connection)
        if not description.nfields:
            raise refused("This statement returns no rows.")
        if description.nparams:
            raise failed(
                "The SQL has parameters ($1) and no values for them.",
                _find(sql, r"\$\d"),
                "Write the values in.",
            )
        return description

    def _copied(
        self,
        connection: Session,
        flight: Flight,
        sql: str,
        description: pq.abc.PGresult,
        copying: Copying,
        chunks: Iterator[Batch],
    ) -> Generator[list[Any]]:
        """Give columns by COPY; from rows where the server takes no COPY: then in a transaction of their own."""
        if copying.begins():
            yield from _copied_columns(connection, description, copying)
            return
        connection.rollback()
        set_up(connection, flight, store_mark=self.store_mark)
        self._prepare(connection, flight, sql)
        for rows in gathered(chunks):
            yield [list(column) for column in zip(*rows, strict=True)]

    def _chunks(self, connection: psycopg.Connection[Any], flight: Flight, size: int) -> Iterator[Batch]:
        pgconn = connection.pgconn
        transformer = Transformer(connection)
        try:
            flight.check()
            pgconn.send_query_prepared(b"", None)
            pgconn.set_chunked_rows_mode(size)
            connection.wait(generators.send(pgconn))
            is_first = True
            while (result := connection.wait(generators.fetch(pgconn))) is not None:
                if result.status == pq.ExecStatus.FATAL_ERROR:
                    raise psycopg.errors.error_from_result(result)
                transformer.set_pgresult(result, set_loaders=is_first)
                is_first = False
                try:
                    chunk = transformer.load_rows(0, result.ntuples, tuple)
                except (psycopg.DataError, UnicodeDecodeError):
                    chunk = [_load_exactly(transformer, result, row) for row in range(result.ntuples)]
                if chunk:
                    yield chunk
        except psycopg.Error as error:
            raise self._failure(error, flight) from error

    def _failure(self, error: psycopg.Error, flight: Flight) -> DatabaseError:
        """Say in our errors what PostgreSQL said in its own."""
        message = (error.diag.message_primary or str(error)).strip()
        if isinstance(error, psycopg.errors.QueryCanceled):
            return StatementFailed(flight.failure() or Failure(FailureKind.TIMEOUT, message))
        if isinstance(error, psycopg.errors.LockNotAvailable):
            advice = "Somebody else has locked a table of this statement. Try again later."
            return StatementFailed(Failure(FailureKind.TIMEOUT, message, advice=advice))
        if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
            return not_allowed(message)
        if error.sqlstate is None or error.sqlstate.startswith(("08", "57P")):
            if (stopped := flight.failure()) is not None:
                return StatementFailed(stopped)
            if self.tunnel is not None and (lost := self.tunnel.lost()) is not None:
                return lost
            return unreachable(
                f"The connection to {self._where} was lost while the statement ran: {message}.".replace(
                    "..", "."
                ),
                "Run it again once the server is back.",
            )
        if "multiple commands" in message:
            return refused("One statement at a time, please: this text holds several.")
        place = error.diag.statement_position
        advice = error.diag.message_hint or ""
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            advice = advice or "Ask the owner of the database to grant this user SELECT on it."
        return failed(message, int(place) - 1 if place else None, advice, error.sqlstate)

    def _no_connection(self, error: psycopg.Error) -> DatabaseError:
        """Say why there is no connection, and what to do about it."""
        text = re.sub(r"\s+", " ", str(error)).strip()
        for pattern, message, advice in (
            (r"password authentication failed|no password supplied", "The server refused the password of user '{user}'.", "Check user and password."),
            (r'role "[^"]*" does not exist', "The server knows no user '{user}'.", "Check the user's name."),
            (r'database "[^"]*" does not exist', "The server has no database '{database}'.", "Check the database's name."),
            (r"permission denied for database", "User '{user}' may not connect to database '{database}'.", "GRANT CONNECT ON DATABASE is needed."),
            (r"no pg_hba.conf entry", "The server does not let user '{user}' in from this machine.", "An entry in its pg_hba.conf is needed (and TLS, perhaps)."),
            (r"could not translate host name|failed to resolve host|Name or service not known|nodename nor servname", "There is no host named '{host}'.", "Check the host's name. Inside a container, localhost is the container itself."),
            # Of several addresses one may answer and another not: what answered is told of first.
            (r"invalid response to SSL negotiation|expected authentication request", "What answers at {where} is no PostgreSQL server.", "Check host, port and engine."),
            (r"SSL|certificate", "No TLS connection to {where} could be made: {text}.", "Check the TLS settings."),
            (r"Connection refused", "Nothing answers at {where}.", "Check host and port, and that the server runs. Inside a container, localhost is the container itself."),
            (r"timeout expired|timed out|No route to host|Network is unreachable", "{where} did not answer within {seconds} seconds.", "Check host and port, and firewalls on the way."),
            (r"too many (clients|connections)|remaining connection slots", "The server at {where} has no free connection.", "Try again in a moment."),
            (r"starting up|shutting down|recovery mode", "The server at {where} is starting or stopping.", "Try again in a moment."),
        ):  # fmt: skip
            if re.search(pattern, text):
                words = {
                    "user": self._user,
                    "database": self._database,
                    "host": self._host,
                    "where": self._where,
                    "seconds": CONNECT_SECONDS,
                    "text": text,
                }
                return unreachable(message.format(**words), advice)
        return unreachable(f"No connection to {self._where}: {text}")

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        name = quoted(column)
        path = [quoted(part) for part in (schema, table) if part]
        return texts_sql(path, name, limit, sample, text=f"{name}::text")


def _with_authorities(options: dict[str, str]) -> dict[str, str]:
    """Check certificates against the authorities of the machine where no others are named.

    The library's own default is a file in the home folder of Mirror's user.
    """
    if not options.get("sslmode", "").startswith("verify") or options.get("sslrootcert"):
        return options
    return {**options, "sslrootcert": ssl.get_default_verify_paths().cafile or "system"}


class _Context:
    """Carries our loaders to new connections."""

    adapters = ADAPTERS
    connection = None


ADAPTERS_CONTEXT = _Context()


def _one_result(connection: psycopg.Connection[Any]) -> pq.abc.PGresult:
    results: list[pq.abc.PGresult] = connection.wait(generators.execute(connection.pgconn))
    if results[-1].status == pq.ExecStatus.FATAL_ERROR:
        raise psycopg.errors.error_from_result(results[-1])
    return results[-1]


def _name(description: pq.abc.PGresult, number: int) -> str:
    return (description.fname(number) or b"").decode("utf-8", "replace")


def _kinds(connection: psycopg.Connection[Any], description: pq.abc.PGresult) -> list[Kind]:
    kinds = []
    for number in range(description.nfields):
        known = connection.adapters.types.get(description.ftype(number))
        is_array = known is not None and description.ftype(number) == known.array_oid
        kinds.append(Kind.OTHER if is_array or known is None else kind_of(known.regtype or known.name))
    return kinds


def _types(connection: psycopg.Connection[Any], description: pq.abc.PGresult) -> list[tuple[str, abc.Loader]]:
    """Name the type of each column, `other text` for what is no type of its own here, with its loader."""
    transformer, types = Transformer(connection), []
    for number in range(description.nfields):
        oid = description.ftype(number)
        loader = transformer.get_loader(oid, pq.Format.TEXT)
        known = connection.adapters.types.get(oid)
        name = known.name if known is not None and oid == known.oid else ""
        if loader.__class__ in TEXT_LOADERS and name not in PLAIN_TEXTS:
            name = "other text"
        types.append((name, loader))
    return types


def _copied_columns(
    connection: psycopg.Connection[Any], description: pq.abc.PGresult, copying: Copying
) -> Generator[list[Any]]:
    from sqlagent.adapters.postgres_columns import CopiedColumns, shape  # loads pyarrow

    zone = connection.pgconn.parameter_status(b"TimeZone") or b""
    shapes = [
        shape(name, description.fmod(number), zone, loader)
        for number, (name, loader) in enumerate(_types(connection, description))
    ]
    yield from CopiedColumns(copying, shapes)


def _is_stored(description: pq.abc.PGresult, kinds: list[Kind]) -> bool:
    """Tell whether every column that may be long comes straight from a table."""
    return all(kind in NARROW or description.ftable(number) for number, kind in enumerate(kinds))


def _load_exactly(transformer: abc.Transformer, result: pq.abc.PGresult, row: int) -> Row:
    """Load one row cell by cell; values that Python cannot hold (BC, infinity, 24:00) stay text."""
    cells: list[Any] = []
    for number in range(result.nfields):
        value = result.get_value(row, number)
        if value is None:
            cells.append(None)
            continue
        loader = transformer.get_loader(result.ftype(number), pq.Format.TEXT)
        try:
            cells.append(loader.load(value))
        except (psycopg.DataError, UnicodeDecodeError):
            cells.append(bytes(value).decode("utf-8", "replace"))
    return tuple(cells)


def _find(sql: str, pattern: str) -> int | None:
    found = re.search(pattern, sql)
    return found.start() if found else None
