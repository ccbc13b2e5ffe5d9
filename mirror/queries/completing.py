"""How SQL that is being typed may go on, from what is at hand of its source. Nothing is read from the source itself.

Stored values are offered to people who may see them, except values about one person.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from mirror.queries.signals import terms_wanted
from mirror.recent import Recent
from mirror.sources.guarding import functions_of
from mirror.sources.selectors import may_see_values
from mirror.sources.unpacked import source_at_hand
from sqlagent.catalog.hiding import usable
from sqlagent.catalog.keys import catalog_key
from sqlagent.language.personal import is_personal_column, looks_personal
from sqlagent.language.words import name_words, stem
from sqlagent.sql.completing import Completion, Known, complete
from sqlagent.values import Catalog, ColumnRef, Term

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source
    from sqlagent.catalog.value_index import ValueIndex

# Sources whose tables and joins are kept for completing.
AT_HAND = 8
# Longer SQL is run and not completed: each keystroke would wait for all its tokens (0.1 s for these, measured 2026-11).
COMPLETED_CHARS = 50_000
# Stored texts of a column that are looked through.
TEXTS = 3_000
_known: Recent[Hashable, Known] = Recent(AT_HAND)


def sql_completions(user: User, source: Source, sql: str, at: int) -> list[Completion]:
    """Offer how SQL may go on at a place of it, best first; nothing before the tables were read."""
    if len(sql) > COMPLETED_CHARS:
        return []
    catalog, index = source_at_hand(source)
    if catalog is None:
        return []
    found = index.facts.keys if index is not None else ()
    functions = functions_of(source, catalog.dialect)
    key = (source.pk, catalog_key(catalog), found, functions)
    known = _known.get(key, lambda: _made(catalog, index, functions))
    may = index is not None and may_see_values(user, source)

    def values(table: str, column: str) -> list[str]:
        assert index is not None
        return _texts(index, table, column)

    told = terms_wanted.send(type(source), source=source)
    terms: list[Term] = [term for _, found in told for term in cast("Sequence[Term]", found or ())]
    return complete(sql, at, known, values if may else None, terms=terms)


def _made(catalog: Catalog, index: ValueIndex | None, functions: frozenset[str]) -> Known:
    shown, _ = usable(catalog, None)
    found = index.facts.keys if index is not None else ()
    return Known(shown, functions, [(one.table, one.column, one.target, one.referenced) for one in found])


def columns_offered(catalog: Catalog, table: str) -> frozenset[str]:
    """The columns of a table that its source's owner did not hide; none of a table that is hidden."""
    shown = next((one for one in usable(catalog, None)[0].tables if one.key == table), None)
    return frozenset(column.name for column in shown.columns) if shown is not None else frozenset()


def is_personal(table: str, column: str, *texts: str) -> bool:
    """Whether a column is about single persons, or texts look like addresses or numbers of theirs: shown nowhere beside rows."""
    of_persons = is_personal_column(_stems(table.rpartition(".")[2]), _stems(column))
    return of_persons or any(map(looks_personal, texts))


def _texts(index: ValueIndex, table: str, column: str) -> list[str]:
    if is_personal(table, column):
        return []
    texts = index.texts_of(ColumnRef(table, column))[:TEXTS]
    return [text for text in texts if not looks_personal(text)]


@lru_cache(maxsize=4_096)
def _stems(name: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in name_words(name))
