"""Words that no frame holds and that make another question: "attended all courses" asks for each course, "average attendance" for no days.

Gives them as left out, so that the answer is a draft that names them.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_NEAR = 0.1
"""Cost up to which a word is the name of something."""

_COUNTED = re.compile(r"(?:ance|ence|tion|sion|ment)s?$")
"""Ends of nouns for deeds that are counted as well as timed."""

_TIMED = re.compile(
    r"\b(?:times?|days?|hours?|minutes?|weeks?|months?|years?|long|durations?|delays?|lengths?|lead|wait\w*|turnaround|lag|age|span|intervals?|gap|late|lateness|until|after|before|between|to)\b",
    re.IGNORECASE,
)
"""Words that ask for how long something takes."""


def each_left_out(reading: Reading, source: Source) -> list[str]:
    """ "All" of things to which something was done by others: "pupils who attended all courses"."""
    items = reading.items
    first = next((item for item in items if item.kind == "mention"), None)
    out = []
    for place in range(1, len(items) - 1):
        item, before, behind = items[place], items[place - 1], items[place + 1]
        related = any(one.op == "rel" for one in items[:place])
        is_all = item.op == "all" or item.text.lower() == "every" and related
        if not is_all or before is first or not _is_deed(before, source):
            continue
        ends, begun = _things(behind), _things(first)
        if ends and begun and not ends & begun:
            out.append(item.text)
    return out


def timed_deeds(frame: Frame, text: str, reading: Reading, source: Source) -> list[str]:
    """A noun for a deed that is averaged as how long it takes, where nothing says so: "average attendance"."""
    expr = frame.measures[0].expr if len(frame.measures) == 1 else None
    if expr is None or expr.op != "span" or frame.measures[0].agg != "avg" or _TIMED.search(text):
        return []
    return [
        item.text
        for item in reading.items
        if _is_deed(item, source) and _COUNTED.search(item.text.lower().split()[-1])
    ]


def rates_averaged(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """ "Average" of a share, where rates are stored: "average rate of active agents"."""
    first = frame.measures[0] if frame.measures else None
    if first is None or first.agg != "ratio" or not first.percent:
        return []
    at = next((n for n, item in enumerate(reading.items) if item.op == "agg" and item.detail == "avg"), None)
    behind = reading.items[at + 1] if at is not None and at + 1 < len(reading.items) else None
    if at is None or behind is None or behind.op != "rate" or not source.vocabulary.knows("rate"):
        return []
    return [reading.items[at].text]


def _is_deed(item: Item, source: Source) -> bool:
    best = item.targets[0] if item.kind == "mention" else None
    one = source.model.field(best.table, best.column) if best is not None and best.kind == "field" else None
    return one is not None and one.role is Role.TIME


def _things(item: Item | None) -> set[str]:
    if item is None or item.kind != "mention":
        return set()
    return {one.table for one in item.targets if one.kind == "thing" and one.cost <= _NEAR}
