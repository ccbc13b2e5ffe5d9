"""Lookups of the grammar in a catalog, prepared once: columns by name, their keys, and the column that names a table's rows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlagent.catalog.keys import Edge, KeyGraph
from sqlagent.language.mentions import Naming
from sqlagent.language.words import name_words, stem
from sqlagent.makers.grammar.tree import Col, base
from sqlagent.values import Catalog, Column, Kind, Table


class Schema:
    """One catalog, prepared. Immutable after construction.

    `flags` are the columns stored as yes and no, with the texts that stand for each.
    """

    def __init__(
        self, catalog: Catalog, flags: Mapping[tuple[str, str], tuple[str, str]] | None = None
    ) -> None:
        self.flags = dict(flags or {})
        self.catalog = catalog
        self.naming = Naming(catalog)
        self.graph = KeyGraph(catalog)
        self.tables: dict[str, Table] = {t.key: t for t in catalog.tables}
        self._columns = {(t.key, c.name): c for t in catalog.tables for c in t.columns}
        for item in self.naming.items:
            if item.column is not None:
                self._columns.setdefault((item.table.key, item.column.name), item.column)
        self._foreign = {(e.source, c) for e in self.graph.edges for c in e.columns}
        self._labels: dict[str, tuple[str, ...]] = {}
        self._stems: dict[str, frozenset[str]] = {
            t.key: frozenset(stem(w) for w in name_words(t.name)) for t in catalog.tables
        }

    def column(self, table: str, name: str) -> Column | None:
        """A column by its table instance and exact name."""
        return self._columns.get((base(table), name))

    def edge_of(self, table: str, column: str) -> Edge | None:
        """The key a column alone is, if it points at another row."""
        return next((e for e in self.graph.edges if e.source == table and e.columns == (column,)), None)

    def points(self, edge: Edge) -> bool:
        """Whether a join goes from rows to the one row they point at."""
        return any(
            e.source == edge.source and e.columns == edge.columns and e.target == edge.target
            for e in self.graph.edges
        )

    def key_role(self, table: str, name: str) -> str:
        """`pk` for a primary key of one column, `fk` for a column of a foreign key, else `no`."""
        owner = self.tables.get(base(table))
        if owner is not None and owner.primary_key == (name,):
            return "pk"
        return "fk" if (base(table), name) in self._foreign else "no"

    def key(self, table: str) -> Col | None:
        """The single column that identifies a table's rows, declared or likely."""
        owner = self.tables[base(table)]
        if len(owner.primary_key) == 1:
            return Col(table, owner.primary_key[0])
        pointed = [
            e.referenced[0] for e in self.graph.edges if e.target == owner.key and len(e.referenced) == 1
        ]
        if pointed:
            return Col(table, pointed[0])
        return None

    def labels(self, table: str) -> tuple[str, ...]:
        """Columns that can name a table's rows to a person, best first."""
        owner = base(table)
        if owner not in self._labels:
            scored = [
                (self._label_score(owner, c, n), c.name) for n, c in enumerate(self.tables[owner].columns)
            ]
            ranked = sorted(scored, key=lambda s: -s[0])
            names = [name for score, name in ranked if score > 0]
            both = [c.name for (t, _), c in self._columns.items() if t == owner and "&" in c.name]
            self._labels[owner] = (*both, *names)
        return self._labels[owner]

    def is_label(self, col: Col) -> bool:
        """Whether a column names rows rather than sorts them into kinds."""
        labels = self.labels(col.table)
        names = {part for label in labels[:1] for part in label.split("&")}
        return col.name in names or stem("name") in {stem(w) for w in name_words(col.name)}

    def _label_score(self, table: str, column: Column, place: int) -> float:
        words = [stem(w) for w in name_words(column.name)]
        rest = [w for w in words if w not in self._stems[table]]
        text = column.kind in (Kind.TEXT, Kind.OTHER)
        score = 1.0 if text else 0.3
        if rest in (["name"], []):
            score += 4.0 if text or rest else 0.5
        elif rest == ["titl"]:
            score += 3.6
        elif words[-1:] == ["name"]:
            score += 2.5 - 0.2 * len(rest) + (0.6 if "first" in rest or "full" in rest else 0)
        elif words[-1:] == ["titl"]:
            score += 2.0
        elif rest in (["descript"], ["code"]):
            score += 1.0
        if self.key_role(table, column.name) == "fk":
            score -= 2.0
        elif self.key_role(table, column.name) == "pk":
            score += 0.4 if text else 0.5
        return score - 0.02 * place
