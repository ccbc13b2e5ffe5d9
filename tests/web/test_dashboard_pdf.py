"""A dashboard as a PDF: made by a worker of its reader's view, downloaded by permitted people, told by the audit."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from mirror.audit.models import AuditRow
from mirror.dashboards import pdf_exports, services
from mirror.dashboards.models import Card, Dashboard, PdfExport, Supply
from mirror.sources.models import WithheldRight
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.web.working import unwatched

BY_COUNTRY = (
    "SELECT country, count(*) AS customers FROM customers WHERE region = :region GROUP BY 1 ORDER BY 2"
)
REGION = {"name": "region", "kind": "text", "default": "Europe", "label": "Region"}
CITIES = "SELECT country, city, count(*) AS customers FROM customers GROUP BY 1, 2 ORDER BY 1, 2"


@pytest.fixture
def board(transactional_db, alice, shop, team, media, settings) -> Dashboard:
    settings.CHART_IMAGES = "simple"
    made = services.dashboard_make(alice, "Customers", "Where they are.")
    services.dashboard_share(made, [team], alice)
    fields = {"dashboard": made, "kind": "sql", "source": shop}
    Card.objects.create(title="Countries", sql=BY_COUNTRY, parameters=[REGION], place=1, **fields)
    Card.objects.create(title="Cities", sql=CITIES, shows="table", place=2, **fields)
    Card.objects.create(title="Everybody", sql="SELECT count(*) AS n FROM customers", place=3, **fields)
    services.card_add_text(made, "Note", "Read it every morning.")
    return made


def worked(model: type) -> None:
    name = {Supply: "supply", PdfExport: "pdf_export"}[model]
    with unwatched():
        for one in model.objects.filter(status=Status.QUEUED):
            assert work_do(name, one.pk)


def asked(browser, board: Dashboard, where: str = "") -> PdfExport:
    """Look at a dashboard until its rows are there, and press PDF."""
    browser.get(reverse("dashboards:dashboard", args=[board.pk]), {"where": where})
    worked(Supply)
    answer = browser.post(
        reverse("dashboards:pdf_ask", args=[board.pk]) + (f"?where={where}" if where else "")
    )
    assert answer.status_code == 302
    worked(PdfExport)
    made = PdfExport.objects.latest("pk")
    assert answer["Location"] == reverse("dashboards:pdf", args=[made.pk])
    return made


def text(made: PdfExport) -> str:
    assert made.failure is None, made.failure
    with default_storage.open(made.file, "rb") as file:
        return "\n".join(page.extract_text() for page in PdfReader(file).pages)


def test_it_has_the_title_values_filters_and_the_time_of_the_data(board, as_alice) -> None:
    countries = board.cards.get(title="Countries").pk
    made = asked(as_alice, board, f"{countries}:country:== Norway")
    said = text(made)
    for words in (
        "Customers",
        "Where they are.",
        "Read it every morning.",
        "Region: Europe",
        "Filtered by country is Norway",
        "Filtered: country is Norway:",
        "Not filtered: has no column country.",
        "Data of ",
        "Oslo",
    ):
        assert words in said, words
    assert "Hamburg" not in said
    page = as_alice.get(reverse("dashboards:pdf", args=[made.pk])).content.decode()
    assert "Download the PDF" in page and "where=" in page, "the way back keeps the filter"
    before = AuditRow.objects.count()
    file = as_alice.get(reverse("dashboards:pdf_file", args=[made.pk]))
    assert file["Content-Type"] == "application/pdf" and file.content[:5] == b"%PDF-"
    told = AuditRow.objects.order_by("at", "number").last()
    assert (AuditRow.objects.count(), told.verb, told.details["format"]) == (
        before + 1,
        "downloaded a dashboard",
        "pdf",
    )


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("Asia/Kolkata", "13:31 Asia/Kolkata"),
        *((one, "08:01 UTC") for one in ("Nowhere/Else", "", "America", "x" * 300)),
    ],
)
def test_its_times_are_those_of_the_browser_that_asked(board, as_alice, zone, said) -> None:
    as_alice.get(reverse("dashboards:dashboard", args=[board.pk]))
    with time_machine.travel("2026-11-02 08:01:00+00:00", tick=False):
        worked(Supply)
    page = as_alice.get(reverse("dashboards:dashboard", args=[board.pk])).content.decode()
    assert '<mirror-zone hidden><input type="hidden" name="zone"></mirror-zone>' in page
    as_alice.post(reverse("dashboards:pdf_ask", args=[board.pk]), {"zone": zone})
    worked(PdfExport)
    words = text(PdfExport.objects.latest("pk"))
    assert f"2 November 2026, {said}" in words
    assert said.endswith("UTC") or "UTC" not in words
    assert timezone.get_current_timezone_name() == "UTC", "the worker's own clocks are as they were"


def test_a_file_is_of_who_asked_and_files_that_are_withheld_stay(
    board, shop, team, as_alice, as_bob, as_charlie
) -> None:
    made = asked(as_bob, board)
    addresses = [reverse(f"dashboards:{name}", args=[made.pk]) for name in ("pdf", "pdf_file")]
    assert [as_bob.get(one).status_code for one in addresses] == [200, 200]
    for browser in (as_alice, as_charlie):
        assert [browser.get(one).status_code for one in addresses] == [404, 404]
    assert as_charlie.post(reverse("dashboards:pdf_ask", args=[board.pk])).status_code == 404
    withheld = WithheldRight.objects.create(source=shop, team=team, right=WithheldRight.Right.FILES)
    assert [as_bob.get(one).status_code for one in addresses] == [200, 403], "a file made before"
    assert "not take them away" in as_bob.get(addresses[0]).content.decode()
    again = asked(as_bob, board)
    assert not again.file and "not take them away" in again.failure["message"]
    assert asked(as_alice, board).file, "the owner"
    withheld.delete()
    board.teams.clear()
    assert [as_bob.get(one).status_code for one in addresses] == [404, 404]


def test_a_file_is_kept_for_a_day_and_few_wait(board, as_alice, alice) -> None:
    made = asked(as_alice, board)
    assert default_storage.exists(made.file)
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert pdf_exports.pdfs_tidy() == 1
    assert not default_storage.exists(made.file) and not PdfExport.objects.exists()
    for _ in range(pdf_exports.MOST_WAITING + 1):
        as_alice.post(reverse("dashboards:pdf_ask", args=[board.pk]))
    assert PdfExport.objects.count() == pdf_exports.MOST_WAITING
