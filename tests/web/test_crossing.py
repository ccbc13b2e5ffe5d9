"""A value chosen on one card of a dashboard filters the others, by stored rows alone and for people who may see them."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.urls import reverse

from mirror.dashboards import services
from mirror.dashboards.crossing import cards_cross, conditions_read
from mirror.dashboards.models import Card, Dashboard, Supply
from mirror.dashboards.pdf_exports import _chapters
from mirror.results.services import result_delete
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.web.working import unwatched

BY_COUNTRY = "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY country"
# The same column under another name, an aggregate of its own, and none of it.
NAMES = "SELECT c.country AS land, c.name AS customer FROM customers c ORDER BY c.id"
ALL = "SELECT count(*) AS everybody FROM customers"
# A column of the same name that is another one.
OTHER = "SELECT p.name AS country, p.price FROM products p"
CHART = "SELECT upper(substr(name, 1, 1)) AS letter, country, count(*) AS n FROM customers GROUP BY 1, 2"


@pytest.fixture
def board(transactional_db, alice, shop, team, media) -> Dashboard:
    made = services.dashboard_make(alice, "Customers")
    services.dashboard_share(made, [team], alice)
    for title, sql, shows in (
        ("Countries", BY_COUNTRY, "table"),
        ("People", NAMES, "table"),
        ("Everybody", ALL, ""),
        ("Wares", OTHER, "table"),
        ("Letters", CHART, "table"),
    ):
        Card.objects.create(dashboard=made, kind="sql", source=shop, sql=sql, title=title, shows=shows)
    return made


def read() -> None:
    with unwatched():
        for one in Supply.objects.filter(status=Status.QUEUED):
            assert work_do("supply", one.pk)


def look(browser, board: Dashboard, *where: str, **headers: str) -> str:
    address = reverse("dashboards:dashboard", args=[board.pk])
    if Supply.objects.count() == 0:
        browser.get(address)
        read()
    page = browser.get(address, {"where": where}, headers=headers)
    assert page.status_code == 200
    return html.unescape(page.content.decode())


def part(page: str, board: Dashboard, title: str) -> str:
    pk = board.cards.get(title=title).pk
    return page.split(f'id="card-{pk}"', 1)[1].split("</article>", 1)[0]


def chosen(
    board: Dashboard, text: str = "== Norway", column: str = "country", title: str = "Countries"
) -> str:
    return f"{board.cards.get(title=title).pk}:{column}:{text}"


def test_a_value_filters_every_card_with_that_column_and_the_others_say_why_not(board, as_alice) -> None:
    page = look(as_alice, board, chosen(board))
    assert "country is Norway" in page and "2 cards filtered, by the rows that are stored" in page
    people = part(page, board, "People")
    assert re.search(r"Filtered: country is Norway · \d+ of [\d,]+ rows", people), (
        "the same column by another name"
    )
    assert set(re.findall(r">(Norway|Sweden|Germany|Denmark)</a>", people)) == {"Norway"}
    assert "Filtered: country is Norway" in part(page, board, "Letters"), "by name and kind"
    assert "Not filtered: has no column country" in part(page, board, "Everybody")
    assert "Not filtered: its country is another column, products.name" in part(page, board, "Wares")
    own = part(page, board, "Countries")
    assert "Chosen here: country is Norway" in own and own.count('class="pick"') > 1, "its other values stay"
    assert own.count('aria-current="true"') == 1


def test_a_pivot_is_filtered_as_a_pivot_and_values_of_its_rows_filter_the_others(
    board, as_alice, alice
) -> None:
    kept = {"rows": ["country"], "column": "letter", "value": "n", "aggregate": "sum", "by_total": False}
    board.cards.filter(title="Letters").update(shows="pivot", chart={"mark": "none", "pivot": kept})
    whole = part(look(as_alice, board), board, "Letters")
    values = re.findall(r'href="\?[^"#]*#card-\d+">([^<]+)</a>', whole)
    assert "Norway" in values and len(values) > 3 and "All rows" in whole and "All rows" not in values
    heads = re.findall(r"<th [^>]*>", whole)
    assert len(heads) > 2 and ['class="num"' in head for head in heads[1:]] == [True] * (len(heads) - 1), (
        "a heading stands over its figures where the first row has none"
    )
    filtered = part(look(as_alice, board, chosen(board)), board, "Letters")
    assert re.findall(r'href="\?[^"#]*#card-\d+">([^<]+)</a>', filtered) == ["Norway"]
    assert "Filtered: country is Norway" in filtered and "Total" in filtered, "of the rows that pass"
    own = part(look(as_alice, board, chosen(board, title="Letters")), board, "Letters")
    assert own.count('aria-current="true"') == 1 and "Sweden" in own
    assert "Filtered: country is Norway" in part(
        look(as_alice, board, chosen(board, title="Letters")), board, "People"
    )


def test_the_file_of_a_dashboard_has_the_pivot_of_the_rows_that_pass(board, as_alice, alice) -> None:
    kept = {"rows": ["country"], "column": None, "value": "n", "aggregate": "sum", "by_total": False}
    board.cards.filter(title="Letters").update(shows="pivot", chart={"mark": "none", "pivot": kept})
    look(as_alice, board)
    served = services.cards_serve(alice, board, list(board.cards.all()), {})
    crossing = cards_cross(served, conditions_read([chosen(board)]))
    (sheet,) = (one for one in _chapters(alice, served, crossing).sheets if one.title == "Letters")
    (rows,) = sheet.batches()
    assert sheet.columns == ("country", "Total") and [row[0] for row in rows] == ["Norway"]
    assert "Filtered: country is Norway" in sheet.sentence and "are shown here" not in sheet.sentence


def test_choices_are_links_that_add_up_and_are_removed_one_by_one(board, as_alice) -> None:
    page = look(as_alice, board)
    (link,) = re.findall(r'href="(\?[^"#]*)#card-\d+">Norway</a>', part(page, board, "Countries"))
    address = reverse("dashboards:dashboard", args=[board.pk])
    page = html.unescape(as_alice.get(address + link).content.decode())
    assert "Filtered: country is Norway" in part(page, board, "People")
    letter = re.findall(r'href="(\?[^"#]*)#card-\d+">[A-Z]</a>', part(page, board, "Letters"))
    assert not letter, "no other card has that column"
    both = look(as_alice, board, chosen(board), chosen(board, "== nobody", "customer", "People"))
    assert both.count("Remove the filter") == 2
    removed = re.findall(
        rf'href="{address}(\?[^"]*)"[^>]*aria-label="Remove the filter country is Norway"', both
    )
    assert len(removed) == 1 and "Norway" not in removed[0] and "nobody" in removed[0]
    assert f'href="{address}?">Reset' in both


@pytest.mark.parametrize(
    "where",
    [
        "x",
        "999999:country:== Norway",
        "{card}:nothing:== Norway",
        "{card}:customers:= 1; DROP TABLE x",
        "{card}:country:> 5",
        "{card}:country:Nor",
    ],
)
def test_what_is_no_choice_of_a_card_filters_nothing_and_says_so(board, as_alice, where) -> None:
    page = look(as_alice, board, where.format(card=board.cards.get(title="Countries").pk))
    assert "Filtered" not in page


def test_a_value_is_a_value_whatever_it_says(board, as_alice) -> None:
    page = look(as_alice, board, chosen(board, "== ' OR 1=1 --"))
    assert re.search(r"· 0 of [\d,]+ rows", part(page, board, "People"))
    assert "None of its stored rows matches the filter." in part(page, board, "People")


def test_no_statement_reaches_the_source_and_rows_that_are_gone_are_said(board, as_alice) -> None:
    look(as_alice, board)
    before = list(Supply.objects.order_by("pk").values_list("ended_at", "result"))
    look(as_alice, board, chosen(board))
    assert list(Supply.objects.order_by("pk").values_list("ended_at", "result")) == before
    gone = Supply.objects.get(sql=NAMES).result
    gone.file.storage.delete(gone.file.name)
    page = part(look(as_alice, board, chosen(board)), board, "People")
    assert "Not filtered: The file with these rows is missing." in page
    result_delete(gone)


def test_the_team_filters_what_it_sees_and_a_stranger_finds_nothing(
    board, shop, as_alice, as_bob, as_charlie
) -> None:
    look(as_alice, board)
    address = reverse("dashboards:dashboard", args=[board.pk])
    assert "Filtered: country is Norway" in look(as_bob, board, chosen(board))
    assert as_charlie.get(address, {"where": chosen(board)}).status_code == 404
    shop.teams.clear()
    page = look(as_bob, board, chosen(board))
    assert "Norway" not in page and "on no card any more" in page


def test_a_page_that_waits_and_the_page_of_one_card_are_filtered_too(board, as_alice) -> None:
    look(as_alice, board)
    people = board.cards.get(title="People")
    asked = {"where": chosen(board), "only-cards": str(people.pk)}
    now = reverse("dashboards:now", args=[board.pk])
    fragment = as_alice.get(now, asked, headers={"X-Requested-With": "mirror-board"}).content.decode()
    assert fragment.count("<article") == 1 and 'id="board-where"' in fragment
    assert "Filtered: country is Norway" in fragment and "Remove the filter" in fragment
    assert "where=" in as_alice.get(now, asked)["Location"]
    one = html.unescape(
        as_alice.get(reverse("dashboards:card", args=[people.pk]), {"where": chosen(board)}).content.decode()
    )
    assert "Filtered: country is Norway" in one
    assert "where=" in one.split('class="crumbs"')[1].split("</p>")[0], "the way back keeps it"
    edit = as_alice.get(
        reverse("dashboards:edit", args=[board.pk]), {"where": chosen(board)}
    ).content.decode()
    assert "Filtered" not in edit, "all rows are arranged"


def test_full_screen_is_a_page_of_its_own_that_keeps_values_and_choices(board, as_alice, as_charlie) -> None:
    look(as_alice, board)
    Dashboard.objects.update(refresh_minutes=15)
    address = reverse("dashboards:dashboard", args=[board.pk])
    plain = html.unescape(as_alice.get(address, {"where": chosen(board)}).content.decode())
    (link,) = re.findall(rf'data-screen href="{address}(\?[^"]*full-screen=1[^"]*)"', plain)
    assert "where=" in link and " presents" not in plain
    alone = html.unescape(as_alice.get(address + link).content.decode())
    assert " presents scheduled>" in alone
    assert '<noscript><meta http-equiv="refresh" content="900"></noscript>' in alone, "at its schedule"
    (back,) = re.findall(rf'board-leave" data-screen href="{address}(\?[^"]*)"', alone)
    assert "where=" in back and "full-screen" not in back
    assert all("full-screen=1" in one for one in re.findall(r'data-where href="([^"]*)"', alone))
    assert as_charlie.get(address + link).status_code == 404


def test_more_rows_than_are_drawn_while_somebody_waits_are_a_table_that_says_so(
    board, shop, as_alice, monkeypatch
) -> None:
    sql = "SELECT country, city, count(*) AS n FROM customers GROUP BY 1, 2 ORDER BY 1, 2"
    Card.objects.create(dashboard=board, kind="sql", source=shop, sql=sql, title="Drawn")
    look(as_alice, board)
    assert "<mirror-chart" in part(look(as_alice, board, chosen(board)), board, "Drawn")
    monkeypatch.setattr("mirror.dashboards.crossing.CROSSED_ROWS", 2)
    card = part(look(as_alice, board, chosen(board)), board, "Drawn")
    assert "<mirror-chart" not in card and "More than 2 rows match; they are not drawn anew." in card
    assert re.search(r"the first 2 of \d+ rows", card)


def test_a_series_keeps_its_colour_when_its_card_is_filtered(board, shop, as_alice) -> None:
    each = "SELECT strftime('%Y', ordered_at) AS year, channel, count(*) AS n FROM orders GROUP BY 1, 2 ORDER BY 1, 2"
    ways = "SELECT channel, count(*) AS n FROM orders GROUP BY 1 ORDER BY 1"
    Card.objects.create(dashboard=board, kind="sql", source=shop, sql=each, title="Years")
    Card.objects.create(dashboard=board, kind="sql", source=shop, sql=ways, title="Ways", shows="table")

    def drawn(*where: str) -> list[tuple[str, int | None]]:
        card = part(look(as_alice, board, *where), board, "Years")
        figure = json.loads(card.split('type="application/json">', 1)[1].split("</script>", 1)[0])
        return [(trace["name"], (trace.get("meta") or {}).get("place")) for trace in figure["data"]]

    names = [name for name, _ in drawn()]
    assert len(names) > 1
    for place, name in enumerate(names):
        assert drawn(chosen(board, f"== {name}", "channel", "Ways")) == [(name, place)]
