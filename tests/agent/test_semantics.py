"""The semantic model of a source: derived by rule from names, types, statistics and stored values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlagent.catalog.semantics import Form, Kind, Model, Role, derive
from sqlagent.catalog.statistics import SAMPLE
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Catalog, Column, Table

CASES = Path(__file__).parent / "cases" / "analyst"


def model_of(script: str) -> Model:
    database = MemoryDatabase(script)
    return derive(database.catalog(), ValueIndex.build(database.catalog(), database))


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {name: model_of((CASES / f"{name}.sql").read_text()) for name in ("cafes", "workshop", "garden")}


@pytest.mark.parametrize(
    ("db", "table", "kind"),
    [
        ("cafes", "fact_sales", Kind.EVENT),
        ("cafes", "dim_drink", Kind.THING),
        ("workshop", "tbl_cd", Kind.CODES),
        ("workshop", "tbl_job", Kind.EVENT),
        ("workshop", "tbl_emp", Kind.THING),
        ("garden", "SalesOrderHeader", Kind.EVENT),
        ("garden", "SalesOrderLine", Kind.LINES),
    ],
)
def test_a_table_is_a_thing_an_event_lines_or_codes(models, db, table, kind):
    assert models[db].things[table].kind is kind


def test_keys_that_nobody_declared_are_found_by_names_and_values(models):
    found = {(r.source, r.columns[0], r.target) for r in models["cafes"].relations if r.found}
    assert ("fact_sales", "drink_key", "dim_drink") in found
    assert ("fact_sales", "guest_key", "dim_guest") in found
    assert not any(source.startswith("dim_") for source, _, _ in found)


def test_a_name_alone_makes_no_key_where_the_values_say_otherwise():
    rows = ", ".join(f"({n}, {n + 500})" for n in range(1, 40))
    model = model_of(
        "CREATE TABLE boat (boat_id INTEGER PRIMARY KEY, name TEXT); INSERT INTO boat VALUES (1, 'Ada'), (2, 'Bea');"
        f"CREATE TABLE trip (trip_id INTEGER, boat_id INTEGER); INSERT INTO trip VALUES {rows};"
    )
    assert model.relations == ()


@pytest.mark.parametrize("last", [SAMPLE, 7])
def test_the_key_of_a_long_table_is_tried_on_all_its_rows(last):
    """Its first rows are different, and so is the last one or not: data lakes declare no keys."""
    model = model_of(
        "CREATE TABLE boat (id INTEGER, name TEXT); WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
        f"WHERE i + 1 < {SAMPLE}) INSERT INTO boat SELECT i, 'Ada' FROM n; INSERT INTO boat VALUES ({last}, 'Bea');"
        "CREATE TABLE trip (id INTEGER, boat_id INTEGER); INSERT INTO trip VALUES (1, 3), (2, 3), (3, 9);"
    )
    found = [(r.source, r.columns, r.target, r.referenced) for r in model.relations]
    assert found == ([("trip", ("boat_id",), "boat", ("id",))] if last == SAMPLE else [])


def test_times_are_found_however_they_are_written(models):
    cafes, workshop = models["cafes"], models["workshop"]
    assert cafes.field("fact_sales", "date_key").form is Form.NUMBER_DAY
    assert cafes.field("dim_cafe", "open_date").form is Form.DAY
    assert workshop.field("tbl_job", "opened_ts").form is Form.TEXT_MOMENT
    assert workshop.field("tbl_emp", "hire_dt").form is Form.TEXT_DAY


def test_what_happened_first_is_the_default_time_and_what_ends_is_the_end(models):
    assert models["workshop"].things["tbl_job"].default_time == "opened_ts"
    assert models["garden"].things["SalesOrderHeader"].default_time == "OrderDate"
    employee = models["workshop"].things["tbl_emp"]
    assert (employee.begins, employee.ends) == ("hire_dt", "term_dt")


def test_amounts_are_summed_and_prices_averaged(models):
    cafes = models["cafes"]
    assert cafes.field("fact_sales", "net_sales_amount").aggregate == "sum"
    assert cafes.field("fact_sales", "unit_price").aggregate == "avg"
    assert cafes.field("dim_drink", "list_price").aggregate == "avg"
    assert cafes.field("fact_sales", "net_sales_amount").unit == "money"


def test_codes_bear_the_labels_of_their_own_list(models):
    workshop = models["workshop"]
    assert dict(workshop.field("tbl_job", "prio_cd").codes.pairs) == {"H": "High", "N": "Normal"}
    assert dict(workshop.field("tbl_job", "stat_cd").codes.pairs)["2"] == "In repair"
    assert workshop.field("tbl_dept", "dpt_cd").codes is None


def test_flags_and_names_and_short_forms_are_read(models):
    workshop = models["workshop"]
    assert workshop.field("tbl_job", "warranty_flg").role is Role.FLAG
    assert workshop.field("tbl_job", "warranty_flg").yes == "'Y'"
    assert workshop.things["tbl_emp"].display == ("fst_nm", "lst_nm")
    assert workshop.field("tbl_part", "qty").said == "quantity"
    assert [r.words for r in workshop.relations if r.columns == ("mgr_id",)] == [("manag",)]


def test_the_last_day_with_data_is_known(models):
    assert models["cafes"].newest.startswith("2025-12-")


def test_a_model_is_plain_data(models):
    plain = json.loads(json.dumps(models["garden"].plain()))
    assert {thing["table"] for thing in plain["things"]} == set(models["garden"].things)


def test_a_source_without_values_statistics_or_columns_has_a_model_too():
    empty = Catalog("postgres", (Table("a", ()), Table("b", (Column("a"), Column("b"), Column("c")))))
    model = derive(empty)
    assert set(model.things) == {"b"}
    assert model.newest == ""


def test_facts_travel_with_the_index():
    database = MemoryDatabase((CASES / "cafes.sql").read_text())
    index = ValueIndex.build(database.catalog(), database)
    again = ValueIndex.from_bytes(index.to_bytes())
    assert again.facts == index.facts
    assert derive(database.catalog(), again) == derive(database.catalog(), index)


def test_a_table_that_cannot_be_read_has_no_facts():
    database = MemoryDatabase(
        "CREATE TABLE a (x INTEGER); CREATE TABLE b (y INTEGER); INSERT INTO b VALUES (1)",
        failures={'FROM "a"': "permission denied"},
    )
    assert set(ValueIndex.build(database.catalog(), database).facts.tables) == {"b"}
