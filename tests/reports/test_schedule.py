"""When reports run: every kind of schedule, across the clock changes of zones that make it hard."""

from __future__ import annotations

import calendar
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mirror.reports.schedule.times import DAYS, KINDS, NTH, Schedule, ScheduleError

# An hour forward and back in both halves of the year; half an hour; none any more; out of step with the
# seasons; a whole day left out; never.
ZONES = [
    "Europe/Oslo",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Africa/Casablanca",
    "Asia/Tehran",
    "Pacific/Apia",
    "Asia/Kathmandu",
]
OSLO = "Europe/Oslo"
KEYS = tuple(DAYS)


def changes(zone: str) -> list[datetime]:
    """The instants, to the hour, at which a zone's offset changes from 2008 to 2031."""
    place, found = ZoneInfo(zone), []
    day = datetime(2008, 1, 1, tzinfo=UTC)
    while day.year < 2031:
        following = day + timedelta(days=1)
        if day.astimezone(place).utcoffset() != following.astimezone(place).utcoffset():
            hours = (day + timedelta(hours=hour) for hour in range(25))
            found.append(
                next(h for h in hours if h.astimezone(place).utcoffset() != day.astimezone(place).utcoffset())
            )
        day = following
    return found


CHANGES = {zone: changes(zone) or [datetime(2026, 3, 29, 1, tzinfo=UTC)] for zone in ZONES}


@st.composite
def moments(draw, zone: str) -> datetime:
    """An instant near a change of the zone's clocks."""
    near = draw(st.sampled_from(CHANGES[zone]))
    return near + timedelta(minutes=draw(st.one_of(st.integers(-90, 90), st.integers(-4_000, 4_000))))


times = st.one_of(
    st.times().map(lambda t: t.replace(second=0, microsecond=0, fold=0)),
    st.builds(time, st.integers(0, 3), st.sampled_from([0, 15, 30, 45])),
)
days_chosen = st.lists(st.sampled_from(KEYS), min_size=1, unique=True).map(
    lambda days: tuple(d for d in KEYS if d in days)
)
# Cron lines that fire each day, with their hours and minutes, and some that do not.
DAILY_CRONS = {
    "*/20 1-3 * * *": ((1, 2, 3), (0, 20, 40)),
    "5,50 2,4 * * *": ((2, 4), (5, 50)),
    "15 0 * * *": ((0,), (15,)),
    "*/30 * * * *": (range(24), (0, 30)),
    "40 */12 * * *": ((0, 12), (40,)),
}
CRONS = [
    *DAILY_CRONS,
    "7 */5 * * 1-5",
    "30 2 L * *",
    "0 8 LW * *",
    "0 9 1,15 * MON",
    "45 23 * 3,10 7",
    "5 0 * * 5L",
]


@st.composite
def schedules(draw, kinds: tuple[str, ...] = tuple(KINDS), bounded: bool = True) -> Schedule:
    """Any schedule at all, its day and time likely where clocks change."""
    kind, zone = draw(st.sampled_from(kinds)), draw(st.sampled_from(ZONES))
    fields = {
        "hourly": lambda: {"every": draw(st.integers(1, 23)), "minute": draw(st.integers(0, 59))},
        "daily": dict,
        "weekdays": dict,
        "weekly": lambda: {"days": draw(days_chosen)},
        "monthly": lambda: {"day": draw(st.integers(1, 31))},
        "last_day": dict,
        "nth_weekday": lambda: {"days": draw(days_chosen), "nth": draw(st.sampled_from(list(NTH)))},
        "yearly": lambda: {
            "month": (month := draw(st.integers(1, 12))),
            "day": draw(st.integers(1, calendar.monthrange(2024, month)[1])),
        },
        "cron": lambda: {"cron": draw(st.sampled_from(CRONS))},
    }[kind]()
    if kind not in ("hourly", "cron"):
        fields["time"] = draw(times)
    if bounded and draw(st.booleans()):
        first = draw(moments(zone)).date()
        fields["starts_on"] = first
        fields["ends_on"] = first + timedelta(days=draw(st.integers(400, 2_000)))
    return Schedule(kind, zone, **fields)


# ---------------------------------------------------------------- an oracle, by going through the days


def is_due(schedule: Schedule, day: date) -> bool:
    """Whether a local day has a run, by looking at the day alone."""
    if not (schedule.starts_on or day) <= day <= (schedule.ends_on or day):
        return False
    last = calendar.monthrange(day.year, day.month)[1]
    wanted = min(schedule.day or 0, last)
    week = schedule.days and KEYS[day.weekday()] in schedule.days
    if schedule.kind == "nth_weekday":
        number = -1 if schedule.nth == "last" else NTH[schedule.nth]
        return bool(week) and (day.day + 7 > last if number == -1 else (day.day - 1) // 7 + 1 == number)
    return {
        "hourly": True,
        "cron": True,
        "daily": True,
        "weekdays": day.weekday() < 5,
        "weekly": week,
        "monthly": day.day == wanted,
        "last_day": day.day == last,
        "yearly": day.month == schedule.month and day.day == wanted,
    }[schedule.kind]


def expected(schedule: Schedule, after: datetime, until: datetime) -> list[datetime]:
    """The runs by brute force: every due local time, as zoneinfo reads it, each instant once."""
    zone, found = ZoneInfo(schedule.zone), set()
    day = after.date() - timedelta(days=3)
    while day <= until.date() + timedelta(days=3):
        if is_due(schedule, day):
            if schedule.cron:
                hours, minutes = DAILY_CRONS[schedule.cron]
            elif schedule.every:
                hours, minutes = range(0, 24, schedule.every), (schedule.minute,)
            else:
                hours, minutes = (schedule.time.hour,), (schedule.time.minute,)
            clock = (datetime.combine(day, time(h, m), zone) for h in hours for m in minutes)
            found |= {due.astimezone(UTC) for due in clock}
        day += timedelta(days=1)
    return sorted(instant for instant in found if after < instant <= until)


@given(st.data())
def test_runs_are_those_of_a_walk_through_every_day(data):
    schedule = data.draw(schedules().filter(lambda any_: not any_.cron or any_.cron in DAILY_CRONS))
    after = data.draw(moments(schedule.zone))
    until = after + timedelta(days=data.draw(st.integers(0, 420)))
    assert list(schedule.between(after, until)) == expected(schedule, after, until)


# ---------------------------------------------------------------- what holds for every schedule


@given(st.data())
def test_runs_rise_strictly_and_the_next_one_is_the_first_between(data):
    schedule = data.draw(schedules(bounded=data.draw(st.booleans())))
    after = data.draw(moments(schedule.zone))
    runs = schedule.upcoming(after, 30)
    assert all(earlier < later for earlier, later in pairwise([after, *runs]))
    assert all(run.tzinfo is UTC for run in runs)
    # Asked one by one, as the scheduler does, and from any instant in between.
    for earlier, later in pairwise([after, *runs]):
        assert schedule.next_after(earlier) == later
        assert schedule.next_after(later - timedelta(microseconds=1)) == later
    if runs:
        assert list(schedule.between(after, runs[-1])) == runs
        assert list(schedule.between(after, runs[-1] - timedelta(seconds=1))) == runs[:-1]
    else:
        assert schedule.next_after(after) is None


@given(st.data())
def test_no_run_depends_on_where_the_search_began(data):
    schedule = data.draw(schedules())
    after = data.draw(moments(schedule.zone))
    later = after + timedelta(minutes=data.draw(st.integers(1, 6_000)))
    until = later + timedelta(days=40)
    assert [run for run in schedule.between(after, until) if run > later] == list(
        schedule.between(later, until)
    )


@given(st.data())
def test_as_json_and_back_it_is_the_same_and_it_always_has_words(data):
    schedule = data.draw(schedules())
    assert Schedule.from_json(schedule.to_json()) == schedule
    assert schedule.zone in schedule.words()
    assert "None" not in schedule.words()


@given(st.sampled_from(ZONES), times, st.data())
@example("Pacific/Apia", time(8), None)
def test_a_daily_schedule_runs_once_on_every_day_that_there_is(zone, at, data):
    place = ZoneInfo(zone)
    middle = data.draw(st.sampled_from(CHANGES[zone])) if data else datetime(2011, 12, 30, 10, tzinfo=UTC)
    first, last = middle - timedelta(days=10), middle + timedelta(days=10)
    runs = Schedule("daily", zone, time=at).between(first, last)
    seen = Counter(run.astimezone(place).date() for run in runs)
    there_are = {(first + timedelta(hours=hour)).astimezone(place).date() for hour in range(20 * 24)}
    whole = there_are - {first.astimezone(place).date(), last.astimezone(place).date()}
    assert {day: seen[day] for day in whole} == dict.fromkeys(whole, 1)


# ---------------------------------------------------------------- clocks that change, one by one


def local(schedule: Schedule, after: str, count: int) -> list[str]:
    """The next runs after a UTC minute, as clocks on the wall show them."""
    found = schedule.upcoming(datetime.fromisoformat(after).replace(tzinfo=UTC), count)
    return [f"{run.astimezone(ZoneInfo(schedule.zone)):%Y-%m-%d %H:%M %z}" for run in found]


@pytest.mark.parametrize(
    ("zone", "at", "after", "runs"),
    [
        # Skipped: 02:30 is 03:30 once.
        (OSLO, "02:30", "2026-03-28 12:00", ["2026-03-29 03:30 +0200", "2026-03-30 02:30 +0200"]),
        (OSLO, "02:00", "2026-03-28 12:00", ["2026-03-29 03:00 +0200", "2026-03-30 02:00 +0200"]),
        # Twice: the first.
        (OSLO, "02:30", "2026-10-24 12:00", ["2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"]),
        (
            "America/New_York",
            "02:15",
            "2026-03-07 12:00",
            ["2026-03-08 03:15 -0400", "2026-03-09 02:15 -0400"],
        ),
        # Half an hour.
        (
            "Australia/Lord_Howe",
            "02:15",
            "2026-10-03 00:00",
            ["2026-10-04 02:45 +1100", "2026-10-05 02:15 +1100"],
        ),
        (
            "Australia/Lord_Howe",
            "01:45",
            "2026-04-04 00:00",
            ["2026-04-05 01:45 +1100", "2026-04-06 01:45 +1030"],
        ),
        # Midnight itself is skipped, and midnight to one comes twice.
        (
            "America/Sao_Paulo",
            "00:00",
            "2018-11-03 12:00",
            ["2018-11-04 01:00 -0200", "2018-11-05 00:00 -0200"],
        ),
        ("Asia/Tehran", "00:00", "2022-03-21 12:00", ["2022-03-22 01:00 +0430", "2022-03-23 00:00 +0430"]),
        ("Asia/Tehran", "23:30", "2022-09-20 22:00", ["2022-09-21 23:30 +0430", "2022-09-22 23:30 +0330"]),
        # 30 December 2011 never was: it adds nothing.
        ("Pacific/Apia", "08:00", "2011-12-29 00:00", ["2011-12-29 08:00 -1000", "2011-12-31 08:00 +1400"]),
    ],
)
def test_a_daily_time_that_is_skipped_or_comes_twice_runs_once(zone, at, after, runs):
    assert local(Schedule("daily", zone, time=time.fromisoformat(at)), after, 2) == runs


def test_what_was_due_on_the_day_that_samoa_skipped_runs_a_day_later():
    friday = Schedule("weekly", "Pacific/Apia", days=("fri",), time=time(8))
    assert local(friday, "2011-12-24 00:00", 2) == ["2011-12-31 08:00 +1400", "2012-01-06 08:00 +1400"]


def test_an_hourly_schedule_runs_once_for_a_skipped_and_once_for_a_doubled_hour():
    hourly = Schedule("hourly", OSLO, every=1, minute=30)
    spring = ["2026-03-29 01:30 +0100", "2026-03-29 03:30 +0200", "2026-03-29 04:30 +0200"]
    assert local(hourly, "2026-03-29 00:00", 3) == spring
    autumn = ["2026-10-25 02:30 +0200", "2026-10-25 03:30 +0100"]
    assert local(hourly, "2026-10-25 00:00", 2) == autumn


def test_skipped_times_and_those_after_the_gap_come_in_the_order_of_time():
    # Clocks go from 02:00 to 02:30: 02:00 and 02:20 land on both sides of 02:40.
    often = Schedule("cron", "Australia/Lord_Howe", cron="*/20 2 * * *")
    runs = [run[11:16] for run in local(often, "2026-10-03 12:00", 4)]
    assert runs == ["02:30", "02:40", "02:50", "02:00"]


def test_what_was_skipped_is_still_to_come_just_after_the_gap():
    assert local(Schedule("daily", OSLO, time=time(2, 50)), "2026-03-29 01:10", 1) == [
        "2026-03-29 03:50 +0200"
    ]
    friday = Schedule("weekly", "Pacific/Apia", days=("fri",), time=time(23))
    assert local(friday, "2011-12-31 08:00", 1) == ["2011-12-31 23:00 +1400"]


# ---------------------------------------------------------------- the calendar


@pytest.mark.parametrize(
    ("fields", "runs"),
    [
        ({"kind": "monthly", "day": 31}, ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"]),
        ({"kind": "monthly", "day": 29}, ["2027-01-29", "2027-02-28", "2027-03-29", "2027-04-29"]),
        ({"kind": "last_day"}, ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"]),
        ({"kind": "yearly", "month": 2, "day": 29}, ["2027-02-28", "2028-02-29", "2029-02-28"]),
        ({"kind": "nth_weekday", "nth": "last", "days": ["fri"]}, ["2027-01-29", "2027-02-26", "2027-03-26"]),
        ({"kind": "nth_weekday", "nth": "first", "days": ["mon", "thu"]}, ["2027-01-04", "2027-01-07", "2027-02-01"]),
        ({"kind": "weekdays"}, ["2027-01-01", "2027-01-04", "2027-01-05"]),
        ({"kind": "weekly", "days": ["sun", "sat"]}, ["2027-01-02", "2027-01-03", "2027-01-09"]),
        ({"kind": "daily", "starts_on": "2027-03-01"}, ["2027-03-01", "2027-03-02"]),
        ({"kind": "cron", "cron": "0 8 LW * *"}, ["2027-01-29", "2027-02-26", "2027-03-31"]),
        ({"kind": "cron", "cron": "0 8 * 2 MON#5"}, ["2044-02-29", "2072-02-29"]),
    ],
)  # fmt: skip
def test_each_kind_falls_on_its_days(fields, runs):
    schedule = Schedule.from_json({"time": "08:00", "zone": OSLO, **fields})
    assert [run[:10] for run in local(schedule, "2026-12-31 12:00", len(runs))] == runs


def test_both_its_first_and_its_last_day_belong_to_it_and_then_it_never_fires_again():
    bounds = {"starts_on": date(2027, 1, 31), "ends_on": date(2027, 2, 2)}
    schedule = Schedule("daily", "America/New_York", time=time(23, 30), **bounds)
    runs = local(schedule, "2026-11-20 00:00", 9)
    assert [run[:10] for run in runs] == ["2027-01-31", "2027-02-01", "2027-02-02"]
    assert schedule.next_after(datetime(2027, 2, 3, 4, 30, tzinfo=UTC)) is None
    # However far away the moment it is asked for.
    assert schedule.next_after(datetime(9999, 12, 31, tzinfo=UTC)) is None
    assert schedule.next_after(datetime(1, 1, 1, tzinfo=UTC)) == datetime(2027, 2, 1, 4, 30, tzinfo=UTC)


def test_a_next_run_is_found_by_looking_at_few_local_times(monkeypatch):
    """A schedule that began long ago is not walked through from its beginning."""
    looked = []
    walk = Schedule._local_times

    def counted(self, start):
        for found in walk(self, start):
            looked.append(found)
            yield found

    monkeypatch.setattr(Schedule, "_local_times", counted)
    for schedule in (
        Schedule("hourly", OSLO, every=1, minute=0, starts_on=date(1970, 1, 1)),
        Schedule("cron", OSLO, cron="* * * * *", starts_on=date(1970, 1, 1)),
        Schedule("yearly", OSLO, month=2, day=29, time=time(2, 30), starts_on=date(1970, 1, 1)),
    ):
        looked.clear()
        assert schedule.next_after(datetime(2026, 11, 20, 12, tzinfo=UTC))
        assert len(looked) <= 2


def test_an_instant_without_a_zone_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="needs a time zone"):
        Schedule("daily", OSLO, time=time(8)).next_after(datetime(2026, 11, 20))


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "hourly", "every": 1, "minute": 5}, "Every hour at minute 5 (Europe/Oslo)"),
        ({"kind": "hourly", "every": 6, "minute": 0}, "Every 6 hours from midnight at minute 0 (Europe/Oslo)"),
        ({"kind": "daily"}, "Every day at 08:00 (Europe/Oslo)"),
        ({"kind": "weekdays"}, "Every weekday at 08:00 (Europe/Oslo)"),
        ({"kind": "weekly", "days": ["wed", "mon", "fri"]}, "Every Monday, Wednesday and Friday at 08:00 (Europe/Oslo)"),
        ({"kind": "monthly", "day": 22}, "On the 22nd of every month at 08:00 (Europe/Oslo)"),
        ({"kind": "monthly", "day": 31}, "On the 31st of every month, or its last day where that is earlier, at 08:00 (Europe/Oslo)"),
        ({"kind": "nth_weekday", "nth": "last", "days": ["fri"]}, "On the last Friday of every month at 08:00 (Europe/Oslo)"),
        ({"kind": "yearly", "month": 2, "day": 29}, "Every year on 29 February (28 in other years) at 08:00 (Europe/Oslo)"),
        ({"kind": "cron", "cron": " 5  8 * * 1-5 "}, "At 08:05 on Monday through Friday, by cron 5 8 * * 1-5 (Europe/Oslo)"),
        ({"kind": "daily", "starts_on": "2027-01-01", "ends_on": "2027-03-31"}, "Every day at 08:00 (Europe/Oslo), from 1 January 2027, until 31 March 2027"),
    ],
)  # fmt: skip
def test_a_schedule_is_said_in_words(fields, words):
    assert Schedule.from_json({"time": "08:00", "zone": OSLO, **fields}).words() == words


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("fields", "field", "why"),
    [
        ({"kind": "yearly", "month": 2, "day": 31}, "day", "31 February never comes"),
        ({"kind": "yearly", "month": 13, "day": 1}, "month", "1 to 12"),
        ({"kind": "monthly", "day": 0}, "day", "1 to 31"),
        ({"kind": "monthly"}, "day", "needs the day of the month"),
        ({"kind": "hourly", "every": 1, "minute": 60}, "minute", "“60” cannot be the minute: 0 to 59"),
        ({"kind": "hourly", "every": 24, "minute": 0}, "every", "1 to 23"),
        ({"kind": "hourly", "every": True, "minute": 0}, "every", "1 to 23"),
        ({"kind": "hourly", "every": "2", "minute": 0}, "every", "1 to 23"),
        ({"kind": "daily", "time": "24:00"}, "time", "no time of day"),
        ({"kind": "daily", "time": None}, "time", "needs a time of day"),
        ({"kind": "daily", "time": 800}, "time", "no time of day"),
        ({"kind": "weekly", "days": []}, "days", "at least one day"),
        ({"kind": "weekly", "days": ["someday"]}, "days", "no day of the week"),
        ({"kind": "weekly", "days": [["mon"]]}, "days", "no day of the week"),
        ({"kind": "weekly", "days": "mon"}, "days", "a list"),
        ({"kind": "nth_weekday", "nth": "fifth", "days": ["mon"]}, "nth", "first, second, third, fourth, last"),
        ({"kind": "sometimes"}, "kind", "no kind of schedule"),
        ({"kind": ["daily"]}, "kind", "no kind of schedule"),
        ({"kind": ""}, "kind", "how often"),
        ({"kind": "daily", "zone": "Europe/Olso"}, "zone", "Did you mean Europe/Oslo"),
        ({"kind": "daily", "zone": "../../etc/passwd"}, "zone", "no time zone"),
        ({"kind": "daily", "zone": 7}, "zone", "no time zone"),
        ({"kind": "daily", "zone": ""}, "zone", "Choose a time zone"),
        ({"kind": "daily", "starts_on": "1.1.2027"}, "starts_on", "not a date like"),
        ({"kind": "daily", "starts_on": 2027}, "starts_on", "not a date like"),
        ({"kind": "daily", "ends_on": "9999-12-31"}, "ends_on", "too far away"),
        ({"kind": "daily", "starts_on": "2027-02-01", "ends_on": "2027-01-31"}, "ends_on", "end on 31 January 2027, before it starts"),
        ({"kind": "weekly", "days": ["mon"], "starts_on": "2027-01-05", "ends_on": "2027-01-10"}, "ends_on", "never fires between"),
        ({"kind": "cron", "cron": "0 0 31 4 *"}, "cron", "day of month"),
        ({"kind": "cron", "cron": "0 0 30 2 *"}, "cron", "in a month that has it"),
        ({"kind": "cron", "cron": "* * */20 * 1L"}, "cron", "never fires"),
        ({"kind": "cron", "cron": "60 * * * *"}, "cron", "minute of “60 [*] [*] [*] [*]” cannot be: 0 to 59"),
        ({"kind": "cron", "cron": "0 8 * * 1-5 2027"}, "cron", "five fields"),
        ({"kind": "cron", "cron": "@daily"}, "cron", "five fields"),
        ({"kind": "cron", "cron": ""}, "cron", "Write a cron line"),
        ({"kind": "cron", "cron": "0,"* 200 + " * * * *"}, "cron", "at most 200"),
        ({"kind": "cron", "cron": "0 8 1 1 *", "starts_on": "2027-01-02", "ends_on": "2027-12-31"}, "ends_on", "never fires between"),
        ({"kind": "daily", "at": "08:00"}, "", "has no “at”"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_words_beside_its_field(fields, field, why):
    with pytest.raises(ScheduleError, match=why) as refused:
        Schedule.from_json({"time": "08:00", "zone": OSLO, **fields})
    assert refused.value.field == field


def test_a_schedule_that_is_no_object_is_refused():
    with pytest.raises(ScheduleError, match="object"):
        Schedule.from_json(["daily"])


@given(st.text(st.sampled_from("0123456789*/,-#L WMONJAN?"), max_size=40))
def test_whatever_is_typed_as_cron_either_fires_or_is_refused(line):
    try:
        schedule = Schedule("cron", OSLO, cron=line)
    except ScheduleError as error:
        assert error.field == "cron"
    else:
        assert schedule.next_after(datetime(2026, 11, 20, tzinfo=UTC))
        assert schedule.words()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@given(
    st.sampled_from(list(KINDS)),
    st.dictionaries(st.sampled_from([*Schedule.__dataclass_fields__][1:]), json_values),
)
def test_whatever_is_stored_as_a_schedule_is_one_or_is_refused(kind, data):
    good = {
        "zone": OSLO,
        "time": "08:00",
        "every": 1,
        "minute": 1,
        "days": ["mon"],
        "day": 1,
        "nth": "last",
        "month": 1,
        "cron": "0 0 * * *",
    }
    try:
        schedule = Schedule.from_json({**good, **data, "kind": kind})
    except ScheduleError:
        return
    assert Schedule.from_json(schedule.to_json()) == schedule
