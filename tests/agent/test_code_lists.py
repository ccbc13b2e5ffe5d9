"""Tables of several lists of codes, told by what stands in them, and the columns that hold their codes."""

from __future__ import annotations

from datetime import date

import pytest

from tests.agent.places import assert_answered, place

TODAY = date(2026, 6, 30)

STABLES = """
CREATE TABLE SX (SX_DM TEXT, SX_KEY TEXT, SX_TX TEXT);
INSERT INTO SX VALUES
 ('HSTAT', 'A', 'in training'), ('HSTAT', 'R', 'retired'), ('HSTAT', 'L', 'on loan'),
 ('RSTAT', 'A', 'announced'), ('RSTAT', 'R', 'run'), ('RSTAT', 'X', 'called off'),
 ('SURF', 'TRF', 'turf'), ('SURF', 'SND', 'sand'), ('SURF', 'ALW', 'all-weather'),
 ('HABS', 'V', 'vet care'), ('HABS', 'P', 'pasture'), ('HABS', 'T', 'transport'),
 ('LEVL', '1', 'beginner'), ('LEVL', '2', 'advanced'), ('LEVL', '3', 'master');
CREATE TABLE TB_HRS (HRS_NO INTEGER PRIMARY KEY, HRS_NM TEXT, STAT TEXT, GATE INTEGER);
CREATE TABLE TB_RACE (RACE_NO INTEGER PRIMARY KEY, RACE_DT TEXT, SURF_CD TEXT, STAT TEXT, PRIZE NUMERIC);
CREATE TABLE TB_HRSABS (ABS_NO INTEGER PRIMARY KEY, HRS_NO INTEGER REFERENCES TB_HRS (HRS_NO), RSN_CD TEXT, FROM_DT TEXT);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
INSERT INTO TB_HRS SELECT i + 1, 'Horse ' || i, substr('ARL', i % 3 + 1, 1), i % 4 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
INSERT INTO TB_RACE SELECT i + 1, date('2025-01-01', '+' || i || ' days'), substr('TRFSNDALW', i % 3 * 3 + 1, 3), substr('ARX', i % 7 % 3 + 1, 1), 100 + i FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
INSERT INTO TB_HRSABS SELECT i + 1, i % 60 + 1, substr('VPT', i % 3 + 1, 1), date('2025-01-01', '+' || (i * 3) || ' days') FROM n;
"""
"""A list of lists whose columns are called by nothing that tells their use."""


@pytest.fixture(scope="module")
def stables():
    return place(STABLES)


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [
        ("TB_HRS", "STAT", "HSTAT"),
        ("TB_RACE", "STAT", "RSTAT"),
        ("TB_RACE", "SURF_CD", "SURF"),
        ("TB_HRSABS", "RSN_CD", "HABS"),
        ("TB_HRS", "GATE", ""),
        ("TB_HRS", "HRS_NM", ""),
    ],
)
def test_a_column_has_the_list_that_its_name_or_its_codes_tell(stables, table, column, kind):
    codes = stables[1].model.field(table, column).codes
    assert (codes.kind if codes else "") == kind


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("how many horses are in training", "SELECT COUNT(*) FROM TB_HRS WHERE STAT = 'A'"),
        ("races called off", "SELECT COUNT(*) FROM TB_RACE WHERE STAT = 'X'"),
        (
            "prize by surface",
            "SELECT SX_TX, SUM(PRIZE) FROM TB_RACE JOIN SX ON SX_DM = 'SURF' AND SX_KEY = SURF_CD GROUP BY 1",
        ),
    ],
)
def test_people_say_the_labels(stables, text, sql):
    assert_answered(stables, text, sql, TODAY)


def test_an_item_list_with_groups_is_no_list_of_lists():
    where = place(
        """
        CREATE TABLE ports (country TEXT, code TEXT, harbour TEXT);
        INSERT INTO ports VALUES ('NO', 'OSL', 'Oslo harbour'), ('NO', 'BGO', 'Bergen quay'), ('DK', 'CPH', 'Copenhagen north'), ('DK', 'AAR', 'Aarhus east');
        CREATE TABLE calls (call_id INTEGER PRIMARY KEY, port TEXT, called_on DATE);
        INSERT INTO calls VALUES (1, 'OSL', '2026-01-01'), (2, 'CPH', '2026-01-02'), (3, 'OSL', '2026-01-05');
        """
    )
    assert where[1].model.field("calls", "port").codes is None


def test_words_of_several_languages_are_no_lists():
    where = place(
        """
        CREATE TABLE wording (lang TEXT, token TEXT, said TEXT);
        INSERT INTO wording VALUES ('en', 'N', 'brand new'), ('en', 'U', 'lightly used'), ('en', 'B', 'badly broken'),
         ('de', 'N', 'fabrikneu'), ('de', 'U', 'leicht gebraucht'), ('de', 'B', 'ganz kaputt'), ('fr', 'N', 'tout neuf'), ('fr', 'U', 'peu servi'), ('fr', 'B', 'hors service');
        CREATE TABLE engines (engine_id INTEGER PRIMARY KEY, condition TEXT, deposit_state TEXT);
        INSERT INTO engines VALUES (1, 'N', 'U'), (2, 'U', 'N'), (3, 'B', 'B');
        """
    )
    assert [where[1].model.field("engines", c).codes for c in ("condition", "deposit_state")] == [None, None]


def test_rows_of_other_small_tables_are_not_kept():
    where = place(
        """
        CREATE TABLE patients (given TEXT, family TEXT, born TEXT, weekly_pay INTEGER);
        INSERT INTO patients VALUES ('Ann', 'Lee', '1980-01-01', 500), ('Bo', 'Ray', '1990-02-02', 600), ('Ann', 'Ray', '1970-03-03', 700);
        """
    )
    assert where[1].vocabulary.index.facts.tables["patients"].content == ()
