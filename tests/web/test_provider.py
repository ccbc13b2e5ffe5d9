"""Signing in by an OpenID Connect provider: a real one on loopback, with every fault that it can have."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from cryptography.fernet import Fernet
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy, override

from mirror.audit.models import AuditRow
from mirror.people.models import GroupRule, Identity, Session, User
from mirror.people.provider import services, vouching, wire
from mirror.people.provider.errors import NotLetIn
from mirror.people.services import (
    link_create,
    member_add,
    team_create,
    user_activate,
    user_create,
    user_deactivate,
    user_make_staff,
)
from tests.oidc_server import CLIENT, SECRET, OidcServer, oidc_server, rsa_key

pytestmark = pytest.mark.django_db

NAME = "Example ID"
BEGIN, BACK = "/sign-in/provider/", "/sign-in/provider/back/"


@pytest.fixture
def idp(settings, monkeypatch) -> Iterator[OidcServer]:
    with oidc_server() as server:
        settings.OIDC_ISSUER, settings.OIDC_NAME = server.issuer, NAME
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET
        monkeypatch.setattr(wire, "KEYS_AGAIN_SECONDS", 0.0)
        wire.forget()
        yield server
    wire.forget()


def begun(client: Client, query: str = "") -> str:
    """Press the button; where the browser is sent."""
    answer = client.get(BEGIN + query)
    assert answer.status_code == 302, answer.content.decode()
    return answer.url


def come_back(client: Client, idp: OidcServer, name: str, query: str = ""):
    """Sign in as somebody; Mirror's answer when the browser comes back."""
    back = urlsplit(idp.pick(begun(client, query), name))
    assert back.path == BACK
    return client.get(f"{BACK}?{back.query}")


def connecting(client: Client) -> str:
    """The query of the link under Your account."""
    return f"?connect={Session(session_key=client.session.session_key).mark}"


def signed_in(idp: OidcServer, name: str) -> Client:
    client = Client()
    answer = come_back(client, idp, name)
    assert answer.status_code == 302, answer.content.decode()
    return client


def is_in(client: Client) -> bool:
    return client.get(reverse("people:account")).status_code == 200


def refused(answer, status: int, *words: str) -> None:
    page = answer.content.decode()
    assert answer.status_code == status, page
    for word in words:
        assert word in page, page
    assert "_auth_user_id" not in answer.client.session


def asked_now() -> int:
    """Let the provider be asked now about everybody."""
    Identity.objects.update(asked_at=timezone.now() - timedelta(minutes=3))
    return vouching.identities_ask()


# ---------------------------------------------------------------- the way in


def test_without_a_provider_there_is_no_button_and_no_page(client, settings):
    settings.OIDC_ISSUER = ""
    assert "Sign in with" not in client.get(reverse("people:sign_in")).content.decode()
    assert client.get(BEGIN).status_code == client.get(BACK).status_code == 404


def test_a_button_leads_there_and_back_to_the_page_that_was_wanted(client, idp):
    idp.person("dora")
    page = client.get(reverse("people:sign_in") + "?next=/library/").content.decode()
    assert f"Sign in with {NAME}" in page and f"{BEGIN}?next=/library/" in page
    answer = come_back(client, idp, "dora", "?next=/library/")
    assert (answer.status_code, answer.url) == (302, "/library/")
    dora = User.objects.get(username="dora")
    assert (dora.first_name, dora.email, dora.is_staff) == ("Dora", "dora@example.com", False)
    assert not dora.has_usable_password() and not dora.email_is_typed
    account = dora.identity
    assert (account.issuer, account.subject, account.is_lasting) == (idp.issuer, "subject-dora", True)
    session = Session.objects.get(user=dora)
    assert session.way == "provider" and session.address == "127.0.0.1"
    row = AuditRow.objects.filter(verb="signed in").first()
    assert (row.who, row.details) == ("dora", {"way": "identity provider"})


def test_the_request_has_pkce_state_and_nonce_and_asks_for_what_the_provider_has(client, idp):
    asked = {key: value[0] for key, value in parse_qs(urlsplit(begun(client)).query).items()}
    assert asked["code_challenge_method"] == "S256" and len(asked["code_challenge"]) == 43
    assert len(asked["state"]) >= 32 and len(asked["nonce"]) >= 32
    assert asked["redirect_uri"] == f"http://testserver{BACK}"
    assert asked["scope"] == "openid profile email groups offline_access"
    idp.scopes = ["openid", "email", "profile"]
    wire.forget()
    again = parse_qs(urlsplit(begun(client)).query)
    assert again["scope"] == ["openid profile email"]
    assert again["state"] != [asked["state"]] and again["nonce"] != [asked["nonce"]]


def test_parameters_of_the_settings_go_along(client, idp, settings):
    settings.OIDC_AUTHORIZE_PARAMS, settings.OIDC_SCOPES = "access_type=offline&prompt=consent", "email"
    asked = parse_qs(urlsplit(begun(client)).query)
    assert asked["access_type"] == ["offline"] and asked["scope"] == ["openid email"]


def test_a_page_elsewhere_is_not_gone_to(client, idp):
    idp.person("dora")
    assert come_back(client, idp, "dora", "?next=https://elsewhere.example/").url == reverse("asking:ask")


def test_a_person_is_found_by_subject_whatever_else_changes(idp):
    dora = idp.person("dora")
    signed_in(idp, "dora")
    dora.claims |= {"preferred_username": "dora.new", "email": "new@example.com"}
    signed_in(idp, "dora")
    assert User.objects.filter(username__startswith="dora").count() == 1


def test_nobody_is_taken_over_by_a_name_or_a_mail_address(idp, alice):
    User.objects.filter(pk=alice.pk).update(email="alice@example.com")
    for verified in (False, True):
        idp.person("alice", email_verified=verified).subject = f"other-{verified}"
        client = signed_in(idp, "alice")
        user = User.objects.get(pk=client.session["_auth_user_id"])
        assert user != alice
        assert user.email == ("alice@example.com" if verified else "")
    assert not Identity.objects.filter(user=alice).exists()
    assert set(User.objects.filter(username__startswith="alice").values_list("username", flat=True)) == {
        "alice",
        "alice-2",
        "alice-3",
    }


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ({"preferred_username": "Dörte Müller <x>"}, "Dörte.Müller.x"),
        ({"preferred_username": ""}, "dora"),
        ({"preferred_username": None, "email": ""}, "Dora"),
        ({"preferred_username": 7, "email": None, "name": "\x00"}, "person"),
        ({"preferred_username": "x" * 400}, "x" * 140),
    ],
)
def test_a_username_is_made_of_whatever_is_told(idp, told, wanted):
    idp.person("dora", **told)
    client = signed_in(idp, "dora")
    assert User.objects.get(pk=client.session["_auth_user_id"]).username == wanted


@pytest.mark.parametrize("email", ["dora@corp", "dora@@example.com"])
def test_a_mail_address_that_cannot_be_kept_is_left_out(idp, email):
    idp.person("dora", email=email)
    assert is_in(signed_in(idp, "dora"))
    assert User.objects.get(username="dora").email == ""


def test_a_name_written_in_other_letters_for_the_same_is_numbered(idp):
    for name in ("fiona", "ﬁona"):
        idp.person(name, email="")
        assert is_in(signed_in(idp, name))
    assert set(User.objects.filter(username__startswith="fi").values_list("username", flat=True)) == {
        "fiona",
        "fiona-2",
    }


def test_a_name_that_is_taken_a_moment_before_is_tried_again(idp, monkeypatch):
    """The name is taken between the look for a free one and the making."""
    first, asked = services._free_name, []

    def raced(wanted: str) -> str:
        name = first(wanted)
        if not asked:
            asked.append(name)
            user_create(name)
        return name

    monkeypatch.setattr(services, "_free_name", raced)
    idp.person("dora")
    assert is_in(signed_in(idp, "dora")) and asked


def test_names_and_groups_may_stand_at_userinfo_alone(idp, team):
    GroupRule.objects.create(group="analysts", team=team)
    idp.person("dora", ["analysts"])
    idp.faults = {"groups in userinfo"}
    signed_in(idp, "dora")
    assert team.members.filter(username="dora").exists()


@pytest.mark.parametrize(
    ("beside", "kept"), [("boss@example.com", "boss@example.com"), ("dora@example.com", "")]
)
def test_an_address_is_not_verified_by_what_is_said_of_another(idp, monkeypatch, beside, kept):
    claims = idp.person("dora", email="boss@example.com").claims
    del claims["name"], claims["email_verified"]
    told = {"sub": "subject-dora", "email": beside, "email_verified": True, "name": "Dora"}
    monkeypatch.setattr(idp, "told", lambda access: (200, told))
    signed_in(idp, "dora")
    assert User.objects.get(username="dora").email == kept


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        ("down", 503, "cannot be reached just now"),
        ("breaks", 503, "cannot be reached just now"),
        ("hangs", 503, "cannot be reached just now"),
        ("page", 502, "could not be read"),
        ("issuer", 502, "met another service there"),
        ("no token endpoint", 502, "does not say where its token_endpoint is"),
    ],
)
def test_a_provider_that_cannot_be_begun_with_is_told_on_a_page(
    client, idp, monkeypatch, fault, status, words
):
    monkeypatch.setattr(wire, "ANSWER_SECONDS", 1.0)
    idp.faults = {fault}
    answer = client.get(BEGIN)
    refused(answer, status, words, "Try again", "Sign in another way")
    assert AuditRow.objects.filter(verb="signed in", outcome="refused").count() == 1
    assert client.get(reverse("people:sign_in")).status_code == 200


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        ("down", 503, "cannot be reached just now"),
        ("breaks", 503, "cannot be reached just now"),
        ("page", 502, "could not be read"),
        ("issuer in token", 403, "was not meant for this sign-in"),
        ("audience", 403, "was not meant for this sign-in"),
        ("nonce", 403, "was not meant for this sign-in"),
        ("no nonce", 403, "was not meant for this sign-in"),
        ("expired", 403, "was out of date when it came"),
        ("another key", 403, "not signed with a key of"),
        ("unknown key", 403, "not signed with a key of"),
        ("shared secret", 403, "not signed with a key of"),
        ("unsigned", 403, "not signed with a key of"),
        ("changed", 403, "not signed with a key of"),
        ("no id token", 403, "sent no proof of who you are"),
        ("denies", 403, "did not let you in, or you turned back"),
        ("another iss", 403, "Another sign-in service answered"),
    ],
)
def test_a_proof_that_cannot_be_trusted_lets_nobody_in(client, idp, fault, status, words):
    idp.person("dora")
    url = begun(client)
    idp.faults = {fault}
    back = urlsplit(idp.pick(url, "dora"))
    refused(client.get(f"{BACK}?{back.query}"), status, words)
    assert not User.objects.filter(username="dora").exists()
    row = AuditRow.objects.get(verb="signed in", outcome="refused")
    assert row.thing == "by the identity provider" and words in row.details["why"]


def test_a_fault_is_read_in_the_language_of_each_and_kept_in_english(idp):
    """That the provider is down is known for a while: what is kept is said anew to who asks next."""
    idp.faults = {"down"}
    german, english = ({"headers": {"accept-language": code}} for code in ("de", "en"))
    refused(Client().get(BEGIN, **german), 503, "ist gerade nicht erreichbar")
    refused(Client().get(BEGIN, **english), 503, "cannot be reached just now", "Try again in a moment.")
    refused(Client().get(BEGIN, **german), 503, "ist gerade nicht erreichbar")
    idp.faults = set()
    refused(Client().get(BACK, **german), 400, "Diese Anmeldung")
    whys = [row.details["why"] for row in AuditRow.objects.filter(verb="signed in").order_by("at")]
    assert len(whys) == 4 and all("cannot be reached just now" in why for why in whys[:3])
    assert whys[3].startswith("It was begun in another browser")
    with override("de"):
        error = NotLetIn(gettext_lazy("You are not let in"))
        assert (str(error), error.detail) == ("Sie werden nicht eingelassen", "You are not let in")


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_clock_ten_minutes_off_is_told_as_such(client, idp, minutes):
    idp.person("dora")
    idp.clock, idp.lasts = minutes * 60, 3_600
    refused(come_back(client, idp, "dora"), 403, "clocks of Example ID and of Mirror are 10 minutes apart")


@pytest.mark.parametrize("seconds", [-50, 50])
def test_a_clock_less_than_a_minute_off_is_borne(idp, seconds):
    idp.person("dora")
    idp.clock = seconds
    assert is_in(signed_in(idp, "dora"))


def test_a_provider_may_want_the_client_secret_in_the_form(client, idp, settings):
    idp.faults = {"secret in form"}
    idp.person("dora")
    inside = signed_in(idp, "dora")
    assert asked_now() == 1 and is_in(inside)
    settings.OIDC_CLIENT_SECRET = "another"
    refused(come_back(client, idp, "dora"), 502, "does not know Mirror")


def test_a_wrong_client_secret_is_the_administrators_to_mend(client, idp, settings):
    settings.OIDC_CLIENT_SECRET = "another"
    idp.person("dora")
    refused(come_back(client, idp, "dora"), 502, "does not know Mirror", "OIDC_CLIENT_SECRET")


def test_keys_that_changed_are_read_anew(idp):
    idp.person("dora")
    signed_in(idp, "dora")
    idp.keys_turn()
    signed_in(idp, "dora")
    idp.keys_turn("second")
    signed_in(idp, "dora")


def test_a_token_may_name_no_key_and_keys_may_be_odd(idp):
    idp.person("dora")
    idp.keys.append(rsa_key(4, kid="later"))
    idp.faults = {"no kid", "odd keys"}
    assert is_in(signed_in(idp, "dora"))
    idp.faults |= {"another key"}
    refused(come_back(Client(), idp, "dora"), 403, "not signed with a key of")


@pytest.mark.parametrize("subject", ["", "x" * 256, "a\x00b", 7, None])
def test_a_subject_that_is_none_lets_nobody_in(client, idp, subject):
    idp.person("dora").subject = subject
    assert come_back(client, idp, "dora").status_code == 403
    assert not Identity.objects.exists()


def test_what_another_browser_began_is_not_taken(client, idp):
    idp.person("dora")
    back = urlsplit(idp.pick(begun(Client()), "dora"))
    refused(client.get(f"{BACK}?{back.query}"), 400, "another browser")
    refused(client.get(BACK), 400, "another browser")


def test_an_answer_is_taken_once_and_in_time(client, idp):
    idp.person("dora")
    back = urlsplit(idp.pick(begun(client), "dora"))
    assert client.get(f"{BACK}?{back.query}").status_code == 302
    client.post(reverse("people:sign_out"))
    refused(client.get(f"{BACK}?{back.query}"), 400, "used already")
    url = begun(client)
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        idp.clock = 16 * 60
        back = urlsplit(idp.pick(url, "dora"))
        refused(client.get(f"{BACK}?{back.query}"), 400, "took too long")


def test_a_code_of_another_sign_in_is_refused(client, idp):
    """Codes are tied to a browser by PKCE: one that was stolen on its way is of no use."""
    idp.person("dora")
    stolen = parse_qs(urlsplit(idp.pick(begun(Client()), "dora")).query)["code"][0]
    state = parse_qs(urlsplit(begun(client)).query)["state"][0]
    refused(client.get(f"{BACK}?code={stolen}&state={state}"), 400, "no longer knows this sign-in")


def test_no_token_and_no_secret_is_in_the_log(idp, caplog):
    caplog.set_level("DEBUG", logger="mirror")
    idp.person("dora")
    signed_in(idp, "dora")
    asked_now()
    idp.faults = {"another key"}
    come_back(Client(), idp, "dora")
    held = {SECRET, *idp.accesses, *idp.refreshes}
    assert caplog.text and not [secret for secret in held if secret in caplog.text]


def test_what_the_provider_is_asked_with_is_sealed(idp):
    idp.person("dora")
    signed_in(idp, "dora")
    (kept,) = Identity.objects.extra(select={"raw": "grant"}).values_list("raw", flat=True)  # noqa: S610
    assert kept.startswith("gAAAA") and not [token for token in idp.refreshes if token in kept]


# ---------------------------------------------------------------- groups


def test_groups_give_teams_and_take_them(idp, team, alice):
    sales = team_create("Sales", by=alice)
    GroupRule.objects.create(group="analysts", team=team)
    GroupRule.objects.create(group="sales", team=sales)
    free = team_create("Free", by=alice)
    dora = idp.person("dora", ["analysts", "unheard of"])
    signed_in(idp, "dora")
    user = User.objects.get(username="dora")
    member_add(free, "dora")
    assert set(user.teams.all()) == {team, free}
    dora.groups = ["sales"]
    signed_in(idp, "dora")
    assert set(user.teams.all()) == {sales, free}
    assert set(team.members.all()) == {alice, User.objects.get(username="bob")}, "others are left alone"
    dora.groups = []
    signed_in(idp, "dora")
    assert set(user.teams.all()) == {free}
    told = AuditRow.objects.filter(verb="removed from a team", thing="dora")
    assert {row.details["why"] for row in told} == {"groups of the provider"}


def test_groups_are_those_of_a_person_whatever_the_case_of_their_name(idp, team):
    """A store may hold names that differ in case alone: a shell makes them."""
    idp.person("dora", ["analysts"])
    User.objects.create(username="Dora")
    signed_in(idp, "dora")
    dora = Identity.objects.get().user
    User.objects.filter(pk=dora.pk).update(username="DORA")
    GroupRule.objects.create(group="analysts", team=team)
    asked_now()
    assert team.members.filter(pk=dora.pk).exists() and not team.members.filter(username="Dora").exists()


def test_a_group_makes_administrators_and_its_loss_unmakes_them(idp, admin):
    GroupRule.objects.create(group="root", team=None)
    dora = idp.person("dora", ["root"])
    client = signed_in(idp, "dora")
    assert client.get(reverse("people:people")).status_code == 200
    dora.groups = []
    assert asked_now() == 1
    assert client.get(reverse("people:people")).status_code == 403


def test_the_last_administrator_stays_one(idp):
    dora = idp.person("dora", [])
    signed_in(idp, "dora")
    User.objects.filter(is_staff=True).update(is_staff=False)
    user = User.objects.get(username="dora")
    user_make_staff(user, True)
    GroupRule.objects.create(group="root", team=None)
    asked_now()
    user.refresh_from_db()
    assert user.is_staff
    dora.is_removed = True
    asked_now()
    user.refresh_from_db()
    assert user.is_active and user.is_away and not Session.objects.filter(user=user).exists()


def test_a_provider_that_gives_no_groups_is_told_as_such(client, idp, team):
    idp.person("dora", None)
    assert is_in(signed_in(idp, "dora")), "where nothing hangs on groups, none are needed"
    GroupRule.objects.create(group="analysts", team=team)
    refused(come_back(client, idp, "dora"), 403, "did not say which groups", "groups")


def test_groups_that_are_missing_later_change_nothing(idp, team):
    GroupRule.objects.create(group="analysts", team=team)
    dora = idp.person("dora", ["analysts"])
    client = signed_in(idp, "dora")
    dora.groups = None
    assert asked_now() == 1
    assert is_in(client) and team.members.filter(username="dora").exists()


def test_only_allowed_groups_are_let_in_and_leaving_them_ends_access(client, idp, settings):
    settings.OIDC_ALLOWED_GROUPS = ["staff", "guests"]
    dora = idp.person("dora", ["others"])
    refused(come_back(client, idp, "dora"), 403, "in none of the groups")
    dora.groups = ["guests"]
    inside = signed_in(idp, "dora")
    dora.groups = ["others"]
    asked_now()
    assert not is_in(inside)
    dora.groups = None
    refused(come_back(Client(), idp, "dora"), 403, "did not say which groups")


def test_groups_at_a_path_are_read(idp, settings, team):
    settings.OIDC_GROUPS_CLAIM = "realm_access.roles"
    GroupRule.objects.create(group="analysts", team=team)
    idp.person("dora", None, realm_access={"roles": ["analysts", 7, None, "\x00"]})
    signed_in(idp, "dora")
    assert team.members.filter(username="dora").exists()


def test_administrators_say_what_groups_mean_and_others_may_not(as_admin, as_alice, idp, team):
    idp.person("dora", ["analysts"])
    signed_in(idp, "dora")
    page = as_admin.get(reverse("people:provider")).content.decode()
    assert idp.issuer in page and f"http://testserver{BACK}" in page and "<dd>yes</dd>" in page
    fields = {"group": "analysts", "means": team.pk}
    assert as_alice.get(reverse("people:provider")).status_code == 403
    assert as_alice.post(reverse("people:rule_new"), fields).status_code == 403
    assert as_admin.post(reverse("people:rule_new"), fields).status_code == 302
    assert team.members.filter(username="dora").exists(), "at once, by the groups of the last time"
    for wrong in (
        fields,
        {"group": "root", "means": ""},
        {"group": "root", "means": "9" * 30},
        {**fields, "group": ""},
    ):
        assert as_admin.post(reverse("people:rule_new"), wrong).status_code == 422
    rule = GroupRule.objects.get()
    assert as_alice.post(reverse("people:rule_remove", args=[rule.pk])).status_code == 403
    assert as_admin.post(reverse("people:rule_remove", args=[rule.pk])).status_code == 302
    assert not GroupRule.objects.exists()
    verbs = AuditRow.objects.filter(verb__endswith="group rule").values_list("verb", "who", "thing")
    assert set(verbs) == {
        ("added a group rule", "admin", "analysts: Analysts"),
        ("removed a group rule", "admin", "analysts: Analysts"),
    }
    idp.stop()
    wire.forget()
    assert "cannot be reached" in as_admin.get(reverse("people:provider")).content.decode()


def test_a_rule_means_nothing_for_people_of_the_provider_of_before(as_admin, idp, team, bob):
    """They sign in with a password now."""
    Identity.objects.create(user=bob, issuer="https://before.example", subject="bob", groups=["others"])
    fields = {"group": "analysts", "means": team.pk}
    assert as_admin.post(reverse("people:rule_new"), fields).status_code == 302
    assert team.members.filter(pk=bob.pk).exists()


def test_a_rule_is_applied_to_many_at_the_cost_of_one(as_admin, idp, team):
    def asked(group: str) -> int:
        with CaptureQueriesContext(connection) as found:
            as_admin.post(reverse("people:rule_new"), {"group": group, "means": team.pk})
        return len(found)

    users = [User(username=f"person{number}") for number in range(20)]
    for number, user in enumerate(users):
        user.save()
        Identity.objects.create(user=user, issuer=idp.issuer, subject=str(number), groups=["analysts"])
    asked("first")
    before = asked("second")
    User.objects.filter(username__in=[user.username for user in users[1:]]).update(is_active=False)
    assert asked("third") == before


def test_a_rule_that_leaves_no_administrator_is_refused(as_admin, idp, admin):
    idp.person("dora", ["staff"])
    signed_in(idp, "dora")
    Identity.objects.update(user=admin)
    answer = as_admin.post(reverse("people:rule_new"), {"group": "root", "means": "administrators"})
    assert answer.status_code == 422 and "nobody would be left" in answer.content.decode()
    assert (
        as_admin.post(reverse("people:rule_new"), {"group": "staff", "means": "administrators"}).status_code
        == 302
    )


# ---------------------------------------------------------------- the end of access


def test_somebody_removed_at_the_provider_is_out_within_five_minutes(idp, alice):
    from mirror.api.models import Token
    from mirror.api.services import token_make

    idp.person("dora")
    client = signed_in(idp, "dora")
    dora = User.objects.get(username="dora")
    token_make(dora, "script", ["read"], days=30)
    idp.remove("dora")
    assert is_in(client)
    assert vouching.ASK_EVERY + timedelta(seconds=30 + 30 + vouching.ASK_SECONDS) < timedelta(minutes=5)
    asked_now()
    assert not is_in(client)
    dora.refresh_from_db()
    assert not dora.is_active, "as an administrator shuts out who left"
    assert Token.objects.get(owner=dora).revoked_at is not None
    rows = AuditRow.objects.filter(thing__in=("dora", "script")).values_list("verb", flat=True)
    assert {"lost the word of the provider", "shut out", "ended a token"} <= set(rows)
    refused_client = Client()
    idp.people["dora"].is_removed = False
    assert come_back(refused_client, idp, "dora").status_code == 302, "let in again, where the provider does"
    dora.refresh_from_db()
    assert dora.is_active and not dora.is_away


def test_while_the_provider_vouches_sessions_go_on_and_its_tokens_turn_over(idp):
    idp.person("dora")
    client = signed_in(idp, "dora")
    first = Identity.objects.get().grant
    for _ in range(3):
        assert asked_now() == 1
    account = Identity.objects.get()
    assert is_in(client) and account.grant != first and account.grant in idp.refreshes
    before = len(idp.asked)
    assert vouching.identities_ask() == 0 and len(idp.asked) == before, "not more often than needed"


def test_a_refusal_that_may_only_be_the_end_of_a_session_there_shuts_nobody_out(idp, settings):
    """Without offline_access a refresh token ends with the person's session at the provider."""
    from mirror.api.problems import Problem
    from mirror.api.services import token_find, token_make

    idp.scopes = ["openid", "profile", "email"]
    idp.person("dora")
    client = signed_in(idp, "dora")
    dora = User.objects.get(username="dora")
    _, secret = token_make(dora, "script", ["read"], days=30)
    assert token_find(secret).owner == dora
    idp.refreshes.clear()
    asked_now()
    assert not is_in(client)
    dora.refresh_from_db()
    assert dora.is_active and dora.is_away
    with pytest.raises(Problem) as rests:
        token_find(secret)
    assert rests.value.code == "away"
    signed_in(idp, "dora")
    assert token_find(secret).owner == dora
    idp.refreshes.clear()
    asked_now()
    Identity.objects.update(refused_at=timezone.now() - timedelta(days=settings.OIDC_AWAY_DAYS, hours=1))
    vouching.identities_shut_out()
    dora.refresh_from_db()
    assert not dora.is_active


def test_a_refusal_after_an_answer_that_never_came_shuts_nobody_out(idp):
    """The provider may have turned the token over in the answer that was lost."""
    idp.person("dora")
    client = signed_in(idp, "dora")
    idp.faults = {"breaks"}
    wire.forget()
    asked_now()
    assert is_in(client)
    idp.faults, idp.refreshes = set(), {}
    wire.forget()
    asked_now()
    dora = User.objects.get(username="dora")
    assert not is_in(client) and dora.is_away and dora.is_active


@pytest.mark.parametrize("status", [403, 401, 404, 500])
def test_a_person_is_vouched_for_by_the_token_that_was_changed_whatever_userinfo_says(
    idp, monkeypatch, team, status
):
    GroupRule.objects.create(group="analysts", team=team)
    dora = idp.person("dora", ["analysts"])
    client = signed_in(idp, "dora")
    dora.groups = None
    monkeypatch.setattr(idp, "told", lambda access: (status, {"error": "insufficient_scope"}))
    for _ in range(2):
        assert asked_now() == 1
    assert is_in(client) and team.members.filter(username="dora").exists()
    assert Identity.objects.get().grant in idp.refreshes


def test_userinfo_is_not_asked_where_nothing_hangs_on_groups(idp):
    idp.person("dora", None)
    client = signed_in(idp, "dora")
    idp.asked.clear()
    assert asked_now() == 1 and is_in(client)
    assert "/userinfo" not in idp.asked


@pytest.mark.parametrize("fault", ["another key", "userinfo of another"])
def test_a_new_token_is_kept_where_the_proof_beside_it_cannot_be_trusted(idp, team, fault):
    GroupRule.objects.create(group="analysts", team=team)
    dora = idp.person("dora", ["analysts"])
    client = signed_in(idp, "dora")
    before = Identity.objects.get().vouched_at
    dora.groups, idp.faults = None, {fault}
    assert asked_now() == 0
    assert Identity.objects.get().vouched_at == before
    idp.faults = set()
    assert asked_now() == 1 and is_in(client)


def test_one_token_that_no_key_opens_keeps_nobody_else_from_being_asked_about(idp, settings):
    for name in ("dora", "emil"):
        idp.person(name)
    emil = signed_in(idp, "emil")
    keys = settings.MIRROR_ENCRYPTION_KEYS
    settings.MIRROR_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    dora = signed_in(idp, "dora")
    settings.MIRROR_ENCRYPTION_KEYS = keys
    assert asked_now() == 1
    assert is_in(emil) and is_in(dora)


def test_without_a_refresh_token_the_access_token_is_asked_with(idp):
    idp.faults = {"no refresh"}
    idp.person("dora")
    client = signed_in(idp, "dora")
    assert asked_now() == 1 and is_in(client)
    idp.remove("dora")
    asked_now()
    assert not is_in(client) and User.objects.get(username="dora").is_active


@pytest.mark.parametrize("fault", ["down", "breaks", "page", "another key", "issuer in token"])
def test_a_provider_that_cannot_be_asked_ends_nothing_before_the_grace_is_over(idp, settings, fault):
    idp.person("dora")
    client = signed_in(idp, "dora")
    idp.faults = {fault}
    wire.forget()
    assert asked_now() == 0
    assert is_in(client)
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.OIDC_GRACE_MINUTES - 1)):
        assert is_in(client)
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.OIDC_GRACE_MINUTES + 1)):
        assert not is_in(client)


def test_sessions_end_too_where_no_worker_asks(idp, settings):
    """The end stands in the session itself, and using it moves nothing."""
    idp.person("dora")
    client = signed_in(idp, "dora")
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.OIDC_GRACE_MINUTES - 1)):
        session = client.session
        session["touched"] = 1
        session.save()
        assert is_in(client)
    with time_machine.travel(timezone.now() + timedelta(minutes=settings.OIDC_GRACE_MINUTES + 1)):
        assert not is_in(client)


def test_a_session_ends_after_two_weeks_although_the_provider_vouches(idp):
    idp.person("dora")
    client = signed_in(idp, "dora")
    Session.objects.update(begun_at=timezone.now() - timedelta(days=13))
    with time_machine.travel(timezone.now() + timedelta(minutes=30)):
        assert asked_now() == 1
    with time_machine.travel(timezone.now() + timedelta(minutes=70)):
        assert is_in(client)
    Session.objects.update(begun_at=timezone.now() - timedelta(days=14))
    with time_machine.travel(timezone.now() + timedelta(minutes=60)):
        assert asked_now() == 1
    with time_machine.travel(timezone.now() + timedelta(minutes=100)):
        assert not is_in(client)


def test_an_answer_about_an_older_sign_in_is_not_acted_on(idp):
    idp.person("dora")
    signed_in(idp, "dora")
    old = Identity.objects.select_related("user").get()
    client = signed_in(idp, "dora")
    vouching._heard(old, vouching.Word(is_vouched=False))
    assert is_in(client)


@pytest.mark.parametrize("word", [vouching.Word(False), vouching.Word(True, "next", ("analysts",))])
def test_an_administrator_who_shuts_somebody_out_while_the_provider_is_asked_is_obeyed(
    client, idp, admin, team, word
):
    idp.person("dora", [])
    signed_in(idp, "dora")
    GroupRule.objects.create(group="analysts", team=team)
    Identity.objects.update(asked_at=timezone.now() - timedelta(minutes=3))
    (claimed,) = vouching._claim(services._provider())
    user_deactivate(User.objects.get(username="dora"), admin)
    vouching._heard(claimed, word)
    refused(come_back(client, idp, "dora"), 403, "An administrator shut you out")


def test_fifty_people_are_asked_about_in_one_tick_and_two_ticks_ask_once(idp):
    for number in range(50):
        idp.person(f"person{number}")
        signed_in(idp, f"person{number}")
    Identity.objects.update(asked_at=timezone.now() - timedelta(minutes=3))
    idp.asked.clear()
    assert vouching.identities_ask() + vouching.identities_ask() == 50
    assert idp.asked.count("/token") == 50


def test_somebody_whom_an_administrator_shut_out_stays_out(client, idp, admin):
    idp.person("dora")
    signed_in(idp, "dora")
    user_deactivate(User.objects.get(username="dora"), admin)
    refused(come_back(client, idp, "dora"), 403, "An administrator shut you out")


def test_whom_an_administrator_shuts_out_after_the_provider_did_stays_out_too(client, idp, admin):
    idp.person("dora")
    signed_in(idp, "dora")
    idp.refreshes.clear()
    asked_now()
    dora = User.objects.get(username="dora")
    assert not dora.is_active
    user_activate(dora)
    user_deactivate(dora, admin)
    refused(come_back(client, idp, "dora"), 403, "An administrator shut you out")


def test_a_provider_that_is_down_is_not_called_by_every_click(client, idp):
    idp.faults = {"down"}
    for _ in range(5):
        assert client.get(BEGIN).status_code == 503
    assert len(idp.asked) == 1


def test_an_issuer_may_end_with_a_slash_or_not(idp, settings):
    settings.OIDC_ISSUER = f"{idp.issuer}/"
    idp.person("dora")
    assert is_in(signed_in(idp, "dora"))


def test_the_doctor_tells_of_the_provider(idp, admin):
    from mirror.upkeep.doctor import findings

    def told() -> list[tuple[str, str]]:
        return [(one.state, one.words) for one in findings() if one.about == "sign-in"]

    ((state, said),) = told()
    assert (state, said) == ("good", f"{NAME} answers and tells its keys.")
    idp.faults = {"issuer"}
    wire.forget()
    ((state, said),) = told()
    assert state == "wrong" and "met another service there" in said


def test_a_restored_copy_asks_nothing_with_tokens_that_are_another_mirrors(idp):
    from mirror.people.provider.vouching import identities_rest

    idp.person("dora")
    client = signed_in(idp, "dora")
    identities_rest()
    idp.asked.clear()
    assert asked_now() == 0 and idp.asked == []
    dora = User.objects.get(username="dora")
    assert dora.is_active and dora.is_away and len(idp.refreshes) == 1
    session = client.session
    session["touched"] = 1
    session.save()
    assert not is_in(client)
    assert is_in(signed_in(idp, "dora"))


# ---------------------------------------------------------------- people who were there before


def test_somebody_connects_their_account_and_the_password_ends(idp, alice):
    alice.set_password("a long pass phrase")
    alice.save()
    idp.person("alice.smith")
    elsewhere, client = Client(), Client()
    for browser in (elsewhere, client):
        browser.force_login(alice)
    page = client.get(reverse("people:account")).content.decode()
    assert f"Connect your account at {NAME}" in page and f"{BEGIN}{connecting(client)}" in page
    assert client.get(BEGIN).url == reverse("asking:ask"), "without `connect` there is nothing to do"
    assert come_back(client, idp, "alice.smith", connecting(client)).url == reverse("people:account")
    alice.refresh_from_db()
    assert alice.identity.subject == "subject-alice.smith"
    assert not alice.has_usable_password()
    assert is_in(client) and not is_in(elsewhere)
    assert Session.objects.get(user=alice).way == "provider"
    assert User.objects.get(pk=signed_in(idp, "alice.smith").session["_auth_user_id"]) == alice
    page = client.get(reverse("people:account")).content.decode()
    assert f"You sign in by {NAME}" in page and "new_password1" not in page
    fields = {"new_password1": "another long phrase", "new_password2": "another long phrase"}
    assert client.post(reverse("people:account"), fields).status_code == 403


@pytest.mark.parametrize("query", ["?connect", "?connect=", "?connect=1", "?connect=é"])
def test_an_address_on_another_page_begins_to_connect_nothing(idp, alice, query):
    client = Client()
    client.force_login(alice)
    assert client.get(BEGIN + query).url == reverse("people:account")
    other = Client()
    other.force_login(alice)
    assert client.get(BEGIN + connecting(other)).url == reverse("people:account")
    assert "provider_flows" not in client.session


def test_an_account_of_somebody_else_is_not_connected(idp, alice):
    idp.person("dora")
    signed_in(idp, "dora")
    client = Client()
    client.force_login(alice)
    answer = come_back(client, idp, "dora", connecting(client))
    assert answer.status_code == 403 and "somebody else" in answer.content.decode()
    assert not Identity.objects.filter(user=alice).exists()


def test_after_a_change_of_the_provider_people_connect_their_account_at_the_new_one(idp, alice):
    """They were away from the one before when it went, so their tokens rest until then."""
    Identity.objects.create(
        user=alice, issuer="https://before.example", subject="x", refused_at=timezone.now()
    )
    idp.person("alice.smith")
    client = Client()
    client.force_login(alice)
    assert User.objects.get(pk=alice.pk).is_away
    assert come_back(client, idp, "alice.smith", connecting(client)).status_code == 302
    assert Identity.objects.get().issuer == idp.issuer and not User.objects.get(pk=alice.pk).is_away


@pytest.mark.parametrize("now", ["", "https://next.example"])
def test_without_the_provider_of_before_people_are_disconnected_or_given_a_link(as_admin, idp, settings, now):
    idp.person("dora")
    signed_in(idp, "dora")
    dora = User.objects.get(username="dora")
    link, disconnect = (reverse(f"people:person_{name}", args=[dora.pk]) for name in ("link", "disconnect"))
    page = as_admin.get(reverse("people:people")).content.decode()
    assert disconnect in page and link not in page
    settings.OIDC_ISSUER = now
    page = as_admin.get(reverse("people:people")).content.decode()
    assert disconnect in page and link in page and "signs in by" not in page
    assert as_admin.post(link).status_code == 200
    assert as_admin.post(disconnect).status_code == 302 and not Identity.objects.exists()
    assert disconnect not in as_admin.get(reverse("people:people")).content.decode()


def test_who_signs_out_meanwhile_connects_nothing(idp, alice, bob):
    idp.person("dora")
    client = Client()
    client.force_login(alice)
    url = begun(client, connecting(client))
    session = client.session
    flows = session["provider_flows"]
    client.force_login(bob)
    session = client.session
    session["provider_flows"] = flows
    session.save()
    back = urlsplit(idp.pick(url, "dora"))
    assert client.get(f"{BACK}?{back.query}").status_code == 403
    assert not Identity.objects.exists()


def test_a_link_does_not_pass_the_provider_by_and_an_administrator_disconnects(as_admin, as_alice, idp):
    idp.person("dora")
    client = signed_in(idp, "dora")
    dora = User.objects.get(username="dora")
    page = as_admin.get(reverse("people:people")).content.decode()
    assert f"signs in by {NAME}" in page
    answer = as_admin.post(reverse("people:person_link", args=[dora.pk]), follow=True)
    assert "a link would pass it by" in answer.content.decode()
    url = reverse("people:person_disconnect", args=[dora.pk])
    assert as_alice.post(url).status_code == 403
    assert as_admin.post(url).status_code == 302
    assert not is_in(client) and not Identity.objects.exists()
    assert as_admin.post(reverse("people:person_link", args=[dora.pk])).status_code == 200
    assert "do not sign in by" in as_admin.post(url, follow=True).content.decode()


def test_a_password_does_not_pass_the_provider_by(idp, settings):
    """Somebody may have got one in a shell."""
    idp.person("dora")
    signed_in(idp, "dora")
    dora = User.objects.get(username="dora")
    dora.set_password("a long pass phrase")
    dora.save()
    fields = {"username": "dora", "password": "a long pass phrase"}
    assert Client().post(reverse("people:sign_in"), fields).status_code == 200
    settings.OIDC_ISSUER = ""
    assert Client().post(reverse("people:sign_in"), fields).status_code == 302


def test_the_shell_still_makes_a_link_for_who_cannot_sign_in(idp, admin):
    idp.person("dora")
    signed_in(idp, "dora")
    Identity.objects.update(user=admin)
    client = Client()
    client.post(reverse("people:sign_in_link", args=[link_create(admin)]))
    assert is_in(client)


# ---------------------------------------------------------------- signing out


def test_signing_out_offers_to_end_the_session_at_the_provider(idp, alice):
    idp.person("dora")
    client = signed_in(idp, "dora")
    answer = client.post(reverse("people:sign_out"))
    assert answer.url == reverse("people:provider_out") and not is_in(client)
    page = client.get(answer.url).content.decode()
    assert f"{idp.issuer}/out?client_id={CLIENT}&amp;post_logout_redirect_uri=http%3A%2F%2Ftestserver" in page
    idp.stop()
    wire.forget()
    assert f"Sign out of {NAME}" not in client.get(answer.url).content.decode()
    local = Client()
    local.force_login(alice)
    assert local.post(reverse("people:sign_out")).url == reverse("people:sign_in")


@pytest.mark.parametrize(
    ("issuer", "is_taken"),
    [
        ("https://id.example.com/realms/a", True),
        ("http://127.0.0.1:8080", True),
        ("http://id.example.com", False),
        ("id.example.com", False),
        ("https://id.example.com/?x=1", False),
    ],
)
def test_an_issuer_is_over_tls_or_on_this_machine(issuer, is_taken, tmp_path):
    told = {**os.environ, "OIDC_ISSUER": issuer, "OIDC_CLIENT_ID": "x", "MIRROR_VAR_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", "import mirror.settings"], env=told, capture_output=True, text=True
    )
    assert (done.returncode == 0) is is_taken, done.stderr
    assert is_taken or "OIDC_ISSUER must be an address" in done.stderr


def test_groups_of_the_settings_may_stand_apart(tmp_path):
    told = {**os.environ, "OIDC_ALLOWED_GROUPS": "staff, guests of Oslo", "MIRROR_VAR_DIR": str(tmp_path)}
    said = "import mirror.settings as found; print(found.OIDC_ALLOWED_GROUPS)"
    done = subprocess.run([sys.executable, "-c", said], env=told, capture_output=True, text=True)
    assert done.stdout.strip() == "['staff', 'guests of Oslo']", done.stderr
