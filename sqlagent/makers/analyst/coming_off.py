"""Returns that a net figure would be without: plain revenue is no net revenue where returns are recorded."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics.words import CAME_BACK
from sqlagent.language.saying import worded
from sqlagent.language.words import plural_of, stem
from sqlagent.makers.analyst.frames import Frame, Measure
from sqlagent.makers.analyst.source import Source

_NET = "net "


def not_taken_off(frame: Frame, source: Source) -> tuple[Frame, str]:
    """Give the frame with such figures called what they are, and what is said of it; nothing is said of a stored net amount."""
    gross = [one for one in frame.measures if _is_called_net(one)]
    returned = [
        thing
        for thing in source.model.things.values()
        if set(thing.noun) & CAME_BACK and any(one.unit == "money" for one in source.measures(thing.table))
    ]
    if not gross or not returned:
        return frame, ""
    measures = tuple(
        replace(one, said=one.said[len(_NET) :]) if one in gross else one for one in frame.measures
    )
    said = plural_of(returned[0].said)
    return replace(frame, measures=measures), worded("the {rows} are not taken off.", rows=said)


def _is_called_net(one: Measure) -> bool:
    """Whether a sum is called net, and is of no column that is so by its name."""
    if one.agg != "sum" or one.expr is None or not one.said.lower().startswith(_NET):
        return False
    return not any(stem("net") in slot.field.words for slot in one.expr.slots)
