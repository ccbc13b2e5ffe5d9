"""A linked schema made smaller, for a language model whose context it does not fit.

Decides what goes first: what the question's words do not point at. Keys stay, for tables are joined along them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from sqlagent.catalog.keys import KeyGraph
from sqlagent.values import Catalog, LinkedSchema, Table


def trimmed(linked: LinkedSchema) -> LinkedSchema | None:
    """Halve the columns that a prompt shows, those that nothing links to first; None where nothing is left to drop.

    Tables go whole, the least linked first, unless they join two that stay; where all that are left are linked, columns
    go that are neither linked nor keys. Examples and comments stay where a column is linked.
    """
    target = _size(linked.catalog) // 2
    scores: dict[str, float] = defaultdict(float)
    columns: dict[str, set[str]] = defaultdict(set)
    for link in linked.links:
        scores[link.table] += link.score
        columns[link.table].add(link.column.lower())
    for match in linked.values:
        scores[match.column.table] += match.score
        columns[match.column.table].add(match.column.column.lower())
    places = {table.key: at for at, table in enumerate(linked.catalog.tables)}
    order = sorted(linked.catalog.tables, key=lambda t: (-scores[t.key], places[t.key]))
    graph, kept = KeyGraph(linked.catalog), dict[str, Table]()
    for table in order:
        way = graph.path(order[0].key, table.key) or () if scores[table.key] else ()
        for key in (*(edge.target for edge in way), table.key):
            whole = linked.catalog.tables[places[key]]
            if key in kept:
                continue
            room = target - sum(len(t.columns) for t in kept.values())
            if len(whole.columns) <= room:
                kept[key] = _plainer(whole, columns[key])
            elif scores[key] or not kept or key != table.key:
                kept[key] = _narrowed(whole, columns[key])
    tables = tuple(sorted(kept.values(), key=lambda t: places[t.key]))
    smaller = replace(linked.catalog, tables=tables)
    if _size(smaller) >= _size(linked.catalog) and tables == linked.catalog.tables:
        return None
    return replace(linked, catalog=smaller, is_trimmed=True)


def _size(catalog: Catalog) -> int:
    return sum(len(table.columns) for table in catalog.tables)


def _plainer(table: Table, named: set[str]) -> Table:
    columns = tuple(
        column if column.name.lower() in named else replace(column, examples=(), comment="")
        for column in table.columns
    )
    return replace(table, columns=columns)


def _narrowed(table: Table, named: set[str]) -> Table:
    """Keep the columns that are linked and the keys; of a table without either, the first."""
    keys = {name.lower() for name in table.primary_key}
    keys |= {name.lower() for key in table.foreign_keys for name in key.columns}
    kept = tuple(c for c in _plainer(table, named).columns if c.name.lower() in keys | named)
    return replace(table, columns=kept or table.columns[:1])
