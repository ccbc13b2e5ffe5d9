"""A few stored values of each column, as examples for a prompt.

Decides which values show best what a column holds: the most frequent of its first rows, and all of
them where they are few (a status, a flag). Whether a language model may see them, whole or as
a shape, is `rendering`'s decision; at level `schema` nobody needs to ask for them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from datetime import time as clock
from typing import Any
from weakref import WeakKeyDictionary

from sqlglot import exp

from sqlagent.errors import DatabaseError
from sqlagent.ports import Database
from sqlagent.values import Catalog, Kind, Limits, LinkedSchema, Table

SHOWN = 3
"""Example values a column (docs/method.md, Sampling)."""

FEW = 6
"""A column with at most this many different values shows them all: it is a list of codes."""

READ = 200
"""First rows of a table that are read: enough to meet the usual values, one cheap statement a table."""

TABLES = 40
"""Tables read for one question; linking seldom leaves more."""

SECONDS = 3.0
"""Time for all tables together; those not reached in time show no examples."""

CELL_CHARS = 80

Kept = dict[tuple[str, str], dict[str, tuple[str, ...]]]
_kept: WeakKeyDictionary[Database, Kept] = WeakKeyDictionary()


def with_examples(linked: LinkedSchema, database: Database, *, seconds: float = SECONDS) -> LinkedSchema:
    """Give the columns of a linked schema example values, by one small statement a table.

    Columns that have examples keep them. What was read is kept as long as the database
    object lives. A table that cannot be read, or not in time, goes without.
    """
    until = time.monotonic() + seconds
    near = {table.key for table in linked.catalog.tables}
    order = [*linked.catalog.tables, *(t for t in linked.full.tables if t.key not in near)][:TABLES]
    found = {table.key: _with(table, database, linked.full, until) for table in order}

    def filled(catalog: Catalog) -> Catalog:
        return replace(catalog, tables=tuple(found.get(t.key, t) for t in catalog.tables))

    return replace(linked, catalog=filled(linked.catalog), full=filled(linked.full))


def _with(table: Table, database: Database, catalog: Catalog, until: float) -> Table:
    kept = _kept.setdefault(database, {})
    key = (catalog.version, table.key)
    if key not in kept:
        left = until - time.monotonic()
        if left <= 0:
            return table
        kept[key] = _read(table, database, catalog.dialect, left)
    columns = (c if c.examples else replace(c, examples=kept[key].get(c.name, ())) for c in table.columns)
    return replace(table, columns=tuple(columns))


def _read(table: Table, database: Database, dialect: str, seconds: float) -> dict[str, tuple[str, ...]]:
    wanted = [c.name for c in table.columns if c.kind != Kind.BINARY]
    if not wanted:
        return {}
    source = exp.table_(table.name, db=table.schema or None, quoted=True)
    select = exp.select(*(exp.column(name, quoted=True) for name in wanted)).from_(source).limit(READ)
    try:
        rows = database.execute(select.sql(dialect=dialect), Limits(seconds, READ, CELL_CHARS)).rows
    except DatabaseError:
        return {}
    return {name: _best([row[at] for row in rows]) for at, name in enumerate(wanted)}


def _best(cells: Sequence[Any]) -> tuple[str, ...]:
    """Choose the most frequent different values, as text; all of them where they are few.

    Example:
        >>> _best(["new", "old", "new", None]), _best(range(100))
        (('new', 'old'), ('0', '1', '2'))
    """
    texts = [t for cell in cells if (t := _text(cell))]
    common = Counter(texts).most_common(FEW + 1)
    few = len(common) <= FEW and len(texts) > len(common)
    return tuple(text for text, _ in common[: FEW if few else SHOWN])


def _text(cell: Any) -> str:
    if cell is None or isinstance(cell, bytes | bytearray | memoryview):
        return ""
    if isinstance(cell, datetime | date | clock):
        return cell.isoformat(" ") if isinstance(cell, datetime) else cell.isoformat()
    return str(cell).strip()
