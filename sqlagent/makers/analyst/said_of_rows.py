"""Participles right beside a noun: "boats sold" are those with such a day, and not all with that day beside them; boats bought are none that were sold."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.lexicon import PARTICIPLES
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

BUYING = frozenset({"bought", "purchased", "acquired"})
_SELLING = stems("sell sold sale")


def not_sold(reading: Reading, source: Source) -> Reading:
    """Give the reading in which a word for buying is no day on which some rows were sold: these are gone by it."""
    items, unknown = list(reading.items), []
    for place, item in enumerate(items):
        if item.kind != "mention" or item.text.lower() not in BUYING:
            continue
        kept = tuple(one for one in item.targets if not _is_sale(one.table, one.column, source))
        if len(kept) == len(item.targets):
            continue
        if not any(one.kind == "field" and one.table in _beside(items, place) for one in kept):
            items[place] = replace(item, kind="unknown", targets=())
            unknown.append(item.text)
        else:
            items[place] = replace(item, targets=kept)
    return replace(reading, items=tuple(items), unknown=(*reading.unknown, *unknown))


def _is_sale(table: str, column: str, source: Source) -> bool:
    one = source.model.field(table, column) if column else None
    return one is not None and one.role is Role.TIME and one.filled < 1 and bool(_SELLING & {*one.words})


def _beside(items: list[Item], place: int) -> set[str]:
    near = [items[n] for n in (place - 1, place + 1) if 0 <= n < len(items)]
    return {t.table for one in near if one.kind == "mention" for t in one.targets[:1]}


def only_with_their_day(frame: Frame, reading: Reading) -> Frame:
    """Give the list of rows with the day that a participle right beside their noun names."""
    if frame.measures:
        return frame
    told = {slot for one in conditions(frame) for slot in one.slots}
    named = {
        (target.table, target.column)
        for first, second in pairwise(reading.items)
        if first.kind == second.kind == "mention" and first.end == second.start
        for verb, noun in ((first, second), (second, first))
        if _is_participle(verb)
        and any(t.kind == "thing" and t.table == frame.anchor for t in noun.targets[:2])
        for target in verb.targets[:2]
        if target.kind == "field"
    }
    days = [slot for slot in frame.columns if _is_partly(slot) and slot not in told]
    filled = tuple(
        Condition("filled", (slot,)) for slot in days if (slot.field.table, slot.field.column) in named
    )
    return replace(frame, where=(*frame.where, *filled)) if filled else frame


def _is_participle(item: Item) -> bool:
    low = item.text.lower()
    return low.endswith("ed") or low in PARTICIPLES


def _is_partly(slot: Slot) -> bool:
    return slot.field.role is Role.TIME and not slot.path and slot.field.filled < 1
