"""A frame by another time: the same figures and groups, where periods and grains go by another column."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Field
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Measure, Slot


def timed_by(frame: Frame, old: Field, new: Field) -> Frame:
    """Give a frame whose periods and grains of one column are of another one; what else is said of it stays."""

    used = [*frame.slots(), *(s for m in frame.measures for c in m.where for s in c.slots)]
    if any(r.columns == (old.column,) and r.source == old.table for s in used for r in s.path):
        return frame

    def slots(some: tuple[Slot, ...]) -> tuple[Slot, ...]:
        return tuple(replace(s, field=new) if s.field == old else s for s in some)

    def condition(one: Condition) -> Condition:
        timed = one.op in ("period", "weekday") and len(one.slots) == 1
        parts = tuple(condition(part) for part in one.parts)
        return replace(one, slots=slots(one.slots) if timed else one.slots, parts=parts)

    def dimension(one: Dimension) -> Dimension:
        return replace(one, shown=slots(one.shown), keys=slots(one.keys)) if one.grain else one

    def measure(one: Measure) -> Measure:
        over = measure(one.over) if one.over is not None else None
        under = measure(one.under) if one.under is not None else None
        parts = tuple(map(measure, one.parts))
        return replace(one, where=tuple(map(condition, one.where)), over=over, under=under, parts=parts)

    return replace(
        frame,
        measures=tuple(measure(m) for m in frame.measures),
        by=tuple(dimension(d) for d in frame.by),
        per=tuple(dimension(d) for d in frame.per),
        where=tuple(condition(c) for c in frame.where),
    )


def alike(first: Frame, second: Frame) -> bool:
    """Whether two frames ask for the same, whatever their costs."""
    return replace(first, cost=0.0, unused=(), why=()) == replace(second, cost=0.0, unused=(), why=())
