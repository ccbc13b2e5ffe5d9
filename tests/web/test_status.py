"""The page of the status: what is wrong first, in words, for administrators; nothing of what they may not see."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from mirror import VERSION
from mirror.asking.models import Thread
from mirror.health.models import Heartbeat
from mirror.health.services import QUEUES, beat
from mirror.reports.models import Delivery, Report, ReportRun
from mirror.reports.services import sending_pause
from mirror.upkeep import troubles
from mirror.work.kinds import KINDS
from mirror.work.leases import Status
from tests.test_imports import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

URL = "/status/"


@pytest.fixture(autouse=True)
def well(settings, tmp_path) -> None:
    """A Mirror of which every part is alive."""
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path)}
    for part, queue in QUEUES.items():
        beat(f"{part}@here", [queue], started_at=timezone.now(), memory=80_000_000)
    beat("web@here", [], part="web")
    beat("scheduler@here", [], part="scheduler")


def said(browser) -> str:
    """The text of the page, from its heading on."""
    page = browser.get(URL).content.decode().partition("<h1>")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_only_administrators_see_it(client, as_alice, as_charlie, as_admin):
    assert client.get(URL).status_code == 302
    for browser in (as_alice, as_charlie):
        assert browser.get(URL).status_code == 403
    page = said(as_admin)
    assert "Nothing is wrong" in page
    assert "worker@here alive" in page
    assert "320 MB of memory together" in page


def test_what_is_wrong_stands_first_and_leads_to_the_thing(as_admin, shop, alice, monkeypatch):
    monkeypatch.setattr(troubles, "LITTLE_ROOM", 10**18)
    beat("mirror-2@there", ["celery"])
    Heartbeat.objects.filter(worker="mirror-2@there").update(at=timezone.now() - timedelta(minutes=3))
    Heartbeat.objects.filter(part__in=["scheduler", "reports"]).delete()
    run = Thread.objects.create(owner=alice, source=shop).runs.create()
    type(run).objects.update(created_at=timezone.now() - timedelta(minutes=5))
    Report.objects.create(owner=alice, title="Late", next_at=timezone.now() - timedelta(hours=1))
    page = said(as_admin)
    expected = (
        "No worker for reports is alive.",
        "No scheduler is alive.",
        "1 report should have run.",
        "mirror-2@there has shown no sign of life for 3 min",
        "Questions: 1 waiting, the first for 5 min",
        "are left on the disk of the data folder",
    )
    places = [page.find(words) for words in expected]
    assert places == sorted(places), places
    assert min(places) > 0, expected[places.index(-1)]
    html = as_admin.get(URL).content.decode()
    for place in ("processes", "work", "disk"):
        assert f'href="#{place}"' in html
        assert f'id="{place}"' in html
    sending_pause(None, "The mail server moves")
    html = as_admin.get(URL).content.decode()
    assert "All sending is paused." in html
    assert "should have run" not in html


def test_what_administrators_may_not_see_is_told_by_whose_it_is(as_admin, admin, shop, alice, team):
    now = timezone.now()
    ended = {"status": Status.DONE, "ended_at": now}
    run = Thread.objects.create(owner=alice, source=shop).runs.create(**ended)
    for number in (1, 2):
        failure = {"kind": "lost", "message": "Anna earns 100"}
        run.versions.create(number=number, origin="edit", sql="SELECT 1", failure=failure, **ended)
    report = Report.objects.create(owner=alice, title="Salaries of Anna")
    made = ReportRun.objects.create(report=report, cause="now", **ended)
    to = {"run": made, "kind": "mail", "about": "report", "to": "anna@example.com", "tries": 3}
    Delivery.objects.create(state="given_up", **to, **ended)
    html, page = as_admin.get(URL).content.decode(), said(as_admin)
    assert "a source of alice" in page
    assert "connection lost" in page
    assert "On 1 source more statements failed than gave rows." in page
    assert "a report of alice" in page
    assert "1 delivery was given up since yesterday." in page
    assert html.count(reverse("upkeep:owned", args=[alice.pk])) == 2
    for word in ("shop", "Anna", "anna@", "Salaries"):
        assert word not in page
    team.members.add(admin)
    report.teams.add(team)
    page = said(as_admin)
    assert "shop" in page
    assert "Salaries of Anna" in page
    assert "anna@" not in page


def test_the_page_says_among_how_many_rows_it_looks(as_admin, shop, alice, monkeypatch):
    run = Thread.objects.create(owner=alice, source=shop).runs.create(status=Status.DONE)
    for number in (1, 2):
        failure = {"kind": "lost", "message": "gone"}
        run.versions.create(
            number=number,
            origin="edit",
            sql="SELECT 1",
            failure=failure,
            status=Status.DONE,
            ended_at=timezone.now(),
        )
    words = (
        "Counts of finished and failed work cover the last 24 hours, among the newest {} rows of each kind."
    )
    assert words.format("10,000") in said(as_admin)
    monkeypatch.setattr("mirror.upkeep.figures.NEWEST", 1)
    monkeypatch.setattr("mirror.upkeep.status_pages.NEWEST", 1)
    page = said(as_admin)
    assert words.format(1) in page
    assert re.search(r"a source of alice 1 1 ", re.sub(r" +", " ", page)), page


def test_parts_without_a_process_stand_in_one_order(as_admin):
    Heartbeat.objects.all().delete()
    page = said(as_admin)
    places = [page.find(f"{name.capitalize()} none silent") for name in troubles.PARTS.values()]
    assert places == sorted(places)
    assert min(places) > 0


def test_every_kind_of_work_and_the_version_are_called_by_name():
    assert set(troubles.WORK) == set(KINDS)
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION
