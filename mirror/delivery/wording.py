"""What every channel says in the same words: subjects, times, sizes, and text made fit for one line."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from mirror.delivery.parcel import Parcel, Section
from mirror.phrases import one_line

# How a subject begins, by what the parcel is about.
BEGINNINGS = {
    "report": "",
    "alert": "Alert: ",
    "recovered": "Recovered: ",
    "test": "Test: ",
    "failed": "Failed: ",
    "paused": "Paused: ",
    "handed": "Yours now: ",
    "consent": "Please confirm: ",
    "quota": "Quota met: ",
}

# Longer subjects are cut by mail clients, and answers longer than this say nothing more.
SUBJECT_CHARS = 150
ANSWER_CHARS = 300

# What turns the direction of a line, or hides: tricks in a subject or a file name. Joiners of emoji stay.
_HIDING = frozenset("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")


def subject(parcel: Parcel) -> str:
    """What the parcel is, in one line.

    A failed run of "Sales" gives "Failed: Sales".
    """
    title = one_line(parcel.title) or "Report"
    return one_line(BEGINNINGS.get(parcel.about, "") + title, SUBJECT_CHARS)


def moment(at: datetime, zone: str) -> str:
    """Say an instant in a zone.

    Example:
        >>> from datetime import UTC
        >>> moment(datetime(2026, 11, 20, 7, 5, tzinfo=UTC), "Europe/Berlin")
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
