"""Doubts about the meaning of valid SQL: each is raised where it should be, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlagent.catalog.statistics import ColumnFacts, Statistics, TableFacts
from sqlagent.sql.meaning import CHECKS, doubts
from tests.agent.completing_shop import catalog

SHOP = catalog()


def facts(table: str, column: str, rows: int, filled: int, low: str = "", high: str = "") -> Statistics:
    return Statistics({table: TableFacts(rows, True, {column: ColumnFacts(filled, filled, low, high)})})


RAISED = [
    ("unjoined", "SELECT * FROM orders, customers", "customers"),
    ("unjoined", "SELECT * FROM orders o JOIN customers c WHERE o.status = 'paid'", "customers"),
    ("unjoined", "SELECT * FROM orders o JOIN customers c ON c.id = c.id", "customers"),
    ("unjoined", "SELECT * FROM orders o JOIN customers c ON o.customer_id = c.id, stores s", "stores"),
    ("unjoined", "WITH a AS (SELECT id FROM orders) SELECT * FROM a, stores", "stores"),
    ("off the keys", "SELECT * FROM orders o JOIN customers c ON o.id = c.id", "o.id = c.id"),
    ("off the keys", "SELECT * FROM order_lines l JOIN products p ON l.order_id = p.id", "l.order_id = p.id"),
    (
        "counted twice",
        "SELECT sum(r.amount) FROM orders o JOIN refunds r ON r.order_id = o.id JOIN order_lines l ON l.order_id = o.id",
        None,
    ),
    ("counted twice", "SELECT p.name, sum(p.stock) FROM products p JOIN order_lines l ON l.product_id = p.id GROUP BY p.name", "sum(p.stock"),
    ("counted twice", "SELECT avg(p.price) FROM products p JOIN order_lines l ON l.product_id = p.id", "avg(p.price"),
    ("null", "SELECT * FROM orders WHERE store_id = NULL", "store_id"),
    ("null", "SELECT * FROM orders WHERE store_id <> NULL", "store_id"),
    ("null", "SELECT * FROM orders o JOIN stores s ON o.store_id = s.id AND s.city = NULL", "s.city"),
    ("not in", "SELECT * FROM stores WHERE id NOT IN (SELECT store_id FROM orders)", None),
    ("not in", "WITH s AS (SELECT store_id AS x FROM orders) SELECT * FROM stores WHERE NOT id IN (SELECT x FROM s)", None),
    ("between", "SELECT * FROM orders WHERE ordered_on BETWEEN '2025-01-01' AND '2025-12-31'", None),
    ("division", "SELECT quantity / 2 FROM order_lines", None),
    ("division", "SELECT count(*) / sum(quantity) FROM order_lines", None),
    ("text and number", "SELECT * FROM visits WHERE code > 10", None),
    ("text and number", "SELECT * FROM visits WHERE 10 < code", None),
    ("text and number", "SELECT * FROM orders WHERE id = 'abc'", None),
]  # fmt: skip

SILENT = [
    "SELECT * FROM orders CROSS JOIN customers",
    "SELECT * FROM orders o, customers c WHERE o.customer_id = c.id",
    "SELECT * FROM orders JOIN refunds USING (id)",
    "SELECT * FROM orders o NATURAL JOIN refunds r",
    "SELECT o.id, t.n FROM orders o, (SELECT count(*) AS n FROM orders) t",
    "SELECT * FROM orders o JOIN customers c ON o.customer_id = c.id JOIN stores s ON s.id = o.store_id",
    "SELECT * FROM orders o JOIN (SELECT customer_id, max(id) AS last FROM orders GROUP BY 1) t ON t.last = o.id",
    "SELECT * FROM order_lines l JOIN refunds r ON r.order_id = l.order_id",
    "SELECT * FROM categories a JOIN categories b ON a.parent_id = b.id",
    "SELECT * FROM customers c JOIN stores s ON c.country = s.city",
    "SELECT c.country, count(*) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY 1",
    "SELECT sum(l.price) FROM orders o JOIN order_lines l ON l.order_id = o.id",
    "SELECT sum(p.stock) FROM products p JOIN categories c ON c.id = p.category_id",
    "SELECT avg(p.price) FROM products p JOIN order_lines l ON l.product_id = p.id WHERE l.quantity > 2",
    "SELECT sum(DISTINCT p.stock) FROM products p JOIN order_lines l ON l.product_id = p.id",
    "SELECT sum(p.price * l.quantity) FROM products p JOIN order_lines l ON l.product_id = p.id",
    "SELECT l.order_id, sum(p.stock) FROM products p JOIN order_lines l ON l.product_id = p.id GROUP BY l.order_id",
    "SELECT * FROM orders WHERE store_id IS NULL",
    "SELECT * FROM stores WHERE id NOT IN (SELECT store_id FROM orders WHERE store_id IS NOT NULL)",
    "SELECT * FROM stores WHERE id NOT IN (SELECT store_id FROM orders WHERE store_id > 3)",
    "SELECT * FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
    "SELECT * FROM stores WHERE id IN (SELECT store_id FROM orders)",
    "SELECT * FROM stores WHERE id NOT IN (1, 2)",
    "SELECT * FROM orders WHERE ordered_on BETWEEN '2025-01-01' AND '2025-12-31 23:59:59'",
    "SELECT * FROM visits WHERE seen_on BETWEEN '2025-01-01' AND '2025-12-31'",
    "SELECT 1.0 * quantity / 2 FROM order_lines",
    "SELECT price / 2 FROM order_lines",
    "SELECT 6 / 2",
    "SELECT * FROM visits WHERE code = 10",
    "SELECT * FROM visits WHERE code > 'b'",
    "SELECT * FROM orders WHERE id = '12'",
    "SELECT * FROM orders WHERE id IN (SELECT order_id FROM refunds WHERE amount > '3.5')",
]


@pytest.mark.parametrize(("check", "sql", "at"), RAISED)
def test_a_doubt_is_raised_with_its_place(check: str, sql: str, at: str | None) -> None:
    found = [one for one in doubts(sql, SHOP) if one.check == check]
    assert len(found) == 1, doubts(sql, SHOP)
    assert found[0].start is not None
    if at is not None:
        assert sql[found[0].start : found[0].end] == at


@pytest.mark.parametrize("sql", SILENT)
def test_where_there_is_no_doubt_none_is_raised(sql: str) -> None:
    assert doubts(sql, SHOP) == ()


def test_each_check_has_a_case() -> None:
    assert {check for check, _, _ in RAISED} == set(CHECKS)


def test_what_was_seen_of_the_values_decides() -> None:
    sql = "SELECT * FROM stores WHERE id NOT IN (SELECT store_id FROM orders)"
    assert doubts(sql, SHOP, facts("orders", "store_id", 10, 10)) == ()
    assert doubts(sql, SHOP, facts("orders", "store_id", 10, 9))
    days = "SELECT * FROM orders WHERE ordered_on BETWEEN '2025-01-01' AND '2025-12-31'"
    assert doubts(days, SHOP, facts("orders", "ordered_on", 9, 9, "2024-01-01", "2025-12-31")) == ()
    assert doubts(days, SHOP, facts("orders", "ordered_on", 9, 9, "2024-01-01 10:00", "2025-12-31 11:00"))
    codes = "SELECT * FROM visits WHERE code > 1990"
    assert doubts(codes, SHOP, facts("visits", "code", 9, 9, "1961", "2020")) == ()
    assert doubts(codes, SHOP, facts("visits", "code", 9, 9, "7", "2020"))


def test_engines_that_divide_exactly_raise_no_doubt() -> None:
    sql = "SELECT quantity / 2 FROM order_lines"
    assert {d: bool(doubts(sql, replace(SHOP, dialect=d))) for d in ("mysql", "duckdb", "spark", "postgres")} == {
        "mysql": False, "duckdb": False, "spark": False, "postgres": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "sql",
    ["", "SELECT", "SELECT FROM", "DELETE FROM orders", "SELECT 1; SELECT 2", "(" * 500, "x" * 40_000, "🙂",
     "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT * FROM t", "SELECT * FROM nowhere, nobody",
     "PRAGMA table_info(orders)", "EXPLAIN SELECT 1"],
)  # fmt: skip
def test_what_cannot_be_read_is_no_error(sql: str) -> None:
    assert isinstance(doubts(sql, SHOP), tuple)
