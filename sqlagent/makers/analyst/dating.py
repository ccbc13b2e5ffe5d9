"""Times in a part of a question: done late or on time, not done though due, within so many days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Kind
from sqlagent.catalog.semantics.words import AGREED
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Path, Slot
from sqlagent.makers.analyst.lexicon import PARTICIPLES
from sqlagent.makers.analyst.pairing import (
    AHEAD,
    UNDONE,
    ahead,
    done_of,
    due_and_done,
    due_of,
    in_order,
    lasting,
    partner,
    stayed,
)
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.sketching import Clause
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import called_overdue, given_up, late, waiting

HOP = 0.06
"""The cost of one relation on the way to what was due."""

DELIVERING = frozenset(
    stem(w)
    for w in ["delivery", "delivered", "shipment", "dispatch", "return", "returned", "handover", "drop"]
)
PAYING = frozenset(stem(w) for w in ["payment", "receipt", "settlement"])
"""Nouns of rows by which what they belong to was done."""


def meant_as_time(text: str, clause: Clause) -> float:
    """The weight of a word as a time: a deed in a period, or within days, was done then ("paid in March")."""
    if not clause.is_timed and not clause.unit:
        return 0.0
    low = text.lower()
    return 0.3 if low.endswith("ed") or low in PARTICIPLES else 0.12


def says_ahead(clause: Clause) -> bool:
    """Whether a bound is on how long before it took place something was agreed: "more than 3 days in advance"."""
    return bool(AHEAD & {stem(word) for word in clause.span.split()})


def spanned(
    source: Source, anchor: str, clause: Clause, time: Slot | None, times: Sequence[Slot]
) -> tuple[Slot, Slot] | None:
    """The later and the earlier time of "within 2 days", "3 days late", "30 days after the invoice date"."""
    if clause.late or set(clause.span.split()) & {"late", "overdue", "delay"}:
        clause.late = ""
        return due_and_done(source, anchor)
    if says_ahead(clause):
        return ahead(source, anchor)
    if len(times) > 1:
        first, second = times[-2:]
        if not clause.way:
            return _by_what_is_there(first, second)
        return (first, second) if clause.way == "after" else (second, first)
    own = source.model.things[anchor].default_time
    if (
        time is not None
        and time.field.table != anchor
        and own
        and source.model.things[anchor].kind is Kind.EVENT
    ):
        return in_order(time, source.slot(anchor, own))  # returns within 10 days of their order
    if time is not None:
        begin = partner(source, time)
        return _until_done(*in_order(begin, time)) if begin is not None else None
    found = next(lasting(source, anchor), None) if clause.span else None
    return found[1:] if found is not None else None


def _by_what_is_there(first: Slot, second: Slot) -> tuple[Slot, Slot]:
    """The later and the earlier of two times; where nothing tells, more rows have the earlier one, else the one said last."""
    found = in_order(second, first)
    if found == in_order(first, second) or first.field.filled == second.field.filled:
        return found
    return (first, second) if first.field.filled < second.field.filled else (second, first)


def lasted(source: Source, anchor: str, clause: Clause) -> tuple[Slot, Slot] | None:
    """The later and the earlier end of rows that are held against a length of time: "hires over 2 hours"; None for ages and the like."""
    if says_ahead(clause):
        return None
    if not clause.compare or not clause.numbers or set(clause.said.split()) & {"older", "younger", "newer"}:
        return None
    thing = source.model.things[anchor]
    if thing.kind is Kind.THING and not thing.ends:
        return None
    found = stayed(source, anchor) or next((pair for _, *pair in lasting(source, anchor)), None)
    return _until_done(found[0], found[1]) if found is not None else None


def _until_done(later: Slot, earlier: Slot) -> tuple[Slot, Slot] | None:
    """The two ends of rows that last; None where something that was agreed was cancelled before it took place."""
    words = {*later.field.words}, {*earlier.field.words}
    is_called_off = any(one & UNDONE and other & AGREED for one, other in (words, words[::-1]))
    return None if is_called_off else (later, earlier)


def lateness(
    source: Source,
    anchor: str,
    clause: Clause,
    said: frozenset[str],
    today: date | None,
    below: Iterable[tuple[str, Path, float]],
) -> tuple[float, list[Condition]] | None:
    """Done after it was due, or not: of the row, of what it belongs to, or by rows `below` that point at it (invoices paid late).

    Gives what that reading costs and its conditions; None where nothing is recorded of it.
    """
    compare = "<=" if (clause.late == "on time") != clause.negated else ">"
    if clause.late == "overdue":
        below = tuple(below)
        if (still := _overdue(source, anchor, clause, today, below)) is not None:
            return 0.0, [still]
    for table, paths in source.graph.up(anchor).items():
        named = table == anchor or source.model.things[anchor].kind is Kind.LINES
        named = named or bool(set(source.model.things[table].noun) & said)
        found = late(source, table) if paths and named else None
        if found is not None:
            slots = tuple(replace(s, path=paths[0]) for s in found.slots)
            return HOP * len(paths[0]), [replace(found, slots=slots, compare=compare)]
    above = due_above(source, anchor)
    if above is not None and clause.late == "overdue" and set(source.model.things[anchor].noun) & PAYING:
        return None  # what was paid is not overdue
    if above is not None and source.model.things[anchor].kind is not Kind.LINES:
        return HOP * len(above[1].path), [Condition("later", above, compare=compare, said="late")]
    due = due_of(source, anchor)
    for child, path, cost in below if due is not None else ():
        done = done_of(source, child)
        if done is None or due is None:
            continue
        after = Condition("later", (done, replace(due, path=path)), compare=">", said="late")
        on_time = compare == "<="
        there = Condition("exists", child=child, path=path, parts=(after,), negated=on_time, said="late")
        was_done = replace(there, parts=(Condition("filled", (done,)),), negated=False, said="")
        return cost, [there, was_done] if on_time else [there]
    return None


def due_above(source: Source, table: str) -> tuple[Slot, Slot] | None:
    """When rows that are a doing were done, and when what they belong to was due: payments of charges, deliveries of orders."""
    thing = source.model.things[table]
    noun = set(thing.noun)
    if not noun & (DELIVERING | PAYING) or not thing.default_time or due_of(source, table) is not None:
        return None
    done = done_of(source, table) or source.slot(table, thing.default_time)
    for other, paths in source.graph.up(table).items():
        due = (
            due_of(source, other, wanted=not noun & PAYING)
            if other != table and paths and len(paths[0]) == 1
            else None
        )
        if due is not None:
            return done, replace(due, path=paths[0])
    return None


def _overdue(
    source: Source, anchor: str, clause: Clause, today: date | None, below: Iterable[tuple[str, Path, float]]
) -> Condition | None:
    """A state called so, else due before today and not done yet, by a time, by a state, or by no row `below` that shows it done.

    A cancelled row is not overdue. None where that is not recorded of one row.
    """
    if (called := called_overdue(source, anchor)) is not None:
        return replace(called, op="not in") if clause.negated else called
    due, done = due_of(source, anchor), done_of(source, anchor)
    if due is None or today is None:
        return None
    past = Condition("period", (due,), period=Period(None, today, "day"), said="overdue")
    off = given_up(source, anchor)
    waits: tuple[Condition, ...] = () if off is None else (replace(off, op="not in"),)
    if done is not None and done.field != due.field:
        waits += (Condition("missing", (done,)),)
    elif (still := waiting(source, anchor)) is not None:
        waits = (still,)
    else:
        shows = next(((child, path) for child, path, _ in below if done_of(source, child) is not None), None)
        if shows is None:
            return None
        waits += (Condition("exists", child=shows[0], path=shows[1], negated=True),)
    return Condition("all", parts=(*waits, past), negated=clause.negated)
