"""In what two candidates differ, clause by clause, and what the data say of it, as a language model may see it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.prompts.rendering.fencing import one_line
from sqlagent.prompts.rendering.masking import candidate_sql, own_words, shown_sql
from sqlagent.prompts.rendering.results import cell_text
from sqlagent.sql.differences import differences
from sqlagent.values import Execution, Finding, LinkedSchema, Question

LINE_CHARS = 400
"""Characters of one line: a clause that is longer is told by its beginning."""


def differences_text(
    executions: Sequence[Execution],
    names: Sequence[str],
    question: Question,
    linked: LinkedSchema,
    privacy: str,
) -> str:
    """Say in which clauses candidates differ; empty where none can be read.

    Of two every difference has a line, the first against the second. Of more, each is told against the one that has
    least to tell from all others, which is the same whatever the order they are shown in.
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
    return "\n".join(
        f"- {_line(one, shown_sql(one.sql, question, linked, privacy, own), privacy)}" for one in findings
    )


def _line(finding: Finding, sql: str, privacy: str) -> str:
    sql, rows = one_line(sql, LINE_CHARS), f"{finding.rows:,} rows of {one_line(finding.table, 130)}"
    if finding.holds is not None:
        return f"{sql}: holds for {finding.holds:,} of {rows}"
    said = f"{sql}: filled in {finding.filled:,} of {rows}, {finding.different:,} different values"
    if privacy == "rows" and finding.common:
        told = (f"{cell_text(value, privacy)} ({count:,})" for value, count in finding.common)
        said += f"; most frequent: {', '.join(told)}"
    return said
