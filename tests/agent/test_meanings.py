"""Facts of the semantic model in the schema that a language model sees, within the source's privacy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sqlagent.catalog.meanings import with_meanings
from sqlagent.catalog.semantics import corrected, derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.pipeline import answer
from sqlagent.prompts.rendering.schema import schema_text
from sqlagent.testing import MemoryDatabase, ScriptedLlm
from sqlagent.values import Correction, LinkedSchema, Question, Subject

CASES = Path(__file__).parent / "cases" / "analyst"


def shown(name: str, privacy: str, *corrections: Correction) -> str:
    database = MemoryDatabase((CASES / f"{name}.sql").read_text())
    catalog = replace(database.catalog(), corrections=corrections)
    model, unapplied = corrected(derive(catalog, ValueIndex.build(catalog, database)), corrections)
    assert not unapplied
    return schema_text(with_meanings(LinkedSchema(catalog, catalog), model, privacy).catalog, privacy)


def line(text: str, column: str) -> str:
    return next(x for x in text.splitlines() if x.strip().startswith(f"{column} "))


def test_measures_say_their_unit_and_how_they_are_summed_up():
    text = shown("cafes", "schema")
    assert line(text, "net_sales_amount").endswith("-- money, adds up")
    assert line(text, "list_price").endswith("-- money, is averaged, not added up")
    assert "adds up" not in line(text, "cafe_name")


def test_numbers_that_tell_which_and_not_how_many_have_no_unit_and_no_sum():
    script = """
    CREATE TABLE dim_date (date_key INTEGER PRIMARY KEY, full_date TEXT, quarter_number INTEGER, week_of_year INTEGER);
    CREATE TABLE work (work_id INTEGER PRIMARY KEY, worked_on TEXT, start_hour INTEGER, order_line INTEGER, hourly_rate REAL,
        hours REAL, amount REAL);
    """
    days = ((f"2025-{1 + i // 28:02}-{1 + i % 28:02}", i) for i in range(200))
    script += "".join(
        f"INSERT INTO dim_date VALUES ({20250000 + i}, '{day}', {1 + i % 4}, {1 + i % 52});"
        f"INSERT INTO work VALUES ({i}, '{day}', {i % 24}, {1 + i % 5}, {50 + i % 7}.5, {i % 8}.5, {i}.25);"
        for day, i in days
    )
    database = MemoryDatabase(script)
    catalog = database.catalog()
    model = derive(catalog, ValueIndex.build(catalog, database))
    text = schema_text(with_meanings(LinkedSchema(catalog, catalog), model, "rows").catalog, "rows")
    for column in ("quarter_number", "week_of_year", "start_hour", "order_line"):
        assert "adds up" not in line(text, column) and "in weeks" not in line(text, column), column
    assert "in hours" not in line(text, "hourly_rate") and "in hours, adds up" in line(text, "hours")


def test_keys_that_nobody_declared_are_shown_as_found():
    text = shown("cafes", "schema")
    keys = [x for x in text.splitlines() if "not declared" in x]
    assert [x.split(";")[1].strip() for x in keys] == [
        "-> dim_drink.drink_key",
        "-> dim_cafe.cafe_key",
        "-> dim_guest.guest_key",
    ]


def test_the_time_and_the_state_of_a_table_are_told():
    assert "Table tbl_job -- dated by opened_ts; state in stat_cd" in shown("workshop", "schema")
    assert "a row holds from hire_dt until term_dt, and still where that is empty" in shown(
        "workshop", "schema"
    )


@pytest.mark.parametrize(
    ("privacy", "codes", "flag", "day"),
    [
        ("rows", "codes: 1 = Open, 2 = In repair, 3 = Done, 4 = Cancelled", "'Y' is yes, 'N' is no", True),
        ("masked", "codes, with their labels in tbl_cd.lbl", "a flag", True),
        ("schema", "codes, with their labels in tbl_cd.lbl", "a flag", False),
    ],
)
def test_what_was_read_from_rows_follows_the_privacy(privacy, codes, flag, day):
    text = shown("workshop", privacy)
    assert codes in line(text, "stat_cd")
    assert flag in line(text, "warranty_flg")
    assert ("YYYY-MM-DD" in line(text, "due_dt")) is day
    if privacy != "rows":
        assert "In repair" not in text
        assert "'Y'" not in text


def test_what_the_owner_says_is_what_the_model_reads():
    said = (
        Correction(Subject.UNIT, "tbl_part", "unit_prc", told="hours"),
        Correction(Subject.LABEL, "tbl_job", "prio_cd", "H", "urgent"),
    )
    assert "in hours" in line(shown("workshop", "rows", *said), "unit_prc")
    assert "H = urgent" in line(shown("workshop", "rows", *said), "prio_cd")
    assert "urgent" not in shown("workshop", "masked", *said)


def test_a_label_of_the_owner_leaves_the_other_labels_of_the_list():
    said = Correction(Subject.LABEL, "tbl_job", "stat_cd", "2", "on the bench")
    assert "codes: 1 = Open, 2 = on the bench, 3 = Done, 4 = Cancelled" in line(
        shown("workshop", "rows", said), "stat_cd"
    )
    database = MemoryDatabase((CASES / "workshop.sql").read_text())
    catalog = replace(database.catalog(), corrections=(said,))
    model, _ = corrected(derive(catalog, ValueIndex.build(catalog, database)), (said,))
    told = with_meanings(LinkedSchema(catalog, catalog), model, "rows").codes
    assert [(c.code, c.label, c.table) for c in told if c.column.column == "stat_cd"] == [
        ("1", "Open", "tbl_cd"),
        ("2", "on the bench", "tbl_cd"),
        ("3", "Done", "tbl_cd"),
        ("4", "Cancelled", "tbl_cd"),
    ]


def test_a_question_to_a_language_model_carries_the_meanings():
    database = MemoryDatabase((CASES / "cafes.sql").read_text())
    llm = ScriptedLlm("SELECT SUM(net_sales_amount) FROM fact_sales")
    list(answer(Question("What is the revenue?"), database=database, llm=llm, privacy="schema"))
    assert "net_sales_amount REAL; -- money, adds up" in llm.requests[0].messages[0].text


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ("attribute_value", ""),
        ("balance", ""),
        ("overall_rating", ""),
        ("net_amount", "money"),
        ("tax_rate", "share"),
    ],
)
def test_a_unit_is_told_only_where_the_name_says_it(column, told):
    rows = "".join(f"INSERT INTO t VALUES ({i}, {40 + i % 9});" for i in range(30))
    database = MemoryDatabase(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {column} REAL);{rows}")
    catalog = database.catalog()
    model = derive(catalog, ValueIndex.build(catalog, database))
    text = line(
        schema_text(with_meanings(LinkedSchema(catalog, catalog), model, "schema").catalog, "schema"), column
    )
    assert ("money" in text, "share" in text) == (told == "money", told == "share")


def test_labels_of_codes_travel_with_the_linked_schema():
    database = MemoryDatabase((CASES / "workshop.sql").read_text())
    catalog = database.catalog()
    model = derive(catalog, ValueIndex.build(catalog, database))
    known = {
        (f.column, pair)
        for fields in model.fields.values()
        for f in fields
        for pair in (f.codes.pairs if f.codes else ())
    }
    told = with_meanings(LinkedSchema(catalog, catalog), model, "schema").codes
    assert known and {(one.column.column, (one.code, one.label)) for one in told} == known
