"""Sentences from rows: true, plain, and every number in them is in the rows."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlagent.telling.summarizing import summarize, verify
from sqlagent.values import Chart, Rows
from tests.lengths import many


def rows(columns: str, *cells: tuple[Any, ...], **more: Any) -> Rows:
    return Rows(tuple(columns.split()), cells, **more)


LAND = rows(
    "country revenue", ("Germany", Decimal("4210334.10")), ("France", 2_000_000), ("Spain", 1_789_665.9)
)
MONTHS = rows("month revenue", ("2024-01", 100), ("2024-02", 180), ("2024-03", 90), ("2024-04", 130))

TOLD: list[tuple[str, Rows, str]] = [
    ("how many orders?", rows("count(*)", (1234,)), "The count is 1,234."),
    ("average price", rows("AVG(price)", (12.3456,)), "The average price is 12.35."),
    ("smallest share", rows("share", (0.000123,)), "The share is 0.000123."),
    ("when", rows("latest", (date(2024, 3, 1),)), "The latest is 2024-03-01."),
    ("founded?", rows("founded_year", (1998,)), "The founded year is 1998."),
    ("who?", rows("name age", ("Alice", 30)), "Alice: age 30."),
    ("x", rows("n", (None,)), "There is no value: the one row found is empty (NULL)."),
    ("x", Rows(("n",), ()), "No rows: nothing matches these conditions."),
    ("revenue by country", LAND, "Germany has the highest revenue, 4.21 M, 53 % of the total; France follows with 2 M."),
    ("revenue by person", rows("last_name first_name revenue", ("Miller", "", 3), ("Moore", "", 2), ("Young", "Al", 1)), "Miller has the highest revenue, 3, 50 % of the total; Moore follows with 2."),
    ("revenue by first name", rows("first_name revenue", ("Al", 6), ("", 4)), "Al has the highest revenue, 6; the row without a name follows with 4. The 2 together make 10."),
    ("top three countries by revenue", LAND, "Germany has the highest revenue, 4.21 M; France follows with 2 M. The 3 together make 8 M."),
    ("revenue by month", MONTHS, "Revenue rose from 100 in Jan 2024 to 130 in Apr 2024, up 30 %; it peaked at 180 in Feb 2024 and its lowest was 90 in Mar 2024."),
    ("heights", rows("height", (150,), (190,)), "2 rows: height from 150 to 190."),
    ("names", rows("name id", ("Ann", 1), ("Bo", 2)), "2 rows: Ann and Bo."),
    ("names", rows("name", *((f"n{i}",) for i in range(9))), "9 rows, beginning with n0, n1 and n2."),
    ("cities", rows("city", ("Oslo",), ("Oslo",)), "2 rows, all with city Oslo."),
    ("fewest orders by city", rows("city orders", ("Bern", 1), ("Oslo", 5)), "Bern has the fewest orders, 1; Oslo follows with 5. The 2 together make 6."),
    ("orders by city", rows("city orders", ("Bern", 3), ("Oslo", 3)), "All 2 rows have the same orders, 3."),
    ("orders by city", rows("city orders", ("Bern", 3), ("Oslo", 3), ("Rome", 1)), "Bern and Oslo share the highest orders, 3."),
    ("orders by customer", rows("customer_id orders", (7, 9), (3, 1)), "Customer id 7 has the most orders, 9, 90 % of the total; customer id 3 follows with 1."),
    ("biggest order", rows("order_id revenue", (30314, 3776.02)), "Order id 30314: revenue 3,776.02."),
    ("how many people", rows("people", (148,)), "People: 148."),
    ("staff by city", rows("city staff", ("Oslo", 30), ("Rome", 10)), "Oslo has the most staff, 30; Rome follows with 10."),
    ("address", rows("address", ("Main St 1",)), "The address is Main St 1."),
    ("paid", rows("percent_paid", (15.75,)), "The percent paid is 15.75 %."),
    ("temperature by city", rows("city temperature", ("Oslo", 30), ("Rome", 10)), "Oslo has the highest temperature, 30; Rome follows with 10."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "count", "sql", "sentence"),
    [
        ("orders", 1623, "SELECT COUNT(*) AS orders FROM orders", "1,623 orders."),
        ("order", 1623, 'SELECT COUNT(*) AS "order" FROM sales.order', "1,623 orders."),
        ("orders", 1, "SELECT COUNT(*) AS orders FROM orders", "1 order."),
        ("number_of_web_visits", 20, "SELECT COUNT(*) AS number_of_web_visits FROM visits", "20 web visits."),
        ("people", 148, "SELECT COUNT(DISTINCT id) AS people FROM staff", "148 people."),
        ("count", 9, "SELECT COUNT(*) AS count FROM orders", "The count is 9."),
        ("cancelled", 9, "SELECT COUNT(*) AS cancelled FROM orders", "The cancelled is 9."),
        ("sales", 9, "SELECT SUM(amount) AS sales FROM orders", "Sales: 9."),
        ("order_count", 9, "SELECT COUNT(*) AS order_count FROM orders", "The order count is 9."),
    ],
)
def test_a_count_is_told_as_so_many_things(name: str, count: int, sql: str, sentence: str) -> None:
    assert summarize("how many", Rows((name,), ((count,),)), sql=sql) == sentence


@pytest.mark.parametrize(("question", "given_rows", "sentence"), TOLD)
def test_rows_are_told_in_a_plain_sentence(question: str, given_rows: Rows, sentence: str) -> None:
    assert summarize(question, given_rows) == sentence


def test_averages_of_groups_have_no_total_whatever_they_are_called() -> None:
    land = rows("city amount", ("Oslo", 30), ("Rome", 10))
    of_all = "SELECT city, {}(amount) AS amount FROM orders GROUP BY city"
    assert "of the total" in summarize("amount by city", land, sql=of_all.format("SUM"))
    assert summarize("amount by city", land, sql=of_all.format("AVG")) == (
        "Oslo has the highest average amount, 30; Rome follows with 10."
    )
    first = "SELECT city, {}(amount) AS amount FROM orders GROUP BY city ORDER BY 2 DESC LIMIT 2"
    assert "together" in summarize("top 2 cities by amount", land, sql=first.format("SUM"))
    assert "together" not in summarize("top 2 cities by amount", land, sql=first.format("AVG"))
    assert summarize("amount by city", land, sql="SELECT FROM (") == summarize("amount by city", land)


@pytest.mark.parametrize(
    ("name", "cells", "sentence"),
    [
        ("age", (51.1,), "The average age is 51.1."),
        ("median_price", (68.29,), "The median price is 68.29."),
        ("avg_price", (51.1,), "The avg price is 51.1."),
        ("return_rate", (51.1,), "The return rate is 51.1."),
    ],
)
def test_an_average_is_called_one(name: str, cells: tuple[float, ...], sentence: str) -> None:
    assert summarize("", rows(name, cells), sql=f"SELECT AVG(x) AS {name} FROM t") == sentence
    assert "verage" not in summarize("", rows("age", (51.1,)), sql="SELECT MAX(x) AS age FROM t")


def test_months_of_two_years_beside_their_year_are_one_series() -> None:
    cells = [(y, f"{y}-{m:02}", 100 + m + int(y)) for y in ("2025", "2026") for m in range(1, 13)]
    told = summarize("revenue this year vs last year by month", rows("year month revenue", *cells))
    assert told == "Revenue rose from 2,126 in Jan 2025 to 2,138 in Dec 2026, up 0.6 %."


def test_percentages_of_groups_have_no_total() -> None:
    margins = rows("category profit_margin", ("Clothing", 41.6), ("Kitchen", 39.5))
    sql = "SELECT category, {}SUM(profit) / SUM(revenue) AS profit_margin FROM lines GROUP BY category"
    assert summarize("profit margin by category", margins, sql=sql.format("100.0 * ")) == (
        "Clothing has the highest profit margin, 41.6 %; Kitchen follows with 39.5 %."
    )
    money = "SELECT category, SUM(profit) AS profit_margin FROM lines GROUP BY category"
    assert "51 % of the total" in summarize("profit margin by category", margins, sql=money)
    best = summarize("best 2 categories by profit margin", margins, sql=f"{sql.format('100.0 * ')} LIMIT 2")
    assert "together" not in best


def test_a_month_of_the_year_has_its_name() -> None:
    told = summarize("month of year with the most orders", Rows(("month of year", "orders"), ((5, 9),)))
    assert told == "One row: month of year May and orders 9."


IN_PERCENT: list[tuple[str, Rows, str]] = [
    ("SELECT 100.0 * SUM(a) / SUM(b) AS share FROM t", rows("share", (15.75,)), "The share is 15.75 %."),
    ("SELECT 1.0 * SUM(a) / SUM(b) AS share, 100 * c AS d FROM t", rows("share", (0.1575,)), "The share is 0.158."),
    ("SELECT AVG(100 * a) AS revenue FROM t", rows("revenue", (15.75,)), "The average revenue is 15.75."),
    (
        "SELECT month, SUM(a) * 100 / SUM(b) AS `web_share` FROM t GROUP BY month",
        rows("month web_share", ("2024-01", 63.16), ("2024-02", 60.5), ("2024-03", 62.52)),
        "Web share fell from 63.16 % in Jan 2024 to 62.52 % in Mar 2024, down 0.64 points; its lowest was 60.5 % in Feb 2024.",
    ),
    (
        "SELECT kind, 100.0 * COALESCE(SUM(a), 0) / SUM(b) AS margin_rate FROM t GROUP BY kind",
        rows("kind margin_rate", ("tents", 41.64), ("pans", 39.48)),
        "Tents has the highest margin rate, 41.64 %; pans follows with 39.48 %.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "given_rows", "sentence"), IN_PERCENT)
def test_what_was_multiplied_by_a_hundred_is_told_in_percent(
    sql: str, given_rows: Rows, sentence: str
) -> None:
    assert summarize("how much?", given_rows, sql=sql) == sentence
    assert verify(sentence, given_rows) == ()


@pytest.mark.parametrize(("question", "given_rows", "sentence"), TOLD)
def test_every_number_said_is_in_the_rows(question: str, given_rows: Rows, sentence: str) -> None:
    assert verify(sentence, given_rows) == ()


@pytest.mark.parametrize(
    "question", ["top 3 countries", "the three largest", "best country", "first two", "most revenue"]
)
def test_no_share_of_the_whole_is_claimed_of_the_top_of_it(question: str) -> None:
    assert "%" not in summarize(question, LAND)


def test_no_share_is_claimed_where_the_sql_or_the_number_of_rows_tells_of_a_limit() -> None:
    assert "%" in summarize("revenue by country", LAND, sql="SELECT country, revenue FROM t")
    assert "%" not in summarize("revenue by country", LAND, sql="SELECT country, revenue FROM t LIMIT 3")
    five = rows("city sales", *((f"c{i}", 90 - i) for i in range(5)))
    assert "%" not in summarize("sales by city", five)
    assert "%" in summarize("sales by city", five, sql="SELECT city, sum(sales) FROM t GROUP BY city")


def test_a_peak_of_nothing_is_a_peak() -> None:
    losses = rows("month profit", ("2024-01", -5), ("2024-02", 0), ("2024-03", -9), ("2024-04", -2))
    assert "peaked at 0 in Feb 2024" in summarize("profit by month", losses)


def test_no_share_is_claimed_of_rows_that_were_cut() -> None:
    cut = Rows(LAND.columns, LAND.rows, truncated=True)
    told = summarize("revenue by country", cut)
    assert "%" not in told and told.endswith("Only the first 3 rows were read.")


def test_no_share_is_claimed_of_what_cannot_be_added_up() -> None:
    averages = rows("city avg_price", ("Oslo", 3), ("Rome", 1))
    assert "%" not in summarize("average price by city", averages)
    balances = rows("city amount", ("Oslo", 3), ("Rome", -1))
    assert "%" not in summarize("amount by city", balances)


def test_the_sentence_speaks_of_the_measure_that_is_drawn() -> None:
    both = rows("city cost profit", ("Oslo", 5, 1), ("Rome", 2, 3))
    told = summarize("cost and profit by city", both, Chart("bar", "city", ("profit",)))
    assert told.startswith("Rome has the highest profit, 3")


def test_a_long_text_is_shortened() -> None:
    assert len(summarize("x", rows("note", ("word " * 100,)))) < 90


GROUNDED = [
    "Germany brings 4.21 M, France 2,000,000 and Spain about 1.79 million.",
    "Germany has 52.6 % of the 8 million total.",
    "Germany brings €4,210,334.10, more than twice Spain and 2.21 M more than France.",
    "The three countries average 2.67 M.",
    "All 3 countries together: 8M.",
    "France is at 2000k.",
    "France reaches 47.50 % of Germany.",
    "The top 2 make 78 %.",
]


@pytest.mark.parametrize("text", GROUNDED)
def test_numbers_from_the_rows_pass_however_they_are_written(text: str) -> None:
    assert verify(text, LAND) == ()


UNGROUNDED = [
    ("Germany brings 4.3 M.", ("4.3 M",)),
    ("Germany brings 4,210,335.", ("4,210,335",)),
    ("Germany has 61 % of the total.", ("61 %",)),
    ("Revenue grew 17 percent since 2019.", ("17 percent", "2019")),
    ("There are 7 countries.", ("7",)),
    ("The five countries lead.", ("five",)),
    ("Germany sold 17 and Germany sold 17.", ("17",)),
]


@pytest.mark.parametrize(("text", "numbers"), UNGROUNDED)
def test_numbers_from_nowhere_are_listed(text: str, numbers: tuple[str, ...]) -> None:
    assert verify(text, LAND) == numbers


def test_digits_of_names_and_dates_are_no_claims() -> None:
    named = rows("route day riders", ("Route 66", date(2024, 5, 17), 12), ("A4", date(2024, 5, 18), 20))
    assert verify("Route 66 had 12 riders on 2024-05-17, A4 had 20 on 18 May 2024.", named) == ()
    assert verify("Route 67 had 12 riders.", named) == ("67",)


def test_number_words_of_names_are_no_claims() -> None:
    assert verify("Three Brothers.", rows("film", ("Three Brothers",))) == ()


def test_an_expression_without_a_name_is_a_result() -> None:
    name = "CAST(COUNT(CASE WHEN a = 'x' THEN 1 END) AS REAL) * 100 / COUNT(*)"
    assert summarize("share of x", Rows((name,), ((12.5,),))) == "The result is 12.5."


def test_ratios_stored_as_fractions_may_be_said_in_percent() -> None:
    assert verify("Oslo is at 12.5 %.", rows("city share", ("Oslo", 0.125), ("Rome", 0.5))) == ()


def test_among_many_rows_not_any_difference_counts() -> None:
    many = rows("n", *((i * i % 7919,) for i in range(400)))
    assert verify("The gap is 4,321.", many) == ("4,321",)


def test_ordinals_are_no_claims() -> None:
    assert verify("France came 2nd, Spain 3rd.", LAND) == ()


def test_numbers_beyond_reckoning_are_told_without_failing() -> None:
    for odd in (10**400, Decimal("1e400"), Decimal("NaN"), float("inf"), 1e308):
        for some in (
            rows("n", (odd,)),
            rows("n", (odd,), (odd,)),
            rows("city n", ("a", odd), ("b", 1), ("c", odd)),
        ):
            assert verify(summarize("x", some), some) == ()


CELL = st.one_of(
    st.none(), st.integers(-(10**12), 10**12), st.floats(), st.decimals(-(10**6), 10**6, places=2), st.text(max_size=5)
)  # fmt: skip


@settings(max_examples=many(60, 200), deadline=None)
@given(
    st.lists(st.tuples(st.text("abc", min_size=1, max_size=4), CELL), max_size=8),
    st.sampled_from(["by city", "top 3", "lowest", ""]),
    st.booleans(),
)
def test_no_rows_make_a_sentence_that_says_a_number_of_its_own(
    cells: list[tuple[Any, ...]], question: str, truncated: bool
) -> None:
    some = Rows(("city", "amount"), tuple(cells), truncated=truncated)
    sentence = summarize(question, some)
    assert sentence
    assert verify(sentence, some) == (), sentence


def test_an_expression_is_said_as_its_value() -> None:
    said = summarize("x", rows("name n/cid", ("ann", 2), ("bob", 5)))
    assert said == "Bob has the highest value, 5; ann follows with 2."
    assert "sum" not in summarize("x", rows("name round(sum(a)/count(b),2)", ("ann", 2), ("bob", 5)))


def test_years_in_words_are_a_series_and_no_ranking() -> None:
    said = summarize(
        "revenue growth by year", rows("year revenue growth", ("2024", 12.0, None), ("2025", 18.0, 50.0))
    )
    assert said == "Revenue rose from 12 in 2024 to 18 in 2025, up 50 %."


BEST_MONTHS = rows("month revenue", ("2025-12", 90), ("2025-11", 70), ("2025-07", 50))
BY_MONTH = "SELECT month, SUM(x) AS revenue FROM t GROUP BY month ORDER BY {} LIMIT 3"
CHEAPEST = rows("name product price", ("Books", "Atlas", 7), ("Shoes", "Sneakers", 26), ("Toys", "Bear", 5))
OF_EACH = (
    "SELECT name, product, price FROM (SELECT name, product, price, RANK() OVER (PARTITION BY name ORDER BY price{}) AS place FROM t) AS r "
    "WHERE place <= {} ORDER BY name"
)

SORTED: list[tuple[str, str, Rows, str]] = [
    ("top 3 months", BY_MONTH.format("SUM(x) DESC"), BEST_MONTHS, "Dec 2025 has the highest revenue, 90; Nov 2025 follows with 70. The 3 together make 210."),
    ("3 months", BY_MONTH.format("SUM(x)"), rows("month revenue", ("2025-01", 5), ("2025-07", 6)), "Jan 2025 has the lowest revenue, 5; Jul 2025 follows with 6. The 2 together make 11."),
    ("revenue by month", BY_MONTH.format("month"), BEST_MONTHS, "Revenue rose from 50 in Jul 2025 to 90 in Dec 2025, up 80 %."),
    ("cheapest product in each category", OF_EACH.format("", 1), CHEAPEST, "The lowest price of each category goes from 5 (Toys, Bear) to 26 (Shoes, Sneakers)."),
    ("second cheapest product in each category", OF_EACH.format("", 2).replace("<=", "="), CHEAPEST, "The second lowest price of each category goes from 5 (Toys, Bear) to 26 (Shoes, Sneakers)."),
    ("fourth dearest product of each category", OF_EACH.format(" DESC", 4).replace("<=", "="), CHEAPEST, "In place 4 of each category, price goes from 5 (Toys, Bear) to 26 (Shoes, Sneakers)."),
    ("dearest products", OF_EACH.format(" DESC", 1), CHEAPEST, "The highest price of each group goes from 5 (Toys, Bear) to 26 (Shoes, Sneakers)."),
    ("two cheapest products in each category", OF_EACH.format("", 2), CHEAPEST, "Toys (Bear) has the lowest price, 5; Books (Atlas) follows with 7."),
    ("best sellers", "", rows("product best_sellers", ("Tent", 9), ("Bag", 5)), "Tent leads with 9; Bag follows with 5."),
    ("best sellers", "", rows("product best_sellers", ("Tent", 9), ("Bag", 9), ("Mug", 5)), "Tent and Bag share the first place with 9."),
    ("most returned", "SELECT product, SUM(n) AS returned FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 2", rows("product returned", ("Tent", 21), ("Bag", 5)), "Tent has the most returned, 21; Bag follows with 5."),
    ("popular", "SELECT product, COUNT(*) AS order_lines FROM t GROUP BY 1 ORDER BY 2 LIMIT 2", rows("product order_lines", ("Tent", 2), ("Bag", 5)), "Tent has the fewest order lines, 2; Bag follows with 5."),
    ("busiest weekday", "SELECT weekday, COUNT(*) AS orders FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 1", rows("weekday orders", ("Saturday", 8430)), "Saturday has the most orders, 8,430."),
    ("second busiest", "SELECT weekday, COUNT(*) AS orders FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 1 OFFSET 1", rows("weekday orders", ("Friday", 7139)), "Friday: orders 7,139."),
    ("orders on Saturday", "SELECT weekday, COUNT(*) AS orders FROM t WHERE weekday = 'Saturday' GROUP BY 1", rows("weekday orders", ("Saturday", 8430)), "Saturday: orders 8,430."),
    ("never sold", "SELECT name FROM t WHERE NOT id IN (SELECT t_id FROM lines)", Rows(("name",), ()), "No rows: nothing matches these conditions."),
    ("all", "SELECT name FROM t", Rows(("name",), ()), "No rows."),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sql", "given_rows", "sentence"), SORTED)
def test_rows_are_told_as_their_statement_sorts_them(
    question: str, sql: str, given_rows: Rows, sentence: str
) -> None:
    assert summarize(question, given_rows, sql=sql) == sentence
    assert verify(sentence, given_rows) == ()


def test_one_figure_in_columns_of_two_periods_is_told_by_its_changes():
    rows = Rows(
        ("city", "orders_2026", "orders_2025"), (("Oslo", 30, 20), ("Rome", 10, 40), ("Bern", None, 4))
    )
    told = summarize("orders by city 2026 vs 2025", rows)
    assert (
        told
        == "Orders by city: Rome fell from 40 in 2025 to 10 in 2026, down 75 %; Oslo rose from 20 to 30, up 50 %."
    )


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        ("LIMIT 3", "Of the 3 rows shown, b has the highest revenue, 9;"),
        ("ORDER BY product LIMIT 3", "Of the 3 rows shown, b has the highest revenue, 9;"),
        ("ORDER BY revenue DESC LIMIT 3 OFFSET 5", "Of the 3 rows shown, b has the highest revenue, 9;"),
        ("ORDER BY revenue DESC LIMIT 3", "B has the highest revenue, 9;"),
        ("ORDER BY revenue LIMIT 3", "C has the lowest revenue, 4;"),
        ("LIMIT 4", "B has the highest revenue, 9"),
    ],
)
def test_rows_that_a_limit_took_are_not_spoken_of_as_all_of_them(tail: str, said: str) -> None:
    three = Rows(("product", "revenue"), (("a", 5), ("b", 9), ("c", 4)))
    told = summarize("", three, sql=f"SELECT product, SUM(x) AS revenue FROM t GROUP BY product {tail}")
    assert told.startswith(said)
