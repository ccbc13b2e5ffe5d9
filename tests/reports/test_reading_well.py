"""Runs as their readers get them: about the figure that the title names, with its change, its values, its day and its zone."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from openpyxl import load_workbook
from pypdf import PdfReader

from mirror.asking.services.meaning import columns_meant
from mirror.queries.values_said import day_in_full
from mirror.reports import services
from mirror.reports.making import telling
from mirror.reports.making.made import Making
from mirror.reports.models import ReportRun
from mirror.reports.pages.run import first_rows
from mirror.sources.models import Source
from mirror.sources.services import source_connect
from tests.delivery.test_channels_letter import html_of
from tests.reports.working import make, runs_of, save_report, save_sql, work_off, write
from tests.servers import PASSWORD, postgres_server

OSLO = ZoneInfo("Europe/Oslo")
pytestmark = pytest.mark.django_db(transaction=True)

LINES = "order_lines l JOIN orders o ON o.id = l.order_id JOIN customers c ON c.id = o.customer_id"
LAND = f"SELECT c.country, count(DISTINCT o.id) AS orders, sum(l.amount) AS revenue FROM {LINES} GROUP BY 1 ORDER BY 1"  # noqa: S608
SINCE = [
    {"name": name, "kind": "date", "default": default} for name, default in (("since", ""), ("until", ""))
]
PERIOD = "SELECT count(*) AS orders FROM orders WHERE date(ordered_at) BETWEEN :since AND :until"
TO = ["a@example.com"]


def by_hand(report, alice) -> ReportRun:
    """Run it now, and deliver."""
    run = services.report_run_now(report, alice)
    work_off()
    run.refresh_from_db()
    return run


def test_sentence_picture_and_columns_are_of_the_figure_that_the_title_names(post, alice, shop) -> None:
    report = save_report(alice, save_sql(alice, shop, LAND, "Weekly"), title="Revenue by country", to=TO)
    part = runs_of(report).parts.get()
    assert "has the highest revenue" in part.sentence
    assert part.chart["y"] == ["revenue"]
    assert part.image


def test_a_pivot_that_was_saved_is_the_table_of_mail_and_pdf(post, alice, shop) -> None:
    saved = save_sql(
        alice, shop, "SELECT country, city, count(*) AS customers FROM customers GROUP BY 1, 2", "Towns"
    )
    saved.chart = {
        "pivot": {
            "rows": ["country"],
            "column": None,
            "value": "customers",
            "aggregate": "sum",
            "by_total": True,
        }
    }
    saved.save()
    report = save_report(alice, saved, title="Towns", to=TO, formats=["pdf", "csv"])
    files = {file.format: file.file.open("rb").read() for file in runs_of(report).files.all()}
    mail = html_of(post.mails(TO[0])[0].message)
    assert ">Total<" in mail and ">city<" not in mail
    told = "".join(page.extract_text() for page in PdfReader(io.BytesIO(files["pdf"])).pages)
    assert "Total" in told and "All rows" in told and "city" not in told
    assert files["csv"].decode("utf-8-sig").startswith("country,city,customers")
    part = runs_of(report).parts.get()
    drawn = {name: part.chart[name] for name in ("mark", "x", "y", "series", "aggregate")}
    assert drawn == {"mark": "bar", "x": "country", "y": ["customers"], "series": "", "aggregate": "sum"}
    assert part.image and not part.sentence, "no sentence about towns above a table of countries"
    shown = first_rows(part)
    assert [name for name, _ in shown.columns] == ["country", "Total"] and "A pivot of the rows" in shown.more


def test_a_pivot_that_no_chart_draws_has_no_picture_of_its_rows(post, alice, shop) -> None:
    sql = "SELECT country, city, name, id FROM customers"
    saved = save_sql(alice, shop, sql, "Wide")
    pivot = {"rows": ["country", "city"], "column": "name", "value": "id", "aggregate": "sum"}
    saved.chart = {"mark": "none", "pivot": pivot}
    saved.save()
    part = runs_of(save_report(alice, saved, title="Wide", to=TO)).parts.get()
    assert not part.image and part.chart["pivot"] == pivot


def test_the_figure_is_found_under_another_name_by_what_it_is_computed_of(post, alice, shop) -> None:
    sql = LAND.replace("AS revenue", "AS net").replace("AS orders", "AS n")
    assert columns_meant(shop, "Revenue by country", sql) == ("net",)
    report = save_report(alice, save_sql(alice, shop, sql, "Weekly"), title="Revenue by country")
    assert runs_of(report).parts.get().chart["y"] == ["net"]


def test_nothing_is_told_of_a_source_that_is_not_read(alice, new_shop) -> None:
    assert columns_meant(new_shop, "Revenue by country", LAND) == ()


def test_nothing_is_said_and_drawn_where_nothing_stands_out(post, alice, stock) -> None:
    write(stock, "UPDATE stock SET pieces = 5")
    report = save_report(alice, save_sql(alice, stock, "SELECT item, pieces FROM stock", "Stock"), to=TO)
    part = runs_of(report).parts.get()
    assert part.sentence == ""
    assert not part.image
    assert part.figures == []


def test_one_number_is_told_with_its_change_since_the_last_run(post, alice, stock) -> None:
    saved = save_sql(alice, stock, "SELECT sum(pieces) AS pieces FROM stock", "Pieces")
    report = save_report(alice, saved, formats=["pdf"], to=TO)
    first = runs_of(report).parts.get()
    assert (first.figures[0]["said"], first.figures[0]["change"], bool(first.image)) == ("47", "", False)
    write(stock, "UPDATE stock SET pieces = 60 WHERE item = 'nut'")
    run = by_hand(report, alice)
    part = run.parts.get()
    day = day_in_full(first.run.scheduled_for.astimezone(OSLO).date())
    assert part.figures[0]["change"].startswith(f"up 43 % from 47 on {day}")
    assert part.sentence == f"Pieces: 67, {part.figures[0]['change']}."
    mail = post.mails(TO[0])[-1].message
    assert "up 43 % from 47" in html_of(mail)
    assert "<img" not in html_of(mail)
    (file,) = mail.iter_attachments()
    words = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(file.get_content())).pages)
    assert "up 43 % from 47" in words
    assert words.count("67") == 1


def test_a_test_run_is_none_that_figures_are_compared_with(post, alice, stock) -> None:
    alice.email = "alice@example.com"
    alice.save()
    saved = save_sql(alice, stock, "SELECT sum(pieces) AS pieces FROM stock", "Pieces")
    report = save_report(alice, saved, to=TO)
    make(services.report_test(report, alice))
    assert runs_of(report).parts.get().figures[0]["change"] == ""


def test_an_alert_tells_its_change_though_silent_runs_keep_no_rows(post, alice, stock) -> None:
    saved = save_sql(alice, stock, "SELECT sum(pieces) AS pieces FROM stock", "Pieces")
    threshold = {"part": 0, "column": "pieces", "test": "above", "value": "1000"}
    report = save_report(alice, saved, to=TO, condition="threshold", threshold=threshold)
    silent = runs_of(report, timezone.now() - timedelta(seconds=2))
    assert silent.outcome == ReportRun.Outcome.NOTHING
    write(stock, "UPDATE stock SET pieces = 1993 WHERE item = 'nut'")
    run = runs_of(report)
    assert run.reason == "pieces is 2,000: above 1,000."
    assert run.parts.get().figures[0]["change"].startswith("up 1,953 from 47")
    page = html_of(post.mails(TO[0])[-1].message)
    assert "<img" not in page
    assert "<th" not in page


def test_values_and_day_are_in_subject_mail_files_and_their_names_by_hand_too(post, alice, shop) -> None:
    saved = save_sql(alice, shop, PERIOD, "Orders", parameters=SINCE)
    given = {"since": "2025-10-01", "until": "2025-10-31"}
    report = save_report(
        alice, saved, title="Orders", formats=["pdf", "xlsx", "csv"], parts=[(saved, given)], to=TO
    )
    by_schedule, hand = runs_of(report), by_hand(report, alice)
    for run, mail in zip((by_schedule, hand), post.mails(TO[0]), strict=True):
        read_at = run.parts.get().result.created_at.astimezone(OSLO)
        assert mail.message["Subject"] == f"Orders, 1 to 31 October 2025 ({day_in_full(read_at.date())})"
        page = html_of(mail.message)
        assert "1 to 31 October 2025" in page
        assert f"Data of {read_at:%A} {day_in_full(read_at.date())}, {read_at:%H:%M} (Europe/Oslo)" in page
        day = (run.scheduled_for or run.created_at).astimezone(OSLO).date().isoformat()
        files = {file.get_filename(): file.get_content() for file in mail.message.iter_attachments()}
        assert list(files) == [f"orders_1-to-31-october-2025_{day}.{end}" for end in ("pdf", "xlsx", "csv")]
        pdf, book, _ = files.values()
        words = PdfReader(io.BytesIO(pdf)).pages[0].extract_text()
        notes = [row[0] for row in load_workbook(io.BytesIO(book))["Notes"].values]
        for said in (
            "1 to 31 October 2025",
            f"Data of {day_in_full(read_at.date())}, {read_at:%H:%M} (Europe/Oslo)",
        ):
            assert said in words
            assert said in notes


def test_a_figure_of_another_period_is_compared_with_that_period(post, alice, shop) -> None:
    saved = save_sql(alice, shop, PERIOD, "Orders", parameters=SINCE)
    report = save_report(alice, saved, parts=[(saved, {"since": "2025-10-01", "until": "2025-10-31"})])
    runs_of(report)
    report.parts.update(arguments={"since": "2025-11-01", "until": "2025-11-30"})
    change = by_hand(report, alice).parts.get().figures[0]["change"]
    assert change.endswith(" for 1 to 31 October 2025")


def test_times_and_numbers_of_a_server_are_dates_and_numbers_in_the_reports_zone(post, alice) -> None:
    server = postgres_server()
    with server.connect() as db:
        db.execute("DROP TABLE IF EXISTS readings")
        db.execute("CREATE TABLE readings (device text, at timestamptz, value numeric)")
        db.execute(
            "INSERT INTO readings VALUES ('a', '2026-07-01 22:30+00', 770.011), ('a', '2026-01-01 08:00+00', 770.011), "
            "('b', '2026-01-02 08:00+00', 123456789012.123456789)"
        )
    alice.is_staff = True
    source = source_connect(
        Source(name="lab", engine="postgres", host=server.host, port=server.port, database="postgres", username=server.user, password=PASSWORD), alice
    )  # fmt: skip
    sql = "SELECT device, avg(value) AS average, max(at) AS last FROM readings GROUP BY 1 ORDER BY 1"
    report = save_report(
        alice,
        save_sql(alice, source, sql, "Readings"),
        title="Average by device",
        formats=["xlsx", "pdf"],
        to=TO,
    )
    assert runs_of(report).parts.get().sentence.startswith("B has the highest average")
    message = post.mails(TO[0])[-1].message
    book, pdf = [file.get_content() for file in message.iter_attachments()]
    cells = list(load_workbook(io.BytesIO(book)).worksheets[0].values)
    assert cells[1] == ("a", 770.011, datetime(2026, 7, 2, 0, 30))
    assert cells[2] == ("b", "123456789012.123456789", datetime(2026, 1, 2, 9, 0))
    for words in (html_of(message), PdfReader(io.BytesIO(pdf)).pages[0].extract_text()):
        assert "2026-07-02 00:30" in words
        assert "+00:00" not in words


def test_a_time_at_the_end_of_the_calendar_is_told_as_it_is(post, alice) -> None:
    """Many a database writes “until further notice” so; in Oslo it would be in the year 10000."""
    server = postgres_server()
    alice.is_staff = True
    source = source_connect(
        Source(name="lab", engine="postgres", host=server.host, port=server.port, database="postgres", username=server.user, password=PASSWORD), alice
    )  # fmt: skip
    sql = "SELECT 'a' AS item, timestamptz '9999-12-31 23:59:59+00' AS valid_until UNION ALL SELECT 'b', '0001-01-01 00:00+00' ORDER BY 1"
    report = save_report(alice, save_sql(alice, source, sql, "Prices"), formats=["xlsx", "pdf"], to=TO)
    run = runs_of(report)
    assert run.outcome == ReportRun.Outcome.MADE, run.problem
    (mail,) = post.mails(TO[0])
    _, pdf = [file.get_content() for file in mail.message.iter_attachments()]
    for words in (html_of(mail.message), PdfReader(io.BytesIO(pdf)).pages[0].extract_text()):
        assert "9999-12-31 23:59:59" in words


def test_a_figure_is_compared_with_none_of_another_part(post, alice, stock) -> None:
    """Both are called n; the part was put in place of the other."""
    saved = save_sql(alice, stock, "SELECT sum(pieces) AS n FROM stock", "Pieces")
    other = save_sql(alice, stock, "SELECT count(*) AS n FROM stock", "Items")
    report = save_report(alice, saved)
    runs_of(report)
    report.parts.update(saved=other, name=other.name)
    assert by_hand(report, alice).parts.get().figures[0]["change"] == ""
    report.parts.update(saved=saved, name=saved.name)
    assert by_hand(report, alice).parts.get().figures[0]["change"].startswith("the same as")


def test_a_figure_is_compared_with_no_other_value_that_an_alert_was_about(post, alice, stock) -> None:
    sql = "SELECT sum(pieces) AS pieces, count(*) AS items FROM stock"
    threshold = {
        "part": 0,
        "column": "pieces",
        "test": "above",
        "value": "1000",
        "row": "first",
        "quiet_hours": None,
    }
    report = save_report(
        alice, save_sql(alice, stock, sql, "Stock"), to=TO, condition="threshold", threshold=threshold
    )
    assert runs_of(report, timezone.now() - timedelta(seconds=2)).outcome == ReportRun.Outcome.NOTHING
    report.threshold = {**threshold, "column": "items", "value": "1"}
    report.save()
    figures = {one["name"]: one["change"] for one in by_hand(report, alice).parts.get().figures}
    assert figures == {"Pieces": "", "Items": ""}


def test_many_figures_and_runs_ask_the_store_as_often_as_one(
    post, alice, stock, django_assert_max_num_queries
) -> None:
    names = [f"n{number}" for number in range(8)]
    columns = ", ".join(f"sum(pieces) + {number} AS {name}" for number, name in enumerate(names))
    report = save_report(alice, save_sql(alice, stock, f"SELECT {columns} FROM stock", "Pieces"))  # noqa: S608
    for _ in range(3):
        run = by_hand(report, alice)
    part = run.parts.get()
    making = Making(run, run.report, part.attempt, run.created_at.date(), ("en",))
    with django_assert_max_num_queries(2):
        earlier = telling._earlier(making, part)
    runs = report.runs.exclude(pk=run.pk).values_list("pk", flat=True)
    assert [row.run_id for _, row in earlier] == sorted(runs, reverse=True)
    assert {one["change"].partition(" on ")[0] for one in part.figures} == {"the same as"}


def test_a_workbook_gets_a_chart_of_its_own_where_that_is_wished(post, alice, stock) -> None:
    saved = save_sql(alice, stock, "SELECT item, pieces * 2 AS twice FROM stock ORDER BY 1", "Stock")
    for wished in (False, True):
        report = save_report(alice, saved, formats=["xlsx"], native_chart=wished)
        file = runs_of(report).files.get()
        assert len(load_workbook(file.file.open("rb")).worksheets[0]._charts) == wished


@pytest.mark.parametrize("kept", ["", "nonsense"])
def test_a_number_that_cannot_be_read_any_more_is_none_to_compare_with(post, alice, stock, kept) -> None:
    saved = save_sql(alice, stock, "SELECT sum(pieces) AS pieces FROM stock", "Pieces")
    report = save_report(alice, saved)
    part = runs_of(report).parts.get()
    part.figures[0]["number"] = kept
    part.save()
    assert by_hand(report, alice).parts.get().figures[0]["change"] == ""


def test_a_zone_that_this_machine_no_longer_knows_is_utc_to_readers_too(post, alice, stock) -> None:
    saved = save_sql(alice, stock, "SELECT item, pieces, '2026-07-01' AS day FROM stock", "Stock")
    report = save_report(alice, saved, formats=["xlsx", "pdf"], to=TO)
    report.__class__.objects.update(zone="Europe/Atlantis")
    report.refresh_from_db()
    run = runs_of(report)
    assert run.outcome == ReportRun.Outcome.MADE
    (mail,) = post.mails(TO[0])
    assert "(UTC)" in html_of(mail.message)
