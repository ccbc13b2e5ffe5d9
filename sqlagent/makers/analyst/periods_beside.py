"""How two periods are written: "revenue by country, 2025 vs 2024" as one row for each country, with a figure for each period.

The frame goes on as figures by year and country, which is what is changed, told and explained. Without groups the periods stay rows of
their own, as do figures whose parts do not stand alone.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.frames import PLAIN, Condition, Frame


def periods_beside(frame: Frame) -> Frame:
    """Give a frame that is grouped by its two periods and by something else with a figure for each period; any other as it is."""
    both = [c for c in frame.where if _is_of_two(c)]
    if len(both) != 1 or len(frame.measures) != 1 or frame.measures[0].agg not in PLAIN:
        return frame
    if frame.transform or frame.pivot or frame.per or frame.having or frame.limit is not None or frame.order:
        return frame
    first, second = both[0].parts
    when = [d for d in frame.by if d.grain == "year" and d.shown == first.slots]
    others = tuple(d for d in frame.by if d not in when)
    if len(when) != 1 or not others or any(d.grain for d in others) or not _are_of_two_years(both[0]):
        return frame
    measure = frame.measures[0]
    measures = tuple(
        replace(measure, where=(*measure.where, one), said=f"{measure.said} {telling.period(one.period)}")
        for one in (first, second)
        if one.period is not None
    )
    return replace(frame, measures=measures, by=others)


def _is_of_two(one: Condition) -> bool:
    """Whether a condition is that rows lie in one of two periods of one time."""
    if one.op != "any" or one.negated or len(one.parts) != 2:
        return False
    slots = {part.slots for part in one.parts}
    return len(slots) == 1 and all(part.op == "period" and not part.negated for part in one.parts)


def _are_of_two_years(one: Condition) -> bool:
    """Whether each period lies within a year of its own, as the groups of them did."""
    years = []
    for part in one.parts:
        period = part.period
        if period is None or period.first is None or period.until is None:
            return False
        if (period.until - period.first).days > 366:
            return False
        years.append(period.first.year)
    return len({*years}) == 2
