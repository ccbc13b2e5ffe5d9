"""Pipeline events as JSON, small enough to keep one a step and to send to a browser.

Decides what of an event its reader needs. Rows are cut to a few with short cells: the
answer's own rows are kept elsewhere, whole.
"""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings

from mirror.results.cells import json_cell, value_kind
from mirror.stored_words import kept_beside, sayings, sayings_of
from sqlagent.events import (
    Audited,
    Checked,
    Ended,
    Event,
    Executed,
    Grouped,
    Linked,
    Noted,
    Ranked,
    Rewritten,
    Sampling,
)
from sqlagent.values import Answer, Execution, Failure, LlmRequest, Reading, Rows

# Rows and characters of a cell in a preview; columns beyond these are counted, not shown.
PREVIEW_ROWS = 3
READING_ROWS = 5
PREVIEW_COLUMNS = 12
PREVIEW_CHARS = 120


class StepWriter:
    """Turns the events of one run into steps; remembers which execution was which."""

    def __init__(self) -> None:
        self._indexes: dict[int, int] = {}
        self._kept: list[Execution] = []

    def step(self, event: Event) -> tuple[str, dict[str, Any]]:
        """The kind and the JSON data of an event."""
        match event:
            case Rewritten(question):
                return "rewritten", {"typed": question.typed, "text": question.text}
            case Linked():
                return "linked", _linked(event)
            case Sampling(round, feedback):
                return "sampling", {"round": round, "feedback": list(feedback)}
            case Executed(index, execution):
                self._remember(index, execution)
                return "executed", {"index": index, **_execution(execution)}
            case Grouped(groups, pool):
                return "grouped", {
                    "pool": pool,
                    "groups": [
                        {"size": g.size, "status": g.status, "members": self._members(g.members)}
                        | rows_preview(g.rows)
                        for g in groups
                    ],
                }
            case Checked(size, problems):
                return "checked", {"size": size, "problems": list(problems), "said": event.said}
            case Ranked():
                return "ranked", self._ranked(event)
            case Audited(verdict):
                return "audited", {
                    "accepted": verdict.accepted,
                    "reason": verdict.reason,
                    "unmet": list(verdict.unmet),
                    **kept_beside(reason=verdict.reason),
                }
            case Noted(message):
                return "noted", {"message": message, **kept_beside(message=message)}
            case Ended(answer):
                return "ended", {"outcome": str(answer.outcome), "reason": answer.reason}

    def _remember(self, index: int, execution: Execution) -> None:
        self._kept.append(execution)
        self._indexes[id(execution)] = index
        self._indexes.setdefault(id(execution.candidate), index)

    def _members(self, members: tuple[Execution, ...]) -> list[int]:
        found = [self._indexes.get(id(m), self._indexes.get(id(m.candidate))) for m in members]
        return sorted(index for index in found if index is not None)

    def _ranked(self, event: Ranked) -> dict[str, Any]:
        ranking = event.ranking
        return {
            "pool": ranking.pool,
            "judged": ranking.judged,
            "tied": ranking.tied,
            "groups": [
                {
                    "size": r.group.size,
                    "members": self._members(r.group.members),
                    "sql": r.representative.sql,
                    "score": round(r.score, 4),
                    "wins": r.list_wins,
                    "utility": round(r.utility, 4),
                    "reasons": list(r.reasons),
                    "saying": {"reasons": sayings_of(r.reasons)},
                    "status": r.group.status,
                }
                | rows_preview(r.group.rows)
                for r in ranking.groups
            ],
        }


def _linked(event: Linked) -> dict[str, Any]:
    linked = event.linked
    return {
        "tables": [table.key for table in linked.catalog.tables],
        "of": len(linked.full.tables),
        "links": [
            {"words": link.words, "table": link.table, "column": link.column, "value": link.value}
            for link in linked.links
        ],
        "values": [
            {"words": m.words, "table": m.column.table, "column": m.column.column, "value": m.value}
            for m in linked.values
        ],
        "unlinked": list(linked.unlinked),
    }


def _execution(execution: Execution) -> dict[str, Any]:
    candidate = execution.candidate
    data: dict[str, Any] = {
        "sql": execution.sql,
        "round": candidate.round,
        "family": candidate.family,
        "notes": list(candidate.notes),
        "saying": {"notes": sayings_of(candidate.notes)},
        "status": execution.status,
    }
    if isinstance(execution.result, Failure):
        return data | {"failure": failure_json(execution.result)}
    return data | rows_preview(execution.result)


def rows_preview(rows: Rows, count: int = PREVIEW_ROWS) -> dict[str, Any]:
    """A few rows as JSON, with what they are cut from."""
    columns = rows.columns[:PREVIEW_COLUMNS]
    first = [row[:PREVIEW_COLUMNS] for row in rows.rows[:count]]
    kinds = [str(kind) for kind in rows.kinds[:PREVIEW_COLUMNS]] or [
        next((value_kind(row[n]) for row in first if row[n] is not None), "text") for n in range(len(columns))
    ]
    return {
        "columns": list(columns),
        "kinds": kinds,
        "rows": [[json_cell(cell, PREVIEW_CHARS) for cell in row] for row in first],
        "row_count": len(rows.rows),
        "column_count": len(rows.columns),
        "truncated": rows.truncated,
        "seconds": round(rows.seconds, 4),
    }


def failure_json(failure: Failure) -> dict[str, Any]:
    """A failure as it is kept with a step or a version."""
    return {
        "kind": str(failure.kind),
        "message": failure.message,
        "position": failure.position,
        "advice": failure.advice,
        **kept_beside(message=failure.message, advice=failure.advice),
    }


def not_kept_json(failure: Failure) -> dict[str, Any]:
    """Give the failure that a version keeps whose rows could not be stored."""
    return failure_json(failure) | {"kind": "unkept"}


def reading_json(reading: Reading) -> dict[str, Any]:
    """Another reading of the question, with its first rows and the frame its SQL was written from."""
    told = {"sql": reading.sql, "difference": reading.difference, "size": reading.size}
    told |= kept_beside(difference=reading.difference)
    return told | {"frame": frame_json(reading.frame)} | rows_preview(reading.rows, READING_ROWS)


def frame_json(frame: str) -> dict[str, Any] | None:
    """A frame as it is kept; None where there is none."""
    return json.loads(frame) if frame else None


def sent_json(request: LlmRequest) -> dict[str, Any]:
    """Give the messages of one call of the language model, word for word."""
    return {
        "purpose": request.purpose,
        "messages": [{"role": message.role, "text": message.text} for message in request.messages],
    }


def known_json(answer: Answer) -> dict[str, Any]:
    """Give the knowledge behind an answer: `terms` that its words say, its template, and answers that are alike."""
    told: dict[str, Any] = {}
    if answer.terms:
        told["terms"] = [
            {
                "words": one.words,
                "phrase": one.term.phrase,
                "means": one.term.description or one.term.body,
                "sql": one.term.body,
                "unit": one.term.unit,
                "by": one.term.author,
                "is_used": one.is_used,
            }
            for one in answer.terms
        ]
    if answer.vouched is not None:
        kept = answer.vouched.answer
        swaps = [{"was": one.was, "now": one.now} for one in answer.vouched.exchanged]
        told["vouched"] = {
            "key": kept.key,
            "question": kept.question,
            "by": kept.author,
            "when": kept.when,
            "exchanged": swaps,
        }
    if answer.near:
        told["near"] = [{"question": one.question, "by": one.author, "when": one.when} for one in answer.near]
    return told


def terms_in_words(known: dict[str, Any]) -> list[str]:
    """The terms of the source that a question says, each as a note."""
    told = []
    for one in known.get("terms", ()):
        means = f"{one['words']} = {one['means']}{', in ' + one['unit'] if one.get('unit') else ''}"
        told.append(
            f"{'' if one['is_used'] else 'Not used: '}{means}{', by ' + one['by'] if one['by'] else ''}"
        )
    return told


def answer_fields(answer: Answer) -> dict[str, Any]:
    """The columns of a run that come from its answer."""
    return {
        "question": answer.question.text,
        "outcome": str(answer.outcome),
        "reason": answer.reason,
        "saying": sayings(reason=answer.reason) | {"notes": sayings_of(answer.notes)},
        "why": str(answer.why),
        "confidence": answer.confidence,
        "agreement_size": answer.size,
        "agreement_pool": answer.pool,
        "readings": [reading_json(reading) for reading in answer.readings],
        "notes": list(answer.notes),
        "unused_hint": list(answer.unused_hint),
        "known": known_json(answer),
        "sent": [sent_json(request) for request in answer.sent],
        "usage": {
            "calls": answer.usage.calls,
            "prompt_tokens": answer.usage.prompt_tokens,
            "completion_tokens": answer.usage.completion_tokens,
            "seconds": round(answer.usage.seconds, 3),
            "cached_tokens": answer.usage.cached_tokens,
            "estimated_tokens": answer.usage.estimated_tokens,
            "money": round(answer.usage.money, 6),
            "currency": settings.LLM_CURRENCY,
            **({"faults": list(answer.faults)} if answer.faults else {}),
        },
    }
