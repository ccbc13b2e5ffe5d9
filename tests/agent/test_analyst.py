"""The built-in analyst: what people type, read as frames, written as SQL, told in words, and owned up to."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from random import Random

import pytest
import sqlglot

from sqlagent import pipeline
from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.evaluation.lenient import Golds
from sqlagent.events import Ended
from sqlagent.language.words import tokenise
from sqlagent.makers import analyst, following
from sqlagent.makers.analyst import periods
from sqlagent.makers.analyst.answering import today_of, understand
from sqlagent.makers.analyst.changing.parts import parts
from sqlagent.makers.analyst.dialects import WRITTEN, Dialect
from sqlagent.makers.analyst.planning import Planner
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.makers.analyst.telling import told
from sqlagent.method import linking
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Catalog, Column, Limits, Outcome, Question, Table, Turn
from tests.lengths import many

CASES = Path(__file__).parent / "cases" / "analyst"
QUESTIONS = [json.loads(line) for line in (CASES / "questions.jsonl").read_text().splitlines()]
TODAY = date(2026, 1, 5)
SAID = [
    "by",
    "per",
    "each",
    "of",
    "with",
    "without",
    "no",
    "not",
    "never",
    "and",
    "or",
    "more",
    "less",
    "than",
    "over",
    "under",
    "top",
    "5",
    "3",
    "last",
    "first",
    "average",
    "total",
    "sum",
    "count",
    "how",
    "many",
    "share",
    "percent",
    "growth",
    "compared",
    "vs",
    "2025",
    "2024",
    "in",
    "month",
    "quarter",
    "week",
    "year",
    "this",
    "since",
    "before",
    "after",
    "between",
    "only",
    "exclude",
    "except",
    "highest",
    "lowest",
    "biggest",
    "median",
    "distinct",
    "running",
    "latest",
    "new",
    "active",
    "cancelled",
    "open",
    "unpaid",
    "late",
    "have",
    "list",
    "which",
    "what",
    "ratio",
    "trend",
]


@pytest.fixture(scope="module")
def sources():
    made = {}
    for name in ("cafes", "workshop", "garden"):
        database = MemoryDatabase((CASES / f"{name}.sql").read_text())
        index = ValueIndex.build(database.catalog(), database)
        made[name] = (database, index, Source(derive(database.catalog(), index), index))
    return made


@pytest.mark.parametrize("case", QUESTIONS, ids=lambda case: f"{case['db']}: {case['question']}")
def test_what_analysts_type_is_read_as_they_mean_it(sources, case):
    database, _, source = sources[case["db"]]
    _, found = understand(case["question"], source, TODAY)
    assert found
    assert not found[0].frame.unused
    assert Golds(database, [case["gold"]], False).which(found[0].sql) == 0, found[0].sql


def ask(sources, db, text, turns=()):
    database, index, _ = sources[db]
    *_, last = pipeline.answer(
        Question(text), database=database, catalog=database.catalog(), index=index, turns=turns
    )
    assert isinstance(last, Ended)
    return last.answer


def test_an_answer_tells_how_it_was_understood(sources):
    said = ask(sources, "cafes", "sales by category 2025")
    assert said.outcome is Outcome.ANSWERED
    assert said.reason.startswith("Understood as sales (sum of net sales amount), per category name")
    assert "2025" in said.reason


def test_what_nothing_here_is_about_is_said_and_not_guessed(sources):
    said = ask(sources, "cafes", "nps by category")
    assert (said.outcome, said.sql) == (Outcome.UNANSWERABLE, "")
    assert "“nps”" in said.reason
    assert ask(sources, "workshop", "gross margin by department").outcome is Outcome.UNANSWERABLE


def test_a_word_that_is_left_over_makes_a_draft_and_is_named(sources):
    said = ask(sources, "cafes", "sales of seasonal drinks")
    assert said.outcome is Outcome.AMBIGUOUS
    assert "“seasonal”" in said.reason


def test_a_misspelt_word_is_mended_and_shown(sources):
    said = ask(sources, "garden", "custmers from Leeds")
    assert said.outcome is Outcome.ANSWERED
    assert "“custmers” was read as “customers”." in said.notes


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("orders by agent, average freight", {"freight"}),
        ("customers by region, median age", {"median"}),
        ("list of regions, 2025", {"2025"}),
        ("products by category in 2025", {"2025"}),
    ],
)
def test_an_operator_that_the_frame_does_not_follow_is_told(sources, question, left):
    said = ask(sources, "garden", question)
    assert said.outcome is not Outcome.ANSWERED
    assert all(f"“{word}”" in said.reason for word in left)


FEW = """
CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer, held_on DATE, revenue NUMERIC);
INSERT INTO singer VALUES (1, 'Ada', 'Norway'), (2, 'Bo', 'Chile');
INSERT INTO concert VALUES (1, 1, '2025-02-03', 10), (2, 2, '2025-03-04', 20);
"""


def test_a_written_sentence_is_the_generators_where_little_happens():
    database = MemoryDatabase(FEW)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    linked = linking.link(Question(""), catalog, index)
    assert not source_of(catalog, index).is_business
    assert not analyst.analyse(Question("What are the names of all singers?"), linked, index).speaks
    assert analyst.analyse(Question("names of all singers"), linked, index).speaks
    assert analyst.analyse(Question("What was the revenue in 2025?"), linked, index).speaks


def test_a_written_sentence_is_the_analysts_where_much_happens(sources):
    database, index, source = sources["garden"]
    linked = linking.link(Question(""), database.catalog(), index)
    assert source.is_business
    assert analyst.analyse(Question("What are the names of all products?"), linked, index).speaks


@pytest.mark.parametrize(
    ("text", "first", "until"),
    [
        ("sales 2025", "2025-01-01", "2026-01-01"),
        ("sales in q3 2025", "2025-07-01", "2025-10-01"),
        ("sales jul-dec 2025", "2025-07-01", "2026-01-01"),
        ("sales from 1 march to the end of june 2025", "2025-03-01", "2025-07-01"),
        ("sales between today and the end of january", "2026-01-05", "2026-02-01"),
        ("sales between today and 31 december", "2026-01-05", "2027-01-01"),
        ("sales between March and June 2025", "2025-03-01", "2025-07-01"),
        ("sales in the first half of 2025", "2025-01-01", "2025-07-01"),
        ("sales since May 2024", "2024-05-01", None),
        ("sales before 2024", None, "2024-01-01"),
        ("sales last month", "2025-12-01", "2026-01-01"),
        ("sales in the last 60 days", "2025-11-07", "2026-01-06"),
        ("sales in the last 7 days", "2025-12-30", "2026-01-06"),
        ("sales in the past 2 weeks", "2025-12-23", "2026-01-06"),
        ("sales in the past week", "2025-12-30", "2026-01-06"),
        ("sales in the last 3 months", "2025-10-01", "2026-01-01"),
        ("sales ytd", "2026-01-01", "2026-01-06"),
        ("sales on 5 March 2024", "2024-03-05", "2024-03-06"),
        ("stock at the end of 2024", None, "2025-01-01"),
    ],
)
def test_periods_are_half_open(text, first, until):
    (found,) = periods.find(tokenise(text), TODAY)
    assert str(found.period.first) == str(first)
    assert str(found.period.until) == str(until)


def test_the_day_is_that_of_the_data_where_they_ended_long_ago(sources):
    source = sources["cafes"][2]
    assert today_of(source, date(2027, 6, 1)).isoformat() == source.model.newest
    assert today_of(source, TODAY) == TODAY


@pytest.mark.parametrize(
    ("typed", "years"),
    [
        ("only 2024", {"2024"}),
        ("just 2024", {"2024"}),
        ("2024", {"2024"}),
        ("what about 2024?", {"2024"}),
        ("also 2024", {"2024", "2025"}),
    ],
)
def test_another_year_takes_the_place_of_the_one_before_unless_it_is_added(sources, typed, years):
    database, index, source = sources["garden"]
    turns = [Turn("revenue by category 2025", "")]
    text = following.stand_alone(typed, turns, database.catalog(), None, index=index).text
    (period,) = [part for part in parts(understand(text, source, TODAY)[1][0].frame) if part.kind == "period"]
    assert {said[:4] for said in period.values} == years


def test_a_chain_of_follow_ups_drops_no_filter(sources):
    database, index, source = sources["garden"]
    turns: list[Turn] = []
    sqls = []
    for typed in (
        "revenue by category",
        "only 2025",
        "by month instead",
        "without cancelled orders",
        "top 3",
    ):
        text = following.stand_alone(typed, turns, database.catalog(), None).text
        _, found = understand(text, source, TODAY)
        assert not found[0].frame.unused
        turns.append(Turn(text, found[0].sql))
        sqls.append(found[0].sql)
    assert all("2025-01-01" in sql for sql in sqls[1:])
    assert all("strftime('%Y-%m'" in sql for sql in sqls[2:])
    assert all("<> 'cancelled'" in sql and "SalesOrderID IS NULL" not in sql for sql in sqls[3:])
    assert "LIMIT 3" in sqls[4]


def test_no_and_in_keep_to_their_own_words(sources):
    _, _, source = sources["garden"]
    _, found = understand("customers without a city in the north", source, TODAY)
    assert "City IS NULL" in found[0].sql
    assert "= 'North'" in found[0].sql


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "duckdb", "spark"])
@pytest.mark.parametrize("case", QUESTIONS, ids=lambda case: case["question"])
def test_every_frame_is_written_in_every_dialect(sources, dialect, case):
    database, index, source = sources[case["db"]]
    catalog = database.catalog()
    there = Source(derive(Catalog(dialect, catalog.tables, "there"), index), index)
    _, found = understand(case["question"], source, TODAY)
    text = Planner(there.model).sql(found[0].frame)
    assert sqlglot.parse_one(text, dialect=dialect).find(sqlglot.exp.Select)
    if dialect != "mysql":
        assert "strftime(" not in text
    assert "julianday" not in text


def test_frames_are_told_in_words(sources):
    _, _, source = sources["workshop"]
    _, found = understand("open jobs by priority", source, TODAY)
    assert told(found[0].frame) == "number of jobs, per priority code, where status code is Open"


@pytest.mark.parametrize(
    "text",
    ["", "?", "by", "top", "share of", "2025", "vs", "not", "a" * 2000, "sales " * 300, "% % %", "was ist der Umsatz",
     "sales by by by month", "between and", "more than", "'; DROP TABLE x; --", "sales 2025 vs", "how many", "top 0 drinks"],
)  # fmt: skip
def test_nothing_that_is_typed_raises(sources, text):
    for name in ("cafes", "workshop", "garden"):
        understand(text, sources[name][2], TODAY)


def test_odd_schemas_raise_nothing():
    plain = tuple(Column(c, "TEXT") for c in "abc")
    loop = Catalog("sqlite", (Table("a", plain), Table("b", ()), Table("only", (Column("x", "INTEGER"),))))
    source = source_of(loop, None)
    for text in ("a by b", "revenue 2025", "count of only", "top 5 only by x"):
        understand(text, source, TODAY)


@pytest.mark.parametrize(
    ("db", "text", "title"),
    [
        ("cafes", "revenue country 2025", "Revenue by country, 2025"),
        ("cafes", "sales by category 2025", "Sales by category, 2025"),
        ("cafes", "top 3 drinks by revenue", "Top 3 drinks by revenue"),
        ("cafes", "sales without app", "Sales, not app"),
        ("cafes", "share of revenue by category", "Share of revenue by category"),
        ("workshop", "number of jobs by priority 2025", "Number of jobs by priority, 2025"),
        ("workshop", "running total of jobs by month 2025", "Running total of jobs by month, 2025"),
        ("workshop", "headcount by department", "Headcount by department, term date is missing"),
        ("cafes", "drinks never sold", ""),
    ],
)
def test_a_title_says_measure_groups_and_period_in_words(sources, db, text, title):
    assert ask(sources, db, text).title == title


@pytest.mark.parametrize(
    ("db", "text", "head"),
    [
        ("workshop", "how many jobs", "jobs"),
        ("cafes", "how many were sold", "quantity_sold"),
        ("cafes", "number of orders in 2025", "orders"),
    ],
)
def test_a_count_is_headed_by_what_it_counts(sources, db, text, head):
    assert ask(sources, db, text).rows.columns == (head,)


def test_years_of_one_time_are_told_once(sources):
    reason = ask(sources, "cafes", "revenue by country 2025, 2024 and 2023").reason
    assert " in 2025, 2024 or 2023" in reason


def test_a_comparison_of_years_names_the_years(sources):
    reason = ask(sources, "cafes", "Revenue growth 2025 vs 2024 by country").reason
    assert "Revenue 2024 (" in reason
    assert "-01-01" not in reason
    jobs = ask(sources, "workshop", "Jobs growth 2025 vs 2024 by priority").reason
    assert "number of Jobs 2024 where" in jobs


def test_spark_writes_times_in_its_own_words() -> None:
    spark = Dialect("spark")
    assert spark.grain("d", None, "month") == "DATE_FORMAT(d, 'yyyy-MM')"
    assert spark.grain("d", None, "quarter") == "CONCAT(YEAR(d), '-Q', QUARTER(d))"
    assert spark.days("b", None, "a", None) == "((UNIX_TIMESTAMP(b) - UNIX_TIMESTAMP(a)) / 86400.0)"
    assert "tsql" not in WRITTEN


@pytest.mark.parametrize("db", ["cafes", "workshop", "garden"])
def test_words_of_a_source_in_any_order_raise_nothing_and_give_sql_that_runs(sources, db):
    database, _, source = sources[db]
    chance = Random(20261122)
    catalog = database.catalog()
    names = [
        name.lower().replace("_", " ")
        for t in catalog.tables
        for name in (t.name, *(c.name for c in t.columns))
    ]
    for _ in range(many(150, 400)):
        words = [
            chance.choice(names if chance.random() < 0.45 else SAID) for _ in range(chance.randint(2, 9))
        ]
        _, frames = understand(" ".join(words), source, TODAY)
        if frames:
            database.execute(frames[0].sql, Limits())
