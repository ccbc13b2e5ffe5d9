"""Expressions on one row as SQL: FROM and its joins, columns, expressions and conditions.

Joins lead from many to one only, so that no row is counted twice; rows the other way are asked by IN.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlagent.catalog.semantics import DAYS, Field, Form, Model, Relation
from sqlagent.language.words import stem
from sqlagent.makers.analyst.dialects import Dialect
from sqlagent.makers.analyst.formulas import filled
from sqlagent.makers.analyst.frames import OFF, Condition, Expr, Path, Slot
from sqlagent.makers.analyst.lexicon import UNIT_WORDS
from sqlagent.makers.analyst.periods import Period

_TURNED = {"not in": "in", "missing": "filled"}
"""The operator of the rows that such a condition leaves out."""

_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "<>"}


class NoPlan(Exception):
    """A frame that cannot be written."""


class Fault(NoPlan):
    """A frame that an error of ours kept from being written."""


@dataclass(slots=True)
class Block:
    """One FROM clause: the anchor and what is joined to it, each path under an alias of its own.

    While it `keeps` its rows, what some of them point at nothing of is joined to those that do, and is empty elsewhere; but not what
    conditions are `bound` to. Its text begins with its `start`, where that is not its anchor.
    """

    anchor: str
    taken: set[str]
    aliases: dict[tuple[tuple[str, str], ...], str] = field(default_factory=dict)
    joins: list[str] = field(default_factory=list)
    keeps: bool = False
    bound: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    partly: set[str] = field(default_factory=set)
    start: str = ""


def _key_of(relation: Relation) -> tuple[tuple[str, str], ...]:
    """The key by which a block holds the alias at the end of one relation from its anchor."""
    return ((relation.source, ",".join(relation.columns)),)


def bound_to(where: Iterable[Condition]) -> set[tuple[tuple[str, str], ...]]:
    """The keys by which a block holds what conditions look at."""
    out = set()
    for one in where:
        slots = (*one.slots, *(one.expr.slots if one.expr is not None else ()))
        for path in (one.at, *(slot.path for slot in slots)):
            steps = tuple(step for relation in path for step in _key_of(relation))
            out |= {steps[:end] for end in range(1, len(steps) + 1)}
        if one.op in ("all", "any"):
            out |= bound_to(one.parts)
    return out


def _is_paid_of_some(one: Field) -> bool:
    """Whether a column holds what was paid, and is empty where nothing was: a bill without a payment is owed as a whole."""
    return one.filled < 1 and stem("pay") in one.words


class RowWriter:
    """Writes what a frame says of single rows, over one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.dialect = Dialect(model.dialect, model.calendar)

    # ------------------------------------------------------------ names

    def _table(self, key: str) -> str:
        schema, name = self.model.schemas.get(key, ("", key))
        return ".".join(self.dialect.quoted(part) for part in (schema, name) if part)

    def _block(self, anchor: str, taken: set[str] | None = None) -> Block:
        block = Block(anchor, taken if taken is not None else set())
        block.aliases[()] = self._alias(anchor, block.taken)
        return block

    def _alias(self, table: str, taken: set[str]) -> str:
        name = self.model.schemas.get(table, ("", table))[1]
        words = [w for w in "".join(c if c.isalnum() else "_" for c in name).split("_") if w]
        base = (words[-1] if words else "t").lower()
        if not (base[:1].isalpha() and base.isascii() and self.dialect.quoted(base) == base):
            short = "".join(w[0] for w in words).lower()
            base = f"{short}_rows" if short[:1].isalpha() and short.isascii() else f"t_{len(taken)}"
        alias, n = base, 2
        while alias in taken:
            alias, n = f"{base}_{n}", n + 1
        taken.add(alias)
        return alias

    def _reach(self, block: Block, path: Path) -> str:
        """The alias at the end of a path, its joins added where they are missing."""
        key: tuple[tuple[str, str], ...] = ()
        for relation in path:
            before = block.aliases[key]
            key = (*key, (relation.source, ",".join(relation.columns)))
            if key in block.aliases:
                continue
            alias = block.aliases[key] = self._alias(relation.target, block.taken)
            word = "JOIN" if key in block.bound else self._join(block, relation, before, alias)
            on = self._on(relation, before, alias)
            block.joins.append(f"{word} {self._table(relation.target)} AS {alias} ON {on}")
        return block.aliases[key]

    def _on(self, relation: Relation, before: str, alias: str) -> str:
        """How rows point at those of a relation."""
        q, pairs = self.dialect.quoted, zip(relation.columns, relation.referenced, strict=True)
        return " AND ".join(f"{alias}.{q(r)} = {before}.{q(c)}" for c, r in pairs)

    def _begin_with(self, block: Block, relation: Relation) -> None:
        """Begin with what the anchor points at, and join the anchor to it: it keeps what none of its rows points at."""
        before, alias = block.aliases[()], self._alias(relation.target, block.taken)
        block.aliases[_key_of(relation)] = alias
        block.partly.add(before)
        own = f"{self._table(block.anchor)} AS {before} ON {self._on(relation, before, alias)}"
        block.start = f"FROM {self._table(relation.target)} AS {alias} LEFT JOIN {own}"

    def _join(self, block: Block, relation: Relation, before: str, alias: str) -> str:
        """The word that joins a table: a left join where rows that are kept may point at none of it."""
        if not block.keeps or not (self._is_optional(relation) or before in block.partly):
            return "JOIN"
        block.partly.add(alias)
        return "LEFT JOIN"

    def _column(self, block: Block, slot: Slot) -> str:
        """A slot's column; a key that the last relation already holds is read there, without its join."""
        if slot.path and slot.field.column in slot.path[-1].referenced:
            last = slot.path[-1]
            column = last.columns[last.referenced.index(slot.field.column)]
            return f"{self._reach(block, slot.path[:-1])}.{self.dialect.quoted(column)}"
        column = f"{self._reach(block, slot.path)}.{self.dialect.quoted(slot.field.column)}"
        return f"NULLIF({column}, {slot.field.absent})" if slot.field.absent else column

    def _shown(self, block: Block, slot: Slot) -> str:
        """A slot as people read it: codes by their labels."""
        column = self._column(block, slot)
        shown = self._label(block, slot, column) if slot.field.codes is not None else column
        is_coded = slot.field.labels and not slot.field.separator
        return self._relabelled(slot, column, shown) if is_coded else shown

    def _relabelled(self, slot: Slot, column: str, shown: str) -> str:
        """Codes that the owner named under those names, the others as they are."""
        cases = " ".join(
            f"WHEN {self.literal(slot, code)} THEN {self.dialect.text(label)}"
            for code, label in slot.field.labels
        )
        is_text = slot.field.codes is not None or not slot.field.is_number
        return f"CASE {column} {cases} ELSE {shown if is_text else self.dialect.as_text(shown)} END"

    def _label(self, block: Block, slot: Slot, column: str) -> str:
        codes = slot.field.codes
        assert codes is not None
        key = (
            *((r.source, ",".join(r.columns)) for r in slot.path),
            (slot.field.table, slot.field.column + " label"),
        )
        if key not in block.aliases:
            alias = block.aliases[key] = self._alias(codes.table, block.taken)
            q = self.dialect.quoted
            kind = (
                f"{alias}.{q(codes.kind_column)} = {self.dialect.text(codes.kind)} AND "
                if codes.kind_column
                else ""
            )
            match = f"{alias}.{q(codes.code_column)} = {column}"
            if slot.field.is_number:
                match = f"CAST({alias}.{q(codes.code_column)} AS {'SIGNED' if self.dialect.name == 'mysql' else 'INTEGER'}) = {column}"
            may_lack = slot.field.filled < 1 or block.aliases.get(key[:-1], "") in block.partly
            word = "LEFT JOIN" if block.keeps and may_lack else "JOIN"
            block.joins.append(f"{word} {self._table(codes.table)} AS {alias} ON {kind}{match}")
        return f"{block.aliases[key]}.{self.dialect.quoted(codes.label_column)}"

    def _from(self, block: Block) -> str:
        start = block.start or f"FROM {self._table(block.anchor)} AS {block.aliases[()]}"
        return " ".join([start, *block.joins])

    # ------------------------------------------------------------ expressions

    def expression(self, block: Block, expr: Expr) -> str:
        """An expression of one row."""
        columns = [self._column(block, slot) for slot in expr.slots]
        if expr.op == "column":
            return columns[0]
        if expr.op == "times":
            return " * ".join(columns)
        if expr.op == "minus":
            less = (
                f"COALESCE({column}, 0)" if _is_paid_of_some(slot.field) else column
                for slot, column in zip(expr.slots[1:], columns[1:], strict=True)
            )
            return f"({' - '.join((columns[0], *less))})"
        if expr.op == "formula":
            return f"({filled(expr.unit, columns)})"
        if expr.op == "given":
            return f"({columns[0]} * {columns[1]} - {columns[2]})"
        if expr.op == "margin rate":
            return f"(1.0 * ({columns[0]} - {columns[1]}) / NULLIF({columns[0]}, 0))"
        if expr.op in ("discounted", "discounted profit") and expr.unit == "money":
            sold = f"{columns[0]} * {columns[1]} - COALESCE({columns[2]}, 0)"
            return sold if len(columns) == 3 else f"({sold} - {columns[0]} * {columns[3]})"
        if expr.op == "discounted":
            whole = "1" if expr.unit != "percent" else "100.0"
            own = f"{columns[0]} * {columns[1]} * ({whole} - COALESCE({columns[2]}, 0))"
            return own if whole == "1" else f"{own} / {whole}"
        if expr.op == "discounted profit":
            whole = "1" if expr.unit != "percent" else "100.0"
            share = f"({whole} - COALESCE({columns[2]}, 0))" + ("" if whole == "1" else f" / {whole}")
            return f"({columns[0]} * {columns[1]} * {share} - {columns[0]} * {columns[3]})"
        if expr.op == "profit":
            return f"({columns[0]} - {columns[1]} * {columns[2]})"
        if expr.op == "unit profit":
            return f"({columns[0]} * ({columns[1]} - {columns[2]}))"
        if expr.op == "span":
            days = self.dialect.days(
                columns[0], expr.slots[0].field.form, columns[1], expr.slots[1].field.form
            )
            return self._in_unit(days, expr.unit)
        if expr.op == "age" and expr.slots[0].field.form is Form.YEAR:
            year = self.dialect.grain(self.dialect.today(), Form.DAY, "year")
            return f"({self.dialect.whole(year)} - {columns[0]})"
        if expr.op == "age":
            days = self.dialect.days(self.dialect.today(), Form.DAY, columns[0], expr.slots[0].field.form)
            return self._in_unit(days, expr.unit or "years")
        if expr.op == "flag":
            return f"CASE WHEN {columns[0]} = {expr.slots[0].field.yes} THEN 1.0 ELSE 0.0 END"
        if expr.op == "day":
            return self.dialect.grain(columns[0], expr.slots[0].field.form, "day")
        raise NoPlan(expr.op)

    @staticmethod
    def _in_unit(days: str, unit: str) -> str:
        factor = UNIT_WORDS.get(unit, 1.0)
        if factor == 1.0:
            return days
        return f"({days} * {factor:g})" if factor > 1 else f"({days} / {1 / factor:g})"

    def literal(self, slot: Slot, value: str) -> str:
        """A stored value as a literal of its column."""
        if slot.field.is_number:
            return value
        if value in ("TRUE", "FALSE"):
            return value
        return self.dialect.text(value)

    def condition(self, block: Block, condition: Condition) -> str:
        """A condition as SQL that is true or not."""
        if condition.op in ("in", "not in") and condition.slots[0].field.separator:
            return self._listed(block, condition)
        if condition.said.startswith(OFF):
            return self._off(block, condition)
        written = self._condition(block, condition)
        if condition.negated and condition.op != "exists":
            return f"NOT ({written})"
        return written

    def _off(self, block: Block, c: Condition) -> str:
        """That a row is none that is no money: rows without a state stay, and so do those that belong to none that has one."""
        slot = c.slots[0]
        first = slot.path[0] if slot.path else None
        may_lack = any(map(self._is_optional, slot.path))
        is_single = first is not None and len(first.columns) == 1
        if first is not None and may_lack and is_single and _key_of(first) not in block.aliases:
            inner = self._block(first.target, set(block.taken))
            so = replace(c, op=_TURNED.get(c.op, c.op), slots=(replace(slot, path=slot.path[1:]),))
            off = self._condition(inner, so) if c.op in _TURNED else f"NOT ({self._condition(inner, so)})"
            key = f"{inner.aliases[()]}.{self.dialect.quoted(first.referenced[0])}"
            pointing = f"{block.aliases[()]}.{self.dialect.quoted(first.columns[0])}"
            kept = f"SELECT {key} {self._from(inner)} WHERE {off}"  # noqa: S608 - composed of quoted names
            return f"({pointing} IS NULL OR {pointing} NOT IN ({kept}))"
        written = self._condition(block, c)
        if c.op == "missing" or not (slot.field.filled < 1 or slot.field.absent):
            return written
        return f"({self._column(block, slot)} IS NULL OR {written})"

    def _may_lack(self, slot: Slot) -> bool:
        """Whether rows may have nothing in a slot: itself is not filled in all rows, or some point at none of it."""
        return any(map(self._is_optional, slot.path)) or slot.field.filled < 1 or bool(slot.field.absent)

    def _is_optional(self, relation: Relation) -> bool:
        """Whether rows may point at none of a relation's."""
        return any(self._may_be_empty(relation.source, column) for column in relation.columns)

    def _may_be_empty(self, table: str, column: str) -> bool:
        one = self.model.field(table, column)
        return one is None or one.filled < 1

    def _listed(self, block: Block, c: Condition) -> str:
        """That a list has one of some entries, or none of them."""
        slot, denied = c.slots[0], (c.op == "not in") != c.negated
        column = self._column(block, slot)
        each = [self.dialect.lists(column, slot.field.separator, v, denied=denied) for v in c.values]
        joined = (" AND " if denied else " OR ").join(each)
        return f"({joined})" if len(each) > 1 else joined

    def _first(self, block: Block, c: Condition) -> str:
        """That an event is the first one of what it belongs to: of several at one time the one with the lowest key."""
        inner = self._block(c.slots[0].field.table, set(block.taken))
        time, holder, key = (self._column(inner, Slot(slot.field)) for slot in c.slots)
        nth = f"ROW_NUMBER() OVER (PARTITION BY {holder} ORDER BY {time}, {key}) AS nth"
        there = f"{time} IS NOT NULL AND {holder} IS NOT NULL"
        placed = f"SELECT {key} AS kept, {nth} {self._from(inner)} WHERE {there}"  # noqa: S608
        return f"{self._column(block, c.slots[2])} IN (SELECT kept FROM ({placed}) AS placed WHERE nth = 1)"  # noqa: S608

    def _held(self, block: Block, c: Condition) -> str:
        """That a row of a history is the one of its thing that held at the end of a period, or the thing's first or latest one."""
        slot = c.slots[0]
        history = self.model.things[slot.field.table].history
        if history is None or slot.field.column != history.begins or slot.path:
            raise NoPlan("a time of no history")
        until = c.period.until if c.period is not None else None
        begun = Period(None, until, "day")
        ends = self.model.field(slot.field.table, history.ends) if history.ends else None
        kept = []
        if ends is not None and until is not None and not c.values:
            column = self._column(block, Slot(ends))
            last = until if history.is_last_day is False else until - timedelta(days=1)
            kept = [
                f"({column} IS NULL OR {self.dialect.within(column, ends.form, Period(last, None, 'day'))})"
            ]
        if kept and history.is_last_day is not None:
            return " AND ".join(
                [self.dialect.within(self._column(block, slot), slot.field.form, begun), *kept]
            )
        inner = self._block(slot.field.table, set(block.taken))
        of = [f for name in history.of if (f := self.model.field(slot.field.table, name)) is not None]
        apart = ", ".join(self._column(inner, Slot(one)) for one in of)
        here = ", ".join(self._column(block, Slot(one)) for one in (*of, slot.field))
        own = self._column(inner, Slot(slot.field))
        where = f" WHERE {self.dialect.within(own, slot.field.form, begun)}" if until is not None else ""
        which = "MIN" if c.values == ("first",) else "MAX"
        there = f"({here}) IN (SELECT {apart}, {which}({own}) {self._from(inner)}{where} GROUP BY {apart})"  # noqa: S608
        return " AND ".join([there, *kept])

    def _later(self, block: Block, c: Condition) -> str:
        """How one time stands to another: by day where one of them is a day, so that what came at ten o'clock came on it."""
        later, earlier = (self._column(block, slot) for slot in c.slots)
        forms = [slot.field.form for slot in c.slots]
        if len({form in DAYS for form in forms}) > 1 and None not in forms:
            later, earlier = (
                self.dialect.grain(self._column(block, s), s.field.form, "day") for s in c.slots
            )
        elif forms[0] is not forms[1]:
            later, earlier = (self.dialect.moment(self._column(block, s), s.field.form) for s in c.slots)
        return f"{later} {c.compare or '>'} {earlier}"

    def _condition(self, block: Block, c: Condition) -> str:
        if c.op in ("all", "any"):
            joiner = " AND " if c.op == "all" else " OR "
            return "(" + joiner.join(self.condition(block, part) for part in c.parts) + ")"
        if c.op == "exists":
            return self._exists(block, c)
        if c.op == "later":
            return self._later(block, c)
        if c.op == "same":
            first, second = (
                self.dialect.grain(self._column(block, s), s.field.form, c.compare or "year") for s in c.slots
            )
            return f"{first} = {second}"
        if c.op == "compare" and c.expr is not None:
            own = self.expression(block, c.expr)
            if c.values:
                return f"{own} {c.compare} {self._of_row(c)}"
            if c.number is None:
                inner = self._block(block.anchor, set(block.taken))
                value = self.expression(inner, c.expr)
                return f"{own} {c.compare} (SELECT AVG({value}) {self._from(inner)})"
            return (
                f"{own} {c.compare} {c.number:.15g}"
                if abs(c.number) < 1e15
                else f"{own} {c.compare} {int(c.number)}"
            )
        slot = c.slots[0]
        if c.op == "period":
            assert c.period is not None
            return self._period(block, c, slot)
        column = self._column(block, slot)
        if c.op == "clock":
            return self.dialect.in_hours(column, slot.field.form, *c.values)
        if c.op == "weekday":
            return self.dialect.on_weekdays(column, slot.field.form, c.values)
        if c.op == "first":
            return self._first(block, c)
        if c.op == "held":
            return self._held(block, c)
        if c.op == "latest":
            inner = self._block(slot.field.table, set(block.taken))
            own = self._column(inner, Slot(slot.field))
            until = (
                f" WHERE {self.dialect.within(own, slot.field.form, c.period)}"
                if c.period is not None
                else ""
            )
            return f"{column} = (SELECT MAX({own}) {self._from(inner)}{until})"
        if c.op == "missing":
            return f"{column} IS NULL"
        if c.op == "filled":
            return f"{column} IS NOT NULL"
        if c.op == "like":
            return self.dialect.holds(column, c.values[0])
        literals = [self.literal(slot, value) for value in c.values]
        if c.op == "not in":
            return (
                f"{column} <> {literals[0]}"
                if len(literals) == 1
                else f"{column} NOT IN ({', '.join(literals)})"
            )
        return f"{column} = {literals[0]}" if len(literals) == 1 else f"{column} IN ({', '.join(literals)})"

    def _of_row(self, c: Condition) -> str:
        """The same expression of the one row that a value names."""
        named = c.slots[0]
        inner = self._block(named.field.table, set())
        assert c.expr is not None
        own = self.expression(inner, replace(c.expr, slots=tuple(replace(s, path=()) for s in c.expr.slots)))
        where = self._condition(inner, Condition("in", (Slot(named.field),), c.values))
        return f"(SELECT MAX({own}) {self._from(inner)} WHERE {where})"

    def _period(self, block: Block, c: Condition, slot: Slot) -> str:
        period = c.period
        assert period is not None
        column = self._column(block, slot)
        if len(c.slots) == 2 and period.until is not None:
            ends = self._column(block, c.slots[1])
            begun = self.dialect.within(column, slot.field.form, replace(period, first=None))
            ended = self.dialect.within(
                ends, c.slots[1].field.form, replace(period, first=period.until, until=None)
            )
            return f"({begun} AND ({ends} IS NULL OR {ended}))"
        return self.dialect.within(column, slot.field.form, period)

    def _exists(self, block: Block, c: Condition) -> str:
        inner = self._block(c.child, block.taken)
        last = c.path[-1]
        if len(last.columns) != 1:
            raise NoPlan("a key of several columns")
        here = self._reach(block, c.at)
        pointing = f"{self._reach(inner, c.path[:-1])}.{self.dialect.quoted(last.columns[0])}"
        where = [self.condition(inner, part) for part in c.parts]
        compare, negated, number = c.compare, c.negated, c.number
        figure = "COUNT(*)"
        if c.counted is not None:
            own = self.expression(inner, c.counted)
            figure = (
                f"COUNT(DISTINCT {own})"
                if c.values == ("distinct",)
                else f"{'AVG' if c.values == ('avg',) else 'SUM'}({own})"
            )
        having = ""
        if number is not None and not (compare == ">=" and number <= 1 and c.counted is None):
            if compare in ("<", "<=") or (compare == "=" and number == 0):
                compare, negated = (_OPPOSITE[compare] if compare != "=" else ">"), not negated
            if not (compare in (">", ">=") and number <= 0 and c.counted is None):
                having = f" GROUP BY {pointing} HAVING {figure} {compare} {number:.15g}"
        where.append(f"{pointing} IS NOT NULL")
        word = "NOT IN" if negated else "IN"
        return f"{here}.{self.dialect.quoted(last.referenced[0])} {word} (SELECT {pointing} {self._from(inner)} WHERE {' AND '.join(where)}{having})"  # noqa: S608 - composed of quoted names
