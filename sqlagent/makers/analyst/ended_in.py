"""Things of a state that ends them, dated by their end: "subscriptions cancelled in 2026" ended in that year, whenever they began."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics.words import ENDED, stems
from sqlagent.catalog.value_index import normal
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Slot
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import labels
from sqlagent.makers.analyst.unequal import LIKELY

_SAID = ENDED - stems("to until thru through sold")
"""Words of columns that say in a question that something ended."""


def ended_in(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame with its period, and its grain, at the end of what it counts; any other frame as it is."""
    thing = source.model.things[frame.anchor]
    begins = thing.begins or thing.default_time
    if not thing.ends or not begins or thing.ends == begins or not _is_dated_by_state(reading):
        return frame
    begin, end = source.slot(frame.anchor, begins), source.slot(frame.anchor, thing.ends)
    if any(_names(item, begin) for item in reading.items):
        return frame
    if thing.state and any(source.slot(frame.anchor, thing.state) in one.slots for one in frame.where):
        state = source.slot(frame.anchor, thing.state)
        if not any(_ends(one, state, source) for one in frame.where):
            return frame
    where = tuple(_dated(one, begin, end) for one in frame.where)
    by, per = _moved(frame.by, begin, end), _moved(frame.per, begin, end)
    return replace(frame, where=where, by=by, per=per)


def _dated(one: Condition, begin: Slot, end: Slot) -> Condition:
    """A condition of when something began as one of when it ended, each of several periods too."""
    if one.op == "any":
        return replace(one, parts=tuple(_dated(part, begin, end) for part in one.parts))
    return replace(one, slots=(end,)) if one.op == "period" and one.slots == (begin,) else one


def _moved(dimensions: Sequence[Dimension], begin: Slot, end: Slot) -> tuple[Dimension, ...]:
    return tuple(
        replace(one, shown=(end,), keys=()) if one.grain and one.shown == (begin,) else one
        for one in dimensions
    )


def _ends(one: Condition, state: Slot, source: Source) -> bool:
    """Whether a condition keeps what is in a state that ends it."""
    if one.op != "in" or one.negated or one.slots != (state,) or len(one.values) != 1:
        return False
    said = dict(labels(source, state.field)).get(one.values[0], one.values[0])
    return bool({stem(word) for word in normal(said).split()} & ENDED)


def _is_dated_by_state(reading: Reading) -> bool:
    """Whether the period follows the word for the state: "cancelled in 2026"."""
    states = [
        n
        for n, item in enumerate(reading.items)
        if item.kind != "period" and set(map(stem, item.text.lower().split())) & _SAID
    ]
    dated = [n for n, item in enumerate(reading.items) if item.kind in ("period", "grain")]
    return bool(states) and any(n > states[0] for n in dated)


def _names(item: Item, slot: Slot) -> bool:
    return any(
        (one.kind, one.table, one.column) == ("field", slot.field.table, slot.field.column)
        for one in item.targets
        if one.cost <= LIKELY
    )
