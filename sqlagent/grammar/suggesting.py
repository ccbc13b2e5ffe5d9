"""Questions worth asking of a fresh source: what can be counted, ranked, added up, followed over time.

Decides from names, types and keys alone, so it costs no statement. Every suggestion is one
the built-in generator itself answers.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.grammar.reading import DATED, NUMERIC
from sqlagent.grammar.sampler import NARROW, candidates, schema_of
from sqlagent.grammar.schema import Schema
from sqlagent.language.words import name_words
from sqlagent.value_index import ValueIndex
from sqlagent.values import Catalog, Column, Kind, Question, Table

_KINDS = frozenset(
    {
        "type",
        "status",
        "country",
        "category",
        "city",
        "region",
        "gender",
        "sex",
        "channel",
        "reason",
        "device",
        "state",
    }
)
_MEASURES = frozenset(
    {
        "amount",
        "total",
        "price",
        "cost",
        "salary",
        "revenue",
        "quantity",
        "sales",
        "score",
        "age",
        "weight",
        "rating",
    }
)


def suggest(catalog: Catalog, index: ValueIndex | None = None, limit: int = 8) -> tuple[str, ...]:
    """Suggest up to `limit` questions, of different kinds first, about the tables others point at most.

    Example:
        >>> table = Table("singers", (Column("id", kind=Kind.INTEGER), Column("country", kind=Kind.TEXT)))
        >>> suggest(Catalog("sqlite", (table,)))
        ('How many singers are there?', 'How many singers are there in each country?')
    """
    schema = schema_of(catalog, index)
    lines = [list(_about(schema, table)) for table in _central(schema)[:8]]
    out: list[str] = []
    depth = 0
    while len(out) < limit and any(depth < len(line) for line in lines):
        for line in lines:
            if depth < len(line) and len(out) < limit and _answered(line[depth], schema, index):
                out.append(line[depth])
        depth += 1
    return tuple(dict.fromkeys(out))


def _central(schema: Schema) -> list[Table]:
    """Tables people ask about, the most connected first; those that only join others are left out."""
    degree = {key: len(schema.graph.around(key)) for key in schema.tables}
    tables = [t for t in schema.catalog.tables if len(t.columns) > len(t.foreign_keys) and not _joins_only(t)]
    return sorted(tables, key=lambda t: (-degree[t.key], t.key))


def _joins_only(table: Table) -> bool:
    keys = {c for k in table.foreign_keys for c in k.columns} | set(table.primary_key)
    return len(table.foreign_keys) > 1 and all(c.name in keys for c in table.columns)


def _about(schema: Schema, table: Table) -> Iterator[str]:
    things = spoken(table.name)
    yield f"How many {things} are there?"
    for column in _of(table, (Kind.TEXT, Kind.OTHER, Kind.BOOLEAN), _KINDS)[:1]:
        yield f"How many {things} are there in each {spoken(column.name)}?"
    dates = [c for c in table.columns if c.kind in DATED]
    if dates and len(schema.graph.around(table.key)) > 0:
        yield f"How many {things} are there per month?"
    for column in _of(table, NUMERIC, _MEASURES)[:1]:
        yield f"What is the average {spoken(column.name)} of the {things}?"
        if schema.labels(table.key):
            yield f"Which five {things} have the highest {spoken(column.name)}?"


def _of(table: Table, kinds: tuple[Kind, ...], words: frozenset[str]) -> list[Column]:
    keys = {c for k in table.foreign_keys for c in k.columns} | set(table.primary_key)
    fitting = [c for c in table.columns if c.kind in kinds and c.name not in keys]
    return [c for c in fitting if words & set(name_words(c.name))]


def spoken(name: str) -> str:
    """A name as people say it.

    Example:
        >>> spoken("order_lines"), spoken("unitPrice")
        ('order lines', 'unit price')
    """
    return " ".join(name_words(name)) or name


def _answered(question: str, schema: Schema, index: ValueIndex | None) -> bool:
    return bool(candidates(Question(question), schema, index, NARROW, limit=1))
