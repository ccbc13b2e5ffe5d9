"""What a word says of the state of the rows beside it: "active drivers" have no last day, sailings cancelled bear that status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import fold
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import CURRENT, current
from sqlagent.makers.analyst.vocabulary import Target

_LIKE = 0.25
"""Cost up to which a word is a form of a stored value: cancel of cancelled."""


def holding(reading: Reading, source: Source) -> Reading:
    """Give a reading in which an unknown word for what holds still is an operator, beside a noun whose rows tell it."""
    items = list(reading.items)
    found = []
    for at, item in enumerate(items):
        if item.kind != "unknown" or fold(item.text) not in CURRENT:
            continue
        beside = (items[at - 1] if at else None, items[at + 1] if at + 1 < len(items) else None)
        if any(_holds(one, source) for one in beside if one is not None):
            items[at] = Item("op", item.start, item.end, item.text, op="current")
            found.append(item.text)
    items = [_of_its_own(item, items, source) for item in items]
    if not found:
        return replace(reading, items=tuple(items))
    unknown = tuple(word for word in reading.unknown if word not in found)
    asked = tuple(word for word in reading.asked if word not in found)
    return replace(reading, items=tuple(items), unknown=unknown, asked=asked)


def _holds(noun: Item, source: Source) -> bool:
    """Whether a noun names rows of which it is told whether they hold still."""
    best = noun.targets[0] if noun.kind == "mention" else None
    return best is not None and best.kind == "thing" and current(source, best.table) is not None


def _of_its_own(item: Item, items: Sequence[Item], source: Source) -> Item:
    """A deed that is a value of the state of what is counted is that value, not the same deed of rows that hang on it."""
    counted = next((one for one in items if one.kind == "mention" and one.targets[0].kind == "thing"), None)
    if item.kind != "mention" or counted is None or item is counted:
        return item
    best, table = item.targets[0], counted.targets[0].table
    one = source.model.field(best.table, best.column) if best.kind == "field" else None
    if one is None or one.role is not Role.TIME or best.table == table:
        return item
    if any(
        target.kind == "thing" and target.table == best.table
        for other in items
        for target in other.targets[:1]
    ):
        return item
    state = source.model.things[table].state
    own = [
        t
        for t in item.targets
        if t.kind == "value" and (t.table, t.column) == (table, state) and t.cost < _LIKE
    ]
    if own:
        return replace(item, targets=(replace(own[0], cost=best.cost), *item.targets))
    for coded, code, _ in source.vocabulary.shortened.coded(fold(item.text)):
        if (coded.table, coded.column) == (table, state):
            # written out of a code of letters, it is no deed of other rows
            return replace(item, targets=(Target("value", table, state, code, best.cost, code),))
    return item
