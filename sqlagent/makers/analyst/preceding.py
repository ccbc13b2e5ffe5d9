"""A change on the time before needs that time: the growth of January is held against December, also where only this year is asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Form
from sqlagent.language.dates import floor, shift
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame

_GRAINS = frozenset({"month", "quarter", "year"})
"""Grains whose labels are texts that sort as times do."""


def reaching_back(frame: Frame) -> tuple[Frame, str]:
    """Give the frame with its period begun one grain earlier, and the label from which on groups are shown; empty where none is earlier.

    Example:
        >>> from sqlagent.makers.analyst.frames import Measure
        >>> reaching_back(Frame("orders", (Measure("rows", "orders"),)))[1]
        ''
    """
    graded = [*dict.fromkeys(d for d in (*frame.per, *frame.by) if d.grain)]
    if frame.transform not in ("change", "growth") or len(graded) != 1 or graded[0].grain not in _GRAINS:
        return frame, ""
    grain = graded[0].grain
    held = [one for one in frame.where if _bounds(one, graded[0])]
    begins = held[0].period.first if len(held) == 1 and held[0].period is not None else None
    if begins is None or floor(begins, grain) != begins:
        return frame, ""
    before = shift(begins, grain, -1)
    where = tuple(
        replace(one, period=replace(one.period, first=before)) if one is held[0] and one.period else one
        for one in frame.where
    )
    return replace(frame, where=where), _label(begins, grain)


def _bounds(one: Condition, graded: Dimension) -> bool:
    """Whether a condition bounds the very time that the groups are of, from a day on."""
    own = one.op == "period" and not one.negated and one.slots == graded.shown
    dated = own and one.slots[0].field.form is not Form.YEAR
    return dated and one.period is not None and one.period.first is not None and not one.period.at


def _label(first: date, grain: str) -> str:
    if grain == "year":
        return f"{first.year:04d}"
    if grain == "quarter":
        return f"{first.year:04d}-Q{(first.month + 2) // 3}"
    return f"{first.year:04d}-{first.month:02d}"
