"""Refits the weights of the deterministic judge on open data, cross-validated by database.

A conditional logit over the groups of a question: the right ones should outweigh the others. Each
feature that has a plain meaning may only count in its meaning's direction, which is what keeps 70
features from being learned by heart on a few hundred questions (without it the same features closed
nothing of the gap, with it a quarter). Gold SQL changed in one place serves as further wrong groups.
No question, database name or SQL gets into the fitted file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from scipy.optimize import minimize

from sqlagent.errors import DatabaseError
from sqlagent.evaluation.items import BadInput, Databases, Item, Source, read_items
from sqlagent.evaluation.mutations import mutations
from sqlagent.evaluation.progress import Bar
from sqlagent.evaluation.scoring import Scorer, gap_closed, mcnemar
from sqlagent.evaluation.selecting import STATEMENT, drawn
from sqlagent.makers.judging import FeatureJudge
from sqlagent.method import grouping, linking
from sqlagent.method.execution import Executor
from sqlagent.method.ranking import SHOWN, is_empty
from sqlagent.values import Candidate, Execution, Limits, LinkedSchema, Rows

POOLS = (("spider_dev", "spider_dev"), ("bird_dev", "bird_dev"), ("bird_minidev", "bird_dev"))
"""Folders of pools, and where their databases are."""

TRAINING = "spider_train"
SAMPLES, SAMPLE_SIZE, SAMPLE_WEIGHT = 10, 5, 0.1
"""Small pools drawn from each question's candidates, and what one of them counts."""

MUTANT_WEIGHT, MUTANT_STEP = 0.03, 2
"""What a training question counts (6,700 of them would drown 700 pools), and every which is taken."""

PENALTY = 3.0
"""Ridge penalty in the features' own units; 1 to 5 differ by less than a point."""

QUICK = Limits(seconds=0.5, rows=2_000)

UP = (
    "log_share", "largest", "margin", "texts", "soft", "atoms_shared", "mention_order", "mention_order_aggregate",
    "select_asked",
)  # fmt: skip
"""Features that can only speak for a candidate."""

DOWN = (
    "atoms_missing", "empty", "all_null", "zero", "nulls", "empty_explained", "all_null_explained", "zero_explained",
    "repeat_share", "repeat_share_measures", "repeats_distinct_asked", "distinct_unasked", "distinct_missed",
    "literals_unstored", "literals_unasked", "text_to_number", "text_to_key", "matches_elsewhere", "matches_unused",
    "quotes_unused", "numbers_unused", "like_unasked", "like_missed", "foreign_shown", "foreign_shown_alone",
    "id_unasked", "name_not_shown", "full_name_unasked", "joins_wild", "cross_join", "idle_end", "left_join",
    "count_for_which", "list_for_count", "many_for_count", "one_cell_for_list", "hint_missed",
    "hint_functions_missed", "hint_select_missed", "words_missed_count", "links_missed", "columns_unlinked",
    "where_unasked", "select_outside_head", "unknown_name", "unparsed", "selected_more", "selected_fewer", "star",
    "same_columns", "order_missed", "order_unasked", "first_only_missed", "first_only_unasked", "limit_unasked",
    "group_missed", "grouped_by_unshown", "shown_not_grouped", "average_missed", "total_missed", "division_missed",
    "division_unasked", "negation_missed", "greater_missed", "smaller_missed", "strict_for_at_least",
    "loose_for_more",
)  # fmt: skip
"""Features that can only speak against one."""

NAMES = (*UP, *DOWN)


@dataclass(frozen=True, slots=True)
class Choice:
    """One question's groups: their features, which are right, and what choosing well counts.

    `full` marks a whole pool, `oracle` one that holds the right answer.
    """

    db: str
    pool: str
    features: tuple[Mapping[str, float], ...]
    right: tuple[bool, ...]
    empty: tuple[bool, ...]
    weight: float
    full: bool = False
    oracle: bool = False


def fit(data: Path, out: Path) -> str:
    """Fit on the pools and the training questions under a folder; write weights; report. Raises: BadInput."""
    choices = [choice for name, place in POOLS for choice in read_pool(data / name, data / place)]
    mutants = read_mutants(data / TRAINING)
    report = cross_validated(choices, mutants)
    fitted = weigh([*choices, *mutants])
    kept = {name: round(float(w), 4) for name, w in zip(NAMES, fitted, strict=True) if abs(w) >= 0.005}
    about = (
        "Weights of the deterministic judge, in log-odds a unit of each feature (sqlagent/method/features says what each "
        "means). Fitted by: python -m sqlagent.evaluation fit ranker"
    )
    try:
        out.write_text(json.dumps({"about": about, "weights": kept}, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}") from error
    return report


# ---------------------------------------------------------------- reading


def read_pool(folder: Path, databases: Path) -> list[Choice]:
    """Read a pool: all candidates of each question, and ten draws of five."""
    items = read_items(folder / "pool.jsonl", pool=True)
    opened = Databases(str(databases / "databases"))
    bar, found = Bar(len(items), folder.name), []
    for item in items:
        found += _choices(item, opened.source(item.db), folder.name)
        bar.step()
    opened.close()
    return found


def _choices(item: Item, source: Source, pool: str) -> list[Choice]:
    ran = {
        e.candidate.sql: e
        for e in Executor(source.database, source.catalog, STATEMENT).run(
            [Candidate(sql) for sql in dict.fromkeys(item.candidates)]
        )
    }
    linked = linking.link(item.question, source.catalog, source.index)
    scorer, judge = Scorer(item, source), FeatureJudge(source.index, {})
    found = []
    for seed in (None, *range(SAMPLES)):
        candidates = item.candidates if seed is None else drawn(item, SAMPLE_SIZE, seed)
        executions = [ran[sql] for sql in candidates]
        groups = grouping.group_by_execution(executions, grouping.asks_order(item.question))[:SHOWN]
        if groups:
            weight = 1.0 if seed is None else SAMPLE_WEIGHT
            right = tuple(scorer.is_right(g.members[0].sql, g.rows) for g in groups)
            found.append(
                Choice(
                    item.db,
                    pool,
                    tuple(judge.group_features(item.question, linked, groups)),
                    right,
                    tuple(is_empty(g) for g in groups),
                    weight,
                    seed is None,
                    any(scorer.is_right(e.sql, e.rows) for e in executions),
                )
            )
    return found


def read_mutants(folder: Path) -> list[Choice]:
    """Read training questions, each with its gold SQL among mutations that give other rows."""
    items = read_items(folder / "questions.jsonl")[::MUTANT_STEP]
    opened = Databases(str(folder / "databases"))
    bar, found = Bar(len(items), "mutations"), []
    for item in items:
        choice = _mutant(item, opened.source(item.db))
        if choice is not None:
            found.append(choice)
        bar.step()
    opened.close()
    return found


def _mutant(item: Item, source: Source) -> Choice | None:
    ordered = grouping.asks_order(item.question)
    linked = linking.link(item.question, source.catalog, source.index)
    judge = FeatureJudge(source.index, {})
    gold = _run(item.gold or "", source)
    if gold is None:
        return None
    key = grouping.fingerprint(gold, ordered)
    rows = [_values(judge, item, linked, item.gold or "", gold)]
    for sql in mutations(item.gold or "", source.catalog, Random(item.id)):
        got = _run(sql, source)
        if got is not None and grouping.fingerprint(got, ordered) != key:
            rows.append(_values(judge, item, linked, sql, got))
    if len(rows) < 2:
        return None
    right = (True, *[False] * (len(rows) - 1))
    return Choice(item.db, TRAINING, tuple(rows), right, right, MUTANT_WEIGHT)


def _run(sql: str, source: Source) -> Rows | None:
    try:
        return source.database.execute(sql, QUICK)
    except DatabaseError:
        return None


def _values(
    judge: FeatureJudge, item: Item, linked: LinkedSchema, sql: str, rows: Rows
) -> Mapping[str, float]:
    return judge.read(item.question, linked, Execution(Candidate(sql), rows, sql)).values


# ---------------------------------------------------------------- fitting


def weigh(choices: Sequence[Choice]) -> np.ndarray:
    """Fit the weights: conditional logit, ridge penalty, signs held."""
    told = [c for c in choices if any(c.right) and not all(c.right)]
    matrix = np.array([[f.get(name, 0.0) for name in NAMES] for c in told for f in c.features])
    right = np.array([flag for c in told for flag in c.right], dtype=float)
    sizes = np.array([len(c.right) for c in told])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(told)), sizes)
    weight = np.array([c.weight for c in told])

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ w
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        whole, good = np.add.reduceat(powers, starts), np.add.reduceat(powers * right, starts)
        slope = (powers / whole[owner] - powers * right / good[owner]) * weight[owner]
        value = -(weight * (np.log(good) - np.log(whole))).sum() + 0.5 * PENALTY * (w**2).sum()
        return float(value), matrix.T @ slope + PENALTY * w

    bounds = [(0.0, None)] * len(UP) + [(None, 0.0)] * len(DOWN)
    found = minimize(loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x)


def cross_validated(choices: Sequence[Choice], mutants: Sequence[Choice]) -> str:
    """Leave each database out in turn, choose in it with the weights of the others, and report."""
    chosen: dict[int, int] = {}
    for db in sorted({c.db for c in choices}):
        fitted = weigh([c for c in (*choices, *mutants) if c.db != db])
        for i, choice in enumerate(choices):
            if choice.db == db:
                scores = [
                    sum(f.get(n, 0.0) * w for n, w in zip(NAMES, fitted, strict=True))
                    for f in choice.features
                ]
                chosen[i] = int(np.argmax(scores))
    lines = ["weights fitted on other databases; groups chosen among the eight largest"]
    for name, full in (("all candidates", True), (f"{SAMPLE_SIZE} candidates, {SAMPLES} draws", False)):
        lines.append(
            f"\n{name:<28}{'vote':>8}{'full':>8}{'ours':>8}{'oracle':>8}{'gap':>9}{'p vote':>9}{'p full':>9}"
        )
        for pool in (*[p for p, _ in POOLS], "together"):
            mine = [(i, c) for i, c in enumerate(choices) if c.full is full and pool in (c.pool, "together")]
            lines.append(f"{pool:<28}" + _figures([(c, chosen[i]) for i, c in mine]))
    return "\n".join(lines)


def _figures(chosen: Sequence[tuple[Choice, int]]) -> str:
    ours = [c.right[i] for c, i in chosen]
    vote = [c.right[0] for c, _ in chosen]
    full = [c.right[c.empty.index(False) if False in c.empty else 0] for c, _ in chosen]
    percent = [100 * sum(flags) / len(flags) for flags in (vote, full, ours, [c.oracle for c, _ in chosen])]
    gap = gap_closed(percent[2], percent[0], percent[3])
    return (
        "".join(f"{p:>8.2f}" for p in percent)
        + f"{gap:>7.1f} %{mcnemar(ours, vote):>9.4f}{mcnemar(ours, full):>9.4f}"
    )
