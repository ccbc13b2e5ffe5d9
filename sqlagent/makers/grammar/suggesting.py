"""Questions worth asking of a fresh source: what can be counted, ranked, added up, followed over time.

Decides from names, types and keys alone, so it costs no statement. Every suggestion is one
the built-in generator itself answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import name_words, plural_of
from sqlagent.makers.grammar.reading import DATED, NUMERIC
from sqlagent.makers.grammar.sampler import NARROW, candidates, schema_of
from sqlagent.makers.grammar.schema import Schema
from sqlagent.values import Catalog, Column, ColumnRef, Kind, Question, Table

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


_ORDER = ("counted", "grouped", "ranked", "followed", "averaged")

FEW = range(2, 21)
"""Different texts of a column that sorts rows into kinds rather than names them."""


def suggest(catalog: Catalog, index: ValueIndex | None = None, limit: int = 8) -> tuple[str, ...]:
    """Suggest up to `limit` questions, of different kinds first, about the tables others point at most.

    The last few catalogs' suggestions are kept, so asking again costs nothing.

    Example:
        >>> table = Table("singers", (Column("id", kind=Kind.INTEGER), Column("country", kind=Kind.TEXT)))
        >>> suggest(Catalog("sqlite", (table,)))
        ('How many singers are there?', 'How many singers are there in each country?')
    """
    return _suggested(schema_of(catalog, index), index, limit)


@lru_cache(maxsize=8)
def _suggested(schema: Schema, index: ValueIndex | None, limit: int) -> tuple[str, ...]:
    waiting: dict[str, deque[str]] = {kind: deque() for kind in _ORDER}
    sizes = index.sizes() if index is not None else {}
    for table in _central(schema)[:8]:
        for kind, text in _about(schema, table, sizes):
            waiting[kind].append(text)
    out: dict[str, None] = {}
    while len(out) < limit and any(waiting.values()):
        for texts in waiting.values():
            if len(out) < limit and (text := _next(texts, out, schema, index)):
                out[text] = None
    return tuple(out)


def _next(texts: deque[str], known: Collection[str], schema: Schema, index: ValueIndex | None) -> str:
    while texts:
        text = texts.popleft()
        if text not in known and _answered(text, schema, index):
            return text
    return ""


def _central(schema: Schema) -> list[Table]:
    """Tables people ask about, the most connected first; those that only join others are left out."""
    degree = {key: len(schema.graph.around(key)) for key in schema.tables}
    tables = [t for t in schema.catalog.tables if len(t.columns) > len(t.foreign_keys) and not _joins_only(t)]
    return sorted(tables, key=lambda t: (-degree[t.key], t.key))


def _joins_only(table: Table) -> bool:
    keys = {c for k in table.foreign_keys for c in k.columns} | set(table.primary_key)
    return len(table.foreign_keys) > 1 and all(c.name in keys for c in table.columns)


def _about(schema: Schema, table: Table, sizes: Mapping[ColumnRef, int]) -> Iterator[tuple[str, str]]:
    """Give the questions about one table, each with its kind."""
    things = _several(table.name)
    yield "counted", f"How many {things} are there?"
    for column in _kinds(table, sizes)[:1]:
        yield "grouped", f"How many {things} are there in each {spoken(column.name)}?"
    if any(c.kind in DATED for c in table.columns):
        yield "followed", f"How many {things} are there per month?"
    for column in _measures(schema, table)[:1]:
        yield "averaged", f"What is the average {spoken(column.name)} of the {things}?"
        if _is_named(schema, table):
            yield "ranked", f"Which five {things} have the highest {spoken(column.name)}?"


def _is_named(schema: Schema, table: Table) -> bool:
    """Whether a row has a name to be listed by: of lines and keys alone nobody wants the first five."""
    column = schema.column(table.key, next(iter(schema.labels(table.key)), ""))
    return column is not None and column.kind in (Kind.TEXT, Kind.OTHER)


def _kinds(table: Table, sizes: Mapping[ColumnRef, int]) -> list[Column]:
    """Columns that sort a table's rows into kinds: by their names first, then by how few texts they hold."""
    fitting = [c for c in _plain(table) if c.kind in (Kind.TEXT, Kind.OTHER, Kind.BOOLEAN)]
    named = [c for c in fitting if _KINDS & set(name_words(c.name))]
    held = [c for c in fitting if sizes.get(ColumnRef(table.key, c.name), 0) in FEW]
    return [*named, *(c for c in held if c not in named and "name" not in name_words(c.name))]


def _measures(schema: Schema, table: Table) -> list[Column]:
    """Columns that can be averaged: by their names first, then whatever has a fraction."""
    fitting = [c for c in _plain(table) if c.kind in NUMERIC and schema.key_role(table.key, c.name) == "no"]
    named = [c for c in fitting if _MEASURES & set(name_words(c.name))]
    return [*named, *(c for c in fitting if c.kind is Kind.NUMBER and c not in named)]


def _plain(table: Table) -> list[Column]:
    keys = {c for k in table.foreign_keys for c in k.columns} | set(table.primary_key)
    return [c for c in table.columns if c.name not in keys]


def spoken(name: str) -> str:
    """A name as people say it.

    Example:
        >>> spoken("order_lines"), spoken("unitPrice")
        ('order lines', 'unit price')
    """
    return " ".join(name_words(name)) or name


def _several(name: str) -> str:
    """Several of what a table is named after, where it is named after one."""
    words = spoken(name)
    return words[: words.rfind(" ") + 1] + plural_of(words.rpartition(" ")[2]) if words.isascii() else words


def _answered(question: str, schema: Schema, index: ValueIndex | None) -> bool:
    return bool(candidates(Question(question), schema, index, NARROW, limit=1))
