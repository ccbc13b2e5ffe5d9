"""The palette: it finds what somebody sees, best first, and nothing else."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from mirror.asking.models import Run, Thread
from mirror.dashboards.models import Dashboard
from mirror.library import services as library
from mirror.palette.pages import MOST

FRAGMENT = {"X-Requested-With": "palette"}


def found(browser, typed: str) -> list[str]:
    """The names that the dialog shows, in order."""
    answer = browser.get(reverse("palette:palette"), {"q": typed}, headers=FRAGMENT)
    assert answer.status_code == 200
    return re.findall(r'<span class="truncate">(.*?)</span>', answer.content.decode())


@pytest.fixture
def things(alice, shop, team) -> None:
    """Saved SQL and a dashboard that Alice shares with the analysts, and a thread of hers alone."""
    saved = library.sql_save(alice, shop, "Zebra revenue", "SELECT 1")
    board = Dashboard.objects.create(owner=alice, name="Our zebra board")
    for thing in (saved, board):
        thing.teams.add(team)
    thread = Thread.objects.create(owner=alice, source=shop, title="zebra")
    Run.objects.create(thread=thread, asked="zebra")


def test_it_finds_what_somebody_sees_best_first(as_alice, as_bob, as_charlie, things):
    asks = "Ask “zebra”"
    assert found(as_alice, "zebra") == ["zebra", "Zebra revenue", "Our zebra board", asks]
    assert found(as_bob, "zebra") == ["Zebra revenue", "Our zebra board", asks]
    assert found(as_charlie, "zebra") == [asks]


def test_what_a_source_held_goes_with_it(as_bob, shop, things):
    assert "shop" in found(as_bob, "shop")
    shop.teams.clear()
    assert "shop" not in found(as_bob, "shop")
    assert found(as_bob, "zebra") == ["Our zebra board", "Ask “zebra”"]


def test_pages_of_administrators_are_theirs(as_alice, alice):
    assert "Audit" not in found(as_alice, "audit")
    alice.is_staff = True
    alice.save()
    assert found(as_alice, "audit")[0] == "Audit"


def test_whatever_is_typed_is_text_and_there_are_never_more_than_twenty(as_alice, alice, shop):
    for number in range(30):
        library.sql_save(alice, shop, f"Zebra {number} <b>", "SELECT 1")
    assert len(found(as_alice, "zebra")) == MOST
    page = as_alice.get(reverse("palette:palette"), {"q": "<b>\x00\x07\u202e" + "x" * 300})
    assert page.status_code == 200
    assert "<b>" not in page.content.decode() and "\u202e" not in page.content.decode()


def test_the_page_works_without_scripts_and_lists_the_keys(as_alice, things):
    page = as_alice.get(reverse("palette:palette"), {"q": "zebra rev"}).content.decode()
    assert 'class="list-title" href="/library/' in page
    assert "g, then n" in as_alice.get(reverse("palette:keys")).content.decode()
