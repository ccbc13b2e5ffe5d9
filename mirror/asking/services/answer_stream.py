"""Bring together what an answer needs: the source, its catalog and value index, the LLM.

The web's worker and the shell's `ask` come here both, so they are one pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import close_old_connections

from mirror.knowledge.knowing import knowledge_of
from mirror.sources.guarding import policy_of
from mirror.sources.index_services import source_index
from mirror.sources.limits import limits_of
from sqlagent import pipeline
from sqlagent.events import Event
from sqlagent.method.fallback import FallbackLlm
from sqlagent.ports import Fetch, Llm
from sqlagent.values import Budget, Prices, Question, Turn

if TYPE_CHECKING:
    from mirror.queries.running import OpenedSource
    from sqlagent.adapters.openai import OpenAiLlm

# Where an API key alone leads.
OPENAI_URL = "https://api.openai.com/v1"


def llm_name() -> str:
    """The language model that answers, or empty: the built-in generator does."""
    return settings.LLM_MODEL if settings.LLM_BASE_URL or settings.LLM_API_KEY else ""


def llms_open() -> tuple[OpenAiLlm, ...]:
    """The language models of the settings: none, one, or one and the one to fall back on.

    The first of two is asked once and not again: the second is there for that. Raises: LlmRejected for settings that
    cannot work.
    """
    if not (settings.LLM_BASE_URL or settings.LLM_API_KEY):
        return ()
    has_second = bool(settings.LLM_SECOND_BASE_URL)
    first = _opened(
        settings.LLM_BASE_URL or OPENAI_URL,
        settings.LLM_MODEL,
        settings.LLM_API_KEY,
        settings.LLM_PRICES,
        **({"max_retries": 0} if has_second else {}),
    )
    if not has_second:
        return (first,)
    model = settings.LLM_SECOND_MODEL or settings.LLM_MODEL
    url, key = settings.LLM_SECOND_BASE_URL, settings.LLM_SECOND_API_KEY
    return first, _opened(url, model, key, settings.LLM_SECOND_PRICES)


def ranker_open() -> OpenAiLlm | None:
    """The model that only ranks, where the settings name one. Raises: LlmRejected."""
    if not settings.RANKER_BASE_URL:
        return None
    url, model, key = settings.RANKER_BASE_URL, settings.RANKER_MODEL, settings.RANKER_API_KEY
    return _opened(url, model, key, settings.RANKER_PRICES)


def _opened(url: str, model: str, key: str, prices: str, **more: Any) -> OpenAiLlm:
    # Loaded by whom it serves: it is a quarter of what each process takes to start (0.5 s).
    from sqlagent.adapters.openai import OpenAiLlm

    return OpenAiLlm(
        base_url=url,
        model=model,
        api_key=key,
        timeout=settings.LLM_TIMEOUT,
        stream=settings.LLM_STREAM,
        prices=Prices.read(prices),
        **more,
    )


def _asked(llms: Sequence[Llm]) -> Llm | None:
    """What the pipeline asks."""
    return FallbackLlm(*llms) if len(llms) == 2 else llms[0] if llms else None


def answer_events(
    question: Question,
    opened: OpenedSource,
    *,
    turns: Sequence[Turn] = (),
    cancelled: Flag | None = None,
    fetch: Fetch | None = None,
    around: Callable[[Llm], Llm] | None = None,
) -> Iterator[Event]:
    """Answer a question on an opened source, as `sqlagent.pipeline.answer` does.

    An answer has up to as many rows as its source allows, in memory unless `fetch` puts them elsewhere.
    The language model is asked through what `around` makes of it, and so is the ranker.
    The store's connection is given back before the pipeline starts and must be given back
    again by whoever writes between two events. Raises: DatabaseError, LlmRejected.
    """
    index = source_index(opened.source, opened.catalog, opened.database)
    limits = limits_of(opened.source)
    llms = llms_open()
    llm, ranker = _asked(llms), ranker_open()
    knowledge = knowledge_of(opened.source)
    close_old_connections()
    try:
        yield from pipeline.answer(
            question,
            database=opened.database,
            catalog=opened.catalog,
            index=index,
            llm=around(llm) if llm is not None and around is not None else llm,
            ranker=around(ranker) if ranker is not None and around is not None else ranker,
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
        )
    finally:
        for one in (*llms, *([ranker] if ranker else [])):
            one.close()
