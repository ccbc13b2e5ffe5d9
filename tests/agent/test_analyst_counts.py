"""The analyst on with, without and how many of each: what was never done, bounds, averages per thing, ranks by events, pieces."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.deeds import is_deed, undone
from sqlagent.makers.analyst.sampler import analyse
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.telling import told
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits, LinkedSchema, Outcome, Question

TODAY = date(2026, 1, 5)
BOATS = """
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, boat_name TEXT NOT NULL, engine TEXT, weight_kg REAL, is_active BOOLEAN NOT NULL);
CREATE TABLE renters (renter_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, birth_date DATE, phone TEXT);
CREATE TABLE trips (trip_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats(boat_id),
  renter_id INTEGER REFERENCES renters(renter_id), started_on DATE NOT NULL, outcome TEXT NOT NULL);
CREATE TABLE gifts (gift_id INTEGER PRIMARY KEY, renter_id INTEGER NOT NULL REFERENCES renters(renter_id), given_on DATE NOT NULL, amount REAL NOT NULL);
CREATE TABLE snacks (snack_id INTEGER PRIMARY KEY, snack_name TEXT NOT NULL, family TEXT NOT NULL);
CREATE TABLE trip_snacks (trip_id INTEGER NOT NULL REFERENCES trips(trip_id), line_no INTEGER NOT NULL,
  snack_id INTEGER NOT NULL REFERENCES snacks(snack_id), quantity INTEGER NOT NULL, unit_price REAL NOT NULL, PRIMARY KEY (trip_id, line_no));
CREATE TABLE complaints (complaint_id INTEGER PRIMARY KEY, trip_id INTEGER NOT NULL REFERENCES trips(trip_id), opened_on DATE NOT NULL, closed_on DATE);
INSERT INTO boats VALUES (1,'Auk','electric',90,1),(2,'Coot','diesel',310.5,1),(3,'Dunlin','diesel',120,0),(4,'Eider','petrol',75,1);
INSERT INTO renters VALUES (1,'Ada','Moss','1990-02-01','123'),(2,'Ben','Fell','1961-07-09',NULL),(3,'Cleo','Rhys','2001-01-30','77'),(4,'Dov','Hart','1975-05-05','8');
INSERT INTO trips VALUES (1,1,1,'2024-05-01','finished'),(2,1,2,'2024-06-01','finished'),(3,1,1,'2025-04-01','aborted'),(4,2,2,'2025-05-02','finished'),
  (5,2,NULL,'2025-06-03','aborted'),(6,1,1,'2025-07-01','aborted'),(7,4,3,'2024-08-01','finished');
INSERT INTO gifts VALUES (1,1,'2024-01-01',400),(2,1,'2025-01-01',300),(3,2,'2025-02-02',650),(4,3,'2024-03-03',20);
INSERT INTO snacks VALUES (1,'Bun','bakery'),(2,'Roll','bakery'),(3,'Cola','drinks'),(4,'Tea','drinks');
INSERT INTO trip_snacks VALUES (1,1,1,2,1.5),(1,2,3,6,2),(2,1,1,1,1.5),(4,1,2,9,1),(6,1,1,1,1.5),(7,1,3,1,2);
INSERT INTO complaints VALUES (1,3,'2025-04-02','2025-04-20'),(2,5,'2025-06-04',NULL),(3,6,'2025-07-02',NULL);
"""


@pytest.fixture(scope="module")
def boats():
    database = MemoryDatabase(BOATS)
    index = ValueIndex.build(database.catalog(), database)
    return database, index, Source(derive(database.catalog(), index), index)


def rows_of(boats, text):
    database, _, source = boats
    _, found = understand(text, source, TODAY)
    assert found, text
    assert not found[0].frame.unused, (text, found[0].sql)
    return sorted(tuple(row) for row in database.execute(found[0].sql, Limits()).rows), found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("boats that have never been used", [("Dunlin",)]),
        ("which boats were never used", [("Dunlin",)]),
        ("boats not used since February 2025", [("Dunlin",), ("Eider",)]),
        ("unused boats", [("Dunlin",)]),
        ("how many boats were never used", [(1,)]),
        ("snacks never sold", [("Tea",)]),
        ("unsold snacks", [("Tea",)]),
        ("boats without trips in 2025", [("Dunlin",), ("Eider",)]),
        ("non-electric boats", [("Coot",), ("Dunlin",), ("Eider",)]),
        ("non-electric boats without trips", [("Dunlin",)]),
        ("inactive boats", [("Dunlin",)]),
        ("are any of our boats inactive?", [("Dunlin",)]),
        ("renters with no phone on file", [("Ben", "Fell")]),
        ("how many trips have no renter assigned", [(1,)]),
        ("how many complaints are still open", [(2,)]),
        ("how many closed complaints", [(1,)]),
        ("renters who gave in 2024 but not in 2025", [("Cleo", "Rhys")]),
    ],
)
def test_what_is_not_there_is_found_by_what_was_denied(boats, text, expected):
    assert rows_of(boats, text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("renters with 2 or more aborted trips", [("Ada", "Moss")]),
        ("renters who gave more than 600 in total", [("Ada", "Moss"), ("Ben", "Fell")]),
        ("renters with more than 600 in gifts", [("Ada", "Moss"), ("Ben", "Fell")]),
        ("renters with more than 1 gift", [("Ada", "Moss")]),
        ("boats with fewer than 2 trips", [("Dunlin",), ("Eider",)]),
        ("snacks sold fewer than 2 times", [("Roll",), ("Tea",)]),
        ("snacks with more than 5 pieces sold", [("Cola",), ("Roll",)]),
        ("renters who gave in both 2024 and 2025", [("Ada", "Moss")]),
    ],
)
def test_things_are_bound_by_how_much_of_something_they_have(boats, text, expected):
    assert rows_of(boats, text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("average number of snacks per finished trip", [(1.25,)]),
        ("trips per renter for each boat", [("Auk", 2.0), ("Coot", 2.0), ("Eider", 1.0)]),
        ("complaints per 100 trips by year", [("2024", None), ("2025", 75.0)]),
        ("snacks sold per boat engine", [("diesel", 9), ("electric", 10), ("petrol", 1)]),
    ],
)
def test_averages_per_thing_are_ratios_of_two_totals(boats, text, expected):
    assert rows_of(boats, text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("busiest boat", [("Auk", 4)]),
        ("which boat is the busiest", [("Auk", 4)]),
        ("most used boat", [("Auk", 4)]),
        ("top 1 snack per family by number sold", [("bakery", "Roll", 9), ("drinks", "Cola", 7)]),
        ("heaviest boat ever", [("Coot", 310.5)]),
        ("lightest boat", [("Eider", 75.0)]),
        ("who is our oldest renter?", [("Ben", "Fell")]),
        ("who is our youngest renter", [("Cleo", "Rhys")]),
        ("biggest gift", [(3, 650.0)]),
        ("2 greediest boats - most snacks sold", [("Auk", 10), ("Coot", 9)]),
    ],
)
def test_things_are_ranked_by_events_and_by_what_measures_a_quality(boats, text, expected):
    assert rows_of(boats, text)[0] == expected


def test_what_is_sold_piece_by_piece_is_summed_up_and_the_sentence_says_so(boats):
    found, frames = rows_of(boats, "snacks sold in 2024")
    assert found == [(10,)]
    assert "sum of quantity" in told(frames[0].frame)
    assert any("COUNT(*)" in one.sql for one in frames[1:4])


def test_a_bare_number_that_could_be_either_offers_both_readings(boats):
    _, frames = rows_of(boats, "renters who gave more than 2")
    told_of = [told(one.frame) for one in frames[:2]]
    assert "sum of amount" in told_of[0]
    assert "more than 2 of gifts" in told_of[1]
    assert frames[1].frame.cost - frames[0].frame.cost < 0.02


def outcome_of(boats, text):
    database, index, _ = boats
    catalog = database.catalog()
    return analyse(Question(text), LinkedSchema(catalog, catalog), index, TODAY).outcome()


@pytest.mark.parametrize(
    "text", ["large boats", "nice renters", "renters who never smoked", "which boat is the loveliest"]
)
def test_what_nothing_bears_out_is_never_dropped_in_silence(boats, text):
    assert outcome_of(boats, text)[0] is not Outcome.ANSWERED


def test_a_no_that_no_condition_says_makes_a_draft(boats):
    outcome, reason = outcome_of(boats, "trips never by the moon")
    assert outcome is not Outcome.ANSWERED
    assert "never" in reason


def test_one_no_is_said_once(boats):
    _, frames = rows_of(boats, "how many boats do not have a diesel engine")
    assert frames[0].sql.upper().count("NOT") + frames[0].sql.count("<>") == 1


def test_a_verb_over_several_events_is_as_many_readings():
    database = MemoryDatabase(
        "CREATE TABLE vans (van_id INTEGER PRIMARY KEY, plate TEXT);"
        "CREATE TABLE rides (ride_id INTEGER PRIMARY KEY, van_id INTEGER REFERENCES vans(van_id), ridden_on DATE);"
        "CREATE TABLE washes (wash_id INTEGER PRIMARY KEY, van_id INTEGER REFERENCES vans(van_id), washed_on DATE);"
        "INSERT INTO vans VALUES (1,'A'),(2,'B'),(3,'C');"
        "INSERT INTO rides VALUES (1,1,'2025-01-01'); INSERT INTO washes VALUES (1,2,'2025-01-01');"
    )
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    analysis = analyse(Question("vans never used"), LinkedSchema(catalog, catalog), index, TODAY)
    assert analysis.outcome()[0] is Outcome.AMBIGUOUS
    assert {one.frame.where[0].child for one in analysis.frames[:2]} == {"rides", "washes"}


def test_keys_that_are_empty_do_not_empty_what_has_none(boats):
    assert rows_of(boats, "renters without trips")[0] == [("Dov", "Hart")]


@pytest.mark.parametrize(
    ("word", "denial", "expected"),
    [
        ("used", "never", True),
        ("use", "did not", True),
        ("order", "without", False),
        ("any", "without", False),
    ],
)
def test_verbs_are_told_from_nouns_after_a_denial(word, denial, expected):
    assert is_deed(word, denial) is expected


def test_a_word_that_only_begins_like_a_denial_denies_nothing():
    assert [undone(word) for word in ("unused", "unit", "under", "union")] == ["used", "", "", ""]
