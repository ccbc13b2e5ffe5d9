"""Questions, threads and dashboards shared with teams and by links: who sees them, and what closes them."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from mirror.asking import services as asking
from mirror.asking.models import Run, Thread
from mirror.audit.models import AuditRow
from mirror.dashboards import services as dashboards
from mirror.dashboards.crossing import cards_cross_shown
from mirror.dashboards.models import Card, Dashboard, PdfExport, Supply
from mirror.dashboards.pdf_exports import _chapters
from mirror.library.services import sql_save
from mirror.results.filters import BadFilter
from mirror.results.opened_files import ResultGone
from mirror.results.pivots import BadPivot
from mirror.results.services import result_delete
from mirror.sharing import services
from mirror.sharing.models import ShareLink
from mirror.sources.models import WithheldRight
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.web.working import REVENUE, answer, unwatched, work

COUNTRY = {"name": "country", "kind": "text", "label": "Country", "default": "Norway"}
OF_COUNTRY = "SELECT count(*) AS customers FROM customers WHERE country = :country"
SECRET_SQL = "FROM customers"


@pytest.fixture
def run(transactional_db, shop, alice, media) -> Run:
    """A question of Alice's with its answer."""
    return answer(asking.run_ask(alice, shop, REVENUE))


@pytest.fixture
def board(transactional_db, shop, alice, media) -> Dashboard:
    """A dashboard of Alice's that nobody else sees."""
    saved = sql_save(alice, shop, "Customers of a country", OF_COUNTRY, parameters=[COUNTRY])
    made = dashboards.dashboard_make(alice, "Customers")
    dashboards.card_add_saved(made, saved)
    dashboards.card_add_text(made, "Read me", "For the board.")
    return made


def url(name: str, pk: object) -> str:
    return reverse(f"sharing:{name}", args=[pk])


def linked(thing: object, alice, hours: float = 24, **values: list[str]) -> str:
    """The path of a new link to a question, a thread or a dashboard."""
    given = thing.versions.get() if isinstance(thing, Run) else thing
    link = services.link_make(given, alice, hours, values)
    return reverse("sharing:link", args=[services.link_token(link)])


def opened(path: str, **sent: str) -> str:
    """The page for somebody without an account, once the requested rows are there."""
    page = Client().get(path, sent)
    waiting = list(Supply.objects.filter(status=Status.QUEUED))
    with unwatched():
        for one in waiting:
            assert work_do("supply", one.pk)
    page = Client().get(path, sent) if waiting else page
    assert page.status_code == 200
    assert page["Referrer-Policy"] == "no-referrer" and "no-store" in page["Cache-Control"]
    return str(page.content.decode())


def is_closed(path: str) -> bool:
    page = Client().get(path)
    assert page.status_code in (200, 404)
    assert page.status_code == 200 or "This link shows nothing" in page.content.decode()
    return page.status_code == 404


# ---------------------------------------------------------------- with teams


@pytest.mark.parametrize("kind", ["run", "thread"])
def test_members_look_at_what_is_shared_and_change_nothing(run, team, as_alice, as_bob, as_charlie, kind):
    thing = run if kind == "run" else run.thread
    here = reverse(f"asking:{kind}", args=[thing.pk])
    assert as_bob.get(here).status_code == 404, "not shared yet"
    as_alice.post(url(kind, thing.pk), {"teams": [team.pk]})
    page = as_bob.get(here).content.decode()
    assert REVENUE in page and "shared by" in page and "<td" in page and "SELECT" in page
    shown = page.partition("<main")[2].partition('id="comments"')[0]
    assert "<form" not in shown, "nothing of it can be pressed"
    if kind == "thread":
        assert reverse("asking:run", args=[run.pk]) in shown
    assert as_charlie.get(here).status_code == 404
    listed = as_bob.get(reverse("asking:history"), {"by": "others"}).content.decode()
    assert here in listed and "shared by" in listed
    assert here not in as_charlie.get(reverse("asking:history"), {"by": "others"}).content.decode()
    assert AuditRow.objects.get(verb__startswith="shared a").details["teams"] == ["Analysts"]
    as_alice.post(url(kind, thing.pk), {"teams": []})
    assert as_bob.get(here).status_code == 404, "taken back"


def test_each_act_on_a_shared_question_is_forbidden_to_members(run, team, alice, as_bob, as_charlie):
    asking.thread_share(run.thread, [team], alice)
    version = run.versions.get()
    acts = [
        *(("run", name) for name in ("stop", "again", "follow", "edit")),
        *(
            ("version", name)
            for name in ("version_stop", "version_again", "chart", "save", "change", "version_undo")
        ),
        *(("thread", name) for name in ("thread_rename", "thread_pin", "thread_delete")),
    ]
    places = {"run": run.pk, "version": version.pk, "thread": run.thread_id}
    for of, name in acts:
        address = reverse(f"asking:{name}", args=[places[of]])
        sent = {"question": "x", "sql": "SELECT 1", "title": "Theirs", "name": "x"}
        got = [browser.post(address, sent).status_code for browser in (as_bob, as_charlie)]
        assert got == [403, 404], name
    assert (Run.objects.count(), run.versions.count()) == (1, 1)
    assert Thread.objects.get().title == run.thread.title


def test_an_administrator_in_no_team_is_led_to_teams(db, admin, as_admin):
    """An administrator was told to ask one."""
    board = dashboards.dashboard_make(admin, "Customers")
    page = as_admin.get(reverse("sharing:dashboard", args=[board.pk])).content.decode()
    assert "Make a team and put people into it" in page and f'href="{reverse("people:teams")}"' in page
    assert "An administrator makes teams" not in page


def test_a_member_needs_the_source_too(run, team, shop, alice, as_bob):
    asking.run_share(run, [team], alice)
    here = reverse("asking:run", args=[run.pk])
    assert as_bob.get(here).status_code == 200
    assert as_bob.get(reverse("asking:thread", args=[run.thread_id])).status_code == 404, "the question alone"
    shop.teams.clear()
    assert as_bob.get(here).status_code == 404
    assert here not in as_bob.get(reverse("asking:history"), {"by": "others"}).content.decode()


def test_one_shares_with_ones_own_teams_alone(run, team, alice, charlie, as_charlie):
    from mirror.people.models import Team

    theirs = Team.objects.create(name="Others")
    theirs.members.add(charlie)
    asking.run_share(run, [team, theirs], alice)
    assert list(run.teams.all()) == [team]


@pytest.mark.parametrize("kind", ["run", "thread", "dashboard"])
def test_the_owner_shares_members_may_not_and_strangers_find_nothing(
    run, board, team, alice, as_alice, as_bob, as_charlie, kind
):
    thing = {"run": run, "thread": run.thread, "dashboard": board}[kind]
    share = {"run": asking.run_share, "thread": asking.thread_share, "dashboard": dashboards.dashboard_share}
    share[kind](thing, [team], alice)
    for browser, get, post, link in (
        (as_charlie, 404, 404, 404),
        (as_bob, 403, 403, 403),
        (as_alice, 200, 302, 302),
    ):
        assert browser.get(url(kind, thing.pk)).status_code == get
        assert browser.post(url(f"{kind}_link", thing.pk), {"hours": "24"}).status_code == link
        assert browser.post(url(kind, thing.pk), {"teams": [team.pk]}).status_code == post
    assert ShareLink.objects.get().made_by == alice
    assert list(thing.teams.all()) == [team]


# ---------------------------------------------------------------- by links


def test_a_link_shows_the_stored_answer_and_no_sql(run, alice):
    page = opened(linked(run, alice))
    assert REVENUE in page and "<td" in page and "data of" in page and "mirror-chart" in page
    assert "SELECT" not in page and SECRET_SQL not in page and "<form" not in page
    thread = opened(linked(run.thread, alice))
    assert REVENUE in thread and "<td" in thread and "SELECT" not in thread


@pytest.mark.django_db(transaction=True)
def test_a_link_to_typed_sql_is_not_called_like_it(shop, alice, media):
    version = work(asking.sql_ask(alice, shop, "SELECT id FROM employees WHERE name <> 'nobody' LIMIT 2"))
    for thing in (version.run, version.run.thread):
        page = opened(linked(thing, alice))
        assert "<td" in page and "SELECT" not in page and "nobody" not in page


def test_a_link_to_a_question_keeps_to_the_version_that_was_shared(run, alice):
    path = linked(run, alice)
    version = asking.version_edit(run, "SELECT 42 AS other")
    with unwatched():
        assert work_do("version", version.pk)
    assert "other" not in opened(path) and "Germany" in opened(path)


def test_a_link_to_a_dashboard_takes_listed_values_alone(board, alice):
    path = linked(board, alice, country=["Norway", "Sweden"])
    first, second = opened(path), opened(path, country="Sweden")
    assert first != second and "<option selected>Sweden</option>" in second and "For the board." in first
    assert "SELECT" not in first + second and first.count('method="post"') == 1, "to take the PDF"
    count = Supply.objects.count()
    assert count == 2
    for wrong in ("Germany", "Norway' OR 1=1 --"):
        assert "<option selected>Norway</option>" in opened(path, country=wrong)
    assert Supply.objects.count() == count, "nothing else was read"
    plain = opened(linked(board, alice), country="Germany")
    assert "<select" not in plain and Supply.objects.count() == count
    assert "Country: Norway" in plain, "a value that nobody chooses is told"
    assert "fixed-values" not in first


def test_who_has_a_link_filters_stored_rows_and_reads_no_sql_and_no_other_name(board, shop, alice):
    by = "SELECT country, count(*) AS n FROM customers GROUP BY 1 ORDER BY 1"
    people = "SELECT name, country FROM customers ORDER BY 1 LIMIT 400"
    wares = "SELECT p.name AS country, p.price FROM products p"
    cards = [
        Card.objects.create(
            dashboard=board, kind="sql", source=shop, sql=sql, title=title, shows="table", place=n
        )
        for n, (title, sql) in enumerate((("Countries", by), ("People", people), ("Wares", wares)), 5)
    ]
    path = linked(board, alice)
    first = unescape(opened(path))
    where = f"{cards[0].pk}:country:== Norway"
    assert "data-picks" in first and 'class="pick"' in first
    found = unescape(opened(path, where=where))
    card = found.split(f'id="card-{cards[1].pk}"', 1)[1].split("</article>", 1)[0]
    assert "Norway" in card and "Sweden" not in card and "data-filtered" in card
    assert "country is Norway" in found and "has no such column" in found
    for secret in ("products", "SELECT", "customers.country", shop.name):
        assert secret not in found.partition("<main")[2], secret
    count = Supply.objects.count()
    for wrong in ("1:country:== Norway", f"{cards[0].pk}:nope:== x", f"{cards[0].pk}:country:> A", "x"):
        assert opened(path, where=wrong).count("data-filtered") == 0
    assert Supply.objects.count() == count, "nothing is read anew"


PAY = """SELECT * FROM (SELECT 'Sales' AS dept, 'Annika' AS person, 5123 AS salary UNION ALL SELECT 'Sales', 'Benedikt', 4000
    UNION ALL SELECT 'IT', 'Cidonia', 7000 UNION ALL SELECT 'IT', 'Dorothea', 6100)"""
BY_DEPT = {"rows": ["dept"], "column": None, "value": "salary", "aggregate": "mean", "by_total": False}


def pay_cards(board: Dashboard, shop, *cards: tuple[str, str, str, dict]) -> dict[str, Card]:
    """Cards in place of those of a board, by their titles."""
    board.cards.all().delete()
    return {
        title: Card.objects.create(
            dashboard=board, kind="sql", source=shop, sql=sql, title=title, shows=shows, chart=chart
        )
        for title, sql, shows, chart in cards
    }


def shown_by(page: str, card: Card) -> str:
    """The HTML of a card, without its number and its moment: their digits may be those of any figure."""
    whole = unescape(page).split(f'id="card-{card.pk}"', 1)[1].split("</article>", 1)[0]
    return re.sub(r'\bdatetime="[^"]*"', "", whole).replace(str(card.pk), "")


def test_who_has_a_link_finds_no_value_of_a_column_that_no_card_shows(board, shop, alice):
    mean = {"mark": "none", "pivot": BY_DEPT}
    count = {"mark": "none", "pivot": BY_DEPT | {"value": None, "aggregate": "count"}}
    ranged = {"mark": "bar", "x": "dept", "y": ["salary"], "chosen": True}
    cards = pay_cards(
        board,
        shop,
        ("Mean", PAY, "pivot", mean),
        ("Count", f"{PAY} ORDER BY salary", "pivot", count),
        ("Bars", f"{PAY} ORDER BY dept, salary", "chart", ranged),
        ("People", f"SELECT person FROM ({PAY})", "table", {}),
    )
    path = linked(board, alice)
    whole = opened(path)
    assert "5,123" not in whole and "4,561.5" in shown_by(whole, cards["Mean"])
    for card in (cards["Count"], cards["Bars"]):
        assert "person" not in shown_by(whole, card) and "Annika" not in shown_by(whole, card)
        for choice in (
            "person:== Annika",
            "person:null",
            "salary:6050..6150",
            "salary:= 5123",
            "dept:A..J",
            "dept:> A",
        ):
            page = opened(path, where=f"{card.pk}:{choice}")
            assert "data-filtered" not in page and "on no card any more" in page, choice
    page = opened(path, where=f"{cards['People'].pk}:person:== Annika")
    assert "data-filtered" not in page, "nor is a card filtered by a column that it does not show"
    page = opened(path, where=f"{cards['Count'].pk}:dept:== Sales")
    assert "Sales" in shown_by(page, cards["Mean"]) and "IT" not in shown_by(page, cards["Mean"])
    assert "Filtered: dept is Sales" in shown_by(page, cards["Bars"])


def test_by_a_link_a_pivot_or_chart_that_cannot_be_shown_is_not_its_rows(board, shop, alice, monkeypatch):
    gone = {"mark": "none", "pivot": BY_DEPT | {"rows": ["gone"]}}
    bars = {"mark": "bar", "x": "dept", "y": ["salary"], "chosen": True}
    cards = pay_cards(
        board,
        shop,
        ("Gone", PAY, "pivot", gone),
        ("Bars", f"{PAY} ORDER BY 1, 2", "chart", bars),
        ("Depts", "SELECT 'Sales' AS dept UNION ALL SELECT 'IT'", "table", {}),
        ("Many", f"{PAY} ORDER BY person", "number", {}),
    )
    path = linked(board, alice)
    whole = opened(path)
    assert "<mirror-chart" in shown_by(whole, cards["Bars"])
    for card in (cards["Gone"], cards["Many"]):
        assert "cannot be shown now" in shown_by(whole, card)
    assert not [word for word in ("person", "Annika", "Cidonia") if word in unescape(whole)]
    monkeypatch.setattr("mirror.dashboards.crossing.CROSSED_ROWS", 1)
    page = opened(path, where=f"{cards['Depts'].pk}:dept:== Sales")
    bars_shown = shown_by(page, cards["Bars"])
    assert "cannot be shown now" in bars_shown and "Annika" not in page and "<mirror-chart" not in bars_shown
    served = services.link_cards(ShareLink.objects.get(), {})
    monkeypatch.undo()
    found = _chapters(alice, served, cards_cross_shown(served, []), is_by_link=True)
    assert [sheet.title for sheet in found.sheets] == ["Bars", "Depts"] and found.left_out == ["Gone", "Many"]
    assert found.sheets[0].columns == ("dept", "salary")
    assert not list(found.sheets[0].batches()), "several rows make one point"


@pytest.mark.parametrize("broken", [BadPivot, BadFilter, ResultGone])
def test_by_a_link_a_pivot_that_breaks_is_not_its_rows(board, shop, alice, monkeypatch, broken):
    cards = pay_cards(board, shop, ("Mean", PAY, "pivot", {"mark": "none", "pivot": BY_DEPT}))

    def breaks(*_args: object) -> None:
        raise broken("broken")

    path = linked(board, alice)
    opened(path)
    monkeypatch.setattr("mirror.results.kept_pivots.pivot_once", breaks)
    page = opened(path)
    assert "cannot be shown now" in shown_by(page, cards["Mean"]) and "Annika" not in page


def test_who_has_a_link_takes_the_pdf_where_its_maker_may_take_rows(board, shop, team, alice, as_bob):
    shop.teams.add(team)
    path = linked(board, alice, country=["Norway", "Sweden"])
    page = opened(path, country="Sweden")
    ask = unescape(page.partition('method="post" action="')[2].partition('"')[0])
    asked = Client(enforce_csrf_checks=True).post(ask, headers={"origin": "null"})
    assert asked.status_code == 302 and Client().get(ask).status_code == 405
    export = PdfExport.objects.get()
    assert (export.owner, export.values) == (alice, {"country": "Sweden"})
    assert Client().post(ask).url == asked.url and PdfExport.objects.count() == 1, (
        "the same is not written twice"
    )
    assert "Waiting for the worker" in Client().get(asked.url).content.decode()
    with unwatched():
        assert work_do("pdf_export", export.pk)
    done = Client().get(asked.url).content.decode()
    file = done.partition('button-primary" href="')[2].partition('"')[0]
    taken = Client().get(file)
    assert (
        taken.status_code == 200
        and taken.content.startswith(b"%PDF")
        and "no-store" in taken["Cache-Control"]
    )
    told = AuditRow.objects.filter(verb="opened a share link").latest("pk")
    assert told.details["format"] == "pdf"
    other = linked(board, alice)
    opened(other)
    stolen = file.replace(path, other)
    assert Client().get(stolen).status_code == 404, "a file is that of its link"
    for _ in range(3):
        PdfExport.objects.create(owner=alice, dashboard=board, link=export.link)
    later = unescape(opened(path, country="Norway").partition('method="post" action="')[2].partition('"')[0])
    assert Client().post(later).status_code == 429
    services.link_revoke(ShareLink.objects.get(pk=export.link), alice)
    assert Client().get(file).status_code == Client().get(asked.url).status_code == 404


def test_the_pdf_of_a_link_tells_times_by_the_clocks_of_who_opens_it(board, shop, team, alice):
    shop.teams.add(team)
    ask = unescape(opened(linked(board, alice)).partition('method="post" action="')[2].partition('"')[0])
    told = [Client().post(ask, {"zone": zone}).url for zone in ("Asia/Tokyo", "America", "", "Asia/Tokyo")]
    assert set(PdfExport.objects.values_list("zone", flat=True)) == {"Asia/Tokyo", "UTC"}
    assert told[0] == told[3] != told[1] == told[2], "one file for each zone"


def test_no_pdf_is_given_where_the_maker_may_take_no_files(board, shop, team, bob, as_bob):
    shop.teams.add(team)
    theirs = dashboards.dashboard_make(bob, "Bob's")
    Card.objects.create(dashboard=theirs, kind="sql", source=shop, sql="SELECT 1 AS one", title="One")
    path = linked(theirs, bob)
    page = opened(path)
    ask = unescape(page.partition('method="post" action="')[2].partition('"')[0])
    assert ask
    WithheldRight.objects.create(source=shop, team=team, right=WithheldRight.Right.FILES)
    assert 'method="post"' not in opened(path) and Client().post(ask).status_code == 404
    assert not PdfExport.objects.exists()


def test_a_page_that_was_opened_asks_again_without_being_counted(board, alice, as_charlie):
    path = linked(board, alice)
    link = ShareLink.objects.get()
    page = opened(path)
    now = page.partition('now="')[2].partition('"')[0]
    counted = ShareLink.objects.get().opened
    assert Client().get(now, {"only-cards": "1"}).status_code == 200
    assert ShareLink.objects.get().opened == counted
    made = Client().get(f"{path}now/made-up/")
    assert made.status_code == 200 and ShareLink.objects.get().opened == counted + 1, "it is one more opening"
    services.link_revoke(link, alice)
    assert is_closed(now)


def test_a_value_that_is_none_makes_no_link(board, as_alice):
    saved = board.cards.first().saved
    saved.parameters = [COUNTRY | {"kind": "number", "default": "1"}]
    saved.save()
    sent = {"hours": "24", "values-country": "1\nmany"}
    answered = as_alice.post(url("dashboard_link", board.pk), sent)
    assert answered.status_code == 422 and not ShareLink.objects.exists()
    assert "many" in answered.content.decode(), "what was typed stays"
    assert as_alice.post(url("run_link", 10**6), sent).status_code == 404


def test_the_list_of_links_costs_the_same_few_reads_however_long(run, board, alice, as_alice):
    def reads() -> int:
        with CaptureQueriesContext(connection) as seen:
            assert as_alice.get(reverse("sharing:links")).status_code == 200
        return len(seen)

    for thing in (run, run.thread, board):
        linked(thing, alice)
    few = reads()
    for thing in (run, run.thread, board) * 3:
        linked(thing, alice)
    assert reads() == few


@pytest.mark.parametrize("kind", ["run", "thread", "dashboard"])
def test_a_right_that_is_withdrawn_later_closes_a_link(run, board, shop, alice, bob, team, kind):
    things = {"run": run, "thread": run.thread, "dashboard": board}
    path = linked(things[kind], alice)
    assert not is_closed(path)
    # Alice's source becomes Bob's: she has it by her team alone from now on.
    shop.owner = bob
    shop.save()
    assert not is_closed(path)
    withheld = WithheldRight.objects.create(source=shop, team=team, right="sending")
    assert is_closed(path)
    withheld.delete()
    assert not is_closed(path)
    shop.teams.clear()
    assert is_closed(path)
    shop.teams.add(team)
    alice.is_active = False
    alice.save()
    assert is_closed(path)


def test_who_may_not_send_makes_no_link_and_is_told(run, board, shop, alice, bob, team, as_alice):
    shop.owner = bob
    shop.save()
    WithheldRight.objects.create(source=shop, team=team, right="sending")
    for kind, thing in (("run", run), ("thread", run.thread), ("dashboard", board)):
        page = as_alice.get(url(kind, thing.pk)).content.decode()
        assert "does not let your team send its rows" in page and "Make a link" not in page
        assert as_alice.post(url(f"{kind}_link", thing.pk), {"hours": "24"}).status_code == 422
    assert not ShareLink.objects.exists()


def test_links_end_are_revoked_and_switched_off(run, alice, as_alice, as_bob, settings):
    path = linked(run, alice, hours=2)
    with time_machine.travel(timezone.now() + timedelta(hours=3)):
        assert is_closed(path)
    settings.SHARE_LINKS = False
    assert is_closed(path)
    assert "does not let anybody share by link" in as_alice.get(url("run", run.pk)).content.decode()
    settings.SHARE_LINKS = True
    assert not is_closed(path)
    link = ShareLink.objects.get()
    assert as_bob.post(url("link_revoke", link.pk)).status_code == 404
    assert as_alice.post(url("link_revoke", link.pk)).status_code == 302
    assert is_closed(path)
    listed = as_alice.get(reverse("sharing:links")).content.decode()
    assert "Revoked" in listed and path not in listed


def test_a_link_that_is_changed_or_made_up_shows_nothing(run, alice):
    path = linked(run, alice)
    token = path.rstrip("/").rpartition("/")[2]
    key = token.partition(":")[0]
    for wrong in (token[:-1], token + "x", key, f"{key}:x", "x", "%00"):
        assert is_closed(f"/share/open/{wrong}/"), wrong
    run.thread.delete()
    assert is_closed(path)


def test_ones_links_tell_their_last_use_and_the_audit_each_act(run, alice, as_alice, as_bob):
    page = as_alice.post(url("run_link", run.pk), {"hours": "24"}, follow=True).content.decode()
    link = ShareLink.objects.get()
    path = reverse("sharing:link", args=[services.link_token(link)])
    assert path in page and "never opened" in page
    opened(path)
    Client().head(path)
    listed = as_alice.get(reverse("sharing:links")).content.decode()
    assert path in listed and "opened 2 times" in listed and "last" in listed
    assert path not in as_bob.get(reverse("sharing:links")).content.decode()
    as_alice.post(url("link_revoke", link.pk))
    told = list(
        AuditRow.objects.filter(verb__contains="share link")
        .order_by("at", "number")
        .values_list("verb", "who")
    )
    assert told == [
        ("made a share link", "alice"),
        ("opened a share link", ""),
        ("opened a share link", ""),
        ("ended a share link", "alice"),
    ]
    assert services.link_token(link) not in str(list(AuditRow.objects.values()))


def test_rows_that_are_gone_are_told(run, alice, team, as_bob):
    asking.run_share(run, [team], alice)
    path = linked(run, alice)
    result_delete(run.versions.get().result)
    assert "no longer kept" in opened(path)
    assert "no longer kept" in as_bob.get(reverse("asking:run", args=[run.pk])).content.decode()


def test_a_card_of_a_source_that_its_maker_lost_closes_the_whole_link(board, shop, alice, bob, as_alice):
    other = type(shop).objects.create(owner=bob, name="other", engine="sqlite", database="/nowhere/x.sqlite")
    path = linked(board, alice)
    Card.objects.create(dashboard=board, kind="sql", source=other, sql="SELECT 1", title="Bob's", place=9)
    assert is_closed(path)
