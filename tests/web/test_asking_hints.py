"""A hint given with a question: kept, bounded, shown, repeated, and heard by who answers."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking import services
from mirror.asking.models import Run
from mirror.asking.pages.words import hint_unused
from tests.scripted_server import serving
from tests.web.working import REVENUE, answer

# "whale" is in no name and no value of the shop: without the hint nobody knows what it means.
QUESTION, HINT = "How many customers are whales?", "whales refers to country = 'Norway'"


def ask(client, question: str = QUESTION, hint: str = HINT):
    return client.post(reverse("asking:ask"), {"question": question, "source": "shop", "hint": hint})


def test_a_hint_is_kept_with_the_run_and_shown_under_the_question(shop, as_alice) -> None:
    ask(as_alice, hint=f"  {HINT}\r\nbig = amount > 5 ")
    run = Run.objects.get()
    assert run.hint == f"{HINT}\nbig = amount > 5"
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "Hint: whales refers to country" in html


def test_without_a_hint_none_is_shown_and_one_can_be_added(shop, as_alice) -> None:
    ask(as_alice, hint=" ")
    run = Run.objects.get()
    assert run.hint == ""
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "Hint:" not in html
    assert "<summary>Add a hint</summary>" in html
    assert "<summary>Add a hint</summary>" in as_alice.get(reverse("asking:ask")).content.decode()


def test_a_hint_decides_what_a_word_means(transactional_db, shop, alice, media) -> None:
    without = answer(services.run_ask(alice, shop, QUESTION))
    assert without.outcome != "answered"
    assert "whales" in without.reason
    run = answer(services.run_ask(alice, shop, QUESTION, hint=HINT))
    assert "Norway" in run.versions.get().sql
    assert run.outcome == "answered"


def test_a_language_model_is_told_the_hint(transactional_db, shop, alice, media, settings) -> None:
    with serving("```sql\nSELECT count(*) AS n FROM customers WHERE country = 'Norway'\n```") as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL = server.base_url, "scripted"
        run = answer(services.run_ask(alice, shop, QUESTION, hint=HINT))
    asked = [message["text"] for call in run.sent for message in call["messages"]]
    assert any(HINT in text for text in asked)


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("x" * 2001, "This hint has 2,001 characters; the longest taken has 2,000."),
        ("tall means hei\u202eght > 3", "a character that cannot be seen (U+202E)"),
        ("tall\x00 means height > 3", "a character that cannot be seen (U+0000)"),
        ("tall\u200b means height > 3", "a character that cannot be seen (U+200B)"),
        ("tall\u00ad means height > 3", "a character that cannot be seen (U+00AD)"),
    ],
    ids=("long", "turned", "null", "no width", "soft hyphen"),
)
def test_a_hint_that_cannot_be_taken_is_told_and_stays_as_typed(shop, as_alice, hint, said) -> None:
    response = ask(as_alice, hint=hint)
    assert response.status_code == 422
    page = response.context["page"]
    assert said in page.problem
    assert (page.question, page.hint) == (QUESTION, hint)
    assert '<details class="hint-field" data-hint id="ask-hint" open>' in response.content.decode()
    assert not Run.objects.exists()


def test_a_hint_may_have_lines_tabs_and_joiners(shop, alice) -> None:
    hint = "می\u200cخواهم means a > 1\n\tb = 2"
    assert services.run_ask(alice, shop, REVENUE, hint=hint).hint == hint


def test_asking_again_asks_with_the_same_hint(shop, as_alice) -> None:
    ask(as_alice)
    first = Run.objects.get()
    as_alice.post(reverse("asking:again", args=[first.pk]))
    assert Run.objects.exclude(pk=first.pk).get().hint == HINT


def test_a_follow_up_keeps_the_hint_until_another_is_given(answered, as_alice) -> None:
    Run.objects.filter(pk=answered.pk).update(hint=HINT)
    address = reverse("asking:follow", args=[answered.pk])
    html = as_alice.get(reverse("asking:run", args=[answered.pk])).content.decode()
    assert f">{HINT.replace(chr(39), '&#x27;')}</textarea>" in html
    for sent, kept in (
        ({}, HINT),
        ({"hint": HINT}, HINT),
        ({"hint": "big = amount > 5"}, "big = amount > 5"),
        ({"hint": ""}, ""),
    ):
        as_alice.post(address, {"question": "only 2024", **sent})
        assert Run.objects.order_by("-pk").first().hint == kept


def test_a_follow_ups_hint_that_cannot_be_taken_is_told_beside_it(answered, as_alice) -> None:
    sent = {"question": "only 2024", "hint": "a\u202eb"}
    response = as_alice.post(reverse("asking:follow", args=[answered.pk]), sent)
    assert response.status_code == 422
    page = response.context["page"]
    assert "cannot be seen" in page.problem
    assert (page.follow_up.asked, page.follow_up.hint) == ("only 2024", "a\u202eb")
    assert Run.objects.count() == 1


def test_a_hint_is_seen_by_who_asked_alone(shop, as_alice, as_bob, as_charlie) -> None:
    assert ask(as_charlie).status_code == 422
    ask(as_alice)
    run = Run.objects.get()
    address, follow = (reverse(f"asking:{name}", args=[run.pk]) for name in ("run", "follow"))
    assert HINT.split("'")[0] in as_alice.get(address).content.decode()
    for stranger in (as_bob, as_charlie):
        assert stranger.get(address).status_code == 404
        assert stranger.post(follow, {"question": "only 2024", "hint": "x = 1"}).status_code == 404
    assert Run.objects.count() == 1


def test_markup_in_a_hint_is_text(shop, as_alice) -> None:
    ask(as_alice, hint="<b>big</b> = amount > 5")
    html = as_alice.get(reverse("asking:run", args=[Run.objects.get().pk])).content.decode()
    assert "&lt;b&gt;big&lt;/b&gt; = amount &gt; 5" in html
    assert "<b>big" not in html


def test_history_finds_a_question_by_its_hint(shop, as_alice) -> None:
    ask(as_alice)
    ask(as_alice, hint="")
    threads = as_alice.get(reverse("asking:history"), {"q": "Norway"}).context["page"].threads
    found = [run for thread in threads for run in thread.runs]
    assert len(found) == 1


UNREAD = "please use the good numbers"


def test_what_is_not_used_of_a_hint_stands_beside_the_verdict(
    transactional_db, shop, alice, media, as_alice
) -> None:
    run = answer(services.run_ask(alice, shop, REVENUE, hint=UNREAD))
    assert (run.outcome, run.unused_hint) == ("answered", [UNREAD])
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    verdict, folded = html.index('id="verdict"'), html.index('id="result"')
    for told in ("Hint not used", f"Not used of the hint: “{UNREAD}”."):
        assert verdict < html.index(told, verdict) < folded
    for name in ("history", "ask"):
        assert "Hint not used" in as_alice.get(reverse(f"asking:{name}")).content.decode()
    assert "Hint not used" in as_alice.get(reverse("asking:thread", args=[run.thread_id])).content.decode()


def test_a_hint_that_is_used_or_was_not_given_is_not_told(
    transactional_db, shop, alice, media, as_alice
) -> None:
    for hint in ("", HINT):
        run = answer(services.run_ask(alice, shop, QUESTION if hint else REVENUE, hint=hint))
        assert run.unused_hint == []
        html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
        assert "Hint not used" not in html and "unused-hint" not in html


def test_a_question_that_cannot_be_answered_says_which_hint_was_of_no_use(
    transactional_db, shop, alice, media, as_alice
) -> None:
    hint = "walrus refers to <b>tusks</b> > 1"
    run = answer(services.run_ask(alice, shop, "how many walruses", hint=hint))
    assert (run.outcome, run.unused_hint) == ("unanswerable", [hint])
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "Not used of the hint: “walrus refers to &lt;b&gt;tusks&lt;/b&gt; &gt; 1”." in html


def test_many_parts_of_a_hint_are_told_cut() -> None:
    told = hint_unused([f"{n} {'x' * 300}" for n in range(7)])
    assert len(told) < 900 and told.endswith("and 3 more.")
    assert hint_unused([]) == ""
