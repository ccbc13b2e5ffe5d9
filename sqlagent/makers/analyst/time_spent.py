"""How long something went on in all: "total hours of hires by boat", "hire hours per member", "how many hours did each press run".

Decides that rows with two ends are meant, which are then asked for as their total duration.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Form, Kind, Thing
from sqlagent.language.words import plural_of, stem
from sqlagent.makers.analyst.pairing import LENGTHS, lasting, stayed
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_REST = r"(?P<rest>,? (?:by|per|for|in|during|since|this|last|without|with|from|on|of|at|each|until|before|after|between|excluding|only|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|q[1-4]|20\d\d)\b.*)?"
_TOTAL = r"(?:(?:what (?:is|was) |how much )?(?:the |our )?(?P<total>total|sum of(?: the| all)?|overall) )?"
_UNIT = r"(?P<unit>hours|minutes|days|time)"
_SHAPES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_TOTAL}{_UNIT} (?:(?:of|spent on|spent in|on|in) (?:the |our |all )?|(?=[a-z]+ed\b))(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?){_REST}$",
        rf"^{_TOTAL}(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) (?P<unit>hours|minutes|time|durations?|lengths?){_REST}$",
    )
)
_OF_EACH = re.compile(
    rf"^(?:what (?:is|was) )?(?:the |our )?(?P<agg>average|avg|mean|median) (?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) (?P<unit>time|duration|length){_REST}$",
    re.IGNORECASE,
)
_DOWN = re.compile(
    rf"^{_TOTAL}(?:the |our )?(?P<how>[a-z]+ )?(?:down ?time|idle time|outage time)(?: in)?(?: (?P<unit>hours|minutes|days))?{_REST}$",
    re.IGNORECASE,
)
_EACH = re.compile(
    rf"^how many (?P<unit>hours|minutes) (?:did|does|do|has|have) (?:each|every) (?P<what>[a-z][\w-]*(?: [a-z][\w-]*)??) (?P<verb>[a-z]+){_REST}$",
    re.IGNORECASE,
)
_GOES_ON = frozenset({"run", "work", "operate", "last", "worked", "operated"})
"""Verbs of something that goes on for a time, whatever its rows are called."""

_STOPS = frozenset(map(stem, ("stop", "stoppage", "outage", "downtime", "breakdown", "standstill")))


def time_spent(text: str, source: Source) -> str:
    """Word such a question by a total duration; empty where it is none, or no rows with two ends are meant."""
    text = text.strip().rstrip("?.! ")
    if found := _DOWN.match(text):
        stops = [
            one for one in source.model.things.values() if set(one.noun) & _STOPS and _lasts(one, source)
        ]
        return _total(f"{found['how'] or ''}{plural_of(stops[0].said)}", found) if len(stops) == 1 else ""
    if (found := _OF_EACH.match(text)) and (thing := _named(found["what"], source)) is not None:
        is_stay = stayed(source, thing.table) is not None
        return f"{found['agg']} duration of {plural_of(thing.said)}{found['rest'] or ''}" if is_stay else ""
    if (found := _EACH.match(text)) and (thing := _named(found["what"], source)) is not None:
        event = _event_of(thing, found["unit"], source)
        if event is not None and (found["verb"].lower() in _GOES_ON or stem(found["verb"].lower()) in event.noun):  # fmt: skip
            return f"total duration of {plural_of(event.said)} in {found['unit']} by {found['what']}{found['rest'] or ''}"
    for shape in _SHAPES:
        found = shape.match(text)
        if found is None or found["unit"].lower() in ("time", "length", "duration") and not found["total"]:
            continue  # a delivery time is one of each
        how, _, noun = found["what"].rpartition(" ")
        if (thing := _named(found["what"], source)) is not None:
            how = ""
        elif how:
            thing = _named(noun, source)
        if thing is not None and not how and not _lasts(thing, source):
            thing = _event_of(thing, found["unit"], source)
        if thing is not None and _lasts(thing, source):
            return _total(f"{how} {plural_of(thing.said)}".strip(), found)
    return ""


def _named(words: str, source: Source) -> Thing | None:
    """The thing whose rows words name."""
    for one in source.vocabulary.targets(words.lower().split()):
        if one.kind == "thing" and one.cost <= SURE:
            return source.model.things[one.table]
    return None


def _event_of(thing: Thing, unit: str, source: Source) -> Thing | None:
    """The one kind of rows with two ends that belong to a thing: the hours of a press are those of its runs; None where a figure is called so."""
    if unit.lower() not in ("hours", "minutes"):
        return None
    if any(t.kind == "field" and t.cost < SURE for t in source.vocabulary.targets([unit.lower()])):
        return None
    sources = {one.source for one in source.model.relations if one.target == thing.table}
    events = [one for one in map(source.model.things.__getitem__, sources) if _is_by_the_clock(one, source)]
    return events[0] if len(events) == 1 else None


def _is_by_the_clock(thing: Thing, source: Source) -> bool:
    """Whether rows begin and end at a time of day: from the day of an order to that of its delivery nobody works on it all along."""
    found = next(lasting(source, thing.table, LENGTHS), None) if thing.kind is Kind.EVENT else None
    return found is not None and all(slot.field.form in (Form.MOMENT, Form.TEXT_MOMENT) for slot in found[1:])


def _lasts(thing: Thing, source: Source) -> bool:
    """Whether rows happen and have two ends."""
    return thing.kind is Kind.EVENT and next(lasting(source, thing.table, LENGTHS), None) is not None


def _total(what: str, found: re.Match[str]) -> str:
    unit = (found["unit"] or "").lower()
    unit = unit if unit in ("minutes", "days") else "hours"
    return f"total duration of {what} in {unit}{found['rest'] or ''}"
