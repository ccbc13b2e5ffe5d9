"""Sessions are listed for whose they are, and ended by them alone."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
import time_machine
from django.test import AsyncClient, Client
from django.urls import reverse
from django.utils import timezone

from mirror.audit.models import AuditRow
from mirror.people.models import Session
from mirror.people.services import link_create, sessions_forget

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1"


def entered(user, browser: str = FIREFOX, address: str = "203.0.113.7") -> Client:
    """Sign in by a link in a browser."""
    client = Client(headers={"User-Agent": browser}, REMOTE_ADDR=address)
    assert client.post(reverse("people:sign_in_link", args=[link_create(user)])).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get(reverse("people:account")).status_code == 200


def page_of(client: Client) -> str:
    return client.get(reverse("people:account")).content.decode()


def test_sessions_are_listed_with_browser_address_and_way(alice):
    here, phone = entered(alice), entered(alice, IPHONE, "198.51.100.9")
    page = page_of(here)
    assert "Firefox on Linux" in page and "Safari on iPhone" in page and "this browser" in page
    assert "from 198.51.100.9, by one-time link" in page
    for client in (here, phone):
        assert client.session.session_key not in page, "its key would sign in who reads the page"


def test_one_session_is_ended_and_the_others_stay(alice):
    here, phone = entered(alice), entered(alice, IPHONE)
    mark = Session.objects.get(pk=phone.session.session_key).mark
    assert here.post(reverse("people:session_end", args=[mark])).status_code == 302
    assert is_in(here) and not is_in(phone)
    assert AuditRow.objects.get(verb="ended a session").details == {"browser": IPHONE}
    assert here.post(reverse("people:session_end", args=[mark])).status_code == 404


def test_all_others_are_ended_at_once(alice, bob):
    here, others, bobs = entered(alice), [entered(alice), entered(alice)], entered(bob)
    assert here.post(reverse("people:sessions_end")).status_code == 302
    assert is_in(here) and not any(map(is_in, others)) and is_in(bobs)
    assert AuditRow.objects.get(verb="ended a session").details == {"sessions": 2}


def test_nobody_sees_or_ends_a_session_of_somebody_else(alice, bob, charlie, admin):
    hers = entered(alice, IPHONE, "198.51.100.77")
    mark = Session.objects.get(user=alice).mark
    for other in (bob, charlie, admin):
        client = entered(other)
        assert "198.51.100.77" not in page_of(client)
        assert client.post(reverse("people:session_end", args=[mark])).status_code == 404
    assert is_in(hers)


def test_a_password_that_changes_ends_the_other_sessions(alice):
    here, other = entered(alice), entered(alice)
    fields = {"new_password1": "a long pass phrase", "new_password2": "a long pass phrase"}
    assert here.post(reverse("people:account"), fields).status_code == 302
    assert Session.objects.get(user=alice).session_key == here.session.session_key, (
        "the others are not listed"
    )
    assert is_in(here) and not is_in(other)
    assert page_of(here).count("this browser") == 1


def test_the_last_use_is_told_to_some_minutes_and_old_rows_go(alice):
    client = entered(alice)
    began = Session.objects.get(user=alice).seen_at
    assert is_in(client) and Session.objects.get(user=alice).seen_at == began
    with time_machine.travel(timezone.now() + timedelta(minutes=6)):
        assert is_in(client) and Session.objects.get(user=alice).seen_at > began
    assert sessions_forget() == 0
    with time_machine.travel(timezone.now() + timedelta(days=15)):
        assert not is_in(client)
        assert sessions_forget() == 1


def test_who_only_looks_leaves_no_row(client):
    client.get(reverse("people:sign_in"))
    assert not Session.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_kept_by_a_view_that_waits_says_whose_it_is(alice):
    async def sign_in() -> None:
        await asyncio.wait_for(AsyncClient().aforce_login(alice), 30)

    asyncio.run(sign_in())
    assert Session.objects.filter(user=alice).exists()
