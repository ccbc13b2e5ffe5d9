"""Refits the weights of the deterministic judge on open data, with databases and families of systems left out.

A conditional logit over the groups of a question: the right ones should outweigh the others. Each
feature that has a plain meaning may only count in its meaning's direction, and only *sturdy* features count at all: those whose
direction two kinds of questions confirm, and none contradicts. That is what keeps 70 features from being learned by heart on a
few hundred questions. No question, database name or SQL gets into the fitted file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from sqlagent.evaluation.items import BadInput
from sqlagent.evaluation.ranker_choices import (
    FIVE,
    FULL,
    ONLY,
    TRAINING,
    WITHOUT_FIVE,
    WITHOUT_FULL,
    Choice,
    read_generated,
    read_mutants,
    read_pool,
)
from sqlagent.evaluation.scoring import gap_closed, mcnemar

POOLS = (("spider_dev", "spider_dev"), ("bird_dev", "bird_dev"), ("bird_minidev", "bird_dev"))
"""Folders of pools, and where their databases are."""

PENALTY = 1.0
"""Ridge penalty in the features' own units."""

GENERATED_WEIGHT = 0.05
"""The weight of a training question with the built-in generator's candidates."""

CONFIRMED, CONTRADICTED, ALONE = 1.0, -1.5, 2.5
"""Score (z) from which a kind of questions confirms the direction of a feature, up to which it contradicts it, and from which one is
enough where the others have no such feature (hints)."""

VOTE = frozenset({"log_share", "largest", "margin", "texts", "soft", "atoms_shared", "atoms_missing"})
"""Features of candidates relative to one another. These always count: without them features alone are far worse than the vote."""

SHARE = 1.5
"""Weight of the logarithm of a group's share, on top of which features of pools are tested."""

THIN = (0.0, 0.3)
"""Leads in log-odds below which the vote keeps its winner, as they are reported; the first one holds."""

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


def fit(data: Path, out: Path) -> str:
    """Fit on the pools and the training questions under a folder; write weights; report. Raises: BadInput."""
    choices = [choice for name, place in POOLS for choice in read_pool(data / name, data / place)]
    generated, mutants = read_generated(data / TRAINING), read_mutants(data / TRAINING)
    learned = [c for c in choices if c.kind in (FULL, FIVE)]
    names = sturdy(learned, generated)
    report = f"{len(names)} sturdy features of {len(NAMES)}\n\n" + held_out(choices, generated, mutants)
    fitted = weigh(learned, generated, mutants, names)
    kept = {name: round(float(w), 4) for name, w in zip(names, fitted, strict=True) if abs(w) >= 0.005}
    about = (
        "Weights of the deterministic judge, in log-odds a unit of each feature (sqlagent/method/features says what each "
        "means). Fitted by: python -m sqlagent.evaluation fit ranker"
    )
    try:
        out.write_text(json.dumps({"about": about, "weights": kept}, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}") from error
    return report


# ---------------------------------------------------------------- fitting


def sturdy(choices: Sequence[Choice], generated: Sequence[Choice]) -> tuple[str, ...]:
    """Name the features that count: the vote's, and those whose direction is confirmed and nowhere contradicted.

    Asked are the whole pools with hints, those without, and the built-in generator's candidates.
    """
    whole = [c for c in choices if c.kind in (FULL, WITHOUT_FULL)]
    pools = [[c for c in whole if (c.pool == POOLS[0][0]) is is_first] for is_first in (True, False)]
    scores = [_scores(pools[0], SHARE), _scores(pools[1], SHARE), _scores(generated, 0.0)]
    kept = []
    for at, name in enumerate(NAMES):
        told = [score[at] for score in scores if not np.isnan(score[at])]
        confirmed = sum(one > CONFIRMED for one in told)
        is_alone = len(told) == 1 and told[0] > ALONE
        is_sturdy = bool(told) and min(told) > CONTRADICTED and (confirmed >= 2 or is_alone)
        kept += [name] if name in VOTE or is_sturdy else []
    return tuple(kept)


def _scores(choices: Sequence[Choice], share: float) -> np.ndarray:
    """Score each feature alone (z of a conditional logit), in the direction of its meaning; NaN where it never differs."""
    slope, spread = np.zeros(len(NAMES)), np.zeros(len(NAMES))
    for choice in _told(choices):
        matrix = _matrix(choice.features, NAMES)
        right = np.array(choice.right, dtype=float)
        powers = np.exp(share * np.array([found.get("log_share", 0.0) for found in choice.features]))
        powers /= powers.sum()
        good = powers * right / (powers * right).sum()
        mean = powers @ matrix
        slope += good @ matrix - mean
        spread += powers @ (matrix - mean) ** 2
    signs = np.array([1.0 if name in UP else -1.0 for name in NAMES])
    return np.where(spread > 1e-3, signs * slope / np.sqrt(spread + 1e-9), np.nan)


def _told(choices: Sequence[Choice]) -> list[Choice]:
    return [c for c in choices if any(c.right) and not all(c.right)]


def _matrix(features: Sequence[Mapping[str, float]], names: Sequence[str]) -> np.ndarray:
    return np.array([[found.get(name, 0.0) for name in names] for found in features])


def weigh(
    choices: Sequence[Choice], generated: Sequence[Choice], mutants: Sequence[Choice], names: Sequence[str]
) -> np.ndarray:
    """Fit the weights: conditional logit, ridge penalty, signs held. A generator's beam does not vote."""
    beams = np.array([0.0 if name in VOTE else 1.0 for name in names])
    told = [(_matrix(c.features, names), c.right, c.weight) for c in _told([*choices, *mutants])]
    told += [(_matrix(c.features, names) * beams, c.right, GENERATED_WEIGHT) for c in _told(generated)]
    matrix = np.vstack([one for one, _, _ in told])
    right = np.array([flag for _, flags, _ in told for flag in flags], dtype=float)
    sizes = np.array([len(flags) for _, flags, _ in told])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(told)), sizes)
    weight = np.array([counts for _, _, counts in told])

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ w
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        whole, good = np.add.reduceat(powers, starts), np.add.reduceat(powers * right, starts)
        slope = (powers / whole[owner] - powers * right / good[owner]) * weight[owner]
        value = -(weight * (np.log(good) - np.log(whole))).sum() + 0.5 * PENALTY * (w**2).sum()
        return float(value), matrix.T @ slope + PENALTY * w

    bounds = [(0.0, None) if name in UP else (None, 0.0) for name in names]
    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x)


# ---------------------------------------------------------------- what was left out


Chosen = tuple[Choice, list[float]]
"""A pool with the scores of its groups."""


def held_out(choices: Sequence[Choice], generated: Sequence[Choice], mutants: Sequence[Choice]) -> str:
    """Report pools of databases that were left out of choosing features and weights, and of families left out besides."""

    def scored(tested: Sequence[Choice], learned: Sequence[Choice]) -> list[Chosen]:
        names = sturdy(learned, generated)
        fitted = weigh(learned, generated, mutants, names)
        return [(c, list(map(float, _matrix(c.features, names) @ fitted))) for c in tested]

    return "\n\n".join((_databases_out(choices, scored), _families_out(choices, scored)))


Scored = Callable[[Sequence[Choice], Sequence[Choice]], list[Chosen]]


def _databases_out(choices: Sequence[Choice], scored: Scored) -> str:
    found: list[Chosen] = []
    for db in sorted({c.db for c in choices}):
        tested = [c for c in choices if c.db == db and c.kind in (FULL, FIVE)]
        found += scored(tested, [c for c in choices if c.db != db and c.kind in (FULL, FIVE)])
    lines = ["features and weights of other databases; groups chosen among the eight largest"]
    for title, kind in (("all candidates", FULL), ("5 candidates, 10 draws", FIVE)):
        lines += ["", _head(title)]
        for pool in (*[name for name, _ in POOLS], "together"):
            lines.append(
                _line(pool, [c for c in found if c[0].kind == kind and pool in (c[0].pool, "together")])
            )
    return "\n".join(lines)


def _families_out(choices: Sequence[Choice], scored: Scored) -> str:
    """Leave out each family of systems together with each database, and choose in pools of that family alone."""
    found: list[Chosen] = []
    for pool, kin in sorted({(c.pool, c.family) for c in choices if c.kind == ONLY}):
        for db in sorted({c.db for c in choices if c.pool == pool}):
            tested = [c for c in choices if (c.pool, c.family, c.db, c.kind) == (pool, kin, db, ONLY)]
            learned = [
                c
                for c in choices
                if c.db != db
                and (
                    c.kind in (FULL, FIVE)
                    if c.pool != pool
                    else c.family == kin and c.kind in (WITHOUT_FULL, WITHOUT_FIVE)
                )
            ]
            found += scored(tested, learned) if tested else []
    lines = ["features and weights of other databases and other families; pools of one family alone", ""]
    lines.append(_head("4 relatives or more"))
    lines += [_line(name, [c for c in found if c[0].pool == name]) for name, _ in POOLS]
    return "\n".join(lines)


def _head(title: str) -> str:
    heads = ("n", "vote", "ours", "oracle", "gap", *(f"thin {lead}" for lead in THIN[1:]), "p first")
    return f"{title:<26}" + "".join(f"{head:>9}" for head in heads)


def _line(name: str, chosen: Sequence[Chosen]) -> str:
    """One line of figures: the vote with its ties averaged, ours, the gap closed, and where the vote keeps what leads thinly."""
    vote = [_voted(c) for c, _ in chosen]
    ours = [[c.right[_taken(c, scores, lead)] for c, scores in chosen] for lead in THIN]
    rights = (vote, *ours, [c.oracle for c, _ in chosen])
    percent = [100 * float(np.mean(np.array(flags, dtype=float))) for flags in rights]
    gaps = [gap_closed(one, percent[0], percent[-1]) for one in percent[1:-1]]
    firsts = [c.right[0] for c, _ in chosen]
    cells = [f"{len(chosen):>9}", *(f"{p:>9.2f}" for p in (percent[0], percent[1], percent[-1]))]
    cells += [f"{gap:>7.1f} %" for gap in gaps]
    return f"{name:<26}" + "".join(cells) + f"{mcnemar(ours[0], firsts):>9.4f}"


def _voted(choice: Choice) -> float:
    """How often the vote is right: the share of right groups among the largest."""
    most = max(choice.sizes)
    largest = [right for right, size in zip(choice.right, choice.sizes, strict=True) if size == most]
    return sum(largest) / len(largest)


def _taken(choice: Choice, scores: Sequence[float], lead: float) -> int:
    """The group with the best score; of those that lead by no more than `lead`, the best of the largest."""
    most, best = max(choice.sizes), max(range(len(scores)), key=lambda at: scores[at])
    voted = max((at for at, size in enumerate(choice.sizes) if size == most), key=lambda at: scores[at])
    return best if scores[best] - scores[voted] > lead else voted
