"""Rates that businesses have names for: clicks, use, conversion, returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.semantics.words import CAME_BACK, STAFF, stems
from sqlagent.catalog.value_index import normal
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts.meant import Meant, bare, counted, summed
from sqlagent.makers.analyst.concepts.people import churn_rate
from sqlagent.makers.analyst.frames import Condition, Slot, share_of
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import labels


def click_rate(source: Source) -> Iterator[Meant]:
    """Clicks over impressions."""
    for thing in source.model.things.values():
        clicks = next((f for f in source.measures(thing.table) if stem("clicks") in f.words), None)
        shown = next(
            (
                f
                for f in source.measures(thing.table)
                if set(f.words) & stems("impressions views sends delivered")
            ),
            None,
        )
        if clicks is not None and shown is not None:
            yield Meant(
                0.0,
                share_of(summed(clicks), summed(shown), "click rate"),
            )


def utilisation(source: Source) -> Iterator[Meant]:
    """The billable share of hours, or used over available."""
    for thing in source.model.things.values():
        flag = next(
            (
                f
                for f in source.model.of_role(thing.table, Role.FLAG)
                if set(f.words) & stems("billable productive chargeable")
            ),
            None,
        )
        hours = next((f for f in source.measures(thing.table) if f.unit in ("hours", "minutes")), None)
        if flag is not None and hours is not None:
            yes = Condition("in", (Slot(flag),), (bare(flag.yes),))
            yield Meant(
                0.05,
                share_of(summed(hours, where=(yes,)), summed(hours), "utilization"),
            )


def conversion(source: Source) -> Iterator[Meant]:
    """Visits, leads or quotes that became something, as a share of all."""
    for thing in source.model.things.values():
        if not set(thing.noun) & stems(
            "session visit lead opportunity quote offer click impression application trial prospect"
        ):
            continue
        for one in source.model.fields[thing.table]:
            words = set(one.words)
            if one.role is Role.FLAG and words & stems(
                "converted conversion purchased ordered won bought accepted purchase order sale convert"
            ):
                above = counted(thing, "converted", (Condition("in", (Slot(one),), (bare(one.yes),)),))
            elif (
                one.role in (Role.FOREIGN, Role.TEXT, Role.KEY, Role.TIME)
                and one.filled < 1
                and words & stems("order purchase receipt invoice converted won sale transaction")
            ):
                above = counted(thing, "converted", (Condition("filled", (Slot(one),)),))
            else:
                continue
            yield Meant(
                0.05,
                share_of(above, counted(thing, "all"), "conversion rate"),
            )
            break


_NOT = stems("not no non never partly partially")
"""Words in labels of states that another word names only in part, or denies."""


def _in_state(source: Source, words: frozenset[str], said: str, cost: float) -> Iterator[Meant]:
    """The share of an event's rows that are in a state called by some words, by its status, else by when they came into it."""
    for thing in source.model.things.values():
        held = (
            thing.kind is Kind.THING and thing.state and thing.default_time
        )  # events that bear a name are things
        if thing.kind not in (Kind.EVENT, Kind.LINES) and not held:
            continue
        state = source.model.field(thing.table, thing.state) if thing.state else None
        named = [
            code
            for code, label in (labels(source, state) if state is not None else ())
            if (said_of := {stem(w) for w in normal(label).split()}) == words
            or words < said_of
            and not said_of & _NOT
        ]
        if held and not named:
            continue
        times = (f for f in source.model.of_role(thing.table, Role.TIME) if f.filled < 1)
        since = next((f for f in times if words <= set(f.words)), None)
        if state is not None and named:
            has = Condition("in", (Slot(state),), tuple(named))
        elif since is not None:
            has = Condition("filled", (Slot(since),))
        else:
            continue
        share = share_of(counted(thing, said, (has,)), counted(thing, "all"), said)
        yield Meant(cost + (0.0 if named else 0.03) + (0.04 if held else 0.0), share)


def cancellation_rate(source: Source) -> Iterator[Meant]:
    """The share of cancelled ones; of customers and contracts those that ended."""
    found = list(_in_state(source, stems("cancelled"), "cancellation rate", 0.0))
    yield from found
    for one in churn_rate(source):
        if not set(source.model.things[one.measure.anchor].noun) & STAFF:
            yield replace(one, cost=one.cost + (0.2 if found else 0.0))


def return_rate(source: Source) -> Iterator[Meant]:
    """Lines with a return as a share of lines."""
    for state in ("returned", "refunded"):
        yield from _in_state(source, stems(state), "return rate", 0.12)
    for thing in source.model.things.values():
        if not set(thing.noun) & CAME_BACK:
            continue
        for relation in source.graph.out[thing.table]:
            target = source.model.things[relation.target]
            if target.kind in (Kind.LINES, Kind.EVENT) and len(relation.columns) == 1:
                has = Condition("exists", child=thing.table, path=(relation,))
                above, below = counted(target, "returned", (has,)), counted(target, "all")
                yield Meant(
                    0.05,
                    share_of(above, below, "return rate"),
                )
    for thing in source.model.things.values():
        flag = next(
            (
                f
                for f in source.model.of_role(thing.table, Role.FLAG)
                if set(f.words) & stems("returned refunded return")
            ),
            None,
        )
        if flag is not None:
            above = counted(thing, "returned", (Condition("in", (Slot(flag),), (bare(flag.yes),)),))
            yield Meant(
                0.1,
                share_of(above, counted(thing, "all"), "return rate"),
            )
