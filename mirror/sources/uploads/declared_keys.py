"""The keys that an uploaded SQLite file declares: primary keys, and columns that point at another table or the same.

They are kept beside the plans by the places of their columns, as names are corrected, and given by names once the tables are made.
A key to what was not taken over, or whose columns became of kinds that are not compared, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mirror.sources.uploads.plans import ColumnPlan, FilePlan, TablePlan
from mirror.sources.uploads.raw_tables import DeclaredKey, RawKeys
from mirror.sources.uploads.types import KINDS
from sqlagent.values import Catalog, ForeignKey

# Keys of one table that are kept.
MOST = 100

Keys = dict[str, dict[str, Any]]
"""By the name of a table: its primary key, and its keys to others."""


def keys_staged(staged: Iterable[tuple[TablePlan, RawKeys]]) -> None:
    """Keep the keys of a file's tables with their plans, by the places of tables and columns. Names differ by letter case alone."""
    known = {keys.table.lower(): (table, keys) for table, keys in staged}
    for table, keys in known.values():
        table.primary = _places(table, keys, keys.primary) or []
        table.foreign = [
            kept for key in keys.foreign[:MOST] if (kept := _foreign(table, keys, key, known)) is not None
        ]


def _foreign(
    table: TablePlan, keys: RawKeys, key: DeclaredKey, known: Mapping[str, tuple[TablePlan, RawKeys]]
) -> dict[str, Any] | None:
    to = known.get(key.table.lower())
    if to is None:
        return None
    target, theirs = to
    own = _places(table, keys, key.columns)
    other = _places(target, theirs, key.referenced or theirs.primary)
    if not own or not other or len(own) != len(other):
        return None
    return {"columns": own, "table": target.staged, "referenced": other}


def _places(table: TablePlan, keys: RawKeys, names: Sequence[str]) -> list[str] | None:
    """Where columns are staged; None where one of them is not."""
    at = {name.lower(): column.staged for name, column in zip(keys.columns, table.columns, strict=True)}
    found = [at.get(name.lower()) for name in names]
    return [place for place in found if place] if all(found) else None


def keys_made(plans: Iterable[FilePlan]) -> Keys:
    """The keys of the tables that are made of files, by the names that they have now."""
    found: Keys = {}
    for plan in plans:
        tables = {table.staged: table for table in plan.tables if table.is_kept}
        for table in tables.values():
            primary = _kept(table, table.primary)
            foreign = [made for key in table.foreign if (made := _made(table, key, tables)) is not None]
            if primary or foreign:
                found[table.name] = {"primary": [one.name for one in primary or ()], "foreign": foreign}
    return found


def _made(table: TablePlan, key: Mapping[str, Any], tables: Mapping[str, TablePlan]) -> dict[str, Any] | None:
    target = tables.get(key["table"])
    own = _kept(table, key["columns"])
    other = _kept(target, key["referenced"]) if target is not None else None
    if target is None or not own or not other or not all(map(_are_compared, own, other)):
        return None
    return {
        "columns": [one.name for one in own],
        "table": target.name,
        "referenced": [one.name for one in other],
    }


def _kept(table: TablePlan, places: Sequence[str]) -> list[ColumnPlan] | None:
    """The columns at some places; None where one of them is left out."""
    at = {column.staged: column for column in table.columns if column.is_kept}
    return [at[place] for place in places] if all(place in at for place in places) else None


def _are_compared(one: ColumnPlan, other: ColumnPlan) -> bool:
    """Say whether a database compares values of two columns: of one kind, or numbers."""
    are_numbers = all(kind in KINDS and KINDS[kind].is_number for kind in (one.kind, other.kind))
    return one.kind == other.kind or are_numbers


def catalog_keyed(catalog: Catalog, keys: Mapping[str, Any]) -> Catalog:
    """A catalog with these keys, where their tables and columns are still there and the database tells none."""
    if not keys:
        return catalog
    columns = {table.name: {column.name for column in table.columns} for table in catalog.tables}
    tables = []
    for table in catalog.tables:
        told, own = keys.get(table.name) or {}, columns[table.name]
        primary = tuple(told.get("primary", ()))
        foreign = tuple(
            ForeignKey(tuple(key["columns"]), key["table"], tuple(key["referenced"]), table.schema)
            for key in told.get("foreign", ())
            if set(key["columns"]) <= own and set(key["referenced"]) <= columns.get(key["table"], set())
        )
        tables.append(
            replace(
                table,
                primary_key=table.primary_key or (primary if set(primary) <= own else ()),
                foreign_keys=table.foreign_keys or foreign,
            )
        )
    return replace(catalog, tables=tuple(tables))
