"""Why rows ended up so: how often each reason was one, and its share: "reasons for cancelled visits", "percent of cancellations because of illness".

Only what was cancelled has a reason for it, so of each reason all are cancelled. Each reason's part of all that was cancelled is meant.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Dimension, Frame, Measure, Order, Slot, share_of

_WHY = frozenset({stem("reason"), stem("cause")})


def shares_of_why(frame: Frame) -> Frame:
    """Give a share of rows in a state, by why they are or for one reason, as a part of those in that state; any other frame as it is."""
    one = frame.measures[0] if len(frame.measures) == 1 else None
    if one is None or one.agg != "ratio" or not one.percent or frame.transform or frame.having:
        return frame
    over, under = one.over, one.under
    if over is None or under is None or under.where or over != replace(under, where=over.where):
        return frame
    states = [c for c in over.where if c.op in ("in", "filled", "missing", "exists")]
    if not states or len(states) != len(over.where):
        return frame
    if any(_tells_why(slot) for dimension in frame.by for slot in dimension.shown):
        return _of_each(frame, over)
    why = tuple(c for c in frame.where if c.op == "in" and not c.negated and all(map(_tells_why, c.slots)))
    if not why:
        return frame
    rate = share_of(replace(over, where=(*over.where, *why)), over, one.said)
    return replace(frame, measures=(rate,), where=tuple(c for c in frame.where if c not in why))


def _of_each(frame: Frame, over: Measure) -> Frame:
    """Each group's part of all rows in the state."""
    if frame.pivot or frame.per:
        return frame
    where = (*frame.where, *(c for c in over.where if c not in frame.where))
    counted = replace(over, where=())
    return replace(frame, measures=(counted,), where=where, transform="share")


def _tells_why(slot: Slot) -> bool:
    """Whether a column says why its row came to a state, and is empty where it did not."""
    return slot.field.filled < 1 and bool(set(slot.field.words) & _WHY)


def reasons_counted(frame: Frame) -> Frame:
    """How often each reason was one, where the reasons of some rows are asked for: "reasons for cancelled visits"."""
    if frame.measures or not frame.distinct or len(frame.columns) != 1 or not frame.where:
        return frame
    one = frame.columns[0]
    if one.path or one.field.table != frame.anchor or not set(one.field.words) & _WHY:
        return frame
    rows = Measure("rows", frame.anchor, said="count")
    by = (Dimension((one,), said=one.field.said),)
    return replace(frame, measures=(rows,), by=by, columns=(), distinct=False, order=Order())
