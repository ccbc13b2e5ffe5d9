"""Part periods: the first or last year, quarter, month or week of an answer that the data do not cover whole.

Decides by the first and last day of the time and by how densely its days lie: a year whose first order is of 2 January is whole, and so is
one whose first order is of March where a few are placed in a year. Leaves to others what the rows are told to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from sqlagent.catalog.semantics import DATED, Kind, Model
from sqlagent.catalog.statistics import day_of
from sqlagent.language.dates import floor, shift
from sqlagent.language.saying import Saying, all_of, day_in_words, in_commas, spaced, template, worded
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.values import Rows

QUIET = {"week": 2, "month": 3, "quarter": 4, "year": 7}
"""Days without rows at an end of a period of each grain after which it still counts as whole: a weekend, a holiday."""

GAPS = 4
"""Mean gaps without rows after which a period still counts as whole, where rows are that rare: longer ones come by chance in 2 of 100 (e^-4)."""

DENSE = 1.5
"""Days from one day with rows to the next, up to which gaps are weekends and holidays alone."""

DAILY = 1.05
"""Days from one day with rows to the next, up to which there are rows on every day of a week: one without any at its end is missing."""

_SAID = {
    "year": (template("{parts}: it is a part year."), template("{parts}: both are part years.")),
    "quarter": (template("{parts}: it is a part quarter."), template("{parts}: both are part quarters.")),
    "month": (template("{parts}: it is a part month."), template("{parts}: both are part months.")),
    "week": (template("{parts}: it is a part week."), template("{parts}: both are part weeks.")),
}


_NONE_WHOLE = template("{parts}: these periods are not whole.")

PARTLY = frozenset([_NONE_WHOLE, *(said for both in _SAID.values() for said in both)])
"""The templates of what is said of part periods."""


@dataclass(frozen=True, slots=True)
class Part:
    """A period that is not covered whole: where its data begin or end within it, and how rows label it.

    `is_read` says that the last day is that of the data as they were last read, not one that the question names.
    """

    period: Period
    first: date | None
    last: date | None
    is_read: bool = False

    @property
    def label(self) -> str:
        """The label of the period in rows that are grouped by its grain."""
        return label_of(self.period)

    @property
    def told(self) -> Saying:
        """Its name, and where it begins or ends: 2023 begins on 1 November 2023."""
        name = telling.period(self.period)
        if self.period.grain == "week" and self.period.first is not None:
            name = worded("the week of {day}", day=day_in_words(self.period.first))
        if self.first is not None and self.last is not None:
            ends = {"first": day_in_words(self.first), "last": day_in_words(self.last)}
            return worded("{period} begins on {first} and ends on {last}", period=name, **ends)
        if self.first is not None:
            return worded("{period} begins on {day}", period=name, day=day_in_words(self.first))
        assert self.last is not None
        if self.is_read:
            return worded("{period} ends on {day}, as last read", period=name, day=day_in_words(self.last))
        return worded("{period} ends on {day}", period=name, day=day_in_words(self.last))


def label_of(period: Period) -> str:
    """How rows by its grain label a period.

    Example:
        >>> label_of(Period(date(2025, 4, 1), date(2025, 7, 1), "quarter")), label_of(Period(date(2025, 4, 1), date(2025, 5, 1), "month"))
        ('2025-Q2', '2025-04')
    """
    first = period.first
    assert first is not None
    match period.grain:
        case "year":
            return f"{first.year:04d}"
        case "quarter":
            return f"{first.year:04d}-Q{(first.month + 2) // 3}"
        case "month":
            return f"{first.year:04d}-{first.month:02d}"
    return first.isoformat()


def part_periods(frame: Frame, model: Model, rows: Rows | None = None) -> tuple[Part, ...]:
    """The part periods of a frame, earliest first: of its groups by time at either end, and of periods that it is restricted to.

    With rows, of groups only those that rows name, and none that ends early where later rows came since the source was read.
    """
    found: dict[Period, Part] = {}
    graded = [*dict.fromkeys(d for d in (*frame.per, *frame.by) if d.grain)]
    if len(graded) == 1 and graded[0].grain in QUIET:
        slot, grain = graded[0].shown[0], graded[0].grain
        if slot.field.form in DATED:
            for period, span in _grouped(frame, slot, grain, model):
                part = _part(period, slot, model, span)
                if part is not None and part.is_read and _goes_on(part, rows):
                    part = replace(part, last=None, is_read=False) if part.first is not None else None
                if part is not None and _is_shown(part, rows):
                    found[period] = part
    else:
        for slot, period in _restricted(frame):
            if (part := _part(period, slot, model)) is not None:
                found[period] = part
    return tuple(sorted(found.values(), key=lambda one: one.period.first or date.min))


def told_of(parts: Sequence[Part], frame: Frame) -> Saying | None:
    """Say which periods are part ones, and which growth that spoils; None where none is.

    Example:
        >>> year = Period(date(2026, 1, 1), date(2027, 1, 1), "year")
        >>> told_of([Part(year, None, date(2026, 10, 31), is_read=True)], Frame("orders"))
        '2026 ends on 31 October 2026, as last read: it is a part year.'
    """
    if not parts:
        return None
    grains = {one.period.grain for one in parts}
    if len(parts) > 2 or len(grains) > 1:
        return worded(_NONE_WHOLE, parts=in_commas([one.told for one in parts]))
    single, both = _SAID[parts[0].period.grain]
    said = worded(single if len(parts) == 1 else both, parts=in_commas([one.told for one in parts]))
    spoilt = (
        uneven(parts) if frame.transform in ("growth", "change") and any(d.grain for d in frame.by) else ()
    )
    if not spoilt:
        return said
    names = all_of([telling.period(one) for one in spoilt])
    return spaced(
        said, worded("The change of {periods} holds a part period against a whole one.", periods=names)
    )


def uneven(parts: Iterable[Part]) -> tuple[Period, ...]:
    """The periods whose change on the period before is no change of whole ones: part ones, and those right after them."""
    out: dict[Period, None] = {}
    for one in parts:
        if one.first is None or one.last is not None:
            out[one.period] = None
        if one.first is not None and one.period.until is not None:
            after, grain = one.period.until, one.period.grain
            out[Period(after, shift(after, grain, 1), grain)] = None
    return tuple(out)


def _grouped(
    frame: Frame, slot: Slot, grain: str, model: Model
) -> Iterator[tuple[Period, tuple[date | None, date | None]]]:
    """The periods of a grain that may be part ones, each with the days that the question bounds it to: those at the ends of what is asked for."""
    spans = [p for c in frame.where for p in _periods(c, slot)]
    for span in spans or [Period(None, None, grain)]:
        bounds = (span.first, span.until - timedelta(days=1) if span.until is not None else None)
        first, last, _ = _ends(slot, model)
        days = [
            max(filter(None, (first, bounds[0])), default=None),
            min(filter(None, (last, bounds[1])), default=None),
        ]
        for day in days:
            if day is not None and not _is_outside(day, bounds):
                begins = floor(day, grain, model.calendar.week)
                yield Period(begins, shift(begins, grain, 1), grain), bounds


def _is_outside(day: date, bounds: tuple[date | None, date | None]) -> bool:
    """Whether a day with data is none of those that are asked for: there are none among these."""
    return bounds[0] is not None and day < bounds[0] or bounds[1] is not None and day > bounds[1]


def _restricted(frame: Frame) -> Iterator[tuple[Slot, Period]]:
    """Whole years, quarters, months and weeks that a frame, or a figure of it, is restricted to."""
    conditions = (*frame.where, *(c for measure in frame.measures for c in measure.where))
    for condition in conditions:
        for one in (*condition.parts, condition) if condition.op == "any" else (condition,):
            if one.op != "period" or one.negated or len(one.slots) != 1 or one.period is None:
                continue
            period = one.period
            if period.first is None or period.until is None or period.grain not in QUIET or period.at:
                continue
            if shift(period.first, period.grain, 1) == period.until and one.slots[0].field.form in DATED:
                yield one.slots[0], Period(period.first, period.until, period.grain)


def _periods(one: Condition, slot: Slot) -> list[Period]:
    """The periods that a condition bounds a time to, one of several where it names these."""
    if one.negated:
        return []
    if one.op == "any":
        return [p for part in one.parts for p in _periods(part, slot)]
    is_own = one.op == "period" and one.slots == (slot,)
    return [one.period] if is_own and one.period is not None and not one.period.at else []


def _part(
    period: Period, slot: Slot, model: Model, bounds: tuple[date | None, date | None] = (None, None)
) -> Part | None:
    """The period as a part one; None where its data, and what is asked for of it, reach both of its ends, or none lie in it."""
    if period.first is None or period.until is None:
        return None
    end = period.until - timedelta(days=1)
    first, last, rare = _ends(slot, model)
    is_daily = period.grain == "week" and 0 < slot.field.gap <= DAILY
    least = 0 if is_daily else QUIET[period.grain]
    quiet = timedelta(days=max(least, _rare(slot.field.gap)))
    late = timedelta(days=max(least, rare))
    if first is not None and first > end or last is not None and last < period.first:
        return None
    begins = first if first is not None and first - period.first > quiet else None
    ends = last if last is not None and end - last > late else None
    if bounds[0] is not None and bounds[0] > period.first and (begins is None or begins < bounds[0]):
        begins = bounds[0]
    is_read = ends is not None
    if bounds[1] is not None and bounds[1] < end and (ends is None or ends > bounds[1]):
        ends, is_read = bounds[1], False
    return Part(period, begins, ends, is_read) if begins is not None or ends is not None else None


def _ends(slot: Slot, model: Model) -> tuple[date | None, date | None, float]:
    """The first and the last day of a time with data, and for how many days after it rows may be missing by chance.

    A time whose rows are rare goes on as long as the source does, and so does one whose last days are quiet. Of a calendar's days the
    ends are those of the rows that point at them.
    """
    field = slot.field
    if slot.path and model.things[field.table].kind is Kind.DATES:
        pointing = model.field(slot.path[-1].source, slot.path[-1].columns[0])
        if pointing is None or day_of(pointing.low) is None:
            return None, None, 0
        field = pointing
    first, last, newest = day_of(field.low), day_of(field.high), day_of(model.newest)
    if last is None or newest is None or last >= newest:
        return first, last, _rare(field.gap)
    if newest - last > timedelta(days=QUIET["year"]) and field.gap <= DENSE:
        return first, last, 0
    others = [
        f.gap for fields in model.fields.values() for f in fields if f.form and day_of(f.high) == newest
    ]
    return first, newest, _rare(min(others, default=0))


def _rare(gap: float) -> float:
    """Days without rows that come by chance where rows are rare."""
    return GAPS * gap if gap > DENSE else 0


def _is_shown(part: Part, rows: Rows | None) -> bool:
    """Whether rows name a period."""
    if rows is None or rows.truncated:
        return True
    label = part.label
    if any(label.replace("-", "_").lower() in column.lower().replace("-", "_") for column in rows.columns):
        return True
    return any(str(cell).startswith(label) for row in rows.rows for cell in row if cell is not None)


def _goes_on(part: Part, rows: Rows | None) -> bool:
    """Whether the column of rows that names a period names a later one too: rows came since the source was read."""
    label, size = part.label, len(part.label)
    for place in range(len(rows.columns) if rows is not None else 0):
        named = (
            {str(row[place])[:size] for row in rows.rows if row[place] is not None}
            if rows is not None
            else set()
        )
        if label in named and any(one > label for one in named):
            return True
    return False


def labels_of(parts: Iterable[Part]) -> frozenset[str]:
    """How rows, and names of their columns, call part periods."""
    parts = tuple(parts)
    return frozenset(one.label for one in parts) | {str(telling.period(one.period)) for one in parts}
