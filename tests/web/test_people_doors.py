"""Every address there is, by every verb: signed-out visitors are sent to sign in, strangers find nothing.

The addresses are read from the project itself, so a new page is walked the day it is added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

pytestmark = pytest.mark.django_db

# Addresses open to somebody who is not signed in, each with its reason.
OPEN = {
    "healthz",  # load balancers ask
    "livez",  # who starts containers asks
    "readyz",  # so it does of this
    "people:sign_in",
    "people:sign_in_link",
    "people:provider_begin",  # leads to the identity provider; not there without one
    "people:provider_back",  # leads back; known by what the browser's session keeps
    "people:provider_out",  # says that one is signed out
    "people:passkey_ask",  # tells a browser to ask for a passkey; names nobody
    "people:passkey_enter",  # signs in by a passkey
    "people:sign_out",  # asks nothing, tells nothing
    "reports:consent",  # asks somebody without an account whether they want a report's mails; signed link
    "reports:consent_stop",  # ends them, by a signed link of every such mail
    "upkeep:metrics",  # Prometheus sends a token of its own; for others it is not there
    "sharing:link",  # shows a question, a thread or a dashboard to holders of its link
    "sharing:link_pdf_ask",  # the PDF of a dashboard for who has its link
    "sharing:link_pdf",
    "sharing:link_pdf_file",
    "sharing:link_now",  # the same, asked again by its own page
    "reports:link",  # gives a file to holders of its link
}
VALUES = {
    "seen": "x",
    "pk": 1,
    "correction": 1,
    "term": 1,
    "trial": 1,
    "answer": 1,
    "given": 1,
    "evaluation": 1,
    "shift": 1,
    "round": 1,
    "user_pk": 1,
    "team": 1,
    "index": 0,
    "token": "x",
    "mark": "x",
    "part": 1,
    "number": 0,
    "format": "csv",
}
NO_ROW = "00000000-0000-4000-8000-000000000000"


def addresses(patterns=None, namespace: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Every named address with the kinds of its arguments."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from addresses(pattern.url_patterns, namespace + inner)
        elif isinstance(pattern, URLPattern):
            assert pattern.name, f"{pattern} has no name"
            kinds = {name: type(kind).__name__ for name, kind in pattern.pattern.converters.items()}
            yield namespace + pattern.name, kinds


# Calls of the API are known by tokens, and nobody is sent to sign in; `docs/api.md` tells who gets what.
API = "api-v1:"
EVERY = sorted(addresses())
ALL = [pair for pair in EVERY if not pair[0].startswith(API)]


def address(name: str, kinds: dict[str, str], pk: int | None = None) -> str:
    """An address with something in each of its places."""
    places = {place: NO_ROW if kind == "UUIDConverter" else VALUES[place] for place, kind in kinds.items()}
    return reverse(name, kwargs=places | ({"pk": pk} if pk is not None else {}))


def test_there_are_pages_of_every_subject():
    subjects = {name.partition(":")[0] for name, _ in ALL}
    assert {"people", "sources", "results", "library", "asking", "healthz"} <= subjects


@pytest.mark.parametrize(("name", "kinds"), [pair for pair in ALL if pair[0] not in OPEN])
def test_a_signed_out_visitor_is_sent_to_sign_in_from_everywhere(client, name, kinds):
    for verb in ("get", "post", "put", "delete", "head", "options"):
        answer = getattr(client, verb)(address(name, kinds))
        assert answer.status_code == 302, verb
        assert answer.url.startswith(reverse("people:sign_in"))


@pytest.mark.parametrize(("name", "kinds"), [pair for pair in EVERY if pair[0].startswith(API)])
def test_the_api_is_closed_without_a_token_to_sessions_too(client, as_alice, name, kinds):
    url = reverse(name, kwargs=dict.fromkeys(kinds, 1))
    for browser in (client, as_alice):
        for verb in ("get", "post", "put", "delete", "head", "options"):
            answer = getattr(browser, verb)(url)
            assert answer.status_code in (401, 405), verb
            assert answer["Content-Type"] == "application/problem+json"


@pytest.fixture
def saved(alice, shop, team):
    from mirror.library.services import sql_save

    saved = sql_save(alice, shop, "Kept", "SELECT 1")
    saved.teams.add(team)
    return saved


@pytest.fixture
def upload(alice):
    from mirror.sources.models import Upload

    return Upload.objects.create(owner=alice)


@pytest.mark.parametrize("verb", ["get", "post"])
@pytest.mark.parametrize(
    ("name", "kinds"), [pair for pair in ALL if pair[0].startswith(("sources:", "library:")) and pair[1]]
)
def test_a_stranger_and_an_administrator_find_nothing_of_others(
    as_charlie, as_admin, shop, saved, upload, name, kinds, verb
):
    thing = shop if name.startswith("sources:") else saved
    if kinds["pk"] == "UUIDConverter":
        thing = upload
    for browser in (as_charlie, as_admin):
        answer = getattr(browser, verb)(address(name, kinds, thing.pk))
        assert answer.status_code in (404, 405)
    thing.refresh_from_db()


@pytest.mark.parametrize(("name", "kinds"), [pair for pair in ALL if pair[1]])
def test_an_id_that_is_not_there_is_not_found(as_alice, name, kinds):
    for verb in ("get", "post"):
        if name != "people:sign_in_link":
            kept = {place: VALUES.get(place, 0) if place != "pk" else 0 for place in kinds}
            url = reverse(name, kwargs=kept | {"pk": NO_ROW} if "UUIDConverter" in kinds.values() else kept)
            assert getattr(as_alice, verb)(url).status_code in (403, 404, 405)


def test_a_form_from_elsewhere_is_not_taken(alice):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    answer = browser.post(reverse("people:sign_out"))
    assert answer.status_code == 403
    assert "<h1>" in answer.content.decode()
    assert "_auth_user_id" in browser.session


def test_every_page_of_the_tabs_for_administrators_belongs_to_people_in_the_rail(as_admin):
    tabs = re.findall(
        r'<a href="([^"]+)"', navigation(as_admin, reverse("people:people"), "People and teams")
    )
    assert len(tabs) == 8
    for address in tabs:
        here = re.findall(r'aria-current="page".*?>([^<]+)</a>', navigation(as_admin, address, "Main"))
        assert here == ["People"], address


def navigation(browser: Client, address: str, label: str) -> str:
    page = browser.get(address).content.decode()
    found = re.search(rf'<nav[^>]*aria-label="{label}".*?</nav>', page, re.DOTALL)
    assert found is not None
    return found[0]
