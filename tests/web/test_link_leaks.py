"""A link to a dashboard tells what its cards show and nothing else of their rows: not in JSON, in tables without scripts, in sentences or counts."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from mirror.dashboards import services as dashboards
from mirror.dashboards.crossing import cards_cross_shown, conditions_read
from mirror.dashboards.models import Dashboard, Drawing, PdfExport, Supply
from mirror.dashboards.pdf_exports import Chapters, _chapters
from mirror.exports.values import Sheet
from mirror.library.models import SavedSql
from mirror.library.services import sql_save
from mirror.sharing import services
from mirror.sharing.models import ShareLink
from mirror.work.doing import work_do
from tests.web.test_sharing import linked, opened, pay_cards, shown_by
from tests.web.working import unwatched


@pytest.fixture
def board(transactional_db, shop, alice, media) -> Dashboard:
    """An empty dashboard of Alice's that nobody else sees."""
    return dashboards.dashboard_make(alice, "Pay")


COUNTS = re.compile(r"(?<![\w/-])41[78](?![\w/-])")
"""The number of rows of a point, or of all: no day, no time of day, and not digits of a link or a signature."""


def of_rows(*rows: tuple[object, ...], names: str) -> str:
    """SQL of these rows, in their order."""
    said = [" UNION ALL SELECT ".join(", ".join(repr(cell) for cell in row) for row in rows)]
    whole = f"SELECT {said[0]}"
    return f"WITH told({names}) AS ({whole}) SELECT * FROM told"


def chapters(alice, board: Dashboard, *where: str) -> Chapters:
    """Chapters of a link's PDF."""
    served = services.link_cards(ShareLink.objects.get(), {})
    return _chapters(alice, served, cards_cross_shown(served, conditions_read(where)), is_by_link=True)


def told(sheet: Sheet) -> str:
    """All that a chapter says in words and cells."""
    rows = [row for batch in sheet.batches() for row in batch]
    return unescape(f"{sheet.columns} {rows} {sheet.sentence} {sheet.figures}")


MANY = of_rows(
    *((f"dept {n:02}", 1000 + n) for n in range(1, 51)),
    *((f"dept {n:02}", 5000 + n) for n in range(1, 11)),
    names="dept, salary",
)
SUMS = {"mark": "bar", "x": "dept", "y": ["salary"], "aggregate": "sum", "chosen": True}


def test_the_rows_of_a_sum_are_not_in_the_table_without_scripts_where_only_later_rows_share_a_place(
    board, shop, alice
):
    cards = pay_cards(board, shop, ("Sums", MANY, "chart", SUMS))
    page = shown_by(opened(linked(board, alice)), cards["Sums"])
    assert "<mirror-chart" in page and "6,002" in page.replace("6002", "6,002")
    assert "1,001" not in page and "1001" not in page, "a single row of a sum"
    (sheet,) = chapters(alice, board).sheets
    assert sheet.chart_image and "1001" not in told(sheet) and "60 rows" not in told(sheet)


def test_the_sentence_of_an_aggregate_tells_no_single_row(board, shop, alice):
    rows = [("Sales", 5123), ("Sales", 4000), ("IT", 7321), ("IT", 6100), ("HR", 3050), ("HR", 2999)]
    means = {"mark": "bar", "x": "dept", "y": ["salary"], "aggregate": "mean", "chosen": True}
    spread = {"mark": "histogram", "x": "salary", "y": [], "chosen": True}
    alone = f"SELECT salary FROM ({of_rows(*rows, names='dept, salary')})"
    cards = pay_cards(
        board,
        shop,
        ("Means", of_rows(*rows, names="dept, salary"), "chart", means),
        ("Spread", alone, "chart", spread),
    )
    path = linked(board, alice)
    whole = opened(path)
    for card in cards.values():
        page = shown_by(whole, card).replace(",", "")
        assert "<mirror-chart" in page
        assert not [one for one in ("7321", "5123", "3050") if one in page], card.title
    for sheet in chapters(alice, board).sheets:
        assert not [one for one in ("7321", "5123", "3050") if one in told(sheet).replace(",", "")]


def test_a_fair_sentence_and_the_rows_of_points_stay(board, shop, alice):
    bars = {"mark": "bar", "x": "dept", "y": ["salary"], "chosen": True}
    cards = pay_cards(
        board,
        shop,
        ("Bars", of_rows(("Sales", 51), ("IT", 73), ("HR", 30), names="dept, salary"), "chart", bars),
    )
    page = shown_by(opened(linked(board, alice)), cards["Bars"])
    assert page.count("<tr") == 4 and "73" in page.partition('label="')[2].partition('"')[0]
    (sheet,) = chapters(alice, board).sheets
    assert sheet.columns == ("dept", "salary") and sheet.row_count == 3 and "73" in sheet.sentence


def test_a_count_of_rows_tells_no_figure_that_it_counts(board, shop, alice):
    counts = {"mark": "bar", "x": "dept", "y": ["salary"], "aggregate": "count", "chosen": True}
    cards = pay_cards(
        board, shop, ("Counts", of_rows(("Sales", 5123), ("IT", 7321), names="dept, salary"), "chart", counts)
    )
    page = shown_by(opened(linked(board, alice)), cards["Counts"]).replace(",", "")
    assert "<mirror-chart" in page and "5123" not in page and "7321" not in page
    assert "5123" not in told(chapters(alice, board).sheets[0])


def test_points_are_not_named_by_a_column_that_is_not_drawn(board, shop, alice):
    rows = [
        ("Annika", "A1", 59.91, 10.75, 40, 5123),
        ("Benedikt", "B2", 59.33, 18.06, 41, 6000),
        ("Cid", "C3", 55.68, 12.57, 50, 7000),
    ]
    names = "person, code, latitude, longitude, age, salary"
    points = {"mark": "scatter", "x": "age", "y": ["salary"], "chosen": True}
    places = {"mark": "map", "x": "longitude", "y": ["latitude", "age"], "chosen": True}
    cards = pay_cards(
        board,
        shop,
        ("Points", of_rows(*rows, names=names), "chart", points),
        ("Places", f"{of_rows(*rows, names=names)} ORDER BY age", "chart", places),
    )
    whole = opened(linked(board, alice))
    for card in cards.values():
        page = shown_by(whole, card)
        assert "<mirror-chart" in page and not [
            one for one in ("Annika", "A1", "person", "code") if one in page
        ]


def test_shares_tell_no_figures_behind_them(board, shop, alice):
    shares = {
        "mark": "bar",
        "x": "dept",
        "y": ["salary"],
        "series": "level",
        "stack": "share",
        "chosen": True,
    }
    rows = [
        ("Sales", "junior", 3123),
        ("Sales", "senior", 6877),
        ("IT", "junior", 2500),
        ("IT", "senior", 7500),
    ]
    cards = pay_cards(board, shop, ("Shares", of_rows(*rows, names="dept, level, salary"), "chart", shares))
    page = shown_by(opened(linked(board, alice)), cards["Shares"]).replace(",", "")
    assert "31.23" in page and "3123" not in page and "7500" not in page


def test_a_card_without_a_chart_gets_none_of_hidden_columns_by_a_filter(board, shop, alice):
    wide = ", ".join(f"'t{n}' || dept AS c{n:02}" for n in range(1, 12))
    inner = of_rows(
        ("Sales", "Ann", 5123), ("Sales", "Ben", 4000), ("IT", "Cid", 7000), names="dept, person, salary"
    )
    sql = f"SELECT dept, {wide}, person, salary FROM ({inner})"
    cards = pay_cards(
        board,
        shop,
        ("Wide", sql, "", {}),
        ("Depts", of_rows(("Sales",), ("IT",), names="dept"), "table", {}),
    )
    path = linked(board, alice)
    opened(path)
    Drawing.objects.update(chart={"mark": "none"}, figure=None)  # as of rows that no chart suits
    assert "<table" in shown_by(opened(path), cards["Wide"])
    where = f"{cards['Depts'].pk}:dept:== Sales"
    page = shown_by(opened(path, where=where), cards["Wide"])
    assert "data-filtered" in page or "tSales" in page or "t1Sales" in page
    assert not [one for one in ("5,123", "5123", "Ann", "salary", "<mirror-chart") if one in page]
    sheet = next(one for one in chapters(alice, board, where).sheets if one.title == "Wide")
    assert sheet.chart_image is None and "5123" not in told(sheet) and "Ann" not in told(sheet)


def test_a_filter_tells_no_number_of_rows_behind_a_point(board, shop, alice):
    mean = {
        "mark": "none",
        "pivot": {"rows": ["dept"], "column": None, "value": "salary", "aggregate": "mean"},
    }
    bars = {"mark": "bar", "x": "dept", "y": ["salary"], "aggregate": "mean", "chosen": True}
    more = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 416)"
    inner = f"{more} SELECT 'Sales' AS dept, i AS salary FROM n UNION ALL SELECT 'IT', 5"
    cards = pay_cards(
        board,
        shop,
        ("Mean", inner, "pivot", mean),
        ("Bars", f"{inner} ORDER BY 2", "chart", bars),
        ("Depts", of_rows(("Sales",), ("IT",), names="dept"), "table", {}),
    )
    path = linked(board, alice)
    opened(path)
    where = f"{cards['Depts'].pk}:dept:== Sales"
    whole = opened(path, where=where)
    for title in ("Mean", "Bars"):
        page = shown_by(whole, cards[title])
        assert "Filtered: dept is Sales" in page and not COUNTS.search(page), title
    for sheet in chapters(alice, board, where).sheets:
        assert not COUNTS.search(sheet.sentence)


def test_bins_stay_bins_when_they_are_filtered(board, shop, alice, monkeypatch):
    spread = {"mark": "histogram", "x": "salary", "y": [], "chosen": True}
    inner = of_rows(("Sales", 5123), ("Sales", 4000), ("IT", 7321), ("IT", 6100), names="dept, salary")
    cards = pay_cards(
        board, shop, ("Spread", inner, "chart", spread), ("Pay", "SELECT 7321 AS salary", "table", {})
    )
    path = linked(board, alice)
    whole = shown_by(opened(path), cards["Spread"]).replace(",", "")
    assert "<mirror-chart" in whole and "7321" not in whole
    monkeypatch.setattr("mirror.asking.services.charts._like", lambda *_args: None)
    page = shown_by(opened(path, where=f"{cards['Pay'].pk}:salary:= 7321"), cards["Spread"])
    assert "cannot be shown now" in page and "<mirror-chart" not in page, (
        "another chart would tell what this one does not"
    )


def test_saved_sql_that_is_gone_tells_nothing_more_of_itself(board, shop, alice, bob, team):
    shop.teams.add(team)
    known = {"name": "limit", "kind": "text", "label": "Secret limit", "default": "hush"}
    saved = sql_save(alice, shop, "Theirs", "SELECT :limit AS one", parameters=[known])
    dashboards.card_add_saved(board, saved)
    path = linked(board, alice)
    assert "Secret limit: hush" in opened(path)
    SavedSql.objects.update(owner=bob, draft="This was left out: “heavy”.")
    page = opened(path)
    assert "cannot be shown now" in page and "hush" not in page and "heavy" not in page


def test_a_file_of_a_link_is_no_older_than_what_the_link_shows(board, shop, alice):
    cards = pay_cards(
        board, shop, ("One", "SELECT 1 AS one", "table", {}), ("Secret", "SELECT 2 AS two", "table", {})
    )
    page = opened(linked(board, alice))
    ask = unescape(page.partition('method="post" action="')[2].partition('"')[0])
    asked = Client().post(ask).url
    with unwatched():
        assert work_do("pdf_export", PdfExport.objects.get().pk)
    file = Client().get(asked).content.decode().partition('button-primary" href="')[2].partition('"')[0]
    assert Client().get(file).status_code == 200
    dashboards.card_remove(cards["Secret"])
    assert Client().get(file).status_code == 404, "what the maker took off is not given away"
    assert "changed since" in Client().get(asked).content.decode()
    assert Client().post(ask).url != asked, "a new file is written"


def test_a_chart_whose_rows_could_not_be_read_anew_stays_as_it_was(board, shop, alice):
    bars = {"mark": "bar", "x": "dept", "y": ["salary"], "aggregate": "mean", "chosen": True}
    cards = pay_cards(
        board, shop, ("Bars", of_rows(("A", 1), ("A", 2), ("B", 3), names="dept, salary"), "chart", bars)
    )
    path = linked(board, alice)
    opened(path)
    Supply.objects.update(failure={"kind": "refused", "message": "no such column: secret"})
    page = shown_by(opened(path), cards["Bars"])
    assert "<mirror-chart" in page and "secret" not in page and "cannot be shown" not in page
