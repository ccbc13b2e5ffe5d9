"""Catalogs: fetched from a source, kept in the store as JSON, and given to who asks.

Example:
    >>> from sqlagent.values import Catalog, Column, Table
    >>> catalog = Catalog("sqlite", (Table("city", (Column("name", "TEXT"),)),), "v1")
    >>> catalog_read(catalog_json(catalog)) == catalog
    True
"""

from __future__ import annotations

import logging
from dataclasses import asdict, fields, replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from mirror.sources import powers
from mirror.sources.confined_reads import seen_confined
from mirror.sources.corrections import corrections_of
from mirror.sources.models import Source
from mirror.sources.opening import how_to_open
from mirror.sources.store_marker import store_check
from mirror.sources.uploads.declared_keys import catalog_keyed
from sqlagent.errors import DatabaseError, Unreachable
from sqlagent.values import Catalog, Check, Column, FailureKind, ForeignKey, Kind, Table

log = logging.getLogger(__name__)

_MADE = ("routines", "types", "fields", "checked", "acting", "unseen", "planned", "called")
_OF_COLUMN = tuple(field.name for field in fields(Column))


def source_catalog(source: Source) -> Catalog:
    """Give the catalog with the corrections of its owner, read anew when that was more than `CATALOG_HOURS` ago.

    One that cannot be read anew is given as it was. Raises: DatabaseError when it was never read, or may not be.
    """
    return replace(_catalog_recent(source), corrections=corrections_of(source))


def _catalog_recent(source: Source) -> Catalog:
    kept = catalog_read(source.catalog) if source.catalog else None
    oldest = timezone.now() - timedelta(hours=settings.CATALOG_HOURS)
    if kept is not None and source.catalog_at is not None and source.catalog_at > oldest:
        return kept
    try:
        return catalog_keep(source, catalog_fetch(source))
    except DatabaseError as error:
        if kept is None or error.failure.kind is FailureKind.REFUSED:
            raise
        log.warning("The tables of source %s could not be read anew: %s", source.pk, error)
        return kept


def catalog_fetch(source: Source, *, with_powers: bool = False) -> Catalog:
    """Read the catalog, and with it what the user could do, which may fail unless it is asked for.

    Raises: DatabaseError, of the store too.
    """
    seen = seen_confined(how_to_open(source))
    store_check(seen.marks)
    if isinstance(seen.check, Check):
        source.powers = powers.powers_kept(seen.check)
    elif with_powers:
        raise Unreachable(seen.check)
    else:
        log.warning("What the user of source %s may do could not be read: %s", source.pk, seen.check.message)
    return catalog_keyed(seen.catalog, source.upload_keys)


def catalog_keep(source: Source, catalog: Catalog) -> Catalog:
    """Keep a catalog as the source's own, read now, with what its user could do; gives it back."""
    source.catalog = catalog_json(catalog)
    source.catalog_version = catalog.version
    source.catalog_at = timezone.now()
    source.save(update_fields=["catalog", "catalog_version", "catalog_at", "powers"])
    return catalog


def catalog_json(catalog: Catalog) -> dict[str, Any]:
    """Turn a catalog into what JSON can hold; `catalog_read` gives the same catalog back, without its corrections."""
    plain = asdict(replace(catalog, tables=(), corrections=()))
    del plain["corrections"]
    return plain | {"tables": tuple(map(_table_plain, catalog.tables))}


def _table_plain(table: Table) -> dict[str, Any]:
    """As `asdict`, which copies each value of a column deep: 50,000 columns took 1.1 s of a processor so, and take 0.3 s."""
    columns = tuple({name: getattr(column, name) for name in _OF_COLUMN} for column in table.columns)
    return asdict(replace(table, columns=())) | {"columns": columns}


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
