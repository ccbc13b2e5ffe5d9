"""One way to begin a frame, and the words and bounds that the ways share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlagent.catalog.semantics import Thing
from sqlagent.catalog.semantics.words import BUYERS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Dimension, Measure, Order, Slot

MOST = 10
"""Frames that are kept."""

MANY = 150
"""Things from which on "revenue per customer" asks for one figure, not for one a customer."""

TOP = 10
"""The number of "top products" where none stands."""

UNKNOWN = 0.9
"""The cost of a word that nothing explains."""

PERSONS = frozenset(
    stem(w)
    for w in [
        "employee",
        "staff",
        "worker",
        "person",
        "customer",
        "user",
        "agent",
        "rep",
        "representative",
        "student",
        "patient",
        "member",
        "teacher",
        "doctor",
        "driver",
        "player",
        "client",
        "people",
        "contact",
        "author",
        "guest",
    ]
)
"""Nouns of people."""

NUMBERS = frozenset({"number", "id", "code", "nr"})
"""Words of columns that tell one thing from another."""

BORN = frozenset(stem(w) for w in ["birth", "born", "dob", "birthday"])
"""Words of times of birth."""

FINISHED = frozenset(
    stem(w)
    for w in [
        "delivered",
        "delivery",
        "shipped",
        "resolved",
        "closed",
        "completed",
        "fulfilled",
        "dispatched",
        "finished",
        "arrived",
        "discharged",
        "paid",
        "done",
        "returned",
    ]
)
"""Words of times at which something was done."""

SUMMED = frozenset(
    stem(w)
    for w in [
        "spend",
        "sales",
        "cost",
        "expense",
        "budget",
        "revenue",
        "stock",
        "inventory",
        "usage",
        "consumption",
        "forecast",
        "target",
    ]
)
"""Nouns of tables that are named after what is summed up in them."""

DONE = frozenset(
    stem(w)
    for w in ["paid", "payment", "collected", "received", "refunded", "shipped", "delivered", "returned"]
)
"""Words of times that an amount may have of its own."""


FIGURES = frozenset(
    {"revenue", "cost", "spend", "margin", "margin rate", "order value", "collected", "outstanding", "units"}
)
"""Business words that are figures, so that no rows are counted for them."""


@dataclass(slots=True)
class Start:
    """One way to begin: what is measured or listed, from which table's rows."""

    anchor: str
    cost: float
    measures: list[Measure] = field(default_factory=list)
    time: Slot | None = None
    where: tuple[Condition, ...] = ()
    columns: tuple[Slot, ...] = ()
    dims: list[Dimension] = field(default_factory=list)
    thing: str = ""
    listed: bool = False
    used: list[int] = field(default_factory=list)
    distinct: bool = False
    order: Order | None = None
    limit: int | None = None
    offset: int = 0


def is_people(thing: Thing) -> bool:
    """Whether rows are people, or those who buy."""
    return bool(set(thing.noun) & (PERSONS | BUYERS))


def once(conditions: Sequence[Condition]) -> list[Condition]:
    """Give conditions without repeats, in their order."""
    out: list[Condition] = []
    for condition in conditions:
        if condition not in out:
            out.append(condition)
    return out
