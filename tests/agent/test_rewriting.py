"""SQL changed in words without a language model: the text that comes out, the words for it, and what is left undone."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from sqlagent.evaluation.items import Databases
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.rewriting import reframed, rewritten

CASES = Path(__file__).parent / "cases" / "rewriting"
TODAY = date(2026, 1, 5)
CHANGES = [json.loads(line) for line in (CASES / "changes.jsonl").read_text().splitlines()]
TABLE = "SELECT id, status, total FROM orders"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The shop's database with its catalog and values."""
    folder = tmp_path_factory.mktemp("rewriting")
    (folder / "shop").mkdir()
    with closing(sqlite3.connect(folder / "shop" / "shop.sqlite")) as database:
        database.executescript((CASES / "shop.sql").read_text())
        database.commit()
        opened = Databases(str(folder)).source("shop")
        yield database, opened.catalog, opened.index


@pytest.mark.parametrize("case", CHANGES, ids=lambda case: f"{case['typed']} of {case['sql'][:24]}")
def test_a_change_is_made_whole_or_said_to_be_undone(shop, case):
    database, catalog, index = shop
    made = rewritten(case["typed"], case["sql"], source_of(catalog, index), TODAY, index)
    found = [made.sql, list(made.said), list(made.unused), list(made.refused)]
    assert found == [case["gives"], case["said"], case["unused"], case["refused"]]
    if made.sql and ":" not in made.sql:
        database.execute(made.sql).fetchall()


def test_values_are_not_looked_up_for_someone_who_may_not_see_them(shop):
    _, catalog, index = shop
    made = rewritten("without cancelled", TABLE, source_of(catalog, index), TODAY, None)
    assert (made.sql, made.unused) == ("", ("without cancelled",))


def test_a_share_is_of_all_groups(shop):
    database, catalog, index = shop
    sql = "SELECT status, SUM(total) AS revenue FROM orders GROUP BY status"
    made = rewritten("add the share of the total", sql, source_of(catalog, index), TODAY, index)
    assert sum(row[2] for row in database.execute(made.sql)) == pytest.approx(100)


@pytest.mark.parametrize(
    ("dialect", "quote", "month", "day"),
    [
        ("postgres", '"', "TO_CHAR(ordered_on, 'YYYY-MM')", "'2025-01-01'"),
        ("mysql", "`", "DATE_FORMAT(ordered_on, '%Y-%m')", "'2025-01-01'"),
        ("duckdb", '"', "STRFTIME(ordered_on, '%Y-%m')", "DATE '2025-01-01'"),
    ],
)
def test_times_and_names_are_those_of_the_dialect(shop, dialect, quote, month, day):
    _, catalog, index = shop
    source = source_of(replace(catalog, dialect=dialect), index)
    sql = f"SELECT {quote}status{quote}, COUNT(*) FROM orders GROUP BY {quote}status{quote}"
    made = rewritten("only 2025 and per month", sql, source, TODAY, index)
    assert f"SELECT {quote}status{quote}, {month} AS {quote}month{quote}, COUNT(*)" in made.sql
    assert (
        f"WHERE ordered_on >= {day} AND" in made.sql and f"GROUP BY {quote}status{quote}, {month}" in made.sql
    )


def test_a_join_that_a_group_needs_changes_no_total(shop):
    database, catalog, index = shop
    database.execute("UPDATE orders SET customer_id = 999 WHERE id = 7")  # an order without its customer
    made = rewritten(
        "per country", "SELECT SUM(total) AS revenue FROM orders", source_of(catalog, index), TODAY, index
    )
    whole = database.execute("SELECT SUM(total) FROM orders").fetchone()[0]
    assert sum(row[1] for row in database.execute(made.sql)) == whole
    database.rollback()


@pytest.mark.parametrize(
    "typed",
    [
        "'; DROP TABLE orders; --",
        "only 2025); DELETE FROM orders; --",
        "status is x' OR '1'='1",
        "top 5 -- x",
        "\x00",
        "",
        " , , ",
    ],
)
def test_hostile_words_never_become_sql(shop, typed):
    database, catalog, index = shop
    made = rewritten(typed, TABLE, source_of(catalog, index), TODAY, index)
    if made.sql:
        assert database.execute(made.sql).fetchall() == []
        assert made.sql == f"{TABLE} WHERE status = 'x'' OR ''1''=''1'"


def test_a_frame_is_changed_as_a_follow_up_changes_it(shop):
    database, catalog, index = shop
    source = source_of(catalog, index)
    frame = understand("revenue by country", source, TODAY)[1][0].frame
    made = reframed("only 2025", frame, source, TODAY)
    assert made is not None and made.said == ("ordered in 2025",)
    assert "customers.country" in made.sql and database.execute(made.sql).fetchall()
    assert reframed("only the shiny ones", frame, source, TODAY) is None
