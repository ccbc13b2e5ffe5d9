"""A run as spans of OpenTelemetry, made of its stored steps: what each stage took, and nothing of what was asked or found.

The form is OTLP's JSON, as a collector takes it over HTTP. A run whose caller sent a `traceparent` stands below that caller's span.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import Any

from mirror import VERSION
from mirror.asking.models import Run, Step
from sqlagent.values import Outcome

# Stages, by the kind of step that ends them; steps of one stage that follow each other are one span.
STAGES = {
    "rewritten": "read follow-up",
    "linked": "link",
    "sampling": "begin round",
    "executed": "sample and execute",
    "grouped": "sample and execute",
    "checked": "check",
    "ranked": "rank",
    "audited": "audit",
}
INTERNAL, SERVER, FAILED = 1, 2, 2

_PARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?"
)
CHARS = 55


def traceparent_read(header: str) -> str:
    """Give the part of a `traceparent` header that is kept; empty where it is none (W3C Trace Context, level 1).

    Example:
        >>> traceparent_read("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
        >>> traceparent_read("00-00000000000000000000000000000000-b7ad6b7169203331-01"), traceparent_read("x")
        ('', '')
    """
    return header[:CHARS] if _PARENT.fullmatch(header) else ""


def spans_of(run: Run) -> dict[str, Any] | None:
    """Give the spans of a run that has ended; None where its caller's trace is not sampled, or it never ended."""
    found = _PARENT.fullmatch(run.traceparent)
    if run.ended_at is None or (found is not None and not int(found[3], 16) & 1):
        return None
    trace = found[1] if found is not None else secrets.token_hex(16)
    root = _span(
        trace,
        found[2] if found is not None else "",
        "answer question",
        run.created_at,
        run.ended_at,
        _told(run),
    )
    root["kind"] = SERVER
    if run.outcome == Outcome.FAILED:
        root["status"] = {"code": FAILED}
    spans = [root, *_stages(run, trace, root["spanId"])]
    resource = _attributes({"service.name": "mirror", "service.version": VERSION})
    scope = {"scope": {"name": "mirror", "version": VERSION}, "spans": spans}
    return {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [scope]}]}


def _told(run: Run) -> dict[str, object]:
    usage = run.usage or {}
    return {
        "mirror.run": run.pk,
        "mirror.source": run.thread.source_id,
        "mirror.outcome": run.outcome,
        "mirror.confidence": run.confidence,
        "mirror.attempts": run.attempts,
        "gen_ai.request.model": run.llm,
        "gen_ai.usage.input_tokens": usage.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": usage.get("completion_tokens"),
    }


def _stages(run: Run, trace: str, parent: str) -> Iterator[dict[str, Any]]:
    """A span for the wait, for each stage, and for the end."""
    assert run.ended_at is not None
    at = run.started_at or run.ended_at
    yield _span(trace, parent, "wait for worker", run.created_at, at, {})
    steps = [one for one in run.steps.order_by("number") if one.kind in STAGES]
    for name, held in groupby(steps, key=lambda one: STAGES[one.kind]):
        own = list(held)
        yield _span(trace, parent, name, at, own[-1].at, _counts(own))
        at = own[-1].at
    yield _span(trace, parent, "conclude", at, run.ended_at, {})


def _counts(steps: list[Step]) -> dict[str, object]:
    statements = [one.data for one in steps if one.kind == "executed"]
    if not statements:
        return {}
    failed = sum("failure" in one for one in statements)
    return {"mirror.statements": len(statements), "mirror.statements.failed": failed}


def _span(
    trace: str, parent: str, name: str, begin: datetime, end: datetime, told: Mapping[str, object]
) -> dict[str, Any]:
    return {
        "traceId": trace,
        "spanId": secrets.token_hex(8),
        "parentSpanId": parent,
        "name": name,
        "kind": INTERNAL,
        "startTimeUnixNano": _nanoseconds(begin),
        "endTimeUnixNano": _nanoseconds(max(begin, end)),
        "attributes": _attributes(told),
    }


def _nanoseconds(at: datetime) -> str:
    return str(int(at.timestamp() * 1_000_000) * 1_000)


def _attributes(told: Mapping[str, object]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in told.items() if value not in (None, "")]


def _value(value: object) -> dict[str, object]:
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}
