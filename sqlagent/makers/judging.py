"""Says which executions and groups answer better without asking a language model.

`FeatureJudge` adds up explainable features with fitted weights (`fitted/ranker.json`, refitted by
`python -m sqlagent.evaluation fit ranker`). It is one of two makers behind the `Judge` port; the
other asks an LLM. It is deterministic and does not care in which order groups are shown to it, so
both orders always agree. How far it is believed is `ranking`'s business.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from sqlagent.method.features import Features, Stored, features
from sqlagent.rows.cells import alike, column_bags
from sqlagent.sql.clauses import Atom
from sqlagent.values import Execution, ExecutionGroup, LinkedSchema, Question, Verdict

FITTED = Path(__file__).parents[1] / "fitted" / "ranker.json"

LEAST_SHARE = 0.001
"""No share counts as less than this: a beam's last members have hardly any weight."""

UNMET_TOLERATED = 0
"""Unmet requirements with which a pool still passes the auditor."""

_KEPT = 4_096


@lru_cache(maxsize=4)
def weights(path: Path = FITTED) -> Mapping[str, float]:
    """Read the fitted weights: how much each feature counts, in log-odds."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return {str(name): float(value) for name, value in found["weights"].items()}


class FeatureJudge:
    """Judge by explainable features alone: no LLM, no cost, the same answer every time.

    `index` tells which literals are stored. `share_gate` is above 1: asking costs nothing, so
    the ranker always asks.
    """

    share_gate = 1.01

    def __init__(self, index: Stored | None = None, fitted: Mapping[str, float] | None = None) -> None:
        self._index = index
        self._weights = fitted if fitted is not None else weights()
        self._known: dict[tuple[int, str, str, str, str], Features] = {}
        self._scored: tuple[Hashable, dict[str, float]] | None = None

    def utilities(
        self, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> Sequence[float]:
        """Score each execution by itself, higher is better; equal SQL scores the same."""
        return [self._sum(self.read(question, linked, execution).values) for execution in executions]

    def order(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[int]:
        """Order groups best first, as indices; ties go to the larger group, then to the fingerprint."""
        scores = self.scores(question, linked, groups)
        return sorted(
            range(len(groups)), key=lambda i: (-round(scores[i], 9), -groups[i].size, groups[i].fingerprint)
        )

    def prefers(
        self, question: Question, linked: LinkedSchema, first: ExecutionGroup, second: ExecutionGroup
    ) -> float:
        """Probability that `first` answers better than `second`."""
        return self.chances(question, linked, (first, second))[0]

    def chances(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[float]:
        """Probability of each group to be the right one, if one of them is."""
        scores = self.scores(question, linked, groups)
        most = max(scores, default=0.0)
        powers = [math.exp(score - most) for score in scores]
        return [power / sum(powers) for power in powers]

    def scores(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> list[float]:
        """Score groups beside one another, in log-odds; in which order they come makes no difference."""
        sizes = frozenset((group.fingerprint, group.size, group.weight) for group in groups)
        key = (id(linked), question.text, question.hint, sizes)
        if self._scored is None or self._scored[0] != key:
            found = self.group_features(question, linked, groups)
            scores = {g.fingerprint: self._sum(f) for g, f in zip(groups, found, strict=True)}
            self._scored = (key, scores)
        return [self._scored[1][group.fingerprint] for group in groups]

    def audit(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> Verdict:
        """Say whether a pool likely holds the right SQL: some group leaves no requirement unmet.

        The unmet requirements told are those of the group that comes nearest.
        """
        if not groups:
            return Verdict(False, "no attempt returned a result")
        lists = [
            min((self.read(question, linked, member).unmet for member in group.members), key=len)
            for group in groups
        ]
        fewest = min(lists, key=len)
        if len(fewest) <= UNMET_TOLERATED:
            return Verdict(True, "an attempt accounts for everything the question asks for", lists[0])
        return Verdict(False, "no attempt accounts for everything the question asks for", fewest)

    # ------------------------------------------------------------ features

    def read(self, question: Question, linked: LinkedSchema, execution: Execution) -> Features:
        """Read an execution's features; the same SQL for the same question is read once."""
        key = (id(linked), question.text, question.hint, execution.sql, execution.status)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            found = self._known[key] = features(question, linked, execution, self._index)
        return found

    def group_features(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> list[dict[str, float]]:
        """Read groups: the mean of their members' features, and what they are beside one another."""
        read = [[self.read(question, linked, member) for member in group.members] for group in groups]
        total = sum(group.weight for group in groups) or 1.0
        support = _support(groups, read)
        similar = _similarities(groups)
        found = []
        for i, group in enumerate(groups):
            mean: dict[str, float] = {}
            for member in read[i]:
                for name, value in member.values.items():
                    mean[name] = mean.get(name, 0.0) + value / group.size
            others = [other for j, other in enumerate(groups) if j != i]
            most = max((other.weight for other in others), default=0.0)
            soft = sum(s * other.weight for s, other in zip(similar[i], groups, strict=True))
            shared, missing = _shared(read[i], support, total)
            found.append(
                {
                    **mean,
                    "log_share": math.log(max(group.weight / total, LEAST_SHARE)),
                    "largest": float(group.weight > most) + 0.5 * float(group.weight == most),
                    "margin": (group.weight - most) / total,
                    "texts": math.log(len({_bare(member.sql) for member in group.members})),
                    "soft": soft / total,
                    "atoms_shared": shared,
                    "atoms_missing": missing,
                }
            )
        return found

    def _sum(self, found: Mapping[str, float]) -> float:
        return sum(self._weights.get(name, 0.0) * value for name, value in found.items())


def _bare(sql: str) -> str:
    return "".join(sql.lower().split()).rstrip(";")


def _similarities(groups: Sequence[ExecutionGroup]) -> list[list[float]]:
    """How alike each group's rows are to each other group's; 0 to its own."""
    bags = [column_bags(group.rows) for group in groups]
    found = [[0.0] * len(groups) for _ in groups]
    for i, mine in enumerate(bags):
        for j in range(i):
            found[i][j] = found[j][i] = alike(mine, bags[j])
    return found


def _support(groups: Sequence[ExecutionGroup], read: Sequence[Sequence[Features]]) -> Mapping[Atom, float]:
    """Weigh the candidates that say each thing a clause can say."""
    support: dict[Atom, float] = {}
    for group, members in zip(groups, read, strict=True):
        for execution, member in zip(group.members, members, strict=True):
            for atom in member.clauses.atoms if member.clauses is not None else ():
                support[atom] = support.get(atom, 0.0) + execution.candidate.weight
    return support


def _shared(members: Sequence[Features], support: Mapping[Atom, float], total: float) -> tuple[float, float]:
    """How widely a group's clauses are shared (mean log), and the part of common clauses it lacks."""
    common = [atom for atom, weight in support.items() if weight > total / 2]
    best, fewest = math.log(LEAST_SHARE), 1.0
    for member in members:
        if member.clauses is None or not member.clauses.atoms:
            continue
        mine = member.clauses.atoms.keys()
        logs = [math.log(max(support[atom] / total, LEAST_SHARE)) for atom in mine]
        best = max(best, sum(logs) / len(logs))
        fewest = min(fewest, sum(atom not in mine for atom in common) / max(1, len(common)))
    return best, fewest
