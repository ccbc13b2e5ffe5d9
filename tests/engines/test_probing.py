"""Probes of the points in which two candidates differ, on every engine: they pass the guard, run, and tell the same."""

from __future__ import annotations

import pytest

from sqlagent.method import probing
from sqlagent.method.execution import Executor
from sqlagent.method.probing import Prober
from sqlagent.ports import SourceDatabase
from sqlagent.values import Finding, Limits
from tests.engines.labs import Lab


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
