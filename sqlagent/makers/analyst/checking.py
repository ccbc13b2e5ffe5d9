"""Whether a frame holds all that its question says: an average averages, a rank orders, a "no" denies, each name and period is in it.

The last look before a frame is offered. Words that it does not hold count as left out, so no word is dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from itertools import pairwise

from sqlagent.catalog.semantics import Field, Kind, Model, Relation, Role
from sqlagent.language.words import fold, singular, stem
from sqlagent.makers.analyst.all_or_any import counted_once, denied_beside
from sqlagent.makers.analyst.clocks import told_hours
from sqlagent.makers.analyst.concepts import Meant, meant
from sqlagent.makers.analyst.counts_and_shares import (
    counts_dropped,
    money_counted,
    shares_of_all,
    whole_of_others,
)
from sqlagent.makers.analyst.denied_twice import denied_twice
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Measure
from sqlagent.makers.analyst.greatest_single import counted_instead
from sqlagent.makers.analyst.happening import registered_instead
from sqlagent.makers.analyst.heeding import conditions, is_met
from sqlagent.makers.analyst.held_today import NO_LONGER, holding_left_out
from sqlagent.makers.analyst.lacking import (
    asked_and_not_shown,
    bounded_otherwise,
    bounds_in_percent,
    compared_in_part,
    ends_left_out,
    figures_dropped,
    figures_left_out,
    numbers_left_out,
    other_end,
    shares_of_averages,
    timed_otherwise,
    times_left_out,
    total_left_out,
)
from sqlagent.makers.analyst.minor_units import mixed_units
from sqlagent.makers.analyst.mixing import counts_money, figures_in, grouped_by_deed, has_figure, mixed
from sqlagent.makers.analyst.oldest_undone import figured_by_undone
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import SAME, Item, Reading
from sqlagent.makers.analyst.shares_summed import shares_summed
from sqlagent.makers.analyst.sketching import Sketch
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.spans_instead import spans_instead
from sqlagent.makers.analyst.starts import PERSONS
from sqlagent.makers.analyst.states import CURRENT, ENDED
from sqlagent.makers.analyst.targets import Target
from sqlagent.makers.analyst.those_above import state_left_below
from sqlagent.makers.analyst.units import unconverted

UNMET = 0.6
"""Cost of something said that a frame does not hold."""

PART_BOUND = 0.3
"""Cost of a bound on lines where what they belong to is counted: an order over 1,000 is rarely one with such a line."""

NEARLY = 0.2
"""How much dearer than the likeliest another meaning of a mention may be, to count as the one that is held."""

BESIDE = 0.05
"""The same of what is no thing beside the name of one."""


@dataclass(slots=True)
class Held:
    """The content of a frame, wherever in it."""

    columns: set[tuple[str, str]] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)
    relations: set[Relation] = field(default_factory=set)
    periods: set[Period] = field(default_factory=set)
    stated: set[str] = field(default_factory=set)
    valued: set[tuple[str, str]] = field(default_factory=set)
    meanings: Callable[[str], Sequence[Meant]] = lambda concept: ()
    anchor: str = ""
    times: frozenset[tuple[str, str]] = frozenset()
    compares: bool = False
    states: bool = False
    lists: bool = False
    qualifying: frozenset[int] = frozenset()
    clocks: bool = False
    grains: bool = False
    figures: frozenset[int] = frozenset()
    apart: frozenset[str] = frozenset()

    def take(self, part: object) -> None:
        """Take down a part of a frame and all that it is made of."""
        if isinstance(part, tuple):
            for one in part:
                self.take(one)
        elif isinstance(part, Field):
            self.columns.add((part.table, part.column))
        elif isinstance(part, Relation):
            self.relations.add(part)
            self.tables |= {part.source, part.target}
            self.columns |= {(part.source, column) for column in part.columns}
        elif isinstance(part, Period):
            self.periods.add(part)
        elif is_dataclass(part):
            if isinstance(part, Condition):
                self.states = self.states or part.said in ("current", "ended")
                self.clocks = self.clocks or part.op == "clock"
                self.tables.add(part.child)
                if part.values:
                    self.valued |= {(slot.field.table, slot.field.column) for slot in part.slots}
                if part.op in ("missing", "filled"):
                    self.stated |= {slot.field.table for slot in part.slots}
            elif isinstance(part, Measure | Frame):
                self.tables.add(part.anchor)
            for one in fields(part):
                self.take(getattr(part, one.name))

    def has(self, target: Target) -> bool:
        """Whether the frame holds what a mention may mean."""
        if target.kind == "thing":
            return target.table in self.tables
        if target.kind == "field":
            return (target.table, target.column) in self.columns or self._is_done(target)
        if target.kind == "value":
            return (target.table, target.column) in self.columns
        if target.kind in ("relation", "related"):
            return target.relation in self.relations
        if target.kind == "concept":
            found = self.meanings(target.column)
            return not found or any(self._computes(one.measure) for one in found)
        return True

    def _computes(self, measure: Measure) -> bool:
        """Whether what a figure is computed of is in the frame."""
        parts = [part for part in (measure.over, measure.under, *measure.parts) if part is not None]
        if parts:
            return all(map(self._computes, parts))
        if measure.expr is None:
            return measure.anchor in self.tables
        return all((slot.field.table, slot.field.column) in self.columns for slot in measure.expr.slots)

    def _is_done(self, target: Target) -> bool:
        """A verb that is a time's: said of rows beside the anchor's, or told by whether another time is there."""
        if (target.table, target.column) not in self.times:
            return False
        return target.table in self.tables and target.table != self.anchor or target.table in self.stated


def checked(frame: Frame, reading: Reading, drawn: Sketch, source: Source) -> Frame:
    """Give the frame with what it leaves out of its question among its unused words, each at the cost `UNMET`."""
    held = _held(frame, reading, source)
    said = [item for item in reading.items if item not in drawn.percents]
    left = [i.text for i in said if not _is_held(i, held) or not is_met(i, frame, source.model)]
    if any(c.op == "missing" and not c.negated and _is_filled(c) for c in conditions(frame)):
        left += [item.text for item in reading.items if item.op in ("not", "missing")][:1]
    left += _said_of_others(frame, reading)
    left += _periods_swallowed(frame, reading)
    left += _now_of_others(frame, reading)
    left += _state_of_others(frame, reading, held)
    if drawn.who and (_shows_events(frame, source.model) or _shows_nobody(frame)):
        left.append("who")
    if drawn.denials and not any(map(_says_no, conditions(frame))):
        left += drawn.denials
    if _is_first_by_number(frame, drawn):
        left.append(drawn.rank_text)
    left += counted_instead(frame, drawn)
    left += figures_left_out(frame, reading, drawn, source.model)
    left += mixed(frame, reading, drawn)
    left += counts_money(frame, reading)
    left += grouped_by_deed(frame, reading)
    left += counts_dropped(frame, reading)
    left += shares_of_all(frame)
    left += money_counted(frame, reading)
    left += whole_of_others(frame, reading)
    left += spans_instead(frame, reading, source.model)
    left += denied_twice(frame, reading)
    left += denied_beside(frame, reading, source.model)
    left += counted_once(frame, reading, source.model)
    left += state_left_below(frame, reading, source.model)
    left += unconverted(frame, reading)
    left += mixed_units(frame)
    left += numbers_left_out(frame, reading)
    left += asked_and_not_shown(frame, reading, source.model)
    left += compared_in_part(frame, reading)
    left += bounded_otherwise(frame, reading)
    left += bounds_in_percent(reading)
    left += shares_of_averages(frame, reading)
    left += shares_summed(frame, reading)
    left += times_left_out(frame, reading, source.model)
    left += figures_dropped(frame, reading)
    left += timed_otherwise(frame, reading, source.model)
    left += ends_left_out(frame, reading)
    left += other_end(frame, reading, source.model)
    left += total_left_out(frame, reading)
    left += registered_instead(frame, reading, source)
    left += figured_by_undone(frame, reading)
    left += holding_left_out(frame, reading, source.model)
    if _bounds_parts(frame, source.model):
        frame = replace(frame, cost=round(frame.cost + PART_BOUND, 4))
    left = [
        text
        for text in dict.fromkeys(left)
        if not any(f"{one} ".startswith(f"{text} ") for one in frame.unused)
    ]
    if not left:
        return frame
    return leaving_out(frame, left)


def leaving_out(frame: Frame, words: Sequence[str]) -> Frame:
    """Give the frame with words that it does not hold among its unused ones, each at the cost `UNMET`."""
    return replace(frame, unused=(*frame.unused, *words), cost=round(frame.cost + UNMET * len(words), 4))


def _said_of_others(frame: Frame, reading: Reading) -> list[str]:
    """Verbs that became a time of another thing which each row of that has: they restrict nothing.

    "How many people opened the newsletter" is not answered by people whose store was opened on some day.
    """
    always = {
        (slot.field.table, slot.field.column)
        for one in frame.where
        if one.op == "filled" and not one.negated
        for slot in one.slots
        if slot.path and slot.field.filled == 1.0
    }
    return [
        item.text
        for item in reading.items
        if any(target.kind == "field" and (target.table, target.column) in always for target in item.targets)
    ]


def _periods_swallowed(frame: Frame, reading: Reading) -> list[str]:
    """Periods of which one lies within another that stands beside it: the wider one alone is what is computed."""
    for one in frame.where:
        periods = [part.period for part in one.parts if part.period is not None] if one.op == "any" else []
        for inner in periods:
            if any(other is not inner and other.holds(inner) for other in periods):
                return [item.text for item in reading.items if item.kind == "period"][:1]
    return []


def _shows_events(frame: Frame, model: Model) -> bool:
    """Whether single events are shown, by their keys and figures alone: "who sold the most" asks for no order."""
    if frame.measures:
        return any(_is_of_events(dimension, model) for dimension in frame.by)
    bare = (Role.KEY, Role.FOREIGN, Role.MEASURE, Role.TIME)
    is_event = model.things[frame.anchor].kind in (Kind.EVENT, Kind.LINES)
    return is_event and all(not slot.path and slot.field.role in bare for slot in frame.columns)


def _shows_nobody(frame: Frame) -> bool:
    """Whether a single figure is all there is: "who was hired last" asks for no date."""
    return any(one.agg in ("min", "max") for one in frame.measures) and not (frame.by or frame.per)


def _is_of_events(dimension: Dimension, model: Model) -> bool:
    """Whether groups are single events, each shown by its key: "who sold the most" asks for no order."""
    events = {thing.table for thing in model.things.values() if thing.kind in (Kind.EVENT, Kind.LINES)}
    for slot in dimension.shown:
        own = (slot.field.table, (slot.field.column,))
        if own in {(table, model.things[table].key) for table in events}:
            return True
        if any((r.source, r.columns) == own and r.target in events for r in model.relations):
            return True
    return False


def _now_of_others(frame: Frame, reading: Reading) -> list[str]:
    """ "Still" and "now" that became a state of another thing, which the question does not name: open orders are not those of present staff."""
    named = {t.table for item in reading.items for t in item.targets}
    for one in frame.where:
        if one.said == "current" and any(slot.path and slot.field.table not in named for slot in one.slots):
            return [item.text for item in reading.items if item.op == "current"][:1]
    return []


def _state_of_others(frame: Frame, reading: Reading, held: Held) -> list[str]:
    """A state that a row of another table is in: "active candidates" are no skills that did not run out, where candidates have a state."""
    if not any(one.said == "current" for one in frame.where):
        return []
    named = {t.table for item in reading.items for t in item.targets[:1] if t.kind == "thing"}
    return [
        item.text
        for item in reading.items
        if item.kind == "mention" and item.targets[0].kind == "value" and item.targets[0].cost < SAME
        if fold(item.text) in CURRENT and item.targets[0].table in named
        if (item.targets[0].table, item.targets[0].column) not in held.columns
    ]


def _bounds_parts(frame: Frame, model: Model) -> bool:
    """Whether heads are counted of lines whose own figure is bounded, so that each line is held against what was said of all."""
    heads = any(
        m.agg == "distinct" and (model.things[m.anchor].kind is Kind.LINES or _is_of_heads(m))
        for m in frame.measures
    )
    bounds = (
        c.slots or (c.expr.slots if c.expr is not None else ()) for c in frame.where if c.op == "compare"
    )
    return heads and any(
        slot.field.role is Role.MEASURE and slot.field.aggregate == "sum" and slot.field.table == frame.anchor
        for slots in bounds
        for slot in slots
    )


def _is_of_heads(measure: Measure) -> bool:
    """Whether different numbers of documents are counted of rows that are lines of them, without a table of their own."""
    slots = measure.expr.slots if measure.expr is not None else ()
    return any(slot.field.role is not Role.FOREIGN and not slot.path for slot in slots)


def _held(frame: Frame, reading: Reading, source: Source) -> Held:
    """The content of a frame, and its defaults."""
    grains = any(dimension.grain for dimension in frame.by)
    held = Held(
        meanings=partial(meant, source),
        compares=frame.transform == "between",
        anchor=frame.anchor,
        times=source.times,
        lists=not frame.measures,
        grains=grains,
        figures=figures_in(reading),
        qualifying=_qualifying(frame, reading, source.model),
    )
    held.take(frame)
    held.apart = frozenset(source.model.things.keys() - source.graph.up(frame.anchor).keys())
    model, ops = source.model, {item.op for item in reading.items}
    keys = {
        (slot.field.table, slot.field.column)
        for one in conditions(frame)
        if one.op in ("missing", "filled")
        for slot in one.slots
    }
    for relation in model.relations if keys else ():  # who points at none has none
        if len(relation.columns) == 1 and (relation.source, relation.columns[0]) in keys:
            held.take(relation)
    held.tables |= set() if "same" in ops else always_pointed_at(frame, model)
    for table in tuple(held.tables & model.things.keys()):
        if ops & {"much", "span"}:  # "how much did customers order", "how long do guests wait": who did it
            above = source.graph.up(table).keys()
            held.tables |= {t for t in above if "much" in ops or set(model.things[t].noun) & PERSONS}
    for table in tuple(held.tables & model.things.keys()):  # a time of every row says only that it happened
        held.columns |= {(t.table, t.column) for t in model.of_role(table, Role.TIME) if t.filled == 1}
    return held


def always_pointed_at(frame: Frame, model: Model) -> set[str]:
    """Tables that every row of a deed points at: a person who never booked has never booked a room, where each booking has one."""
    done = {one.child for one in conditions(frame) if one.op == "exists" and one.number is None}
    filled = {(one.table, one.column) for table in done for one in model.fields[table] if one.filled == 1}
    return {
        one.target
        for one in model.relations
        if one.source in done and all((one.source, column) in filled for column in one.columns)
    }


def _qualifying(frame: Frame, reading: Reading, model: Model) -> frozenset[int]:
    """Where words right before a business word are those of the table that the figure is of: "bar takings" of bar sales."""
    noun = set(model.things[frame.anchor].noun[:-1])
    return frozenset(
        one.start
        for one, other in pairwise(reading.items)
        if one.end == other.start
        and one.kind == "mention"
        and other.kind == "mention"
        and other.targets[0].kind == "concept"
        and {stem(word) for word in one.text.lower().split()} <= noun
    )


def _says_no(condition: Condition) -> bool:
    """Whether a condition denies something."""
    return (
        condition.negated
        or condition.op in ("not in", "missing")
        or condition.op == "later"
        and condition.compare in ("<", "<=")
        or condition.op == "compare"
        and condition.compare in ("<", "<=", "<>")
        or _is_off(condition)
        or condition.said == NO_LONGER
    )


def _is_off(condition: Condition) -> bool:
    """Whether a flag is asked to be off."""
    if condition.op != "in" or not condition.slots:
        return False
    no = condition.slots[0].field.no
    return bool(no) and condition.values == (no.strip("'"),)


def _is_first_by_number(frame: Frame, drawn: Sketch) -> bool:
    """Whether "first" or "last" orders by how many rows there are: the first is not the most."""
    if drawn.rank is None or drawn.rank.kind not in ("new", "old") or not drawn.rank_text:
        return False
    if frame.order is None or frame.order.by is not None or not frame.measures:
        return False
    return frame.measures[0].agg == "rows" and not any(d.grain for d in frame.by)


def _is_filled(condition: Condition) -> bool:
    """Whether a column that is said to be empty never is: then the words meant something else."""
    return bool(condition.slots) and not condition.slots[0].path and condition.slots[0].field.filled == 1


def _is_held(item: Item, held: Held) -> bool:
    if item.kind == "mention":
        if held.states and item.text.lower() in ("open", "closed", *CURRENT, *ENDED):
            return True
        best = item.targets[0]
        if item.start in held.figures:
            return has_figure(item, map(held.has, item.targets))
        if held.clocks and told_hours(item.text) or item.start in held.qualifying:
            return True
        if any(t.kind == "field" and (t.table, t.column) in held.valued for t in item.targets):
            return True  # "paid with PayPal": its value was named
        if best.kind == "thing" and best.table in held.apart and _is_stored_so(item, held):
            return True  # payouts to restaurants, whose payee is only called so
        return any(held.has(t) for t in item.targets if t.cost <= best.cost + _nearly(t, best))
    if item.kind == "grain" and held.lists and held.grains:
        return False  # rows that are listed have no groups
    period = item.period
    if period is None or period in held.periods or held.compares and _is_cut(period, held):
        return True
    # what holds in a period has begun before it is over, and ends when it has begun
    return {replace(period, first=None), replace(period, until=None)} <= held.periods


def _is_stored_so(item: Item, held: Held) -> bool:
    """Whether rows are restricted to a value of theirs that is the very word."""
    return any(
        t.kind == "value"
        and t.table == held.anchor
        and (t.table, t.column) in held.valued
        and t.label is not None
        and singular(str(t.label).lower()) == singular(item.text.lower())
        for t in item.targets
    )


def _is_cut(period: Period, held: Held) -> bool:
    """Whether two periods are compared of which one is this one as far as it is known, or as far as the other is."""
    return any(
        one.first == period.first
        and one.until is not None
        and (period.until is None or one.until <= period.until)
        for one in held.periods
    )


def _nearly(target: Target, best: Target) -> float:
    return BESIDE if best.kind == "thing" and target.kind != "thing" else NEARLY
