"""How long something lasts, said as its length: "average stay length", "length of a contract in days".

Decides whether such a length is a column of its own or the time between the two ends of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Field
from sqlagent.catalog.semantics.words import SPANS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.pairing import lasting, stayed
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import Target

LENGTHS = frozenset({"length", "lengths", "duration", "durations"})
"""Words for how long a row lasted."""

_NIGHTS = frozenset({"nights", "overnights", "overnight"})
_LASTING = {stem(w) for w in (*SPANS, "nights", "length")}
_WHOLE = {
    stem(w)
    for w in (
        "total",
        "actual",
        "in",
        "of",
        "number",
        "count",
        "run",
        "time",
        "elapsed",
        "m",
        "min",
        "h",
        "hrs",
        "stay",
        "service",
    )
}
"""Words beside which a length is that of the whole row."""

_SURE = 0.15
"""Cost below which a word is taken to be the very name of something."""


def lengths(reading: Reading, source: Source) -> Reading:
    """Give the reading with the length of something that happens as its own column, else as a time between."""
    items = reading.items
    for at, item in enumerate(items):
        if item.op == "span" and (stored := _stored_as(item.text, items, source)) is not None:
            target = Target("field", stored.table, stored.column, cost=0.02)
            return _with(reading, at, Item("mention", item.start, item.end, item.text, targets=(target,)))
        if item.text.lower() in _NIGHTS and item.kind != "op" and _stays(items, source, item):
            return _with(reading, at, Item("op", item.start, item.end, item.text, op="span"))
        if item.text.lower() not in LENGTHS or item.kind == "op" and item.op != "span":
            continue
        table = _whose(items, at, source)
        if not table or _has_own(item, table):
            continue
        column = _column(source, table)
        if column is not None:
            target = Target("field", table, column.column, cost=0.02)
            made = _with(reading, at, Item("mention", item.start, item.end, item.text, targets=(target,)))
            return replace(made, items=tuple(_without_owner(made.items, at, table, column.unit)))
        if item.kind != "op" and next(lasting(source, table, frozenset()), None) is not None:
            return _with(reading, at, Item("op", item.start, item.end, item.text, op="span"))
    return reading


def _stored_as(text: str, items: Sequence[Item], source: Source) -> Field | None:
    """The column in which a span is stored under its name: lead days for "lead time", of what is named where several have one."""
    first, _, last = text.lower().partition(" ")
    if last != "time":
        return None
    word, named = stem(first), {t.table for item in items for t in item.targets[:1]}
    found = [
        f
        for table in source.model.things
        for f in source.measures(table)
        if f.unit in SPANS.values() and word in f.words and set(f.words) <= {word, stem("time"), *_LASTING}
    ]
    own = [f for f in found if f.table in named]
    return own[0] if len(own) == 1 else found[0] if len(found) == 1 else None


def _with(reading: Reading, at: int, known: Item) -> Reading:
    """The reading with an item in the place of one, whose word is unknown no longer."""
    return replace(
        reading,
        items=(*reading.items[:at], known, *reading.items[at + 1 :]),
        unknown=_but(reading.unknown, known.text),
        asked=_but(reading.asked, known.text),
    )


def _stays(items: Sequence[Item], source: Source, night: Item) -> bool:
    """Whether nights are those between two times of something named, and no column counts them."""
    if any(t.kind == "field" and t.cost < _SURE for t in night.targets):
        return False
    named = {t.table for i in items if i.kind == "mention" for t in i.targets[:2] if t.kind == "thing"}
    return any(stayed(source, table) is not None for table in named if table in source.model.things)


def _but(words: Sequence[str], left: str) -> tuple[str, ...]:
    return tuple(word for word in words if word != left)


def _whose(items: Sequence[Item], at: int, source: Source) -> str:
    """The table whose rows a length is of: named right before it, or after "of"."""
    before = items[at - 1] if at else None
    beside = [before] if before is not None and before.end == items[at].start else []
    if at + 2 < len(items) and items[at + 1].op == "of" and items[at + 2].start - items[at].end < 4:
        beside.append(items[at + 2])
        if (
            at + 3 < len(items)
            and items[at + 3].kind == "mention"
            and items[at + 3].start == items[at + 2].end
        ):
            beside.append(items[at + 3])  # "length of a kennel stay": the head noun
    found = ""
    for item in beside:
        for target in item.targets[:2] if item.kind == "mention" else ():
            thing = source.model.things.get(target.table)
            if (
                target.kind == "thing"
                and target.cost < _SURE
                and thing
                and (thing.begins or thing.default_time)
            ):
                found = target.table
                break
    return found


def _has_own(item: Item, table: str) -> bool:
    """Whether the table has a column that bears the very word."""
    return any(t.kind == "field" and t.table == table and t.cost < _SURE for t in item.targets)


def _column(source: Source, table: str) -> Field | None:
    """The measure in which the lasting of rows is stored; overtime minutes are a part of it, and minutes planned are not it."""
    noun = source.model.things[table].noun
    return next(
        (
            f
            for f in source.measures(table)
            if set(f.words) & _LASTING and set(f.words) <= _LASTING | _WHOLE | {*noun}
        ),
        None,
    )


def _without_owner(items: Sequence[Item], at: int, table: str, unit: str) -> list[Item]:
    """The items without the noun whose length it is, which the column says already, and without the unit, where it is the column's."""
    kept: list[Item] = []
    for place, item in enumerate(items):
        named = any(t.kind == "thing" and t.table == table and t.cost < _SURE for t in item.targets[:2])
        if place != at and abs(place - at) <= 3 and item.kind == "mention" and named:
            continue
        if place == at + 1 and item.op == "of":
            continue
        asked = SPANS.get(item.text.lower(), item.text.lower())
        if place > at and asked in (unit, "nights") and items[place - 1].op == "of":
            continue
        kept.append(item)
    return kept
