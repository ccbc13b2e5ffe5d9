"""Follow-ups that change a frame: what is meant, how the question is worded anew, and that nothing is dropped unsaid."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from sqlagent.evaluation.items import Databases
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.beside import period_before
from sqlagent.makers.analyst.changing.intending import intent
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.analyst.telling import title
from sqlagent.makers.following import stand_alone
from sqlagent.values import Turn

CASES = Path(__file__).parent / "cases" / "analyst"
TODAY = date(2026, 1, 5)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The small schemas of the analyst's tests, with their values."""
    folder = tmp_path_factory.mktemp("changing")
    for name in ("cafes", "garden", "workshop"):
        (folder / name).mkdir()
        with closing(sqlite3.connect(folder / name / f"{name}.sqlite")) as database:
            database.executescript((CASES / f"{name}.sql").read_text())
            database.commit()
    return Databases(str(folder))


def chain(opened, name, *typed):
    """The questions that a chain of turns is stated as."""
    source = opened.source(name)
    turns: list[Turn] = []
    for one in typed:
        said = stand_alone(one, turns, source.catalog, None, index=source.index, privacy="rows")
        turns.append(Turn(said.text, "SELECT 1", typed=said.typed))
    return [turn.question for turn in turns]


def first(opened, name, text):
    """First reading of a question."""
    source = opened.source(name)
    return understand(text, source_of(source.catalog, source.index), TODAY)[1][0]


@pytest.mark.parametrize(
    ("typed", "text", "way"),
    [
        ("next to the same quarters a year earlier", "compared with the year before", "compare"),
        ("how does that compare to last year", "compared with the year before", "compare"),
        ("vs the previous month", "compared with the month before", "compare"),
        ("and the year before?", "the year before", "swap"),
        ("back to agents", "agents", "swap"),
        ("the other way round", "the other way round", "sort"),
        ("what did we pay per click instead", "cost per click", "swap"),
        ("and what did they spend?", "spend", "add"),
        ("how much money was that", "revenue", "swap"),
        ("how much was that in 2024", "in 2024", "swap"),
        ("how many of those are trade", "trade", "count"),
        ("who are they", "", "list"),
        ("include the cancelled ones again", "cancelled", "gone"),
        ("all cafes please", "cafes", "gone"),
        ("which one was best", "best 1", ""),
        ("year by year", "by year", "add"),
        ("just leeds pls", "leeds", "narrow"),
        ("no shows only", "no shows", "narrow"),
        ("no-shows out", "without no-shows", "add"),
        ("renewals excluded", "without renewals", "add"),
        ("ex refunds", "without refunds", "add"),
        ("broken out by agent", "by agent", "add"),
        ("sold out", "sold out", ""),
        ("open ones", "open ones", "narrow"),
        ("who's worst", "worst 1", ""),
        ("all days of the week again", "days of the week", "gone"),
        ("only those not cancelled", "not cancelled", "narrow"),
        ("the same month a year ago", "the year before", "swap"),
        ("yoy", "compared with the year before", "compare"),
        ("average per trip please", "trip", "each"),
        ("per order on average", "order", "each"),
        ("sum it up per customer", "per customer", "summed"),
        ("how many ratings is that in total", "number of ratings", "overall"),
        ("top 3 of them", "top 3", ""),
        ("names please", "", "list"),
        ("none without a phone", "with a phone", "narrow"),
        ("now the numbers again", "plain numbers", "gone"),
        ("show their email too", "email", "beside"),
        ("only count them", "", "count"),
        ("which ones of these are trade", "are trade", "list"),
        ("and which of those have open orders?", "have open orders", "list"),
        ("what revenue was lost with them", "revenue", "swap"),
        ("and how many orders is that based on?", "number of orders", "add"),
        ("and only the trade ones", "trade ones", "narrow"),
        ("and all regions together", "regions", "gone"),
    ],
)
def test_what_a_follow_up_is_about_to_do(typed, text, way):
    meant = intent(typed)
    assert (meant.text, meant.way) == (text, way)


@pytest.mark.parametrize(
    ("name", "asked", "typed", "stated"),
    [
        # the period before
        ("workshop", "jobs opened per quarter in 2025", "next to the same quarters a year earlier",
         "jobs opened per quarter in 2025, compared with the year before"),
        ("garden", "revenue by month 2025", "and the year before", "revenue by month 2024"),
        ("garden", "revenue by category 2025", "and in 2024", "revenue by category in 2024"),
        ("garden", "revenue by month 2025, compared with the year before", "skip the comparison", "revenue by month 2025"),
        ("cafes", "sales by category 2025 vs 2024", "only 2024 again", "sales by category 2024"),
        # another figure
        ("garden", "top 5 customers by revenue in 2025", "and how many orders did each place",
         "top 5 customers by revenue in 2025, with number of orders alongside"),
        ("garden", "which customers ordered in 2025", "and how many orders each",
         "which customers ordered in 2025, with number of orders each alongside"),
        ("garden", "top 3 customers by number of orders", "and what did they spend?",
         "top 3 customers by number of orders, with revenue alongside"),
        ("cafes", "marketing spend and clicks by channel and quarter 2025 without radio", "what did we pay per click instead",
         "cost per click by channel and quarter 2025 without radio"),
        ("garden", "top 3 customers by revenue in 2025", "by number of orders instead", "top 3 customers by number of orders in 2025"),
        # back and again
        ("garden", "late orders by customer type", "back to agents", "late orders by agents"),
        ("garden", "quantity by category 2025", "back to revenue", "revenue by category 2025"),
        ("garden", "revenue by category in 2024", "back to 2025", "revenue by category in 2025"),
        ("garden", "orders by agent 2025 without cancelled ones", "include the cancelled ones again", "orders by agent 2025"),
        ("garden", "revenue by month 2025 for online", "all orders again", "revenue by month 2025"),
        ("cafes", "number of orders per cafe for old harbour and station", "all cafes again", "number of orders per cafe"),
        ("garden", "revenue by category 2025", "drop the filter", "revenue by category"),
        ("garden", "revenue by category and agent 2025", "without the category", "revenue by agent 2025"),
        # orders and ranks
        ("garden", "revenue by agent, top 3", "the other way round", "revenue by agent, bottom 3"),
        ("garden", "revenue by category", "the other way round", "revenue by category, smallest first"),
        ("garden", "revenue by category, sorted by name", "top 2", "revenue by category, top 2"),
        ("cafes", "sales by drink in 2024", "which one was best", "sales by drink in 2024, best 1"),
        # sets
        ("garden", "customers who ordered in 2025", "how many are they", "number of customers who ordered in 2025"),
        ("garden", "number of customers who ordered in 2025", "who are they", "list customers who ordered in 2025"),
        ("garden", "customers who ordered in 2025", "how many of those are trade", "number of customers who ordered in 2025, trade"),
        ("garden", "revenue by category 2025", "how many are they", "revenue by category 2025, how many groups"),
        ("garden", "orders by agent and month 2025", "how many in total", "orders 2025"),
        # shown otherwise
        ("garden", "revenue by category 2025, as a share of the total", "plain numbers again", "revenue by category 2025"),
        ("garden", "top 5 customers by revenue in 2025", "except the first one", "top 5 customers by revenue in 2025, without the first 1"),
        ("garden", "top 5 customers by revenue in 2025", "and where do they live?", "top 5 customers by revenue in 2025, with city alongside"),
        ("garden", "best 3 months by revenue in 2025", "all months please", "revenue in 2025 by months"),
        ("workshop", "jobs by month 2025", "worst 3 months", "worst 3 months by jobs 2025"),
        ("garden", "orders per customer", "in Hull", "orders per customer in Hull"),
        ("workshop", "jobs by kind", "shortest first", "jobs by kind, smallest first"),
        # of the groups that are shown
        ("garden", "orders by agent 2025", "which agent has the most", "orders by agent 2025, highest 1"),
        ("garden", "customers who ordered in 2025", "which type has the fewest?",
         "number of customers who ordered in 2025 by type, lowest 1"),
        ("garden", "customers who ordered in 2025", "how many of each type", "number of customers who ordered in 2025 by type"),
        ("cafes", "sales by cafe 2025, compared with the year before", "just the growth", "sales growth from 2024 to 2025 by cafe"),
        # groups, and figures in the place of a count
        ("workshop", "jobs by year", "and by kind?", "jobs by year and kind"),
        ("workshop", "jobs by kind", "and by priority?", "jobs by priority"),
        ("workshop", "how many jobs per kind", "show average labour minutes instead", "average labour minutes per kind"),
        ("cafes", "number of orders and revenue by cafe 2025", "drop the orders, just revenue", "revenue by cafe 2025"),
        # periods
        ("garden", "revenue by category in q2 2025", "and before that?", "revenue by category in Q1 2025"),
        ("garden", "top 5 customers by revenue in 2025", "in 2024", "top 5 customers by revenue in 2024"),
        ("cafes", "sales by category 2025 vs 2024", "by how many percent did it change", "sales growth from 2024 to 2025 by category"),
        ("cafes", "sales by category 2025 vs 2024", "no comparison, just 2025", "sales by category 2025"),
        ("cafes", "sales growth from 2024 to 2025 by category", "no comparison, just 2025", "sales 2025 by category"),
        ("garden", "revenue by month 2025", "the same months a year ago", "revenue by month 2024"),
        ("garden", "revenue by month 2025", "yoy", "revenue by month 2025, compared with the year before"),
        # a condition whose noun was left out
        ("garden", "orders by agent 2025", "only those not cancelled", "orders by agent 2025 not cancelled"),
        ("garden", "orders by agent 2025", "how many of those came in since july", "orders by agent 2025 with came in since july"),
        ("garden", "orders by agent 2025", "only trade, not the cancelled ones", "orders by agent 2025 for trade without cancelled ones"),
        # another figure, on average, in total, of the same groups
        ("workshop", "labour minutes by kind 2025", "number of jobs instead of minutes", "number of jobs by kind 2025"),
        ("workshop", "labour minutes by kind 2025", "average per job", "average labour minutes per job by kind 2025"),
        ("garden", "revenue by category 2025", "in percent", "revenue by category 2025, as a share of the total"),
        ("garden", "top 5 customers by number of orders in 2025", "same but by revenue", "top 5 customers by revenue in 2025"),
        ("garden", "number of orders by agent 2025", "top 3 by revenue", "top 3 agent by revenue 2025, with number of orders alongside"),
        ("garden", "orders in 2025", "sum it up per agent", "revenue of orders in 2025 per agent"),
        ("garden", "revenue by agent 2025", "how many agents is that", "revenue by agent 2025, how many groups"),
        ("garden", "revenue by agent 2025", "how many orders is that in total", "number of orders 2025"),
        ("garden", "revenue by agent 2025", "top 3 of them", "revenue by agent 2025, top 3"),
        ("garden", "revenue by category 2025, as a share of the total", "now the numbers again", "revenue by category 2025"),
        ("garden", "customers by type", "orders as well", "customers and orders by type"),
        ("garden", "customers who ordered in 2025", "names please", "customers who ordered in 2025"),
        # the rows behind a count by groups, and some of them
        ("garden", "number of customers by type", "list them by name", "list customers"),
        ("garden", "number of customers by type", "which of those are in Hull?", "list customers that are in Hull"),
        ("garden", "list customers in Hull", "only count them, by type", "number of customers in Hull by type"),
        # another number of rows of a sentence, groups as one, a figure on average beside it
        ("garden", "which 10 customers have the most orders in 2025", "top 3 is enough", "which 3 customers have the most orders in 2025"),
        ("garden", "orders by agent 2025", "and all agents together", "orders 2025"),
        ("workshop", "how many jobs per kind in 2025", "add the average minutes per job",
         "how many jobs per kind in 2025, with average minutes per job alongside"),
        ("garden", "orders by month 2025", "how much money is that per month", "revenue by month 2025"),
        # a group and a period without a comma
        ("garden", "revenue by category", "by agent for 2025", "revenue by agent for 2025"),
        # a denied clause does not swallow what comes after it
        ("garden", "revenue by month 2025 without online orders", "only trade", "revenue by month 2025 for trade without online orders"),
        ("workshop", "median days to close by kind for warranty jobs", "and those without warranty?",
         "median days to close by kind for jobs without warranty"),
    ],
)  # fmt: skip
def test_a_follow_up_changes_what_was_meant(opened, name, asked, typed, stated):
    assert chain(opened, name, asked, typed)[-1] == stated
    assert not first(opened, name, stated).frame.unused


def test_the_first_few_of_two_years_are_no_first_few_rows(opened):
    asked = "sales by category 2025 vs 2024"
    stated = chain(opened, "cafes", asked, "top 2")[-1]
    assert stated != f"{asked}, top 2"


def test_two_changes_at_once_are_made_one_after_the_other(opened):
    asked = "avg order value per cafe for old harbour and station"
    stated = chain(opened, "cafes", asked, "all cafes please, and year by year")[-1]
    frame = first(opened, "cafes", stated).frame
    assert not frame.where
    assert [one.grain for one in frame.by] == ["", "year"]


@pytest.mark.parametrize(
    ("asked", "typed"),
    [
        ("revenue by category 2025", "why"),
        ("revenue by customer 2025", "and what did they order for lunch"),
        ("revenue by category 2025", "except the first one"),
        ("revenue by category 2025", "as a pie chart"),
        ("revenue by agent 2025", "without the purple agents"),
        ("revenue by agent 2025", "side by side"),
        ("orders by agent", "vs last year"),
    ],
)
def test_what_is_not_understood_is_told_and_drops_nothing(opened, asked, typed):
    stated = chain(opened, "garden", asked, typed)[-1]
    assert stated == f"{asked} (not understood: {typed})"
    then, now = first(opened, "garden", asked), first(opened, "garden", stated)
    assert now.sql == then.sql
    assert now.frame.unused == (typed,)


def test_what_is_not_understood_stays_until_it_is_forgotten(opened):
    typed = ("revenue by category 2025", "foo bar (baz)", "only online", "by month instead", "never mind")
    *_, failed, later, last, forgotten = chain(opened, "garden", *typed)
    assert failed == "revenue by category 2025 (not understood: foo bar baz)"
    assert later == "revenue by category 2025 for online (not understood: foo bar baz)"
    assert last == "revenue by month 2025 for online (not understood: foo bar baz)"
    assert forgotten == "revenue by month 2025 for online"


def test_a_whole_question_after_one_that_was_not_understood_stands_by_itself(opened):
    typed = ("how flurbish are our agents", "ok, revenue by category then", "only 2025")
    assert chain(opened, "garden", *typed)[1:] == ["revenue by category", "revenue by category 2025"]


def test_a_bare_figure_after_one_that_was_not_understood_is_of_the_same_groups(opened):
    typed = ("orders by agent 2025", "foo bar", "average quantity", "split by month")
    *_, bare, split = chain(opened, "garden", *typed)
    assert bare != "average quantity"
    assert split != "split by month"


def test_a_draft_keeps_what_was_not_mentioned_and_what_was_not_understood(opened):
    typed = ("revenue billed by category 2025", "only online", "by month instead", "what about 2024")
    assert chain(opened, "garden", *typed)[1:] == [
        "revenue by category 2025 for online (not understood: billed)",
        "revenue by month 2025 for online (not understood: billed)",
        "revenue by month 2024 for online (not understood: billed)",
    ]


@pytest.mark.parametrize(
    ("name", "asked", "typed", "stated"),
    [
        ("garden", "revenue by category 2025", "only flurbish online orders", "revenue by category 2025 for online orders (not understood: flurbish)"),
        ("garden", "revenue by category 2025", "by month instead, all zorgs",
         "revenue by month 2025 (not understood: all zorgs)"),
        ("workshop", "jobs by kind", "add the average labour minutes wibbled",
         "jobs by kind, with average labour minutes alongside (not understood: wibbled)"),
    ],
)  # fmt: skip
def test_a_word_that_nothing_explains_leaves_a_draft_of_the_rest(opened, name, asked, typed, stated):
    assert chain(opened, name, asked, typed)[-1] == stated
    assert first(opened, name, stated).frame.unused


@pytest.mark.parametrize("typed", ["without the purple agents", "no flurbish orders", "orders over 12 zorgs"])
def test_a_word_that_denies_or_bounds_is_never_left_out(opened, typed):
    assert chain(opened, "garden", "orders by agent 2025", typed)[-1].endswith(f"(not understood: {typed})")


def test_days_of_the_week_go_and_the_period_stays(opened):
    typed = ("revenue by category 2025", "only saturdays", "sundays instead", "all days of the week again")
    *_, saturday, sunday, every = chain(opened, "garden", *typed)
    assert (saturday, sunday) == ("revenue by category 2025 saturdays", "revenue by category 2025 sundays")
    assert every == "revenue by category 2025"


def test_an_n_between_words_is_an_and_and_no_code(opened):
    typed, written = (
        first(opened, "garden", f"revenue by agent 2025 {one} march")
        for one in ("february n", "february and")
    )
    assert typed.sql == written.sql


def test_the_last_change_is_taken_back(opened):
    typed = ("revenue by category 2025", "and by agent", "undo")
    assert chain(opened, "garden", *typed)[-1] == "revenue by category 2025"


def test_each_undo_goes_one_step_further_back(opened):
    typed = ("revenue by category 2025", "foo bar", "only online", "undo", "Undo please", "go back")
    *_, both, one, none, end = chain(opened, "garden", *typed)
    assert both == "revenue by category 2025 for online (not understood: foo bar)"
    assert one == "revenue by category 2025 (not understood: foo bar)"
    assert none == "revenue by category 2025"
    assert (
        end == "revenue by category 2025 (not understood: go back)"
    )  # nothing is left: it is told, not dropped


def test_a_follow_up_after_undo_changes_what_was_gone_back_to(opened):
    typed = ("revenue by category 2025", "by month instead", "undo", "only online")
    assert chain(opened, "garden", *typed)[-1] == "revenue by category 2025 for online"


def test_the_period_before_stands_in_the_same_row(opened):
    found = first(opened, "workshop", "jobs opened per quarter in 2025, compared with the year before")
    assert found.frame.by[0].grain == "quarter of year"
    assert [one.said for one in found.frame.measures] == ["jobs 2025", "jobs 2024"]
    assert found.sql.count("CASE WHEN") == 2


@pytest.mark.parametrize(
    "text",
    [
        "revenue by category, compared with the year before",  # of no period
        "median discount by category 2025, compared with the year before",
        "revenue by day 2025, compared with the year before",  # no day of one year is that of another
    ],
)
def test_a_period_before_that_cannot_be_told_is_not_made_up(opened, text):
    frame = first(opened, "garden", text).frame
    assert frame.unused or "change" in frame.transform


def test_a_figure_alongside_is_of_the_same_groups(opened):
    sql = " ".join(
        first(
            opened, "garden", "top 5 customers by revenue in 2025, with number of orders alongside"
        ).sql.split()
    )
    assert "COUNT(DISTINCT salesorderline.SalesOrderID) AS orders" in sql
    assert sql.endswith("LIMIT 5")


def test_a_list_with_a_figure_alongside_becomes_groups(opened):
    found = first(
        opened,
        "workshop",
        "employees with more than 5 jobs, with number of jobs alongside, sorted by surname",
    )
    assert "HAVING COUNT(*) > 5" in found.sql
    assert found.sql.endswith("ORDER BY emp.lst_nm")


@pytest.mark.parametrize("name", ["number of elephants", "revenue in 2024"])
def test_a_figure_that_does_not_fit_is_left_out_and_told(opened, name):
    assert name in first(opened, "garden", f"revenue by customer 2025, with {name} alongside").frame.unused


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("late orders by agent, worst first", " DESC"),
        ("orders cancelled by agent, worst first", " DESC"),
        ("revenue by agent, worst first", ""),
    ],
)
def test_more_is_worse_of_what_should_not_happen(opened, text, way):
    sql = first(opened, "garden", text).sql
    assert sql.endswith(way) and sql.endswith(" DESC") == bool(way)


def test_in_percent_of_all_is_a_rate_of_each_group(opened):
    found = first(opened, "garden", "cancelled orders by customer type 2025, in percent of all orders")
    assert found.frame.measures[0].agg == "ratio"
    assert found.frame.transform == ""
    whole = first(opened, "garden", "revenue by category, as a share of all revenue")
    assert whole.frame.transform == "share"


@pytest.mark.parametrize(
    ("first_day", "until", "unit", "begins"),
    [
        (date(2025, 1, 1), date(2026, 1, 1), "year", date(2024, 1, 1)),
        (date(2025, 1, 1), date(2025, 12, 16), "year", date(2024, 1, 1)),
        (date(2024, 2, 29), date(2024, 3, 1), "year", date(2023, 2, 28)),
        (date(2025, 4, 1), date(2025, 7, 1), "quarter", date(2025, 1, 1)),
        (date(2025, 4, 1), date(2025, 7, 1), "period", date(2025, 1, 1)),
        (date(2025, 3, 10), date(2025, 3, 20), "period", date(2025, 2, 28)),
        (date(2025, 3, 10), date(2025, 3, 17), "week", date(2025, 3, 3)),
    ],
)
def test_the_period_before_is_as_long(first_day, until, unit, begins):
    found = period_before(Period(first_day, until, "day"), unit)
    assert found is not None and found.first == begins
    assert period_before(Period(first_day, None, "day"), unit) is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("revenue and number of orders by month 2025 online", "by month, 2025, online flag: yes"),
        (
            "revenue by category 2025 online as a share",
            "Share of revenue by category, 2025, online flag: yes",
        ),
    ],
)
def test_titles_of_two_figures_and_of_shares_tell_period_and_filters(opened, asked, said):
    assert title(first(opened, "garden", asked).frame).endswith(said)
