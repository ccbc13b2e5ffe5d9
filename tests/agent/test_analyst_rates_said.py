"""Town guides and their rates: a rate that is stored is no share, and a rise of each restricts which are meant."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place, rows

TODAY = date(2026, 10, 31)

GUIDES = """
CREATE TABLE guides (guide_id INTEGER PRIMARY KEY, guide_name TEXT, town TEXT);
CREATE TABLE rates (rate_id INTEGER PRIMARY KEY, guide_id INTEGER REFERENCES guides (guide_id), fee_per_tour NUMERIC, valid_from DATE, valid_to DATE);
CREATE TABLE agencies (agency_id INTEGER PRIMARY KEY, agency_name TEXT);
CREATE TABLE tours (tour_id INTEGER PRIMARY KEY, agency_id INTEGER REFERENCES agencies (agency_id), guide_id INTEGER REFERENCES guides (guide_id), held_on DATE, guests INTEGER, outcome TEXT);
INSERT INTO guides VALUES (1, 'Ada Long', 'Bath'), (2, 'Bo Reed', 'Bath'), (3, 'Cy Hart', 'Hull'), (4, 'Di Marsh', 'York');
INSERT INTO rates VALUES (1, 1, 80, '2024-01-01', '2025-06-30'), (2, 1, 95, '2025-07-01', NULL), (3, 2, 100, '2024-01-01', '2025-01-31'), (4, 2, 90, '2025-02-01', NULL),
  (5, 3, 70, '2024-03-01', NULL), (6, 4, 60, '2024-01-01', '2026-01-31'), (7, 4, 66, '2026-02-01', NULL);
INSERT INTO agencies VALUES (1, 'Far Coaches'), (2, 'Near Trips'), (3, 'Old Ways'), (4, 'New Paths');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149)
INSERT INTO tours SELECT i + 1, i * i % 7 % 4 + 1, i % 4 + 1, date('2025-01-02', '+' || (i * 4) || ' days'), 5 + i % 20, CASE i % 5 WHEN 0 THEN 'cancelled' ELSE 'done' END FROM n;
"""

_NOW = "FROM rates JOIN guides USING (guide_id) WHERE valid_to IS NULL"
_MOVED = """
SELECT agency_name, SUM(held_on LIKE '2025%') AS earlier, SUM(held_on LIKE '2026%') AS later
FROM tours JOIN agencies USING (agency_id) GROUP BY agency_id HAVING later {} earlier
"""


@pytest.fixture(scope="module")
def guides():
    return place(GUIDES)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("rate of Bo Reed", f"SELECT fee_per_tour {_NOW} AND guide_id = 2"),
        ("current rate of Ada Long", f"SELECT fee_per_tour {_NOW} AND guide_id = 1"),
        ("fee per tour of Ada Long", f"SELECT fee_per_tour {_NOW} AND guide_id = 1"),
        ("guides with their current rate", f"SELECT guide_name, fee_per_tour {_NOW}"),
        ("guides and their rate", f"SELECT guide_name, fee_per_tour {_NOW}"),
        ("guides in Bath with their rate", f"SELECT guide_name, fee_per_tour {_NOW} AND town = 'Bath'"),
        ("average rate", f"SELECT AVG(fee_per_tour) {_NOW}"),
        ("cancellation rate", "SELECT 100.0 * AVG(outcome = 'cancelled') FROM tours"),
        ("tours per guide", "SELECT guide_name, COUNT(*) FROM tours JOIN guides USING (guide_id) GROUP BY 1"),
    ],
)
def test_a_rate_that_is_stored_is_no_share(guides, text, sql):
    assert_answered(guides, text, sql, TODAY)


@pytest.mark.parametrize("text", ["Ada Long's success rate", "rate of Far Coaches"])
def test_one_thing_in_percent_of_all_is_no_rate(guides, text):
    assert outcome(guides, text, TODAY) is not Outcome.ANSWERED


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("guides whose rate went up", {"Ada Long", "Di Marsh"}),
        ("which guides whose rate increased", {"Ada Long", "Di Marsh"}),
        ("guides whose fee per tour went down", {"Bo Reed"}),
    ],
)
def test_things_whose_price_moved_are_those_alone_and_a_draft_that_says_since_when(guides, text, names):
    frames = understand(text, guides[1], TODAY)[1]
    assert {row[0] for row in rows(guides, frames[0].sql)} == names
    assert outcome(guides, text, TODAY) is not Outcome.ANSWERED


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("agencies whose tours grew in 2026", ">"),
        ("agencies whose tours increased from 2025 to 2026", ">"),
        ("agencies whose tours went down in 2026", "<"),
        ("agencies where the tours fell this year", "<"),
    ],
)
def test_things_whose_figure_moved_are_those_alone(guides, text, way):
    assert_answered(guides, text, _MOVED.format(way), TODAY)


@pytest.mark.parametrize(
    "text", ["agencies whose tours grew", "agencies whose guests increased", "tours went up"]
)
def test_a_rise_without_a_period_is_no_answer(guides, text):
    assert outcome(guides, text, TODAY) is not Outcome.ANSWERED


def test_the_growth_of_a_figure_stays_one(guides):
    frames = understand("tours growth by year", guides[1], TODAY)[1]
    assert frames[0].frame.transform == "growth"
    assert not frames[0].frame.unused
