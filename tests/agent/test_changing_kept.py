"""Follow-ups that keep all of the question before: its groups, its figure and its conditions, whatever words of theirs are called like."""

from __future__ import annotations

from datetime import date

import pytest
from places import assert_answered, outcome, place, rows

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import changed
from sqlagent.values import Outcome

TODAY = date(2026, 1, 5)
AGENCY = """
CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, shop_name TEXT, city TEXT);
CREATE TABLE category (category_id INTEGER PRIMARY KEY, category_name TEXT);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, product_name TEXT, category_id INTEGER REFERENCES category);
CREATE TABLE client (client_id INTEGER PRIMARY KEY, client_name TEXT, email TEXT, status TEXT, joined_on TEXT);
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, full_name TEXT, left_on TEXT);
CREATE TABLE skill (skill_id INTEGER PRIMARY KEY, skill_name TEXT);
CREATE TABLE client_skill (client_id INTEGER REFERENCES client, skill_id INTEGER REFERENCES skill, valid_until TEXT, PRIMARY KEY (client_id, skill_id));
CREATE TABLE placement (placement_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client, staff_id INTEGER REFERENCES staff, placed_at TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client, shop_id INTEGER REFERENCES shop, channel TEXT, ordered_on TEXT, cancelled_on TEXT, paid_on TEXT);
CREATE TABLE order_line (order_line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES product, quantity INTEGER, amount REAL);
CREATE TABLE refund (refund_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, refunded_on TEXT, value_eur REAL);
CREATE TABLE lesson (lesson_id INTEGER PRIMARY KEY, staff_id INTEGER REFERENCES staff, lesson_date TEXT, status TEXT);
INSERT INTO shop VALUES (1, 'North', 'Linz'), (2, 'South', 'Graz');
INSERT INTO category VALUES (1, 'Books'), (2, 'Toys');
INSERT INTO skill VALUES (1, 'Welding'), (2, 'Driving'), (3, 'Cooking');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
INSERT INTO product SELECT i, 'Product ' || i, i % 2 + 1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO client SELECT i, 'Client ' || i, 'c' || i || '@mail.example', CASE i % 4 WHEN 0 THEN 'PAUSED' ELSE 'ACTIVE' END, date('2024-01-01', '+' || (i * 9) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO staff SELECT i, 'Person ' || i, CASE i % 4 WHEN 0 THEN '2025-03-01' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT OR IGNORE INTO client_skill SELECT i % 50 + 1, i % 3 + 1, CASE i % 5 WHEN 0 THEN '2025-06-01' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO placement SELECT i, i % 40 + 1, i % 12 + 1, date('2024-01-01', '+' || (i * 3) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO orders SELECT i, i % 60 + 1, i % 2 + 1, CASE i % 3 WHEN 0 THEN 'web' ELSE 'shop' END, date('2024-01-01', '+' || i || ' days'), CASE i % 7 WHEN 0 THEN date('2024-01-03', '+' || i || ' days') END, CASE i % 5 WHEN 0 THEN NULL ELSE date('2024-01-09', '+' || i || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
INSERT INTO order_line SELECT i, i % 600 + 1, i % 20 + 1, i % 4 + 1, 10 + i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
INSERT INTO refund SELECT i, i * 4, date('2024-01-05', '+' || (i * 4) || ' days'), 5 + i % 20 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO lesson SELECT i, i % 12 + 1, date('2024-02-01', '+' || (i * 5) || ' days'), CASE i % 6 WHEN 0 THEN 'planned' WHEN 1 THEN 'running' ELSE 'finished' END FROM n;
"""


@pytest.fixture(scope="module")
def agency():
    return place(AGENCY)


@pytest.mark.parametrize(
    ("before", "typed", "stated"),
    [
        # a condition, and not the group that is called as one of its values
        ("revenue by shop 2024", "without the web orders", "revenue by shop 2024 without web orders"),
        ("orders by shop 2025 for web", "drop the channel filter", "orders by shop 2025"),
        # another thing in the place of what was counted
        ("orders per channel", "what about refunds?", "refunds per channel"),
        ("orders per channel", "and refunds?", "refunds per channel"),
        # how it is shown
        ("refunds by month", "share of each", "refunds by month, as a share of the total"),
        ("clients per skill", "top 2 skills", "clients per skill, top 2"),
        ("top 5 clients by revenue", "list their emails", "top 5 clients by revenue, with email alongside"),
        ("orders in 2025 per month", "compare with 2024", "orders in 2025 per month, compared with the year before"),
        # the total alone
        ("orders per month 2025", "just the total", "number of orders 2025"),
        ("orders per month 2025", "just the total, not by month", "number of orders 2025"),
        # denied states and people
        ("orders by channel this year", "without cancelled ones", "orders by channel this year not cancelled"),
        ("placements per staff in 2025", "leave out people who have left", "placements per staff in 2025 for staff who have not left"),
        ("clients per skill", "active ones only", "active clients per skill"),
        # sums and counts
        ("amount of refunds by month 2025", "how many were there each month?", "number of refunds by month 2025"),
        ("how many web orders are not paid yet", "what amount is that in total", "revenue of web orders not paid"),
    ],
)  # fmt: skip
def test_a_follow_up_keeps_what_it_does_not_change(agency, before, typed, stated):
    said = changed(typed, before, agency[1], TODAY)
    assert said, (before, typed)
    found, wanted = (understand(text, agency[1], TODAY)[1][0].sql for text in (said, stated))
    assert rows(agency, found) == rows(agency, wanted)


def test_a_thing_that_is_shown_brings_the_name_of_what_it_belongs_to(agency):
    said = changed("with their category", "top 5 products by revenue", agency[1], TODAY)
    gold = "SELECT product_name, category_name, SUM(amount) FROM order_line JOIN product USING (product_id) JOIN category USING (category_id) JOIN orders USING (order_id) WHERE cancelled_on IS NULL GROUP BY product_id ORDER BY 3 DESC LIMIT 5"
    found = understand(said, agency[1], TODAY)[1][0].sql
    assert rows(agency, found) == rows(agency, gold)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("how many clients were never placed", "SELECT COUNT(*) FROM client WHERE client_id NOT IN (SELECT client_id FROM placement)"),
        ("how many lessons are running now", "SELECT COUNT(*) FROM lesson WHERE status = 'running'"),
        ("active clients per skill", "SELECT skill_name, COUNT(*) FROM client_skill JOIN skill USING (skill_id) JOIN client USING (client_id) WHERE status = 'ACTIVE' GROUP BY 1"),
        ("orders in 2025 not cancelled", "SELECT COUNT(*) FROM orders WHERE ordered_on LIKE '2025%' AND cancelled_on IS NULL"),
    ],
)  # fmt: skip
def test_what_follow_ups_lead_to_is_understood_when_it_is_asked(agency, text, gold):
    assert_answered(agency, text, gold, TODAY)


def test_a_group_of_nothing_is_no_answer(agency):
    """After a question of which nothing was made "by shop" stands alone: each shop would be counted once."""
    assert outcome(agency, "by shop", TODAY) != Outcome.ANSWERED
