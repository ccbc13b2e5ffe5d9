"""The checks of meaning, by name: each is a function of a statement that gives its doubts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sqlglot

from sqlagent.catalog.statistics import Statistics
from sqlagent.sql.literals import ODD
from sqlagent.sql.meaning import comparisons, joins
from sqlagent.sql.meaning.doubt import Doubt
from sqlagent.sql.meaning.reading import Reading
from sqlagent.values import Catalog

# As much is looked at of one statement, and so many doubts are told of it.
LONGEST, MOST = 30_000, 8
_ALL: dict[str, Callable[[Reading], Iterator[Doubt]]] = {
    "unjoined": joins.unjoined,
    "off the keys": joins.off_keys,
    "counted twice": joins.fan_out,
    "null": comparisons.null,
    "not in": comparisons.not_in,
    "between": comparisons.between,
    "division": comparisons.division,
    "text and number": comparisons.text_and_number,
}
CHECKS = tuple(_ALL)


def doubts(sql: str, catalog: Catalog, facts: Statistics | None = None) -> tuple[Doubt, ...]:
    """Say what SQL may not mean; nothing of SQL that cannot be read.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> shop = Catalog("sqlite", (Table("t", (Column("a"),)),))
        >>> [doubt.check for doubt in doubts("SELECT a FROM t WHERE a = NULL", shop)]
        ['null']
    """
    if len(sql) > LONGEST:
        return ()
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect=catalog.dialect) if tree]
        if len(trees) != 1:
            return ()
        reading = Reading(trees[0], catalog, facts, sql)
        found = [doubt for check in _ALL.values() for doubt in check(reading)]
    except ODD:
        return ()
    found.sort(key=lambda one: (one.start is None, one.start or 0))
    return tuple(dict.fromkeys(found))[:MOST]
