"""Groups of one sort: "last booking of each key account" is one group for each customer whose segment is that.

A value behind "by" or "each" names rows rather than one row, so it is read as the thing it sorts, with the value as a restriction.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Kind
from sqlagent.makers.analyst.attaching import EXACT
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.vocabulary import Target


def of_one_sort(reading: Reading, source: Source) -> Reading:
    """Put the value before "by" and the thing behind it."""
    items: list[Item] = []
    for item in reading.items:
        behind = bool(items) and items[-1].op == "by"
        table = _sorted_by(item, source) if behind and item.kind == "mention" else ""
        if table:
            by = items.pop()
            value = replace(item, targets=tuple(t for t in item.targets if t.kind == "value"))
            items += [value, by, replace(item, targets=(Target("thing", table),))]
        else:
            items.append(item)
    return replace(reading, items=tuple(items)) if len(items) > len(reading.items) else reading


def _sorted_by(item: Item, source: Source) -> str:
    """The table of things that a mention's value sorts; empty where the mention is a name, or rather something else."""
    best = item.targets[0] if item.targets else None
    if best is None or best.kind != "value" or best.cost > EXACT:
        return ""
    thing = source.model.things[best.table]
    is_name = best.column in thing.display or best.column in thing.key
    return best.table if thing.kind is Kind.THING and thing.display and not is_name else ""
