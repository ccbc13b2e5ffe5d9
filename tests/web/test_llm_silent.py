"""A language model that is set and dead: the answer is the one without a model, a line says so, and addresses are administrators'."""

from __future__ import annotations

import json
import logging

import pytest
from django.urls import reverse

from mirror.api.services import token_make
from mirror.asking import services as asking
from mirror.llms.models import Endpoint
from tests.scripted_server import Bad, serving
from tests.web.working import answer

DEAD = "http://127.0.0.1:9/v1"
SILENT = "The language model did not reply. The built-in analyst was asked instead."
QUESTIONS = [
    "revenue per country in 2025",
    "Which five countries bring the most revenue?",
    "How many penguins are there?",
    "orders, somehow, by whatever matters",
]


@pytest.fixture
def dead(transactional_db, media):
    return Endpoint.objects.create(name="Dead one", base_url=DEAD, model="m-1", is_on=False)


def told(run):
    """All that an answer says, without its cost and what is said of the model."""
    version = run.versions.first()
    shown = (version.sql, version.frame, version.title, version.sentence, version.figure) if version else ()
    others = [(one["sql"], one["difference"], one["rows"]) for one in run.readings]
    notes = [note for note in run.notes if note != run.without_llm]
    ends = (run.outcome, run.reason, run.confidence, run.agreement_size, run.agreement_pool, run.llm)
    return ends, shown, others, notes, run.unused_hint


@pytest.mark.parametrize("privacy", ["schema", "rows"])
@pytest.mark.parametrize("asked", QUESTIONS)
def test_a_dead_model_gives_the_very_answer_that_is_given_without_one(
    dead, shop, alice, as_alice, asked, privacy
) -> None:
    type(shop).objects.update(privacy=privacy)
    without = answer(asking.run_ask(alice, shop, asked))
    Endpoint.objects.update(is_on=True)
    silent = answer(asking.run_ask(alice, shop, asked))
    assert told(silent) == told(without)
    assert (without.without_llm, silent.without_llm) == ("", SILENT)
    pages = [as_alice.get(reverse("asking:run", args=[one.pk])).content.decode() for one in (without, silent)]
    assert ["Understood as" in page for page in pages] == ["Understood as" in pages[0]] * 2
    assert [f"<p>{SILENT}</p>" in page for page in pages] == [False, True]
    assert SILENT in pages[1].partition('id="found"')[0].partition('id="told"')[2]


def test_a_follow_up_goes_on_without_a_model_that_died(dead, shop, alice) -> None:
    first = answer(asking.run_ask(alice, shop, QUESTIONS[0]))
    without = answer(asking.run_follow(first, "and in 2024?"))
    Endpoint.objects.update(is_on=True)
    again = answer(asking.run_ask(alice, shop, QUESTIONS[0]))
    silent = answer(asking.run_follow(again, "and in 2024?"))
    assert told(silent) == told(without) and silent.without_llm == SILENT


@pytest.mark.parametrize(
    "bad", [Bad(status=500), Bad(status=401), Bad(status=429)], ids=lambda bad: str(bad.status)
)
def test_what_a_server_says_and_where_it_is_are_told_to_administrators_alone(
    dead, shop, alice, as_alice, bob, as_bob, admin, caplog, bad
) -> None:
    with serving(bad) as server, caplog.at_level(logging.WARNING, "mirror"):
        Endpoint.objects.update(is_on=True, base_url=server.base_url)
        run = answer(asking.run_ask(alice, shop, QUESTIONS[0]))
    place = server.base_url.split("/")[2]
    secrets = (place, "fails as told", "scripted server")
    assert run.outcome == "answered" and run.without_llm.endswith("The built-in analyst was asked instead.")
    assert any(f"Run {run.pk}: " in line and place in line for line in caplog.messages)
    token = token_make(alice, "t", ["ask"], days=1)[1]
    for address in (f"/api/v1/runs/{run.pk}", f"/api/v1/runs/{run.pk}/events"):
        sent = as_alice.get(address, headers={"Authorization": f"Bearer {token}"})
        said = sent.content.decode() if not sent.streaming else ""
        assert sent.status_code == 200 and not any(secret in said for secret in secrets)
    address = reverse("asking:run", args=[run.pk])
    page = as_alice.get(address).content.decode()
    assert not any(secret in page for secret in secrets) and 'id="faults"' not in page
    kept = json.dumps([step.data for step in run.steps.all()])
    assert not any(secret in kept + json.dumps(run.notes) for secret in secrets)
    alice.is_staff = True
    alice.save()
    page = as_alice.get(address).content.decode()
    assert place in page.partition('id="faults"')[2].partition("</ul>")[0]


def test_a_run_page_of_a_dead_server_names_no_address_and_no_errno(dead, shop, alice, as_alice) -> None:
    Endpoint.objects.update(is_on=True)
    run = answer(asking.run_ask(alice, shop, QUESTIONS[0]))
    page = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "127.0.0.1" not in page and "Errno" not in page
    assert "Errno" in json.dumps(run.usage["faults"])


def test_an_endpoint_that_may_not_be_called_is_told_above_the_answer_without_its_address(
    dead, shop, alice, as_alice
) -> None:
    Endpoint.objects.update(is_on=True, base_url="http://169.254.169.254/v1")
    run = answer(asking.run_ask(alice, shop, QUESTIONS[0]))
    assert run.without_llm == "m-1 (Dead one) was not asked: Its address may not be called."
    page = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert f"<p>{run.without_llm}</p>" in page and "169.254" not in page
