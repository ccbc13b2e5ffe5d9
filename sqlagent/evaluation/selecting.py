"""Measures selection alone: candidates as they are, guarded, executed, grouped, ranked, chosen.

Nothing is repaired or resampled, and what selects sees neither gold nor who wrote a candidate.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from sqlagent.evaluation.items import Databases, Item
from sqlagent.evaluation.progress import each
from sqlagent.evaluation.scoring import Scorer, bootstrap, gap_closed, mcnemar
from sqlagent.makers.judging import FeatureJudge
from sqlagent.method import confidence, grouping, linking, ranking, resampling
from sqlagent.method.execution import Executor
from sqlagent.values import Candidate, ExecutionGroup, Limits

STATEMENT = Limits(seconds=10.0)
"""The limits of a candidate while measuring."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One question's selection and how it compares."""

    id: str
    db: str
    mean: float
    vote: bool
    vote_full: bool
    ours: bool
    bird: bool
    oracle: bool
    line: dict[str, Any]


def select(
    items: Sequence[Item],
    databases: str,
    *,
    mode: str = "fast",
    sample: int | None = None,
    seed: int = 0,
    processes: int = 1,
) -> list[Chosen]:
    """Choose one candidate a question, in the order of the items. Raises: BadInput, DatabaseError."""
    work = partial(choose, databases=databases, mode=mode, sample=sample, seed=seed)
    return each(work, items, processes=processes, what="select")


@lru_cache(maxsize=4)
def kept_open(place: str) -> Databases:
    """Give the databases of a place, opened once a process."""
    return Databases(place)


def drawn(item: Item, sample: int | None, seed: int) -> tuple[str, ...]:
    """Give the candidates that take part: all, or `sample` drawn by the seed and the question's id."""
    if sample is None or sample >= len(item.candidates):
        return item.candidates
    return tuple(random.Random(f"{seed}:{item.id}").sample(item.candidates, sample))


def choose(item: Item, *, databases: str, mode: str, sample: int | None, seed: int) -> Chosen:
    """Choose one candidate for one question."""
    source = kept_open(databases).source(item.db)
    candidates = [Candidate(sql) for sql in drawn(item, sample, seed)]
    started = time.perf_counter()
    executions = list(Executor(source.database, source.catalog, STATEMENT).run(candidates))
    linked = linking.link(item.question, source.catalog, source.index)
    groups = grouping.group_by_execution(executions, grouping.asks_order(item.question))
    judge = FeatureJudge(source.index)
    ranked = ranking.rank(item.question, linked, groups, pool=len(executions), judge=judge, mode=mode)
    verdict = resampling.audit(item.question, linked, ranked, executions, judge)
    sure = confidence.confidence(ranked, executions, verdict, linked)
    seconds = time.perf_counter() - started
    scorer = Scorer(item, source)
    right = [scorer.is_right(e.sql, e.rows) for e in executions]
    best = ranked.groups[0].representative if ranked.groups else None
    line = {
        "id": item.id,
        "sql": best.candidate.sql if best else None,
        "confidence": round(sure, 4),
        "groups": [
            {"sql": r.representative.candidate.sql, "size": r.group.size, "score": round(r.score, 4)}
            for r in ranked.groups
        ],
        "seconds": round(seconds, 4),
    }
    return Chosen(
        id=item.id,
        db=item.db,
        mean=sum(right) / max(1, len(right)),
        vote=_vote(groups, scorer),
        vote_full=_vote([g for g in groups if not ranking.is_empty(g)] or groups, scorer),
        ours=best is not None and scorer.is_right(best.sql, best.rows),
        bird=best is not None and scorer.is_right_bird(best.rows),
        oracle=any(right),
        line=line,
    )


def _vote(groups: Sequence[ExecutionGroup], scorer: Scorer) -> bool:
    """The largest group's answer; ties go to the group seen first."""
    return bool(groups) and scorer.is_right(groups[0].members[0].sql, groups[0].rows)


COLUMNS = ("questions", "mean", "vote", "vote, full", "ours", "oracle", "gap closed", "p (vote)", "p (full)")


def report(chosen: Sequence[Chosen]) -> str:
    """Print by database and overall: percentages, gap closed, exact McNemar p against both votes."""
    names = sorted({c.db for c in chosen})
    rows = [_figures(name, [c for c in chosen if c.db == name]) for name in names]
    rows.append(_figures("overall", chosen))
    width = max(len(row[0]) for row in rows) + 2
    lines = ["".ljust(width) + "".join(c.rjust(12) for c in COLUMNS)]
    lines += [row[0].ljust(width) + "".join(cell.rjust(12) for cell in row[1:]) for row in rows]
    ours, vote = [c.ours for c in chosen], [c.vote for c in chosen]
    low, high = bootstrap(ours, vote)
    lines.append(
        f"\nours against the vote: {low:+.1f} to {high:+.1f} points (95 %, paired bootstrap); "
        f"{sum(a and not b for a, b in zip(ours, vote, strict=True))} won, "
        f"{sum(b and not a for a, b in zip(ours, vote, strict=True))} lost; "
        f"sets of rows (bird): {_percent([c.bird for c in chosen]):.2f}"
    )
    lines.append(
        "vote: the largest group, ties to the one seen first; full: the same without empty and all-NULL results"
    )
    return "\n".join(lines)


def _percent(flags: Sequence[bool]) -> float:
    return 100 * sum(flags) / len(flags) if flags else 0.0


def _figures(name: str, chosen: Sequence[Chosen]) -> list[str]:
    ours, vote, full = [c.ours for c in chosen], [c.vote for c in chosen], [c.vote_full for c in chosen]
    oracle = _percent([c.oracle for c in chosen])
    mean = 100 * sum(c.mean for c in chosen) / len(chosen)
    percents = [mean, _percent(vote), _percent(full), _percent(ours), oracle]
    gap = gap_closed(percents[3], percents[1], oracle)
    return [
        name,
        str(len(chosen)),
        *(f"{p:.2f}" for p in percents),
        f"{gap:.1f} %",
        f"{mcnemar(ours, vote):.4f}",
        f"{mcnemar(ours, full):.4f}",
    ]
