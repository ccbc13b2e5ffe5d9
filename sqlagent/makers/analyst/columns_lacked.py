"""Things that somebody lacks are columns of theirs: clients without an email have no such column filled, whatever channel is called email."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_LACK = frozenset(
    {"no", "have no", "has no", "with no", "without", "without an", "without any", "lack", "missing"}
)
"""Words before what is not there."""

_OWN = 0.05
"""The cost of such a column."""


def columns_lacked(reading: Reading, source: Source) -> Reading:
    """Give the reading in which a word behind "no" or "without" is first of all the column of the noun before it that not all rows fill."""
    items = list(reading.items)
    for at in range(2, len(items)):
        owner, no, item = items[at - 2 : at + 1]
        if no.op in ("not", "missing", "without") and no.text.lower() in _LACK:
            items[at] = _of_its_owner(item, owner, source)
    return replace(reading, items=tuple(items))


def _of_its_owner(item: Item, owner: Item, source: Source) -> Item:
    if item.kind != "mention" or owner.kind != "mention" or owner.targets[0].kind != "thing":
        return item
    best = item.targets[0]
    if best.kind != "value" or best.table == owner.targets[0].table:
        return item
    for target in item.targets:
        one = source.model.field(target.table, target.column) if target.kind == "field" else None
        if (
            one is not None
            and one.table == owner.targets[0].table
            and one.filled < 1
            and one.role is not Role.KEY
        ):
            others = tuple(other for other in item.targets if other is not target)
            return replace(item, targets=(replace(target, cost=_OWN), *others))
    return item
