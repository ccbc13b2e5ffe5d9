"""Wrong passwords cost growing waits, by name and address, and make nobody else wait; weak ones are refused."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import timedelta

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from mirror.audit.models import AuditRow
from mirror.people import wrong_passwords
from mirror.people.models import User, WrongPasswords
from mirror.people.services import link_create

pytestmark = pytest.mark.django_db

RIGHT = "a long pass phrase"
HERE, THERE = "203.0.113.7", "198.51.100.9"


@pytest.fixture(autouse=True)
def hashed_at_no_cost(settings) -> None:
    settings.PASSWORD_HASHERS = ["tests.hashing.Quick"]


@pytest.fixture
def alice(alice):
    alice.set_password(RIGHT)
    alice.save()
    return alice


def post(password: str, name: str = "alice", address: str = HERE, client: Client | None = None):
    """Try to sign in; by default from a browser that nobody knows."""
    fields = {"username": name, "password": password}
    return (client or Client()).post(reverse("people:sign_in"), fields, REMOTE_ADDR=address)


def guess(times: int, name: str = "alice", address: str = HERE) -> None:
    for _ in range(times):
        assert post("wrong", name, address).status_code == 200


def is_in(answer) -> bool:
    return answer.status_code == 302


def test_five_wrong_passwords_make_that_address_wait_for_that_name_and_nobody_else(alice, bob):
    bob.set_password(RIGHT)
    bob.save()
    with time_machine.travel(timezone.now(), tick=False):
        guess(5)
        refused = post(RIGHT)
    page = refused.content.decode()
    assert refused.status_code == 429
    assert refused["Retry-After"] == "60"
    assert "Try again in 60 seconds, or ask an administrator for a one-time link" in page
    assert 'value="alice"' in page, "what was typed stays"
    assert is_in(post(RIGHT, address=THERE)), "the person, elsewhere"
    assert is_in(post(RIGHT, "bob")), "somebody else, here"


def test_waits_grow_from_a_minute_to_an_hour_and_are_forgotten_after_a_day(alice):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        guess(5)
        waits = []
        for _ in range(8):
            waits.append(int(post("wrong")["Retry-After"]))
            clock.shift(waits[-1] - 1)
            assert post(RIGHT).status_code == 429
            clock.shift(1)
            guess(1)
        assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600]
        clock.shift(timedelta(hours=24, seconds=1))
        assert is_in(post(RIGHT))


def test_waiting_is_not_made_longer_by_trying(alice):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        guess(5)
        for _ in range(30):
            assert post("wrong").status_code == 429
        clock.shift(60)
        assert is_in(post(RIGHT))


def test_one_address_does_not_try_many_names_without_end(alice):
    for number in range(30):
        guess(1, f"name-{number}")
    assert int(post("wrong", "another")["Retry-After"]) == 15
    assert int(post(RIGHT)["Retry-After"]) == 15
    assert is_in(post(RIGHT, address=THERE))


def test_signing_in_oneself_does_not_give_an_address_its_guesses_back(alice):
    for number in range(30):
        guess(1, f"name-{number}")
        if number < 29:
            assert is_in(post(RIGHT))
    assert post("wrong", "another").status_code == 429


def test_many_addresses_do_not_try_one_name_without_end_and_never_lock_it(alice):
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for number in range(50):
            guess(1, address=f"203.0.113.{number}")
        waits = []
        for number in range(8):
            waits.append(int(post("wrong", address=f"198.51.100.{number}")["Retry-After"]))
            clock.shift(waits[-1])
            guess(1, address=f"198.51.100.{number}")
        assert waits == [2, 4, 8, 16, 32, 60, 60, 60]
        clock.shift(60)
        assert is_in(post(RIGHT, address="192.0.2.1"))


def test_a_browser_where_somebody_signed_in_is_not_stopped_by_others_at_the_same_address(alice):
    mine = Client()
    assert is_in(post(RIGHT, client=mine))
    mine.post(reverse("people:sign_out"))
    guess(5)
    for number in range(25):
        guess(1, f"name-{number}")
    assert post(RIGHT).status_code == 429
    assert is_in(post(RIGHT, client=mine))


def test_a_known_browser_waits_for_its_own_guesses(alice):
    mine = Client()
    post(RIGHT, client=mine)
    mine.post(reverse("people:sign_out"))
    for _ in range(5):
        assert post("wrong", client=mine, address=THERE).status_code == 200
    assert post(RIGHT, client=mine).status_code == 429
    assert is_in(post(RIGHT)), "elsewhere nothing was guessed"


def test_a_browser_is_known_for_the_one_who_signed_in_there_alone(alice, bob):
    mine = Client()
    mine.post(reverse("people:sign_in_link", args=[link_create(bob)]))
    cookie = mine.cookies[wrong_passwords.COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    guess(5)
    for value in (cookie.value, cookie.value[:-1], "x", "W10:x:y", ""):
        other = Client()
        other.cookies[wrong_passwords.COOKIE] = value
        assert post(RIGHT, client=other).status_code == 429


def test_a_link_lets_in_while_a_password_waits(alice, client):
    guess(5)
    client.post(reverse("people:sign_in_link", args=[link_create(alice)]))
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_a_header_anybody_can_send_changes_no_address(alice):
    for number in range(5):
        sent = {"username": "alice", "password": "wrong"}
        forwarded = f"203.0.113.{number}"
        Client(headers={"x-forwarded-for": forwarded}).post(reverse("people:sign_in"), sent, REMOTE_ADDR=HERE)
    assert post(RIGHT).status_code == 429


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_what_counts_as_one_address(address, counted):
    assert wrong_passwords.network_of(address) == counted


def test_neither_names_nor_addresses_are_kept(alice):
    guess(1)
    kept = str(list(WrongPasswords.objects.values()))
    assert WrongPasswords.objects.count() == 3
    assert "alice" not in kept
    assert HERE not in kept


def test_what_is_forgotten_is_deleted(alice):
    guess(1, "nobody", THERE)
    with time_machine.travel(timezone.now() + timedelta(hours=24, seconds=1)):
        guess(1)
    assert WrongPasswords.objects.count() == 3


def test_a_clock_that_was_set_back_makes_no_wait_longer(alice):
    guess(5)
    with time_machine.travel(timezone.now() - timedelta(hours=5), tick=False):
        assert int(post(RIGHT)["Retry-After"]) == 60


@pytest.mark.django_db(transaction=True)
def test_guesses_at_once_are_no_more_than_guesses_in_a_row(alice):
    answers: Counter[int] = Counter()
    begin = threading.Barrier(16)

    def one() -> None:
        from django.db import connection

        begin.wait()
        try:
            answers[post("wrong").status_code] += 1
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {200: 5, 429: 11}


def test_a_stolen_session_cannot_guess_the_password_by_changing_it(alice):
    thief = Client()
    thief.force_login(alice)
    fields = {"new_password1": "another pass phrase", "new_password2": "another pass phrase"}
    for _ in range(5):
        assert thief.post(reverse("people:account"), {**fields, "old_password": "wrong"}).status_code == 422
    refused = thief.post(reverse("people:account"), {**fields, "old_password": RIGHT})
    assert refused.status_code == 422
    assert "too many wrong passwords" in refused.content.decode()
    assert User.objects.get(pk=alice.pk).check_password(RIGHT)
    told = AuditRow.objects.filter(verb="chose a password", outcome="refused", who="alice")
    assert [row.details["why"] for row in told] == ["a wrong password of now"] * 5


# ---------------------------------------------------------------- what a password has to be

WEAK = [
    ("weak1234", "fewer than 8 characters"),
    ("1234WEAK", "fewer than 8 characters"),
    ("wk.weak!9", "fewer than 8 characters"),
    ("w.mcweakley", "too similar to the email address"),
    ("robinson77", "fewer than 8 characters"),
    ("5830174926", "entirely numeric"),
    ("password1", "too common"),
    ("x7$kQ", "too short"),
]


@pytest.fixture
def weak(db):
    fields = {"first_name": "Robinson", "last_name": "Wk", "email": "w.mcweakley@example.com"}
    return User.objects.create(username="weak", password="!", **fields)


@pytest.mark.parametrize(("password", "why"), WEAK)
def test_a_weak_password_is_refused_on_the_page_a_link_leads_to(weak, client, password, why):
    client.post(reverse("people:sign_in_link", args=[link_create(weak)]))
    both = {"new_password1": password, "new_password2": password}
    answer = client.post(reverse("people:account"), both)
    assert answer.status_code == 422
    assert why in answer.content.decode()
    weak.refresh_from_db()
    assert not weak.has_usable_password()


def test_a_weak_password_is_refused_when_one_is_changed(weak):
    weak.set_password(RIGHT)
    weak.save()
    browser = Client()
    browser.force_login(weak)
    fields = {"old_password": RIGHT, "new_password1": "weak1234", "new_password2": "weak1234"}
    assert browser.post(reverse("people:account"), fields).status_code == 422


def test_a_weak_password_is_refused_in_a_shell(db, monkeypatch, capsys):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "weak1234")
    with pytest.raises(CommandError, match="fewer than 8 characters"):
        call_command("createsuperuser", username="weak", email="", interactive=False)
    assert not User.objects.exists()
    User.objects.create_user("weak", "", RIGHT)
    monkeypatch.setattr("getpass.getpass", lambda **_: "weak1234")
    with pytest.raises(CommandError, match="Aborting password change"):
        call_command("changepassword", "weak")
    assert User.objects.get().check_password(RIGHT)


@pytest.mark.parametrize("make", ["create_user", "create_superuser"])
def test_a_weak_password_is_refused_in_code(db, make):
    with pytest.raises(ValidationError):
        getattr(User.objects, make)("weak", "", "weak1234")
    assert getattr(User.objects, make)("weak", "", RIGHT).check_password(RIGHT)


def test_a_name_may_stand_in_a_password_that_is_long_without_it(weak, client):
    client.force_login(weak)
    both = {"new_password1": "weak horse battery staple", "new_password2": "weak horse battery staple"}
    assert client.post(reverse("people:account"), both).status_code == 302
