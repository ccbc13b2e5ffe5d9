"""States, numbers and times in the words of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mirror.asking.models import Run, Version
from mirror.phrases import counted, one_line, plain_number
from mirror.work.leases import Status

PRIVACY = {
    "schema": "schema only",
    "masked": "masked samples",
    "rows": "rows",
}
PRIVACY_MEANING = {
    "schema": "Names, types and comments of tables and columns may reach a language model; no stored value.",
    "masked": "Names and masked sample values may reach a language model.",
    "rows": "Names and stored rows may reach a language model.",
}


_READ_AS = re.compile(r"'(.+?)' -> (.+)", re.DOTALL)


def noted(note: str) -> str:
    """A candidate's note as a page says it.

    Example:
        >>> noted("'heaviest' -> ORDER BY weight DESC"), noted("Wrote x -> 1")
        ('“heaviest” → ORDER BY weight DESC', 'Wrote x -> 1')
    """
    found = _READ_AS.fullmatch(note)
    return f"“{found[1]}” → {found[2]}" if found else note


# Of a hint that is not used so many parts are told, so much of each.
UNUSED_PARTS, UNUSED_CHARS = 4, 160


def hint_unused(parts: Sequence[str]) -> str:
    """What of a hint an answer does without, in a sentence; empty where it uses all of it.

    Example:
        >>> hint_unused(["whales are big", "tall = height > 3"])
        'Not used of the hint: “whales are big”, “tall = height > 3”.'
    """
    if not parts:
        return ""
    told = ", ".join(f"“{one_line(part, UNUSED_CHARS)}”" for part in parts[:UNUSED_PARTS])
    more = len(parts) - UNUSED_PARTS
    return f"Not used of the hint: {told}{f' and {more} more' if more > 0 else ''}."


def sure(confidence: float | None) -> str:
    """A confidence in words.

    Example:
        >>> sure(0.95), sure(0.7), sure(0.5), sure(0.1)
        ('very sure', 'fairly sure', 'unsure', 'a guess')
    """
    if confidence is None:
        return ""
    if confidence >= 0.9:
        return "very sure"
    if confidence >= 0.65:
        return "fairly sure"
    return "unsure" if confidence >= 0.35 else "a guess"


def spent(usage: Mapping[str, Any]) -> str:
    """What a run cost in calls, tokens and, where prices are known, money; empty where no language model was asked.

    Example:
        >>> spent({"calls": 3, "prompt_tokens": 8000, "completion_tokens": 132, "cached_tokens": 5120})
        '3 calls, 8,132 tokens, of these 5,120 from the server’s cache'
        >>> spent({"calls": 1, "prompt_tokens": 9, "completion_tokens": 1, "money": 0.00123, "currency": "EUR"})
        '1 call, 10 tokens, 0.0012 EUR'
        >>> spent({"calls": 2, "prompt_tokens": 1800, "completion_tokens": 9, "estimated_tokens": 900})
        '2 calls, 1,809 tokens, of these about 900 estimated'
    """
    if not usage.get("calls"):
        return ""
    tokens = usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
    parts = [counted(usage["calls"], "call"), counted(tokens, "token")]
    if cached := usage.get("cached_tokens"):
        parts.append(f"of these {cached:,} from the server’s cache")
    if estimated := usage.get("estimated_tokens"):
        parts.append(f"of these about {estimated:,} estimated")
    if money := usage.get("money"):
        parts.append(f"{plain_number(money, 2)} {usage.get('currency', '')}".strip())
    return ", ".join(parts)


def percent(share: float | None) -> int | None:
    """A share as whole percent; certainty is never claimed, nor is impossibility."""
    return None if share is None else min(99, max(1, round(share * 100)))


def state_of(run: Run) -> str:
    """The one word a badge is made from: queued, running, stopped, or the outcome.

    A run of saved SQL asks no question and has no outcome of its own.
    """
    if run.status == Status.QUEUED:
        return "queued"
    if run.status == Status.RUNNING:
        return "running"
    return "stopped" if run.stop_requested and run.outcome == "failed" else run.outcome


def mark_of(run: Run, newest: Version | None) -> str:
    """The word of a run in a list: its state, or of SQL without a question what became of it where it gave no rows."""
    state = state_of(run)
    if state or newest is None:
        return state
    became = version_state(newest)
    return became if became in ("queued", "running", "refused", "stopped", "failed") else ""


def version_state(version: Version) -> str:
    """The one word for a version: queued, running, ok, empty, cut, expired, refused, stopped or failed."""
    if version.status != Status.DONE:
        return str(version.status)
    if version.failure:
        kind = str(version.failure.get("kind", ""))
        return {"refused": "refused", "cancelled": "stopped"}.get(kind, "failed")
    if version.result is None:
        return "expired"
    if version.result.truncated:
        return "cut"
    return "ok" if version.result.row_count else "empty"


def seconds_between(start: datetime | None, end: datetime | None) -> float:
    """Seconds from one moment to another; 0 when either is not known."""
    return (end - start).total_seconds() if start and end else 0.0
