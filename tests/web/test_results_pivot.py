"""Rows against columns: reckoned from the rows of a result, bounded, for its owner alone, and as a file."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

import pytest
from django.urls import reverse

from mirror.queries.running import Values, sql_run
from mirror.results import pivots, pivots_once, services
from mirror.results.kept_pivots import pivot_kept, pivot_table
from mirror.results.models import KeptPivot
from mirror.results.pages import table_page
from mirror.results.pivot_pages import pivot_lines, pivot_page
from mirror.results.pivots import BadPivot, PivotWish, pivot
from mirror.results.pivots_once import pivot_once
from mirror.results.rows import columns_of
from sqlagent.values import Limits, Rows

pytestmark = pytest.mark.django_db
SALES = Rows(
    ("city", "year", "sales", "sales"),
    (
        ("Oslo", 2024, 10, Decimal("1.50")),
        ("Oslo", 2025, 20, None),
        (None, 2024, 5, Decimal("2.25")),
        ("<b>Rome</b>", None, 2**62, Decimal("1.00")),
        ("", 2024, 2**62, Decimal("3.00")),
    ),
)


@pytest.fixture
def sales(shop, alice, media):
    return services.result_store(shop, SALES, alice)


def found(result, *args, **more):
    return pivot(result, PivotWish(*args), 0, 50, **more)


def test_null_is_a_value_of_its_own_and_totals_are_of_rows(sales):
    whole = found(sales, (0,), 1, 2, "mean")
    assert whole.columns == (2024, 2025, None)
    rows = {keys[0]: (cells, total) for keys, cells, total in whole.rows}
    assert list(rows) == ["", "<b>Rome</b>", "Oslo", None]
    assert rows["Oslo"] == ([10, 20, None], 15) and rows[None][0] == [5, None, None]
    assert found(sales, (0,), 1, 2, "sum").whole == 35 + 2**63, "beyond a column's own integers"
    assert found(sales, (0,), 1, 3, "sum").foot == [Decimal("6.75"), None, Decimal("1.00")]
    assert found(sales, (1, 0)).whole == 5 and len(found(sales, (1, 0)).rows) == 5
    assert found(sales, (1,), None, 0, "distinct").rows[0][2] == 2, "a NULL is not counted among values"
    assert [total for _, _, total in pivot(sales, PivotWish((0,), None, 3, "sum", True), 0, 2).rows] == [
        3,
        Decimal("2.25"),
    ]
    assert found(sales, (1,), filters={0: "= Oslo"}).whole == 2


def test_numbers_that_are_none_and_mixed_values_do_not_break_it(shop, alice, media):
    rows = (
        (1.5, math.nan, b"\x00", [1]),
        (math.inf, 1, "x", [1]),
        (-math.inf, 2, 7, None),
        (math.nan, 2.0, None, [2]),
        (5, None, 2**70, [1]),
    )
    kept = services.result_store(shop, Rows(("a", "b", "c", "d"), rows), alice)
    for along in range(4):
        for across in (None, 0, 1, 2, 3):
            for aggregate, value in (("count", None), ("distinct", 2), ("sum", 0), ("mean", 1), ("max", 0)):
                whole = found(kept, (along,), across, value, aggregate)
                assert whole.row_count == len(
                    {repr(row[along]) for row in rows} - {"2.0" if along == 1 else ""}
                )
    page = pivot_page(kept, {"pr": "2", "pc": "0", "pv": "1", "pa": "sum"})
    assert page.rows and not page.problem


def test_more_columns_than_can_be_read_count_in_the_totals_and_are_told(shop, alice, media, as_alice):
    rows = tuple((n % 3, f"word {n:04}", 1) for n in range(300))
    kept = services.result_store(shop, Rows(("a", "b", "n"), rows), alice)
    page = pivot_page(kept, {"pr": "0", "pc": "1", "pv": "2", "pa": "sum"})
    assert (len(page.heads), page.hidden_columns, page.foot[-1].text) == (pivots.MOST_COLUMNS, 100, "300")
    shown = as_alice.get(reverse("results:pivot", args=[kept.pk]), {"pr": 0, "pc": 1}).content.decode()
    assert "The first 200 columns are shown; the totals include 100 more." in shown
    paged = pivot_page(kept, {"pr": "1", "pp": "9" * 9})
    assert (paged.first_row, paged.last_row, paged.row_count, paged.next_url) == (251, 300, 300, "")


@pytest.mark.parametrize(
    "wish",
    [
        PivotWish(()),
        PivotWish((9,)),
        PivotWish((0,), 9),
        PivotWish((0,), None, None, "sum"),
        PivotWish((0,), None, 0, "sum"),
    ],
)
def test_what_gives_no_pivot_is_said(sales, wish):
    with pytest.raises(BadPivot):
        pivot(sales, wish, 0, 50)


@pytest.mark.parametrize(
    ("rows", "begins"),
    [
        ([("2025-01", "web", 2), ("2025-01", "store", 3), ("2025-02", "web", 4)], PivotWish((0,), 1, 2, "sum")),
        ([("web", "2025-01", 2), ("store", "2025-01", 3), ("web", "2025-02", 4), ("web", "2025-03", 4)], PivotWish((1,), 0, 2, "sum")),
        ([("Lamp", "Home", 2), ("Desk", "Home", 3), ("Bike", "Sport", 4)], PivotWish((0,), None, 2, "sum")),
        ([(f"{n}", f"{n % 13}", n) for n in (*range(40), *range(40))], PivotWish((0,), None, 2, "sum")),
    ],
)  # fmt: skip
def test_a_pivot_begins_with_what_crosses_the_column_of_fewer_values_across(alice, shop, media, rows, begins):
    kept = services.result_store(shop, Rows(("a", "b", "amount"), tuple(rows)), alice)
    assert pivots.pivot_suggested(kept) == begins


@pytest.mark.parametrize(
    ("name", "figure", "value", "aggregate", "head"),
    [
        ("tickets", "", 3, "sum", "Total"),
        ("billing", "SUM(b)", 3.5, "sum", "Total"),
        ("billing", "", 3.5, "mean", "Average"),
        ("billing", "MAX(b)", 3, "mean", "Average"),
        ("billing", "AVG(b)", 3.5, "mean", "Average"),
        ("avg_price", "", 3, "mean", "Average"),
    ],
)
def test_counts_and_sums_are_added_up_and_no_average_is_called_a_total(
    shop, alice, media, name, figure, value, aggregate, head
):
    rows = tuple((a, b, value) for a in ("Oslo", "Rome") for b in ("web", "store", "web"))
    sql = f"SELECT a, b, {figure} AS {name} FROM t GROUP BY a, b" if figure else ""  # noqa: S608
    kept = services.result_store(shop, Rows(("a", "b", name), rows), alice, sql=sql)
    page = pivot_page(kept, {})
    assert (pivots.pivot_suggested(kept).aggregate, page.total) == (aggregate, head)
    assert head in next(iter(pivot_lines(kept, {})))
    chart = {"pivot": pivot_kept(pivots.pivot_suggested(kept), columns_of(kept))}
    assert pivot_table(kept, chart, (), 50).columns[-1] == head


def test_all_figures_of_a_pivot_have_one_number_of_decimals(shop, alice, media):
    rows = (("Oslo", "web", 1146.0), ("Oslo", "shop", 0.125), ("Rome", "web", 134.5))
    kept = services.result_store(shop, Rows(("a", "b", "amount"), rows), alice)
    page = pivot_page(kept, {"pr": "0", "pc": "1", "pv": "2", "pa": "sum"})
    texts = [cell.text for _keys, cells, total in page.rows for cell in (*cells, total)] + [
        cell.text for cell in page.foot
    ]
    assert {len(text.partition(".")[2]) for text in texts if text} == {3}


def test_a_pivot_is_its_owners_alone_has_an_address_and_is_a_file(sales, as_alice, as_bob, as_charlie):
    address, file = reverse("results:pivot", args=[sales.pk]), reverse("exports:pivot", args=[sales.pk])
    for browser in (as_bob, as_charlie):
        assert browser.get(address).status_code == browser.get(file).status_code == 404
    asked = {"pr": "0", "pc": "1", "pv": "2", "pa": "sum"}
    page = as_alice.get(address, asked).content.decode()
    assert "&lt;b&gt;Rome" in page and "<b>Rome" not in page and "sales (column 3)" in page
    by_htmx = as_alice.get(
        address,
        asked,
        headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/runs/1/?version=2&pr=4"},
    )
    assert by_htmx["HX-Replace-Url"] == "/runs/1/?version=2&pr=0&pc=1&pv=2&pa=sum"
    begun = as_alice.get(
        address, headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/runs/1/"}
    )
    assert begun["HX-Replace-Url"].startswith("/runs/1/?pr="), (
        "one that is looked at goes along, chosen or not"
    )
    lines = as_alice.get(file, asked).content.decode("utf-8-sig").splitlines()
    assert lines[0] == "city,2024,2025,NULL,Total"
    assert lines[-1].startswith("Total,") and lines[-1].endswith(str(35 + 2**63))
    assert as_alice.get(file, {"pr": "0", "pa": "sum"}).status_code == 400
    assert as_alice.get(address, {"pr": "0", "f2": "> x"}).status_code == 200
    type(sales).objects.filter(pk=sales.pk).update(expires_at="2020-01-01T00:00Z")
    assert as_alice.get(address, asked).status_code == as_alice.get(file, asked).status_code == 410


def test_dates_are_in_their_order_and_the_last_one_is_told(shop, alice, media):
    rows = tuple((date(2026, n % 3 + 1, 1), date(2026, 1, n + 1), "x") for n in range(6))
    kept = services.result_store(shop, Rows(("month", "day", "a"), rows), alice)
    whole = found(kept, (2,), 0, 1, "max")
    assert whole.columns == (date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1))
    assert (whole.foot, whole.whole) == (
        [date(2026, 1, 4), date(2026, 1, 5), date(2026, 1, 6)],
        date(2026, 1, 6),
    )


AVERAGES = "SELECT city, year, AVG(price) AS price, SUM(n) AS n, 100.0 * SUM(a) / SUM(n) AS rate FROM t GROUP BY city, year"


def test_averages_of_groups_have_no_totals_and_that_is_said(shop, alice, media, as_alice):
    rows = (("Oslo", 2024, 10.0, 1, 50.0), ("Oslo", 2025, 20.0, 3, 10.0), ("Rome", 2024, 4.0, 2, 5.0))
    kept = services.result_store(
        shop, Rows(("city", "year", "price", "n", "rate"), rows), alice, sql=AVERAGES
    )
    assert [bool(column.get("of_groups")) for column in kept.columns] == [False, False, True, False, True]
    shown = as_alice.get(reverse("results:rows", args=[kept.pk]), {"totals": "1"}).content.decode()
    assert shown.count('title="“price” was reckoned for each group by the SQL') == 1
    assert shown.count(">—<span") == 2 and "average 1" not in shown
    for value, oslo in ((2, [10.0, 20.0]), (4, [50.0, 10.0])):
        for aggregate in ("mean", "sum"):
            whole = found(kept, (0,), 1, value, aggregate)
            # One row alone is its own total; of two groups there is none.
            assert whole.rows[0] == (("Oslo",), oslo, None) and whole.whole is None
            assert whole.rows[1][2] == rows[2][value] and whole.foot[0] is None
    assert found(kept, (0,), 1, 3, "sum").whole == 6 and found(kept, (0,), 1, 2, "max").whole == 20.0
    page = as_alice.get(
        reverse("results:pivot", args=[kept.pk]), {"pr": 0, "pv": 2, "pa": "mean"}
    ).content.decode()
    assert "“price” was reckoned for each group" in page
    sums = as_alice.get(
        reverse("results:pivot", args=[kept.pk]), {"pr": 0, "pv": 3, "pa": "sum"}
    ).content.decode()
    assert "was reckoned for each group" not in sums
    assert (
        b"11.3"
        not in as_alice.get(
            reverse("exports:pivot", args=[kept.pk]), {"pr": 0, "pv": 2, "pa": "mean"}
        ).content
    )


@pytest.mark.django_db(transaction=True)
def test_rows_that_a_source_gave_know_their_averages_and_a_single_row_has_no_pivot(
    shop, alice, media, as_alice
):
    sql = "SELECT channel, AVG(id) AS middle FROM orders GROUP BY channel"
    kept = sql_run(shop, sql, Values(), Limits(), alice).result
    assert [bool(column.get("of_groups")) for column in kept.columns] == [False, True]
    assert table_page(kept).pivot_url
    assert not table_page(sql_run(shop, "SELECT 1 AS one", Values(), Limits(), alice).result).pivot_url


def test_a_pivot_that_is_kept_is_the_one_that_was_reckoned(sales, monkeypatch):
    wishes = [PivotWish((0,), 1, 3, "sum"), PivotWish((1, 0), None, 2, "max", True), PivotWish((0,), 1)]
    first = [pivot_once(sales, wish, 50) for wish in wishes]
    assert first == [pivot(sales, wish, 0, 50) for wish in wishes]
    monkeypatch.setattr(pivots_once, "pivot", None)
    again = [pivot_once(sales, wish, 50) for wish in wishes]
    assert [repr(one) for one in again] == [repr(one) for one in first], "digits and types too"
    services.result_delete(sales)
    assert not KeptPivot.objects.exists()


def test_values_that_no_store_takes_are_kept_exactly_and_a_very_long_one_is_reckoned_again(
    shop, alice, media, monkeypatch
):
    odd = (("a\x00b", math.nan), ("\ud800", math.inf), (None, -0.0), ("", 1e300))
    result = services.result_store(shop, Rows(("name", "x"), odd), alice)
    first = pivot_once(result, PivotWish((0,), None, 1, "max"), 50)
    with monkeypatch.context() as patched:
        patched.setattr(pivots_once, "pivot", None)
        assert repr(pivot_once(result, PivotWish((0,), None, 1, "max"), 50)) == repr(first)
    monkeypatch.setattr(pivots_once, "_LONGEST", 10)
    pivot_once(result, PivotWish((0,)), 50)
    assert KeptPivot.objects.count() == 1
