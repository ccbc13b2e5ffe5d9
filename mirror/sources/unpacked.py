"""Catalogs and value indexes kept unpacked in this process, for pages and for questions. Nothing is read from a source."""

from __future__ import annotations

from collections import Counter, OrderedDict
from threading import Lock
from typing import Any

from mirror.sources import selectors
from mirror.sources.catalogs import catalog_read
from mirror.sources.models import Source, StoredIndex
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.values import Catalog

# How many of each are kept: unpacking 50,000 values takes about 0.3 s.
AT_HAND = 8
# What is unpacked of one for pages, which offer what may be typed: of a larger catalog the tables others point at most,
# with so many columns; of a larger value index nothing. 50,000 columns took 85 MB and 7 s of a processor, 300,000
# values of 70 characters (13 MB) 209 MB and 29 s (measured 2026-11).
SHOWN_COLUMNS, SHOWN_INDEX_BYTES = 4_000, 2_000_000
_at_hand: OrderedDict[tuple[int, str, str], ValueIndex] = OrderedDict()
_too_large: OrderedDict[tuple[int, str, str], None] = OrderedDict()
_catalogs: OrderedDict[tuple[int, str, str], Catalog] = OrderedDict()
_at_hand_lock = Lock()


def source_at_hand(source: Source) -> tuple[Catalog | None, ValueIndex | None]:
    """Give the catalog and the value index as they are kept, for a page; nothing is read from the source.

    None for what was never made, was made for another catalog, or is too large for a page. Of a large catalog a part
    is given, without values. Both are the same objects until they are made anew, so results derived from them can be kept.
    """
    if not source.catalog_version:
        return None, None
    stored = selectors.index_state(source)
    is_ready = (
        stored is not None
        and stored.state == StoredIndex.State.READY
        and stored.catalog_version == source.catalog_version
    )
    catalog = _catalog_at_hand(source)
    is_whole = catalog is not None and catalog.version == source.catalog_version
    return catalog, _shown(source, stored) if stored and is_ready and is_whole else None


def _shown(source: Source, stored: StoredIndex) -> ValueIndex | None:
    """The value index, if it is small enough for a page."""
    key = _key(source, stored)
    with _at_hand_lock:
        if key in _at_hand:
            return _at_hand[key]
        if key in _too_large:
            return None
    if len(stored.data) > SHOWN_INDEX_BYTES:
        with _at_hand_lock:
            _too_large[key] = None
            while len(_too_large) > 1_000:
                _too_large.popitem(last=False)
        return None
    return index_unpacked(source, stored)


def _key(source: Source, stored: StoredIndex) -> tuple[int, str, str]:
    return source.pk, stored.catalog_version, stored.updated_at.isoformat()


def index_unpacked(source: Source, stored: StoredIndex) -> ValueIndex:
    """Give a stored value index, unpacked once for as long as it is among the `AT_HAND` used last."""
    key = _key(source, stored)
    with _at_hand_lock:
        index = _at_hand.get(key)
        if index is None:
            index = _at_hand[key] = ValueIndex.from_bytes(bytes(stored.data))
        _at_hand.move_to_end(key)
        while len(_at_hand) > AT_HAND:
            _at_hand.popitem(last=False)
    return index


def _catalog_at_hand(source: Source) -> Catalog | None:
    key = (source.pk, source.catalog_version, source.catalog_at.isoformat() if source.catalog_at else "")
    with _at_hand_lock:
        if key not in _catalogs and source.catalog:
            _catalogs[key] = _part(source.catalog)
        if key in _catalogs:
            _catalogs.move_to_end(key)
        while len(_catalogs) > AT_HAND:
            _catalogs.popitem(last=False)
        return _catalogs.get(key)


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
