"""Refits the constants of confidence on open data, cross-validated by database.

A ridge logistic regression on the figures of a pool against whether its winner was right: pools of
all candidates, of eight and of four, and what the whole pipeline answers with the built-in
generator. The report holds the reliability curve of databases that were left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from sqlagent import pipeline
from sqlagent.evaluation.fit_ranker import POOLS
from sqlagent.evaluation.items import BadInput, Databases, Item, Source, read_items
from sqlagent.evaluation.progress import Bar
from sqlagent.evaluation.ranker_choices import TRAINING
from sqlagent.evaluation.scoring import Scorer, calibration
from sqlagent.evaluation.selecting import STATEMENT, drawn
from sqlagent.events import Audited, Ended, Executed, Linked, Ranked
from sqlagent.makers.judging import FeatureJudge
from sqlagent.method import grouping, linking, ranking, resampling
from sqlagent.method.confidence import figures
from sqlagent.method.execution import Executor
from sqlagent.values import Candidate, Execution, LinkedSchema, Ranking, Verdict

SIZES: tuple[int | None, ...] = (None, 8, 4)
"""Sizes of the pools that are fitted on; None takes all candidates."""

TRAINING_STEP = 15
"""Every which training question is answered."""

PENALTY = 2.0

TOWARD = {"agreed_orders": 0.5, "accepted": 0.3}
"""Values that the penalty pulls to: the deterministic judge never contradicts itself and audits by rules, so
these pools cannot tell what an LLM's contradiction or its auditor's word is worth."""

FOR = frozenset({"share", "chance", "margin", "accepted", "agreed_orders"})
AGAINST = frozenset({"entropy", "groups", "unmet", "empty", "failed", "few", "unlinked"})
"""Figures that can only speak for a winner, and those that can only speak against it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One pool's figures, and whether its winner was right."""

    db: str
    maker: str
    figures: Mapping[str, float]
    right: bool


def fit(data: Path, out: Path) -> str:
    """Fit on the pools under a folder; write the constants; report. Raises: BadInput."""
    cases = [case for name, place in POOLS for case in read_pool(data / name, data / place)]
    cases += read_training(data / TRAINING)
    names = sorted({name for case in cases for name in case.figures})
    report = cross_validated(cases, names)
    fitted = weigh(cases, names)
    constants = {"intercept": round(float(fitted[-1]), 4)}
    constants |= {name: round(float(w), 4) for name, w in zip(names, fitted[:-1], strict=True)}
    about = (
        "Constants of the logistic function behind confidence (sqlagent/method/confidence.py names its figures). "
        "Fitted by: python -m sqlagent.evaluation fit confidence"
    )
    try:
        out.write_text(
            json.dumps({"about": about, "constants": constants}, indent=2) + "\n", encoding="utf-8"
        )
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}") from error
    return report


def read_pool(folder: Path, databases: Path) -> Iterator[Case]:
    """Read the cases of one pool: its candidates in several sizes, and the pipeline's own answers."""
    items = read_items(folder / "pool.jsonl", pool=True)
    opened = Databases(str(databases / "databases"))
    bar = Bar(len(items), folder.name)
    for item in items:
        source = opened.source(item.db)
        scorer = Scorer(item, source)
        yield from _drawn_cases(item, source, scorer)
        yield from _answered_cases(item, source, scorer)
        bar.step()
    opened.close()


def read_training(folder: Path) -> Iterator[Case]:
    """Read what the pipeline answers to some training questions: many schemas, few questions of each."""
    items = read_items(folder / "questions.jsonl")[::TRAINING_STEP]
    opened = Databases(str(folder / "databases"))
    bar = Bar(len(items), "answers")
    for item in items:
        source = opened.source(item.db)
        yield from _answered_cases(item, source, Scorer(item, source))
        bar.step()
    opened.close()


def _drawn_cases(item: Item, source: Source, scorer: Scorer) -> Iterator[Case]:
    executor = Executor(source.database, source.catalog, STATEMENT)
    ran = {e.candidate.sql: e for e in executor.run([Candidate(s) for s in dict.fromkeys(item.candidates)])}
    linked = linking.link(item.question, source.catalog, source.index)
    judge = FeatureJudge(source.index)
    for size in SIZES:
        pool = [ran[sql] for sql in drawn(item, size, 0)]
        groups = grouping.group_by_execution(pool, grouping.asks_order(item.question))
        ranked = ranking.rank(item.question, linked, groups, pool=len(pool), judge=judge)
        verdict = resampling.audit(item.question, linked, ranked, pool, judge)
        found = figures(ranked, pool, verdict, linked)
        yield from _case(item, scorer, "all" if size is None else str(size), ranked, found)


def _answered_cases(item: Item, source: Source, scorer: Scorer) -> Iterator[Case]:
    ranked, verdict = Ranking((), 0), Verdict(False, "")
    linked: LinkedSchema | None = None
    pool: list[Execution] = []
    for event in pipeline.answer(
        item.question, database=source.database, catalog=source.catalog, index=source.index
    ):
        if isinstance(event, Executed):
            pool.append(event.execution)
        elif isinstance(event, Linked):
            linked = event.linked
        elif isinstance(event, Ranked):
            ranked = event.ranking
        elif isinstance(event, Audited):
            verdict = event.verdict
        elif isinstance(event, Ended) and event.answer.sql:
            yield from _case(item, scorer, "generator", ranked, figures(ranked, pool, verdict, linked))


def _case(
    item: Item, scorer: Scorer, maker: str, ranked: Ranking, found: Mapping[str, float]
) -> Iterator[Case]:
    if ranked.groups:
        best = ranked.groups[0].representative
        yield Case(item.db, maker, found, scorer.is_right(best.sql, best.rows))


def weigh(cases: Sequence[Case], names: Sequence[str]) -> np.ndarray:
    """Fit constants, the intercept last: logistic loss, ridge penalty, signs held."""
    matrix = np.array([[c.figures.get(name, 0.0) for name in names] + [1.0] for c in cases])
    right = np.array([c.right for c in cases], dtype=float)
    penalty = np.array([PENALTY] * len(names) + [0.0])
    toward = np.array([TOWARD.get(name, 0.0) for name in names] + [0.0])
    bounds = [(0.0 if name in FOR else None, 0.0 if name in AGAINST else None) for name in names] + [
        (None, None)
    ]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ w
        value = np.logaddexp(0, scores).sum() - right @ scores + 0.5 * (penalty * (w - toward) ** 2).sum()
        return float(value), matrix.T @ (1 / (1 + np.exp(-scores)) - right) + penalty * (w - toward)

    found = minimize(loss, toward, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x)


def cross_validated(cases: Sequence[Case], names: Sequence[str]) -> str:
    """Leave each database out in turn and report how well confidence held there."""
    said: list[float] = [0.0] * len(cases)
    for db in sorted({case.db for case in cases}):
        fitted = weigh([case for case in cases if case.db != db], names)
        for i, case in enumerate(cases):
            if case.db == db:
                score = fitted[-1] + sum(
                    w * case.figures.get(name, 0.0) for name, w in zip(names, fitted[:-1], strict=True)
                )
                said[i] = float(1 / (1 + np.exp(-np.clip(score, -6, 6))))
    lines = ["confidence on databases that were left out of the fit"]
    for maker in (*sorted({case.maker for case in cases}), "together"):
        pairs = [(p, c.right) for p, c in zip(said, cases, strict=True) if maker in (c.maker, "together")]
        brier, error, curve = calibration(pairs)
        lines.append(
            f"\n{maker}: {len(pairs)} winners, {100 * sum(r for _, r in pairs) / len(pairs):.1f} % right; "
            f"Brier {brier:.4f}, expected calibration error {error:.4f}"
        )
        lines += [f"  said {p:.2f}, was right {was:.2f} ({count})" for p, was, count in curve]
    return "\n".join(lines)
