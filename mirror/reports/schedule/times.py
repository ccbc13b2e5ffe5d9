"""When a report runs: a schedule as a value, and the instants at which it fires.

Recurrences are worked out over naive local time, by dateutil's rules and by cronsim. One rule of ours makes
instants of local times:

- a local time that daylight saving skips runs once, as far after the gap as it lay after the gap's start
  (02:30 is 03:30 then; this is how `zoneinfo` reads it);
- a local time that comes twice runs the first time;
- two local times that are one instant are one run. So a whole day that a zone skipped (Samoa, 30 December 2011)
  adds no run to a daily schedule, while a weekly one that would have been due on it runs a day later.

A month that lacks the day of a monthly or yearly schedule has its run on its last day.

Nothing here knows the store, a report or the time it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from heapq import heappop, heappush
from itertools import islice, pairwise, takewhile
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from cronsim import CronSim
from dateutil import rrule
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from mirror.phrases import joined
from mirror.reports.schedule.checks import (
    CHECKS,
    DAYS,
    FIELDS,
    FIRST_DAY,
    KINDS,
    LAST_DAY,
    MONTHS,
    NTH,
    NTH_WORDS,
    ScheduleError,
    dates_check,
    day_read,
    day_shown,
    yearly_check,
    zone_read,
    zones,
)

__all__ = ["DAYS", "FIELDS", "KINDS", "MONTHS", "NTH", "Schedule", "ScheduleError", "zone_read", "zones"]

# Longer than the longest gap of any zone: Samoa, Kiribati and Kwajalein each skipped 24 hours.
_LONGEST_GAP = timedelta(hours=25)
_RULES = {
    "hourly": rrule.DAILY,
    "daily": rrule.DAILY,
    "weekdays": rrule.WEEKLY,
    "weekly": rrule.WEEKLY,
    "monthly": rrule.MONTHLY,
    "last_day": rrule.MONTHLY,
    "nth_weekday": rrule.MONTHLY,
    "yearly": rrule.YEARLY,
}

Field = TypeVar("Field")


@dataclass(frozen=True, slots=True)
class Schedule:
    """When something runs, in a time zone of its own.

    Of the fields from `time` to `cron` only those that `FIELDS` names for the kind count; others are dropped.
    `every` counts hours from midnight, `days` are keys of `DAYS`, `nth` is a key of `NTH`, `month` counts from 1.
    `starts_on` and `ends_on` are local days and both included.

    Raises: ScheduleError, in plain words, when it cannot be or never fires.

    Example:
        >>> Schedule("weekdays", "Europe/Oslo", time=time(8)).words()
        'Every weekday at 08:00 (Europe/Oslo)'
    """

    kind: str
    zone: str
    time: time | None = None
    every: int | None = None
    minute: int | None = None
    days: tuple[str, ...] = ()
    day: int | None = None
    nth: str | None = None
    month: int | None = None
    cron: str | None = None
    starts_on: date | None = None
    ends_on: date | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise ScheduleError(
                _("“%(kind)s” is no kind of schedule. Known: %(kinds)s.")
                % {"kind": self.kind, "kinds": ", ".join(KINDS)},
                "kind",
            )
        zone_read(self.zone)
        for name, check in CHECKS.items():
            unused = () if name == "days" else None
            kept = check(getattr(self, name)) if name in FIELDS[self.kind] else unused
            object.__setattr__(self, name, kept)
        if self.kind == "yearly":
            yearly_check(_checked(self.month), _checked(self.day))
        dates_check(self.starts_on, self.ends_on)
        if self.starts_on and self.ends_on and next(self._local_times(datetime.min), None) is None:
            said = {"first": day_shown(self.starts_on), "last": day_shown(self.ends_on)}
            raise ScheduleError(_("It never fires between %(first)s and %(last)s.") % said, "ends_on")

    # ------------------------------------------------------------ as JSON

    @classmethod
    def from_json(cls, data: Mapping[str, Any], zone: str | None = None) -> Schedule:
        """Read what `to_json` wrote; `zone` stands in where the data names none.

        Raises: ScheduleError for whatever cannot be a schedule, unknown names among it.

        Example:
            >>> Schedule.from_json({"kind": "last_day", "time": "18:30", "zone": "UTC"}).words()
            'On the last day of every month at 18:30 (UTC)'
        """
        if not isinstance(data, Mapping):
            raise ScheduleError(_("A schedule is an object with a kind."))
        known = set(cls.__dataclass_fields__)
        unknown = [str(name) for name in data if name not in known]
        if unknown:
            raise ScheduleError(
                _("A schedule has no “%(unknown)s”. Known: %(known)s.")
                % {"unknown": unknown[0], "known": ", ".join(sorted(known))}
            )
        if not data.get("kind"):
            raise ScheduleError(_("Choose how often it runs."), "kind")
        read: dict[str, Any] = {**data, "zone": data.get("zone") or zone or ""}
        for name in ("starts_on", "ends_on"):
            read[name] = day_read(read.get(name), name)
        if isinstance(read.get("days"), list):
            read["days"] = tuple(read["days"])
        return cls(**read)

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON that `from_json` reads: kind, zone and what counts."""
        kept: dict[str, Any] = {"kind": self.kind, "zone": self.zone}
        for name in (*FIELDS[self.kind], "starts_on", "ends_on"):
            value = getattr(self, name)
            if isinstance(value, time):
                kept[name] = f"{value:%H:%M}"
            elif isinstance(value, date):
                kept[name] = value.isoformat()
            elif value is not None:
                kept[name] = list(value) if isinstance(value, tuple) else value
        return kept

    # ------------------------------------------------------------ when

    def next_after(self, instant: datetime) -> datetime | None:
        """Tell the first instant strictly after `instant` at which it fires, in UTC; None when there is none.

        Well under a millisecond, however long ago it started. Raises: ValueError when `instant` has no zone.

        Example:
            >>> noon = Schedule("daily", "Asia/Kathmandu", time=time(12))
            >>> str(noon.next_after(datetime(2026, 11, 20, 12, tzinfo=UTC)))
            '2026-11-21 06:15:00+00:00'
        """
        return next(self._instants(instant), None)

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """Give the instants with `after` < instant <= `until`, rising, each once."""
        return takewhile(lambda instant: instant <= until, self._instants(after))

    def upcoming(self, after: datetime, count: int = 5) -> list[datetime]:
        """List the next instants; fewer where it ends."""
        return list(islice(self._instants(after), count))

    def least_gap(self) -> timedelta:
        """Tell the least time between two of its local times, as though it ran every day. Microseconds.

        Example:
            >>> str(Schedule("cron", "UTC", cron="0,10 8,23 * * 1").least_gap())
            '0:10:00'
            >>> str(Schedule("cron", "UTC", cron="0 8 * * *").least_gap())
            '1 day, 0:00:00'
        """
        if self.cron:
            line = CronSim(self.cron, datetime(2000, 1, 1))
            at = sorted(60 * hour + minute for hour in line.hours for minute in line.minutes)
        elif self.every:
            at = [60 * hour for hour in range(0, 24, self.every)]
        else:
            at = [0]
        around = [*at, at[0] + 24 * 60]
        return timedelta(minutes=min(after - before for before, after in pairwise(around)))

    def _instants(self, after: datetime) -> Iterator[datetime]:
        """Every instant after one, rising, each once.

        Local times rise, their instants need not: what is skipped lands behind what follows the gap. So an
        instant waits until no earlier one can come.
        """
        if after.tzinfo is None:
            raise ValueError("An instant needs a time zone.")
        zone = zone_read(self.zone)
        waiting: list[datetime] = []
        latest = after.astimezone(UTC)
        for local in self._local_times(_local_start(latest, zone)):
            instant, other = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
            heappush(waiting, instant)
            while waiting and waiting[0] <= min(instant, other):
                if (ready := heappop(waiting)) > latest:
                    yield (latest := ready)
        while waiting:
            if (ready := heappop(waiting)) > latest:
                yield (latest := ready)

    def _local_times(self, start: datetime) -> Iterator[datetime]:
        """Naive local times from `start` on, rising, within the days it lives."""
        start = max(start, datetime.combine(self.starts_on or FIRST_DAY, time()))
        end = datetime.combine(self.ends_on or LAST_DAY, time(23, 59))
        if start > end:
            return iter(())
        if self.cron:
            # cronsim looks strictly after what it is given, to the second.
            found: Iterable[datetime] = CronSim(self.cron, start - timedelta(seconds=1))
            return takewhile(lambda local: local <= end, found)
        at = (
            {"byhour": range(0, 24, self.every), "byminute": self.minute}
            if self.every
            else {"byhour": _checked(self.time).hour, "byminute": _checked(self.time).minute}
        )
        return iter(
            rrule.rrule(_RULES[self.kind], dtstart=start, until=end, bysecond=0, **at, **self._by_days())
        )

    def _by_days(self) -> dict[str, Any]:
        """The days of its rule."""
        if self.kind == "weekdays":
            return {"byweekday": range(5)}
        if self.kind == "weekly":
            return {"byweekday": [list(DAYS).index(day) for day in self.days]}
        if self.kind == "nth_weekday":
            nth = NTH[_checked(self.nth)]
            return {"byweekday": [rrule.weekday(list(DAYS).index(day), nth) for day in self.days]}
        if self.kind == "last_day":
            return {"bymonthday": -1}
        if self.kind in ("monthly", "yearly"):
            # The last that there is of the days from the 28th to the one wanted.
            day = _checked(self.day)
            days = {"bymonthday": range(min(day, 28), day + 1), "bysetpos": -1}
            return days if self.month is None else {"bymonth": self.month, **days}
        return {}

    # ------------------------------------------------------------ in words

    def words(self) -> str:
        """Say it in one line: "Every weekday at 08:00 (Europe/Oslo)"."""
        said = f"{self._often()} ({self.zone})"
        if self.starts_on:
            said += ", " + _("from %(day)s") % {"day": day_shown(self.starts_on)}
        if self.ends_on:
            said += ", " + _("until %(day)s") % {"day": day_shown(self.ends_on)}
        return said

    def _often(self) -> str:
        if self.kind == "cron":
            if (get_language() or "en").startswith("en"):
                return f"{CronSim(_checked(self.cron), datetime(2000, 1, 1)).explain()}, by cron {self.cron}"
            return _("By cron %(line)s") % {"line": self.cron}
        if self.kind == "hourly":
            said = {"hours": self.every, "minute": self.minute}
            if self.every == 1:
                return _("Every hour at minute %(minute)s") % said
            return _("Every %(hours)s hours from midnight at minute %(minute)s") % said
        return _("%(days)s at %(time)s") % {"days": self._which_days(), "time": f"{self.time:%H:%M}"}

    def _which_days(self) -> str:
        days = joined([_(DAYS[day]) for day in self.days])
        if self.kind == "weekly":
            return _("Every %(days)s") % {"days": days}
        if self.kind == "nth_weekday":
            nth = _(NTH_WORDS[_checked(self.nth)])
            return _("On the %(nth)s %(days)s of every month") % {"nth": nth, "days": days}
        if self.kind == "monthly":
            day = _checked(self.day)
            words = _("On the %(day)s of every month")
            if day > 28:
                words = _("On the %(day)s of every month, or its last day where that is earlier,")
            return words % {"day": _ordinal(day)}
        if self.kind == "yearly":
            day, month = _checked(self.day), _checked(self.month)
            words = _("Every year on %(day)s %(month)s")
            if (month, day) == (2, 29):
                words = _("Every year on %(day)s %(month)s (28 in other years)")
            return words % {"day": day, "month": _(MONTHS[month - 1])}
        return {
            "daily": _("Every day"),
            "weekdays": _("Every weekday"),
            "last_day": _("On the last day of every month"),
        }[self.kind]


def _checked(value: Field | None) -> Field:
    """Take a field that `FIELDS` names for the kind: it was checked when the schedule was made."""
    assert value is not None
    return value


def _local_start(after: datetime, zone: ZoneInfo) -> datetime:
    """A naive local time such that none at or before it fires later than `after`.

    Usually the local time itself; within a day after a gap that gap's length earlier, since what was skipped is
    still to come.
    """
    first, last = (datetime.combine(day, time(), UTC) for day in (FIRST_DAY, LAST_DAY))
    after = min(max(after, first), last + timedelta(days=2))
    moments = (after, after - _LONGEST_GAP)
    return after.replace(tzinfo=None) + min(
        moment.astimezone(zone).utcoffset() or timedelta() for moment in moments
    )


# ---------------------------------------------------------------- words


def _ordinal(number: int) -> str:
    if not (get_language() or "en").startswith("en"):
        return f"{number}."
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
