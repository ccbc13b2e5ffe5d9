"""Caching of responses: never by a proxy, pages by a browser; `test_server` tests static files."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from mirror.api.services import token_make

PAGE, ONCE = "private, no-cache", "private, no-store"


def test_pages_of_who_is_signed_in_are_kept_by_no_proxy(answered, shop, as_alice, as_charlie) -> None:
    run = reverse("asking:run", args=[answered.pk])
    for address in ("/", run, "/history/", f"/sources/{shop.pk}/", "/account/", "/nowhere"):
        said = as_alice.get(address)
        assert "private" in said["Cache-Control"], address
    assert as_alice.get(run)["Cache-Control"] == PAGE
    assert (as_charlie.get(run).status_code, as_charlie.get(run)["Cache-Control"]) == (404, PAGE)
    assert Client().get(run)["Cache-Control"] == PAGE, "where one is sent to sign in"


def test_a_fragment_is_not_stored_so_that_back_never_shows_it_alone(answered, as_alice) -> None:
    said = as_alice.get(reverse("asking:run", args=[answered.pk]), headers={"HX-Request": "true"})
    assert (said.status_code, said["Cache-Control"]) == (200, ONCE)


def test_answers_of_the_api_are_not_stored(answered, alice) -> None:
    secret = token_make(alice, "t", ["ask", "read"], days=1)[1]
    for address in (
        f"/api/v1/runs/{answered.pk}",
        "/api/v1/sources",
        "/api/v1/nowhere",
        "/api/v1/openapi.json",
    ):
        said = Client().get(address, headers={"Authorization": f"Bearer {secret}"})
        assert "no-store" in said["Cache-Control"], address


def test_an_answer_that_says_so_itself_is_left_alone(answered, alice, as_alice) -> None:
    assert (
        Client().get("/livez")["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    )
    said = Client().get(reverse("people:sign_in"))["Cache-Control"]
    assert "no-store" in said and "max-age=0" in said


def test_downloads_are_not_stored(answered, as_alice) -> None:
    result = answered.versions.get().result
    address = reverse("exports:download", args=[result.pk, "csv"])
    said = as_alice.get(address)
    assert (said.status_code, said["Cache-Control"]) == (200, ONCE)
