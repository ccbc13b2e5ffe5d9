"""Probes of the points in which two candidates differ, on every engine: they pass the guard, run, and tell the same."""

from __future__ import annotations

import pytest

from sqlagent.method import probing
from sqlagent.method.execution import Executor
from sqlagent.method.probing import Prober
from sqlagent.ports import SourceDatabase
from sqlagent.values import Finding, Limits
from tests.engines.lab import Lab


@pytest.fixture
def prober(database: SourceDatabase) -> Prober:
    catalog = database.catalog()
    runs = Executor(database, catalog, Limits(probing.STATEMENT_SECONDS, probing.ROWS))
    return Prober(runs, catalog, has_values=True)


def test_a_condition_and_its_column_are_counted(prober: Prober) -> None:
    one, other = "SELECT COUNT(*) FROM customers", "SELECT COUNT(*) FROM customers WHERE country = 'Norway'"
    condition, column = prober.findings(one, other)
    assert condition == Finding("customers.country = 'Norway'", "customers", 3, holds=2)
    assert (column.rows, column.filled, column.different) == (3, 3, 2)
    assert column.common == (("Norway", 2), ("Ireland", 1))


def test_odd_names_are_written_as_the_engine_wants_them(lab: Lab, prober: Prober) -> None:
    table = next((t for t in prober.catalog.tables if t.name.startswith("Odd ")), None)
    if table is None:
        assert not lab.has_keys, "every engine with such names has this table"
        return
    points = [
        prober._point(probing.exp.column(name, table=table.name.lower())) for name in ("größe x", "a.b")
    ]
    statements = [sql for point in points if point for sql in point.statements(prober.catalog, True)]
    ran = list(prober.runs.run([probing.Candidate(sql) for sql in statements]))
    assert len(ran) == 4 and not [one.failure for one in ran if one.failure]
    assert ran[1].rows is not None and {row[0] for row in ran[1].rows.rows} == {"small", "large"}


def test_the_rows_that_each_part_leaves_are_counted(prober: Prober) -> None:
    found = prober.narrowing("SELECT name FROM customers WHERE country = 'Norway' AND name = 'Nobody'")
    assert found is not None
    assert [(step.left, step.alone) for step in found.steps] == [(3, None), (2, 2), (0, 0)]
    assert found.column == "name" and len(found.among) == 2
    grouped = prober.narrowing("SELECT country FROM customers GROUP BY country HAVING COUNT(*) > 1")
    assert grouped is not None and [step.left for step in grouped.steps] == [3, 2, 1]
    inside = "WITH northern AS (SELECT id, name FROM customers WHERE country = 'Norway') SELECT COUNT(*) FROM northern AS s JOIN customers AS c ON c.id = s.id WHERE c.name LIKE 'Q%'"
    within = prober.narrowing(inside)
    assert within is not None and [step.left for step in within.steps] == [2, 2, 0]


def test_two_columns_are_compared_row_by_row(prober: Prober) -> None:
    one = "SELECT country, COUNT(*) FROM customers GROUP BY country"
    found = prober.findings(one, one.replace("country", "name"))[0]
    assert (found.against, found.rows, found.both, found.unequal) == ("customers.name", 3, 0, 3)
