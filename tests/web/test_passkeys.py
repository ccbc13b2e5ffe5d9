"""Passkeys: added, asked as a second factor, signing in alone; every answer that a hostile browser or a copied device may send."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone
from fido2.utils import websafe_decode, websafe_encode

from mirror.audit.models import AuditRow
from mirror.people import factors
from mirror.people.codes import services as code_services
from mirror.people.models import (
    CodeMaker,
    Identity,
    Passkey,
    PasskeyChallenge,
    RecoveryCode,
    Session,
    WrongPasswords,
)
from mirror.people.passkeys import services
from mirror.people.passkeys.ceremonies import Asked, PasskeyError
from mirror.people.passkeys.places import Place, PlaceError, place_of
from mirror.people.services import PeopleError, link_create, user_password_forget
from tests.authenticator import Device

pytestmark = pytest.mark.django_db

PASSWORD = "a long pass phrase"  # noqa: S105 - of a test
HOST = "mirror.example.com"


class Browser(Client):
    """A browser at https://mirror.example.com."""

    def __init__(self, host: str = HOST, secure: bool = True) -> None:
        super().__init__(SERVER_NAME=host)
        self.secure = secure

    def generic(self, *args, **kwargs):
        return super().generic(*args, **kwargs | {"secure": self.secure})


@pytest.fixture(autouse=True)
def at_home(settings) -> None:
    settings.PASSWORD_HASHERS = ["tests.hashing.Quick"]
    settings.SITE_URL = f"https://{HOST}"
    settings.ALLOWED_HOSTS = ["*"]


def with_password(user):
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def alice(alice):
    return with_password(alice)


def knock(user) -> Browser:
    browser = Browser()
    browser.post(reverse("people:sign_in"), {"username": user.username, "password": PASSWORD})
    return browser


def options(browser: Browser, name: str, fields: dict[str, str] | None = None):
    answer = browser.post(reverse(f"people:{name}"), fields or {})
    assert answer.status_code == 200, answer.content
    return answer.json()["options"]


def asked_to_add(browser: Browser, password: str = PASSWORD, name: str = "Phone"):
    return browser.post(reverse("people:passkey_begin"), {"name": name, "password": password})


def add(browser: Browser, device: Device | None = None, name: str = "Phone"):
    device = device or Device()
    answer = device.make(asked_to_add(browser, name=name).json()["options"])
    return device, browser.post(reverse("people:passkeys"), {"name": name, "answer": answer})


def with_passkey(user, **kwargs) -> Device:
    """Have somebody add a passkey in a browser of their own."""
    device, answer = add(knock(user), Device(**kwargs))
    assert answer.status_code == 200, answer.content
    return device


def give(browser: Browser, device: Device, answer: str = "", query: str = ""):
    answer = answer or device.answer(options(browser, "factor_ask"))
    return browser.post(f"{reverse('people:factor_give')}{query}", {"answer": answer})


def enter(device: Device, answer: str = "", browser: Browser | None = None, query: str = ""):
    browser = browser or Browser()
    answer = answer or device.answer(options(browser, "passkey_ask"))
    return browser, browser.post(f"{reverse('people:passkey_enter')}{query}", {"answer": answer})


def is_in(browser: Client) -> bool:
    return browser.get(reverse("people:account")).status_code == 200


def said(browser: Browser) -> str:
    """The page that a refusal leads to."""
    for door in ("people:code", "people:sign_in"):
        answer = browser.get(reverse(door))
        if answer.status_code == 200:
            return answer.content.decode()
    return ""


def refusals() -> list[str]:
    rows = AuditRow.objects.filter(outcome="refused").order_by("pk")
    return [row.details.get("why", "") for row in rows]


# ---------------------------------------------------------------- adding


def test_a_passkey_is_added_for_the_password_and_brings_recovery_codes(alice):
    browser = knock(alice)
    page = browser.get(reverse("people:passkeys")).content.decode()
    assert 'name="password"' in page and "A passkey needs scripts" in page
    told = asked_to_add(browser).json()["options"]
    assert told["rp"] == {"id": HOST, "name": "Mirror"}
    assert told["user"]["name"] == "alice" and len(websafe_decode(told["user"]["id"])) == 32
    assert told["authenticatorSelection"]["userVerification"] == "preferred"
    assert told["authenticatorSelection"]["residentKey"] == "preferred"
    assert len(websafe_decode(told["challenge"])) == 32 and told["timeout"] == 300_000
    _, answer = add(browser)
    assert answer.content.decode().count("<li><code>") == 10
    assert "no-store" in answer["Cache-Control"]
    passkey = Passkey.objects.get()
    assert (passkey.user, passkey.name, passkey.host) == (alice, "Phone", HOST)
    assert factors.has_factor(alice) and not factors.has_codes(alice)
    verbs = set(AuditRow.objects.values_list("verb", flat=True))
    assert {"added a passkey", "made recovery codes"} <= verbs


def test_a_second_passkey_keeps_handle_and_recovery_codes_and_the_first_device_is_left_out(alice):
    browser = knock(alice)
    first, _ = add(browser)
    told = asked_to_add(browser).json()["options"]
    assert [one["id"] for one in told["excludeCredentials"]] == [websafe_encode(first.credential_id)]
    kept = set(RecoveryCode.objects.values_list("pk", flat=True))
    second, answer = add(browser, name="Key on the ring")
    assert answer.status_code == 302
    assert second.handle == first.handle and len(kept) == 10
    assert set(RecoveryCode.objects.values_list("pk", flat=True)) == kept
    assert "Key on the ring" in browser.get(reverse("people:passkeys")).content.decode()


def test_an_open_browser_adds_none_without_the_password(alice):
    browser = knock(alice)
    for typed in ("", "guess"):
        answer = asked_to_add(browser, typed)
        assert answer.status_code == 422 and "options" not in answer.json()
    assert not PasskeyChallenge.objects.exists()
    assert AuditRow.objects.get(outcome="refused").verb == "added a passkey"
    for _ in range(5):
        asked_to_add(browser, "guess")
    assert "too many wrong passwords" in asked_to_add(browser).json()["said"], "the right one waits too"
    answer = browser.post(reverse("people:passkeys"), {"name": "X", "answer": "{}"})
    assert answer.status_code == 422 and not Passkey.objects.exists()


def test_a_person_without_a_password_adds_one_in_a_session_that_was_just_begun(bob):
    browser = Browser()
    browser.post(reverse("people:sign_in_link", args=[link_create(bob)]))
    assert 'name="password"' not in browser.get(reverse("people:passkeys")).content.decode()
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert "sign in again first" in asked_to_add(browser).json()["said"]
    assert add(browser)[1].status_code == 200 and Passkey.objects.get().user == bob


def test_a_session_that_lacks_the_second_factor_adds_none(alice):
    """It was begun before there was one; a holder of it and the password would need no second factor any more."""
    earlier = knock(alice)
    device = with_passkey(alice)
    assert is_in(earlier)
    url = reverse("people:passkeys")
    door = f"{reverse('people:code')}?next=%2Faccount%2Fpasskeys%2F"
    assert earlier.get(url).url == door
    assert asked_to_add(earlier).url == url
    assert earlier.post(reverse("people:codes_begin"), {"password": PASSWORD}).status_code == 302
    assert not hasattr(alice, "code_maker")
    assert "?next=%2Faccount%2Fpasskeys%2F" in earlier.get(door).content.decode()
    assert give(earlier, device, query="?next=/account/passkeys/").url == url
    assert earlier.get(url).status_code == 200


# Pages that ask for a second factor, or for a passkey to sign in with: they are for who has given none.
ASKING = {"code", "factor_ask", "factor_give", "passkey_ask", "passkey_enter"}


def factor_pages() -> dict[str, bool]:
    """Name each page about codes and passkeys; whether its address names a passkey."""
    folders = ("mirror.people.codes.views", "mirror.people.passkeys.views")
    patterns = get_resolver("mirror.people.urls").url_patterns
    return {
        one.name: "<int:pk>" in str(one.pattern) for one in patterns if one.callback.__module__ in folders
    }


def test_the_pages_about_second_factors_are_walked():
    assert set(factor_pages()) > ASKING | {"codes", "codes_begin", "codes_end", "passkeys", "passkey_remove"}


@pytest.mark.parametrize("asked", ["nobody", "everyone"])
@pytest.mark.parametrize("is_confirmed", [False, True], ids=["codes begun", "codes asked"])
@pytest.mark.parametrize("name", sorted(set(factor_pages()) - ASKING))
def test_a_session_that_lacks_the_second_factor_is_led_to_it_from_each_page(
    alice, settings, name, is_confirmed, asked
):
    from tests.web.test_codes import app_code

    earlier = knock(alice)
    with_passkey(alice)
    secret = code_services.codes_begin(alice).secret
    CodeMaker.objects.update(confirmed_at=timezone.now() if is_confirmed else None)
    settings.SECOND_FACTOR_REQUIRED = asked
    url = reverse(f"people:{name}", args=[Passkey.objects.get().pk] if factor_pages()[name] else [])
    tables = (CodeMaker, Passkey, RecoveryCode, PasskeyChallenge)
    before = [list(table.objects.values()) for table in tables]
    fields = {"password": PASSWORD, "code": app_code(alice), "name": "Other", "answer": "{}"}
    for answer in (earlier.post(url, fields, follow=True), earlier.get(url, follow=True)):
        is_posted_only = answer.request["REQUEST_METHOD"] == "GET" and answer.status_code == 405
        led = answer.redirect_chain[-1][0] if answer.redirect_chain else ""
        assert led.startswith(reverse("people:code")) or is_posted_only, (led, answer.status_code)
        assert secret[:4] not in answer.content.decode()
    assert [list(table.objects.values()) for table in tables] == before
    assert not earlier.session.get("coded")


@pytest.mark.parametrize("name", ["codes_end", "passkey_remove", "recovery_renew"])
def test_who_gave_the_second_factor_for_an_act_comes_to_a_page_that_opens(alice, name):
    earlier = knock(alice)
    device = with_passkey(alice)
    url = reverse(f"people:{name}", args=[Passkey.objects.get().pk] if name == "passkey_remove" else [])
    door = earlier.post(url, {"password": PASSWORD}).url
    page = give(earlier, device, query=f"?{door.partition('?')[2]}").url
    assert page != url and earlier.get(page).status_code == 200


@pytest.mark.parametrize("asked", ["nobody", "everyone"])
def test_codes_that_were_begun_earlier_do_not_stand_in_for_a_passkey(alice, settings, asked):
    """A session from before the passkey kept their secret: a code of it would have removed the passkey."""
    from tests.web.test_codes import app_code

    earlier = knock(alice)
    earlier.post(reverse("people:codes_begin"), {"password": PASSWORD})
    code = app_code(alice)
    with_passkey(alice)
    assert not CodeMaker.objects.exists(), "forgotten with the first passkey"
    settings.SECOND_FACTOR_REQUIRED = asked
    door = f"{reverse('people:code')}?next=%2Faccount%2Fcodes%2F"
    assert earlier.get(reverse("people:codes")).url == door
    assert earlier.post(reverse("people:codes"), {"code": code}).url == door
    removed = reverse("people:passkey_remove", args=[Passkey.objects.get().pk])
    earlier.post(removed, {"password": PASSWORD})
    assert Passkey.objects.exists() and not factors.has_codes(alice)


def test_a_passkey_that_comes_between_a_page_and_its_act_is_asked_first(alice, monkeypatch):
    """The page has looked already, and the other browser was quicker."""
    from tests.web.test_codes import app_code

    device = with_passkey(alice)
    code_services.codes_begin(alice)
    with pytest.raises(PeopleError, match="second factor"):
        code_services.codes_confirm(alice, app_code(alice), is_given=False)
    assert not factors.has_codes(alice) and RecoveryCode.objects.count() == 10
    CodeMaker.objects.update(last_step=0)
    assert code_services.codes_confirm(alice, app_code(alice), is_given=True) == []
    assert factors.has_codes(alice)

    browser, late = knock(alice), Device()
    give(browser, device)
    answer = late.make(asked_to_add(browser).json()["options"])
    monkeypatch.setattr("mirror.people.passkeys.views.has_given", lambda request: False)
    assert browser.post(reverse("people:passkeys"), {"name": "Late", "answer": answer}).status_code == 422
    assert Passkey.objects.count() == 1


def test_codes_that_a_passkey_took_away_while_their_code_was_read_are_not_confirmed(alice, monkeypatch):
    from tests.web.test_codes import app_code

    code_services.codes_begin(alice)
    code, look = app_code(alice), code_services._look

    def and_meanwhile(*args, **kwargs) -> None:
        look(*args, **kwargs)
        CodeMaker.objects.all().delete()

    monkeypatch.setattr(code_services, "_look", and_meanwhile)
    with pytest.raises(code_services.CodeError, match="Begin again"):
        code_services.codes_confirm(alice, code)
    assert not factors.has_factor(alice) and not RecoveryCode.objects.exists()


def test_a_challenge_to_add_is_answered_once_in_its_session_in_time(alice, bob):
    browser, device = knock(alice), Device()
    answer = device.make(asked_to_add(browser).json()["options"])
    fields = {"name": "Phone", "answer": answer}
    other = knock(alice)
    assert other.post(reverse("people:passkeys"), fields).status_code == 422, "another session"
    stranger = knock(with_password(bob))
    assert stranger.post(reverse("people:passkeys"), fields).status_code == 422, "another person"
    with time_machine.travel(timezone.now() + timedelta(seconds=301)):
        late = browser.post(reverse("people:passkeys"), fields)
        assert late.status_code == 422 and "took too long" in late.content.decode()
    assert browser.post(reverse("people:passkeys"), fields).status_code == 422, "it was taken"
    assert not Passkey.objects.exists()
    answer = device.make(asked_to_add(browser).json()["options"])
    fields = {"name": "Phone", "answer": answer}
    assert browser.post(reverse("people:passkeys"), fields).status_code == 200
    assert browser.post(reverse("people:passkeys"), fields).status_code == 422
    assert Passkey.objects.count() == 1


def test_a_known_passkey_is_nobody_elses(alice, bob):
    device = with_passkey(alice)
    browser = knock(with_password(bob))
    answer = device.make(asked_to_add(browser).json()["options"])
    page = browser.post(reverse("people:passkeys"), {"name": "X", "answer": answer})
    assert page.status_code == 422 and "knows this passkey already" in page.content.decode()
    assert Passkey.objects.get().user == alice and not RecoveryCode.objects.filter(user=bob).exists()


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example.com",
        "http://mirror.example.com",
        "https://mirror.example.com:8443",
        "https://sub.mirror.example.com",
        "https://mirror.example.com.evil.org",
        "null",
        "",
    ],
)
def test_a_passkey_of_another_page_is_not_added(alice, origin):
    _, answer = add(knock(alice), Device(origin=origin))
    assert answer.status_code == 422 and "does not hold" in answer.content.decode()
    assert not Passkey.objects.exists()


BROKEN = [
    "",
    "null",
    "[]",
    "{}",
    '"text"',
    "nonsense",
    "[" * 5_000,
    json.dumps({"id": "x", "rawId": "y", "type": "public-key", "response": {}}),
    json.dumps({"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": 7}),
    json.dumps({"id": "AAAA", "rawId": "AAAA", "type": "password", "response": {"clientDataJSON": "AAAA"}}),
    "x" * 30_000,
    "\x00",
]


@pytest.mark.parametrize("answer", BROKEN)
def test_a_broken_answer_is_refused_everywhere(alice, answer):
    browser = knock(alice)
    asked_to_add(browser)
    assert browser.post(reverse("people:passkeys"), {"name": "X", "answer": answer}).status_code == 422
    with_passkey(alice)
    door = knock(alice)
    options(door, "factor_ask")
    assert door.post(reverse("people:factor_give"), {"answer": answer}).status_code == 302 and not is_in(door)
    alone = Browser()
    options(alone, "passkey_ask")
    alone.post(reverse("people:passkey_enter"), {"answer": answer})
    assert not is_in(alone)


def parts_broken(answer: str) -> list[str]:
    """The answer with each part emptied, cut, turned about or made of another kind."""
    whole, broken = json.loads(answer), []
    for name, value in whole["response"].items():
        content = websafe_decode(value)
        for other in (
            "",
            websafe_encode(content[: len(content) // 2]),
            websafe_encode(bytes([content[0] ^ 1]) + content[1:]),
            websafe_encode(content[:-1] + bytes([content[-1] ^ 1])),
            websafe_encode(b"\xff" * len(content)),
            "%%%",
            7,
            None,
            {},
        ):
            broken.append(json.dumps(whole | {"response": whole["response"] | {name: other}}))
        less = {key: kept for key, kept in whole["response"].items() if key != name}
        broken.append(json.dumps(whole | {"response": less}))
    return broken


def test_no_part_of_an_answer_can_be_broken(alice):
    device, door = with_passkey(alice), knock(alice)
    for at in range(len(parts_broken(device.answer({"rpId": HOST, "challenge": "AAAA"})))):
        alone = Browser()
        answer = parts_broken(device.answer(options(alone, "passkey_ask")))[at]
        enter(device, answer, alone)
        assert not is_in(alone), at
        answer = parts_broken(device.answer(options(door, "factor_ask")))[at]
        # Beside a password, which has told who it is, nobody asks for the handle.
        if json.loads(answer)["response"].get("userHandle") == device.handle:
            assert give(door, device, answer).status_code == 302 and not is_in(door), at
        WrongPasswords.objects.all().delete()


def test_no_part_of_a_new_passkey_can_be_broken(alice):
    browser, device = knock(alice), Device()
    for at in range(len(parts_broken(device.make(asked_to_add(browser).json()["options"])))):
        answer = parts_broken(device.make(asked_to_add(browser).json()["options"]))[at]
        page = browser.post(reverse("people:passkeys"), {"name": "X", "answer": answer})
        assert page.status_code == 422, at
    assert not Passkey.objects.exists()


def test_a_passkey_that_nobody_touched_is_not_taken(alice):
    _, answer = add(knock(alice), Device(is_touched=False))
    assert answer.status_code == 422 and not Passkey.objects.exists()
    device = with_passkey(alice)
    device.is_touched = False
    browser = knock(alice)
    give(browser, device)
    assert not is_in(browser)


@pytest.mark.parametrize("name", ["", "x" * 61, "two\nlines", "turned \u202e about"])
def test_a_name_is_short_and_can_be_read(alice, name):
    browser = knock(alice)
    assert asked_to_add(browser, name=name).status_code == 422 and not PasskeyChallenge.objects.exists()


def test_a_person_has_so_many_passkeys_and_no_more(alice, monkeypatch):
    monkeypatch.setattr(services, "MOST", 2)
    browser = knock(alice)
    add(browser)
    device = Device()
    answer = device.make(asked_to_add(browser).json()["options"])
    with_options = Asked(browser.session.session_key, Place(HOST, f"https://{HOST}"))
    Passkey.objects.create(
        user=alice, name="Y", host=HOST, credential_id="y", credential="y", handle=device.handle
    )
    page = browser.post(reverse("people:passkeys"), {"name": "X", "answer": answer})
    assert page.status_code == 422 and "no more are kept" in page.content.decode()
    with pytest.raises(services.PeopleError):
        services.adding_begin(with_options, alice)


# ---------------------------------------------------------------- the place


@pytest.mark.parametrize(
    ("site", "page", "host"),
    [
        ("https://mirror.example.com", "https://mirror.example.com", "mirror.example.com"),
        ("https://Mirror.Example.com:443/", "https://mirror.example.com", "mirror.example.com"),
        ("https://mirror.example.com:8443", "https://mirror.example.com:8443", "mirror.example.com"),
        ("http://127.0.0.1:8000", "http://localhost:8137", "localhost"),
        ("http://localhost:8000", "http://localhost:8000", "localhost"),
    ],
)
def test_passkeys_are_bound_to_the_address_of_the_installation(settings, site, page, host):
    settings.SITE_URL = site
    assert place_of(page) == Place(host, page)


@pytest.mark.parametrize(
    ("site", "page", "why"),
    [
        (
            "https://mirror.example.com",
            "https://other.example.com",
            "work at https://mirror.example.com alone",
        ),
        (
            "https://mirror.example.com",
            "http://mirror.example.com",
            "work at https://mirror.example.com alone",
        ),
        ("https://mirror.example.com", "https://mirror.example.com:8443", "alone"),
        ("https://mirror.example.com", "http://localhost:8000", "alone"),
        ("http://mirror.example.com", "http://mirror.example.com", "need https"),
        ("https://10.1.2.3", "https://10.1.2.3", "10.1.2.3 is a number"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", "Open Mirror at http://localhost:8000"),
        ("http://127.0.0.1:8000", "http://[::1]:8000", "Open Mirror at http://localhost:8000"),
        ("http://127.0.0.1:8000", "https://mirror.example.com", "127.0.0.1 is a number"),
    ],
)
def test_elsewhere_the_page_says_why_not(settings, alice, site, page, why):
    settings.SITE_URL = site
    with pytest.raises(PlaceError, match=why.replace(".", r"\.")):
        place_of(page)


def test_a_page_at_another_host_or_by_http_offers_none(alice):
    device = with_passkey(alice)
    assert "Sign in with a passkey" in Browser().get(reverse("people:sign_in")).content.decode()
    for elsewhere in (Browser(host="other.example.com"), Browser(secure=False)):
        assert "passkey" not in elsewhere.get(reverse("people:sign_in")).content.decode().lower()
        answer = elsewhere.post(reverse("people:passkey_ask"))
        assert answer.status_code == 422 and "https://mirror.example.com" in answer.json()["said"]
        elsewhere.post(reverse("people:sign_in"), {"username": "alice", "password": PASSWORD})
        page = elsewhere.get(reverse("people:code")).content.decode()
        assert "open Mirror there" in page and "Use a passkey" not in page
        assert elsewhere.post(reverse("people:factor_ask")).status_code == 422
        answer = device.answer({"rpId": HOST, "challenge": "AAAA"})
        elsewhere.post(reverse("people:factor_give"), {"answer": answer})
        assert not is_in(elsewhere)
    assert not PasskeyChallenge.objects.exclude(user=alice).exists()


def test_passkeys_of_an_earlier_address_say_so_and_still_count(alice, settings):
    with_passkey(alice)
    settings.SITE_URL = "https://new.example.com"
    browser = Browser(host="new.example.com")
    browser.post(reverse("people:sign_in"), {"username": "alice", "password": PASSWORD})
    assert not is_in(browser), "moving the address turns nothing off"
    page = browser.get(reverse("people:code")).content.decode()
    assert "were made for mirror.example.com, not for new.example.com" in page
    assert (
        browser.post(reverse("people:factor_ask")).json()["said"]
        == "You have no passkey for new.example.com."
    )


# ---------------------------------------------------------------- the second factor


def test_a_password_alone_lets_nobody_in_and_the_passkey_does(alice):
    device = with_passkey(alice)
    browser = Browser()
    fields = {"username": "alice", "password": PASSWORD, "next": "/library/"}
    assert browser.post(reverse("people:sign_in"), fields).url == reverse("people:code")
    assert not is_in(browser)
    page = browser.get(reverse("people:code")).content.decode()
    assert "Use a passkey" in page and "needs scripts" in page and "recovery code" in page
    told = options(browser, "factor_ask")
    assert [one["id"] for one in told["allowCredentials"]] == [websafe_encode(device.credential_id)]
    assert told["userVerification"] == "preferred" and told["rpId"] == HOST
    assert give(browser, device).url == "/library/" and is_in(browser)
    assert Passkey.objects.get().used_at and Passkey.objects.get().counter == device.counter
    assert AuditRow.objects.filter(verb="signed in", outcome="done", who="alice").exists()


def test_a_link_asks_for_the_passkey_too(alice):
    device = with_passkey(alice)
    browser = Browser()
    answer = browser.post(reverse("people:sign_in_link", args=[link_create(alice)]))
    assert answer.url == reverse("people:code") and not is_in(browser)
    assert give(browser, device).status_code == 302 and is_in(browser)


def test_a_key_without_finger_or_pin_does_as_a_second_factor_and_not_alone(alice):
    device = with_passkey(alice, asks_finger=False)
    browser = knock(alice)
    assert give(browser, device).status_code == 302 and is_in(browser)
    alone, _ = enter(device)
    assert not is_in(alone) and "does not hold" in said(alone)


def test_an_answer_is_taken_once_in_its_session_and_in_time(alice):
    device = with_passkey(alice, counts=False)
    browser = knock(alice)
    answer = device.answer(options(browser, "factor_ask"))
    other = knock(alice)
    assert give(other, device, answer).status_code == 302 and not is_in(other), "another session"
    options(other, "factor_ask")
    assert give(other, device, answer).status_code == 302 and not is_in(other), "another challenge"
    with time_machine.travel(timezone.now() + timedelta(seconds=301)):
        give(browser, device, answer)
        assert not is_in(browser) and "took too long" in said(browser)
    give(browser, device, answer)
    assert not is_in(browser), "it was taken"
    answer = device.answer(options(browser, "factor_ask"))
    assert give(browser, device, answer).status_code == 302 and is_in(browser)
    again = knock(alice)
    again.cookies = Browser().cookies
    assert give(again, device, answer).url == reverse("people:sign_in") and not is_in(again)
    assert len([why for why in refusals() if "took too long, or was sent twice" in why]) == 3


def test_a_challenge_to_sign_in_is_none_of_a_second_factor_and_the_reverse(alice):
    device = with_passkey(alice)
    door = knock(alice)
    answer = device.answer(options(door, "passkey_ask"))
    assert give(door, device, answer).status_code == 302 and not is_in(door)
    answer = device.answer(options(door, "factor_ask"))
    enter(device, answer, door)
    assert not is_in(door)


def test_a_passkey_of_somebody_else_is_none(alice, bob):
    with_passkey(alice)
    theirs = with_passkey(with_password(bob))
    browser = knock(alice)
    give(browser, theirs)
    assert not is_in(browser) and "does not know this passkey" in said(browser)
    row = AuditRow.objects.get(outcome="refused")
    assert (row.verb, row.who, row.thing) == ("signed in", "alice", "alice")


def test_the_key_of_another_device_under_a_known_name_is_refused(alice):
    device = with_passkey(alice)
    forged = Device(credential_id=device.credential_id, handle=device.handle, counter=100)
    browser = knock(alice)
    give(browser, forged)
    assert not is_in(browser) and "does not hold" in said(browser)
    alone, _ = enter(forged)
    assert not is_in(alone)


def test_a_removed_passkey_lets_nobody_in(alice):
    browser = knock(alice)
    device, _ = add(browser)
    kept, _ = add(browser, name="Other")
    first = Passkey.objects.first()
    waiting = knock(alice)
    answer = device.answer(options(waiting, "factor_ask"))
    url = reverse("people:passkey_remove", args=[first.pk])
    assert browser.post(url, {"password": "guess"}).status_code == 422
    assert browser.post(url, {"password": PASSWORD}).status_code == 302
    give(waiting, device, answer)
    assert not is_in(waiting) and "does not know this passkey" in said(waiting)
    alone, _ = enter(device)
    assert not is_in(alone)
    assert give(waiting, kept).status_code == 302 and is_in(waiting)
    assert AuditRow.objects.filter(verb="removed a passkey", outcome="done").count() == 1


@pytest.mark.parametrize("back", [0, 1, 2])
def test_a_counter_that_goes_back_is_a_copy(alice, back):
    device = with_passkey(alice)
    assert give(knock(alice), device).status_code == 302
    device.counter -= back
    device.counts = back != 2
    browser = knock(alice)
    give(browser, device)
    if back == 0:
        assert is_in(browser)
        return
    assert not is_in(browser) and "may have been copied" in said(browser)
    assert "copied" in refusals()[-1]


def test_a_counter_that_falls_silent_is_a_copy_and_one_that_never_counted_is_none(alice):
    device = with_passkey(alice)
    device.counter, device.counts = 0, False
    browser = knock(alice)
    give(browser, device)
    assert not is_in(browser)
    factors.factors_reset(alice, None)
    silent = with_passkey(alice, counts=False)
    for _ in range(2):
        browser = knock(alice)
        give(browser, silent)
        assert is_in(browser)


def test_refused_passkeys_cost_waits_and_codes_wait_with_them(alice):
    device = with_passkey(alice)
    browser = knock(alice)
    with time_machine.travel(timezone.now(), tick=False):
        for _ in range(5):
            give(browser, device, "{}")
        answer = give(browser, device)
        assert answer.status_code == 302 and not is_in(browser)
        assert "Try again in 60 seconds" in said(browser)
        assert browser.post(reverse("people:code"), {"code": "000000"}).status_code == 429
    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        give(browser, device)
        assert is_in(browser)


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_takes_an_answer(alice):
    device = with_passkey(alice, counts=False)
    browser = knock(alice)
    answer = device.answer(options(browser, "factor_ask"))
    asked, taken = Asked(browser.session.session_key, Place(HOST, f"https://{HOST}")), []

    def take() -> None:
        try:
            services.factor_check(asked, alice, answer)
            taken.append(True)
        except PasskeyError:
            pass
        finally:
            connection.close()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken == [True]


def test_a_recovery_code_stands_in_for_a_passkey_once(alice):
    browser = knock(alice)
    page = add(browser)[1].content.decode()
    spare = page.split("<li><code>")[1].split("<")[0]
    for is_taken in (True, False):
        door = knock(alice)
        door.post(reverse("people:code"), {"code": spare})
        assert is_in(door) is is_taken
    assert (
        "none of your recovery codes" in door.post(reverse("people:code"), {"code": spare}).content.decode()
    )
    url = reverse("people:recovery_renew")
    assert browser.post(url, {"password": "guess"}).status_code == 422
    fresh = browser.post(url, {"password": PASSWORD}).content.decode()
    assert fresh.count("<li><code>") == 10 and spare not in fresh


# ---------------------------------------------------------------- without a password


def test_a_passkey_signs_in_without_a_password(alice, settings):
    settings.SECOND_FACTOR_REQUIRED = "everyone"
    door = knock(alice)
    device, _ = add(door)
    browser = Browser()
    told = options(browser, "passkey_ask")
    assert told["userVerification"] == "required" and not told.get("allowCredentials")
    browser, answer = enter(device, browser=browser, query="?next=/library/")
    assert answer.url == "/library/" and is_in(browser)
    assert Session.objects.filter(user=alice, way=Session.Way.PASSKEY).count() == 1
    assert "by passkey since" in browser.get(reverse("people:account")).content.decode()
    assert browser.get(reverse("people:passkeys")).status_code == 200, "it was the second factor too"
    assert AuditRow.objects.filter(verb="signed in", details={"way": "passkey"}).exists()
    assert answer.cookies["mirror_browser"].value
    _, away = enter(device, query="?next=https://evil.example.com/")
    assert away.url == reverse("asking:ask")


def test_a_session_that_was_known_before_is_worth_nothing_after(alice):
    device = with_passkey(alice)
    browser = Browser()
    answer = device.answer(options(browser, "passkey_ask"))
    known = browser.session.session_key
    enter(device, answer, browser)
    assert is_in(browser) and browser.session.session_key != known
    assert not Session.objects.filter(pk=known).exists() and not PasskeyChallenge.objects.exists()


def test_who_may_not_sign_in_does_not_by_a_passkey(alice, bob, settings):
    device = with_passkey(alice)
    alice.is_active = False
    alice.save()
    browser, _ = enter(device)
    assert not is_in(browser) and "no longer sign in" in said(browser)
    alice.is_active = True
    alice.save()
    settings.OIDC_ISSUER = "https://id.example.com"
    Identity.objects.create(user=alice, issuer=settings.OIDC_ISSUER, subject="x")
    browser, _ = enter(device)
    assert not is_in(browser) and "by the identity provider" in said(browser)
    signed_in = Browser()
    signed_in.force_login(alice)
    for name in ("passkeys", "passkey_begin"):
        assert signed_in.post(reverse(f"people:{name}")).status_code == 403
    user_password_forget(alice)
    assert not Passkey.objects.exists(), "who connects an account signs in by that alone"


def test_a_passkey_that_says_another_person_is_refused(alice, bob):
    device = with_passkey(alice)
    for handle in (with_passkey(with_password(bob)).handle, ""):
        device.handle = handle
        browser, _ = enter(device)
        assert not is_in(browser)
    assert AuditRow.objects.filter(verb="signed in", outcome="refused", thing="alice", who="").count() == 2


def test_an_unknown_passkey_is_told_and_costs_waits_by_address(alice):
    with_passkey(alice)
    browser, _ = enter(Device(handle="AAAA"))
    assert "does not know this passkey" in said(browser)
    assert AuditRow.objects.get(outcome="refused").thing == "a passkey that Mirror does not know"
    for _ in range(30):
        browser, _ = enter(Device(handle="AAAA"))
    assert "too many tries" in said(browser)


def test_a_stale_cookie_begins_another_session(alice):
    device = with_passkey(alice)
    browser = Browser()
    options(browser, "passkey_ask")
    Session.objects.filter(user=None).delete()
    browser, answer = enter(device, browser=browser)
    assert is_in(browser)


# ---------------------------------------------------------------- named, removed, reset, required


def test_a_passkey_is_its_owners_alone(alice, bob, charlie):
    with_passkey(alice)
    pk = Passkey.objects.get().pk
    for user in (bob, charlie):
        other = knock(with_password(user))
        for name in ("passkey", "passkey_remove"):
            url = reverse(f"people:{name}", args=[pk])
            assert other.post(url, {"name": "X", "password": PASSWORD}).status_code == 404
        assert other.get(reverse("people:passkey", args=[pk])).status_code == 404
        assert "Phone" not in other.get(reverse("people:passkeys")).content.decode()
    assert Passkey.objects.get().name == "Phone"


def test_a_passkey_is_renamed_and_says_when_it_was_used(alice):
    browser = knock(alice)
    device, _ = add(browser)
    url = reverse("people:passkey", args=[Passkey.objects.get().pk])
    assert "never used" in browser.get(reverse("people:passkeys")).content.decode()
    assert browser.post(url, {"name": "two\nlines"}).status_code == 422
    assert browser.post(url, {"name": "Work phone"}).status_code == 302
    enter(device)
    page = browser.get(reverse("people:passkeys")).content.decode()
    assert "Work phone" in page and "last used" in page


def test_without_a_last_one_nothing_is_asked(alice):
    browser = knock(alice)
    add(browser)
    pk = Passkey.objects.get().pk
    assert (
        browser.post(reverse("people:passkey_remove", args=[pk]), {"password": PASSWORD}).status_code == 302
    )
    assert not factors.has_factor(alice) and not RecoveryCode.objects.exists()
    assert is_in(knock(alice))


def test_where_a_second_factor_is_asked_a_passkey_is_one_and_the_last_stays(alice, settings):
    settings.SECOND_FACTOR_REQUIRED = "everyone"
    browser = knock(alice)
    assert browser.get(reverse("people:account")).status_code == 302
    assert "A passkey" in browser.get(reverse("people:codes")).content.decode()
    page = browser.get(reverse("people:passkeys")).content.decode()
    assert "You need a second factor here" in page and 'name="password"' not in page, "it was just typed"
    device, answer = add(browser)
    assert answer.content.decode().count("<li><code>") == 10 and is_in(browser)
    assert "I have kept them" in answer.content.decode() and "mirror_browser" in answer.cookies
    url = reverse("people:passkey_remove", args=[Passkey.objects.get().pk])
    assert "your only one" in browser.get(url.replace("remove/", "")).content.decode()
    assert browser.post(url, {"password": PASSWORD}).status_code == 422 and Passkey.objects.exists()
    door = knock(alice)
    assert door.get(reverse("people:passkeys")).status_code == 302, "not before the one there is was given"
    assert not factors.lacks_factor(alice)
    assert give(door, device).status_code == 302 and is_in(door)


def test_codes_and_passkeys_are_each_enough_and_each_may_end(alice, settings):
    from tests.web.test_codes import app_code, set_up

    settings.SECOND_FACTOR_REQUIRED = "everyone"
    set_up(alice)
    browser = knock(alice)
    assert browser.post(reverse("people:code"), {"code": app_code(alice)}).status_code == 302
    device, answer = add(browser)
    assert answer.status_code == 302 and RecoveryCode.objects.count() == 10, "those of the codes"
    door = knock(alice)
    page = door.get(reverse("people:code")).content.decode()
    assert "Use a passkey" in page and "authenticator app" in page
    assert give(door, device).status_code == 302
    code = app_code(alice, 1)
    assert "Turn one-time codes off" in browser.get(reverse("people:codes")).content.decode()
    assert browser.post(reverse("people:codes_end"), {"code": code}).status_code == 302
    assert not factors.has_codes(alice) and RecoveryCode.objects.count() == 10
    assert give(knock(alice), device).status_code == 302


def test_of_codes_and_passkey_ended_at_once_one_stays(alice, settings, monkeypatch):
    from tests.web.test_codes import app_code, set_up

    settings.SECOND_FACTOR_REQUIRED = "everyone"
    set_up(alice)
    browser = knock(alice)
    browser.post(reverse("people:code"), {"code": app_code(alice)})
    add(browser)
    check = code_services.code_check

    def and_meanwhile(*args) -> None:
        check(*args)
        removed = reverse("people:passkey_remove", args=[Passkey.objects.get().pk])
        assert browser.post(removed, {"password": PASSWORD}).status_code == 302

    monkeypatch.setattr(code_services, "code_check", and_meanwhile)
    page = browser.post(reverse("people:codes_end"), {"code": app_code(alice, 1)})
    assert page.status_code == 422 and "cannot be turned off" in page.content.decode()
    assert not Passkey.objects.exists() and factors.has_codes(alice)
    assert RecoveryCode.objects.count() == 10


def test_an_administrator_resets_passkeys_and_nobody_else(as_admin, as_bob, as_charlie, alice, admin):
    device = with_passkey(alice)
    browser = knock(alice)
    give(browser, device)
    url = reverse("people:person_factor_reset", args=[alice.pk])
    for other in (as_bob, as_charlie):
        assert other.post(url).status_code == 403
    assert "Reset second factor" in as_admin.get(reverse("people:people")).content.decode()
    assert as_admin.post(url).status_code == 302
    assert not factors.has_factor(alice) and not is_in(browser) and not RecoveryCode.objects.exists()
    row = AuditRow.objects.get(verb="removed a passkey")
    assert (row.who, row.thing, row.details) == (admin.username, "alice", {"passkeys": 1})
    assert not is_in(enter(device)[0])


def test_a_shell_resets_passkeys(alice):
    with_passkey(alice)
    call_command("reset_codes", "alice")
    assert not Passkey.objects.exists()


def test_a_token_works_once_its_person_has_a_passkey(alice, settings):
    settings.SECOND_FACTOR_REQUIRED = "everyone"
    assert factors.lacks_factor(alice)
    with_passkey(alice)
    assert not factors.lacks_factor(alice)


def test_nothing_secret_is_logged(alice, caplog):
    caplog.set_level("INFO", logger="mirror")
    device = with_passkey(alice)
    enter(device)
    enter(Device(handle="AAAA"))
    browser = knock(alice)
    options(browser, "factor_ask")
    give(browser, device, "{}")
    text = caplog.text
    assert "added passkey" in text and "was refused" in text
    for hidden in (websafe_encode(device.credential_id), device.credential_id.hex(), device.handle):
        assert hidden not in text
