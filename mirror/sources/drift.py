"""Changes in a database since its catalog was last read: tables and columns, by name.

Example:
    >>> from sqlagent.values import Catalog, Column, Table
    >>> before = Catalog("sqlite", (Table("city", (Column("name", "TEXT"), Column("size", "INT"))),), "1")
    >>> after = Catalog("sqlite", (Table("city", (Column("name", "TEXT"), Column("size", "REAL"))),), "2")
    >>> drift_words(catalog_drift(before, after))
    '1 type changed'
"""

from __future__ import annotations

from typing import Any

from sqlagent.values import Catalog

WORDS = {
    "tables_added": ("new table", "new tables"),
    "tables_removed": ("table gone", "tables gone"),
    "columns_added": ("new column", "new columns"),
    "columns_removed": ("column gone", "columns gone"),
    "types_changed": ("type changed", "types changed"),
}


def catalog_drift(before: Catalog, after: Catalog) -> dict[str, list[str]]:
    """List what was added, removed and changed in type; kinds of change with nothing in them are left out.

    A table that is new or gone is named alone, without its columns. Comments, keys and row estimates
    are not looked at: they break nothing.
    """
    old, new = _columns(before), _columns(after)
    found: dict[str, list[str]] = {
        "tables_added": sorted(new.keys() - old.keys()),
        "tables_removed": sorted(old.keys() - new.keys()),
        "columns_added": [],
        "columns_removed": [],
        "types_changed": [],
    }
    for table in sorted(old.keys() & new.keys()):
        was, now = old[table], new[table]
        found["columns_added"] += [f"{table}.{name}" for name in now if name not in was]
        found["columns_removed"] += [f"{table}.{name}" for name in was if name not in now]
        found["types_changed"] += [
            f"{table}.{name}: {was[name] or 'no type'} → {now[name] or 'no type'}"
            for name in now
            if name in was and was[name] != now[name]
        ]
    return {kind: names for kind, names in found.items() if names}


def drift_words(drift: dict[str, Any]) -> str:
    """Say in one line how much changed, for example `1 new table, 2 columns gone`."""
    counts = [(WORDS[kind], len(drift[kind])) for kind in WORDS if drift.get(kind)]
    return ", ".join(f"{count:,} {one if count == 1 else many}" for (one, many), count in counts)


def _columns(catalog: Catalog) -> dict[str, dict[str, str]]:
    return {
        f"{table.schema}.{table.name}" if table.schema else table.name: {
            column.name: column.type for column in table.columns
        }
        for table in catalog.tables
    }
