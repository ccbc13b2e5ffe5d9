"""Differences of candidates by clause, and what the data say of them, as a language model may see it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.prompts.rendering.fencing import one_line
from sqlagent.prompts.rendering.masking import candidate_sql, own_words, shown_sql
from sqlagent.prompts.rendering.results import cell_text
from sqlagent.sql.differences import differences
from sqlagent.values import Execution, Finding, LinkedSchema, Narrowing, NarrowingStep, Question

LINE_CHARS = 400
"""Characters of one line: a clause that is longer is told by its beginning."""


def differences_text(
    executions: Sequence[Execution],
    names: Sequence[str],
    question: Question,
    linked: LinkedSchema,
    privacy: str,
) -> str:
    """Name the clauses in which candidates differ; empty where none can be read.

    Two candidates get a line for each difference. More are compared with the one that differs least from all others, in any order.
    """
    shown = [candidate_sql(one, question, linked, privacy) for one in executions]
    if len(shown) == 2:
        return "\n".join(
            f"- {one_line(line, LINE_CHARS)}" for line in differences(shown[0], shown[1], linked.full)
        )
    sizes = [(sum(len(" ".join(differences(one, sql, linked.full))) for sql in shown), one) for one in shown]
    base = sizes.index(min(sizes))
    lines = []
    for at, sql in enumerate(shown):
        found = differences(sql, shown[base], linked.full)
        if found:
            lines.append(f"- {names[at]} against {names[base]}: {one_line('; '.join(found), LINE_CHARS)}")
    return "\n".join(lines)


def findings_text(
    findings: Sequence[Finding],
    executions: Sequence[Execution],
    question: Question,
    linked: LinkedSchema,
    privacy: str,
) -> str:
    """Say what probes found, a line each. Below `rows` no stored value is told, and below `masked` nothing."""
    if privacy not in ("masked", "rows"):
        return ""
    own = tuple(text for one in executions for text in own_words(one.candidate))

    def shown(sql: str) -> str:
        return shown_sql(sql, question, linked, privacy, own) if sql else ""

    return "\n".join(f"- {_line(one, shown(one.sql), shown(one.against), privacy)}" for one in findings)


def _line(finding: Finding, sql: str, against: str, privacy: str) -> str:
    sql, rows = one_line(sql, LINE_CHARS), f"{finding.rows:,} rows of {one_line(finding.table, 130)}"
    if against:
        return _beside(finding, sql, one_line(against, LINE_CHARS), rows)
    if finding.holds is not None:
        return f"{sql}: holds for {finding.holds:,} of {rows}"
    said = f"{sql}: filled in {finding.filled:,} of {rows}, {finding.different:,} different values"
    if privacy == "rows" and finding.common:
        told = (f"{cell_text(value, privacy)} ({count:,})" for value, count in finding.common)
        said += f"; most frequent: {', '.join(told)}"
    return said


def _beside(finding: Finding, sql: str, against: str, rows: str) -> str:
    """Say how much the results of two differences overlap."""
    if finding.holds is None:
        found = f"equal in {finding.both:,} of {rows}, different in {finding.unequal:,}"
        return f"{sql} beside {against}: {found}; only the first is filled in {finding.only:,}, only the second in {finding.other:,}"
    return f"{sql} beside {against}: both hold for {finding.both:,} of {rows}, only the first for {finding.only:,}, only the second for {finding.other:,}"


def narrowing_text(
    narrowing: Narrowing | None,
    execution: Execution,
    question: Question,
    linked: LinkedSchema,
    privacy: str,
) -> str:
    """Say step by step how the rows of a candidate become fewer, a line each. Below `rows` no stored value is told, and below `masked` nothing.

    Empty where nothing was counted.
    """
    if narrowing is None or privacy not in ("masked", "rows"):
        return ""
    own = own_words(execution.candidate)
    lines = [
        f"- {'inside it: ' * step.is_inside}{one_line(shown_sql(step.sql, question, linked, privacy, own), LINE_CHARS)}: {_left(step)}"
        for step in narrowing.steps
    ]
    if privacy == "rows" and narrowing.among:
        told = (f"{cell_text(value, privacy)} ({count:,})" for value, count in narrowing.among)
        lines.append(
            f"- {one_line(narrowing.column, 130)} in the rows left before its condition, most frequent: {', '.join(told)}"
        )
    return "\n".join(lines)


def _left(step: NarrowingStep) -> str:
    if step.left is None:
        return "does not run" if step.fails else "not counted in time"
    if step.kind == "table":
        return f"{step.left:,} row{'s' * (step.left != 1)}"
    if step.kind in ("groups", "having"):
        return f"{step.left:,} group{'s' * (step.left != 1)} left"
    alone = "" if step.alone in (None, step.left) else f" (by itself it holds for {step.alone:,})"
    return f"{step.left:,} left{alone}"
