"""Evaluations with a language model: right with it and without, what it cost, kept on budgets, and against the last time."""

from __future__ import annotations

import json
from html import unescape
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from mirror.knowledge import answer_services
from mirror.knowledge.models import Evaluation
from mirror.llms.models import Endpoint, Use
from mirror.llms.services import budget_set
from mirror.work.doing import work_do
from tests.scripted_server import Bad, ScriptedServer
from tests.web.working import unwatched

HARD = "SELECT COUNT(*) AS n FROM customers WHERE newsletter = 1"


@pytest.fixture
def server(transactional_db, media):
    """A model that answers everything with one statement, at 1 a million tokens."""
    server = ScriptedServer(f"```sql\n{HARD}\n```").start()
    Endpoint.objects.create(
        name="Local", base_url=server.base_url, model="m-1", price_prompt=1.0, price_reply=1.0
    )
    yield server
    server.stop()


@pytest.fixture
def verified(shop, alice):
    answer_services.answer_verify(shop, "How many people like our letter?", HARD, alice)
    answer_services.answer_verify(
        shop, "How many customers are there?", "SELECT COUNT(*) FROM customers", alice
    )


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("evaluate", "shop", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_model_is_measured_beside_the_analyst_with_its_cost_and_against_the_last_time(
    server, shop, alice, as_alice, verified
):
    found = json.loads(run("--llm", "--json")[0])
    by = {one["question"]: one for one in found["asked"]}
    letter, customers = by["How many people like our letter?"], by["How many customers are there?"]
    assert (letter["right"], letter["with_llm"], letter["llm"]) == (False, True, "m-1 (Local)")
    assert (customers["right"], customers["with_llm"]) == (True, False)
    assert letter["tokens"] > 0 and letter["money"] == pytest.approx(letter["tokens"] / 1_000_000)
    used = Use.objects.all()
    assert {one.person for one in used} == {alice} and {one.source for one in used} == {shop}
    assert sum(u.prompt_tokens + u.reply_tokens for u in used) == sum(o["tokens"] for o in by.values())
    summary = Evaluation.objects.get().summary["llm"]
    assert (summary["right"], summary["asked"], summary["since"]) == (1, 2, None)
    assert (summary["against"]["won"], summary["against"]["lost"]) == (1, 1)
    server.script = "```sql\nSELECT COUNT(*) AS n FROM customers\n```"
    said, _ = run("--llm")
    assert "with m-1 (Local): 1 of 2  50.0 %" in said and "since the last time 1 won, 1 lost of 2" in said
    row = Evaluation.objects.latest("pk")
    page = unescape(as_alice.get(reverse("knowledge:evaluation", args=[shop.pk, row.pk])).content.decode())
    assert "With m-1 (Local)" in page and "tokens" in page and "Calibration error" in page
    told = {name: (right, of) for name, right, of in row.summary["makers"]}
    assert told["analyst"] >= (1, 1) and sum(of for _, of in told.values()) <= 2
    assert "By the analyst" in page


def test_from_the_page_the_owner_asks_a_model_too_on_their_own_budget(
    server, shop, alice, as_alice, as_bob, verified
):
    address = reverse("knowledge:evaluations", args=[shop.pk])
    assert "With m-1 (Local) too" in as_alice.get(address).content.decode()
    assert "With m-1 (Local) too" not in as_bob.get(address).content.decode()
    as_alice.post(reverse("knowledge:evaluate", args=[shop.pk]), {"llm": "on"})
    row = Evaluation.objects.get()
    assert row.with_llm
    with unwatched():
        work_do("evaluation", row.pk)
    row.refresh_from_db()
    assert row.summary["llm"]["right"] == 1, row.problem
    assert {one.person for one in Use.objects.all()} == {alice}
    as_alice.post(reverse("knowledge:evaluate", args=[shop.pk]))
    assert not Evaluation.objects.latest("pk").with_llm


def test_without_the_word_no_model_is_asked(server, shop, verified):
    said, _ = run()
    assert not server.calls and "calibration error" in said and "with m-1" not in said


def test_a_budget_that_is_used_up_ends_asking_and_is_told(server, shop, admin, verified):
    budget_set(shop, 1, None, admin)
    _, err = run("--llm")
    assert err == ""
    first = Evaluation.objects.get().summary["llm"]
    assert first["asked"] == 1 and Use.objects.count() == 1
    calls = server.calls
    said, err = run("--llm")
    assert server.calls == calls and "No language model was asked" in err and "with m-1" not in said


def test_a_model_that_is_down_is_measured_as_what_people_get(server, shop, verified):
    server.script = Bad(status=500)
    found = json.loads(run("--llm", "--json")[0])
    by = {one["question"]: one for one in found["asked"]}
    assert by["How many customers are there?"]["right"] is True
    assert by["How many customers are there?"]["with_llm"] is True
