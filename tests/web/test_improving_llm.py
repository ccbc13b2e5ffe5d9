"""A context that a language model improves: its edits of every kind come into force by the gate, and nonsense is a step that harms nothing."""

from __future__ import annotations

import hashlib
import json
import re
from html import unescape

import pytest
from django.urls import reverse

from mirror.knowledge import answer_services, improving, improving_store
from mirror.knowledge.knowing import knowledge_of
from mirror.knowledge.models import Improvement, ImprovementStep, StoredAnswer, StoredTerm
from mirror.llms.models import Endpoint, Use
from mirror.llms.services import budget_set
from mirror.sources.correction_services import corrections_set
from mirror.sources.corrections import corrections_in_force
from mirror.sources.modelling import source_model
from mirror.work.leases import Status
from sqlagent.evaluation.improving import History, Part
from sqlagent.method.templates import template_text
from sqlagent.values import Correction, Subject
from tests.scripted_server import Bad, ScriptedServer, text_of
from tests.web.test_improving_knowledge import VIP, small, url, verified, worked  # noqa: F401

EDITS = "You keep the notes"
TERM = {"kind": "filter", "phrase": "grand", "body": "amount > 105"}
RULE = {"kind": "rule", "phrase": "grand orders", "body": "A grand order is one above 105."}
DESCRIPTION = {"kind": "description", "table": "Orders", "column": "AMOUNT", "body": "Grand is above 105."}
EXAMPLES = {"kind": "examples", "questions": [1, 2]}
SEEN = {
    "filter": f"grand: {VIP}",
    "rule": RULE["body"],
    "description": DESCRIPTION["body"],
    "examples": " AS gold_",
}
"""Text in an answering prompt where an edit is in force."""


class Model:
    """A language model that answers rightly where it is told what *grand* means, and proposes what it is given, then nothing."""

    def __init__(self) -> None:
        self.answers: dict[str, str] = {}
        self.edits: list[str] = []
        self.knows = SEEN["filter"]

    def __call__(self, body):
        text = text_of(body)
        if EDITS in text:
            return self.edits.pop(0) if len(self.edits) > 1 else (self.edits or ['{"kind": "none"}'])[0]
        asked = re.findall(r"<question>\n(.*?)\n</question>", text)
        sql = self.answers.get(asked[-1], "") if asked else ""
        if sql and ("grand" not in asked[-1] or self.knows in text):
            return f"```sql\n{sql}\n```"
        return "```sql\nSELECT 41 AS n\n```"


@pytest.fixture
def model(transactional_db, media):
    model = Model()
    server = ScriptedServer(model).start()
    model.server = server
    Endpoint.objects.create(
        name="Local", base_url=server.base_url, model="m-1", price_prompt=1.0, price_reply=1.0
    )
    yield model
    server.stop()


@pytest.fixture
def taught(model, small, alice):  # noqa: F811
    """Twenty-one verified questions whose SQL names its own answer, so that it is known wherever it turns up."""
    verified(small, alice, 21)
    for row in StoredAnswer.objects.all():
        model.answers[row.question] = row.sql
        row.sql = row.sql.replace(" FROM orders", f" AS gold_{row.pk} FROM orders")
        row.save()
    small.privacy = "rows"
    small.save()
    return small


def told(*edits: dict | str) -> list[str]:
    return [one if isinstance(one, str) else json.dumps({"why": "they say grand", **one}) for one in edits]


def improved(source, by, calls: int = 400) -> Improvement:
    return worked(improving.improvement_ask(source, by, calls, with_llm=True))


def kinds(row: Improvement) -> list[str]:
    return list(row.steps.order_by("number").values_list("what", flat=True))


def golds(row: Improvement, *parts: Part) -> set[str]:
    """How the verified SQL of some thirds is known."""
    found = set()
    for one in knowledge_of(row.source).verified:
        mark = hashlib.sha256(template_text(one, "sqlite")[0].encode()).hexdigest()[:16]
        if row.parts["marks"][mark] in parts:
            found.add(f"gold_{one.key}")
    return found


def test_nonsense_and_what_the_guard_or_the_source_refuses_are_steps_and_a_good_term_comes_into_force(
    model, taught, alice, as_alice
):
    model.edits = told(
        "I would look at the amounts.",
        '{"kind": "filter", "body": "' + "x" * 9_000 + '"}',
        {"kind": "filter", "phrase": "grand", "body": "amount > (SELECT MAX(amount) FROM orders)"},
        {"kind": "measure", "phrase": "grand", "body": "SUM(load_extension(amount))"},
        {"kind": "filter", "phrase": "grand", "body": "no_such_column > 105"},
        {"kind": "description", "table": "nowhere", "column": "", "body": "Holds all."},
        {"kind": "examples", "questions": [99]},
        {"kind": "poem", "body": "Roses"},
        TERM,
        {"kind": "none"},
    )
    row = improved(taught, alice)
    assert kinds(row)[:10] == ["began", *["unfit"] * 8, "accepted"], [s.said for s in row.steps.all()]
    (term,) = StoredTerm.objects.all()
    assert (term.phrase, term.sql, term.owner, term.status) == ("grand", VIP, alice, "force")
    accepted = ImprovementStep.objects.get(what="accepted")
    assert accepted.parent == 0 and "m-1" in accepted.said["author"] and accepted.said["gate"]["won"] >= 5
    page = unescape(as_alice.get(url("improving", taught.pk)).content.decode())
    for words in ("Unusable", "The reply holds no edit.", "“grand”", "Proposed by m-1", "Cost of m-1"):
        assert words in page, words
    uses = Use.objects.all()
    assert {one.person for one in uses} == {alice} and {one.source for one in uses} == {taught}
    assert sum(one.prompt_tokens + one.reply_tokens for one in uses) == row.used["tokens"]
    last = model.server.asked(EDITS)[-1]
    assert "could not be tried: There is no such table." in last and "roses" not in last.lower()


def test_no_verified_sql_of_gate_or_audit_is_in_any_prompt(model, taught, alice):
    model.edits = told(EXAMPLES, TERM, RULE, DESCRIPTION, {"kind": "none"})
    model.knows = SEEN["examples"]
    row = improved(taught, alice)
    sent = b"\n".join(model.server.received).decode()
    shown = set(re.findall(r"gold_\d+", sent))
    assert shown and shown <= golds(row, Part.WORK)
    assert len(golds(row, Part.GATE, Part.AUDIT)) == 14
    asked = {part: {} for part in Part}
    for one in knowledge_of(taught).verified:
        part = next(part for part in Part if f"gold_{one.key}" in golds(row, part))
        asked[part][one.question] = f"\\n{one.question}\\n" in sent
    assert all(asked[Part.GATE].values()) and not any(asked[Part.AUDIT].values())


@pytest.mark.parametrize("edit", [RULE, DESCRIPTION, EXAMPLES], ids=lambda one: one["kind"])
def test_every_kind_of_edit_comes_into_force_with_its_parent_author_and_effect_and_goes_again(
    model, taught, alice, as_alice, as_bob, as_charlie, edit
):
    before = Correction(Subject.DESCRIPTION, "orders", "amount", told="In euros.")
    corrections_set(
        taught,
        source_model(taught),
        [before],
        alice,
        table="orders",
        column="amount",
        subjects={Subject.DESCRIPTION},
    )
    model.edits, model.knows = told(edit, {"kind": "none"}), SEEN[edit["kind"]]
    row = improved(taught, alice)
    step = row.steps.get(what="accepted")
    assert (step.parent, step.said["edit"]["kind"]) == (0, edit["kind"]) and step.said["gate"]["won"] >= 5
    said = corrections_in_force(taught).get(subject=Subject.DESCRIPTION)
    examples = set(StoredAnswer.objects.filter(is_example=True).values_list("pk", flat=True))
    rules = list(StoredTerm.objects.filter(kind="rule", status="force").values_list("body", flat=True))
    assert said.told == (edit["body"] if edit is DESCRIPTION else before.told)
    assert rules == ([RULE["body"]] if edit is RULE else [])
    assert len(examples) == (2 if edit is EXAMPLES else 0)
    assert {one.key for one in knowledge_of(taught).examples} == {str(pk) for pk in examples}
    assert improving_store.is_as_left(taught, row)
    page = unescape(as_bob.get(url("improving", taught.pk)).content.decode())
    assert "In force" in page and (edit.get("body") or "Examples shown with every question") in page
    if examples:
        address = url("example_end", taught.pk, min(examples))
        answers = [one.post(address).status_code for one in (as_charlie, as_bob, as_alice, as_alice)]
        assert answers == [404, 403, 302, 404]
        assert not improving_store.is_as_left(taught, row)
    improving_store.take_out(row, [], alice)
    assert corrections_in_force(taught).get(subject=Subject.DESCRIPTION).told == before.told
    assert not StoredTerm.objects.filter(status="force") and not StoredAnswer.objects.filter(is_example=True)
    assert improving_store.base_of(taught, row) == row.base


@pytest.mark.parametrize("edit", [RULE, DESCRIPTION], ids=lambda one: one["kind"])
def test_an_edit_that_later_questions_speak_against_is_rolled_back(model, taught, alice, edit):
    model.edits, model.knows = told(edit, {"kind": "none"}), SEEN[edit["kind"]]
    assert "accepted" in kinds(improved(taught, alice))
    for answer in StoredAnswer.objects.filter(taken_back_at=None):
        other = answer.sql.replace(VIP, "orders.amount > 0")
        answer_services.answer_verify(taught, answer.question, other, alice)
    row = improved(taught, alice)
    assert "rolled back" in kinds(row) and History.of(row.tree).in_force == 0
    assert not StoredTerm.objects.filter(status="force")
    assert not corrections_in_force(taught).filter(subject=Subject.DESCRIPTION)


def test_an_editor_that_proposes_nonsense_for_ever_ends_by_the_budget(model, taught, alice):
    model.edits = ["Trust me."]
    row = improved(taught, alice)
    assert row.why == "12 edits in a row led nowhere." and kinds(row) == ["began", *["unfit"] * 12]
    assert History.of(row.tree).calls == 7 + 12
    again = improved(taught, alice, 3)
    assert again.pk == row.pk and again.why == "Its budget of 22 answers is used."
    assert not StoredTerm.objects.exists() and len(History.of(again.tree).unfit) == 10


def test_a_model_that_is_silent_or_whose_budget_is_used_up_ends_it_in_words_and_it_goes_on_later(
    model, taught, alice, admin
):
    model.server.script = Bad(status=401)
    row = improved(taught, alice)
    assert row.status == Status.DONE and row.why and not row.problem and not row.steps.exists()
    model.server.script = model
    model.edits = told(TERM, {"kind": "none"})
    again = improved(taught, alice)
    assert again.pk == row.pk and "accepted" in kinds(again)
    budget_set(taught, 1, None, admin)
    assert "budget of this source" in improved(taught, alice).why


def test_the_owner_chooses_the_model_and_by_rules_none_is_asked(model, taught, as_alice, as_bob, alice):
    assert "With m-1 (Local), on your budget" in as_alice.get(url("improving", taught.pk)).content.decode()
    assert "on your budget" not in as_bob.get(url("improving", taught.pk)).content.decode()
    as_alice.post(url("improving_start", taught.pk), {"calls": "400"})
    row = worked(Improvement.objects.get())
    assert not row.with_llm and not model.server.calls
    as_alice.post(url("improving_start", taught.pk), {"calls": "30", "llm": "on"})
    latest = Improvement.objects.latest("pk")
    assert latest.pk != row.pk and latest.with_llm
    Endpoint.objects.all().delete()
    assert "budget" not in as_alice.get(reverse("knowledge:improving", args=[taught.pk])).content.decode()
    assert worked(latest).why == "No language model is set for this source."
