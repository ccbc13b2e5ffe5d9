"""How far the values of a source are read is told on its page while reading goes on."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from mirror.sources import index_services
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.models import StoredIndex
from mirror.work.leases import Status
from tests.web.working import values_read

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(new_shop):
    """The shop before anything of it is read."""
    return new_shop


@pytest.fixture
def partly(shop, media, monkeypatch) -> StoredIndex:
    """The shop with some of its columns read, and the next turn queued."""

    def giving_way(*_):
        left = iter([False] * 14)
        return lambda: next(left, True)

    monkeypatch.setattr(index_services, "_giving_way", giving_way)
    monkeypatch.setattr(index_services, "FIRST_SECONDS", 60.0)
    catalog_refresh(shop)
    return values_read(shop, turns=1)


def told(browser, source, *, is_asked_again: bool = True) -> str:
    where = reverse("sources:values" if is_asked_again else "sources:source", args=[source.pk])
    answer = browser.get(where, headers={"HX-Request": "true"} if is_asked_again else {})
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_while_reading_goes_on_its_page_tells_how_far_it_is_and_asks_again(
    partly, shop, as_alice, as_bob
) -> None:
    read, of = partly.coverage["read"], partly.coverage["of"]
    assert 0 < read < of
    for browser in (as_alice, as_bob):
        for is_asked_again in (False, True):
            page = told(browser, shop, is_asked_again=is_asked_again)
            assert f"values of {read} of {of} columns are read; reading goes on" in page
            assert f'<progress max="{of}" value="{read}" aria-label="Columns whose values are read">' in page
            assert f'hx-get="{reverse("sources:values", args=[shop.pk])}" hx-trigger="every 3s"' in page


def test_it_moves_on_with_each_turn_and_ends(partly, shop, as_alice) -> None:
    seen = [partly.coverage["read"]]
    for _ in range(20):
        index = values_read(shop, turns=1)
        seen.append(index.coverage["read"])
        page = told(as_alice, shop)
        if index.status == Status.DONE:
            break
        assert f'value="{seen[-1]}"' in page
    assert len(set(seen)) > 2 and seen == sorted(seen)
    assert seen[-1] == index.coverage["of"]
    assert re.search(r"<span>[\d,]+ searchable</span>", page)
    assert "<progress" not in page and "hx-get" not in page


def test_a_source_that_waits_for_its_first_turn_says_so(shop, as_alice) -> None:
    index_services.index_ask_for(shop)
    page = told(as_alice, shop)
    assert "waiting for a worker" in page and "hx-trigger" in page and "<progress" not in page


def test_one_that_could_not_be_read_says_when_it_is_tried_again_and_asks_no_more(
    partly, shop, as_alice
) -> None:
    until = timezone.now() + timedelta(minutes=15)
    StoredIndex.objects.update(
        state=StoredIndex.State.FAILED, message="It was away.", status=Status.QUEUED, not_before=until
    )
    page = told(as_alice, shop)
    assert f'reading is tried again at <time datetime="{until:%Y-%m-%dT%H:%M}' in page
    assert "hx-get" not in page and "<progress" not in page


def test_a_stranger_is_told_nothing_and_a_link_leads_to_the_source(
    partly, shop, as_charlie, as_alice, client
) -> None:
    where = reverse("sources:values", args=[shop.pk])
    assert as_charlie.get(where, headers={"HX-Request": "true"}).status_code == 404
    assert "/sign-in/" in client.get(where).url
    assert as_alice.get(where).url == reverse("sources:source", args=[shop.pk])
