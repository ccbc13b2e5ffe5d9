"""Dashboards: cards of rows that are read once, for people who may see them, with values from the address."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from mirror.asking.models import Run, Thread, Version
from mirror.asking.services import version_edit
from mirror.audit.models import AuditRow
from mirror.dashboards import card_rows, services, urls
from mirror.dashboards.errors import DashboardError
from mirror.dashboards.models import Card, Dashboard, Drawing, Supply
from mirror.library.services import sql_delete, sql_save, sql_share
from mirror.queries import running
from mirror.results.models import StoredResult
from mirror.results.services import result_delete
from mirror.sources.services import source_delete
from mirror.upkeep.selectors import owned_by
from mirror.upkeep.services import things_transfer
from mirror.work.doing import work_do
from mirror.work.leases import Status
from mirror.work.turns import turn_take
from tests.web.working import SLOW, TOP, supplied, unwatched, work

COUNTRY = {"name": "country", "kind": "text", "default": "Norway", "label": "Country"}
OF_COUNTRY = "SELECT count(*) AS customers FROM customers WHERE country = :country"
SINCE = {"name": "least", "kind": "number", "default": "", "label": "At least"}

# Every address with an id, its verb, and what Alice (its owner), Bob (of her team) and Charlie get.
ADDRESSES = [
    ("dashboard", "get", (200, 200, 404)),
    ("now", "get", (302, 302, 404)),
    ("refresh", "post", (302, 302, 404)),
    ("pdf_ask", "post", (302, 302, 404)),
    ("card", "get", (200, 200, 404)),
    ("card_refresh", "post", (302, 302, 404)),
    ("card_stop", "post", (302, 302, 404)),
    ("edit", "get", (200, 403, 404)),
    ("settings", "get", (200, 403, 404)),
    ("settings", "post", (302, 403, 404)),
    ("text", "post", (302, 403, 404)),
    ("card_change", "get", (200, 403, 404)),
    ("card_change", "post", (302, 403, 404)),
    ("card_move", "post", (302, 403, 404)),
    ("card_remove", "post", (302, 403, 404)),
    ("delete", "get", (200, 403, 404)),
    ("delete", "post", (302, 403, 404)),
]
SENT = {"name": "Theirs", "refresh_minutes": "60", "title": "Theirs", "text": "x", "to": "wider"}


def url(name: str, *args: object) -> str:
    return reverse(f"dashboards:{name}", args=args)


@pytest.fixture
def saved(transactional_db, alice, shop, media):
    """Saved SQL of Alice's that nobody else sees."""
    return sql_save(alice, shop, "Customers of a country", OF_COUNTRY, parameters=[COUNTRY])


@pytest.fixture
def board(saved, alice, team) -> Dashboard:
    """A dashboard of Alice's for her team, with one card."""
    made = services.dashboard_make(alice, "Customers")
    services.card_add_saved(made, saved)
    services.dashboard_share(made, [team], alice)
    return made


def seen(browser, board: Dashboard, **values: str) -> str:
    """A dashboard as somebody sees it once its rows are there."""
    page = browser.get(url("dashboard", board.pk), values)
    if supplied():
        page = browser.get(url("dashboard", board.pk), values)
    assert page.status_code == 200
    return str(page.content.decode())


def number(page: str) -> str:
    (found,) = re.findall(r'class="card-number"[^>]*>([^<]*)<', page)
    return str(found)


def card_add(board: Dashboard, source, sql: str, **fields: object) -> Card:
    """A card of SQL as a run would bring it."""
    return Card.objects.create(
        dashboard=board, kind="sql", source=source, sql=sql, title="Card", place=9, **fields
    )


# ---------------------------------------------------------------- who


@pytest.mark.parametrize(("name", "verb", "expected"), ADDRESSES)
def test_the_owner_changes_the_team_looks_and_a_stranger_finds_nothing(
    board, as_alice, as_bob, as_charlie, name, verb, expected
) -> None:
    card = board.cards.get()
    address = url(name, card.pk if name.startswith("card") else board.pk)
    before = Dashboard.objects.values_list("name", "updated_at").get()
    got = [getattr(browser, verb)(address, SENT).status_code for browser in (as_charlie, as_bob)]
    assert Dashboard.objects.values_list("name", "updated_at").get() == before
    assert board.cards.count() == 1
    got.append(getattr(as_alice, verb)(address, SENT).status_code)
    assert tuple(reversed(got)) == expected


def test_every_address_is_walked() -> None:
    assert {path.name for path in urls.urlpatterns} == {name for name, _, _ in ADDRESSES} | {
        "list",
        "new",
        "add",
        "explore",
        "explore_now",
        "explore_refresh",
        # Walked in tests/web/test_dashboard_pdf.py.
        "pdf",
        "pdf_file",
        # Walked in tests/web/test_why.py.
        "explore_why",
        "explore_why_ask",
        "why",
        "why_ask",
    }


def test_the_list_shows_what_is_shared_and_an_empty_one_how_to_begin(
    board, as_alice, as_bob, as_charlie
) -> None:
    pages = [browser.get(url("list")).content.decode() for browser in (as_alice, as_bob, as_charlie)]
    assert [url("dashboard", board.pk) in page for page in pages] == [True, True, False]
    assert "Ask a question" in pages[2]
    assert "Nothing found" in as_bob.get(url("list"), {"q": "nowhere"}).content.decode()


def test_a_card_is_seen_by_whoever_sees_its_source_and_the_saved_sql_need_not_be_shared(
    board, shop, as_alice, as_bob
) -> None:
    assert number(seen(as_alice, board)) == number(seen(as_bob, board)) != "0"
    shop.teams.clear()
    page = seen(as_bob, board)
    assert "not shared with you" in page
    assert "card-number" not in page
    assert "shop" not in page
    card = as_bob.get(url("card", board.cards.get().pk)).content.decode()
    assert "not shared with you" in card
    assert "SELECT" not in card
    as_bob.post(url("refresh", board.pk))
    assert not supplied(), "Bob has nothing read that he does not see"
    assert "card-number" in seen(as_alice, board)


def test_rows_are_read_by_whoever_asks_and_sees_the_source_when_it_runs(
    board, shop, as_bob, as_alice, bob
) -> None:
    as_bob.get(url("dashboard", board.pk))
    assert Supply.objects.get().owner == bob
    shop.teams.clear()
    supplied()
    page = seen(as_alice, board)
    assert "You may not use this source any more" in page
    as_alice.post(url("card_refresh", board.cards.get().pk))
    assert number(seen(as_alice, board))


def test_what_was_done_is_in_the_audit(board, as_alice) -> None:
    as_alice.post(url("delete", board.pk))
    told = AuditRow.objects.filter(verb__contains="dashboard").order_by("at", "number")
    assert [(row.verb, row.thing, row.thing_id) for row in told] == [
        (verb, "Customers", str(board.pk))
        for verb in ("made a dashboard", "shared a dashboard", "deleted a dashboard")
    ]
    assert told[1].details == {"teams": ["Analysts"]}


# ---------------------------------------------------------------- adding


def test_saved_sql_and_what_a_run_shows_are_added_from_their_pages(
    board, saved, shop, as_alice, as_bob, alice
) -> None:
    thread = Thread.objects.create(owner=alice, source=shop, title="Countries")
    run = Run.objects.create(
        thread=thread, asked="Where are customers?", status=Status.DONE, outcome="ambiguous", reason="Which?"
    )
    Run.objects.filter(pk=run.pk).update(question="Where are customers?")
    run.refresh_from_db()
    version = work(version_edit(run, TOP))
    Version.objects.filter(pk=version.pk).update(origin="answer")
    link = f"{url('add')}?version={version.pk}"
    assert link.replace("&", "&amp;") in as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert (
        f"{url('add')}?saved={saved.pk}"
        in as_alice.get(reverse("library:saved", args=[saved.pk])).content.decode()
    )
    assert as_bob.get(link).status_code == as_bob.get(f"{url('add')}?saved={saved.pk}").status_code == 404
    assert as_alice.get(f"{url('add')}?saved=x").status_code == 404
    typed = {"dashboard": board.pk, "title": "Top", "shows": ""}
    assert as_alice.post(link, typed).status_code == 302
    card = Card.objects.get(title="Top")
    assert (card.sql, card.draft, card.run) == (version.sql, "Which?", run)
    supply = Supply.objects.get(sql=version.sql)
    assert supply.result == version.result, "its rows are there already"
    page = seen(as_alice, board)
    assert "mirror-chart fits" in page
    assert "Draft" in page
    as_alice.post(url("card_refresh", card.pk))
    supplied()
    supply.refresh_from_db()
    version.refresh_from_db()
    assert supply.result != version.result
    assert StoredResult.objects.filter(pk=version.result_id).exists(), "the run keeps its rows"


def test_a_dashboard_is_made_on_the_way_and_its_name_is_asked_for(saved, as_alice) -> None:
    link = f"{url('add')}?saved={saved.pk}"
    assert as_alice.post(link, {"title": "T"}).status_code == 422
    assert as_alice.post(link, {"name": "Mine", "title": "", "shows": "number"}).status_code == 302
    card = Card.objects.get()
    assert (card.dashboard.name, card.title, card.width, card.height) == ("Mine", saved.name, 3, 2)


def test_cards_are_bounded_and_the_same_twice_is_read_once(board, saved, as_alice) -> None:
    for _ in range(services.CARDS - 1):
        services.card_add_saved(board, saved)
    with pytest.raises(DashboardError, match="which is the most"):
        services.card_add_saved(board, saved)
    answer = as_alice.post(f"{url('add')}?saved={saved.pk}", {"dashboard": board.pk})
    assert (answer.status_code, "which is the most" in answer.content.decode()) == (422, True)
    assert as_alice.post(url("text", board.pk), {"title": "More"}).status_code == 422
    page = seen(as_alice, board)
    assert (page.count('class="card-number"'), Supply.objects.count()) == (services.CARDS, 1)


def test_texts_titles_and_values_are_words_and_no_markup(board, as_alice) -> None:
    nasty = "<script>alert(1)</script>\u202e مرحبا 🎉"
    as_alice.post(url("text", board.pk), {"title": nasty, "text": f"One\n\n{nasty}"})
    page = seen(as_alice, board, country="'\"><script>alert(2)</script>")
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 2
    assert "🎉" in page
    assert number(page) == "0"
    assert as_alice.post(url("text", board.pk), {"title": " ", "text": ""}).status_code == 422


# ---------------------------------------------------------------- arranging


def test_cards_are_moved_sized_named_and_removed(board, saved, as_alice) -> None:
    first, second = board.cards.get(), services.card_add_saved(board, saved, "Second")

    def move(to: str) -> int:
        return int(as_alice.post(url("card_move", second.pk), {"to": to}).status_code)

    assert move("earlier") == move("earlier") == 302
    assert [card.pk for card in board.cards.all()] == [second.pk, first.pk]
    for to in ["wider"] * 20 + ["shorter"] * 20:
        move(to)
    second.refresh_from_db()
    assert (second.width, second.height) == (12, 1)
    assert move("sideways") == 422
    script = as_alice.post(
        url("card_move", second.pk), {"to": "narrower"}, headers={"X-Requested-With": "mirror-board"}
    )
    assert script.json() == {"width": 11, "height": 1}
    as_alice.post(url("card_change", second.pk), {"title": "Named", "shows": "table"})
    second.refresh_from_db()
    assert (second.title, second.shows) == ("Named", "table")
    gone = as_alice.post(url("card_remove", second.pk) + "?country=Germany&unknown=1")
    assert gone["Location"] == url("edit", board.pk) + "?country=Germany", "what was chosen stays"
    assert list(board.cards.all()) == [first]


# ---------------------------------------------------------------- values


def test_a_value_of_the_address_feeds_the_cards_that_have_it_and_runs_nothing_else(
    board, shop, as_alice
) -> None:
    card_add(board, shop, "SELECT count(*) AS stores FROM stores")
    norway = seen(as_alice, board)
    assert 'placeholder="Norway"' in norway
    as_alice.get(url("dashboard", board.pk), {"country": "Germany", "utm_source": "mail"})
    assert supplied() == 1, "only the card that the value feeds"
    page = seen(as_alice, board, country="Germany")
    assert re.findall(r'class="card-number"[^>]*>([^<]*)<', page) != re.findall(
        r'class="card-number"[^>]*>([^<]*)<', norway
    )
    assert 'value="Germany"' in page
    assert "?country=Germany" in page
    assert "utm_source" not in page
    assert seen(as_alice, board) and not supplied(), "what was read before is shown again"


def test_a_value_that_is_missing_or_of_another_kind_is_said_in_the_card_and_at_its_field(
    board, shop, as_alice
) -> None:
    sql = "SELECT name FROM customers WHERE id >= :least LIMIT 3"
    card_add(board, shop, sql, parameters=[SINCE])
    assert "Give a value for At least." in seen(as_alice, board)
    page = seen(as_alice, board, least="many")
    assert page.count("“many” is not a number (At least).") == 2
    assert Supply.objects.count() == 1
    assert "the first" not in seen(as_alice, board, least="5")
    # The same name for a text elsewhere: each card says by itself whether it can use the value.
    card_add(board, shop, "SELECT :least AS word", parameters=[{**SINCE, "kind": "text"}])
    page = seen(as_alice, board, least="many")
    assert page.count("is not a number") == 1
    assert ">many</" in page


def test_a_card_that_was_dragged_keeps_its_place_and_size_within_bounds(board, shop, as_alice) -> None:
    for n in range(3):
        Card.objects.create(dashboard=board, kind="text", title=f"T{n}", place=n + 2)
    first = board.cards.order_by("place")[0]
    move = url("card_move", first.pk)
    for to, place in (("place 3", 2), ("place 999", 3), ("place 1", 0)):
        assert as_alice.post(move, {"to": to}).status_code == 302
        assert list(board.cards.order_by("place").values_list("pk", flat=True)).index(first.pk) == place
    for to, size in (("size 5 7", (5, 7)), ("size 99 99", (12, 10)), ("size 0 0", (2, 1))):
        answer = as_alice.post(move, {"to": to}, headers={"X-Requested-With": "mirror-board"})
        assert answer.json() == {"width": size[0], "height": size[1]}
    assert {as_alice.post(move, {"to": to}).status_code for to in ("place x", "size 5", "place -1", "")} == {
        422
    }


def test_cards_that_wait_are_asked_for_alone(board, shop, as_alice) -> None:
    other = card_add(board, shop, "SELECT 1 AS one")
    seen(as_alice, board)
    script = {"X-Requested-With": "mirror-board"}
    part = as_alice.get(
        url("now", board.pk),
        {"only-cards": f"{other.pk},x,99999999999", "country": "Germany"},
        headers=script,
    )
    page = part.content.decode()
    assert f'id="card-{other.pk}"' in page
    assert f'id="card-{board.cards.first().pk}"' not in page
    assert not supplied(), "a card that is not asked for is not read"


# ---------------------------------------------------------------- what cards say


@pytest.mark.parametrize(
    ("sql", "shows", "said"),
    [
        ("SELECT nothing FROM customers", "", "nothing"),
        ("DELETE FROM customers", "", "This SQL was not run"),
        ("SELECT name FROM customers WHERE 1 = 0", "number", "No rows."),
        ("SELECT id FROM customers LIMIT 24", "number", "One number needs one row; these are 24 rows."),
        ("SELECT NULL AS n", "number", "no value"),
        ("SELECT 'a' AS a, 1234567 AS n, 'b' AS b", "number", "1,234,567"),
        ("SELECT name FROM customers LIMIT 60", "table", "the first 50 of 60 rows"),
        ("SELECT name, name, name FROM customers LIMIT 2", "chart", "2 rows"),
        (
            "SELECT '2025-01' AS month, 200 AS n UNION ALL SELECT '2025-02', 250",
            "change",
            "up 25 % from 200 in Jan 2025",
        ),
        (
            "SELECT '2025-02' AS month, 100 AS n UNION ALL SELECT '2025-01', 0",
            "change",
            "up from 0 in Jan 2025",
        ),
        ("SELECT 'a' AS a, 3 AS n UNION ALL SELECT 'b', 3", "change", "as 3 in a"),
        ("SELECT 'a' AS a, 3 AS n UNION ALL SELECT 'b', NULL", "change", "A change needs some rows"),
        ("SELECT 1 AS n", "change", "A change needs some rows"),
    ],
)
def test_a_card_says_in_its_own_box_what_came_of_its_sql(board, shop, as_alice, sql, shows, said) -> None:
    card_add(board, shop, sql, shows=shows)
    page = seen(as_alice, board)
    assert said in page.partition('class="card-body"')[2].partition('class="card-body"')[2]
    assert page.count('class="card-number"') >= 1, "the other card is there"
    assert as_alice.get(url("card", Card.objects.get(sql=sql).pk)).status_code == 200


def test_a_card_whose_saved_sql_or_source_is_gone_says_so(
    board, shop, saved, as_alice, alice, bob, team
) -> None:
    theirs = sql_save(bob, shop, "Bob's", "SELECT 7 AS seven")
    sql_share(theirs, [team], bob)
    services.card_add_saved(board, theirs)
    assert ">7<" in seen(as_alice, board)
    sql_share(theirs, [], bob)
    assert "no longer shared with the owner" in seen(as_alice, board)
    sql_delete(saved)
    assert seen(as_alice, board).count("The saved SQL of this card is gone") == 2
    source_delete(shop)
    assert seen(as_alice, board).count("The source of this card is gone.") == 2


def test_rows_that_are_no_longer_kept_are_offered_to_be_run_again(board, as_alice) -> None:
    seen(as_alice, board)
    result_delete(StoredResult.objects.get())
    page = seen(as_alice, board)
    assert "no longer kept" in page
    assert "Run it again" in page
    assert not supplied(), "nothing runs before somebody wants it"
    assert "no longer kept" in as_alice.get(url("card", board.cards.get().pk)).content.decode()
    as_alice.post(url("card_refresh", board.cards.get().pk))
    assert number(seen(as_alice, board))


def test_while_rows_are_read_anew_the_old_ones_stay_and_a_failure_keeps_them(
    board, as_alice, saved, monkeypatch
) -> None:
    before = number(seen(as_alice, board))
    old = StoredResult.objects.get()
    as_alice.post(url("refresh", board.pk))
    as_alice.post(url("refresh", board.pk))
    page = as_alice.get(url("dashboard", board.pk)).content.decode()
    assert "Waiting for a worker" in page
    assert number(page) == before
    assert supplied() == 1
    assert StoredResult.objects.get() != old, "the old rows went with the new ones"
    as_alice.post(url("refresh", board.pk))
    failure = running.Failure(running.FailureKind.LOST, "The server hung up.")
    monkeypatch.setattr(
        card_rows, "sql_run", lambda *_, **__: running.NotRun(running.NotRunWhy.FAILED, failure)
    )
    page = seen(as_alice, board)
    assert "The server hung up." in page
    assert "read before" in page
    assert number(page) == before


def test_a_card_that_takes_long_holds_no_other(board, shop, as_alice) -> None:
    card_add(board, shop, SLOW)
    as_alice.get(url("dashboard", board.pk))
    assert turn_take(Supply, Supply.objects.get(sql=SLOW).pk), "a worker is at it"
    assert supplied() == 1
    page = as_alice.get(url("dashboard", board.pk)).content.decode()
    assert number(page)
    assert page.count("The SQL is running") == 2


def test_who_asked_for_rows_stops_them_and_nobody_else(board, as_alice, as_bob) -> None:
    place = url("card_stop", board.cards.get().pk)
    page = as_alice.get(url("dashboard", board.pk)).content.decode()
    assert place in page
    assert place not in as_bob.get(url("dashboard", board.pk)).content.decode()
    as_bob.post(place)
    assert Supply.objects.get().status == Status.QUEUED
    as_alice.post(place)
    assert not supplied()
    assert "Stopped: Somebody stopped it" in seen(as_alice, board)
    as_bob.post(url("card_refresh", board.cards.get().pk))
    turn_take(Supply, Supply.objects.get().pk)
    as_bob.post(place)
    assert "Stopping" in as_bob.get(url("dashboard", board.pk)).content.decode()
    as_bob.post(place)
    assert Supply.objects.get().stop_requested


def test_a_source_that_was_pointed_at_another_database_has_other_rows(board, shop, as_alice) -> None:
    before = number(seen(as_alice, board))
    type(shop).objects.filter(pk=shop.pk).update(username="somebody")
    assert "Waiting for a worker" in as_alice.get(url("dashboard", board.pk)).content.decode()
    assert number(seen(as_alice, board)) == before


def test_a_drawing_that_breaks_is_not_made_again_and_again(board, shop, as_alice, monkeypatch) -> None:
    card_add(board, shop, TOP)

    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("no pen")

    monkeypatch.setattr(card_rows, "chart_drawn", breaks)
    as_alice.get(url("dashboard", board.pk))
    with unwatched():
        for one in Supply.objects.all():
            with pytest.raises(RuntimeError):
                work_do("supply", one.pk)
    assert "Something in Mirror itself broke" in seen(as_alice, board)
    assert not supplied()


def test_who_has_enough_on_the_way_is_told_in_the_card(board, as_alice, settings) -> None:
    settings.QUEUED_PER_PERSON = 0
    assert "on their way already" in seen(as_alice, board)
    assert not Supply.objects.exists()


def test_a_worker_that_is_stopped_or_whose_rows_vanished_ends_in_words(board, shop, as_alice, alice) -> None:
    seen(as_alice, board)
    supply, result = Supply.objects.get(), StoredResult.objects.get()
    result.file.storage.delete(result.file.name)
    services.card_change(board.cards.get(), title="Another", shows="chart")
    Drawing.objects.update(of=None)
    as_alice.get(url("dashboard", board.pk))
    supplied()
    supply.refresh_from_db()
    assert (supply.status, supply.result) == (Status.DONE, None)


# ---------------------------------------------------------------- time


def test_rows_are_read_anew_when_their_time_has_come_and_once(board, as_alice, alice) -> None:
    seen(as_alice, board)
    services.dashboard_change(board, name="Customers", description="", refresh_minutes=60)
    assert (services.dashboards_refresh_due(), services.dashboards_refresh_due(), supplied()) == (1, 0, 1)
    with time_machine.travel(timezone.now() + timedelta(minutes=61), tick=False):
        alice.is_active = False
        alice.save()
        assert services.dashboards_refresh_due() == 0, "nobody is there to read as"
        alice.is_active = True
        alice.save()
        assert services.dashboards_refresh_due() == 1


def test_rows_that_went_long_ago_are_forgotten(board, as_alice) -> None:
    seen(as_alice, board)
    result_delete(StoredResult.objects.get())
    assert card_rows.supplies_tidy() == 0
    with time_machine.travel(timezone.now() + card_rows.FORGOTTEN_AFTER + timedelta(days=1)):
        assert card_rows.supplies_tidy()
    assert not Supply.objects.exists()


def test_twenty_cards_cost_fifteen_store_queries_at_most(
    board, shop, saved, as_alice, django_assert_max_num_queries
) -> None:
    for n in range(9):
        card_add(board, shop, f"SELECT country, count(*) AS n{n} FROM customers GROUP BY country")
        services.card_add_saved(board, saved)
    services.card_add_text(board, "Words", "Some")
    assert board.cards.count() == 20
    seen(as_alice, board)
    with django_assert_max_num_queries(15) as counted:
        page = as_alice.get(url("dashboard", board.pk)).content.decode()
    assert page.count("<mirror-chart") == 9
    assert len(counted)


def test_what_somebody_left_goes_to_somebody_else(board, alice, bob, admin) -> None:
    alice.is_active = False
    alice.save()
    assert [(one.key, one.about) for one in owned_by(alice) if one.kind == "dashboard"] == [
        (f"dashboard-{board.pk}", "1 card")
    ]
    assert things_transfer(alice, [f"dashboard-{board.pk}"], bob, admin) == 1
    board.refresh_from_db()
    assert board.owner == bob
