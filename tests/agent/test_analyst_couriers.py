"""Couriers: parcels that were ordered, due and delivered beside their bills, leases and permits that hold for a time, areas that riders know."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.journey.notes_beside import place_of
from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.following import stand_alone
from sqlagent.values import Outcome, Turn
from tests.agent.places import analysed, assert_answered, outcome, place, rows

TODAY = date(2026, 6, 30)

COURIERS = """
CREATE TABLE riders (rider_id INTEGER PRIMARY KEY, rider_name TEXT, town TEXT);
CREATE TABLE areas (area_id INTEGER PRIMARY KEY, area_name TEXT);
CREATE TABLE rider_areas (rider_id INTEGER REFERENCES riders, area_id INTEGER REFERENCES areas, grade TEXT, PRIMARY KEY (rider_id, area_id));
CREATE TABLE shippers (shipper_id INTEGER PRIMARY KEY, shipper_name TEXT);
CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, label TEXT, shipper_id INTEGER REFERENCES shippers, rider_id INTEGER REFERENCES riders, ordered_on DATE, due_on DATE, delivered_on DATE, status TEXT);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, shipper_id INTEGER REFERENCES shippers, parcel_id INTEGER REFERENCES parcels, issued_on DATE, due_on DATE, paid_on DATE, fee NUMERIC);
CREATE TABLE depots (depot_id INTEGER PRIMARY KEY, depot_name TEXT, district TEXT);
CREATE TABLE leases (lease_id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES riders, depot_id INTEGER REFERENCES depots, valid_from DATE, valid_until DATE, rent NUMERIC, status TEXT);
CREATE TABLE permits (permit_id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES riders, issuer TEXT, charge NUMERIC, starts_on DATE, ends_on DATE);
CREATE TABLE bikes (bike_id INTEGER PRIMARY KEY, bike_name TEXT, rider_id INTEGER REFERENCES riders, sold_on DATE);
INSERT INTO riders VALUES (1, 'Ada', 'Ghent'), (2, 'Bo', 'Bruges'), (3, 'Cy', 'Ghent'), (4, 'Di', 'Lier'), (5, 'Eno', 'Lier');
INSERT INTO areas VALUES (1, 'Harbour'), (2, 'Old Town'), (3, 'Station');
INSERT INTO rider_areas VALUES (1, 1, 'new'), (1, 2, 'expert'), (2, 1, 'expert'), (3, 3, 'new'), (4, 2, 'new');
INSERT INTO shippers VALUES (1, 'Acorn'), (2, 'Birch'), (3, 'Cedar');
INSERT INTO depots VALUES (1, 'Quay', 'North'), (2, 'Yard', 'South'), (3, 'Loft', 'North');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 179)
INSERT INTO parcels SELECT i + 1, 'Box ' || (i + 1), i % 3 + 1, i % 5 + 1, date('2025-01-01', '+' || (i * 3) || ' days'), date('2025-01-05', '+' || (i * 3) || ' days'),
  CASE WHEN i % 6 < 4 THEN date('2025-01-02', '+' || (i * 3 + i % 7) || ' days') END, CASE i % 6 WHEN 4 THEN 'ordered' WHEN 5 THEN 'cancelled' ELSE 'delivered' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 89)
INSERT INTO bills SELECT i + 1, i % 3 + 1, i + 1, date('2025-01-10', '+' || (i * 3) || ' days'), date('2025-02-10', '+' || (i * 3) || ' days'),
  CASE WHEN i % 4 THEN date('2025-01-25', '+' || (i * 3 + i % 20) || ' days') END, 20 + i % 30 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
INSERT INTO leases SELECT i + 1, i % 5 + 1, i % 3 + 1, date('2024-01-15', '+' || (i * 25) || ' days'), CASE WHEN i % 8 THEN date('2024-09-15', '+' || (i * 25) || ' days') END,
  100 + i, CASE WHEN i % 9 = 4 THEN 'cancelled' WHEN i < 20 THEN 'ended' ELSE 'active' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
INSERT INTO permits SELECT i + 1, i % 5 + 1, CASE i % 2 WHEN 0 THEN 'Atlas' ELSE 'Borea' END, 200 + i, date('2024-02-01', '+' || (i * 30) || ' days'), date('2025-01-31', '+' || (i * 30) || ' days') FROM n;
INSERT INTO bikes VALUES (1, 'Arrow', 1, NULL), (2, 'Bolt', 2, '2025-03-01'), (3, 'Comet', 3, NULL), (4, 'Dash', 4, '2026-02-01'), (5, 'Ember', 5, NULL), (6, 'Flash', 1, NULL);
"""


@pytest.fixture(scope="module")
def couriers():
    return place(COURIERS)


_RIDERS_AREAS = "FROM riders LEFT JOIN rider_areas USING (rider_id) LEFT JOIN areas USING (area_id)"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("riders and their areas", f"SELECT rider_name, area_name {_RIDERS_AREAS}"),
        ("areas with their riders", "SELECT area_name, rider_name FROM areas LEFT JOIN rider_areas USING (area_id) LEFT JOIN riders USING (rider_id)"),
        ("riders with their areas and grade", f"SELECT rider_name, area_name, grade {_RIDERS_AREAS}"),
        ("number of riders per area", "SELECT area_name, COUNT(*) FROM rider_areas JOIN areas USING (area_id) GROUP BY 1"),
    ],
)  # fmt: skip
def test_things_of_a_link_with_more_columns_are_told_by_name(couriers, text, sql):
    assert_answered(couriers, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("parcels per by", "by"),
        ("fees of bills per", "per"),
        ("total fee and their status", "status"),
        ("name of the bill is Acorn", "name of"),
    ],
)
def test_words_that_nothing_comes_of_are_a_draft_that_names_them(couriers, text, word):
    made = analysed(couriers, text, TODAY)
    assert made.outcome()[0] is not Outcome.ANSWERED and word in made.unused


def test_groups_and_names_that_there_are_stay_answers(couriers):
    assert outcome(couriers, "parcels per status", TODAY) is Outcome.ANSWERED
    assert outcome(couriers, "names of the shippers", TODAY) is Outcome.ANSWERED
    assert outcome(couriers, "riders with their town", TODAY) is Outcome.ANSWERED


_OF_RIDERS = (
    "SELECT COUNT(*) FROM parcels JOIN riders USING (rider_id) WHERE rider_name IN ('Ada', 'Bo') AND status"
)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("number of cancelled parcels of Ada or Bo", f"{_OF_RIDERS} = 'cancelled'"),
        ("number of cancelled parcels of Ada or of Bo", f"{_OF_RIDERS} = 'cancelled'"),
        ("number of ordered or cancelled parcels of Ada", f"{_OF_RIDERS} IN ('ordered', 'cancelled') AND rider_name = 'Ada'"),
        ("number of leases that are cancelled or of Ada", "SELECT COUNT(*) FROM leases JOIN riders USING (rider_id) WHERE status = 'cancelled' OR rider_name = 'Ada'"),
    ],
)  # fmt: skip
def test_or_between_two_values_of_a_column_leaves_other_conditions_alone(couriers, text, sql):
    assert_answered(couriers, text, sql, TODAY)


def _chain(where, *typed):
    """The questions of a thread, each as it stands by itself."""
    catalog, index = where[0].catalog(), where[1].vocabulary.index
    turns = []
    for one in typed:
        text = stand_alone(one, turns, catalog, None, index=index).text
        turns.append(Turn(text, "SELECT 1", typed=one))
    return [one.question for one in turns]


@pytest.mark.parametrize(
    ("typed", "gold"),
    [
        (("cancelled parcels of Ada", "and Bo?", "both together"), "cancelled parcels of Ada and Bo"),
        (("fees per shipper in 2025", "2026", "both"), "fees per shipper in 2025 and 2026"),
        (("parcels of Ada", "Bo", "Cy", "all three together"), "parcels of Ada, Bo and Cy"),
        (("parcels of Ada", "Bo", "now both combined", "only cancelled ones"), "cancelled parcels of Ada and Bo"),
    ],
)  # fmt: skip
def test_the_last_questions_are_asked_in_one(couriers, typed, gold):
    asked = _chain(couriers, *typed)[-1]
    made, wanted = (understand(text, couriers[1], TODAY)[1][0] for text in (asked, gold))
    assert rows(couriers, made.sql) == rows(couriers, wanted.sql)
    assert not made.frame.unused


def test_questions_that_differ_in_more_than_a_value_are_not_joined(couriers):
    *_, last = _chain(couriers, "parcels of Ada", "fees by shipper", "both together")
    assert NOT_UNDERSTOOD.search(last) or "Ada" not in last
    *_, last = _chain(couriers, "parcels of Ada by status", "both together")
    assert NOT_UNDERSTOOD.search(last)


_DELIVERED = "AVG(julianday(delivered_on) - julianday(ordered_on))"
_DELAYED = "AVG(julianday(delivered_on) - julianday(due_on))"
_PAID = "AVG(julianday(paid_on) - julianday({}))"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("average delivery time", f"SELECT {_DELIVERED} FROM parcels"),
        ("avg time to deliver", f"SELECT {_DELIVERED} FROM parcels"),
        ("average turnaround", f"SELECT {_DELIVERED} FROM parcels"),
        ("average delivery time per shipper", f"SELECT shipper_name, {_DELIVERED} FROM parcels JOIN shippers USING (shipper_id) GROUP BY 1"),
        ("average delay in days", f"SELECT {_DELAYED} FROM parcels"),
        ("average delay per rider", f"SELECT rider_name, {_DELAYED} FROM parcels JOIN riders USING (rider_id) GROUP BY 1"),
        ("average payment time", f"SELECT {_PAID.format('issued_on')} FROM bills"),
        ("average payment delay", f"SELECT {_PAID.format('due_on')} FROM bills"),
        ("average delay of bills", f"SELECT {_PAID.format('due_on')} FROM bills"),
    ],
)  # fmt: skip
def test_times_are_those_of_the_rows_that_are_delivered_or_paid(couriers, text, sql):
    assert_answered(couriers, text, sql, TODAY)


def _holding(table, begin, end, first, last):
    return f"FROM {table} WHERE {begin} <= '{last}' AND ({end} IS NULL OR {end} >= '{first}')"


_LEASES = _holding("leases", "valid_from", "valid_until", "2026-06-30", "2026-06-30")
_LEASES_2025 = _holding("leases", "valid_from", "valid_until", "2025-01-01", "2025-12-31")
_PERMITS = _holding("permits", "starts_on", "ends_on", "2026-06-30", "2026-06-30")
_PERMITS_2025 = _holding("permits", "starts_on", "ends_on", "2025-01-01", "2025-12-31")


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("leases valid today", f"SELECT COUNT(*) {_LEASES}"),
        ("permits valid today", f"SELECT COUNT(*) {_PERMITS}"),
        ("permits active today", f"SELECT COUNT(*) {_PERMITS}"),
        ("active permits", f"SELECT COUNT(*) {_PERMITS}"),
        ("permits active in 2025", f"SELECT COUNT(*) {_PERMITS_2025}"),
        ("how many permits were active in 2025", f"SELECT COUNT(*) {_PERMITS_2025}"),
        ("charge of active permits by issuer in 2025", f"SELECT issuer, SUM(charge) {_PERMITS_2025} GROUP BY 1"),
        ("leases active in 2025", f"SELECT COUNT(*) {_LEASES_2025} AND status <> 'cancelled'"),
        ("permits that started in 2025", "SELECT COUNT(*) FROM permits WHERE starts_on LIKE '2025%'"),
        ("leases in 2025", "SELECT COUNT(*) FROM leases WHERE valid_from LIKE '2025%'"),
        ("active leases", "SELECT COUNT(*) FROM leases WHERE status = 'active'"),
    ],
)  # fmt: skip
def test_what_holds_in_a_period_overlaps_it(couriers, text, sql):
    assert_answered(couriers, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("active leases", True),
        ("current leases", True),
        ("rent by district for leases running today", True),
        ("leases valid today", False),
        ("active leases in 2025", False),
        ("ended leases", False),
        ("active permits", False),
    ],
)
def test_a_state_that_days_tell_as_well_is_told_beside_the_answer(couriers, text, is_told):
    notes = [one for one in analysed(couriers, text, TODAY).candidates[0].notes if "alone" in one]
    assert notes == ["Told by status alone, whatever valid from and valid until say."] * is_told
    assert all(place_of(one.parts) == "rows" for one in notes)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("number of parcels between 2025-09-01 and 2025-03-01", "2025-03-01", "2025-09-01"),
        ("number of parcels from december 2025 to october 2025", "2025-10-01", "2025-12-31"),
        ("number of parcels between 9 May 2025 and 2 March 2025", "2025-03-02", "2025-05-09"),
        ("number of parcels from 2026 to 2025", "2025-01-01", "2026-12-31"),
    ],
)
def test_a_range_typed_the_other_way_around_is_turned_and_told(couriers, text, first, last):
    sql = f"SELECT COUNT(*) FROM parcels WHERE ordered_on BETWEEN '{first}' AND '{last}'"
    assert_answered(couriers, text, sql, TODAY)
    assert any("was read as" in one for one in analysed(couriers, text, TODAY).candidates[0].notes)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("number of parcels between 2025-03-01 and 2025-09-01", "2025-03-01", "2025-09-01"),
        ("number of parcels from november to february", "2025-11-01", "2026-02-28"),
        ("number of parcels from november to february 2026", "2025-11-01", "2026-02-28"),
    ],
)
def test_a_range_in_its_order_stays_and_is_not_told(couriers, text, first, last):
    sql = f"SELECT COUNT(*) FROM parcels WHERE ordered_on BETWEEN '{first}' AND '{last}'"
    assert_answered(couriers, text, sql, TODAY)
    assert not any("was read as" in one for one in analysed(couriers, text, TODAY).candidates[0].notes)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("riders sorted by name", "SELECT rider_name FROM riders"),
        ("how many bikes were sold", "SELECT COUNT(*) FROM bikes WHERE sold_on IS NOT NULL"),
        ("bikes sold in 2025", "SELECT COUNT(*) FROM bikes WHERE sold_on LIKE '2025%'"),
    ],
)
def test_deeds_of_rows_stay_as_they_are(couriers, text, sql):
    assert_answered(couriers, text, sql, TODAY)


@pytest.mark.parametrize("text", ["bikes bought", "how many bikes were bought in 2025", "bikes purchased"])
def test_what_was_sold_is_not_what_was_bought(couriers, text):
    assert outcome(couriers, text, TODAY) is not Outcome.ANSWERED


@pytest.fixture(scope="module")
def press():
    return place("""
        CREATE TABLE houses (house_id INTEGER PRIMARY KEY, house_name TEXT);
        CREATE TABLE presses (press_id INTEGER PRIMARY KEY, press_name TEXT, house_id INTEGER REFERENCES houses, sold_on DATE);
        CREATE TABLE runs (run_id INTEGER PRIMARY KEY, press_id INTEGER REFERENCES presses, run_on DATE);
        CREATE TABLE texts (text_id INTEGER PRIMARY KEY, title TEXT, house_id INTEGER REFERENCES houses, pages INTEGER, handed_in_on DATE);
        CREATE TABLE charges (charge_id INTEGER PRIMARY KEY, text_id INTEGER REFERENCES texts, charged_on DATE, amount NUMERIC);
        INSERT INTO houses VALUES (1, 'Alder'), (2, 'Beech');
        INSERT INTO presses VALUES (1, 'Heidel', 1, '2025-01-05'), (2, 'Roto', 2, NULL), (3, 'Stone', 1, NULL);
        INSERT INTO runs VALUES (1, 1, '2025-01-02'), (2, 2, '2025-02-02'), (3, 3, '2025-03-02');
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79)
        INSERT INTO texts SELECT i, 'Text ' || i, i % 2 + 1, 50 + (i * 37) % 400, date('2025-01-01', '+' || (i * 5) || ' days') FROM n;
        INSERT INTO charges SELECT text_id, text_id, handed_in_on, 900 - 2 * pages FROM texts;
    """)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("longest text", "SELECT title, pages FROM texts ORDER BY pages DESC LIMIT 1"),
        ("shortest text", "SELECT title, pages FROM texts ORDER BY pages LIMIT 1"),
        ("presses sold", "SELECT press_name, sold_on FROM presses WHERE sold_on IS NOT NULL"),
        ("presses with their sold date", "SELECT press_name, sold_on FROM presses"),
    ],
)
def test_how_long_something_is_and_what_was_done_with_it(press, text, sql):
    assert_answered(press, text, sql, TODAY)


@pytest.mark.parametrize("text", ["longest bill", "shortest bills", "which shipper has the longest bills"])
def test_money_and_numbers_of_rows_are_no_length(couriers, text):
    made = analysed(couriers, text, TODAY)
    frame = made.frames[0].frame if made.frames else None
    told = frame is not None and all(one.unit != "money" and one.agg != "rows" for one in frame.measures)
    assert told or made.outcome()[0] is not Outcome.ANSWERED


@pytest.fixture(scope="module")
def lenders():
    return place("""
        CREATE TABLE readers (reader_id INTEGER PRIMARY KEY, reader_name TEXT);
        CREATE TABLE games (game_id INTEGER PRIMARY KEY, game_title TEXT);
        CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, reader_id INTEGER REFERENCES readers, game_id INTEGER REFERENCES games, lent_on DATE, due_on DATE, returned_on DATE);
        CREATE TABLE requests (request_id INTEGER PRIMARY KEY, reader_id INTEGER REFERENCES readers, opened_on DATE, closed_on DATE, status TEXT);
        INSERT INTO readers VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy');
        INSERT INTO games VALUES (1, 'Chess'), (2, 'Go'), (3, 'Draughts');
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
        INSERT INTO loans SELECT i, i % 2 + 1, i % 3 + 1, date('2026-01-01', '+' || (i * 3) || ' days'), date('2026-01-20', '+' || (i * 3) || ' days'), CASE WHEN i % 5 THEN date('2026-01-15', '+' || (i * 3) || ' days') END FROM n;
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
        INSERT INTO requests SELECT i, i % 3 + 1, date('2026-01-01', '+' || (i * 3) || ' days'), CASE WHEN i % 4 THEN date('2026-01-03', '+' || (i * 3 + i % 9) || ' days') END, CASE WHEN i % 4 THEN 'closed' ELSE 'open' END FROM n;
    """)


@pytest.mark.parametrize(
    ("text", "until", "where"),
    [
        ("how long are open requests open on average", "'now'", "status = 'open'"),
        ("how long have open requests been open on average", "'now'", "status = 'open'"),
        ("how long are requests open on average", "closed_on", "1"),
    ],
)
def test_what_is_open_still_is_so_up_to_today(lenders, text, until, where):
    frame = understand(text, lenders[1], TODAY)[1][0]
    sql = f"SELECT AVG(julianday({until}) - julianday(opened_on)) FROM requests WHERE {where}"
    assert not frame.frame.unused
    ((mine,),), ((gold,),) = rows(lenders, frame.sql), rows(lenders, sql)
    assert mine == pytest.approx(gold, abs=0.01)


@pytest.mark.parametrize("text", ["readers who owe a game", "how many readers owe a game"])
def test_what_is_owed_is_not_what_is_due_at_all(lenders, text):
    assert outcome(lenders, text, TODAY) is not Outcome.ANSWERED
