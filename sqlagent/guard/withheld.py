"""Tables and columns withheld from a person, and a catalog without them."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property

from sqlagent.values import Catalog, ColumnRef, Table


@dataclass(frozen=True)
class Withheld:
    """Tables, by their keys, and columns that somebody's SQL may not read. Empty, it withholds nothing."""

    tables: frozenset[str] = frozenset()
    columns: frozenset[ColumnRef] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.tables or self.columns)

    @cached_property
    def key(self) -> str:
        """Hash of the withheld tables and columns, equal in every process; empty where there are none."""
        named = [*sorted(self.tables), *sorted(f"{one.table}\0{one.column}" for one in self.columns)]
        return hashlib.sha256("\n".join(named).encode("utf-8", "replace")).hexdigest()[:32] if named else ""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of withheld tables, without their schemas, and of withheld columns, folded."""
        tables = {folded(key).rpartition(".")[2] for key in self.tables}
        return frozenset(tables | {folded(one.column) for one in self.columns})

    @cached_property
    def by_table(self) -> dict[str, frozenset[str]]:
        """The names of withheld columns, folded, by the key of their table."""
        found: dict[str, set[str]] = {}
        for one in self.columns:
            found.setdefault(one.table, set()).add(folded(one.column))
        return {table: frozenset(names) for table, names in found.items()}


NOTHING = Withheld()


def folded(name: str) -> str:
    """Fold a name so that names which any engine may take for one are equal: case, accents and letters that look alike.

    Example:
        >>> folded("SÁLARY") == folded("salary"), folded("ſalary"), folded("K") == folded("k")
        (True, 'salary', True)
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold()


def narrowed(catalog: Catalog, withheld: Withheld) -> Catalog:
    """Leave out of a catalog all that is withheld: tables, columns, keys with them, and what was said of them.

    Its version tells that it was narrowed, and how, so what is kept by it is kept apart. Statistics and examples of columns go
    with the columns.

    Example:
        >>> from sqlagent.values import Column
        >>> staff = Table("staff", (Column("id"), Column("pay")), primary_key=("id",))
        >>> made = narrowed(Catalog("sqlite", (staff, Table("fired", ()))), Withheld(frozenset(["fired"]), frozenset([ColumnRef("staff", "pay")])))
        >>> [(table.key, [c.name for c in table.columns]) for table in made.tables]
        [('staff', ['id'])]
    """
    if not withheld:
        return catalog
    tables = tuple(
        _table(table, withheld, catalog) for table in catalog.tables if table.key not in withheld.tables
    )
    kept = {table.key: {folded(column.name) for column in table.columns} for table in tables}
    corrections = tuple(
        one
        for one in catalog.corrections
        if not one.table
        or (one.table in kept and (not one.column or folded(one.column) in kept[one.table]))
        and not _names(f"{one.value} {one.told}", withheld)
    )
    version = f"{catalog.version} without {withheld.key}"
    return replace(catalog, tables=tables, corrections=corrections, version=version)


def _table(table: Table, withheld: Withheld, catalog: Catalog) -> Table:
    hidden = withheld.by_table.get(table.key, frozenset())
    keys = tuple(
        key
        for key in table.foreign_keys
        if not hidden & {folded(name) for name in key.columns}
        and not any(
            other.key in withheld.tables
            or {folded(name) for name in key.referenced} & withheld.by_table.get(other.key, frozenset())
            for other in catalog.tables
            if other.name == key.table and (other.schema == (key.schema or table.schema))
        )
    )
    columns = tuple(column for column in table.columns if folded(column.name) not in hidden)
    is_whole = len(columns) == len(table.columns)
    primary = () if hidden & {folded(name) for name in table.primary_key} else table.primary_key
    return replace(
        table,
        columns=columns,
        primary_key=primary,
        foreign_keys=keys,
        comment=table.comment if is_whole else "",
    )


def _names(text: str, withheld: Withheld) -> bool:
    """Say whether a text holds the name of a withheld table."""
    low = folded(text)
    return any(folded(key).rpartition(".")[2] in low for key in withheld.tables)
