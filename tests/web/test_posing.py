"""Questions proposed to be verified: made of the model, shown with rows to who asked for them, verified in chosen wordings or refused."""

from __future__ import annotations

import threading
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse

from mirror.knowledge import answer_services, posing, term_services
from mirror.knowledge.models import PosedRound, RefusedProposal, StoredAnswer
from mirror.knowledge.term_services import TermWish
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.web.working import unwatched

pytestmark = pytest.mark.django_db


def url(name: str, *args) -> str:
    return reverse(f"knowledge:{name}", args=args)


def posed(source, by) -> PosedRound:
    """Have questions made, as a worker does."""
    row = posing.round_ask(source, by)
    with unwatched():
        work_do("posed_round", row.pk)
    row.refresh_from_db()
    return row


def question(row: PosedRound, text: str):
    (one,) = [q for q in row.said["questions"] if q["wordings"][0]["text"] == text]
    return one


@pytest.fixture(autouse=True)
def patient(monkeypatch) -> None:
    """A round is as long on a busy machine as on an idle one: otherwise it is cut after twenty seconds."""
    monkeypatch.setattr(posing, "SECONDS", 600.0)


@pytest.fixture(scope="module")
def once() -> dict[str, Any]:
    """All that a worker wrote into the first round."""
    return {}


@pytest.fixture
def made(shop, alice, once) -> PosedRound:
    """Questions made of the shop, which is the same source in each test: two seconds of a processor, spent once."""
    if not once:
        once |= PosedRound.objects.filter(pk=posed(shop, alice).pk).values().get()
        PosedRound.objects.all().delete()
    row = PosedRound.objects.create(**once | {"id": None, "owner_id": alice.pk})
    assert row.source == shop and row.status == Status.DONE
    return row


def test_questions_come_with_rows_in_several_wordings_that_are_marked_where_they_are_read_otherwise(made):
    questions = made.said["questions"]
    assert len(questions) == posing.SHOWN
    assert all(one["shown"]["rows"] and len(one["wordings"]) >= 2 for one in questions)
    reads = {w["read"] for one in questions for w in one["wordings"][1:]}
    assert posing.ALIKE in reads and reads & {posing.ASKS_BACK, posing.OTHERWISE}
    one = question(made, "Number of products by category")
    assert one["shown"]["columns"] == ["category", "products"] or len(one["shown"]["columns"]) == 2
    assert "How many products are there for each category?" in [w["text"] for w in one["wordings"]]


def test_a_heading_of_numbers_stands_over_them_and_null_has_its_name(as_alice, shop, made):
    shown = {"columns": ["city", "n"], "rows": [], "sql": "", "count": 2}
    shown["rows"] = [[[None, False], ["7", True]], [["Oslo", False], [None, False]]]
    made.said = {"questions": [made.said["questions"][0] | {"shown": shown}]}
    made.save()
    page = as_alice.get(reverse("knowledge:questions", args=[shop.pk])).content.decode()
    assert '<th scope="col">city</th><th scope="col" class="num">n</th>' in page
    assert page.count('<td class="null">NULL</td>') == 2 and ">None<" not in page


def test_who_asked_verifies_the_team_is_refused_and_a_stranger_finds_nothing(
    as_alice, as_bob, as_charlie, client, bob, shop, made
):
    one = question(made, "Number of products by category")
    for name, more in (("questions", []), ("questions_new", []), ("questions_decide", [made.pk])):
        verb = "get" if name == "questions" else "post"
        for browser, status in ((as_charlie, 404), (as_bob, 403)):
            assert getattr(browser, verb)(url(name, shop.pk, *more)).status_code == status
    bob.is_staff = True  # may teach, and finds no round of Alice's
    bob.save()
    client.force_login(bob)
    wish = {"key": one["key"], "do": "verify", "wording": [one["wordings"][0]["text"]]}
    assert client.post(url("questions_decide", shop.pk, made.pk), wish).status_code == 404
    assert "Number of products" not in client.get(url("questions", shop.pk)).content.decode()
    page = unescape(as_alice.get(url("questions", shop.pk)).content.decode())
    assert "How many products are there for each category?" in page


def test_chosen_wordings_and_ones_own_are_verified_once_and_not_proposed_again(as_alice, shop, alice, made):
    one = question(made, "Number of products by category")
    own = "our range, category for category"
    chosen = [one["wordings"][1]["text"], f"  {own} ", ""]
    wish = {"key": one["key"], "do": "verify", "wording": chosen}
    for _ in range(2):
        as_alice.post(url("questions_decide", shop.pk, made.pk), wish)
    kept = StoredAnswer.objects.filter(source=shop, taken_back_at=None)
    assert {row.question for row in kept} == {chosen[0], own}
    assert {row.sql for row in kept} == {one["shown"]["sql"]} and kept[0].row_count == one["shown"]["count"]
    assert "Number of products by category" not in as_alice.get(url("questions", shop.pk)).content.decode()
    again = posed(shop, alice)
    assert "Number of products by category" not in [q["wordings"][0]["text"] for q in again.said["questions"]]


def test_none_chosen_verifies_nothing_and_a_refused_question_never_returns(as_alice, shop, alice, made):
    one = question(made, "Number of products by category")
    address = url("questions_decide", shop.pk, made.pk)
    page = as_alice.post(address, {"key": one["key"], "do": "verify", "wording": [" "]}, follow=True)
    assert "Choose at least one wording" in page.content.decode() and not StoredAnswer.objects.exists()
    as_alice.post(address, {"key": "0" * 64, "do": "refuse"})
    as_alice.post(address, {"key": one["key"], "do": "refuse"})
    as_alice.post(address, {"key": one["key"], "do": "verify", "wording": ["x y"]})
    assert RefusedProposal.objects.count() == 1 and not StoredAnswer.objects.exists()
    again = posed(shop, alice)
    assert one["key"] not in [q["key"] for q in again.said["questions"]]


def test_a_wording_that_cannot_be_verified_is_told_and_the_question_stays(as_alice, shop, made):
    one = next(q for q in made.said["questions"] if "'2025-01-01'" in q["shown"]["sql"])
    wish = {"key": one["key"], "do": "verify", "wording": ["revenue last year"]}
    page = as_alice.post(url("questions_decide", shop.pk, made.pk), wish, follow=True)
    text = unescape(page.content.decode())
    assert "was not verified" in text and "means other days tomorrow" in text
    assert one["wordings"][0]["text"] in text and not StoredAnswer.objects.exists()


def test_terms_decide_what_a_proposed_question_means(shop, alice):
    body = "SUM(order_lines.quantity)"
    term_services.term_save(shop, TermWish("revenue", "measure", body), body, alice)
    for one in posed(shop, alice).said["questions"]:
        if one["wordings"][0]["text"].startswith("Revenue by"):
            assert "quantity" in one["shown"]["sql"], one


def test_what_is_verified_already_is_not_proposed(shop, alice):
    answer_services.answer_verify(shop, "number of PRODUCTS by category", "SELECT 1 AS one", alice)
    texts = [q["wordings"][0]["text"] for q in posed(shop, alice).said["questions"]]
    assert texts and "Number of products by category" not in texts


def test_one_round_waits_at_most_and_a_source_that_is_away_is_told(as_alice, shop, alice):
    first = posing.round_ask(shop, alice)
    assert posing.round_ask(shop, alice) == first
    assert "Waiting for a worker" in as_alice.get(url("questions", shop.pk)).content.decode()
    shop.database = "/nowhere/at.all"
    shop.save()
    with unwatched():
        work_do("posed_round", first.pk)
    first.refresh_from_db()
    assert first.said["error"] and first.said["error"] in unescape(
        as_alice.get(url("questions", shop.pk)).content.decode()
    )


def test_a_right_that_ended_while_it_waited_makes_nothing(shop, alice, bob):
    row = posing.round_ask(shop, alice)
    shop.owner = bob
    shop.save()
    with unwatched():
        work_do("posed_round", row.pk)
    row.refresh_from_db()
    assert "may not change" in row.said["error"] and "questions" not in row.said


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_decide_at_once_decide_once(shop, alice, made, django_db_serialized_rollback):
    one = made.said["questions"][0]
    text, done = one["wordings"][0]["text"], []

    def decide() -> None:
        try:
            done.append(posing.question_verify(made, one["key"], [text], alice).verified)
        finally:
            connection.close()

    threads = [threading.Thread(target=decide) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [(), (text,)]
    assert StoredAnswer.objects.filter(source=shop, taken_back_at=None).count() == 1
