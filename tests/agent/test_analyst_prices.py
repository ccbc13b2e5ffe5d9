"""A swimming bath whose prices hold for a time: as of today, as of a day, how they changed, when and how often."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import duckdb
import pytest
import sqlglot

from sqlagent.catalog.semantics import History, Kind, corrected, derive
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.dialects import WRITTEN
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.stored_frames import frame_of, plain
from sqlagent.makers.analyst.telling import told
from sqlagent.values import Catalog, Correction, Outcome, Subject
from tests.agent.places import analysed, assert_answered, place, rows

TODAY = date(2026, 5, 20)

BATH = """
CREATE TABLE lessons (lesson_id INTEGER PRIMARY KEY, lesson_name TEXT, style TEXT);
CREATE TABLE lesson_prices (lesson_id INTEGER REFERENCES lessons, starts_on TEXT, ends_on TEXT, price REAL, PRIMARY KEY (lesson_id, starts_on));
CREATE TABLE cards (card_code TEXT PRIMARY KEY, label TEXT);
CREATE TABLE card_fees (card_code TEXT REFERENCES cards, valid_from TEXT, valid_until TEXT, yearly_fee_cents INTEGER, PRIMARY KEY (card_code, valid_from));
CREATE TABLE cabins (cabin_id INTEGER PRIMARY KEY, cabin_name TEXT, floor TEXT);
CREATE TABLE cabin_rates (rate_id INTEGER PRIMARY KEY, cabin_id INTEGER REFERENCES cabins, effective_from TEXT, hourly_rate REAL, entered_at TEXT);
CREATE TABLE swimmers (swimmer_id INTEGER PRIMARY KEY, full_name TEXT, town TEXT);
CREATE TABLE agreements (agreement_no TEXT PRIMARY KEY, swimmer_id INTEGER REFERENCES swimmers, card_code TEXT REFERENCES cards, valid_from TEXT, valid_until TEXT, monthly_amount REAL, state TEXT);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, swimmer_id INTEGER REFERENCES swimmers, visited_on TEXT, paid_amount REAL, guests INTEGER);
INSERT INTO lessons VALUES (1, 'Crawl Basics', 'crawl'), (2, 'Crawl Plus', 'crawl'), (3, 'Diving', 'dive'), (4, 'Aqua Jog', 'gym');
INSERT INTO lesson_prices VALUES (1, '2023-01-01', '2024-06-30', 20.0), (1, '2024-07-01', '2025-12-31', 22.0), (1, '2026-01-01', '2026-08-31', 25.0), (1, '2026-09-01', NULL, 30.0),
  (2, '2023-01-01', '2024-12-31', 40.0), (2, '2025-01-01', NULL, 44.0), (3, '2024-03-01', '2025-12-31', 60.0), (3, '2026-01-01', NULL, 57.0), (4, '2025-02-01', NULL, 15.0);
INSERT INTO cards VALUES ('S', 'Silver Card'), ('G', 'Gold Card');
INSERT INTO card_fees VALUES ('S', '2023-01-01', '2025-01-01', 9000), ('S', '2025-01-01', NULL, 9900), ('G', '2023-01-01', '2024-04-01', 15000), ('G', '2024-04-01', '2026-02-01', 18000), ('G', '2026-02-01', NULL, 19800);
INSERT INTO cabins VALUES (1, 'Otter', 'ground'), (2, 'Seal', 'ground'), (3, 'Heron', 'upper');
INSERT INTO cabin_rates VALUES (1, 1, '2023-05-01', 5.0, '2023-04-01 10:00:00'), (2, 1, '2025-05-01', 6.0, '2025-04-02 10:00:00'), (3, 1, '2026-07-01', 9.0, '2026-05-02 10:00:00'), (4, 2, '2024-01-01', 7.0, '2023-12-02 10:00:00'), (5, 3, '2024-01-01', 8.0, '2023-12-02 10:00:00'), (6, 3, '2026-01-01', 10.0, '2025-12-02 10:00:00');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO swimmers SELECT i, 'Guest ' || i, CASE i % 3 WHEN 0 THEN 'Bremen' ELSE 'Leer' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO agreements SELECT 'A-' || i, i, CASE i % 2 WHEN 0 THEN 'S' ELSE 'G' END, date('2024-01-01', '+' || (i * 11) || ' days'), CASE WHEN i % 4 THEN date('2025-01-01', '+' || (i * 11) || ' days') END, 10 + i % 5, CASE WHEN i % 4 THEN 'over' ELSE 'running' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO visits SELECT i, (i * i) % 40 + 1, date('2025-04-16', '+' || i || ' days'), 4.5 + i % 3, i % 4 FROM n;
"""
JOINED = "lesson_prices JOIN lessons USING (lesson_id)"
RATES_NOW = "SELECT c.cabin_name, c.floor, (SELECT hourly_rate FROM cabin_rates r WHERE r.cabin_id = c.cabin_id AND effective_from <= '2026-05-20' ORDER BY effective_from DESC LIMIT 1) AS rate FROM cabins c"


@pytest.fixture(scope="module")
def bath():
    return place(BATH)


def test_what_holds_for_a_time_is_told_from_what_happens(bath):
    things = bath[1].model.things
    assert things["lesson_prices"].history == History(
        "starts_on", "ends_on", ("lesson_id",), ("price",), True
    )
    assert things["card_fees"].history == History("valid_from", "valid_until", ("card_code",), ("yearly_fee_cents",), False)  # fmt: skip
    assert things["cabin_rates"].history == History(
        "effective_from", "", ("cabin_id",), ("hourly_rate",), None
    )
    assert things["cabin_rates"].kind is Kind.HISTORY
    assert things["agreements"].history is None and things["visits"].history is None


def test_a_hidden_column_takes_what_holds_for_a_time_with_it(bath):
    catalog, index = bath[0].catalog(), bath[1].vocabulary.index
    hidden = [Correction(Subject.HIDDEN, "lesson_prices", "starts_on"), Correction(Subject.HIDDEN, "card_fees", "valid_until")]  # fmt: skip
    things = corrected(derive(catalog, index), tuple(hidden))[0].things
    assert things["lesson_prices"].history is None
    assert things["card_fees"].history is not None and things["card_fees"].history.ends == ""


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("what does Crawl Basics cost at the moment", "SELECT 25.0"),
        ("What is the current price of Crawl Basics?", "SELECT 25.0"),
        ("price of Crawl Basics", "SELECT 25.0"),
        ("Crawl Basics price", "SELECT 25.0"),
        ("how much is the Diving", "SELECT 57.0"),
        ("price of Crawl Basics on 30 June 2024", "SELECT 20.0"),
        ("price of Crawl Basics on 1 July 2024", "SELECT 22.0"),
        ("what did Crawl Plus cost at the end of 2024", "SELECT 40.0"),
        ("what did Crawl Plus cost at the beginning of 2025", "SELECT 44.0"),
        ("what will Crawl Basics cost on 1 October 2026", "SELECT 30.0"),
        ("what does each lesson cost today", f"SELECT lesson_name, price FROM {JOINED} WHERE starts_on <= '2026-05-20' AND (ends_on IS NULL OR ends_on >= '2026-05-20')"),
        ("lesson prices as of 2025-01-15", f"SELECT lesson_name, price FROM {JOINED} WHERE starts_on <= '2025-01-15' AND (ends_on IS NULL OR ends_on >= '2025-01-15')"),
        ("average lesson price by style", f"SELECT style, AVG(price) FROM {JOINED} WHERE starts_on <= '2026-05-20' AND (ends_on IS NULL OR ends_on >= '2026-05-20') GROUP BY 1"),
        ("most expensive lesson", "SELECT 'Diving', 57.0"),
        ("what does the Gold Card cost per year", "SELECT 19800"),
        ("fee of the Gold Card on 1 April 2024", "SELECT 18000"),
        ("fee of the Gold Card on 31 March 2024", "SELECT 15000"),
        ("cards that cost more than 150", "SELECT 'Gold Card'"),
        ("hourly rate of Otter", "SELECT 6.0"),
        ("hourly rate of Otter on 1 March 2025", "SELECT 5.0"),
        ("hourly rate per cabin", f"SELECT cabin_name, rate FROM ({RATES_NOW})"),
        ("average hourly rate by floor", f"SELECT floor, AVG(rate) FROM ({RATES_NOW}) GROUP BY 1"),
        ("by how much has the price of Crawl Basics gone up since 2023", "SELECT 5.0"),
        ("By how many percent did the price of Crawl Basics rise since 2023?", "SELECT 25.0"),
        ("price increase of Crawl Basics in 2024", "SELECT 2.0"),
        ("which lesson had the biggest price increase between its first and its latest price", "SELECT 'Crawl Basics', 5.0"),
        ("which card had the biggest percentage fee increase since 2024", "SELECT 'Gold Card', 32.0"),
        ("which lessons got cheaper since 2025", "SELECT 'Diving', 60.0, 57.0"),
        ("top 2 lessons by price increase since 2024-03-01", "SELECT 'Crawl Basics', 5.0 UNION ALL SELECT 'Crawl Plus', 4.0"),
        ("when did the price of Crawl Basics last change", "SELECT '2026-01-01'"),
        ("since when has the price of Diving been valid", "SELECT '2026-01-01'"),
        ("how often did we change the price of Crawl Basics in 2024", "SELECT 1"),
        ("number of hourly rate changes by year", "SELECT '2025', 1 UNION ALL SELECT '2026', 1"),
        ("price history of Crawl Plus", "SELECT '2023-01-01', '2024-12-31', 40.0 UNION ALL SELECT '2025-01-01', NULL, 44.0"),
    ],
)  # fmt: skip
def test_answered(bath, text, sql):
    assert_answered(bath, text, sql, TODAY)
    assert analysed(bath, text, TODAY).outcome()[0] is Outcome.ANSWERED


@pytest.mark.parametrize(
    "text",
    [
        "price of Crawl Basics in 2024",  # it changed within the year
        "how much has the price of Crawl Basics gone up",  # since when?
        "what does Crawl Basics cost per month",  # nothing says for what time its price is
        "average lesson price per month",
        "average lesson price in 2024 and 2025",
        "how often did we change prices",  # rows or days, of lessons or of others
        "price of Crawl Basics 2023 vs 2025",
    ],
)
def test_a_draft(bath, text):
    assert analysed(bath, text, TODAY).outcome()[0] is not Outcome.ANSWERED


def test_the_day_is_said(bath):
    def said(text):
        return told(understand(text, bath[1], TODAY)[1][0].frame)

    assert "as of today, 2026-05-20" in said("price of Diving")
    assert "as of 2025-03-01" in said("price of Diving on 1 March 2025")
    assert "from 2024-03-01 to today, 2026-05-20" in said("price change of Diving since 2024-03-01")


def test_the_last_day_with_data_is_said_where_it_is_today(bath):
    analysis = analysed(bath, "price of Diving", date(2027, 1, 1))
    assert "as of today, 2026-05-21" in analysis.outcome()[1]
    assert "Today is taken as 2026-05-21, the last day with data." in analysis.candidates[0].notes


QUESTIONS = (
    "price of Crawl Basics on 1 July 2024",
    "fee of the Gold Card on 1 April 2024",
    "hourly rate per cabin",
    "which lesson had the biggest percentage price increase between its first and its latest price",
    "which lessons got cheaper since 2025",
    "when did the price of Crawl Basics last change",
    "how often did we change the price of Crawl Basics in 2024",
)


@pytest.mark.parametrize("text", QUESTIONS)
def test_frames_are_stored_and_read_again(bath, text):
    frame, model = understand(text, bath[1], TODAY)[1][0].frame, bath[1].model
    assert frame_of(plain(frame, model), model) == frame


@pytest.mark.parametrize("dialect", WRITTEN)
@pytest.mark.parametrize("text", QUESTIONS)
def test_they_are_written_in_every_dialect(bath, text, dialect):
    catalog, index = bath[0].catalog(), bath[1].vocabulary.index
    there = Source(derive(Catalog(dialect, catalog.tables, "there"), index), index)
    assert sqlglot.parse_one(understand(text, there, TODAY)[1][0].sql, dialect=dialect)


def test_duckdb_gives_the_same_rows(bath, tmp_path: Path):
    catalog, index = bath[0].catalog(), bath[1].vocabulary.index
    there = Source(derive(Catalog("duckdb", catalog.tables, "there"), index), index)
    with duckdb.connect() as other:
        for statement in BATH.replace("WITH RECURSIVE", ";WITH RECURSIVE").split(";"):
            if statement.strip().startswith(("CREATE TABLE", "INSERT INTO")):
                other.execute(statement)
        for text in QUESTIONS:
            here = rows(bath, understand(text, bath[1], TODAY)[1][0].sql)
            assert sorted(other.execute(understand(text, there, TODAY)[1][0].sql).fetchall()) == here
