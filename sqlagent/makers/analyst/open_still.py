"""How long rows are open that are not done with: "how long are open tickets open" runs up to today, for they have no day on which they were closed."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics.words import ENDS
from sqlagent.language.lexicon import words_of
from sqlagent.language.words import fold
from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Measure, Slot
from sqlagent.makers.analyst.pairing import DONE

_OPEN = words_of("open pending unresolved outstanding running ongoing active waiting unsolved unfinished") | {
    "in progress"
}
"""States of rows that are not done with."""


def open_still(frame: Frame) -> Frame:
    """Give the frame with the times of rows that are open up to today, where they went up to a day that ends them."""
    return replace(frame, measures=tuple(_until_today(one, frame.where) for one in frame.measures))


def _until_today(measure: Measure, where: tuple[Condition, ...]) -> Measure:
    span = measure.expr
    if span is None or span.op != "span" or measure.agg not in ("avg", "median", "min", "max", "sum"):
        return measure
    later, earlier = span.slots
    is_end = later.field.filled < 1 and bool({*later.field.words} & (DONE | ENDS))
    if span.unit not in ("", "days") or not is_end or not any(_is_open(one, later) for one in where):
        return measure
    said = f"days since {earlier.field.said}"
    return replace(measure, expr=Expr("age", (earlier,), "days"), said=said, unit="days")


def _is_open(one: Condition, later: Slot) -> bool:
    """Whether rows have no such day, or are in a state that says so, of their own table."""
    if one.negated:
        return False
    if one.op == "missing":
        return one.slots == (later,)
    own = [slot for slot in one.slots if slot.field.table == later.field.table and slot.path == later.path]
    return one.op == "in" and bool(own) and all(_is_called_open(value, own[0]) for value in one.values)


def _is_called_open(value: str, slot: Slot) -> bool:
    label = dict(slot.field.code_labels).get(value, value)
    return fold(label).replace("_", " ") in _OPEN
