"""Signing in and out, people and teams: what each may do, and what happens to strangers."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import unquote

import pytest
import time_machine
from django.contrib.auth.hashers import make_password
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from mirror.people import services
from mirror.people.models import SignInLink, Team, User
from mirror.people.selectors import password_exists

pytestmark = pytest.mark.django_db

LINK = "people:sign_in_link"


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_every_page_sends_a_signed_out_visitor_to_the_sign_in_page(client, team):
    for name, args in [("account", []), ("people", []), ("teams", []), ("team", [team.pk])]:
        answer = client.get(reverse(f"people:{name}", args=args))
        assert answer.status_code == 302
        assert answer.url.startswith(reverse("people:sign_in"))


def test_a_link_signs_in_once_and_only_when_the_button_is_pressed(client, alice):
    url = reverse(LINK, args=[services.link_create(alice)])
    page = client.get(url)
    assert page.status_code == 200
    assert "Sign in as Alice" in page.content.decode()
    assert not signed_in(client)

    assert client.post(url).status_code == 302
    assert signed_in(client)
    # The text about a password links to the page that sets it.
    account = reverse("people:account")
    assert (
        f'Choose one under <a href="{account}">Your account</a> to need'
        in client.get(account).content.decode()
    )

    other = Client()
    assert other.post(url).status_code == 410
    assert not signed_in(other)


@pytest.mark.parametrize(
    ("next", "leads_to"),
    [
        ("/teams/?q=å", "/teams/?q=å"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("index", "/"),
        ("", "/"),
    ],
)
@pytest.mark.parametrize("is_said_by_the_link", [True, False])
def test_a_link_leads_to_the_page_that_was_wanted_and_never_elsewhere(
    client, alice, next, leads_to, is_said_by_the_link
):
    url = reverse(LINK, args=[services.link_create(alice)])
    if is_said_by_the_link:
        answer = client.post(url, query_params={"next": next})
    else:
        client.get(reverse("people:sign_in"), {"next": next})
        answer = client.post(url)
    assert unquote(answer.url) == leads_to


@pytest.mark.parametrize(
    ("next", "leads_to"), [("/teams/", "/teams/"), ("index", "/"), ("?x=1", "/"), ("//evil.example", "/")]
)
def test_a_password_leads_to_a_page_of_this_mirror_alone(client, alice, next, leads_to):
    alice.set_password("a long pass phrase")
    alice.save()
    typed = {"username": "alice", "password": "a long pass phrase"}
    client.get(reverse("people:sign_in"), {"next": next})
    assert client.post(reverse("people:sign_in"), typed | {"next": next}).url == leads_to
    assert client.get(reverse("people:sign_in"), {"next": next}).url == leads_to, (
        "who is signed in goes on at once"
    )


def test_only_the_hash_of_a_link_is_kept(alice):
    token = services.link_create(alice)
    assert token not in str(SignInLink.objects.values())


def test_a_link_ends_with_its_time(client, alice, settings):
    url = reverse(LINK, args=[services.link_create(alice)])
    with time_machine.travel(timezone.now() + timedelta(hours=settings.SIGN_IN_LINK_HOURS, seconds=1)):
        assert client.post(url).status_code == 410
    assert not signed_in(client)


def test_a_made_up_link_is_answered_like_a_used_one(client, db):
    answer = client.get(reverse(LINK, args=["x" * 43]))
    assert answer.status_code == 410
    assert "works no more" in answer.content.decode()


def test_a_password_signs_in_and_signing_out_ends_it(client, alice):
    alice.set_password("a long pass phrase")
    alice.save()
    url = reverse("people:sign_in")
    answer = client.post(url, {"username": "alice", "password": "a long pass phrase"})
    assert answer.status_code == 302
    assert signed_in(client)
    assert client.get(reverse("people:sign_out")).status_code == 405
    client.post(reverse("people:sign_out"))
    assert not signed_in(client)


def test_choosing_a_password_ends_the_links_that_may_stand_in_a_log(as_alice, alice, bob):
    left_open, of_bob = services.link_create(alice), services.link_create(bob)
    chosen = {"new_password1": "a long pass phrase", "new_password2": "a long pass phrase"}
    assert as_alice.post(reverse("people:account"), chosen).status_code == 302
    assert services.link_holder(left_open) is None
    assert services.link_holder(of_bob) == bob


@pytest.mark.parametrize(("args", "who"), [([], "admin"), (["alice"], "alice")])
def test_a_shell_makes_a_link(client, admin, alice, settings, capsys, args, who):
    settings.SITE_URL = "https://mirror.example.com/"
    call_command("sign_in_link", *args)
    said = capsys.readouterr().out.strip()
    assert said.startswith("https://mirror.example.com/sign-in/link/")
    client.post(said.removeprefix("https://mirror.example.com"))
    assert client.session["_auth_user_id"] == str(User.objects.get(username=who).pk)


def test_a_shell_makes_no_link_for_nobody(alice):
    services.user_deactivate(alice, by=services.first_admin())
    for name in ("alice", "nobody"):
        with pytest.raises(CommandError, match=f"nobody called “{name}”"):
            call_command("sign_in_link", name)


def test_it_is_known_whether_anybody_has_a_password(alice, bob):
    assert not password_exists()
    alice.set_password("a long pass phrase")
    alice.save()
    assert password_exists()
    services.user_deactivate(alice, by=bob)
    assert not password_exists()


def test_somebody_without_a_password_chooses_one_and_then_needs_it_to_change_it(as_alice, alice):
    url = reverse("people:account")
    first = {"new_password1": "a long pass phrase", "new_password2": "a long pass phrase"}
    assert as_alice.post(url, first).status_code == 302
    alice.refresh_from_db()
    assert alice.check_password("a long pass phrase")
    second = {"new_password1": "another pass phrase", "new_password2": "another pass phrase"}
    assert as_alice.post(url, second).status_code == 422
    assert as_alice.post(url, {**second, "old_password": "a long pass phrase"}).status_code == 302


def test_somebody_chooses_their_mail_address(as_alice, alice):
    url = reverse("people:account_address")
    refused = as_alice.post(url, {"email": "alice at example"})
    assert refused.status_code == 422
    assert "alice at example" in refused.content.decode()
    assert as_alice.post(url, {"email": "alice@example.com"}).status_code == 302
    alice.refresh_from_db()
    assert alice.email == "alice@example.com"
    assert "alice@example.com" in as_alice.get(reverse("people:account")).content.decode()


def test_an_administrator_makes_somebody_and_hands_over_a_link(as_admin):
    answer = as_admin.post(reverse("people:person_new"), {"username": "dora", "name": "Dora", "email": ""})
    page = answer.content.decode()
    assert "/sign-in/link/" in page
    assert answer["Cache-Control"] == "no-store"
    token = page.split("/sign-in/link/")[1].split("/")[0]
    browser = Client()
    browser.post(reverse(LINK, args=[token]))
    assert browser.session["_auth_user_id"] == str(User.objects.get(username="dora").pk)


def test_a_name_is_taken_whatever_its_letter_case(as_admin, alice):
    answer = as_admin.post(reverse("people:person_new"), {"username": "ALICE"})
    assert answer.status_code == 422
    assert "has this name already" in answer.content.decode()


def test_a_username_with_a_space_is_refused_at_its_field(as_admin):
    answer = as_admin.post(reverse("people:person_new"), {"username": "eva meier"})
    assert answer.status_code == 422
    assert "Enter a valid username" in str(answer.context["form"].errors["username"])
    assert not User.objects.filter(username="eva meier").exists()


def test_the_name_of_a_team_is_one_line_of_what_can_be_seen(as_admin):
    answer = as_admin.post(reverse("people:team_new"), {"name": "Ana\u202elysts"})
    assert answer.status_code == 422
    assert "a line end, or a character that cannot be seen" in answer.content.decode()


@pytest.mark.parametrize(
    ("verb", "name", "with_person"),
    [
        ("get", "people", False),
        ("get", "person_new", False),
        ("post", "person_new", False),
        ("post", "person_link", True),
        ("post", "person_active", True),
        ("post", "person_role", True),
        ("get", "team_new", False),
        ("post", "team_new", False),
    ],
)
def test_only_administrators_manage_people(as_alice, bob, verb, name, with_person):
    url = reverse(f"people:{name}", args=[bob.pk] if with_person else [])
    answer = getattr(as_alice, verb)(url, {"username": "eve", "name": "Eve"} if verb == "post" else {})
    assert answer.status_code == 403
    assert not User.objects.filter(username="eve").exists()
    assert not Team.objects.filter(name="Eve").exists()
    assert not SignInLink.objects.exists()


def test_shutting_somebody_out_ends_their_session_and_their_links(as_admin, as_bob, bob):
    token = services.link_create(bob)
    as_admin.post(reverse("people:person_active", args=[bob.pk]))
    assert as_bob.get(reverse("people:teams")).status_code == 302
    assert services.link_use(token) is None
    as_admin.post(reverse("people:person_active", args=[bob.pk]))
    bob.refresh_from_db()
    assert bob.is_active


def test_an_administrator_is_made_and_unmade_but_never_the_last(as_admin, admin, alice):
    url = reverse("people:person_role", args=[alice.pk])
    for is_staff in (True, False):
        as_admin.post(url)
        alice.refresh_from_db()
        assert alice.is_staff is is_staff
    page = as_admin.post(reverse("people:person_role", args=[admin.pk]), follow=True).content.decode()
    assert "last administrator" in page
    admin.refresh_from_db()
    assert admin.is_staff


def test_the_last_administrator_cannot_be_shut_out(admin, alice):
    with pytest.raises(services.PeopleError, match="last administrator"):
        services.user_deactivate(admin, by=alice)
    with pytest.raises(services.PeopleError, match="yourself"):
        services.user_deactivate(admin, by=admin)


def test_who_else_manages_is_asked_within_the_transaction_that_changes_it(admin, alice, bob, monkeypatch):
    outside, within = len(connection.savepoint_ids), []
    monkeypatch.setattr(
        services, "_others_manage", lambda user: within.append(len(connection.savepoint_ids)) or True
    )
    User.objects.filter(pk__in=(alice.pk, bob.pk)).update(is_staff=True)
    services.user_make_staff(User.objects.get(pk=alice.pk), False, by=admin)
    services.user_deactivate(User.objects.get(pk=bob.pk), by=admin)
    assert within == [outside + 1] * 2


def test_a_team_is_seen_by_its_members_and_by_nobody_else(as_alice, as_bob, as_charlie, as_admin, team):
    url = reverse("people:team", args=[team.pk])
    assert [c.get(url).status_code for c in (as_alice, as_bob, as_charlie, as_admin)] == [200, 200, 404, 200]
    assert "Analysts" in as_bob.get(reverse("people:teams")).content.decode()
    assert "Analysts" not in as_charlie.get(reverse("people:teams")).content.decode()


def test_only_a_manager_adds_and_removes_members(as_alice, as_bob, as_charlie, team, bob, charlie):
    add = reverse("people:member_add", args=[team.pk])
    remove = reverse("people:member_remove", args=[team.pk, bob.pk])
    for browser, status in [(as_bob, 403), (as_charlie, 404)]:
        assert browser.post(add, {"username": "charlie"}).status_code == status
        assert browser.post(remove).status_code == status
    assert set(team.members.values_list("username", flat=True)) == {"alice", "bob"}

    assert as_alice.post(add, {"username": "charlie"}).status_code == 302
    assert as_alice.post(remove).status_code == 302
    assert set(team.members.values_list("username", flat=True)) == {"alice", "charlie"}


def test_adding_somebody_unknown_says_so_and_keeps_what_was_typed(as_alice, team):
    answer = as_alice.post(reverse("people:member_add", args=[team.pk]), {"username": "nobody"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "nobody called “nobody”" in page
    assert 'value="nobody"' in page


def test_a_fault_of_ours_shows_words_and_no_stack_trace(alice, monkeypatch):
    def broken(*_):
        raise RuntimeError("a detail nobody should see")

    monkeypatch.setattr("mirror.people.selectors.teams_visible_to", broken)
    browser = Client(raise_request_exception=False)
    browser.force_login(alice)
    answer = browser.get(reverse("people:teams"))
    assert answer.status_code == 500
    page = answer.content.decode()
    assert "detail" not in page
    assert "Traceback" not in page
    assert "<h1>" in page


def test_a_page_that_is_not_there_is_told_in_words(as_alice):
    answer = as_alice.get("/no/such/page/")
    assert answer.status_code == 404
    assert "Not found" in answer.content.decode()


def test_passwords_are_hashed_at_the_cost_that_django_asks_for() -> None:
    assert make_password("a long pass phrase").startswith("argon2$argon2id$v=19$m=102400,t=2,p=8$")
