"""Terms that set right what an evaluation answered wrongly: looked for by its worker, kept to be proposed to the owner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from mirror.knowledge.effects import Teller, is_alike
from mirror.knowledge.evaluating import Asked
from mirror.knowledge.models import Evaluation, StoredAnswer, StoredTerm
from mirror.storable import storable
from sqlagent.catalog.glossary.recurring import Recurring
from sqlagent.errors import DatabaseError
from sqlagent.evaluation.improving.remedying import Tried, remedies
from sqlagent.values import Knowledge, Rows, Term, TermKind, VerifiedAnswer

if TYPE_CHECKING:
    from mirror.sources.models import Source

SECONDS = 30.0
"""How long one evaluation looks for terms; it says nothing of questions that are left."""


def remedies_look(
    source: Source, known: Knowledge, asked: Sequence[Asked], teller: Teller, goes_on: Callable[[], bool]
) -> list[dict[str, Any]]:
    """Look for terms that set answers right which are wrong by what was `asked`, and no other one wrong, as JSON.

    Asks no language model. `goes_on` is looked at before each answer.
    """
    began = monotonic()
    wanted: dict[str, Rows | None] = {}

    def attempt(one: VerifiedAnswer, more: tuple[Term, ...]) -> Tried:
        answer = teller.answer(one.question, Knowledge((*known.terms, *more)))
        if one.key not in wanted:
            try:
                wanted[one.key] = teller.rows(one.sql)
            except DatabaseError:
                wanted[one.key] = None
        rows = wanted[one.key]
        return Tried.of(answer, right=rows is not None and is_alike(answer, rows, one))

    def may_go_on() -> bool:
        return monotonic() - began < SECONDS and goes_on()

    was_right = {str(one.answer): one.right for one in asked if not one.problem}
    tried: dict[str, Tried] = {}
    for one in known.verified:
        if one.key in was_right and may_go_on():
            tried[one.key] = Tried(True) if was_right[one.key] else attempt(one, ())
    verified = [one for one in known.verified if one.key in tried]
    words = StoredTerm.objects.filter(source=source).values_list("phrase", "synonyms")
    said = [word for phrase, more in words for word in (phrase, *more)]
    found = remedies(verified, tried, teller.opened.catalog, attempt, known=said, goes_on=may_go_on)
    return [
        dict(
            storable(
                {
                    "kind": str(one.term.kind),
                    "phrase": one.term.phrase,
                    "body": one.term.body,
                    "answer": int(one.answer.key),
                }
            )
        )
        for one in found
    ]


def remedies_of(source: Source) -> Sequence[Recurring]:
    """Findings of the latest evaluation that looked for terms, for answers that are still verified."""
    held = Evaluation.objects.filter(source=source, summary__has_key="remedies").exclude(measured_at=None)
    row = held.order_by("-pk").first()
    found = row.summary["remedies"] if row is not None else ()
    answers = StoredAnswer.objects.filter(source=source, taken_back_at=None, problem="")
    texts = dict(answers.filter(pk__in=[one["answer"] for one in found]).values_list("pk", "question"))
    return [
        Recurring(TermKind(one["kind"]), one["body"], one["phrase"], (texts[one["answer"]],))
        for one in found
        if one["answer"] in texts
    ]
