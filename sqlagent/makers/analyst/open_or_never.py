"""Things by rows of theirs that are done with or not: "books not returned" are out still, or were never brought back, "books on loan" have a loan now.

Of things that something was not done with, nothing tells which of both is meant, so that somebody has to say.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.attaching import NO_STATE, NOW
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import PAYING, current
from sqlagent.makers.analyst.voids import EITHER


def open_or_never(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """Give the frame of things without such a deed; where their rows may lack it, that of things with such a row before it."""
    denied = next((one for one in frame.where if _lacks_deed(one, source)), None)
    if denied is None or not any(i.op == "not" and "never" not in i.text.lower() for i in reading.items):
        return [frame]
    lacking = replace(denied, negated=False, parts=(replace(denied.parts[0], op="missing"),))
    still = replace(frame, where=tuple(lacking if one is denied else one for one in frame.where))
    return [still, replace(frame, cost=round(frame.cost + EITHER, 4))]


def _lacks_deed(one: Condition, source: Source) -> bool:
    """Whether things are to have no row with the day of a deed, while rows begin by another day."""
    if one.op != "exists" or not one.negated or one.number is not None or len(one.parts) != 1:
        return False
    part = one.parts[0]
    if part.op != "filled" or part.negated or len(part.slots) != 1 or part.slots[0].path:
        return False
    deed = part.slots[0].field
    if deed.table != one.child or deed.role is not Role.TIME or deed.filled == 1:
        return False
    return any(f != deed and f.filled == 1 for f in source.model.of_role(one.child, Role.TIME))


def on_now(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame of things that are "on loan", or not "on hire", by such rows that are not over; with the words left out where nothing tells."""
    for one in frame.where:
        items = [i for i in reading.items if i.text.lower().startswith("on ") and _names(i, one.child)]
        said = [item.text for item in items]
        is_done = len(one.parts) == 1 and any(_is_done(one.parts[0], one.child, item) for item in items)
        if one.op != "exists" or one.number is not None or one.parts and not is_done or not said:
            continue
        held = current(source, one.child) or _not_done(one.child, source)
        if held is None:
            return leaving_out(frame, said)
        now = replace(one, parts=(held,))
        frame = replace(frame, where=tuple(now if kept is one else kept for kept in frame.where))
        return _without_current(frame)
    listed = reading.items[0] if reading.items else None
    counted = [i.text for i in reading.items if i.text.lower().startswith("on ") and _names(i, frame.anchor)]
    of_others = listed is not None and listed.kind == "mention" and not _names(listed, frame.anchor)
    counts = len(frame.by) == 1 and [one.agg for one in frame.measures] == ["rows"]
    return leaving_out(frame, counted) if counted and of_others and counts else frame


def _without_current(frame: Frame) -> Frame:
    """The frame without a "currently" among its unused words, which says twice that such rows are not over."""
    if NOW not in frame.unused:
        return frame
    unused = tuple(word for word in frame.unused if word != NOW)
    return replace(frame, unused=unused, cost=round(frame.cost - NO_STATE, 4))


def _names(item: Item, table: str) -> bool:
    return any(target.kind == "thing" and target.table == table for target in item.targets)


def _is_done(part: Condition, child: str, item: Item) -> bool:
    """Whether a row is asked to have the day of a deed, which is how "on repair" is read where a repair has one."""
    named = {(t.table, t.column) for t in item.targets if t.kind == "field" and t.table == child}
    days = [slot.field for slot in part.slots if not slot.path and slot.field.role is Role.TIME]
    return part.op == "filled" and not part.negated and any((f.table, f.column) in named for f in days)


def _not_done(table: str, source: Source) -> Condition | None:
    """That a row lacks the one day that not every row has, but for that on which it is paid."""
    days = [f for f in source.model.of_role(table, Role.TIME) if f.filled < 1 and not {*f.words} & PAYING]
    return Condition("missing", (Slot(days[0]),)) if len(days) == 1 else None
