"""Rows of a link that nobody speaks of: "books with their authors" lists books, each with its authors, and those without any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Relation, Role
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_NAMED = 0.05
"""Cost below which a word is the very name of a thing."""
_DEAR = 0.4
"""The cost of rows that nobody speaks of."""
_KEYS = (Role.KEY, Role.FOREIGN)
_GROUPING = frozenset({"by", "per", "each", "every"})


def pairs_listed(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the list of the things named first, each beside what a link joins it with; a link's own rows counted instead cost more.

    Things that the link does not have are listed too, unless what stands beside them is restricted.
    """
    ends = _ends(frame.anchor, source)
    named = _named_first(reading, ends)
    if not named:
        return frame
    way = ends[named]
    fields = source.model.fields[frame.anchor]
    if frame.measures:
        if any(one.role not in _KEYS for one in fields):
            return frame
        counts = all(one.agg in ("rows", "distinct") for one in frame.measures)
        grouped = any(item.op == "by" or item.text.lower().split()[-1] in _GROUPING for item in reading.items)
        only_there = all(one.op == "filled" and not one.negated for one in frame.where)
        is_likely = grouped or not (frame.by or frame.where)
        return frame if is_likely or not (counts and only_there) else replace(frame, cost=frame.cost + _DEAR)
    beside = tuple(
        slot
        for slot in frame.columns
        if slot.path[:1] != (way,) and (slot.path or slot.field.role not in _KEYS)
    )
    if (
        not any(slot.path for slot in beside)
        or not source.names(named)
        or frame.distinct
        or frame.order is not None
        or frame.per
    ):
        return frame
    columns = (*source.shown(named, (way,)), *beside)
    is_whole = all(one.slots and all(s.path[:1] == (way,) for s in one.slots) for one in frame.where)
    return replace(frame, columns=columns, with_empty=is_whole)


def _ends(table: str, source: Source) -> Mapping[str, Relation]:
    """The things that a link joins, by their tables; none of a table that holds figures or times."""
    fields = source.model.fields[table]
    ways = [one for one in source.graph.out[table] if len(one.columns) == 1]
    ends = {one.target: one for one in ways}
    is_link = source.model.things[table].kind is Kind.LINES and len(ways) == len(ends) == 2
    is_told = all(one.role in (*_KEYS, Role.DIMENSION, Role.FLAG) for one in fields)
    return ends if is_link and is_told else {}


def _named_first(reading: Reading, ends: Mapping[str, Relation]) -> str:
    """The end that is named first, where both are."""
    best = [item.targets[0] for item in reading.items if item.kind == "mention"]
    named = list(dict.fromkeys(t.table for t in best if t.kind == "thing" and t.cost < _NAMED))
    return named[0] if len(named) == 2 and set(named) == set(ends) else ""
