"""Facts of the columns of stored rows, counted from the file and never asked of the source."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from django.urls import reverse

from mirror.results import services
from mirror.results.models import StoredResult
from mirror.results.statistics import column_statistics
from sqlagent.values import Rows

pytestmark = pytest.mark.django_db
BIG = 10**40


@pytest.fixture
def cities(shop, alice, media) -> StoredResult:
    rows = (
        ("Oslo", 709037, Decimal("5.10"), date(1048, 1, 1), None, BIG),
        ("Oslo", -12, Decimal("-0.05"), None, 7, BIG + 1),
        ("Ålesund", None, None, date(1848, 1, 1), "seven", None),
        ("", 9007199254740993, Decimal("0.00"), date(2024, 2, 29), 2.5, 0),
    )
    names = ("city", "people", "area", "founded", "x", "huge")
    return services.result_store(shop, Rows(names, rows), alice)


@pytest.mark.parametrize(
    ("number", "empty", "distinct", "least", "greatest", "frequent"),
    [
        (0, 0, 3, "", "Ålesund", ("Oslo", 2)),
        (1, 1, 3, -12, 9007199254740993, (-12, 1)),
        (2, 1, 3, Decimal("-0.05"), Decimal("5.10"), (Decimal("-0.05"), 1)),
        (3, 1, 3, date(1048, 1, 1), date(2024, 2, 29), (date(1048, 1, 1), 1)),
        (4, 1, 3, 2.5, "seven", (2.5, 1)),
        (5, 1, 3, 0, BIG + 1, (0, 1)),
    ],
)
def test_each_kind_of_column_is_counted_with_its_own_values(
    cities, number, empty, distinct, least, greatest, frequent
):
    found = column_statistics(cities, number)
    assert (found.rows, found.empty, found.distinct) == (4, empty, distinct)
    assert (found.least, found.greatest, found.frequent[0]) == (least, greatest, frequent)


def test_numbers_have_a_mean_and_nothing_else_has(cities):
    means = [column_statistics(cities, number).mean for number in range(6)]
    assert means[2] == pytest.approx(5.05 / 3)
    assert means[1] == pytest.approx((709037 - 12 + 9007199254740993) / 3)
    assert (means[0], means[3], means[4]) == (None, None, None)


def test_a_result_without_rows_is_counted_too(shop, alice, media):
    empty = services.result_store(shop, Rows(("a",), ()), alice)
    found = column_statistics(empty, 0)
    assert (found.rows, found.distinct, found.least, found.frequent) == (0, 0, None, ())


def test_the_page_lists_columns_and_each_line_comes_by_itself_for_the_owner_alone(
    cities, as_alice, as_bob, as_charlie
):
    page = reverse("results:columns", args=[cities.pk])
    line = reverse("results:column", args=[cities.pk, 0])
    for stranger in (as_bob, as_charlie):
        assert stranger.get(page).status_code == stranger.get(line).status_code == 404
    assert page in as_alice.get(reverse("results:rows", args=[cities.pk])).content.decode()
    assert as_alice.get(page).content.decode().count('hx-trigger="revealed"') == 6
    fragment = as_alice.get(line, headers={"HX-Request": "true"}).content.decode()
    assert "Ålesund" in fragment
    assert "<html" not in fragment
    whole = as_alice.get(line).content.decode()
    assert whole.count('hx-trigger="revealed"') == 5
    assert as_alice.get(reverse("results:column", args=[cities.pk, 6])).status_code == 404
    cities.file.storage.delete(cities.file.name)
    assert as_alice.get(line).status_code == 410
