"""How columns of stored rows are shown: chosen by their owner, kept with the SQL, and never told to a copy or a file."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils.translation import override
from pypdf import PdfReader

from mirror.asking import services as asking
from mirror.dashboards.card_pages import card_view
from mirror.dashboards.services import card_add_version, cards_serve, dashboard_make
from mirror.delivery.parcel import Section
from mirror.delivery.tables import table
from mirror.exports.file_writing import write
from mirror.exports.sheets import sheet_of, sheet_pivoted
from mirror.exports.values import Cover
from mirror.results import pivots_once, services
from mirror.results.kept_pivots import pivot_table
from mirror.results.models import StoredResult
from mirror.results.pages import TableWish, table_page
from mirror.results.templatetags.grid_cells import cells_html
from mirror.work.doing import work_do
from sqlagent.values import ColumnFormat, Rows
from tests.web.working import TOP, ran, work

pytestmark = pytest.mark.django_db(transaction=True)
EUROS = {"style": "currency", "unit": "€", "decimals": "0", "grouped": "on", "bar": "on"}


def address(result: StoredResult, number: int) -> str:
    return reverse("results:column_format", args=[result.pk, number])


def stored(shop, alice, *rows: tuple[object, ...], names: tuple[str, ...]) -> StoredResult:
    return services.result_store(shop, Rows(names, rows), alice)


def test_a_format_goes_from_the_table_to_chart_saved_sql_card_and_the_next_run(
    answered, as_alice, alice, tmp_path
):
    version = answered.versions.get()
    sent = as_alice.post(address(version.result, 1), EUROS | {"decimals": "1"})
    assert sent.status_code == 302
    version.refresh_from_db()
    assert version.figure["layout"]["xaxis"]["tickprefix"] == "€"
    assert version.figure["data"][0]["text"][0].startswith("€")
    most = version.result
    cell = table_page(most).rows[0][1]
    assert cell.text == f"€{int(cell.exact)}.0" and cell.bar.length == 100

    saved = asking.version_save(version, name="Top")
    again = asking.run_saved(alice, saved, {}).versions.get()
    assert table_page(work(again).result).rows[0][1].text == cell.text
    edited = ran(answered, TOP.replace("LIMIT 5", "LIMIT 3"))
    assert table_page(edited.result).rows[0][1].text == cell.text, "an edit keeps it"

    card = card_add_version(dashboard_make(alice, "Board", ""), version, shows="table")
    served = cards_serve(alice, card.dashboard, [card], {})[0]
    work_do("supply", served.supplied.supply.pk)
    (served,) = cards_serve(alice, card.dashboard, [card], {})
    assert card_view(alice, served, {}).rows[0][1].text == cell.text

    for format in ("pdf", "csv"):
        write(format, [sheet_of(most)], tmp_path / format, Cover(), lambda rows: None)
    assert cell.text in PdfReader(tmp_path / "pdf").pages[0].extract_text()
    assert "€" not in (tmp_path / "csv").read_text()

    as_alice.post(address(most, 1), {"style": ""})
    version.refresh_from_db()
    assert "tickprefix" not in version.figure["layout"]["xaxis"] and not version.chart["formats"]


def test_a_pivot_goes_from_the_page_to_saved_sql_card_mail_and_the_next_run(
    answered, as_alice, alice, monkeypatch
):
    version = ran(
        answered, "SELECT country, city, count(*) AS customers FROM customers GROUP BY country, city"
    )
    run = reverse("asking:run", args=[answered.pk])
    pivoted = f"http://testserver{run}?pr=0&pv=2&pa=sum&po=total"
    as_alice.post(
        reverse("asking:save", args=[version.pk]),
        {"name": "By country"},
        headers={"HX-Request": "true", "HX-Current-URL": pivoted},
    )
    saved = alice.saved_sql.get()
    assert saved.chart["pivot"] == {
        "rows": ["country"], "column": None, "value": "customers", "aggregate": "sum", "by_total": True,
    }  # fmt: skip
    version.refresh_from_db()
    again = work(asking.run_saved(alice, saved, {}).versions.get())
    assert again.chart["pivot"] == saved.chart["pivot"]
    # Drawn another way, it stays.
    as_alice.post(reverse("asking:chart", args=[again.pk]), {"mark": "none"})
    again.refresh_from_db()
    assert again.chart["mark"] == "none" and again.chart["pivot"] == saved.chart["pivot"]
    page = as_alice.get(reverse("asking:run", args=[again.run_id])).content.decode()
    assert "pivot/?pr=0&amp;pv=2&amp;pa=sum&amp;po=total" in page and "data-wanted" in page

    table = pivot_table(again.result, saved.chart, (), 100)
    assert table is not None and table.columns == ("country", "Total")
    assert table.rows[0][1] == max(row[1] for row in table.rows[:-1])
    assert table.rows[-1] == ("All rows", sum(row[1] for row in table.rows[:-1]))
    sheet = sheet_pivoted(sheet_of(again.result), again.result, saved.chart)
    assert sheet.columns == ("country", "Total") and sheet.row_count == len(table.rows)
    with monkeypatch.context() as patched:  # many look at a card: its pivot is reckoned once
        patched.setattr(pivots_once, "pivot", None)
        assert pivot_table(again.result, saved.chart, (), 100) == table
    gone = {"pivot": saved.chart["pivot"] | {"value": "nobody"}}
    assert pivot_table(again.result, gone, (), 100) is None

    asked = as_alice.get(
        reverse("dashboards:add"), {"version": version.pk}, headers={"Referer": pivoted}
    ).content.decode()
    assert '<option value="pivot" selected>' in asked and "pr=0&amp;pv=2" in asked
    card = card_add_version(dashboard_make(alice, "Board", ""), version, shows="pivot")
    served = cards_serve(alice, card.dashboard, [card], {})[0]
    work_do("supply", served.supplied.supply.pk)
    (served,) = cards_serve(alice, card.dashboard, [card], {})
    view = card_view(alice, served, {})
    assert view.is_pivot and [column.name for column in view.columns] == ["country", "Total"]
    assert [cell.exact or cell.text for cell in view.rows[0]] == [str(value) for value in table.rows[0]]
    assert not any(cell.url for row in view.rows for cell in row), "no other card has that column"


def test_only_the_owner_of_rows_chooses_and_only_what_suits_them(
    shop, alice, media, as_alice, as_bob, as_charlie
):
    result = stored(shop, alice, (1, "x", True), names=("a", "b", "c"))
    for browser in (as_bob, as_charlie):
        assert browser.get(address(result, 0)).status_code == 404
        assert browser.post(address(result, 0), EUROS).status_code == 404
    assert as_alice.get(address(result, 9)).status_code == 404
    for number, typed in (
        (0, {"style": "month"}),
        (1, EUROS),
        (0, {"style": "currency"}),
        (0, EUROS | {"unit": "x" * 9}),
        (0, EUROS | {"unit": "\x01\x02"}),
    ):
        assert as_alice.post(address(result, number), typed).status_code == 422
    result.refresh_from_db()
    assert result.formats == []
    page = as_alice.get(address(result, 0), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in page and 'name="bar"' in page
    shown = as_alice.post(
        address(result, 0) + "?sort=-0", EUROS | {"unit": "<b>"}, headers={"HX-Request": "true"}
    )
    assert shown["HX-Trigger"] == "mirror-formatted"
    assert "1\xa0&lt;b&gt;" in shown.content.decode() and "<b>" not in shown.content.decode()
    assert 'value="-0"' in shown.content.decode(), "the table is as it was sorted"


def test_values_that_a_format_does_not_fit_are_shown_as_they_are(shop, alice, media):
    rows = (
        (math.nan, "2026-01-31", "x"),
        (math.inf, "2026-13-01", "y"),
        (-1e300, "", None),
        (None, None, None),
        (1.0, "2026-02", "z"),
    )
    result = stored(shop, alice, *rows, names=("n", "d", "n"))
    result.formats = [
        {"column": "n", "style": "number", "decimals": 2, "bar": True},
        {"column": "d", "style": "day"},
        {"column": 7},
        "odd",
    ]
    page = table_page(result)
    assert [[cell.text for cell in row] for row in page.rows] == [
        ["nan", "31 Jan 2026", "x"],
        ["inf", "2026-13-01", "y"],
        ["-1e+300", "", "NULL"],
        ["NULL", "NULL", "NULL"],
        ["1.00", "1 Feb 2026", "z"],
    ]
    assert [row[0].bar and row[0].bar.is_negative for row in page.rows] == [None, None, True, None, False]
    html = cells_html(page.rows[2])
    assert "data-negative" in html and 'data-exact="-1e+300"' not in html
    assert 'data-exact="2026-01-31"' in cells_html(page.rows[0])


def test_a_mail_shows_a_format_on_the_clocks_of_its_readers():
    formats = (
        ColumnFormat("at", "minute"),
        ColumnFormat("share", "percent", 0),
        ColumnFormat("total", "currency", unit="NOK"),
    )
    row = (datetime(2026, 7, 1, 22, 30, tzinfo=UTC), 0.256, Decimal("1234.5"))
    section = Section(
        "a", "", ("at", "share", "total"), ("datetime", "number", "number"), (row,), 1, formats=formats
    )
    (cells,) = table(section, "Europe/Oslo").rows
    assert [cell.text for cell in cells] == ["2 Jul 2026, 00:30", "26%", "1,234.50\xa0NOK"]
    assert table(section, "UTC").rows[0][2].look == "num"


def test_amounts_of_one_column_have_their_two_decimals_and_are_copied_as_they_are(shop, alice):
    rows = (
        (1778237.4, 7.5, 0.125, 2024),
        (368749.0, 8.0, 7.0, 2025),
        (412140.83, 9.0, 1.5, 2026),
        (None,) * 4,
    )
    result = stored(shop, alice, *rows, names=("revenue", "days", "share", "year"))
    page = table_page(result, TableWish(with_totals=True))
    assert [cell.text for cell in (row[0] for row in page.rows)] == [
        "1,778,237.40",
        "368,749.00",
        "412,140.83",
        "NULL",
    ]
    assert [row[0].exact for row in page.rows[:3]] == ["1778237.4", "368749", "412140.83"]
    assert [[cell.text for cell in row[1:]] for row in page.rows[:2]] == [
        ["7.5", "0.125", "2024"],
        ["8", "7", "2025"],
    ], "no amounts"
    assert page.totals[0].text == "2,559,127.23"


def test_percentages_have_two_decimals_at_most_and_every_digit_for_a_copy(shop, alice, as_alice, tmp_path):
    sql = "SELECT reason, 100.0 * a / b AS return_rate, pct, a / b AS rate FROM t"
    rows = Rows(
        ("reason", "return_rate", "pct", "rate"), (("Late", 12.345678, 7, 0.123457), ("Torn", 3.5, 40, 0.035))
    )
    result = services.result_store(shop, rows, alice, sql=sql)
    cells = table_page(result).rows
    assert [[cell.text for cell in row] for row in cells] == [
        ["Late", "12.35\xa0%", "7\xa0%", "0.1235"],
        ["Torn", "3.50\xa0%", "40\xa0%", "0.035"],
    ]
    assert (cells[0][1].exact, cells[1][1].exact) == ("12.345678", "3.5")
    assert (result.columns[1]["in_percent"], result.columns[3]["in_percent"]) == (True, False)
    write("csv", [sheet_of(result)], tmp_path / "out.csv", Cover())
    assert "12.345678" in (tmp_path / "out.csv").read_text()

    as_alice.post(address(result, 1), {"style": "number", "decimals": "1", "grouped": "on"})
    result.refresh_from_db()
    assert table_page(result).rows[0][1].text == "12.3"
    assert len(result.formats) == 1, "only what was chosen is kept"


def test_fractions_counts_and_ranks_have_no_sign_of_percent(shop, alice, tmp_path):
    sql = (
        "SELECT PERCENT_RANK() OVER (ORDER BY a) AS percent_rank, a*1.0/b AS pct, COUNT(*) AS n_above_10_percent, "
        "p AS percentile_95_ms, ROUND(AVG(r)*100)/100 AS mean_rate, 100.0*a/b AS late_pct, p AS share_pct FROM t"
    )
    names = (
        "percent_rank",
        "pct",
        "n_above_10_percent",
        "percentile_95_ms",
        "mean_rate",
        "late_pct",
        "share_pct",
    )
    rows = Rows(names, ((0.5, 0.25, 12, 1500, 3.25, 0.25, 12.5), (1.0, 0.5, 30, 1700, 4.5, 0.5, 0.5)))
    result = services.result_store(shop, rows, alice, sql=sql)
    signed = [cell.text.endswith("%") for cell in table_page(result).rows[0]]
    assert signed == [False, False, False, False, False, True, True]
    assert [one.column for one in sheet_of(result).formats] == ["late_pct", "share_pct"]


def test_a_month_is_written_one_way_in_tables_and_mails_and_stays_exact_in_data(shop, alice, tmp_path):
    rows = Rows(("month", "quarter", "invoice"), (("2025-11", "2025-Q4", "2025-11"),))
    result = services.result_store(shop, rows, alice)
    assert [cell.text for cell in table_page(result).rows[0]] == ["Nov 2025", "Q4 2025", "2025-11"]
    assert table_page(result).rows[0][0].exact == "2025-11"
    section = Section("Rows", "", rows.columns, ("text",) * 3, rows.rows, 1)
    assert [cell.text for cell in table(section).rows[0]] == ["Nov 2025", "Q4 2025", "2025-11"]
    with override("de"):
        assert table_page(result).rows[0][0].text == "Nov. 2025"
    write("csv", [sheet_of(result)], tmp_path / "out.csv", Cover())
    assert "2025-11,2025-Q4,2025-11" in (tmp_path / "out.csv").read_text()
