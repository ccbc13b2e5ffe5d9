"""A catalog and its values as the makers may use them: without what the owner hid, with the keys and the words the owner told.

The guard goes by the whole catalog: SQL that a person writes may read what is hidden.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics.relating import told
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.values import Catalog, ColumnRef, Correction, ForeignKey, Subject, Table


def usable(catalog: Catalog, index: ValueIndex | None) -> tuple[Catalog, ValueIndex | None]:
    """Leave out hidden tables, columns and their values, and take over keys and words; the very same where nothing was said.

    Names and other words that the owner gave stand in the comments: these are the owner's words whatever the privacy.

    Example:
        >>> from sqlagent.values import Column, Correction
        >>> table = Table("t", (Column("a"), Column("b")))
        >>> said = (Correction(Subject.HIDDEN, "t", "b"), Correction(Subject.SYNONYM, "t", value="things"))
        >>> made, _ = usable(Catalog("sqlite", (table,), corrections=said), None)
        >>> [c.name for c in made.tables[0].columns], made.tables[0].comment
        (['a'], 'also called things')
    """
    if not catalog.corrections:
        return catalog, index
    said = _Said(catalog)
    hidden = frozenset(
        ColumnRef(t.key, c.name)
        for t in catalog.tables
        if t.key in said.tables
        for c in t.columns
        if said.is_hidden(t.key, c.name)
    )
    tables = (said.usable(t) for t in catalog.tables if not said.is_hidden(t.key))
    known = index.without(hidden) if index is not None else None
    return replace(catalog, tables=tuple(t for t in tables if t.columns)), known


def named_by_owner(catalog: Catalog) -> Iterator[tuple[str, str, str]]:
    """Give each name and other word that the owner gave what a catalog holds, with its table and column."""
    for one in catalog.corrections:
        name = {Subject.NAME: one.told, Subject.SYNONYM: one.value}.get(one.subject, "")
        table = next((t for t in catalog.tables if t.key == one.table), None) if name else None
        if table is not None and (not one.column or table.column(one.column) is not None):
            yield name.lower(), one.table, one.column


class _Said:
    """The corrections of a catalog by what they are about."""

    def __init__(self, catalog: Catalog) -> None:
        self.by_place: dict[tuple[str, str], list[Correction]] = defaultdict(list)
        for one in catalog.corrections:
            self.by_place[one.table, one.column.lower()].append(one)
        self.tables = {table for table, _ in self.by_place}
        self.keys = told(catalog)

    def of(self, subject: Subject, table: str, column: str = "") -> list[Correction]:
        return [c for c in self.by_place.get((table, column.lower()), ()) if c.subject is subject]

    def is_hidden(self, table: str, column: str = "") -> bool:
        return bool(self.of(Subject.HIDDEN, table) or column and self.of(Subject.HIDDEN, table, column))

    def usable(self, table: Table) -> Table:
        keys = tuple(k for k in table.foreign_keys if not any(self.is_hidden(t) for t in _targets(table, k)))
        if table.key not in self.tables:
            return table if len(keys) == len(table.foreign_keys) else replace(table, foreign_keys=keys)
        columns = tuple(
            replace(c, comment=self.comment(c.comment, table.key, c.name))
            for c in table.columns
            if not self.is_hidden(table.key, c.name)
        )
        names = {c.name for c in columns}
        return replace(
            table,
            columns=columns,
            foreign_keys=tuple(k for k in self.foreign(table, keys) if set(k.columns) <= names),
            primary_key=table.primary_key if set(table.primary_key) <= names else (),
            comment=self.comment(table.comment, table.key),
        )

    def foreign(self, table: Table, keys: Sequence[ForeignKey]) -> list[ForeignKey]:
        own = [(column, target, there) for source, column, target, there in self.keys if source is table]
        columns = {column for column, _, _ in own}
        kept = [k for k in keys if k.columns[:1] not in {(c,) for c in columns} and not self.denied(table, k)]
        return kept + [ForeignKey((c,), target.name, (there,), target.schema) for c, target, there in own]

    def denied(self, table: Table, key: ForeignKey) -> bool:
        said = self.of(Subject.NOT_POINTS, table.key, key.columns[0]) if key.columns else []
        return any(c.value in _targets(table, key) for c in said)

    def comment(self, comment: str, table: str, column: str = "") -> str:
        """A comment, or the owner's description in its place, with what the owner calls a table or a column."""
        described = [c.told for c in self.of(Subject.DESCRIPTION, table, column)]
        comment = described[-1] if described else comment
        names = [c.told for c in self.of(Subject.NAME, table, column)]
        others = [c.value for c in self.of(Subject.SYNONYM, table, column)]
        parts = [comment, *(f"called {name}" for name in names[-1:])]
        parts += [f"also called {', '.join(others)}"] if others else []
        return "; ".join(part for part in parts if part)


def _targets(table: Table, key: ForeignKey) -> tuple[str, ...]:
    """The keys that the table a foreign key points at may have."""
    schema = key.schema or table.schema
    return (f"{schema}.{key.table}", key.table) if schema else (key.table,)
