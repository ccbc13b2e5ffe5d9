"""A list of what is above or below a bound shows the figure that was bounded: "list invoices above 400 with the owner" shows their amounts."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Reading

_LISTED = frozenset({"list", "list of", "list all", "details of", "show all", "show me all"})
"""Words by which a list is asked for, rather than which rows they are."""


_BESIDE = frozenset({"incl", "incl.", "including", "together with", "along with"})
"""Words behind which something is shown beside rows that are listed."""


def _is_listed(reading: Reading) -> bool:
    """Whether rows are listed: by a word for it, or with something beside them and no other word that asks."""
    if any(item.op == "list" for item in reading.items):
        return any(item.op == "list" and item.text.lower() in _LISTED for item in reading.items)
    return any(item.op == "with" and item.text.lower() in _BESIDE for item in reading.items)


def bounds_shown(frame: Frame, reading: Reading) -> Frame:
    """Give the list with its own bounded figures behind its columns; any other frame as it is."""
    if not frame.columns or frame.measures or frame.distinct or frame.by:
        return frame
    if not _is_listed(reading):
        return frame
    bounded = tuple(
        slot
        for one in frame.where
        if one.op == "compare" and not one.negated and one.number is not None
        for slot in (one.expr.slots if one.expr is not None and one.expr.op == "column" else one.slots)[:1]
        if slot.field.role is Role.MEASURE and not slot.path
    )
    more = tuple(slot for slot in dict.fromkeys(bounded) if slot not in frame.columns)
    return replace(frame, columns=(*frame.columns, *more)) if more else frame
