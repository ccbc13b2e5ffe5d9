"""Formulas that a hint gives as figures of a frame: every sum over the rows of the table that its columns belong to.

Summed rows of one table are never joined to rows of another that would repeat them.
"""

from __future__ import annotations

from sqlagent.catalog.hints.terms import Formula, Meaning, Total
from sqlagent.makers.analyst.formulas import is_shape, plain
from sqlagent.makers.analyst.frames import Condition, Expr, Measure, Slot
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.told_conditions import NotHeld, condition_of, lowest, slot_of

_AGGREGATES = ("sum", "avg", "min", "max")


def figure_of(meaning: Meaning, source: Source, said: str) -> Measure | None:
    """The figure that a hint gives; None where frames do not hold it."""
    try:
        if meaning.formula is not None:
            return _of_formula(meaning.formula, source, said) if meaning.formula.is_figure else None
        if meaning.agg not in ("sum", "avg", "count") or len(meaning.shown) != 1 or meaning.ways:
            return None
        total = Total(meaning.agg, "c0", meaning.shown, meaning.tests)
        return _total(total, _table(total, source), source, said)
    except NotHeld:
        return None


def of_each_row(meaning: Meaning, source: Source) -> tuple[str, Expr] | None:
    """The expression that a hint computes of each row, and its table; None where frames do not hold it."""
    formula = meaning.formula
    if (
        formula is None
        or formula.is_figure
        or formula.tests
        or not is_shape(formula.sql, len(formula.columns))
    ):
        return None
    try:
        table = lowest(frozenset(ref.table for ref in formula.columns), source)
        slots = tuple(slot_of(ref, table, source) for ref in formula.columns)
    except NotHeld:
        return None
    return (table, Expr("formula", slots, plain(formula.sql))) if _are_numbers(slots) else None


def _of_formula(formula: Formula, source: Source, said: str) -> Measure | None:
    tables = {_table(total, source) for total in formula.totals if total.columns or total.tests}
    if not tables or not is_shape(formula.shape, len(formula.totals)):
        return None
    if len(tables) > 1 and any(not (total.columns or total.tests) for total in formula.totals):
        return None  # COUNT(*) of which table's rows?
    only = next(iter(tables))
    parts = tuple(
        _total(total, _table(total, source) if total.columns or total.tests else only, source, "")
        for total in formula.totals
    )
    if formula.shape == "f0":
        return _total(formula.totals[0], parts[0].anchor, source, said)
    return Measure("formula", parts[0].anchor, said=said, parts=parts, shape=plain(formula.shape))


def _table(total: Total, source: Source) -> str:
    """The table whose rows an aggregate goes through. Raises: NotHeld."""
    tested = (test.column.table for clause in total.tests for test in clause)
    return lowest(frozenset((*(ref.table for ref in total.columns), *tested)), source)


def _total(total: Total, table: str, source: Source, said: str) -> Measure:
    """One aggregate as a figure. Raises: NotHeld."""
    where = tuple(
        _one_of([list(condition_of(test, table, source)) for test in clause]) for clause in total.tests
    )
    if total.agg == "rows":
        return Measure("rows", table, where=where, said=said)
    slots = tuple(slot_of(ref, table, source) for ref in total.columns)
    expr = Expr("column", slots) if total.sql == "c0" else Expr("formula", slots, plain(total.sql))
    if expr.op == "formula" and not is_shape(expr.unit, len(slots)):
        raise NotHeld(total.sql)
    if total.agg == "count":
        held = tuple(Condition("filled", (slot,)) for slot in slots if slot.field.filled < 1)
        return Measure("rows", table, where=(*where, *held), said=said)
    if total.agg in _AGGREGATES and not _are_numbers(slots):
        raise NotHeld(total.sql)
    unit = slots[0].field.unit if expr.op == "column" else ""
    return Measure(total.agg, table, expr, where, said=said, unit=unit)


def _one_of(tests: list[list[Condition]]) -> Condition:
    """The comparisons of a clause, one of which holds."""
    each = [parts[0] if len(parts) == 1 else Condition("all", parts=tuple(parts)) for parts in tests]
    return each[0] if len(each) == 1 else Condition("any", parts=tuple(each))


def _are_numbers(slots: tuple[Slot, ...]) -> bool:
    return all(slot.field.is_number for slot in slots)
