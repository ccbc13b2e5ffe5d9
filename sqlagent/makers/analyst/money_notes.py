"""Notes on money that nobody would miss by a figure's name: amounts in several currencies taken together, and amounts in cents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from sqlagent.language.saying import Saying, in_commas, template, worded
from sqlagent.makers.analyst.currencies_asked import kept_beside
from sqlagent.makers.analyst.frames import Condition, Frame, Measure, Slot
from sqlagent.makers.analyst.minor_units import is_minor
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.telling import column
from sqlagent.values import ColumnRef

TOGETHER = template("Amounts in different currencies ({currencies}) are taken together as they are stored.")
"""The note on figures of rows in several currencies."""

IN_CENTS = template("Amounts are in hundredths, as {column} stores them.")
"""The note on figures in cents, pence and the like."""

_OF_AMOUNTS = ("sum", "avg", "median", "min", "max")
_NAMED = 4
"""Currencies that a note names at most."""


def money_notes(frame: Frame, source: Source) -> Iterator[Saying]:
    """Say that the money of a frame is of several currencies, and that it is in hundredths, each once."""
    measures = list(frame.measures)
    mixed = (said for one in measures for part in _parts(one) for said in _together(part, frame, source))
    yield from islice(mixed, 1)
    if frame.transform not in ("share", "growth") and frame.formula is None:
        cents = (worded(IN_CENTS, column=column(slot)) for one in measures for slot in _in_cents(one))
        yield from islice(cents, 1)


def _parts(measure: Measure) -> Iterator[Measure]:
    """A figure and all that it is made of."""
    yield measure
    for one in (measure.over, measure.under, *measure.parts):
        if one is not None:
            yield from _parts(one)


def _in_cents(measure: Measure) -> Iterator[Slot]:
    """The columns in cents of a figure that is in cents as well: a sum, or one by a number of rows."""
    if measure.agg == "ratio" and measure.over is not None and measure.under is not None:
        if not any(_in_cents(measure.under)):
            yield from _in_cents(measure.over)
    elif measure.agg in _OF_AMOUNTS and measure.expr is not None:
        yield from (slot for slot in measure.expr.slots if is_minor(slot.field))


def _together(measure: Measure, frame: Frame, source: Source) -> Iterator[Saying]:
    if measure.agg not in _OF_AMOUNTS or measure.expr is None:
        return
    for money in measure.expr.slots:
        for kept in kept_beside(money, source) if money.field.unit == "money" else ():
            values = _held(kept, source)
            if len(values) > 1 and not _is_told_apart(kept, measure, frame):
                more = ["…"] if len(values) > _NAMED else []
                yield worded(TOGETHER, currencies=in_commas([*values[:_NAMED], *more]))


def _held(slot: Slot, source: Source) -> list[str]:
    """The currencies that a column holds, where its values were read."""
    index = source.vocabulary.index
    return sorted(index.texts_of(ColumnRef(slot.field.table, slot.field.column))) if index is not None else []


def _is_told_apart(slot: Slot, measure: Measure, frame: Frame) -> bool:
    """Whether rows are of one currency, or grouped by it."""
    grouped = any(shown.field == slot.field for one in (*frame.by, *frame.per) for shown in one.shown)
    return grouped or any(_is_of_one(one, slot) for one in (*frame.where, *measure.where))


def _is_of_one(one: Condition, slot: Slot) -> bool:
    if one.op == "all":
        return any(_is_of_one(part, slot) for part in one.parts)
    return one.op == "in" and not one.negated and len(one.values) == 1 and one.fields == (slot.field,)
