"""What every channel says in the same words: subjects, times, sizes, and text made fit for one line."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from mirror.delivery.parcel import Parcel, Section
from mirror.phrases import one_line

# Longer subjects are cut by mail clients, and answers longer than this say nothing more.
SUBJECT_CHARS = 150
ANSWER_CHARS = 300


def subject(parcel: Parcel) -> str:
    """What the parcel is, in one line.

    "Sales" that introduces itself with the word "Failed" gives "Failed: Sales".
    """
    title = one_line(parcel.title) or "Report"
    word = parcel.introduction.subject_word
    return one_line(f"{word}: {title}" if word else title, SUBJECT_CHARS)


def moment_said(at: datetime, zone: str) -> str:
    """Say an instant in a zone.

    Example:
        >>> from datetime import UTC
        >>> moment_said(datetime(2026, 11, 20, 7, 5, tzinfo=UTC), "Europe/Berlin")
        'Friday 20 November 2026, 08:05 (Europe/Berlin)'
    """
    here = at.astimezone(ZoneInfo(zone))
    return f"{here:%A} {here.day} {here:%B %Y, %H:%M} ({zone})"


def rows_said(section: Section, shown: int) -> str:
    """Say how many rows there are and how many are shown."""
    total = f"{section.row_count:,}"
    more = "more than " if section.truncated else ""
    if section.row_count == 0:
        return "No rows"
    if shown < section.row_count or section.truncated:
        return f"First {shown:,} of {more}{total} rows"
    return "1 row" if section.row_count == 1 else f"{total} rows"
