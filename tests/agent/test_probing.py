"""Small statements about the points in which two candidates differ: what they find, and what they may cost."""

from __future__ import annotations

import pytest

from sqlagent.method import probing
from sqlagent.method.execution import Executor
from sqlagent.method.probing import Prober
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Finding, Limits

SHOP = """
CREATE TABLE "Order" (id INTEGER PRIMARY KEY, "Ship State" TEXT, region TEXT, total REAL, customer INTEGER);
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, region TEXT);
INSERT INTO "Order" VALUES (1, 'sent', 'north', 5, 1), (2, 'sent', 'south', 6, 1), (3, 'open', 'north', 7, 2), (4, NULL, NULL, 8, 2);
INSERT INTO customer VALUES (1, 'Ann', 'north'), (2, 'Bob', NULL);
"""
ALL = 'SELECT SUM(total) FROM "Order"'
SENT = """SELECT SUM(o.total) FROM "Order" AS o WHERE o."Ship State" = 'sent'"""


def prober(database: MemoryDatabase | None = None, **how: bool) -> tuple[Prober, MemoryDatabase]:
    database = database or MemoryDatabase(SHOP)
    limits = Limits(probing.STATEMENT_SECONDS, probing.ROWS)
    return Prober(Executor(database, database.catalog(), limits), database.catalog(), **how), database


def test_a_condition_that_one_has_is_counted_and_its_column_is_told() -> None:
    found = prober()[0].findings(ALL, SENT)
    assert found == (
        Finding("Order.\"Ship State\" = 'sent'", "Order", 4, holds=2),
        Finding('Order."Ship State"', "Order", 4, filled=3, different=2),
    )


def test_columns_that_only_one_uses_are_told_of_both_sides() -> None:
    one = 'SELECT region, COUNT(*) FROM "Order" GROUP BY region'
    other = 'SELECT c.region, COUNT(*) FROM "Order" AS o JOIN customer AS c ON c.id = o.customer GROUP BY c.region'
    found = {finding.table: finding for finding in prober()[0].findings(one, other)}
    assert (found["Order"].filled, found["Order"].different) == (3, 2)
    assert (found["customer"].rows, found["customer"].filled, found["customer"].different) == (2, 1, 1)


def test_a_condition_of_either_is_counted_beside_the_other() -> None:
    found = prober()[0].findings(SENT, SENT.replace("= 'sent'", "IN ('sent', 'open')"))[0]
    assert (found.sql, found.against) == (
        "Order.\"Ship State\" = 'sent'",
        "Order.\"Ship State\" IN ('sent', 'open')",
    )
    assert (found.rows, found.holds, found.both, found.only, found.other) == (4, 2, 2, 0, 1)


def test_a_column_of_either_is_compared_with_the_other_row_by_row() -> None:
    one = """SELECT "Ship State", COUNT(*) FROM "Order" GROUP BY 1"""
    found = prober()[0].findings(one, one.replace('"Ship State"', "region"))[0]
    assert found.holds is None
    assert (found.both, found.unequal, found.only, found.other) == (0, 3, 0, 0)


def test_stored_values_are_asked_for_only_where_they_may_be_told() -> None:
    it, database = prober(has_values=True)
    assert it.findings(ALL, SENT)[1].common == (("sent", 2), ("open", 1))
    it, database = prober()
    assert not any(finding.common for finding in it.findings(ALL, SENT))
    assert not any("GROUP BY" in sql for sql in database.executed)


def test_a_pair_is_looked_at_once_in_either_order() -> None:
    it, database = prober()
    first = it.findings(ALL, SENT)
    asked = len(database.executed)
    assert it.findings(SENT, ALL) == first and len(database.executed) == asked == 2


def test_what_a_question_may_cost_for_this_is_bounded() -> None:
    it, database = prober()
    for number in range(100):
        it.findings(ALL, SENT.replace("'sent'", f"'s{number}'"))
    assert len(database.executed) <= probing.STATEMENTS
    columns = " AND ".join(f"c{n} = {n}" for n in range(40))
    wide = MemoryDatabase(f"CREATE TABLE t ({', '.join(f'c{n} INTEGER' for n in range(40))});")
    it, database = prober(wide)
    assert (
        len(it.findings("SELECT COUNT(*) FROM t", f"SELECT COUNT(*) FROM t WHERE {columns}"))
        == probing.POINTS
    )
    assert len(database.executed) == probing.POINTS


def test_a_probe_that_takes_too_long_finds_nothing_and_ends_probing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "STATEMENT_SECONDS", 0.05)
    it, database = prober(MemoryDatabase(SHOP, delays={"COUNT": 1.0}))
    it._seconds = 0.01
    assert it.findings(ALL, SENT) == ()
    asked = len(database.executed)
    assert it.findings(ALL, SENT.replace("sent", "open")) == () and len(database.executed) == asked


NOTHING = [
    ("cannot be read", ALL, "SELEC nothing"),
    ("no difference", ALL, 'select sum(o.total) from "Order" o'),
    ("a statement inside", ALL, ALL + ' WHERE total > (SELECT AVG(total) FROM "Order")'),
    ("two tables", 'SELECT 1 FROM "Order" o, customer c', 'SELECT 1 FROM "Order" o, customer c WHERE o.total > c.id + 1'),
    ("no such table", "SELECT 1 FROM nowhere", "SELECT 1 FROM nowhere WHERE x = 1"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), [n[1:] for n in NOTHING], ids=[n[0] for n in NOTHING])
def test_what_cannot_be_asked_of_one_table_is_not_asked(one: str, other: str) -> None:
    found = prober()[0].findings(one, other)
    assert all(finding.holds is None for finding in found)


def test_a_condition_that_would_act_never_reaches_the_database() -> None:
    it, database = prober()
    it.findings(ALL, ALL + " WHERE load_extension('x') = 1 AND writefile('/tmp/x', total) = 1")
    assert not any("load_extension" in sql.lower() or "writefile" in sql.lower() for sql in database.executed)
