"""How readings differ, said in words, clause by clause."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pools import LINKED, QUESTION, SHOP, TellingJudge, ran, rows

from sqlagent.method.grouping import group_by_execution
from sqlagent.method.ranking import rank
from sqlagent.telling.readings import NO_DIFFERENCE, difference, pick_from, read, told_apart
from sqlagent.values import Catalog, Column, Ranking, Table

BASE = "SELECT c.region, SUM(o.total) FROM orders AS o JOIN customers AS c ON c.id = o.customer_id GROUP BY c.region"

CASES = {
    "SELECT s.region, SUM(o.total) FROM orders o JOIN stores s ON s.id = o.store_id GROUP BY s.region": (
        "region is the store's instead of the customer's; reads stores instead of customers"
    ),
    BASE.replace(" GROUP", " WHERE o.status = 'paid' GROUP"): "also requires orders.status = 'paid'",
    BASE.replace("SUM(o.total)", "AVG(o.total)"): "averages orders.total instead of adding it up",
    BASE.replace(
        "c.region, SUM(o.total)", "SUM(o.total), c.region"
    ): "shows the same columns in another order",
    BASE
    + " ORDER BY 2 DESC LIMIT 5": "orders by the total of orders.total from the highest; keeps only the first 5 rows",
    BASE.replace("SELECT c.region,", "SELECT c.region, COUNT(*),"): "also shows the number of rows",
    BASE.replace("SELECT", "SELECT DISTINCT"): "lists repeats once",
    BASE.replace("SUM(o.total)", "SUM(o.total - r.refund)").replace(
        " GROUP", " LEFT JOIN returns r ON r.order_id = o.id GROUP"
    ): "subtracts returns.refund; keeps rows that have no match in the joined table; also reads returns",
}


@pytest.mark.parametrize(("sql", "words"), CASES.items(), ids=CASES.values())
def test_a_difference_is_named_by_its_clause(sql: str, words: str) -> None:
    assert difference(sql, BASE, SHOP) == words


@pytest.mark.parametrize(
    "sql",
    [
        BASE.replace(" AS o", " AS x").replace("o.", "x."),
        BASE.upper(),
        BASE.replace("c.id = o.customer_id", "o.customer_id = c.id"),
        BASE.replace("AS c", "").replace("c.", "customers."),
        BASE.replace("o.total", "total"),
        BASE.replace("GROUP BY c.region", "GROUP BY 1"),
    ],
    ids=["an alias", "letter case", "sides of a join", "no alias", "no table", "by place"],
)
def test_how_it_is_written_is_no_difference(sql: str) -> None:
    assert difference(sql, BASE, SHOP) == NO_DIFFERENCE


SHOP_FORMS = {
    "sqlite": (
        "STRFTIME('%Y-%m', {})",
        "STRFTIME('%Y', {})",
        "STRFTIME('%Y-%W', {})",
        "STRFTIME('%Y-%m-%d', {})",
    ),
    "mysql": (
        "DATE_FORMAT({}, '%Y-%m')",
        "DATE_FORMAT({}, '%Y')",
        "DATE_FORMAT({}, '%x-%v')",
        "DATE_FORMAT({}, '%Y-%m-%d')",
    ),
    "postgres": tuple(
        f"DATE_TRUNC('{part}', CAST({{}} AS TIMESTAMP))" for part in ("month", "year", "week", "day")
    ),
    "duckdb": tuple(
        f"DATE_TRUNC('{part}', CAST({{}} AS TIMESTAMP))" for part in ("month", "year", "week", "day")
    ),
}
QUARTERS = {
    "sqlite": "STRFTIME('%Y', {0}) || '-Q' || ((STRFTIME('%m', {0}) + 2) / 3)",
    "mysql": "CONCAT(YEAR({0}), '-Q', QUARTER({0}))",
    "postgres": "DATE_TRUNC('quarter', CAST({0} AS TIMESTAMP))",
    "duckdb": "DATE_TRUNC('quarter', CAST({0} AS TIMESTAMP))",
}
FORMS = [
    (dialect, part, form)
    for dialect, forms in SHOP_FORMS.items()
    for part, form in zip(
        ("month", "year", "week", "day", "quarter"), (*forms, QUARTERS[dialect]), strict=True
    )
]


@pytest.mark.parametrize(("dialect", "part", "form"), FORMS, ids=[f"{d}-{p}" for d, p, _ in FORMS])
def test_a_period_is_said_in_words_whatever_the_dialect(dialect: str, part: str, form: str) -> None:
    orders = Table("orders", (Column("id"), Column("ordered_at"), Column("paid_at")))
    catalog = Catalog(dialect, (orders,))
    sql = "SELECT {0}, COUNT(*) FROM orders AS o GROUP BY {0}"
    one, two = (sql.format(form.format(f"o.{name}")) for name in ("ordered_at", "paid_at"))
    words = f"the {part} of orders.ordered_at instead of the {part} of orders.paid_at"
    assert difference(one, two, catalog) == f"shows {words}; is by {words}"


def test_a_condition_on_a_period_is_said_in_words() -> None:
    catalog = Catalog("sqlite", (Table("orders", (Column("id"), Column("ordered_at"))),))
    sql = "SELECT id FROM orders WHERE STRFTIME('%Y', ordered_at) = '2024'"
    words = difference(sql, "SELECT id FROM orders", catalog)
    assert words == "also requires the year of orders.ordered_at = '2024'"


def test_the_order_of_conditions_is_no_difference() -> None:
    one = "SELECT id FROM orders WHERE status = 'paid' AND total > 5"
    two = "SELECT id FROM orders WHERE 5 < total AND status = 'paid'"
    assert difference(one, two, SHOP) == NO_DIFFERENCE


def test_another_value_in_the_same_condition_is_said_as_one_change() -> None:
    one = "SELECT id FROM orders WHERE status = 'paid'"
    assert difference(one, one.replace("paid", "open"), SHOP) == (
        "requires orders.status = 'paid' instead of orders.status = 'open'"
    )


def test_a_table_read_twice_is_told_apart() -> None:
    one = "SELECT a.name FROM customers a JOIN customers b ON a.region = b.region"
    words = difference(one.replace("a.name", "b.name"), one, SHOP)
    assert words == "name is the other customer's instead of the customer's"


def test_readings_of_one_maker_are_told_apart_in_its_words() -> None:
    mine = (
        ("figure", "revenue"),
        ("rows", "from returns"),
        ("by", "per month"),
        ("where", "returned in 2025"),
    )
    theirs = (
        ("figure", "revenue"),
        ("rows", "from order lines"),
        ("where", "ordered in 2025"),
        ("where", "with stock"),
    )
    assert told_apart(mine, theirs) == (
        "from returns instead of from order lines; per month; returned in 2025 instead of ordered in 2025; not only with stock"
    )
    assert told_apart(theirs, theirs) == ""


@pytest.mark.parametrize("sql", ["SELEC x", "", "DROP TABLE orders", "\x00", "SELECT " + "(" * 400, "🦆"])
def test_any_text_at_all_gets_words(sql: str) -> None:
    assert difference(sql, BASE, SHOP)
    assert difference(BASE, sql, SHOP)


def ranking(*results: tuple[str, int, object]) -> Ranking:
    pool = [
        ran(sql, rows((value,)) if value is not None else rows())
        for sql, size, value in results
        for _ in range(size)
    ]
    return rank(QUESTION, LINKED, group_by_execution(pool, False), pool=len(pool), judge=TellingJudge())


@pytest.mark.parametrize(
    ("mine", "said"),
    [
        ((("figure", "number of stores"),), "number of stores instead of revenue"),
        ((), "region is the store's instead of the customer's; reads stores instead of customers"),
    ],
)
def test_what_the_maker_knows_of_both_goes_before_their_clauses(mine, said) -> None:
    top, other = ran(BASE, rows((1,))), ran(next(iter(CASES)), rows((2,)))
    top = replace(top, candidate=replace(top.candidate, parts=(("figure", "revenue"),)))
    other = replace(other, candidate=replace(other.candidate, parts=mine))
    ranked = rank(
        QUESTION, LINKED, group_by_execution([top, top, other], False), pool=3, judge=TellingJudge()
    )
    (reading,) = read(ranked, SHOP)
    assert reading.difference == said


def test_readings_are_the_other_groups_with_their_rows_and_size() -> None:
    [reading] = read(ranking((BASE, 3, 1), (next(iter(CASES)), 1, 2)), SHOP)
    assert reading.difference.startswith("region is the store's")
    assert (reading.size, reading.rows.rows) == (1, ((2,),))


def test_an_empty_result_is_no_reading_beside_a_full_one() -> None:
    assert read(ranking((BASE, 3, 1), (next(iter(CASES)), 1, None)), SHOP) == ()


def test_what_says_the_same_is_no_reading() -> None:
    assert read(ranking((BASE, 3, 1), (BASE.upper(), 1, 2)), SHOP) == ()


def test_at_most_three_readings_are_offered() -> None:
    others = [(BASE + f" LIMIT {n}", 1, n) for n in range(2, 9)]
    assert len(read(ranking((BASE, 20, 1), *others), SHOP)) == 3


def test_a_preview_says_when_it_is_cut() -> None:
    many = ran(next(iter(CASES)), rows(*((n,) for n in range(60))))
    pool = [*[ran(BASE, rows((1,)))] * 2, many]
    ranked = rank(QUESTION, LINKED, group_by_execution(pool, False), pool=3, judge=TellingJudge())
    [reading] = read(ranked, SHOP)
    assert (len(reading.rows.rows), reading.rows.truncated) == (50, True)


def test_an_ambiguous_question_is_given_its_likeliest_reading_first() -> None:
    ranked = ranking((BASE, 3, 1), (next(iter(CASES)), 2, 2))
    first, second = pick_from(ranked, read(ranked, SHOP), SHOP)
    assert first.sql == BASE
    assert (
        first.difference
        == "region is the customer's instead of the store's; reads customers instead of stores"
    )
    assert second.difference == next(iter(CASES.values()))
