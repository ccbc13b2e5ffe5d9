"""Frames that no row can meet: a column at two values at once, a day that is there and missing, rows that are there and are not.

No such frame is offered, whatever made it: its answer would be no rows, and look as if there were none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Measure, Slot
from sqlagent.makers.analyst.heeding import figures
from sqlagent.makers.analyst.periods import Period

_OF_VALUES = frozenset({"min", "max", "sum", "avg", "median", "distinct"})
"""Aggregates of a column that rows without it have no part in."""


def contradicts(frame: Frame) -> bool:
    """Whether no row can meet a frame, or a figure of it."""
    ordered = frame.order.by if frame.order is not None and not frame.measures else None
    return any(
        _is_torn((*frame.where, *_there(ordered), *measure.where, *_counted(measure)))
        for measure in (*figures(frame), Measure("rows", frame.anchor))
    )


def _counted(measure: Measure) -> Iterator[Condition]:
    """That a column is there of which a figure is computed."""
    return _there(measure.expr if measure.agg in _OF_VALUES else None)


def _there(expr: Expr | None) -> Iterator[Condition]:
    return (Condition("filled", (slot,)) for slot in (expr.slots if expr is not None else ()))


def _plain(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """The conditions one by one, and what is denied of a column's being there said plainly."""
    for one in conditions:
        if one.op == "all" and not one.negated:
            yield from _plain(one.parts)
        elif one.op in ("missing", "filled") and one.negated:
            yield Condition("filled" if one.op == "missing" else "missing", one.slots)
        else:
            yield one


def _is_torn(conditions: Iterable[Condition]) -> bool:
    held = list(_plain(conditions))
    if any(torn(held) for torn in _TORN):
        return True
    rest = [one for one in held if one.op != "any"]
    either = (one.parts for one in held if one.op == "any" and not one.negated and one.parts)
    return any(all(_is_torn((*rest, part)) for part in parts) for parts in either)


def _lacks_and_has(conditions: Sequence[Condition]) -> bool:
    """Whether a column is missing whose period, order or figure asks for it, or that is to be later than another."""
    missing = {one.slots for one in conditions if one.op == "missing"}
    if any(one.op == "later" and any((slot,) in missing for slot in one.slots) for one in conditions):
        return True
    return any(
        one.op in ("period", "filled") and not one.negated and one.slots in missing for one in conditions
    )


def _are_opposed(conditions: Sequence[Condition]) -> bool:
    """Whether rows are to be there of which there are to be none."""
    there = [one for one in conditions if one.op == "exists" and not one.negated]
    none = [one for one in conditions if one.op == "exists" and one.negated and one.number is None]
    return any(
        (has.child, has.path, has.at) == (denied.child, denied.path, denied.at)
        and denied.parts in ((), has.parts)
        for has in there
        for denied in none
    )


def _is_out_of_values(conditions: Sequence[Condition]) -> bool:
    """Whether no value is left that a column may have."""
    kept: dict[Slot, set[str]] = {}
    left: dict[Slot, set[str]] = {}
    for one in conditions:
        if one.op in ("in", "not in") and len(one.slots) == 1 and not one.slots[0].field.separator:
            (slot,), values = one.slots, set(one.values)
            if (one.op == "not in") != one.negated:
                left.setdefault(slot, set()).update(values)
            else:
                kept[slot] = kept.get(slot, values) & values
    return any(not values - left.get(slot, set()) for slot, values in kept.items())


def _is_out_of_bounds(conditions: Sequence[Condition]) -> bool:
    """Whether no number is left that a row's figure may be."""
    least: dict[Expr, tuple[float, bool]] = {}
    most: dict[Expr, tuple[float, bool]] = {}
    for one in conditions:
        if one.op != "compare" or one.negated or one.expr is None or one.number is None or one.slots:
            continue
        if one.compare in (">", ">="):
            bound = (one.number, one.compare == ">")
            least[one.expr] = max(least.get(one.expr, bound), bound)
        elif one.compare in ("<", "<="):
            bound = (-one.number, one.compare == "<")
            most[one.expr] = max(most.get(one.expr, bound), bound)
    return any(
        low > -most[expr][0] or low == -most[expr][0] and (without or most[expr][1])
        for expr, (low, without) in least.items()
        if expr in most
    )


def _leads_nowhere(conditions: Sequence[Condition]) -> bool:
    """Whether rows are to point at nothing, and what they point at is to be so: orders without customers who have left."""
    nowhere = {
        (slot.field.table, (slot.field.column,))
        for one in conditions
        if one.op == "missing" and not one.negated
        for slot in one.slots
        if not slot.path
    }
    return any(
        slot.path and (slot.path[0].source, slot.path[0].columns) in nowhere
        for one in conditions
        if one.op not in ("missing", "not in") and not one.negated
        for slot in one.slots
    )


def _are_apart(conditions: Sequence[Condition]) -> bool:
    """Whether one time is to lie in two periods that share no day."""
    held: dict[tuple[Slot, ...], Period] = {}
    for one in conditions:
        new = one.period
        if one.op != "period" or one.negated or new is None or new.at:
            continue
        old = held.setdefault(one.slots, new)
        first = max(filter(None, (old.first, new.first)), default=None)
        until = min(filter(None, (old.until, new.until)), default=None)
        if first is not None and until is not None and first >= until:
            return True
        held[one.slots] = Period(first, until, new.grain)
    return False


_TORN: tuple[Callable[[Sequence[Condition]], bool], ...] = (
    _lacks_and_has,
    _are_opposed,
    _is_out_of_values,
    _is_out_of_bounds,
    _are_apart,
    _leads_nowhere,
)
"""Ways in which conditions of a row exclude each other."""
