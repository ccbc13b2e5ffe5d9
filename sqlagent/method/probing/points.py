"""Probes of one point in which two candidates differ: a condition, a column, or two of them beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sqlagent.sql.expressions import own_columns
from sqlagent.values import Catalog, Finding, Rows, Table

COMMON = 5
"""Most frequent values asked for of a column."""


@dataclass(slots=True)
class Point:
    """A condition or a column of one table that is looked at."""

    table: Table
    tree: exp.Expr

    @property
    def is_key(self) -> bool:
        """Whether it is a column that only says which row is meant."""
        keys = {name for key in self.table.foreign_keys for name in key.columns}
        return self.is_column and self.tree.name in keys | set(self.table.primary_key)

    @property
    def is_column(self) -> bool:
        """Whether it is a column itself, not a condition on some."""
        return isinstance(self.tree, exp.Column)

    def statements(self, catalog: Catalog, has_values: bool) -> Iterator[str]:
        """Write the statements that look at it: one row of counts, and a column's most frequent values."""
        source = exp.table_(self.table.name, db=self.table.schema or None, quoted=True)
        counts: list[exp.Expr]
        if self.is_column:
            counts = [
                exp.Count(this=self.tree.copy()),
                exp.Count(this=exp.Distinct(expressions=[self.tree.copy()])),
            ]
        else:
            counts = [exp.Sum(this=exp.Case().when(self.tree.copy(), 1).else_(0))]
        yield exp.select(exp.Count(this=exp.Star()), *counts).from_(source).sql(dialect=catalog.dialect)
        if self.is_column and has_values:
            frequent = exp.select(self.tree.copy(), exp.Count(this=exp.Star())).from_(source.copy())
            frequent = frequent.where(exp.Not(this=exp.Is(this=self.tree.copy(), expression=exp.Null())))
            frequent = frequent.group_by(self.tree.copy()).order_by(
                exp.Ordered(this=exp.Count(this=exp.Star()), desc=True)
            )
            yield frequent.limit(COMMON).sql(dialect=catalog.dialect)

    def said(self, catalog: Catalog) -> str:
        """Write it with the table's name before each column."""
        shown = self.tree.copy()
        for column in [shown] if isinstance(shown, exp.Column) else own_columns(shown):
            column.set("this", exp.to_identifier(column.name))
            column.set("table", exp.to_identifier(self.table.name))
        return shown.sql(dialect=catalog.dialect)

    def finding(self, rows: Sequence[Rows | None], catalog: Catalog) -> Finding | None:
        """Read what its statements gave; None where the counts failed."""
        numbers = _numbers(rows)
        if not numbers:
            return None
        sql = self.said(catalog)
        if not self.is_column:
            return Finding(sql, self.table.name, numbers[0], holds=numbers[1])
        common = (
            tuple((row[0], int(row[1])) for row in rows[1].rows)
            if len(rows) > 1 and rows[1] is not None
            else ()
        )
        is_telling = bool(common) and common[0][1] > 1  # where every value is its own, none says anything
        return Finding(
            sql,
            self.table.name,
            numbers[0],
            filled=numbers[1],
            different=numbers[2],
            common=common if is_telling else (),
        )


@dataclass(slots=True)
class Crossing:
    """Two points of one table beside each other, one of either candidate: two conditions, or two columns."""

    first: Point
    second: Point

    def statements(self, catalog: Catalog, has_values: bool) -> Iterator[str]:
        """Write the one statement that tells how far the two say the same."""
        one, two = self.first.tree, self.second.tree
        if self.first.is_column:
            filled, other = (
                exp.Not(this=exp.Is(this=tree.copy(), expression=exp.Null())) for tree in (one, two)
            )
            parts = [
                exp.EQ(this=one.copy(), expression=two.copy()),
                exp.and_(filled, exp.Is(this=two.copy(), expression=exp.Null())),
                exp.and_(other, exp.Is(this=one.copy(), expression=exp.Null())),
                exp.NEQ(this=one.copy(), expression=two.copy()),
            ]
            sums: list[exp.Expr] = [exp.Case().when(part, 1).else_(0) for part in parts]
        else:
            sums = [
                exp.Case().when(one.copy(), exp.Case().when(two.copy(), 1).else_(0)).else_(0),
                exp.Case().when(one.copy(), exp.Case().when(two.copy(), 0).else_(1)).else_(0),
                exp.Case().when(two.copy(), exp.Case().when(one.copy(), 0).else_(1)).else_(0),
            ]
        source = exp.table_(self.first.table.name, db=self.first.table.schema or None, quoted=True)
        counts = [exp.Count(this=exp.Star()), *(exp.Sum(this=one) for one in sums)]
        yield exp.select(*counts).from_(source).sql(dialect=catalog.dialect)

    def finding(self, rows: Sequence[Rows | None], catalog: Catalog) -> Finding | None:
        """Read what the statement gave; None where it failed, or no row tells the two apart or beside each other."""
        numbers = _numbers(rows)
        if len(numbers) < 4 or not any(numbers[1:]):
            return None
        total, both, only, other, *unequal = numbers
        return Finding(
            self.first.said(catalog),
            self.first.table.name,
            total,
            against=self.second.said(catalog),
            both=both,
            only=only,
            other=other,
            unequal=unequal[0] if unequal else 0,
            holds=None if self.first.is_column else both + only,
        )


def _numbers(rows: Sequence[Rows | None]) -> list[int]:
    """The counts of a first row; nothing where they failed."""
    counts = rows[0].rows[0] if rows and rows[0] is not None and rows[0].rows else ()
    found = [int(cell or 0) if isinstance(cell or 0, int) or str(cell).isdigit() else -1 for cell in counts]
    return [] if not found or min(found) < 0 else found
