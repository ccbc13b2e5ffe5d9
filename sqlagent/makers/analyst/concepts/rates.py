"""Rates that businesses have names for: clicks, use, conversion, returns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts.meant import (
    Meant,
    bare,
    counted,
    stems,
    summed,
)
from sqlagent.makers.analyst.frames import Condition, Measure, Slot
from sqlagent.makers.analyst.source import Source


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
                Measure(
                    "ratio",
                    thing.table,
                    over=summed(clicks),
                    under=summed(shown),
                    percent=True,
                    said="click rate",
                    unit="percent",
                ),
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
                Measure(
                    "ratio",
                    thing.table,
                    over=summed(hours, where=(yes,)),
                    under=summed(hours),
                    percent=True,
                    said="utilization",
                    unit="percent",
                ),
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
                Measure(
                    "ratio",
                    thing.table,
                    over=above,
                    under=counted(thing, "all"),
                    percent=True,
                    said="conversion rate",
                    unit="percent",
                ),
            )
            break


def return_rate(source: Source) -> Iterator[Meant]:
    """Lines with a return as a share of lines."""
    for thing in source.model.things.values():
        if not set(thing.noun) & stems("return refund"):
            continue
        for relation in source.graph.out[thing.table]:
            target = source.model.things[relation.target]
            if target.kind in (Kind.LINES, Kind.EVENT) and len(relation.columns) == 1:
                has = Condition("exists", child=thing.table, path=(relation,))
                above, below = counted(target, "returned", (has,)), counted(target, "all")
                yield Meant(
                    0.05,
                    Measure(
                        "ratio",
                        target.table,
                        over=above,
                        under=below,
                        percent=True,
                        said="return rate",
                        unit="percent",
                    ),
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
                Measure(
                    "ratio",
                    thing.table,
                    over=above,
                    under=counted(thing, "all"),
                    percent=True,
                    said="return rate",
                    unit="percent",
                ),
            )
