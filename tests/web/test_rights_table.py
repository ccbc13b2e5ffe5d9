"""Every page's address, with a thing of Alice's in its place, by every role: no difference from the committed table.

`RIGHTS_TABLE=write script/test tests/web/test_rights_table.py` writes it anew; read the difference before it is committed.
Addresses of sources have a table with reasons in `test_roles`, operations of programs one in `docs/api.md`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from mirror.asking import services as asking
from mirror.asking.models import Version
from mirror.comments.models import Comment
from mirror.dashboards.services import card_add_saved, dashboard_make, dashboard_share
from mirror.library.services import sql_save
from mirror.reports.models import Report, ReportPart, ReportRun, RunPart
from mirror.results.services import result_store
from mirror.sources.models import TeamRole
from mirror.work.leases import Status
from mirror.workbench.models import Glance, Tab
from sqlagent.values import Rows
from tests.web.test_people_doors import ALL, NO_ROW, OPEN, VALUES
from tests.web.test_roles import ADDRESSES

TABLE = Path(__file__).with_name("rights_table.tsv")
PEOPLE = ("viewer", "analyst", "editor", "stranger", "administrator")
COLUMNS = tuple(f"{person} {verb}" for person in PEOPLE for verb in ("GET", "POST"))
ROWS = Rows(("id", "amount"), ((1, 2), (3, 4)))
# Addresses of things: which one stands in their place; others, of a subject, have its first.
THINGS = {
    "asking": "run",
    "asking:thread": "thread",
    "asking:version": "version",
    "asking:chart": "version",
    "asking:change": "version",
    "asking:verify": "version",
    "asking:feedback": "version",
    "asking:save": "version",
    "asking:run_saved": "saved",
    "asking:saved": "saved",
    "results": "result",
    "exports": "result",
    "library": "saved",
    "dashboards": "dashboard",
    "dashboards:card": "card",
    "dashboards:why": "version",
    "dashboards:explore": "source",
    "reports": "report",
    "reports:run": "report_run",
    "reports:run_now": "report",
    "reports:disallow": "",
    "reports:deliveries": "report_run",
    "reports:send_again": "report_run",
    "reports:image": "report_run",
    "reports:of_dashboard": "dashboard",
    "workbench": "tab",
    "workbench:version": "version",
    "workbench:save": "version",
    "workbench:glance": "glance",
    "workbench:tree": "source",
    "workbench:peek": "source",
    "sharing:run": "run",
    "sharing:thread": "thread",
    "sharing:dashboard": "dashboard",
    "comments": "comment",
    "comments:run": "run",
    "comments:dashboard": "dashboard",
    "people": "alice",
}
# A signed-in person ends their session there, or the answer is a stream without an end.
LEFT_OUT = {"asking:run_events", "people:sign_out"}


@pytest.fixture
def things(alice, bob, charlie, team, shop, media) -> dict[str, Any]:
    """One of each of Alice's things, all that can be shared with the team."""
    run = asking.run_of_sql(alice, shop, "Orders")
    result = result_store(shop, ROWS, alice)
    version = Version.objects.create(
        run=run, number=1, origin="edit", sql="SELECT 1", status=Status.DONE, result=result
    )
    asking.run_share(run, [team], alice)
    asking.thread_share(run.thread, [team], alice)
    saved = sql_save(alice, shop, "Kept", "SELECT 1")
    saved.teams.add(team)
    board = dashboard_make(alice, "Board")
    dashboard_share(board, [team], alice)
    report = Report.objects.create(owner=alice, title="Weekly", formats=["csv"])
    report.teams.add(team)
    ReportPart.objects.create(report=report, saved=saved, name="Kept")
    report_run = ReportRun.objects.create(report=report, cause="now", status=Status.DONE, outcome="made")
    RunPart.objects.create(run=report_run, position=0, attempt=1, title="x", sql="SELECT 1", source=shop)
    return {
        "run": run,
        "thread": run.thread,
        "version": version,
        "result": result,
        "saved": saved,
        "dashboard": board,
        "card": card_add_saved(board, saved, "Kept"),
        "report": report,
        "report_run": report_run,
        "tab": Tab.objects.create(owner=alice, source=shop, sql="SELECT 1"),
        "glance": Glance.objects.create(
            owner=alice, source=shop, purpose=Glance.Purpose.ROWS, status=Status.DONE, result=result
        ),
        "comment": Comment.objects.create(author=alice, run=run, text="So many?"),
        "source": shop,
        "alice": alice,
    }


def thing_of(name: str) -> str:
    """Which thing an address is about: by the longest beginning of its name that is known; empty where none is."""
    known = [one for one in THINGS if name == one or name.startswith((f"{one}_", f"{one}:"))]
    return THINGS[max(known, key=len)] if known else ""


def addresses(things: dict[str, Any]) -> dict[str, str]:
    """The addresses of the table by their names, each with a thing in its place."""
    found = {}
    for name, kinds in ALL:
        if name in ADDRESSES or name in OPEN or name in LEFT_OUT:
            continue
        thing = things.get(thing_of(name))
        places: dict[str, Any] = {place: VALUES.get(place, 1) for place in kinds}
        if "pk" in kinds:
            is_uuid = kinds["pk"] == "UUIDConverter"
            is_fit = thing is not None and is_uuid != isinstance(thing.pk, int)
            places["pk"] = thing.pk if is_fit else NO_ROW if is_uuid else 1
        found[name] = reverse(name, kwargs=places)
    return found


def status_of(browser: Client, verb: str, place: str) -> int:
    """How an address answers; nothing is changed by that."""
    with transaction.atomic():
        found = getattr(browser, verb.lower())(place).status_code
        transaction.set_rollback(True)
    return int(found)


@pytest.mark.timeout(300)
@pytest.mark.django_db
def test_each_address_opens_as_the_committed_table_says(things, shop, team, as_bob, as_charlie, as_admin):
    places = addresses(things)
    told: dict[str, list[str]] = {name: [] for name in places}
    for person in PEOPLE:
        TeamRole.objects.filter(source=shop).delete()
        if person in ("viewer", "editor"):
            TeamRole.objects.create(source=shop, team=team, role=person)
        browser = {"stranger": as_charlie, "administrator": as_admin}.get(person, as_bob)
        for name, place in places.items():
            told[name] += [str(status_of(browser, verb, place)) for verb in ("GET", "POST")]
    if os.environ.get("RIGHTS_TABLE") == "write":
        lines = ["\t".join(("address", *COLUMNS)), *("\t".join((name, *told[name])) for name in sorted(told))]
        TABLE.write_text("\n".join(lines) + "\n")
    kept = {line.split("\t")[0]: line.split("\t")[1:] for line in TABLE.read_text().splitlines()[1:]}
    differ = {
        name: (kept.get(name), told.get(name))
        for name in kept.keys() | told.keys()
        if kept.get(name) != told.get(name)
    }
    assert not differ, differ


def test_a_stranger_and_an_administrator_are_shown_no_thing_of_others_by_the_table():
    heads, *lines = [line.split("\t") for line in TABLE.read_text().splitlines()]
    rows = [dict(zip(heads, line, strict=True)) for line in lines]
    things = [
        row
        for row in rows
        if thing_of(row["address"]) not in ("", "alice") and "pk" in dict(ALL)[row["address"]]
    ]
    assert len(things) > 60
    for row in things:
        for person in ("stranger", "administrator"):
            for verb in ("GET", "POST"):
                assert row[f"{person} {verb}"] in ("404", "405"), row


def test_pages_of_administrators_are_closed_to_everybody_else_by_the_table():
    heads, *lines = [line.split("\t") for line in TABLE.read_text().splitlines()]
    rows = [dict(zip(heads, line, strict=True)) for line in lines]
    closed = [
        row for row in rows if row["administrator GET"] == "200" and row["analyst GET"] in ("403", "404")
    ]
    assert {row["address"] for row in closed} >= {"people:people", "llms:list"}, closed
    for row in closed:
        assert {row[f"{person} GET"] for person in ("viewer", "analyst", "editor", "stranger")} == {
            row["analyst GET"]
        }, row
