"""While somebody types: questions asked before, names of the source, values stored in it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking import services
from mirror.sources.services import catalog_refresh, index_build

pytestmark = pytest.mark.django_db


@pytest.fixture
def known(shop, media):
    """The shop with its catalog and values read."""
    catalog_refresh(shop)
    index_build(shop)
    shop.refresh_from_db()
    return shop


def suggested(client, typed: str, source: str = "shop") -> list[tuple[str, str]]:
    reply = client.get(reverse("asking:suggest"), {"q": typed, "source": source})
    return [(found["text"], found["note"]) for found in reply.json()["suggestions"]]


def test_names_of_tables_and_columns_are_offered_in_words(known, as_alice) -> None:
    found = suggested(as_alice, "how many cust")
    assert ("customers", "table") in found
    assert any(note.startswith("column of") for _, note in suggested(as_alice, "highest sal"))


def test_stored_values_are_offered_by_their_first_words(known, as_alice) -> None:
    found = suggested(as_alice, "customers in unit")
    assert ("United States", "country of customers") in found
    reply = as_alice.get(reverse("asking:suggest"), {"q": "customers in united st", "source": "shop"}).json()
    states = next(one for one in reply["suggestions"] if one["text"] == "United States")
    assert states["start"] == len("customers in ")


def test_examples_and_ones_own_questions_are_offered(known, alice, as_alice, as_bob) -> None:
    services.run_ask(alice, known, "Which zebras were sold?")
    assert ("Which zebras were sold?", "question") in suggested(as_alice, "zebras")
    assert suggested(as_bob, "zebras") == []
    example = known.examples[0]
    assert (example, "question") in suggested(as_bob, example[:12])


@pytest.mark.parametrize("typed", ["", " ", "a", "of the ", "%%%", "x" * 5000])
def test_nothing_is_offered_where_there_is_nothing_to_go_on(known, as_alice, typed) -> None:
    assert suggested(as_alice, typed) == []


def test_a_source_that_was_never_read_offers_its_examples_and_is_not_read_now(shop, as_alice) -> None:
    type(shop).objects.update(database="/nowhere/at/all.sqlite3", catalog=None, catalog_version="")
    assert suggested(as_alice, "revenue")


def test_a_stranger_is_offered_nothing(known, as_charlie, client) -> None:
    address = reverse("asking:suggest") + "?source=shop&q=cust"
    assert as_charlie.get(address).status_code == 404
    assert client.get(address).status_code == 302
