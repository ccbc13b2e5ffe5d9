"""A draft stays one wherever its SQL goes: saved, listed, run again, downloaded; until it is changed or verified."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from mirror.asking import services
from mirror.asking.models import Run, Version
from mirror.asking.services.thread_files import thread_turns
from mirror.dashboards.models import Card
from mirror.dashboards.selectors import title_said
from mirror.knowledge.models import Feedback
from mirror.knowledge.second_looks import SecondLook
from mirror.library.models import SavedSql
from mirror.sharing.services import link_make as share_link_make
from mirror.sharing.services import link_token
from tests.web.working import answer, work

QUESTION = "revenue by category 2025"
WHY = "foo bar"


@pytest.fixture
def draft(transactional_db, shop, media, alice) -> Run:
    """A follow-up of which something was not understood."""
    first = answer(services.run_ask(alice, shop, QUESTION))
    run = answer(services.run_follow(first, WHY))
    assert (run.outcome, WHY in run.reason) == ("ambiguous", True)
    return run


def save(client, version: Version, name: str = "Revenue") -> SavedSql:
    client.post(reverse("asking:save", args=[version.pk]), {"name": name})
    return SavedSql.objects.get(name=name)


def field(page: str, name: str) -> str:
    """The value of a hidden field."""
    return page.partition(f'name="{name}" value="')[2].partition('"')[0]


def seen(page: str) -> dict[str, str]:
    """Fields that the page of a second look sends back."""
    return {"seen": field(page, "seen")}


def page_of(client, run: Run):
    return client.get(reverse("asking:run", args=[run.pk]))


def test_saved_sql_tells_on_its_page_and_in_the_list_that_it_was_saved_from_a_draft(draft, as_alice) -> None:
    saved = save(as_alice, draft.versions.get())
    assert saved.draft == draft.reason
    page = as_alice.get(reverse("library:saved", args=[saved.pk])).content.decode()
    assert "Saved from a draft" in page and WHY in page
    assert '<span class="badge badge-warn" title="' in as_alice.get(reverse("library:list")).content.decode()
    plain = save(
        as_alice,
        answer(services.run_ask(draft.thread.owner, draft.thread.source, QUESTION)).versions.get(),
        "Plain",
    )
    assert plain.draft == ""
    assert "draft" not in as_alice.get(reverse("library:saved", args=[plain.pk])).content.decode()


def test_a_draft_and_an_answer_without_rows_are_verified_after_a_second_look(draft, shop, as_alice) -> None:
    version = draft.versions.get()
    place = reverse("asking:version_verify", args=[version.pk])
    asked = as_alice.post(place)
    page = unescape(asked.content.decode())
    assert asked.status_code == 200 and "Draft</span>" in page and WHY in page and version.sql in page
    assert not shop.verified.exists()
    as_alice.post(place, seen(page))
    shown = page_of(as_alice, draft)
    said = shown.context["page"]
    assert (said.state, said.is_unsure) == ("answered", False)
    assert (said.maker.confidence, said.maker.agree) == (None, "")
    verdict = shown.content.decode()
    assert "Verified</span>" in verdict and "Draft" not in verdict and "% sure" not in verdict
    empty = work(services.version_edit(draft, "SELECT * FROM customers WHERE 1 = 0", base=version))
    page = as_alice.post(reverse("asking:version_verify", args=[empty.pk])).content.decode()
    assert "It has no rows." in page and "Draft</span>" not in page


def test_a_second_look_is_not_skipped_nor_made_up(draft, shop, as_alice, alice, bob, team, settings) -> None:
    version = draft.versions.get()
    place = reverse("asking:version_verify", args=[version.pk])
    other = work(services.version_edit(draft, "SELECT * FROM customers WHERE 1 = 0", base=version))
    elsewhere = as_alice.post(reverse("asking:version_verify", args=[other.pk])).content.decode()
    earlier = SecondLook(alice.pk, place, services.question_of(draft), "SELECT 1", (draft.reason,), "")
    theirs = SecondLook(bob.pk, place, services.question_of(draft), version.sql, (draft.reason,), "")
    for made_up in (
        {"sure": "yes"},
        {"seen": "yes"},
        seen(elsewhere),
        {"seen": earlier.proof},
        {"seen": theirs.proof},
    ):
        page = as_alice.post(place, made_up)
        assert page.status_code == 200 and "Verify it all the same" in page.content.decode(), made_up
        assert not shop.verified.exists()
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        late = SecondLook(
            alice.pk, place, services.question_of(draft), version.sql, (draft.reason,), ""
        ).proof
    with time_machine.travel(timezone.now() + timedelta(hours=4), tick=False):
        assert not SecondLook(
            alice.pk, place, services.question_of(draft), version.sql, (draft.reason,), ""
        ).is_seen(late)
    as_alice.post(place, seen(page.content.decode()))
    assert shop.verified.get().sql == version.sql


def test_a_draft_that_somebody_calls_right_is_verified_after_a_second_look_too(draft, shop, as_alice) -> None:
    version = draft.versions.get()
    services.version_feedback(version, is_right=True)
    listed = as_alice.get(reverse("knowledge:feedback", args=[shop.pk])).content.decode()
    said = Feedback.objects.get()
    place = reverse("knowledge:feedback_do", args=[shop.pk, said.pk])
    sent = {"do": "verify", "stamp": field(listed, "stamp")}
    page = as_alice.post(place, sent)
    text = unescape(page.content.decode())
    assert page.status_code == 200 and "Draft</span>" in text and WHY in text and version.sql in text
    assert not shop.verified.exists()
    assert as_alice.post(place, sent | {"sure": "yes"}).status_code == 200 and not shop.verified.exists()
    services.version_feedback(version, is_right=False, reason="figure", should_be="SELECT 1 AS one")
    other = unescape(as_alice.post(place, sent | seen(text)).content.decode())
    assert "was changed since" in other and "Nobody has run it" in other and "SELECT 1 AS one" in other
    assert not shop.verified.exists(), "other SQL than was looked at"
    as_alice.post(place, sent | seen(other))
    assert shop.verified.get().sql == "SELECT 1 AS one"


def test_what_is_right_and_no_draft_is_verified_at_once_unless_it_was_changed(
    shop, alice, as_alice, media, transactional_db
) -> None:
    version = answer(services.run_ask(alice, shop, QUESTION)).versions.get()
    services.version_feedback(version, is_right=True)
    said = Feedback.objects.get()
    place = reverse("knowledge:feedback_do", args=[shop.pk, said.pk])
    assert as_alice.post(place, {"do": "verify"}).status_code == 200, "from no list"
    assert as_alice.post(place, {"do": "verify", "stamp": said.stamp}).status_code == 302
    assert shop.verified.get().sql == version.sql


def test_what_was_verified_since_says_so_wherever_it_is_shown(
    draft, shop, alice, team, as_alice, as_bob
) -> None:
    shop.teams.add(team)
    thread, version = draft.thread, draft.versions.get()
    services.thread_share(thread, [team], alice)
    link = share_link_make(thread, alice, 24)
    places = [
        (as_alice, reverse("asking:history")),
        (as_alice, reverse("asking:thread", args=[thread.pk])),
        (as_alice, reverse("asking:ask")),
        (as_bob, reverse("asking:run", args=[draft.pk])),
        (as_bob, reverse("asking:thread", args=[thread.pk])),
        (Client(), reverse("sharing:link", args=[link_token(link)])),
    ]
    for browser, place in places:
        page = browser.get(place).content.decode()
        assert "Ambiguous</span>" in page and "Verified</span>" not in page, place
    as_alice.post(
        reverse("asking:version_verify", args=[version.pk]),
        seen(as_alice.post(reverse("asking:version_verify", args=[version.pk])).content.decode()),
    )
    for browser, place in places:
        page = browser.get(place).content.decode()
        assert "Verified</span>" in page, place
        assert "Ambiguous</span>" not in page and "Draft</span>" not in page, place
    (turn,) = [one for one in thread_turns(thread) if one.run == draft]
    assert turn.stands.is_verified and not turn.draft
    shop.verified.update(taken_back_at=timezone.now())
    assert "Draft</span>" in as_bob.get(reverse("asking:run", args=[draft.pk])).content.decode(), "taken back"


def test_saved_sql_of_a_draft_that_is_run_is_marked_and_so_are_its_files(draft, as_alice) -> None:
    saved = save(as_alice, draft.versions.get())
    as_alice.post(reverse("asking:run_saved", args=[saved.pk]))
    run = Run.objects.order_by("-pk").first()
    work(run.versions.get())
    response = page_of(as_alice, run)
    page, html = response.context["page"], response.content.decode()
    assert (page.is_unsure, page.reason) == (True, f"This SQL was saved from a draft. {saved.draft}")
    assert page.reason.replace("“", "").split(".")[0] in html.replace("“", "")
    assert "Saved SQL" in html
    href = re.search(r'href="([^"]+/csv/[^"]*)"', html)[1]
    file = as_alice.get(href.replace("&amp;", "&"))
    assert 'filename="draft-' in file["Content-Disposition"]
    # Saved anew from there it is a draft still.
    assert WHY in save(as_alice, run.versions.get(), "Again").draft


def test_a_changed_draft_is_one_as_long_as_words_are_left_out(draft, as_alice) -> None:
    version = draft.versions.get()
    as_alice.post(reverse("asking:change", args=[version.pk]), {"choice": "by:0 grain:month"})
    changed = work(draft.versions.first())
    page = page_of(as_alice, draft).context["page"]
    assert (page.is_unsure, page.version.is_changed, WHY in page.reason) == (True, True, True)
    assert WHY in save(as_alice, changed, "Changed").draft


def test_a_reading_that_somebody_chose_is_no_draft(draft, as_alice) -> None:
    version = draft.versions.get()
    reading = {
        "sql": version.sql,
        "difference": "another",
        "columns": [],
        "rows": [],
        "row_count": 1,
        "size": 1,
    }
    Run.objects.filter(pk=draft.pk).update(readings=[reading | {"frame": version.frame}])
    as_alice.post(reverse("asking:use_reading", args=[draft.pk, 0]))
    chosen = work(draft.versions.first())
    assert page_of(as_alice, draft).context["page"].is_unsure is False
    assert save(as_alice, chosen).draft == ""


def test_sql_that_a_person_wrote_is_no_draft(draft, as_alice) -> None:
    as_alice.post(reverse("asking:edit", args=[draft.pk]), {"sql": "SELECT 1 AS one"})
    edited = work(draft.versions.first())
    assert page_of(as_alice, draft).context["page"].is_unsure is False
    assert save(as_alice, edited).draft == ""


def changed_in_words(client, run: Run, wish: str) -> Version:
    """Accept what is proposed for a wish, as the editor does, and have it run."""
    sql = run.versions.first().sql
    sent = {"sql": sql, "words": wish}
    address = reverse("asking:change_sql", args=[run.thread.source_id])
    told = client.post(address, sent, headers={"Accept": "application/json"}).json()
    assert told["sql"], told
    client.post(reverse("asking:edit", args=[run.pk]), {"sql": told["sql"], "changed": wish})
    return work(run.versions.first())


def test_a_draft_changed_in_words_is_one_as_long_as_words_are_left_out_and_has_no_readings_of_before(
    draft, as_alice
) -> None:
    version = draft.versions.get()
    reading = {"sql": version.sql, "difference": "x", "columns": [], "rows": [], "row_count": 1, "size": 1}
    Run.objects.filter(pk=draft.pk).update(readings=[reading | {"frame": version.frame}])
    assert page_of(as_alice, draft).context["page"].readings
    changed = changed_in_words(as_alice, draft, "top 3")
    response = page_of(as_alice, draft)
    page, html = response.context["page"], response.content.decode()
    assert (changed.origin, page.is_unsure, page.readings) == ("edit", True, ())
    assert page.reason == f"This was left out: {', '.join(f'“{word}”' for word in version.left_out)}."
    assert page.reason in html and '<span class="badge badge-warn">Draft</span>' in html
    again = changed_in_words(as_alice, draft, "top 2")
    assert again.draft == changed.draft
    assert save(as_alice, again).draft == changed.draft
    # Words that a change says are in it.
    again.change = " ".join(version.left_out)
    assert again.draft == ""


def test_saved_sql_of_a_draft_stays_one_when_it_is_changed_in_words(draft, as_alice) -> None:
    saved = save(as_alice, draft.versions.get())
    as_alice.post(reverse("asking:run_saved", args=[saved.pk]))
    run = Run.objects.order_by("-pk").first()
    work(run.versions.get())
    assert changed_in_words(as_alice, run, "top 3").draft == saved.draft
    as_alice.post(reverse("asking:edit", args=[run.pk]), {"sql": "SELECT 1 AS one"})
    assert work(run.versions.first()).draft == ""


def test_the_mark_goes_when_the_sql_is_changed_and_stays_when_the_name_is(draft, as_alice) -> None:
    saved = save(as_alice, draft.versions.get())
    typed = {"name": "Named anew", "form-TOTAL_FORMS": "0", "form-INITIAL_FORMS": "0"}
    address = reverse("library:edit", args=[saved.pk])
    assert as_alice.post(address, typed | {"sql": saved.sql}).status_code == 302
    saved.refresh_from_db()
    assert (saved.name, bool(saved.draft)) == ("Named anew", True)
    as_alice.post(address, typed | {"sql": "SELECT 1 AS one"})
    saved.refresh_from_db()
    assert saved.draft == ""


def test_the_owner_alone_verifies_and_the_mark_goes(draft, as_alice, as_bob, as_charlie, team, alice) -> None:
    saved = save(as_alice, draft.versions.get())
    saved.teams.add(team)
    address = reverse("library:verify", args=[saved.pk])
    assert (as_bob.post(address).status_code, as_charlie.post(address).status_code) == (403, 404)
    assert "verify" not in as_bob.get(reverse("library:saved", args=[saved.pk])).content.decode().replace(
        "verifies", ""
    )
    assert as_alice.get(address).status_code == 405
    page = as_alice.post(address, follow=True).content.decode()
    saved.refresh_from_db()
    assert (saved.draft, saved.verified_by) == ("", alice)
    assert saved.verified_at is not None
    assert "Verified" in page and "Saved from a draft" not in page


def test_why_a_saved_draft_is_one_and_what_its_card_is_called_are_german(draft, shop, as_alice) -> None:
    german = {"accept-language": "de"}
    version = draft.versions.get()
    saved = save(as_alice, version)
    why = "Nicht sicher: Dies ist ein Entwurf, der „foo bar“ auslässt."
    page = unescape(as_alice.get(reverse("library:saved", args=[saved.pk]), headers=german).content.decode())
    assert why in page and "Not sure" not in page
    assert saved.draft.startswith("Not sure"), "programs read English"
    as_alice.post(reverse("dashboards:add") + f"?version={version.pk}", {"name": "Board"}, headers=german)
    card = Card.objects.get()
    assert card.title == version.title != title_said(card) or not version.title
    board = reverse("dashboards:dashboard", args=[card.dashboard_id])
    with translation.override("de"):
        titled = title_said(card)
    assert titled in unescape(as_alice.get(board, headers=german).content.decode())
    as_alice.post(
        reverse("dashboards:card_change", args=[card.pk]), {"title": titled, "shows": "table"}, headers=german
    )
    card.refresh_from_db()
    assert (card.title, card.shows) == (version.title, "table"), "nobody typed another title"
    services_run = as_alice.post(reverse("asking:run_saved", args=[saved.pk]))
    run = Run.objects.get(pk=int(services_run["Location"].strip("/").split("/")[-1]))
    assert run.saying["reason"] == draft.saying["reason"]
