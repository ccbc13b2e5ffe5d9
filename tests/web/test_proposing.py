"""Terms proposed from what recurs: to the owner alone, of nothing that is somebody's own, accepted by writing them or refused for good."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from mirror.knowledge import answer_services, evaluation_work, feedback_services
from mirror.knowledge.models import Evaluation, StoredTerm
from mirror.knowledge.proposing import proposals_of
from mirror.library.services import sql_save
from mirror.work.doing import work_do
from tests.web.working import unwatched

pytestmark = pytest.mark.django_db

LETTER = "customers.newsletter = 1"


def url(name: str, *args) -> str:
    return reverse(f"knowledge:{name}", args=args)


@pytest.fixture
def verified(shop, alice):
    """A condition that two verified answers have, under two spellings."""
    said = {
        "How many subscribed customers are there?": f"SELECT COUNT(*) FROM customers WHERE {LETTER}",
        "Subscribed customers by country": "SELECT c.country, COUNT(*) FROM customers c WHERE c.newsletter = 1 AND c.country <> 'X' GROUP BY 1",
        "Orders by channel": "SELECT channel, COUNT(*) FROM orders GROUP BY channel",
    }
    for question, sql in said.items():
        answer_services.answer_verify(shop, question, sql, alice)


def bodies(shop) -> list[tuple[str, str]]:
    return [(one.phrase, one.body) for one in proposals_of(shop)]


def test_what_recurs_is_proposed_and_nothing_that_is_anybodys_own(shop, verified, alice, bob, team):
    third = f"SELECT city FROM customers WHERE {LETTER}"
    own = [sql_save(by, shop, "subscribed cities", third) for by in (alice, bob)]
    assert bodies(shop) == []
    own[1].teams.add(team)
    assert bodies(shop) == [("subscribed", LETTER)]
    StoredTerm.objects.create(
        source=shop, owner=alice, phrase="x y", kind="filter", body=LETTER, sql=LETTER, status="retired"
    )
    assert bodies(shop) == []


def test_only_the_owner_sees_proposals_accepts_them_and_refuses_them_for_good(
    as_alice, as_bob, as_charlie, client, bob, shop, verified, alice, team
):
    sql_save(alice, shop, "subscribed cities", f"SELECT city FROM customers WHERE {LETTER}").teams.add(team)
    (one,) = proposals_of(shop)
    bob.is_staff = True  # may teach what he sees, and is shown no proposal all the same
    bob.save()
    client.force_login(bob)
    refuse, accept = url("proposal_refuse", shop.pk), url("term_new", shop.pk) + f"?proposal={one.key}"
    assert as_charlie.post(refuse, {"key": one.key}).status_code == 404
    assert client.post(refuse, {"key": one.key}).status_code == 403
    assert "Proposed terms" not in client.get(url("feedback", shop.pk)).content.decode()
    assert 'value="subscribed"' not in client.get(accept).content.decode()
    page = unescape(as_alice.get(url("feedback", shop.pk)).content.decode())
    assert "Proposed terms" in page and "“subscribed”" in page and "In 3 statements" in page
    page = unescape(as_alice.get(accept).content.decode())
    assert 'value="subscribed"' in page and LETTER in page and "Try it" in page
    as_alice.post(refuse, {"key": one.key})
    as_alice.post(refuse, {"key": one.key})
    assert bodies(shop) == []


def test_a_word_left_unused_in_corrected_answers_is_proposed_with_what_the_edits_added(shop, alice, bob):
    for n, words in enumerate(("dormant customers", "dormant customers by country")):
        feedback_services.feedback_give(
            shop,
            bob,
            run=n,
            version=1,
            question=words,
            sql="SELECT COUNT(*) FROM customers",
            is_right=False,
            reason="words",
            should_be="SELECT COUNT(*) FROM customers WHERE newsletter = 0",
        )
    assert ("dormant", "customers.newsletter = 0") in bodies(shop)


def test_an_evaluation_proposes_what_sets_a_wrong_answer_right_to_the_owner_alone(
    as_alice, as_bob, as_charlie, client, bob, shop, alice
):
    nordic = "country IN ('Norway', 'Sweden', 'Denmark')"
    question = "How many nordic customers are there?"
    verified = answer_services.answer_verify(
        shop, question, f"SELECT COUNT(*) FROM customers WHERE {nordic}", alice
    )
    answer_services.answer_verify(
        shop, "How many customers are there?", "SELECT COUNT(*) FROM customers", alice
    )
    row = evaluation_work.evaluation_ask(shop, "hand", alice)
    with unwatched():
        work_do("evaluation", row.pk)
    (one,) = proposals_of(shop)
    body = "customers.country IN ('Norway', 'Sweden', 'Denmark')"
    assert (one.phrase, one.kind, one.body, one.texts, one.is_remedy) == (
        "nordic", "filter", body, (question,), True,
    )  # fmt: skip
    page = unescape(as_alice.get(url("feedback", shop.pk)).content.decode())
    assert f"With it, “{question}” gets its verified answer" in page
    accept = url("term_new", shop.pk) + f"?proposal={one.key}"
    form = unescape(as_alice.get(accept).content.decode())
    assert 'value="nordic"' in form and body in form and "It sets the answer right to" in form
    assert (as_bob.get(accept).status_code, as_charlie.get(accept).status_code) == (403, 404)
    bob.is_staff = True  # may teach what he sees, and is shown no proposal all the same
    bob.save()
    client.force_login(bob)
    assert "nordic" not in client.get(url("feedback", shop.pk)).content.decode()
    assert 'value="nordic"' not in client.get(accept).content.decode()
    answer_services.answer_take_back(verified, alice)
    assert proposals_of(shop) == []


def test_a_remedy_that_is_a_term_or_refused_is_not_proposed_again(as_alice, shop, alice):
    answer = answer_services.answer_verify(
        shop, "dormant customers", "SELECT COUNT(*) FROM customers WHERE newsletter = 0", alice
    )
    remedy = {
        "kind": "filter",
        "phrase": "dormant",
        "body": "customers.newsletter = 0",
        "answer": answer.pk,
    }
    Evaluation.objects.create(
        source=shop, status="done", measured_at=timezone.now(), summary={"remedies": [remedy]}
    )
    (one,) = proposals_of(shop)
    term = StoredTerm.objects.create(
        source=shop, owner=alice, phrase="Dormant", kind="filter", body="x", sql="x", status="retired"
    )
    assert proposals_of(shop) == []
    term.delete()
    as_alice.post(url("proposal_refuse", shop.pk), {"key": one.key})
    assert proposals_of(shop) == []
