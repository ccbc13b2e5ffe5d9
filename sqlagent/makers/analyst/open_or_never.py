"""Things that something was not done with: "books not returned" are out still, or were never brought back, where loans keep the day of their return.

Nothing tells which of both is meant, so that somebody has to say.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.voids import EITHER


def open_or_never(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """Give the frame of things without such a deed; where their rows may lack it, that of things with such a row before it."""
    denied = next((one for one in frame.where if _lacks_deed(one, reading, source)), None)
    if denied is None or not any(item.op == "not" and item.text.lower() != "never" for item in reading.items):
        return [frame]
    lacking = replace(denied, negated=False, parts=(replace(denied.parts[0], op="missing"),))
    still = replace(frame, where=tuple(lacking if one is denied else one for one in frame.where))
    return [still, replace(frame, cost=round(frame.cost + EITHER, 4))]


def _lacks_deed(one: Condition, reading: Reading, source: Source) -> bool:
    """Whether things are to have no row with the day of a deed, while rows begin by another day, and the question does not name them."""
    if one.op != "exists" or not one.negated or one.number is not None or len(one.parts) != 1:
        return False
    part = one.parts[0]
    if part.op != "filled" or part.negated or len(part.slots) != 1 or part.slots[0].path:
        return False
    deed = part.slots[0].field
    begun = [f for f in source.model.of_role(one.child, Role.TIME) if f != deed and f.filled == 1]
    if deed.table != one.child or deed.role is not Role.TIME or deed.filled == 1 or not begun:
        return False
    return not any(
        target.kind == "thing" and target.table == one.child
        for item in reading.items
        for target in item.targets[:1]
    )
