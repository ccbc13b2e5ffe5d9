"""A parcel depot: who is covered today, what was not collected, and the oldest of it."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.contradicting import contradicts
from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Measure, Order, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place, rows

TODAY = date(2026, 6, 1)

DEPOT = """
CREATE TABLE halls (hall_id INTEGER PRIMARY KEY, hall_name TEXT NOT NULL, district TEXT NOT NULL);
CREATE TABLE subscribers (subscriber_id INTEGER PRIMARY KEY, subscriber_name TEXT NOT NULL, town TEXT, hall_id INTEGER NOT NULL REFERENCES halls, enrolled_on DATE NOT NULL, expires_on DATE);
CREATE TABLE firms (firm_id INTEGER PRIMARY KEY, firm_name TEXT NOT NULL, branch TEXT NOT NULL, contract_until DATE);
CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, subscriber_id INTEGER NOT NULL REFERENCES subscribers, shelved_on DATE NOT NULL, due_on DATE NOT NULL, collected_on DATE, fee NUMERIC);
CREATE TABLE complaints (complaint_id INTEGER PRIMARY KEY, firm_id INTEGER NOT NULL REFERENCES firms, filed_on DATE NOT NULL, state TEXT NOT NULL, cost NUMERIC);
CREATE TABLE repairs (repair_id INTEGER PRIMARY KEY, hall_id INTEGER NOT NULL REFERENCES halls, begun_on DATE NOT NULL, due_on DATE NOT NULL, finished_on DATE);
CREATE TABLE trolleys (trolley_id INTEGER PRIMARY KEY, trolley_name TEXT NOT NULL, hall_id INTEGER NOT NULL REFERENCES halls);
CREATE TABLE hires (hire_id INTEGER PRIMARY KEY, trolley_id INTEGER NOT NULL REFERENCES trolleys, hired_on DATE NOT NULL, given_back_on DATE);
CREATE TABLE faults (fault_id INTEGER PRIMARY KEY, hall_id INTEGER NOT NULL REFERENCES halls, reported_on DATE NOT NULL, resolved_on DATE, state TEXT NOT NULL);
INSERT INTO halls VALUES (1,'Alpha','West'),(2,'Beta','East'),(3,'Gamma','East');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO subscribers SELECT i, 'Person ' || i, CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'Ghent' WHEN 2 THEN 'Bruges' ELSE 'Namur' END, i % 3 + 1, date('2024-01-01', '+' || (i * 10) || ' days'), CASE WHEN i % 5 THEN date('2025-09-01', '+' || (i * 9) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO firms SELECT i, 'Firm ' || i, CASE i % 3 WHEN 0 THEN 'retail' WHEN 1 THEN 'trade' ELSE 'crafts' END, CASE WHEN i % 6 THEN date('2025-12-01', '+' || (i * 9) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240)
INSERT INTO parcels SELECT i, i % 60 + 1, date('2025-10-05', '+' || i || ' days'), date('2025-10-19', '+' || i || ' days'), CASE WHEN i % 3 AND i < 225 THEN date('2025-10-12', '+' || (i + i % 12) || ' days') END, i % 7 + 1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO complaints SELECT i, i % 40 + 1, date('2025-11-10', '+' || i || ' days'), CASE i % 4 WHEN 0 THEN 'open' WHEN 1 THEN 'settled' ELSE 'waived' END, 10 + i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO repairs SELECT i, i % 3 + 1, date('2026-01-01', '+' || i || ' days'), date('2026-01-08', '+' || i || ' days'), CASE WHEN i % 3 AND i < 80 THEN date('2026-01-03', '+' || (i + i % 11) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25)
INSERT INTO trolleys SELECT i, 'Trolley ' || i, i % 3 + 1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO hires SELECT i, i % 20 + 1, date('2026-01-01', '+' || i || ' days'), CASE WHEN i < 90 OR i % 3 THEN date('2026-01-03', '+' || i || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
INSERT INTO faults SELECT i, i % 3 + 1, date('2026-01-01', '+' || i || ' days'), CASE WHEN i % 4 = 1 THEN date('2026-01-04', '+' || i || ' days') END, CASE i % 4 WHEN 1 THEN 'resolved' WHEN 2 THEN 'cancelled' ELSE 'open' END FROM n;
"""

_HELD = "(expires_on IS NULL OR expires_on >= '2026-06-01')"
_OVER = "expires_on < '2026-06-01'"
_HIRED = "SELECT trolley_id FROM hires WHERE given_back_on IS NULL"
_OLDEST = (
    "SELECT parcel_id, shelved_on FROM parcels WHERE collected_on IS NULL ORDER BY shelved_on {} LIMIT {}"
)


@pytest.fixture(scope="module")
def depot():
    return place(DEPOT)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        # who holds today has no day until when, or one that is not over
        ("active subscribers", f"SELECT subscriber_name FROM subscribers WHERE {_HELD}"),
        ("how many current subscribers", f"SELECT COUNT(*) FROM subscribers WHERE {_HELD}"),
        ("active subscribers by hall", f"SELECT hall_name, COUNT(*) FROM subscribers JOIN halls USING (hall_id) WHERE {_HELD} GROUP BY hall_id"),
        ("subscribers not expired", f"SELECT subscriber_name FROM subscribers WHERE {_HELD}"),
        ("how many complaints are still open", "SELECT COUNT(*) FROM complaints WHERE state = 'open'"),
        ("unexpired subscribers", f"SELECT subscriber_name FROM subscribers WHERE {_HELD}"),
        ("parcels of active subscribers", f"SELECT COUNT(*) FROM parcels JOIN subscribers USING (subscriber_id) WHERE {_HELD}"),
        ("parcels of subscribers who have not expired", f"SELECT COUNT(*) FROM parcels JOIN subscribers USING (subscriber_id) WHERE {_HELD}"),
        # what is over has a day that is
        ("inactive subscribers", f"SELECT subscriber_name FROM subscribers WHERE {_OVER}"),
        ("former subscribers", f"SELECT subscriber_name FROM subscribers WHERE {_OVER}"),
        ("subscribers who left", f"SELECT subscriber_name FROM subscribers WHERE {_OVER}"),
        ("subscribers who left this year", f"SELECT subscriber_name FROM subscribers WHERE {_OVER} AND expires_on >= '2026-01-01'"),
        ("percent of subscribers that have expired", f"SELECT 100.0 * COUNT(CASE WHEN {_OVER} THEN 1 END) / COUNT(*) FROM subscribers"),
        ("firms whose contract ended", "SELECT firm_name FROM firms WHERE contract_until < '2026-06-01'"),
        ("firms whose contract ended in 2026", "SELECT firm_name FROM firms WHERE contract_until >= '2026-01-01' AND contract_until < '2026-06-01'"),
        ("firms whose contract ended in 2025", "SELECT firm_name FROM firms WHERE contract_until LIKE '2025%'"),
        ("how many firms with ended contract", "SELECT COUNT(*) FROM firms WHERE contract_until < '2026-06-01'"),
        ("active subscribers who enrolled in 2025", f"SELECT subscriber_name FROM subscribers WHERE {_HELD} AND enrolled_on LIKE '2025%'"),
        ("new active subscribers this year", f"SELECT subscriber_name FROM subscribers WHERE {_HELD} AND enrolled_on LIKE '2026%'"),
        # what is on hire has a hire that is not over
        ("trolleys on hire", f"SELECT trolley_name FROM trolleys WHERE trolley_id IN ({_HIRED})"),
        ("trolleys currently on hire", f"SELECT trolley_name FROM trolleys WHERE trolley_id IN ({_HIRED})"),
        ("trolleys not currently on hire", f"SELECT trolley_name FROM trolleys WHERE trolley_id NOT IN ({_HIRED})"),
        ("how many trolleys are out on hire", f"SELECT COUNT(*) FROM trolleys WHERE trolley_id IN ({_HIRED})"),
        ("trolleys not on hire", f"SELECT trolley_name FROM trolleys WHERE trolley_id NOT IN ({_HIRED})"),
        # that there is such a day says no more than that
        ("firms without a contract", "SELECT firm_name FROM firms WHERE contract_until IS NULL"),
    ],
)  # fmt: skip
def test_what_holds_and_what_is_over_is_held_against_today(depot, text, sql):
    assert_answered(depot, text, sql, TODAY)
    assert outcome(depot, text, TODAY) is Outcome.ANSWERED


@pytest.mark.parametrize(
    "text",
    [
        "firms under contract in 2025",  # not until a day of 2025
        "firms with a current contract and complaints",
        "subscribers active in 2025",  # not who came in 2025 and is there today
        "how many active subscribers in 2025",
        "current parcels",  # not those of current subscribers
        "parcels still open",
        "5 oldest parcels still out",
        "subscribers that are gone",
        "parcels that are out",
    ],
)
def test_what_is_said_of_nothing_that_is_kept_is_no_answer(depot, text):
    assert outcome(depot, text, TODAY) is not Outcome.ANSWERED


def _readings(depot, text):
    """The rows of all readings that compete."""
    assert outcome(depot, text, TODAY) is Outcome.AMBIGUOUS
    frames = understand(text, depot[1], TODAY)[1]
    assert not frames[0].frame.unused
    return [rows(depot, one.sql) for one in frames[:2]]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("halls with more than 26 repairs that finished this year", "SELECT hall_name FROM halls WHERE (SELECT COUNT(*) FROM repairs r WHERE r.hall_id = halls.hall_id AND finished_on >= '2026-01-01') > 26"),
        ("halls with between 5 and 26 repairs that were finished in March 2026", "SELECT hall_name FROM halls WHERE (SELECT COUNT(*) FROM repairs r WHERE r.hall_id = halls.hall_id AND finished_on LIKE '2026-03%') BETWEEN 5 AND 26"),
        ("halls in East and West with more than 26 repairs that finished this year", "SELECT hall_name FROM halls WHERE district IN ('East', 'West') AND (SELECT COUNT(*) FROM repairs r WHERE r.hall_id = halls.hall_id AND finished_on >= '2026-01-01') > 26"),
        ("halls with more than 9 expired subscribers", f"SELECT hall_name FROM halls WHERE (SELECT COUNT(*) FROM subscribers s WHERE s.hall_id = halls.hall_id AND {_OVER}) > 9"),
        ("halls with more than 13 subscribers who enrolled in 2025", "SELECT hall_name FROM halls WHERE (SELECT COUNT(*) FROM subscribers s WHERE s.hall_id = halls.hall_id AND enrolled_on LIKE '2025%') > 13"),
        # who left in a year under way did so before today
        ("halls with more than 4 subscribers who left this year", f"SELECT hall_name FROM halls WHERE (SELECT COUNT(*) FROM subscribers s WHERE s.hall_id = halls.hall_id AND {_OVER} AND expires_on >= '2026-01-01') > 4"),
        # "and" says another thing of them
        ("halls with more than 9 subscribers and with an expired subscriber", f"SELECT hall_name FROM halls WHERE (SELECT COUNT(*) FROM subscribers s WHERE s.hall_id = halls.hall_id) > 9 AND hall_id IN (SELECT hall_id FROM subscribers WHERE {_OVER})"),
    ],
)  # fmt: skip
def test_rows_are_counted_of_which_a_clause_tells(depot, text, sql):
    assert_answered(depot, text, sql, TODAY)


def test_who_is_under_contract_may_have_one_without_an_end(depot):
    dated, either = _readings(depot, "firms under contract")
    assert dated == rows(depot, "SELECT firm_name FROM firms WHERE contract_until >= '2026-06-01'")
    assert either == rows(depot, "SELECT firm_name FROM firms WHERE contract_until IS NULL OR contract_until >= '2026-06-01'")  # fmt: skip


def test_the_oldest_of_what_was_closed_otherwise_is_asked_for(depot):
    """A cancelled fault is not resolved, and nobody waits for it."""
    oldest = (
        "SELECT fault_id, reported_on FROM faults WHERE resolved_on IS NULL {} ORDER BY reported_on LIMIT 3"
    )
    gold = [rows(depot, oldest.format(one)) for one in ("", "AND state <> 'cancelled'")]
    assert _readings(depot, "3 oldest faults that are not resolved") == gold


@pytest.mark.parametrize("text", ["subscribers that have not collected", "who has not collected", "subscribers who have not collected a parcel"])  # fmt: skip
def test_things_with_which_a_deed_was_not_done_are_waiting_or_never_were(depot, text):
    with_one = "SELECT subscriber_name FROM subscribers WHERE subscriber_id IN (SELECT subscriber_id FROM parcels WHERE collected_on IS NULL)"
    never = "SELECT subscriber_name FROM subscribers WHERE subscriber_id NOT IN (SELECT subscriber_id FROM parcels WHERE collected_on IS NOT NULL)"
    assert _readings(depot, text) == [rows(depot, with_one), rows(depot, never)]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("the oldest uncollected parcel", _OLDEST.format("", 1)),
        ("5 earliest parcels not collected", _OLDEST.format("", 5)),
        ("earliest 5 parcels not collected", _OLDEST.format("", 5)),
        ("the newest parcel that hasn't been collected", _OLDEST.format("DESC", 1)),
        ("oldest parcel that was never collected", _OLDEST.format("", 1)),
        ("latest 3 parcels that are still uncollected", _OLDEST.format("DESC", 3)),
        ("parcels not collected", "SELECT COUNT(*) FROM parcels WHERE collected_on IS NULL"),
    ],
)
def test_the_oldest_of_what_was_not_done_is_told_by_when_it_began(depot, text, sql):
    assert_answered(depot, text, sql, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "uncollected parcels that were collected",
        "latest collection of parcels that are not collected",
        "when was the earliest uncollected parcel",
        "average days from shelved on to uncollected",
        "parcels with fee over 6 and under 2",
    ],
)
def test_what_excludes_itself_is_no_answer(depot, text):
    assert outcome(depot, text, TODAY) is not Outcome.ANSWERED


@pytest.fixture(scope="module")
def slots(depot):
    model = depot[1].model
    return {
        column: Slot(model.field(table, column))
        for table, column in (("parcels", "collected_on"), ("parcels", "fee"), ("complaints", "state"))
    }


def _period(slot, first, until):
    return Condition("period", (slot,), period=Period(first, until, "day"))


def _bound(slot, compare, number):
    return Condition("compare", compare=compare, number=number, expr=Expr("column", (slot,)))


def test_conditions_that_exclude_each_other_are_told(slots):
    done, fee, state = slots["collected_on"], slots["fee"], slots["state"]
    missing, filled = Condition("missing", (done,)), Condition("filled", (done,))
    spring = _period(done, date(2026, 3, 1), date(2026, 6, 1))
    autumn = _period(done, date(2025, 9, 1), date(2025, 12, 1))
    one_open, settled = Condition("in", (state,), ("open",)), Condition("in", (state,), ("settled",))
    there = Condition("exists", child="parcels")
    torn = [
        (missing, filled),
        (missing, Condition("missing", (done,), negated=True)),
        (filled, Condition("filled", (done,), negated=True)),
        (missing, spring),
        (spring, autumn),
        (autumn, Condition("any", parts=(missing, spring))),
        (Condition("all", parts=(missing,)), spring),
        (one_open, settled),
        (one_open, Condition("not in", (state,), ("open", "waived"))),
        (one_open, Condition("in", (state,), ("open",), negated=True)),
        (_bound(fee, ">", 6), _bound(fee, "<", 2)),
        (_bound(fee, ">", 6), _bound(fee, "<=", 6)),
        (there, Condition("exists", child="parcels", negated=True)),
        (Condition("exists", child="parcels", parts=(missing,)), Condition("exists", child="parcels", parts=(missing,), negated=True)),
    ]  # fmt: skip
    kept = [
        (missing,),
        (filled, spring),
        (spring, Condition("any", parts=(missing, spring))),
        (Condition("in", (state,), ("open", "settled")), settled),
        (one_open, Condition("not in", (state,), ("waived",))),
        (_bound(fee, ">=", 6), _bound(fee, "<=", 6)),
        (_bound(fee, ">", 2), _bound(fee, "<", 6)),
        (there, Condition("exists", child="parcels", parts=(missing,), negated=True)),
        (Condition("missing", (done,), negated=True), spring),
    ]
    assert [one for one in torn if not contradicts(Frame("parcels", where=one))] == []
    assert [one for one in kept if contradicts(Frame("parcels", where=one))] == []


def test_a_column_that_is_missing_has_no_order_and_no_figure(slots):
    done = Expr("column", (slots["collected_on"],))
    missing = Condition("missing", (slots["collected_on"],))
    assert contradicts(Frame("parcels", where=(missing,), order=Order(by=done)))
    assert contradicts(Frame("parcels", (Measure("min", "parcels", done),), where=(missing,)))
    assert contradicts(Frame("parcels", (Measure("distinct", "parcels", done),), where=(missing,)))
    assert not contradicts(Frame("parcels", (Measure("rows", "parcels"),), where=(missing,)))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("parcels in the last 3 months", "June 2026 is left out: it is not over yet."),
        ("parcels per month in the last 6 months", "June 2026 is left out: it is not over yet."),
        ("complaints in the last 2 quarters", "Q2 2026 is left out: it is not over yet."),
        ("parcels in the last 2 years", "2026 is left out: it is not over yet."),
        ("parcels in the last 3 months or this month", ""),
        ("parcels last month", ""),
        ("parcels in the last 30 days", ""),
        ("parcels this month", ""),
        ("subscribers not in Ghent", "Rows where town is missing are left out."),
        ("parcels of subscribers not in Ghent", "Rows where town of subscribers is missing are left out."),
        ("subscribers in Ghent", ""),
        ("firms not in retail", ""),
    ],
)
def test_what_is_left_out_unsaid_is_named(depot, text, note):
    said = analysed(depot, text, TODAY).candidates[0].notes
    assert [one for one in said if "left out" in one] == ([note] if note else [])


@pytest.mark.parametrize(
    ("text", "under"),
    [
        ("late repairs as % of all repairs", "1"),
        ("what % of all repairs were finished late", "1"),
        ("percent of all repairs that were late", "1"),
        ("late repairs as % of all repairs, per district", "1"),
        ("share of late repairs per district", "finished_on IS NOT NULL"),
    ],
)
def test_all_rows_are_also_those_that_are_not_done_yet(depot, text, under):
    share = f"100.0 * COUNT(CASE WHEN finished_on > due_on THEN 1 END) / COUNT(*) FROM repairs JOIN halls USING (hall_id) WHERE {under}"
    sql = f"SELECT district, {share} GROUP BY district" if "district" in text else f"SELECT {share}"
    assert_answered(depot, text, sql, TODAY)
