"""A locksmith and a meals service: the same questions in other words, and neighbours of these that stay as they are."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.equal_phrases import equal_phrases
from sqlagent.values import Limits
from tests.agent.places import assert_answered, place

TODAY = date(2026, 3, 10)

LOCKSMITH = """
CREATE TABLE fitters (fitter_id INTEGER PRIMARY KEY, fitter_name TEXT NOT NULL, hired_on TEXT, left_on TEXT);
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, customer_name TEXT NOT NULL, city TEXT);
CREATE TABLE repairs (repair_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, fitter_id INTEGER REFERENCES fitters, lock_type TEXT, ordered_on TEXT, due_on TEXT, finished_on TEXT, redo_of_repair_id INTEGER REFERENCES repairs(repair_id), close_reason TEXT, state TEXT);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, bill_number TEXT, customer_id INTEGER NOT NULL REFERENCES customers, issued_on TEXT, due_on TEXT, paid_on TEXT, amount REAL, status TEXT);
CREATE TABLE vans (van_id INTEGER PRIMARY KEY, van_name TEXT NOT NULL);
CREATE TABLE drives (drive_id INTEGER PRIMARY KEY, van_id INTEGER NOT NULL REFERENCES vans, started_at TEXT, ended_at TEXT);
INSERT INTO vans VALUES (1, 'Red'), (2, 'Blue');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO drives SELECT i, i % 2 + 1, datetime('2025-06-01 08:00', '+' || i || ' days'), datetime('2025-06-01 08:00', '+' || i || ' days', '+' || (i % 5 + 1) || ' hours') FROM n;
INSERT INTO fitters VALUES (1, 'Ada', '2019-01-01', NULL), (2, 'Bo', '2015-01-01', '2024-05-01'), (3, 'Cy', '2021-01-01', NULL);
INSERT INTO customers VALUES (1, 'Kiln', 'Ghent'), (2, 'Loom', 'Ghent'), (3, 'Mill', 'Bruges'), (4, 'Nail', 'Bruges');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO repairs SELECT i, CASE WHEN i < 51 THEN 1 WHEN i < 101 THEN 2 ELSE 3 END, i % 3 + 1, CASE i % 4 WHEN 0 THEN 'safe' ELSE 'door' END, date('2025-05-01', '+' || (i * 2) || ' days'), date('2025-05-15', '+' || (i * 2) || ' days'),
 CASE WHEN i % 5 THEN date('2025-05-10', '+' || (i * 2 + i % 9) || ' days') END, CASE WHEN i % 10 = 0 THEN i - 1 END, CASE i % 3 WHEN 0 THEN 'fixed' WHEN 1 THEN 'replaced' ELSE 'refused' END, CASE i % 8 WHEN 0 THEN 'cancelled by customer' WHEN 1 THEN 'cancelled by shop' ELSE 'done' END FROM n;
INSERT INTO bills SELECT repair_id, 'B' || repair_id, customer_id, ordered_on, due_on, CASE WHEN repair_id % 4 THEN date(due_on, (repair_id % 7 - 3) || ' days') END, 10.0 * repair_id, CASE WHEN repair_id % 4 THEN 'paid' ELSE 'open' END FROM repairs;
"""

MEALS = """
CREATE TABLE ML_STF (StfNo INTEGER PRIMARY KEY, LName TEXT, FName TEXT, EntryDt TEXT, ExitDt TEXT);
CREATE TABLE ML_CLNT (ClntNo INTEGER PRIMARY KEY, LName TEXT, FName TEXT, CareLvl INTEGER, KeyStf INTEGER REFERENCES ML_STF(StfNo), AdmDt TEXT);
CREATE TABLE ML_OVN (OvnNo INTEGER PRIMARY KEY, OvnNm TEXT, BoughtDt TEXT, InspDueDt TEXT, InspDt TEXT);
INSERT INTO ML_OVN VALUES (1, 'Big', '2020-01-01', '2026-01-01', NULL), (2, 'Old', '2010-01-01', '2025-05-01', '2025-04-01'), (3, 'New', '2025-01-01', '2026-12-01', NULL), (4, 'Tin', '2019-01-01', '2025-12-24', NULL);
CREATE TABLE ML_INSR (InsNo INTEGER PRIMARY KEY, InsNm TEXT);
CREATE TABLE ML_INV (InvNo INTEGER PRIMARY KEY, ClntNo INTEGER REFERENCES ML_CLNT(ClntNo), InsNo INTEGER REFERENCES ML_INSR(InsNo), InvDt TEXT, DueDt TEXT, PdDt TEXT, BilAmt REAL, PdAmt REAL);
INSERT INTO ML_STF VALUES (1, 'Ash', 'Ada', '2019-02-01', NULL), (2, 'Birch', 'Bo', '2012-02-01', '2025-04-30'), (3, 'Cedar', 'Cy', '2015-02-01', NULL);
INSERT INTO ML_CLNT VALUES (1, 'Reed', 'Rob', 1, 1, '2024-01-01'), (2, 'Sedge', 'Sue', 2, NULL, '2024-02-01'), (3, 'Teasel', 'Tim', 3, 3, '2024-03-01'), (4, 'Vetch', 'Vi', NULL, 3, '2024-03-01');
INSERT INTO ML_INSR VALUES (1, 'Alpha'), (2, 'Beta');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO ML_INV SELECT i, i % 4 + 1, i % 2 + 1, date('2025-06-01', '+' || (i * 4) || ' days'), date('2025-07-01', '+' || (i * 4) || ' days'), CASE WHEN i % 3 THEN date('2025-06-11', '+' || (i * 4 + i % 5 + i % 2 * 9) || ' days') END, 5.0 * i, CASE WHEN i % 3 THEN 4.0 * i END FROM n;
"""


@pytest.fixture(scope="module")
def locksmith():
    return place(LOCKSMITH)


@pytest.fixture(scope="module")
def meals():
    return place(MEALS)


OVERDUE = "paid_on IS NULL AND due_on < '2026-03-10'"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("customers >= 50 repairs", "SELECT 'Kiln' UNION ALL SELECT 'Loom'"),
        ("customers with ≥50 repairs", "SELECT 'Kiln' UNION ALL SELECT 'Loom'"),
        ("customers >= 50 orders", "SELECT 'Kiln' UNION ALL SELECT 'Loom'"),
        ("number of orders in 2025", "SELECT COUNT(*) FROM repairs WHERE ordered_on LIKE '2025%'"),
        ("customers without orders", "SELECT 'Nail'"),
        ("number of bills in 2025", "SELECT COUNT(*) FROM bills WHERE issued_on LIKE '2025%'"),
        ("customers with > 49 repairs", "SELECT 'Kiln' UNION ALL SELECT 'Loom'"),
        ("customers with <= 20 repairs", "SELECT 'Mill' UNION ALL SELECT 'Nail'"),
        ("sum of unpaid bills that are past their due date", f"SELECT SUM(amount) FROM bills WHERE {OVERDUE}"),
        ("total of bills whose due date has passed", f"SELECT SUM(amount) FROM bills WHERE {OVERDUE}"),
        ("how many open bills are beyond their due date", f"SELECT COUNT(*) FROM bills WHERE {OVERDUE}"),
        ("how many bills were paid past their due date", "SELECT COUNT(*) FROM bills WHERE paid_on > due_on"),
        ("how many repairs were finished past their due date", "SELECT COUNT(*) FROM repairs WHERE finished_on > due_on"),
    ],
)  # fmt: skip
def test_bounds_and_due_dates_in_other_words(locksmith, text, sql):
    assert_answered(locksmith, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("carers who quit in 2025", "SELECT 'Bo', 'Birch'"),
        ("employees who left in 2025", "SELECT 'Bo', 'Birch'"),
        ("clients without a key worker", "SELECT 'Sue', 'Sedge'"),
        ("no key worker - client list", "SELECT 'Sue', 'Sedge'"),
        ("clients without a care level", "SELECT 'Vi', 'Vetch'"),
        (
            "total billed by insurer",
            "SELECT InsNm, SUM(BilAmt) FROM ML_INV JOIN ML_INSR USING (InsNo) GROUP BY 1",
        ),
    ],
)
def test_people_in_other_words_than_a_short_form(meals, text, sql):
    assert_answered(meals, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("redos in 2025", "SELECT COUNT(*) FROM repairs WHERE redo_of_repair_id IS NOT NULL AND ordered_on LIKE '2025%'"),
        ("how many redo repairs by customer", "SELECT customer_name, COUNT(*) FROM repairs JOIN customers USING (customer_id) WHERE redo_of_repair_id IS NOT NULL GROUP BY 1"),
        ("how many redos in 2025, and how many in 2026?", "SELECT substr(ordered_on, 1, 4), COUNT(*) FROM repairs WHERE redo_of_repair_id IS NOT NULL GROUP BY 1"),
        ("how many repairs without a redo of a repair", "SELECT COUNT(*) FROM repairs WHERE redo_of_repair_id IS NULL"),
    ],
)  # fmt: skip
def test_rows_are_called_by_a_key_of_their_own_table(locksmith, text, sql):
    assert_answered(locksmith, text, sql, TODAY)


BY_CUSTOMER = (
    "SELECT lock_type, 100.0 * SUM(state = 'cancelled by customer') / COUNT(*) FROM repairs GROUP BY 1"
)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("share of repairs cancelled by the customer, per lock type", BY_CUSTOMER),
        ("what proportion of repairs was called off by the customer for each lock type", BY_CUSTOMER),
        ("which percentage of repairs did customers cancel, per lock type", BY_CUSTOMER),
        ("how many repairs were cancelled by our shop", "SELECT COUNT(*) FROM repairs WHERE state = 'cancelled by shop'"),
        ("how many repairs were cancelled", "SELECT COUNT(*) FROM repairs WHERE state LIKE 'cancelled%'"),
    ],
)  # fmt: skip
def test_states_by_who_brought_them_about(locksmith, text, sql):
    assert_answered(locksmith, text, sql, TODAY)


TOOK = "SELECT lock_type, AVG(julianday(finished_on) - julianday(ordered_on)) FROM repairs WHERE finished_on IS NOT NULL GROUP BY 1"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("On average, how many days pass between a repair being ordered and it being finished, for each lock type?", TOOK),
        ("mean no. of days it takes from order date until finished, per lock type", TOOK),
        ("days from ordered to finished, average per lock type", TOOK),
        ("days from ordered to finished (avg) for each lock type", TOOK),
        ("average days from ordered to finished depending on the lock type", TOOK),
        ("close reasons with number of repairs", "SELECT close_reason, COUNT(*) FROM repairs GROUP BY 1"),
        ("lock types and the number of repairs for each in 2025", "SELECT lock_type, COUNT(*) FROM repairs WHERE ordered_on LIKE '2025%' GROUP BY 1"),
        ("how many close reasons", "SELECT COUNT(DISTINCT close_reason) FROM repairs"),
        ("how many repairs were turned down in 2025", "SELECT COUNT(*) FROM repairs WHERE close_reason = 'refused' AND ordered_on LIKE '2025%'"),
        ("how many bills were issued in 2025, and what was their total amount?", "SELECT COUNT(*), SUM(amount) FROM bills WHERE issued_on LIKE '2025%'"),
        ("which of our fitters has been with us the longest?", "SELECT 'Bo'"),
        ("fitter still employed with the longest service", "SELECT 'Ada'"),
    ],
)  # fmt: skip
def test_figures_and_lengths_in_other_words(locksmith, text, sql):
    assert_answered(locksmith, text, sql, TODAY)


HOURS = "SELECT van_name, SUM((julianday(ended_at) - julianday(started_at)) * 24) FROM drives JOIN vans USING (van_id) WHERE started_at LIKE '2025-06%' GROUP BY 1"


@pytest.mark.parametrize(
    "text",
    [
        "van hours june 2025 by van",
        "how many hours did each van drive in june 2025?",
        "drive hours by van in june 2025",
    ],
)
def test_hours_of_a_thing_are_those_of_its_rows_with_two_ends(locksmith, text):
    assert_answered(locksmith, text, HOURS, TODAY)


def test_hours_of_what_has_no_such_rows_are_not_made_up(locksmith):
    made = understand("fitter hours by fitter", locksmith[1], TODAY)[1]
    assert not made or made[0].frame.unused


PAID = "SELECT InsNm, AVG(julianday(PdDt) - julianday(InvDt)) FROM ML_INV JOIN ML_INSR USING (InsNo) WHERE PdDt IS NOT NULL GROUP BY 1"


@pytest.mark.parametrize(
    "text",
    [
        "how many days does each insurer take on average to settle our invoices? Put the slowest payer at the top.",
        "insurers ranked by avg time to pay, slow ones first",
        "average payment time in days per insurer, longest first",
        "how long do the insurers take to pay on average, slowest first",
        "average time (days) from invoice to payment by insurer. Please start with the slowest one.",
    ],
)
def test_the_slowest_stand_first(meals, text):
    assert_answered(meals, text, PAID, TODAY)
    sql = understand(text, meals[1], TODAY)[1][0].sql
    found = [row[0] for row in meals[0].execute(sql, Limits()).rows]
    assert found == ["Beta", "Alpha"] and sql.endswith("DESC")


@pytest.mark.parametrize(
    "text",
    [
        "ovens with an overdue inspection",
        "ovens whose inspection is overdue",
        "list ovens past their inspection due date and not yet inspected",
        "which ovens should have been inspected by now but have not been?",
        "ovens overdue for inspection",
        "overdue inspections of ovens",
    ],
)
def test_a_deed_is_overdue_that_was_due_and_is_not_done(meals, text):
    sql = "SELECT 'Big' UNION ALL SELECT 'Tin'"
    if text.startswith("overdue"):
        made = understand(text, meals[1], TODAY)[1]
        assert "InspDt IS NULL" in made[0].sql and "2026-03-10" in made[0].sql
    else:
        assert_answered(meals, text, sql, TODAY)


def test_a_deed_without_a_due_date_is_not_dropped(meals):
    made = understand("ovens with an overdue repair", meals[1], TODAY)[1]
    assert not made or made[0].frame.unused or made[0].doubt


def test_a_number_of_rows_is_no_slow_one(locksmith):
    made = understand("repairs by customer, slowest first", locksmith[1], TODAY)[1]
    assert not made or made[0].frame.unused or "COUNT" not in made[0].sql


def test_a_bill_without_a_payment_is_owed_as_a_whole(meals):
    sql = "SELECT InsNm, SUM(BilAmt - COALESCE(PdAmt, 0)) FROM ML_INV JOIN ML_INSR USING (InsNo) GROUP BY 1"
    assert_answered(meals, "outstanding amount by insurer", sql, TODAY)


def test_no_time_is_missing_and_held_against_another_one(locksmith):
    for text in ("unpaid bills paid after the due date", "unpaid bills past their due date"):
        made = understand(text, locksmith[1], TODAY)[1]
        assert not any("paid_on IS NULL" in one.sql and "paid_on >" in one.sql for one in made)


def test_a_question_that_was_put_plainly_stays_as_it_is():
    for text in ("bills whose due date has passed", "customers >= 50 repairs"):
        assert equal_phrases(equal_phrases(text)) == equal_phrases(text) != text


def test_nothing_of_a_question_that_is_plain_is_put_otherwise():
    for text in ("bills past due by customer", "repairs in 2025", "customers with more than 50 repairs"):
        assert equal_phrases(text) == text
