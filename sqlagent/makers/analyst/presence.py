"""Whether a row has something that a column tells of: "orders with a discount", "visits without children"."""

from __future__ import annotations

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import Condition, Expr, Slot


def present(slot: Slot) -> Condition:
    """That a row has it: more than none where every row holds a number and none is among them, else something is there."""
    return _above_none(slot, False) or Condition("filled", (slot,))


def absent(slot: Slot) -> Condition:
    """That a row lacks it."""
    return _above_none(slot, True) or Condition("missing", (slot,))


def _above_none(slot: Slot, negated: bool) -> Condition | None:
    one = slot.field
    if one.role is not Role.MEASURE or one.filled < 1 or one.low not in ("0", "0.0"):
        return None
    return Condition("compare", compare=">", number=0.0, expr=Expr("column", (slot,)), negated=negated)
