"""Small statements about the points in which two candidates differ, for those who judge between them.

Decides what is asked of the data and how much that may cost; every statement goes through whoever runs
candidates, so through the guard. What a figure means is the judge's to say, who may see it is for `rendering`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event as Flag
from threading import Lock
from time import monotonic
from typing import Protocol

from sqlglot import exp

from sqlagent.sql.clauses import Clauses, read
from sqlagent.sql.expressions import canonical_text, conjuncts, own_columns, straightened
from sqlagent.values import Candidate, Catalog, Execution, Finding, Rows, Table

POINTS = 4
"""Points looked at of one pair: conditions first, then columns."""

STATEMENTS = 24
"""Statements that one question may cost for this."""

SECONDS = 8.0
"""What they may take together; the last ones may take `STATEMENT_SECONDS` longer."""

STATEMENT_SECONDS = 2.0
"""What one of them may take: a million rows are counted in a tenth of it."""

ROWS = 6
"""Rows kept of one statement."""

COMMON = 5
"""Most frequent values asked for of a column."""

_COMPARED = frozenset({"select", "where", "having", "group", "order"})


class Runs(Protocol):
    """Runs candidates through the guard."""

    def run(self, candidates: Sequence[Candidate], *, cancelled: Flag | None = None) -> Iterator[Execution]:
        """Yield one execution a candidate, in the order given."""
        ...


@dataclass(slots=True)
class Prober:
    """Looks at the points in which two candidates differ; what was looked at once is not looked at again.

    With `has_values` stored values are asked for too: the most frequent ones of a column.
    """

    runs: Runs
    catalog: Catalog
    has_values: bool = False
    cancelled: Flag | None = None
    _found: dict[frozenset[str], tuple[Finding, ...]] = field(default_factory=dict)
    _left: int = STATEMENTS
    _seconds: float = SECONDS
    _lock: Lock = field(default_factory=Lock)

    def findings(self, one: str, other: str) -> tuple[Finding, ...]:
        """Give figures on the conditions and columns that one of two statements has and the other has not.

        At most four; none where a statement cannot be read, where what it says is about more than one table, and once
        the question's share is used up. A probe that fails finds nothing. Raises: Cancelled.
        """
        key = frozenset((one, other))
        with self._lock:
            if key not in self._found:
                self._found[key] = self._look(one, other)
            return self._found[key]

    def _look(self, one: str, other: str) -> tuple[Finding, ...]:
        first, second = read(one, self.catalog), read(other, self.catalog)
        if first is None or second is None or self._seconds <= 0:
            return ()
        points = [*self._conditions(first, second), *self._columns(first, second)][:POINTS]
        asked = [(point, sql) for point in points for sql in point.statements(self.catalog, self.has_values)]
        asked = asked[: self._left]
        if not asked:
            return ()
        self._left -= len(asked)
        began = monotonic()
        ran = list(self.runs.run([Candidate(sql, "probe") for _, sql in asked], cancelled=self.cancelled))
        self._seconds -= monotonic() - began
        rows: dict[int, list[Rows | None]] = {}
        for (point, _), execution in zip(asked, ran, strict=True):
            rows.setdefault(id(point), []).append(execution.rows)
        found = (point.finding(rows[id(point)], self.catalog) for point in points if id(point) in rows)
        return tuple(finding for finding in found if finding is not None)

    def _conditions(self, first: Clauses, second: Clauses) -> Iterator[_Point]:
        """Conditions on one table that only one of the two has."""
        one, two = (
            {
                canonical_text(part): part
                for where in clauses.tree.find_all(exp.Where)
                for part in map(straightened, conjuncts(where.this))
            }
            for clauses in (first, second)
        )
        for text in sorted(one.keys() ^ two.keys()):
            if (point := self._point((one | two)[text])) is not None:
                yield point

    def _columns(self, first: Clauses, second: Clauses) -> Iterator[_Point]:
        """Columns that only one of the two shows, groups, orders or filters by; a key's figures say nothing."""
        used = [
            {name for name, kinds in clauses.columns.items() if kinds & _COMPARED}
            for clauses in (first, second)
        ]
        for name in sorted(used[0] ^ used[1]):
            table, _, column = name.rpartition(".")
            point = self._point(exp.column(column, table=table)) if table else None
            if point is not None and not point.is_key:
                yield point

    def _point(self, tree: exp.Expr) -> _Point | None:
        """Write an expression of canonical names in the database's own; None where it is of no single table."""
        columns = list(own_columns(tree))
        if not columns or tree.find(exp.Query) or any("#" in column.table for column in columns):
            return None
        names = {column.table.lower() for column in columns}
        tables = [table for table in self.catalog.tables if table.name.lower() in names]
        if len(names) != 1 or len(tables) != 1:
            return None
        tree = tree.copy()
        for column in own_columns(tree):
            real = tables[0].column(column.name)
            if real is None:
                return None
            column.set("this", exp.to_identifier(real.name, quoted=True))
            column.set("table", None)
        return _Point(tables[0], tree)


@dataclass(slots=True)
class _Point:
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

    def finding(self, rows: Sequence[Rows | None], catalog: Catalog) -> Finding | None:
        """Read what its statements gave; None where the counts failed."""
        counts = rows[0].rows[0] if rows[0] is not None and rows[0].rows else ()
        numbers = [
            int(cell or 0) if isinstance(cell or 0, int) or str(cell).isdigit() else -1 for cell in counts
        ]
        if not numbers or min(numbers) < 0:
            return None
        shown = self.tree.copy()
        for column in [shown] if isinstance(shown, exp.Column) else own_columns(shown):
            column.set("this", exp.to_identifier(column.name))
            column.set("table", exp.to_identifier(self.table.name))
        sql = shown.sql(dialect=catalog.dialect)
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
