"""Mends a failed statement with a language model, gated on every side.

Decides which failures are worth a call, what the model is told, and which of its mendings is
taken. Ungated, such repair is known to break a third as many statements as it mends
(docs/method.md): so what works is never touched, repair by rule comes first and elsewhere
(`repair`), and a mending counts only when it gives as many columns as before and runs with rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event as Flag

import sqlglot

from sqlagent import prompts
from sqlagent.errors import LlmError
from sqlagent.ports import Llm
from sqlagent.prompts import rendering, replies
from sqlagent.sql import literals
from sqlagent.sql.literals import ODD
from sqlagent.values import (
    Candidate,
    Execution,
    FailureKind,
    LinkedSchema,
    LlmMessage,
    LlmRequest,
    Question,
)

ATTEMPTS = 2
"""Calls for one failed statement at most (docs/method.md, Repair)."""

MENDED = 2
"""Different failed statements of a round that are worth the calls; the others are resampled better."""

ENOUGH = 0.5
"""Where this share of a pool works, what failed would hardly change the vote."""

REPLY_TOKENS = 3_000


def worth_mending(pool: Sequence[Execution]) -> tuple[Execution, ...]:
    """Choose the failures of a pool that are worth calls: few, different, and only where most failed.

    A statement that was cancelled, lost or out of time is not mended: nothing was wrong with its text.
    """
    failed = [e for e in pool if e.failure is not None]
    if not failed or len(failed) <= ENOUGH * len(pool):
        return ()
    curable = [e for e in failed if e.failure and e.failure.kind in (FailureKind.ERROR, FailureKind.REFUSED)]
    return tuple({e.sql: e for e in curable}.values())[:MENDED]


def mend(
    question: Question,
    linked: LinkedSchema,
    failed: Execution,
    run: Callable[[Candidate], Execution],
    llm: Llm,
    *,
    privacy: str = "schema",
    cancelled: Flag | None = None,
) -> Execution:
    """Ask for a mending with what is known of the fault, run it, and ask once more with the new fault.

    Gives the mended execution, or `failed` unchanged when it works already, no mending passes
    the gate, or the model is silent. Costs at most two calls. Raises: Cancelled.
    """
    current = failed
    for _ in range(ATTEMPTS):
        if current.failure is None:
            break
        try:
            reply = llm.complete(_request(question, linked, current, privacy), cancelled)
        except LlmError:
            return failed
        sql = replies.sql_in(reply.text)
        if not sql or not keeps_columns(current.sql, sql, linked.full.dialect):
            return failed
        bound = sql if privacy == "rows" else literals.bind(sql, question, linked)
        words = rendering.one_line(current.failure.message, 120)
        notes = (*failed.candidate.notes, f"mended after: {words}")
        candidate = replace(failed.candidate, sql=bound, written=sql, notes=notes, llm=reply.llm)
        current = run(candidate)
        if current.status in ("ok", "truncated"):
            return current
    return failed


def keeps_columns(before: str, after: str, dialect: str) -> bool:
    """Tell whether a mending is another text that gives as many columns as before, as far as can be read.

    Example:
        >>> keeps_columns("SELECT nme FROM city", "SELECT name FROM city", "sqlite")
        True
        >>> keeps_columns("SELECT nme FROM city", "SELECT id, name FROM city", "sqlite")
        False
    """
    if " ".join(before.split()) == " ".join(after.split()):
        return False
    widths = []
    for sql in (before, after):
        try:
            tree = sqlglot.parse_one(sql, dialect=dialect)
        except ODD:
            return True
        selects = getattr(tree, "selects", [])
        if any(item.is_star for item in selects):
            return True
        widths.append(len(selects))
    return widths[0] == widths[1]


def _request(question: Question, linked: LinkedSchema, failed: Execution, privacy: str) -> LlmRequest:
    asked = prompts.render(
        "repair",
        sql=rendering.candidate_sql(failed, question, linked, privacy),
        error=rendering.shown_failure(failed, question, linked, privacy),
    )
    task = rendering.task_text(question, linked, privacy)
    return LlmRequest(
        (rendering.system_message(linked, privacy), LlmMessage("user", f"{task}\n\n{asked}")),
        max_tokens=REPLY_TOKENS,
        purpose="repair",
    )
