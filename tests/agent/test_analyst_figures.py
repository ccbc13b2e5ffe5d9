"""Which figure is asked for: what qualifies it, figures listed behind a colon, money made, rates of a state, first dates."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.evaluation.lenient import Golds
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import Source
from sqlagent.testing import MemoryDatabase

TODAY = date(2026, 1, 5)
HARBOUR = """
CREATE TABLE piers(pier_id INTEGER PRIMARY KEY, pier_name TEXT, district TEXT);
CREATE TABLE cabins(cabin_id INTEGER PRIMARY KEY, pier_id INTEGER REFERENCES piers(pier_id), cabin_label TEXT, painted_on DATE, locked INTEGER);
CREATE TABLE crew(crew_id INTEGER PRIMARY KEY, pier_id INTEGER REFERENCES piers(pier_id), full_name TEXT, duty TEXT, hired_on DATE, left_on DATE);
CREATE TABLE watches(watch_id INTEGER PRIMARY KEY, crew_id INTEGER REFERENCES crew(crew_id), watch_date DATE, hours_worked NUMERIC, is_night INTEGER);
CREATE TABLE charters(charter_id INTEGER PRIMARY KEY, cabin_id INTEGER REFERENCES cabins(cabin_id), agreed_on DATE, start_date DATE,
 route TEXT, state TEXT, cabin_total NUMERIC, children INTEGER, rating INTEGER, replied_on DATE, cancelled_at DATE);
CREATE TABLE charter_meals(charter_meal_id INTEGER PRIMARY KEY, charter_id INTEGER REFERENCES charters(charter_id), meal_id INTEGER REFERENCES meals(meal_id),
 quantity INTEGER, unit_price NUMERIC, served_on DATE);
CREATE TABLE meals(meal_id INTEGER PRIMARY KEY, meal_name TEXT, course TEXT);
CREATE TABLE payments(payment_id INTEGER PRIMARY KEY, charter_id INTEGER REFERENCES charters(charter_id), paid_at TIMESTAMP, amount NUMERIC, method TEXT, status TEXT);
INSERT INTO piers VALUES (1,'North Mole','Old Town'),(2,'Quay Nine','Docks'),(3,'East Slip','Docks');
INSERT INTO meals VALUES (1,'Soup','starter'),(2,'Stew','main'),(3,'Tart','dessert'),(4,'Roast','main');
"""


def harbour() -> str:
    lines = [HARBOUR]
    for n in range(1, 41):
        painted = f"'20{20 + n % 5}-0{n % 9 + 1}-11'" if n % 3 else "NULL"
        lines.append(f"INSERT INTO cabins VALUES({n},{n % 3 + 1},'C{n:02}',{painted},{int(n % 7 == 0)});")
    for n in range(1, 25):
        left = f"'2025-0{n % 9 + 1}-01'" if n % 5 == 0 else "NULL"
        duty = ("Steward", "Cook", "Bosun")[n % 3]
        lines.append(
            f"INSERT INTO crew VALUES({n},{n * n % 3 + 1},'Mate {n}','{duty}','2019-0{n % 9 + 1}-05',{left});"
        )
    for n in range(1, 301):
        day = f"2025-{n % 12 + 1:02}-{n % 27 + 1:02}"
        lines.append(f"INSERT INTO watches VALUES({n},{n % 24 + 1},'{day}',{4 + n % 6},{int(n % 4 == 0)});")
        state = ("sailed", "sailed", "cancelled", "sailed", "postponed", "sailed", "sailed")[n % 7]
        route = ("web", "phone", "agent")[n % 3]
        begun = f"2025-{n * 5 % 12 + 1:02}-{n % 25 + 2:02}"
        ended = f"'{begun}'" if state == "cancelled" else "NULL"
        replied = f"'{begun}'" if n % 2 else "NULL"
        lines.append(
            f"INSERT INTO charters VALUES({n},{n % 40 + 1},'2024-{n % 12 + 1:02}-{n % 27 + 1:02}','{begun}','{route}','{state}',{90 + n % 31},{n % 3},{n % 9 + 1},{replied},{ended});"
        )
        lines.append(
            f"INSERT INTO charter_meals VALUES({n},{n},{n % 4 + 1},{n % 3 + 1},{6 + n % 5},'{begun}');"
        )
        status = "captured" if n % 6 else "failed"
        method = ("card", "cash")[n % 2]
        lines.append(
            f"INSERT INTO payments VALUES({n},{n},'{day} 10:00:00',{40 + n % 57},'{method}','{status}');"
        )
    return "\n".join(lines)


@pytest.fixture(scope="module")
def boats():
    database = MemoryDatabase(harbour())
    index = ValueIndex.build(database.catalog(), database)
    return database, Source(derive(database.catalog(), index), index)


PIER = "JOIN cabins c ON c.cabin_id=h.cabin_id JOIN piers p ON p.pier_id=c.pier_id"
COMPARED = """SELECT strftime('%Y', start_date) || '-Q' || ((CAST(strftime('%m', start_date) AS INTEGER) + 2) / 3), route, SUM(cabin_total) FROM charters
 WHERE state <> 'cancelled' AND start_date >= '2025-04-01' AND start_date < '2025-10-01' GROUP BY 1, 2"""
NIGHTS = "SELECT p.pier_name, SUM(hours_worked) FROM watches w JOIN crew r USING(crew_id) JOIN piers p USING(pier_id) WHERE is_night=1 GROUP BY p.pier_id"


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("cancellation rate per pier", f"SELECT p.pier_name, 100.0*SUM(h.state='cancelled')/COUNT(*) FROM charters h {PIER} GROUP BY p.pier_id"),
        ("cancellation rate by route", "SELECT route, 100.0*SUM(state='cancelled')/COUNT(*) FROM charters GROUP BY 1"),
        ("What did we make with meals in 2025, per course?", "SELECT course, SUM(quantity*unit_price) FROM charter_meals JOIN meals USING(meal_id) GROUP BY 1"),
        ("how much money did we earn with meals per course", "SELECT course, SUM(quantity*unit_price) FROM charter_meals JOIN meals USING(meal_id) GROUP BY 1"),
        ("captured payments 2025 by method: number and amount", "SELECT method, COUNT(*), SUM(amount) FROM payments WHERE status='captured' GROUP BY 1"),
        ("payments by method, number and average amount", "SELECT method, COUNT(*), AVG(amount) FROM payments WHERE status <> 'failed' GROUP BY 1"),
        ("payments per method: total and average amount", "SELECT method, SUM(amount), AVG(amount) FROM payments WHERE status <> 'failed' GROUP BY 1"),
        ("charters by route: number", "SELECT route, COUNT(*) FROM charters GROUP BY 1"),
        ("cabins at the North Mole that were never painted and are not locked", "SELECT cabin_label FROM cabins WHERE pier_id=1 AND painted_on IS NULL AND locked=0"),
        ("night watch hours worked in 2025, by pier", NIGHTS),
        ("night hours worked by pier", NIGHTS),
        ("cook hours worked 2025", "SELECT SUM(hours_worked) FROM watches JOIN crew USING(crew_id) WHERE duty='Cook'"),
        ("cabin revenue per route", "SELECT route, SUM(cabin_total) FROM charters WHERE state <> 'cancelled' GROUP BY 1"),
        ("charter revenue by route", "SELECT route, SUM(cabin_total) FROM charters WHERE state <> 'cancelled' GROUP BY 1"),
        ("charters by route, cancelled and postponed not counted", "SELECT route, COUNT(*) FROM charters WHERE state='sailed' GROUP BY 1"),
        ("charters by route excluding cancelled and postponed", "SELECT route, COUNT(*) FROM charters WHERE state='sailed' GROUP BY 1"),
        ("cabin revenue by route (cancelled charters excluded)", "SELECT route, SUM(cabin_total) FROM charters WHERE state<>'cancelled' GROUP BY 1"),
        ("share of charters with kids", "SELECT 100.0*SUM(children>0)/COUNT(*) FROM charters"),
        ("charters without children by route", "SELECT route, COUNT(*) FROM charters WHERE children=0 GROUP BY 1"),
        ("Show me the charters with a rating of 4 or less that nobody replied to", "SELECT charter_id FROM charters WHERE rating<=4 AND replied_on IS NULL"),
        ("charters with a rating over 7 by route", "SELECT route, COUNT(*) FROM charters WHERE rating>7 GROUP BY 1"),
        ("on average how many days ahead are charters agreed, by route", "SELECT route, AVG(julianday(start_date)-julianday(agreed_on)) FROM charters GROUP BY 1"),
        ("compare cabin revenue of Q3 2025 with Q2 2025 by route, by start date", COMPARED),
        ("date of the first ever start per pier", f"SELECT p.pier_name, MIN(h.start_date) FROM charters h {PIER} GROUP BY p.pier_id"),
        ("when was the very last payment of each method", "SELECT method, MAX(paid_at) FROM payments GROUP BY 1"),
    ],
)  # fmt: skip
def test_the_figure_that_is_meant_is_computed_and_no_other(boats, question, gold):
    database, source = boats
    _, found = understand(question, source, TODAY)
    assert found
    assert not found[0].frame.unused
    assert Golds(database, [gold], False).which(found[0].sql) == 0, found[0].sql


def test_figures_joined_by_a_word_stay_two(boats):
    _, found = understand("charters and payments by route", boats[1], TODAY)
    assert len(found[0].frame.measures) == 2


def test_events_described_are_counted_still(boats):
    _, found = understand("payments that were not captured", boats[1], TODAY)
    assert [m.agg for m in found[0].frame.measures] == ["rows"]
