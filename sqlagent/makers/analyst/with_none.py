"""The fewest of something is none: "riders with the fewest lessons" counts those without any as well."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.frames import Condition, Frame, Path
from sqlagent.makers.analyst.heeding import slots_of


def with_none(frame: Frame) -> Frame:
    """Give the frame whose last things by a number of rows are told with those that have none; any other frame as it is."""
    only = frame.measures[0] if len(frame.measures) == 1 else None
    order, by = frame.order, frame.by
    if only is None or only.agg != "rows" or only.where or len(by) != 1 or not by[0].keys or by[0].grain:
        return frame
    is_plain = not (frame.per or frame.transform or frame.pivot or frame.having)
    is_last = order is not None and order.ascending and order.is_of_figure
    way = by[0].keys[0].path
    if not (is_plain and is_last and way) or len(by[0].keys) != 1:
        return frame
    return replace(frame, with_empty=True) if parted(frame, way) else frame


def parted(frame: Frame, way: Path) -> bool:
    """Whether each condition is of the things at the end of a way alone, or of the rows that are counted alone."""
    return all(_is_apart(one, way) for one in frame.where)


def of_the_things(
    where: tuple[Condition, ...], way: Path
) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
    """Part conditions into those of the things at the end of a way, as seen from there, and those of the rows that are counted."""
    things, counted = [], []
    for one in where:
        slots = slots_of(one)
        if slots and all(slot.path[: len(way)] == way for slot in slots):
            things.append(_from_there(one, way))
        else:
            counted.append(one)
    return tuple(things), tuple(counted)


def _from_there(one: Condition, way: Path) -> Condition:
    slots = tuple(replace(slot, path=slot.path[len(way) :]) for slot in one.slots)
    return replace(one, slots=slots, parts=tuple(_from_there(part, way) for part in one.parts))


def _is_apart(one: Condition, way: Path) -> bool:
    """Whether a condition is of the things alone, or of the rows that are counted alone."""
    slots = slots_of(one)
    if not _is_of_columns(one) or not slots:
        return False
    ends = [slot.path[: len(way)] == way for slot in slots]
    return all(ends) or not any(ends)


def _is_of_columns(one: Condition) -> bool:
    """Whether a condition is of columns alone, by itself or by those that it is made of."""
    if one.op in ("any", "all"):
        return all(map(_is_of_columns, one.parts))
    return not one.parts and one.expr is None
