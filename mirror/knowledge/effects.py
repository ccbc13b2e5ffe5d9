"""Effects of a change of terms on answers: each question that says one is answered with and without it, side by side.

By the built-in analyst and generator alone: no language model is asked. Verified answers are not used, so that one of them says
which of the two is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from threading import Event as Flag
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.conf import settings

from mirror.llms.budgets import uses_keep
from mirror.llms.opening import llms_open
from mirror.llms.standing import opened_troubles_keep
from mirror.results.cells import json_cell
from mirror.sources.guarding import policy_of
from mirror.sources.index_services import source_index
from sqlagent import pipeline
from sqlagent.catalog.glossary.mentions import explained
from sqlagent.events import Ended
from sqlagent.method import grouping
from sqlagent.values import Answer, Budget, Knowledge, Limits, Question, Rows, Term, VerifiedAnswer

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.queries.running import OpenedSource
    from sqlagent.catalog.value_index import ValueIndex

SECONDS = 20.0
"""How long all questions of one preview may take; those that are left are told."""

ROWS, SHOWN, COLUMNS = 1_000, 5, 6
"""Rows looked at of an answer, and of these shown, with so many columns."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that a change may concern; `verified` where somebody vouched for its SQL."""

    text: str
    verified: VerifiedAnswer | None = None


@dataclass(frozen=True, slots=True)
class Teller:
    """Answers questions on one opened source: without a language model, unless one is asked for."""

    opened: OpenedSource
    index: ValueIndex | None
    cancelled: Flag

    @classmethod
    def of(cls, opened: OpenedSource, cancelled: Flag | None = None) -> Teller:
        """One for a source that is open."""
        index = source_index(opened.source, opened.catalog, opened.database)
        return cls(opened, index, cancelled or Flag())

    def answer(self, text: str, knowledge: Knowledge) -> Answer:
        """Answer a question with what is known of the source."""
        events = pipeline.answer(
            Question(text),
            database=self.opened.database,
            catalog=self.opened.catalog,
            index=self.index,
            budget=Budget.of("quick", statement_seconds=10.0, rows=ROWS, result_rows=ROWS),
            cancelled=self.cancelled,
            policy=policy_of(self.opened.source),
            knowledge=knowledge,
        )
        return next(event.answer for event in events if isinstance(event, Ended))

    def answer_with_llm(
        self, text: str, knowledge: Knowledge, person: User | None
    ) -> tuple[Answer, str] | None:
        """Answer a question as a run of somebody is, with the source's language models; with which one, and what it used kept for their budgets.

        None where there is no model, or a budget is used up. Raises: LlmRejected for settings that cannot work.
        """
        source = self.opened.source
        llms = llms_open(source, person)
        try:
            if not llms.llms:
                return None
            events = pipeline.answer(
                Question(text),
                database=self.opened.database,
                catalog=self.opened.catalog,
                index=self.index,
                llm=llms.asked(),
                ranker=llms.ranking(),
                budget=Budget.of(
                    settings.LLM_BUDGET,
                    statement_seconds=10.0,
                    rows=ROWS,
                    result_rows=ROWS,
                    drafts=settings.LLM_DRAFTS,
                    money=settings.LLM_MONEY or None,
                    **({"tokens": settings.LLM_TOKENS} if settings.LLM_TOKENS else {}),
                ),
                privacy=source.privacy,
                cancelled=self.cancelled,
                policy=policy_of(source),
                knowledge=knowledge,
            )
            answer = next(event.answer for event in events if isinstance(event, Ended))
            return answer, answer.llm
        finally:
            llms.close()
            opened_troubles_keep(llms)
            uses_keep(llms.all(), person=person, source=source)

    def rows(self, sql: str) -> Rows:
        """Rows of SQL that passed the guard when it was verified. Raises: DatabaseError."""
        return self.opened.database.execute(sql, Limits(seconds=10.0, rows=ROWS))


def effects_of(
    teller: Teller,
    before: tuple[Term, ...],
    after: tuple[Term, ...],
    asked: Sequence[Asked],
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Tell as JSON which questions a change of terms would answer by other SQL or other rows.

    Only questions that say a term that was changed are asked: no other answer can differ.
    """
    changed = tuple(one for one in (*before, *after) if (one in before) != (one in after))
    catalog, began = teller.opened.catalog, monotonic()
    concerned = [one for one in asked if explained(Question(one.text), changed, catalog)[0].mentions]
    lines: list[dict[str, Any]] = []
    left = same = 0
    for one in concerned:
        if monotonic() - began > seconds or teller.cancelled.is_set():
            left += 1
            continue
        was = teller.answer(one.text, Knowledge(before))
        now = teller.answer(one.text, Knowledge(after))
        if _same(was, now):
            same += 1
            continue
        lines.append(
            {
                "question": one.text,
                "by": one.verified.author if one.verified else "",
                "is_verified": one.verified is not None,
                "before": answer_shown(was) | {"is_right": _is_right(teller, was, one)},
                "after": answer_shown(now) | {"is_right": _is_right(teller, now, one)},
            }
        )
    return {"looked": len(asked), "concerned": len(concerned), "same": same, "left": left, "lines": lines}


def is_right(teller: Teller, answer: Answer, verified: VerifiedAnswer) -> bool:
    """Whether an answer has the rows of a verified one, in its order where it has one. Raises: DatabaseError."""
    if answer.rows is None:
        return False
    return _is_same_sql(answer, verified) or is_alike(answer, teller.rows(verified.sql), verified)


def is_alike(answer: Answer, wanted: Rows, verified: VerifiedAnswer) -> bool:
    """Whether an answer has these rows of a verified one, in its order where it has one."""
    if answer.rows is None or _is_same_sql(answer, verified):
        return answer.rows is not None
    ordered = grouping.asks_order(Question(verified.question))
    return grouping.fingerprint(answer.rows, ordered) == grouping.fingerprint(wanted, ordered)


def _is_same_sql(answer: Answer, verified: VerifiedAnswer) -> bool:
    return " ".join(answer.sql.split()) == " ".join(verified.sql.split())


def _is_right(teller: Teller, answer: Answer, one: Asked) -> bool | None:
    from sqlagent.errors import DatabaseError

    if one.verified is None:
        return None
    try:
        return is_right(teller, answer, one.verified)
    except DatabaseError:
        return None


def _same(was: Answer, now: Answer) -> bool:
    if (was.outcome, was.sql) == (now.outcome, now.sql):
        return True
    if was.outcome != now.outcome or was.rows is None or now.rows is None:
        return False
    return grouping.fingerprint(was.rows, True) == grouping.fingerprint(now.rows, True)


def answer_shown(answer: Answer) -> dict[str, Any]:
    """An answer for a page: outcome, SQL, first rows."""
    plain: dict[str, Any] = {"outcome": str(answer.outcome), "reason": answer.reason, "sql": answer.sql}
    if answer.rows is None:
        return plain
    rows = answer.rows
    return plain | {
        "columns": list(rows.columns[:COLUMNS]),
        "rows": [[[_text(cell), _is_number(cell)] for cell in row[:COLUMNS]] for row in rows.rows[:SHOWN]],
        "more": max(0, len(rows.rows) - SHOWN),
    }


def _is_number(cell: object) -> bool:
    return isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool)


def _text(cell: object) -> str | None:
    plain = json_cell(cell, 60)
    if isinstance(plain, float):
        return f"{plain:,.2f}"
    return None if plain is None else str(plain)


def concerned_terms(terms: tuple[Term, ...], row: Term | None, wish: Term) -> tuple[Term, ...]:
    """The terms with `wish` in place of `row`, or besides."""
    if row is None:
        return (*terms, wish)
    return tuple(wish if one == row else one for one in terms) if row in terms else (*terms, wish)


def without(answers: Sequence[VerifiedAnswer]) -> Iterator[Asked]:
    """Verified answers as questions to ask."""
    return (Asked(one.question, replace(one)) for one in answers)
