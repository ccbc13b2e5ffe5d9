"""The rows of a statement by COPY: as blocks of lines to read, or as the lines of a CSV file.

COPY is written around one statement that was prepared and described alone, in the same session,
so that the checked statement is the one that runs. A statement that COPY may not take (EXPLAIN, SHOW) is left
to the ordinary way, and so is every one on a server that takes no COPY. `postgres_columns` decides the Arrow
types of the lines.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import generators, pq
from psycopg.waiting import Ready, Wait

from sqlagent.adapters.base import BATCH_CHARS, BATCH_ROWS, Batch, cell_chars
from sqlagent.adapters.flights import Flight
from sqlagent.errors import DatabaseError
from sqlagent.values import Kind, Limits

# Bytes received before they are parsed or handed on. A row as long as this is handled alone.
BLOCK_BYTES = 2_000_000
BEGINNING = "COPY ("
# How a server says that it knows or allows no such COPY, as SQLSTATE: a feature it lacks; syntax and
# privileges; an option's value.
NO_COPY = ("0A", "42", "22023")
# Statements that COPY takes between its parentheses, as far as the first word tells.
_COPIED = re.compile(
    r"(?:\s|\(|--[^\n\r]*[\n\r]|/\*[^*/]*\*/)*(?:select|with|values|table)\b", re.IGNORECASE | re.ASCII
)
# Texts that may hold a semicolon that ends nothing, or is one that does.
_OPAQUE = re.compile(
    r"""\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])\$(\w*)\$.*?\$\1\$|--[^\n\r]*|/\*.*?\*/|;""",
    re.DOTALL,
)
# Types whose text is what a reader of CSV expects, and never live.
_AS_IT_IS = frozenset(("int2", "int4", "int8", "oid", "float4", "float8", "numeric", "time", "uuid"))
_TIMES = ("date", "timestamp", "timestamptz")
_TEXTS = frozenset(("text", "varchar", "name", "other text"))
# Types that an expression writes: of times, one is a name with a sign before it. A cast would cut
# the blanks of a char(n) and lengthen an inet.
_WRITTEN = {
    "bool": "CASE {0} WHEN true THEN 'true' WHEN false THEN 'false' END",
    "text": "{0}",
    "varchar": "{0}::text",
    "name": "{0}::text",
    "other text": "CASE WHEN num_nonnulls({0}) = 0 THEN NULL ELSE concat({0}) END",
    **dict.fromkeys(_TIMES, "CASE {0} WHEN '-infinity' THEN '''-infinity' ELSE {0}::text END"),
}
_CUT = "…".encode()


def copy_sql(sql: str, options: str = "") -> str | None:
    """Write the COPY around a statement that was prepared alone; None where it may not take it.

    Semicolons at the very end are left out; one that a comment follows is in the way. A
    comment at the end is ended by the line. PostgreSQL takes the COPY of any text as one statement or not
    at all: a statement that was prepared alone has balanced brackets.

    Example:
        >>> copy_sql("SELECT ';' -- one;")
        "COPY (SELECT ';' -- one\\n) TO STDOUT (FORMAT csv)"
        >>> copy_sql("EXPLAIN SELECT 1"), copy_sql("SELECT 1; -- one")
        (None, None)
    """
    text = sql.rstrip("; \t\r\n\f\v")
    if not _COPIED.match(text) or any(found[0] == ";" for found in _OPAQUE.finditer(text)):
        return None
    return f"{BEGINNING}{text}\n) TO STDOUT (FORMAT csv{options})"


class Copying:
    """One COPY on its way: once it begins, iterating gives blocks of whole lines, each with its number of rows.

    At most `most` rows; `has_more` tells afterwards whether there was another.
    """

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        flight: Flight,
        sql: str,
        most: int,
        failure: Callable[[psycopg.Error, Flight], DatabaseError],
    ) -> None:
        self.has_more = False
        self._connection, self._flight, self._sql, self._most = connection, flight, sql, most
        self._failure = failure

    def begins(self) -> bool:
        """Begin; False where the server takes no COPY, which ends the transaction without a row.

        Other faults of a statement show in its rows, which come later.
        Raises: StatementFailed, Unreachable.
        """
        try:
            self._begin()
        except psycopg.Error as error:
            if (error.sqlstate or "").startswith(NO_COPY):
                return False
            raise self._failure(error, self._flight) from error
        return True

    def __iter__(self) -> Iterator[tuple[bytearray, int]]:
        """Raises: StatementFailed, Unreachable."""
        try:
            yield from self._blocks()
        except psycopg.Error as error:
            raise self._failure(error, self._flight) from error

    def _blocks(self) -> Iterator[tuple[bytearray, int]]:
        take, block, count, left = self._connection.pgconn.get_copy_data, bytearray(), 0, self._most
        while True:
            size, line = take(1)
            if size > 0:
                if not left:
                    self.has_more = True
                    break
                if size >= BLOCK_BYTES and count:
                    yield block, count
                    block, count = bytearray(), 0
                block += line
                count += 1
                left -= 1
                if len(block) >= BLOCK_BYTES:
                    self._flight.check()
                    yield block, count
                    block, count = bytearray(), 0
            elif size == 0:
                self._connection.wait(_more(self._connection.pgconn))
            else:
                self._result()
                break
        if count:
            yield block, count

    def _begin(self) -> None:
        pgconn = self._connection.pgconn
        self._flight.check()
        pgconn.send_prepare(b"", self._sql.encode())
        self._result()
        self._flight.check()
        pgconn.send_query_prepared(b"", None)
        self._result()

    def _result(self) -> None:
        """Read what the server says until it is done or sends rows. Raises: psycopg.Error."""
        last = self._connection.wait(generators.execute(self._connection.pgconn))[-1]
        if last.status == pq.ExecStatus.FATAL_ERROR:
            raise psycopg.errors.error_from_result(last)


def _more(pgconn: pq.abc.PGconn) -> Generator[Wait, Ready | int, None]:
    """Wait for the server to send something."""
    while not (yield Wait.R):
        continue
    pgconn.consume_input()


def gathered(chunks: Iterable[Batch]) -> Iterator[Batch]:
    """Gather chunks of rows to batches of a size that is worth turning into columns."""
    batch: Batch = []
    chars = 0
    for chunk in chunks:
        batch += chunk
        chars += sum(cell_chars(cell) for row in chunk for cell in row)
        if len(batch) >= BATCH_ROWS or chars > BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


# ---------------------------------------------------------------- lines of CSV


@dataclass(frozen=True, slots=True)
class Defusing:
    """Which texts get an apostrophe before them: see `sqlagent.ports.CsvStreaming`."""

    live: str
    plain: str


class CopiedLines:
    """The lines of a CSV file as PostgreSQL writes them; a `CsvLines` of the ports."""

    def __init__(
        self, columns: Sequence[str], kinds: Sequence[Kind], copying: Copying, limits: Limits
    ) -> None:
        self.columns, self.kinds = tuple(columns), tuple(kinds)
        self.row_count = self.cut_cells = 0
        self.truncated = False
        self._copying, self._chars = copying, limits.cell_chars

    def __iter__(self) -> Iterator[bytes]:
        for block, count in self._copying:
            self.row_count += count
            self.cut_cells += self._cut_in(block)
            yield bytes(block)
        self.truncated = self._copying.has_more

    def _cut_in(self, block: bytearray) -> int:
        """Count the cells that end as only a cut one does."""
        if _CUT not in block:
            return 0
        csv.field_size_limit(2**31 - 1)
        rows = csv.reader(io.StringIO(block.decode(), newline=""))
        most = self._chars + 1
        return sum(
            cell.endswith("…") and len(cell) == most + cell.startswith("'") for row in rows for cell in row
        )


def csv_sql(sql: str, types: Sequence[str], defusing: Defusing, limits: Limits) -> str | None:
    """Write the COPY that gives lines of CSV, its texts cut and defused; None where a type forbids it.

    `types` names the type of each column, `other text` for what else is read as text.
    """
    plain = copy_sql(sql)
    if plain is None or not all(name in _AS_IT_IS or name in _WRITTEN for name in types):
        return None
    if all(name in _AS_IT_IS for name in types):
        return plain
    text = plain[len(BEGINNING) : plain.rindex("\n")]
    names = [f"c{number}" for number in range(len(types))]
    written = []
    for column, name in zip(names, types, strict=True):
        value = _WRITTEN.get(name, "{0}").format(column)
        written.append(_defused(value, defusing, limits.cell_chars) if name in _TEXTS else value)
    texts = [column for column, name in zip(names, types, strict=True) if name in _TEXTS]
    quoted = f", FORCE_QUOTE ({', '.join(texts)})" if texts else ""
    shown = ", ".join(f"{value} AS {column}" for value, column in zip(written, names, strict=True))
    whole = f"SELECT {shown} FROM (\n{text}\n) AS copied ({', '.join(names)})"  # noqa: S608 - names of ours
    return f"{BEGINNING}{whole}) TO STDOUT (FORMAT csv{quoted})"


def _defused(column: str, defusing: Defusing, chars: int) -> str:
    """Write the expression that cuts a text and puts an apostrophe before a live one.

    Most texts begin with a letter or a digit, which is seen ten times as fast as a pattern.
    """
    live = f"{column} ~ {_literal(f'^(?:{defusing.live})')}"
    plain = f"{column} ~ {_literal(f'^(?:{defusing.plain})$')}"
    is_long = f"octet_length({column}) > {chars}"
    first = f"ascii({column})"
    return (
        f"CASE WHEN NOT {is_long} AND ({first} BETWEEN 97 AND 122 OR {first} BETWEEN 65 AND 90"
        f" OR {first} BETWEEN 48 AND 57) THEN {column}"
        f" WHEN {is_long} AND length({column}) > {chars}"
        f" THEN CASE WHEN {live} THEN '''' ELSE '' END || left({column}, {chars}) || '…'"
        f" WHEN {live} AND NOT {plain} THEN '''' || {column} ELSE {column} END"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
