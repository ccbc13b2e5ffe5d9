"""What a frame implies by itself: one deed holds of one row, who paid most paid the highest sum, a figure is named once."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Slot
from sqlagent.makers.analyst.source import Source

PAID = frozenset({"paid", "pay", "pays", "spent", "spend", "spends", "donated", "owe", "owes", "owed"})
"""Verbs of which money is the object: who paid most paid the highest sum, not the most times."""


def of_one_deed(frame: Frame) -> Frame:
    """Look a period up in the row that shows the deed, where two rows of one chain were looked up side by side.

    Lines of orders for what was bought and orders for when become lines whose order was in the period. Two deeds that are
    denied, counted or of different chains stay apart.
    """
    where = list(frame.where)
    for deed in frame.where:
        for dated in frame.where:
            if dated is deed or dated not in where or deed not in where:
                continue
            if (joined := _joined(deed, dated)) is not None:
                where[where.index(deed)] = joined
                where.remove(dated)
                return of_one_deed(replace(frame, where=tuple(where)))
    return frame


def _joined(deed: Condition, dated: Condition) -> Condition | None:
    if not (_is_plain(deed) and _is_plain(dated)) or deed.at != dated.at or not dated.parts:
        return None
    if any(part.op != "period" or len(part.slots) != 1 or part.negated for part in dated.parts):
        return None
    over = len(deed.path) - len(dated.path)
    if over < 0 or deed.path[over:] != dated.path or any(part.op == "period" for part in deed.parts):
        return None
    way = deed.path[:over]
    if (way[-1].target if way else deed.child) != dated.child:
        return None
    periods = (
        replace(part, slots=tuple(replace(slot, path=(*way, *slot.path)) for slot in part.slots))
        for part in dated.parts
    )
    return replace(deed, parts=(*deed.parts, *periods))


def _is_plain(one: Condition) -> bool:
    return one.op == "exists" and not one.negated and one.number is None and one.counted is None


def figures_once(frame: Frame) -> Frame:
    """Name a figure once that a question names to rank by and to show."""
    once = tuple(dict.fromkeys(frame.measures))
    return frame if len(once) == len(frame.measures) else replace(frame, measures=once)


def sums_paid(frame: Frame, source: Source) -> Frame:
    """Rank by the sum of money where rows were counted of a verb of paying, and the rows have one amount that adds up."""
    if frame.order is None or len(frame.measures) != 1:
        return frame
    measure = frame.measures[0]
    amounts = [f for f in source.measures(measure.anchor) if f.unit == "money" and f.aggregate == "sum"]
    if measure.agg != "rows" or measure.said.lower() not in PAID or len(amounts) != 1:
        return frame
    summed = replace(measure, agg="sum", expr=Expr("column", (Slot(amounts[0]),)), unit="money")
    return replace(frame, measures=(summed,))
