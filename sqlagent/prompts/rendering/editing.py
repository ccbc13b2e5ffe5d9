"""Failures of verified questions and edits proposed before, as the editor of a source's knowledge may see them.

The words of a question were typed; of its verified SQL and of a wrong answer no literal goes out below `rows` that the question does not say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlagent.prompts.rendering.fencing import one_line
from sqlagent.prompts.rendering.masking import shown_sql
from sqlagent.sql.differences import differences
from sqlagent.values import LinkedSchema, Question

QUESTION_CHARS, SQL_CHARS, LINE_CHARS = 300, 1_200, 400
"""Of one question, of one statement, of one line."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A question with the tables it is about, its verified SQL, and the SQL of a wrong answer, empty where there was none."""

    question: str
    linked: LinkedSchema
    sql: str
    shown: str = ""


def failures_text(failures: Sequence[Failed], privacy: str) -> str:
    """Number failures from 1, each with what the wrong answer says against the verified one, clause by clause."""
    return "\n\n".join(f"[{at}] {_failure(one, privacy)}" for at, one in enumerate(failures, 1))


def _failure(one: Failed, privacy: str) -> str:
    question = Question(one.question)
    right, wrong = (
        shown_sql(sql, question, one.linked, privacy) if sql else "" for sql in (one.sql, one.shown)
    )
    lines = [f"Question: {one_line(one.question, QUESTION_CHARS)}"]
    lines.append(f"Wrong: {one_line(wrong, SQL_CHARS) if wrong else '(no SQL was found)'}")
    lines.append(f"Verified: {one_line(right, SQL_CHARS)}")
    if wrong:
        told = differences(wrong, right, one.linked.full)
        lines += [f"- {one_line(line, LINE_CHARS)}" for line in told]
    return "\n".join(lines)


def tried_text(tried: Iterable[tuple[str, str]]) -> str:
    """A line a proposal: what it was, and what became of it."""
    return "\n".join(
        f"- {one_line(what, LINE_CHARS)} -- {one_line(became, LINE_CHARS)}" for what, became in tried
    )
