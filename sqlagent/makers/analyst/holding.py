"""States in a word about the rows beside it: "active drivers" have no last day, sailings cancelled bear that status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import fold
from sqlagent.makers.analyst.reading import SAME, Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import CURRENT, current
from sqlagent.makers.analyst.targets import Target

_LIKE = 0.25
"""Cost up to which a word is a form of a stored value: cancel of cancelled."""


_DECIDED = stems("status state stage phase decision approval outcome")
"""Words of columns that tell what a row has come to."""


def holding(reading: Reading, source: Source) -> Reading:
    """Give a reading in which an unknown word for what holds still is an operator, beside a noun whose rows tell it."""
    items = _valid(_said_by_state(reading.items, source), source)
    found = []
    for at, item in enumerate(items):
        if item.kind != "unknown" or fold(item.text) not in CURRENT:
            continue
        if at and items[at - 1].op == "current":  # "still active" says it twice
            items[at - 1] = replace(items[at - 1], end=item.end, text=f"{items[at - 1].text} {item.text}")
            items[at] = replace(item, kind="glue")
            found.append(item.text)
            continue
        beside = (items[at - 1] if at else None, items[at + 1] if at + 1 < len(items) else None)
        if any(_holds(one, source) for one in beside if one is not None):
            items[at] = Item("op", item.start, item.end, item.text, op="current")
            found.append(item.text)
    items = [
        _of_its_own(item, items, source) for item in items if item.kind != "glue" or item.text not in found
    ]
    if not found:
        return replace(reading, items=tuple(items))
    unknown = tuple(word for word in reading.unknown if word not in found)
    asked = tuple(word for word in reading.asked if word not in found)
    return replace(reading, items=tuple(items), unknown=unknown, asked=asked)


def _said_by_state(items: Sequence[Item], source: Source) -> list[Item]:
    """Items without a "still" right before the very name of a state, or before what is denied.

    "Requests that are still pending" are pending; "tickets still unresolved" have no such day, whichever of their states they are in.
    """
    model = source.model
    states = {(thing.table, thing.state) for thing in model.things.values() if thing.state}
    states |= {
        (table, one.column)
        for table, own in model.fields.items()
        for one in own
        if one.few and set(one.words) & _DECIDED
    }
    kept = []
    for at, item in enumerate(items):
        after = items[at + 1] if at + 1 < len(items) else None
        best = after.targets[0] if after is not None and after.kind == "mention" else None
        stated = best is not None and best.kind == "value" and best.cost < SAME
        if item.op == "current" and stated and best is not None and (best.table, best.column) in states:
            continue
        if item.op == "current" and item.text.lower() == "still" and _is_denied(items[at + 1 :], source):
            continue
        kept.append(item)
    return kept


def _valid(items: Sequence[Item], source: Source) -> list[Item]:
    """Items of which "valid" before a noun is the state of rows that have a day until when they are valid, or none."""

    found = list(items)
    for at, (item, noun) in enumerate(pairwise(items)):
        if item.kind != "mention" or item.text.lower() != "valid":
            continue
        ends = {(t.table, t.column) for t in item.targets}
        named = [source.model.things[t.table] for t in noun.targets[:1] if t.kind == "thing"]
        if any(thing.ends and (thing.table, thing.ends) in ends for thing in named):
            found[at] = Item("op", item.start, item.end, item.text, op="current")
    return found


def _is_denied(after: Sequence[Item], source: Source) -> bool:
    """Whether what follows denies a deed: unresolved, not resolved."""
    if not after or after[0].op not in ("", "not"):
        return False
    is_not = after[0].op == "not"
    deed = after[1] if is_not and len(after) > 1 else after[0]
    best = deed.targets[0] if deed.kind == "mention" else None
    one = source.model.field(best.table, best.column) if best is not None and best.kind == "field" else None
    return one is not None and best is not None and one.role is Role.TIME and (is_not or best.label == "un")


def _holds(noun: Item, source: Source) -> bool:
    """Whether a noun names rows, or things of one kind, of which it is told whether they hold still: customers, and those that are schools."""
    best = noun.targets[0] if noun.kind == "mention" else None
    if best is None or best.kind not in ("thing", "value"):
        return False
    is_of_rows = best.kind == "thing" or source.model.things[best.table].kind is Kind.THING
    return is_of_rows and current(source, best.table) is not None


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
