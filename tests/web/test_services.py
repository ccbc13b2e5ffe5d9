"""Services: made by administrators, used by tokens alone, and shown nothing private of anybody."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from mirror.api import services
from mirror.api.models import Scope, Token
from mirror.audit.models import AuditRow
from mirror.people.models import User
from mirror.people.services import PeopleError, link_create, member_add, member_remove, user_make_staff
from mirror.reports.models import Report
from mirror.reports.selectors import owners_offered
from mirror.sources.models import Source
from mirror.upkeep.selectors import heirs_of
from mirror.work.doing import work_do
from tests.web.api_world import Caller, World, secret_of, world_make

pytestmark = pytest.mark.django_db

URL = "/people/services/"
ALL = [scope.value for scope in Scope]


@pytest.fixture
def world(alice, bob, charlie, admin, team, shop, media) -> World:
    """Alice's things as Bob's team sees them; the administrator is of the team."""
    made = world_make(alice, bob, charlie, team, shop)
    member_add(team, admin.username)
    return made


def wish(team, *sources, **more) -> dict[str, object]:
    pks = [source.pk for source in sources]
    asked = {"name": "nightly-export", "use": "program", "scopes": ALL, "days": "30"}
    return asked | {"teams": [team.pk], "sources": pks} | more


def made(browser, team, *sources, **more) -> str:
    """Make a service on the page, and give the secret that is shown."""
    answer = browser.post(URL, wish(team, *sources, **more))
    assert answer.status_code == 200
    (secret,) = re.findall(r"mir_[\w-]{43}", answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    return secret


@pytest.mark.django_db(transaction=True)
def test_a_service_sees_what_is_shared_with_its_team_and_nothing_private(
    as_admin, admin, world, team, shop, alice, bob
):
    secret = made(as_admin, team, shop)
    assert secret not in as_admin.get(URL).content.decode()
    call = Caller(secret)
    assert [one["name"] for one in call.get("/sources").json()["items"]] == ["shop"]
    assert call.get("/token").json()["person"] == "nightly-export"
    # Bob's run and version on the same source, and his private source.
    assert call.get(f"/runs/{world.run.pk}").status_code == 404
    assert call.get(f"/versions/{world.version.pk}").status_code == 404
    private = Source.objects.get(name="other")
    assert call.get(f"/sources/{private.name}").status_code == 404
    # Things that Alice shared with the team are listed as for Bob's token on that source.
    seen = Caller(secret_of(bob, sources=[shop]))
    for path in ("/saved", "/reports"):
        mine, his = (one.get(path).json()["items"] for one in (call, seen))
        assert [one["name" if path == "/saved" else "title"] for one in mine] == [
            one["name" if path == "/saved" else "title"] for one in his
        ]
    assert call.post("/runs", {"source": "other", "question": "How many?"}).status_code == 404
    asked = call.post("/runs", {"source": "shop", "question": "How many customers are there?"})
    assert asked.status_code == 202
    work_do("run", asked.json()["id"])
    assert call.get(f"/runs/{asked.json()['id']}").json()["outcome"] == "answered"
    assert seen.get(f"/runs/{asked.json()['id']}").status_code == 404, "its runs are its own"
    told = AuditRow.objects.get(verb="made a token", details__of="nightly-export")
    assert told.who == admin.username

    member_remove(team, User.objects.get(username="nightly-export").pk)
    assert call.get("/sources").json()["items"] == []


def test_only_administrators_manage_services(
    client, as_alice, as_charlie, as_admin, world, team, shop, alice
):
    made(as_admin, team, shop)
    service, token = User.objects.get(is_service=True), Token.objects.get(owner__is_service=True)
    addresses = [
        URL,
        reverse("services:another", args=[service.pk]),
        reverse("services:end", args=[service.pk]),
        reverse("services:revoke", args=[token.pk]),
    ]
    for url in addresses:
        assert client.post(url).status_code == 302
        for browser in (as_alice, as_charlie):
            assert browser.post(url, wish(team, shop, name="mine")).status_code == 403
    assert as_alice.get(URL).status_code == 403
    with pytest.raises(services.TokenError):
        services.account_make(alice, "mine", teams=[team], sources=[shop], scopes=["read"], days=1)
    assert User.objects.filter(is_service=True).count() == 1
    # A token of a person, or a person, is no service.
    secret_of(alice)
    own = Token.objects.get(owner=alice)
    assert as_admin.post(reverse("services:revoke", args=[own.pk])).status_code == 404
    assert as_admin.post(reverse("services:end", args=[alice.pk])).status_code == 404


def test_a_service_is_no_person(as_admin, admin, world, team, shop, alice):
    made(as_admin, team, shop)
    service = User.objects.get(is_service=True)
    for act in (link_create, lambda one: user_make_staff(one, True, admin)):
        with pytest.raises(PeopleError):
            act(service)
    with pytest.raises(PeopleError):
        member_add(team, service.username, is_manager=True)
    for name in ("person_link", "person_role", "person_active"):
        assert as_admin.post(reverse(f"people:{name}", args=[service.pk])).status_code == 404
    assert "nightly-export" not in as_admin.get("/people/").content.decode()
    assert service not in heirs_of(alice)
    report = Report.objects.filter(teams=team).first() or Report.objects.create(owner=alice, title="R")
    report.teams.add(team)
    assert service not in owners_offered(report)
    assert "a service" in as_admin.get(reverse("people:team", args=[team.pk])).content.decode()


def test_tokens_are_renewed_revoked_and_ended_with_the_service(as_admin, world, team, shop):
    first = made(as_admin, team, shop, scopes=["read"])
    service, old = User.objects.get(is_service=True), Token.objects.get(owner__is_service=True)
    answer = as_admin.post(reverse("services:another", args=[service.pk]))
    (second,) = re.findall(r"mir_[\w-]{43}", answer.content.decode())
    new = Token.objects.filter(owner=service).latest("pk")
    assert (new.scopes, list(new.sources.all()), new.is_limited) == (["read"], [shop], True)
    assert round((new.expires_at - new.created_at).total_seconds() / 86_400) == 30, "as long as the last one"
    assert [Caller(one).get("/sources").status_code for one in (first, second)] == [200, 200]
    as_admin.post(reverse("services:revoke", args=[old.pk]))
    assert [Caller(one).get("/sources").status_code for one in (first, second)] == [401, 200]
    as_admin.post(reverse("services:end", args=[service.pk]))
    assert Caller(second).get("/sources").status_code == 401
    as_admin.get(URL)  # which says that it was ended
    assert "nightly-export" not in as_admin.get(URL).content.decode().partition('id="new-title"')[0]
    assert as_admin.post(reverse("services:another", args=[service.pk])).status_code == 302
    assert not Token.objects.filter(owner=service, revoked_at=None).exists()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "alice"}, "has this name already"),
        ({"name": "two words"}, "valid"),
        ({"teams": []}, "Choose the teams"),
        ({"sources": []}, "Choose the sources"),
        ({"scopes": []}, "required"),
        ({"teams": ["9" * 20]}, "not one of the available"),
        ({"sources": ["9" * 20]}, "not one of the available"),
    ],
)
def test_a_service_that_cannot_be_is_not_made(as_admin, world, team, shop, wrong, words):
    answer = as_admin.post(URL, wish(team, shop, **wrong))
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not User.objects.filter(is_service=True).exists()


def test_a_source_that_its_owner_shares_with_none_of_the_teams_is_not_given(
    as_admin, admin, world, team, shop
):
    own = Source.objects.create(owner=admin, name="own", engine="sqlite", database="/nowhere")
    answer = as_admin.post(URL, wish(team, own))
    assert answer.status_code == 422
    assert "shared with none of these teams" in answer.content.decode()
    others = Source.objects.get(name="other")
    assert "not one of the available" in as_admin.post(URL, wish(team, others)).content.decode()
    assert not User.objects.filter(is_service=True).exists()
