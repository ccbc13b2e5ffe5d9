"""Ends that a question asks for and a frame leaves out: the last beside the first, and how many there were when each month ended."""

from __future__ import annotations

from itertools import pairwise

from sqlagent.catalog.semantics import Model
from sqlagent.language.words import fold
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.states import CURRENT

_OF_EACH = frozenset({"of each", "of every"})


def one_end_alone(frame: Frame, reading: Reading) -> list[str]:
    """The second of both ends, where only one is computed: "first order date and last order date"."""
    ranks = [item for item in reading.items if item.op == "rank"]
    ends = {item.detail: item.text for item in ranks if item.detail in ("old", "new")}
    aggs = {one.agg for one in frame.measures} & {"min", "max"}
    if len(ends) < 2 or len(aggs) != 1:
        return []
    return [ends["new" if aggs == {"min"} else "old"]]


def at_each_end(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """How many there were at a time, month by month, where rows are grouped by the month they began in.

    "MRR at the end of each month", "active subscriptions per month": who began in March and is there today is not
    who was there in March.
    """
    begun = [
        slot
        for one in frame.by
        if one.grain
        for slot in one.shown
        if (thing := model.things[slot.field.table]).ends
        and slot.field.column in (thing.begins, thing.default_time)
    ]
    if not begun:
        return []
    for before, item in pairwise(reading.items):
        if item.text.lower() in _OF_EACH and before.op == "of" and before.end + 1 < item.start:
            return [f"end {item.text}"]
    stated = any(one.op != "period" for one in frame.where)
    states = [item.text for item in reading.items if fold(item.text) in CURRENT or item.op == "current"]
    return states[:1] if stated else []
