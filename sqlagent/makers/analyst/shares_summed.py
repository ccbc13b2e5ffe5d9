"""Sums of shares: the discounts of lines are parts of their prices, and add up to nothing.

Where lines hold what they were sold for, the discount given is their quantity times their price less that amount. Any other sum of a
share leaves out the words it was asked by.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Field
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import quantity_of
from sqlagent.makers.analyst.concepts.meant import AMOUNTS
from sqlagent.makers.analyst.frames import Expr, Frame, Measure, Slot
from sqlagent.makers.analyst.heeding import figures
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_SHARES = stems("discount rate share ratio percent percentage pct fraction proportion")
"""Words in names of columns that hold a part of something, where none is above the whole."""


def discounts_given(frame: Frame, source: Source) -> Frame:
    """Give the frame with the money of discounts in the place of sums of their shares, where lines hold their quantity, price and amount."""
    given = [_in_ratio(one, source) or _given(one, source) or one for one in frame.measures]
    if given == list(frame.measures):
        return frame
    held = {
        slot for one in given if one.expr is not None and one.expr.op == "given" for slot in one.expr.slots
    }
    kept = [one for one in given if not _is_amount(one, held)]
    return replace(frame, measures=tuple(kept))


def shares_summed(frame: Frame, reading: Reading) -> list[str]:
    """The words for a share that a frame sums up."""
    slots = (_summed_share(one) or _averaged_by_a_sum(one) for one in figures(frame))
    summed = [slot.field for slot in slots if slot is not None]
    names = {(one.table, one.column) for one in summed}
    said = [
        item.text
        for item in reading.items
        if any((target.table, target.column) in names for target in item.targets)
    ]
    return said or [one.said for one in summed]


def _averaged_by_a_sum(one: Measure) -> Slot | None:
    """The share whose average a ratio divides by a sum, which is a share of nothing."""
    over, under = one.over, one.under
    if one.agg != "ratio" or over is None or under is None or over.agg != "avg" or under.agg != "sum":
        return None
    return _summed_share(replace(over, agg="sum"))


def _in_ratio(one: Measure, source: Source) -> Measure | None:
    """A discount in percent of a sum as the money of it."""
    if one.over is None or _averaged_by_a_sum(one) is None:
        return None
    given = _given(replace(one.over, agg="sum"), source)
    return replace(one, over=given) if given is not None else None


def _summed_share(one: Measure) -> Slot | None:
    if one.agg != "sum" or one.expr is None or one.expr.op != "column":
        return None
    return one.expr.slots[0] if _is_share(one.expr.slots[0].field) else None


def _is_share(one: Field) -> bool:
    """Whether a column holds parts of something: by its name, and as no value is above 1, or below 100 where it is told in percent."""
    if not set(one.words) & _SHARES or one.unit == "money":
        return False
    try:
        low, high = float(one.low or 0), float(one.high or 0)
    except ValueError:
        return False
    return low >= 0 and (high <= 1 and not one.is_whole or one.unit == "percent" and high <= 100)


def _given(one: Measure, source: Source) -> Measure | None:
    """The money of a discount, as a sum over its lines; the share stays among its columns, as it is what was asked for."""
    share = _summed_share(one)
    if share is None or share.path or stem("discount") not in share.field.words:
        return None
    fields = source.measures(share.field.table)
    quantity = quantity_of(source, source.model.things[share.field.table])
    price = next(
        (f for f in fields if stem("price") in f.words and not set(f.words) & stems("cost purchase")), None
    )
    money = [f for f in fields if f.unit == "money" and f.aggregate == "sum" and set(f.words) & AMOUNTS]
    if quantity is None or price is None or len(money) != 1 or price is money[0]:
        return None
    columns = (Slot(quantity), Slot(price), Slot(money[0]), share)
    return replace(one, expr=Expr("given", columns), unit="money")


def _is_amount(one: Measure, held: set[Slot]) -> bool:
    """Whether a figure beside a discount is the amount it is told as: "discount amount" is one figure."""
    plain = one.agg == "sum" and one.expr is not None and one.expr.op == "column"
    return plain and one.said == "amount" and one.expr is not None and one.expr.slots[0] in held
