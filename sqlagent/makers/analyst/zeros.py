"""Zero of a number is nought, and no missing figure: "parts with zero quantity" are those of which there are none."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import Condition, Expr, Frame
from sqlagent.makers.analyst.reading import Reading

_ZERO = frozenset({"zero", "with zero"})


def zeros(frame: Frame, reading: Reading) -> Frame:
    """Give the frame with numbers that are zero, where a question says zero and the frame looks for rows without one."""
    said = [item.text.lower() in _ZERO for item in reading.items if item.op == "not"]
    if not said or not all(said):
        return frame
    return replace(frame, where=tuple(map(_nought, frame.where)))


def _nought(one: Condition) -> Condition:
    if one.op == "exists":
        return replace(one, parts=tuple(map(_nought, one.parts)))
    is_figure = (
        len(one.slots) == 1 and one.slots[0].field.role is Role.MEASURE and one.slots[0].field.is_number
    )
    if one.op != "missing" or one.negated or not is_figure:
        return one
    return Condition("compare", one.slots, compare="=", number=0.0, expr=Expr("column", one.slots))
