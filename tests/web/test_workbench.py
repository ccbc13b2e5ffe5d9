"""The SQL page: tabs that keep what is typed, run it, and stay their owner's alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from mirror.asking.models import Version
from mirror.asking.services import run_ask
from mirror.asking.services.versions import version_edit
from mirror.audit.models import AuditRow
from mirror.library.models import SavedSql
from mirror.results.models import StoredResult
from mirror.sources.models import Source
from mirror.sources.services import source_delete
from mirror.work.doing import work_do
from mirror.work.leases import Status
from mirror.work.turns import turn_take
from mirror.workbench import glance_pages, services, urls
from mirror.workbench.glancing import glance_do, glance_plan, glance_rows
from mirror.workbench.models import Glance, Tab
from sqlagent.sql.plans import Plan, PlanStep
from tests.test_imports import ROOT
from tests.web.working import SLOW, TOP, unwatched, work

# Every address with an id, its verb, and what its owner gets.
ADDRESSES = [
    ("tab", "get", 200),
    ("keep", "post", 302),
    ("run", "post", 302),
    ("change", "post", 302),
    ("explain", "post", 302),
    ("version", "get", 302),
    ("version_stop", "post", 302),
    ("version_again", "post", 302),
    ("save", "post", 302),
    ("tree", "get", 302),
    ("peek", "get", 200),
    ("peek", "post", 200),
    ("glance", "get", 200),
    ("glance_stop", "post", 302),
    ("close", "post", 302),
    ("reopen", "post", 302),
]
OF_SOURCE = ("tree", "peek")


@pytest.fixture
def tab(transactional_db, shop, alice, media) -> Tab:
    """A tab of Alice's in which something ran."""
    found = services.tab_new(alice, shop, TOP)
    work(services.tab_run(found, found.sql))
    found.refresh_from_db()
    return found


@pytest.fixture
def glance(tab, alice, shop) -> Glance:
    return looked(glance_rows(alice, shop, "stores"))


def looked(glance: Glance) -> Glance:
    with unwatched():
        assert work_do("glance", glance.pk)
    glance.refresh_from_db()
    return glance


def address(name: str, tab: Tab, glance: Glance) -> str:
    if name in OF_SOURCE:
        return reverse(f"workbench:{name}", args=[tab.source_id]) + "?table=stores"
    if name.startswith("glance"):
        return reverse(f"workbench:{name}", args=[glance.pk])
    of_version = name.startswith("version") or name == "save"
    return reverse(f"workbench:{name}", args=[tab.run.versions.first().pk if of_version else tab.pk])


SENT = {"sql": "SELECT 1", "name": "One", "title": "Mine", "table": "stores"}


@pytest.mark.parametrize(("name", "verb", "status"), ADDRESSES)
def test_a_tab_is_its_owners_alone(
    tab, glance, as_alice, as_bob, as_charlie, name: str, verb: str, status: int
) -> None:
    place = address(name, tab, glance)
    before = list(Tab.objects.values()), Version.objects.count(), Glance.objects.count()
    assert getattr(as_charlie, verb)(place, SENT).status_code == 404
    if name not in OF_SOURCE:
        assert getattr(as_bob, verb)(place, SENT).status_code == 404, "Bob sees the source, not the tab"
        assert (list(Tab.objects.values()), Version.objects.count(), Glance.objects.count()) == before
    else:
        assert getattr(as_bob, verb)(place, SENT).status_code == status
    assert getattr(as_alice, verb)(place, SENT).status_code == status


def test_every_address_is_walked() -> None:
    walked = {name for name, _, _ in ADDRESSES} | {"start", "new"}
    assert {path.name for path in urls.urlpatterns} == walked


def test_nobody_signed_out_sees_anything(tab, glance, client) -> None:
    for name, verb, _ in ADDRESSES:
        answer = getattr(client, verb)(address(name, tab, glance), SENT)
        assert (answer.status_code, "/sign-in/" in answer["Location"]) == (302, True), name


def test_without_a_tab_the_sources_are_offered_and_one_click_opens_one(shop, as_alice, as_charlie) -> None:
    page = as_alice.get(reverse("workbench:start"))
    assert "New SQL" in page.content.decode()
    assert "Connect a database" in as_charlie.get(reverse("workbench:start")).content.decode()
    opened = as_alice.post(reverse("workbench:new"), {"source": shop.pk})
    tab = Tab.objects.get()
    assert opened["Location"] == reverse("workbench:tab", args=[tab.pk])
    assert tab.source == shop
    assert as_alice.get(reverse("workbench:start"))["Location"] == opened["Location"]


def test_a_source_of_somebody_else_is_refused_and_no_tab_made(shop, as_charlie) -> None:
    for source in (shop.pk, "9" * 30, "x"):
        assert as_charlie.post(reverse("workbench:new"), {"source": source}).status_code == 404
    assert not Tab.objects.exists()


def test_new_sql_opens_on_the_source_that_was_used_last(shop, alice, as_alice, shop_file, media) -> None:
    """A person who had asked one source all day got a tab on another one."""
    other = Source.objects.create(owner=alice, name="zoo", engine="sqlite", database=str(shop_file))
    asked = run_ask(alice, other, "How many stores are there?")
    offered = as_alice.get(reverse("workbench:start")).context["page"].sources
    assert [name for _, name, _ in offered] == ["zoo", "shop"]
    as_alice.post(reverse("workbench:new"))
    assert Tab.objects.get().source == other

    Tab.objects.update(source=shop, used_at=asked.created_at + timedelta(minutes=1))
    as_alice.post(reverse("workbench:new"))
    assert Tab.objects.latest("pk").source == shop
    Tab.objects.update(used_at=asked.created_at - timedelta(minutes=1))
    source_delete(other)
    as_alice.post(reverse("workbench:new"))
    assert Tab.objects.latest("pk").source == shop


def test_what_is_typed_is_kept_and_a_second_window_is_told(tab, as_alice) -> None:
    place, json = reverse("workbench:keep", args=[tab.pk]), {"HTTP_ACCEPT": "application/json"}
    first = as_alice.post(place, {"sql": "SELECT 2", "revision": tab.revision}, **json)
    assert first.json()["revision"] == tab.revision + 1
    second = as_alice.post(place, {"sql": "SELECT 3", "revision": tab.revision}, **json)
    assert (second.status_code, second.json()["sql"]) == (409, "SELECT 2")
    tab.refresh_from_db()
    assert tab.sql == "SELECT 2", "the other window's text is not overwritten"
    too_long = as_alice.post(place, {"sql": "x" * 100_001, "revision": tab.revision}, **json)
    assert too_long.status_code == 422
    odd = as_alice.post(place, {"sql": "SELECT '\x00😀'", "revision": "²"}, **json)
    assert odd.status_code == 200
    tab.refresh_from_db()
    assert "😀" in tab.sql


def test_what_ran_in_a_tab_is_its_history_and_an_earlier_one_can_be_looked_at(tab, as_alice) -> None:
    as_alice.post(reverse("workbench:run", args=[tab.pk]), {"sql": "SELECT count(*) AS n FROM stores"})
    work(tab.run.versions.first())
    page = as_alice.get(reverse("workbench:tab", args=[tab.pk])).context["page"]
    assert [item.number for item in page.versions] == [2, 1]
    assert (page.sql, page.version.number) == ("SELECT count(*) AS n FROM stores", 2)
    earlier = as_alice.get(reverse("workbench:tab", args=[tab.pk]), {"version": 1}).context["page"]
    assert (earlier.version.sql, earlier.sql) == (TOP, "SELECT count(*) AS n FROM stores")


def test_the_same_text_kept_twice_is_no_conflict(tab) -> None:
    revision = services.tab_keep(tab, "SELECT 4", tab.revision)
    assert services.tab_keep(tab, "SELECT 4", revision - 1) == revision


def test_a_part_is_run_and_the_whole_is_kept(tab, as_alice) -> None:
    both = "SELECT 1 AS one;\nSELECT 2 AS two"
    place = reverse("workbench:run", args=[tab.pk])
    for sent, ran in (
        ({"part": "SELECT 5 AS five"}, "SELECT 5 AS five"),
        ({"at": 3}, "SELECT 1 AS one"),
        ({"at": 25}, "SELECT 2 AS two"),
        ({}, "SELECT 2 AS two"),
        ({"part": "SELECT 1 AS one;\nSELECT 2"}, "SELECT 2"),
    ):
        as_alice.post(place, {"sql": both, **sent})
        assert tab.run.versions.first().sql == ran
    as_alice.post(place, {"sql": both, "run": "every"})
    assert [one.sql for one in tab.run.versions.all()[:2]] == ["SELECT 2 AS two", "SELECT 1 AS one"]
    assert [one.status for one in tab.run.versions.all()[:3]] == [Status.QUEUED, Status.QUEUED, Status.DONE]
    tab.refresh_from_db()
    assert tab.sql == both


def test_the_place_of_a_mistake_is_that_in_the_whole_text(tab, as_alice) -> None:
    both = "SELECT 1;\nSELECT nonsense FROM stores"
    as_alice.post(reverse("workbench:run", args=[tab.pk]), {"sql": both})
    work(tab.run.versions.first())
    page = as_alice.get(reverse("workbench:tab", args=[tab.pk])).context["page"]
    assert page.position == both.index("nonsense")


@pytest.mark.parametrize("sql", ["", "  \n", "x" * 100_001])
def test_what_cannot_be_run_says_so_and_stays(tab, as_alice, sql: str) -> None:
    answer = as_alice.post(reverse("workbench:run", args=[tab.pk]), {"sql": sql})
    assert answer.status_code == 422
    assert answer.context["page"].problem
    assert answer.context["page"].sql == sql


def test_nothing_is_written_in_the_database(tab, as_alice) -> None:
    as_alice.post(reverse("workbench:run", args=[tab.pk]), {"sql": "DELETE FROM stores"})
    version = work(tab.run.versions.first())
    assert version.failure["kind"] == "refused"
    page = as_alice.get(reverse("workbench:tab", args=[tab.pk])).content.decode()
    assert "This SQL was not run" in page


def test_a_statement_is_stopped(tab, as_alice) -> None:
    as_alice.post(reverse("workbench:run", args=[tab.pk]), {"sql": SLOW})
    version = tab.run.versions.first()
    as_alice.post(reverse("workbench:version_stop", args=[version.pk]))
    version.refresh_from_db()
    assert (version.status, version.failure["message"]) == (Status.DONE, "Stopped by you.")


def test_a_tab_is_closed_and_opened_again_with_what_it_held(tab, as_alice) -> None:
    as_alice.post(reverse("workbench:close", args=[tab.pk]))
    start = as_alice.get(reverse("workbench:start"))
    assert [one.id for one in start.context["page"].closed] == [tab.pk]
    as_alice.post(reverse("workbench:reopen", args=[tab.pk]))
    tab.refresh_from_db()
    assert (tab.closed_at, tab.sql) == (None, TOP)
    empty = services.tab_new(tab.owner, tab.source)
    as_alice.post(reverse("workbench:close", args=[empty.pk]))
    assert not Tab.objects.filter(pk=empty.pk).exists(), "an empty one is not kept"


def test_too_many_tabs_are_not_opened(tab, as_alice, monkeypatch) -> None:
    monkeypatch.setattr(services, "TABS", 1)
    answer = as_alice.post(reverse("workbench:new"), follow=True)
    assert "tabs are open already" in answer.content.decode()
    assert Tab.objects.count() == 1


def test_a_lost_source_leaves_the_text(tab, shop, as_alice) -> None:
    source_delete(shop)
    answer = as_alice.get(reverse("workbench:tab", args=[tab.pk]))
    assert answer.context["page"].sql == TOP
    assert "Your text is kept" in answer.content.decode()
    refused = as_alice.post(reverse("workbench:run", args=[tab.pk]), {"sql": "SELECT 9"})
    assert refused.status_code == 422
    tab.refresh_from_db()
    assert tab.sql == "SELECT 9"
    assert as_alice.post(reverse("workbench:explain", args=[tab.pk]), {"sql": "SELECT 9"}).status_code == 404


def test_another_source_begins_a_history_of_its_own(tab, alice, as_alice, shop_file) -> None:
    other = Source.objects.create(owner=alice, name="other", engine="sqlite", database=str(shop_file))
    as_alice.post(reverse("workbench:change", args=[tab.pk]), {"title": "Mine", "source": other.pk})
    tab.refresh_from_db()
    assert (tab.title, tab.source, tab.run, tab.sql) == ("Mine", other, None, TOP)


def test_it_is_saved_and_one_stays(tab, as_alice) -> None:
    version = tab.run.versions.get()
    place = reverse("workbench:save", args=[version.pk])
    answer = as_alice.post(place, {"name": "Top five"})
    assert answer["Location"] == reverse("workbench:tab", args=[tab.pk]) + "?version=1"
    assert SavedSql.objects.get().sql == TOP
    assert as_alice.post(place, {"name": ""}, HTTP_HX_REQUEST="true").status_code == 422


def test_rows_go_from_a_tab_to_a_dashboard_and_a_stranger_adds_none(tab, as_alice, as_charlie) -> None:
    adding = reverse("dashboards:add") + f"?version={tab.run.versions.get().pk}"
    assert f'href="{adding}"' in as_alice.get(reverse("workbench:tab", args=[tab.pk])).content.decode()
    assert as_alice.get(adding).status_code == 200 and as_charlie.get(adding).status_code == 404


def test_values_of_names_are_typed_and_bound(tab, as_alice) -> None:
    sql = "SELECT name FROM stores WHERE id = :which LIMIT :most"
    run = reverse("workbench:run", args=[tab.pk])
    as_alice.post(run, {"sql": sql})
    assert "Give a value for" in work(tab.run.versions.first()).failure["message"]
    fields = as_alice.get(reverse("workbench:tab", args=[tab.pk])).context["page"].values
    assert [(one.name, one.kind) for one in fields] == [("which", "number"), ("most", "number")]
    as_alice.post(run, {"sql": sql, "value-which": "1", "value-most": "5"})
    assert work(tab.run.versions.first()).result.row_count == 1
    as_alice.post(run, {"sql": sql, "value-which": "1 OR 1=1", "value-most": "5"})
    assert "not a number" in work(tab.run.versions.first()).failure["message"]
    kept = as_alice.get(reverse("workbench:tab", args=[tab.pk])).context["page"].values
    assert kept[0].value == "1 OR 1=1", "what was typed stays"


def test_a_tab_leads_to_a_question_in_its_thread(tab, as_alice) -> None:
    place = reverse("asking:follow", args=[tab.run_id])
    answer = as_alice.post(place, {"question": "How many stores are there?", "version": "1"})
    assert answer.status_code == 302
    asked = tab.run.thread.runs.exclude(pk=tab.run_id).get()
    assert (asked.after, asked.follows) == (tab.run, tab.run.versions.get())


# ---------------------------------------------------------------- what the source holds


def test_the_tree_finds_tables_and_columns(tab, as_alice) -> None:
    place = reverse("workbench:tree", args=[tab.source_id])
    found = as_alice.get(place, {"q": "country"}, HTTP_HX_REQUEST="true").context["tree"]
    assert found.tables
    assert all(any(column.is_found for column in table.columns) for table in found.tables)
    nothing = as_alice.get(place, {"q": "zzz<script>"}, HTTP_HX_REQUEST="true").content.decode()
    assert "zzz&lt;script&gt;" in nothing


def test_a_table_shows_what_its_columns_hold_and_its_first_rows(tab, glance, as_alice) -> None:
    page = as_alice.get(reverse("workbench:peek", args=[tab.source_id]), {"table": "stores"})
    lines = {line.name: line for line in page.context["page"].lines}
    assert lines["id"].is_key
    assert lines["id"].filled > 0
    rows = as_alice.get(reverse("workbench:glance", args=[glance.pk])).context["glance"]
    assert rows.headings[0] == "id"
    assert 0 < len(rows.rows) <= 20
    assert as_alice.get(reverse("workbench:peek", args=[tab.source_id]), {"table": "no"}).status_code == 404
    assert as_alice.post(reverse("workbench:peek", args=[tab.source_id]), {"table": "x'"}).status_code == 404


def test_stored_values_are_shown_only_to_whoever_may_see_them(tab, as_alice, as_bob) -> None:
    def least(who) -> set[str]:
        page = who.get(reverse("workbench:peek", args=[tab.source_id]), {"table": "stores"})
        return {line.least for line in page.context["page"].lines}

    assert least(as_alice) != {""}
    assert least(as_bob) == {""}, "the source shows its schema only, and Bob does not decide over it"


def test_a_plan_is_a_table_of_steps(tab, alice, shop, as_alice) -> None:
    glance = looked(glance_plan(alice, shop, "SELECT * FROM orders WHERE customer_id = :who", {"who": "1"}))
    shown = as_alice.get(reverse("workbench:glance", args=[glance.pk])).context["glance"]
    assert shown.failure == ""
    assert [step.does for step in shown.steps] in (["Scan"], ["Search"])
    assert "orders" in shown.steps[0].on
    assert shown.text
    refused = looked(glance_plan(alice, shop, "DELETE FROM orders"))
    assert as_alice.get(reverse("workbench:glance", args=[refused.pk])).context["glance"].failure
    answer = as_alice.post(reverse("workbench:explain", args=[tab.pk]), {"sql": "  "})
    assert answer.status_code == 422


def test_of_several_statements_the_one_at_the_cursor_is_explained(tab, as_alice) -> None:
    both = "SELECT 1 AS one;\nSELECT 2 AS two"
    for sent, meant in (
        ({"at": 3}, "SELECT 1 AS one"),
        ({"at": 25}, "SELECT 2 AS two"),
        ({"at": "x"}, "SELECT 2 AS two"),
    ):
        as_alice.post(reverse("workbench:explain", args=[tab.pk]), {"sql": both, **sent})
        assert Glance.objects.order_by("-pk")[0].subject == meant


def test_a_step_of_a_deep_plan_is_never_set_out_again(tab, alice, shop, monkeypatch) -> None:
    glance = looked(glance_plan(alice, shop, "SELECT 1"))
    deep = Plan(tuple(PlanStep(depth, "Scan") for depth in range(40)), "")
    monkeypatch.setattr(glance_pages, "glance_read", lambda _: deep)
    depths = [step.depth for step in glance_pages.glance_view(glance).steps]
    styles = (ROOT / "frontend/static/css/sql.css").read_text()
    assert depths == sorted(depths)
    assert all(f".plan-{depth} " in styles for depth in depths if depth)


def test_the_next_glance_forgets_the_last(tab, alice, shop) -> None:
    first = looked(glance_rows(alice, shop, "stores"))
    second = glance_rows(alice, shop, "orders")
    assert list(Glance.objects.values_list("pk", flat=True)) == [second.pk]
    assert not StoredResult.objects.filter(pk=first.result_id).exists()


def test_the_rows_of_a_glance_that_another_worker_took_are_forgotten(glance, alice, shop) -> None:
    taken = glance_rows(alice, shop, "orders")
    lease = turn_take(Glance, taken.pk)
    Glance.objects.filter(pk=taken.pk).update(lease_token=lease.token + 1)
    with unwatched():
        glance_do(lease)
    taken.refresh_from_db()
    assert (taken.status, taken.result) == (Status.RUNNING, None)
    assert StoredResult.objects.count() == 1, "that of the tab"


def test_an_expired_glance_says_so(glance, as_alice) -> None:
    glance.result.file.storage.delete(glance.result.file.name)
    shown = as_alice.get(reverse("workbench:glance", args=[glance.pk])).context["glance"]
    assert shown.failure


def test_what_waited_does_not_run_for_somebody_who_lost_the_source(
    transactional_db, shop, bob, media
) -> None:
    found = services.tab_new(bob, shop, TOP)
    version, waiting = services.tab_run(found, found.sql), glance_rows(bob, shop, "stores")
    shop.teams.clear()
    work(version)
    for one in (Version.objects.get(pk=version.pk), looked(waiting)):
        assert one.result is None
        assert one.failure["message"] == "You may not use this source any more."


@pytest.mark.parametrize("path", ["check", "format", "complete"])
def test_a_text_longer_than_anybody_writes_is_not_read(shop, as_alice, path: str) -> None:
    names = " ".join(f":n{n}" for n in range(30_000))
    answer = as_alice.post(f"/editor/{shop.pk}/{path}/", {"sql": f"SELECT {names}", "at": "10"})
    assert answer.status_code in (200, 422)
    assert len(answer.content) < 2_000


def test_values_of_persons_are_not_among_what_a_column_holds(tab, as_alice) -> None:
    page = as_alice.get(reverse("workbench:peek", args=[tab.source_id]) + "?table=customers").content.decode()
    assert "email" in page
    assert "@" not in page


def test_a_name_without_a_value_is_asked_for_and_nothing_runs(tab, as_alice) -> None:
    before = Version.objects.count()
    sql = "SELECT * FROM customers WHERE country = :country"
    for sent in ({}, {"value-country": ""}):
        answer = as_alice.post(reverse("workbench:run", args=[tab.pk]), {"sql": sql} | sent)
        assert (answer.status_code, "Give a value for country." in answer.text) == (422, True)
    assert Version.objects.count() == before


def test_sql_that_is_refused_is_told_with_where_it_came_from(tab, as_alice) -> None:
    as_alice.post(
        reverse("workbench:run", args=[tab.pk]), {"sql": "DELETE FROM customers"}, REMOTE_ADDR="192.0.2.7"
    )
    work(Version.objects.latest("pk"))
    row = AuditRow.objects.get(verb="ran SQL")
    assert (row.who, row.origin, row.outcome) == ("alice", "192.0.2.7", "refused")
    assert "SQL was refused" in as_alice.get(reverse("upkeep:audit")).text


def test_edited_sql_names_its_files_and_a_long_question_unfolds(tab, as_alice) -> None:
    run = tab.run
    run.asked = run.question = "How many customers are there, and where? " * 40
    run.save()
    version = version_edit(run, "SELECT count(*) AS stores FROM stores")
    work(version)
    page = as_alice.get(reverse("asking:run", args=[run.pk])).text
    assert "?name=SELECT%20count" in page
    assert "The whole question" in page and page.count(run.question.strip()) >= 1
