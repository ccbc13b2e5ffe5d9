"""Deeds whose day is ahead of today for some rows: "ended leases" have come to their last day, "unfinished courses" have not."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from sqlagent.language.lexicon import words_of
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Frame, Slot
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.held_today import OVER, over, reaches_beyond, still
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_BEGUN = words_of("started begun began commenced opened arrived")
"""Participles of what holds from its day on."""

_COMING = words_of("expiring ending lapsing maturing valid")
"""Words of what is yet to come, or holds until a day: within which time, or as far as what else tells, has to be said."""


def come_to_pass(frame: Frame, reading: Reading, source: Source, today: date) -> Frame:
    """Give the frame of such a deed with the rows whose day has come, or of which it is still ahead where that is denied by a prefix."""
    for item in reading.items:
        slot = _deed(item, frame, source, today)
        if slot is None:
            continue
        if item.text.lower().split()[-1] in _COMING:
            frame = leaving_out(frame, [item.text])
            continue
        denied = item.targets[0].label == "un"
        day = today + timedelta(days=item.text.lower().split()[-1] in _BEGUN)
        rest = tuple(
            one for one in frame.where if not (one.op in ("missing", "filled") and one.slots == (slot,))
        )
        frame = replace(frame, where=(*rest, still(slot, day) if denied else over(slot, day)))
    return frame


def _deed(item: Item, frame: Frame, source: Source, today: date) -> Slot | None:
    """The time of the anchor's own rows that a participle names, where it reaches beyond today and no period bounds it."""
    best = item.targets[0] if item.kind == "mention" and item.targets else None
    if best is None or best.kind != "field" or best.table != frame.anchor:
        return None
    last = item.text.lower().split()[-1]
    if last not in OVER | _BEGUN | _COMING and not (
        best.label == "un" and last.removeprefix("un") in OVER | _BEGUN
    ):
        return None
    field = source.model.field(best.table, best.column)
    if field is None or not reaches_beyond(field, today) or last in _COMING and field.filled < 1:
        return None
    slot = Slot(field)
    bounds = [one for one in conditions(frame) if one.op == "period" and slot in one.slots]
    return None if bounds else slot
