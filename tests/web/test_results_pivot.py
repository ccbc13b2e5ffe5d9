"""Rows against columns: reckoned from the rows of a result, bounded, for its owner alone, and as a file."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

import pytest
from django.urls import reverse

from mirror.results import pivots, services
from mirror.results.pivot_pages import pivot_page
from mirror.results.pivots import BadPivot, PivotWish, pivot
from sqlagent.values import Rows

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
    assert "The first 200 columns are shown; 100 more count in the totals alone." in shown
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
