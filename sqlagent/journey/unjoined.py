"""Why tables that a question needs together are not joined: the key between them repeats, or is missing in some rows."""

from __future__ import annotations

from sqlagent.catalog.broken_keys import broken_keys, tables_read
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.saying import Saying
from sqlagent.values import LinkedSchema


def unjoined(linked: LinkedSchema, index: ValueIndex | None, sql: str) -> tuple[Saying, ...]:
    """Say of each broken key between tables that the question's words name, or its SQL reads, that nothing is joined with it."""
    if index is None:
        return ()
    catalog = linked.full
    named = {link.table for link in linked.links} | {match.column.table for match in linked.values}
    read = tables_read(sql, catalog.dialect)
    both = named | {table.key for table in catalog.tables if table.name.lower() in read}
    found = broken_keys(catalog, index.facts, named, both)
    return tuple(key.told(key.pointing[0]) for key in found)
