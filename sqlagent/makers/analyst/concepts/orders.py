"""Orders and pieces: units sold, what sells best, order value, units an order."""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.catalog.semantics import Field, Kind, Role, Thing
from sqlagent.catalog.semantics.words import BOUGHT, stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts.meant import QUANTITY, Meant, selling_cost, summed
from sqlagent.makers.analyst.concepts.money import revenue
from sqlagent.makers.analyst.frames import Expr, Measure, Slot
from sqlagent.makers.analyst.lexicon import MONEY_EVENTS
from sqlagent.makers.analyst.source import Source


def pieces_of(source: Source, table: str) -> Field | None:
    """The quantity that each row of an event holds beside a price of one piece; None where rows are pieces themselves."""
    if source.model.things[table].kind not in (Kind.EVENT, Kind.LINES):
        return None
    fields = source.measures(table)
    priced = any(stem("price") in f.words for f in fields)
    found = (f for f in fields if set(f.words) & QUANTITY and f.unit != "money" and f.aggregate == "sum")
    return next(found, None) if priced else None


def units(source: Source) -> Iterator[Meant]:
    """Pieces sold: the quantity of the selling event's lines."""
    for thing in source.model.things.values():
        if thing.kind in (Kind.EVENT, Kind.LINES):
            for one in source.measures(thing.table):
                if set(one.words) & QUANTITY and one.unit != "money":
                    yield Meant(0.05 + selling_cost(thing), summed(one, "units"))


def selling(source: Source) -> Iterator[Meant]:
    """The figures of best sellers: pieces where they are known, else money."""
    yield from units(source)
    for one in revenue(source):
        yield Meant(one.cost + 0.2, one.measure)


def order_value(source: Source) -> Iterator[Meant]:
    """Revenue over orders: the average of a stored total, or the sum of lines over different heads."""
    for one in revenue(source):
        thing = source.model.things[one.measure.anchor]
        head = head_of(source, thing)
        if head is None:
            if thing.kind is Kind.EVENT:
                yield Meant(
                    one.cost + 0.02,
                    Measure("avg", thing.table, one.measure.expr, said="average value", unit="money"),
                )
            continue
        count = Measure("distinct", thing.table, Expr("column", (head,)), said="orders")
        yield Meant(
            one.cost,
            Measure("ratio", thing.table, over=one.measure, under=count, said="average value", unit="money"),
        )


def orders(source: Source) -> Iterator[Meant]:
    """Orders that have no table of their own: rows that were ordered, else different order numbers of the lines; what was bought where nothing was sold."""
    sold = any(
        stem("order") in thing.noun
        and not BOUGHT & set(thing.noun)
        and thing.kind in (Kind.EVENT, Kind.LINES)
        for thing in source.model.things.values()
    )
    ordered = [] if sold else [*filter(lambda one: _was_ordered(one, source), source.model.things.values())]
    for thing in ordered:
        yield Meant(0.02, Measure("rows", thing.table, said="orders"))
    for thing in source.model.things.values():
        if sold and BOUGHT & set(thing.noun):
            continue
        head = (
            head_of(source, thing)
            if thing.kind in (Kind.EVENT, Kind.LINES) and selling_cost(thing) < 0.3
            else None
        )
        if head is not None and not head.path:
            yield Meant(
                0.05 + selling_cost(thing) + (_NUMBERED if ordered else 0.0),
                Measure("distinct", thing.table, Expr("column", (head,)), said="orders"),
            )


_NUMBERED = 0.3
"""Cost of taking numbers of invoices for orders where rows of another name were ordered."""


def _was_ordered(thing: Thing, source: Source) -> bool:
    """Whether rows of another name are told by the day on which they were ordered, and not by the business itself."""
    time = source.model.field(thing.table, thing.default_time) if thing.default_time else None
    is_said = time is not None and time.table == thing.table and stem("order") in time.words
    is_whole = is_said and thing.kind is Kind.EVENT and head_of(source, thing) is None
    return is_whole and not BOUGHT & set(thing.noun)


def units_per_order(source: Source) -> Iterator[Meant]:
    """Pieces over orders."""
    for one in units(source):
        head = head_of(source, source.model.things[one.measure.anchor])
        if head is not None:
            count = Measure("distinct", one.measure.anchor, Expr("column", (head,)), said="orders")
            yield Meant(
                one.cost,
                Measure("ratio", one.measure.anchor, over=one.measure, under=count, said="units per order"),
            )


def head_of(source: Source, thing: Thing) -> Slot | None:
    """The key of what a line belongs to: an order of order lines, or an order number kept in the lines themselves."""
    for relation in source.graph.out[thing.table]:
        if relation.target == thing.table:
            continue  # a remake points at another order, and is none of its lines
        target = source.model.things[relation.target]
        shared = set(target.noun) & set(thing.noun) or set(target.noun) & set(MONEY_EVENTS[:6])
        if target.kind is Kind.EVENT and shared and len(relation.referenced) == 1:
            return source.slot(target.table, relation.referenced[0], (relation,))
    again = {c for r in source.graph.out[thing.table] if r.target == thing.table for c in r.columns}
    for one in source.model.fields[thing.table]:
        if one.column in again:
            continue
        named = set(one.words) & stems(
            "order invoice receipt transaction ticket basket bill check cart booking"
        )
        numbered = set(one.words) & stems("number id nr key")
        if named and numbered and one.role not in (Role.MEASURE, Role.TIME) and thing.key != (one.column,):
            return Slot(one)
    return None
