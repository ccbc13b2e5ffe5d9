"""Kennels: two columns of a row that are said to be alike, and figures of two tables that nothing holds against each other."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 10, 31)

KENNELS = """
CREATE TABLE people (person_id INTEGER PRIMARY KEY, person_name TEXT);
CREATE TABLE kennels (kennel_id INTEGER PRIMARY KEY, kennel_name TEXT, length_m NUMERIC);
CREATE TABLE dogs (dog_id INTEGER PRIMARY KEY, dog_name TEXT, breeder_id INTEGER REFERENCES people (person_id), owner_id INTEGER REFERENCES people (person_id), length_m NUMERIC, birth_year INTEGER);
CREATE TABLE stays (stay_id INTEGER PRIMARY KEY, dog_id INTEGER REFERENCES dogs (dog_id), kennel_id INTEGER REFERENCES kennels (kennel_id), began_on DATE);
INSERT INTO people VALUES (1, 'Ada Long'), (2, 'Bo Reed'), (3, 'Cy Hart');
INSERT INTO kennels VALUES (1, 'North', 2.5), (2, 'South', 1.2), (3, 'West', 3);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
INSERT INTO dogs SELECT i + 1, 'Dog ' || i, i % 3 + 1, i / 5 % 3 + 1, 0.5 + i % 7 / 10.0, 2015 + i % 9 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
INSERT INTO stays SELECT i + 1, i % 25 + 1, i % 3 + 1, date('2025-06-01', '+' || (i * 4) || ' days') FROM n;
"""


@pytest.fixture(scope="module")
def kennels():
    return place(KENNELS)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("dogs whose breeder and owner are the same", "="),
        ("dogs where breeder and owner are the same person", "="),
        ("dogs with the same breeder and owner", "="),
        ("dogs where the owner and the breeder are not the same", "<>"),
        ("dogs where breeder and owner differ", "<>"),
    ],
)
def test_two_columns_that_are_said_to_be_alike_are_held_against_each_other(kennels, text, sign):
    assert_answered(kennels, text, f"SELECT dog_name FROM dogs WHERE breeder_id {sign} owner_id", TODAY)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dogs longer than their kennel", "longer than"),
        ("dogs with more than one stay and longer than their kennel", "longer than"),
        ("dogs bred and owned by the same person", "the same"),
    ],
)
def test_a_comparison_that_cannot_be_written_is_left_out_by_name(kennels, text, words):
    assert outcome(kennels, text, TODAY) is not Outcome.ANSWERED
    assert words in " ".join(understand(text, kennels[1], TODAY)[1][0].frame.unused)


def test_a_comparison_with_a_number_is_no_such(kennels):
    assert_answered(kennels, "dogs longer than 0.8", "SELECT dog_name FROM dogs WHERE length_m > 0.8", TODAY)
