"""The data as attempts are told of them: one that found nothing or rests on a guess, and two answers that stand against each other."""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.prompts.rendering.evidence import differences_text, findings_text, narrowing_text
from sqlagent.prompts.rendering.failures import shown_failure
from sqlagent.prompts.rendering.fencing import one_line
from sqlagent.prompts.rendering.masking import ShownText, candidate_sql
from sqlagent.prompts.rendering.results import cell_text, result_text
from sqlagent.rows.cells import row_key
from sqlagent.values import Execution, ExecutionGroup, Finding, LinkedSchema, Narrowing, Question

SHOWN_ROWS = 3
"""Rows told that only one of two results has."""

LOOKED_ROWS = 10
"""Rows told of a statement by which a model looked at the data."""


def looked_line(
    execution: Execution,
    narrowing: Narrowing | None,
    guessed: Sequence[str],
    question: Question,
    linked: LinkedSchema,
    privacy: str,
) -> ShownText:
    """Say of one attempt what is doubtful about it, and how its rows become fewer; empty where nothing is known of that."""
    steps = narrowing_text(narrowing, execution, question, linked, privacy)
    if not steps:
        return ShownText("")
    sql = candidate_sql(execution, question, linked, privacy)
    return ShownText(
        f"an attempt {_doubt(execution, guessed, question, linked, privacy)}\n<sql>\n{sql}\n</sql>\nStep by step:\n{steps}"
    )


def _doubt(
    execution: Execution, guessed: Sequence[str], question: Question, linked: LinkedSchema, privacy: str
) -> str:
    if execution.failure is not None:
        return f"did not run: {shown_failure(execution, question, linked, privacy)}"
    if execution.status == "all_null":
        return "gave NULL alone"
    return "found no rows" if execution.status == "empty" else "rests on a spelling that is a guess"


def case_text(
    groups: Sequence[ExecutionGroup],
    findings: Sequence[Finding],
    question: Question,
    linked: LinkedSchema,
    privacy: str,
) -> dict[str, str]:
    """Put two answers against each other, in the order given: `candidates`, `differences`, `evidence`, `rows`."""
    members = [group.members[0] for group in groups]
    shown = []
    for name, group, member in zip("AB", groups, members, strict=True):
        sql = candidate_sql(member, question, linked, privacy)
        result = result_text(group, privacy, sql, linked.full)
        shown.append(f"[{name}]\n<sql>\n{sql}\n</sql>\n<result>\n{result}\n</result>")
    return {
        "candidates": "\n\n".join(shown),
        "differences": differences_text(members, "AB", question, linked, privacy),
        "evidence": findings_text(findings, members, question, linked, privacy),
        "rows": _rows_apart(groups, privacy),
    }


def _rows_apart(groups: Sequence[ExecutionGroup], privacy: str) -> str:
    """Say which rows only one of two results has, where both were read whole and have as many columns."""
    one, two = (group.rows for group in groups)
    if privacy == "schema" or one.truncated or two.truncated or len(one.columns) != len(two.columns):
        return ""
    keys = [{row_key(row): row for row in rows.rows} for rows in (one, two)]
    lines = []
    for name, mine, theirs in (("A", keys[0], keys[1]), ("B", keys[1], keys[0])):
        apart = [row for key, row in mine.items() if key not in theirs]
        said = f"- only in {name}: {len(apart):,} of {len(mine):,} different rows"
        if privacy == "rows" and apart:
            told = (" | ".join(cell_text(cell, privacy) for cell in row) for row in apart[:SHOWN_ROWS])
            said += f", such as {one_line('; '.join(told), 400)}"
        lines.append(said)
    return "\n".join(lines)


def look_text(execution: Execution, question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Tell what a statement gave by which a model looked at the data; below `rows` it looks at none."""
    if execution.rows is None:
        return f"It did not run: {shown_failure(execution, question, linked, privacy)}"
    rows = execution.rows
    head = " | ".join(one_line(column, 60) for column in rows.columns)
    lines = [" | ".join(cell_text(cell, privacy) for cell in row) for row in rows.rows[:LOOKED_ROWS]]
    more = ["..."] if rows.truncated or len(rows.rows) > LOOKED_ROWS else []
    return "\n".join([head, *lines, *more] if lines else [head, "(no rows)"])
