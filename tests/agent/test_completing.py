"""How SQL that is being typed may go on: in CTEs and subqueries, behind JOIN and ON, in texts, in broken SQL."""

from __future__ import annotations

import pytest

from sqlagent.sql.completing import MOST, Completion, Known, complete
from sqlagent.values import Catalog, Column, Table, Term, TermKind
from tests.agent.completing_shop import cases, known, values

SHOP = known()
WITHIN = 10


def offered(sql: str, shop: Known = SHOP) -> list[Completion]:
    at = sql.index("|")
    return complete(sql.replace("|", "", 1), at, shop, values)


def wrong(case: dict) -> str:
    labels = [one.label for one in offered(case["sql"])]
    first = labels[: case.get("within", WITHIN)]
    lacking = [want for want in case.get("wants", ()) if want not in first]
    too_much = [name for name in case.get("never", ()) if name in labels]
    return f"{case['about']}: {lacking} {too_much} of {labels[:8]}" if lacking or too_much else ""


def test_of_a_hundred_places_nearly_all_are_completed_rightly() -> None:
    told = [words for case in cases() if (words := wrong(case))]
    print("\n".join(told))
    assert len(cases()) >= 100
    assert len(told) <= len(cases()) * 0.05, "\n".join(told)


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb", "spark"])
def test_it_never_fails_wherever_the_cursor_stands(dialect: str) -> None:
    shop = known(dialect)
    for case in cases():
        sql = case["sql"].replace("|", "", 1)
        for at in range(0, len(sql) + 1, 11):
            assert len(complete(sql, at, shop, values)) <= MOST
            assert len(complete(sql[:at], at, shop, values)) <= MOST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(" * 3_000,
        ")" * 50,
        "'",
        '"',
        "SELECT " + "a, " * 5_000,
        "\x00",
        "🙂 SELECT",
        "WITH a AS (" * 300,
    ],
)
def test_odd_texts_are_no_error(text: str) -> None:
    assert isinstance(complete(text, len(text), SHOP, values), list)
    assert isinstance(complete(text, 10**9, SHOP, values), list)


def test_names_are_written_so_that_they_mean_what_they_say() -> None:
    assert {one.label: one.insert for one in offered('SELECT | FROM "Order Notes"')}["order"] == '"order"'
    table = Table("Kunde", (Column("Name"), Column("plz")))
    upper = Known(Catalog("postgres", (table,)))
    assert offered("SELECT * FROM |", upper)[0].insert == '"Kunde"'
    mysql = Known(Catalog("mysql", (Table("a b", (Column("c d"),)),)))
    assert offered("SELECT | FROM `a b`", mysql)[0].insert == "`c d`"


def test_what_was_typed_is_replaced_and_a_text_is_closed_once() -> None:
    sql = "SELECT * FROM customers WHERE country = 'nor|"
    assert {(one.insert, one.start) for one in offered(sql)} == {("Norway'", 41), ("North Macedonia'", 41)}
    assert {one.insert for one in offered(sql + "'")} == {"Norway", "North Macedonia"}
    assert offered("SELECT * FROM customers WHERE country = 'côte|")[0].insert == "Côte d''Ivoire'"


def test_at_most_fifty_are_offered() -> None:
    wide = Known(Catalog("sqlite", (Table("t", tuple(Column(f"c{n}") for n in range(900))),)))
    assert len(offered("SELECT | FROM t", wide)) == MOST


def test_without_values_no_text_is_completed() -> None:
    sql = "SELECT * FROM customers WHERE country = '"
    assert complete(sql, len(sql), SHOP) == []


@pytest.mark.parametrize(
    ("sql", "label", "insert"),
    [
        ("SELECT clean| FROM orders o", "clean takings", "SUM(o.total)"),
        ("SELECT pure| FROM orders", "pure takings", "SUM(orders.total)"),
        ("SELECT takings|", "clean takings", "SUM(orders.total)"),
        ("SELECT * FROM orders AS o WHERE lar|", "large", "o.total > 100"),
        ("SELECT * FROM orders WHERE clean|", "clean takings", None),  # no aggregate in WHERE
        ("SELECT clean| FROM customers", "clean takings", None),  # its table is not read
        (
            "SELECT clean| FROM orders a JOIN orders b ON a.id = b.id",
            "clean takings",
            None,
        ),  # which of the two?
        ("SELECT * FROM clean|", "clean takings", None),
        ("SELECT rul| FROM orders", "rule", None),
    ],
)
def test_terms_of_the_source_are_offered_where_their_tables_are_read(sql, label, insert):
    table = Table("orders", (Column("id"), Column("total")))
    known = Known(Catalog("sqlite", (table, Table("customers", (Column("id"),)))))
    terms = (
        Term("clean takings", TermKind.MEASURE, "SUM(orders.total)", ("pure takings",)),
        Term("large", TermKind.FILTER, "orders.total > 100"),
        Term("rule", TermKind.RULE, "words"),
    )
    found = complete(sql.replace("|", ""), sql.index("|"), known, terms=terms)
    assert {one.label: one.insert for one in found if one.kind == "term"}.get(label) == insert


@pytest.mark.timeout(60)
def test_a_long_word_is_looked_at_once() -> None:
    sql = f"SELECT {'a' * 200_000} "
    assert complete(sql, len(sql), SHOP)
