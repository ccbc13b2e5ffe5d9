"""A swimming school: amounts of each row that is spoken of, bounds on single rows, links, names behind deeds, clauses that "or" joins."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place, rows

TODAY = date(2026, 10, 31)

SCHOOL = """
CREATE TABLE pools (pool_id INTEGER PRIMARY KEY, pool_name TEXT, town TEXT);
CREATE TABLE coaches (coach_id INTEGER PRIMARY KEY, coach_name TEXT, wage NUMERIC, pool_id INTEGER REFERENCES pools (pool_id));
CREATE TABLE tariffs (tariff_id INTEGER PRIMARY KEY, tariff_name TEXT, fee NUMERIC);
CREATE TABLE swimmers (swimmer_id INTEGER PRIMARY KEY, swimmer_name TEXT, age INTEGER, coach_id INTEGER REFERENCES coaches (coach_id), home_pool_id INTEGER REFERENCES pools (pool_id));
CREATE TABLE memberships (membership_id INTEGER PRIMARY KEY, swimmer_id INTEGER NOT NULL REFERENCES swimmers (swimmer_id), tariff_id INTEGER NOT NULL REFERENCES tariffs (tariff_id), started_on DATE NOT NULL, ends_on DATE);
CREATE TABLE stays (stay_id INTEGER PRIMARY KEY, swimmer_id INTEGER NOT NULL REFERENCES swimmers (swimmer_id), coach_id INTEGER REFERENCES coaches (coach_id), enrolled_on DATE NOT NULL, left_on DATE);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, swimmer_id INTEGER NOT NULL REFERENCES swimmers (swimmer_id), billed_on DATE NOT NULL, amount NUMERIC);
CREATE TABLE labels (label_id INTEGER PRIMARY KEY, label_name TEXT);
CREATE TABLE swimmer_labels (swimmer_id INTEGER NOT NULL REFERENCES swimmers (swimmer_id), label_id INTEGER NOT NULL REFERENCES labels (label_id), PRIMARY KEY (swimmer_id, label_id));
INSERT INTO pools VALUES (1, 'North Bath', 'Bath'), (2, 'South Bath', 'Hull'), (3, 'Lido', 'York');
INSERT INTO coaches VALUES (1, 'Ada Long', 20, 1), (2, 'Bo Reed', 35, 2), (3, 'Cy Hart', 40, 3);
INSERT INTO tariffs VALUES (1, 'Basic', 20), (2, 'Silver', 35), (3, 'Gold', 50), (4, 'Unused', 90);
INSERT INTO labels VALUES (1, 'fast'), (2, 'tall'), (3, 'shy');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO swimmers SELECT i, 'Swimmer ' || i, 8 + i % 30, i % 3 + 1, CASE WHEN i % 5 > 0 THEN i % 3 + 1 END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79)
INSERT INTO memberships SELECT i + 1, i * 7 % 40 + 1, i * i % 3 + 1, date('2025-06-01', '+' || (i * 5) || ' days'), CASE WHEN i % 4 > 0 THEN date('2026-08-01', '+' || (i * 5) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
INSERT INTO stays SELECT i + 1, i * 7 % 36 + 1, (i / 3 + i / 40) % 3 + 1, date('2025-06-01', '+' || (i * 6) || ' days'), CASE WHEN i % 3 = 0 THEN date('2025-09-01', '+' || (i * 6) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
INSERT INTO bills SELECT i + 1, i * 7 % 40 + 1, date('2025-06-01', '+' || (i * 3) || ' days'), 100 + i * 37 % 200 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
INSERT OR IGNORE INTO swimmer_labels SELECT i * 7 % 30 + 1, (i / 3 + i / 40) % 3 + 1 FROM n WHERE i % 4 > 0;
"""


@pytest.fixture(scope="module")
def school():
    return place(SCHOOL)


def _swimmers(where: str) -> str:
    return f"SELECT swimmer_name FROM swimmers WHERE {where}"


_EACH = "FROM memberships JOIN tariffs USING (tariff_id)"
_ACTIVE = "started_on <= '2026-10-31' AND (ends_on IS NULL OR ends_on >= '2026-10-31')"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("total fee of active memberships", f"SELECT SUM(fee) {_EACH} WHERE {_ACTIVE}"),
        ("sum of tariff fees for current memberships", f"SELECT SUM(fee) {_EACH} WHERE {_ACTIVE}"),
        ("average fee of memberships", f"SELECT AVG(fee) {_EACH}"),
        (
            "total fee of memberships started in 2026",
            f"SELECT SUM(fee) {_EACH} WHERE started_on >= '2026-01-01'",
        ),
        (
            "total fee of tariffs with active memberships",
            f"SELECT SUM(fee) FROM tariffs WHERE tariff_id IN (SELECT tariff_id FROM memberships WHERE {_ACTIVE})",
        ),
        ("average fee of tariffs", "SELECT AVG(fee) FROM tariffs"),
    ],
)
def test_an_amount_is_taken_once_for_each_row_that_is_spoken_of(school, text, sql):
    assert_answered(school, text, sql, TODAY)
    assert outcome(school, text, TODAY) is Outcome.ANSWERED


_BILLED = "swimmer_id {} (SELECT swimmer_id FROM bills WHERE amount > 250)"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("swimmers with a bill over 250", _BILLED.format("IN")),
        ("swimmers with a bill amount above 250", _BILLED.format("IN")),
        ("swimmers with bills over 250", _BILLED.format("IN")),
        ("swimmers without a bill over 250", _BILLED.format("NOT IN")),
    ],
)
def test_a_bound_behind_a_row_is_on_any_single_row(school, text, where):
    assert_answered(school, text, _swimmers(where), TODAY)
    assert outcome(school, text, TODAY) is Outcome.ANSWERED


def test_a_total_of_rows_is_their_sum(school):
    where = "swimmer_id IN (SELECT swimmer_id FROM bills GROUP BY 1 HAVING SUM(amount) > 500)"
    assert_answered(school, "swimmers with a total bill amount above 500", _swimmers(where), TODAY)


def _labelled(label: int) -> str:
    return f"swimmer_id IN (SELECT swimmer_id FROM swimmer_labels WHERE label_id = {label})"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("swimmers labelled both fast and tall", f"{_labelled(1)} AND {_labelled(2)}"),
        ("swimmers labelled fast but not tall", f"{_labelled(1)} AND NOT {_labelled(2)}"),
        ("swimmers labelled fast", _labelled(1)),
    ],
)
def test_a_participle_of_a_link_tells_what_things_are_linked_with(school, text, where):
    assert_answered(school, text, _swimmers(where), TODAY)


def test_the_rows_of_a_link_are_counted_by_its_name(school):
    assert_answered(school, "how many swimmer labels", "SELECT COUNT(*) FROM swimmer_labels", TODAY)


def _stayed(where: str) -> str:
    return f"swimmer_id IN (SELECT swimmer_id FROM stays JOIN coaches USING (coach_id) WHERE {where})"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("swimmers enrolled with Bo Reed", _stayed("coach_name = 'Bo Reed'")),
        ("swimmers with stays with Bo Reed", _stayed("coach_name = 'Bo Reed'")),
    ],
)
def test_a_name_behind_a_deed_is_of_what_its_rows_point_at(school, text, where):
    assert_answered(school, text, _swimmers(where), TODAY)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("swimmers with a bill over 290 or with an age over 30", "age > 30 OR swimmer_id IN (SELECT swimmer_id FROM bills WHERE amount > 290)"),
        ("coaches in Hull or with a wage over 35", "wage > 35 OR pool_id = 2"),
    ],
)  # fmt: skip
def test_or_before_a_clause_asks_for_one_of_both(school, text, where):
    frames = understand(text, school[1], TODAY)[1]
    asked = _swimmers(where) if "swimmers" in text else f"SELECT coach_name FROM coaches WHERE {where}"
    assert rows(school, frames[0].sql) == rows(school, asked)


def test_or_is_left_out_where_rows_may_point_at_none(school):
    assert outcome(school, "swimmers from North Bath or with an age over 30", TODAY) is not Outcome.ANSWERED


def test_a_verb_is_of_the_rows_themselves(school):
    assert outcome(school, "swimmers paying more than 30", TODAY) is not Outcome.ANSWERED
