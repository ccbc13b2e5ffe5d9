"""Business words as measures of one source: revenue is the money of the selling event, headcount the staff who are there.

Every concept looks for roles in the model and gives the measures that may be meant, with a cost. A
source that has no such role gives none, and then the word is not understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sqlagent.analyst.frames import Condition, Expr, Measure, Slot
from sqlagent.analyst.lexicon import MONEY_EVENTS
from sqlagent.analyst.source import Source
from sqlagent.analyst.states import current, ended
from sqlagent.language.words import stem
from sqlagent.semantics import Field, Kind, Role, Thing


@dataclass(frozen=True, slots=True)
class Meant:
    """A measure that a word may stand for; `time` is its own time where that is not its table's default.

    `thing` is set where rows of a thing are what is counted, so that a list of them may be meant too.
    """

    cost: float
    measure: Measure
    time: Slot | None = None
    thing: str = ""
    where: tuple[Condition, ...] = ()


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(w) for w in text.split())


_SELLING = _stems("revenue sale turnover net")
_AMOUNTS = _stems(
    "amount total value price subtotal sum charge fee fare rent mrr premium income extended paid"
)
_NO_REVENUE = _stems(
    "tax cost discount refund shipping freight budget spend limit tip balance credit unit list due target standard vat deposit margin profit salary wage "
    "planned expected outstanding price commission quota goal forecast"
)
_STAFF = _stems("employee staff worker person personnel associate people")
_BUYERS = _stems("customer user member account client subscriber buyer shopper patient guest")
_SPEND = _stems("spend cost expense expenditure")
_QUANTITY = _stems("quantity units unit pieces")
_PLANNED = _stems("budget target planned plan limit list standard forecast")


def meant(source: Source, concept: str) -> list[Meant]:
    """Give the measures that a concept may stand for here, cheapest first."""
    found = sorted(_FINDERS.get(concept, _nothing)(source), key=lambda m: m.cost)
    return found[:6]


def _nothing(source: Source) -> Iterable[Meant]:
    return ()


def _sum(one: Field, said: str = "", agg: str = "sum", where: tuple[Condition, ...] = ()) -> Measure:
    return Measure(agg, one.table, Expr("column", (Slot(one),)), where, said=said or one.said, unit=one.unit)


def _selling(thing: Thing) -> float:
    """How little a table looks like the selling event, by its noun."""
    places = [MONEY_EVENTS.index(w) for w in thing.noun if w in MONEY_EVENTS]
    if not places:
        return 0.35
    return 0.012 * min(places) + (0.25 if {"return", "refund", "purchas"} & set(thing.noun) else 0.0)


def revenue(source: Source) -> Iterator[Meant]:
    """Money of the selling event: a stored net amount, else an amount, else quantity times price."""
    for thing in source.model.things.values():
        if thing.kind in (Kind.CODES, Kind.DATES):
            continue
        base = _selling(thing) + (0.3 if thing.kind is Kind.THING else 0.0)
        stored = False
        for one in source.measures(thing.table):
            words = set(one.words)
            if one.unit != "money" or one.aggregate != "sum" and not words & _SELLING:
                continue
            if words & (_NO_REVENUE - _SELLING - {stem("paid")}) and not words & {
                stem("revenue"),
                stem("sale"),
            }:
                continue
            own = 0.0 if words & _SELLING else 0.06 if words & _AMOUNTS else 0.2
            own += 0.03 if stem("gross") in words else 0.0
            own += 0.05 if stem("pay") in words else 0.0
            if words & {stem("revenue"), stem("sale")}:
                base = min(base, 0.1)
            stored = True
            yield Meant(base + own, _sum(one, "revenue"))
        if not stored and (product := priced(source, thing)) is not None:
            yield Meant(base + 0.1, Measure("sum", thing.table, product, said="revenue", unit="money"))


def priced(source: Source, thing: Thing) -> Expr | None:
    """Quantity times price of a line, less its discount where that is a share of it."""
    quantity = next(
        (f for f in source.measures(thing.table) if set(f.words) & _QUANTITY and f.unit != "money"), None
    )
    if quantity is None:
        return None
    price = _price(source, thing.table)
    if price is None:
        return None
    discount = next((f for f in source.measures(thing.table) if stem("discount") in f.words), None)
    if discount is not None and not set(discount.words) & {"amount", "valu", "total"}:
        high = float(discount.high or 0) if _is_number(discount.high) else 0.0
        unit = "" if high <= 1 else "percent" if high <= 100 and discount.unit == "percent" else "none"
        if unit != "none":
            return Expr("discounted", (Slot(quantity), price, Slot(discount)), unit)
    return Expr("times", (Slot(quantity), price))


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
            if stem("price") in one.words and not set(one.words) & _stems("cost purchase"):
                return Slot(one, paths[0])
    return None


def cost_slot(source: Source, table: str) -> Slot | None:
    """What one piece costs us, seen from a line."""
    for other, paths in source.graph.up(table).items():
        if not paths or len(paths[0]) > 1:
            continue
        for one in source.measures(other):
            own = other != table or set(one.words) & _stems("unit standard")
            if (
                stem("cost") in one.words
                and own
                and not set(one.words) & _stems("total shipping freight amount")
            ):
                return Slot(one, paths[0])
    return None


def spend(source: Source) -> Iterator[Meant]:
    """Money that went out: columns of cost or spending."""
    for thing in source.model.things.values():
        for one in source.measures(thing.table):
            words = set(one.words)
            if not words & _SPEND and not (one.unit == "money" and set(thing.noun) & _SPEND):
                continue
            unit = 0.25 if one.aggregate == "avg" or stem("unit") in words else 0.0
            yield Meant(0.05 + unit + (0.3 if words & _PLANNED else 0.0), _sum(one, agg=one.aggregate))


def margin(source: Source) -> Iterator[Meant]:
    """A stored margin, else what is left of an amount after costs; of things, price less cost."""
    for thing in source.model.things.values():
        fields = source.measures(thing.table)
        for one in fields:
            if set(one.words) & _stems("margin profit") and one.unit != "percent":
                yield Meant(0.0, _sum(one))
        price = next((f for f in fields if stem("price") in f.words and stem("cost") not in f.words), None)
        cost = next((f for f in fields if stem("cost") in f.words), None)
        if thing.kind in (Kind.THING,) and price is not None and cost is not None:
            expr = Expr("minus", (Slot(price), Slot(cost)))
            sold = any(
                source.model.things[t].kind in (Kind.LINES, Kind.EVENT)
                and _selling(source.model.things[t]) < 0.3
                for t in source.graph.below(thing.table)
            )
            yield Meant(
                0.3 if sold else 0.15,
                Measure("avg", thing.table, expr, said="margin", unit="money"),
                thing=thing.table,
            )
        if thing.kind in (Kind.LINES, Kind.EVENT):
            quantity = next((f for f in fields if set(f.words) & _QUANTITY and f.unit != "money"), None)
            unit_cost = cost_slot(source, thing.table)
            amount = next(
                (
                    m.measure.expr
                    for m in sorted(revenue(source), key=lambda m: m.cost)
                    if m.measure.anchor == thing.table
                ),
                None,
            )
            total = next(
                (
                    f
                    for f in fields
                    if stem("cost") in f.words and stem("unit") not in f.words and f.aggregate == "sum"
                ),
                None,
            )
            if (
                amount is not None
                and amount.op == "column"
                and total is not None
                and not set(total.words) & _stems("unit standard shipping freight")
            ):
                expr = Expr("minus", (amount.slots[0], Slot(total)))
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
                Measure(
                    "ratio",
                    above.anchor,
                    over=above,
                    under=below,
                    percent=True,
                    said="margin rate",
                    unit="percent",
                ),
            )


def units(source: Source) -> Iterator[Meant]:
    """Pieces sold: the quantity of the selling event's lines."""
    for thing in source.model.things.values():
        if thing.kind in (Kind.EVENT, Kind.LINES):
            for one in source.measures(thing.table):
                if set(one.words) & _QUANTITY and one.unit != "money":
                    yield Meant(0.05 + _selling(thing), _sum(one, "units"))


def selling(source: Source) -> Iterator[Meant]:
    """What sells best: pieces where they are known, else money."""
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
    """Orders that have no table of their own: different order numbers of the lines."""
    for thing in source.model.things.values():
        head = (
            head_of(source, thing)
            if thing.kind in (Kind.EVENT, Kind.LINES) and _selling(thing) < 0.3
            else None
        )
        if head is not None and not head.path:
            yield Meant(
                0.05 + _selling(thing),
                Measure("distinct", thing.table, Expr("column", (head,)), said="orders"),
            )


def click_rate(source: Source) -> Iterator[Meant]:
    """Clicks over impressions."""
    for thing in source.model.things.values():
        clicks = next((f for f in source.measures(thing.table) if stem("clicks") in f.words), None)
        shown = next(
            (
                f
                for f in source.measures(thing.table)
                if set(f.words) & _stems("impressions views sends delivered")
            ),
            None,
        )
        if clicks is not None and shown is not None:
            yield Meant(
                0.0,
                Measure(
                    "ratio",
                    thing.table,
                    over=_sum(clicks),
                    under=_sum(shown),
                    percent=True,
                    said="click rate",
                    unit="percent",
                ),
            )


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
        target = source.model.things[relation.target]
        shared = set(target.noun) & set(thing.noun) or set(target.noun) & set(MONEY_EVENTS[:6])
        if target.kind is Kind.EVENT and shared and len(relation.referenced) == 1:
            return source.slot(target.table, relation.referenced[0], (relation,))
    for one in source.model.fields[thing.table]:
        named = set(one.words) & _stems(
            "order invoice receipt transaction ticket basket bill check cart booking"
        )
        numbered = set(one.words) & _stems("number id nr key")
        if named and numbered and one.role not in (Role.MEASURE, Role.TIME) and thing.key != (one.column,):
            return Slot(one)
    return None


def _rows(thing: Thing, said: str, where: tuple[Condition, ...] = ()) -> Measure:
    return Measure("rows", thing.table, where=where, said=said)


def _people(source: Source, nouns: frozenset[str]) -> Iterator[Thing]:
    for thing in source.model.things.values():
        if thing.noun and thing.noun[-1] in nouns and thing.kind in (Kind.THING, Kind.EVENT):
            yield thing


def headcount(source: Source) -> Iterator[Meant]:
    """Staff who are there now."""
    for thing in _people(source, _STAFF):
        now = current(source, thing.table)
        yield Meant(
            0.0, _rows(thing, "headcount"), thing=thing.table, where=(now,) if now is not None else ()
        )


def staff(source: Source) -> Iterator[Meant]:
    """Staff, whoever was ever there."""
    for thing in _people(source, _STAFF):
        yield Meant(0.0, _rows(thing, thing.said), thing=thing.table)


def signups(source: Source) -> Iterator[Meant]:
    """Customers by when they came."""
    for thing in _people(source, _BUYERS):
        if thing.default_time:
            yield Meant(
                0.0 if "custom" in thing.noun else 0.05,
                _rows(thing, "signups"),
                source.slot(thing.table, thing.default_time),
                thing.table,
            )


def hires(source: Source) -> Iterator[Meant]:
    """Staff by when they came."""
    for thing in _people(source, _STAFF):
        begins = thing.begins or thing.default_time
        if begins:
            yield Meant(0.0, _rows(thing, "hires"), source.slot(thing.table, begins), thing.table)


def leavers(source: Source) -> Iterator[Meant]:
    """Staff by when they left."""
    for thing in source.model.things.values():
        if thing.ends and thing.kind is Kind.THING:
            slot = source.slot(thing.table, thing.ends)
            cost = 0.0 if set(thing.noun) & _STAFF else 0.15 if set(thing.noun) & _BUYERS else 0.25
            yield Meant(cost, _rows(thing, "leavers"), slot, thing.table, (Condition("filled", (slot,)),))


def churned(source: Source) -> Iterator[Meant]:
    """What ended, by when it ended."""
    for thing in source.model.things.values():
        over = ended(source, thing.table)
        if over is None or not set(thing.noun) & (
            _stems("subscription contract membership policy plan account") | _BUYERS
        ):
            continue
        time = source.slot(thing.table, thing.ends) if thing.ends else None
        yield Meant(0.1, _rows(thing, "churned"), time, thing.table, (over,))


def churn_rate(source: Source) -> Iterator[Meant]:
    """What ended as a share of all there were."""
    for thing in source.model.things.values():
        over = ended(source, thing.table)
        if over is None or not set(thing.noun) & (
            _stems("subscription contract membership policy account employee") | _BUYERS
        ):
            continue
        above, below = _rows(thing, "ended", (over,)), _rows(thing, "all")
        yield Meant(
            0.1,
            Measure(
                "ratio", thing.table, over=above, under=below, percent=True, said="churn rate", unit="percent"
            ),
        )


def collected(source: Source) -> Iterator[Meant]:
    """Money that came in, by when it came."""
    for thing in source.model.things.values():
        for one in source.measures(thing.table):
            if (
                one.unit != "money"
                or not set(one.words) & _stems("paid payment collected received settled")
                and not (set(thing.noun) & _stems("payment receipt") and set(one.words) & _AMOUNTS)
            ):
                continue
            time = next(
                (
                    f
                    for f in source.model.of_role(thing.table, Role.TIME)
                    if set(f.words) & _stems("paid payment received collected settled")
                ),
                None,
            )
            yield Meant(0.05, _sum(one), Slot(time) if time is not None else None)


def outstanding(source: Source) -> Iterator[Meant]:
    """Money that is owed still: a stored balance, else what is due less what was paid."""
    for thing in source.model.things.values():
        fields = source.measures(thing.table)
        for one in fields:
            if set(one.words) & _stems("outstanding balance unpaid open") and one.unit == "money":
                yield Meant(0.05, _sum(one))
        due = next(
            (
                f
                for f in fields
                if set(f.words) & _stems("due total amount billed invoiced") and stem("pay") not in f.words
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


def utilisation(source: Source) -> Iterator[Meant]:
    """The billable share of hours, or used over available."""
    for thing in source.model.things.values():
        flag = next(
            (
                f
                for f in source.model.of_role(thing.table, Role.FLAG)
                if set(f.words) & _stems("billable productive chargeable")
            ),
            None,
        )
        hours = next((f for f in source.measures(thing.table) if f.unit in ("hours", "minutes")), None)
        if flag is not None and hours is not None:
            yes = Condition("in", (Slot(flag),), (_bare(flag.yes),))
            yield Meant(
                0.05,
                Measure(
                    "ratio",
                    thing.table,
                    over=_sum(hours, where=(yes,)),
                    under=_sum(hours),
                    percent=True,
                    said="utilization",
                    unit="percent",
                ),
            )


def _bare(literal: str) -> str:
    return literal.strip("'")


def conversion(source: Source) -> Iterator[Meant]:
    """Visits, leads or quotes that became something, as a share of all."""
    for thing in source.model.things.values():
        if not set(thing.noun) & _stems(
            "session visit lead opportunity quote offer click impression application trial prospect"
        ):
            continue
        for one in source.model.fields[thing.table]:
            words = set(one.words)
            if one.role is Role.FLAG and words & _stems(
                "converted conversion purchased ordered won bought accepted purchase order sale convert"
            ):
                above = _rows(thing, "converted", (Condition("in", (Slot(one),), (_bare(one.yes),)),))
            elif (
                one.role in (Role.FOREIGN, Role.TEXT, Role.KEY, Role.TIME)
                and one.filled < 1
                and words & _stems("order purchase receipt invoice converted won sale transaction")
            ):
                above = _rows(thing, "converted", (Condition("filled", (Slot(one),)),))
            else:
                continue
            yield Meant(
                0.05,
                Measure(
                    "ratio",
                    thing.table,
                    over=above,
                    under=_rows(thing, "all"),
                    percent=True,
                    said="conversion rate",
                    unit="percent",
                ),
            )
            break


def return_rate(source: Source) -> Iterator[Meant]:
    """Lines with a return as a share of lines."""
    for thing in source.model.things.values():
        if not set(thing.noun) & _stems("return refund"):
            continue
        for relation in source.graph.out[thing.table]:
            target = source.model.things[relation.target]
            if target.kind in (Kind.LINES, Kind.EVENT) and len(relation.columns) == 1:
                has = Condition("exists", child=thing.table, path=(relation,))
                above, below = _rows(target, "returned", (has,)), _rows(target, "all")
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
                if set(f.words) & _stems("returned refunded return")
            ),
            None,
        )
        if flag is not None:
            above = _rows(thing, "returned", (Condition("in", (Slot(flag),), (_bare(flag.yes),)),))
            yield Meant(
                0.1,
                Measure(
                    "ratio",
                    thing.table,
                    over=above,
                    under=_rows(thing, "all"),
                    percent=True,
                    said="return rate",
                    unit="percent",
                ),
            )


_FINDERS: dict[str, Callable[[Source], Iterable[Meant]]] = {
    "revenue": revenue, "cost": spend, "spend": spend, "margin": margin, "margin rate": margin_rate, "units": units, "selling": selling,
    "order value": order_value, "units per order": units_per_order, "orders": orders, "ctr": click_rate, "headcount": headcount, "staff": staff, "signups": signups, "hires": hires, "leavers": leavers, "churned": churned,
    "churn rate": churn_rate, "collected": collected, "outstanding": outstanding, "utilisation": utilisation, "return rate": return_rate, "conversion rate": conversion,
    "bookings": revenue,
}  # fmt: skip
