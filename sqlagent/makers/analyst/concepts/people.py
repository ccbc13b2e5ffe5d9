"""Staff and customers: headcount, hires, leavers, signups, churn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Thing
from sqlagent.catalog.semantics.words import BUYERS, STAFF, stems
from sqlagent.makers.analyst.concepts.meant import ENROLMENTS, Meant, counted
from sqlagent.makers.analyst.concepts.worth import worth
from sqlagent.makers.analyst.frames import Condition, share_of
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import PERSONS
from sqlagent.makers.analyst.states import current, ended

_CONTACT = 0.25
"""The cost of buyers who belong to other buyers: users of an account are no new customers."""

_MEMBERS = stems("member person record list")
"""Nouns that say nothing behind another: staff members are staff."""


def _people(source: Source, nouns: frozenset[str]) -> Iterator[Thing]:
    for thing in source.model.things.values():
        noun = thing.noun[:-1] if thing.noun[1:] and thing.noun[-1] in _MEMBERS else thing.noun
        if noun and noun[-1] in nouns and thing.kind in (Kind.THING, Kind.EVENT):
            yield thing


def headcount(source: Source) -> Iterator[Meant]:
    """Staff who are there now."""
    for thing in _people(source, STAFF):
        now = current(source, thing.table)
        yield Meant(
            0.0, counted(thing, "headcount"), thing=thing.table, where=(now,) if now is not None else ()
        )


def staff(source: Source) -> Iterator[Meant]:
    """All staff, present and past."""
    for thing in _people(source, STAFF):
        yield Meant(0.0, counted(thing, thing.said), thing=thing.table)


def people(source: Source) -> Iterator[Meant]:
    """Persons of any kind: staff, customers, students."""
    for thing in source.model.things.values():
        if thing.noun and thing.noun[-1] in PERSONS and thing.kind in (Kind.THING, Kind.EVENT):
            cost = 0.0 if thing.noun[-1] in STAFF else 0.02
            yield Meant(cost, counted(thing, thing.said), thing=thing.table)


def signups(source: Source) -> Iterator[Meant]:
    """Customers by when they came, and what one signs up for: enrolments, registrations."""
    for thing in source.model.things.values():
        enrols = bool(thing.noun) and thing.noun[-1] in ENROLMENTS and thing.kind is Kind.EVENT
        if enrols and thing.default_time:
            time = source.slot(thing.table, thing.default_time)
            yield Meant(0.02, counted(thing, "signups"), time, thing.table)
    for thing in _people(source, BUYERS):
        if thing.default_time:
            belongs = any(
                set(source.model.things[r.target].noun) & BUYERS
                for r in source.graph.out[thing.table]
                if r.target != thing.table
            )
            yield Meant(
                0.0 if "custom" in thing.noun else _CONTACT if belongs else 0.05,
                counted(thing, "signups"),
                source.slot(thing.table, thing.default_time),
                thing.table,
            )


_RUNNING = stems("subscription contract membership policy plan licence license lease")
"""Nouns of what customers pay for as long as it runs."""

_RENTED = stems("rental hire")
"""Nouns of what is hired out, where hires are no new staff."""


def customers(source: Source) -> Iterator[Meant]:
    """Customers who pay: those with a contract that runs, else those with an event that brings money."""
    for thing in _people(source, BUYERS):
        ways = [r for r in source.model.relations if r.target == thing.table and len(r.columns) == 1]
        running = [
            (r, now)
            for r in ways
            if set(source.model.things[r.source].noun) & _RUNNING
            and (now := current(source, r.source)) is not None
        ]
        paying = [(r, None) for r in ways if any(worth(source, source.model.things[r.source], "sum"))]
        for relation, now in running[:1] or paying[:1]:
            has = Condition("exists", child=relation.source, path=(relation,), parts=(now,) if now else ())
            cost = 0.0 if "custom" in thing.noun else 0.05
            yield Meant(cost, counted(thing, "paying customers"), thing=thing.table, where=(has,))


def hires(source: Source) -> Iterator[Meant]:
    """Staff by when they came."""
    rents = any(set(thing.noun) & _RENTED for thing in source.model.things.values())
    for thing in _people(source, STAFF):
        begins = thing.begins or thing.default_time
        if begins:
            yield Meant(
                0.4 if rents else 0.0, counted(thing, "hires"), source.slot(thing.table, begins), thing.table
            )


def leavers(source: Source) -> Iterator[Meant]:
    """Staff by when they left."""
    for thing in source.model.things.values():
        if thing.ends and thing.kind is Kind.THING:
            slot = source.slot(thing.table, thing.ends)
            cost = 0.0 if set(thing.noun) & STAFF else 0.15 if set(thing.noun) & BUYERS else 0.25
            if not set(thing.noun) & (STAFF | BUYERS | PERSONS) and len(thing.display) < 2:
                continue  # products that are discontinued did not leave
            yield Meant(cost, counted(thing, "leavers"), slot, thing.table, (Condition("filled", (slot,)),))
    yield from (
        replace(m, cost=m.cost + 0.05, measure=replace(m.measure, said="leavers"))
        for m in churned(source)
        if m.time
    )


def churned(source: Source) -> Iterator[Meant]:
    """Ended contracts and customers, by when they ended."""
    for thing in source.model.things.values():
        over = ended(source, thing.table)
        held = set(thing.noun) & (stems("subscription contract membership policy plan account") | BUYERS)
        if over is None or not held or set(thing.noun) & STAFF:
            continue
        time = source.slot(thing.table, thing.ends) if thing.ends else None
        yield Meant(0.1, counted(thing, "churned"), time, thing.table, (over,))


def churn_rate(source: Source) -> Iterator[Meant]:
    """The share of contracts and customers that ended."""
    for thing in source.model.things.values():
        over = ended(source, thing.table)
        if over is None or not set(thing.noun) & (
            stems("subscription contract membership policy account employee") | BUYERS
        ):
            continue
        above, below = counted(thing, "ended", (over,)), counted(thing, "all")
        yield Meant(
            0.1,
            share_of(above, below, "churn rate"),
        )
