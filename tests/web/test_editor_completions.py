"""Completions of an editor: from what is at hand of the source, and no more of it than somebody may see."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.sources.guarding import policy_set
from mirror.sources.models import Source

pytestmark = pytest.mark.django_db


def offered(browser, source: Source, sql: str) -> list[str]:
    at = sql.index("|")
    place = reverse("queries:complete_sql", args=[source.pk])
    reply = browser.post(place, {"sql": sql.replace("|", "", 1), "at": at})
    assert reply.status_code == 200
    return [one["label"] for one in reply.json()["completions"]]


def test_columns_and_joins_of_the_source_are_offered(shop, as_alice) -> None:
    assert offered(as_alice, shop, "SELECT cou| FROM customers")[0] == "country"
    assert (
        offered(as_alice, shop, "SELECT * FROM orders o JOIN customers c ON |")[0] == "o.customer_id = c.id"
    )


def test_a_place_is_counted_in_lines_as_the_editor_has_them(shop, as_alice) -> None:
    place = reverse("queries:complete_sql", args=[shop.pk])
    sql = "SELECT *\nFROM customers\nWHERE cou"
    sent = {"sql": sql.replace("\n", "\r\n"), "at": len(sql)}
    assert as_alice.post(place, sent).json()["completions"][0]["start"] == sql.index("cou")
    checked = as_alice.post(
        reverse("queries:check_sql", args=[shop.pk]), {"sql": "SELECT\r\n\r\nnope\r\nFROM stores"}
    )
    assert checked.json()["problem"]["position"] == len("SELECT\n\n")


def test_stored_values_are_offered_to_whoever_may_see_them(shop, as_alice, as_bob) -> None:
    sql = "SELECT * FROM customers WHERE country = 'nor|"
    assert offered(as_alice, shop, sql) == ["Norway"]
    assert offered(as_bob, shop, sql) == [], "the source shows its schema only"
    Source.objects.filter(pk=shop.pk).update(privacy="rows")
    assert offered(as_bob, shop, sql) == ["Norway"]


@pytest.mark.parametrize("column", ["name", "email"])
def test_values_of_single_persons_never_are(shop, as_alice, column: str) -> None:
    Source.objects.filter(pk=shop.pk).update(privacy="rows")
    assert offered(as_alice, shop, f"SELECT * FROM customers WHERE {column} = 'a|") == []
    assert (
        offered(
            as_alice, shop, f"WITH x AS (SELECT {column} AS y FROM customers) SELECT * FROM x WHERE y = '|"
        )
        == []
    )


def test_functions_that_an_administrator_allowed_are_offered(shop, admin, as_alice) -> None:
    assert "my_rate()" not in offered(as_alice, shop, "SELECT my_r| FROM stores")
    policy_set(shop, ["my_rate"], [], by=admin)
    shop.refresh_from_db()
    assert "my_rate()" in offered(as_alice, shop, "SELECT my_r| FROM stores")


@pytest.mark.parametrize("at", ["", "x", "-1", "²", "9" * 30])
def test_a_place_that_is_none_offers_nothing(shop, as_alice, at: str) -> None:
    place = reverse("queries:complete_sql", args=[shop.pk])
    assert as_alice.post(place, {"sql": "SELECT ", "at": at}).json() == {"completions": []}


def test_nothing_is_offered_of_a_source_that_was_not_read_or_is_not_theirs(
    new_shop, as_alice, as_charlie
) -> None:
    place = reverse("queries:complete_sql", args=[new_shop.pk])
    assert as_alice.post(place, {"sql": "SEL", "at": 3}).json() == {"completions": []}
    assert as_charlie.post(place, {"sql": "SEL", "at": 3}).status_code == 404
    assert as_alice.get(place).status_code == 405


def test_long_texts_are_not_completed(shop, as_alice) -> None:
    assert offered(as_alice, shop, "SELECT " + "1," * 30_000 + "|") == []
