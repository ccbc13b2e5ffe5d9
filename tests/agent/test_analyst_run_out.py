"""A pottery with permits, vouchers and kilns: what has run out, what will, and what is past its day."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.phrasing import prepared
from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place

TODAY = date(2026, 6, 1)

POTTERY = """
CREATE TABLE sites (site_id INTEGER PRIMARY KEY, site_name TEXT);
CREATE TABLE kilns (kiln_id INTEGER PRIMARY KEY, kiln_name TEXT, site_id INTEGER REFERENCES sites(site_id), status TEXT, last_inspection_on DATE, next_inspection_on DATE, warranty_until DATE);
CREATE TABLE permits (permit_id INTEGER PRIMARY KEY, kiln_id INTEGER REFERENCES kilns(kiln_id), permit_name TEXT, issued_on DATE, expires_on DATE);
CREATE TABLE vouchers (voucher_id INTEGER PRIMARY KEY, code TEXT, issued_on DATE, valid_until DATE, redeemed_on DATE, value NUMERIC);
CREATE TABLE leases (lease_id INTEGER PRIMARY KEY, lease_name TEXT, starts_on DATE, ends_on DATE);
CREATE TABLE incidents (incident_id INTEGER PRIMARY KEY, kiln_id INTEGER REFERENCES kilns(kiln_id), reported_on DATE, state TEXT);
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, tool TEXT, lent_on DATE, return_due_on DATE, returned_on DATE);
CREATE TABLE coupons (coupon_id INTEGER PRIMARY KEY, code TEXT, made_on DATE, expires_on DATE);
CREATE TABLE shipments (shipment_id INTEGER PRIMARY KEY, packed_on DATE, state TEXT);
CREATE TABLE claims (claim_id INTEGER PRIMARY KEY, filed_on DATE, state TEXT);
INSERT INTO sites VALUES (1, 'North'), (2, 'South');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO kilns SELECT i, 'Kiln ' || i, i % 2 + 1, CASE i % 4 WHEN 0 THEN 'in_workshop' WHEN 1 THEN 'in use' WHEN 2 THEN 'In storage' ELSE 'scrapped' END, date('2025-03-01', '+' || (i * 9) || ' days'), date('2026-03-01', '+' || (i * 9) || ' days'), date('2026-01-01', '+' || (i * 20) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO permits SELECT i, i % 30 + 1, 'Permit ' || i, date('2024-01-01', '+' || (i * 14) || ' days'), date('2025-06-01', '+' || (i * 14) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
INSERT INTO vouchers SELECT i, 'V' || i, date('2025-01-01', '+' || (i * 10) || ' days'), date('2025-12-01', '+' || (i * 10) || ' days'), CASE WHEN i % 3 THEN date('2025-02-01', '+' || (i * 9) || ' days') END, 20 + i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO leases SELECT i, 'Lease ' || i, date('2024-01-01', '+' || (i * 14) || ' days'), date('2025-01-01', '+' || (i * 14) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO incidents SELECT i, i % 30 + 1, date('2025-01-01', '+' || (i * 2) || ' days'), CASE i % 4 WHEN 0 THEN 'resolved' WHEN 1 THEN 'open' ELSE 'in review' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO claims SELECT i, date('2025-01-01', '+' || (i * 2) || ' days'), CASE i % 4 WHEN 0 THEN 'resolved' WHEN 1 THEN 'open' ELSE 'withdrawn' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO loans SELECT i, 'Tool ' || i % 7, date('2026-01-01', '+' || (i * 3) || ' days'), date('2026-02-01', '+' || (i * 3) || ' days'), CASE WHEN i % 3 AND i < 38 THEN date('2026-02-03', '+' || (i * 3) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO coupons SELECT i, 'C' || i, date('2025-01-01', '+' || (i * 3) || ' days'), CASE WHEN i % 4 THEN date('2026-02-01', '+' || (i * 6) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO shipments SELECT i, date('2026-01-01', '+' || i || ' days'), CASE i % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'shipped' ELSE 'delivered' END FROM n;
"""

_EXPIRED = "SELECT COUNT(*) FROM permits WHERE expires_on < '2026-06-01'"
_HELD = "SELECT COUNT(*) FROM permits WHERE expires_on >= '2026-06-01'"
_LATE = "SELECT kiln_name FROM kilns WHERE next_inspection_on < '2026-06-01'"


@pytest.fixture(scope="module")
def pottery():
    return place(POTTERY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        # what has run out by today, whichever verb says so
        ("expired permits", _EXPIRED),
        ("how many permits have expired", _EXPIRED),
        ("permits that have run out", _EXPIRED),
        ("permits past their expiry date", _EXPIRED),
        ("how many vouchers have run out", "SELECT COUNT(*) FROM vouchers WHERE valid_until < '2026-06-01'"),
        ("value of expired vouchers", "SELECT SUM(value) FROM vouchers WHERE valid_until < '2026-06-01'"),
        ("kilns with expired permits", "SELECT kiln_name FROM kilns WHERE kiln_id IN (SELECT kiln_id FROM permits WHERE expires_on < '2026-06-01')"),
        # what still holds
        ("permits not expired", _HELD),
        ("unexpired permits", _HELD),
        ("permits still valid", _HELD),
        ("how many coupons have not expired", "SELECT COUNT(*) FROM coupons WHERE expires_on IS NULL OR expires_on >= '2026-06-01'"),  # some never expire
        ("kilns still under warranty", "SELECT kiln_name FROM kilns WHERE warranty_until >= '2026-06-01'"),
        ("kilns out of warranty", "SELECT kiln_name FROM kilns WHERE warranty_until < '2026-06-01'"),
        # what will, or did, within a time
        ("which permits run out in the next 90 days", "SELECT permit_name FROM permits WHERE expires_on BETWEEN '2026-06-01' AND '2026-08-30'"),
        ("vouchers that run out in the next 2 months", "SELECT COUNT(*) FROM vouchers WHERE valid_until BETWEEN '2026-06-01' AND '2026-08-01'"),
        ("vouchers expiring next month", "SELECT COUNT(*) FROM vouchers WHERE valid_until LIKE '2026-07%'"),
        ("permits that ran out last month", "SELECT COUNT(*) FROM permits WHERE expires_on LIKE '2026-05%'"),
        ("permits expired in 2025", "SELECT COUNT(*) FROM permits WHERE expires_on LIKE '2025%'"),
        ("how many permits have expired this year", "SELECT COUNT(*) FROM permits WHERE expires_on >= '2026-01-01' AND expires_on < '2026-06-01'"),
        ("permits expired since January 2026", "SELECT COUNT(*) FROM permits WHERE expires_on >= '2026-01-01' AND expires_on < '2026-06-01'"),
        ("permits expired this year by site", "SELECT site_name, COUNT(*) FROM permits JOIN kilns USING (kiln_id) JOIN sites USING (site_id) WHERE expires_on >= '2026-01-01' AND expires_on < '2026-06-01' GROUP BY site_id"),
        # rows that are done with are not past their day
        ("how many loans are overdue for return", "SELECT COUNT(*) FROM loans WHERE returned_on IS NULL AND return_due_on < '2026-06-01'"),
        ("loans past their return date", "SELECT COUNT(*) FROM loans WHERE returned_on IS NULL AND return_due_on < '2026-06-01'"),
        # days that lie ahead, by their name
        ("kilns past their inspection date", _LATE),
        ("kilns overdue for inspection", _LATE),
        ("kilns whose inspection is overdue", _LATE),
        ("kilns due for inspection in the next 60 days", "SELECT kiln_name FROM kilns WHERE next_inspection_on BETWEEN '2026-06-01' AND '2026-07-31'"),
        # deeds of which every row has a day, some of them ahead
        ("ended leases", "SELECT lease_name FROM leases WHERE ends_on < '2026-06-01'"),
        ("leases that have ended", "SELECT lease_name FROM leases WHERE ends_on < '2026-06-01'"),
        ("leases that ended in 2025", "SELECT lease_name FROM leases WHERE ends_on LIKE '2025%'"),
        # states that say where a row is, and states denied by a prefix
        ("kilns in the workshop", "SELECT kiln_name FROM kilns WHERE status = 'in_workshop'"),
        ("how many kilns are in the workshop by site", "SELECT site_name, COUNT(*) FROM kilns JOIN sites USING (site_id) WHERE status = 'in_workshop' GROUP BY site_id"),
        ("kilns not in the storage", "SELECT kiln_name FROM kilns WHERE status <> 'In storage'"),
        ("unresolved incidents", "SELECT COUNT(*) FROM incidents WHERE state <> 'resolved'"),
        ("incidents still unresolved", "SELECT COUNT(*) FROM incidents WHERE state <> 'resolved'"),
    ],
)  # fmt: skip
def test_what_has_run_out_is_told_by_its_day(pottery, text, sql):
    assert_answered(pottery, text, sql, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "expiring permits",  # within which time is not said
        "valid vouchers",  # redeemed ones are not
        "unresolved claims",  # withdrawn ones may not be
        "kilns with unresolved incidents",
        "unshipped shipments",  # delivered ones are shipped too
        "permits valid on 1 March 2025",  # another day than today
    ],
)
def test_what_may_be_meant_otherwise_is_no_answer(pottery, text):
    assert outcome(pottery, text, TODAY) is not Outcome.ANSWERED
    assert analysed(pottery, text, TODAY).outcome()[0] is not Outcome.ANSWERED


LIFTS = """
CREATE TABLE lifts (lift_id INTEGER PRIMARY KEY, lift_name TEXT, next_inspection_on DATE, status TEXT);
CREATE TABLE contracts (contract_id INTEGER PRIMARY KEY, lift_id INTEGER REFERENCES lifts(lift_id), starts_on DATE, ends_on DATE, status TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO lifts SELECT i, 'Lift ' || i, date('2026-03-01', '+' || (i * 9) || ' days'), CASE WHEN i % 3 THEN 'in_service' ELSE 'inspection_completed' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO contracts SELECT i, i % 25 + 1, date('2024-03-01', '+' || (i * 9) || ' days'), CASE WHEN i % 3 THEN date('2025-03-01', '+' || (i * 9) || ' days') END, CASE WHEN i % 3 THEN 'ended' ELSE 'active' END FROM n;
"""
_SIGNED = "SELECT lift_name FROM lifts WHERE lift_id {not} IN (SELECT lift_id FROM contracts WHERE {which})"


@pytest.fixture(scope="module")
def lifts():
    return place(LIFTS)


def test_rows_of_a_state_that_says_so_in_two_words_are_done_with(lifts):
    assert outcome(lifts, "lifts past their inspection date", TODAY) is not Outcome.ANSWERED


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("lifts under contract", _SIGNED.format(**{"not": "", "which": "status = 'active'"})),
        ("lifts under contract right now", _SIGNED.format(**{"not": "", "which": "status = 'active'"})),
        ("lifts not under contract", _SIGNED.format(**{"not": "NOT", "which": "status = 'active'"})),
        # a contract that is active now says nothing of another time
        ("lifts under contract at the end of 2024", _SIGNED.format(**{"not": "", "which": "starts_on < '2025-01-01' AND (ends_on IS NULL OR ends_on >= '2025-01-01')"})),
    ],
)  # fmt: skip
def test_rows_under_contract_have_one_that_runs(lifts, text, sql):
    assert_answered(lifts, text, sql, TODAY)


@pytest.mark.parametrize(
    "text",
    ["lifts under contract in 2025", "lifts that were under contract", "lifts under contract for 2 years"],
)
def test_a_contract_of_another_time_is_not_the_active_one(lifts, text):
    assert "active" not in prepared(text, lifts[1].vocabulary)
