"""Example questions of a source: made from its model, of different families, each answered rightly, none naming a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlagent import guard, pipeline
from sqlagent.adapters import open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.evaluation.lenient import Golds
from sqlagent.events import Ended
from sqlagent.makers.analyst import PartKind, example_questions, overview
from sqlagent.makers.analyst.overviews import PARTS
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Outcome, Question

CASES = Path(__file__).parent / "cases" / "analyst"
SCHEMAS = ("cafes", "workshop", "garden", "shop")
FAMILIES = (" by month, ", "Top 5 ", "Share of ", " without ", "Number of ", "Average ", " growth ")


@pytest.fixture(scope="module")
def sources(shop_file):
    made = {}
    for name in SCHEMAS:
        database = (
            open_database("sqlite", database=str(shop_file))
            if name == "shop"
            else MemoryDatabase((CASES / f"{name}.sql").read_text())
        )
        made[name] = (database, ValueIndex.build(database.catalog(), database))
    return made


def offered(database, index, limit=10):
    catalog = database.catalog()
    return example_questions(
        catalog, index, lambda sql: isinstance(guard.check(sql, catalog, guard.Policy()), guard.Passed), limit
    )


def of(script: str) -> tuple[str, ...]:
    database = MemoryDatabase(script)
    return offered(database, ValueIndex.build(database.catalog(), database))


def answered(database, index, text):
    *_, last = pipeline.answer(Question(text), database=database, catalog=database.catalog(), index=index)
    assert isinstance(last, Ended)
    return last.answer


@pytest.mark.parametrize("name", SCHEMAS)
def test_ten_questions_of_different_families_are_offered_and_answered_with_rows(sources, name):
    database, index = sources[name]
    found = offered(database, index)
    assert len(found) == 10
    for family in FAMILIES:
        assert [text for text in found if family in text], family
    for text in found:
        said = answered(database, index, text)
        assert said.outcome is Outcome.ANSWERED, text
        assert said.rows is not None and said.rows.rows, text


@pytest.mark.parametrize(
    ("name", "text", "gold"),
    [
        ("workshop", "Employees without jobs in 2025", "SELECT fst_nm, lst_nm FROM tbl_emp WHERE emp_id NOT IN (SELECT emp_id FROM tbl_job "
         "WHERE opened_ts >= '2025' AND opened_ts < '2026' AND emp_id IS NOT NULL)"),
        ("workshop", "Share of jobs by kind", "SELECT c.lbl, 100.0 * COUNT(*) / (SELECT COUNT(*) FROM tbl_job) FROM tbl_job j JOIN tbl_cd c "
         "ON c.cd_typ = 'KIND' AND c.cd = j.kind_cd GROUP BY 1"),
        ("cafes", "Top 5 drinks by revenue", "SELECT d.drink_name, SUM(s.net_sales_amount) FROM fact_sales s JOIN dim_drink d "
         "ON d.drink_key = s.drink_key GROUP BY 1 ORDER BY 2 DESC LIMIT 5"),
        ("cafes", "Revenue: gold vs silver", "SELECT g.loyalty_tier, SUM(s.net_sales_amount) FROM fact_sales s JOIN dim_guest g "
         "ON g.guest_key = s.guest_key WHERE g.loyalty_tier IN ('gold', 'silver') GROUP BY 1"),
        ("garden", "Number of products by category", "SELECT Category, COUNT(*) FROM Product GROUP BY 1"),
        ("shop", "Revenue by month, 2025", "SELECT substr(ordered_at, 1, 7), SUM(amount) FROM order_lines JOIN orders "
         "ON orders.id = order_lines.order_id WHERE ordered_at >= '2025-01-01' AND ordered_at < '2026-01-01' GROUP BY 1"),
        ("shop", "Number of products by category", "SELECT c.name, COUNT(*) FROM products p JOIN categories c ON c.id = p.category_id GROUP BY 1"),
    ],
    ids=lambda one: one if " " in one and "SELECT" not in one else "",
)  # fmt: skip
def test_what_is_offered_is_answered_rightly(sources, name, text, gold):
    database, index = sources[name]
    assert text in offered(database, index)
    assert Golds(database, [gold], False).which(answered(database, index, text).sql) == 0


SALES_EU = """
CREATE TABLE sales_eu (id INTEGER PRIMARY KEY, sold_on DATE, channel TEXT, amnt_x1 REAL);
INSERT INTO sales_eu VALUES (1, '2024-02-01', 'web', 3.5), (2, '2024-03-01', 'store', 4.5), (3, '2024-12-01', 'web', 1);
"""


def test_a_table_whose_name_nobody_says_is_not_counted_by_it():
    assert not [text for text in of(SALES_EU) if "eus" in text.lower() or "x1" in text.lower()]


STAFF = """
CREATE TABLE staff (id INTEGER PRIMARY KEY, full_name TEXT, region TEXT, hired_on DATE, email_status TEXT, phone TEXT, department TEXT, salary REAL);
INSERT INTO staff VALUES (1, 'Ann Berg', 'ann@x.example', '2024-01-02', 'ann berg', '0047 99 88', 'Paint', 10), (2, 'Bo Ray', 'bo@x.example', '2024-03-02', 'bo ray', '0047 11', 'Paint', 20),
  (3, 'Ann Berg', 'ann@x.example', '2024-01-02', 'ann berg', '0047 99 88', 'Wood', 30), (4, 'Bo Ray', 'bo@x.example', '2024-03-02', 'bo ray', '0047 11', 'Wood', 40);
"""


def test_values_that_are_persons_are_never_named():
    found = of(STAFF)
    assert found
    for text in found:
        assert not [
            part
            for part in ("ann ", "berg", "bo ", " ray", "@", "0047", "phone", "full name")
            if part in text.lower()
        ], text


def test_what_the_guard_refuses_is_not_offered(sources):
    database, index = sources["cafes"]
    assert example_questions(database.catalog(), index, lambda sql: "JOIN" not in sql, policy="no joins")
    assert example_questions(database.catalog(), index, lambda sql: False, policy="nothing") == ()


def test_a_year_is_one_that_the_data_tell_of(sources):
    for name, year in (("cafes", "2025"), ("shop", "2025")):
        assert [text for text in offered(*sources[name]) if text.endswith(f", {year}")]
    assert not [text for text in of(SALES_EU) if "2025" in text or "2023" in text]


def test_tables_without_anything_to_ask_are_offered_nothing():
    assert of("CREATE TABLE a (b BLOB)") == ()
    assert of("CREATE TABLE empty_things (id INTEGER PRIMARY KEY, name TEXT)") == ()


@pytest.mark.parametrize("name", SCHEMAS)
def test_an_overview_has_numbers_trends_and_groups_each_answered_as_its_question(sources, name):
    database, index = sources[name]
    catalog = database.catalog()

    def passes(sql: str) -> bool:
        return isinstance(guard.check(sql, catalog, guard.Policy()), guard.Passed)

    parts = overview(catalog, index, passes)
    assert overview(catalog, index, passes) is parts, "kept while the source's model is"
    assert 4 <= len(parts) <= PARTS
    numbers = [part.kind in (PartKind.CHANGE, PartKind.COUNT) for part in parts]
    assert any(numbers) and numbers == sorted(numbers, reverse=True)
    assert any(part.kind is PartKind.GROUPS for part in parts)
    for part in parts[::3]:
        said = answered(database, index, part.question)
        assert said.outcome is Outcome.ANSWERED, part.question
        assert said.rows is not None and said.rows.rows, part.question
        if part.kind is PartKind.CHANGE:
            assert len(said.rows.rows) == 2, part.question


def test_a_source_without_rows_that_happen_has_no_overview_or_a_plain_one():
    database = MemoryDatabase("CREATE TABLE xq (zz INTEGER)")
    assert overview(database.catalog(), ValueIndex.build(database.catalog(), database), lambda _: True) == ()
