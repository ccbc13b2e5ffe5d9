"""Business words as measures of one source: revenue is the money of the selling event, headcount the staff who are there.

Every concept looks for roles in the model and gives the measures that may be meant, with a cost. A
source that has no such role gives none, and then the word is not understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from weakref import WeakKeyDictionary

from sqlagent.makers.analyst.concepts import money, orders, people, rates
from sqlagent.makers.analyst.concepts.meant import Meant
from sqlagent.makers.analyst.source import Source

MOST = 6
"""Measures of one concept."""

_kept: WeakKeyDictionary[Source, dict[str, tuple[Meant, ...]]] = WeakKeyDictionary()
"""Measures by the source they were found in: a question of 600 characters asked 10,000 times for them, two thirds of its time."""


def meant(source: Source, concept: str) -> tuple[Meant, ...]:
    """Give the measures that a concept may stand for here, cheapest first."""
    if own := source.figures.get(concept):
        return tuple(Meant(0.0, measure) for measure in own)
    kept = _kept.setdefault(source, {})
    if concept not in kept:
        found = sorted(_FINDERS.get(concept, _nothing)(source), key=lambda m: m.cost)
        kept[concept] = tuple(found[:MOST])
    return kept[concept]


def _nothing(source: Source) -> Iterable[Meant]:
    return ()


_FINDERS: dict[str, Callable[[Source], Iterable[Meant]]] = {
    "revenue": money.earned,
    "cost": money.spend,
    "spend": money.spend,
    "margin": money.margin,
    "margin rate": money.margin_rate,
    "units": orders.units,
    "selling": orders.selling,
    "order value": orders.order_value,
    "units per order": orders.units_per_order,
    "orders": orders.orders,
    "ctr": rates.click_rate,
    "headcount": people.headcount,
    "staff": people.staff,
    "people": people.people,
    "signups": people.signups,
    "customers": people.customers,
    "hires": people.hires,
    "leavers": people.leavers,
    "churned": people.churned,
    "churn rate": people.churn_rate,
    "collected": money.collected,
    "outstanding": money.outstanding,
    "utilisation": rates.utilisation,
    "return rate": rates.return_rate,
    "cancellation rate": rates.cancellation_rate,
    "conversion rate": rates.conversion,
    "bookings": money.revenue,
}
