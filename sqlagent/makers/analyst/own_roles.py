"""People called after their role: mechanics are the staff whose role is mechanic, before those who are the mechanic of some job."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import Target

_STORED = 0.2
"""Cost up to which a word is the stored text itself, in one number or the other."""

_LATER = 0.3
"""The cost of meaning somebody who has the role in some row."""


def with_own_roles(reading: Reading, source: Source) -> Reading:
    """Give a reading in which a role that a table stores is its own.

    Groups and ranks stay with the rows: jobs per mechanic are by who did them, and so are the top mechanics.
    """
    items = list(reading.items)
    if any(item.op == "rank" for item in items):
        return reading
    for place, item in enumerate(items):
        grouped = place > 0 and items[place - 1].op in ("by", "of", "and")
        if item.kind == "mention" and not grouped and item.targets[0].kind == "relation":
            items[place] = _by_role(item, source)
    return replace(reading, items=tuple(items))


def _by_role(item: Item, source: Source) -> Item:
    best = item.targets[0]
    people = {
        relation.target
        for relation in source.model.relations
        if (relation.source, relation.columns[:1]) == (best.table, (best.column,))
    }
    own = next(
        (t for t in item.targets if t.kind == "value" and t.table in people and t.cost <= _STORED), None
    )
    if own is None:
        return item
    others = (_later(target) for target in item.targets if target is not own)
    return replace(item, targets=(replace(own, cost=0.0), *others))


def _later(target: Target) -> Target:
    return replace(target, cost=round(target.cost + _LATER, 4))
