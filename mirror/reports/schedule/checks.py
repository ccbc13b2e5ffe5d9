"""The check of schedules: their kinds, their fields, and refusals in plain words."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from rapidfuzz import fuzz, process, utils

KINDS = {
    "hourly": gettext_noop("Every so many hours"),
    "daily": gettext_noop("Every day"),
    "weekdays": gettext_noop("Monday to Friday"),
    "weekly": gettext_noop("Chosen days of the week"),
    "monthly": gettext_noop("A day of the month"),
    "last_day": gettext_noop("The last day of the month"),
    "nth_weekday": gettext_noop("A weekday of the month, such as the first Monday"),
    "yearly": gettext_noop("Once a year"),
    "cron": gettext_noop("A cron line"),
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
    "mon": gettext_noop("Monday"),
    "tue": gettext_noop("Tuesday"),
    "wed": gettext_noop("Wednesday"),
    "thu": gettext_noop("Thursday"),
    "fri": gettext_noop("Friday"),
    "sat": gettext_noop("Saturday"),
    "sun": gettext_noop("Sunday"),
}
NTH_WORDS = {
    "first": gettext_noop("first"),
    "second": gettext_noop("second"),
    "third": gettext_noop("third"),
    "fourth": gettext_noop("fourth"),
    "last": gettext_noop("last"),
}
NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_MONTHS = "January February March April May June July August September October November December"
MONTHS = tuple(_MONTHS.split())

# Schedules live between these days: far enough for any report, near enough that every search ends.
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2199, 12, 31)
_LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_CRON_FIELDS = {
    "minute": gettext_noop("0 to 59"),
    "hour": gettext_noop("0 to 23"),
    "day-of-month": gettext_noop("1 to 31, L for the last, in a month that has it"),
    "month": gettext_noop("1 to 12, or JAN to DEC"),
    "day-of-week": gettext_noop("0 to 7, or SUN to SAT; 5L is the last Friday, MON#1 the first Monday"),
}

_CRON_NAMES = {
    "minute": gettext_noop("minute"),
    "hour": gettext_noop("hour"),
    "day-of-month": gettext_noop("day of month"),
    "month": gettext_noop("month"),
    "day-of-week": gettext_noop("day of week"),
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
        raise ScheduleError(_("Choose a time zone, such as Europe/Oslo."), "zone")
    if not isinstance(name, str) or name not in zones():
        close = process.extract(
            str(name)[:60],
            zones(),
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=1,
            score_cutoff=75,
        )
        words = _("“%(zone)s” is no time zone. Write it as Europe/Oslo is written.")
        if close:
            words = _("“%(zone)s” is no time zone. Did you mean %(close)s?")
        raise ScheduleError(words % {"zone": str(name)[:60], "close": close[0][0] if close else ""}, "zone")
    return ZoneInfo(name)


# ---------------------------------------------------------------- reading and checking


def time_read(typed: Any) -> time:
    """Read a time of day, HH:MM. Raises: ScheduleError."""
    found = (
        re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", typed.strip()) if isinstance(typed, str) else None
    )
    if not found:
        words = _("It needs a time of day. Write it as 08:00.")
        if typed:
            words = _("“%(typed)s” is no time of day. Write it as 08:00.") % {"typed": str(typed)[:20]}
        raise ScheduleError(words, "time")
    return time(int(found[1]), int(found[2]))


def day_read(typed: Any, field: str) -> date | None:
    """Read a date, or that there is none. Raises: ScheduleError."""
    if typed in (None, ""):
        return None
    try:
        return date.fromisoformat(typed)
    except (TypeError, ValueError):
        raise ScheduleError(
            _("“%(typed)s” is not a date like 2026-02-28.") % {"typed": str(typed)[:20]}, field
        ) from None


def _time_check(value: Any) -> time:
    if not isinstance(value, time):
        return time_read(value)
    if value.tzinfo or value.second or value.microsecond:
        raise ScheduleError(
            _("A time of day has hours and minutes, and takes its zone from the schedule."), "time"
        )
    return value


def _number_check(field: str, low: int, high: int, what: str) -> Any:
    """Make the check of a whole number within bounds."""

    def check(value: Any) -> int:
        if value is None:
            raise ScheduleError(
                _("It needs %(what)s: %(low)s to %(high)s.") % {"what": _(what), "low": low, "high": high},
                field,
            )
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            said = {"value": str(value)[:20], "what": _(what), "low": low, "high": high}
            raise ScheduleError(_("“%(value)s” cannot be %(what)s: %(low)s to %(high)s.") % said, field)
        return value

    return check


def _days_check(value: Any) -> tuple[str, ...]:
    if not value:
        raise ScheduleError(_("Choose at least one day of the week."), "days")
    if not isinstance(value, tuple):
        raise ScheduleError(_("Days of the week are a list."), "days")
    for day in value:
        if not isinstance(day, str) or day not in DAYS:
            raise ScheduleError(
                _("“%(day)s” is no day of the week. Known: %(days)s.")
                % {"day": str(day)[:20], "days": ", ".join(DAYS)},
                "days",
            )
    return tuple(day for day in DAYS if day in value)


def _nth_check(value: Any) -> str:
    if not isinstance(value, str) or value not in NTH:
        words = _("Choose which of the month: %(known)s.") % {"known": ", ".join(NTH)}
        if value:
            words = _("“%(value)s” is not one of them.") % {"value": str(value)[:20]} + f" {words}"
        raise ScheduleError(words, "nth")
    return value


def _cron_check(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ScheduleError(_("Write a cron line, such as 0 8 * * 1-5."), "cron")
    if len(value) > 200:
        raise ScheduleError(_("A cron line has at most 200 characters."), "cron")
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
            _(
                "A cron line has five fields: minute, hour, day of the month, month, day of the week; this has %(fields)s."
            )
            % {"fields": fields},
            "cron",
        )
    try:
        fires = next(CronSim(line, datetime(2000, 1, 1)), None)
    except CronSimError as error:
        name = str(error).removeprefix("Bad ")
        raise ScheduleError(
            _("The %(field)s of “%(line)s” cannot be: %(bounds)s.")
            % {"field": _(_CRON_NAMES[name]), "line": line, "bounds": _(_CRON_FIELDS[name])},
            "cron",
        ) from None
    if fires is None:
        raise ScheduleError(_("“%(line)s” never fires.") % {"line": line}, "cron")


CHECKS = {
    "time": _time_check,
    "every": _number_check("every", 1, 23, gettext_noop("the hours between two runs")),
    "minute": _number_check("minute", 0, 59, gettext_noop("the minute")),
    "days": _days_check,
    "day": _number_check("day", 1, 31, gettext_noop("the day of the month")),
    "nth": _nth_check,
    "month": _number_check("month", 1, 12, gettext_noop("the month")),
    "cron": _cron_check,
}


def dates_check(starts_on: date | None, ends_on: date | None) -> None:
    """Refuse days that cannot be, or come in the wrong order. Raises: ScheduleError."""
    for name, day in (("starts_on", starts_on), ("ends_on", ends_on)):
        if day is None:
            continue
        if not isinstance(day, date) or isinstance(day, datetime):
            raise ScheduleError(_("“%(day)s” is not a date.") % {"day": str(day)[:20]}, name)
        if not FIRST_DAY <= day <= LAST_DAY:
            raise ScheduleError(_("%(day)s is too far away: 1970 to 2199.") % {"day": day_shown(day)}, name)
    if starts_on and ends_on and ends_on < starts_on:
        message = _("It would end on %(ends_on)s, before it starts on %(starts_on)s.") % {
            "ends_on": day_shown(ends_on),
            "starts_on": day_shown(starts_on),
        }
        raise ScheduleError(message, "ends_on")


def yearly_check(month: int, day: int) -> None:
    """Refuse a day that no year has. Raises: ScheduleError."""
    if day > _LONGEST_MONTHS[month - 1]:
        raise ScheduleError(
            _("%(day)s %(month)s never comes.") % {"day": day, "month": _(MONTHS[month - 1])}, "day"
        )


def day_shown(day: date) -> str:
    """Write a day as people do: 3 March 2027."""
    return date_format(day, _("j F Y"))
