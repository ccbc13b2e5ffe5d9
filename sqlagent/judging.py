"""Says which executions and groups answer better without asking a language model.

`FeatureJudge` adds up explainable features with fitted weights. It is one of two makers behind the
`Judge` port; the other asks an LLM. It is deterministic and does not care in which order groups
are shown to it, so both orders always agree. How far it is believed is `ranking`'s business.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from sqlagent import features
from sqlagent.values import ColumnRef, Execution, ExecutionGroup, LinkedSchema, Question, Verdict

POINTWISE = {
    "empty": -2.0, "zero": -0.5, "nulls": -0.5, "unknown": -3.0, "failed": -5.0, "unparsed": -1.0,
    "words_met": 1.5, "columns_asked": 1.0, "select_asked": 1.0, "columns_unasked": -0.8, "hint_met": 1.0,
    "literals_asked": 1.0, "literals_unasked": -0.8, "numbers_used": 1.0, "quotes_used": 1.5, "matches_used": 1.0,
    "joins_declared": 1.0, "cross_join": -1.5, "idle_tables": -0.8, "count_met": 0.8, "average_met": 0.8,
    "order_met": 0.5, "superlative_met": 0.5, "percent_met": 0.5, "selected": -0.3, "nodes": -0.5,
}  # fmt: skip
SIZE = 2.0


class Stored(Protocol):
    """What is known of stored values: a value index."""

    def holds(self, column: ColumnRef, text: str) -> bool:
        """Tell whether a column holds a text."""
        ...


class FeatureJudge:
    """Judge by explainable features alone: no LLM, no cost, the same answer every time."""

    share_gate = 0.6

    def __init__(self, index: Stored | None = None) -> None:
        self._index = index

    def utilities(
        self, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> Sequence[float]:
        """Score each execution by itself, higher is better."""
        known: dict[tuple[str, str], float] = {}
        scores = []
        for execution in executions:
            key = (execution.sql, execution.status)
            if key not in known:
                known[key] = self.utility(question, linked, execution)
            scores.append(known[key])
        return scores

    def utility(self, question: Question, linked: LinkedSchema, execution: Execution) -> float:
        """Add up one execution's features."""
        found = features.features(question, linked, execution).values
        return sum(POINTWISE.get(name, 0.0) * value for name, value in found.items())

    def scores(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> list[float]:
        """Score groups together: their best member's features and their share of those shown."""
        total = sum(group.weight for group in groups) or 1.0
        return [
            max(self.utilities(question, linked, group.members)) + SIZE * math.log(max(group.weight, 1e-6) / total)
            for group in groups
        ]

    def order(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[int]:
        """Order groups best first, as indices; ties go to the larger group, then to the text."""
        scores = self.scores(question, linked, groups)
        return sorted(
            range(len(groups)), key=lambda i: (-round(scores[i], 9), -groups[i].size, groups[i].fingerprint)
        )

    def prefers(
        self, question: Question, linked: LinkedSchema, first: ExecutionGroup, second: ExecutionGroup
    ) -> float:
        """Probability that `first` answers better than `second`."""
        one, two = self.scores(question, linked, [first, second])
        return 1 / (1 + math.exp(max(-50.0, min(50.0, two - one))))

    def audit(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> Verdict:
        """Say whether a pool likely holds the right SQL: some group leaves no requirement unmet."""
        if not groups:
            return Verdict(False, "no attempt returned a result")
        unmet_by_group = []
        for group in groups:
            best = max(group.members, key=lambda m: self.utility(question, linked, m))
            unmet_by_group.append(features.features(question, linked, best).unmet)
        fewest = min(unmet_by_group, key=len)
        if not fewest:
            return Verdict(True, "an attempt accounts for everything the question asks for")
        return Verdict(False, "no attempt accounts for everything the question asks for", fewest)
