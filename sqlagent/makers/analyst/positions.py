"""Rows by their place: those that took longest, the third largest."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Expr, Frame, Order
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_LONG = frozenset({"longest", "slowest"})
_NAMED = 0.2
"""Cost below which a word names the rows of a table."""

_SHORT = frozenset({"shortest", "fastest", "quickest"})


def longest_first(frame: Frame, reading: Reading, source: Source) -> Frame:
    """List the rows whose time between two days is the longest or the shortest, where their noun stands before that."""
    if len(frame.measures) != 1 or frame.by or frame.per or frame.transform or frame.having:
        return frame
    span = frame.measures[0].expr
    rank = next((i for i in reading.items if i.op == "rank" and i.text.lower() in _LONG | _SHORT), None)
    if rank is None or span is None or span.op != "span" or not _is_named(frame.anchor, reading, rank.start):
        return frame
    which = any(item.op == "rel" and item.text.lower() in ("which", "what") for item in reading.items[:1])
    shown = source.shown(frame.anchor) if which or source.names(frame.anchor) else ()
    columns = (*shown, *reversed(span.slots))
    return replace(
        frame,
        measures=(),
        columns=tuple(dict.fromkeys(columns)),
        order=Order(rank.text.lower() in _SHORT, Expr("span", span.slots, span.unit or "days")),
        limit=_how_many(reading, rank),
    )


def _how_many(reading: Reading, rank: Item) -> int:
    """The number right before the rows that were named, or beside the word for the order: "3 jobs", "the 3 longest"."""
    items = reading.items
    named = next(n for n, item in enumerate(items) if item.kind == "mention")
    at = items.index(rank)
    beside = (*items[max(0, named - 1) : named], *items[max(0, at - 1) : at], *items[at + 1 : at + 2])
    return next((int(item.number) for item in beside if item.kind == "number" and item.number >= 1), 1)


def rows_by_time(frame: Frame, reading: Reading, source: Source) -> Frame:
    """List the latest rows of a table with what stands beside them, where the different values of their time were read: two may share a day."""
    if not frame.distinct or frame.order is None or frame.order.by is None or len(frame.columns) < 2:
        return frame
    is_first = frame.order.by.op == "column" and frame.order.by.slots == frame.columns[:1]
    if not is_first or not _is_named(frame.anchor, reading, reading.items[-1].end):
        return frame
    columns = dict.fromkeys((*source.shown(frame.anchor), *frame.columns))
    return replace(frame, columns=tuple(columns), distinct=False)


def at_its_place(frame: Frame, reading: Reading) -> Frame:
    """The third largest is the third and not the largest; where a frame cannot tell, the word is left out."""
    at = next((n for n, item in enumerate(reading.items) if item.kind == "ordinal"), None)
    if at is None:
        return frame
    nth = reading.items[at]
    before = int(nth.number) - 1
    if before < 1 or frame.offset == before:
        return frame
    ranked = any(item.op == "rank" for item in reading.items[at + 1 : at + 2])
    if ranked and frame.limit == 1 and not (frame.per and frame.measures) and not frame.offset:
        return replace(frame, offset=before)
    return leaving_out(frame, [nth.text])


def _is_named(anchor: str, reading: Reading, before: int) -> bool:
    """Whether what was asked for first are the rows of a table."""
    first = next((i for i in reading.items if i.kind == "mention"), None)
    if first is None or first.start >= before:
        return False
    return any(
        target.kind == "thing" and target.table == anchor and target.cost < _NAMED for target in first.targets
    )
