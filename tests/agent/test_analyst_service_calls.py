"""A firm that answers service calls: amounts of rows, response times, states that never came to be, unknown nouns that are asked for."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import changed
from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place, rows

TODAY = date(2026, 1, 5)
FIRM = """
CREATE TABLE plan (plan_id INTEGER PRIMARY KEY, plan_name TEXT, monthly_fee REAL);
CREATE TABLE client (client_id INTEGER PRIMARY KEY, client_name TEXT, kind TEXT, plan_id INTEGER REFERENCES plan, founded_year INTEGER, joined_on TEXT, left_on TEXT);
CREATE TABLE machine (machine_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client, maker TEXT, scrapped_on TEXT);
CREATE TABLE call (call_id INTEGER PRIMARY KEY, machine_id INTEGER REFERENCES machine, called_on TEXT, arrived_on TEXT, done_on TEXT, charge REAL, promo_code TEXT);
CREATE TABLE inspection (inspection_id INTEGER PRIMARY KEY, machine_id INTEGER REFERENCES machine, planned_on TEXT, done_on TEXT, status TEXT);
CREATE TABLE invoice (invoice_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client, issued_on TEXT, paid_on TEXT, total REAL);
INSERT INTO plan VALUES (1, 'Basic', 10), (2, 'Business', 30), (3, 'Plus', 20);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO client SELECT i, 'Client ' || i, CASE i % 3 WHEN 0 THEN 'business' ELSE 'private' END, i % 3 + 1, 1950 + i, date('2023-01-01', '+' || (i * 9) || ' days'), CASE i % 6 WHEN 0 THEN date('2024-06-01', '+' || (i * 9) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO machine SELECT i, i % 60 + 1, CASE i % 2 WHEN 0 THEN 'Otto' ELSE 'Kolb' END, CASE i % 9 WHEN 0 THEN '2025-02-01' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO call SELECT i, i % 90 + 1, date('2024-01-02', '+' || i || ' days'), date('2024-01-02', '+' || (i + 1 + i % 2) || ' days'), date('2024-01-02', '+' || (i + 5) || ' days'), 50 + i % 40, CASE i % 7 WHEN 0 THEN 'WARM' WHEN 1 THEN CASE i % 2 WHEN 0 THEN 'COLD' END END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO inspection SELECT i, i % 90 + 1, date('2024-01-02', '+' || i || ' days'), CASE i % 5 WHEN 0 THEN NULL ELSE date('2024-01-02', '+' || (i + i % 3) || ' days') END, CASE i % 5 WHEN 0 THEN 'missed' ELSE 'done' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO invoice SELECT i, i % 60 + 1, date('2024-01-02', '+' || i || ' days'), CASE i % 4 WHEN 0 THEN NULL ELSE date('2024-01-12', '+' || i || ' days') END, 100 + i % 50 FROM n;
"""


@pytest.fixture(scope="module")
def firm():
    return place(FIRM)


AVERAGE = "SELECT AVG(julianday({last}) - julianday(called_on)) FROM call"
AMOUNT = "SELECT SUM(total) FROM invoice WHERE paid_on IS NULL"
JOINED = "FROM call JOIN machine USING (machine_id) JOIN client USING (client_id) JOIN plan USING (plan_id)"
COMING = "FROM client JOIN invoice USING (client_id) GROUP BY client_id HAVING COUNT(*)"
ANSWERS = [
    ("amount of unpaid invoices", AMOUNT),
    ("total of unpaid invoices", AMOUNT),
    ("unpaid invoice amount", AMOUNT),
    ("average invoice amount", "SELECT AVG(total) FROM invoice"),
    ("average response time for calls", AVERAGE.format(last="arrived_on")),
    ("average time until calls are done", AVERAGE.format(last="done_on")),
    ("how long does a call take", AVERAGE.format(last="done_on")),
    ("average founded year by kind", "SELECT kind, AVG(founded_year) FROM client GROUP BY 1"),
    ("missed inspections by year", "SELECT strftime('%Y', planned_on), COUNT(*) FROM inspection WHERE status = 'missed' GROUP BY 1"),
    ("inspections done after the planned date", "SELECT COUNT(*) FROM inspection WHERE done_on > planned_on"),
    ("how many business clients joined in 2024", "SELECT COUNT(*) FROM client WHERE kind = 'business' AND joined_on LIKE '2024%'"),
    ("calls per plan without Business", f"SELECT plan_name, COUNT(*) {JOINED} WHERE plan_name <> 'Business' GROUP BY 1"),
    ("calls and revenue by maker", "SELECT maker, COUNT(*), SUM(charge) FROM call JOIN machine USING (machine_id) GROUP BY 1"),
    ("revenu from calls in 2025", "SELECT SUM(charge) FROM call WHERE called_on LIKE '2025%'"),
    ("returning clients", f"SELECT client_name {COMING} > 1"),
    ("one-time clients", f"SELECT client_name {COMING} = 1"),
    ("how many clients came back", f"SELECT COUNT(*) FROM (SELECT client_name {COMING} > 1)"),
    ("clients on plus plan", "SELECT client_name FROM client JOIN plan USING (plan_id) WHERE plan_name = 'Plus'"),
    ("most used promo code", "SELECT 'WARM', COUNT(*) FROM call WHERE promo_code = 'WARM'"),
    (
        "churn rate 2025",
        "SELECT 100.0 * SUM(left_on LIKE '2025%') / COUNT(*) FROM client WHERE joined_on < '2025-01-01' AND (left_on IS NULL OR left_on >= '2025-01-01')",
    ),
    ("call charges by maker, most expensive first", "SELECT maker, SUM(charge) FROM call JOIN machine USING (machine_id) GROUP BY 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sql"), ANSWERS, ids=[text for text, _ in ANSWERS])
def test_a_question_is_answered_as_somebody_there_would(firm, text, sql):
    assert_answered(firm, text, sql, TODAY)


def test_the_busiest_month_is_of_what_happens_and_not_of_its_bills(firm):
    assert 'FROM "call"' in understand("busiest month", firm[1], TODAY)[1][0].sql


@pytest.mark.parametrize(
    "text", ["client satisfaction by plan", "gender split of our clients", "call loyalty by maker"]
)
def test_an_unknown_noun_that_is_asked_for_is_told_as_missing(firm, text):
    assert outcome(firm, text, TODAY) == Outcome.UNANSWERABLE


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("what did the electricity cost us per month", "electricity"),
        ("how many sick days were there in 2025", "sick"),
        ("calls on days with wind", "wind"),
        ("which competitor took clients from us", "competitor"),
        ("which colleague handled the most calls", "colleague"),
        ("number of client complaints last month", "complaints"),
        ("which sculptor handled the most calls", "sculptor"),
        ("clients on the waiting list", "waiting"),
        ("how satisfied are our clients, by plan", "satisfied"),
        ("commission of calls by maker", "commission"),
        ("what did the machines cost us in fuel in 2025", "fuel"),
    ],
)
def test_a_kind_of_thing_that_nothing_here_records_is_named(firm, text, word):
    found = analysed(firm, text, TODAY).outcome()
    assert (found[0], word in found[1]) == (Outcome.UNANSWERABLE, True)


@pytest.mark.parametrize(
    "text",
    [
        "how many machines were seen per quarter",  # a verb
        "calls that went ahead after midnight before the others",  # adverbs and pronouns
        "average value of a normal call compared to a free one",  # adjectives
        "attempt by client",  # a figure that others give
        "occupancy by maker",
        "which inspectors missed something in 2025",  # begins like a table's name
    ],
)
def test_what_may_be_told_otherwise_is_never_called_missing(firm, text):
    assert analysed(firm, text, TODAY).outcome()[0] is not Outcome.UNANSWERABLE


@pytest.mark.parametrize("text", ["churn rate by month", "churn rate not in 2025"])
def test_a_churn_rate_that_cannot_be_told_of_its_period_is_a_draft(firm, text):
    assert outcome(firm, text, TODAY) == Outcome.AMBIGUOUS


@pytest.mark.parametrize("text", ["clients who complained", "calls by plan"])
def test_a_verb_that_is_unknown_leaves_a_draft_and_what_is_known_an_answer(firm, text):
    assert outcome(firm, text, TODAY) != Outcome.UNANSWERABLE


def test_a_response_is_none_where_nobody_notes_when_somebody_came(firm):
    frames = understand("average response time for invoices", firm[1], TODAY)[1]
    assert not any("paid_on" in one.sql for one in frames[:1])


@pytest.mark.parametrize(
    ("before", "typed", "stated"),
    [
        ("calls per maker, as a share of the total", "back to the count", "calls per maker"),
        ("calls and charges by maker", "drop the calls", "charges by maker"),
        ("calls and charges by maker", "just the charges", "charges by maker"),
        ("calls by maker, with charges alongside", "drop the charges", "calls by maker"),
        ("average charge by maker", "total charge instead", "total charge by maker"),
        ("calls by maker for business clients", "all kinds again", "calls by maker"),
    ],
)
def test_a_follow_up_takes_figures_away_and_brings_them_back(firm, before, typed, stated):
    said = changed(typed, before, firm[1], TODAY)
    assert said, (before, typed)
    found, wanted = (understand(text, firm[1], TODAY)[1][0].sql for text in (said, stated))
    assert rows(firm, found) == rows(firm, wanted)


MILL = """
CREATE TABLE buyer (buyer_id INTEGER PRIMARY KEY, buyer_name TEXT, key_account TEXT);
CREATE TABLE run (run_id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyer, machine TEXT, started_on TEXT, good_qty INTEGER, scrap_qty INTEGER);
CREATE TABLE scrap_entry (entry_id INTEGER PRIMARY KEY, run_id INTEGER REFERENCES run, cause TEXT);
CREATE TABLE repair (repair_id INTEGER PRIMARY KEY, run_id INTEGER REFERENCES run, cause TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO buyer SELECT i, 'Buyer ' || i, CASE i % 2 WHEN 0 THEN 'Y' ELSE 'N' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO run SELECT i, i % 12 + 1, 'Press ' || (i % 4), date('2024-01-02', '+' || i || ' days'), 90 + i % 10, i % 7 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO scrap_entry SELECT i, i * 3, 'dull' FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO repair SELECT i, i * 3, 'dull' FROM n;
"""


@pytest.fixture(scope="module")
def mill():
    return place(MILL)


@pytest.mark.parametrize(
    ("text", "drafted"),
    [
        ("scrap rate by machine", True),  # the share of runs with scrap, or of pieces
        ("repair rate by machine", False),
        ("number of runs for each key account", True),
        ("number of runs by key account", False),
        ("number of runs for each machine", False),
    ],
)
def test_a_rate_of_rows_and_a_flag_taken_for_a_noun_are_drafts(mill, text, drafted):
    assert outcome(mill, text, TODAY) is (Outcome.AMBIGUOUS if drafted else Outcome.ANSWERED)
