"""Which table's rows point at which: declared keys, and those found by values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlagent.catalog.keys import declared
from sqlagent.catalog.semantics.naming import Names
from sqlagent.catalog.semantics.values import Relation
from sqlagent.catalog.semantics.words import KEYS, STAFF
from sqlagent.catalog.statistics import Statistics
from sqlagent.language.words import stem
from sqlagent.values import Catalog, Subject, Table


def relations(
    catalog: Catalog, statistics: Statistics, names: Names, prefix_of: Callable[[Table], str]
) -> tuple[Relation, ...]:
    """Give every relation of a catalog, those its owner told first, then declared ones; each column points once.

    `words` are what is left of a column's name when the target's own noun and key words are gone:
    `manager_id` of employees is called manager, `from_plan_id` from.
    """
    tables: Mapping[str, Table] = {t.key: t for t in catalog.tables}
    nouns = {t.key: [stem(w) for w in names.table_words(t)] for t in catalog.tables}
    out: list[Relation] = []
    taken: set[tuple[str, str]] = set()
    denied = {
        (c.table, c.column.lower(), c.value) for c in catalog.corrections if c.subject is Subject.NOT_POINTS
    }

    def add(
        source: Table, columns: tuple[str, ...], target: Table, referenced: tuple[str, ...], found: bool
    ) -> None:
        place = (source.key, columns[0].lower())
        if place in taken or (*place, target.key) in denied:
            return
        taken.add((source.key, columns[0].lower()))
        said = [stem(w) for w in names.column_words(source, columns[0], prefix_of(source))]
        noun = nouns[target.key]
        left = [w for w in said if w not in KEYS and w not in noun and not _begins(w, noun)]
        if target is source or set(noun) & STAFF:
            left = [_OF_PEOPLE.get(word, word) for word in left]
        out.append(Relation(source.key, columns, target.key, referenced, tuple(left), found))

    for source, column, target, referenced in told(catalog):
        add(source, (column,), target, (referenced,), False)
    for edge in declared(catalog):
        add(tables[edge.source], edge.columns, tables[edge.target], edge.referenced, False)
    for found in statistics.keys:
        if found.table in tables and found.target in tables:
            add(tables[found.table], (found.column,), tables[found.target], (found.referenced,), True)
    return tuple(out)


_OF_PEOPLE = {stem("supplier"): stem("supervisor"), stem("revenue"): stem("reviewer")}
"""Words that a short form means of people: the SUP of an agent is no supplier."""


def _begins(word: str, noun: list[str]) -> bool:
    """Whether a word is the beginning of a noun, as in ship_id of shipments."""
    return len(word) > 2 and any(one.startswith(word) for one in noun)


def told(catalog: Catalog) -> list[tuple[Table, str, Table, str]]:
    """List the relations that the owner told whose tables and columns are all there."""
    tables = {t.key: t for t in catalog.tables}
    out: list[tuple[Table, str, Table, str]] = []
    for one in catalog.corrections:
        if one.subject is not Subject.POINTS:
            continue
        source, target = tables.get(one.table), tables.get(one.value)
        column = source.column(one.column) if source is not None else None
        referenced = target.column(one.told) if target is not None else None
        if source is not None and target is not None and column is not None and referenced is not None:
            out.append((source, column.name, target, referenced.name))
    return out
