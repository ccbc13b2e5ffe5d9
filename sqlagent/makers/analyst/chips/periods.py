"""Which periods may be chosen: the years with data, their quarters and months, the last full ones, all time; and other times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from sqlagent.catalog.semantics import Field
from sqlagent.language.dates import floor, shift
from sqlagent.language.saying import template, worded
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.chips.groups import anchor_of, times_of
from sqlagent.makers.analyst.chips.settling import restricted
from sqlagent.makers.analyst.chips.values import REMOVE, Option, Part
from sqlagent.makers.analyst.frames import Condition, Frame, Measure
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.retiming import timed_by
from sqlagent.makers.analyst.source import Source

YEARS = 12
"""Years offered at most, the latest first."""


def period_part(frame: Frame, place: int, source: Source, today: date) -> Part:
    """The chip of a condition on a time."""
    old = frame.where[place]
    assert old.period is not None
    options: list[Option] = []
    for words, heading, one in _periods(old.slots[0].field, old.period, today):
        where = (*frame.where[:place], replace(old, period=one), *frame.where[place + 1 :])
        options.append(_option(frame, where, words, heading, one, template("period changed to {period}")))
    if len(old.slots) == 1:
        options += _times(frame, old, source)
    where = (*frame.where[:place], *frame.where[place + 1 :])
    options.append(
        Option("All time", REMOVE, "", restricted(frame, where), worded("period removed: all time"))
    )
    label = telling.column(old.slots[0])
    return Part(f"where:{place}", "period", label, telling.period(old.period), tuple(options))


def shared_period(frame: Frame, today: date) -> Iterator[Part]:
    """One chip for the period that all of several tables' figures have."""
    own = [next((c for c in m.where if c.op == "period" and c.period), None) for m in frame.measures]
    first = own[0]
    if first is None or first.period is None or any(c is None or c.period != first.period for c in own):
        return
    options = []
    for words, heading, one in _periods(first.slots[0].field, first.period, today):
        measures = tuple(_in_period(m, one) for m in frame.measures)
        changed = replace(frame, measures=measures)
        options.append(
            Option(words, _key(one), heading, changed, worded("period changed to {period}", period=words))
        )
    without = tuple(replace(m, where=tuple(c for c in m.where if c.op != "period")) for m in frame.measures)
    options.append(
        Option("All time", REMOVE, "", replace(frame, measures=without), worded("period removed: all time"))
    )
    yield Part("period", "period", "in", telling.period(first.period), tuple(options))


def periods_added(frame: Frame, source: Source, today: date) -> Iterator[Option]:
    """Periods that a frame without one may be narrowed to."""
    anchor = anchor_of(frame)
    time = source.time_of(anchor)
    several = len({m.anchor for m in frame.measures}) > 1
    if several or time is None or any(c.op == "period" for c in frame.where) or frame.transform == "between":
        return
    for words, heading, one in _periods(time.field, None, today):
        where = (*frame.where, Condition("period", (time,), period=one))
        heading = worded("{name} in", name=telling.column(time)) if heading == "Year" else heading
        yield _option(frame, where, words, heading, one, template("period added: {period}"))


def _option(
    frame: Frame, where: tuple[Condition, ...], words: str, heading: str, one: Period, said: str
) -> Option:
    return Option(words, _key(one), heading, restricted(frame, where), worded(said, period=words))


def _key(one: Period) -> str:
    return f"period:{one.first or ''}:{one.until or ''}"


def _in_period(one: Measure, period: Period) -> Measure:
    where = tuple(replace(c, period=period) if c.op == "period" else c for c in one.where)
    return replace(one, where=where)


def _periods(field: Field, old: Period | None, today: date) -> Iterator[tuple[str, str, Period]]:
    """Periods worth choosing: words, heading, period."""
    for year in _years(field):
        yield str(year), "Year", _whole(date(year, 1, 1), "year")
    held = old.first.year if old is not None and old.first is not None else None
    if held is not None:
        for grain, count, heading in (
            ("quarter", 4, template("Quarter of {year}")),
            ("month", 12, template("Month of {year}")),
        ):
            for number in range(count):
                one = _whole(shift(date(held, 1, 1), grain, number), grain)
                if one.first is not None and one.first <= today:
                    yield telling.period(one), worded(heading, year=held), one
    for grain, form in (
        ("year", template("last year: {period}")),
        ("quarter", template("last quarter: {period}")),
        ("month", template("last month: {period}")),
    ):
        one = _whole(shift(floor(today, grain), grain, -1), grain)
        last = replace(one, relative=True)
        if one.first is not None and not (grain == "year" and one.first.year in _years(field)):
            yield worded(form, period=telling.period(one)), "Up to now", last
    begun = Period(floor(today, "year"), today + timedelta(days=1), "year", relative=True)
    yield worded("this year to date: {year}", year=today.year), "Up to now", begun
    year_ago = shift(floor(today, "month"), "month", -12)
    yield (
        worded("last 12 full months"),
        "Up to now",
        Period(year_ago, floor(today, "month"), "month", relative=True),
    )


def _whole(first: date, grain: str) -> Period:
    return Period(first, shift(first, grain, 1), grain)


def _years(field: Field) -> list[int]:
    """The years that a time has data in, the latest first; none where its ends are not known."""
    low, high = field.low[:4], field.high[:4]
    if not (low.isdecimal() and high.isdecimal() and 1900 <= int(low) <= int(high) <= 2100):
        return []
    return list(range(int(high), int(low) - 1, -1))[:YEARS]


def _times(frame: Frame, old: Condition, source: Source) -> Iterator[Option]:
    """The same period by another time of the same rows."""
    slot = old.slots[0]
    for other in times_of(source, anchor_of(frame)):
        if other.field == slot.field or other.path != slot.path:
            continue
        changed = timed_by(frame, slot.field, other.field)
        words = worded("by {column}", column=telling.column(other))
        said = worded("{words} instead of {column}", words=words, column=telling.column(slot))
        yield Option(
            words, f"time:{other.field.table}.{other.field.column}", "By another time", changed, said
        )
