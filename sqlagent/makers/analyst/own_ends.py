"""Rows that begin and end by days of other names: "contracts ending next month" by valid until, rather than policies by their end date."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Field, Kind
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.lexicon import words_of
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.reading import SAME, Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import Target

_ENDING = words_of("ending ends end ended")
_STARTING = words_of("starting starts start started beginning begins begin began")
_LAST_DAYS = stems("end until till thru to expiry expires expiration")
_FIRST_DAYS = stems("start begin from commencement")

_SAID = 0.03
"""The cost of such a verb for the day of the rows that it stands behind."""


def with_own_ends(reading: Reading, source: Source) -> Reading:
    """Give a reading in which a verb before a period names the first or last day of the rows that it is said of."""
    items = list(reading.items)
    known: set[str] = set()
    for place, item in enumerate(items):
        day = _day(items, place, source)
        if day is None:
            continue
        own = Target("field", day.table, day.column, cost=_SAID)
        others = tuple(replace(one, cost=max(one.cost, _SAID)) for one in item.targets)
        items[place] = replace(item, kind="mention", targets=(own, *others))
        if item.kind == "unknown":
            known.add(item.text)
    left, asked = ((*(w for w in some if w not in known),) for some in (reading.unknown, reading.asked))
    return replace(reading, items=tuple(items), unknown=left, asked=asked)


def words_of_ends(reading: Reading, frame: Frame) -> set[str]:
    """The verbs of beginning and ending whose day a frame has a period of: they are held, also where the rows go by that day anyway."""
    dated = {
        (slot.field.table, slot.field.column)
        for one in conditions(frame)
        if one.op == "period"
        for slot in one.slots
    }
    return {
        item.text.lower()
        for item in reading.items
        if item.text.lower() in _ENDING | _STARTING and item.targets
        if (item.targets[0].table, item.targets[0].column) in dated
    }


def _day(items: list[Item], place: int, source: Source) -> Field | None:
    """The day that a verb names of the thing before it; None for any other item, and where the thing has a day of that very name."""
    item, low = items[place], items[place].text.lower()
    if low not in _ENDING | _STARTING or item.kind not in ("mention", "unknown"):
        return None
    if not any(one.kind == "period" for one in items[place + 1 : place + 3]):
        return None
    said = [one for one in items[:place] if one.kind == "mention"]
    near = [one for one in said[-1].targets if one.cost <= said[-1].targets[0].cost + SAME] if said else []
    best = next((one for one in near if one.kind == "thing"), None)
    thing = source.model.things[best.table] if best is not None else None
    if thing is None or thing.kind is Kind.HISTORY or not (thing.begins and thing.ends):
        return None
    own = {one.kind for one in item.targets if one.table == thing.table}
    if "field" in own or own and not low.endswith("ing"):
        return None  # "ended" may be the state of that name
    column, words = (thing.ends, _LAST_DAYS) if low in _ENDING else (thing.begins, _FIRST_DAYS)
    day = source.model.field(thing.table, column)
    return day if day is not None and {*day.words} & words else None
