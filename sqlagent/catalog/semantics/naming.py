"""What names say: tables and columns as words, prefixes that all share dropped, short forms opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from sqlagent.catalog.semantics.words import OPENED, PREFIXES, RUN_TOGETHER, SUFFIXES
from sqlagent.language.lexicon import ABBREVIATIONS
from sqlagent.language.words import name_words, segment, split_name
from sqlagent.values import Catalog, Table


class Names:
    """Reads the names of one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.vocabulary = (
            frozenset(
                word
                for table in catalog.tables
                for name in (table.name, *(c.name for c in table.columns))
                for word in split_name(name)
                if len(word) > 3 and len(segment(word, RUN_TOGETHER)) == 1
            )
            | RUN_TOGETHER
        )
        heads = Counter(split_name(t.name)[0] for t in catalog.tables if len(split_name(t.name)) > 1)
        many = max(4, 0.6 * len(catalog.tables))
        self.shared = frozenset(word for word, count in heads.items() if count >= many)

    def table_words(self, table: Table) -> tuple[str, ...]:
        """The words of a table's name without what every table bears.

        Example:
            >>> names = Names(Catalog("sqlite", ()))
            >>> names.table_words(Table("dim_customer", ())), names.table_words(Table("tblOrderLn", ()))
            (('customer',), ('order', 'line'))
        """
        words = list(split_name(table.name))
        while len(words) > 1 and (words[0] in PREFIXES or words[0] in self.shared):
            words = words[1:]
        if len(words) > 1 and words[-1] in SUFFIXES:
            words = words[:-1]
        return self.opened("_".join(words))

    def column_words(self, table: Table, name: str, prefix: str = "") -> tuple[str, ...]:
        """The words of a column's name; `prefix` is one that all columns of its table bear."""
        words = list(split_name(name))
        if prefix and len(words) > 1 and words[0] == prefix:
            words = words[1:]
        return self.opened("_".join(words))

    def opened(self, name: str) -> tuple[str, ...]:
        """A name's words with short forms opened."""
        out: list[str] = []
        parts = split_name(name)
        for word in parts:
            if word == "min" and len(parts) == 1:
                out.append("minimum")
            elif word in OPENED:
                out.extend(OPENED[word].split())
            elif word == "no" and word == parts[-1] and len(parts) > 1:
                out.append("number")
            elif word in ABBREVIATIONS:
                out.extend(ABBREVIATIONS[word].split())
            else:
                for piece in name_words(word, self.vocabulary):
                    out.extend(OPENED.get(piece, piece).split())
        return tuple(out)


def shared_prefix(table: Table) -> str:
    """The word that nearly all columns of a table begin with (`ord_id`, `ord_dt`, `ord_st`); empty where there is none.

    Example:
        >>> from sqlagent.values import Column
        >>> shared_prefix(Table("orders", tuple(Column(n) for n in ("ord_id", "ord_dt", "ord_st", "cust_id"))))
        'ord'
    """
    heads = Counter(split_name(c.name)[0] for c in table.columns if len(split_name(c.name)) > 1)
    if len(table.columns) < 3 or not heads:
        return ""
    word, count = heads.most_common(1)[0]
    is_role: Collection[str] = ("is", "has", "from", "to", "first", "last", "total", "unit", "order", "date")
    return word if count >= 0.7 * len(table.columns) and word not in is_role else ""
