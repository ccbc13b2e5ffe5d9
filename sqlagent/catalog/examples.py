"""A few stored values of each column, as examples for a prompt.

Decides which values show best what a column holds: the most frequent of its first rows, and all of
them where they are few (a status, a flag). Says which rows it looked at, so that nobody takes
three values for all there are, or a table that was not read for an empty one. Whether a language
model may see the values, whole or as a shape, is `rendering`'s decision; at level `schema` nobody
needs to ask for them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from datetime import time as clock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sqlglot import exp

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import DatabaseError
from sqlagent.ports import Database
from sqlagent.values import Catalog, Column, ColumnRef, Kind, Limits, LinkedSchema, Seen, Table

SHOWN = 3
"""Example values a column (docs/method.md, Sampling)."""

FEW = 6
"""A column with at most this many different values in the rows read shows them all: it is a list of codes."""

KNOWN = 10
"""The same where an index has read the whole column: then the first rows hide no rare state."""

READ = 200
"""First rows of a table that are read: enough to meet the usual values, one cheap statement a table."""

TABLES = 40
"""Tables read for one question; linking seldom leaves more."""

SECONDS = 3.0
"""Time for all tables together; those not reached in time show no examples."""

CELL_CHARS = 80


class Read(NamedTuple):
    """The result of reading one table: its rows, and of each column its values, and whether these are all."""

    seen: Seen
    values: dict[str, tuple[tuple[str, ...], bool]]


Kept = dict[tuple[str, str], Read]
_kept: WeakKeyDictionary[Database, Kept] = WeakKeyDictionary()


def with_examples(
    linked: LinkedSchema, database: Database, index: ValueIndex | None = None, *, seconds: float = SECONDS
) -> LinkedSchema:
    """Give the columns of a linked schema example values, by one small statement a table.

    A column of few different texts that `index` has read whole shows them all, sorted, whether or not its table is
    reached in time. Columns that have examples keep them. Examples are kept as long as the database
    object lives. A table that cannot be read, or not in time, goes without, and says so in `seen`.
    """
    until = time.monotonic() + seconds
    near = {table.key for table in linked.catalog.tables}
    order = [*linked.catalog.tables, *(t for t in linked.full.tables if t.key not in near)][:TABLES]
    whole = _read_whole(index)
    found = {table.key: _with(table, database, linked.full, until, whole) for table in order}

    def filled(catalog: Catalog) -> Catalog:
        tables = (found.get(t.key) or replace(t, seen=Seen.UNREAD) for t in catalog.tables)
        return replace(catalog, tables=tuple(tables))

    return replace(linked, catalog=filled(linked.catalog), full=filled(linked.full))


def _read_whole(index: ValueIndex | None) -> Mapping[ColumnRef, Sequence[str]]:
    """The texts of columns that an index has read to their end and that hold few."""
    if index is None:
        return {}
    in_part = index.progress.parts if index.progress is not None else frozenset[ColumnRef]()
    return {
        column: index.texts_of(column)
        for column, size in index.sizes().items()
        if 0 < size <= KNOWN and column not in in_part
    }


def _known(column: Column, table: Table, whole: Mapping[ColumnRef, Sequence[str]]) -> Column:
    """Give a column of text all the values that it is known to hold; one of which the rows read show another keeps its own."""
    texts = whole.get(ColumnRef(table.key, column.name), ())
    if column.kind is not Kind.TEXT or not texts or not set(column.examples) <= set(texts):
        return column
    return replace(column, examples=tuple(sorted(texts)), has_all_examples=True, is_read_whole=True)


def _with(
    table: Table,
    database: Database,
    catalog: Catalog,
    until: float,
    whole: Mapping[ColumnRef, Sequence[str]],
) -> Table:
    kept = _kept.setdefault(database, {})
    key = (catalog.version, table.key)
    if key not in kept:
        left = until - time.monotonic()
        if left <= 0:
            known = tuple(_known(column, table, whole) for column in table.columns)
            return replace(table, columns=known, seen=Seen.UNREAD)
        kept[key] = _read(table, database, catalog.dialect, left)
    seen, values = kept[key]
    columns = []
    for column in table.columns:
        if not column.examples:
            texts, is_all = values.get(column.name, ((), False))
            column = replace(column, examples=texts, has_all_examples=is_all)
        columns.append(_known(column, table, whole))
    return replace(table, columns=tuple(columns), seen=seen)


def _read(table: Table, database: Database, dialect: str, seconds: float) -> Read:
    wanted = [c.name for c in table.columns if c.kind != Kind.BINARY]
    if not wanted:
        return Read(Seen.UNREAD, {})
    source = exp.table_(table.name, db=table.schema or None, quoted=True)
    select = exp.select(*(exp.column(name, quoted=True) for name in wanted)).from_(source).limit(READ)
    try:
        found = database.execute(select.sql(dialect=dialect), Limits(seconds, READ, CELL_CHARS))
    except DatabaseError:
        return Read(Seen.UNREAD, {})
    rows = found.rows
    # a table of exactly READ rows counts as looked at in part: nobody counted the rest
    seen = Seen.FIRST if len(rows) >= READ or found.truncated else Seen.WHOLE if rows else Seen.EMPTY
    is_whole = seen is Seen.WHOLE
    return Read(seen, {name: _best([row[at] for row in rows], is_whole) for at, name in enumerate(wanted)})


def _best(cells: Sequence[Any], is_whole: bool = False) -> tuple[tuple[str, ...], bool]:
    """Choose the most frequent different values, as text, and say whether they are all of these cells.

    All are shown where they are few, and repeat or are the cells of a whole table.

    Example:
        >>> _best(["new", "old", "new", None]), _best(range(100)), _best(range(4), is_whole=True)
        ((('new', 'old'), True), (('0', '1', '2'), False), (('0', '1', '2', '3'), True))
    """
    texts = [t for cell in cells if (t := _text(cell))]
    common = Counter(texts).most_common(FEW + 1)
    few = len(common) <= FEW and (is_whole or len(texts) > len(common))
    shown = tuple(text for text, _ in common[: FEW if few else SHOWN])
    return shown, few and not any(text.endswith("…") for text in shown)


def _text(cell: Any) -> str:
    if cell is None or isinstance(cell, bytes | bytearray | memoryview):
        return ""
    if isinstance(cell, datetime | date | clock):
        return cell.isoformat(" ") if isinstance(cell, datetime) else cell.isoformat()
    return str(cell).strip()
