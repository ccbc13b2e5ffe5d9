"""Tables and columns that an owner withholds from a team: nothing of them by any door."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from mirror.agents.tools import tool_call
from mirror.api.problems import Problem
from mirror.asking import services as asking
from mirror.asking.models import Version
from mirror.asking.services.suggesting import question_typed
from mirror.audit.models import AuditRow
from mirror.dashboards.card_rows import UNSHOWN
from mirror.dashboards.models import Supply
from mirror.dashboards.services import card_add_saved, dashboard_make, dashboard_share
from mirror.knowledge.knowing import knowledge_of
from mirror.knowledge.models import StoredAnswer, StoredTerm
from mirror.library.services import sql_save
from mirror.people.models import Team
from mirror.queries.completing import sql_completions
from mirror.queries.running import source_opened
from mirror.reports.models import ReportRun, RunPart
from mirror.results.services import result_store
from mirror.sources.access import access_of
from mirror.sources.models import Source, TeamRole, WithheldName
from mirror.sources.sight import may_correct, seen_by, seen_whole, withheld_now, withheld_of
from mirror.sources.unpacked import source_at_hand
from mirror.work.doing import work_do
from mirror.workbench.glancing import glance_plan, glance_rows
from sqlagent.values import ColumnRef, Rows
from tests.reports.working import make, save_report
from tests.web.api_world import Caller, World, world_make
from tests.web.working import answer, work

pytestmark = pytest.mark.django_db(transaction=True)

CITY = "SELECT job_title FROM employees"
NAMES = "returns\nemployees.job_title\n"


def withhold(client, shop: Source, team: Team, names: str = NAMES) -> None:
    """Press Save on the page that withholds."""
    place = reverse("sources:withhold", args=[shop.pk])
    assert client.post(place, {f"team_{team.pk}": names}).status_code == 302
    shop.refresh_from_db()


def test_tables_and_columns_are_ticked_in_a_tree_that_a_search_narrows(shop, team, as_alice):
    place, boxes, field = reverse("sources:withhold", args=[shop.pk]), f"box_{team.pk}", f"team_{team.pk}"
    ticked = {boxes: ["returns", "employees.job_title"], field: "orders.id\n"}
    assert as_alice.post(place, ticked).status_code == 302
    assert sorted(map(str, WithheldName.objects.all())) == ["employees.job_title", "orders.id", "returns"]
    page = as_alice.get(place).content.decode()
    for name in ("returns", "employees.job_title", "orders.id"):
        assert f'name="{boxes}" value="{name}" checked' in page
    assert f'name="{boxes}" value="orders">' in page
    assert (
        '<textarea name="team_' in page
        and page.partition('<textarea name="team_')[2].find("orders.id</textarea>") < 0
    )
    sought = as_alice.get(place, {"q": "job"}).content.decode()
    assert 'value="employees.job_title" checked' in sought and 'value="returns"' not in sought
    assert "orders.id\nreturns</textarea>" in sought, "what no box stands for stays, by name"
    shown = {boxes: [], field: "orders.id\nreturns"}
    assert as_alice.post(f"{place}?q=job", shown).status_code == 302
    assert sorted(map(str, WithheldName.objects.all())) == ["orders.id", "returns"], (
        "what was unticked is seen"
    )
    refused = as_alice.post(place, {boxes: ["no_such"], field: ""})
    assert refused.status_code == 422 and "no_such" in refused.content.decode()
    assert "No table or column holds" in as_alice.get(place, {"q": "zzz"}).content.decode()


@pytest.fixture
def world(alice, bob, charlie, team, shop, media) -> World:
    return world_make(alice, bob, charlie, team, shop)


def fresh(shop: Source) -> Source:
    return Source.objects.get(pk=shop.pk)


def test_the_owner_names_what_a_team_does_not_see_and_the_audit_tells(
    shop, team, as_alice, as_bob, as_charlie
):
    place, field = reverse("sources:withhold", args=[shop.pk]), f"team_{team.pk}"
    assert as_charlie.post(place, {field: "returns"}).status_code == 404
    assert as_bob.post(place, {field: "returns"}).status_code == 403
    assert as_bob.get(place).status_code == 403
    refused = as_alice.post(place, {field: "returns\nno_such.thing"})
    assert refused.status_code == 422 and "no_such.thing" in refused.content.decode()
    assert not WithheldName.objects.exists() and not fresh(shop).withholds
    withhold(as_alice, shop, team, "RETURNS\nemployees.Job_Title")
    assert (
        sorted(map(str, WithheldName.objects.all())) == ["employees.job_title", "returns"] and shop.withholds
    )
    assert "employees.job_title" in as_alice.get(place).content.decode()
    told = AuditRow.objects.get(verb="withheld tables or columns")
    assert told.details["names"] == ["employees.job_title", "returns"]
    withhold(as_alice, shop, team, "")
    assert not WithheldName.objects.exists() and not shop.withholds


def test_each_team_by_which_somebody_asks_has_to_withhold_it(shop, team, alice, bob, as_alice):
    withhold(as_alice, shop, team)
    secret = withheld_of(bob, shop)
    assert secret.tables == {"returns"} and secret.columns == {ColumnRef("employees", "job_title")}
    assert not withheld_of(alice, shop)
    second = Team.objects.create(name="Second")
    second.members.add(bob)
    assert withheld_of(bob, shop) == secret, "a team that does not see the source gives nothing"
    shop.teams.add(second)
    role = TeamRole.objects.create(source=shop, team=second, role="viewer")
    assert withheld_of(bob, shop) == secret, "a team of viewers does not widen what is asked"
    role.delete()
    assert not withheld_of(bob, shop)
    WithheldName.objects.create(source=shop, team=second, table="employees")
    assert withheld_of(bob, shop).columns == {ColumnRef("employees", "job_title")}, (
        "the table is withheld by one alone"
    )
    assert not withheld_of(bob, shop).tables


def test_work_that_does_not_say_whose_it_is_sees_what_nobody_withholds(shop, team, alice, bob, as_alice):
    withhold(as_alice, shop, team)
    assert withheld_now(fresh(shop)) == withheld_of(bob, shop)
    assert not withheld_now(seen_by(alice, fresh(shop))) and not withheld_now(seen_whole(fresh(shop)))
    with source_opened(fresh(shop)) as opened:
        assert "returns" not in {table.key for table in opened.catalog.tables}
        assert "returns" in {table.key for table in opened.whole.tables}


STATEMENTS = [
    CITY,
    "SELECT * FROM employees",
    "SELECT c.* FROM employees c",
    "SELECT id FROM employees WHERE job_title = 'Oslo'",
    "SELECT id FROM employees ORDER BY job_title",
    "WITH x AS (SELECT * FROM employees) SELECT id FROM x",
    "SELECT count(*) FROM employees GROUP BY job_title",
    "SELECT * FROM returns",
    "SELECT count(*) FROM returns",
    "SELECT id FROM customers WHERE id IN (SELECT order_line_id FROM returns)",
    "SELECT sql FROM sqlite_master",
    "PRAGMA table_info(employees)",
    "EXPLAIN QUERY PLAN SELECT job_title FROM employees",
]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_sql_that_reads_it_is_refused_by_pages_programs_and_agents(
    shop, team, bob, as_alice, as_bob, world, sql
):
    withhold(as_alice, shop, team)
    version = work(asking.sql_ask(bob, fresh(shop), sql))
    assert version.result is None and version.failure["kind"] == "refused", version.failure
    checked = as_bob.post(reverse("queries:check_sql", args=[shop.pk]), {"sql": sql}).json()
    assert checked["problem"], checked
    bobs = Caller(world.secrets["bob"])
    sent = bobs.post("/sql", {"source": shop.name, "sql": sql}).json()
    told = work(Version.objects.get(pk=sent["id"]))
    assert told.result is None and told.failure["kind"] == "refused"
    assert "returns" in sql or "returns" not in json.dumps(told.failure)
    mine = (
        work(asking.sql_ask(shop.owner, fresh(shop), sql))
        if not sql.startswith(("PRAGMA", "EXPLAIN"))
        else None
    )
    assert mine is None or mine.result is not None or "sqlite_master" in sql, mine.failure


def test_what_is_not_withheld_is_read_and_kept_as_before(shop, team, bob, as_alice, as_bob, media):
    withhold(as_alice, shop, team)
    version = work(asking.sql_ask(bob, fresh(shop), "SELECT id, name FROM employees LIMIT 3"))
    assert version.failure is None and version.result.row_count == 3
    assert as_bob.get(reverse("results:rows", args=[version.result_id])).status_code == 200
    assert as_bob.get(reverse("asking:run", args=[version.run_id])).status_code == 200
    run = answer(asking.run_ask(bob, fresh(shop), "How many employees are there by store?"))
    assert run.outcome in ("answered", "ambiguous"), run.reason
    assert as_bob.get(reverse("asking:run", args=[run.pk])).status_code == 200


def test_a_question_about_it_reads_nothing_of_it(shop, team, bob, as_alice, media):
    withhold(as_alice, shop, team)
    for question in (
        "How many returns are there?",
        "How many employees are cashiers?",
        "employees by job title",
    ):
        run = answer(asking.run_ask(bob, fresh(shop), question))
        sqls = [version.sql for version in run.versions.all()] + [one["sql"] for one in run.readings]
        assert not [sql for sql in sqls if "returns" in sql or "job_title" in sql.lower()], (question, sqls)
        kept = json.dumps([step.data for step in run.steps.all()])
        assert "job_title" not in kept and '"returns"' not in kept, question


def test_pages_of_tables_suggestions_and_completion_do_not_name_it(shop, team, alice, bob, as_alice, as_bob):
    whole = sql_completions(alice, seen_by(alice, fresh(shop)), "SELECT jo FROM employees", 9)
    assert (
        "job_title" in {one.label for one in whole}
        and "job_title" in as_bob.get(reverse("sources:names", args=[shop.pk])).content.decode()
    )
    withhold(as_alice, shop, team)
    places = [
        reverse("sources:source", args=[shop.pk]),
        reverse("sources:names", args=[shop.pk]),
        reverse("sources:columns", args=[shop.pk]) + "?table=employees",
        reverse("workbench:tree", args=[shop.pk]),
        reverse("workbench:peek", args=[shop.pk]) + "?table=employees",
    ]
    for place in places:
        page = as_bob.get(place, headers={"HX-Request": "true"})
        assert page.status_code == 200, place
        said = page.content.decode()
        assert "returns" not in said and "job_title" not in said, place
    assert "job_title" in as_alice.get(places[1]).content.decode(), "the owner sees all"
    assert as_bob.get(reverse("sources:columns", args=[shop.pk]) + "?table=returns").status_code == 404
    assert as_bob.get(reverse("workbench:peek", args=[shop.pk]) + "?table=returns").status_code == 404
    found = sql_completions(bob, seen_by(bob, fresh(shop)), "SELECT jo FROM employees", 9)
    assert "job_title" not in {one.label for one in found}
    found = sql_completions(bob, seen_by(bob, fresh(shop)), "SELECT * FROM ret", 17)
    assert "returns" not in {one.label for one in found}
    typed = question_typed(bob, seen_by(bob, fresh(shop)), "how many ret")
    assert not [one for one in typed.suggestions if "return" in one.text]


def test_pages_that_may_tell_of_all_are_closed(shop, team, bob, as_alice, as_bob):
    TeamRole.objects.create(source=shop, team=team, role="editor")
    assert may_correct(bob, shop)
    withhold(as_alice, shop, team)
    assert not may_correct(bob, fresh(shop))
    for name in (
        "sources:model",
        "knowledge:terms",
        "knowledge:answers",
        "knowledge:evaluations",
        "knowledge:feedback",
    ):
        assert as_bob.get(reverse(name, args=[shop.pk])).status_code == 403, name
        assert as_alice.get(reverse(name, args=[shop.pk])).status_code == 200, name


def test_stored_values_are_those_of_what_is_shown(shop, team, alice, bob, as_alice):
    _, whole = source_at_hand(seen_by(alice, fresh(shop)))
    cities = whole.texts_of(ColumnRef("employees", "job_title"))
    assert cities and whole.lookup(cities[0])
    withhold(as_alice, shop, team)
    catalog, index = source_at_hand(seen_by(bob, fresh(shop)))
    assert index is not None and len(index) and "returns" not in {table.key for table in catalog.tables}
    assert not index.texts_of(ColumnRef("employees", "job_title"))
    assert not [one for one in index.lookup(cities[0]) if one.column.table == "employees"]
    assert "employees" not in index.facts.tables and "returns" not in index.facts.tables
    assert not [key for key in index.facts.keys if "returns" in (key.table, key.target)]
    _, again = source_at_hand(seen_by(alice, fresh(shop)))
    assert again.texts_of(ColumnRef("employees", "job_title")) == cities, "the owner's are whole"


def test_terms_and_verified_answers_that_say_it_are_not_known(shop, team, alice, bob, as_alice):
    StoredTerm.objects.create(
        source=shop,
        owner=alice,
        phrase="Osloites",
        kind="filter",
        body="employees.job_title = 'Cashier'",
        sql="employees.job_title = 'Cashier'",
        status="force",
    )
    StoredTerm.objects.create(
        source=shop,
        owner=alice,
        phrase="Norwegians",
        kind="filter",
        body="customers.country = 'Norway'",
        sql="customers.country = 'Norway'",
        status="force",
    )
    StoredAnswer.objects.create(source=shop, verified_by=alice, question="Cities?", sql=CITY)
    StoredAnswer.objects.create(
        source=shop, verified_by=alice, question="Ids?", sql="SELECT id FROM customers"
    )
    withhold(as_alice, shop, team)
    known = knowledge_of(seen_by(bob, fresh(shop)))
    assert [term.phrase for term in known.terms] == ["Norwegians"]
    assert [one.question for one in known.verified] == ["Ids?"]
    assert len(knowledge_of(seen_by(alice, fresh(shop))).verified) == 2


def test_what_was_read_before_is_not_shown_until_the_rules_are_the_same_again(
    shop, team, bob, as_alice, as_bob, world, media
):
    version = work(asking.sql_ask(bob, shop, "SELECT id, job_title FROM employees LIMIT 3"))
    glance = glance_rows(bob, shop, "employees")
    work_do("glance", glance.pk)
    glance.refresh_from_db()
    places = [
        reverse("asking:run", args=[version.run_id]),
        reverse("asking:thread", args=[version.run.thread_id]),
        reverse("asking:thread_export", args=[version.run.thread_id, "html"]),
        reverse("asking:version", args=[version.pk]),
        reverse("asking:chart", args=[version.pk]),
        reverse("asking:run_live", args=[version.run_id]),
        reverse("asking:run_events", args=[version.run_id]),
        reverse("results:rows", args=[version.result_id]),
        reverse("exports:download", args=[version.result_id, "csv"]),
        reverse("workbench:glance", args=[glance.pk]),
        reverse("results:rows", args=[glance.result_id]),
    ]
    bobs = Caller(world.secrets["bob"])
    assert {as_bob.get(place).status_code for place in places} <= {200, 302}
    assert bobs.get(f"/versions/{version.pk}/rows").status_code == 200
    withhold(as_alice, shop, team)
    assert {place: as_bob.get(place).status_code for place in places} == dict.fromkeys(places, 404)
    assert bobs.get(f"/versions/{version.pk}/rows").status_code == 404
    assert bobs.get(f"/runs/{version.run_id}").status_code == 404
    assert not [one for one in bobs.get("/runs").json()["items"] if one["id"] == version.run_id]
    assert (
        "SELECT id, job_title" not in as_bob.get(reverse("asking:history") + "?by=programs").content.decode()
    )
    with pytest.raises(Problem):
        tool_call(world.secrets["agent"], "here", "rows", version=version.pk)
    withhold(as_alice, shop, team, "")
    assert as_bob.get(places[0]).status_code == 200


def test_what_waited_while_the_rules_changed_does_not_run(shop, team, bob, as_alice, media):
    run = asking.run_ask(bob, shop, "How many customers are there?")
    version, glance = (
        asking.sql_ask(bob, shop, "SELECT id FROM customers"),
        glance_plan(bob, shop, "SELECT 1"),
    )
    withhold(as_alice, shop, team)
    assert answer(run).outcome == "failed"
    assert work(version).failure["kind"] == "refused"
    work_do("glance", glance.pk)
    glance.refresh_from_db()
    assert glance.failure["kind"] == "refused"


def test_a_dashboard_shows_each_reader_what_they_may_read(shop, team, alice, bob, as_alice, as_bob):
    board = dashboard_make(alice, "Cities")
    dashboard_share(board, [team], alice)
    card_add_saved(board, sql_save(alice, shop, "City", f"{CITY} WHERE id = 1"), "City")
    card_add_saved(board, sql_save(alice, shop, "Count", "SELECT count(*) AS n FROM customers"), "Count")
    withhold(as_alice, shop, team)
    place = reverse("dashboards:dashboard", args=[board.pk])
    as_alice.get(place)
    for supply in Supply.objects.all():
        work_do("supply", supply.pk)
    city = Supply.objects.get(sql__contains="job_title").preview["rows"][0][0]
    assert city in as_alice.get(place).content.decode()
    seen = as_bob.get(place).content.decode()
    assert city not in seen and UNSHOWN in seen
    card = as_bob.get(reverse("dashboards:card", args=[board.cards.get(title="City").pk])).content.decode()
    assert city not in card and UNSHOWN in card
    as_bob.post(reverse("dashboards:refresh", args=[board.pk]))
    assert Supply.objects.get(sql__contains="job_title").owner == alice, "he has nothing of it read anew"
    assert as_bob.get(reverse("dashboards:explore", args=[shop.pk])).status_code == 200
    assert not [
        one for one in Supply.objects.filter(owner=bob) if "returns" in one.sql or "job_title" in one.sql
    ]


def test_a_report_runs_with_the_rights_of_its_owner_and_shows_each_reader_theirs(
    shop, team, alice, bob, as_alice, as_bob, world
):
    saved = sql_save(alice, shop, "City", f"{CITY} LIMIT 2")
    saved.teams.add(team)
    mine, hers = save_report(bob, saved), save_report(alice, saved)
    hers.teams.add(team)
    withhold(as_alice, shop, team)
    run = make(ReportRun.objects.create(report=mine, cause="now"))
    assert run.outcome == "failed" and "job_title" in run.reason
    made = make(ReportRun.objects.create(report=hers, cause="now"))
    assert RunPart.objects.get(run=made).row_count == 2
    file = made.files.first()
    places = [reverse("reports:run", args=[made.pk])] + (
        [reverse("reports:file", args=[file.pk])] if file else []
    )
    assert {as_bob.get(place).status_code for place in places} == {404}
    assert as_alice.get(places[0]).status_code == 200
    bobs = Caller(world.secrets["bob"])
    assert bobs.get(f"/report-runs/{made.pk}").status_code == 404
    assert bobs.get(f"/reports/{hers.pk}/runs").status_code == 404
    assert as_bob.get(reverse("reports:report", args=[hers.pk])).status_code == 404, (
        "its history may say figures"
    )
    assert (
        reverse("reports:report", args=[hers.pk]) not in as_bob.get(reverse("reports:list")).content.decode()
    )
    plain = sql_save(alice, shop, "Ids", "SELECT id FROM employees WHERE id = :n")
    other = save_report(alice, plain)
    other.teams.add(team)
    assert as_bob.get(reverse("reports:report", args=[other.pk])).status_code == 200
    assert as_bob.post(reverse("sources:refresh", args=[shop.pk])).status_code == 403


def test_agents_see_the_part_of_their_person(shop, team, as_alice, world):
    withhold(as_alice, shop, team)
    agent = world.secrets["agent"]
    told = json.dumps(tool_call(agent, "here", "search_catalog", source=shop.name))
    assert "returns" not in told and "job_title" not in told and "employees" in told
    bobs = Caller(world.secrets["bob"])
    catalog = json.dumps([bobs.get(f"/sources/{shop.name}/catalog?limit=200").json()])
    assert "returns" not in catalog and "job_title" not in catalog and "employees" in catalog


def test_saved_sql_that_reads_it_is_not_called_broken(shop, team, alice, as_alice):
    saved = sql_save(alice, shop, "City", CITY)
    withhold(as_alice, shop, team)
    from mirror.library.selectors import problem_of
    from mirror.sources.catalogs import catalog_read

    assert problem_of(fresh(shop), saved.sql, [], catalog_read(shop.catalog)) == ""


def test_the_page_that_explains_names_it_to_the_owner_and_counts_it_to_others(
    shop, team, bob, admin, as_alice, as_admin
):
    withhold(as_alice, shop, team)
    assert access_of(bob, fresh(shop)).hidden == ("employees.job_title", "returns")
    place = f"{reverse('sources:access')}?person={bob.pk}&source={shop.pk}"
    assert "<code>employees.job_title</code>" in as_alice.get(place).content.decode()
    others = as_admin.get(place).content.decode()
    assert "employees.job_title" not in others and "2 tables or columns" in others


def test_results_made_by_work_that_forgot_to_say_whose_it_is_are_stamped_as_such(
    shop, team, bob, as_alice, media
):
    withhold(as_alice, shop, team)
    rows = Rows(("n",), ((1,),))
    assert result_store(fresh(shop), rows, bob).sight == withheld_of(bob, fresh(shop)).key
    assert result_store(seen_whole(fresh(shop)), rows, bob).sight == ""
