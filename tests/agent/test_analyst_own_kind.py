"""A choir: singers led by singers, brought along by singers, taught by singers; choirs that are parts of choirs."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place

TODAY = date(2025, 11, 26)

CHOIR = """
CREATE TABLE choirs (choir_id INTEGER PRIMARY KEY, choir_name TEXT, parent_choir_id INTEGER REFERENCES choirs(choir_id));
CREATE TABLE singers (singer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, town TEXT, joined_on TEXT, choir_id INTEGER REFERENCES choirs,
  referred_by INTEGER REFERENCES singers(singer_id), taught_by INTEGER REFERENCES singers(singer_id));
CREATE TABLE helpers (helper_id INTEGER PRIMARY KEY, helper_name TEXT, manager_id INTEGER REFERENCES helpers(helper_id));
CREATE TABLE concerts (concert_id INTEGER PRIMARY KEY, choir_id INTEGER REFERENCES choirs, held_on TEXT, takings REAL);
INSERT INTO choirs VALUES (1, 'Great Choir', NULL), (2, 'Chamber Choir', 1), (3, 'Youth Choir', 1), (4, 'Cellar Choir', NULL);
INSERT INTO singers VALUES (1, 'Ada', 'Voss', 'Ayr', '2023-02-01', 1, NULL, NULL), (2, 'Bo', 'Lind', 'Ayr', '2024-03-01', 2, 1, 1), (3, 'Cy', 'Marsh', 'Bath', '2025-01-10', 2, 1, 2),
  (4, 'Di', 'Nash', 'Bath', '2025-04-01', 3, 2, NULL), (5, 'Ed', 'Ohm', 'Ayr', '2025-05-01', 3, 1, 1), (6, 'Flo', 'Pike', 'York', '2025-06-01', 4, NULL, 1);
INSERT INTO helpers VALUES (1, 'Ines Rau', NULL), (2, 'Jo Sand', 1), (3, 'Kit Tarn', 1), (4, 'Lou Ure', 2), (5, 'May Vale', 2), (6, 'Ned Wirth', 2);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO concerts SELECT i, i % 4 + 1, date('2024-10-01', '+' || (i * 2) || ' days'), 100 + i FROM n;
"""


@pytest.fixture(scope="module")
def choir():
    return place(CHOIR)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("who has referred the most new singers", "SELECT 'Ada', 'Voss', 3"),
        ("who brought us the most new singers by referral?", "SELECT 'Ada', 'Voss', 3"),
        ("which singer has taught the most colleagues?", "SELECT 'Ada', 'Voss', 3"),
        ("who referred the most singers in 2024", "SELECT 'Ada', 'Voss', 1"),
        ("who manages the most people", "SELECT 'Jo Sand', 3"),
        ("which boss has the most helpers", "SELECT 'Jo Sand', 3"),
        ("which supervisor has the fewest people under them", "SELECT 'Ines Rau', 2"),
        ("helpers that are bosses of at least 2 other helpers", "SELECT 'Jo Sand', 3 UNION SELECT 'Ines Rau', 2"),
        ("singers who recommended at least 2 other singers", "SELECT 'Ada', 'Voss', 3"),
        ("top 2 referrers", "SELECT 'Ada', 'Voss', 3 UNION SELECT 'Bo', 'Lind', 1"),
        ("number of referrals per singer", "SELECT 'Ada', 'Voss', 3 UNION SELECT 'Bo', 'Lind', 1"),
        ("helpers and who is their boss", "SELECT h.helper_name, m.helper_name FROM helpers h LEFT JOIN helpers m ON m.helper_id = h.manager_id"),
        ("helpers with their supervisor", "SELECT h.helper_name, m.helper_name FROM helpers h LEFT JOIN helpers m ON m.helper_id = h.manager_id"),
        ("who reports to Jo Sand", "SELECT helper_name FROM helpers WHERE manager_id = 2"),
        ("who reports to Ines", "SELECT helper_name FROM helpers WHERE manager_id = 1"),
        ("how many helpers report to Jo Sand", "SELECT 3"),
        ("how many people does Jo Sand manage", "SELECT 3"),
        ("who is Kit's manager", "SELECT 'Ines Rau'"),
        ("who is the boss of Lou Ure", "SELECT 'Jo Sand'"),
        ("whos the boss of Lou Ure", "SELECT 'Jo Sand'"),
        ("whos Lou Ures boss", "SELECT 'Jo Sand'"),
        ("who does Lou Ure report to", "SELECT 'Jo Sand'"),
        ("who taught Cy Marsh", "SELECT 'Bo', 'Lind'"),
        ("whom did Ada Voss refer", "SELECT first_name, last_name FROM singers WHERE referred_by = 1"),
        ("singers referred by Ada Voss", "SELECT first_name, last_name FROM singers WHERE referred_by = 1"),
        ("how many singers were referred by Ada Voss in 2025", "SELECT 2"),
        ("helpers without a manager", "SELECT 'Ines Rau'"),
        ("who has no boss", "SELECT 'Ines Rau'"),
        ("helpers who manage nobody", "SELECT helper_name FROM helpers WHERE helper_id > 2"),
        ("helpers without direct reports", "SELECT helper_name FROM helpers WHERE helper_id > 2"),
        ("singers who never referred anyone", "SELECT first_name, last_name FROM singers WHERE singer_id > 2"),
        ("helpers who are not the boss of anyone", "SELECT helper_name FROM helpers WHERE helper_id > 2"),
        ("helpers who are chief of nobody", "SELECT helper_name FROM helpers WHERE helper_id > 2"),
        ("helpers who are nobody's boss", "SELECT helper_name FROM helpers WHERE helper_id > 2"),
        ("helpers that aren't anyone's manager", "SELECT helper_name FROM helpers WHERE helper_id > 2"),
        ("how many helpers are not a manager", "SELECT 4"),
        ("helpers not managing anyone", "SELECT helper_name FROM helpers WHERE helper_id > 2"),
        ("helpers who are someone's boss", "SELECT helper_name FROM helpers WHERE helper_id < 3"),
        ("helpers managing others", "SELECT helper_name FROM helpers WHERE helper_id < 3"),
        ("choirs that are not a parent", "SELECT choir_name FROM choirs WHERE choir_id > 1"),
        ("choirs that are not a subsidiary", "SELECT choir_name FROM choirs WHERE parent_choir_id IS NULL"),
        ("helpers who are nobody's subordinate", "SELECT 'Ines Rau'"),
        ("singers who have referred others", "SELECT first_name, last_name FROM singers WHERE singer_id < 3"),
        ("singers we got by recommendation", "SELECT first_name, last_name FROM singers WHERE referred_by IS NOT NULL"),
        ("how many singers were referred", "SELECT 4"),
        ("how many singers were referred in 2025", "SELECT 3"),
        ("number of referred singers by town", "SELECT town, COUNT(*) FROM singers WHERE referred_by IS NOT NULL GROUP BY 1"),
        ("list the singers not referred by anyone", "SELECT first_name, last_name FROM singers WHERE referred_by IS NULL"),
        ("how many singers were taught by a colleague", "SELECT 4"),
        ("subsidiaries of Great Choir", "SELECT choir_name FROM choirs WHERE parent_choir_id = 1"),
        ("choirs without a parent", "SELECT choir_name FROM choirs WHERE parent_choir_id IS NULL"),
    ],
)  # fmt: skip
def test_rows_are_found_by_rows_of_their_own_table(choir, text, sql):
    assert_answered(choir, text, sql, TODAY)
    assert outcome(choir, text, TODAY) is Outcome.ANSWERED


@pytest.mark.parametrize("text", ["who reports to Zed", "whom did Nobody Known refer", "top 3 managers"])
def test_nobody_is_made_up(choir, text):
    assert outcome(choir, text, TODAY) is not Outcome.ANSWERED


def test_those_who_are_not_called_so_are_told_by_a_stored_word_first():
    where = place(CHOIR.replace("helper_name TEXT", "post TEXT, helper_name TEXT").replace("(1, 'Ines", "(1, 'manager', 'Ines").replace("(2, 'Jo Sand", "(2, 'cook', 'Jo Sand").replace("(3, 'Kit", "(3, 'cook', 'Kit").replace("(4, 'Lou", "(4, 'cook', 'Lou").replace("(5, 'May", "(5, 'cook', 'May").replace("(6, 'Ned", "(6, 'cook', 'Ned"))  # fmt: skip
    for text in ("helpers who are not a manager", "helpers who are not managers"):
        made = analysed(where, text, TODAY)
        assert "manager_id" not in made.frames[0].sql


def test_a_stored_word_is_the_value_before_it_is_a_relation():
    where = place(
        CHOIR.replace("town TEXT, joined", "source TEXT, joined")
        .replace("'Bath'", "'referral'")
        .replace("'York'", "'recommendation'")
    )
    made = analysed(where, "singers we got by recommendation", TODAY)
    assert "referred_by IS NOT NULL" not in made.frames[0].sql
