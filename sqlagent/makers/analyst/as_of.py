"""Figures that hold for a time, as of a day: of a price's history the row of each thing that held then, today where nobody says when."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from sqlagent.catalog.semantics import History, Relation
from sqlagent.catalog.semantics.words import PRICED
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Measure, Slot
from sqlagent.makers.analyst.heeding import conditions, figures, slots_of
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_COUNTING = frozenset({"count", "many", "number", "often"})
_NOT_HELD = 0.4
"""The cost of a frame more that goes through all rows of a history, as if all held at one time."""


def day_of(day: date) -> Period:
    """A single day as a period."""
    return Period(day, day + timedelta(days=1), "day")


def held_on(table: str, source: Source, period: Period, said: str = "") -> Condition:
    """That a row of a history held at the end of a period."""
    history = source.model.things[table].history
    assert history is not None
    return Condition("held", (source.slot(table, history.begins),), period=period, said=said)


def held_now(table: str, source: Source, today: date) -> Condition:
    """That a row of a history holds today."""
    return held_on(table, source, day_of(today), "today")


def outermost(table: str, source: Source, which: str, today: date | None = None) -> Condition:
    """That a row is the first one of its thing, or the latest one up to today."""
    history = source.model.things[table].history
    assert history is not None
    until = Period(None, today + timedelta(days=1), "day") if today is not None else None
    return Condition("held", (source.slot(table, history.begins),), (which,), period=until)


def relations_of(table: str, source: Source) -> list[Relation]:
    """The relations by which rows of a history point at what they are prices of."""
    history = source.model.things[table].history
    assert history is not None
    return [r for r in source.graph.out[table] if set(r.columns) <= set(history.of)]


def held_then(frame: Frame, reading: Reading, source: Source, today: date) -> Frame:
    """Give a frame over a history's figures as of one day: the one that is said, else today.

    A count of the rows of a price table is its price where nothing was to be counted. A frame that groups prices by the days
    from which on they hold, or takes those that began in a longer time together, leaves these words out.
    """
    history = source.model.things[frame.anchor].history
    if history is None or any(c.op == "held" for c in conditions(frame)):
        return frame
    frame = _as_figure(frame, reading, history, source)
    if not _reads(frame, history):
        return frame
    where, periods = [], []
    for one in frame.where:
        column = one.slots[0].field.column if one.slots and not one.slots[0].path else ""
        if one.op == "missing" and column == history.ends and not one.negated or _holds_now(one, history):
            continue
        if one.op == "period" and column == history.begins and not one.negated and one.period is not None:
            periods.append(one.period)
        else:
            where.append(one)
    at = {i.period.until for i in reading.items if i.period is not None and i.period.at}
    periods = [replace(p, at=p.at or p.first is None and p.until in at) for p in periods]
    day = next((p for p in periods if _is_a_day(p)), None)
    inside = [
        c
        for c in conditions((*where, *figures(frame)))
        if c.op == "period" and _is_of(c, frame.anchor, history)
    ]
    graded = [d for d in (*frame.by, *frame.per) if d.grain and d.shown[0].field.column == history.begins]
    if inside or graded or len(periods) > 1 or periods and day is None:
        return replace(frame, cost=round(frame.cost + _NOT_HELD, 4), unused=(*frame.unused, *_left(reading)))
    held = held_on(frame.anchor, source, day) if day else held_now(frame.anchor, source, today)
    return replace(frame, where=(*where, held))


def _holds_now(one: Condition, history: History) -> bool:
    """Whether a row is asked to hold today by its own days."""
    slots = slots_of(one)
    own = {history.begins, history.ends}
    return one.said == "current" and bool(slots) and all(not s.path and s.field.column in own for s in slots)


def single_prices(frame: Frame, source: Source) -> Frame:
    """Show single prices as they are, where each group, or the one thing that is named, has one: an average of one is none."""
    history = source.model.things[frame.anchor].history
    only = frame.measures[0] if len(frame.measures) == 1 else None
    if history is None or only is None or only.agg != "avg" or only.where or only.expr is None:
        return frame
    if frame.transform or frame.having or frame.limit is not None or frame.per or frame.pivot:
        return frame
    if only.expr.op != "column" or not any(c.op == "held" for c in frame.where):
        return frame
    things = relations_of(frame.anchor, source)
    if frame.by:
        of = frame.by[0].keys or frame.by[0].shown
        if len(frame.by) > 1 or not of or not any(s.path == (r,) and {s.field.column for s in of} == set(r.referenced) for r in things for s in of[:1]):  # fmt: skip
            return frame
        shown = frame.by[0].shown
    else:
        named = [
            c.slots[0]
            for c in frame.where
            if c.op == "in" and not c.negated and len(c.values) == 1 and c.slots
        ]
        if not any(s.path == (r,) and (s.field.column in source.model.things[r.target].display or s.field.column in r.referenced) for s in named for r in things):  # fmt: skip
            return frame
        shown = ()
    fixed = {c for r in things for c in r.columns if any(s.path == (r,) for s in (*shown, *(c.slots[0] for c in frame.where if c.slots)))}  # fmt: skip
    scopes = tuple(_shown(frame.anchor, name, source) for name in history.of if name not in fixed)
    columns = (*shown, *(slot for some in scopes for slot in some), only.expr.slots[0])
    return replace(frame, measures=(), by=(), columns=columns, order=None)


def _shown(table: str, name: str, source: Source) -> tuple[Slot, ...]:
    """A column that a history is of, by the name of what it points at."""
    for relation in source.model.relations:
        if relation.source == table and relation.columns == (name,):
            return source.shown(relation.target, (relation,)) or (source.slot(table, name),)
    return (source.slot(table, name),)


def _as_figure(frame: Frame, reading: Reading, history: History, source: Source) -> Frame:
    """ "Price of X" is no count of the price table's rows, where that has one figure."""
    said = {stem(word) for item in reading.items for word in item.text.lower().split()}
    if (
        len(history.figures) > 1
        or said & _COUNTING
        or any(i.op in _COUNTING for i in reading.items)
        or not said & PRICED
    ):
        return frame
    slot = source.slot(frame.anchor, history.figures[0])
    average = Measure(
        "avg", frame.anchor, Expr("column", (slot,)), said=slot.field.said, unit=slot.field.unit
    )
    counts = [m.agg == "rows" and not m.where and stem(m.said.lower().split()[-1] if m.said else "") in PRICED for m in frame.measures]  # fmt: skip
    if not any(counts):
        return frame
    return replace(
        frame, measures=tuple(average if one else m for one, m in zip(counts, frame.measures, strict=True))
    )


def _reads(frame: Frame, history: History) -> bool:
    """Whether a frame computes or lists a figure of its history."""
    exprs = [m.expr for m in figures(frame) if m.expr is not None]
    exprs += [frame.order.by] if frame.order is not None and frame.order.by is not None else []
    exprs += [c.expr for c in conditions(frame) if c.expr is not None]
    slots = [*frame.columns, *(slot for expr in exprs for slot in expr.slots)]
    return any(
        not slot.path and slot.field.column in history.figures
        for slot in slots
        if slot.field.table == frame.anchor
    )


def _is_of(condition: Condition, table: str, history: History) -> bool:
    """Whether a condition is about the times between which rows of a history hold."""
    fields = [slot.field for slot in condition.slots]
    return any(f.table == table and f.column in (history.begins, history.ends) for f in fields)


def _is_a_day(period: Period) -> bool:
    if period.until is None:
        return False
    return period.at or period.first is not None and (period.until - period.first).days == 1


def _left(reading: Reading) -> tuple[str, ...]:
    """The words for times that a figure as of one day does not hold."""
    return tuple(item.text for item in reading.items if item.kind in ("period", "grain"))[:1] or ("price",)
