"""A measure that a word may stand for, and the nouns and columns by which roles are told."""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.catalog.semantics import Field, Thing
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Expr, Measure, Slot
from sqlagent.makers.analyst.lexicon import MONEY_EVENTS


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


SELLING = stems("revenue sale turnover net")
AMOUNTS = stems("amount total value price subtotal sum charge fee fare rent mrr premium income extended paid")
NO_REVENUE = stems(
    "tax cost discount refund shipping freight budget spend limit tip balance credit unit list due target standard vat deposit margin profit salary wage "
    "planned expected outstanding price commission quota goal forecast loss lost compensation"
)
CAME_IN = stems("paid received collected")
"""Words of amounts that came in, beside those that were asked for."""

GOODS = stems("product item article sku dish title book model variety good")
"""Nouns of what is sold."""

ENROLMENTS = stems("enrolment enrollment registration signup")
"""Nouns of rows that say that somebody joined something."""
SPEND = stems("spend cost expense expenditure")
QUANTITY = stems("quantity units unit pieces")
PLANNED = stems("budget target planned plan limit list standard forecast")


def summed(one: Field, said: str = "", agg: str = "sum", where: tuple[Condition, ...] = ()) -> Measure:
    """A column added up, or summed up in another way."""
    return Measure(agg, one.table, Expr("column", (Slot(one),)), where, said=said or one.said, unit=one.unit)


def counted(thing: Thing, said: str, where: tuple[Condition, ...] = ()) -> Measure:
    """The rows of a table counted."""
    return Measure("rows", thing.table, where=where, said=said)


_GIVEN = stems("donation gift contribution")


def selling_cost(thing: Thing) -> float:
    """How little a table looks like the selling event, by its noun."""
    places = [MONEY_EVENTS.index(w) for w in thing.noun if w in MONEY_EVENTS]
    places += [MONEY_EVENTS.index("transact") for w in thing.noun if w in _GIVEN]
    if not places:
        return 0.6 if stem("complaint") in thing.noun else 0.35
    return 0.012 * min(places) + (0.25 if {"return", "refund", "purchas"} & set(thing.noun) else 0.0)


def bare(literal: str) -> str:
    """The text of a literal."""
    return literal.strip("'")
