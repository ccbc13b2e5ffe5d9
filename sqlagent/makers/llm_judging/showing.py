"""Candidates as a judge is shown them: SQL and result, in what they differ, what the data say of it.

Decides which parts a prompt gets; `rendering` decides what of them may be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlagent.makers.llm_judging.verdicts import letter
from sqlagent.prompts import rendering
from sqlagent.values import Execution, ExecutionGroup, Finding, LinkedSchema, Narrowing, Question

Evidence = Callable[[str, str], Sequence[Finding]]
"""Findings in the data on the points in which two statements differ."""


Followed = Callable[[Execution], Narrowing | None]
"""How the rows of a candidate become fewer, where it is in doubt."""

STEPPED = 2
"""Groups in doubt that are told step by step."""


@dataclass(frozen=True, slots=True)
class Showing:
    """Texts about candidates at one level of privacy; without `evidence` nothing is said of differences either."""

    privacy: str
    evidence: Evidence | None = None
    narrowing: Followed | None = None

    def groups(
        self, groups: Sequence[ExecutionGroup], question: Question, linked: LinkedSchema, sizes: bool = False
    ) -> str:
        """Show groups under letters, each with its SQL and result."""
        shown = (self.group(group, question, linked) for group in groups)
        heads = (
            f"[{letter(i)}]" + (f" size {group.size}" if sizes else "") for i, group in enumerate(groups)
        )
        return "\n\n".join(f"{head}\n{text}" for head, text in zip(heads, shown, strict=True))

    def group(self, group: ExecutionGroup, question: Question, linked: LinkedSchema) -> str:
        """Show one group: the SQL of its first member, and the result."""
        sql = self.sql(group.members[0], question, linked)
        result = rendering.result_text(group, self.privacy, sql, linked.full)
        return f"<sql>\n{sql}\n</sql>\n<result>\n{result}\n</result>"

    def sql(self, execution: Execution, question: Question, linked: LinkedSchema) -> str:
        """Show the SQL of one candidate."""
        return rendering.candidate_sql(execution, question, linked, self.privacy)

    def differences(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> str:
        """Say clause by clause in what groups differ."""
        if self.evidence is None:
            return ""
        names = [letter(i) for i in range(len(groups))]
        members = [group.members[0] for group in groups]
        return rendering.differences_text(members, names, question, linked, self.privacy)

    def findings(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> str:
        """Say what the data say of the two largest groups, whatever the order they are shown in."""
        if self.evidence is None or self.privacy == "schema" or len(groups) < 2:
            return ""
        largest = sorted(groups, key=lambda g: (-g.weight, g.fingerprint))[:2]
        members = [group.members[0] for group in largest]
        found = self.evidence(members[0].sql, members[1].sql)
        return rendering.findings_text(found, members, question, linked, self.privacy)

    def steps(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> str:
        """Say step by step how the rows of groups in doubt become fewer, under their letters."""
        if self.narrowing is None or self.privacy == "schema":
            return ""
        told = []
        for number, group in enumerate(groups):
            member = group.members[0]
            text = rendering.narrowing_text(self.narrowing(member), member, question, linked, self.privacy)
            told += [f"[{letter(number)}]\n{text}"] if text else []
            if len(told) == STEPPED:
                break
        return "\n".join(told)
