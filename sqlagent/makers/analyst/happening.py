"""When a deed was done: a period belongs to what happened, not to the day on which a thing was registered.

"Riders with a lesson in 2025" had the lesson in 2025, whenever they signed up; "whose last lesson was before 2025" had none since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Kind
from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import SAME, Reading
from sqlagent.makers.analyst.source import Source

EDGE = "edge"
"""Said of the denial by which a row is the last or the first one: no other came after it, or before."""


def in_the_deed(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Move a frame's period from a thing's own date to the rows of the event, unless the question names the date."""
    own = _own_time(frame, source)
    if own is None or any(i.op == "new" for i in reading.items):
        return frame
    dated = [c for c in frame.where if _is_dated(c, own)]
    graded = any(d.grain for d in frame.by)
    done = [c for c in frame.where if c.op == "exists" and not c.negated and not c.at]
    deeds = [c for c in done if not _periods(c) or graded and not dated]
    if is_time_named(own, reading):
        return frame
    frame = _denied_in_the_deed(frame, done, own, source)
    if len(deeds) != 1:
        return frame
    if graded:
        return _by_deed(frame, deeds[0], own, source)
    if len(dated) != 1:
        return frame
    time = source.time_of(deeds[0].child)
    if time is None:
        return frame
    moved = replace(deeds[0], parts=(*deeds[0].parts, _moved(dated[0], time)))
    where = tuple(moved if c is deeds[0] else c for c in frame.where if c is not dated[0])
    return replace(frame, where=where)


def _denied_in_the_deed(frame: Frame, done: Sequence[Condition], own: Slot, source: Source) -> Frame:
    """ "Boats repaired in 2025 but not in 2026": no repair in 2026, whatever their own year is."""
    denied = [c for c in frame.where if c.op == "period" and c.slots == (own,) and c.negated]
    time = source.time_of(done[0].child) if len(done) == 1 and done[0].number is None else None
    if time is None or not denied:
        return frame
    rest = tuple(part for part in done[0].parts if part.op != "period" or part.slots != (time,))

    def moved(one: Condition) -> Condition:
        within = replace(one, slots=(time,), negated=False)
        return replace(done[0], parts=(*rest, within), negated=True)

    return replace(frame, where=tuple(moved(c) if c in denied else c for c in frame.where))


def _own_time(frame: Frame, source: Source) -> Slot | None:
    """Find the default date of rows: their own, for lines without one that of their head."""
    thing = source.model.things[frame.anchor]
    if thing.kind is Kind.THING and thing.default_time:
        return source.slot(frame.anchor, thing.default_time)
    if thing.kind is not Kind.LINES or thing.default_time:
        return None
    graded = [dimension.shown[0] for dimension in frame.by if dimension.grain]
    dated = [one.slots[0] for one in _flat(frame.where) if one.op == "period" and one.slots]
    return next((slot for slot in (*graded, *dated) if slot.path), None)


def _by_deed(frame: Frame, deed: Condition, own: Slot, source: Source) -> Frame:
    """ "Customers who ordered per year": each in every year with an order, counted by the order's own day."""
    rows = len(frame.measures) == 1 and frame.measures[0].agg == "rows" and not frame.measures[0].where
    graded = len(frame.by) == 1 and frame.by[0].grain and frame.by[0].shown == (own,)
    others = [c for c in frame.where if c is not deed and not _is_dated(c, own)]
    time = source.time_of(deed.child)
    if not rows or not graded or others or time is None or len(deed.path) != 1 or deed.number is not None:
        return frame
    keys = source.slot(deed.child, deed.path[0].columns[0])
    where = (*deed.parts, *(_moved(c, time) for c in frame.where if c is not deed))
    counted = replace(
        frame.measures[0],
        agg="distinct",
        anchor=deed.child,
        expr=Expr("column", (keys,)),
        said=frame.measures[0].said,
    )
    by = (replace(frame.by[0], shown=(time,), keys=()),)
    return replace(frame, anchor=deed.child, measures=(counted,), by=by, where=where)


_USED = frozenset({"use", "used", "using", "work", "worked", "working"})
"""Words that say little beside what was done, and that something was done where nothing else says so."""


def registered_instead(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """Find the verb of a question whose period was put on the wrong date: "How many carriers did we use in 2025" as carriers registered in 2025."""
    thing = source.model.things[frame.anchor]
    said = sorted(reading.glued & _USED)
    if not said or thing.kind is not Kind.THING or not thing.default_time:
        return []
    own = source.slot(frame.anchor, thing.default_time)
    return said[:1] if any(_is_dated(c, own) for c in frame.where) and not is_time_named(own, reading) else []


def _is_dated(one: Condition, own: Slot) -> bool:
    if one.op == "any":
        return bool(one.parts) and all(_is_dated(part, own) for part in one.parts)
    return one.op == "period" and one.slots == (own,) and not one.negated


def _moved(one: Condition, time: Slot) -> Condition:
    if one.op == "any":
        return replace(one, parts=tuple(_moved(part, time) for part in one.parts))
    return replace(one, slots=(time,))


def is_time_named(own: Slot, reading: Reading) -> bool:
    """Say whether a word of the question means the thing's own date: joined, hired, signups.

    "Year" alone does so only where the date is called so: "by year" does not name a year of building.
    """
    return any(
        target.kind == "concept"
        and target.column in ("signups", "hires", "leavers", "churned")
        or target.kind in ("field", "relation")
        and (target.table, target.column) == (own.field.table, own.field.column)
        and target.cost <= item.targets[0].cost + 0.1
        and (item.kind != "grain" or target.cost < SAME)
        for item in reading.items
        for target in item.targets
    )


def _periods(one: Condition) -> list[Condition]:
    return [part for part in _flat(one.parts) if part.op == "period"]


def _flat(parts: Sequence[Condition]) -> Iterator[Condition]:
    for part in parts:
        yield part
        yield from _flat(part.parts)


def edged(conditions: Sequence[Condition], edge: str) -> list[Condition]:
    """Conditions that put the last or first row in a period: a row in it, and none after or before.

    `edge` is new for the last, old for the first one. Empty where no period is looked up in rows of an event.
    """
    out: list[Condition] = []
    for one in conditions:
        dated = _periods(one) if one.op == "exists" and not one.negated else []
        if len(dated) != 1 or dated[0].period is None:
            continue
        period = dated[0].period
        beyond = (
            Period(period.until, None, period.grain) if edge == "new" and period.until is not None
            else Period(None, period.first, period.grain) if edge == "old" and period.first is not None
            else None
        )  # fmt: skip
        if beyond is None:
            out.append(replace(one, said=EDGE))
            continue
        rest = tuple(part for part in one.parts if part is not dated[0])
        other = replace(one, parts=(*rest, replace(dated[0], period=beyond)), negated=True, said=EDGE)
        out += [one, other]
    return out
