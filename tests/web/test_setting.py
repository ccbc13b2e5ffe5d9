"""A value chosen on a card sets the parameter it is a value of: offered where the SQL or the name says so, to nobody else's rows."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.urls import reverse

from mirror.dashboards import services
from mirror.dashboards.models import Card, Dashboard, Supply
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.web.working import unwatched

COUNTRY = {"name": "land", "kind": "text", "default": "Norway", "label": "Country"}
BY_COUNTRY = "SELECT c.country AS place, count(*) AS customers FROM customers c GROUP BY 1 ORDER BY 1"
OF_COUNTRY = "SELECT count(*) AS everybody FROM customers WHERE country = :land"
NAMES = "SELECT country AS home, name AS customer FROM customers ORDER BY id"
# A column with the parameter's label that is another one.
WARES = "SELECT p.name AS country, p.price FROM products p ORDER BY 1"


@pytest.fixture
def board(transactional_db, alice, shop, team, media) -> Dashboard:
    made = services.dashboard_make(alice, "Customers")
    services.dashboard_share(made, [team], alice)
    for title, sql, parameters in (
        ("Places", BY_COUNTRY, []),
        ("Everybody", OF_COUNTRY, [COUNTRY]),
        ("Wares", WARES, []),
    ):
        Card.objects.create(
            dashboard=made,
            kind="sql",
            source=shop,
            sql=sql,
            title=title,
            shows="table",
            parameters=parameters,
        )
    return made


def look(browser, board: Dashboard, **sent: str) -> str:
    address = reverse("dashboards:dashboard", args=[board.pk])
    browser.get(address, sent)
    with unwatched():
        for one in Supply.objects.filter(status=Status.QUEUED):
            assert work_do("supply", one.pk)
    page = browser.get(address, sent)
    assert page.status_code == 200
    return html.unescape(page.content.decode())


def part(page: str, board: Dashboard, title: str) -> str:
    pk = board.cards.get(title=title).pk
    return page.split(f'id="card-{pk}"', 1)[1].split("</article>", 1)[0]


def sets(text: str) -> dict[str, list[list[str]]]:
    found = re.search(r'data-sets="(.*?}?)" aria', text)
    return json.loads(found[1]) if found else {}


def test_a_column_that_the_sql_compares_with_a_parameter_sets_it(board, as_alice) -> None:
    page = look(as_alice, board)
    assert sets(part(page, board, "Places")) == {"0": [["land", "Country"]]}
    (link,) = re.findall(r'href="(\?[^"#]*)#card-\d+">Germany</a>', part(page, board, "Places"))
    assert link == "?land=Germany", "no other card has the column, so a cell sets it without scripts"
    germany = look(as_alice, board, land="Germany")
    assert "Germany" in germany.split('name="land"')[1].split(">")[0]
    own = part(germany, board, "Places")
    assert re.search(r'href="\?#card-\d+" aria-current="true">Germany</a>', own), "the same cell clears it"


def test_a_column_of_the_same_name_that_is_another_one_sets_nothing(board, as_alice) -> None:
    page = look(as_alice, board)
    assert sets(part(page, board, "Wares")) == {}
    assert sets(part(page, board, "Everybody")) == {}, "a count is no country"


def test_where_the_sql_does_not_tell_the_name_decides_and_kinds_must_agree(board, shop, as_alice) -> None:
    for title, sql in (
        ("Upper", "SELECT upper(country) AS country, count(*) AS n FROM customers GROUP BY 1"),
        ("Number", "SELECT length(country) AS country, count(*) AS n FROM customers GROUP BY 1"),
    ):
        Card.objects.create(dashboard=board, kind="sql", source=shop, sql=sql, title=title, shows="table")
    page = look(as_alice, board)
    assert sets(part(page, board, "Upper")) == {"0": [["land", "Country"]]}
    assert sets(part(page, board, "Number")) == {}


def test_a_choice_that_filters_can_set_the_parameter_instead(board, shop, as_alice) -> None:
    Card.objects.create(dashboard=board, kind="sql", source=shop, sql=NAMES, title="People", shows="table")
    page = look(as_alice, board)
    places = part(page, board, "Places")
    (link,) = re.findall(r'href="(\?[^"#]*)#card-\d+">Germany</a>', places)
    assert link.startswith("?where=") and "data-picks" in places and sets(places)
    where = f"{board.cards.get(title='Places').pk}:place:== Germany"
    chosen = look(as_alice, board, where=where).split('id="board-where"')[1]
    assert '?land=Germany"' in chosen and ">Set Country to Germany</a>" in chosen
    assert (
        "Set Country" not in look(as_alice, board, where=where, land="Germany").split('id="board-where"')[1]
    )


def test_who_does_not_see_the_source_is_offered_nothing(board, shop, as_alice, as_bob, as_charlie) -> None:
    look(as_alice, board)
    assert sets(part(look(as_bob, board), board, "Places"))
    address = reverse("dashboards:dashboard", args=[board.pk])
    assert as_charlie.get(address, {"land": "Germany"}).status_code == 404
    shop.teams.clear()
    assert "data-sets" not in look(as_bob, board)


def test_nothing_is_set_where_cards_are_arranged(board, as_alice) -> None:
    look(as_alice, board)
    page = as_alice.get(reverse("dashboards:edit", args=[board.pk])).content.decode()
    assert "data-sets" not in page
