"""Names in a hint found in a catalog: letter case and signs between words ignored, one slip of spelling mended.

Decides which columns a name may be; several where it stands in several tables.
"""

from __future__ import annotations

import re
from collections import defaultdict

from rapidfuzz.distance import OSA

from sqlagent.catalog.keys import KeyGraph
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import fold, plural_of
from sqlagent.values import Catalog, ColumnRef, Kind

MENDED = 5
"""Letters from which on a name with one slip is the only one nearly so."""

_ALIAS = re.compile(r"[a-z]{1,2}\d*", re.IGNORECASE)
_OF = re.compile(r"\s+(?:of|in|for)\s+(?:the\s+|a\s+|an\s+)?([\w ]+)$", re.IGNORECASE)


class Names:
    """The names of one catalog, and the texts that its columns hold."""

    def __init__(self, catalog: Catalog, index: ValueIndex | None) -> None:
        self.index = index
        self.graph = KeyGraph(catalog)
        self.kinds = {ColumnRef(t.key, c.name): c.kind for t in catalog.tables for c in t.columns}
        self._tables: dict[str, list[str]] = defaultdict(list)
        self._columns: dict[str, list[ColumnRef]] = defaultdict(list)
        for table in catalog.tables:
            for name in {flat(table.name), flat(table.key), flat(plural_of(table.name))}:
                self._tables[name].append(table.key)
            for column in table.columns:
                self._columns[flat(column.name)].append(ColumnRef(table.key, column.name))

    def tables(self, name: str) -> list[str]:
        """Tables of a name, however it is written; else those of the one name that is spelled nearly so."""
        return self._tables.get(flat(name)) or self._tables.get(_nearly(flat(name), self._tables), [])

    def columns(self, name: str, table: str = "") -> list[ColumnRef]:
        """Columns of a name, of one table where it is named; an alias that says nothing is no table."""
        found = self._columns.get(flat(name)) or self._columns.get(_nearly(flat(name), self._columns), [])
        if not table or (not self.tables(table) and _ALIAS.fullmatch(table)):
            return found
        owners = self.tables(table)
        return [ref for ref in found if ref.table in owners]

    def exactly(self, words: str) -> str:
        """The name of columns that words are, signs and spaces ignored; empty where there are none."""
        found = self._columns.get(flat(words))
        return found[0].column if found else ""

    def said(self, words: str) -> list[ColumnRef]:
        """Columns, else tables, that plain words name: "full name of the guest"."""
        words = words.strip().strip('.`"').strip()
        if not re.fullmatch(r"[\w .&/()%-]{1,80}", words):
            return []
        whole, _, last = words.rpartition(".")
        found = self.columns(last, whole) if whole else self.columns(words)
        if not found and (owner := _OF.search(words)):
            tables = self.tables(owner[1])
            found = [ref for ref in self.columns(words[: owner.start()]) if ref.table in tables]
        return found or [ColumnRef(table, "") for table in self.tables(words)]

    def is_text(self, column: ColumnRef) -> bool:
        """Whether a column holds texts, or values of a kind that is not known."""
        return self.kinds.get(column) in (Kind.TEXT, Kind.OTHER)

    def stored(self, column: ColumnRef, text: str) -> str | None:
        """A text as it is stored in a column, letter case and signs between words ignored; None where it is not there, as far as its values were read."""
        if self.index is None:
            return None
        found = [m.value for m in self.index.lookup(text) if m.column == column]
        ways = (str, fold, flat)
        return next((v for same in ways for v in found if same(v) == same(text)), None)

    def is_read(self, column: ColumnRef) -> bool:
        """Whether all texts of a column are known, so that one that is not among them is not stored."""
        if self.index is None or column not in self.index.columns():
            return False
        progress = self.index.progress
        return progress is None or not progress.is_full and column not in progress.parts

    def behind(self, column: ColumnRef, text: str) -> tuple[ColumnRef, str] | None:
        """Where a text stands in the table that a key points at: "status_id = Open"."""
        for edge in self.graph.edges:
            if edge.source == column.table and edge.columns == (column.column,):
                for ref in self.kinds:
                    if ref.table == edge.target and (held := self.stored(ref, text)) is not None:
                        return ref, held
        return None


def flat(name: str) -> str:
    """A name without case, spaces and signs.

    Example:
        >>> flat("Full_Name"), flat("full name")
        ('fullname', 'fullname')
    """
    return "".join(c for c in fold(name) if c.isalnum())


def _nearly(name: str, known: dict[str, list[str]] | dict[str, list[ColumnRef]]) -> str:
    """The only name that differs by one letter."""
    if len(name) < MENDED:
        return ""
    near = [
        one for one in known if abs(len(one) - len(name)) < 2 and OSA.distance(one, name, score_cutoff=1) == 1
    ]
    return near[0] if len(near) == 1 else ""
