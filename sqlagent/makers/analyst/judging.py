"""The analyst's order of its own frames: what the words cost decides, and nothing that the rows say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlagent.values import Execution, ExecutionGroup, LinkedSchema, Question, Verdict

STEEP = 6.0
"""How fast a frame's chance falls with its cost."""


class AnalystJudge:
    """A judge that keeps to the scores of the candidates. Free, so it is asked of every pool."""

    share_gate = 1.01

    def utilities(
        self, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> Sequence[float]:
        """Score each execution by its candidate's own score."""
        return [execution.candidate.score or 0.0 for execution in executions]

    def order(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[int]:
        """Order groups by their best member; ties keep their order."""
        return sorted(range(len(groups)), key=lambda n: -self._best(groups[n]))

    def prefers(
        self, question: Question, linked: LinkedSchema, first: ExecutionGroup, second: ExecutionGroup
    ) -> float:
        """Probability that `first` answers better than `second`."""
        return self.chances(question, linked, (first, second))[0]

    def chances(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[float]:
        """Probability of each group to be the right one, if one of them is."""
        powers = [math.exp(STEEP * self._best(group)) for group in groups]
        return [power / sum(powers) for power in powers]

    def audit(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> Verdict:
        """Accept every pool that has a result: searching wider finds no other frames."""
        if groups:
            return Verdict(True, "the words were read as measures, dimensions and restrictions")
        return Verdict(False, "no attempt returned a result")

    @staticmethod
    def _best(group: ExecutionGroup) -> float:
        return max(member.candidate.score or 0.0 for member in group.members)
