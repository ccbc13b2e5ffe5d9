"""Columns that hold lists: what their entries mean in a frame, and where a frame takes a whole list for one value.

Leaves to `catalog.semantics.entries` which columns hold lists. An entry is asked for by being in the list. Groups, distinct values
and places in an order are of whole lists; such a frame is a draft.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Field
from sqlagent.catalog.value_index import normal
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import figures
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

ANY = 0.01
"""The cost of either of two entries beside both of them, where "and" may say either."""

_ALL = ("as well as", "also", "and also", "plus")
_HELD = frozenset({"with", "that have", "which have", "that has", "which has", "having", "have", "has", "who have", "containing"})  # fmt: skip
_INCLUDES = frozenset({"include", "includes", "including", "contain", "contains", "lists", "list"})


def entry_of(field: Field, text: str) -> str:
    """The entry of a column's lists that a word is, by its letters or its stem; empty where it is none."""
    said = normal(text)
    same = (entry for entry in field.entries if normal(entry) == said)
    alike = (entry for entry in field.entries if stem(normal(entry)) == stem(said))
    return next(same, "") or next(alike, "")


def listing(reading: Reading, source: Source) -> Reading:
    """Give a reading without the verbs that only say that an entry is in a list: "whose equipment includes a projector"."""
    items = reading.items
    idle = [
        one
        for one, two in zip(items, items[1:], strict=False)
        if (one.op == "contain" or one.text.lower() in _INCLUDES) and _is_entry(two, source)
    ]
    if not idle:
        return reading
    unknown = tuple(word for word in reading.unknown if word not in {one.text for one in idle})
    return replace(reading, items=tuple(one for one in items if one not in idle), unknown=unknown)


def _is_entry(item: Item, source: Source) -> bool:
    best = item.targets[0] if item.targets else None
    one = source.model.field(best.table, best.column) if best is not None and best.kind == "value" else None
    return one is not None and bool(one.separator)


def whole_lists(frame: Frame) -> str:
    """The remark on a frame that takes whole lists for values; empty where it takes none."""
    listed = next((slot.field.said for slot in _taken_whole(frame) if slot.field.separator), "")
    return f"The lists in “{listed}” are taken as they are, not entry by entry." if listed else ""


def _taken_whole(frame: Frame) -> Iterator[Slot]:
    for dimension in (*frame.by, *frame.per):
        yield from (dimension.shown if not dimension.keys else ())
    if frame.distinct and len(frame.columns) == 1:
        yield from frame.columns
    for measure in figures(frame):
        if measure.expr is not None and measure.agg != "rows":
            yield from measure.expr.slots


def any_of_them(frame: Frame, reading: Reading) -> list[Frame]:
    """A frame of rows that have all of some entries, and beside it that of rows with any of them, where "and" may say both: "for cats and dogs"."""
    listed: dict[Slot, list[Condition]] = {}
    for one in frame.where:
        if one.op == "in" and not one.negated and one.slots[0].field.separator:
            listed.setdefault(one.slots[0], []).append(one)
    several = next((held for held in listed.values() if len(held) > 1), None)
    if several is None:
        return [frame]
    either = replace(several[0], values=tuple(value for one in several for value in one.values))
    where = tuple(either if one is several[0] else one for one in frame.where if one not in several[1:])
    for item in reading.items:
        said = item.text.lower()
        if item.op == "vs":
            return [replace(frame, where=where)]
        if item.op == "both" or item.op == "and" and said in _ALL or said in _HELD | _INCLUDES:
            return [frame]
    return [frame, replace(frame, where=where, cost=round(frame.cost + ANY, 4))]
