"""Feedback of the first round to a second: facts as facts, a reviewer's guesses as guesses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sqlagent.prompts.rendering.evidence import findings_text
from sqlagent.prompts.rendering.failures import shown_failure
from sqlagent.prompts.rendering.fencing import one_line
from sqlagent.prompts.rendering.masking import UNREADABLE_SQL, ShownText, candidate_sql, shown_words
from sqlagent.sql.differences import differences
from sqlagent.values import Execution, Finding, LinkedSchema, Question, Ranking, Verdict

FAILURES = 2
"""Kinds of faults told, most frequent first, each with one statement."""

SQL_CHARS = 1_500
"""Characters of a failed statement told; most have under 500."""

DECLINED = 2
"""Reasons told why attempts called the question unanswerable."""


def feedback_lines(
    verdict: Verdict,
    ranking: Ranking,
    pool: Sequence[Execution],
    declined: Sequence[str],
    question: Question,
    linked: LinkedSchema,
    privacy: str,
    findings: Sequence[Finding] = (),
) -> tuple[ShownText, ...]:
    """List what the next wave is told: how the largest groups differ, what the data say of it (`findings`), guesses of the auditor, faults, refusals to answer.

    Every line is as a language model may see it. People are shown `verdict.unmet`, with the database's own words.
    """
    lines = [
        *_disagreement(ranking, question, linked, privacy),
        *_said_by_data(findings, ranking, question, linked, privacy),
        *_emptiness(ranking),
        *(
            f"a reviewer's guess: {shown_words(line, question, linked, privacy)}"
            for line in verdict.unmet
            if line not in verdict.complaints
        ),
        *_faults(pool, question, linked, privacy),
        *declined_lines(declined),
    ]
    return tuple(ShownText(line) for line in dict.fromkeys(lines))


def check_lines(problems: Sequence[str]) -> tuple[str, ...]:
    """Say what automatic checks found where every attempt agreed.

    Example:
        >>> check_lines(["no rows came back"])
        ('every attempt gave one answer; an automatic check, which may be wrong, says of it: no rows came back',)
    """
    return tuple(
        f"every attempt gave one answer; an automatic check, which may be wrong, says of it: {problem}"
        for problem in problems
    )


def declined_lines(declined: Sequence[str]) -> tuple[str, ...]:
    """Say how many attempts called the question unanswerable, and what they missed.

    Example:
        >>> declined_lines(["no weather", "no weather"])
        ('2 attempts said that the question is unanswerable, for want of: no weather',)
    """
    return tuple(
        f"{count} attempt{'s' * (count > 1)} said that the question is unanswerable, for want of: {one_line(missing, 200)}"
        for missing, count in Counter(declined).most_common(DECLINED)
    )


def _disagreement(ranking: Ranking, question: Question, linked: LinkedSchema, privacy: str) -> list[str]:
    """Say in which clauses the best members of the two best groups differ."""
    if len(ranking.groups) < 2:
        return []
    one, two = ranking.groups[:2]
    first, second = (candidate_sql(r.representative, question, linked, privacy) for r in (one, two))
    found = differences(first, second, linked.full)
    if not found:
        return []
    # curly quotes, as a model's own words have: the SQL shown holds nothing that it may not see
    told = re.sub(r"'((?:[^']|'')*)'", "“\\1”", one_line("; ".join(found), 900))
    rows = " against ".join(_rows(r.group.rows.rows, r.group.rows.truncated) for r in (one, two))
    size = one.group.size
    return [f"{size} attempt{'s' * (size > 1)} and {two.group.size} disagree: {told}; result: {rows}"]


def _said_by_data(
    findings: Sequence[Finding], ranking: Ranking, question: Question, linked: LinkedSchema, privacy: str
) -> list[str]:
    members = [ranked.representative for ranked in ranking.groups[:2]]
    text = findings_text(findings, members, question, linked, privacy)
    return [f"the data: {line.removeprefix('- ')}" for line in text.splitlines()]


def _rows(rows: Sequence[object], is_cut: bool) -> str:
    return f"{'more than ' * is_cut}{len(rows)} row{'s' * (len(rows) != 1)}" if rows else "no rows"


def _emptiness(ranking: Ranking) -> list[str]:
    groups = [ranked.group for ranked in ranking.groups]
    if not groups or any(group.status not in ("empty", "all_null") for group in groups):
        return []
    return [
        "every attempt that ran found nothing: a value may be spelled otherwise or a join may not match; if neither, no such rows exist, and the SQL is right as it is"
    ]


def _faults(pool: Sequence[Execution], question: Question, linked: LinkedSchema, privacy: str) -> list[str]:
    """Tell the most frequent faults, each with the statement, in which the place of the fault can be counted."""
    told: dict[str, list[Execution]] = {}
    for execution in pool:
        if execution.failure is not None:
            told.setdefault(shown_failure(execution, question, linked, privacy), []).append(execution)
    lines = []
    for fault, failed in sorted(told.items(), key=lambda item: -len(item[1]))[:FAILURES]:
        sql = candidate_sql(failed[0], question, linked, privacy)
        is_shown = sql != UNREADABLE_SQL and len(sql) <= SQL_CHARS
        lines.append(f"did not run: {fault}" + (f"\n<sql>\n{sql}\n</sql>" if is_shown else ""))
    return lines
