"""Tables of stored rows: paged, sorted, filtered, and seen by their owner alone."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from mirror.results import services
from mirror.results.filters import BadFilter
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.pages import PAGE_ROWS, TableWish, table_page
from mirror.results.rows import ResultPage, Sort, rows_of, rows_page
from sqlagent.values import Rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def cities(shop, alice, media) -> StoredResult:
    rows = [
        ("Oslo", 709037, Decimal("5.10"), date(1048, 1, 1), None),
        ("=2+5", -12, Decimal("-0.05"), None, 7),
        ("Ålesund", None, None, date(1848, 1, 1), "seven"),
        ("", 9007199254740993, Decimal("0.00"), date(2024, 2, 29), 2.5),
        ('New\nYork, "NY"', 8258035, Decimal("778.20"), date(1624, 1, 1), b"\x07"),
    ]
    return services.result_store(shop, Rows(("city", "people", "area", "founded", "x"), tuple(rows)), alice)


def column(read: ResultPage, number: int) -> list:
    return [row[number] for row in read.rows]


def test_rows_come_back_in_the_order_they_were_stored(cities) -> None:
    assert column(rows_page(cities), 0) == ["Oslo", "=2+5", "Ålesund", "", 'New\nYork, "NY"']
    assert rows_of(cities).rows == rows_page(cities).rows


def test_sorting_is_by_value_with_nulls_last_in_both_directions(cities) -> None:
    up, down = rows_page(cities, sort=Sort(1)), rows_page(cities, sort=Sort(1, descending=True))
    assert column(up, 1) == [-12, 709037, 8258035, 9007199254740993, None]
    assert column(down, 1) == [9007199254740993, 8258035, 709037, -12, None]
    assert column(rows_page(cities, sort=Sort(2)), 2)[:2] == [Decimal("-0.05"), Decimal("0.00")]


def test_a_column_of_mixed_types_sorts_numbers_before_texts(cities) -> None:
    assert column(rows_page(cities, sort=Sort(4)), 4)[:2] == [2.5, 7]
    assert column(rows_page(cities, sort=Sort(4)), 4)[-1] is None


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({0: "OSL"}, ["Oslo"]),
        ({0: "= oslo"}, ["Oslo"]),
        ({1: "> 700,000"}, ["Oslo", "", 'New\nYork, "NY"']),
        ({1: "= 9007199254740993"}, [""]),
        ({1: "709000..710000"}, ["Oslo"]),
        ({2: "<= 0"}, ["=2+5", ""]),
        ({3: ">= 1700-01-01"}, ["Ålesund", ""]),
        ({1: "null"}, ["Ålesund"]),
        ({1: "not null", 3: "null"}, ["=2+5"]),
        ({0: "' OR 1=1 --"}, []),
        ({99: "x"}, ["Oslo", "=2+5", "Ålesund", "", 'New\nYork, "NY"']),
    ],
)
def test_a_filter_keeps_what_it_says(cities, filters, found) -> None:
    read = rows_page(cities, filters=filters)
    assert column(read, 0) == found
    assert read.matching == len(found)
    assert read.total == 5


def test_a_filter_that_cannot_be_understood_is_told_in_plain_words(cities) -> None:
    with pytest.raises(BadFilter, match="“many” is not a number"):
        rows_page(cities, filters={1: "> many"})
    page = table_page(cities, TableWish(filters={1: "> many"}))
    assert "not a number" in page.problem
    assert len(page.rows) == 5


def test_a_page_past_the_end_is_the_last_one(shop, alice, media) -> None:
    stored = services.result_store(shop, Rows(("n",), tuple((n,) for n in range(120))), alice)
    page = table_page(stored, TableWish.read({"page": "99"}))
    assert (page.number, page.count, page.first_row, page.last_row) == (3, 3, 101, 120)
    assert page.next_url == ""
    assert table_page(stored, TableWish.read({"page": "²"})).last_row == PAGE_ROWS


def test_large_integers_are_shown_grouped_and_copied_exactly(cities) -> None:
    cell = table_page(cities, TableWish()).rows[3][1]
    assert (cell.text, cell.exact, cell.look) == ("9,007,199,254,740,993", "9007199254740993", "num")


def test_the_sorted_page_keeps_filters_and_turns_round(cities) -> None:
    page = table_page(cities, TableWish.read({"sort": "1", "f0": "o"}))
    assert page.headings[1].sort == "ascending"
    assert page.headings[1].url.endswith("?f0=o&sort=-1")
    assert page.headings[0].url.endswith("?f0=o&sort=0")


def test_a_result_without_rows_has_its_columns(shop, alice, as_alice, media) -> None:
    stored = services.result_store(shop, Rows(("a", "a"), ()), alice)
    assert table_page(stored).headings[1].name == "a"


def test_a_thousand_columns_are_kept_and_a_hundred_are_shown(shop, alice, media) -> None:
    names = tuple(f"c{n}" for n in range(1000))
    stored = services.result_store(shop, Rows(names, (tuple(range(1000)),)), alice)
    page = table_page(stored)
    assert (len(page.headings), page.hidden_columns) == (100, 900)
    assert rows_of(stored).rows == (tuple(range(1000)),)


@pytest.mark.parametrize("name", ["results:rows"])
def test_rows_are_seen_by_their_owner_alone(cities, as_alice, as_bob, as_charlie, client, name) -> None:
    address = reverse(name, args=[cities.pk])
    assert as_alice.get(address).status_code == 200
    assert as_bob.get(address).status_code == 404
    assert as_charlie.get(address).status_code == 404
    assert client.get(address).status_code == 302
    assert as_alice.post(address).status_code == 405


def test_rows_of_a_source_no_longer_shared_are_no_longer_seen(shop, bob, as_bob, media) -> None:
    stored = services.result_store(shop, Rows(("n",), ((1,),)), bob)
    address = reverse("results:rows", args=[stored.pk])
    assert as_bob.get(address).status_code == 200
    shop.teams.clear()
    assert as_bob.get(address).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_expired_rows_say_so_and_are_deleted_with_their_file(cities, as_alice) -> None:
    path = Path(cities.file.path)
    StoredResult.objects.filter(pk=cities.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    cities.refresh_from_db()
    with pytest.raises(ResultGone):
        rows_page(cities)
    assert as_alice.get(reverse("results:rows", args=[cities.pk])).status_code == 410
    assert services.results_expire() == 1
    assert not StoredResult.objects.filter(pk=cities.pk).exists()
    assert not path.exists()


def test_a_file_that_is_missing_is_told_not_raised(cities, as_alice) -> None:
    cities.file.storage.delete(cities.file.name)
    assert as_alice.get(reverse("results:rows", args=[cities.pk])).status_code == 410


@pytest.mark.parametrize("how", ["cut", "flipped", "other", "empty"])
def test_a_damaged_file_is_told_without_the_place_where_it_lies(cities, as_alice, how) -> None:
    path = Path(cities.file.path)
    whole = bytearray(path.read_bytes())
    path.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "flipped": whole[:4] + bytes(255 - byte for byte in whole[4:-8]) + whole[-8:],
            "other": b"Dear sir, this is no table.",
            "empty": b"",
        }[how]
    )
    addresses = [
        reverse("results:rows", args=[cities.pk]),
        f"{reverse('results:rows', args=[cities.pk])}?sort=1",
    ]
    addresses += [reverse("results:column", args=[cities.pk, 0])]
    addresses += [
        reverse("exports:download", args=[cities.pk, format])
        for format in ("csv", "xlsx", "parquet", "jsonl", "pdf")
    ]
    for address in addresses:
        answer = as_alice.get(address)
        assert answer.status_code == 410, address
        assert "is damaged. Run the SQL again." in answer.content.decode(), address
        assert str(path.parent).encode() not in answer.content
