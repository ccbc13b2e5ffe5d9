"""The tables of a catalog that a statement reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sqlglot
from sqlglot import exp

from sqlagent.sql.literals import ODD
from sqlagent.sql.names import Resolver
from sqlagent.values import Catalog, LinkedSchema, Table


def with_tables(linked: LinkedSchema, sql: str) -> LinkedSchema:
    """Link the tables that a statement reads too, in the order of the catalog."""
    chosen = {table.key for table in (*linked.catalog.tables, *_read_tables(sql, linked.full))}
    tables = tuple(table for table in linked.full.tables if table.key in chosen)
    return replace(linked, catalog=replace(linked.catalog, tables=tables))


def _read_tables(sql: str, catalog: Catalog) -> Iterator[Table]:
    resolver = Resolver(catalog, lambda unknown: None)
    try:
        tree = sqlglot.parse_one(sql, dialect=catalog.dialect)
    except ODD:
        return
    for node in tree.find_all(exp.Table):
        found = (
            resolver.find(node.this, node.args.get("db")) if isinstance(node.this, exp.Identifier) else None
        )
        if found is not None:
            yield found
