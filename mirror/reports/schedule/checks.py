"""What a schedule may say: the kinds there are, their fields, and refusals in plain words."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError
from rapidfuzz import fuzz, process, utils

KINDS = {
    "hourly": "Every so many hours",
    "daily": "Every day",
    "weekdays": "Monday to Friday",
    "weekly": "Chosen days of the week",
    "monthly": "A day of the month",
    "last_day": "The last day of the month",
    "nth_weekday": "A weekday of the month, such as the first Monday",
    "yearly": "Once a year",
    "cron": "A cron line",
}
FIELDS = {
    "hourly": ("every", "minute"),
    "daily": ("time",),
    "weekdays": ("time",),
    "weekly": ("days", "time"),
    "monthly": ("day", "time"),
    "last_day": ("time",),
    "nth_weekday": ("nth", "days", "time"),
    "yearly": ("month", "day", "time"),
    "cron": ("cron",),
}
DAYS = {
    "mon": "Monday",
    "tue": "Tuesday",
    "wed": "Wednesday",
    "thu": "Thursday",
    "fri": "Friday",
    "sat": "Saturday",
    "sun": "Sunday",
}
NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_MONTHS = "January February March April May June July August September October November December"
MONTHS = tuple(_MONTHS.split())

# Schedules live between these days: far enough for any report, near enough that every search ends.
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2199, 12, 31)
_LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_CRON_FIELDS = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day-of-month": "1 to 31, L for the last, in a month that has it",
    "month": "1 to 12, or JAN to DEC",
    "day-of-week": "0 to 7, or SUN to SAT; 5L is the last Friday, MON#1 the first Monday",
}


class ScheduleError(ValueError):
    """A schedule cannot be; the message is fit to be shown, `field` says beside what."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


# ---------------------------------------------------------------- zones


@lru_cache(maxsize=1)
def zones() -> tuple[str, ...]:
    """List the time zones there are, by name."""
    return tuple(sorted(available_timezones() - {"Factory", "localtime"}))


def zone_read(name: str) -> ZoneInfo:
    """Find a time zone. Raises: ScheduleError naming close ones.

    Example:
        >>> zone_read("Europe/Olso")
        Traceback (most recent call last):
        mirror.reports.schedule.checks.ScheduleError: “Europe/Olso” is no time zone. Did you mean Europe/Oslo?
    """
    if not name:
        raise ScheduleError("Choose a time zone, such as Europe/Oslo.", "zone")
    if not isinstance(name, str) or name not in zones():
        close = process.extract(
            str(name)[:60],
            zones(),
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=1,
            score_cutoff=75,
        )
        advice = f" Did you mean {close[0][0]}?" if close else " Write it as Europe/Oslo is written."
        raise ScheduleError(f"“{str(name)[:60]}” is no time zone.{advice}", "zone")
    return ZoneInfo(name)


# ---------------------------------------------------------------- reading and checking


def time_read(typed: Any) -> time:
    """Read a time of day, HH:MM. Raises: ScheduleError."""
    found = (
        re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", typed.strip()) if isinstance(typed, str) else None
    )
    if not found:
        said = f"“{str(typed)[:20]}” is no time of day. " if typed else "It needs a time of day. "
        raise ScheduleError(f"{said}Write it as 08:00.", "time")
    return time(int(found[1]), int(found[2]))


def day_read(typed: Any, field: str) -> date | None:
    """Read a date, or that there is none. Raises: ScheduleError."""
    if typed in (None, ""):
        return None
    try:
        return date.fromisoformat(typed)
    except (TypeError, ValueError):
        raise ScheduleError(f"“{str(typed)[:20]}” is not a date like 2026-02-28.", field) from None


def _time_check(value: Any) -> time:
    if not isinstance(value, time):
        return time_read(value)
    if value.tzinfo or value.second or value.microsecond:
        raise ScheduleError(
            "A time of day has hours and minutes, and takes its zone from the schedule.", "time"
        )
    return value


def _number_check(field: str, low: int, high: int, what: str) -> Any:
    """Make the check of a whole number within bounds."""

    def check(value: Any) -> int:
        if value is None:
            raise ScheduleError(f"It needs {what}: {low} to {high}.", field)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ScheduleError(f"“{str(value)[:20]}” cannot be {what}: {low} to {high}.", field)
        return value

    return check


def _days_check(value: Any) -> tuple[str, ...]:
    if not value:
        raise ScheduleError("Choose at least one day of the week.", "days")
    if not isinstance(value, tuple):
        raise ScheduleError("Days of the week are a list.", "days")
    for day in value:
        if not isinstance(day, str) or day not in DAYS:
            raise ScheduleError(f"“{str(day)[:20]}” is no day of the week. Known: {', '.join(DAYS)}.", "days")
    return tuple(day for day in DAYS if day in value)


def _nth_check(value: Any) -> str:
    if not isinstance(value, str) or value not in NTH:
        said = f"“{str(value)[:20]}” is not one of them. " if value else ""
        raise ScheduleError(f"{said}Choose which of the month: {', '.join(NTH)}.", "nth")
    return value


def _cron_check(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ScheduleError("Write a cron line, such as 0 8 * * 1-5.", "cron")
    if len(value) > 200:
        raise ScheduleError("A cron line has at most 200 characters.", "cron")
    line = " ".join(value.split())
    _cron_fires(line)
    return line


@lru_cache(maxsize=1_000)
def _cron_fires(line: str) -> None:
    """Refuse a cron line that cannot be read or never fires. At most 20 ms.

    The calendar comes round every 28 years until 2100, so 50 years from 2000 hold every kind of year.
    """
    fields = len(line.split())
    if fields != 5:
        raise ScheduleError(
            f"A cron line has five fields: minute, hour, day of the month, month, day of the week; this has {fields}.",
            "cron",
        )
    try:
        fires = next(CronSim(line, datetime(2000, 1, 1)), None)
    except CronSimError as error:
        name = str(error).removeprefix("Bad ")
        raise ScheduleError(
            f"The {name.replace('-', ' ')} of “{line}” cannot be: {_CRON_FIELDS[name]}.", "cron"
        ) from None
    if fires is None:
        raise ScheduleError(f"“{line}” never fires.", "cron")


CHECKS = {
    "time": _time_check,
    "every": _number_check("every", 1, 23, "the hours between two runs"),
    "minute": _number_check("minute", 0, 59, "the minute"),
    "days": _days_check,
    "day": _number_check("day", 1, 31, "the day of the month"),
    "nth": _nth_check,
    "month": _number_check("month", 1, 12, "the month"),
    "cron": _cron_check,
}


def dates_check(starts_on: date | None, ends_on: date | None) -> None:
    """Refuse days that cannot be, or come in the wrong order. Raises: ScheduleError."""
    for name, day in (("starts_on", starts_on), ("ends_on", ends_on)):
        if day is None:
            continue
        if not isinstance(day, date) or isinstance(day, datetime):
            raise ScheduleError(f"“{str(day)[:20]}” is not a date.", name)
        if not FIRST_DAY <= day <= LAST_DAY:
            raise ScheduleError(f"{day_shown(day)} is too far away: 1970 to 2199.", name)
    if starts_on and ends_on and ends_on < starts_on:
        message = f"It would end on {day_shown(ends_on)}, before it starts on {day_shown(starts_on)}."
        raise ScheduleError(message, "ends_on")


def yearly_check(month: int, day: int) -> None:
    """Refuse a day that no year has. Raises: ScheduleError."""
    if day > _LONGEST_MONTHS[month - 1]:
        raise ScheduleError(f"{day} {MONTHS[month - 1]} never comes.", "day")


def day_shown(day: date) -> str:
    """Write a day as people do: 3 March 2027."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
