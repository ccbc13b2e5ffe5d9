"""A changed frame put right: what made sense only with what has gone goes too."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.frames import BESIDE, Condition, Dimension, Frame, Order

_TIMED = frozenset({"running", "moving", "change", "growth"})
_GROUPED = frozenset({"share", "average", "spread", "groups", "concentration"})
_OF_GROUPS = frozenset({"within", "only groups"})


def settled(frame: Frame) -> Frame:
    """Give a frame without an order of one row, a growth over no time, a share of nothing, and the like."""
    if not frame.measures:
        return frame
    if frame.limit is None and frame.per:
        frame = replace(frame, by=(*frame.per, *frame.by), per=())
    if frame.per and not frame.by:
        frame = replace(frame, by=frame.per, per=())
    groups = (*frame.per, *frame.by)
    if not groups:
        frame = replace(frame, order=None, limit=None, offset=0, having=(), with_empty=False, pivot=())
    is_timed = any(one.grain for one in groups)
    if frame.transform != "share" and BESIDE in frame.flags:
        frame = replace(frame, flags=tuple(flag for flag in frame.flags if flag != BESIDE))
    if frame.transform == "concentration" and frame.limit is None:
        frame = replace(frame, transform="")
    if frame.transform in _TIMED and not is_timed or frame.transform in _GROUPED and not groups:
        frame = replace(frame, transform="", window=0)
    return frame


def grouped_by(frame: Frame, by: tuple[Dimension, ...]) -> Frame:
    """Give a frame with other groups; settings of the old ones' columns, of rows without any and of the order go."""
    flags = tuple(flag for flag in frame.flags if flag not in _OF_GROUPS)
    order = frame.order
    if order is not None and (order.by is not None or order.dimension is not None):
        order = None
    having = tuple(one for one in frame.having if one.slot is None)
    return settled(replace(frame, by=by, pivot=(), with_empty=False, flags=flags, order=order, having=having))


def restricted(frame: Frame, where: tuple[Condition, ...]) -> Frame:
    """Give a frame with other conditions; columns made of single values go when the values do."""
    return settled(replace(frame, where=where, pivot=() if where != frame.where else frame.pivot))


def ordered(frame: Frame, ascending: bool) -> Frame:
    """Give a frame with the least first, or the greatest."""
    return replace(frame, order=replace(frame.order or Order(), ascending=ascending))
