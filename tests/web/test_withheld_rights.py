"""Rights that the owner of a source withholds from a team: files and sending. Looking and asking stay."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.agents.tools import tool_call
from mirror.api.problems import Problem
from mirror.audit.models import AuditRow
from mirror.people.models import Team
from mirror.reports.errors import LinkGone, ReportError
from mirror.reports.models import ReportRun
from mirror.reports.selectors import may_own, saved_usable
from mirror.reports.sending.links import link_make, link_open
from mirror.sources.models import Source, WithheldRight
from mirror.sources.selectors import may_send, may_take_files
from mirror.work.leases import Status
from tests.reports.working import make, save_report
from tests.web.api_world import Caller, World, world_make

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(alice, bob, charlie, team, shop, media) -> World:
    return world_make(alice, bob, charlie, team, shop)


def withhold(client, shop: Source, team: Team, *rights: str) -> None:
    """Press Save on the page that shares the shop."""
    chosen = {"teams": [team.pk]} | {f"no_{right}": [team.pk] for right in rights}
    assert client.post(reverse("sources:share", args=[shop.pk]), chosen).status_code == 302


def test_rows_are_looked_at_and_taken_away_by_nobody_of_the_team(world, shop, team, as_alice, as_bob):
    rows = reverse("results:rows", args=[world.version.result_id])
    files = {
        reverse("exports:download", args=[world.version.result_id, "csv"]): 200,
        reverse("exports:pivot", args=[world.version.result_id]) + "?pr=2&pv=1&pa=sum": 200,
        reverse("reports:file", args=[world.file.pk]): 200,
    }
    assert {address: as_bob.get(address).status_code for address in files} == files
    withhold(as_alice, shop, team, "files")
    assert {as_bob.get(address).status_code for address in files} == {403}
    assert as_bob.get(rows).status_code == 200
    page = as_bob.get(reverse("asking:run", args=[world.run.pk])).content.decode()
    assert "No files" in page and "/download/" not in page and "not take them away" in page
    assert as_alice.get(reverse("reports:file", args=[world.file.pk])).status_code == 200, "the owner"
    withhold(as_alice, shop, team)
    assert {address: as_bob.get(address).status_code for address in files} == files


def test_programs_and_agents_get_no_rows_of_it(world, shop, team, as_alice):
    bobs = Caller(world.secrets["bob"])
    address = f"/versions/{world.version.pk}/rows"
    assert bobs.get(address).status_code == 200
    assert bobs.get(f"/runs/{world.run.pk}").json()["readings"][0]["rows"]
    withhold(as_alice, shop, team, "files")
    refused = bobs.get(address)
    assert refused.status_code == 403 and "not take them away" in refused.json()["detail"]
    assert bobs.get(f"/report-runs/{world.report_run.pk}/files/{world.file.pk}").status_code == 403
    assert not bobs.get(f"/runs/{world.run.pk}").json()["readings"][0]["rows"]
    assert not bobs.get("/runs").json()["items"][0]["readings"][0]["rows"]
    with pytest.raises(Problem) as refused_to_agent:
        tool_call(world.secrets["agent"], "here", "rows", version=world.version.pk)
    assert refused_to_agent.value.code == "no-rows"


def test_nothing_of_it_is_sent_by_the_team(world, shop, team, bob, alice, as_alice):
    report = save_report(bob, world.saved)
    withhold(as_alice, shop, team, "sending")
    assert not saved_usable(bob).exists() and not may_own(bob, report)
    run = make(ReportRun.objects.create(report=report, cause="now"))
    assert run.status == Status.DONE and run.outcome == "failed"
    assert "send its rows" in run.reason
    assert saved_usable(alice).exists(), "the owner of the source sends what is hers"
    assert may_take_files(bob, shop) and not may_send(bob, shop)


def test_links_that_a_member_made_before_open_nothing(world, shop, team, bob, as_alice):
    world.report.owner = bob
    world.report.save()
    token = link_make(world.file, bob, 24)
    assert link_open(token) == world.file
    withhold(as_alice, shop, team, "sending")
    with pytest.raises(LinkGone):
        link_open(token)
    with pytest.raises(ReportError, match="does not let your team send"):
        link_make(world.file, bob, 24)


def test_a_second_team_that_has_the_right_gives_it(shop, team, bob, alice, as_alice):
    other = Team.objects.create(name="Managers")
    shop.teams.add(other)
    withhold(as_alice, shop, team, "files", "sending")
    assert not may_take_files(bob, shop) and not may_send(bob, shop)
    other.members.add(bob)
    assert may_take_files(bob, shop) and may_send(bob, shop)


def test_only_the_owner_withholds_and_the_audit_tells(shop, team, as_alice, as_bob, as_charlie):
    address, wish = reverse("sources:share", args=[shop.pk]), {"teams": [team.pk], "no_files": [team.pk]}
    assert as_charlie.post(address, wish).status_code == 404
    assert as_bob.post(address, wish).status_code == 403
    assert not WithheldRight.objects.exists()
    withhold(as_alice, shop, team, "files")
    withhold(as_alice, shop, team, "files")
    told = AuditRow.objects.filter(verb="withheld a right on a source")
    assert [row.details["teams"] for row in told] == [[team.name]], (
        "told once: nothing changed the second time"
    )
    page = as_alice.get(address).content.decode()
    assert f"{team.name}: no files" in page and page.count("checked") == 2
    assert as_alice.post(address, wish | {"no_files": [10**30]}).status_code == 422
