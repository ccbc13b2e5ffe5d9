"""Help for SQL that somebody is writing: laid out, looked at before it runs, its :names found. Nothing is kept and nothing runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mirror.queries.parameters import SQL_CHARS, ParameterError, parameters_found, sql_bind
from mirror.sources import guarding
from mirror.sources.catalogs import catalog_read
from mirror.sources.unpacked import source_at_hand
from sqlagent.sql import formatting
from sqlagent.sql.meaning import Doubt, doubts
from sqlagent.values import Catalog

if TYPE_CHECKING:
    from mirror.sources.models import Source

# Any value of a kind, for SQL that is looked at before its values are there.
_ANY = {"number": "1", "date": "2000-01-01", "boolean": "true", "text": "x"}


def sql_format(source: Source, sql: str) -> str | None:
    """The SQL with one clause a line; None when it is too long or cannot be read with certainty, so that it stays as it is."""
    return None if len(sql) > SQL_CHARS else formatting.formatted(sql, source.engine)


def sql_parameters(source: Source, sql: str, known: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """The :names of SQL, each with the kind of value it takes: as `known` says, else as what it is compared with."""
    if ":" not in sql:
        return []
    catalog, _ = source_at_hand(source)
    return parameters_found(sql, source.engine, catalog, known)


def sql_problem(source: Source, sql: str) -> guarding.Refusal | None:
    """Give the refusal of SQL if it ran now, by the catalog as it was last read.

    Nothing is said before the tables were read.
    """
    catalog = _catalog_whole(source)
    if catalog is None or not sql.strip():
        return None
    parameters = sql_parameters(source, sql)
    if parameters:
        try:
            values = {one["name"]: _ANY[one["kind"]] for one in parameters}
            sql = sql_bind(sql, parameters, values, source.engine)
        except ParameterError:
            return None
    checked = guarding.sql_check(source, sql, catalog)
    if not isinstance(checked, guarding.Refusal):
        return None
    if parameters:  # its places are those of another text
        return replace(checked, position=None)
    return checked


def sql_doubts(source: Source, sql: str) -> tuple[Doubt, ...]:
    """List doubts about the meaning of SQL, by its source's keys and by what was seen of its values."""
    catalog, index = source_at_hand(source)
    if catalog is None:
        return ()
    return doubts(sql, catalog, index.facts if index is not None else None)


def _catalog_whole(source: Source) -> Catalog | None:
    """The catalog as it was last read; of a large one not the part that is at hand, as the rest would seem unknown."""
    catalog, _ = source_at_hand(source)
    if catalog is None or catalog.version == source.catalog_version:
        return catalog
    return catalog_read(source.catalog) if source.catalog else None
