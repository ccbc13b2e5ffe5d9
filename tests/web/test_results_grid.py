"""Tools of a table of stored rows besides its pages: search, totals, facts of a column, the full text of a cell."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from html.parser import HTMLParser

import pytest
from django.urls import reverse

from mirror.results import filters, services
from mirror.results.models import StoredResult
from mirror.results.pages import TableWish, table_page
from mirror.results.rows import Sort, rows_page
from mirror.results.totals import totals
from sqlagent.values import Rows

pytestmark = pytest.mark.django_db
LONG = "y" * 1_000_000


@pytest.fixture
def sales(shop, alice, media) -> StoredResult:
    rows = (
        (1, "Oslo", 2024, Decimal("5.10"), 10, "<b>x</b>", 0.5),
        (2, "Rome", 2025, Decimal("-0.05"), 2**62, "שלום 🙂", 0.25),
        (3, None, 2024, None, 2**62, LONG, None),
    )
    names = ("id", "city", "year", "revenue", "quantity", "", "rate")
    return services.result_store(shop, Rows(names, rows), alice)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("osl", [1]),
        ("2025", [2]),
        ("-0.05", [2]),
        ("<B>", [1]),
        ("🙂", [2]),
        ("oslo2024", []),
        ("' OR 1=1", []),
        ("%", []),
        ("  ", [1, 2, 3]),
    ],
)
def test_a_search_finds_a_text_in_any_one_cell(sales, search, found):
    assert [row[0] for row in rows_page(sales, search=search).rows] == found


def test_a_search_and_a_filter_both_count(sales):
    assert rows_page(sales, filters={2: "= 2024"}, search="y").matching == 1
    page = table_page(sales, TableWish(filters={0: "1"}, search="oslo", with_totals=True))
    assert (page.total, page.search) == (1, "oslo")
    assert "q=oslo" in page.headings[0].url and "totals=1" in page.headings[0].url


@pytest.mark.parametrize("sort", [None, Sort(0, descending=True)])
def test_a_search_ends_after_so_many_rows_and_says_so(shop, alice, media, monkeypatch, sort):
    monkeypatch.setattr(filters, "SEARCHED_CELLS", 2_000)
    rows = tuple((n, f"word {n % 10}") for n in range(3_000))
    kept = services.result_store(shop, Rows(("sales", "b"), rows), alice)
    wanted = [n for n in range(1_000) if n % 10 == 7]
    read = rows_page(kept, 60, 50, sort, search="WORD 7")
    assert [row[0] for row in read.rows] == (wanted[::-1] if sort else wanted)[60:]
    assert (read.matching, read.searched, read.total) == (100, 1_000, 3_000)
    assert rows_page(kept, 0, 50, sort, search="word 7", filters={0: "> 500"}).matching == 50
    assert totals(kept, search="word 7")[0].value == sum(wanted)
    beyond = rows_page(kept, 0, 50, sort, search="2999")
    assert (beyond.rows, beyond.matching) == ((), 0)
    assert rows_page(kept, 0, 50, sort, filters={0: "2999"}).matching == 1, "a filter looks at all"
    assert rows_page(kept, 0, 50, sort, search=" ").searched is None


def test_texts_of_cells_are_words_wherever_they_stand(client, shop, alice, media):
    bad = "\"><img src=x onerror=alert(1)>' & {{ x }} "
    rows = ((bad, bad * 9, 1234567.891, None, bad * 200),)
    kept = services.result_store(shop, Rows(("a", "b", "c", "d", "e"), rows), alice)
    client.force_login(alice)
    page = client.get(reverse("results:rows", args=[kept.pk])).content.decode()
    assert "<img" not in page and "{{ x }}" in page
    read = Cells()
    read.feed(page[page.index("<tbody>") : page.index("</tbody>")])
    assert read.texts[:4] == [bad, (bad * 9)[:300] + "…", "1,234,567.89", "NULL"]
    assert [cell.get("data-exact") for cell in read.cells[:4]] == [None, bad * 9, "1234567.891", None]
    assert ["data-cut" in cell for cell in read.cells] == [False] * 4 + [True]
    assert [cell.get("class") for cell in read.cells[2:4]] == ["num", "null"]
    assert len(read.cells[1]["title"]) == 300


class Cells(HTMLParser):
    """The cells of a table: their attributes and their words."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[dict[str, str | None]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "td":
            self.cells.append(dict(attrs))
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts and data.strip():
            self.texts[-1] += data


def test_a_page_says_how_far_a_search_went(client, shop, alice, media, monkeypatch):
    monkeypatch.setattr(filters, "SEARCHED_CELLS", 1_000)
    kept = services.result_store(shop, Rows(("a",), tuple((n,) for n in range(1_500))), alice)
    client.force_login(alice)
    base = reverse("results:rows", args=[kept.pk])
    found = client.get(base, {"q": "99"}).content.decode()
    assert "19 of the first 1,000 rows match; a search reads no more of these 1,500" in found
    assert "None of the first 1,000 rows match." in client.get(base, {"q": "1499"}).content.decode()
    assert "1 of 1,500 rows match" in client.get(base, {"f0": "1499"}).content.decode()


def test_figures_are_added_up_or_averaged_and_names_are_left_alone(sales):
    found = {total.column: (total.is_sum, total.value) for total in totals(sales)}
    assert found == {3: (True, Decimal("5.05")), 4: (True, 2**63 + 10), 6: (False, 0.375)}
    assert {total.column: total.value for total in totals(sales, search="oslo")}[4] == 10


def test_totals_of_what_is_not_a_number_or_beyond_all_digits_are_told(shop, alice, media):
    rows = ((math.nan, math.inf, 10**37 * 9), (1.0, 1.0, 10**37 * 9), (2.0, 2.0, 3))
    odd = services.result_store(shop, Rows(("sales", "revenue", "amount"), rows), alice)
    found = {total.column: total.value for total in totals(odd)}
    assert math.isnan(found[0]) and math.isinf(found[1])
    assert float(found[2]) == pytest.approx(1.8e38)
    table_page(odd, TableWish(with_totals=True))


@pytest.mark.parametrize(
    "rows",
    [
        Rows((), ()),
        Rows(("a",), ()),
        Rows(("a", "a"), ((None, None),)),
        Rows(("d",), ((date(9999, 12, 31),),)),
    ],
)
def test_totals_of_nothing_are_nothing(shop, alice, media, rows):
    kept = services.result_store(shop, rows, alice)
    assert totals(kept) == []
    assert not any(cell.text for cell in table_page(kept, TableWish(with_totals=True, search="x")).totals)


def test_a_table_of_five_hundred_columns_adds_up_those_it_shows(shop, alice, media):
    names = tuple(f"sales_{n}" for n in range(500))
    wide = services.result_store(shop, Rows(names, (tuple(range(500)), tuple(range(500)))), alice)
    assert [cell.text for cell in table_page(wide, TableWish(with_totals=True)).totals[:3]] == ["0", "2", "4"]


def test_a_long_cell_is_marked_and_given_whole_when_asked_for(sales, client, alice):
    client.force_login(alice)
    assert [row[5].is_cut for row in table_page(sales).rows] == [False, False, True]
    address = reverse("results:cell", args=[sales.pk])
    assert client.get(address, {"row": 2, "column": 5}).content.decode() == LONG
    assert client.get(address, {"row": 0, "column": 5, "sort": "-0"}).content.decode() == LONG
    assert client.get(address, {"row": 0, "column": 5, "q": "oslo"}).content.decode() == "<b>x</b>"
    answer = client.get(address, {"row": 0, "column": 5})
    assert answer["Content-Type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    "asked", [{}, {"row": 9, "column": 0}, {"row": 0, "column": 99}, {"row": "x", "column": -1}]
)
def test_a_cell_that_is_not_there_is_not_found(sales, client, alice, asked):
    client.force_login(alice)
    assert client.get(reverse("results:cell", args=[sales.pk]), asked).status_code == 404


def test_a_filter_that_cannot_be_read_is_told(sales, client, alice):
    client.force_login(alice)
    answer = client.get(reverse("results:cell", args=[sales.pk]), {"row": 0, "column": 0, "f0": "> many"})
    assert (answer.status_code, "not a number" in answer.content.decode()) == (400, True)


@pytest.mark.parametrize("who", ["bob", "charlie"])
def test_a_cell_is_for_those_who_see_the_result(sales, client, request, who):
    client.force_login(request.getfixturevalue(who))
    address = reverse("results:cell", args=[sales.pk])
    assert client.get(address, {"row": 0, "column": 0}).status_code == 404
    client.logout()
    assert client.get(address, {"row": 0, "column": 0}).status_code == 302


def test_a_cell_of_rows_that_are_gone_says_so(sales, client, alice):
    client.force_login(alice)
    sales.file.storage.delete(sales.file.name)
    answer = client.get(reverse("results:cell", args=[sales.pk]), {"row": 0, "column": 0})
    assert answer.status_code == 410
    assert "<" not in answer.content.decode() and answer.content


def test_what_a_column_holds_comes_as_a_list_for_its_menu(sales, client, alice):
    client.force_login(alice)
    address = reverse("results:column", args=[sales.pk, 5])
    told = client.get(f"{address}?about", headers={"HX-Request": "true"}).content.decode()
    assert "Most frequent" in told and "<tr" not in told and "<b>x</b>" not in told
