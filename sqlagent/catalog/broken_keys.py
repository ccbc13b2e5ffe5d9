"""Keys that are none: a column called the key of its table that repeats or is missing in some rows, so that nothing is joined with it.

Decides by names and by the facts of columns which they are and what would point at them. Where a question needs such a join, the answer
says why it has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sqlagent.catalog.key_names import KEY_WORDS, Owner, noun_of, suggested
from sqlagent.catalog.statistics import Statistics, TableFacts
from sqlagent.language.saying import Saying, worded
from sqlagent.language.words import name_words, stem
from sqlagent.values import Catalog, Column, Table


@dataclass(frozen=True, slots=True)
class BrokenKey:
    """A column that is called the key of a table (by its `key`), whether it repeats or only lacks in rows, and the tables that would point at it."""

    table: str
    column: str
    repeats: bool
    pointing: tuple[str, ...]

    def told(self, table: str) -> Saying:
        """Say why a table that points at it is not joined.

        Example:
            >>> BrokenKey("customers", "id", True, ("orders",)).told("orders")
            'customers.id repeats, so orders cannot be joined with it.'
        """
        named = {"key": f"{self.table}.{self.column}", "table": table}
        if self.repeats:
            return worded("{key} repeats, so {table} cannot be joined with it.", **named)
        return worded("{key} is NULL in some rows, so {table} cannot be joined with it.", **named)


def broken_keys(
    catalog: Catalog, statistics: Statistics, of: Collection[str], pointing_from: Collection[str]
) -> tuple[BrokenKey, ...]:
    """Give the broken keys of some tables at which a column of others would point, if they told rows apart. Both are keys of tables."""
    looked = [table for table in catalog.tables if table.key in of]
    broken = [(owner, repeats) for table in looked for owner, repeats in _broken(table, statistics)]
    if not broken:
        return ()
    sound = list(_sound(catalog, statistics))
    out = []
    for owner, repeats in broken:
        table, column, _ = owner
        pointing = tuple(
            other.key
            for other in catalog.tables
            if other.key in pointing_from
            and other.key != table.key
            and any(_points(other, one, owner, sound) for one in other.columns)
        )
        if pointing and not _is_foreign(table, column, sound):
            out.append(BrokenKey(table.key, column.name, repeats, pointing))
    return tuple(out)


def _broken(table: Table, statistics: Statistics) -> Iterator[tuple[Owner, bool]]:
    """The column of a table without a key that is called so, and whether it repeats."""
    facts, noun = statistics.tables.get(table.key), noun_of(table)
    if facts is None or not facts.rows or not noun or table.primary_key or facts.key:
        return
    for column in table.columns:
        words = {stem(word) for word in name_words(column.name)}
        rest = words - KEY_WORDS
        if len(rest) < len(words) and rest <= set(noun) and _is_broken(facts, column):
            known = facts.columns[column.name]
            yield (table, column, noun), known.distinct < known.filled
            return


def _is_broken(facts: TableFacts, column: Column) -> bool:
    known = facts.columns.get(column.name)
    return known is not None and 1 < known.distinct < facts.rows


def _sound(catalog: Catalog, statistics: Statistics) -> Iterator[Owner]:
    """The columns that tell the rows of their tables apart."""
    for table in catalog.tables:
        facts, noun = statistics.tables.get(table.key), noun_of(table)
        key = table.primary_key[0] if len(table.primary_key) == 1 else facts.key if facts is not None else ""
        if noun:
            yield from ((table, column, noun) for column in table.columns if column.name == key)


def _points(table: Table, column: Column, owner: Owner, sound: list[Owner]) -> bool:
    """Whether a column's name suggests a broken key, and no sound one."""
    declared = {name.lower() for key in table.foreign_keys for name in key.columns}
    if column.name.lower() in declared or not suggested(table, column, [owner]):
        return False
    return not suggested(table, column, sound)


def _is_foreign(table: Table, column: Column, sound: list[Owner]) -> bool:
    """Whether the column itself points at another table's key: the number of the order that lines belong to."""
    return bool(suggested(table, column, [one for one in sound if one[0].key != table.key]))


def tables_read(sql: str, dialect: str) -> frozenset[str]:
    """The names of the tables that a statement reads, in small letters; none where it cannot be read.

    Example:
        >>> sorted(tables_read("SELECT 1 FROM Orders JOIN shop.customers USING (id)", "sqlite"))
        ['customers', 'orders']
    """
    try:
        found = parse_one(sql, read=dialect or None).find_all(exp.Table) if sql else ()
        return frozenset(table.name.lower() for table in found)
    except SqlglotError:
        return frozenset()
