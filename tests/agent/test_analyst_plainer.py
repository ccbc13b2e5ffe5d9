"""Questions whose figure is said in a clause, ages without their noun, and names that sort rows and tell none from another."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from sqlagent.evaluation.items import Databases
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import source_of

CASES = Path(__file__).parent / "cases" / "analyst"
TODAY = date(2026, 1, 5)
CLUB = """
CREATE TABLE tbl_mbr (mbr_id INTEGER PRIMARY KEY, mbr_nm TEXT, age INTEGER, town TEXT);
CREATE TABLE tbl_tour (tour_id INTEGER PRIMARY KEY, tour_dt TEXT, lake_nm TEXT);
CREATE TABLE tbl_seat (seat_id INTEGER PRIMARY KEY, tour_id INTEGER REFERENCES tbl_tour, mbr_id INTEGER REFERENCES tbl_mbr, sold_dt TEXT, amt REAL, chan TEXT);
CREATE TABLE member (member_no INTEGER PRIMARY KEY, note TEXT);
CREATE TABLE categories (category_id INTEGER PRIMARY KEY, category_name TEXT);
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, boat_name TEXT, category_id INTEGER REFERENCES categories, status TEXT, sold_on TEXT);
CREATE TABLE repairs (repair_id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats, repaired_on TEXT, repair_type TEXT, cost REAL);
INSERT INTO categories VALUES (1, 'Canoe'), (2, 'Dinghy'), (3, 'Ketch');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO boats SELECT i, 'Boat ' || i, i % 3 + 1, CASE i % 5 WHEN 0 THEN 'sold' ELSE 'afloat' END, CASE WHEN i % 5 = 0 OR i = 7 THEN '2025-05-01' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO repairs SELECT i, i % 29 + 1, date('2024-01-05', '+' || (i * 3) || ' days'), CASE i % 2 WHEN 0 THEN 'hull' ELSE 'sails' END, 5 + i % 31 FROM n;
CREATE TABLE tbl_bill (bill_id INTEGER PRIMARY KEY, bill_dt TEXT, kind TEXT, cost REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO tbl_mbr SELECT i, 'Member ' || i, 18 + i % 50, CASE i % 3 WHEN 0 THEN 'Wick' WHEN 1 THEN 'Thurso' ELSE 'Nairn' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
INSERT INTO tbl_tour SELECT i, date('2024-01-05', '+' || (i * 8) || ' days'), CASE i % 3 WHEN 0 THEN 'Loch Ard' WHEN 1 THEN 'Loch Eck' ELSE 'Loch Fyne' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO tbl_seat SELECT i, i % 79 + 1, i % 53 + 1, date('2024-01-05', '+' || (i * 8 % 640) || ' days'), 20 + i % 9, CASE i % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'member' ELSE 'desk' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO tbl_bill SELECT i, date('2024-01-05', '+' || (i * 3) || ' days'), CASE i % 2 WHEN 0 THEN 'fuel' ELSE 'rent' END, 5 + i % 31 FROM n;
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A club's boat tours, and two of the analyst's small schemas."""
    folder = tmp_path_factory.mktemp("plainer")
    schemas = {name: (CASES / f"{name}.sql").read_text() for name in ("cafes", "garden")}
    for name, sql in {**schemas, "club": CLUB}.items():
        (folder / name).mkdir()
        with closing(sqlite3.connect(folder / name / f"{name}.sqlite")) as database:
            database.executescript(sql)
            database.commit()
    return Databases(str(folder))


def first(opened, name, text):
    """First reading of a question."""
    source = opened.source(name)
    return understand(text, source_of(source.catalog, source.index), TODAY)[1][0]


@pytest.mark.parametrize(
    ("name", "typed", "plain"),
    [
        ("garden", "the 5 customers with the most orders", "top 5 customers by orders"),
        ("garden", "which are the three products with the highest revenue in 2025?", "top 3 products by revenue in 2025"),
        ("cafes", "the 2 cafes with the fewest orders", "bottom 2 cafes by orders"),
        ("cafes", "by how many percent did sales change from 2024 to 2025 for each cafe", "sales growth from 2024 to 2025 by cafe"),
        ("cafes", "how much did sales change from 2024 to 2025 by cafe", "change in sales from 2024 to 2025 by cafe"),
        ("garden", "worst 3 months of revenue in 2025", "worst 3 months by revenue in 2025"),
        ("garden", "top 5 customers by revenue and where do they live", "top 5 customers by revenue, with city alongside"),
        ("club", "members under 30", "members younger than 30"),
        ("club", "most repaired category", "category with the most repairs"),
        ("club", "how many members are over 50", "how many members are older than 50"),
    ],
)  # fmt: skip
def test_a_figure_said_in_a_clause_is_read_as_in_plain_words(opened, name, typed, plain):
    said = first(opened, name, typed)
    assert said.sql == first(opened, name, plain).sql
    assert not said.frame.unused


def test_a_number_that_bounds_nothing_is_told(opened):
    assert "under 30" in first(opened, "cafes", "drinks under 30 by flavour").frame.unused


def test_the_worst_of_a_cost_is_the_most_of_it(opened):
    assert not first(opened, "club", "worst 3 months by cost").frame.order.ascending
    assert first(opened, "garden", "worst 3 months by revenue").frame.order.ascending


def test_a_name_that_many_rows_share_groups_them(opened):
    by = first(opened, "club", "seats by lake").frame.by
    assert [[slot.field.column for slot in (*one.shown, *one.keys)] for one in by] == [["lake_nm"]]


def test_an_age_bounds_people_and_no_groups_of_them(opened):
    frame = first(opened, "club", "how many members by town older than 50").frame
    assert not frame.having
    assert frame.where[0].number == 50


def test_a_value_beside_another_one_of_its_column_is_a_value(opened):
    (one,) = first(opened, "club", "web and member sales").frame.where
    assert set(one.values) == {"web", "member"}


def test_a_table_called_so_is_meant_before_a_column_of_another_word_for_it(opened):
    by = first(opened, "club", "repair cost by category").frame.by
    assert by[0].shown[0].field.column == "category_name"
    assert first(opened, "club", "repair cost by type").frame.by[0].shown[0].field.column == "repair_type"


def test_rows_that_are_left_out_by_a_state_are_those_of_another_state(opened):
    (one,) = first(opened, "club", "boats by category without sold ones").frame.where
    assert (one.op, one.values, one.slots[0].field.column) == ("not in", ("sold",), "status")


def test_rows_and_a_figure_that_is_called_after_them_are_two_figures(opened):
    count, cost = first(opened, "club", "repairs and repair cost by category").frame.measures
    assert (count.agg, cost.agg) == ("rows", "sum")
