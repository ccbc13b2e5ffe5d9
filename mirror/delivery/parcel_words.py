"""Words that all channels share: subjects, times, sizes, and text made fit for one line."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mirror.delivery.parcel import Parcel, Section
from mirror.phrases import one_line
from mirror.queries.values_said import day_in_full

# Longer subjects are cut by mail clients, and answers longer than this say nothing more.
SUBJECT_CHARS = 150
ANSWER_CHARS = 300
VALUES_CHARS = 80
# Data read later than this after their scheduled time are told to be late.
LATE = timedelta(hours=1)


def subject(parcel: Parcel) -> str:
    """Describe the parcel in one line: its word, title, values and the day its data were read. A long title is cut first.

    "Sales" that introduces itself with the word "Failed" gives "Failed: Sales"; of data it gives
    "Sales, 1 to 31 October 2025 (24 November 2026)".
    """
    word = parcel.introduction.subject_word
    begins = f"{word}: " if word else ""
    ends = f", {one_line(parcel.values, VALUES_CHARS)}" if parcel.values else ""
    if parcel.read_at is not None:
        day = parcel.read_at.astimezone(ZoneInfo(parcel.zone))
        ends += f" ({day_in_full(day.date())})"
    title = one_line(parcel.title, SUBJECT_CHARS - len(begins) - len(ends)) or _("Report")
    return one_line(f"{begins}{title}{ends}", SUBJECT_CHARS)


def data_said(parcel: Parcel) -> str:
    """Say when the data were read, and when they should have been where that is another hour; empty without either."""
    planned = parcel.scheduled_for
    if parcel.read_at is None:
        return moment_said(planned, parcel.zone) if planned else ""
    read = moment_said(parcel.read_at, parcel.zone)
    if planned and abs(parcel.read_at - planned) >= LATE:
        due = moment_said(planned, parcel.zone)
        return _("Data of %(read)s; it was due %(due)s") % {"read": read, "due": due}
    return _("Data of %(read)s") % {"read": read}


def moment_said(at: datetime, zone: str) -> str:
    """Say an instant in a zone.

    Example:
        >>> from datetime import UTC
        >>> moment_said(datetime(2026, 11, 20, 7, 5, tzinfo=UTC), "Europe/Berlin")
        'Friday 20 November 2026, 08:05 (Europe/Berlin)'
    """
    here = at.astimezone(ZoneInfo(zone))
    # Translators: a day and a time in the letters of Django's filter "date".
    form = _("l j F Y, H:i")
    return f"{date_format(here, form)} ({zone})"


def rows_said(section: Section, shown: int) -> str:
    """Say how many rows there are and how many are shown."""
    if section.row_count == 0:
        return _("No rows")
    said = {"shown": intcomma(shown), "total": intcomma(section.row_count)}
    if section.truncated:
        return _("First %(shown)s of more than %(total)s rows") % said
    if shown < section.row_count:
        return _("First %(shown)s of %(total)s rows") % said
    return ngettext("%(total)s row", "%(total)s rows", section.row_count) % said
