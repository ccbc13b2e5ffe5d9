"""A catalog by name, letter case ignored: tables, columns, keys, and the words in their names.

Made once per catalog and kept for the last few. Decides nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Protocol

from sqlagent.catalog.keys import KeyGraph
from sqlagent.language import words
from sqlagent.values import Catalog, Column, ColumnRef, Table


class Columns(Protocol):
    """Something that tells which columns it has read."""

    def columns(self) -> tuple[ColumnRef, ...]:
        """The columns that were read."""
        ...


class Lookup:
    """A catalog by name, letter case ignored."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.tables: dict[str, Table] = {}
        self.columns: dict[str, dict[str, Column]] = {}
        self.foreign: set[frozenset[str]] = set()
        self.pointing: set[str] = set()
        self.vocabulary: frozenset[str] = frozenset()
        self._stems: dict[str, tuple[str, ...]] = {}
        self._likely: set[frozenset[str]] | None = None
        self._words: frozenset[str] = frozenset()
        self._index: Columns | None = None
        self._indexed: frozenset[ColumnRef] = frozenset()
        for table in catalog.tables:
            name = table.name.lower()
            self.tables.setdefault(name, table)
            self.columns.setdefault(name, {c.name.lower(): c for c in table.columns})
            for key in table.foreign_keys:
                self.pointing.update(f"{name}.{mine.lower()}" for mine in key.columns)
                for mine, theirs in zip(key.columns, key.referenced, strict=False):
                    self.foreign.add(
                        frozenset((f"{name}.{mine.lower()}", f"{key.table.lower()}.{theirs.lower()}"))
                    )

    def stems(self, name: str) -> tuple[str, ...]:
        """Give the stems of a table's name, or of a column's given as `table.column`."""
        found = self._stems.get(name)
        if found is None:
            if not self.vocabulary:
                spoken = [*(t.name for t in self.tables.values())]
                spoken += [c.name for t in self.tables.values() for c in t.columns]
                self._words = frozenset(w for text in spoken for w in words.split_name(text) if len(w) > 2)
                self.vocabulary = frozenset(s for text in spoken for s in self._read(text)) - {"id"}
            table, _, column = name.rpartition(".")
            known = self.column(name) if table else None
            real = known.name if known else self.tables[column].name if column in self.tables else column
            found = self._stems[name] = self._read(real)
        return found

    def _read(self, name: str) -> tuple[str, ...]:
        return tuple(words.stem(word) for word in words.name_words(name, self._words))

    def is_likely_key(self, one: str, two: str) -> bool:
        """Tell whether two columns look like a key that nobody declared."""
        if self._likely is None:
            self._likely = {
                frozenset((f"{_bare(edge.source)}.{mine.lower()}", f"{_bare(edge.target)}.{theirs.lower()}"))
                for edge in KeyGraph(self.catalog).edges
                for mine, theirs in zip(edge.columns, edge.referenced, strict=False)
            }
        return frozenset((one, two)) in self._likely

    def reference(self, name: str) -> ColumnRef | None:
        """Name a column, given as `table.column`, as the catalog does."""
        table, column = self.tables.get(name.partition(".")[0]), self.column(name)
        return ColumnRef(table.key, column.name) if table and column else None

    def is_indexed(self, column: ColumnRef, index: Columns) -> bool:
        """Tell whether an index has read a column."""
        if self._index is not index:
            self._index, self._indexed = index, frozenset(index.columns())
        return column in self._indexed

    def column(self, name: str) -> Column | None:
        """Find a column by its `table.column`."""
        table, _, column = name.partition(".")
        return self.columns.get(table, {}).get(column)


def _bare(key: str) -> str:
    return key.rpartition(".")[2].lower()


_KEPT = 8
_lookups: OrderedDict[int, Lookup] = OrderedDict()
_lock = Lock()


def lookup(catalog: Catalog) -> Lookup:
    """Give a catalog's lookup; the last few are kept, with their catalogs."""
    with _lock:
        found = _lookups.get(id(catalog))
        if found is None:
            found = _lookups[id(catalog)] = Lookup(catalog)
            if len(_lookups) > _KEPT:
                _lookups.popitem(last=False)
        return found
