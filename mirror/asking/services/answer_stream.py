"""Bring together what an answer needs: the source, its catalog and value index, its language models.

The web's worker and the shell's `ask` come here both, so they are one pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event as Flag
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import close_old_connections

from mirror.knowledge.knowing import knowledge_of
from mirror.llms.budgets import uses_keep
from mirror.llms.opening import OpenLlms, llms_open
from mirror.llms.standing import opened_troubles_keep
from mirror.sources.guarding import policy_of
from mirror.sources.index_services import source_index
from mirror.sources.limits import limits_of
from mirror.sources.sight import index_narrowed
from sqlagent import pipeline
from sqlagent.events import Ended, Event, Executed, Noted, Rewritten
from sqlagent.ports import Fetch, Llm
from sqlagent.values import Budget, Question, Turn

if TYPE_CHECKING:
    from mirror.asking.models import Run
    from mirror.queries.running import OpenedSource


def answer_events(
    question: Question,
    opened: OpenedSource,
    *,
    turns: Sequence[Turn] = (),
    cancelled: Flag | None = None,
    fetch: Fetch | None = None,
    around: Callable[[Llm], Llm] | None = None,
    llms: OpenLlms | None = None,
    run: Run | None = None,
) -> Iterator[Event]:
    """Answer a question on an opened source, as `sqlagent.pipeline.answer` does.

    An answer has up to as many rows as its source allows, in memory unless `fetch` puts them elsewhere.
    `llms` are asked, else those that are set at this moment, through what `around` makes of them; they are closed, and
    what was used of them is kept with the run and its owner. Their notes are told where SQL has to be written: an answer that
    was verified, or typed as SQL, does without any model.
    The store's connection is given back before the pipeline starts and must be given back again after each write between two events. Raises: DatabaseError, LlmRejected.
    """
    index = source_index(opened.source, opened.whole, opened.database)
    index = index_narrowed(opened.source, index, opened.catalog)
    limits = limits_of(opened.source)
    llms = llms or llms_open(opened.source)
    knowledge = knowledge_of(opened.source)
    close_old_connections()
    try:
        untold, told = llms.notes, tuple[str, ...]()
        for event in pipeline.answer(
            question,
            database=opened.database,
            catalog=opened.catalog,
            index=index,
            llm=llms.asked(around),
            ranker=llms.ranking(around),
            turns=turns,
            budget=Budget.of(
                settings.LLM_BUDGET,
                statement_seconds=limits.statement_seconds,
                rows=limits.candidate_rows,
                result_rows=limits.result_rows,
                cell_chars=limits.cell_chars,
                total_chars=limits.total_chars,
                drafts=settings.LLM_DRAFTS,
                money=settings.LLM_MONEY or None,
                **({"tokens": settings.LLM_TOKENS} if settings.LLM_TOKENS else {}),
            ),
            privacy=opened.source.privacy,
            cancelled=cancelled,
            policy=policy_of(opened.source),
            fetch=fetch,
            knowledge=knowledge,
        ):
            if untold and _is_of_writing(event):
                yield from map(Noted, untold)
                untold, told = (), untold
            if isinstance(event, Ended) and told:
                event = Ended(replace(event.answer, notes=(*told, *event.answer.notes)))
            yield event
    finally:
        llms.close()
        owner = run.thread.owner if run is not None else None
        opened_troubles_keep(llms)
        uses_keep(llms.all(), person=owner, source=opened.source, run=run.pk if run is not None else None)


def _is_of_writing(event: Event) -> bool:
    """Whether an event tells that SQL has to be written: there is none at hand that was verified or typed."""
    if isinstance(event, Executed):
        return event.execution.candidate.family not in ("verified", "typed")
    return not isinstance(event, Rewritten | Ended)
