"""A DuckDB file, read only: no files, no network, locked settings, a memory limit, a deadline.

Runs in a child of `sqlagent.adapters.children` alone. DuckDB's access is set before the file is opened, and no
statement can change it. DuckDB's own parser admits one statement of a listed kind that reads. DuckDB has no deadline
of its own; a watcher interrupts it.
"""

from __future__ import annotations

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytz  # noqa: F401  # DuckDB asks for it when the first time with a zone comes

from sqlagent.adapters.base import Batch, Rowing, quoted, structure_hash
from sqlagent.adapters.children.engine import FileEngine
from sqlagent.adapters.column_kinds import kind_of
from sqlagent.adapters.columnar import ColumnarRowing
from sqlagent.adapters.duckdb_columns import column_batches
from sqlagent.adapters.failures import failed, not_allowed, refused, unreachable
from sqlagent.adapters.flights import Flight
from sqlagent.adapters.tally import Tally, checked
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.values import Catalog, Check, Column, ForeignKey, Limits, Table

CHUNK = 200
WATCH_EVERY = 0.05
# Bounds of the statement that warms a server (bytes, seconds).
WARM_BYTES, WARM_SECONDS = 100_000_000, 30.0
# MULTI is a PIVOT that has to look for its columns first.
READ_KINDS = frozenset(("SELECT", "EXPLAIN", "MULTI"))
# Types whose Arrow arrays say what Python's values would; the others come by rows alone.
BY_COLUMN = re.compile(
    r"BOOLEAN|U?(TINYINT|SMALLINT|INTEGER)|BIGINT|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)|VARCHAR|UUID|DATE|TIME|TIMESTAMP"
)
# Of the memory a statement may take, what DuckDB counts itself; it writes to disk what does not fit.
COUNTED = 0.8
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "max_temp_directory_size": "10GB",
    "lock_configuration": "true",
}

TABLES = """
SELECT schema_name, table_name, comment, estimated_size, false AS is_view
FROM system.main.duckdb_tables() WHERE NOT internal AND NOT temporary AND database_name = system.main.current_database()
UNION ALL
SELECT schema_name, view_name, comment, NULL, true
FROM system.main.duckdb_views() WHERE NOT internal AND NOT temporary AND database_name = system.main.current_database()
ORDER BY 1, 2
"""
COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
FROM system.main.duckdb_columns() WHERE NOT internal AND database_name = system.main.current_database()
ORDER BY schema_name, table_name, column_index
"""
# Macros may bear the names of DuckDB's own functions: each is called by its full name, and none is needed.
ROUTINES = "SELECT DISTINCT function_name, internal FROM system.main.duckdb_functions() ORDER BY 1"
TYPES = "SELECT DISTINCT type_name FROM system.main.duckdb_types() WHERE NOT internal ORDER BY 1"
KEYS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
       referenced_column_names
FROM system.main.duckdb_constraints()
WHERE constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') AND database_name = system.main.current_database()
ORDER BY schema_name, table_name, constraint_index
"""


class DuckdbEngine(FileEngine):
    """One DuckDB file, opened in this process."""

    reserves = (4.0, 4_000_000_000)
    # DuckDB says that its memory is no longer what it should be.
    broken_by = (duckdb.InternalException, duckdb.FatalException)

    def __init__(self, path: Path, memory: int, folder: Path, store_mark: str = "") -> None:
        self._path = path
        limit = {"memory_limit": f"{int(memory * COUNTED)}B", "temp_directory": str(folder)}
        self._config = {**CONFIG, **limit}

    def catalog(self, flight: Flight) -> Catalog:
        """Read tables, views, columns, keys and comments in three statements."""
        with self._connected(flight) as db:
            tally = Tally(flight)

            def told(sql: str) -> Iterator[Any]:
                result = db.execute(sql)
                return tally.rows(row for chunk in iter(lambda: result.fetchmany(CHUNK), []) for row in chunk)

            columns: dict[tuple[str, str], list[Column]] = defaultdict(list)
            for schema, table, name, type_, nullable, comment in told(COLUMNS):
                columns[schema, table].append(
                    Column(name, type_, kind_of(type_), bool(nullable), comment or "")
                )
            primary: dict[tuple[str, str], tuple[str, ...]] = {}
            foreign: dict[tuple[str, str], list[ForeignKey]] = defaultdict(list)
            for schema, table, kind, own, target, referenced in told(KEYS):
                if kind == "PRIMARY KEY":
                    primary[schema, table] = tuple(own)
                else:  # DuckDB's foreign keys stay within a schema
                    foreign[schema, table].append(
                        ForeignKey(tuple(own), target, tuple(referenced), _schema(schema))
                    )
            tables = tuple(
                Table(
                    name,
                    tuple(columns[schema, name]),
                    _schema(schema),
                    primary.get((schema, name), ()),
                    tuple(foreign[schema, name]),
                    comment or "",
                    size,
                    is_view,
                )
                for schema, name, comment, size, is_view in told(TABLES)
            )
            functions: dict[bool, set[str]] = {True: set(), False: set()}
            for name, is_own in told(ROUTINES):
                functions[bool(is_own)].add(str(name).lower())
            routines = tuple(sorted(functions[False]))
            types = tuple(sorted({str(name).lower() for (name,) in told(TYPES)}))
            # DuckDB calls its own functions for signs, words and casts too, by these names.
            unseen = tuple(f"the macro {name}" for name in sorted(functions[False] & functions[True]))
            version = structure_hash(tables, [*routines, *types])
            return checked(Catalog("duckdb", tables, version, "main", routines, types, unseen=unseen))

    def check(self, flight: Flight) -> Check:
        """Open the file and read its schema."""
        started = time.monotonic()
        with self._connected(flight) as db:
            db.execute("SELECT COUNT(*) FROM system.main.duckdb_tables()").fetchall()
        return Check(
            f"DuckDB {duckdb.__version__}",
            seconds=time.monotonic() - started,
        )

    @contextmanager
    def _connected(self, flight: Flight) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the file read-only, with a watcher. Raises: Unreachable, StatementFailed."""
        if not self._path.is_file():
            raise unreachable(
                f"There is no file {self._path.name} at the path of this source.",
                "Check the path, and that it was not moved.",
            )
        try:
            opened = duckdb.connect(str(self._path.resolve()), read_only=True, config=self._config)
        except duckdb.Error as error:
            raise self._no_file(error) from error
        with closing(opened) as db, _watched(db, flight):
            try:
                flight.check()
                yield db
            except duckdb.Error as error:
                raise _failure(error, flight, "") from error

    @contextmanager
    def session(self, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        """Run one statement, read-only, and give its rows as they come. Raises: StatementFailed, Unreachable."""
        with self._connected(flight) as db:
            try:
                statements = db.extract_statements(sql)
                if len(statements) != 1:
                    many = "holds several" if statements else "holds none"
                    raise refused(f"One statement at a time, please: this text {many}.")
                statement = statements[0]
                if (kind := _kind_of_statement(statement)) not in READ_KINDS:
                    raise refused(f"{kind} is not a read.")
                rowing = self._rowing(db, statement, flight, sql, limits)
            except duckdb.Error as error:
                raise _failure(error, flight, sql) from error
            with closing(rowing) if isinstance(rowing, ColumnarRowing) else nullcontext():
                yield rowing

    def _rowing(
        self,
        db: duckdb.DuckDBPyConnection,
        statement: duckdb.Statement,
        flight: Flight,
        sql: str,
        limits: Limits,
    ) -> Rowing:
        """Run a statement, or bind a SELECT whose types may come by column too. Raises: duckdb.Error."""
        relation = None
        with suppress(duckdb.Error):  # what cannot be bound says where when it is run
            relation = db.sql(statement) if statement.type.name == "SELECT" else None
        types = [] if relation is None else list(map(str, relation.types))
        if relation is not None and all(map(BY_COLUMN.fullmatch, types)):
            chunks = self._chunks(lambda: db.execute(statement), flight, sql)
            batches = self._batches(relation, types, flight, sql)
            return ColumnarRowing(relation.columns, map(kind_of, types), chunks, batches, flight, limits)
        result = db.execute(statement)
        if exact := _exact_sql(statement, result):
            result = db.execute(exact)
        names = [column[0] for column in result.description or ()]
        kinds = [kind_of(str(column[1])) for column in result.description or ()]
        return Rowing(names, kinds, self._chunks(lambda: result, flight, sql), flight, limits)

    def _chunks(
        self, begin: Callable[[], duckdb.DuckDBPyConnection], flight: Flight, sql: str
    ) -> Iterator[Batch]:
        try:
            result = begin()
            while chunk := result.fetchmany(CHUNK):
                yield chunk
        except duckdb.Error as error:
            raise _failure(error, flight, sql) from error

    def _batches(
        self, relation: duckdb.DuckDBPyRelation, types: list[str], flight: Flight, sql: str
    ) -> Generator[list[Any]]:
        try:
            yield from column_batches(relation, types)
        except duckdb.Error as error:
            raise _failure(error, flight, sql) from error

    def _no_file(self, error: duckdb.Error) -> DatabaseError:
        message = _first_line(error)
        if "lock on file" in message:
            return unreachable(
                f"The file {self._path.name} is open for writing in another program.",
                "DuckDB lets one program write or several read. Close the other, or connect a copy.",
            )
        name = self._path.name
        if "not a valid DuckDB" in message:
            return unreachable(f"The file {name} is not a DuckDB database.")
        if re.search(r"Corrupt|checksum|enough bytes|INTERNAL|serializ", message):
            return unreachable(
                f"The file {name} is damaged: DuckDB cannot read it.", "Put a whole copy in its place."
            )
        return unreachable(f"The file {name} cannot be opened: {message}")


def warm() -> None:
    """Open a file of our own and read it, as any child will: a fork of this process then finds done what comes first.

    DuckDB finds its functions, Python's types and the pages of its library at the first statement of a process. Its
    threads end with the connections, so that the process may fork.
    """
    with TemporaryDirectory(prefix="mirror-warm-") as made:
        path = Path(made) / "rows.duckdb"
        with duckdb.connect(str(path), config={"threads": "1"}) as db:
            db.execute("CREATE TABLE rows AS SELECT 1 AS a, 'x' AS b, 1.5 AS c, DATE '2026-01-01' AS d")
        engine = DuckdbEngine(path, WARM_BYTES, Path(made) / "spill")
        with engine.session(Flight(WARM_SECONDS), "SELECT * FROM rows", Limits()) as rowing:
            list(rowing)


@contextmanager
def _watched(db: duckdb.DuckDBPyConnection, flight: Flight) -> Iterator[None]:
    """Interrupt what runs once it is stopped or over time, until it is done."""
    is_done = threading.Event()

    def watch() -> None:
        while not is_done.wait(WATCH_EVERY):
            if flight.failure() is not None:
                db.interrupt()

    watcher = threading.Thread(target=watch, name="duckdb-deadline", daemon=True)
    watcher.start()
    flight.arm(db.interrupt)
    try:
        yield
    finally:
        flight.arm(None)
        db.interrupt()  # what was left half read
        is_done.set()
        watcher.join()


def _kind_of_statement(statement: duckdb.Statement) -> str:
    try:
        return statement.type.name
    except ValueError:  # a kind that DuckDB 2.0's Python client has no name for (UPDATE EXTENSIONS, for one)
        return "This statement"


def _exact_sql(statement: duckdb.Statement, result: duckdb.DuckDBPyConnection) -> str:
    """Write the SELECT that gives as text what Python would round; empty where nothing is rounded.

    A month is not thirty days, and Python's times have no nanoseconds.
    """
    columns = result.description or []
    rounded = [str(column[1]) in ("INTERVAL", "TIMESTAMP_NS") for column in columns]
    if not any(rounded) or statement.type.name != "SELECT":
        return ""
    parts = [
        f"CAST(#{number} AS VARCHAR) AS {quoted(column[0])}"
        if is_rounded
        else f"#{number} AS {quoted(column[0])}"
        for number, (column, is_rounded) in enumerate(zip(columns, rounded, strict=True), 1)
    ]
    text = re.sub(r";\s*(--[^\n]*\s*)*$", "", statement.query.strip())
    return f"SELECT {', '.join(parts)} FROM (\n{text}\n)"  # noqa: S608 - the statement itself, wrapped


def _schema(name: str) -> str:
    return "" if name == "main" else name


def _first_line(error: Exception) -> str:
    """Keep what DuckDB says first; the drawing of the statement and the traces below it are not for people.

    After an error of its own it quotes that one as JSON; then what happened is in there.

    Example:
        >>> _first_line(Exception('FATAL Error: invalid. Original error: "{\\"exception_type\\":\\"INTERNAL\\",'
        ...                       '\\"exception_message\\":\\"Bad page\\",\\"stack_trace\\":\\"/usr/lib/x\\"}"'))
        'Bad page'
    """
    text = str(error).split("\n\nLINE ")[0]
    inner = re.search(r'"exception_message\\?":\s*\\?"((?:[^"\\]|\\[^"])*)', text)
    text = inner[1] if inner else re.split(r"\n*(?:Stack Trace:|This error signals an assertion)", text)[0]
    text = re.sub(r"^(\w+ )*(Error|ERROR): ", "", text)
    return re.sub(r"\s*\n\s*", " ", text).strip()


def _failure(error: duckdb.Error, flight: Flight, sql: str) -> DatabaseError:
    """Say in our errors what DuckDB said in its own."""
    message = _first_line(error)
    stopped = flight.failure()
    if isinstance(error, duckdb.InterruptException) and stopped is not None:
        return StatementFailed(stopped)
    if isinstance(error, duckdb.PermissionException) or "read-only mode" in message:
        return not_allowed(message)
    if isinstance(error, duckdb.OutOfMemoryException):
        advice = "Ask for less: fewer rows, fewer columns, or an aggregate."
        return failed(message, advice=advice, code=type(error).__name__)
    return failed(message, _position(str(error), sql), code=type(error).__name__)


def _position(text: str, sql: str) -> int | None:
    """Read from DuckDB's drawing (LINE n: ..., a caret below) where the fault stands.

    Example:
        >>> _position("no\\n\\nLINE 1: SELECT x FROM t\\n               ^", "SELECT x FROM t")
        7
    """
    drawn = re.search(r"LINE (\d+): (.*)\n( *)\^", text)
    if drawn is None:
        return None
    lines = sql.split("\n")
    number, shown, indent = int(drawn[1]), drawn[2], len(drawn[3])
    if number > len(lines):
        return None
    column = indent - len(f"LINE {number}: ")
    if shown.startswith("..."):  # a long line is shown in part
        column += lines[number - 1].find(shown[3:].removesuffix("...")) - 3
    return sum(len(line) + 1 for line in lines[: number - 1]) + column if column >= 0 else None
