"""Teams read a source by logins of their own, on a PostgreSQL with row security: no row of another login by any door."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from mirror.agents.tools import tool_call
from mirror.asking import services as asking
from mirror.asking.models import Run, Version
from mirror.asking.services.suggesting import question_typed
from mirror.audit.models import AuditRow
from mirror.comments.selectors import people_seeing
from mirror.dashboards.models import PdfExport, Supply
from mirror.dashboards.services import card_add_saved, dashboard_make, dashboard_share
from mirror.knowledge.knowing import knowledge_of
from mirror.knowledge.models import StoredAnswer, StoredTerm
from mirror.library.models import SavedSql
from mirror.library.services import sql_save
from mirror.llms.models import Endpoint
from mirror.people.models import Session, Team, User
from mirror.people.services import user_create
from mirror.queries.completing import sql_completions
from mirror.queries.running import source_opened
from mirror.reports.models import Report, ReportRun, RunPart
from mirror.reports.selectors import rows_sendable
from mirror.results.models import StoredResult
from mirror.sources.access import access_of
from mirror.sources.logins import NOBODY, login_of
from mirror.sources.models import Source, SourceLogin, StoredIndex, Visit, WithheldName
from mirror.sources.sight import BY_LOGIN, seen_by, sight_now
from mirror.sources.unpacked import source_at_hand
from mirror.work.doing import work_do
from mirror.work.leases import Status
from mirror.workbench.glancing import glance_rows
from sqlagent.errors import Unreachable
from sqlagent.values import ColumnRef, Limits
from tests.reports.working import make, save_report
from tests.scripted_server import ScriptedServer
from tests.servers import PASSWORD as SERVER_PASSWORD
from tests.servers import mariadb_server
from tests.web.api_world import Caller, secret_of
from tests.web.kept import Kept
from tests.web.login_world import (
    ALL_ROWS,
    DATABASE,
    MARKS,
    NORTH,
    PASSWORD,
    SOUTH,
    TABLE,
    Things,
    answers_of_all,
    connected,
    database_make,
    login_typed,
    marks_in,
    said,
    supplies_work,
    teams_made,
    things_made,
    values_read_all,
)
from tests.web.working import answer, unwatched, visited, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server():
    return database_make()


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Kept:
    return Kept(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def begun(transactional_db, server, kept, media, settings, request) -> dict[str, Any]:
    """World of a test: made for the first test that needs as much, the same rows and files for those after it."""
    settings.CONNECTION_TESTS_PER_MINUTE = 1_000
    settings.CHART_IMAGES = "simple"  # no browser is started for pictures that nobody reads here
    if "world" in request.fixturenames:
        return kept.given("world", media, lambda: world_made(server))
    return kept.given("source", media, lambda: source_made(server))


@pytest.fixture
def alice(begun) -> User:
    return begun["alice"]


@pytest.fixture
def bob(begun) -> User:
    return begun["bob"]


@pytest.fixture
def charlie(begun) -> User:
    return begun["charlie"]


@pytest.fixture
def teams(begun) -> tuple[Team, Team, Team]:
    return begun["teams"]


@pytest.fixture
def source(begun) -> Source:
    """Alice's source; Bob's team and Charlie's have logins, the team of everybody has none."""
    return begun["source"]


def source_made(server) -> dict[str, Any]:
    alice, bob, charlie = (user_create(name, name=name.title()) for name in ("alice", "bob", "charlie"))
    teams, as_alice = teams_made(alice, bob, charlie), Client()
    as_alice.force_login(alice)
    source = connected(as_alice, server)
    source.teams.set(teams)
    for team, login in zip(teams, (NORTH, SOUTH), strict=False):
        page = login_typed(as_alice, source, team, login)
        assert f"The login {login} works and is kept" in page.content.decode()
    Session.objects.all().delete()
    return {"alice": alice, "bob": bob, "charlie": charlie, "teams": teams, "source": source}


def fresh(source: Source) -> Source:
    return Source.objects.get(pk=source.pk)


def rows_of(source: Source, person) -> list[str]:
    """The regions that somebody reads."""
    with source_opened(seen_by(person, fresh(source))) as opened:
        found = opened.database.execute("SELECT DISTINCT region FROM sales ORDER BY 1", Limits())
    return [row[0] for row in found.rows]


def test_the_owner_gives_a_team_a_login_and_the_audit_tells(
    source, teams, as_alice, as_bob, as_charlie, as_admin
):
    place = reverse("sources:logins", args=[source.pk])
    assert as_bob.get(place).status_code == 403
    assert as_bob.post(place, {"team": teams[0].pk}).status_code == 403
    assert as_admin.get(place).status_code == 404
    taken = reverse("sources:login_take", args=[source.pk, teams[0].pk])
    assert as_bob.post(taken).status_code == 403 and as_admin.post(taken).status_code == 404
    page = as_alice.get(place).content.decode()
    assert NORTH in page and SOUTH in page and "Has no login" in page and PASSWORD not in page
    told = AuditRow.objects.filter(verb="gave a login to a team").order_by("pk").first()
    assert told.details == {"team": "North", "login": NORTH}
    kept = SourceLogin.objects.get(team=teams[0])
    assert kept.password == PASSWORD and not Visit.objects.exists()
    with connection.cursor() as cursor:
        cursor.execute("SELECT password FROM sources_sourcelogin")
        assert all(row[0] and PASSWORD not in row[0] for row in cursor.fetchall()), "the store sees it sealed"
    assert "every row that this user reads" in as_alice.get(taken).content.decode()
    assert SourceLogin.objects.count() == 2, "looking takes nothing"
    as_alice.post(taken)
    assert not SourceLogin.objects.filter(team=teams[0]).exists() and fresh(source).maps_logins
    assert AuditRow.objects.get(verb="took a login from a team").details["login"] == NORTH
    assert not StoredIndex.objects.filter(login=NORTH).exists(), "its values are forgotten"
    as_alice.post(reverse("sources:login_take", args=[source.pk, teams[1].pk]))
    assert not fresh(source).maps_logins


def test_a_login_that_does_not_work_is_not_kept_and_said_where_it_was_typed(source, teams, as_alice):
    for login, password, word in (
        (NORTH, "wrong", "refused the password"),
        ("nobody_at_all", PASSWORD, "nobody_at_all"),
    ):
        page = login_typed(as_alice, source, teams[2], login, password).content.decode()
        assert "is not kept" in page and word in page
    assert SourceLogin.objects.count() == 2
    stranger = login_typed(as_alice, source, teams[2], "")
    assert stranger.status_code == 422


def test_a_login_that_could_do_more_is_warned_about_and_refused_in_production(
    source, teams, server, as_alice, settings
):
    page = login_typed(as_alice, source, teams[2], server.user, SERVER_PASSWORD).content.decode()
    assert "Row security does not hold for this user" in page and "superuser" in page
    settings.PRODUCTION = True
    page = login_typed(as_alice, source, teams[1], server.user, SERVER_PASSWORD).content.decode()
    assert "is not kept" in page and "administrator" in page
    assert SourceLogin.objects.get(team=teams[1]).username == SOUTH


def test_each_reads_by_the_login_of_their_team_and_nobody_by_anothers(
    source, teams, alice, bob, charlie, admin
):
    assert rows_of(source, alice) == ["north", "south", "west"]
    assert rows_of(source, bob) == ["north"] and rows_of(source, charlie) == ["south"]
    assert login_of(bob, fresh(source)).teams == ("North",), "a team without a login gives no other rows"
    assert login_of(admin, fresh(source)) == NOBODY, "who sees the source by no team reads nothing"
    unsaid = fresh(source)
    assert sight_now(unsaid).login == NOBODY
    with pytest.raises(Unreachable), source_opened(unsaid) as opened:
        opened.database.execute("SELECT 1", Limits())


def test_two_logins_contradict_each_other_and_no_row_is_read(source, teams, bob, as_alice, as_bob):
    teams[1].members.add(bob)
    run = work(asking.sql_ask(bob, fresh(source), TABLE))
    assert run.result is None and "North and South" in run.failure["message"], run.failure
    assert not StoredResult.objects.filter(owner=bob).exists()
    page = as_alice.get(reverse("sources:logins", args=[source.pk])).content.decode()
    assert "bob is in teams with different logins" in " ".join(page.split())
    assert "different logins" in as_bob.get(reverse("sources:source", args=[source.pk])).content.decode()
    assert as_bob.get(reverse("dashboards:explore", args=[source.pk])).status_code == 200
    assert not Supply.objects.filter(owner=bob).exists()
    SourceLogin.objects.filter(team=teams[1]).update(username=NORTH)
    assert rows_of(source, bob) == ["north"], "the same login in two teams is one"


def world_made(server) -> dict[str, Any]:
    found = source_made(server)
    alice, bob, charlie, source = (found[name] for name in ("alice", "bob", "charlie", "source"))
    values_read_all(source)
    StoredTerm.objects.create(
        source=source,
        owner=alice,
        phrase="Western deals",
        kind="filter",
        body="sales.customer = 'Westfield 2'",
        sql="sales.customer = 'Westfield 2'",
        status="force",
    )
    StoredTerm.objects.create(
        source=source,
        owner=alice,
        phrase="Polar deals",
        kind="filter",
        body="sales.city = 'Tromso'",
        sql="sales.city = 'Tromso'",
        status="force",
    )
    StoredAnswer.objects.create(
        source=source,
        verified_by=alice,
        question="Galway sales?",
        sql="SELECT count(*) FROM sales WHERE city = 'Galway'",
    )
    everybody = found["teams"][2]
    made = {person.username: things_made(person, source, everybody) for person in (alice, bob, charlie)}
    for person in (alice, bob, charlie):
        browser = Client()
        browser.force_login(person)
        for one in made.values():
            browser.get(reverse("dashboards:dashboard", args=[one.board.pk]))
        browser.get(reverse("dashboards:explore", args=[source.pk]))
        browser.get(reverse("dashboards:why", args=[made["bob"].run.versions.first().pk]))
    supplies_work()
    Session.objects.all().delete()
    return {**found, "world": made}


@pytest.fixture
def world(begun) -> dict[str, Things]:
    """Everybody made and shared everything, and looked at what the others share; rows wait nowhere."""
    return begun["world"]


@pytest.mark.timeout(400)
@pytest.mark.parametrize("person", ["bob", "charlie"])
def test_no_row_of_another_login_is_behind_any_address(world, person, as_bob, as_charlie):
    browser, mine = {"bob": (as_bob, NORTH), "charlie": (as_charlie, SOUTH)}[person]
    others = tuple(one for one in MARKS if one != mine)
    found, seen, count = {}, 0, 0
    for place, text in answers_of_all(browser):
        count += 1
        if marks := marks_in(text, others):
            found[place] = marks
        seen += bool(marks_in(text, (mine,)))
    assert not found, found
    assert count > 1_000 and seen > 20, (count, seen)
    own = said(browser.get(reverse("results:rows", args=[world[person].version.result_id])))
    assert marks_in(own, (mine,))


def test_cards_of_one_dashboard_show_each_reader_rows_of_their_own_login(
    world, alice, as_alice, as_bob, as_charlie
):
    board = world["alice"].board
    place = reverse("dashboards:dashboard", args=[board.pk])
    pages = [said(browser.get(place)) for browser in (as_alice, as_bob, as_charlie)]
    assert [[login for login in MARKS if marks_in(page, (login,))] for page in pages] == [
        [NORTH, SOUTH, ALL_ROWS],
        [NORTH],
        [SOUTH],
    ]
    same = Supply.objects.filter(sql__startswith=TABLE, sql__contains="LIMIT 200")
    assert same.count() == 3 and {one.owner.username for one in same} == {"alice", "bob", "charlie"}
    as_bob.post(reverse("dashboards:refresh", args=[board.pk]))
    assert set(Supply.objects.filter(status=Status.QUEUED).values_list("owner__username", flat=True)) == {
        "bob"
    }


def test_links_show_the_rows_of_who_made_them(world, client):
    for person, login in (("bob", NORTH), ("charlie", SOUTH)):
        others = tuple(one for one in MARKS if one != login)
        for token in world[person].links:
            page = said(client.get(reverse("sharing:link", args=[token])))
            assert not marks_in(page, others) and marks_in(page, (login,)), (person, token)


def test_a_report_sends_the_rows_of_its_owner_and_shows_them_to_no_other_login(
    world, source, as_bob, alice, bob
):
    mine, hers = world["bob"], world["alice"]
    assert RunPart.objects.get(run=mine.report_run).login == NORTH
    assert as_bob.get(reverse("reports:run", args=[mine.report_run.pk])).status_code == 200
    for place in (
        reverse("reports:report", args=[hers.report.pk]),
        reverse("reports:run", args=[hers.report_run.pk]),
        *(reverse("reports:file", args=[file.pk]) for file in hers.report_run.files.all()),
    ):
        assert as_bob.get(place).status_code == 404, place


def test_programs_and_agents_read_by_the_login_of_their_person(world, source, bob):
    caller, agent = Caller(secret_of(bob)), secret_of(bob, use="agent")
    others = (SOUTH, ALL_ROWS)
    versions = list(Version.objects.values_list("pk", flat=True))
    runs = list(Run.objects.values_list("pk", flat=True))
    reports = list(ReportRun.objects.values_list("pk", flat=True))
    places = [
        "/sources",
        f"/sources/{source.name}/catalog?limit=200",
        "/runs",
        "/saved",
        "/reports",
        *(f"/versions/{pk}" for pk in versions),
        *(f"/versions/{pk}/rows" for pk in versions),
        *(f"/runs/{pk}" for pk in runs),
        *(f"/runs/{pk}/events" for pk in runs),
        *(f"/report-runs/{pk}" for pk in reports),
    ]
    seen = 0
    for place in places:
        text = said(caller.get(place))
        assert not marks_in(text, others), (place, marks_in(text, others))
        seen += bool(marks_in(text, (NORTH,)))
    assert seen >= 2
    sent = caller.post("/sql", {"source": source.name, "sql": TABLE}).json()
    work(Version.objects.get(pk=sent["id"]))
    text = said(caller.get(f"/versions/{sent['id']}/rows"))
    assert marks_in(text, (NORTH,)) and not marks_in(text, others)
    for tool, given in (
        ("search_catalog", {"source": source.name}),
        ("search_catalog", {"source": source.name, "words": "customer city"}),
    ):
        told = json.dumps(tool_call(agent, "here", tool, **given), default=str)
        assert not marks_in(told, others), tool


def test_values_terms_and_answers_are_those_of_the_login(world, source, alice, bob, charlie):
    city = ColumnRef("sales", "city")
    for person, cities in (
        (alice, {"Tromso", "Palermo", "Galway"}),
        (bob, {"Tromso"}),
        (charlie, {"Palermo"}),
    ):
        _, index = source_at_hand(seen_by(person, fresh(source)))
        assert set(index.texts_of(city)) == cities, person
    asked = "SELECT * FROM sales WHERE city = '"
    offered = [one.label for one in sql_completions(bob, seen_by(bob, fresh(source)), asked, len(asked))]
    assert not marks_in(str(offered), (SOUTH, ALL_ROWS))
    for typed in ("sales in Gal", "sales in Paler", "customers Westf"):
        found = question_typed(bob, seen_by(bob, fresh(source)), typed)
        assert not marks_in(str([one.text for one in found.suggestions]), (SOUTH, ALL_ROWS))
    whole, part = knowledge_of(seen_by(alice, fresh(source))), knowledge_of(seen_by(bob, fresh(source)))
    assert {one.phrase for one in whole.terms} == {"Western deals", "Polar deals"} and len(
        whole.verified
    ) == 1
    assert [one.phrase for one in part.terms] == ["Polar deals"] and not part.verified


def test_a_question_about_a_value_of_another_login_finds_nothing_of_it(world, source, bob, charlie):
    for person, word, others in ((bob, "Palermo", (SOUTH, ALL_ROWS)), (charlie, "Tromso", (NORTH, ALL_ROWS))):
        run = answer(asking.run_ask(person, fresh(source), f"total amount in {word}"))
        rest = str([step.data for step in run.steps.all()]) + str([one.sql for one in run.versions.all()])
        assert not marks_in(rest.replace(word, "").replace(word.lower(), ""), others), person
        assert all(
            "customer" not in one.sql or not marks_in(one.sentence, others) for one in run.versions.all()
        )


ATTACKS = [
    "SET ROLE alice_sees_all",
    "SET ROLE NONE",
    "RESET ROLE",
    "RESET SESSION AUTHORIZATION",
    "SET SESSION AUTHORIZATION alice_sees_all",
    "SET row_security = off",
    "SELECT set_config('role', 'alice_sees_all', false), * FROM sales",
    "SELECT set_config('session_authorization', 'alice_sees_all', false), * FROM sales",
    "SELECT set_config('row_security', 'off', false), * FROM sales",
    "SELECT * FROM pg_read_file('base/1/1')",
    "SELECT most_common_vals FROM pg_stats WHERE tablename = 'sales'",
    "SELECT histogram_bounds::text FROM pg_stats WHERE tablename = 'sales'",
    "SELECT * FROM pg_statistic",
    "SELECT query FROM pg_stat_activity",
    "SELECT * FROM sales; SET ROLE alice_sees_all",
    "WITH x AS (SELECT set_config('role', 'none', true)) SELECT * FROM sales, x",
    "SELECT query_to_xml('SELECT * FROM sales', true, true, '')",
    "SELECT table_to_xml('sales', true, true, '')",
    "SELECT dblink('dbname=web_rows', 'SELECT 1')",
    "EXPLAIN (ANALYZE) SELECT * FROM sales",
    "TABLE sales",
    "SELECT s FROM sales s",
    "SELECT * FROM public.sales",
    "SELECT count(*) FILTER (WHERE city = 'Galway') AS n FROM sales HAVING count(*) FILTER (WHERE city = 'Galway') > 0",
]


@pytest.mark.parametrize("sql", ATTACKS)
def test_sql_leaves_no_login(source, bob, as_bob, sql):
    version = work(asking.sql_ask(bob, fresh(source), sql))
    if version.result is None:
        assert version.failure
        assert not marks_in(json.dumps(version.failure), (SOUTH,))
        return
    page = said(as_bob.get(reverse("results:rows", args=[version.result_id])))
    body = page.replace("alice_sees_all", "").replace("Galway", "").replace(sql, "")
    assert not marks_in(body, (SOUTH, ALL_ROWS))


def test_what_waited_while_the_login_changed_does_not_run(world, source, teams, bob, as_alice, as_bob):
    run = asking.run_ask(bob, fresh(source), "total amount by customer")
    version = asking.sql_ask(bob, fresh(source), TABLE)
    glance = glance_rows(bob, fresh(source), "sales")
    as_bob.post(reverse("dashboards:refresh", args=[world["bob"].board.pk]))
    waiting = list(Supply.objects.filter(status=Status.QUEUED))
    assert waiting
    login_typed(as_alice, source, teams[0], SOUTH)
    assert answer(run).outcome == "failed"
    assert work(version).failure["kind"] == "refused"
    with unwatched():
        work_do("glance", glance.pk)
    glance.refresh_from_db()
    assert glance.failure["kind"] == "refused"
    supplies_work()
    for supply in waiting:
        supply.refresh_from_db()
        assert supply.failure["kind"] == "refused" and not marks_in(str(supply.preview), (SOUTH,))
    report = make(ReportRun.objects.create(report=world["bob"].report, cause="now"))
    assert RunPart.objects.filter(run=report).last().login == SOUTH, "a report reads by the login of now"


def test_what_was_read_by_another_login_is_hidden_until_that_is_theirs_again(
    source, teams, bob, alice, as_alice, as_bob
):
    as_alice.post(reverse("sources:login_take", args=[source.pk, teams[0].pk]))
    before = work(asking.sql_ask(bob, fresh(source), TABLE))
    report = save_report(bob, things_saved(bob, source))
    made = make(ReportRun.objects.create(report=report, cause="now"))
    file = made.files.first()
    bobs = Caller(secret_of(bob))
    places = [
        reverse("asking:run", args=[before.run_id]),
        reverse("asking:thread", args=[before.run.thread_id]),
        reverse("asking:thread_export", args=[before.run.thread_id, "html"]),
        reverse("asking:version", args=[before.pk]),
        reverse("results:rows", args=[before.result_id]),
        reverse("exports:download", args=[before.result_id, "csv"]),
        reverse("reports:file", args=[file.pk]),
    ]
    calls = [f"/versions/{before.pk}/rows", f"/runs/{before.run_id}", f"/report-runs/{made.pk}"]
    assert "Westfield" in said(as_bob.get(places[4]))
    assert [bobs.get(call).status_code for call in calls] == [200] * 3
    login_typed(as_alice, source, teams[0], NORTH)
    assert {place: as_bob.get(place).status_code for place in places} == dict.fromkeys(places, 404)
    assert [bobs.get(call).status_code for call in calls] == [404] * 3
    assert bobs.get(f"/reports/{report.pk}/runs").json()["items"] == []
    page = said(as_bob.get(reverse("reports:run", args=[made.pk])))
    assert not marks_in(page, (SOUTH, ALL_ROWS))
    after = work(asking.sql_ask(bob, fresh(source), TABLE))
    as_alice.post(reverse("sources:login_take", args=[source.pk, teams[0].pk]))
    assert as_bob.get(reverse("results:rows", args=[after.result_id])).status_code == 404
    assert as_bob.get(places[0]).status_code == 200


def things_saved(person, source):
    return sql_save(person, fresh(source), "Sales", TABLE)


def test_a_login_that_the_database_drops_gives_its_error_and_no_rows(
    source, server, teams, bob, as_alice, as_bob
):
    login_typed(as_alice, source, teams[0], NORTH)
    with server.connect(DATABASE) as db:
        db.execute(f"ALTER ROLE {NORTH} PASSWORD 'changed meanwhile'")
    try:
        version = work(asking.sql_ask(bob, fresh(source), TABLE))
        run = answer(asking.run_ask(bob, fresh(source), "How many sales are there?"))
    finally:
        with server.connect(DATABASE) as db:
            db.execute(f"ALTER ROLE {NORTH} PASSWORD '{PASSWORD}'")
    assert version.result is None and NORTH in version.failure["message"], version.failure
    assert "alice, who owns it, sets that" in version.failure["advice"]
    assert run.outcome == "failed" and NORTH in run.reason
    assert not StoredResult.objects.filter(owner=bob).exists()
    page = said(as_bob.get(reverse("asking:run", args=[version.run_id])))
    assert "refused the password" in page and PASSWORD not in page


def test_a_password_goes_to_no_other_place_than_it_was_given_for(source, server, teams, bob, as_alice):
    Source.objects.filter(pk=source.pk).update(host="localhost")
    version = work(asking.sql_ask(bob, fresh(source), TABLE))
    assert version.result is None and "connected elsewhere" in version.failure["message"]
    assert "connected elsewhere" in as_alice.get(reverse("sources:logins", args=[source.pk])).content.decode()
    login_typed(as_alice, fresh(source), teams[0], NORTH)
    assert rows_of(source, bob) == ["north"]


def test_who_reads_by_a_login_corrects_and_evaluates_nothing(source, teams, bob, as_bob):
    source.team_roles.create(team=teams[0], role="editor")
    for name in ("sources:model", "knowledge:terms", "knowledge:answers", "knowledge:evaluations"):
        assert as_bob.get(reverse(name, args=[source.pk])).status_code == 403, name
    assert as_bob.post(reverse("sources:refresh", args=[source.pk])).status_code == 403
    assert (
        "about" not in said(as_bob.get(reverse("sources:source", args=[source.pk]))).split('id="tables"')[1]
    )


def test_the_page_that_explains_tells_the_login_and_the_team(source, teams, alice, bob, as_alice):
    found = access_of(bob, fresh(source)).login
    assert (found.name, found.teams) == (NORTH, ("North",))
    page = as_alice.get(f"{reverse('sources:access')}?person={bob.pk}&source={source.pk}").content.decode()
    assert f"<code>{NORTH}</code>" in page and "through North" in page
    hers = as_alice.get(f"{reverse('sources:access')}?person={alice.pk}&source={source.pk}").content.decode()
    assert "as its owner" in hers


def test_only_who_reads_the_same_rows_is_mentioned(world, bob, charlie, alice):
    people = {one.username for one in people_seeing(world["bob"].run)}
    assert people == {"bob"}
    assert not people_seeing(world["alice"].run).filter(username="bob").exists()


def test_teams_of_a_mariadb_have_logins_too(teams, as_alice, bob, alice, settings, media):
    settings.CONNECTION_TESTS_PER_MINUTE = 1_000
    server = mariadb_server()
    with server.connect() as db, db.cursor() as cursor:
        cursor.execute("CREATE DATABASE IF NOT EXISTS web_rows")
        cursor.execute(
            "CREATE TABLE IF NOT EXISTS web_rows.base (id int PRIMARY KEY, region varchar(9), seen_by varchar(40))"
        )
        cursor.execute(f"REPLACE INTO web_rows.base VALUES (1, 'north', '{NORTH}'), (2, 'south', '{SOUTH}')")
        cursor.execute(
            "CREATE OR REPLACE SQL SECURITY DEFINER VIEW web_rows.sales AS SELECT id, region FROM web_rows.base "
            "WHERE seen_by = substring_index(user(), '@', 1) OR user() LIKE 'web_owner%'"
        )
        for login in (NORTH, "web_owner"):
            cursor.execute(f"CREATE USER IF NOT EXISTS '{login}'@'%' IDENTIFIED BY '{PASSWORD}'")
            cursor.execute(f"GRANT SELECT ON web_rows.sales TO '{login}'@'%'")
    typed = {
        "name": "maria",
        "host": server.host,
        "port": server.port,
        "database": "web_rows",
        "privacy": "rows",
    }
    visited(
        as_alice,
        reverse("sources:connect") + "?engine=mysql",
        typed | {"username": "web_owner", "password": PASSWORD},
    )
    source = Source.objects.get(name="maria")
    source.teams.set(teams)
    assert "works and is kept" in login_typed(as_alice, source, teams[0], NORTH).content.decode()
    assert rows_of(source, alice) == ["north", "south"] and rows_of(source, bob) == ["north"]


def test_only_engines_that_know_logins_have_them(shop, team, as_alice):
    page = as_alice.get(reverse("sources:logins", args=[shop.pk])).content.decode()
    assert "Only sources on PostgreSQL, MySQL and MariaDB" in page
    refused = login_typed(as_alice, shop, team, NORTH).content.decode()
    assert "is not kept" in refused and not SourceLogin.objects.filter(source=shop).exists()


def test_a_card_kept_from_before_the_mapping_is_shown_to_no_login(
    source, teams, alice, bob, as_alice, as_bob
):
    as_alice.post(reverse("sources:login_take", args=[source.pk, teams[0].pk]))
    board = dashboard_make(alice, "Board")
    dashboard_share(board, [teams[2]], alice)
    card_add_saved(board, things_saved(alice, source), "All", "table")
    place = reverse("dashboards:dashboard", args=[board.pk])
    as_bob.get(place)
    supplies_work()
    assert marks_in(said(as_bob.get(place)), (ALL_ROWS,)) and Supply.objects.get().owner == bob
    made = PdfExport.objects.create(
        owner=bob, dashboard=board, status=Status.DONE, file="kept.pdf", sources=[source.pk]
    )
    login_typed(as_alice, source, teams[0], NORTH)
    page = said(as_bob.get(place))
    assert not marks_in(page, tuple(MARKS)), "nothing was read by his login yet"
    supplies_work()
    assert marks_in(said(as_bob.get(place)), (NORTH,)) and not marks_in(
        said(as_bob.get(place)), (SOUTH, ALL_ROWS)
    )
    file = as_bob.get(reverse("dashboards:pdf_file", args=[made.pk]))
    assert file.status_code == 403, "a PDF of before is closed"
    assert marks_in(said(as_alice.get(place)), (ALL_ROWS,)), "hers are as they were"


def test_what_waits_to_be_sent_is_held_and_links_close_when_the_login_changes(
    world, source, teams, bob, as_alice, client
):
    mine = world["bob"]
    links = [reverse("sharing:link", args=[token]) for token in mine.links]
    assert {client.get(link).status_code for link in links} == {200}
    assert rows_sendable(bob, mine.report_run)
    login_typed(as_alice, source, teams[0], SOUTH)
    assert not rows_sendable(bob, mine.report_run)
    found = [client.get(link) for link in links]
    assert [one.status_code for one in found[:2]] == [404, 404]
    assert not marks_in(said(found[2]), (NORTH, ALL_ROWS)), "the dashboard has the rows that he reads now"


def test_a_report_handed_over_tells_its_new_owner_nothing_of_rows_of_before(world, bob, charlie, as_charlie):
    mine = world["bob"]
    Report.objects.filter(pk=mine.report.pk).update(owner=charlie)
    ReportRun.objects.filter(pk=mine.report_run.pk).update(reason="amount is 1111.11", value="1111.11")
    SavedSql.objects.filter(pk=mine.saved.pk).update(owner=charlie)
    for place in (
        reverse("reports:report", args=[mine.report.pk]),
        reverse("reports:history", args=[mine.report.pk]),
        reverse("reports:run", args=[mine.report_run.pk]),
        reverse("reports:run_live", args=[mine.report_run.pk]),
    ):
        page = as_charlie.get(place)
        assert page.status_code == 200 and not marks_in(said(page), (NORTH, ALL_ROWS)), place
    caller = Caller(secret_of(charlie))
    assert caller.get(f"/report-runs/{mine.report_run.pk}").status_code == 404
    assert not caller.get(f"/reports/{mine.report.pk}/runs").json()["items"]
    mine.report.refresh_from_db()
    made = make(ReportRun.objects.create(report=mine.report, cause="now"))
    assert made.outcome == "made" and RunPart.objects.get(run=made).login == SOUTH


def test_names_are_withheld_from_a_team_with_a_login_too(source, teams, bob, as_alice):
    place, field = reverse("sources:withhold", args=[source.pk]), f"team_{teams[0].pk}"
    assert as_alice.post(place, {field: "sales.city"}).status_code == 302
    WithheldName.objects.create(source=source, team=teams[2], table="sales", column="city")
    sight = sight_now(seen_by(bob, fresh(source)))
    assert sight.withheld and sight.login.name == NORTH and sight.key.startswith(BY_LOGIN)
    refused = work(asking.sql_ask(bob, fresh(source), "SELECT city FROM sales"))
    assert refused.failure["kind"] == "refused"
    passed = work(asking.sql_ask(bob, fresh(source), "SELECT region FROM sales GROUP BY region"))
    assert passed.failure is None and passed.result.row_count == 1


def test_a_viewer_runs_saved_sql_by_the_login_and_who_leaves_the_team_has_it_no_more(
    source, teams, alice, bob, as_bob
):
    saved = things_saved(alice, source)
    saved.teams.add(teams[0])
    for team in (teams[0], teams[2]):
        source.team_roles.create(team=team, role="viewer")
    run = asking.run_saved(bob, saved, {})
    version = work(run.versions.get())
    page = said(as_bob.get(reverse("results:rows", args=[version.result_id])))
    assert marks_in(page, (NORTH,)) and not marks_in(page, (SOUTH, ALL_ROWS))
    teams[0].members.remove(bob)
    teams[2].members.remove(bob)
    assert login_of(bob, fresh(source)) == NOBODY
    assert as_bob.get(reverse("results:rows", args=[version.result_id])).status_code == 404


def test_a_language_model_is_told_rows_of_the_login_alone(source, teams, bob):
    server = ScriptedServer(
        "```sql\nSELECT customer, sum(amount) AS total FROM sales GROUP BY customer\n```"
    ).start()
    try:
        Endpoint.objects.create(name="Local", base_url=server.base_url, model="m-1")
        values_read_all(source)
        run = answer(asking.run_ask(bob, fresh(source), "total amount of each customer and city"))
        told = json.dumps(server.bodies)
    finally:
        server.stop()
    assert server.calls and run.outcome != "failed", run.reason
    assert marks_in(told, (NORTH,)) and not marks_in(told, (SOUTH, ALL_ROWS))
