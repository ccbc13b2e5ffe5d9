"""SQL that somebody typed in place of a question: run as it is, if the guard lets it through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent import guard
from sqlagent.events import Ended, Event, Executed
from sqlagent.guard import Policy
from sqlagent.journey.setting import Setting
from sqlagent.language.saying import spaced, worded
from sqlagent.values import Answer, Candidate, Catalog, Outcome, Question, Usage

_READS = re.compile(r"[(\s]*(select|with|explain)\b", re.IGNORECASE)
_WRITES = re.compile(
    r"\s*(insert\s+into|delete\s+from|update\s+\S+\s+set|truncate\s+table|(create|drop|alter)\s+table)\b",
    re.IGNORECASE,
)


def typed_sql(question: Question, catalog: Catalog, policy: Policy | None) -> str:
    """Give the statement that somebody typed instead of a question; empty when it is none.

    SQL is what the guard lets through, reads and refuses for a function that it calls, or what
    plainly writes: nobody asks in such words.
    """
    if _WRITES.match(question.text):
        return question.text
    if not _READS.match(question.text):
        return ""
    verdict = guard.check(question.text, catalog, policy or Policy())
    if isinstance(verdict, guard.Passed):
        return verdict.sql
    return question.text if verdict.kind == "function" else ""


def as_typed(sql: str, question: Question, setting: Setting) -> Iterator[Event]:
    """Run what was typed: one candidate, nothing sampled and nothing judged. Raises: Cancelled."""
    executor = setting.executor(setting.whole)
    ran = next(iter(executor.run([Candidate(sql, "typed")], cancelled=setting.cancelled)))
    yield Executed(0, ran)
    usage = Usage(seconds=ran.rows.seconds if ran.rows else 0.0)
    if ran.failure is not None:
        said = spaced(ran.failure.message, ran.failure.advice)
        yield Ended(Answer(Outcome.FAILED, question, said, pool=1, usage=usage))
        return
    rows, note = ran.rows, ""
    if rows is not None and setting.budget.result_rows > setting.budget.rows:
        rows, note = setting.fetched(sql, rows)
    reason = worded("You typed SQL, so it ran as it is.")
    answered = Answer(
        Outcome.ANSWERED, question, reason, sql, rows, confidence=1.0, size=1, pool=1, usage=usage
    )
    yield Ended(replace(answered, notes=(note,) if note else ()))
