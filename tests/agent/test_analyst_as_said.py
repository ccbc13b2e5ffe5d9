"""A swimming club: zero that is no missing figure, what somebody has, values before their column, letters of a name, ranks with none."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.chips import chips
from sqlagent.makers.analyst.telling import told
from sqlagent.values import Limits, Outcome
from tests.agent.places import analysed, assert_answered, place

TODAY = date(2026, 3, 10)

CLUB = """
CREATE TABLE pools (pool_id INTEGER PRIMARY KEY, pool_name TEXT NOT NULL, surface TEXT, lanes INTEGER, depth REAL);
CREATE TABLE swimmers (swimmer_id INTEGER PRIMARY KEY, swimmer_name TEXT NOT NULL, phone TEXT, home_pool_id INTEGER REFERENCES pools(pool_id), stroke TEXT, debt REAL);
CREATE TABLE coaches (coach_id INTEGER PRIMARY KEY, coach_name TEXT NOT NULL);
CREATE TABLE lessons (lesson_id INTEGER PRIMARY KEY, swimmer_id INTEGER NOT NULL REFERENCES swimmers, coach_id INTEGER REFERENCES coaches, given_on TEXT, minutes INTEGER);
CREATE TABLE badges (badge_id INTEGER PRIMARY KEY, badge_name TEXT NOT NULL);
CREATE TABLE swimmer_badges (swimmer_id INTEGER NOT NULL REFERENCES swimmers, badge_id INTEGER NOT NULL REFERENCES badges, PRIMARY KEY (swimmer_id, badge_id));
CREATE TABLE heats (id INTEGER PRIMARY KEY, pool_id INTEGER REFERENCES pools, swum_on DATE);
INSERT INTO heats VALUES (1, 1, '2026-01-31'), (2, 2, '2026-02-01'), (3, 2, '2026-02-02'), (4, NULL, '2026-02-02');
CREATE TABLE passes (pass_id INTEGER PRIMARY KEY, holder_name TEXT NOT NULL, discount REAL NOT NULL);
INSERT INTO passes VALUES (1, 'Gil', 0), (2, 'Hy', 3), (3, 'Ida', 1.5), (4, 'Jo', 0);
INSERT INTO badges VALUES (1, 'Seal'), (2, 'Otter'), (3, 'Shark');
INSERT INTO swimmer_badges VALUES (1, 1), (1, 2), (2, 1), (3, 2);
INSERT INTO pools VALUES (1, 'North', 'tiled', 8, 2.0), (2, 'Lake', 'stone', 0, NULL), (3, 'South', 'tiled', NULL, 1.5), (4, 'Hall', 'steel', 6, 1.5);
INSERT INTO swimmers VALUES (1, 'Ada', '111', 1, 'butterfly', 0), (2, 'Bo', NULL, NULL, 'crawl', 5), (3, 'Cyra', '333', 2, 'crawl', NULL), (4, 'Di', NULL, 1, 'backstroke', 2), (5, 'Fox', '555', NULL, 'crawl', 0);
INSERT INTO coaches VALUES (1, 'Max'), (2, 'Ned');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO lessons SELECT i, CASE WHEN i % 9 = 0 THEN 2 WHEN i % 2 THEN 1 ELSE 3 END, CASE WHEN i % 5 THEN i % 2 + 1 END, date('2025-09-01', '+' || i || ' days'), i % 4 * 15 FROM n;
"""


@pytest.fixture(scope="module")
def club():
    return place(CLUB)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("pools with zero lanes", "SELECT 'Lake'"),
        ("how many lessons with zero minutes", "SELECT COUNT(*) FROM lessons WHERE minutes = 0"),
        ("swimmers with zero lessons", "SELECT 'Di' UNION ALL SELECT 'Fox'"),
        ("swimmers without a phone", "SELECT 'Bo' UNION ALL SELECT 'Di'"),
        ("swimmers with a phone", "SELECT 'Ada' UNION ALL SELECT 'Cyra' UNION ALL SELECT 'Fox'"),
        ("pools with a depth", "SELECT pool_name FROM pools WHERE depth IS NOT NULL"),
        ("swimmers with their phone", "SELECT swimmer_name, phone FROM swimmers"),
        ("crawl stroke swimmers", "SELECT swimmer_name FROM swimmers WHERE stroke = 'crawl'"),
        ("crawl or butterfly stroke swimmers", "SELECT swimmer_name FROM swimmers WHERE stroke IN ('crawl', 'butterfly')"),
        ("how many tiled surface pools", "SELECT 2"),
        ("swimmers with a d in their name", "SELECT 'Ada' UNION ALL SELECT 'Di'"),
        ("swimmers with an x in their name", "SELECT 'Fox'"),
        ("second deepest pool", "SELECT pool_name, depth FROM pools WHERE depth = 1.5"),
        ("swimmers with the fewest lessons", "SELECT s.swimmer_name, COUNT(l.lesson_id) FROM swimmers s LEFT JOIN lessons l USING (swimmer_id) GROUP BY 1"),
        ("crawl stroke swimmers with the fewest lessons", "SELECT s.swimmer_name, COUNT(l.lesson_id) FROM swimmers s LEFT JOIN lessons l USING (swimmer_id) WHERE stroke = 'crawl' GROUP BY 1"),
        ("swimmers with the fewest lessons in September 2025", "SELECT s.swimmer_name, COUNT(l.lesson_id) FROM swimmers s LEFT JOIN lessons l ON l.swimmer_id = s.swimmer_id AND given_on LIKE '2025-09%' GROUP BY 1"),
        ("depth per pool", "SELECT pool_name, depth FROM pools"),
        ("average depth of pools", "SELECT AVG(depth) FROM pools"),
        ("swimmers with their home pool", "SELECT s.swimmer_name, p.pool_name FROM swimmers s LEFT JOIN pools p ON p.pool_id = s.home_pool_id"),
        ("lessons with a coach", "SELECT l.lesson_id, c.coach_name FROM lessons l JOIN coaches c USING (coach_id)"),
        ("lessons with their coach", "SELECT l.lesson_id, c.coach_name FROM lessons l LEFT JOIN coaches c USING (coach_id)"),
        ("latest 3 heats with their pool", "SELECT 4, '2026-02-02', NULL UNION ALL SELECT 3, '2026-02-02', 'Lake' UNION ALL SELECT 2, '2026-02-01', 'Lake'"),
        ("lessons with their coach sorted by coach", "SELECT lesson_id, coach_name FROM lessons LEFT JOIN coaches USING (coach_id)"),
        ("pools sorted by depth", "SELECT pool_name, depth FROM pools"),
        ("top 9 pools by depth", "SELECT pool_name, depth FROM pools WHERE depth IS NOT NULL"),
        ("swimmers with their badges", "SELECT swimmer_name, badge_name FROM swimmers LEFT JOIN swimmer_badges USING (swimmer_id) LEFT JOIN badges USING (badge_id)"),
        ("badges and their swimmers", "SELECT badge_name, swimmer_name FROM badges LEFT JOIN swimmer_badges USING (badge_id) LEFT JOIN swimmers USING (swimmer_id)"),
        ("crawl stroke swimmers with their badges", "SELECT 'Bo', 'Seal' UNION ALL SELECT 'Cyra', 'Otter' UNION ALL SELECT 'Fox', NULL"),
        ("swimmers with badges", "SELECT 'Ada' UNION ALL SELECT 'Bo' UNION ALL SELECT 'Cyra'"),
        ("how many swimmers have badges", "SELECT 3"),
        ("badges per swimmer", "SELECT swimmer_name, COUNT(*) FROM swimmer_badges JOIN swimmers USING (swimmer_id) GROUP BY 1"),
        ("which swimmer has the second fewest lessons", "SELECT swimmer_name, COUNT(*) FROM lessons JOIN swimmers USING (swimmer_id) WHERE swimmer_id = 2 GROUP BY 1"),
        ("which badge has the second most swimmers", "SELECT 'Nobody', 0 WHERE 0"),
        ("pools with lanes 8", "SELECT 'North'"),
        ("pools whose depth is 1.5", "SELECT 'South' UNION ALL SELECT 'Hall'"),
        ("zero lanes pools", "SELECT 'Lake'"),
        ("lessons with minutes 15 by coach", "SELECT coach_name, COUNT(*) FROM lessons JOIN coaches USING (coach_id) WHERE minutes = 15 GROUP BY 1"),
        ("per stroke, the 2 swimmers with the highest debt", "SELECT stroke, swimmer_name, debt FROM swimmers WHERE debt IS NOT NULL"),
        ("per surface, the deepest pool", "SELECT 'steel', 'Hall', 1.5 UNION ALL SELECT 'tiled', 'North', 2.0"),
        ("pools ranked by depth per surface", "SELECT surface, pool_name, depth FROM pools"),
        ("swimmers sorted by debt per stroke", "SELECT stroke, swimmer_name, debt FROM swimmers"),
        ("second highest debt per stroke", "SELECT 'crawl', 0"),
        ("second highest minutes per coach", "SELECT 'Max', 0 UNION ALL SELECT 'Ned', 15"),
        ("the 2 highest minutes per coach", "SELECT 'Max', 0 UNION ALL SELECT 'Max', 30 UNION ALL SELECT 'Ned', 15 UNION ALL SELECT 'Ned', 45"),
        ("second oldest lesson per swimmer", "SELECT 'Ada', 3, '2025-09-04' UNION ALL SELECT 'Bo', 18, '2025-09-19' UNION ALL SELECT 'Cyra', 4, '2025-09-05'"),
        ("second deepest pool per surface", "SELECT 'tiled', 'South', 1.5"),
        ("third highest minutes per coach", "SELECT 'Nobody', 0 WHERE 0"),
        ("latest 3 lessons with a coach", "SELECT lesson_id, given_on, coach_name FROM lessons JOIN coaches USING (coach_id) WHERE lesson_id IN (119, 118, 117)"),
        ("latest 2 heats with a pool", "SELECT 3, '2026-02-02', 'Lake' UNION ALL SELECT 2, '2026-02-01', 'Lake'"),
        ("highest debt swimmers with a phone", "SELECT 'Ada', 0 UNION ALL SELECT 'Fox', 0"),
        ("newest lesson with a coach", "SELECT 119, '2025-12-29', 'Ned'"),
        ("pools with a depth sorted by depth", "SELECT pool_name, depth FROM pools WHERE depth IS NOT NULL"),
        ("swimmers with a phone sorted by phone", "SELECT swimmer_name, phone FROM swimmers WHERE phone IS NOT NULL"),
        ("swimmers with a phone sorted by name", "SELECT swimmer_name FROM swimmers WHERE phone IS NOT NULL"),
        ("passes with a discount", "SELECT holder_name FROM passes WHERE discount > 0"),
        ("passes without a discount", "SELECT holder_name FROM passes WHERE discount = 0"),
        ("passes with a discount sorted by discount", "SELECT holder_name, discount FROM passes WHERE discount > 0"),
        ("swimmers with a home pool sorted by home pool", "SELECT swimmer_name, pool_name FROM swimmers JOIN pools ON pool_id = home_pool_id"),
        ("swimmers with a phone and a home pool", "SELECT swimmer_name, pool_name FROM swimmers JOIN pools ON pool_id = home_pool_id WHERE phone IS NOT NULL"),
        ("swimmers with a home pool and a phone", "SELECT swimmer_name, pool_name FROM swimmers JOIN pools ON pool_id = home_pool_id WHERE phone IS NOT NULL"),
        ("pools with a depth and a surface", "SELECT pool_name FROM pools WHERE depth IS NOT NULL AND surface IS NOT NULL"),
        ("pools with a surface, a depth", "SELECT pool_name FROM pools WHERE depth IS NOT NULL AND surface IS NOT NULL"),
        ("swimmers with a home pool and their phone", "SELECT swimmer_name, pool_name, phone FROM swimmers JOIN pools ON pool_id = home_pool_id"),
        ("swimmers with an a in their stroke", "SELECT 'Bo' UNION ALL SELECT 'Cyra' UNION ALL SELECT 'Di' UNION ALL SELECT 'Fox'"),
        ("swimmers with an a in their swimmer name", "SELECT 'Ada' UNION ALL SELECT 'Cyra'"),
        ("swimmers with an a in their name by stroke", "SELECT 'butterfly', 1 UNION ALL SELECT 'crawl', 1"),
        ("how many swimmers whose name contains 'a' per stroke", "SELECT 'butterfly', 1 UNION ALL SELECT 'crawl', 1"),
        ("swimmers whose name contains 'a' sorted by debt", "SELECT swimmer_name, debt FROM swimmers WHERE swimmer_name LIKE '%a%'"),
        ("swimmers and their pool", "SELECT s.swimmer_name, p.pool_name FROM swimmers s LEFT JOIN pools p ON p.pool_id = s.home_pool_id"),
    ],
)  # fmt: skip
def test_answered(club, text, sql):
    assert_answered(club, text, sql, TODAY)


def test_each_group_is_listed_in_its_order(club):
    """A group after the other, each from the greatest to those without a figure."""
    found = understand("swimmers sorted by debt per stroke", club[1], TODAY)[1]
    listed = [tuple(row) for row in club[0].execute(found[0].sql, Limits()).rows]
    assert listed[2:] == [("crawl", "Bo", 5), ("crawl", "Fox", 0), ("crawl", "Cyra", None)]


def test_rows_of_zero_are_doubted(club):
    """A debt of nothing is as likely none: the draft says so."""
    found = analysed(club, "swimmers with a debt", TODAY).outcome()
    assert found[0] is Outcome.AMBIGUOUS
    assert "rows whose debt is zero are among them" in found[1]
    for text in ("pools with a depth", "passes with a discount", "passes with a discount sorted by discount"):
        assert analysed(club, text, TODAY).outcome()[0] is Outcome.ANSWERED


@pytest.mark.parametrize(
    "text",
    [
        "swimmers and badges",
        "swimmers and lessons",
        "pools with lanes 6 or 8",
        "pools with depth 1 to 2",
        "swimmers with a 5 in their debt",
        "lessons with a 5 in their given date",
        "lessons whose given date contains '5'",
        "swimmers with an a in their home pool",
        "pools with a 2 in their lanes by surface",
    ],
)
def test_drafted(club, text):
    """A list or numbers of both, an order by what is no figure, several numbers, letters in what is no text."""
    assert analysed(club, text, TODAY).outcome()[0] is Outcome.AMBIGUOUS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("second deepest pool", "the second greatest by depth"),
        ("second deepest pool per surface", "the second greatest by depth"),
        ("third shallowest pool", "the third least by depth"),
        ("the 2 deepest pools", "the 2 greatest by depth"),
    ],
)
def test_one_row_at_a_place_is_told_by_its_place(club, text, said):
    frame = understand(text, club[1], TODAY)[1][0].frame
    assert said in told(frame)
    assert "after the first" not in told(frame)


def test_a_chip_tells_one_row_at_a_place(club):
    frame = understand("second deepest pool", club[1], TODAY)[1][0].frame
    assert any(one.words.startswith("the second largest") for one in chips(frame, club[1], TODAY))
