"""In which order a source's values are read: what questions are about first, small tables before large ones.

Decides from the catalog alone: names, keys, row estimates and the roles that a semantic model gives them
before a value is known. Leaves the reading to `value_reading`.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from sqlagent.catalog.semantics import Kind, Model, Role, derive
from sqlagent.values import Catalog, Column, ColumnRef, Table
from sqlagent.values import Kind as Cells

READABLE = (Cells.TEXT, Cells.OTHER, Cells.BOOLEAN)
"""Kinds of columns whose texts are kept."""

SIZES = (100_000, 1_000_000, 10_000_000)
"""Rows at which a table counts as larger: below the first a column is read in some milliseconds."""


class Unit(NamedTuple):
    """One step of reading: the `facts` of a table, the `values` of a column, or the `keys` that a table may hold."""

    what: str
    table: str
    column: str = ""

    @property
    def ref(self) -> ColumnRef:
        """The column whose values it reads."""
        return ColumnRef(self.table, self.column)


def readable(catalog: Catalog) -> tuple[ColumnRef, ...]:
    """The columns whose texts are kept, in the catalog's order."""
    return tuple(ColumnRef(t.key, c.name) for t in catalog.tables for c in t.columns if c.kind in READABLE)


def units_of(catalog: Catalog) -> tuple[Unit, ...]:
    """All steps of reading a source, most useful first.

    Tables of events, of what they belong to, and of codes come before the rest; of their columns those that
    sort rows into kinds, then names, then other texts. Keys are looked for once the facts of all tables are known.

    Example:
        >>> place = Table("place", (Column("note", kind=Cells.TEXT), Column("country", kind=Cells.TEXT)))
        >>> [unit.column or unit.what for unit in units_of(Catalog("sqlite", (place,)))]
        ['facts', 'country', 'keys', 'note']
    """
    model = derive(catalog)
    used, pointed = _used(model), Counter(r.target for r in model.relations)
    ranked: list[tuple[tuple[int, int, int, str, int, int], Unit]] = []
    for table in catalog.tables:
        later = 0 if table.key in used else 1
        place = (sum(table.row_estimate is None or table.row_estimate > size for size in SIZES), -pointed[table.key], table.key)  # fmt: skip
        if not table.columns:
            continue
        ranked.append(((later, *place, 0, 0), Unit("facts", table.key)))
        ranked.append(((2, *place, 0, 0), Unit("keys", table.key)))
        for number, column in enumerate(table.columns):
            if column.kind in READABLE:
                kind = _kind(model, table, column)
                stage = later + kind if kind < 2 else later + kind + 1
                if stage == 2:  # names of what is asked of less, behind the keys
                    stage = 3
                ranked.append(((stage, *place, 1, number), Unit("values", table.key, column.name)))
    return tuple(unit for _, unit in sorted(ranked))


def _used(model: Model) -> frozenset[str]:
    """Events, what they belong to within two steps, and codes."""
    found = {t.table for t in model.things.values() if t.kind in (Kind.EVENT, Kind.LINES)}
    for _ in range(2):
        found |= {r.target for r in model.relations if r.source in found}
    return frozenset(found | {t.table for t in model.things.values() if t.kind is Kind.CODES})


def _kind(model: Model, table: Table, column: Column) -> int:
    """How much a column's texts are asked for: 0 kinds of rows, 1 names, 2 other texts, 3 keys and times."""
    one = model.field(table.key, column.name)
    if one is None or one.role in (Role.KEY, Role.FOREIGN, Role.TIME):
        return 3
    if one.role in (Role.DIMENSION, Role.FLAG):
        return 0
    return 1 if column.name in model.things[table.key].display else 2
