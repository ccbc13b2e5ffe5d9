"""A bakery with a till since August and a farm shop with few rentals: part periods are named, and no growth is told of them."""

from __future__ import annotations

import json
from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.part_periods import labels_of, part_periods, told_of
from sqlagent.pipeline import answer
from sqlagent.telling.summarizing import summarize
from sqlagent.values import Budget, Limits, Outcome, Question, Rows
from tests.agent.places import place

TODAY = date(2026, 6, 14)

SHOPS = """
CREATE TABLE counters (counter_id INTEGER PRIMARY KEY, counter_name TEXT);
CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, counter_id INTEGER REFERENCES counters(counter_id), sold_on DATE, amount NUMERIC);
CREATE TABLE rentals (rental_id INTEGER PRIMARY KEY, rented_on DATE, fee NUMERIC);
CREATE TABLE stock_takes (take_id INTEGER PRIMARY KEY, taken_on DATE, pieces INTEGER);
INSERT INTO counters VALUES (1, 'Bread'), (2, 'Cakes');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2085)
INSERT INTO sales SELECT i, i % 2 + 1, date('2023-08-10', '+' || (i / 2) || ' days'), 10 + i % 7 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
INSERT INTO rentals SELECT i, date('2022-02-20', '+' || (i * 10) || ' days'), 30 + i % 4 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 28)
INSERT INTO stock_takes SELECT i, date('2024-01-01', '+' || i || ' months'), 400 + i FROM n;
"""


@pytest.fixture(scope="module")
def shops():
    return place(SHOPS)


def told(shops, text):
    """The note on part periods, and the sentence of the rows."""
    database, source = shops
    first = understand(text, source, TODAY)[1][0]
    rows = database.execute(first.sql, Limits())
    parts = part_periods(first.frame, source.model, rows)
    return told_of(parts, first.frame), summarize(text, rows, sql=first.sql, part=labels_of(parts))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("sales amount per year", "2023 begins on 10 August 2023, 2026 ends on 17 June 2026, as last read: both are part years."),
        ("sales amount by month", "August 2023 begins on 10 August 2023, June 2026 ends on 17 June 2026, as last read: both are part months."),
        ("sales amount by month in 2025", None),
        ("sales amount by month since May 2025", "June 2026 ends on 17 June 2026, as last read: it is a part month."),
        ("sales amount by month since 20 May 2025", "May 2025 begins on 20 May 2025, June 2026 ends on 17 June 2026, as last read: both are part months."),
        ("sales amount per quarter", "Q3 2023 begins on 10 August 2023, Q2 2026 ends on 17 June 2026, as last read: both are part quarters."),
        ("sales amount by week since April 2026", "the week of 30 March 2026 begins on 1 April 2026, the week of 15 June 2026 ends on 17 June 2026, as last read: both are part weeks."),
        # none lie in July: its bounds are no part of June's last week
        ("sales amount by week in June 2026 or July 2026", "the week of 15 June 2026 ends on 17 June 2026, as last read: it is a part week."),
        ("sales amount this year", "2026 ends on 17 June 2026, as last read: it is a part year."),
        ("sales amount in 2023", "2023 begins on 10 August 2023: it is a part year."),
        ("sales amount ytd", None),
        ("sales amount in 2024", None),
        ("sales amount 2025 vs 2026 by counter", "2026 ends on 17 June 2026, as last read: it is a part year."),
        ("sales amount by counter", None),
        # some rentals a month: none in its first or last weeks is no part month, and no part year
        ("rentals per month", None),
        ("rentals per year", "2022 begins on 20 February 2022, 2026 ends on 17 June 2026, as last read: both are part years."),
        # one day a month has rows: the month is whole for all that
        ("pieces of stock takes by month", None),
    ],
)  # fmt: skip
def test_part_periods_are_named(shops, text, note):
    assert told(shops, text)[0] == note


@pytest.mark.parametrize(
    ("low", "is_part"), [("2024-01-02", False), ("2024-01-08", False), ("2024-01-20", True)]
)
def test_a_year_that_begins_some_days_late_is_whole(low, is_part):
    days = f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE date('{low}', '+' || (i + 1) || ' days') < '2026-01-01')"
    shop = place(f"CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, sold_on DATE, amount NUMERIC); {days} INSERT INTO sales SELECT i, date('{low}', '+' || i || ' days'), 5 FROM n;")  # fmt: skip
    frame = understand("sales amount per year", shop[1], TODAY)[1][0].frame
    assert bool(part_periods(frame, shop[1].model)) is is_part


@pytest.mark.parametrize(
    ("text", "label", "is_part"),
    [
        ("sales amount by month since May 2025", "2026-07", False),
        ("sales amount by month since May 2025", "2026-06", True),
        ("sales amount per year", "2027", False),
    ],
)
def test_a_period_that_later_rows_follow_is_no_part_one(shops, text, label, is_part):
    """The facts are those of the last reading: rows that came since go on after it."""
    database, source = shops
    first = understand(text, source, TODAY)[1][0]
    rows = database.execute(first.sql, Limits())
    more = Rows(rows.columns, (*rows.rows, (label, 5)))
    parts = part_periods(first.frame, source.model, more)
    assert any(one.last is not None for one in parts) is is_part


def test_a_growth_against_a_part_year_is_named(shops):
    note = told(shops, "growth of sales amount by year")[0]
    assert note == (
        "2023 begins on 10 August 2023, 2026 ends on 17 June 2026, as last read: both are part years. "
        "The change of 2024 and 2026 holds a part period against a whole one."
    )


def test_the_sentence_compares_whole_periods(shops):
    sentence = told(shops, "sales amount per year")[1]
    assert "in 2024 to" in sentence and "in 2025" in sentence
    assert sentence.endswith("; 2023 and 2026, which are not whole, are left out of the comparison.")


@pytest.mark.parametrize(
    ("text", "rows", "part", "sentence"),
    [
        ("revenue per year", (("2025", 70), ("2026", 60)), {"2026"}, "Revenue was 70 in 2025 and 60 in 2026; 2026 is not whole, so no change is told."),
        ("revenue per year", ((2024, 50), (2025, 70), (2026, 60)), {"2026"}, "Revenue rose from 50 in 2024 to 70 in 2025, up 40 %; 2026, which is not whole, is left out of the comparison."),
        ("revenue per year", (("2025", 70), ("2026", 60)), {"2025", "2026"}, "Revenue was 70 in 2025 and 60 in 2026; 2025 and 2026 are not whole, so no change is told."),
        ("revenue per year", (("2025", 70), ("2026", 60)), set(), "Revenue fell from 70 in 2025 to 60 in 2026, down 14 %."),
    ],
)  # fmt: skip
def test_a_series_leaves_part_periods_out(text, rows, part, sentence):
    assert summarize(text, Rows(("year", "revenue"), rows), part=part) == sentence


def test_a_growth_is_told_between_whole_years_alone():
    rows = Rows(("year", "growth"), (("2023", None), ("2024", 440), ("2025", 48), ("2026", -10)))
    sentence = summarize("growth", rows, part={"2023", "2026"})
    assert sentence == "Growth was 48 in 2025; 2023 and 2026 are not whole, so no change is told."


def test_two_periods_side_by_side_of_which_one_is_part_tell_no_change():
    both = Rows(("country", "revenue_2025", "revenue_2026"), (("Chile", 30, 20), ("Peru", 40, 10)))
    assert summarize("x", both, part={"2026"}) == (
        "Revenue by country: Peru 40 in 2025 and 10 in 2026; Chile 30 in 2025 and 20 in 2026; "
        "2026 is not whole, so no change is told."
    )
    long = Rows(("year", "till", "revenue"), ((2025, "a", 3), (2025, "b", 2), (2026, "a", 1), (2026, "b", 1)))
    assert summarize("x", long, part={"2026"}).endswith("2026 is not whole, so no change is told.")


def test_an_answer_has_the_note(shops):
    database, source = shops
    ended = list(
        answer(
            Question("sales amount per year"),
            database=database,
            index=source.vocabulary.index,
            budget=Budget(seconds=30),
        )
    )[-1].answer
    assert ended.notes[-1].endswith("both are part years.")
    assert json.loads(ended.frame)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("growth of sales amount in the last 7 days", "from 2026-06-01 to 2026-06-07 to 2026-06-08 to 2026-06-14"),
        ("growth of sales amount in Q1 2026", "from Q4 2025 to Q1 2026"),
    ],
)  # fmt: skip
def test_growth_in_one_period_is_on_the_one_before(shops, text, says):
    from sqlagent.makers.analyst.telling import told as meaning

    first = understand(text, shops[1], TODAY)[1][0]
    assert meaning(first.frame).endswith(says)


@pytest.mark.parametrize(
    ("days", "note"),
    [
        # rows on every day: a week of five or six days is held against whole ones
        ("2026-03-02', '+' || i || ' days'", "the week of 8 June 2026 ends on 12 June 2026, as last read: it is a part week."),
        # none on weekends: its last week ends on a Friday, as all weeks do
        ("2026-03-02', '+' || (i / 5 * 7 + i % 5) || ' days'", None),
    ],
)  # fmt: skip
def test_a_week_is_part_by_a_day_where_there_are_rows_on_every_day(days, note):
    office = place(f"""
        CREATE TABLE calls (call_id INTEGER PRIMARY KEY, called_on DATE, minutes INTEGER);
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 102)
        INSERT INTO calls SELECT i, date('{days}), i % 9 FROM n WHERE date('{days}) <= '2026-06-12';
    """)  # noqa: S608
    assert told(office, "number of calls by week")[0] == note


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("which week had the least sales amount in 2026", Outcome.AMBIGUOUS),
        ("year with the lowest sales amount", Outcome.AMBIGUOUS),
        ("year with the highest sales amount", Outcome.ANSWERED),
        ("month with the lowest sales amount in 2025", Outcome.ANSWERED),
        ("counter with the lowest sales amount in 2026", Outcome.ANSWERED),
    ],
)
def test_the_least_of_periods_is_no_part_one(shops, text, outcome):
    """A week of three days is the worst because it is one."""
    database, index = shops[0], shops[1].vocabulary.index
    events = answer(Question(text), database=database, index=index, budget=Budget(seconds=30))
    ended = list(events)[-1].answer
    assert ended.outcome is outcome
    assert ("it is a part" in ended.reason) is (outcome is Outcome.AMBIGUOUS)
