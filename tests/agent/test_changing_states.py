"""Follow-ups that name another value of a state, or the first of the groups before: a workshop with jobs of many parts."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import changed, followed
from tests.agent.places import place, rows

TODAY = date(2026, 6, 1)
WORKSHOP = """
CREATE TABLE bays (bay_id INTEGER PRIMARY KEY, bay_name TEXT NOT NULL, wing TEXT NOT NULL);
CREATE TABLE jobs (job_id INTEGER PRIMARY KEY, bay_id INTEGER NOT NULL REFERENCES bays, taken_in_on DATE NOT NULL, state TEXT NOT NULL, urgency TEXT NOT NULL);
CREATE TABLE job_parts (job_part_id INTEGER PRIMARY KEY, job_id INTEGER NOT NULL REFERENCES jobs, part_name TEXT NOT NULL, pieces INTEGER NOT NULL, amount NUMERIC NOT NULL);
INSERT INTO bays VALUES (1,'Bay A','north'),(2,'Bay B','north'),(3,'Bay C','south'),(4,'Bay D','yard');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO jobs SELECT i, (i * i) % 4 + 1 + (i % 7 = 0) * 2, date('2025-07-01', '+' || i || ' days'), CASE i % 5 WHEN 0 THEN 'waiting' WHEN 1 THEN 'scrapped' ELSE 'fixed' END, CASE i % 3 WHEN 0 THEN 'high' ELSE 'low' END FROM n;
UPDATE jobs SET bay_id = 4 WHERE bay_id > 4;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
INSERT INTO job_parts SELECT i, i % 300 + 1, 'Part ' || i % 9, i % 4 + 1, 5 + i % 50 FROM n;
"""


@pytest.fixture(scope="module")
def workshop():
    return place(WORKSHOP)


def _changed(workshop, before, typed):
    """SQL of a follow-up that is understood whole."""
    said = changed(typed, before, workshop[1], TODAY)
    frames = understand(said, workshop[1], TODAY)[1] if said else []
    return frames[0].sql if frames and not frames[0].frame.unused else ""


_BY_WING = "SELECT wing, COUNT(*) FROM jobs JOIN bays USING (bay_id) WHERE {} GROUP BY wing"


@pytest.mark.parametrize(
    ("before", "typed", "gold"),
    [
        # another value of the state takes the place of the one before
        ("waiting jobs by wing", "only fixed ones", _BY_WING.format("state = 'fixed'")),
        ("waiting jobs by wing", "just the fixed ones", _BY_WING.format("state = 'fixed'")),
        ("waiting jobs by wing", "only those fixed", _BY_WING.format("state = 'fixed'")),
        ("waiting jobs by wing", "what about the scrapped ones?", _BY_WING.format("state = 'scrapped'")),
        ("waiting jobs", "only scrapped ones", "SELECT COUNT(*) FROM jobs WHERE state = 'scrapped'"),
        # and stands beside it where it is to be added, or said of another column
        ("waiting jobs", "also scrapped", "SELECT COUNT(*) FROM jobs WHERE state IN ('waiting', 'scrapped')"),
        ("waiting jobs by wing", "only high urgency ones", _BY_WING.format("state = 'waiting' AND urgency = 'high'")),
        # the first of the groups, and no figure of another table
        ("jobs per wing", "which of them is the lowest", _BY_WING.format("1") + " ORDER BY COUNT(*) LIMIT 1"),
        ("jobs per wing", "which one is the highest?", _BY_WING.format("1") + " ORDER BY COUNT(*) DESC LIMIT 1"),
        ("jobs per wing", "which of the wings has the most", _BY_WING.format("1") + " ORDER BY COUNT(*) DESC LIMIT 1"),
    ],
)  # fmt: skip
def test_what_is_said_of_them_is_said_of_the_groups_and_states_before(workshop, before, typed, gold):
    found = _changed(workshop, before, typed)
    assert found
    assert rows(workshop, found) == rows(workshop, gold)


@pytest.mark.parametrize(
    ("before", "typed", "other"),
    [
        (
            "jobs in the north wing",
            "only fixed low urgency ones",
            "jobs in the north wing that are not fixed",
        ),
        ("waiting jobs with high urgency", "only fixed low ones", "waiting fixed jobs with low urgency"),
    ],
)
def test_a_wording_that_denies_or_passes_over_a_value_is_not_taken(workshop, before, typed, other):
    database, source = workshop
    made = followed(typed, before, database.catalog(), source.vocabulary.index, other, TODAY)
    assert not made.startswith(other)


def test_another_value_takes_the_place_of_one_that_was_denied(workshop):
    found = _changed(workshop, "jobs not in the north wing", "only the south wing ones")
    assert rows(workshop, found) == [(rows(workshop, "SELECT COUNT(*) FROM jobs JOIN bays USING (bay_id) WHERE wing = 'south'")[0][0],)]  # fmt: skip
