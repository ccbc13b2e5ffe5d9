"""How the figures of a table are added up by default, and in what unit they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics.values import Field, Kind, Thing
from sqlagent.catalog.semantics.words import AVERAGED, BODILY, BULK, COUNTED, MONEY, PIECES, PRICED, SPANS
from sqlagent.catalog.statistics import ColumnFacts
from sqlagent.language.words import stem


def measured(words: Sequence[str], is_number: bool = True) -> tuple[str, str]:
    """Tell how a measure is summed up by default, and in what unit, by the stems of its name.

    Example:
        >>> measured(("unit", "price")), measured(("quantiti",)), measured(("total", "amount"))
        (('avg', 'money'), ('sum', 'count'), ('sum', 'money'))
    """
    said = set(words)
    unit = next((SPANS[w] for w in SPANS if stem(w) in said), "")
    if unit and words[-1] in PRICED:
        unit = "money"  # an hourly rate is paid
    percent = said & {stem(w) for w in ("percent", "percentage", "pct", "rate", "ratio", "share")}
    if not unit:
        unit = "percent" if percent else "money" if said & MONEY else "count" if said & COUNTED else ""
    averaged = bool(said & AVERAGED) and not said & {"total", "sum", stem("revenue"), "amount", "mrr"}
    averaged = (
        averaged
        or bool(said & {"unit", "standard", "list", "catalog"})
        and bool(said & {stem("price"), stem("cost")})
    )
    return ("avg" if averaged else "sum"), unit


def moved(kind: Kind, fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """Add up the weights of what events move: pickups, parcels, lines. A weight beside a height or a pulse is of a body.

    Example:
        >>> from sqlagent.catalog.semantics.values import Role
        >>> weight = Field("pickups", "kg", ("weight", "kg"), "weight kg", Role.MEASURE, "avg", is_number=True)
        >>> moved(Kind.EVENT, (weight,))[0].aggregate, moved(Kind.THING, (weight,))[0].aggregate
        ('sum', 'avg')
    """
    if kind not in (Kind.EVENT, Kind.LINES) or any(set(f.words) & BODILY for f in fields):
        return fields
    return tuple(
        replace(f, aggregate="sum")
        if f.aggregate == "avg" and set(f.words) & BULK and not set(f.words) & PIECES
        else f
        for f in fields
    )


def held(thing: Thing, fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """Average figures that hold for a period: two successive prices of one thing are no sum."""
    figures = thing.history.figures if thing.history is not None else ()
    return tuple(replace(f, aggregate="avg") if f.column in figures else f for f in fields)


def is_part_of_one(known: ColumnFacts) -> bool:
    """Whether all numbers of a column lie between none and one."""
    try:
        return float(known.low) >= 0 and float(known.high) <= 1
    except ValueError:
        return False
