"""Whether a row has something is whether it points at one: orders without a promo code point at no promo, as every promo has a code.

A column that all rows of another table fill is never missing behind a join, which leaves out the rows that point at none.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import with_conditions
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.telling import read_as


def by_pointing(frame: Frame, source: Source) -> Frame:
    """Give the frame with columns of other tables that are there or missing held as the key that points there."""
    why: list[str] = []
    changed = with_conditions(frame, lambda one: _held(one, source, why))
    return replace(changed, why=(*frame.why, *dict.fromkeys(why))) if why else frame


def _held(one: Condition, source: Source, why: list[str]) -> Condition:
    """A condition as it holds of the key; its reading goes into `why`."""
    if one.parts:
        return replace(one, parts=tuple(_held(part, source, why) for part in one.parts))
    if one.op not in ("missing", "filled") or len(one.slots) != 1:
        return one
    slot = one.slots[0]
    pointing = [
        Slot(key, slot.path[:place])
        for place, relation in enumerate(slot.path)
        if len(relation.columns) == 1
        and (key := source.model.field(relation.source, relation.columns[0])) is not None
        and key.filled < 1
    ]
    if slot.field.filled < 1 or len(pointing) != 1:
        return one
    why.append(read_as(slot.field.said, pointing[0].field.said))
    return replace(one, slots=(pointing[0],))
