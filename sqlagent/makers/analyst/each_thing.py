"""A figure that things hold, per thing of that kind: "wage per driver" lists each driver with the wage, and averages nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Kind
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_PER = frozenset({"per", "for each", "for every", "each", "by", "of each"})


def each_thing(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the list of things with the figure that each holds, where the question asks for it per such a thing; any other frame as it is."""
    only = frame.measures[0] if len(frame.measures) == 1 else None
    if only is None or only.expr is None or only.expr.op != "column" or only.where:
        return frame
    if frame.by or frame.per or frame.transform or frame.having or frame.order or frame.limit:
        return frame
    if any(one.op == "period" for one in frame.where):
        return frame  # a figure of a period is none that things hold
    slot = only.expr.slots[0]
    if slot.path or source.model.things[frame.anchor].kind is not Kind.THING:
        return frame
    if any(item.op in ("agg", "count", "share", "rate", "ratio") for item in reading.items):
        return frame
    for per, noun in pairwise(reading.items):
        named = {t.table for t in noun.targets if t.kind == "thing" and t.cost < SURE}
        if per.text.lower() in _PER and frame.anchor in named:
            return replace(frame, measures=(), columns=(*source.shown(frame.anchor), slot))
    return frame
