"""Corrections by the owner of a source, where it differs from what was derived. Stored, compared and hashed as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Subject(StrEnum):
    """The subject of a correction, and what its `value` and `told` hold.

    Of a table, or of a column where one is named: `name` (told: the name in words), `synonym` (value: the words), `description` (told: what it holds), `hidden`. Of a
    table: `time` (told: the column of its default time). Of a column: `role`, `aggregate`, `unit` (told: which), `label` (value:
    the stored code, told: its label), `points` and `not points` (value: the other table; told: the column it points at).
    Of the source: `zone`, `week`, `year`, `year name`, `today` (told: see `Calendar`).
    """

    NAME = "name"
    SYNONYM = "synonym"
    DESCRIPTION = "description"
    HIDDEN = "hidden"
    TIME = "time"
    ROLE = "role"
    AGGREGATE = "aggregate"
    UNIT = "unit"
    LABEL = "label"
    POINTS = "points"
    NOT_POINTS = "not points"
    ZONE = "zone"
    WEEK = "week"
    YEAR = "year"
    YEAR_NAME = "year name"
    TODAY = "today"


CALENDAR = (Subject.ZONE, Subject.WEEK, Subject.YEAR, Subject.YEAR_NAME, Subject.TODAY)
"""Subjects that are about the source as a whole."""

WEEK_STARTS = {"monday": 0, "sunday": 6, "saturday": 5}
"""First days of a week, as `date.weekday()` counts them."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One thing that the owner of a source says of a table (its `key`) or of a column of it."""

    subject: Subject
    table: str = ""
    column: str = ""
    value: str = ""
    told: str = ""


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a source counts days: its time zone, the first day of its week, the first month of its fiscal year, its today.

    An empty `zone` is that of this process. `week` counts as `date.weekday()` does. A fiscal year is called after the calendar year
    it ends in, or begins in (`year_name`). `today` is `clock`, `data` (the last day with data), or empty: the
    clock's, but the last day with data where that is long ago.
    """

    zone: str = ""
    week: int = 0
    year: int = 1
    year_name: str = "ends"
    today: str = ""


USUAL_CALENDAR = Calendar()

Corrections = tuple[Correction, ...]
"""Those of a source that are in force, in the order they were made."""


def calendar_of(corrections: Corrections) -> Calendar:
    """Give a source's calendar, with the usual where nothing was said, or nothing that can be read.

    Example:
        >>> calendar_of((Correction(Subject.WEEK, told="sunday"), Correction(Subject.YEAR, told="4")))
        Calendar(zone='', week=6, year=4, year_name='ends', today='')
    """
    told = {c.subject: c.told for c in corrections if c.subject in CALENDAR}
    month = told.get(Subject.YEAR, "")
    return Calendar(
        told.get(Subject.ZONE, ""),
        WEEK_STARTS.get(told.get(Subject.WEEK, ""), 0),
        int(month) if month.isdecimal() and 1 <= int(month) <= 12 else 1,
        "begins" if told.get(Subject.YEAR_NAME) == "begins" else "ends",
        told.get(Subject.TODAY, ""),
    )
