"""Small statements about candidates: the points in which two of them differ, and how the rows of one become fewer.

Decides what is asked of the data and how much that may cost; every statement runs as candidates do, through the guard. The judge
interprets a figure, and `rendering` decides who may see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event as Flag
from threading import Lock
from time import monotonic
from typing import Protocol

import sqlglot
from sqlglot import exp

from sqlagent.method.probing.narrowing import walk
from sqlagent.method.probing.points import Crossing, Point
from sqlagent.sql.clauses import Clauses, read
from sqlagent.sql.expressions import canonical_text, conjuncts, own_columns, straightened
from sqlagent.sql.literals import ODD
from sqlagent.values import (
    OWN_WORDS,
    Candidate,
    Catalog,
    Execution,
    Failure,
    FailureKind,
    Finding,
    Narrowing,
    Rows,
)

POINTS = 4
"""Points looked at of one pair: those that stand against each other first, then conditions, then columns."""

CROSSINGS = 2
"""Of these, points of the two candidates that are counted beside each other."""

STATEMENTS = 36
"""Statements that one question may cost for this."""

SECONDS = 8.0
"""Seconds for all of them together; the last ones may take `STATEMENT_SECONDS` longer."""

STATEMENT_SECONDS = 2.0
"""Seconds for one of them: a million rows are counted in a tenth of it."""

ROWS = 10
"""Rows kept of one statement."""

_COMPARED = frozenset({"select", "where", "having", "group", "order"})


class Runs(Protocol):
    """Runs candidates through the guard."""

    def run(self, candidates: Sequence[Candidate], *, cancelled: Flag | None = None) -> Iterator[Execution]:
        """Yield one execution a candidate, in the order given."""
        ...


@dataclass(slots=True)
class Prober:
    """Looks at the points in which two candidates differ; it looks at each only once.

    With `has_values` stored values are asked for too: the most frequent ones of a column.
    """

    runs: Runs
    catalog: Catalog
    has_values: bool = False
    cancelled: Flag | None = None
    _found: dict[frozenset[str], tuple[Finding, ...]] = field(default_factory=dict)
    _followed: dict[tuple[str, ...], Narrowing | None] = field(default_factory=dict)
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
        alone = [*self._conditions(first, second), *self._columns(first, second)]
        points: list[Crossing | Point] = [*self._crossings(alone), *(point for point, _ in alone)]
        del points[POINTS:]
        asked = [(point, sql) for point in points for sql in point.statements(self.catalog, self.has_values)]
        rows: dict[int, list[Rows | None]] = {}
        for (point, _), execution in zip(asked, self._ask([sql for _, sql in asked]), strict=True):
            if execution is not None:
                rows.setdefault(id(point), []).append(execution.rows)
        found = (point.finding(rows[id(point)], self.catalog) for point in points if id(point) in rows)
        return tuple(finding for finding in found if finding is not None)

    def _ask(self, statements: Sequence[str]) -> list[Execution | None]:
        """Run as many statements as the question may still cost; None for each of the others. Raises: Cancelled."""
        asked = statements[: max(0, self._left)] if self._seconds > 0 else ()
        if not asked:
            return [None] * len(statements)
        self._left -= len(asked)
        began = monotonic()
        ran = list(self.runs.run([Candidate(sql, "probe") for sql in asked], cancelled=self.cancelled))
        self._seconds -= monotonic() - began
        return [*ran, *([None] * (len(statements) - len(ran)))]

    def narrowing(self, sql: str, guessed: Sequence[str] = ()) -> Narrowing | None:
        """Tell how the rows of a candidate become fewer: its tables, and what each join, condition and grouping leaves.

        None where it cannot be followed, and once the question's share is used up. With stored values also those of the
        column whose condition leaves nothing, or else of one that is compared with a text of `guessed`. Raises: Cancelled.
        """
        key = (sql, *guessed)
        with self._lock:
            if key not in self._followed:
                followed = walk(sql, self.catalog)
                self._followed[key] = (
                    followed.narrowing(sql, self._ask, guessed, self.has_values) if followed else None
                )
            return self._followed[key]

    def look(self, sql: str) -> Execution:
        """Run a statement by which a model looks at the data: of tables it was shown, within the question's share. Raises: Cancelled."""
        why = "Nothing more may be looked at for this question."
        if _reads_only(sql, self.catalog):
            with self._lock:
                (ran,) = self._ask([sql])
            if ran is not None:
                return ran
        else:
            why = "Only tables of the schema may be looked at, each by its name."
        return Execution(Candidate(sql, "look"), Failure(FailureKind.REFUSED, why, code=OWN_WORDS), sql)

    def _crossings(self, alone: Sequence[tuple[Point, bool]]) -> list[Crossing]:
        """Put a condition or column of the one candidate beside that of the other, where each has one of its table alone."""
        found = []
        for is_column in (False, True):
            for table in dict.fromkeys(point.table.key for point, _ in alone):
                mine, theirs = (
                    [
                        p
                        for p, of_first in alone
                        if of_first is side and p.is_column is is_column and p.table.key == table
                    ]
                    for side in (True, False)
                )
                if len(mine) == len(theirs) == 1:
                    found.append(Crossing(mine[0], theirs[0]))
        return found[:CROSSINGS]

    def _conditions(self, first: Clauses, second: Clauses) -> Iterator[tuple[Point, bool]]:
        """Conditions on one table that only one of the two has, each with whether the first has it."""
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
                yield point, text in one

    def _columns(self, first: Clauses, second: Clauses) -> Iterator[tuple[Point, bool]]:
        """Columns that only one of the two shows, groups, orders or filters by, each with whether it is the first; a key's figures say nothing."""
        used = [
            {name for name, kinds in clauses.columns.items() if kinds & _COMPARED}
            for clauses in (first, second)
        ]
        for name in sorted(used[0] ^ used[1]):
            table, _, column = name.rpartition(".")
            point = self._point(exp.column(column, table=table)) if table else None
            if point is not None and not point.is_key:
                yield point, name in used[0]

    def _point(self, tree: exp.Expr) -> Point | None:
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
        return Point(tables[0], tree)


def _reads_only(sql: str, catalog: Catalog) -> bool:
    """Whether every table of a statement is one of the catalog; a database's own tables tell more than a source may."""
    try:
        tree = sqlglot.parse_one(sql, dialect=catalog.dialect or None)
        own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        names = {table.name.lower() for table in catalog.tables}
        schemas = {"", catalog.default_schema.lower(), *(table.schema.lower() for table in catalog.tables)}
        return all(
            isinstance(table.this, exp.Identifier)
            and (
                table.name.lower() in names
                and table.db.lower() in schemas
                or not table.db
                and table.name.lower() in own
            )
            for table in tree.find_all(exp.Table)
        )
    except ODD:
        return False
