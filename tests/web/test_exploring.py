"""A source's overview, made by itself: questions of its model as cards, stored, asked further, put on a dashboard."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse

from mirror.asking.models import Run
from mirror.dashboards.exploring import overview_parts
from mirror.dashboards.models import Card, Supply
from mirror.knowledge.models import StoredAnswer, StoredTerm
from mirror.sources.models import Source
from mirror.work.leases import Status
from sqlagent.makers.analyst.overviews import PARTS
from tests.web.working import answer, supplied

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "mirror-board"}


def url(name: str, *args: object) -> str:
    return reverse(f"dashboards:{name}", args=args)


def test_an_overview_is_read_once_and_shown_at_once_after_that(
    shop, as_alice, as_bob, as_charlie, media
) -> None:
    place = url("explore", shop.pk)
    assert (
        as_charlie.get(place).status_code == as_charlie.get(place + "now/", headers=SCRIPT).status_code == 404
    )
    assert as_charlie.post(place + "refresh/").status_code == 404
    assert not Supply.objects.exists()
    first = as_alice.get(place).content.decode()
    parts = overview_parts(shop)
    assert 6 <= len(parts) <= PARTS
    assert first.count("Waiting for a worker") >= len(parts)
    assert supplied() == len(parts), "a statement each, and no more"
    page = as_bob.get(place).content.decode()
    assert not supplied()
    assert "Waiting for a worker" not in page
    assert page.count("<mirror-chart") == sum(part.shows == "" for part in parts)
    assert "Revenue in October 2026" in page and "web_visits in" not in page
    assert re.search(r"class=\"card-change\">(up|down) [\d.]+ % from ", page)
    some = parts[0].key
    assert as_bob.get(place + "now/").status_code == 302
    part = as_bob.get(place + "now/", {"only-cards": f"{some},x"}, headers=SCRIPT).content.decode()
    assert part.count("<article") == 1
    as_bob.post(f"{place}refresh/?part={some}")
    assert supplied() == 1
    as_bob.post(f"{place}refresh/")
    assert Supply.objects.filter(status=Status.QUEUED).count() == len(parts)


def test_a_part_is_asked_as_its_question_and_put_on_a_dashboard_with_its_rows(
    shop, as_alice, as_charlie, media
) -> None:
    as_alice.get(url("explore", shop.pk))
    supplied()
    part = next(one for one in overview_parts(shop) if one.shows == "change")
    link = f"{url('add')}?explored={shop.pk}&part={part.key}"
    assert as_charlie.get(link).status_code == 404
    assert as_alice.get(f"{url('add')}?explored={shop.pk}&part=x").status_code == 404
    assert "change" in as_alice.get(link).content.decode()
    assert (
        as_alice.post(link, {"name": "Mine", "title": part.question, "shows": part.shows}).status_code == 302
    )
    card = Card.objects.get()
    page = as_alice.get(url("dashboard", card.dashboard_id)).content.decode()
    assert not supplied(), "what the overview read is shown"
    assert "card-change" in page
    as_alice.post(reverse("asking:ask"), {"source": shop.name, "question": part.question})
    asked = answer(Run.objects.get())
    assert (asked.outcome, asked.versions.get().sql) == ("answered", part.sql)


def test_a_source_with_nothing_to_sum_up_says_what_to_do(alice, as_alice, new_shop) -> None:
    assert "have not been read yet" in as_alice.get(url("explore", new_shop.pk)).content.decode()
    empty = Source.objects.create(owner=alice, name="empty", engine="sqlite", database="/nowhere")
    assert overview_parts(empty) == []


def test_an_overview_goes_by_the_terms_and_verified_answers_of_the_team(shop, alice, as_alice, media) -> None:
    before = {one.question: one.sql for one in overview_parts(shop)}
    top = next(one for one in before if one.startswith("Top 5 customers"))
    body = "SUM(order_lines.amount) FILTER (WHERE order_lines.quantity > 1)"
    for phrase, kind, sql in (
        ("revenue", "measure", body),
        ("device", "name", "web_visits.customer_id"),
        ("device", "name", "web_visits.device"),
    ):
        StoredTerm.objects.create(
            source=shop, owner=alice, phrase=phrase, kind=kind, body=sql, status="force"
        )
    vouched = "SELECT 'all of them' AS customers, COUNT(*) AS web_visits FROM web_visits"
    StoredAnswer.objects.create(source=shop, question=top.lower(), sql=vouched, verified_by=alice)
    parts = {one.question: one for one in overview_parts(shop)}
    assert {one for one in before if one not in parts} == {"Number of web visits by device, 2025"}
    for question, part in parts.items():
        if "revenue" in question.lower():
            assert "quantity > 1" in part.sql
        elif question == top:
            assert "all of them" in part.sql
        else:
            assert part.sql == before[question]
    page = unescape(as_alice.get(url("explore", shop.pk)).content.decode())
    assert "“revenue”" in page.partition('id="goes-by"')[2].partition("</p>")[0]


def test_an_overview_is_called_in_german(shop, as_alice, media) -> None:
    page = unescape(as_alice.get(url("explore", shop.pk), headers={"accept-language": "de"}).text)
    assert "Revenue, Oktober 2026" in page and "Anzahl web visits nach device, 2025" in page
    assert "Top 5 products nach revenue" in page
    assert ">Number of" not in page and " by month, 2025</" not in page
