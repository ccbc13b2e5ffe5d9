"""Groups and stored values: groups of one sort, and values of what is shown.

A value behind "by" or "each" names rows rather than one row: "last booking of each key account" is one group for each customer whose
segment is that. A value elsewhere that two columns store is the groups' own: "revenue per tariff without Business" leaves out that tariff.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Kind
from sqlagent.makers.analyst.attaching import EXACT
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import Target

_COMING = frozenset({"came", "come", "comes", "coming", "arrived", "got", "reached", "found"})
"""Words behind which "by" tells the way somebody came, rather than groups."""


def of_one_sort(reading: Reading, source: Source) -> Reading:
    """Put the value before "by" and the thing behind it."""
    items: list[Item] = []
    for item in reading.items:
        behind = bool(items) and items[-1].op == "by"
        table = _sorted_by(item, source) if behind and item.kind == "mention" else ""
        way = bool(table) and _is_way_there(items, reading)
        if way:
            items[-1] = item
        elif table:
            by = items.pop()
            value = replace(item, targets=tuple(t for t in item.targets if t.kind == "value"))
            items += [value, by, replace(item, targets=(Target("thing", table),))]
        else:
            items.append(item)
    return replace(reading, items=tuple(items)) if len(items) != len(reading.items) else reading


def _is_way_there(items: Sequence[Item], reading: Reading) -> bool:
    """Whether a "by" stands behind a word for how somebody came, so that no groups follow: "members that came by referral"."""
    before = items[-2].end if len(items) > 1 else 0
    return items[-1].text.lower() == "by" and before < items[-1].start and bool(reading.glued & _COMING)


def of_shown_groups(reading: Reading, source: Source) -> Reading:
    """Read a value as one of the groups that are shown where it is stored there; not right before a noun, which it describes."""
    shown: set[tuple[str, str]] = set()
    for before, item in pairwise(reading.items):
        if before.op == "by" and item.kind == "mention":
            shown |= {column for target in item.targets[:1] for column in _shown_by(target, source)}
    if not shown:
        return reading
    items = [item if _describes(item, reading.items) else _first_of(item, shown) for item in reading.items]
    return replace(reading, items=tuple(items))


def _shown_by(target: Target, source: Source) -> set[tuple[str, str]]:
    """The columns by which groups are told apart: of things their names."""
    if target.kind == "field":
        return {(target.table, target.column)}
    if target.kind != "thing":
        return set()
    return {(target.table, column) for column in source.model.things[target.table].display}


def _describes(item: Item, items: tuple[Item, ...]) -> bool:
    """Whether a thing follows right behind: "business members"."""
    return any(
        other.start == item.end and other.kind == "mention" and other.targets[0].kind == "thing"
        for other in items
    )


def _first_of(item: Item, shown: set[tuple[str, str]]) -> Item:
    best = item.targets[0] if item.kind == "mention" and item.targets else None
    if best is None or best.kind != "value" or (best.table, best.column) in shown:
        return item
    own = tuple(
        target
        for target in item.targets
        if target.kind == "value"
        and (target.table, target.column) in shown
        and target.cost <= best.cost + 0.1
    )
    return replace(item, targets=own) if own else item


def _sorted_by(item: Item, source: Source) -> str:
    """The table of things that a mention's value sorts; empty where the mention is a name, or rather something else."""
    best = item.targets[0] if item.targets else None
    if best is None or best.kind != "value" or best.cost > EXACT:
        return ""
    thing = source.model.things[best.table]
    is_name = best.column in thing.display or best.column in thing.key
    return best.table if thing.kind is Kind.THING and thing.display and not is_name else ""
