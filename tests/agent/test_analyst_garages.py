"""A chain of garages: fitters among the crew, cars lent for days, paint that comes in and goes out, seasons."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics import Kind
from sqlagent.language.words import segment
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import followed
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place, rows

TODAY = date(2026, 11, 20)

GARAGES = """
CREATE TABLE branch (branch_id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL, opened_on TEXT NOT NULL, capacity_kg INTEGER, floor_m2 INTEGER NOT NULL);
CREATE TABLE crew (crew_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, role TEXT NOT NULL, branch_id INTEGER REFERENCES branch, hired_on TEXT NOT NULL, left_on TEXT);
CREATE TABLE client (client_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, town TEXT NOT NULL, registered_on TEXT NOT NULL, newsletter INTEGER NOT NULL);
CREATE TABLE workshop_repair (repair_id INTEGER PRIMARY KEY, branch_id INTEGER NOT NULL REFERENCES branch, client_id INTEGER NOT NULL REFERENCES client,
  fitter_id INTEGER REFERENCES crew(crew_id), brought_on TEXT NOT NULL, labour_cents INTEGER NOT NULL, status TEXT NOT NULL);
CREATE TABLE rental (rental_id INTEGER PRIMARY KEY, branch_id INTEGER NOT NULL REFERENCES branch, client_id INTEGER NOT NULL REFERENCES client,
  start_date TEXT NOT NULL, due_date TEXT NOT NULL, returned_date TEXT, fee_cents INTEGER NOT NULL, status TEXT NOT NULL);
CREATE TABLE paint_in (paint_in_id INTEGER PRIMARY KEY, branch_id INTEGER NOT NULL REFERENCES branch, received_on TEXT NOT NULL, weight_kg REAL NOT NULL,
  tins INTEGER NOT NULL, rejected_tins INTEGER NOT NULL);
CREATE TABLE paint_out (paint_out_id INTEGER PRIMARY KEY, branch_id INTEGER NOT NULL REFERENCES branch, planned_on TEXT NOT NULL, weight_kg REAL NOT NULL);
CREATE TABLE race_ticket (race_ticket_id INTEGER PRIMARY KEY, client_id INTEGER NOT NULL REFERENCES client, season INTEGER NOT NULL, booked_at TEXT NOT NULL, starts_at TEXT NOT NULL);
INSERT INTO branch VALUES (1, 'North Yard', 'Leith', '2019-04-01', 900, 300), (2, 'South Yard', 'Perth', '2020-05-01', 700, 250), (3, 'Dock', 'Dundee', '2025-02-01', 500, 80);
INSERT INTO crew VALUES (1, 'Ada Voss', 'fitter', 1, '2019-05-01', NULL), (2, 'Bo Lind', 'fitter', 2, '2020-06-01', '2025-03-01'), (3, 'Cy Marsh', 'fitter', 3, '2025-03-01', NULL),
  (4, 'Di Nash', 'clerk', 1, '2020-01-01', '2024-08-01'), (5, 'Ed Ohm', 'painter', 2, '2021-01-01', NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO client SELECT i, 'Client ' || i, CASE i % 3 WHEN 0 THEN 'Leith' WHEN 1 THEN 'Perth' ELSE 'Dundee' END, date('2023-01-01', '+' || i || ' days'), i % 4 = 0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO workshop_repair SELECT i, i % 3 + 1, i % 30 + 1, CASE i % 7 WHEN 0 THEN 2 WHEN 1 THEN 3 ELSE 1 END, date('2024-01-01', '+' || (i * 5 / 2) || ' days'), 1000 + i,
  CASE i % 9 WHEN 0 THEN 'awaiting_spares' WHEN 1 THEN 'open' ELSE 'done' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO rental SELECT i, i % 3 + 1, i % 30 + 1, date('2024-01-01', '+' || (i * 3) || ' days'), date('2024-01-01', '+' || (i * 3 + 2) || ' days'),
  CASE WHEN i % 10 THEN date('2024-01-01', '+' || (i * 3 + i % 4) || ' days') END, 2000 + i, CASE i % 10 WHEN 0 THEN 'out' ELSE 'returned' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO paint_in SELECT i, i % 3 + 1, date('2025-01-01', '+' || (i * 3) || ' days'), i * 1.5, i % 40 + 1, i % 5 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO paint_out SELECT i, i % 3 + 1, date('2025-01-01', '+' || (i * 3) || ' days'), i * 1.1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO race_ticket SELECT i, CASE WHEN i < 30 THEN 1 WHEN i < 50 THEN 2 ELSE i % 11 + 3 END, 2024 + i % 3, datetime('2024-01-01', '+' || (i * 5) || ' days'), datetime('2024-02-01', '+' || (i * 5) || ' days') FROM n;
"""

OF_FITTERS = "FROM workshop_repair JOIN crew ON crew_id = fitter_id"
REJECTED = "100.0 * SUM(rejected_tins) / SUM(tins)"
SUMMER = "brought_on >= '2025-06-01' AND brought_on < '2025-09-01'"


KITCHEN = """
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, placed_on TEXT NOT NULL, channel TEXT NOT NULL);
CREATE TABLE order_lines (order_id INTEGER NOT NULL REFERENCES orders, line_no INTEGER NOT NULL, dish TEXT NOT NULL, plates INTEGER NOT NULL, unit_price_net REAL NOT NULL,
  vat_pct INTEGER NOT NULL, PRIMARY KEY (order_id, line_no));
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO orders SELECT i, date('2025-01-01', '+' || (i * 4) || ' days'), CASE i % 3 WHEN 0 THEN 'web' ELSE 'phone' END FROM n;
INSERT INTO order_lines SELECT order_id, line, 'Dish ' || ((order_id + line) % 4), order_id % 5 + line, 2.5 * (order_id % 7 + 1), 7 * line FROM orders, (SELECT 1 AS line UNION ALL SELECT 2);
"""


def test_the_only_number_beside_the_price_of_one_is_how_many():
    kitchen = place(KITCHEN)
    of_lines = "FROM order_lines JOIN orders USING (order_id)"
    assert_answered(
        kitchen,
        "revenue by channel",
        f"SELECT channel, SUM(plates * unit_price_net) {of_lines} GROUP BY 1",
        TODAY,
    )


@pytest.fixture(scope="module")
def garages():
    return place(GARAGES)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("list of fitters who left", "SELECT full_name FROM crew WHERE role = 'fitter' AND left_on IS NOT NULL"),
        ("how many fitters do we have", "SELECT COUNT(*) FROM crew WHERE role = 'fitter'"),
        ("repairs per fitter", f"SELECT full_name, COUNT(*) {OF_FITTERS} GROUP BY crew_id ORDER BY 2 DESC"),
        ("how many repairs did each fitter bring in 2025", f"SELECT full_name, COUNT(*) {OF_FITTERS} WHERE brought_on LIKE '2025%' GROUP BY crew_id"),
        ("top 2 fitters by number of repairs", f"SELECT full_name, COUNT(*) {OF_FITTERS} GROUP BY crew_id ORDER BY 2 DESC LIMIT 2"),
        ("which fitter did the most repairs in 2025", f"SELECT full_name, COUNT(*) {OF_FITTERS} WHERE brought_on LIKE '2025%' GROUP BY crew_id ORDER BY 2 DESC LIMIT 1"),
        ("workshop repairs awaiting spares per branch", "SELECT name, COUNT(*) FROM workshop_repair JOIN branch USING (branch_id) WHERE status = 'awaiting_spares' GROUP BY 1"),
        ("how many workshop repairs are awaiting the spares", "SELECT COUNT(*) FROM workshop_repair WHERE status = 'awaiting_spares'"),
        ("number of repairs in summer 2025", f"SELECT COUNT(*) FROM workshop_repair WHERE {SUMMER}"),
        ("repairs in the summer of 2025 by branch", f"SELECT name, COUNT(*) FROM workshop_repair JOIN branch USING (branch_id) WHERE {SUMMER} GROUP BY 1"),
        ("repairs winter 2024/25", "SELECT COUNT(*) FROM workshop_repair WHERE brought_on >= '2024-12-01' AND brought_on < '2025-03-01'"),
        ("rental income 2025", "SELECT SUM(fee_cents) FROM rental WHERE start_date LIKE '2025%'"),
        ("share of tins rejected per branch", f"SELECT name, {REJECTED} FROM paint_in JOIN branch USING (branch_id) GROUP BY 1"),
        ("rejected tins as a share of tins per branch", f"SELECT name, {REJECTED} FROM paint_in JOIN branch USING (branch_id) GROUP BY 1"),
        ("percentage of tins rejected", f"SELECT {REJECTED} FROM paint_in"),
        ("what share of tins was rejected in 2025", f"SELECT {REJECTED} FROM paint_in WHERE received_on LIKE '2025%'"),
        ("which branch has the highest share of tins rejected", f"SELECT name, {REJECTED} FROM paint_in JOIN branch USING (branch_id) GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("race tickets per season", "SELECT season, COUNT(*) FROM race_ticket GROUP BY 1"),
        ("top 2 clients by race tickets booked", "SELECT full_name, COUNT(*) FROM race_ticket JOIN client USING (client_id) GROUP BY client_id ORDER BY 2 DESC LIMIT 2"),
        ("towns of clients without repairs", "SELECT DISTINCT town FROM client WHERE client_id NOT IN (SELECT client_id FROM workshop_repair)"),
        ("newsletter subscribers by town", "SELECT town, COUNT(*) FROM client WHERE newsletter = 1 GROUP BY 1"),
        ("share of newsletter recipients", "SELECT 100.0 * AVG(newsletter) FROM client"),
        ("rental income per square metre by branch", "SELECT name, 1.0 * SUM(fee_cents) / MAX(floor_m2) FROM rental JOIN branch USING (branch_id) GROUP BY branch_id"),
        ("rentals per branch", "SELECT name, COUNT(*) FROM rental JOIN branch USING (branch_id) GROUP BY 1"),
    ],
)  # fmt: skip
def test_it_is_answered_rightly(garages, text, sql):
    assert_answered(garages, text, sql, TODAY)


def first_sql(garages, text: str) -> str:
    """The SQL of the likeliest reading."""
    return understand(text, garages[1], TODAY)[1][0].sql


@pytest.mark.parametrize(
    ("text", "first"),
    [
        # A place is that of what happened; the homes of clients are another reading.
        ("number of repairs in Leith", "SELECT COUNT(*) FROM workshop_repair JOIN branch USING (branch_id) WHERE town = 'Leith'"),
        ("kg received per branch in 2025", "SELECT name, SUM(weight_kg) FROM paint_in JOIN branch USING (branch_id) WHERE received_on LIKE '2025%' GROUP BY 1"),
    ],
)  # fmt: skip
def test_the_likeliest_reading_comes_first(garages, text, first):
    assert rows(garages, first_sql(garages, text)) == rows(garages, first)


@pytest.mark.parametrize(
    ("before", "typed", "stated"),
    [
        ("astronaut mood per year", "only returned ones", "astronaut mood per year (not understood: only returned ones)"),
        ("how many clients do we have", "list them by name", "list clients"),
    ],
)  # fmt: skip
def test_a_follow_up_stays_with_what_was_asked(garages, before, typed, stated):
    index = garages[1].vocabulary.index
    assert followed(typed, before, garages[0].catalog(), index, clock=TODAY) == stated


def test_clients_that_are_named_are_asked_for_their_own_town(garages):
    sql = first_sql(garages, "number of repairs of clients in Leith")
    assert "client" in sql and "branch" not in sql


def test_what_branches_hold_that_opened_in_a_year_is_not_what_is_asked(garages):
    assert "capacity" not in first_sql(garages, "kg per branch in 2025")


@pytest.mark.parametrize(
    "text",
    [
        "top 3 fitters",
        "winter 2025 repairs",
        "did repairs fall 2025",
        "towns without rentals",
        "rental income per square foot by branch",
    ],
)
def test_what_is_not_clear_is_no_answer(garages, text):
    assert outcome(garages, text, TODAY) is not Outcome.ANSWERED


def test_rows_that_are_lent_for_days_are_no_history_of_prices(garages):
    assert garages[1].model.things["rental"].kind is Kind.EVENT


def test_a_word_in_one_piece_stays_whole():
    assert segment("timesheets", {"time", "sheets"}) == ("timesheets",)
