"""The worth of one row of an event: its own amount, or that of the lines it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Thing
from sqlagent.makers.analyst.concepts.meant import (
    AMOUNTS,
    CAME_IN,
    NO_REVENUE,
    PLANNED,
    SELLING,
    Meant,
    summed,
)
from sqlagent.makers.analyst.concepts.money import priced
from sqlagent.makers.analyst.concepts.orders import head_of
from sqlagent.makers.analyst.frames import Expr, Measure
from sqlagent.makers.analyst.lexicon import SYNONYMS
from sqlagent.makers.analyst.source import Source


def worth(source: Source, thing: Thing, agg: str) -> Iterator[Meant]:
    """The amount of an event's rows, for "average donation" and "how much did we invoice", summed up by `agg`.

    A column with words of its own (an insurer's part, a tax) is dearer than the plain one. Of rows that have lines
    the amount is that of the lines: their total, or its average over the rows.
    """
    if thing.kind not in (Kind.EVENT, Kind.LINES):
        return
    own = list(_own(source, thing))
    for found in own:
        yield replace(found, measure=replace(found.measure, agg=agg))
    if own or agg not in ("sum", "avg"):
        return
    for child in source.graph.below(thing.table):
        lines = source.model.things[child]
        head = head_of(source, lines)
        if lines.kind is not Kind.LINES or head is None or head.field.table != thing.table:
            continue
        for found in _own(source, lines):
            count = Measure("distinct", child, Expr("column", (head,)), said=thing.said)
            mean = Measure(
                "ratio", child, over=found.measure, under=count, said="average value", unit="money"
            )
            yield replace(found, measure=mean if agg == "avg" else found.measure)


def _own(source: Source, thing: Thing) -> Iterator[Meant]:
    stored = False
    named = {*thing.noun, *(word for noun in thing.noun for word in SYNONYMS.get(noun, ()))}
    for one in source.measures(thing.table):
        words = set(one.words)
        if one.unit != "money" or one.aggregate != "sum" or words & (NO_REVENUE | PLANNED) - SELLING - named:
            continue
        more = words - AMOUNTS - SELLING - set(thing.noun)
        stored = True
        came_in = 0.1 if words & CAME_IN else 0.0
        yield Meant(0.08 * len(more) + (0.0 if words & AMOUNTS else 0.05) + came_in, summed(one))
    if not stored and (product := priced(source, thing)) is not None:
        yield Meant(0.05, Measure("sum", thing.table, product, said="amount", unit="money"))
