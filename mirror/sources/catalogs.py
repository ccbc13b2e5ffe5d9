"""Catalogs as JSON: how the store keeps what a source told of its tables.

Example:
    >>> from sqlagent.values import Catalog, Column, Table
    >>> catalog = Catalog("sqlite", (Table("city", (Column("name", "TEXT"),)),), "v1")
    >>> catalog_read(catalog_json(catalog)) == catalog
    True
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlagent.values import Catalog, Column, ForeignKey, Kind, Table

_MADE = ("routines", "types", "fields", "checked", "acting", "unseen", "planned", "called")


def catalog_json(catalog: Catalog) -> dict[str, Any]:
    """Turn a catalog into what JSON can hold; `catalog_read` gives the same catalog back."""
    return asdict(catalog)


def catalog_read(kept: dict[str, Any]) -> Catalog:
    """Turn what `catalog_json` gave into a catalog again."""
    made = {name: tuple(kept.get(name, ())) for name in _MADE}
    return Catalog(**{**kept, **made, "tables": tuple(map(_table, kept["tables"]))})


def _table(kept: dict[str, Any]) -> Table:
    return Table(
        **{
            **kept,
            "columns": tuple(map(_column, kept["columns"])),
            "primary_key": tuple(kept["primary_key"]),
            "foreign_keys": tuple(map(_foreign_key, kept["foreign_keys"])),
        }
    )


def _column(kept: dict[str, Any]) -> Column:
    return Column(**{**kept, "kind": Kind(kept["kind"]), "examples": tuple(kept["examples"])})


def _foreign_key(kept: dict[str, Any]) -> ForeignKey:
    return ForeignKey(**{**kept, "columns": tuple(kept["columns"]), "referenced": tuple(kept["referenced"])})
