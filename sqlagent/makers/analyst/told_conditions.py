"""Conditions that a hint gives as comparisons of columns, as ones of a frame.

Decides of which table's rows they hold: the one from which all of their columns are reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from sqlagent.catalog.hints.terms import Meaning, Test, Way
from sqlagent.catalog.semantics import DATED, Field, Kind, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Expr, Path, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.source import Source
from sqlagent.values import ColumnRef

_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")


class NotHeld(ValueError):
    """A meaning that is no condition of a frame's."""


def held_of(meaning: Meaning, source: Source) -> tuple[str, tuple[Condition, ...]]:
    """Give the table of whose rows the comparisons of a hint hold, and the conditions. Raises: NotHeld."""
    if meaning.shown or meaning.formula is not None or not meaning.tests:
        raise NotHeld("no condition")
    table = lowest(meaning.tables(), source, meaning.ways)
    return table, tuple(_clause(clause, table, source, meaning.ways) for clause in meaning.tests)


def top_of(meaning: Meaning, source: Source, phrase: str) -> tuple[str, tuple[Condition, ...]] | None:
    """The conditions as ones of what the rows belong to, where they are over several tables and the phrase names none.

    "big spender means total > 1000 and country = 'DE'" may be said of orders, and is rather said of who placed them. Raises: NotHeld.
    """
    tables = {test.column.table for clause in meaning.tests for test in clause}
    base = lowest(meaning.tables(), source, meaning.ways)
    said = {stem(word) for word in phrase.lower().split()}
    if len(tables) < 2 or said & set(source.model.things[base].noun[-1:]):
        return None
    above = [t for t in tables if t != base and source.model.things[t].kind is Kind.THING]
    if len(above) != 1:
        return None
    own = [clause for clause in meaning.tests if all(test.column.table == above[0] for test in clause)]
    rest = tuple(_clause(c, base, source, meaning.ways) for c in meaning.tests if c not in own)
    there = Condition("exists", child=base, path=way_up(base, above[0], source, meaning.ways), parts=rest)
    return above[0], (*(_clause(clause, above[0], source, ()) for clause in own), there)


def lowest(tables: frozenset[str], source: Source, ways: Sequence[Way] = ()) -> str:
    """The table from whose rows one of each other table is reached. Raises: NotHeld."""
    for table in sorted(tables):
        if table in source.model.things and all(source.graph.paths(table, other) for other in tables):
            for other in tables:
                way_up(table, other, source, ways)
            return table
    raise NotHeld("tables that no row joins")


def way_up(table: str, other: str, source: Source, ways: Sequence[Way] = ()) -> Path:
    """The path from a table to another, over the joins that the hint takes. Raises: NotHeld where several are as short."""
    paths = [
        path
        for path in source.graph.paths(table, other)
        if all(
            relation.columns == (way.source.column,)
            for relation in path
            for way in ways
            if (relation.source, relation.target) == (way.source.table, way.target.table)
        )
    ]
    short = [path for path in paths if len(path) == min(map(len, paths))]
    if len(short) != 1:
        raise NotHeld("several ways")
    return short[0]


def slot_of(ref: ColumnRef, table: str, source: Source, ways: Sequence[Way] = ()) -> Slot:
    """A column as seen from a table. Raises: NotHeld."""
    one = source.model.field(ref.table, ref.column)
    if one is None:
        raise NotHeld(ref.column)
    return Slot(one, way_up(table, ref.table, source, ways))


def _clause(clause: Sequence[Test], table: str, source: Source, ways: Sequence[Way]) -> Condition:
    parts = tuple(part for test in clause for part in condition_of(test, table, source, ways))
    if len(clause) == 1:
        return parts[0] if len(parts) == 1 else Condition("all", parts=parts)
    return Condition(
        "any", parts=tuple(_both(list(condition_of(test, table, source, ways))) for test in clause)
    )


def _both(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else Condition("all", parts=tuple(parts))


def condition_of(test: Test, table: str, source: Source, ways: Sequence[Way] = ()) -> Iterator[Condition]:
    """One comparison as conditions that all hold. Raises: NotHeld."""
    slot = slot_of(test.column, table, source, ways)
    if test.other is not None:
        yield Condition("later", (slot, slot_of(test.other, table, source, ways)), compare=_sign(test.op))
    elif test.op in ("null", "not null"):
        yield Condition("missing" if test.op == "null" else "filled", (slot,))
    elif test.op in ("like", "not like"):
        yield Condition("like", (slot,), (str(test.values[0]),), negated=test.op == "not like")
    elif slot.field.role is Role.TIME and slot.field.form in DATED:
        yield _of_days(test, slot)
    elif test.op in ("=", "!=", "in"):
        yield Condition(
            "not in" if test.op == "!=" else "in", (slot,), tuple(_text(v, slot.field) for v in test.values)
        )
    else:
        bounds = (
            zip((">=", "<="), test.values, strict=True)
            if test.op == "between"
            else ((test.op, test.values[0]),)
        )
        for sign, value in bounds:
            yield Condition("compare", compare=sign, number=_number(value), expr=Expr("column", (slot,)))


def _of_days(test: Test, slot: Slot) -> Condition:
    """A comparison of a time with days: a day is meant with all of its hours."""
    days = [_day(value) for value in test.values]
    after = [day + timedelta(days=1) for day in days]
    first: dict[str, date] = {"=": days[0], "!=": days[0], ">=": days[0], ">": after[0], "between": days[0]}
    until: dict[str, date] = {
        "=": after[0],
        "!=": after[0],
        "<": days[0],
        "<=": after[0],
        "between": after[-1],
    }
    if test.op not in {*first, *until}:
        raise NotHeld(test.op)
    period = Period(first.get(test.op), until.get(test.op), "day")
    return Condition("period", (slot,), period=period, negated=test.op == "!=")


def _sign(op: str) -> str:
    if op not in ("<", ">", "<=", ">=", "=", "!="):
        raise NotHeld(op)
    return "<>" if op == "!=" else op


def _day(value: object) -> date:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise NotHeld(str(value)) from error


def _number(value: object) -> float:
    if not _NUMBER.fullmatch(str(value)):
        raise NotHeld(str(value))
    return float(str(value))


def _text(value: object, one: Field) -> str:
    """A value as a frame holds it: of a column of numbers nothing but a number, as it is written as it stands."""
    if one.is_number and not _NUMBER.fullmatch(str(value)):
        raise NotHeld(str(value))
    return str(value)
