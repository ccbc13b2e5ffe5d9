"""Names behind a deed that its rows point at: patients admitted to Cardio have an admission there, whoever their doctor is."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Relation
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Condition, Frame, Path
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_BEHIND = frozenset({"of", "in", "at", "on", "by", "with"})


def place_of_deed(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame that asks the rows of a deed for what they point at; a draft where it is grouped by what is further away."""
    done = [one for one in frame.where if one.op == "exists" and not one.at and one.number is None]
    for place, said in enumerate(reading.items):
        reached = [(one, way) for one in done if (way := _way_to(said, one.child, frame, source)) is not None]
        if len(reached) != 1:
            continue
        rows, way = reached[0]
        if not way and _grouped_far(frame, rows, source):
            return leaving_out(frame, [said.text])
        named = next((one for one in reading.items[place + 1 :] if not _leads_on(one)), None)
        one = _named(frame, named)
        last = _own(way[-1].target if way else rows.child, one, source) if one is not None else None
        if one is None or last is None:
            continue
        slots = tuple(replace(slot, path=(*way, last)) for slot in one.slots)
        there = replace(rows, parts=(*rows.parts, replace(one, slots=slots)))
        where = tuple(there if kept is rows else kept for kept in frame.where if kept is not one)
        return replace(frame, where=where)
    return frame


def _leads_on(item: Item) -> bool:
    """Whether an item stands between a deed and a name: a small word, or a verb such as taught."""
    is_verb = item.text.lower().endswith(("ed", "ght", "en")) and item.targets[:1] != ()
    return (
        item.op in _BEHIND
        or item.text.lower() == "with"
        or is_verb
        and item.targets[0].kind in ("relation", "field")
    )


def _way_to(said: Item, table: str, frame: Frame, source: Source) -> Path | None:
    """How rows reach what a word names: themselves by their deed or noun, or the things that they point at."""
    if _is_done(said, table):
        return ()
    named = next((t.table for t in said.targets[:1] if t.kind == "thing" and t.cost <= SURE), frame.anchor)
    if named == frame.anchor:
        return None
    if named == table:
        return ()
    ways = [way for way in source.graph.out[table] if way.target == named]
    return (ways[0],) if len(ways) == 1 else None


def _is_done(deed: Item, table: str) -> bool:
    """Whether a word is the deed of a table's rows: by a time of theirs."""
    return deed.text.lower().endswith("ed") and any(
        t.kind == "field" and t.table == table and t.cost <= SURE for t in deed.targets[:2]
    )


def _named(frame: Frame, named: Item | None) -> Condition | None:
    """The condition of a name that rows reach over others."""
    if named is None or named.kind != "mention":
        return None
    held = {(t.table, t.column) for t in named.targets[:2] if t.kind == "value"}
    for one in frame.where:
        slot = one.slots[0] if one.op == "in" and len(one.slots) == 1 else None
        if slot is not None and slot.path and (slot.field.table, slot.field.column) in held:
            return one
    return None


def _own(table: str, one: Condition, source: Source) -> Relation | None:
    """How rows point at what a condition is of, where they do so themselves and in one way."""
    ways = [way for way in source.graph.out[table] if way.target == one.slots[0].field.table]
    return ways[0] if len(ways) == 1 else None


def _grouped_far(frame: Frame, rows: Condition, source: Source) -> bool:
    own = {way.target for way in source.graph.out[rows.child]}
    return any(len(slot.path) > 1 and slot.path[-1].target in own for d in frame.by for slot in d.shown)
