"""The built-in analyst and time: when things happen, how long they take, and whether they were late."""

from __future__ import annotations

from datetime import date

import pytest
import sqlglot

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.semantics.times import default_time, other_time
from sqlagent.catalog.semantics.values import Form
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import stem
from sqlagent.makers import analyst
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.dialects import WRITTEN, Dialect
from sqlagent.makers.analyst.source import Source
from sqlagent.method import linking
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits, Question

TODAY = date(2026, 6, 1)

HARBOUR = """
CREATE TABLE berths (berth_id INTEGER PRIMARY KEY, berth_name TEXT, quay TEXT);
CREATE TABLE skippers (skipper_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, birth_year INTEGER, joined_on DATE);
CREATE TABLE mooring_bookings (
  booking_id INTEGER PRIMARY KEY, berth_id INTEGER REFERENCES berths(berth_id), skipper_id INTEGER REFERENCES skippers(skipper_id),
  booked_at TIMESTAMP, start_date DATE, updated_at TIMESTAMP, nights INTEGER);
CREATE TABLE repairs (
  repair_id INTEGER PRIMARY KEY, berth_id INTEGER REFERENCES berths(berth_id), kind TEXT,
  opened_on DATE, promised_on DATE, finished_on DATE, cost NUMERIC);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, booking_id INTEGER REFERENCES mooring_bookings(booking_id), bill_date DATE, due_date DATE, amount NUMERIC);
CREATE TABLE receipts (receipt_id INTEGER PRIMARY KEY, bill_id INTEGER REFERENCES bills(bill_id), paid_on DATE, amount NUMERIC);
INSERT INTO berths VALUES (1,'Gull','North'),(2,'Tern','North'),(3,'Heron','South');
INSERT INTO skippers VALUES (1,'Ada','Holm',1976,'2020-02-01'),(2,'Bo','Lind',1986,'2021-03-01'),(3,'Cy','Dahl',1996,'2022-04-01');
INSERT INTO mooring_bookings VALUES
 (1,1,1,'2024-12-20 10:00:00','2025-01-04','2025-06-01 09:00:00',2),(2,1,2,'2025-01-02 11:00:00','2025-01-12','2025-06-01 09:00:00',3),
 (3,2,2,'2025-02-01 12:00:00','2025-02-08','2025-06-01 09:00:00',1),(4,3,3,'2025-12-30 13:00:00','2026-01-05','2026-02-01 09:00:00',5),
 (5,3,1,'2026-01-10 14:00:00','2026-01-15','2026-02-01 09:00:00',4);
INSERT INTO repairs VALUES
 (1,1,'hull','2025-01-01','2025-01-10','2025-01-08',100),(2,1,'mast','2025-02-01','2025-02-10','2025-02-15',200),
 (3,2,'hull','2025-03-01','2025-03-05','2025-03-25',300),(4,3,'mast','2025-04-01','2025-04-20',NULL,50),
 (5,3,'hull','2026-05-01','2026-07-01',NULL,70);
INSERT INTO bills VALUES (1,1,'2025-01-05','2025-01-19',50),(2,2,'2025-01-13','2025-01-27',60),(3,3,'2025-02-09','2025-02-23',70),(4,4,'2026-01-06','2026-01-20',80);
INSERT INTO receipts VALUES (1,1,'2025-01-15',50),(2,2,'2025-02-10',60),(3,3,'2025-02-20',70);
"""


@pytest.fixture(scope="module")
def harbour():
    database = MemoryDatabase(HARBOUR)
    index = ValueIndex.build(database.catalog(), database)
    return database, Source(derive(database.catalog(), index), index)


def rows(harbour, text):
    """Rows of the first reading of a question, which has to use every word."""
    database, source = harbour
    _, found = understand(text, source, TODAY)
    assert found, text
    assert not found[0].frame.unused, found[0].sql
    return [tuple(row) for row in database.execute(found[0].sql, Limits()).rows]


def times(*columns):
    return [(name, tuple(stem(w) for w in name.split("_")), Form.MOMENT, full) for name, full in columns]


@pytest.mark.parametrize(
    ("noun", "columns", "chosen"),
    [
        ("shipment", [("promised_date", 1.0), ("ship_date", 0.9), ("delivered_date", 0.8)], "ship_date"),
        ("order", [("due_date", 1.0), ("order_date", 1.0), ("shipped_date", 0.9)], "order_date"),
        ("appointment", [("booked_at", 1.0), ("scheduled_at", 1.0)], "scheduled_at"),
        ("tour", [("created_at", 1.0), ("tour_date", 1.0)], "tour_date"),
        ("reservation", [("booked_on", 1.0), ("updated_on", 1.0), ("start_date", 1.0)], "start_date"),
        ("invoice", [("due_date", 1.0), ("invoice_date", 1.0), ("paid_date", 0.7)], "invoice_date"),
        ("claim", [("closed_on", 0.9), ("opened_on", 1.0)], "opened_on"),
        ("payment", [("due_on", 1.0), ("paid_on", 0.9)], "paid_on"),
        ("quote", [("valid_until", 1.0), ("quoted_on", 0.4)], "quoted_on"),
        ("person", [("birth_date", 1.0), ("registered_on", 0.2)], "registered_on"),
        ("parcel", [("eta", 1.0), ("modified_at", 1.0), ("scanned_at", 0.6)], "scanned_at"),
        ("task", [("due_date", 1.0)], "due_date"),
        ("reading", [("first_at", 0.3), ("second_at", 1.0)], "second_at"),
    ],
)
def test_rows_happen_when_they_are_named_after_and_never_when_they_are_due(noun, columns, chosen):
    assert default_time(times(*columns), (stem(noun),)) == chosen


def test_a_time_that_is_meant_nearly_as_well_is_known(harbour):
    assert other_time(times(("booked_at", 1.0), ("scheduled_at", 1.0)), (stem("appointment"),)) == "booked_at"
    assert other_time(times(("invoice_date", 1.0), ("due_date", 1.0)), (stem("invoice"),)) == ""
    _, source = harbour
    _, found = understand("bookings in 2025", source, TODAY)
    assert "start_date" in found[0].sql
    assert any("booked_at" in one.sql and "start_date" not in one.sql for one in found[1:])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bookings in 2025", [(3,)]),
        ("bookings booked in 2025", [(3,)]),
        ("bookings booked in 2024", [(1,)]),
        ("how many bookings were updated in 2026", [(2,)]),
        ("repairs finished in March 2025", [(1,)]),
        ("bills due in January 2025", [(2,)]),
        ("bills paid in February 2025", [(2,)]),
        ("how long does it take to finish a repair", [(15.0,)]),
        ("how many days does a repair take to finish?", [(15.0,)]),
        ("average days between opening and finishing a repair", [(15.0,)]),
        ("average days from promised to finished by kind", [("hull", 9.0), ("mast", 5.0)]),
        ("repairs finished within 10 days", [(1,)]),
        ("share of repairs finished within 10 days", [(20.0,)]),
        ("late repairs", [(2,)]),
        ("repairs finished after the promised date by kind", [("hull", 1), ("mast", 1)]),
        ("% of repairs finished on time", [(100 / 3,)]),
        ("overdue repairs", [(1,)]),
        ("repairs finished more than 10 days late", [(1,)]),
        ("bills paid late", [(1,)]),
        ("how many bills were paid after the due date?", [(1,)]),
        ("average days from bill to payment", [((10 + 28 + 11) / 3,)]),
        ("how many days in advance are bookings booked?", [(8.1,)]),
        ("repairs opened on a weekend", [(2,)]),
        ("repairs opened on Saturdays or Sundays by kind", [("hull", 1), ("mast", 1)]),
        ("share of bookings on weekends", [(60.0,)]),
        ("weekend vs weekday bookings", [("weekday", 2), ("weekend", 3)]),
        ("which weekday is the busiest for bookings?", [("Saturday", 2)]),
        ("when was the last repair", [("2026-05-01",)]),
        ("when did skipper Ada Holm have her first booking?", [("2025-01-04",)]),
        ("last bill date per quay", [("North", "2025-02-09"), ("South", "2026-01-06")]),
        (
            "date of the first hull repair of each berth",
            [("Gull", "2025-01-01"), ("Heron", "2026-05-01"), ("Tern", "2025-03-01")],
        ),
        ("repair cost, 1 Jan to 15 Feb, for 2025 and 2026", [("2025", 300)]),
        ("repair cost year to date, 1 Jan to 31 May, for 2025 and 2026", [("2025", 650), ("2026", 70)]),
        ("repair cost january to may 2026 vs the same months of 2025", [("2025", 650), ("2026", 70)]),
        ("repairs q2 2026 vs same period last year", [("2025", 1), ("2026", 1)]),
        ("repairs may 2026", [(1,)]),
    ],
)
def test_times_and_what_lies_between_them(harbour, text, expected):
    got = rows(harbour, text)
    assert len(got) == len(expected)
    for row, wanted in zip(sorted(got), sorted(expected), strict=True):
        assert [pytest.approx(c, abs=0.1) if isinstance(c, float) else c for c in wanted] == list(row)


def test_an_age_is_counted_from_the_year_of_birth(harbour):
    ((age,),) = rows(harbour, "average age of skippers")
    assert age == date.today().year - 1986


def test_the_columns_of_the_latest_of_each_bear_their_names(harbour):
    _, source = harbour
    _, found = understand("latest repair of each berth", source, TODAY)
    assert "label_" not in found[0].sql
    assert found[0].sql.startswith("SELECT berth_name, repair_id, opened_on FROM")


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("how many bookings will we have in january 2027", False),
        ("bookings next year", False),
        ("forecast of repair cost for 2028", False),
        ("bookings in january 2026", True),
        ("repairs promised in july 2026", True),
    ],
)
def test_what_will_be_is_not_recorded(harbour, text, is_told):
    database, _ = harbour
    index = ValueIndex.build(database.catalog(), database)
    linked = linking.link(Question(text), database.catalog(), index)
    analysis = analyst.analyse(Question(text), linked, index, TODAY)
    told = analysis.outcome()[1]
    assert (told.startswith("Nothing of the future is recorded")) is not is_told, told


@pytest.mark.parametrize("dialect", WRITTEN)
def test_days_of_the_week_and_years_of_birth_are_written_in_every_dialect(dialect):
    writes = Dialect(dialect)
    for sql in (
        writes.on_weekdays("t.x", Form.MOMENT, "56"),
        writes.on_weekdays("t.x", Form.NUMBER_DAY, "0"),
        writes.grain("t.x", Form.TEXT_DAY, "weekend"),
        writes.days("t.x", Form.DAY, "t.y", Form.YEAR),
    ):
        assert sqlglot.parse_one(f"SELECT {sql} FROM t", dialect=dialect)
