"""Words completed as people type a question: names of the catalog as spoken, and stored values.

Decides from the last words before the caret alone; one call takes a millisecond or two.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.grammar.sampler import schema_of
from sqlagent.grammar.suggesting import spoken
from sqlagent.language.words import MAX_CHARS, fold
from sqlagent.value_index import ValueIndex
from sqlagent.values import Catalog

MIN_VALUE = 3
"""Letters typed before stored values are offered: fewer would offer any of thousands."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What may be meant: `text` replaces the typed characters from `start`. `kind`: table, column or value."""

    text: str
    start: int
    kind: str
    table: str
    column: str = ""


def complete(
    typed: str, catalog: Catalog, index: ValueIndex | None = None, limit: int = 8
) -> tuple[Completion, ...]:
    """Complete the last one to three words typed: longer beginnings first, then tables, columns, values.

    Gives nothing after a space or an empty text, and never more than `limit`.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> catalog = Catalog("sqlite", (Table("order_lines", (Column("unit_price"),)),))
        >>> [c.text for c in complete("average uni", catalog)], complete("average ", catalog)
        (['unit price'], ())
    """
    typed = typed[-MAX_CHARS:]
    if not typed or typed[-1].isspace():
        return ()
    words = typed.split()
    out: dict[str, Completion] = {}
    for count in range(min(3, len(words)), 0, -1):
        beginning = " ".join(words[-count:])
        start = _start(typed, count)
        for one in [*_names(fold(beginning), start, catalog), *_values(beginning, start, index, limit)]:
            if one.text.lower() != beginning.lower():
                out.setdefault(one.text, one)
        if len(out) >= limit:
            break
    return tuple(out.values())[:limit]


def _start(typed: str, count: int) -> int:
    at = len(typed)
    for word in reversed(typed.split()[-count:]):
        at = typed.rindex(word, 0, at)
    return at


def _names(beginning: str, start: int, catalog: Catalog) -> list[Completion]:
    if not beginning:
        return []
    tables: dict[str, Completion] = {}
    columns: dict[str, Completion] = {}
    for item in schema_of(catalog).naming.items:
        if item.column is not None and {"*", "&"} & set(item.column.name):
            continue
        text = spoken(item.column.name if item.column is not None else item.table.name)
        if not text.startswith(beginning):
            continue
        if item.column is None:
            tables.setdefault(text, Completion(text, start, "table", item.table.key))
        else:
            columns.setdefault(text, Completion(text, start, "column", item.table.key, item.column.name))
    return [*tables.values(), *columns.values()]


def _values(beginning: str, start: int, index: ValueIndex | None, limit: int) -> list[Completion]:
    if index is None or len(beginning) < MIN_VALUE:
        return []
    found = index.texts(beginning, limit)
    return [Completion(m.value, start, "value", m.column.table, m.column.column) for m in found]
