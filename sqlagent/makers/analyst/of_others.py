"""Conditions of other rows than those asked for: stores in Norway by where their customers live, countries by single customers.

Both can be written and are not what is meant: of the words nothing is kept, so that the reading is a draft.
"""

from __future__ import annotations

from sqlagent.catalog.semantics import Kind
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.places import GEOGRAPHIC
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import is_people


def of_others(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """The words of the question that only rows of others meet."""
    return [
        *_homes_of_others(frame, reading, source),
        *_single_rows_denied(frame, reading),
        *_of_the_largest(frame),
    ]


def _of_the_largest(frame: Frame) -> list[str]:
    """ "Revenue per floor area by country": in groups of other things only the largest floor of each would count."""
    tables = {slot.field.table for one in frame.by for slot in (*one.shown, *one.keys)}
    return [
        one.said
        for one in frame.measures
        if one.agg == "ratio"
        and one.under is not None
        and one.under.agg == "max"
        and one.under.expr is not None
        if frame.by and one.under.expr.slots[0].field.table not in tables
    ]


def _homes_of_others(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """ "Stores in Norway" that became stores at which somebody from there has bought."""
    thing = source.model.things[frame.anchor]
    if thing.kind is not Kind.THING or is_people(thing):
        return []
    values = {
        value.lower()
        for one in frame.where
        if one.op == "exists" and not one.negated
        for part in one.parts
        if part.op == "in" and _is_home(part, reading, source)
        for value in part.values
    }
    return [
        i.text
        for i in reading.items
        if any(t.kind == "value" and t.value.lower() in values for t in i.targets)
    ]


def _is_home(one: Condition, reading: Reading, source: Source) -> bool:
    """Whether a condition is about where people live of whom nothing is said."""
    slot = one.slots[0] if len(one.slots) == 1 else None
    if slot is None or not slot.path or not set(slot.field.words) & GEOGRAPHIC:
        return False
    thing = source.model.things[slot.field.table]
    said = {stem(word) for item in reading.items for word in item.text.lower().split()}
    return is_people(thing) and not set(thing.noun) & said


def _single_rows_denied(frame: Frame, reading: Reading) -> list[str]:
    """ "Countries without orders" that became countries of single customers without any: others of the same country may have some."""
    if not frame.distinct or frame.measures or not frame.columns:
        return []
    if any(t.kind == "thing" and t.table == frame.anchor for i in reading.items for t in i.targets[:1]):
        return []  # the towns of clients without repairs
    if not any(one.op == "exists" and one.negated and one.number is None for one in frame.where):
        return []
    return [item.text for item in reading.items if item.op in ("not", "except")][:1]
