"""Farms and their vets: what was done by one and not by another, by each or by any, and what farms above a farm are like."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place, rows

TODAY = date(2026, 10, 31)

FARMS = """
CREATE TABLE farms (farm_id INTEGER PRIMARY KEY, farm_name TEXT, county TEXT, parent_farm_id INTEGER REFERENCES farms (farm_id), closed_on DATE);
CREATE TABLE vets (vet_id INTEGER PRIMARY KEY, vet_name TEXT, town TEXT);
CREATE TABLE inspections (inspection_id INTEGER PRIMARY KEY, farm_id INTEGER REFERENCES farms (farm_id), vet_id INTEGER REFERENCES vets (vet_id), inspected_on DATE, fee NUMERIC);
CREATE TABLE covers (cover_id INTEGER PRIMARY KEY, farm_id INTEGER REFERENCES farms (farm_id), insurer TEXT, premium NUMERIC, starts_on DATE, ends_on DATE);
INSERT INTO vets VALUES (1, 'Ada Long', 'Bath'), (2, 'Bo Reed', 'Bath'), (3, 'Cy Hart', 'Hull');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO farms SELECT i, 'Farm ' || i, CASE i % 3 WHEN 0 THEN 'Kent' WHEN 1 THEN 'Devon' ELSE 'Essex' END, CASE WHEN i > 10 THEN i % 10 + 1 END, CASE WHEN i % 4 = 0 THEN '2026-03-01' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
INSERT INTO inspections SELECT i + 1, i * 7 % 40 + 1, (i / 3 + i / 40) % 3 + 1, date('2025-01-01', '+' || (i * 5) || ' days'), 40 + i % 30 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79)
INSERT INTO covers SELECT i + 1, i * 3 % 40 + 1, CASE (i / 3 + i / 40) % 3 WHEN 0 THEN 'Agria' WHEN 1 THEN 'Mutual' ELSE 'Norfolk' END, 100 + i, date('2025-02-01', '+' || (i * 4) || ' days'), date('2026-02-01', '+' || (i * 4) || ' days') FROM n;
"""


def _seen(*vets: int) -> str:
    return f"farm_id IN (SELECT farm_id FROM inspections WHERE vet_id IN ({', '.join(map(str, vets))}))"


def _covered(*insurers: str) -> str:
    return f"farm_id IN (SELECT farm_id FROM covers WHERE insurer IN ({', '.join(map(repr, insurers))}))"


@pytest.fixture(scope="module")
def farms():
    return place(FARMS)


def _names(where: str) -> str:
    return f"SELECT farm_name FROM farms WHERE {where}"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (
            "farms insured with Agria but not with Mutual",
            f"{_covered('Agria')} AND NOT {_covered('Mutual')}",
        ),
        (
            "farms insured by Agria and not by Norfolk",
            f"{_covered('Agria')} AND NOT {_covered('Norfolk')}",
        ),
        (
            "farms inspected by Ada Long but not by Bo Reed",
            f"{_seen(1)} AND NOT {_seen(2)}",
        ),
        (
            "farms inspected by Ada Long but not Cy Hart",
            f"{_seen(1)} AND NOT {_seen(3)}",
        ),
    ],
)
def test_a_name_that_is_denied_is_of_no_row_of_the_thing(farms, text, where):
    assert_answered(farms, text, _names(where), TODAY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("farms in Kent but not in Devon", _names("county = 'Kent'")),
        (
            "inspections by Ada Long but not by Bo Reed",
            "SELECT COUNT(*) FROM inspections WHERE vet_id = 1",
        ),
        ("farms inspected by Ada Long or Bo Reed", _names(_seen(1, 2))),
        ("inspections by Ada Long and Bo Reed", "SELECT COUNT(*) FROM inspections WHERE vet_id IN (1, 2)"),
        (
            "fees by vet",
            "SELECT vet_name, SUM(fee) FROM inspections JOIN vets USING (vet_id) GROUP BY vet_id",
        ),
        ("farms in Kent and Devon", _names("county IN ('Kent', 'Devon')")),
    ],
)
def test_a_name_of_one_row_is_one_of_several(farms, text, sql):
    assert_answered(farms, text, sql, TODAY)
    assert outcome(farms, text, TODAY) is Outcome.ANSWERED


@pytest.mark.parametrize(
    ("text", "one", "other", "several"),
    [
        (
            "farms inspected by Ada Long and Bo Reed",
            _seen(1),
            _seen(2),
            _seen(1, 2),
        ),
        (
            "farms inspected by Ada Long and by Cy Hart",
            _seen(1),
            _seen(3),
            _seen(1, 3),
        ),
        (
            "farms insured with Agria and Mutual",
            _covered("Agria"),
            _covered("Mutual"),
            _covered("Agria", "Mutual"),
        ),
    ],
)
def test_and_between_two_names_offers_each_and_any(farms, text, one, other, several):
    frames = understand(text, farms[1], TODAY)[1]
    assert rows(farms, frames[0].sql) == rows(farms, _names(f"{one} AND {other}"))
    assert rows(farms, frames[1].sql) == rows(farms, _names(several))
    assert outcome(farms, text, TODAY) is Outcome.AMBIGUOUS


def test_both_asks_for_each(farms):
    text = "farms insured with both Agria and Mutual"
    each = f"{_covered('Agria')} AND {_covered('Mutual')}"
    assert_answered(farms, text, _names(each), TODAY)


def test_different_things_are_not_counted_by_any_of_several_names_unsaid(farms):
    text = "how many farms were inspected by Ada Long and by Bo Reed"
    frames = understand(text, farms[1], TODAY)[1]
    each = f"{_seen(1)} AND {_seen(2)}"
    assert rows(farms, frames[0].sql) == rows(farms, f"SELECT COUNT(*) FROM farms WHERE {each}")
    assert outcome(farms, text, TODAY) is Outcome.AMBIGUOUS


_ABOVE = "parent_farm_id IN (SELECT farm_id FROM farms WHERE {})"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("farms with a closed parent", "closed_on IS NOT NULL"),
        ("farms whose parent is closed", "closed_on IS NOT NULL"),
        ("farms whose parent is in Kent", "county = 'Kent'"),
        ("farms whose parent was closed in 2026", "closed_on LIKE '2026%'"),
    ],
)
def test_a_state_of_those_above_is_asked_of_them(farms, text, where):
    assert_answered(farms, text, _names(_ABOVE.format(where)), TODAY)
    assert outcome(farms, text, TODAY) is Outcome.ANSWERED


def test_things_with_a_state_above_are_counted(farms):
    gold = f"SELECT COUNT(*) FROM farms WHERE {_ABOVE.format('closed_on IS NOT NULL')}"
    assert_answered(farms, "how many farms have a closed parent", gold, TODAY)


def test_a_state_above_that_cannot_be_asked_is_a_draft_that_names_the_role(farms):
    text = "farms with a closed parent by county"
    frames = understand(text, farms[1], TODAY)[1]
    assert "parent" in frames[0].frame.unused


@pytest.mark.parametrize(
    ("text", "where"),
    [("closed farms", "closed_on IS NOT NULL"), ("farms without a parent", "parent_farm_id IS NULL")],
)
def test_a_state_of_the_rows_themselves_stays_theirs(farms, text, where):
    assert_answered(farms, text, _names(where), TODAY)
