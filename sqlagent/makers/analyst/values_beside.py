"""Two values that were said with nouns of their own, as two figures: "cancelled visits and no-shows per month"."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.frames import PLAIN, Condition, Frame
from sqlagent.makers.analyst.reading import Item, Reading


def values_beside(frame: Frame, reading: Reading) -> Frame:
    """Give a frame of rows with one of two values, of which each was said with a noun of its own, with a figure for each; any other as it is."""
    if frame.transform or frame.pivot or frame.per or frame.having or frame.limit is not None or frame.order:
        return frame
    if len(frame.measures) != 1 or frame.measures[0].agg not in PLAIN:
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
