"""Two periods or two values side by side: "revenue by country, 2025 vs 2024", "cancelled visits and no-shows per month".

There is one row for each group, and a figure for each period or value. Without groups two periods stay rows of their own, as do
figures whose parts do not stand alone.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.reading import Item, Reading

_PLAIN = frozenset({"rows", "distinct", "sum", "avg", "min", "max"})


def periods_beside(frame: Frame) -> Frame:
    """Give a frame that is grouped by its two periods and by something else with a figure for each period; any other as it is."""
    both = [c for c in frame.where if _is_of_two(c)]
    if len(both) != 1 or len(frame.measures) != 1 or frame.measures[0].agg not in _PLAIN:
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


def values_beside(frame: Frame, reading: Reading) -> Frame:
    """Give a frame of rows with one of two values, of which each was said with a noun of its own, with a figure for each; any other as it is."""
    if frame.transform or frame.pivot or frame.per or frame.having or frame.limit is not None or frame.order:
        return frame
    if len(frame.measures) != 1 or frame.measures[0].agg not in _PLAIN:
        return frame
    items = reading.items
    for one, noun, joint, other in zip(items, items[1:], items[2:], items[3:], strict=False):
        if joint.op != "and" or joint.text.lower() not in ("and", "&") or not _names(noun, frame.anchor):
            continue
        for held in frame.where:
            first, second = _value_of(one, held), _value_of(other, held)
            if len(held.values) == 2 and first and second and first != second:
                measure = frame.measures[0]
                measures = tuple(
                    replace(measure, where=(*measure.where, replace(held, values=(value,))), said=said)
                    for value, said in ((first, f"{one.text} {noun.text}"), (second, other.text))
                )
                return replace(frame, measures=measures)
    return frame


def _names(item: Item, table: str) -> bool:
    return item.kind == "mention" and any(t.kind == "thing" and t.table == table for t in item.targets[:1])


def _value_of(item: Item, held: Condition) -> str:
    """The value of a condition that a word names; empty where it names none."""
    if held.op != "in" or held.negated or len(held.slots) != 1:
        return ""
    field = held.slots[0].field
    for target in item.targets[:2]:
        if target.kind == "value" and (target.table, target.column) == (field.table, field.column):
            return target.value if target.value in held.values else ""
    return ""


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
