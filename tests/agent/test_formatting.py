"""SQL is laid out and stays the same statement."""

from __future__ import annotations

import pytest
import sqlglot

from sqlagent.sql.formatting import WIDTH, formatted

LONG = (
    "SELECT customers.country, SUM(order_lines.amount) AS revenue FROM customers JOIN orders ON customers.id = "
    "orders.customer_id LEFT JOIN returns ON returns.order_id = orders.id WHERE orders.ordered_at >= '2025-01-01' "
    "AND NOT returns.id IS NULL GROUP BY customers.country HAVING COUNT(*) > 3 ORDER BY 2 DESC LIMIT 5"
)


def test_each_clause_has_a_line_and_a_short_join_keeps_its_condition():
    assert formatted(LONG, "sqlite").splitlines() == [
        "SELECT customers.country, SUM(order_lines.amount) AS revenue",
        "FROM customers",
        "JOIN orders ON customers.id = orders.customer_id",
        "LEFT JOIN returns ON returns.order_id = orders.id",
        "WHERE",
        "  orders.ordered_at >= '2025-01-01'",
        "  AND NOT returns.id IS NULL",
        "GROUP BY customers.country",
        "HAVING COUNT(*) > 3",
        "ORDER BY 2 DESC",
        "LIMIT 5",
    ]


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
@pytest.mark.parametrize(
    "sql",
    [
        LONG,
        "WITH x AS (SELECT 1 AS a UNION ALL SELECT 2) SELECT a, (SELECT MAX(a) FROM x) AS m FROM x WHERE a IN (1, 2)",
        "SELECT CASE WHEN a > 1 THEN 'it''s  two' ELSE '' END AS z FROM t WHERE b LIKE '%  %'",
        "SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c DESC) AS n FROM t",
    ],
)
def test_what_is_laid_out_means_the_same_and_is_laid_out_already(sql: str, dialect: str):
    text = formatted(sql, dialect)
    assert text is not None
    assert sqlglot.parse_one(text, read=dialect) == sqlglot.parse_one(sql, read=dialect)
    assert formatted(text, dialect) == text
    assert max(map(len, text.splitlines())) <= 3 * WIDTH


@pytest.mark.parametrize(
    "sql",
    ["", "SELEC 1", "selec name", "DROP TABLE t", "SELECT 1; SELECT 2", "SELECT (1", "VACUUM", "(" * 5000],
)
def test_what_cannot_be_read_is_left_alone(sql: str):
    assert formatted(sql, "sqlite") is None
