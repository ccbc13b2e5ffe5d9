"""A court reporter's office: who drafted, checked and signed, each a role of one list of people."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 10, 31)

OFFICE = """
CREATE TABLE writers (writer_id INTEGER PRIMARY KEY, writer_name TEXT, town TEXT);
CREATE TABLE transcripts (transcript_id INTEGER PRIMARY KEY, heading TEXT, writer_id INTEGER REFERENCES writers (writer_id), checker_id INTEGER REFERENCES writers (writer_id),
  signer_id INTEGER REFERENCES writers (writer_id), pages INTEGER, heard_on DATE);
INSERT INTO writers VALUES (1, 'Ada Long', 'Bath'), (2, 'Bo Reed', 'Bath'), (3, 'Cy Hart', 'Hull'), (4, 'Di Marsh', 'Hull');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
INSERT INTO transcripts SELECT i + 1, 'Hearing ' || i, i % 4 + 1, (i * 7 / 3) % 4 + 1, (i / 5) % 4 + 1, i % 40, date('2025-01-01', '+' || (i * 3) || ' days') FROM n;
"""


@pytest.fixture(scope="module")
def office():
    return place(OFFICE)


_COUNTED = "SELECT COUNT(*) FROM transcripts WHERE {}"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("transcripts checked by Ada Long", _COUNTED.format("checker_id = 1")),
        (
            "transcripts checked by Ada Long this year",
            _COUNTED.format("checker_id = 1 AND heard_on LIKE '2026%'"),
        ),
        ("transcripts signed by Bo Reed or Cy Hart", _COUNTED.format("signer_id IN (2, 3)")),
        (
            "transcripts checked by Ada Long and signed by Bo Reed",
            _COUNTED.format("checker_id = 1 AND signer_id = 2"),
        ),
        ("transcripts checked and signed by Ada Long", _COUNTED.format("checker_id = 1 AND signer_id = 1")),
        (
            "transcripts checked by Ada Long but not signed by Bo Reed",
            _COUNTED.format("checker_id = 1 AND signer_id <> 2"),
        ),
        (
            "transcripts whose writer is Ada Long and whose checker is Cy Hart",
            _COUNTED.format("writer_id = 1 AND checker_id = 3"),
        ),
        ("pages checked by Ada Long", "SELECT SUM(pages) FROM transcripts WHERE checker_id = 1"),
    ],
)
def test_names_behind_a_deed_are_of_who_did_it(office, text, sql):
    assert_answered(office, text, sql, TODAY)
    assert outcome(office, text, TODAY) is Outcome.ANSWERED
