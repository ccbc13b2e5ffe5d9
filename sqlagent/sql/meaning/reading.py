"""The columns of a parsed statement as the stored ones they are, through aliases, CTEs and subqueries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from sqlagent.catalog.keys import Edge, KeyGraph
from sqlagent.catalog.statistics import ColumnFacts, Statistics
from sqlagent.values import Catalog, Column, Kind, Table

# Queries in queries that a column is followed through.
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored column, and under which name the block reads its table."""

    source: str
    table: Table
    column: Column


class Reading:
    """One parsed statement with its catalog, and with facts of the values where there are any."""

    def __init__(self, tree: exp.Expr, catalog: Catalog, facts: Statistics | None, sql: str) -> None:
        self.tree, self.catalog, self.facts, self.sql = tree, catalog, facts, sql
        self.scopes: list[Scope] = list(traverse_scope(tree)) if isinstance(tree, exp.Query) else []
        self._edges: list[Edge] | None = None

    def edges(self) -> list[Edge]:
        """The joins of the catalog by keys that are declared, guessed or borne out by values, from both sides."""
        if self._edges is None:
            found = list(KeyGraph(self.catalog).edges)
            if self.facts is not None:
                found += [
                    Edge(k.table, (k.column,), k.target, (k.referenced,), True) for k in self.facts.keys
                ]
            self._edges = [*found, *(edge.reversed() for edge in found)]
        return self._edges

    def selects(self) -> Iterator[tuple[Scope, exp.Select]]:
        """Every SELECT with its scope."""
        for scope in self.scopes:
            if isinstance(scope.expression, exp.Select):
                yield scope, scope.expression

    def table_of(self, scope: Scope, name: str) -> Table | None:
        """The stored table that a block reads under a name."""
        source = scope.sources.get(name)
        if isinstance(source, exp.Table):
            return self.catalog.table(source.name, source.db) or self.catalog.table(source.name)
        return None

    def stored(self, column: exp.Expr | None, scope: Scope, depth: int = 0) -> Stored | None:
        """The stored column that a column means; None for what is computed, or not known."""
        while isinstance(column, exp.Paren):
            column = column.this
        if not isinstance(column, exp.Column) or depth > DEEPEST:
            return None
        names = [column.table] if column.table else list(scope.selected_sources)
        found = [one for name in names if (one := self._in(scope, name, column.name, depth)) is not None]
        if len(found) == 1:
            return found[0]
        if not found and scope.parent is not None and column.table not in scope.sources:
            return self.stored(column, scope.parent, depth + 1)
        return None

    def _in(self, scope: Scope, name: str, column: str, depth: int) -> Stored | None:
        source = scope.sources.get(name)
        if isinstance(source, Scope):
            inner = source.expression
            while isinstance(inner, exp.SetOperation):
                inner = inner.this
            if not isinstance(inner, exp.Select) or inner is not source.expression:
                return None
            for one in inner.selects:
                if one.alias_or_name.lower() == column.lower():
                    return self.stored(one.unalias(), source, depth + 1)
                if one.is_star and len(source.selected_sources) == 1:
                    return self._in(source, next(iter(source.selected_sources)), column, depth + 1)
            return None
        table = self.table_of(scope, name)
        known = table.column(column) if table is not None else None
        return Stored(name, table, known) if table is not None and known is not None else None

    def facts_of(self, stored: Stored) -> tuple[ColumnFacts, int] | None:
        """Observations of a column, and of how many rows."""
        known = self.facts.tables.get(stored.table.key) if self.facts is not None else None
        found = known.columns.get(stored.column.name) if known is not None else None
        return (found, known.rows) if known is not None and found is not None else None

    def is_unique(self, stored: Stored) -> bool:
        """Each of its values stands in one row alone: it is its table's key, or no value was seen twice."""
        if tuple(name.lower() for name in stored.table.primary_key) == (stored.column.name.lower(),):
            return True
        seen = self.facts_of(stored)
        return seen is not None and 1 < seen[1] == seen[0].filled == seen[0].distinct

    def is_whole_number(self, node: exp.Expr | None, scope: Scope) -> bool:
        """A value is certainly a whole number."""
        while isinstance(node, (exp.Paren, exp.Neg)):
            node = node.this
        if isinstance(node, exp.Literal):
            return not node.is_string and node.this.isdigit()
        if isinstance(node, exp.Count):
            return True
        if isinstance(node, (exp.Sum, exp.Min, exp.Max)):
            return self.is_whole_number(node.this, scope)
        if isinstance(node, (exp.Add, exp.Sub, exp.Mul)):
            return self.is_whole_number(node.this, scope) and self.is_whole_number(node.expression, scope)
        stored = self.stored(node, scope)
        if stored is None or stored.column.kind is not Kind.INTEGER:
            return False
        seen = self.facts_of(stored)  # SQLite keeps other numbers in a column of whole ones
        return seen is None or not any("." in text for text in (seen[0].low, seen[0].high))


def span(node: exp.Expr) -> tuple[int, int] | None:
    """Where a part of the statement stands in its text: the first and one past the last character that is known."""
    places = [
        (int(one.meta["start"]), int(one.meta["end"]) + 1) for one in node.walk() if "start" in one.meta
    ]
    return (min(start for start, _ in places), max(end for _, end in places)) if places else None
