"""Two columns of one row held against each other: "where the payer is not the holder", "billing city differs from the shipping city".

Decides it by the words between two mentions of one table. What stands there is one item, which is held as one condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Model, Role
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.vocabulary import Target

SURE = 0.2
"""Cost up to which a word surely means a column."""

_UNLIKE = frozenset({"differs", "differ", "differed", "different", "deviates", "deviate", "unequal"})
_NOT = frozenset({"not", "isn't", "wasn't", "aren't", "other than"})


def unequal(reading: Reading, model: Model) -> Reading:
    """Give a reading in which two columns that are said to differ are one item of kind pair."""
    items = list(reading.items)
    unknown = list(reading.unknown)
    for at in range(len(items) - 2, 0, -1):
        length = _between(items, at) if at < len(items) else 0
        if not length or at + length >= len(items):
            continue
        first, second = items[at - 1], items[at + length]
        found = next(_columns(first, second, model), None)
        if found is None or items[at].op == "not" and not _is_said_of(first, items[at], found, model):
            continue
        text = f"{first.text} {items[at].text} {second.text}"
        pair = Item("pair", first.start, second.end, text, targets=found)
        if at > 2 and items[at - 2].op == "where":
            items[at - 2] = replace(items[at - 2], op="rel")
        unknown = [word for word in unknown if word != items[at].text]
        items[at - 1 : at + length + 1] = [pair]
    if len(items) == len(reading.items):
        return reading
    asked = tuple(word for word in reading.asked if word in unknown)
    return replace(reading, items=tuple(items), unknown=tuple(unknown), asked=asked)


def _is_said_of(first: Item, no: Item, found: tuple[Target, Target], model: Model) -> bool:
    """Whether a verb stands before the "not", and neither is a deed: "paid but not shipped" are two things that happen."""
    roles = {one.role for t in found if (one := model.field(t.table, t.column)) is not None}
    return not roles & {Role.TIME, Role.FLAG} and (no.start > first.end or no.text.lower() != "not")


def _between(items: Sequence[Item], at: int) -> int:
    """Of how many items the words for being different are made that begin here; 0 where there are none."""
    low = items[at].text.lower()
    if low in _NOT and items[at].kind == "op":
        return 1
    if low in _UNLIKE and at + 1 < len(items):
        return 2 if items[at + 1].text.lower() in ("from", "to") else 1
    return 0


def _columns(first: Item, second: Item, model: Model) -> Iterator[tuple[Target, Target]]:
    """The columns of one table that two mentions surely mean, of one role and leading to one table."""
    if first.kind != "mention" or second.kind != "mention":
        return
    for one in _sure(first):
        for other in _sure(second):
            if one.table != other.table or one.column == other.column:
                continue
            own, its = model.field(one.table, one.column), model.field(other.table, other.column)
            if own is None or its is None or own.role is not its.role or own.form is not its.form:
                continue
            if one.relation is None or other.relation is None or one.relation.target == other.relation.target:
                yield one, other


def _sure(item: Item) -> list[Target]:
    return [t for t in item.targets if t.kind in ("relation", "field") and t.cost <= SURE and t.column]
