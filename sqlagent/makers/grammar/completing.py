"""Words completed as people type a question: names of the catalog as spoken, and stored values.

Decides from the last words before the caret alone, and reads nothing but what it is given; one
call takes a millisecond or two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from sqlagent.catalog.hiding import named_by_owner
from sqlagent.catalog.value_index import ValueIndex, normal
from sqlagent.language.personal import is_personal_column, looks_personal
from sqlagent.language.words import MAX_CHARS, name_words, stem
from sqlagent.makers.grammar.sampler import schema_of
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.suggesting import spoken
from sqlagent.values import Catalog, ValueMatch

MIN_NAME = 2
"""Letters typed before names are offered."""

MIN_VALUE = 3
"""Letters typed before stored values are offered: fewer would offer any of thousands."""

LOOKED = 5
"""How many times as many values are looked at as are offered, for those of persons are passed over."""

WORDS = 3
"""Words at the end that may belong together: "new y" goes on to New York."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Completion:
    """A possible meaning: `text` replaces the typed characters from `start`. `kind`: table, column or value."""

    text: str
    start: int
    kind: str
    table: str
    column: str = ""


def complete(
    typed: str, catalog: Catalog, index: ValueIndex | None = None, limit: int = 8
) -> tuple[Completion, ...]:
    """Complete the last one to three words typed: names first, then values, longer beginnings first.

    Values of single persons (mail addresses, telephone numbers, people's names) are never given. Names and values get half of `limit` each, and what the other leaves. Gives nothing after a
    space, and never more than `limit`.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> catalog = Catalog("sqlite", (Table("order_lines", (Column("unit_price"),)),))
        >>> [c.text for c in complete("average uni", catalog)], complete("average ", catalog)
        (['unit price'], ())
        >>> [c.text for c in complete("average pri", catalog)]
        ['unit price']
    """
    words = list(_WORD.finditer(typed, max(0, len(typed) - MAX_CHARS)))[-WORDS:]
    if not words or words[-1].end() < len(typed):
        return ()
    names: dict[str, Completion] = {}
    values: dict[str, Completion] = {}
    for word in words:
        beginning = typed[word.start() :]
        for one in _names(normal(beginning), word.start(), catalog):
            names.setdefault(one.text, one)
        for one in _values(beginning, word.start(), index, limit):
            values.setdefault(one.text, one)
    unfinished = [
        [c for c in found.values() if c.text.lower() != typed[c.start :].lower()] for found in (names, values)
    ]
    shown = max(limit - limit // 2, limit - len(unfinished[1]))
    return tuple([*unfinished[0][:shown], *unfinished[1]][:limit])


def _names(beginning: str, start: int, catalog: Catalog) -> list[Completion]:
    """Names that begin so, then names of which a later word does."""
    if len(beginning) < MIN_NAME:
        return []
    known = _spoken(schema_of(catalog))
    first = [name for name in known if name[0].startswith(beginning)]
    later = [name for name in known if f" {beginning}" in name[0] and not name[0].startswith(beginning)]
    return [Completion(text, start, kind, table, column) for text, kind, table, column in (*first, *later)]


@lru_cache(maxsize=8)
def _spoken(schema: Schema) -> tuple[tuple[str, str, str, str], ...]:
    """The tables, then the columns of a catalog as people say them, each text once."""

    def named() -> Iterator[tuple[str, str, str, str]]:
        for table in schema.catalog.tables:
            yield spoken(table.name), "table", table.key, ""
        for name, key, place in named_by_owner(schema.catalog):
            yield name, "column" if place else "table", key, place
        for table in schema.catalog.tables:
            for column in table.columns:
                yield spoken(column.name), "column", table.key, column.name

    out: dict[str, tuple[str, str, str, str]] = {}
    for name in named():
        out.setdefault(name[0], name)
    return tuple(out.values())


def _values(beginning: str, start: int, index: ValueIndex | None, limit: int) -> list[Completion]:
    if index is None or len(beginning) < MIN_VALUE:
        return []
    found = (m for m in index.texts(beginning, LOOKED * limit) if not _is_personal(m))
    return [
        Completion(m.value, start, "value", m.column.table, m.column.column) for m in islice(found, limit)
    ]


def _is_personal(match: ValueMatch) -> bool:
    """Whether a stored value is about one person, or looks so: it is nobody's to be offered."""
    table = match.column.table.rpartition(".")[2]
    return looks_personal(match.value) or is_personal_column(_stems(table), _stems(match.column.column))


@lru_cache(maxsize=4_096)
def _stems(name: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in name_words(name))
