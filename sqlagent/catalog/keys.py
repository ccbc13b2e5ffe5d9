"""How tables hang together: foreign keys as a graph, with likely keys where none are declared.

Decides which pairs of columns may be joined and the cheapest tree of joins over some
tables. Leaves which tables are needed to linking and the grammar.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from sqlagent.language.words import name_words, stem
from sqlagent.values import Catalog, Table

GUESSED = 1.4
"""Cost of a join along a guessed key; a declared one costs 1."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Two tables (by key) joined on pairs of columns. `source` points at `target` when it is a foreign key."""

    source: str
    columns: tuple[str, ...]
    target: str
    referenced: tuple[str, ...]
    guessed: bool = False

    def reversed(self) -> Edge:
        """The same join seen from the other side."""
        return Edge(self.target, self.referenced, self.source, self.columns, self.guessed)

    @property
    def cost(self) -> float:
        """The cost of taking this join when paths are compared."""
        return GUESSED if self.guessed else 1.0


def catalog_key(catalog: Catalog) -> Hashable:
    """A cheap key that differs between catalogs and between corrections of one, for caches."""
    return (
        catalog.version,
        catalog.dialect,
        catalog.corrections,
        tuple(
            (t.key, len(t.columns), len(t.foreign_keys), t.columns[0].name if t.columns else "")
            for t in catalog.tables
        ),
    )


def declared(catalog: Catalog) -> list[Edge]:
    """List the foreign keys of a catalog whose tables and columns are both there."""
    out: list[Edge] = []
    for table in catalog.tables:
        for key in table.foreign_keys:
            target = catalog.table(key.table, key.schema or table.schema) or catalog.table(
                key.table, key.schema
            )
            if target is None or not key.columns:
                continue
            referenced = key.referenced or target.primary_key[: len(key.columns)]
            if len(referenced) != len(key.columns):
                continue
            if all(table.column(c) for c in key.columns) and all(target.column(c) for c in referenced):
                out.append(Edge(table.key, key.columns, target.key, referenced))
    return out


class KeyGraph:
    """Joins between the tables of a catalog. Immutable after construction."""

    def __init__(self, catalog: Catalog) -> None:
        self.tables: dict[str, Table] = {t.key: t for t in catalog.tables}
        self.edges: list[Edge] = []
        self._out: dict[str, list[Edge]] = defaultdict(list)
        known: set[tuple[str, str, str, str]] = set()
        for edge in [*declared(catalog), *self._guessed(catalog)]:
            mark = (edge.source, edge.columns[0].lower(), edge.target, edge.referenced[0].lower())
            back = (mark[2], mark[3], mark[0], mark[1])
            if mark in known or back in known:
                continue
            known.add(mark)
            self.edges.append(edge)
            self._out[edge.source].append(edge)
            if edge.source != edge.target:
                self._out[edge.target].append(edge.reversed())
        self._paths: dict[tuple[str, str], tuple[Edge, ...] | None] = {}

    def _guessed(self, catalog: Catalog) -> list[Edge]:
        """Keys nobody declared: a column named like another table's key, or like the table itself plus `id`."""
        owners: dict[str, list[tuple[Table, str]]] = defaultdict(list)
        for table in catalog.tables:
            single = table.primary_key[0] if len(table.primary_key) == 1 else ""
            name = "_".join(stem(w) for w in name_words(table.name))
            if not single:
                single = next(
                    (c.name for c in table.columns if _flat(c.name) in {"id", _flat(name) + "id"}), ""
                )
            if not single and table.columns and _flat(table.columns[0].name).endswith(("id", "code")):
                single = table.columns[0].name
            if not single:
                continue
            if _flat(single) not in {"id", "code", "name", "key", "uid"}:
                owners[_flat(single)].append((table, single))
            owners[_flat(name) + "id"].append((table, single))
        linked = {(e.source, e.columns[0].lower()) for e in declared(catalog)}
        out: list[Edge] = []
        for table in catalog.tables:
            for column in table.columns:
                if (table.key, column.name.lower()) in linked:
                    continue
                flat = _flat("_".join(stem(w) for w in name_words(column.name)))
                for owner, key in [*owners.get(_flat(column.name), ()), *owners.get(flat, ())][:4]:
                    if owner.key != table.key and owner.schema == table.schema:
                        out.append(Edge(table.key, (column.name,), owner.key, (key,), True))
        return out

    def around(self, table: str) -> Sequence[Edge]:
        """Every join out of a table, in either direction."""
        return self._out.get(table, ())

    def path(self, start: str, end: str) -> tuple[Edge, ...] | None:
        """The cheapest chain of joins from one table to another; None when nothing connects them."""
        if (start, end) in self._paths:
            return self._paths[(start, end)]
        found = self._search({start}, end)
        if len(self._paths) < 50_000:
            self._paths[(start, end)] = found
        return found

    def _search(self, starts: set[str], end: str) -> tuple[Edge, ...] | None:
        heap: list[tuple[float, int, str, tuple[Edge, ...]]] = [
            (0.0, n, s, ()) for n, s in enumerate(sorted(starts))
        ]
        done: set[str] = set()
        count = len(heap)
        while heap:
            cost, _, here, edges = heapq.heappop(heap)
            if here == end:
                return edges
            if here in done or len(edges) > 6:
                continue
            done.add(here)
            for edge in self._out.get(here, ()):
                if edge.target not in done:
                    count += 1
                    heapq.heappush(heap, (cost + edge.cost, count, edge.target, (*edges, edge)))
        return None

    def tree(self, tables: Iterable[str]) -> tuple[Edge, ...] | None:
        """Join some tables along the shortest key paths, growing from the first.

        Each edge's source is already in the tree when it comes. None when they do not connect.

        Example:
            >>> from sqlagent.values import Column, ForeignKey
            >>> a = Table("a", (Column("id"),), primary_key=("id",))
            >>> b = Table("b", (Column("a_id"),), foreign_keys=(ForeignKey(("a_id",), "a", ("id",)),))
            >>> [(e.source, e.target) for e in KeyGraph(Catalog("sqlite", (a, b))).tree(["b", "a"])]
            [('b', 'a')]
        """
        wanted = list(dict.fromkeys(tables))
        if not wanted:
            return ()
        inside = {wanted[0]}
        out: list[Edge] = []
        left = wanted[1:]
        while left:
            options = [(path, t) for t in left for path in self._from(inside, t)]
            if not options:
                return None
            path, reached = min(options, key=lambda o: (sum(e.cost for e in o[0]), left.index(o[1])))
            for edge in path:
                if edge.target not in inside:
                    out.append(edge)
                    inside.add(edge.target)
            left = [t for t in left if t not in inside]
            if reached in left:
                left.remove(reached)
        return tuple(out)

    def _from(self, inside: set[str], end: str) -> list[tuple[Edge, ...]]:
        if end in inside:
            return [()]
        found = [p for p in (self.path(s, end) for s in sorted(inside)) if p is not None]
        return [min(found, key=lambda p: sum(e.cost for e in p))] if found else []


def _flat(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())
