"""Which terms, verified answers and feedback somebody may look at and change."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

from mirror.knowledge.models import (
    Evaluation,
    Feedback,
    Improvement,
    PosedRound,
    Shift,
    StoredAnswer,
    StoredTerm,
    Trial,
)
from mirror.sources.corrections import corrections_in_force
from mirror.sources.sight import may_correct
from mirror.work.leases import Status
from sqlagent.sql.statements import is_query

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source


def may_teach(user: User, source: Source) -> bool:
    """Say whether somebody may say what a source's words mean and which answers are right: its owner, editors, and administrators who ask it."""
    return may_correct(user, source)


def terms_of(source: Source, search: str = "") -> QuerySet[StoredTerm]:
    """The terms of a source that hold every word, by phrase."""
    found = StoredTerm.objects.filter(source=source).select_related("owner")
    for word in search.split()[:8]:
        found = found.filter(
            Q(phrase__icontains=word)
            | Q(synonyms__icontains=word)
            | Q(description__icontains=word)
            | Q(body__icontains=word)
        )
    return found


def answers_of(source: Source, search: str = "") -> QuerySet[StoredAnswer]:
    """The verified answers of a source that are in force and hold every word, the latest first."""
    found = StoredAnswer.objects.filter(source=source, taken_back_at=None).select_related("verified_by")
    for word in search.split()[:8]:
        found = found.filter(Q(question__icontains=word) | Q(sql__icontains=word))
    return found


def answers_in_force(
    asked: Iterable[tuple[int, str, str]],
) -> dict[tuple[int, str, str] | None, StoredAnswer]:
    """The verified answers to questions that are their SQL: of each source, question and SQL that has one. One read for all."""
    wanted = set(asked)
    if not wanted:
        return {}
    alike = reduce(or_, (Q(source=source, question__iexact=question) for source, question, _ in wanted))
    found: dict[tuple[int, str, str], StoredAnswer] = {}
    for one in StoredAnswer.objects.filter(alike, taken_back_at=None, problem="").select_related(
        "verified_by"
    ):
        found.setdefault(_key(one.source_id, one.question, one.sql), one)
    return {each: answer for each in wanted if (answer := found.get(_key(*each))) is not None}


def _key(source: int, question: str, sql: str) -> tuple[int, str, str]:
    return source, question.casefold(), " ".join(sql.split())


def feedback_waiting(source: Source) -> QuerySet[Feedback]:
    """Feedback that nobody has handled yet, the oldest first."""
    waiting = Feedback.objects.filter(source=source, state=Feedback.State.OPEN)
    return waiting.select_related("by").order_by("created_at", "pk")


def waiting_count(source: Source) -> int:
    """How much waits to be looked at by an owner."""
    return feedback_waiting(source).count() + shifts_waiting(source).count()


def sql_to_verify(source: Source, said: Feedback) -> str:
    """The SQL that an owner may make a verified answer of; empty where what was said is prose."""
    if said.is_right:
        return said.sql
    return said.should_be if is_query(said.should_be, source.engine) else ""


def feedback_handled(source: Source, most: int = 20) -> list[Feedback]:
    """Feedback that was acted on or dismissed, the latest first."""
    handled = Feedback.objects.filter(source=source).exclude(handled_at=None)
    return list(handled.select_related("handled_by").order_by("-handled_at", "-pk")[:most])


def trials_of(user: User) -> QuerySet[Trial]:
    """The trials of one person."""
    return Trial.objects.filter(owner=user).select_related("source", "term").defer("source__catalog")


def rounds_of(user: User, source: Source) -> QuerySet[PosedRound]:
    """The questions to verify that were made for one person, the latest first."""
    return PosedRound.objects.filter(owner=user, source=source).select_related("source").order_by("-pk")


def improvements_of(source: Source) -> QuerySet[Improvement]:
    """The improvements of what is known of a source, the latest first."""
    return Improvement.objects.filter(source=source).select_related("asked_by").order_by("-pk")


def descriptions_learnt(source: Source, row: Improvement | None) -> list[tuple[str, str]]:
    """The descriptions in force that an improvement brought: of what, and what they say."""
    own = dict(row.learnt.get("descriptions", ())) if row is not None else {}
    found = corrections_in_force(source).filter(pk__in=own)
    return [(".".join(filter(None, (one.table, one.column))), one.told) for one in found]


def examples_of(source: Source) -> QuerySet[StoredAnswer]:
    """The verified answers that language models are shown with every question of a source."""
    held = StoredAnswer.objects.filter(source=source, taken_back_at=None, problem="", is_example=True)
    return held.order_by("verified_at", "pk")


def feedback_given(user: User, run: int, version: int) -> Feedback | None:
    """Somebody's feedback on an answer, if any."""
    return Feedback.objects.filter(by=user, run=run, version=version).first()


def shifts_waiting(source: Source) -> QuerySet[Shift]:
    """Verified answers in force whose result jumped, and nobody looked at yet, the oldest first."""
    waiting = Shift.objects.filter(answer__source=source, answer__taken_back_at=None, state=Shift.State.OPEN)
    return waiting.select_related("answer__source", "answer__verified_by").order_by("seen_at", "pk")


def evaluations_of(source: Source, *, whole: bool = False) -> QuerySet[Evaluation]:
    """The evaluations of a source, the latest first; the results of each where the `whole` is wanted."""
    found = Evaluation.objects.filter(source=source).select_related("asked_by").order_by("-pk")
    return found if whole else found.defer("results")


def evaluation_under_way(source: Source) -> Evaluation | None:
    """The evaluation that goes on, or waits."""
    waiting = evaluations_of(source).exclude(status=Status.DONE).filter(measured_at=None)
    return waiting.order_by("started_at", "pk").first()
