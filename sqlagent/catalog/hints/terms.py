"""The text of a hint, as values: definitions, each with the meanings that its words may have in a catalog."""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.values import ColumnRef

Literal = str | int | float


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison. `op` is =, !=, <, >, <=, >=, like, not like, between, in, null or not null.

    `values` are literals (two for between); `other` stands instead for a column of the same table.
    """

    column: ColumnRef
    op: str
    values: tuple[Literal, ...] = ()
    other: ColumnRef | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """A join that a hint takes: a column of one table equal to one of another."""

    source: ColumnRef
    target: ColumnRef


@dataclass(frozen=True, slots=True)
class Total:
    """One aggregate inside of a formula: rows, count (of filled cells), distinct, sum, avg, min or max.

    It is of what `sql` computes of each row from `columns`, named `c0`, `c1`, ... in their order; of the rows themselves where both
    are empty. `tests` hold of the rows, all of them, each one of several.
    """

    agg: str
    sql: str = ""
    columns: tuple[ColumnRef, ...] = ()
    tests: tuple[tuple[Test, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Formula:
    """Something computed of columns. `sql` names them `c0`, `c1`, ... in the order of `columns`.

    `tests` are the comparisons inside of it. It is one figure over all rows where `is_figure`, else one of each row. A figure's
    aggregates are its `totals`, which `shape` names `f0`, `f1`, ... in their order.
    """

    sql: str
    columns: tuple[ColumnRef, ...]
    tests: tuple[Test, ...] = ()
    is_figure: bool = True
    totals: tuple[Total, ...] = ()
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing that a definition may mean here.

    A column or a table (`shown`, a table without a column), with `agg` (count, sum, avg, min, max) an aggregate over it;
    `tests`, all of which hold, each one of several; the `ways` to them; or a formula.
    """

    shown: tuple[ColumnRef, ...] = ()
    agg: str = ""
    tests: tuple[tuple[Test, ...], ...] = ()
    ways: tuple[Way, ...] = ()
    formula: Formula | None = None

    def tables(self) -> frozenset[str]:
        """The tables that it takes: of what it shows, tests, joins and reckons with."""
        refs = [*self.shown, *(t.column for clause in self.tests for t in clause)]
        refs += [ref for way in self.ways for ref in (way.source, way.target)]
        refs += self.formula.columns if self.formula is not None else ()
        return frozenset(ref.table for ref in refs)


@dataclass(frozen=True, slots=True)
class Definition:
    """A phrase and what it means; several meanings where names do not tell. A bare condition has no phrase."""

    phrase: str
    text: str
    meanings: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """A clause that explains a phrase and was not read. `body` is what it says of the phrase; empty where two clauses differ."""

    phrase: str
    body: str
    text: str


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint read: its definitions, and the clauses that say nothing here, as they are written.

    `lost` are those of them that explain a phrase.
    """

    definitions: tuple[Definition, ...] = ()
    unread: tuple[str, ...] = ()
    lost: tuple[Lost, ...] = ()
