"""A SQLite file, read only: `mode=ro`, `query_only`, an authorizer, a deadline, limits.

Runs in a child of `sqlagent.adapters.children` alone. Each statement gets a connection of its own. The file
is opened read-only by SQLite itself; the authorizer lets a statement only select, read, call functions and recurse, so ATTACH,
PRAGMA that set something, transactions and extensions do not even compile.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlagent.adapters.base import MARKER_COLUMN, MARKER_TABLE, Batch, Rowing, quoted, structure_hash
from sqlagent.adapters.children.engine import FileEngine
from sqlagent.adapters.column_kinds import sqlite_kind_of
from sqlagent.adapters.failures import failed, is_the_store, not_allowed, refused, unreachable
from sqlagent.adapters.flights import Flight
from sqlagent.adapters.sqlite_comments import column_comments
from sqlagent.adapters.tally import Tally, checked
from sqlagent.errors import StatementFailed
from sqlagent.values import Catalog, Check, Column, ForeignKey, Limits, Table

# Virtual-machine steps between two looks at the clock: under a millisecond.
STEPS = 2_000
# Rows fetched at a time: few, as each may hold 64 MB.
CHUNK = 16
# Limits of one statement (https://sqlite.org/limits.html); a text or blob of at most 64 MB.
SQLITE_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 64_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 5_000,
}
READ_ACTIONS = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE))
READ_PRAGMAS = frozenset(
    ("table_info", "table_xinfo", "table_list", "foreign_key_list", "index_list", "index_info", "index_xinfo")
)
# Rows of a table up to which they are counted when its catalog is read.
COUNTED = 20_000
# Asked by full-text and R-tree tables of themselves.
INNER_PRAGMAS = frozenset(("data_version", "page_size"))
BAD_FUNCTIONS = frozenset(("load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "eval"))


class SqliteEngine(FileEngine):
    """One SQLite file, opened in this process."""

    def __init__(self, path: Path, memory: int, folder: Path, store_mark: str = "") -> None:
        self._path, self._memory, self.store_mark = path, memory, store_mark

    def catalog(self, flight: Flight) -> Catalog:
        """Read tables, views, columns and keys; row estimates where SQLite has them."""
        with self._connected(flight) as db:
            tally = Tally(flight)
            counts = self._row_estimates(db)
            tables = []
            found = list(tally.rows(db.execute("PRAGMA main.table_list")))
            for _, name, kind, *_ in sorted(found, key=lambda row: row[1]):
                flight.check()
                if name.startswith("sqlite_") or kind == "shadow":
                    continue
                table = self._table(db, name, kind == "view", counts.get(name), tally)
                if table.columns:
                    tables.append(table)
            return checked(Catalog("sqlite", tuple(tables), structure_hash(tables), "main"))

    def _table(
        self, db: sqlite3.Connection, name: str, is_view: bool, estimate: int | None, tally: Tally
    ) -> Table:
        try:
            info = list(tally.rows(db.execute(f"PRAGMA main.table_xinfo({quoted(name)})")))
            keys = list(tally.rows(db.execute(f"PRAGMA main.foreign_key_list({quoted(name)})")))
        except sqlite3.OperationalError:  # a view over a table that is gone
            return Table(name, (), is_view=is_view)
        told = {} if is_view else self._comments(db, name)
        columns = tuple(
            Column(c[1], c[2], sqlite_kind_of(c[2]), not (c[3] or c[5]), told.get(c[1].lower(), ""))
            for c in info
            if c[6] != 1
        )
        primary = tuple(c[1] for c in sorted(info, key=lambda c: c[5]) if c[5])
        parts: dict[int, list[Any]] = {}
        for row in keys:
            parts.setdefault(row[0], []).append(row)
        foreign = tuple(self._foreign_key(db, parts[number]) for number in sorted(parts, reverse=True))
        if estimate is None and not is_view:
            estimate = self._rows_about(db, name)
        return Table(name, columns, "", primary, foreign, "", estimate, is_view)

    def _comments(self, db: sqlite3.Connection, name: str) -> dict[str, str]:
        """The comments beside the columns in the statement that made their table."""
        made = db.execute(
            "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", (name,)
        ).fetchone()
        return column_comments(made[0]) if made is not None and isinstance(made[0], str) else {}

    def _foreign_key(self, db: sqlite3.Connection, rows: list[Any]) -> ForeignKey:
        rows = sorted(rows, key=lambda row: row[1])
        target = rows[0][2]
        referenced = tuple(row[4] for row in rows)
        if None in referenced:  # REFERENCES t without columns means its primary key
            info = db.execute(f"PRAGMA main.table_info({quoted(target)})").fetchall()
            referenced = tuple(c[1] for c in sorted(info, key=lambda c: c[5]) if c[5])
        return ForeignKey(tuple(row[3] for row in rows), target, referenced)

    def _row_estimates(self, db: sqlite3.Connection) -> dict[str, int]:
        """Read what ANALYZE counted, where it was ever run."""
        try:
            rows = db.execute("SELECT tbl, stat FROM sqlite_stat1").fetchall()
        except sqlite3.OperationalError:
            return {}
        return {tbl: int(stat.split()[0]) for tbl, stat in rows if stat and stat.split()[0].isdigit()}

    def _rows_about(self, db: sqlite3.Connection, name: str) -> int | None:
        """Count the rows of a table of up to `COUNTED`, whose row ids may be keys such as 20261231. Take the highest row id of a larger one.

        None for a larger one without row ids, and where its module is missing.
        """
        try:
            some = f"SELECT 1 FROM main.{quoted(name)} LIMIT {COUNTED + 1}"  # noqa: S608
            counted = int(db.execute(f"SELECT COUNT(*) FROM ({some})").fetchone()[0])  # noqa: S608
        except sqlite3.OperationalError:  # a virtual table whose module is missing
            return None
        return counted if counted <= COUNTED else self._highest_rowid(db, name)

    def _highest_rowid(self, db: sqlite3.Connection, name: str) -> int | None:
        try:
            highest = db.execute(f"SELECT MAX(_rowid_) FROM main.{quoted(name)}").fetchone()[0]  # noqa: S608
        except sqlite3.OperationalError:  # WITHOUT ROWID, or a virtual table
            return None
        return int(highest or 0) if not isinstance(highest, (str, bytes)) else None

    def check(self, flight: Flight) -> Check:
        """Open the file and read its schema."""
        started = time.monotonic()
        with self._connected(flight) as db:
            db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        return Check(
            f"SQLite {sqlite3.sqlite_version}",
            seconds=time.monotonic() - started,
        )

    @contextmanager
    def _connected(self, flight: Flight) -> Iterator[sqlite3.Connection]:
        """Open the file read-only, with a deadline. Raises: Unreachable, StatementFailed."""
        if not self._path.is_file():
            raise unreachable(
                f"There is no file {self._path.name} at the path of this source.",
                "Check the path, and that it was not moved.",
            )
        try:
            uri = f"file:{quote(str(self._path.resolve()))}?mode=ro{self._immutable()}"
            opened = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=2)
        except (sqlite3.Error, OSError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            raise unreachable(f"The file {self._path.name} cannot be opened: {said}.") from error
        with closing(opened) as db:
            db.text_factory = _text
            for limit, most in SQLITE_LIMITS.items():
                db.setlimit(limit, most)
            db.set_progress_handler(lambda: flight.failure() is not None, STEPS)
            flight.arm(db.interrupt)
            try:
                # Of the whole process, and never raised again: a child serves one limit.
                db.execute(f"PRAGMA hard_heap_limit = {int(self._memory)}")
                db.execute("PRAGMA query_only = ON")
                db.execute("PRAGMA trusted_schema = OFF")
                self._refuse_the_store(db)
                yield db
            except sqlite3.Error as error:
                raise self._failure(error, flight, "") from error
            finally:
                flight.arm(None)

    def _refuse_the_store(self, db: sqlite3.Connection) -> None:
        """See that the file is not Mirror's own store, nor a copy of it. Raises: StatementFailed, sqlite3.Error."""
        known = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if not self.store_mark or not db.execute(known, (MARKER_TABLE,)).fetchall():
            return
        said = db.execute(f"SELECT {MARKER_COLUMN} FROM {MARKER_TABLE}").fetchall()  # noqa: S608 - constants
        if any(str(row[0]) == self.store_mark for row in said):
            raise is_the_store()

    def _immutable(self) -> str:
        """Read a WAL database where nobody can write as what it is: a file that does not change.

        SQLite keeps such a database's readers in files beside it, and fails where it may not
        make them.
        """
        with self._path.open("rb") as file:
            is_wal = file.read(20)[18:20] == b"\x02\x02"
        beside = self._path.with_name(f"{self._path.name}-wal")
        return (
            "&immutable=1"
            if is_wal and not beside.exists() and not os.access(self._path.parent, os.W_OK)
            else ""
        )

    @contextmanager
    def session(self, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        """Run one statement, read-only, and give its rows as they come. Raises: StatementFailed, Unreachable."""
        with self._connected(flight) as db:
            _wake_rtrees(db, sql)
            db.set_authorizer(_authorize)
            try:
                cursor = db.execute(sql)
            except sqlite3.Error as error:
                raise self._failure(error, flight, sql) from error
            except sqlite3.Warning as error:  # "You can only execute one statement at a time."
                raise refused("One statement at a time, please: this text holds several.") from error
            if cursor.description is None:
                raise refused("This statement returns no rows.")
            columns = [column[0] for column in cursor.description]
            yield Rowing(columns, (), self._chunks(cursor, flight, sql), flight, limits)

    def _chunks(self, cursor: sqlite3.Cursor, flight: Flight, sql: str) -> Iterator[Batch]:
        try:
            while chunk := cursor.fetchmany(CHUNK):
                yield chunk
        except sqlite3.Error as error:
            raise self._failure(error, flight, sql) from error

    def _failure(self, error: sqlite3.Error, flight: Flight, sql: str) -> Exception:
        """Say in our errors what SQLite said in its own."""
        message = str(error)
        stopped = flight.failure()
        if "interrupted" in message and stopped is not None:
            return StatementFailed(stopped)
        # By code: a message can hold texts of rows ("malformed JSON", a path into it).
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
            return unreachable(f"The file {self._path.name} is not a SQLite database: {message}.")
        if code.startswith(("SQLITE_CANTOPEN", "SQLITE_IOERR")):
            return unreachable(f"The file {self._path.name} cannot be read: {message}.")
        if code.startswith(("SQLITE_AUTH", "SQLITE_READONLY")) or _NOT_ALLOWED.match(message):
            return not_allowed(message)
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return failed(f"{message}.", advice="Another program is writing to the file. Try again.")
        return failed(message, position_of(message, sql), code=code)


_NOT_ALLOWED = re.compile(r"not authorized|access to .* is prohibited|attempt to write a readonly")


def position_of(message: str, sql: str) -> int | None:
    """Find where the thing a message names stands in the SQL; None unless it stands there once.

    Example:
        >>> position_of('near "FORM": syntax error', "SELECT a FORM t")
        9
    """
    named = re.search(
        r'near "(.+?)"|no such (?:column|table|function): (\S+)|ambiguous column name: (\S+)', message
    )
    if named is None:
        return None
    word = next(group for group in named.groups() if group)
    found = [m.start() for m in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", sql)]
    return found[0] if len(found) == 1 else None


def _wake_rtrees(db: sqlite3.Connection, sql: str) -> None:
    """Have the R-tree tables that a statement names set themselves up, before the authorizer watches.

    An R-tree compiles its own INSERT and DELETE when it is first used, if only to be read.
    """
    trees = db.execute(
        "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%rtree%'"
    ).fetchall()
    for (name,) in trees:
        if name.lower() in sql.lower():
            db.execute(f"SELECT * FROM {quoted(name)} LIMIT 0")  # noqa: S608 - quoted names


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "replace")


def _authorize(
    action: int, first: str | None, second: str | None, _schema: str | None, _by: str | None
) -> int:
    """Let a statement read, and virtual tables set themselves up in memory."""
    if action in READ_ACTIONS:
        allowed = True
    elif action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").lower() not in BAD_FUNCTIONS
    elif action == sqlite3.SQLITE_PRAGMA:
        name = (first or "").lower()
        allowed = name in READ_PRAGMAS or (name in INNER_PRAGMAS and second is None)
    else:
        # The compiler declares a table-valued function by this action; it writes nothing
        # (SQLite itself refuses a statement that names sqlite_master in UPDATE).
        allowed = (action, first) == (sqlite3.SQLITE_UPDATE, "sqlite_master")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
