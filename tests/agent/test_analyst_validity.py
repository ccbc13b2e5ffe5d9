"""An insurer of boats: what is valid today has begun and is not over, and a day until when it is says more than that there is one."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 6, 1)

HARBOUR = """
CREATE TABLE quays (quay_id INTEGER PRIMARY KEY, quay_name TEXT NOT NULL);
CREATE TABLE owners (owner_id INTEGER PRIMARY KEY, owner_name TEXT NOT NULL, quay_id INTEGER NOT NULL REFERENCES quays, joined_on DATE NOT NULL, left_on DATE);
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, boat_name TEXT NOT NULL, owner_id INTEGER NOT NULL REFERENCES owners, insured_until DATE, scrapped_on DATE);
CREATE TABLE skippers (skipper_id INTEGER PRIMARY KEY, skipper_name TEXT NOT NULL, quay_id INTEGER NOT NULL REFERENCES quays, licensed_until DATE NOT NULL);
CREATE TABLE trips (trip_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, owner_id INTEGER NOT NULL REFERENCES owners, skipper_id INTEGER NOT NULL REFERENCES skippers, sailed_on DATE NOT NULL, moored_on DATE);
CREATE TABLE covers (cover_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, valid_from DATE NOT NULL, valid_until DATE, fee NUMERIC);
CREATE TABLE leases (lease_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, plan TEXT NOT NULL, started_on DATE NOT NULL, ends_on DATE);
CREATE TABLE refits (refit_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, reported_on DATE NOT NULL, refitted_on DATE, paid_on DATE);
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, lent_on DATE NOT NULL, returned_on DATE, filed_on DATE);
INSERT INTO quays VALUES (1,'North'),(2,'South'),(3,'Old');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO owners SELECT i, 'Owner ' || i, CASE WHEN i <= 4 THEN 3 ELSE i % 2 + 1 END, date('2024-01-01', '+' || (i * 10) || ' days'), CASE WHEN i <= 4 THEN date('2026-01-05', '+' || i || ' days') WHEN i % 3 = 0 THEN date('2026-04-01', '+' || (i * 4) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
INSERT INTO boats SELECT i, 'Boat ' || i, i % 30 + 1, CASE WHEN i % 5 THEN date('2026-01-15', '+' || (i * 6) || ' days') END, CASE WHEN i % 7 = 0 THEN date('2026-03-01', '+' || (i * 3) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO covers SELECT i, i % 50 + 1, date('2025-01-15', '+' || (i * 9) || ' days'), CASE WHEN i % 4 THEN date('2025-11-15', '+' || (i * 9) || ' days') END, i % 9 + 10 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
INSERT INTO leases SELECT i, i % 50 + 1, CASE i % 2 WHEN 0 THEN 'day' ELSE 'night' END, date('2025-03-01', '+' || (i * 6) || ' days'), CASE WHEN i % 4 THEN date('2025-09-01', '+' || (i * 6) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
INSERT INTO skippers SELECT i, 'Skipper ' || i, i % 2 + 1, date('2026-02-01', '+' || (i * 11) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO trips SELECT i, i % 50 + 1, i % 30 + 1, i % 24 + 1, date('2026-02-20', '+' || i || ' days'), CASE WHEN i % 4 THEN date('2026-02-22', '+' || i || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70)
INSERT INTO refits SELECT i, i % 40 + 1, date('2026-01-01', '+' || i || ' days'), CASE WHEN i % 4 THEN date('2026-05-20', '-' || i || ' days') END, CASE WHEN i % 3 THEN date('2026-03-20', '+' || i || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO loans SELECT i, i % 20 + 1, date('2026-02-20', '+' || i || ' days'), CASE WHEN i % 4 THEN date('2026-02-22', '+' || i || ' days') END, CASE WHEN i % 3 THEN date('2026-02-26', '+' || i || ' days') END FROM n;
"""

_VALID = "valid_from <= '2026-06-01' AND (valid_until IS NULL OR valid_until >= '2026-06-01')"
_LEASED = "started_on <= '2026-06-01' AND (ends_on IS NULL OR ends_on >= '2026-06-01')"
_FEWEST_OWNERS = (
    "SELECT quay_name, COUNT(owner_id) FROM quays LEFT JOIN owners ON owners.quay_id = quays.quay_id "
    "AND (left_on IS NULL OR left_on >= '2026-06-01') GROUP BY quays.quay_id ORDER BY 2 LIMIT 2"
)


@pytest.fixture(scope="module")
def harbour():
    return place(HARBOUR)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("active covers", f"SELECT COUNT(*) FROM covers WHERE {_VALID}"),
        ("how many current covers", f"SELECT COUNT(*) FROM covers WHERE {_VALID}"),
        ("boats with an active cover", f"SELECT boat_name FROM boats WHERE boat_id IN (SELECT boat_id FROM covers WHERE {_VALID})"),
        ("boats without an active cover", f"SELECT boat_name FROM boats WHERE boat_id NOT IN (SELECT boat_id FROM covers WHERE {_VALID})"),
        ("active leases", f"SELECT COUNT(*) FROM leases WHERE {_LEASED}"),
        ("active leases by plan", f"SELECT plan, COUNT(*) FROM leases WHERE {_LEASED} GROUP BY plan"),
        # the fewest is none, where only what holds today is counted as well
        ("quay with the fewest active owners", "SELECT 'Old', 0"),
        ("2 quays with the fewest active owners", _FEWEST_OWNERS),
        ("covers per boat", f"SELECT boat_name, COUNT(*) FROM covers JOIN boats USING (boat_id) WHERE {_VALID} GROUP BY boat_id"),
    ],
)  # fmt: skip
def test_what_is_active_has_begun_and_is_not_over(harbour, text, sql):
    assert_answered(harbour, text, sql, TODAY)
    assert outcome(harbour, text, TODAY) is Outcome.ANSWERED


def test_what_is_open_need_not_have_begun(harbour):
    sql = "SELECT COUNT(*) FROM leases WHERE ends_on IS NULL OR ends_on >= '2026-06-01'"
    assert_answered(harbour, "open leases", sql, TODAY)


_INSURED, _LICENSED = "insured_until >= '2026-06-01'", "licensed_until >= '2026-06-01'"
_UNINSURED = "(insured_until IS NULL OR insured_until < '2026-06-01')"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("insured boats", f"SELECT boat_name FROM boats WHERE {_INSURED}"),
        ("how many boats are insured", f"SELECT COUNT(*) FROM boats WHERE {_INSURED}"),
        ("insured boats per owner", f"SELECT owner_name, COUNT(*) FROM boats JOIN owners USING (owner_id) WHERE {_INSURED} GROUP BY owner_id"),
        ("share of insured boats", f"SELECT 100.0 * COUNT(CASE WHEN {_INSURED} THEN 1 END) / COUNT(*) FROM boats"),
        ("uninsured boats", f"SELECT boat_name FROM boats WHERE {_UNINSURED}"),
        ("boats that are not insured", f"SELECT boat_name FROM boats WHERE {_UNINSURED}"),
        ("covers of uninsured boats", f"SELECT COUNT(*) FROM covers JOIN boats USING (boat_id) WHERE {_UNINSURED} AND {_VALID}"),
        # it held before
        ("boats no longer insured", "SELECT boat_name FROM boats WHERE insured_until < '2026-06-01'"),
        # of a day that every row has
        ("licensed skippers", f"SELECT skipper_name FROM skippers WHERE {_LICENSED}"),
        ("unlicensed skippers", f"SELECT skipper_name FROM skippers WHERE NOT {_LICENSED}"),
        ("skippers not licensed", f"SELECT skipper_name FROM skippers WHERE NOT {_LICENSED}"),
        ("skippers no longer licensed", f"SELECT skipper_name FROM skippers WHERE NOT {_LICENSED}"),
        ("quays with licensed skippers", f"SELECT quay_name FROM quays WHERE quay_id IN (SELECT quay_id FROM skippers WHERE {_LICENSED})"),
        # valid is what has begun and has no end, or one that is not over
        ("valid covers", f"SELECT COUNT(*) FROM covers WHERE {_VALID}"),
        ("boats with a valid cover", f"SELECT boat_name FROM boats WHERE boat_id IN (SELECT boat_id FROM covers WHERE {_VALID})"),
        ("boats without a valid cover", f"SELECT boat_name FROM boats WHERE boat_id NOT IN (SELECT boat_id FROM covers WHERE {_VALID})"),
        ("boats whose cover is valid", f"SELECT boat_name FROM boats WHERE boat_id IN (SELECT boat_id FROM covers WHERE {_VALID})"),
    ],
)  # fmt: skip
def test_what_holds_until_a_day_is_held_against_today(harbour, text, sql):
    assert_answered(harbour, text, sql, TODAY)
    assert outcome(harbour, text, TODAY) is Outcome.ANSWERED


@pytest.mark.parametrize(
    "text",
    [
        "share of licensed skippers",  # of which share
        "boats insured in 2025",  # not until a day of 2025
        "current trips per owner",  # not those of current owners
        "owner with the fewest current trips",
        "valid covers per owner",
    ],
)
def test_a_state_that_is_told_of_nothing_is_no_answer(harbour, text):
    assert outcome(harbour, text, TODAY) is not Outcome.ANSWERED


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("leases that ended this year", "SELECT COUNT(*) FROM leases WHERE ends_on >= '2026-01-01' AND ends_on < '2026-06-01'"),
        ("owners who left in 2026", "SELECT owner_name FROM owners WHERE left_on >= '2026-01-01' AND left_on < '2026-06-01'"),
        ("leases that ended in 2025", "SELECT COUNT(*) FROM leases WHERE ends_on LIKE '2025%'"),
        ("share of leases that ended this year", "SELECT 100.0 * COUNT(CASE WHEN ends_on >= '2026-01-01' AND ends_on < '2026-06-01' THEN 1 END) / COUNT(*) FROM leases"),
        # what is yet to come is no past
        ("leases ending this year", "SELECT COUNT(*) FROM leases WHERE ends_on LIKE '2026%'"),
        ("leases that will have ended this year", "SELECT COUNT(*) FROM leases WHERE ends_on LIKE '2026%'"),
    ],
)  # fmt: skip
def test_what_ended_in_a_period_under_way_did_so_before_today(harbour, text, sql):
    assert_answered(harbour, text, sql, TODAY)


def test_what_ended_is_bounded_once():
    """A history that tells of an end by "until" alone was held against today beside the period."""
    permits = place(
        """
        CREATE TABLE piers (pier_id INTEGER PRIMARY KEY, pier_name TEXT NOT NULL);
        CREATE TABLE permits (permit_id INTEGER PRIMARY KEY, pier_id INTEGER NOT NULL REFERENCES piers, valid_from DATE NOT NULL, valid_until DATE, fee NUMERIC);
        INSERT INTO piers VALUES (1,'A'),(2,'B');
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO permits SELECT i, i % 2 + 1, date('2025-01-15', '+' || (i * 9) || ' days'), CASE WHEN i % 4 THEN date('2025-11-15', '+' || (i * 9) || ' days') END, i FROM n;
        """
    )
    gold = "SELECT COUNT(*) FROM permits WHERE valid_until >= '2026-01-01' AND valid_until < '2026-06-01'"
    assert_answered(permits, "permits ended this year", gold, TODAY)
    assert understand("permits ended this year", permits[1], TODAY)[1][0].sql.count("valid_until") == 2


_UNPAID = "SELECT refit_id, reported_on FROM refits WHERE paid_on IS NULL {} ORDER BY reported_on {} LIMIT {}"
_REFITTED = "SELECT boat_id FROM refits WHERE refitted_on IS NULL"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        # by when it began, not by the day of another deed, which may be missing
        ("oldest unpaid refit", _UNPAID.format("", "", 1)),
        ("5 oldest unpaid refits", _UNPAID.format("", "", 5)),
        ("newest unpaid refit", _UNPAID.format("", "DESC", 1)),
        ("last unpaid refit of boat 4", _UNPAID.format("AND boat_id = 4", "DESC", 1)),
        # under way is what is not done yet
        ("boats on refit", f"SELECT boat_name FROM boats WHERE boat_id IN ({_REFITTED})"),
        ("how many boats are on refit", f"SELECT COUNT(*) FROM boats WHERE boat_id IN ({_REFITTED})"),
        ("boats not on refit", f"SELECT boat_name FROM boats WHERE boat_id NOT IN ({_REFITTED})"),
    ],
)  # fmt: skip
def test_what_is_not_done_yet_is_told_by_when_it_began(harbour, text, sql):
    assert_answered(harbour, text, sql, TODAY)
    assert outcome(harbour, text, TODAY) is Outcome.ANSWERED


def test_of_two_days_nothing_tells_which_one_ends_it(harbour):
    assert outcome(harbour, "boats on loan", TODAY) is not Outcome.ANSWERED


def test_a_day_on_which_it_lapses_is_one_until_when_it_holds():
    vans = place("""
CREATE TABLE vans (van_id INTEGER PRIMARY KEY, van_name TEXT NOT NULL, insurance_lapses_on DATE);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO vans SELECT i, 'Van ' || i, CASE WHEN i % 5 THEN date('2026-01-15', '+' || (i * 6) || ' days') END FROM n;
""")
    assert_answered(
        vans, "insured vans", "SELECT van_name FROM vans WHERE insurance_lapses_on >= '2026-06-01'", TODAY
    )
