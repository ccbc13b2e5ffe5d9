"""Verified answers: a question that is the template of one is answered by its SQL, and says who verified it."""

from __future__ import annotations

from collections.abc import Generator

from sqlagent.events import Event, Executed, Noted
from sqlagent.journey.setting import Setting
from sqlagent.makers.analyst.telling import LONG_TITLE
from sqlagent.method import templates
from sqlagent.values import Answer, Candidate, Outcome, Question, Vouched

SURE_OF_VOUCHED = 0.97
"""How many answers of identical templates are right (docs/knowledge.md)."""


def vouched(question: Question, setting: Setting) -> Generator[Event, None, Answer | None]:
    """Answer a question from the verified answers; None where it is no template of one, or its SQL does not run. Raises: Cancelled."""
    verified = setting.knowledge.verified
    found = (
        templates.matched(question, verified, setting.catalog.dialect, setting.index) if verified else None
    )
    if found is None:
        return None
    executor = setting.executor(setting.whole)
    ran = next(iter(executor.run([Candidate(found.sql, "verified")], cancelled=setting.cancelled)))
    yield Executed(0, ran)
    if ran.failure is not None or ran.rows is None:
        why = f": {ran.failure.message}" if ran.failure is not None else "."
        yield Noted(f"A verified answer no longer runs{why}")
        return None
    rows, note = setting.fetched(found.sql, ran.rows)
    return Answer(
        Outcome.ANSWERED,
        question,
        vouched_words(found),
        found.sql,
        rows,
        confidence=SURE_OF_VOUCHED if found.exchanged else 1.0,
        size=1,
        pool=1,
        notes=(note,) if note else (),
        title=_as_title(question.text),
        vouched=found,
    )


def _as_title(text: str) -> str:
    """A question as the title of its verified rows; empty where it is long for one."""
    said = " ".join(text.split()).rstrip(" ?.!")
    return said[:1].upper() + said[1:] if len(said) <= LONG_TITLE else ""


def vouched_words(found: Vouched) -> str:
    """Say who verified an answer, when, and what was exchanged in it."""
    by = f" by {found.answer.author}" if found.answer.author else ""
    when = f" on {found.answer.when}" if found.answer.when else ""
    if not found.exchanged:
        return f"Verified{by}{when}."
    swaps = ", ".join(f"“{one.now}” for “{one.was}”" for one in found.exchanged)
    return f"Verified{by}{when} as “{found.answer.question}”, with {swaps}."
