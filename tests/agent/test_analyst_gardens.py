"""A firm that looks after gardens: idle deeds of the firm, nouns of one stem, dated deeds, work that begins by arriving, money that is owed."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place

TODAY = date(2025, 10, 31)

FIRM = """
CREATE TABLE gardeners (gardener_id INTEGER PRIMARY KEY, full_name TEXT, job TEXT, chief_id INTEGER REFERENCES gardeners(gardener_id), left_on TEXT);
CREATE TABLE gardens (garden_id INTEGER PRIMARY KEY, garden_name TEXT, county TEXT, year_laid INTEGER, head_gardener_id INTEGER REFERENCES gardeners(gardener_id), brought_by_garden_id INTEGER REFERENCES gardens(garden_id), tenure TEXT);
CREATE TABLE plants (plant_id INTEGER PRIMARY KEY, plant_name TEXT, genus TEXT, category TEXT);
CREATE TABLE plantings (planting_id INTEGER PRIMARY KEY, garden_id INTEGER REFERENCES gardens, plant_id INTEGER REFERENCES plants, planted_on TEXT, check_due_on TEXT);
CREATE TABLE suppliers (supplier_id INTEGER PRIMARY KEY, supplier_name TEXT, town TEXT);
CREATE TABLE deliveries (delivery_id INTEGER PRIMARY KEY, supplier_id INTEGER REFERENCES suppliers, visit_id INTEGER REFERENCES visits, arrived_on TEXT);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, garden_id INTEGER REFERENCES gardens, gardener_id INTEGER REFERENCES gardeners, kind TEXT, state TEXT, booked_on TEXT, visit_on TEXT, arrived_at TEXT, finished_at TEXT);
CREATE TABLE invoices (invoice_id INTEGER PRIMARY KEY, invoice_no TEXT, garden_id INTEGER REFERENCES gardens, sent_on TEXT, due_on TEXT, paid_on TEXT, status TEXT, net_amount REAL, vat_amount REAL, total_amount REAL);
INSERT INTO gardeners VALUES (1, 'Ada Ash', 'Head of Lawns', NULL, NULL), (2, 'Bo Birch', 'Mower', 1, NULL), (3, 'Cy Cedar', 'Mower', 1, NULL), (4, 'Di Dogwood', 'Pruner', 5, NULL), (5, 'Ed Elder', 'Head of Trees', NULL, NULL);
INSERT INTO suppliers VALUES (1, 'Moss & Sons', 'Bath'), (2, 'Peat Ltd', 'Wells'), (3, 'Loam Bros', 'Bath');
INSERT INTO plants VALUES (1, 'Lady fern', 'fern', 'shade'), (2, 'Dog rose', 'rose', 'sun'), (3, 'Holm oak', 'oak', 'sun'), (4, 'Tea rose', 'rose', 'sun');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
INSERT INTO gardens SELECT i, 'Garden ' || i, CASE i % 3 WHEN 0 THEN 'Kent' WHEN 1 THEN 'Devon' ELSE 'Surrey' END, 1900 + i, i % 2 * 4 + 1, CASE WHEN i % 4 = 0 THEN i % 3 + 1 END, CASE i % 2 WHEN 0 THEN 'owned' ELSE 'rented' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO plantings SELECT i, i % 20 + 1, i % 4 + 1, date('2024-01-10', '+' || (i * 5) || ' days'), date('2024-09-10', '+' || (i * 5) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO visits SELECT i, i % 24 + 1, i % 4 + 1, CASE i % 3 WHEN 0 THEN 'pruning' WHEN 1 THEN 'mowing' ELSE 'spraying' END, CASE WHEN i % 11 = 0 THEN 'called off' WHEN i > 280 THEN 'booked' ELSE 'done' END,
  date('2023-12-20', '+' || (i * 2) || ' days'), date('2024-01-05', '+' || (i * 2) || ' days'),
  CASE WHEN i % 11 AND i <= 280 THEN datetime('2024-01-05 08:00', '+' || (i * 2) || ' days') END, CASE WHEN i % 11 AND i <= 280 THEN datetime('2024-01-05 08:30', '+' || (i * 2) || ' days', '+' || (i % 50) || ' minutes') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO deliveries SELECT i, i % 2 + 1, i, date('2024-02-01', '+' || (i * 3) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
INSERT INTO invoices SELECT i, 'R' || (1000 + i), i % 24 + 1, date('2024-02-01', '+' || (i * 4) || ' days'), date('2024-04-15', '+' || (i * 4) || ' days'), CASE WHEN i % 3 THEN date('2024-03-05', '+' || (i * 4) || ' days') END,
  CASE WHEN i % 12 = 0 THEN 'void' WHEN i % 3 = 0 THEN 'open' ELSE 'paid' END, 100.0 + i, 20.0 + i * 0.2, 120.0 + i * 1.2 FROM n;
"""


@pytest.fixture(scope="module")
def firm():
    return place(FIRM)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        # what the firm does with its own says nothing
        ("how many gardens do we manage", "SELECT COUNT(*) FROM gardens"),
        ("how many gardens are we looking after", "SELECT COUNT(*) FROM gardens"),
        ("number of gardens we look after by county", "SELECT county, COUNT(*) FROM gardens GROUP BY 1"),
        ("gardens we run per county", "SELECT county, COUNT(*) FROM gardens GROUP BY 1"),
        ("how many suppliers do we work with", "SELECT COUNT(*) FROM suppliers"),
        ("how many gardens do we handle in Kent", "SELECT COUNT(*) FROM gardens WHERE county = 'Kent'"),
        # nouns of one stem, and plurals of what is stored
        ("plantings by plant", "SELECT plant_name, COUNT(*) FROM plantings JOIN plants USING (plant_id) GROUP BY plant_id"),
        ("how many plantings in 2025", "SELECT COUNT(*) FROM plantings WHERE planted_on LIKE '2025%'"),
        ("how many plants are there", "SELECT COUNT(*) FROM plants"),
        ("how many roses do we have", "SELECT COUNT(*) FROM plants WHERE genus = 'rose'"),
        # short forms of periods
        ("visits booked per qtr this yr", "SELECT '2025-Q' || ((CAST(strftime('%m', booked_on) AS INTEGER) + 2) / 3), COUNT(*) FROM visits WHERE booked_on LIKE '2025%' GROUP BY 1"),
        ("invoices sent last yr", "SELECT COUNT(*) FROM invoices WHERE sent_on LIKE '2024%'"),
        ("visits per mth in 2024", "SELECT strftime('%Y-%m', visit_on), COUNT(*) FROM visits WHERE visit_on LIKE '2024%' GROUP BY 1"),
        # a deed before a period is its day, whatever state it is in
        ("how many visits were booked in 2024", "SELECT COUNT(*) FROM visits WHERE booked_on LIKE '2024%'"),
        ("visits booked in march 2025", "SELECT COUNT(*) FROM visits WHERE booked_on LIKE '2025-03%'"),
        ("visits booked during 2025 by kind", "SELECT kind, COUNT(*) FROM visits WHERE booked_on LIKE '2025%' GROUP BY 1"),
        ("suppliers we have never booked a delivery with", "SELECT supplier_name FROM suppliers WHERE supplier_id NOT IN (SELECT supplier_id FROM deliveries)"),
        ("suppliers we've never ordered a delivery from", "SELECT supplier_name FROM suppliers WHERE supplier_id NOT IN (SELECT supplier_id FROM deliveries)"),
        ("which suppliers have we never had a delivery from", "SELECT supplier_name FROM suppliers WHERE supplier_id NOT IN (SELECT supplier_id FROM deliveries)"),
        # work begins by arriving
        ("how long does a visit take on average in minutes", "SELECT AVG((julianday(finished_at) - julianday(arrived_at)) * 1440) FROM visits"),
        ("average visit duration in minutes by kind", "SELECT kind, AVG((julianday(finished_at) - julianday(arrived_at)) * 1440) FROM visits GROUP BY 1"),
        ("which county takes longest to pay an invoice", "SELECT county, AVG(julianday(paid_on) - julianday(sent_on)) FROM invoices JOIN gardens USING (garden_id) GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("which county takes the shortest time to pay an invoice, on average?", "SELECT county, AVG(julianday(paid_on) - julianday(sent_on)) FROM invoices JOIN gardens USING (garden_id) GROUP BY 1 ORDER BY 2 LIMIT 1"),
        # money that is owed is the whole amount
        ("how much money is overdue", "SELECT SUM(total_amount) FROM invoices WHERE status <> 'void' AND paid_on IS NULL AND due_on < '2025-10-31'"),
        ("how much is still owed to us", "SELECT SUM(total_amount) FROM invoices WHERE status = 'open'"),
        ("outstanding amount by county", "SELECT county, SUM(total_amount) FROM invoices JOIN gardens USING (garden_id) WHERE status = 'open' GROUP BY 1"),
        ("overdue net amount", "SELECT SUM(net_amount) FROM invoices WHERE status <> 'void' AND paid_on IS NULL AND due_on < '2025-10-31'"),
        ("list invoices above 250 with the garden", "SELECT invoice_no, garden_name, total_amount FROM invoices JOIN gardens USING (garden_id) WHERE total_amount > 250"),
        ("which invoices are above 290", "SELECT invoice_no FROM invoices WHERE total_amount > 290"),
        # what is yet to come, and the same months of two years
        ("invoices due in november", "SELECT COUNT(*) FROM invoices WHERE due_on LIKE '2025-11%'"),
        ("visits january to march, this year vs last year", "SELECT strftime('%Y', visit_on), COUNT(*) FROM visits WHERE strftime('%m', visit_on) <= '03' AND visit_on >= '2024' AND visit_on < '2026' GROUP BY 1"),
        # rows of one's own kind
        ("who works under the head of lawns", "SELECT 'Bo Birch' UNION SELECT 'Cy Cedar'"),
        ("gardeners working for the Head of Trees", "SELECT 'Di Dogwood'"),
        ("who reports to Ada Ash", "SELECT 'Bo Birch' UNION SELECT 'Cy Cedar'"),
    ],
)  # fmt: skip
def test_answered(firm, text, sql):
    assert_answered(firm, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("how many gardens do we own", "SELECT COUNT(*) FROM gardens WHERE tenure = 'owned'"),
        ("who is the head gardener of Garden 3", "SELECT full_name FROM gardens JOIN gardeners ON gardener_id = head_gardener_id WHERE garden_name = 'Garden 3'"),
        ("how many visits are booked", "SELECT COUNT(*) FROM visits WHERE state = 'booked'"),
        ("booked visits by kind", "SELECT kind, COUNT(*) FROM visits WHERE state = 'booked' GROUP BY 1"),
        ("gardens by year laid", "SELECT year_laid, COUNT(*) FROM gardens GROUP BY 1"),
        ("plants by category", "SELECT category, COUNT(*) FROM plants GROUP BY 1"),
        ("invoices that were due in march", "SELECT COUNT(*) FROM invoices WHERE due_on LIKE '2025-03%'"),
        ("invoices paid per year", "SELECT strftime('%Y', paid_on), COUNT(*) FROM invoices WHERE paid_on IS NOT NULL GROUP BY 1"),
        ("net amount invoiced in 2024", "SELECT SUM(net_amount) FROM invoices WHERE sent_on LIKE '2024%' AND status <> 'void'"),
    ],
)  # fmt: skip
def test_left_alone(firm, text, sql):
    assert_answered(firm, text, sql, TODAY)


def test_an_idle_verb_is_none_of_somebody_else(firm):
    made = analysed(firm, "how many gardens does Zoe manage", TODAY)
    assert made.outcome()[0] is not Outcome.ANSWERED


def test_an_idle_verb_leaves_no_word_behind(firm):
    assert analysed(firm, "how many gardens do we manage", TODAY).outcome()[0] is Outcome.ANSWERED


def test_what_is_due_to_come_is_recorded(firm):
    assert outcome(firm, "invoices due in november", TODAY) is Outcome.ANSWERED
