"""When each thing's first event was: "first order of each customer by month", "customers by month of their first order".

Such a question counts events by their time, of which only the first of each thing is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics import Kind, Relation
from sqlagent.language.words import plural_of, singular, stem
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.source import Source

_GRAIN = r"(?:day|week|month|quarter|year)"
_REST = rf"(?P<rest>,? (?:by|per|each|every|in each) {_GRAIN}\b.*)"
_EVENT = r"(?P<event>[a-z][\w-]*)"
_THING = r"(?P<thing>[a-z][\w-]*)"
_COUNT = r"(?:how many |the number of |number of |count of )?"
_SHAPES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_COUNT}first {_EVENT} (?:of|for|by|from) (?:each|every|a) {_THING}{_REST}$",
        rf"^{_COUNT}{_THING}(?: who| that)? (?:placed|made|had|did|took|booked|attended|gave) their (?:very )?first {_EVENT}{_REST}$",
        rf"^(?:how many|the number of|number of|count of) {_THING}(?: who| that)? (?:placed|made|had|did|took|booked|attended|gave) their (?:very )?first {_EVENT}"
        r"(?P<rest> (?:in|during|since|before|after|this|last) .+)$",
        rf"^{_COUNT}(?:new )?{_THING} by (?P<grain>{_GRAIN}) of (?:their )?first {_EVENT}(?P<when>(?: in| during| since)? ?(?:19|20)\d\d)?$",
        rf"^{_COUNT}first[ -]time {_THING} {_EVENT}{_REST}$",
    )
)


@dataclass(frozen=True, slots=True)
class First:
    """A question for first events: `counted` asks for all of them, `thing` is the word for what has each first one."""

    counted: str
    thing: str


def first_of_each(text: str) -> First | None:
    """Read a question for when each thing's first event was; None for any other.

    Example:
        >>> first_of_each("first order of each customer by month")
        First(counted='number of orders by month', thing='customer')
        >>> first_of_each("how many customers placed their first order per quarter of 2025")
        First(counted='number of orders per quarter of 2025', thing='customers')
        >>> first_of_each("customers by month of first order 2025").counted
        'number of orders by month 2025'
        >>> first_of_each("first 10 orders by month") is None
        True
        >>> first_of_each("how many customers placed their first order in 2025").counted
        'number of orders in 2025'
        >>> first_of_each("first delivery of each client by month").counted
        'number of deliveries by month'
    """
    text = text.strip().rstrip("?.! ")
    for shape in _SHAPES:
        if found := shape.match(text):
            said = found.groupdict()
            rest = said.get("rest") or f" by {said.get('grain')}{said.get('when') or ''}"
            return First(f"number of {_several(said['event'])}{rest}", said["thing"].lower())
    return None


def only_first(frame: Frame, thing: str, source: Source) -> Frame | None:
    """Give a count of events, by their time or not, with only the first of each thing; None where nothing says which that is."""
    counts = (
        len(frame.measures) == 1 and frame.measures[0].agg in ("rows", "distinct") and not frame.transform
    )
    own = source.model.things.get(frame.anchor)
    holder = _holder(frame.anchor, thing, source) if counts and len(frame.by) < 2 else None
    if holder is None or own is None or own.kind is Kind.LINES or len(own.key) != 1:
        return None
    time = frame.by[0].shown[0] if frame.by and frame.by[0].grain else source.time_of(frame.anchor)
    if time is None or time.path or frame.by and not frame.by[0].grain:
        return None
    key, holds = source.slot(frame.anchor, own.key[0]), source.slot(frame.anchor, holder.columns[0])
    first = Condition("first", (time, holds, key))
    counted = replace(frame.measures[0], agg="rows", expr=None, said=_several(thing))
    return replace(frame, measures=(counted,), where=(*frame.where, first))


def _several(noun: str) -> str:
    """The plural of a noun that was typed in either number."""
    return plural_of(singular(noun.lower()))


def _holder(anchor: str, thing: str, source: Source) -> Relation | None:
    """The one relation by which an event's rows point at what a word names."""
    found = [
        relation
        for relation in source.model.relations
        if relation.source == anchor
        and len(relation.columns) == 1
        and (stem(thing) in source.model.things[relation.target].noun or stem(thing) in relation.words)
    ]
    return found[0] if len(found) == 1 else None
