"""Evaluations as work: asked for by hand, by a schedule or after a term changed, done by a worker, kept to a bounded number.

A waiting evaluation serves later requests for one, so that twenty terms saved in a row make one evaluation. It gives way to people who
ask the source meanwhile, and goes on where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.audit.services import record
from mirror.knowledge.effects import Teller
from mirror.knowledge.evaluating import Asked, Evaluated, evaluated_of, evaluation_last, questions_ask
from mirror.knowledge.knowing import knowledge_of
from mirror.knowledge.models import Evaluation, StoredAnswer
from mirror.knowledge.regressions import regression_tell, regressions_of
from mirror.knowledge.remedies import remedies_look
from mirror.knowledge.shifts import shifts_keep
from mirror.queries.running import OpenedSource, source_opened
from mirror.sources.models import Source
from mirror.sources.sight import seen_whole
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.turns import turn_is_wanted
from mirror.work.watching import Watch
from sqlagent.errors import DatabaseError, LlmRejected
from sqlagent.values import Knowledge, Limits

if TYPE_CHECKING:
    from mirror.people.models import User

log = logging.getLogger(__name__)

KEPT = 30
"""Evaluations of one source that are kept, the latest."""

SETTLE, SETTLE_MOST = timedelta(minutes=1), timedelta(minutes=10)
"""How long terms rest before they are evaluated: since the last change, and since the first one."""

SECONDS = 900.0
"""How long one evaluation asks; questions that are left are told."""

LOOK_SECONDS, KEEP_SECONDS, PAUSE_SECONDS = 2.0, 30.0, 3.0
"""How often an evaluation looks whether others want its source and tells how far it is, and keeps what it found; how long it gives way."""

BROKEN = gettext_noop("Something in Mirror itself broke during this evaluation. It was logged.")
STOPPED = gettext_noop("It was stopped.")
NOTHING = gettext_noop("This source has no verified answers to measure with.")
LOST = "Its workers were lost {died} times."


def evaluation_ask(
    source: Source, cause: str, by: User | None = None, *, with_llm: bool = False
) -> Evaluation:
    """Have a worker evaluate a source, with its language models too on somebody's budget; one that waits already takes this in."""
    with transaction.atomic():
        Source.objects.select_for_update().filter(pk=source.pk).first()
        now = timezone.now()
        waiting = Evaluation.objects.filter(source=source, status=Status.QUEUED, started_at=None).first()
        rests = cause == Evaluation.Cause.TERMS
        if waiting is None:
            until = now + SETTLE if rests else None
            waiting = Evaluation.objects.create(
                source=source, cause=cause, asked_by=by, not_before=until, with_llm=with_llm
            )
        elif rests:
            if waiting.not_before is not None:
                waiting.not_before = min(now + SETTLE, waiting.created_at + SETTLE_MOST)
                waiting.save(update_fields=["not_before"])
            return waiting
        else:
            if with_llm or not waiting.with_llm:  # a schedule takes no model from who asked for one
                waiting.asked_by, waiting.with_llm = by, with_llm
            waiting.cause, waiting.not_before = cause, None
            waiting.save(update_fields=["cause", "asked_by", "not_before", "with_llm"])
        if cause == Evaluation.Cause.HAND:
            record("started an evaluation", source, by=by)
        if not rests:
            send(waiting)
        return waiting


def evaluation_after_terms(source: Source) -> None:
    """Have a source evaluated once its terms rest, where it has verified answers."""
    if StoredAnswer.objects.filter(source=source, taken_back_at=None, problem="").exists():
        evaluation_ask(source, Evaluation.Cause.TERMS)


def evaluation_stop(row: Evaluation) -> None:
    """Stop an evaluation: at once where it waits, else by its worker."""
    Evaluation.objects.filter(pk=row.pk).exclude(status=Status.DONE).update(stop_requested=True)
    if row.status == Status.QUEUED:
        end_unheld(row, problem=STOPPED)


# ---------------------------------------------------------------- a worker's part


def evaluation_do(lease: Lease) -> None:
    """Ask the questions of a taken evaluation, or tell its owner what got worse."""
    row = Evaluation.objects.select_related("source__owner", "asked_by").filter(pk=lease.pk).first()
    if row is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch:
        if row.measured_at is not None:
            regression_tell(lease, row)
            return
        try:
            with source_opened(seen_whole(row.source)) as opened, watch.ending(opened.database.cancel):
                _measure(lease, row, opened, watch)
        except LlmRejected as error:
            lease.end(problem=str(error))
        except DatabaseError as error:
            lease.end(problem=f"{error.failure.message} {error.failure.advice}".strip())


def evaluation_break(lease: Lease) -> None:
    """End an evaluation that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(problem=BROKEN)


def _measure(lease: Lease, row: Evaluation, opened: OpenedSource, watch: Watch) -> None:
    """Ask what was not asked yet. Raises: DatabaseError, LeaseLost."""
    opened.database.execute("SELECT 1", Limits(seconds=10, rows=1))
    known = knowledge_of(row.source)
    last = evaluation_last(row.source, row.pk)
    done = [Asked(**one) for one in row.results]
    began = looked = kept = monotonic()
    spent = float(row.summary.get("spent", 0))
    gives_way = False

    def told() -> dict[str, Any]:
        return {"done": len(done), "of": len(known.verified), "spent": spent + monotonic() - began}

    def goes_on() -> bool:
        nonlocal looked, kept, gives_way
        if watch.cancelled.is_set() or spent + monotonic() - began > SECONDS:
            return False
        if monotonic() - looked > LOOK_SECONDS:
            looked, gives_way = monotonic(), turn_is_wanted(lease)
            found: dict[str, Any] = {"summary": told()}
            if looked - kept > KEEP_SECONDS:
                kept, found["results"] = looked, _stored(done)
            lease.write(**found)
        return not gives_way

    teller = Teller.of(opened, watch.cancelled)
    questions_ask(
        opened,
        last,
        done.append,
        known=known,
        teller=teller,
        besides=[one.answer for one in done],
        goes_on=goes_on,
        with_llm=row.with_llm,
        person=row.asked_by,
    )
    if watch.is_stopped:
        lease.end(problem=STOPPED)
    elif gives_way:
        lease.put_off(
            timezone.now() + timedelta(seconds=PAUSE_SECONDS),
            attempts=row.attempts - 1,
            summary=told(),
            results=_stored(done),
        )
    elif not done:
        lease.end(problem=NOTHING)
    elif all(one.problem for one in done):
        lease.end(problem=f"No verified SQL ran. {done[0].problem}")
    else:
        shifts_keep(row.source, done, last.results if last is not None else ())
        remedies = _remedies(row, known, done, teller, goes_on)
        if watch.is_stopped:
            lease.end(problem=STOPPED)
            return
        left = len(known.verified) - len(done)
        _through(lease, row, evaluated_of(done, last), left, len(known.terms), remedies)


def _remedies(
    row: Evaluation, known: Knowledge, done: Sequence[Asked], teller: Teller, goes_on: Callable[[], bool]
) -> list[dict[str, Any]]:
    """Look for terms that set wrong answers right; none where the database is lost meanwhile."""
    try:
        return remedies_look(row.source, known, done, teller, goes_on)
    except DatabaseError as error:
        log.info("No terms were looked for after evaluation %s: %s", row.pk, error)
        return []


def _through(
    lease: Lease, row: Evaluation, found: Evaluated, left: int, terms: int, remedies: Sequence[dict[str, Any]]
) -> None:
    """Keep what was found, and go on to tell the owner where something got worse. Raises: LeaseLost."""
    worse = bool(regressions_of(found.asked)) and bool(row.source.owner.email)
    fields = {
        "results": _stored(found.asked),
        "summary": found.summary(left) | {"remedies": remedies},
        "terms": terms,
        "measured_at": timezone.now(),
    }

    def write() -> None:
        if worse:
            now = timezone.now()
            lease.put_off(
                now, queued_at=now, attempts=0, spared=0, tries=0, told=Evaluation.Told.WAITING, **fields
            )
        else:
            lease.end(**fields)
        evaluations_tidy(row.source)

    lease.keep(write)
    if worse:
        send(row)


def evaluation_keep(opened: OpenedSource, found: Evaluated, last: Evaluation | None, terms: int) -> None:
    """Keep what somebody found from a shell."""
    now = timezone.now()
    shifts_keep(opened.source, found.asked, last.results if last is not None else ())
    Evaluation.objects.create(
        source=opened.source,
        cause=Evaluation.Cause.SHELL,
        status=Status.DONE,
        started_at=now,
        ended_at=now,
        measured_at=now,
        terms=terms,
        results=_stored(found.asked),
        summary=found.summary(),
    )
    evaluations_tidy(opened.source)


def evaluations_tidy(source: Source) -> None:
    """Let evaluations go beyond the latest that are kept."""
    ended = Evaluation.objects.filter(source=source, status=Status.DONE).order_by("-pk")
    kept = list(ended.values_list("pk", flat=True)[:KEPT])
    ended.exclude(pk__in=kept).delete()


def _stored(asked: Sequence[Asked]) -> list[dict[str, Any]]:
    return [dict(storable(asdict(one))) for one in asked]
