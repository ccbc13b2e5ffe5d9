"""Money: revenue, spending, margin, what was collected and what is owed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Kind, Role, Thing
from sqlagent.catalog.semantics.words import ADDED, ASSETS, BOUGHT, CAME_BACK, stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts.meant import (
    AMOUNTS,
    CAME_IN,
    NO_REVENUE,
    PLANNED,
    QUANTITY,
    SELLING,
    SPEND,
    Meant,
    selling_cost,
    summed,
)
from sqlagent.makers.analyst.concepts.owed import unpaid
from sqlagent.makers.analyst.frames import Expr, Measure, Slot, share_of
from sqlagent.makers.analyst.source import Source

_SPENT = stems("cost expense expenditure outlay")
"""Nouns of rows whose money goes out."""

_BILLED = stems("invoice bill payment receipt charge")
"""Nouns of rows of money that was invoiced or paid."""

_PERIODIC = stems("monthly recurring mrr arr yearly annual annually weekly rate fee")
"""Words of columns that hold what is due for each period."""

_RATE_BEHIND = 0.15
"""The cost of a recurring rate above that of money that was invoiced or paid."""


def revenue(source: Source) -> Iterator[Meant]:
    """Money of the selling event: a stored net amount, else an amount, else quantity times price."""
    for thing in source.model.things.values():
        if thing.kind in (Kind.CODES, Kind.DATES) or set(thing.noun) & _SPENT:
            continue
        base = selling_cost(thing) + (0.3 if thing.kind is Kind.THING else 0.0)
        stored = False
        for one in source.measures(thing.table):
            words = set(one.words)
            if one.unit != "money" or one.aggregate != "sum" and not words & SELLING:
                continue
            if words & (NO_REVENUE - SELLING - {stem("paid")}) and not words & {
                stem("revenue"),
                stem("sale"),
            }:
                continue
            own = 0.0 if words & SELLING else 0.06 if words & AMOUNTS else 0.2
            own += 0.03 if stem("gross") in words else 0.0
            own += 0.15 if words & ADDED and _has_whole(source, thing, one) else 0.0
            own += 0.05 if stem("pay") in words else 0.0
            own += 0.08 if words & CAME_IN and _has_asked(source, thing, one) else 0.0
            if words & {stem("revenue"), stem("sale")} and not set(thing.noun) & ASSETS:
                base = min(base, 0.1)
            stored = True
            yield Meant(base + own, summed(one, "revenue"))
        came_back = CAME_BACK & set(thing.noun)
        if not stored and not came_back and (product := priced(source, thing)) is not None:
            yield Meant(base + 0.1, Measure("sum", thing.table, product, said="revenue", unit="money"))
        elif not stored and not came_back and (price := _own_price(source, thing)) is not None:
            yield Meant(base + 0.12, Measure("sum", thing.table, price, said="revenue", unit="money"))


def earned(source: Source) -> Iterator[Meant]:
    """Revenue as it is asked for: a recurring rate behind what was invoiced or paid, where both are stored.

    Rates of the subscriptions that began in a year add up to nothing that was earned in it.
    """
    found = sorted(revenue(source), key=lambda one: one.cost)
    billed = {one.measure.anchor for one in found if _is_billed(source.model.things[one.measure.anchor])}
    for one in found:
        slots = one.measure.expr.slots if one.measure.expr is not None else ()
        is_rate = any(_PERIODIC & set(slot.field.words) for slot in slots)
        behind = _RATE_BEHIND if is_rate and billed - {one.measure.anchor} else 0.0
        yield replace(one, cost=one.cost + behind)


def _is_billed(thing: Thing) -> bool:
    """Whether rows of a table are money that was invoiced or paid."""
    return thing.kind in (Kind.EVENT, Kind.LINES) and bool(set(thing.noun) & _BILLED)


def _has_whole(source: Source, thing: Thing, part: Field) -> bool:
    """Whether a table has an amount beside what is only added to it: a service fee beside the total amount."""
    return any(
        f.unit == "money"
        and f is not part
        and set(f.words) & stems("total amount")
        and not set(f.words) & ADDED
        for f in source.measures(thing.table)
    )


def _has_asked(source: Source, thing: Thing, part: Field) -> bool:
    """Whether a table has an amount that was asked for beside one that came in: the amount billed beside the amount paid."""
    return any(
        f.unit == "money"
        and f is not part
        and f.aggregate == "sum"
        and set(f.words) & (AMOUNTS | SELLING)
        and not set(f.words) & (CAME_IN | ADDED | NO_REVENUE)
        for f in source.measures(thing.table)
    )


def _own_price(source: Source, thing: Thing) -> Expr | None:
    """The price of what is sold one at a time: tickets, subscriptions, enrolments."""
    if thing.kind is not Kind.EVENT:
        return None
    for one in source.measures(thing.table):
        if stem("price") in one.words and not set(one.words) & (stems("cost purchase unit list") | PLANNED):
            return Expr("column", (Slot(one),))
    return None


def priced(source: Source, thing: Thing) -> Expr | None:
    """Quantity times price of a line, less its discount: a share of it, or money of the whole line."""
    quantity = quantity_of(source, thing)
    if quantity is None:
        return None
    price = _price(source, thing.table)
    if price is None:
        return None
    discount = next((f for f in source.measures(thing.table) if stem("discount") in f.words), None)
    if discount is not None and not set(discount.words) & {"amount", "valu", "total"}:
        if discount.unit == "money":
            return Expr("discounted", (Slot(quantity), price, Slot(discount)), "money")
        high = float(discount.high or 0) if _is_number(discount.high) else 0.0
        unit = "" if high <= 1 else "percent" if high <= 100 and discount.unit == "percent" else "none"
        if unit != "none":
            return Expr("discounted", (Slot(quantity), price, Slot(discount)), unit)
    return Expr("times", (Slot(quantity), price))


def quantity_of(source: Source, thing: Thing) -> Field | None:
    """How many a line is of: a quantity, or the only whole number of a line beside the price of one ("meals")."""
    measures = source.measures(thing.table)
    named = next((f for f in measures if set(f.words) & QUANTITY and f.unit != "money"), None)
    if named is not None or thing.kind is not Kind.LINES:
        return named
    of_one = any(f.unit == "money" and {"unit", stem("price")} <= set(f.words) for f in measures)
    whole = [f for f in measures if f.unit in ("", "count") and f.aggregate == "sum" and f.is_whole]
    return whole[0] if of_one and len(whole) == 1 else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _price(source: Source, table: str) -> Slot | None:
    """The price at which a line was sold: its own, else that of what it sells."""
    for other, paths in source.graph.up(table).items():
        if not paths or len(paths[0]) > 1:
            continue
        for one in source.measures(other):
            if stem("price") in one.words and not set(one.words) & stems("cost purchase"):
                return Slot(one, paths[0])
    return None


def cost_slot(source: Source, table: str) -> Slot | None:
    """Our cost of one piece, seen from a line."""
    for other, paths in source.graph.up(table).items():
        if not paths or len(paths[0]) > 1 or other != table and _is_bought_once(source, other):
            continue
        for one in source.measures(other):
            own = other != table or set(one.words) & stems("unit standard")
            if (
                (stem("cost") in one.words or other != table and _is_paid(one))
                and own
                and not set(one.words) & stems("total shipping freight amount")
            ):
                return Slot(one, paths[0])
    return None


def _is_bought_once(source: Source, table: str) -> bool:
    """Whether each row of a table was bought on a day of its own: a press or a van, whose price is no cost of a piece."""
    bought = stems("purchase purchased buy bought acquisition acquired")
    return any(one.role is Role.TIME and bought & set(one.words) for one in source.model.fields[table])


def _is_paid(one: Field) -> bool:
    """Whether a price is the one at which things were bought."""
    return stem("price") in one.words and bool(set(one.words) & stems("purchase buying cost"))


def sold_in(source: Source) -> set[str]:
    """The table whose rows bring the money in, and what these belong to: order lines and their orders."""
    lines = sold_by(source)
    return {lines, *(relation.target for relation in source.graph.out[lines])} if lines else set()


def sold_by(source: Source) -> str:
    """The table whose rows bring the money in; empty where none does."""
    best = min(revenue(source), key=lambda one: one.cost, default=None)
    return best.measure.anchor if best is not None else ""


def spend(source: Source) -> Iterator[Meant]:
    """Money that went out: columns of cost or spending."""
    for thing in source.model.things.values():
        for one in source.measures(thing.table):
            words = set(one.words)
            if not words & SPEND and not (one.unit == "money" and set(thing.noun) & SPEND):
                continue
            unit = 0.25 if one.aggregate == "avg" or stem("unit") in words else 0.0
            yield Meant(0.05 + unit + (0.3 if words & PLANNED else 0.0), summed(one, agg=one.aggregate))


def margin(source: Source) -> Iterator[Meant]:
    """A stored margin, else what is left of an amount after costs; of things, price less cost."""
    for thing in source.model.things.values():
        fields = source.measures(thing.table)
        for one in fields:
            if set(one.words) & stems("margin profit") and one.unit != "percent":
                yield Meant(0.0, summed(one))
        price = next((f for f in fields if stem("price") in f.words and not _is_paid(f)), None)
        cost = next((f for f in fields if stem("cost") in f.words or _is_paid(f)), None)
        if thing.kind in (Kind.THING,) and price is not None and cost is not None:
            expr = Expr("minus", (Slot(price), Slot(cost)))
            sold = any(
                source.model.things[t].kind in (Kind.LINES, Kind.EVENT)
                and selling_cost(source.model.things[t]) < 0.3
                for t in source.graph.below(thing.table)
            )
            yield Meant(
                0.3 if sold else 0.15,
                Measure("avg", thing.table, expr, said="margin", unit="money"),
                thing=thing.table,
            )
        if thing.kind in (Kind.LINES, Kind.EVENT) and not BOUGHT & set(thing.noun):
            quantity = quantity_of(source, thing)
            unit_cost = cost_slot(source, thing.table)
            amount = next(
                (
                    m.measure.expr
                    for m in sorted(revenue(source), key=lambda m: m.cost)
                    if m.measure.anchor == thing.table
                ),
                None,
            )
            costs = _whole_costs(fields)
            if amount is not None and amount.op == "column" and costs:
                expr = Expr("minus", (amount.slots[0], *map(Slot, costs)))
                yield Meant(0.08, Measure("sum", thing.table, expr, said="margin", unit="money"))
            elif (
                amount is not None
                and quantity is not None
                and unit_cost is not None
                and amount.op == "column"
            ):
                expr = Expr("profit", (amount.slots[0], Slot(quantity), unit_cost))
                yield Meant(0.1, Measure("sum", thing.table, expr, said="margin", unit="money"))
            elif amount is not None and unit_cost is not None and amount.op == "discounted":
                expr = Expr("discounted profit", (*amount.slots, unit_cost), amount.unit)
                yield Meant(0.12, Measure("sum", thing.table, expr, said="margin", unit="money"))
            elif amount is not None and unit_cost is not None and amount.op == "times":
                expr = Expr("unit profit", (amount.slots[0], amount.slots[1], unit_cost))
                yield Meant(0.12, Measure("sum", thing.table, expr, said="margin", unit="money"))


def _whole_costs(fields: Sequence[Field]) -> list[Field]:
    """The whole costs of rows: the total where one is stored, else every cost of the row: material, labor."""
    costs = [f for f in fields if stem("cost") in f.words and f.unit == "money" and f.aggregate == "sum"]
    costs = [f for f in costs if not set(f.words) & (stems("unit standard shipping freight") | PLANNED)]
    total = [f for f in costs if set(f.words) <= stems("cost total amount cents")]
    return total[:1] or costs


def margin_rate(source: Source) -> Iterator[Meant]:
    """Margin as a share of revenue."""
    for one in margin(source):
        above = one.measure
        below = next(
            (
                m.measure
                for m in sorted(revenue(source), key=lambda m: m.cost)
                if m.measure.anchor == above.anchor
            ),
            None,
        )
        if below is not None and above.agg == "sum":
            yield Meant(
                one.cost,
                share_of(above, below, "margin rate"),
            )


def collected(source: Source) -> Iterator[Meant]:
    """Money that came in, by when it came."""
    for thing in source.model.things.values():
        for one in source.measures(thing.table):
            if (
                one.unit != "money"
                or not set(one.words) & stems("paid payment collected received settled")
                and not (set(thing.noun) & stems("payment receipt") and set(one.words) & AMOUNTS)
            ):
                continue
            time = next(
                (
                    f
                    for f in source.model.of_role(thing.table, Role.TIME)
                    if set(f.words) & stems("paid payment received collected settled")
                ),
                None,
            )
            yield Meant(0.05, summed(one), Slot(time) if time is not None else None)


def outstanding(source: Source) -> Iterator[Meant]:
    """Money that is owed still: a stored balance, else what is due less what was paid, else the money of rows that are not paid."""
    yield from unpaid(source)
    for thing in source.model.things.values():
        fields = source.measures(thing.table)
        for one in fields:
            if set(one.words) & stems("outstanding balance unpaid open") and one.unit == "money":
                yield Meant(0.05, summed(one))
        due = next(
            (
                f
                for f in fields
                if set(f.words) & stems("due total amount billed invoiced") and stem("pay") not in f.words
            ),
            None,
        )
        paid = next((f for f in fields if stem("pay") in f.words and f.unit == "money"), None)
        if due is not None and paid is not None:
            yield Meant(
                0.15,
                Measure(
                    "sum",
                    thing.table,
                    Expr("minus", (Slot(due), Slot(paid))),
                    said="outstanding",
                    unit="money",
                ),
            )
