"""Names visible at each place of a statement: sources, their columns, and names that are unknown.

Values of `names`, which fills them; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from sqlagent.values import Table

Columns = frozenset[str] | None
"""The column names of a source in the form names are compared in; None when not all are known."""


@dataclass(frozen=True, slots=True)
class SystemNames:
    """Names that are no part of a catalog and yet stand for something.

    `tables` as `schema.name` or `name`; `columns` are answered to by every table; `schemas` may
    stand before the name of a table of the default schema. `known` are all columns of a table, where they are known.
    """

    tables: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    schemas: frozenset[str] = frozenset()
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """Something in FROM: the names of its columns, and its table when it is one of the catalog.

    `named` are the names that a called function's rows certainly have, None where it is no call.
    """

    columns: Columns
    table: Table | None = None
    named: Columns = None


@dataclass(slots=True)
class Scope:
    """Names visible inside one SELECT: its sources, its aliases, and what is around it.

    `merged` are sources without a name of their own (or with one already taken).
    """

    outer: Scope | None = None
    sources: dict[str, Source] = field(default_factory=dict)
    merged: list[Source] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)

    def chain(self) -> Iterator[Scope]:
        """Walk outwards: this scope first, then those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def every(self) -> list[Source]:
        """List the sources of this scope, those without a name last."""
        return [*self.sources.values(), *self.merged]

    def columns(self) -> Columns:
        """Join the columns of all sources; None when any is not known in full."""
        every = self.every()
        if not every or any(s.columns is None for s in every):
            return None
        return frozenset().union(*(s.columns for s in every if s.columns is not None))


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that stands for nothing where it is written.

    `kind` is `table`, `column`, `alias` (the part before the dot of a column), `field` (a name that
    PostgreSQL may read as a call) or `file` (a CTE named like one). `ctes` are those visible there; `scope` is what can be seen from there.
    """

    kind: str
    node: exp.Expr
    scope: Scope
    ctes: tuple[str, ...] = ()
