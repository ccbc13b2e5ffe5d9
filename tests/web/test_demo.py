"""The sample shop: always the same, sound, and worth asking about."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mirror.sources.demo import SHOP_QUESTIONS, write_shop
from tests.shop_renamed import COLUMNS, TABLES, original_columns, rename_shop

CASES = Path(__file__).parents[1] / "agent" / "cases" / "shop" / "examples.jsonl"
# Of every row, in order; a new one is due only when the shop itself is changed.
ROWS_DIGEST = "c0b4e7cab18ac5c7e339159bae7e17690551dba65d72d22e74c00f53e22efcb9"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite3"
    assert 230_000 <= write_shop(path) <= 270_000
    return path


def fetch(path: Path, sql: str) -> list[tuple]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


def test_the_same_rows_every_time(shop: Path) -> None:
    digest = hashlib.sha256()
    for table in TABLES:
        digest.update(repr(fetch(shop, f"SELECT * FROM {table} ORDER BY id")).encode())
    assert digest.hexdigest() == ROWS_DIGEST


def test_every_foreign_key_points_at_a_row(shop: Path) -> None:
    assert fetch(shop, "PRAGMA foreign_key_check") == []
    assert sum(len(fetch(shop, f"PRAGMA foreign_key_list({table})")) for table in TABLES) >= 10


def test_it_covers_three_whole_years_that_grow(shop: Path) -> None:
    months = fetch(
        shop, "SELECT STRFTIME('%Y-%m', ordered_at) AS month, COUNT(*) FROM orders GROUP BY 1 ORDER BY 1"
    )
    assert (months[0][0], months[-1][0], len(months)) == ("2023-11", "2026-10", 36)
    assert all(months[n + 12][1] > months[n][1] for n in range(24))


def test_amounts_follow_from_quantity_price_and_discount(shop: Path) -> None:
    wrong = (
        "SELECT COUNT(*) FROM order_lines WHERE ABS(quantity * unit_price * (1 - discount) - amount) > 0.006"
    )
    assert fetch(shop, wrong) == [(0,)]
    assert fetch(
        shop,
        "SELECT COUNT(*) FROM returns AS r JOIN order_lines AS l ON l.id = r.order_line_id "
        "WHERE r.refunded_amount > l.amount + 0.006 OR r.quantity > l.quantity",
    ) == [(0,)]


def test_nobody_buys_before_signing_up_or_before_the_store_opens(shop: Path) -> None:
    early = (
        "SELECT COUNT(*) FROM orders AS o JOIN customers AS c ON c.id = o.customer_id "
        "LEFT JOIN stores AS s ON s.id = o.store_id "
        "WHERE DATE(o.ordered_at) < c.signed_up_on OR DATE(o.ordered_at) < s.opened_on"
    )
    assert fetch(shop, early) == [(0,)]


def test_the_oddities_are_there(shop: Path) -> None:
    assert fetch(shop, "SELECT COUNT(*) FROM customers WHERE email IS NULL")[0][0] > 0
    assert fetch(shop, "SELECT COUNT(*) FROM orders WHERE store_id IS NULL")[0][0] > 0
    assert fetch(shop, "SELECT COUNT(*) FROM customers WHERE name LIKE '%''%' OR name LIKE '%\"%'")[0][0] > 0
    assert fetch(shop, "SELECT COUNT(*) FROM customers WHERE name LIKE '%ø%'")[0][0] > 0
    ended = (
        "SELECT MAX(DATE(o.ordered_at)) <= MAX(k.discontinued_on) FROM orders AS o "
        "JOIN order_lines AS l ON l.order_id = o.id JOIN products AS p ON p.id = l.product_id "
        "JOIN categories AS k ON k.id = p.category_id WHERE k.discontinued_on IS NOT NULL"
    )
    assert fetch(shop, ended) == [(1,)]


def test_two_meanings_of_revenue_and_of_region_differ(shop: Path) -> None:
    gross, refunded = fetch(
        shop, "SELECT (SELECT SUM(amount) FROM order_lines), (SELECT SUM(refunded_amount) FROM returns)"
    )[0]
    assert gross * 0.02 < refunded < gross * 0.15
    by_customer, by_store = (
        dict(
            fetch(
                shop,
                "SELECT t.region, SUM(l.amount) FROM order_lines AS l JOIN orders AS o ON o.id = l.order_id "
                f"JOIN {table} AS t ON t.id = o.{key} GROUP BY 1",
            )
        )
        for table, key in (("customers", "customer_id"), ("stores", "store_id"))
    )
    assert set(by_customer) > set(by_store)
    assert all(by_customer[region] != by_store[region] for region in by_store)


def test_each_example_question_has_one_answer_worth_drawing(shop: Path) -> None:
    cases = [json.loads(line) for line in CASES.read_text().splitlines()]
    assert tuple(case["question"] for case in cases) == SHOP_QUESTIONS
    for case in cases:
        rows = fetch(shop, case["sql"])
        assert 3 <= len(rows) <= 40, case["question"]
        assert all(cell is not None for row in rows for cell in row), case["question"]


def test_the_renamed_shop_shares_no_name_and_every_value(shop: Path, tmp_path: Path) -> None:
    assert {table: list(columns) for table, columns in COLUMNS.items()} == original_columns()
    renamed = tmp_path / "renamed.sqlite3"
    rename_shop(shop, renamed)
    old_words = set(TABLES) | {name for columns in COLUMNS.values() for name in columns}
    new_words = set(TABLES.values()) | {name for columns in COLUMNS.values() for name in columns.values()}
    assert not old_words & new_words
    for old, new in TABLES.items():
        assert fetch(shop, f"SELECT * FROM {old}") == fetch(renamed, f"SELECT * FROM {new}")
