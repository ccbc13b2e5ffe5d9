"""Answer a run: the worker's side of a question.

Every write carries the fencing token of the lease; the store's connection is given back
between two steps, because a language model may think in between.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.db import close_old_connections
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.asking.kept_steps import StepWriter, answer_fields, frame_json, not_kept_json
from mirror.asking.models import TITLE_CHARS, Run, Step, Version
from mirror.asking.services.answer_stream import answer_events
from mirror.asking.services.charts import DRAWN_ROWS, chart_drawn
from mirror.asking.services.data_ends import data_ends
from mirror.asking.services.given_up import RUN_BROKEN, STOPPED
from mirror.asking.services.paths import turns_before
from mirror.asking.services.span_sending import run_traced
from mirror.asking.services.thinking import ThinkingLlm
from mirror.llms.models import LABEL_CHARS
from mirror.llms.opening import OpenLlms, llms_open
from mirror.phrases import one_line
from mirror.queries.running import (
    NOT_ANY_MORE,
    KeptRows,
    NotRun,
    NotRunWhy,
    OpenedSource,
    Values,
    source_opened,
    sql_run_on,
    statement_limits,
    unkept,
)
from mirror.results.models import StoredResult
from mirror.results.result_files import ResultNotKept
from mirror.results.rows import rows_of
from mirror.results.services import result_delete, result_store
from mirror.sources.selectors import may_ask
from mirror.sources.sight import seen_by, sight_now
from mirror.storable import storable
from mirror.stored_words import sayings
from mirror.work.leases import Lease, LeaseLost, Status
from mirror.work.watching import Watch
from sqlagent.errors import DatabaseError, SqlAgentError
from sqlagent.events import Ended, Event
from sqlagent.language.saying import number, spaced, worded
from sqlagent.makers.following import chart_of_question
from sqlagent.values import Answer, Outcome, Question, Rows

if TYPE_CHECKING:
    from mirror.people.models import User

log = logging.getLogger(__name__)

# The rows of an answer as they were stored, or why they could not be.
Stored = StoredResult | NotRun | None

# Of a failure of a language model so much goes into the log.
FAULT_CHARS = 500

BEGUN_AGAIN = gettext_noop("The worker that answered this was interrupted. It began again.")


def run_answer(lease: Lease) -> None:
    """Answer a taken run to one of the four outcomes, keeping every event as a step.

    Stops within half a second of being asked to, the statement in the database too. A worker
    that lost its lease writes nothing more.
    """
    try:
        with Watch(lease) as watch:
            run = Run.objects.select_related("thread__source", "thread__owner").get(pk=lease.pk)
            answer, result = _answered(run, lease, watch)
            if isinstance(result, StoredResult) and (watch.is_lost or watch.is_stopped):
                result_delete(result)
            if watch.is_lost:
                raise LeaseLost(f"Run {lease.pk} is held by another worker")
            if watch.is_stopped:
                stopped = Answer(Outcome.FAILED, answer.question, STOPPED)
                answer, result = replace(stopped, usage=answer.usage, sent=answer.sent, llm=answer.llm), None
            _conclude(run, lease, answer, result)
            log.info("Run %s %s after %.2f s", run.pk, answer.outcome, answer.usage.seconds)
        run_traced(run.pk)
    except (LeaseLost, Run.DoesNotExist) as error:
        log.info("Run %s was given up: %s", lease.pk, error)


def run_break(lease: Lease) -> None:
    """End a run that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(**RUN_BROKEN)
        run_traced(lease.pk)


def _answered(run: Run, lease: Lease, watch: Watch) -> tuple[Answer, Stored]:
    """Answer the question and keep its rows; there is no result where there is no answer."""
    # How the answer is drawn is nothing to ask the source: "revenue by country on a map".
    question = Question(chart_of_question(run.asked)[0], run.hint)
    source = seen_by(run.thread.owner, run.thread.source)
    if not may_ask(run.thread.owner, source) or sight_now(source).key != run.thread.sight:
        return Answer(Outcome.FAILED, question, NOT_ANY_MORE.message), None
    steps = _Steps(run, lease)
    try:
        turns = turns_before(run)
        with source_opened(run.thread.source) as opened:
            winner = _Winner(opened, run.thread.owner)
            llms = llms_open(run.thread.source, run.thread.owner)
            with watch.ending(opened.database.cancel):
                for event in answer_events(
                    question,
                    opened,
                    turns=turns,
                    cancelled=watch.cancelled,
                    fetch=winner.fetch,
                    around=lambda llm: ThinkingLlm(llm, lease, watch.cancelled),
                    llms=llms,
                    run=run,
                ):
                    if isinstance(event, Ended):
                        run.without_llm = _without_llm(llms, event.answer)
                        for fault in event.answer.faults:
                            log.warning("Run %s: %s", run.pk, one_line(fault, FAULT_CHARS))
                        return event.answer, winner.stored(event.answer)
                    steps.keep(event)
    except DatabaseError as error:
        reason = spaced(error.failure.message, error.failure.advice)
        return Answer(Outcome.FAILED, question, reason), None
    except SqlAgentError as error:
        return Answer(Outcome.FAILED, question, str(error)), None
    raise RuntimeError("The pipeline ended without an answer")


def _without_llm(llms: OpenLlms, answer: Answer) -> str:
    """Say why no language model wrote an answer though one is set; empty where one did, or none was needed."""
    if answer.without_llm or llms.llms:
        return answer.without_llm
    left_out = [note for note in llms.notes if note in answer.notes]
    return left_out[0] if left_out else ""


class _Winner:
    """Stores the rows of an answer: those it has, or, where they were cut, the whole of them as they come.

    An answer whose rows cannot be stored is an answer still, with the reason in their place.
    """

    def __init__(self, opened: OpenedSource, owner: User) -> None:
        self._opened, self._owner = opened, owner
        self._stored: Stored = None

    def fetch(self, sql: str, rows: Rows) -> tuple[Rows, str]:
        """Store all rows of the SQL, of which the pipeline has the first; they are told from what is stored."""
        source = self._opened.source
        ran = sql_run_on(self._opened, sql, Values(), statement_limits(source), self._owner)
        if isinstance(ran, KeptRows):
            self._stored = ran.result
        elif ran.why is NotRunWhy.UNKEPT:
            self._stored = ran
        else:
            count = number(f"{len(rows.rows):,}")
            note = worded("Only the first {count} rows are kept: {why}", count=count, why=ran.failure.message)
            return rows, note
        return rows, ""

    def stored(self, answer: Answer) -> Stored:
        """The outcome of the answer's rows; None where it has none."""
        if answer.rows is None or self._stored is not None:
            return self._stored
        try:
            return result_store(self._opened.source, answer.rows, self._owner, sql=answer.sql)
        except ResultNotKept as error:
            return unkept(error)


class _Steps:
    """Keeps the events of one run. A run begun again forgets the steps of the attempt that was lost."""

    def __init__(self, run: Run, lease: Lease) -> None:
        self._run, self._lease, self._writer, self._number = run, lease, StepWriter(), 0
        if lease.attempt > 1:
            lease.keep(self._forget)
            self._write("noted", {"message": BEGUN_AGAIN})

    def keep(self, event: Event) -> None:
        kind, data = self._writer.step(event)
        self._write(kind, storable(data))

    def _forget(self) -> None:
        self._lease.write()
        self._run.steps.all().delete()
        self._run.versions.all().delete()

    def _write(self, kind: str, data: dict[str, Any]) -> None:
        self._number += 1

        def write() -> None:
            self._lease.write()
            Step.objects.create(run=self._run, number=self._number, kind=kind, data=data)

        self._lease.keep(write)
        close_old_connections()


def _conclude(run: Run, lease: Lease, answer: Answer, result: Stored) -> None:
    applied = {
        "llm": answer.llm[:LABEL_CHARS],
        "without_llm": run.without_llm,
        "privacy": run.thread.source.privacy,
    }
    fields: dict[str, Any] = storable(answer_fields(answer) | applied)
    if result is None:
        lease.end(**fields)
        return
    if isinstance(result, NotRun):
        now = timezone.now()
        without = {"failure": not_kept_json(result.failure), "started_at": now, "ended_at": now}
        _end(run, lease, answer, fields, without)
        return
    try:
        rows, told = rows_of(result, DRAWN_ROWS), answer.question.text
        ends = data_ends(run.thread.source, storable(frame_json(answer.frame)), rows)
        mark = chart_of_question(run.asked)[1]
        drawn = chart_drawn(
            rows, told, sql=answer.sql, title=answer.title, first=ends.told, mark=mark, part=ends.part
        )
        at = result.created_at
        kept = {"result": result, "started_at": at, "ended_at": at, **drawn.fields()}
        fields["saying"] |= sayings(sentence=drawn.sentence)
        _end(run, lease, answer, fields | {"sentence": storable(drawn.sentence)}, kept)
    except LeaseLost:
        result_delete(result)
        raise


def _end(run: Run, lease: Lease, answer: Answer, ended: dict[str, Any], version: dict[str, Any]) -> None:
    """End a run, and keep the SQL of its answer as its first version."""
    origin, sql = Version.Origin.ANSWER, storable(answer.sql)
    understood = {
        "frame": storable(frame_json(answer.frame)),
        "title": str(storable(answer.title))[:TITLE_CHARS],
        "saying": version.pop("saying", {}) | sayings(title=answer.title),
    }

    def write() -> None:
        lease.end(**ended)
        Version.objects.create(
            run=run, number=1, origin=origin, sql=sql, status=Status.DONE, **understood, **version
        )

    lease.keep(write)
