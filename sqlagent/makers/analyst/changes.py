"""Why a figure changed from one period to another: the statements that give it for the values of each dimension.

A frame that shows one figure over time, or in one period, is taken apart into figure, time and what else must hold. Runs no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlagent.catalog.semantics import DATED, Field, Kind, Role
from sqlagent.errors import FrameError
from sqlagent.language.dates import floor, shift
from sqlagent.language.words import singular
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.answering import today_of
from sqlagent.makers.analyst.chips import asked_again
from sqlagent.makers.analyst.chips.changing import UNWRITTEN
from sqlagent.makers.analyst.chips.groups import Group, groups
from sqlagent.makers.analyst.chips.settling import settled
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Measure, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.planning import Planner
from sqlagent.makers.analyst.source import Source

DIMENSIONS = 5
"""Dimensions that are read for one change: with the totals that is six statements."""

PERIODS = 60
"""Periods that can be chosen, the latest first."""

VALUES = 1_000
"""Values of a dimension from which on it is left out: its rows would not be looked at."""

GRAINS = ("day", "week", "month", "quarter", "year")

_QUIET = timedelta(days=7)
"""Days without rows at the end of a period after which it still counts as whole, where other tables tell of its last day."""

_YEAR_SAID = re.compile(r"\s+(?:19|20)\d\d$")
"""The year that a figure of two years is called by."""

_PLAIN = frozenset({"", "change", "growth", "between"})
_ADDED = frozenset({"sum", "rows"})


@dataclass(frozen=True, slots=True)
class Change:
    """One figure whose change can be looked at: how it is counted, over which time, and the periods there are, latest first.

    `now` and `before` are compared unless others are chosen. `parts` are the sums it is made of: one where it adds up by itself, a
    numerator and a denominator of a quotient of sums, none where its parts do not add up. Of `counted` columns the different values are
    counted: they add up over what each of them has one of alone. `until` is the last day with data.
    """

    frame: Frame
    measure: Measure
    time: Slot
    grain: str
    periods: tuple[Period, ...]
    now: Period
    before: Period
    parts: tuple[Measure, ...]
    counted: tuple[Slot, ...]
    until: date | None

    @property
    def name(self) -> str:
        """The name of the figure: revenue, web visits, median amount."""
        said = telling.title(Frame(self.measure.anchor, (self.measure,)))
        said = said.removeprefix("Number of ") or telling.figure_name(self.measure)
        return said if said[:2].isupper() else said[:1].lower() + said[1:]

    @property
    def factor(self) -> int:
        """A quotient in percent is a hundred times that of its sums."""
        return 100 if self.measure.percent else 1

    def period(self, first: str) -> Period | None:
        """The period that begins on a day."""
        return next((p for p in self.periods if p.first is not None and p.first.isoformat() == first), None)


@dataclass(frozen=True, slots=True)
class Cut:
    """One statement of a change: the totals, or the figure for each value of a dimension, in the period before and now.

    Where its values stand in another table, rows may point to none: `missing` is what they lack then.
    """

    words: str
    sql: str
    group: Group | None = None
    missing: str = ""

    @property
    def width(self) -> int:
        """Columns that say the value."""
        return len(self.group.dimension.shown) if self.group is not None else 0

    def said(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Values as people say them: those of a flag are yes and no."""
        field = self.group.dimension.shown[0].field if self.group is not None else None
        if field is None or field.role is not Role.FLAG or len(values) != 1 or field.codes is not None:
            return values
        words = {_plain(field.yes): "yes", _plain(field.no): "no"}
        return (words.get(_plain(str(values[0])), values[0]),) if values[0] is not None else values


# ---------------------------------------------------------------- taking a frame apart


def change_of(frame: Frame, source: Source) -> Change | None:
    """Give what there is to compare in a frame; None where it shows no figure over time."""
    if (
        len({m.anchor for m in frame.measures}) != 1
        or frame.formula is not None
        or frame.cost
        and frame.unused
    ):
        return None
    if frame.transform not in _PLAIN or frame.having or frame.pivot or frame.limit or frame.with_empty:
        return None
    measure, own = _measured(frame)
    if measure is None:
        return None
    timed = [d for d in (*frame.per, *frame.by) if d.grain]
    conditions = [*own, *frame.where]
    if len(timed) > 1 or timed and timed[0].grain not in GRAINS:
        return None
    if timed:
        time, grain = timed[0].shown[0], timed[0].grain
        periods = [p for c in conditions for p in _periods(c, time)]
    else:
        within = [c for c in conditions if c.op == "period" and not c.negated and len(c.slots) == 1]
        if not within or frame.by or frame.per:  # not one number
            return None
        time = within[0].slots[0]
        periods = [p for c in conditions for p in _periods(c, time)]
        grain = periods[0].grain if periods else ""
        if grain not in GRAINS or not all(_is_one(p, grain, source) for p in periods):
            return None
    if time.field.form not in DATED or any(p.at for p in periods):
        return None
    where = tuple(c for c in frame.where if not _periods(c, time))
    if any(s.field == time.field for c in where for s in c.slots):
        return None
    until = last_day(time.field, grain, source)
    every = _every(time.field, grain, source, until, [p.first for p in periods if p.first is not None])
    picked = _picked(every, periods, bool(timed), grain, until)
    if picked is None:
        return None
    bare = Frame(frame.anchor, (measure,), where=where)
    parts = _parts(measure)
    counted = tuple(m.expr.slots[0] for m in parts if m.agg == "distinct" and m.expr is not None)
    found = Change(bare, measure, time, grain, every, picked[0], picked[1], parts, counted, until)
    if counted and next(_dimensions(found, source), None) is None:
        found = replace(found, parts=())
    try:
        Planner(source.model).sql(_compared(found, found.now, found.before) if found.parts else bare)
    except UNWRITTEN:
        return None
    return found


def _measured(frame: Frame) -> tuple[Measure | None, tuple[Condition, ...]]:
    """The figure of a frame, with conditions on times that stand with it: of two periods side by side it is one figure."""
    plain = [replace(m, where=tuple(c for c in m.where if c.op != "period"), said="") for m in frame.measures]
    if any(one != plain[0] for one in plain[1:]) or len(plain) > 2:
        return None, ()
    if len(plain) > 1 and frame.transform != "between":
        return None, ()
    first = replace(frame.measures[-1], said=_YEAR_SAID.sub("", frame.measures[-1].said))
    where = tuple(c for c in first.where if c.op != "period")
    times = tuple(c for m in reversed(frame.measures) for c in m.where if c.op == "period")
    return replace(first, where=where), times


def _periods(one: Condition, time: Slot) -> list[Period]:
    """The periods that a condition restricts a time to; empty where it is about something else."""
    if one.negated:
        return []
    if one.op == "period" and one.period is not None and one.slots == (time,):
        return [one.period]
    if one.op == "any" and one.parts:
        found = [_periods(part, time) for part in one.parts]
        return [p for some in found for p in some] if all(found) else []
    return []


def _is_one(one: Period, grain: str, source: Source) -> bool:
    if one.first is None or one.until is None:
        return False
    return floor(one.first, grain, source.model.calendar.week) == one.first and one.until == shift(
        one.first, grain, 1
    )


def _every(
    field: Field, grain: str, source: Source, until: date | None, needed: list[date]
) -> tuple[Period, ...]:
    """The periods with data, the latest first, and one before those that are needed."""
    week = source.model.calendar.week
    last = max([until or today_of(source), *needed])
    low = _day(field.low)
    first = floor(last, grain, week)
    out: list[Period] = []
    while len(out) < PERIODS and (low is None or shift(first, grain, 1) > low):
        out.append(Period(first, shift(first, grain, 1), grain))
        first = shift(first, grain, -1)
    return tuple(out)


def _picked(
    every: tuple[Period, ...], shown: list[Period], is_series: bool, grain: str, until: date | None
) -> tuple[Period, Period] | None:
    """The last whole period that is shown, and the one before it."""
    inside = [p for p in every if not shown or any(one.holds(p) for one in shown)]
    whole = [
        p for p in inside if until is None or p.until is not None and p.until <= until + timedelta(days=1)
    ]
    now = next(iter(whole or inside), None)
    if now is None or (is_series and not whole):
        return None
    earlier = every[every.index(now) + 1 :]
    if not earlier:
        return None
    # Two periods that were asked for are compared with each other, whatever lies between them.
    others = [p for p in inside if p in earlier]
    return now, others[0] if len(inside) == 2 and others else earlier[0]


def last_day(field: Field, grain: str, source: Source) -> date | None:
    """The last day that a time tells of; None where none is known.

    A period whose last days are without rows is told of to its end where the source goes on until then: nothing happened on a weekend.
    """
    last, newest = _day(field.high), _day(source.model.newest)
    if last is None or newest is None or newest <= last:
        return newest if last is None or newest is not None else last
    end = shift(floor(last, grain, source.model.calendar.week), grain, 1) - timedelta(days=1)
    return end if end <= min(newest, last + _QUIET) else last


def _day(text: str) -> date | None:
    digits = re.sub(r"\D", "", text)[:8]
    try:
        return date.fromisoformat(digits) if len(digits) == 8 else None
    except ValueError:
        return None


def _parts(measure: Measure) -> tuple[Measure, ...]:
    """The sums that a figure is made of; none where it is made of anything that does not add up."""
    if _adds_up(measure):
        return (measure,)
    if measure.agg == "avg" and measure.expr is not None and measure.expr.op == "column":
        filled = Condition("filled", measure.expr.slots)
        return (
            replace(measure, agg="sum"),
            Measure("rows", measure.anchor, where=(*measure.where, filled)),
        )
    over, under = measure.over, measure.under
    if measure.agg != "ratio" or over is None or under is None:
        return ()
    if not (_adds_up(over) and _adds_up(under) and over.anchor == under.anchor == measure.anchor):
        return ()
    return tuple(replace(m, where=(*measure.where, *m.where)) for m in (over, under))


def _adds_up(one: Measure) -> bool:
    is_counted = one.agg == "distinct" and one.expr is not None and one.expr.op == "column"
    return one.agg in _ADDED or is_counted and len(one.expr.slots if one.expr is not None else ()) == 1


def _has_one(counted: Slot, other: Slot, source: Source) -> bool:
    """Whether a counted value has one value of another column only: that stands with the thing it is the key of, or points to."""
    way = len(counted.path)
    if other.path[:way] != counted.path:
        return False
    if source.model.things[counted.field.table].key == (counted.field.column,):
        return True
    return len(other.path) > way and other.path[way].columns == (counted.field.column,)


# ---------------------------------------------------------------- statements


def cuts_of(change: Change, now: Period, before: Period, source: Source) -> tuple[Cut, ...]:
    """The statements of a change, the totals first: at most `DIMENSIONS` more. Each gives the sums before, then those now.

    None where the figure's parts do not add up.
    """
    if not change.parts:
        return ()
    planner = Planner(source.model)
    out = [Cut("all", planner.sql(_compared(change, now, before)))]
    for group in _dimensions(change, source):
        if len(out) > DIMENSIONS:
            break
        try:
            sql = planner.sql(replace(_compared(change, now, before), by=(group.dimension,)))
        except UNWRITTEN:
            continue
        path = group.dimension.shown[0].path
        missing = singular(source.model.things[path[-1].target].said) if path else ""
        out.append(Cut(group.words, sql, group, missing))
    return tuple(out)


def _compared(change: Change, now: Period, before: Period) -> Frame:
    """The sums of both periods side by side, over the rows of those two alone."""

    def within(one: Period) -> Condition:
        return Condition("period", (change.time,), period=one)

    measures = tuple(
        replace(part, where=(*part.where, within(one)), said=f"{part.said or change.name} {said}")
        for one, said in ((before, "before"), (now, "now"))
        for part in change.parts
    )
    either = Condition("any", parts=(within(before), within(now)))
    return replace(change.frame, measures=measures, where=(*change.frame.where, either))


def _dimensions(change: Change, source: Source) -> Iterator[Group]:
    """The dimensions of a change: columns and things with few values first, then nearest first."""
    held = {s.field for c in change.frame.where if c.op == "in" and len(c.values) == 1 for s in c.slots}
    found = []
    for place, group in enumerate(groups(source, change.measure.anchor)):
        fields = [slot.field for slot in group.dimension.shown]
        if held & set(fields) or change.time.field in fields:
            continue
        if not all(_has_one(c, s, source) for c in change.counted for s in group.dimension.shown):
            continue
        count = _distinct(fields[0], source)
        if 1 < count <= VALUES:
            found.append(((count > 30, place), group))
    seen: set[Field] = set()
    for _, group in sorted(found, key=lambda one: one[0]):
        if group.dimension.shown[0].field not in seen:
            seen.add(group.dimension.shown[0].field)
            yield group


def _distinct(field: Field, source: Source) -> int:
    """How many values a column has: as statistics tell, else as many as its table has rows where rows are called by it."""
    index = source.vocabulary.index
    facts = index.facts.tables.get(field.table) if index is not None else None
    known = facts.columns.get(field.column) if facts is not None else None
    if known is not None:
        return known.distinct
    thing = source.model.things[field.table]
    return thing.rows if thing.kind is Kind.THING and field.column in thing.display else 2


# ---------------------------------------------------------------- one value of it


def asked_of(
    change: Change, frame: Frame, cut: Cut, values: tuple[Any, ...], source: Source
) -> tuple[str, str] | None:
    """The question that a frame asks, of one value of a dimension alone, and its SQL; None where the value cannot be asked for.

    Where no words are read as that, it is the figure over time of that value; the question is empty where that has none either.
    """
    if cut.group is None:
        return None
    series = replace(change.frame, by=(Dimension((change.time,), grain=change.grain, said=change.grain),))
    conditions = []
    for slot, value in zip(cut.group.dimension.shown, values, strict=True):
        if value is None:
            conditions.append(Condition("missing", (slot,)))
            continue
        stored = _stored(slot.field, value)
        if stored is None:
            return None
        conditions.append(Condition("in", (slot,), (stored,)))
    sql = ""
    for one in (frame, series):
        narrowed = settled(replace(one, where=(*one.where, *conditions), cost=0.0))
        try:
            question = asked_again(narrowed, source, today_of(source))
            sql = sql or Planner(source.model).sql(narrowed)
        except (*UNWRITTEN, FrameError):
            continue
        if question:
            return question, sql
    return ("", sql) if sql else None


def _plain(text: str) -> str:
    """A flag's value without its quotes, in any case."""
    return text.strip("'").upper()


def _stored(field: Field, value: Any) -> str | None:
    """The stored value behind a shown one: codes are shown by their labels, flags as yes and no."""
    if field.role is Role.FLAG and field.yes and field.no and value in ("yes", "no"):
        return (field.yes if value == "yes" else field.no).strip("'")
    labels = dict(field.labels) | (dict(field.codes.pairs) if field.codes is not None else {})
    if labels:
        code = next((code for code, label in labels.items() if label == str(value)), None)
        if code is not None:
            return code
    if isinstance(value, bool):
        return ("1" if value else "0") if field.is_number else str(value).upper()
    if field.is_number:
        return str(value) if isinstance(value, int | float | Decimal) else None
    return str(value) if isinstance(value, str) else None


__all__ = ["DIMENSIONS", "PERIODS", "Change", "Cut", "asked_of", "change_of", "cuts_of", "last_day"]
