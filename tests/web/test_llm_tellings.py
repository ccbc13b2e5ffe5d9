"""SQL of an editor told by a source's language model: beside the rules, labelled, bounded as questions are."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking.models import LlmTelling
from mirror.llms.models import Endpoint, Use
from mirror.llms.services import budget_set
from mirror.sources.models import Source, TeamRole, WithheldName
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.scripted_server import Bad, ScriptedServer
from tests.web.working import unwatched

SQL = "SELECT country, COUNT(*) AS customers\nFROM customers\nWHERE city <> 'Atlantis' -- for the board\nGROUP BY country"
WORDS = "It counts the `customers` of each `country`, to see where most of them live."
FRAGMENT = {"hx-request": "true"}
BUTTON = "In the model's words"


@pytest.fixture
def server(transactional_db, media):
    """A model at 1 a million tokens sent and 2 a million replied."""
    server = ScriptedServer(WORDS).start()
    Endpoint.objects.create(
        name="Local", base_url=server.base_url, model="m-1", price_prompt=1.0, price_reply=2.0
    )
    yield server
    server.stop()


def sent(sql: str = SQL, **more: object) -> dict[str, object]:
    return {"sql": sql, "place": "tab", "place_id": 1, **more}


def explained(browser, source: Source, sql: str = SQL) -> str:
    reply = browser.post(reverse("asking:explain_sql", args=[source.pk]), sent(sql), headers=FRAGMENT)
    assert reply.status_code == 200
    return reply.content.decode()


def asked(browser, source: Source, sql: str = SQL, **more: object) -> str:
    """Press the button; give the address that is followed."""
    reply = browser.post(reverse("asking:tell_sql", args=[source.pk]), sent(sql, **more), headers=FRAGMENT)
    assert reply.status_code == 200 and "Waiting for a worker" in reply.content.decode()
    return reverse("asking:llm_telling", args=[LlmTelling.objects.get(status=Status.QUEUED).pk])


def told(browser, source: Source, *args: object, **more: object) -> str:
    """Ask, do the worker's part, and look."""
    here = asked(browser, source, *args, **more)
    with unwatched():
        assert work_do("llm_telling", LlmTelling.objects.get(status=Status.QUEUED).pk)
    return browser.get(here, headers=FRAGMENT).content.decode()


def test_the_model_says_what_sql_is_for_beside_the_rules_and_is_named(server, shop, alice, as_alice):
    rules = explained(as_alice, shop)
    assert BUTTON in rules and "the number of rows, called customers" in rules and not server.calls
    found = told(as_alice, shop, f"SELECT 1;\n{SQL};\n-- end", at=20)
    assert "It counts the customers of each country" in found
    assert "In the words of m-1 (Local), a language model." in found and "privacy: schema" in found
    use = Use.objects.get()
    assert (use.person, use.source, use.llm, use.calls) == (alice, shop, "m-1 (Local)", 1)
    assert use.money == pytest.approx((use.prompt_tokens + 2 * use.reply_tokens) / 1_000_000) and use.money


def test_without_a_model_nothing_is_offered(transactional_db, shop, as_alice):
    assert BUTTON not in explained(as_alice, shop)
    assert as_alice.post(reverse("asking:tell_sql", args=[shop.pk]), sent()).status_code == 404


def test_only_what_privacy_allows_is_sent(server, shop, as_alice):
    server.script = "Customers by `country`, without :hidden_1."
    assert "without &#x27;Atlantis&#x27;." in told(as_alice, shop)
    (body,) = server.received
    assert b"Atlantis" not in body and b"the board" not in body and b":hidden_1" in body


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("It counts 12 of them.", "not in this SQL: “12”"),
        ("By `gender`.", "“gender”"),
        ("<script>alert(1)</script>", "not with a few sentences"),
        ("Their “<b>x</b>” alone.", "not with a few sentences"),
        (Bad("nonsense"), "The language model gave no usable reply."),
        (Bad("status", 401), "The language model refused the request."),
    ],
)
def test_words_about_something_else_are_not_shown(server, shop, as_alice, reply, words):
    server.script = reply
    found = told(as_alice, shop)
    assert (
        words in found and "In the words of" not in found and "<script>" not in found and "<b>" not in found
    )


def test_words_are_text_whatever_they_say(server, shop, as_alice):
    server.script = "Customers < orders & “country” by country."
    assert "Customers &lt; orders &amp; “country” by country." in told(as_alice, shop)


def test_a_model_that_does_not_reply_is_told(server, shop, as_alice, settings):
    settings.LLM_TIMEOUT = 0.5
    server.script = Bad("hang")
    assert "The language model did not reply." in told(as_alice, shop)
    assert Use.objects.get().estimated_tokens > 0


def test_a_budget_that_is_used_up_forbids_the_call(server, shop, admin, as_alice):
    here = asked(as_alice, shop)
    budget_set(shop, 0, None, admin)
    with unwatched():
        work_do("llm_telling", LlmTelling.objects.get().pk)
    spent = "is used up, so no language model is asked."
    assert spent in as_alice.get(here, headers=FRAGMENT).content.decode() and not server.calls
    rules = explained(as_alice, shop)
    assert spent in rules and BUTTON not in rules
    assert as_alice.post(reverse("asking:tell_sql", args=[shop.pk]), sent()).status_code == 409


def test_sql_that_would_be_refused_is_not_sent(server, shop, as_alice):
    assert "would be refused" in told(as_alice, shop, "SELECT nope FROM customers") and not server.calls


def test_a_telling_is_its_owners_alone_and_can_be_stopped(server, shop, as_alice, as_bob, as_charlie):
    here = asked(as_alice, shop)
    for stranger in (as_bob, as_charlie):
        assert stranger.get(here).status_code == stranger.post(f"{here}stop/").status_code == 404
    place = reverse("asking:tell_sql", args=[shop.pk])
    assert as_charlie.post(place, sent()).status_code == 404 and as_bob.post(place, sent()).status_code == 302
    as_alice.post(f"{here}stop/")
    assert "It was stopped." in as_alice.get(here, headers=FRAGMENT).content.decode() and not server.calls
    assert as_alice.get(f"{here}stop/").status_code == as_alice.get(place).status_code == 405


def test_rights_are_asked_again_when_the_worker_comes_and_at_each_look(server, shop, team, as_bob):
    here = asked(as_bob, shop)
    TeamRole.objects.create(source=shop, team=team, role=TeamRole.Role.VIEWER)
    with unwatched():
        work_do("llm_telling", LlmTelling.objects.get().pk)
    assert not server.calls
    assert as_bob.post(reverse("asking:tell_sql", args=[shop.pk]), sent()).status_code == 403
    shop.teams.clear()
    assert as_bob.get(here).status_code == 404


def test_what_was_withheld_since_is_neither_sent_nor_shown(server, shop, team, as_bob):
    here = asked(as_bob, shop)
    WithheldName.objects.create(source=shop, team=team, table="customers")
    Source.objects.filter(pk=shop.pk).update(withholds=True)
    with unwatched():
        work_do("llm_telling", LlmTelling.objects.get().pk)
    assert not server.calls and as_bob.get(here).status_code == 404


def test_without_scripts_it_is_a_page_with_both_tellings(server, shop, as_alice):
    rules = as_alice.post(reverse("asking:explain_sql", args=[shop.pk]), sent()).content.decode()
    assert BUTTON in rules
    first = as_alice.post(reverse("asking:tell_sql", args=[shop.pk]), sent())
    assert first.status_code == 302 and "Look again" in as_alice.get(first.url).content.decode()
    with unwatched():
        work_do("llm_telling", LlmTelling.objects.get().pk)
    page = as_alice.get(first.url).content.decode()
    assert "In the words of m-1 (Local)" in page and "the number of rows, called customers" in page
    assert page.count("<h1") == 1 and reverse("workbench:tab", args=[1]) in page
