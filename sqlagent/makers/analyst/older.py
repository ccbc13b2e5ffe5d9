"""Events longer ago than some days: "invoices older than 90 days", "orders open for more than 2 weeks".

The age of a thing that happened is told by its day, so a bound on it is a bound on that day. Years of age stay those of persons.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from sqlagent.catalog.semantics import Kind
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import BORN

_NAMED = 0.2
_DAYS = {"day": 1, "week": 7, "month": 30}
_OLDER = re.compile(
    r"\b(?:(?:that|which) (?:are|were|is|was|have been) )?(?P<open>(?:still )?open |waiting |pending |outstanding )?"
    r"(?P<by>older than|for more than|for over|for longer than|since more than|longer than|more than)"
    r" (?P<number>\d{1,4}) (?P<unit>days?|weeks?|months?)(?: old| ago)?(?=$|[,.;:?)]| (?:by|per|and|with|sorted|count|number|total)\b)",
    re.IGNORECASE,
)


def older(text: str, source: Source, today: date) -> str:
    """Give a question with such an age as the day before which it happened; as it stands where none is told, or of what is born."""
    return _OLDER.sub(lambda found: _before(found, text, source, today), text)


def _before(found: re.Match[str], text: str, source: Source, today: date) -> str:
    state = (found["open"] or "").strip()
    is_older = found["by"].lower().startswith("older")
    if not (state or is_older) or is_older and not _happens(text[: found.start()], source):
        return found[0]
    days = int(found["number"]) * _DAYS[found["unit"].lower().removesuffix("s")]
    return f"{state} before {today - timedelta(days=days)}".strip()


def _happens(before: str, source: Source) -> bool:
    """Whether the noun that a text ends with names rows that happen, and that are not born."""
    words = before.lower().split()
    noun = words[-1].strip(",.") if words else ""
    found = source.vocabulary.targets([noun]) or source.vocabulary.targets(
        [source.vocabulary.mended(noun) or noun]
    )
    tables = {one.table for one in found if one.kind == "thing" and one.cost < _NAMED}
    return any(
        source.model.things[table].kind is Kind.EVENT
        and source.model.things[table].default_time
        and not any(set(one.words) & BORN for one in source.model.fields[table])
        for table in tables
    )
