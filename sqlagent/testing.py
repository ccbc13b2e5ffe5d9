"""Fakes that ship with the package: a language model and a database without a wire.

Decides nothing about SQL or answers. `ScriptedLlm` replies by a function of the request and
keeps every request; `MemoryDatabase` is a real SQL engine (SQLite in memory) built from a
script, read-only once built, with failures and delays on demand. They serve `tests/agent`
and people who extend the pipeline; everywhere else servers are real.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Event as Flag

from sqlagent.errors import Cancelled, SqlAgentError, StatementFailed
from sqlagent.values import (
    Catalog,
    Column,
    Failure,
    FailureKind,
    ForeignKey,
    Kind,
    Limits,
    LlmReply,
    LlmRequest,
    Rows,
    Table,
    Usage,
)

Script = Callable[[LlmRequest], str | SqlAgentError]


class ScriptedLlm:
    """An `Llm` whose replies are written beforehand.

    `script` is a function of the request, a list of replies used in turn (the last one
    repeats), or one reply. A reply that is an error is raised. `seconds` is how long each
    reply takes; a cancelled call ends at once.

    Example:
        >>> from sqlagent.values import LlmMessage
        >>> llm = ScriptedLlm(["SELECT 1"])
        >>> llm.complete(LlmRequest((LlmMessage("user", "one?"),))).text
        'SELECT 1'
        >>> llm.calls
        1
    """

    def __init__(
        self,
        script: Script | Sequence[str | SqlAgentError] | str,
        *,
        name: str = "scripted",
        seconds: float = 0,
    ) -> None:
        self._script = script
        self._name = name
        self._seconds = seconds
        self._lock = threading.Lock()
        self.requests: list[LlmRequest] = []

    @property
    def name(self) -> str:
        """The model's name, as shown to people."""
        return self._name

    @property
    def calls(self) -> int:
        """How many requests were made so far."""
        return len(self.requests)

    def asked(self, purpose: str) -> list[LlmRequest]:
        """List the requests of one stage, in the order they were made."""
        return [request for request in self.requests if request.purpose == purpose]

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Reply as scripted. Raises: the scripted error, Cancelled."""
        with self._lock:
            self.requests.append(request)
            turn = len(self.requests) - 1
        if cancelled is not None and (
            cancelled.is_set() or (self._seconds and cancelled.wait(self._seconds))
        ):
            raise Cancelled("The run was stopped.")
        if cancelled is None and self._seconds:
            time.sleep(self._seconds)
        reply = self._reply(request, turn)
        if isinstance(reply, SqlAgentError):
            raise reply
        sent = sum(len(message.text) for message in request.messages)
        usage = Usage(1, sent // 4, len(reply) // 4, self._seconds)
        return LlmReply(reply, usage, llm=self._name)

    def _reply(self, request: LlmRequest, turn: int) -> str | SqlAgentError:
        if isinstance(self._script, str):
            return self._script
        if callable(self._script):
            return self._script(request)
        return self._script[min(turn, len(self._script) - 1)]


class MemoryDatabase:
    """A `Database` in memory, built once by a script of CREATE and INSERT statements.

    `failures` maps a piece of SQL to the failure (or its message) given instead of rows, and
    `delays` to seconds waited first (cut short by `cancel` and by the deadline). The first
    piece found in a statement counts.

    Example:
        >>> db = MemoryDatabase("CREATE TABLE city (name TEXT); INSERT INTO city VALUES ('Oslo')")
        >>> db.execute("SELECT name FROM city", Limits()).rows
        (('Oslo',),)
    """

    def __init__(
        self,
        script: str,
        *,
        failures: Mapping[str, Failure | str] | None = None,
        delays: Mapping[str, float] | None = None,
    ) -> None:
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.executescript(script)
        self._connection.execute("PRAGMA query_only = ON")
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._failures = dict(failures or {})
        self._delays = dict(delays or {})
        self._catalog: Catalog | None = None
        self.executed: list[str] = []

    @property
    def dialect(self) -> str:
        """Always `sqlite`."""
        return "sqlite"

    def catalog(self) -> Catalog:
        """Read tables, columns and keys, in the order they were created."""
        with self._lock:
            if self._catalog is None:
                names = self._connection.execute(
                    "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
                    "AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
                ).fetchall()
                tables = tuple(self._table(name, kind == "view") for name, kind in names)
                self._catalog = Catalog("sqlite", tables, version="memory")
            return self._catalog

    def _table(self, name: str, is_view: bool) -> Table:
        quoted = '"' + name.replace('"', '""') + '"'
        info = self._connection.execute(f"PRAGMA table_info({quoted})").fetchall()
        keys: dict[int, ForeignKey] = {}
        for number, _seq, target, source, referenced, *_ in self._connection.execute(
            f"PRAGMA foreign_key_list({quoted})"
        ).fetchall():
            known = keys.get(number, ForeignKey((), target, ()))
            keys[number] = ForeignKey(
                (*known.columns, source), target, (*known.referenced, referenced or source)
            )
        return Table(
            name,
            tuple(Column(c[1], c[2], kind_of(c[2]), not c[3]) for c in info),
            primary_key=tuple(c[1] for c in sorted(info, key=lambda c: c[5]) if c[5]),
            foreign_keys=tuple(keys[number] for number in sorted(keys)),
            is_view=is_view,
        )

    def execute(self, sql: str, limits: Limits) -> Rows:
        """Run one statement and keep at most `limits.rows` rows. Raises: StatementFailed."""
        self.executed.append(sql)
        begun = time.monotonic()
        self._wait(sql, limits)
        scripted = next((failure for piece, failure in self._failures.items() if piece in sql), None)
        if isinstance(scripted, str):
            scripted = Failure(FailureKind.ERROR, scripted)
        if scripted is not None:
            raise StatementFailed(scripted)
        with self._lock:
            deadline = begun + limits.seconds
            self._connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
            try:
                cursor = self._connection.execute(sql)
                found = cursor.fetchmany(limits.rows + 1)
            except sqlite3.Error as error:
                kind = FailureKind.TIMEOUT if time.monotonic() > deadline else FailureKind.ERROR
                raise StatementFailed(Failure(kind, str(error))) from error
            columns = tuple(d[0] for d in cursor.description or ())
        cut = len(found) > limits.rows
        return Rows(columns, tuple(map(tuple, found[: limits.rows])), cut, time.monotonic() - begun)

    def _wait(self, sql: str, limits: Limits) -> None:
        delay = next((seconds for piece, seconds in self._delays.items() if piece in sql), 0.0)
        if delay and self._stop.wait(min(delay, limits.seconds)):
            raise StatementFailed(Failure(FailureKind.CANCELLED, "interrupted"))
        if delay > limits.seconds:
            raise StatementFailed(Failure(FailureKind.TIMEOUT, "the deadline passed"))

    def values(self, table: str, column: str, limit: int, schema: str = "") -> Iterable[str]:
        """List distinct stored texts of a column, most frequent first."""
        name, of = ('"' + n.replace('"', '""') + '"' for n in (column, table))
        with self._lock:
            rows = self._connection.execute(
                f"SELECT {name} FROM {of} WHERE typeof({name}) = 'text' "  # noqa: S608 - quoted names
                f"GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {int(limit)}"
            ).fetchall()
        return [row[0] for row in rows]

    def cancel(self) -> None:
        """End every statement in flight; later ones run as usual."""
        self._stop.set()
        self._connection.interrupt()
        self._stop = threading.Event()

    def close(self) -> None:
        """Give the memory back. Idempotent."""
        self._connection.close()


def kind_of(declared: str) -> Kind:
    """Tell what a column declared in SQLite's words holds.

    Example:
        >>> kind_of("VARCHAR(20)"), kind_of("DECIMAL(10,2)")
        (<Kind.TEXT: 'text'>, <Kind.NUMBER: 'number'>)
    """
    patterns = (
        (r"DATETIME|TIMESTAMP", Kind.DATETIME),
        (r"DATE", Kind.DATE),
        (r"TIME", Kind.TIME),
        (r"BOOL|^BIT$", Kind.BOOLEAN),
        (r"INT", Kind.INTEGER),
        (r"CHAR|CLOB|TEXT", Kind.TEXT),
        (r"BLOB", Kind.BINARY),
        (r"REAL|FLOA|DOUB|NUM|DEC", Kind.NUMBER),
    )
    return next((kind for pattern, kind in patterns if re.search(pattern, declared.upper())), Kind.OTHER)
