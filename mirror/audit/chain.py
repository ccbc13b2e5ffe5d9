"""The hash chain of a day: what is hashed of a row, and whether rows still are what they were."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC
from typing import Any

from mirror.audit.models import AuditDay, AuditRow

FIELDS = ("who_id", "who", "token", "verb", "kind", "thing_id", "thing", "origin", "outcome", "details")


def told(row: AuditRow) -> dict[str, Any]:
    """A row as JSON can hold it, without its hash."""
    return {
        "day": f"{row.day:%Y-%m-%d}",
        "number": row.number,
        "at": row.at.astimezone(UTC).isoformat(timespec="microseconds"),
        **{name: getattr(row, name) for name in FIELDS},
    }


def row_hash(row: AuditRow, before: str) -> str:
    """The hash of a row after the one whose hash is `before`."""
    text = json.dumps(told(row), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


def chain_faults() -> Iterator[str]:
    """Say what is wrong with the rows that are kept; nothing when each is what it was when it was written.

    Of somebody who may write to the store and knows this code it is no proof: then hold it against a hash that was kept
    elsewhere (`manage.py audit --json-lines` gives it with each row).
    """
    earlier: AuditDay | None = None
    for day in AuditDay.objects.order_by("day"):
        if earlier is not None and day.before != earlier.last:
            yield f"{day}: the day before ({earlier}) does not end as it did."
        yield from _day_faults(day)
        earlier = day
    known = AuditDay.objects.values("day")
    for lost in (
        AuditRow.objects.exclude(day__in=known).order_by("day").values_list("day", flat=True).distinct()
    ):
        yield f"{lost}: rows of a day that has no chain."


def _day_faults(day: AuditDay) -> Iterator[str]:
    before, number = day.before, 0
    for row in AuditRow.objects.filter(day=day.day).order_by("number").iterator(chunk_size=2_000):
        number += 1
        if row.number != number:
            yield f"{day}: row {number} is missing."
            return
        if row.hash != row_hash(row, before):
            yield f"{day}: row {number} is not what it was."
            return
        before = row.hash
    if number != day.count or before != day.last:
        yield f"{day}: it ends with row {number} of {day.count}."
