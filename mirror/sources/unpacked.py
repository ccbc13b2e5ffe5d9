"""Catalogs and value indexes kept unpacked in this process, for pages and for questions. Nothing is read from a source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import sqlglot
from sqlglot.errors import TokenError

from mirror.recent import Recent
from mirror.sources.catalogs import catalog_read
from mirror.sources.corrections import corrections_of
from mirror.sources.models import Source, StoredIndex
from mirror.sources.sight import catalog_seen, index_narrowed, index_seen, sight_now
from sqlagent.catalog.packed_index import PackedIndex
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.values import Catalog

# How many of each are kept: unpacking 50,000 values takes about 0.3 s.
AT_HAND = 8
# Bounds for pages, which offer completions: of a larger catalog they get the tables others point at most, with so many
# columns; a larger value index column by column. 50,000 columns took 85 MB and 7 s of a processor, 300,000 values of 70
# characters (13 MB) 200 MB and 3.4 s; column by column they take 26 MB and 2.1 s (measured 2026-11).
SHOWN_COLUMNS, SHOWN_INDEX_BYTES = 4_000, 2_000_000
_Key = tuple[int, str, str]
_indexes: Recent[_Key, ValueIndex] = Recent(AT_HAND)
_packed: Recent[_Key, PackedIndex] = Recent(AT_HAND)
_catalogs: Recent[_Key, Catalog | None] = Recent(AT_HAND)
# Texts in SQL that are a day or a moment.
_DAY = re.compile(r"\d{4}(-\d{1,2}(-\d{1,2}([ T][\d:.]+)?)?)?")
# Whether an index is small enough for a page: to know it, its bytes are read.
_are_small: Recent[_Key, bool] = Recent(1_000)


def source_at_hand(source: Source, *, is_page: bool = True) -> tuple[Catalog | None, ValueIndex | None]:
    """Give the catalog and the value index as they are kept; nothing is read from the source.

    Of values that are still being read those read so far are given. None for what was never made, or was made for another
    catalog. Of a large catalog a part is given, without values. A page gets a large index column by column, in which no
    words are found (`finds_words`); a worker, which answers with the whole of it, has that at hand. The catalog
    carries its owner's latest corrections; the values are the same object until they are made anew, so results derived
    from both can be kept (`catalog_key`). Neither holds tables and columns withheld from the person who has the source in
    hand; the values are those that their login reads.
    """
    catalog, index = _at_hand(source, is_page=is_page)
    sight = sight_now(source)
    if catalog is None or not sight:
        return catalog, index
    shown = catalog_seen(catalog, sight)
    return shown, index_narrowed(source, index, shown)


def values_seen(source: Source) -> Callable[[str], bool]:
    """Give the test of SQL that each text in it is a day or a stored value that the present login of the source reads.

    People who see a source by another login write its knowledge; their texts may be values of that login. For the
    source's own user all SQL passes. The values are looked for once, with the first text.
    """
    if sight_now(source).login.is_own:
        return lambda sql: True
    index_at_hand = cache(lambda: source_at_hand(source, is_page=False)[1])

    def are_seen(sql: str) -> bool:
        try:
            tokens = sqlglot.tokenize(sql, dialect=source.engine)
        except TokenError:
            return False
        texts = {one.text for one in tokens if one.token_type.name.endswith("STRING")}
        texts = {text for text in texts if text.strip() and not _DAY.fullmatch(text)}
        if not texts:
            return True
        index = index_at_hand()
        return index is not None and all(
            any(match.value == text for match in index.lookup(text)) for text in texts
        )

    return are_seen


def _at_hand(source: Source, *, is_page: bool) -> tuple[Catalog | None, ValueIndex | None]:
    if not source.catalog_version:
        return None, None
    stored = index_seen(source)
    is_ready = stored is not None and stored.catalog_version == source.catalog_version
    catalog = _catalog_at_hand(source)
    is_whole = catalog is not None and catalog.version == source.catalog_version
    if not stored or not is_ready or not is_whole:
        return catalog, None
    return catalog, _shown(source, stored) if is_page else index_unpacked(source, stored)


def _shown(source: Source, stored: StoredIndex) -> ValueIndex:
    """The value index, column by column where it is too large for a page."""
    key = _key(source, stored)
    if _are_small.get(key, lambda: len(stored.data) <= SHOWN_INDEX_BYTES):
        return index_unpacked(source, stored)
    return _packed.get(key, lambda: PackedIndex.from_bytes(bytes(stored.data)))


def _key(source: Source, stored: StoredIndex) -> _Key:
    return stored.pk, stored.catalog_version, stored.updated_at.isoformat()


def index_unpacked(source: Source, stored: StoredIndex) -> ValueIndex:
    """Give a stored value index, unpacked once for as long as it is among the `AT_HAND` used last."""
    return _indexes.get(_key(source, stored), lambda: ValueIndex.from_bytes(bytes(stored.data)))


def _catalog_at_hand(source: Source) -> Catalog | None:
    read_at = source.catalog_at.isoformat() if source.catalog_at else ""
    key = (source.pk, source.catalog_version, read_at)
    catalog = _catalogs.get(key, lambda: _part(source.catalog) if source.catalog else None)
    return replace(catalog, corrections=corrections_of(source)) if catalog is not None else None


def _part(kept: dict[str, Any]) -> Catalog:
    """A kept catalog, or of a large one the tables that others point at most, in the order they were in."""
    tables = kept["tables"]
    if sum(len(table["columns"]) for table in tables) <= SHOWN_COLUMNS:
        return catalog_read(kept)
    pointed = Counter((key["schema"], key["table"]) for table in tables for key in table["foreign_keys"])
    left, chosen = SHOWN_COLUMNS, set()
    for table in sorted(tables, key=lambda table: -pointed[table["schema"], table["name"]]):
        if len(table["columns"]) <= left:
            left -= len(table["columns"])
            chosen.add((table["schema"], table["name"]))
    part = [
        table
        | {"foreign_keys": [key for key in table["foreign_keys"] if (key["schema"], key["table"]) in chosen]}
        for table in tables
        if (table["schema"], table["name"]) in chosen
    ]
    return catalog_read({**kept, "tables": part, "version": f"{kept['version']} in part"})
