"""States, numbers and times in the words of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext_lazy

from mirror.asking.models import Run, Version, headed
from mirror.asking.services.answer_standing import UNKNOWN, AnswerStanding
from mirror.asking.services.departures import CHANGED
from mirror.phrases import counted, one_line, plain_number, quoted
from mirror.stored_words import said_again, translated
from mirror.work.leases import Status

PRIVACY = {
    "schema": gettext_noop("schema only"),
    "masked": gettext_noop("masked samples"),
    "rows": gettext_noop("rows"),
}
PRIVACY_MEANING = {
    "schema": gettext_noop(
        "Names, types and comments of tables and columns may reach a language model; no stored value."
    ),
    "masked": gettext_noop("Names and masked sample values may reach a language model."),
    "rows": gettext_noop("Names and stored rows may reach a language model."),
}

STATES = {
    "queued": gettext_noop("queued"),
    "running": gettext_noop("running"),
    "answered": gettext_noop("answered"),
    "ambiguous": gettext_noop("ambiguous"),
    "unanswerable": gettext_noop("unanswerable"),
    "ok": gettext_noop("ok"),
    "empty": gettext_noop("empty"),
    "cut": gettext_noop("cut"),
    "expired": gettext_noop("expired"),
    "refused": gettext_noop("refused"),
    "stopped": gettext_noop("stopped"),
    "failed": gettext_noop("failed"),
}


def state_said(state: str) -> str:
    """The word of a run or a version in the language of a page."""
    return _(STATES.get(state, state))


def privacy_said(level: str) -> str:
    """The parts of a source that may be sent to a language model, in some words."""
    return _(PRIVACY.get(level, level))


def privacy_meaning(level: str) -> str:
    """The same in a sentence; empty for a level that is not known."""
    return _(PRIVACY_MEANING.get(level, ""))


def departs_said(version: Version) -> str:
    """How the SQL of a version departs from its question, in the language of a page: "changed: only 2025", "edited SQL"."""
    if not version.departs.startswith(CHANGED):
        return translated(version.departs)
    changes = said_again(version.departs.removeprefix(CHANGED), version.saying, "departs")
    return _("changed: %(changes)s") % {"changes": changes}


def heading_said(named: str, version: Version | None, most: int = 0) -> str:
    """The name of a question with how the SQL of a version departs from it, in the language of a page, of `most` characters."""
    return headed(named, version, most, departs_said)


_READ_AS = re.compile(r"'(.+?)' -> (.+)", re.DOTALL)


def noted(note: str) -> str:
    """A candidate's note as a page says it.

    Example:
        >>> noted("'heaviest' -> ORDER BY weight DESC"), noted("Wrote x -> 1")
        ('“heaviest” → ORDER BY weight DESC', 'Wrote x -> 1')
    """
    found = _READ_AS.fullmatch(note)
    return f"{quoted(found[1])} → {found[2]}" if found else note


# Of a hint that is not used so many parts are told, so much of each.
UNUSED_PARTS, UNUSED_CHARS = 4, 160


def hint_unused(parts: Sequence[str]) -> str:
    """The parts of a hint that an answer leaves unused, in a sentence; empty where it uses all of it.

    Example:
        >>> hint_unused(["whales are big", "tall = height > 3"])
        'Not used of the hint: “whales are big”, “tall = height > 3”.'
    """
    if not parts:
        return ""
    told = ", ".join(quoted(one_line(part, UNUSED_CHARS)) for part in parts[:UNUSED_PARTS])
    more = len(parts) - UNUSED_PARTS
    if more > 0:
        words = ngettext(
            "Not used of the hint: %(told)s and %(count)s more.",
            "Not used of the hint: %(told)s and %(count)s more.",
            more,
        )
        return words % {"told": told, "count": more}
    return _("Not used of the hint: %(told)s.") % {"told": told}


def confidence_told(run: Run) -> int | None:
    """How sure the answer is in percent; None where nothing was asked of it, and where several readings are as likely."""
    return percent(run.confidence) if run.agreement_size and run.why != "tied" else None


def sure(confidence: float | None) -> str:
    """A confidence in words.

    Example:
        >>> sure(0.95), sure(0.7), sure(0.5), sure(0.1)
        ('very sure', 'fairly sure', 'unsure', 'a guess')
    """
    if confidence is None:
        return ""
    if confidence >= 0.9:
        return _("very sure")
    if confidence >= 0.65:
        return _("fairly sure")
    return _("unsure") if confidence >= 0.35 else _("a guess")


def spent(usage: Mapping[str, Any]) -> str:
    """The cost of a run in calls, tokens and, where prices are known, money; empty where no language model was asked.

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
        parts.append(_("of these %(count)s from the server’s cache") % {"count": intcomma(cached)})
    if estimated := usage.get("estimated_tokens"):
        parts.append(_("of these about %(count)s estimated") % {"count": intcomma(estimated)})
    if money := usage.get("money"):
        parts.append(f"{plain_number(money, 2)} {usage.get('currency', '')}".strip())
    return ", ".join(parts)


def percent(share: float | None) -> int | None:
    """A share as whole percent; certainty is never claimed, nor is impossibility."""
    return None if share is None else min(99, max(1, round(share * 100)))


def state_of(run: Run, stands: AnswerStanding = UNKNOWN) -> str:
    """The one word a badge is made from: queued, running, stopped, or the outcome. An ambiguous answer that somebody vouches for is answered.

    A run of saved SQL asks no question and has no outcome of its own.
    """
    if run.status == Status.QUEUED:
        return "queued"
    if run.status == Status.RUNNING:
        return "running"
    if stands.is_vouched and run.outcome == "ambiguous":
        return "answered"
    return "stopped" if run.stop_requested and run.outcome == "failed" else run.outcome


def mark_of(run: Run, newest: Version | None, stands: AnswerStanding) -> str:
    """The word of a run in a list: its state, or of SQL without a question what became of it where it gave no rows."""
    state = state_of(run, stands)
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


# Clauses of a statement that `sqlagent` tells in words: here for the catalogs of translations.
_CLAUSES = (
    pgettext_lazy("clause", "As SQL"),
    pgettext_lazy("clause", "At most"),
    pgettext_lazy("clause", "First"),
    pgettext_lazy("clause", "From"),
    pgettext_lazy("clause", "In the order of"),
    pgettext_lazy("clause", "Joined"),
    pgettext_lazy("clause", "Only groups where"),
    pgettext_lazy("clause", "Only rows where"),
    pgettext_lazy("clause", "One row for each"),
    pgettext_lazy("clause", "Shows"),
    pgettext_lazy("clause", "Together"),
)
