"""The owner of a group: "top 3 stores per region" goes by the stores' own region, where customers have one too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlagent.catalog.semantics import Field
from sqlagent.makers.analyst.frames import Dimension, Frame, Slot
from sqlagent.makers.analyst.source import Source


def in_its_group(frame: Frame, source: Source) -> Frame:
    """Give the frame whose ranks are counted within a group that the ranked things have of their own, where they have it."""
    ranked = [one for one in frame.by if one.keys and not one.grain]
    if len(ranked) != 1 or not frame.per:
        return frame
    key = ranked[0].keys[0]
    own = {one.words: one for one in source.model.fields[key.field.table]}
    return replace(frame, per=tuple(_owned(one, key, own) for one in frame.per))


def _owned(one: Dimension, key: Slot, own: Mapping[tuple[str, ...], Field]) -> Dimension:
    slot = one.shown[0] if len(one.shown) == 1 and not one.grain and not one.keys else None
    if slot is None or slot.field.table == key.field.table:
        return one
    field = own.get(slot.field.words)
    return replace(one, shown=(replace(key, field=field),)) if field is not None else one
