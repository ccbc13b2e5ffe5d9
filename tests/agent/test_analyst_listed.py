"""A pottery school: columns that hold lists of glazes, of tools and of weekdays, beside names and places with commas."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics.entries import Entries, entries_of
from sqlagent.makers.analyst.dialects import Dialect
from sqlagent.makers.analyst.telling import told
from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place, rows

TODAY = date(2025, 11, 26)

SCHOOL = """
CREATE TABLE studios (studio_id INTEGER PRIMARY KEY, studio_name TEXT, seats INTEGER, tools TEXT, town TEXT);
CREATE TABLE clays (clay_id INTEGER PRIMARY KEY, clay_name TEXT, price REAL, uses TEXT, glazes TEXT);
CREATE TABLE classes (class_id INTEGER PRIMARY KEY, studio_id INTEGER REFERENCES studios, held_on TEXT, fee REAL);
INSERT INTO studios VALUES (1, 'Barn, upper floor', 8, 'wheel, kiln', 'Ayr, Scotland'), (2, 'Cellar', 4, 'wheel', 'Ayr, Scotland'),
  (3, 'Loft', 12, 'kiln, mill, wheel', 'Bath, England'), (4, 'Shed', 6, 'mill', 'York, England'), (5, 'Yard', 10, NULL, 'York, England'),
  (6, 'Attic', 5, 'kiln, mini kiln', 'Bath, England'), (7, 'Hall', 20, 'mini kiln', 'Ayr, Scotland');
INSERT INTO clays VALUES (1, 'Buff', 2.0, 'JUG;BOWL', '["ash", "celadon"]'), (2, 'Terra', 3.0, 'BOWL', '["ash"]'), (3, 'Bone', 9.0, 'CUP', '["tin white"]'),
  (4, 'Stone', 4.0, 'CUP;JUG', '["ash", "tin white"]'), (5, 'Raku', 5.0, 'BOWL;CUP;JUG', '[]'), (6, 'Grog', 1.0, 'JUG', '["celadon"]');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO classes SELECT i, i % 7 + 1, date('2024-10-01', '+' || (i * 2) || ' days'), 30 + i % 4 FROM n;
"""


@pytest.fixture(scope="module")
def school():
    return place(SCHOOL)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("studios that have a kiln", "SELECT studio_name FROM studios WHERE studio_id IN (1, 3, 6)"),
        ("studios with a kiln and a wheel", "SELECT studio_name FROM studios WHERE studio_id IN (1, 3)"),
        ("studios that have both a mill and a wheel", "SELECT 'Loft'"),
        ("studios with a kiln or a mill", "SELECT studio_name FROM studios WHERE studio_id IN (1, 3, 4, 6)"),
        ("studios with a wheel but no kiln", "SELECT 'Cellar'"),
        ("studios without a kiln", "SELECT studio_name FROM studios WHERE studio_id IN (2, 4, 5, 7)"),
        ("studios whose tools include a mini kiln", "SELECT studio_name FROM studios WHERE studio_id IN (6, 7)"),
        ("how many studios have a wheel", "SELECT 3"),
        ("classes in studios with a mill in 2025", "SELECT COUNT(*) FROM classes WHERE studio_id IN (3, 4) AND held_on LIKE '2025%'"),
        ("clays that are for jugs as well as for bowls", "SELECT clay_name FROM clays WHERE clay_id IN (1, 5)"),
        ("clays for jugs but not cups", "SELECT clay_name FROM clays WHERE clay_id IN (1, 6)"),
        ("how many clays for cups", "SELECT 3"),
        ("average price of clays for bowls", "SELECT 10.0 / 3"),
        ("share of clays for jugs", "SELECT 400.0 / 6"),
        ("clays with ash glaze", "SELECT clay_name FROM clays WHERE clay_id IN (1, 2, 4)"),
        ("clays with tin white", "SELECT clay_name FROM clays WHERE clay_id IN (3, 4)"),
    ],
)  # fmt: skip
def test_an_entry_is_asked_for_by_being_in_the_list(school, text, sql):
    assert_answered(school, text, sql, TODAY)
    assert outcome(school, text, TODAY) is Outcome.ANSWERED


@pytest.mark.parametrize(
    "text",
    [
        "number of studios per tools",
        "how many clays per use",
        "which uses are there",
        "number of different tools",
        "which use has the most clays",
    ],
)
def test_whole_lists_as_values_are_a_draft_that_says_so(school, text):
    made = analysed(school, text, TODAY)
    ended, reason = made.outcome()
    assert ended is Outcome.AMBIGUOUS
    assert "not entry by entry" in reason or made.unused


def test_and_may_mean_both_or_either_where_nothing_tells(school):
    made = analysed(school, "clays for jugs and bowls", TODAY)
    assert made.outcome()[0] is Outcome.AMBIGUOUS
    assert [len(rows(school, one.sql)) for one in made.frames[:2]] == [2, 5]


def test_what_is_told_of_a_list_is_read_as_the_same(school):
    first = analysed(school, "studios with a wheel but no kiln", TODAY).frames[0]
    assert told(first.frame) == "studio name of studios, where tools includes wheel and tools does not include kiln"  # fmt: skip
    again = analysed(school, "studios where tools includes wheel and tools does not include kiln", TODAY)
    assert again.outcome()[0] is Outcome.ANSWERED
    assert again.frames[0].frame.where == first.frame.where


@pytest.mark.parametrize(
    ("words", "texts", "entries"),
    [
        (("tool",), ["a1|b2", "b2", "b2|c3|a1", "c3"], Entries("|", ("b2", "a1", "c3"))),
        (("glaze",), ['["a", "b"]', '["b"]', "[]"], Entries("json", ("b", "a"))),
        (("day",), ["Mo,Tu,We,Th,Fr,Sa", "Fr,Sa", "Sa", ""], Entries(",", ("Sa", "Fr", "Mo", "Tu", "We", "Th"))),
        (("person",), ["Cole, Ada", "Cole, Ben", "Ray, Ada", "Ray, Ben"], None),
        (("stand",), ["Ayr, Scotland", "Bath, England", "Ayr", "England"], None),
        (("post",), ["Head, Sales", "Head", "Clerk, Sales", "Clerk", "Head, Ads"], None),
        (("width",), ["1,5", "2,5", "5,1", "1", "1,2,5"], None),
        (("remark",), ["red, blue", "blue", "blue, red, green", "green"], None),
        (("size",), ["[1, 2]", "[2]", "[2, 3]"], None),
        (("text",), ["late, as the road was closed", "late", "the road was closed"], None),
    ],
)  # fmt: skip
def test_names_places_and_numbers_with_commas_are_no_lists(words, texts, entries):
    assert entries_of(words, texts) == entries


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", "',' || REPLACE(t, ', ', ',') || ',' LIKE '%,50!%,%' ESCAPE '!'"),
        ("postgres", "',' || REPLACE(t, ', ', ',') || ',' LIKE '%,50!%,%' ESCAPE '!'"),
        ("duckdb", "',' || REPLACE(t, ', ', ',') || ',' LIKE '%,50!%,%' ESCAPE '!'"),
        ("mysql", "CONCAT(',', REPLACE(t, ', ', ','), ',') LIKE '%,50!%,%' ESCAPE '!'"),
    ],
)
def test_signs_of_like_in_an_entry_are_no_wildcards(dialect, sql):
    assert Dialect(dialect).lists("t", ", ", "50%") == sql
