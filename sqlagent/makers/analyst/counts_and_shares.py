"""Counts asked for beside another figure that a frame drops, and shares that are the whole of what is left."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from itertools import pairwise

from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Frame, Measure, Slot
from sqlagent.makers.analyst.heeding import figures
from sqlagent.makers.analyst.reading import Reading


def counts_dropped(frame: Frame, reading: Reading) -> list[str]:
    """The things to be counted behind "and", where no figure counts: "average score per service and number of checks"."""
    if not frame.measures or frame.having or any(_counts(one) for one in figures(frame)):
        return []
    joined = [
        after for before, after in pairwise(reading.items) if before.op == "and" and after.op == "count"
    ]
    return [item.text for item in joined[:1]]


def rows_of_one_value(frame: Frame) -> Frame:
    """Give the frame with rows counted where different values of a column were that is held to one: "how many cancelled because of price"."""
    held = {
        one.slots[0] for one in frame.where if one.op == "in" and not one.negated and len(one.values) == 1
    }
    measures = tuple(
        replace(one, agg="rows", expr=None)
        if one.agg == "distinct"
        and one.expr is not None
        and one.expr.op == "column"
        and one.expr.slots[0] in held
        else one
        for one in frame.measures
    )
    return replace(frame, measures=measures)


def money_counted(frame: Frame, reading: Reading) -> list[str]:
    """ "Number of refunds" that adds up what was refunded: money is no number of anything."""
    sums = {
        (slot.field.table, slot.field.column)
        for one in frame.measures
        if one.agg == "sum" and one.unit == "money" and one.expr is not None
        for slot in one.expr.slots
    }
    return [
        count.text
        for count, figure in pairwise(reading.items)
        if count.op == "count" and figure.kind == "mention" and count.end == figure.start
        if any((t.table, t.column) in sums for t in figure.targets[:3])
        if not any(one.agg in ("rows", "distinct") for one in frame.measures)
    ]


def whole_of_others(frame: Frame, reading: Reading) -> list[str]:
    """A share of all of something else than its part: "overtime as share of all hours"."""
    if frame.transform != "share" or not frame.measures:
        return []
    said = {stem(word) for one in frame.measures for word in one.said.lower().split()}
    trios = zip(reading.items, reading.items[1:], reading.items[2:], strict=False)
    return [
        whole.text
        for share, every, whole in trios
        if share.op == "share" and every.op == "all" and whole.kind in ("mention", "unit")
        if whole.targets and whole.targets[0].kind != "thing"
        if not said & {stem(word) for word in whole.text.lower().split()}
    ]


def _counts(one: Measure) -> bool:
    return one.agg in ("rows", "distinct", "ratio", "formula") or one.unit == "count"


def shares_of_all(frame: Frame) -> list[str]:
    """A share whose part is all of its whole: "delivered" of what was delivered in a year."""
    dated = {one.slots for one in frame.where if one.op == "period" and not one.negated}
    return [
        one.said or "share"
        for one in frame.measures
        if one.agg == "ratio"
        and one.over is not None
        and one.over.where
        and _goes_without_saying(one.over.where, dated)
    ]


def _goes_without_saying(where: tuple[Condition, ...], dated: Set[tuple[Slot, ...]]) -> bool:
    """Whether conditions say only that a time is there at which rows are bounded anyway."""
    return all(one.op == "filled" and not one.negated and one.slots in dated for one in where)
