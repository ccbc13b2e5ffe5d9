"""An orchard: columns held against each other, ended contracts, figures of each year, shares of what something happened to."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.telling import told
from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, place, rows

TODAY = date(2026, 3, 10)

ORCHARD = """
CREATE TABLE growers (grower_id INTEGER PRIMARY KEY, grower_name TEXT, boss_id INTEGER REFERENCES growers(grower_id), wage REAL, hired_on TEXT);
CREATE TABLE fruits (fruit_id INTEGER PRIMARY KEY, fruit_name TEXT, price REAL, cost REAL);
CREATE TABLE contracts (contract_id INTEGER PRIMARY KEY, grower_id INTEGER REFERENCES growers, start_date TEXT, end_date TEXT, status TEXT, end_reason TEXT);
CREATE TABLE deliveries (delivery_id INTEGER PRIMARY KEY, grower_id INTEGER REFERENCES growers, fruit_id INTEGER REFERENCES fruits, delivered_on TEXT, crates INTEGER, crate_price REAL, amount REAL);
CREATE TABLE rejections (rejection_id INTEGER PRIMARY KEY, delivery_id INTEGER REFERENCES deliveries, rejected_on TEXT, reason TEXT);
INSERT INTO growers VALUES (1, 'Ada', NULL, 40, '2020-01-01'), (2, 'Bo', 1, 45, '2019-05-01'), (3, 'Cy', 1, 30, '2021-07-01'), (4, 'Di', 2, 45, '2018-02-01'), (5, 'Ed', 3, 31, '2022-09-01');
INSERT INTO fruits VALUES (1, 'Apple', 5.0, 3.0), (2, 'Pear', 4.0, 4.5), (3, 'Plum', 6.0, 6.0), (4, 'Quince', 3.0, 3.5);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO contracts SELECT i, i % 5 + 1, date('2023-01-01', '+' || (i * 10) || ' days'), CASE WHEN i % 3 = 0 THEN date('2024-06-01', '+' || (i * 9) || ' days') END, CASE WHEN i % 3 = 0 THEN 'cancelled' ELSE 'active' END, CASE WHEN i % 3 = 0 THEN CASE WHEN i % 2 THEN 'price' ELSE 'drought' END END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO deliveries SELECT i, i % 5 + 1, i % 4 + 1, date('2024-01-02', '+' || (i * 2) || ' days'), i % 7 + 1, 2.0 + i % 5, (i % 7 + 1) * (2.0 + i % 5) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70)
INSERT INTO rejections SELECT i, i * 5, date('2024-01-05', '+' || (i * 10) || ' days'), CASE i % 2 WHEN 0 THEN 'bruised' ELSE 'late' END FROM n;
"""


@pytest.fixture(scope="module")
def orchard():
    return place(ORCHARD)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("growers who earn more than their boss", "SELECT 'Bo' UNION ALL SELECT 'Ed'"),
        ("which growers have a lower wage than their boss", "SELECT 'Cy'"),
        ("growers hired before their boss", "SELECT 'Bo' UNION ALL SELECT 'Di'"),
        ("how many growers do not earn more than their boss", "SELECT 2"),
        ("fruits whose price is below their cost", "SELECT 'Pear' UNION ALL SELECT 'Quince'"),
        ("fruits with a cost above their price", "SELECT 'Pear' UNION ALL SELECT 'Quince'"),
        ("how many fruits have a price higher than their cost", "SELECT 1"),
        ("deliveries with a crate price below the fruit price", "SELECT COUNT(*) FROM deliveries d JOIN fruits f USING (fruit_id) WHERE d.crate_price < f.price"),
        ("how many contracts were cancelled in 2025", "SELECT COUNT(*) FROM contracts WHERE status = 'cancelled' AND end_date LIKE '2025%'"),
        ("cancelled contracts by year", "SELECT strftime('%Y', end_date), COUNT(*) FROM contracts WHERE status = 'cancelled' GROUP BY 1"),
        ("how many contracts started in 2023 were cancelled", "SELECT COUNT(*) FROM contracts WHERE status = 'cancelled' AND start_date LIKE '2023%'"),
        ("contracts cancelled in 2025 because of drought", "SELECT COUNT(*) FROM contracts WHERE end_reason = 'drought' AND end_date LIKE '2025%'"),
        ("contracts that ended in 2025 because of price", "SELECT COUNT(*) FROM contracts WHERE end_reason = 'price' AND end_date LIKE '2025%'"),
        ("how many contracts were cancelled in 2024 and 2025", "SELECT strftime('%Y', end_date), COUNT(*) FROM contracts WHERE status = 'cancelled' AND end_date >= '2024' AND end_date < '2026' GROUP BY 1"),
        ("amount in 2024 and 2025 by fruit", "SELECT f.fruit_name, SUM(CASE WHEN delivered_on LIKE '2024%' THEN amount ELSE 0 END), SUM(CASE WHEN delivered_on LIKE '2025%' THEN amount ELSE 0 END) FROM deliveries JOIN fruits f USING (fruit_id) GROUP BY 1"),
        ("which fruits cost more than 4.5", "SELECT fruit_name FROM fruits WHERE price > 4.5"),
        ("how many fruits cost less than 5", "SELECT 2"),
        ("which fruit costs the most?", "SELECT 'Plum', 6.0"),
        ("how expensive is the Pear", "SELECT 4.0"),
        ("what does the Apple cost", "SELECT 5.0"),
        ("boss of Di", "SELECT 'Bo'"),
        ("Ed's boss", "SELECT 'Cy'"),
        ("people under Ada", "SELECT 'Bo' UNION ALL SELECT 'Cy'"),
        ("amount in 2024 and in 2025", "SELECT strftime('%Y', delivered_on), SUM(amount) FROM deliveries WHERE delivered_on < '2026' GROUP BY 1"),
        ("how many deliveries in 2024 and 2025", "SELECT strftime('%Y', delivered_on), COUNT(*) FROM deliveries WHERE delivered_on < '2026' GROUP BY 1"),
        ("total amount in 2024 and 2025", "SELECT SUM(amount) FROM deliveries WHERE delivered_on < '2026'"),
        ("share of rejected deliveries", "SELECT 100.0 * 70 / 400"),
        ("what percentage of deliveries was rejected in 2025", "SELECT 100.0 * COUNT(r.delivery_id) / COUNT(*) FROM deliveries d LEFT JOIN (SELECT DISTINCT delivery_id FROM rejections) r USING (delivery_id) WHERE d.delivered_on LIKE '2025%'"),
        ("percentage of deliveries rejected by fruit", "SELECT f.fruit_name, 100.0 * COUNT(r.delivery_id) / COUNT(*) FROM deliveries d JOIN fruits f USING (fruit_id) LEFT JOIN (SELECT DISTINCT delivery_id FROM rejections) r USING (delivery_id) GROUP BY 1"),
    ],
)  # fmt: skip
def test_answered(orchard, text, sql):
    assert_answered(orchard, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "figure", "sign"),
    [
        ("growers with more deliveries than last year", "COUNT(*)", ">"),
        ("growers whose amount fell compared with last year", "SUM(amount)", "<"),
    ],
)
def test_what_moved_since_the_period_before_is_held_against_it(orchard, text, figure, sign):
    last, this = (f"{figure} FILTER (WHERE delivered_on LIKE '{year}%')" for year in (2024, 2025))
    gold = f"SELECT grower_name, {last}, {this} FROM deliveries JOIN growers USING (grower_id) GROUP BY 1 HAVING {this} {sign} {last}"  # fmt: skip
    assert 0 < len(rows(orchard, gold)) < 5
    assert_answered(orchard, text, gold, date(2025, 12, 31))


@pytest.mark.parametrize(
    ("text", "word"),
    [("amount higher than last year by grower", "higher than"), ("growers per boss incl. those without a boss", "incl"), ("growers who only deliver apples", "only"), ("which fruit has the most deliveries and which has the fewest", "fewest"), ("cheapest and most expensive fruit", "most expensive"), ("amount in 2024 and crates in 2025 by fruit", "crates")],
)  # fmt: skip
def test_a_comparison_that_was_dropped_makes_a_draft(orchard, text, word):
    found = analysed(orchard, text, TODAY)
    assert found.outcome()[0] is not Outcome.ANSWERED
    assert word in understand(text, orchard[1], TODAY)[1][0].frame.unused


@pytest.mark.parametrize(
    "text",
    [
        "When did Bo deliver for the first and the last time?",
        "first and last delivery by reason last month",
        "growth of amount 2025 2025",
        "deliveries that were never how many growers get fruits but haven't delivered this year",
        "By how many percent has the price gone up we deliver more on saturdays or on sundays? average amount per grower and day",
    ],
)
def test_muddled_questions_are_read_to_an_end(orchard, text):
    for one in understand(text, orchard[1], TODAY)[1]:
        assert told(one.frame) and rows(orchard, one.sql) is not None


def test_a_pair_of_columns_is_told(orchard):
    frame = understand("growers who earn more than their boss", orchard[1], TODAY)[1][0].frame
    assert "wage more than" in told(frame)
    frame = understand("growers hired before their boss", orchard[1], TODAY)[1][0].frame
    assert "hired on before" in told(frame)


def test_a_median_is_called_so(orchard):
    frames = understand("median price of fruits", orchard[1], TODAY)[1]
    assert "AS median_price" in frames[0].sql
