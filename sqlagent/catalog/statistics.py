"""A few facts about every column of a source: how full, how many different, from where to where.

Decides what is read and how much of it: the first rows of each table, small tables of codes whole,
and which columns hold nothing but another table's keys though nobody declared it. Leaves what the
facts mean to `semantics`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any

from sqlglot import exp

from sqlagent.catalog.code_shapes import shape_of
from sqlagent.catalog.key_names import KEY_WORDS, Owner, noun_of, suggested
from sqlagent.errors import StatementFailed
from sqlagent.language.words import name_words
from sqlagent.ports import Database
from sqlagent.values import Catalog, Column, Kind, Limits, Rows, Table

SAMPLE = 20_000
"""Rows of a table that are looked at: enough to tell a code from a name, 20 ms for 20 columns."""

MANY_COLUMNS = 120
"""Columns of one table that are looked at."""

CODES = 400
"""Rows of a table of codes that is read whole."""

STATEMENT_SECONDS = 5.0
"""The limits of one look at a table."""

CONTAINED = 0.9
"""Share of a column's values that another table's key holds where the one points at the other: some
rows point at nobody (0, -1)."""

ORDERED = (Kind.INTEGER, Kind.NUMBER, Kind.TEXT, Kind.DATE, Kind.DATETIME)
_DAY = re.compile(r"[12]\d{3}-[01]\d")
_LABEL_WORDS = frozenset(
    {"label", "name", "description", "text", "meaning", "title", "value", "lbl", "nm", "dsc", "desc", "txt"}
)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """Facts of a column in the looked-at rows: filled cells, different ones, least and greatest as text.

    Of days and moments `gap` is how many days lie between two of them on average, also where `low` and `high` are of all rows.
    """

    filled: int = 0
    distinct: int = 0
    low: str = ""
    high: str = ""
    gap: float = 0.0


@dataclass(frozen=True, slots=True)
class TableFacts:
    """Rows looked at, whether they are all, facts by column, and the rows themselves of a table of codes.

    `key` names the first column that tells the rows of the whole table apart, where no primary key of one column is declared.
    """

    rows: int = 0
    whole: bool = False
    columns: Mapping[str, ColumnFacts] = field(default_factory=dict)
    content: tuple[tuple[str, ...], ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A column whose values are another table's keys, by table key and column name."""

    table: str
    column: str
    target: str
    referenced: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """Facts by table key, and the keys that were found. Empty where nothing could be read."""

    tables: Mapping[str, TableFacts] = field(default_factory=dict)
    keys: tuple[FoundKey, ...] = ()

    def plain(self) -> dict[str, Any]:
        """Give plain data for keeping; `from_plain` gives equal facts back."""
        return {
            "tables": {name: asdict(facts) for name, facts in self.tables.items()},
            "keys": [[k.table, k.column, k.target, k.referenced] for k in self.keys],
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Statistics:
        """Read what `plain` gave. Raises: KeyError, TypeError where it is something else."""
        tables = {
            str(name): TableFacts(
                int(kept["rows"]),
                bool(kept["whole"]),
                {str(c): _facts_of(facts) for c, facts in kept["columns"].items()},
                tuple(tuple(str(cell) for cell in row) for row in kept["content"]),
                str(kept.get("key", "")),
            )
            for name, kept in data["tables"].items()
        }
        return cls(tables, tuple(FoundKey(*map(str, key)) for key in data["keys"]))


class FactsReader:
    """Reads the facts of one table at a time, and tries one table's keys. Each statement takes `STATEMENT_SECONDS` at most."""

    def __init__(self, catalog: Catalog, database: Database) -> None:
        self.catalog = catalog
        self.database = database
        self._known = -1
        self._owners: list[Owner] = []

    def _name(self, name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql(self.catalog.dialect or None)

    def _from(self, table: Table) -> str:
        parts = (table.schema, table.name) if table.schema else (table.name,)
        return ".".join(self._name(part) for part in parts)

    def _ask(self, sql: str, rows: int = 1) -> Rows:
        return self.database.execute(sql, Limits(seconds=STATEMENT_SECONDS, rows=rows))

    def _tried(self, sql: str, rows: int = 1) -> Rows | None:
        """The rows of a statement that may fail. Raises: Unreachable."""
        try:
            return self._ask(sql, rows)
        except StatementFailed:
            return None

    def facts(self, table: Table) -> TableFacts:
        """Look at a table's first rows. Raises: DatabaseError."""
        columns = [c for c in table.columns[:MANY_COLUMNS] if c.kind in ORDERED or c.kind is Kind.BOOLEAN]
        picked = ["COUNT(*)"]
        for column in columns:
            name = self._name(column.name)
            picked += [f"COUNT({name})", f"COUNT(DISTINCT {name})"]
            if column.kind in ORDERED:
                picked += [f"MIN({name})", f"MAX({name})"]
        names = ", ".join(self._name(c.name) for c in columns) or "1"
        sql = f"SELECT {', '.join(picked)} FROM (SELECT {names} FROM {self._from(table)} LIMIT {SAMPLE}) AS looked_at"  # noqa: S608 - quoted names
        read = self._ask(sql)
        cells = iter(read.rows[0])
        rows = int(next(cells) or 0)
        found: dict[str, ColumnFacts] = {}
        for column in columns:
            filled, distinct = int(next(cells) or 0), int(next(cells) or 0)
            low, high = (next(cells), next(cells)) if column.kind in ORDERED else (None, None)
            ends = (_text(low), _text(high))
            found[column.name] = ColumnFacts(filled, distinct, *ends, gap=_gap(*ends, distinct))
        if rows == SAMPLE:
            found |= self._ends(table, found)
        whole = rows < SAMPLE
        return TableFacts(
            rows, whole, found, self._content(table, rows), self._key(table, found, rows, whole)
        )

    def _key(self, table: Table, found: Mapping[str, ColumnFacts], rows: int, whole: bool) -> str:
        """The first column called a key that tells the rows of a table without a primary key of one column apart.

        Of a long table the first such column is tried on all rows, since other rows may share what its first ones do not.
        """
        if len(table.primary_key) == 1 or not rows:
            return ""
        for column in table.columns:
            facts = found.get(column.name)
            named = bool(KEY_WORDS & set(name_words(column.name))) or column is table.columns[0]
            if facts is None or not named or facts.distinct != rows:
                continue
            if whole:
                return column.name
            name = self._name(column.name)
            read = self._tried(f"SELECT COUNT(*), COUNT(DISTINCT {name}) FROM {self._from(table)}")  # noqa: S608 - quoted names
            return column.name if read is not None and read.rows and len(set(read.rows[0])) == 1 else ""
        return ""

    def _ends(self, table: Table, found: Mapping[str, ColumnFacts]) -> dict[str, ColumnFacts]:
        """Where the days of a long table really end: its newest rows are seldom its first."""
        days = [
            c
            for c in table.columns
            if c.name in found and (c.kind in (Kind.DATE, Kind.DATETIME) or _DAY.match(found[c.name].low))
        ][:4]
        out: dict[str, ColumnFacts] = {}
        for column in days:
            name = self._name(column.name)
            read = self._tried(f"SELECT MIN({name}), MAX({name}) FROM {self._from(table)}")  # noqa: S608 - quoted names
            if read is not None and read.rows:
                known = found[column.name]
                low, high = read.rows[0]
                out[column.name] = replace(known, low=_text(low), high=_text(high))
        return out

    def _content(self, table: Table, rows: int) -> tuple[tuple[str, ...], ...]:
        """The rows of a table that may be one of codes, in the order of its columns; empty for any other."""
        words = [set(name_words(c.name)) for c in table.columns]
        is_named = any(w & KEY_WORDS for w in words) and any(w & _LABEL_WORDS for w in words)
        texts = sum(c.kind is Kind.TEXT for c in table.columns)
        only_texts = texts == len(table.columns) - any(c.kind is Kind.INTEGER for c in table.columns)
        # a kind, a code and a label, whatever they are called, and a place in the list
        is_codes = len(table.columns) <= 8 and (is_named or only_texts and 3 <= len(table.columns) <= 4)
        if not is_codes or not 0 < rows <= CODES:
            return ()
        names = ", ".join(self._name(c.name) for c in table.columns)
        read = self._tried(f"SELECT {names} FROM {self._from(table)}", CODES)  # noqa: S608 - quoted names
        found = tuple(tuple(_text(cell) for cell in row) for row in read.rows) if read is not None else ()
        if is_named or not found:
            return found
        shape = shape_of(found)  # rows of any other table are not kept
        return (
            tuple(tuple(c if n in shape else "" for n, c in enumerate(row)) for row in found) if shape else ()
        )

    def cells(self, table: Table, columns: Sequence[str], rows: int, chars: int) -> Rows:
        """Give some columns of up to so many rows, their cells cut at `chars`. Raises: DatabaseError."""
        names = ", ".join(map(self._name, columns))
        sql = f"SELECT {names} FROM {self._from(table)}"  # noqa: S608 - quoted names
        return self.database.execute(sql, Limits(STATEMENT_SECONDS, rows, chars))

    def found_keys(self, table: Table, tables: Mapping[str, TableFacts]) -> Iterator[FoundKey]:
        """Keys of one table that names suggest and values bear out, one a column. Raises: Unreachable."""
        if table.key not in tables:
            return
        if self._known != len(tables):
            self._known, self._owners = len(tables), list(_owners(self.catalog, tables))
        declared = {c.lower() for key in table.foreign_keys for c in key.columns}
        for column in table.columns:
            if column.name.lower() in declared or table.primary_key == (column.name,):
                continue
            if column.kind not in (Kind.INTEGER, Kind.TEXT, Kind.NUMBER):
                continue
            for owner, key in suggested(table, column, self._owners):
                if self._holds(table, column, owner, key):
                    yield FoundKey(table.key, column.name, owner.key, key.name)
                    break

    def _holds(self, table: Table, column: Column, owner: Table, key: Column) -> bool:
        name, other = self._name(column.name), self._name(key.name)
        sql = (
            f"SELECT COUNT(*), SUM(CASE WHEN tried.{name} IN (SELECT {other} FROM {self._from(owner)}) THEN 1 ELSE 0 END) "  # noqa: S608 - quoted names
            f"FROM (SELECT DISTINCT {name} FROM (SELECT {name} FROM {self._from(table)} WHERE {name} IS NOT NULL "
            f"LIMIT {SAMPLE}) AS some_rows LIMIT 300) AS tried"
        )
        read = self._tried(sql)
        if read is None or not read.rows or not read.rows[0][0]:
            return False
        return float(read.rows[0][1] or 0) >= CONTAINED * float(read.rows[0][0])


def _owners(catalog: Catalog, tables: Mapping[str, TableFacts]) -> Iterator[Owner]:
    """Tables with a single column that tells their rows apart, and the words of their names; without words no name suggests them."""
    for table in catalog.tables:
        facts, noun = tables.get(table.key), noun_of(table)
        if facts is None or not facts.rows or not noun:
            continue
        key = table.primary_key[0] if len(table.primary_key) == 1 else facts.key
        yield from ((table, column, noun) for column in table.columns if column.name == key)


def _facts_of(kept: Mapping[str, Any]) -> ColumnFacts:
    """Facts of a column as they were kept, also before gaps were.

    Example:
        >>> _facts_of({"filled": 16, "distinct": 16, "low": "2025-01-01", "high": "2025-01-31"}).gap
        2.0
    """
    gap = _gap(kept["low"], kept["high"], kept["distinct"])
    return ColumnFacts(**{"gap": gap, **kept})


def _gap(low: str, high: str, distinct: int) -> float:
    """How many days lie between two of so many different times on average; 0 where the ends are no days.

    Example:
        >>> _gap("2025-01-01", "2025-01-31 10:00:00", 16), _gap("7", "91", 80)
        (2.0, 0.0)
    """
    first, last = day_of(low), day_of(high)
    if first is None or last is None or distinct < 2:
        return 0.0
    return round((last - first).days / (distinct - 1), 4)


def day_of(text: str) -> date | None:
    """The day that a stored time begins with, with dashes or without; None where it is none."""
    digits = re.sub(r"\D", "", text)[:8]
    try:
        return (
            date.fromisoformat(digits)
            if len(digits) == 8 and _DAY.match(f"{digits[:4]}-{digits[4:]}")
            else None
        )
    except ValueError:
        return None


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)[:200]
