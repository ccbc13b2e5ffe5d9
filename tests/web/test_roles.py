"""Roles of teams on a source: viewers look, analysts ask and write SQL, editors say what is known of it besides."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from mirror.agents.tools import tool_call
from mirror.api.problems import Problem
from mirror.asking import services as asking
from mirror.asking.models import Run, Thread, Version
from mirror.audit.models import AuditRow
from mirror.dashboards.models import Supply
from mirror.dashboards.services import card_add_saved, card_add_version, dashboard_make, dashboard_share
from mirror.knowledge.selectors import may_teach
from mirror.library.selectors import may_run
from mirror.library.services import sql_save
from mirror.people.models import Team
from mirror.people.services import user_create
from mirror.reports.editing.of_dashboard import dashboard_sendable
from mirror.reports.models import ReportRun
from mirror.reports.selectors import may_own, saved_usable
from mirror.sources.models import Source, TeamRole, Visit
from mirror.sources.selectors import may_ask, may_change, may_decide, may_edit, only_views
from mirror.work.doing import work_do
from mirror.work.leases import Status
from mirror.workbench.glancing import glance_plan
from mirror.workbench.services import tab_new
from tests.reports.working import make, save_report
from tests.web.api_world import Caller, World, world_make
from tests.web.test_people_doors import EVERY, address
from tests.web.working import answer, work

pytestmark = pytest.mark.django_db(transaction=True)

VIEWER, ANALYST, EDITOR = TeamRole.Role
# Right that each address of a source needs by GET and by POST: to see it, ask it, correct its knowledge, edit it, decide
# over it (administrators too), or own it.
ADDRESSES = {
    "sources:source": ("see", None),
    "sources:columns": ("ask", None),
    "sources:names": ("ask", None),
    "sources:values": ("ask", None),
    "sources:refresh": (None, "ask"),
    "sources:model": ("ask", None),
    "sources:model_table": ("ask", "correct"),
    "sources:model_column": ("ask", "correct"),
    "sources:model_calendar": ("correct", "correct"),
    "sources:take_back": (None, "correct"),
    "sources:limits": ("edit", "edit"),
    "sources:may_run": ("decide", "decide"),
    "sources:confirm_powers": (None, "administrate"),
    "sources:share": ("own", "own"),
    "sources:withhold": ("own", "own"),
    "sources:logins": ("own", "own"),
    "sources:login_take": ("own", "own"),
    "sources:edit": ("own", "own"),
    "sources:test_changed": (None, "own"),
    "sources:upload_more": ("own", "own"),
    "sources:delete": ("own", "own"),
    "agents:agents": ("own", "own"),
    "queries:format_sql": (None, "ask"),
    "queries:check_sql": (None, "ask"),
    "queries:complete_sql": (None, "ask"),
    "asking:change_sql": (None, "ask"),
    "asking:explain_sql": (None, "ask"),
    "workbench:tree": ("ask", None),
    "workbench:peek": ("ask", "ask"),
    "dashboards:explore": ("ask", None),
    "dashboards:explore_now": ("ask", None),
    "dashboards:explore_refresh": (None, "ask"),
    "dashboards:explore_why": ("ask", "ask"),
    "dashboards:explore_why_ask": ("ask", None),
    "knowledge:terms": ("ask", None),
    "knowledge:term_new": ("correct", "correct"),
    "knowledge:term": ("correct", "correct"),
    "knowledge:term_status": (None, "correct"),
    "knowledge:term_delete": (None, "correct"),
    "knowledge:trial": ("correct", None),
    "knowledge:trial_save": (None, "correct"),
    "knowledge:trial_change": ("correct", "correct"),
    "knowledge:answers": ("ask", None),
    "knowledge:take_back": (None, "correct"),
    "knowledge:example_end": (None, "correct"),
    "knowledge:questions": ("correct", None),
    "knowledge:questions_new": (None, "correct"),
    "knowledge:questions_decide": (None, "correct"),
    "knowledge:evaluations": ("ask", None),
    "knowledge:evaluate": (None, "correct"),
    "knowledge:evaluation_plan": (None, "correct"),
    "knowledge:evaluation": ("ask", None),
    "knowledge:evaluation_stop": (None, "correct"),
    "knowledge:improving": ("ask", None),
    "knowledge:improving_start": (None, "correct"),
    "knowledge:improving_stop": (None, "correct"),
    "knowledge:shift": (None, "correct"),
    "knowledge:proposal_refuse": (None, "own"),
    "knowledge:feedback": ("correct", None),
    "knowledge:feedback_do": (None, "correct"),
}
# Of these namespaces each address with a `pk` that is no source says what that is.
NO_SOURCE = {"sources:visit", "sources:visit_stop", "sources:review", "sources:forget"}
MAY = {
    VIEWER: {"see"},
    ANALYST: {"see", "ask"},
    EDITOR: {"see", "ask", "correct", "edit"},
}
KINDS = dict(EVERY)


def give(source: Source, team: Team, role: str) -> None:
    """Give a team a role, as the page of shares keeps it."""
    source.team_roles.filter(team=team).delete()
    if role != ANALYST:
        source.team_roles.create(team=team, role=role)


@pytest.fixture
def world(alice, bob, charlie, team, shop, media) -> World:
    return world_make(alice, bob, charlie, team, shop)


def test_every_address_of_a_source_is_in_the_table():
    about = ("sources", "knowledge", "queries", "agents")
    found = {name for name, kinds in EVERY if name.partition(":")[0] in about and "pk" in kinds}
    assert found - NO_SOURCE == {name for name in ADDRESSES if name.partition(":")[0] in about}


@pytest.mark.parametrize("name", ADDRESSES)
def test_each_address_opens_for_the_roles_that_the_table_says(name, shop, team, as_bob, as_charlie):
    place = address(name, KINDS[name], shop.pk)
    for role, may in MAY.items():
        give(shop, team, role)
        for verb, takes in zip(("get", "post"), ADDRESSES[name], strict=True):
            status = getattr(as_bob, verb)(place).status_code
            expected = 405 if takes is None else 403
            assert (status == expected) == (takes not in may), (role, verb, status)
            assert takes is None or getattr(as_charlie, verb)(place).status_code == 404


def test_a_share_of_before_means_an_analyst_and_the_strongest_team_counts(alice, bob, team, shop):
    assert may_ask(bob, shop) and not may_edit(bob, shop) and not may_teach(bob, shop)
    second = Team.objects.create(name="Second")
    second.members.add(bob)
    give(shop, second, EDITOR)
    assert not may_edit(bob, shop), "a role on a source that is not shared with the team is none"
    give(shop, team, VIEWER)
    assert not may_ask(bob, shop)
    shop.teams.add(second)
    assert may_ask(bob, shop) and may_edit(bob, shop) and may_teach(bob, shop)
    assert not may_change(bob, shop) and not may_decide(bob, shop)
    give(shop, second, ANALYST)
    assert may_ask(bob, shop) and not may_edit(bob, shop)
    give(shop, team, VIEWER)
    assert may_ask(alice, shop), "an owner in a team of viewers stays the owner"


def test_an_administrator_who_is_a_viewer_decides_what_runs_and_teaches_nothing(shop, team, admin):
    team.members.add(admin)
    assert may_teach(admin, shop) and may_decide(admin, shop)
    give(shop, team, VIEWER)
    assert not may_teach(admin, shop) and not may_ask(admin, shop) and may_decide(admin, shop)


def test_the_owner_gives_roles_on_the_page_of_shares_and_the_audit_tells(
    shop, team, as_alice, as_bob, as_charlie
):
    place, wish = (
        reverse("sources:share", args=[shop.pk]),
        {"teams": [team.pk], f"role_{team.pk}": "viewer"},
    )
    assert as_charlie.post(place, wish).status_code == 404 and as_bob.post(place, wish).status_code == 403
    assert not TeamRole.objects.exists()
    assert as_alice.post(place, wish).status_code == 302
    assert as_alice.post(place, wish).status_code == 302
    told = AuditRow.objects.filter(verb="gave a role on a source")
    assert [(row.details["team"], row.details["role"]) for row in told] == [(team.name, "viewer")]
    page = as_alice.get(place).content.decode()
    assert '<option value="viewer" selected>' in page and f"{team.name}: role" in page
    assert as_alice.post(place, wish | {f"role_{team.pk}": "owner"}).status_code == 422
    as_alice.post(place, {"teams": [team.pk]})
    assert TeamRole.objects.get().role == VIEWER, "a form without a role changes none"
    as_alice.post(place, {"teams": []})
    assert not TeamRole.objects.exists(), "a team that no longer sees it has no role to come back to"
    other = Team.objects.create(name="Others")
    as_alice.post(place, {"teams": [team.pk], f"role_{other.pk}": "editor"})
    assert not TeamRole.objects.exists(), "no role for teams that one may not share with"


def test_a_role_is_chosen_where_a_source_is_first_shared_with_a_team(shop, team, as_alice):
    shop.teams.clear()
    place, role = reverse("sources:share", args=[shop.pk]), f"role_{team.pk}"
    assert '<option value="" selected>Choose a role</option>' in as_alice.get(place).content.decode()
    refused = as_alice.post(place, {"teams": [team.pk], role: ""})
    assert refused.status_code == 422 and f"Choose what {team} may do." in refused.content.decode()
    assert not shop.teams.exists()
    assert as_alice.post(place, {"teams": [], role: ""}).status_code == 302, (
        "a team that is not ticked needs none"
    )
    refused = as_alice.post(place, {"teams": [], role: "viewer"})
    assert refused.status_code == 422 and f"Tick that {team} sees it" in refused.content.decode()
    assert as_alice.post(place, {"teams": [team.pk], role: "viewer"}).status_code == 302
    assert (
        TeamRole.objects.get().role == VIEWER and "Choose a role" not in as_alice.get(place).content.decode()
    )
    shop.teams.clear()
    TeamRole.objects.all().delete()
    assert as_alice.post(place, {"teams": [team.pk]}).status_code == 302, "as programs sent it before"
    assert list(shop.teams.all()) == [team] and not TeamRole.objects.exists()


def test_who_only_looks_finds_no_asking_in_menu_palette_and_keys(
    shop, team, bob, as_alice, as_bob, as_charlie
):
    def said(browser) -> dict[str, bool]:
        home = browser.get(reverse("dashboards:list")).content.decode()
        places = browser.get(reverse("palette:palette"), {"q": "s"}).content.decode()
        first = browser.get(reverse("palette:palette")).content.decode()
        keys = browser.get(reverse("palette:keys")).content.decode()
        return {
            "ask": f'<a class="rail-link" href="{reverse("asking:ask")}"' in home,
            "sql": f'href="{reverse("workbench:start")}"' in home,
            "key": "g n" in home or "g s" in home,
            "palette": reverse("workbench:start") in places or "new-sql" in places,
            "to ask": "Ask “s”" in places or ">Ask<" in first,
            "keys": "New SQL" in keys or "Ctrl Enter" in keys,
        }

    everything = dict.fromkeys(("ask", "sql", "key", "palette", "to ask", "keys"), True)
    assert said(as_bob) == said(as_alice) == everything
    give(shop, team, VIEWER)
    assert said(as_bob) == dict.fromkeys(everything, False)
    assert said(as_charlie) == everything, "who sees no source can connect one"
    assert only_views(bob) and as_bob.get(reverse("library:list")).status_code == 200
    shop.owner = bob
    shop.save()
    assert said(as_bob) == everything


def test_a_viewer_sees_neither_tables_nor_buttons_that_would_be_refused(shop, team, as_bob, world):
    give(shop, team, VIEWER)
    page = as_bob.get(reverse("sources:source", args=[shop.pk])).content.decode()
    assert (
        "Your team looks at this source" in page and "order_items" not in page and "Ask about it" not in page
    )
    assert "no database to ask yet" not in as_bob.get(reverse("asking:ask")).content.decode()
    run = as_bob.get(reverse("asking:run", args=[world.run.pk])).content.decode()
    for refused in ("edit", "again", "follow"):
        assert reverse(f"asking:{refused}", args=[world.run.pk]) not in run
    assert reverse("asking:save", args=[world.version.pk]) not in run and "Add to dashboard" not in run
    assert "by year" not in run, "another reading could not be chosen"
    thread = as_bob.get(reverse("asking:thread", args=[world.run.thread_id])).content.decode()
    assert "Ask a follow-up" not in thread
    give(shop, team, ANALYST)
    run = as_bob.get(reverse("asking:run", args=[world.run.pk])).content.decode()
    assert reverse("asking:edit", args=[world.run.pk]) in run and "Add to dashboard" in run


def test_a_viewer_is_led_to_dashboards_and_saved_sql_where_nothing_can_be_asked(
    shop, team, as_bob, as_charlie
):
    give(shop, team, VIEWER)
    start = as_bob.get(reverse("asking:ask")).content.decode()
    assert f"Your team looks at {shop.name}" in start and "Connect a database" not in start
    assert "Open saved SQL" in as_bob.get(reverse("workbench:start")).content.decode()
    assert "You have no database to ask yet" in as_charlie.get(reverse("asking:ask")).content.decode()


def test_a_viewer_asks_nothing_and_writes_no_sql_by_any_page(shop, team, as_bob, world):
    give(shop, team, VIEWER)
    run, version = world.run.pk, world.version.pk
    posts = [
        (reverse("asking:ask"), {"source": shop.name, "question": "How many orders?"}),
        (reverse("asking:follow", args=[run]), {"question": "only 2024"}),
        (reverse("asking:again", args=[run]), {}),
        (reverse("asking:edit", args=[run]), {"sql": "SELECT * FROM customers"}),
        (reverse("asking:use_reading", args=[run, 0]), {}),
        (reverse("asking:change", args=[version]), {"choice": "measure 1"}),
        (reverse("asking:version_again", args=[version]), {}),
        (reverse("asking:save", args=[version]), {"name": "Mine"}),
        (reverse("dashboards:add") + f"?version={version}", {"name": "Mine"}),
        (reverse("dashboards:why", args=[version]), {}),
    ]
    made = Run.objects.count(), Version.objects.count()
    assert {place: as_bob.post(place, sent).status_code for place, sent in posts} == {
        place: 403 for place, _ in posts
    }
    assert as_bob.get(reverse("asking:suggest") + f"?source={shop.name}&q=how").status_code == 403
    assert (Run.objects.count(), Version.objects.count()) == made


def test_a_viewer_has_no_tab_and_no_plan(shop, team, bob, as_bob):
    tab = tab_new(bob, shop, "SELECT * FROM customers")
    give(shop, team, VIEWER)
    run = as_bob.post(reverse("workbench:run", args=[tab.pk]), {"sql": tab.sql})
    assert run.status_code == 422 and not Version.objects.exists()
    assert as_bob.post(reverse("workbench:new"), {"source": shop.pk}).status_code == 404
    assert as_bob.post(reverse("workbench:explain", args=[tab.pk]), {"sql": tab.sql}).status_code == 404
    with pytest.raises(PermissionDenied):
        glance_plan(bob, shop, "SELECT 1")


def test_what_waited_does_not_run_for_a_team_that_became_a_viewer(shop, team, bob, media):
    run = asking.run_ask(bob, shop, "How many orders were there?")
    version = asking.sql_ask(bob, shop, "SELECT * FROM customers")
    glance = glance_plan(bob, shop, "SELECT 1")
    give(shop, team, VIEWER)
    ended = answer(run)
    assert ended.outcome == "failed" and "may not use this source" in ended.reason
    assert "may not use this source" in work(version).failure["message"]
    work_do("glance", glance.pk)
    glance.refresh_from_db()
    assert "may not use this source" in glance.failure["message"]
    visit = Visit.objects.create(owner=bob, source=shop, work=Visit.Work.REFRESH, status=Status.QUEUED)
    work_do("visit", visit.pk)
    visit.refresh_from_db()
    assert "tables" not in visit.said, visit.said


def test_a_viewer_runs_saved_sql_of_an_analyst_with_its_values_and_no_other_text(
    shop, team, bob, as_bob, world, media
):
    give(shop, team, VIEWER)
    place = reverse("asking:run_saved", args=[world.saved.pk])
    assert as_bob.post(place, {"argument-land": "Norway' OR '1'='1"}).status_code == 302
    run = Run.objects.filter(saved=world.saved).latest("pk")
    version = work(run.versions.get())
    assert version.failure is None and version.result.row_count == 0, "a value stays a value"
    page = as_bob.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert reverse("asking:edit", args=[run.pk]) not in page and "FROM customers" in page
    edited = as_bob.post(reverse("asking:edit", args=[run.pk]), {"sql": "SELECT 1"})
    assert edited.status_code == 403
    assert as_bob.post(reverse("asking:version_again", args=[version.pk])).status_code == 302
    world.saved.sql = "SELECT 2"
    world.saved.save()
    assert as_bob.post(reverse("asking:version_again", args=[version.pk])).status_code == 403, "another text"


def test_a_viewer_does_not_run_what_they_or_another_viewer_wrote(shop, team, alice, bob, as_bob):
    dora = user_create("dora")
    team.members.add(dora)
    mine, theirs = sql_save(bob, shop, "Mine", "SELECT 1"), sql_save(dora, shop, "Theirs", "SELECT 2")
    for saved in (mine, theirs):
        saved.teams.add(team)
    give(shop, team, VIEWER)
    assert not may_run(bob, mine) and not may_run(bob, theirs) and may_run(alice, theirs)
    assert not saved_usable(bob).exists()
    for saved in (mine, theirs):
        assert as_bob.post(reverse("asking:run_saved", args=[saved.pk])).status_code == 403
        with pytest.raises(PermissionDenied):
            asking.run_saved(bob, saved, {})
    page = as_bob.get(reverse("library:saved", args=[mine.pk])).content.decode()
    assert "You cannot run this now" in page and reverse("library:edit", args=[mine.pk]) not in page
    sent = {"name": "Mine", "sql": "SELECT * FROM customers", "changes": 1}
    assert as_bob.post(reverse("library:edit", args=[mine.pk]), sent).status_code == 403
    assert as_bob.post(reverse("library:restore", args=[mine.pk, 1])).status_code == 403
    assert as_bob.post(reverse("library:verify", args=[mine.pk])).status_code == 403
    mine.refresh_from_db()
    assert mine.sql == "SELECT 1"


def test_a_dashboard_shows_a_viewer_what_writers_put_there_and_nothing_of_viewers(
    shop, team, alice, bob, as_bob, as_alice, world
):
    mine = dashboard_make(bob, "Mine")
    card_add_version(mine, world.version, "Of a run")
    of_saved = card_add_saved(mine, sql_save(bob, shop, "Own", "SELECT 41"), "Own")
    hers = dashboard_make(alice, "Hers")
    dashboard_share(hers, [team], alice)
    shown = card_add_saved(hers, sql_save(alice, shop, "Hers", "SELECT 42"), "Hers")
    Supply.objects.all().delete()
    give(shop, team, VIEWER)
    own = as_bob.get(reverse("dashboards:dashboard", args=[mine.pk])).content.decode()
    assert own.count("may no longer write SQL on its source") == 2 and not Supply.objects.exists()
    card = as_bob.get(reverse("dashboards:card", args=[of_saved.pk])).content.decode()
    assert "SELECT 41" not in card and "Open as SQL" not in card
    as_bob.get(reverse("dashboards:dashboard", args=[hers.pk]))
    assert [one.sql for one in Supply.objects.all()] == ["SELECT 42"]
    work_do("supply", Supply.objects.get().pk)
    card = as_bob.get(reverse("dashboards:card", args=[shown.pk])).content.decode()
    assert "42" in card and "Open as SQL" not in card
    assert "Open as SQL" in as_alice.get(reverse("dashboards:card", args=[shown.pk])).content.decode()
    sendable = dashboard_sendable(bob, hers, {})
    assert not sendable.made and sendable.left_out == ("Hers",), "SQL that is not shared is not copied"


def test_a_report_of_a_viewer_runs_sql_of_writers_alone(shop, team, bob, world):
    own = sql_save(bob, shop, "Own", "SELECT 1 AS n")
    report, shared = save_report(bob, own), save_report(bob, world.saved)
    give(shop, team, VIEWER)
    assert not may_own(bob, report) and may_own(bob, shared)
    run = make(ReportRun.objects.create(report=report, cause="now"))
    assert run.outcome == "failed" and "does not run SQL of bob" in run.reason
    give(shop, team, ANALYST)
    assert make(ReportRun.objects.create(report=report, cause="now")).outcome != "failed"


def test_programs_and_agents_of_a_viewer_run_saved_sql_and_nothing_else(shop, team, bob, world):
    give(shop, team, VIEWER)
    bobs = Caller(world.secrets["bob"])
    run, version = world.run.pk, world.version.pk
    asked = {"source": shop.name, "question": "How many orders?"}
    refused = {
        "ask": bobs.post("/runs", asked),
        "follow": bobs.post("/runs", asked | {"after": run}),
        "reading": bobs.post(f"/runs/{run}/readings/0"),
        "sql": bobs.post("/sql", {"source": shop.name, "sql": "SELECT * FROM customers"}),
        "catalog": bobs.get(f"/sources/{shop.name}/catalog"),
    }
    assert {name: told.status_code for name, told in refused.items()} == dict.fromkeys(refused, 403)
    assert refused["sql"].json()["type"].endswith("not-permitted")
    assert "writes no SQL" in refused["sql"].json()["detail"]
    assert (
        bobs.get(f"/sources/{shop.name}").status_code == 200
        and bobs.get(f"/versions/{version}").status_code == 200
    )
    ran = bobs.post(f"/saved/{world.saved.pk}/runs", {"arguments": {"land": "Norway"}})
    assert ran.status_code == 202, ran.content
    agent = world.secrets["agent"]
    wishes = [
        ("search_catalog", {"source": shop.name}),
        ("ask", {"source": shop.name, "question": "How many orders?"}),
        ("choose_reading", {"run": run, "reading": 0}),
        ("run_sql", {"source": shop.name, "sql": "SELECT 1"}),
        ("explain", {"source": shop.name, "sql": "SELECT 1"}),
    ]
    threads = Thread.objects.count()
    for tool, wish in wishes:
        with pytest.raises(Problem) as told:
            tool_call(agent, "here", tool, **wish)
        assert (told.value.status, told.value.code) == (403, "not-permitted"), tool
    assert Thread.objects.count() == threads


def test_an_editor_corrects_and_limits_and_neither_shares_nor_connects(shop, team, bob, as_bob):
    give(shop, team, EDITOR)
    page = as_bob.get(reverse("sources:source", args=[shop.pk])).content.decode()
    assert reverse("sources:limits", args=[shop.pk]) in page
    for own in ("share", "edit", "delete", "may_run"):
        assert reverse(f"sources:{own}", args=[shop.pk]) not in page
    assert as_bob.post(reverse("sources:limits", args=[shop.pk]), {"result_rows": 7}).status_code == 302
    shop.refresh_from_db()
    assert shop.result_rows == 7
    many = as_bob.post(reverse("sources:limits", args=[shop.pk]), {"result_rows": 10**9})
    assert many.status_code == 422, "an editor does not exceed the settings"
    terms = reverse("knowledge:terms", args=[shop.pk])
    assert "New term" in as_bob.get(terms).content.decode()
    give(shop, team, ANALYST)
    assert "New term" not in as_bob.get(terms).content.decode()
