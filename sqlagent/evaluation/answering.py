"""Measures the whole pipeline, from question to SQL, with or without a language model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from time import perf_counter
from typing import Any

from sqlagent import pipeline
from sqlagent.adapters.openai import OpenAiLlm
from sqlagent.evaluation import lenient
from sqlagent.evaluation.items import BadInput, Item, Source
from sqlagent.evaluation.kinds import kind
from sqlagent.evaluation.progress import each
from sqlagent.evaluation.recording import RecordingLlm, exchanges
from sqlagent.evaluation.scoring import Scorer
from sqlagent.evaluation.selecting import kept_open
from sqlagent.events import Audited, Checked, Ended, Executed, Grouped, Linked, Ranked, Sampling
from sqlagent.makers.generation import FIRST_FAMILIES
from sqlagent.method import confidence
from sqlagent.ports import Llm
from sqlagent.values import (
    Answer,
    Budget,
    Execution,
    LinkedSchema,
    Outcome,
    RankedGroup,
    Ranking,
    Rows,
    Verdict,
)

OPENAI_URL = "https://api.openai.com/v1"
STAGES = {
    Linked: "link", Executed: "execute", Grouped: "group", Checked: "check", Ranked: "rank", Audited: "audit", Ended: "conclude"
}  # fmt: skip
FEW = 8
"""Candidates of the first round that count as its first few: the generator's whole beam."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One question's answer and how it compares.

    `missing` says that the first round's pool did not hold the right SQL, `early` that its winner
    was right: what resampling is measured against. `few` says that its first `FEW` held it; `fresh`,
    that the source was opened for this question, so that preparing it is in the times.
    """

    id: str
    db: str
    answerable: bool
    outcome: str
    right: bool
    bird: bool
    kind: str
    first: bool
    few: bool
    oracle: bool
    fresh: bool
    confidence: float
    calls: int
    tokens: int
    resampled: bool
    missing: bool
    early: bool
    seconds: dict[str, float]
    line: dict[str, Any]
    judged: lenient.Judged | None = None


def answer(
    items: Sequence[Item],
    databases: str,
    *,
    llm: str = "none",
    processes: int = 1,
    budget: Budget | None = None,
) -> list[Answered]:
    """Answer every question, in the order of the items. Raises: BadInput, LlmRejected."""
    if llm == "env":
        llm_from_environment()
    work = partial(answer_one, databases=databases, llm=llm, budget=budget or Budget())
    return each(work, items, processes=processes, what="answer")


PATIENCE = 900.0
"""Seconds for one call of a language model while measuring: its speed is not what is measured."""


@lru_cache(maxsize=1)
def ranker_from_environment() -> Llm | None:
    """Give the model that RANKER_BASE_URL, RANKER_API_KEY and RANKER_MODEL name, if any."""
    url, model = os.environ.get("RANKER_BASE_URL", ""), os.environ.get("RANKER_MODEL", "")
    key = os.environ.get("RANKER_API_KEY", "")
    return OpenAiLlm(base_url=url, model=model, api_key=key, timeout=PATIENCE) if url else None


@lru_cache(maxsize=1)
def llm_from_environment() -> Llm:
    """Give the language model that LLM_BASE_URL, LLM_API_KEY and LLM_MODEL name. Raises: BadInput."""
    url, key = os.environ.get("LLM_BASE_URL", ""), os.environ.get("LLM_API_KEY", "")
    model = os.environ.get("LLM_MODEL", "")
    if not model or not (url or key):
        raise BadInput("--llm env needs LLM_MODEL, and LLM_BASE_URL or LLM_API_KEY, in the environment.")
    timeout = float(os.environ.get("LLM_TIMEOUT") or PATIENCE)
    return OpenAiLlm(base_url=url or OPENAI_URL, model=model, api_key=key, timeout=timeout)


@dataclass(slots=True)
class Watch:
    """Observations of one run: the time each stage took, the pool, and what was last made of it."""

    seconds: dict[str, float] = field(default_factory=dict)
    pool: list[Execution] = field(default_factory=list)
    rounds: int = 0
    first_pool: int = 0
    first: RankedGroup | None = None
    ranking: Ranking = Ranking((), 0)
    verdict: Verdict = Verdict(False, "nothing was tried")
    linked: LinkedSchema | None = None
    problems: tuple[str, ...] | None = None
    answer: Answer | None = None
    _last: float = field(default_factory=perf_counter)
    _in_wave: bool = False

    def _add(self, stage: str, seconds: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    def see(self, event: object) -> None:
        """Take an event down: the time since the last one goes to its stage, its data into the pool and the first round."""
        now = perf_counter()
        took, stage = now - self._last, STAGES.get(type(event))
        if isinstance(event, Executed) and not self._in_wave:
            rows = event.execution.rows
            ran = min(took, rows.seconds if rows else 0.0)
            self._add("sample", took - ran)
            took = ran
        if stage:
            self._add(stage, took)
        self._last, self._in_wave = now, isinstance(event, Executed)
        if isinstance(event, Executed):
            self.pool[event.index : event.index + 1] = [event.execution]  # one that was mended comes twice
        elif isinstance(event, Linked):
            self.linked = event.linked
        elif isinstance(event, Sampling):
            self.rounds, self.problems = self.rounds + 1, None
        elif isinstance(event, Checked):
            self.problems = event.problems
        elif isinstance(event, Audited):
            self.verdict = event.verdict
        elif isinstance(event, Ranked):
            self.ranking = event.ranking
            if self.rounds == 1:
                self.first_pool = len(self.pool)
                self.first = event.ranking.groups[0] if event.ranking.groups else None
        elif isinstance(event, Ended):
            self.answer = event.answer
        self.seconds["in all"] = sum(v for k, v in self.seconds.items() if k != "in all")


def answer_one(item: Item, *, databases: str, llm: str, budget: Budget) -> Answered:
    """Answer one question and score it."""
    databases_open = kept_open(databases)
    fresh = item.db not in databases_open.opened
    return answer_on(databases_open.source(item.db), item, llm=llm, budget=budget, fresh=fresh)


def answer_on(source: Source, item: Item, *, llm: str, budget: Budget, fresh: bool = False) -> Answered:
    """Answer one question on an opened source and score it."""
    model = RecordingLlm(llm_from_environment()) if llm == "env" else None
    watch = _watched(source, item, model, budget)
    said = watch.answer
    assert said is not None
    scorer = Scorer(item, source)
    told = said.outcome in (Outcome.ANSWERED, Outcome.AMBIGUOUS)
    golds = lenient.Golds.of(item, source)

    def is_right(sql: str, rows: Rows | None) -> bool:
        if golds is None or rows is None:
            return scorer.is_right(sql, rows)
        return golds.which(sql) is not None

    pool = [is_right(e.sql, e.rows) for e in watch.pool]
    early = watch.first.representative if watch.first else None
    judged = judged_leniently(item, golds, said) if golds is not None else None
    if judged is not None:
        right = judged.right
    elif item.gold is None:
        right = said.outcome is Outcome.UNANSWERABLE
    else:
        right = told and is_right(said.sql, said.rows)
    usage = said.usage
    first, missing = _first(watch.pool, pool), not any(pool[: watch.first_pool])
    stood = early is not None and is_right(early.sql, early.rows)
    line = _line(item, watch, said, told)
    if model is not None:
        line |= _run_line(item, watch, pool, right) | exchanges(model.kept)
        line |= {"calls": usage.calls, "first": first, "early": stood, "rounds": watch.rounds}
    return Answered(
        id=item.id,
        db=item.db,
        answerable=item.gold is not None,
        outcome=str(said.outcome),
        right=right,
        bird=told and scorer.is_right_bird(said.rows),
        kind=kind(item.gold, source.catalog.dialect) if item.gold is not None else "",
        first=first,
        few=any(pool[: min(FEW, watch.first_pool)]),
        oracle=any(pool),
        fresh=fresh,
        confidence=said.confidence,
        calls=usage.calls,
        tokens=usage.prompt_tokens + usage.completion_tokens,
        resampled=watch.rounds > 1,
        missing=missing,
        early=stood,
        seconds=watch.seconds,
        line=line,
        judged=judged,
    )


def _watched(source: Source, item: Item, model: RecordingLlm | None, budget: Budget) -> Watch:
    """Answer one question to its end, and give what its events told."""
    watch = Watch()
    for event in pipeline.answer(
        item.question,
        database=source.database,
        catalog=source.catalog,
        index=source.index,
        llm=model,
        ranker=ranker_from_environment() if model else None,
        budget=budget,
        privacy="rows",  # what is measured is public data
    ):
        watch.see(event)
    return watch


def _line(item: Item, watch: Watch, said: Answer, told: bool) -> dict[str, Any]:
    """One line of `--json`: the answer, its groups and the pool."""
    return {
        "id": item.id,
        "sql": said.sql if told and said.sql else None,
        "confidence": round(said.confidence, 4),
        "groups": [{"sql": r.sql, "size": r.size, "difference": r.difference} for r in said.readings],
        "seconds": round(watch.seconds["in all"], 4),
        "outcome": str(said.outcome),
        "reason": said.reason,
        "pool": [e.sql for e in watch.pool],
    }


def _first(pool: Sequence[Execution], right: Sequence[bool]) -> bool:
    """Tell whether the first sample was right: of a language model its greedy one, whichever reply came first."""
    greedy = next((at for at, one in enumerate(pool) if one.candidate.family == FIRST_FAMILIES[0]), 0)
    return bool(right) and right[greedy]


def _run_line(item: Item, watch: Watch, pool: Sequence[bool], right: bool) -> dict[str, Any]:
    """Facts of a run with a language model: its candidates, and the figures that confidence rests on."""
    return {
        "db": item.db,
        "question": item.question.text,
        "hint": item.question.hint,
        "answerable": item.gold is not None,
        "right": right,
        "checked": watch.problems == (),
        "problems": watch.problems or (),
        "figures": confidence.figures(watch.ranking, watch.pool, watch.verdict, watch.linked),
        "candidates": [
            {
                "sql": e.candidate.written or e.candidate.sql,
                "ran": e.sql,
                "family": e.candidate.family,
                "round": e.candidate.round,
                "status": e.status,
                "right": is_right,
            }
            for e, is_right in zip(watch.pool, pool, strict=True)
        ],
    }


def judged_leniently(item: Item, golds: lenient.Golds, said: Answer) -> lenient.Judged:
    """Compare an answer, and the readings offered beside it, with every accepted gold."""
    told = said.outcome in (Outcome.ANSWERED, Outcome.AMBIGUOUS) and bool(said.sql)
    right = golds.which(said.sql) is not None if told and item.golds else not told and not item.golds
    offered = told and any(golds.which(reading.sql) is not None for reading in said.readings)
    return lenient.Judged(
        db=item.db,
        tags=item.tags,
        answerable=bool(item.golds),
        outcome=str(said.outcome),
        right=right,
        with_readings=right or offered,
        confidence=said.confidence,
        declined=not told,
    )
