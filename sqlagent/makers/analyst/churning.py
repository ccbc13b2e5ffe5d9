"""The churn rate of a period: of those who were there when it began, who left in it.

Without a period it is who ever left, of all. For each month there is no frame, nor where nobody noted when they left: both are drafts.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.frames import Condition, Frame, Measure
from sqlagent.makers.analyst.source import Source

_RATE = "churn rate"
_DEAR = 0.6
"""The cost of a rate that cannot be told of its period besides: more than a draft."""


def churned_in(frame: Frame, source: Source) -> Frame:
    """Give the frame with its churn rate told of its period; any other frame as it is."""
    if len(frame.measures) != 1 or frame.measures[0].said != _RATE or frame.measures[0].over is None:
        return frame
    dated = [one for one in frame.where if one.op == "period"]
    if not dated and not any(one.grain for one in frame.by):
        return frame
    draft = replace(frame, cost=round(frame.cost + _DEAR, 4))
    thing = source.model.things[frame.anchor]
    begins = thing.begins or thing.default_time
    if len(dated) != 1 or any(one.grain for one in frame.by) or not thing.ends or not begins:
        return draft
    begin, end = source.slot(frame.anchor, begins), source.slot(frame.anchor, thing.ends)
    period = dated[0].period
    if dated[0].negated or period is None or period.first is None or dated[0].slots not in ((begin,), (end,)):
        return draft
    before, since = replace(period, first=None, until=period.first), replace(period, until=None)
    joined = Condition("period", (begin,), period=before)
    there = Condition("any", parts=(Condition("missing", (end,)), Condition("period", (end,), period=since)))
    left = Condition("period", (end,), period=period)
    rate = frame.measures[0]
    measure = replace(rate, over=_of(rate.over, joined, left), under=_of(rate.under, joined, there))
    return replace(frame, measures=(measure,), where=tuple(one for one in frame.where if one is not dated[0]))


def _of(part: Measure | None, *where: Condition) -> Measure | None:
    """A count of the rows that these conditions hold of, in the place of those that it had."""
    return replace(part, where=where) if part is not None else None
