"""A frame as SQL of one dialect.

Rows are gone through once at the measure's own grain: other tables are joined only upwards, from many to one, so
nothing is counted twice; what lies downwards is asked by IN. Groups are told apart by keys and shown by names. Figures of
several grains are aggregated each by itself and laid side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sqlagent.analyst.dialects import Dialect
from sqlagent.analyst.frames import Condition, Dimension, Expr, Frame, Having, Measure, Path, Slot
from sqlagent.analyst.lexicon import UNIT_WORDS
from sqlagent.semantics import Form, Model

_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "<>"}


class NoPlan(Exception):
    """A frame that cannot be written."""


@dataclass(slots=True)
class Block:
    """One FROM clause: the anchor and what is joined to it, each path under an alias of its own."""

    anchor: str
    taken: set[str]
    aliases: dict[tuple[tuple[str, str], ...], str] = field(default_factory=dict)
    joins: list[str] = field(default_factory=list)


class Planner:
    """Writes frames over one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.dialect = Dialect(model.dialect)

    def sql(self, frame: Frame) -> str:
        """Write a frame. Raises: NoPlan."""
        if not frame.measures:
            return self._list(frame)
        anchors = {m.anchor for m in frame.measures}
        if len(anchors) > 1:
            beside = self._side_by_side(frame)
            return self._quotient(frame, beside) if frame.transform == "quotient" else beside
        if any(m.agg == "median" for m in frame.measures):
            return self._median(frame)
        return self._figures(frame)

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
        base = (
            base
            if base[:1].isalpha() and base.isascii() and self.dialect.quoted(base) == base
            else f"t_{len(taken)}"
        )
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
            pairs = zip(relation.columns, relation.referenced, strict=True)
            on = " AND ".join(
                f"{alias}.{self.dialect.quoted(r)} = {before}.{self.dialect.quoted(c)}" for c, r in pairs
            )
            block.joins.append(f"JOIN {self._table(relation.target)} AS {alias} ON {on}")
        return block.aliases[key]

    def _column(self, block: Block, slot: Slot) -> str:
        """A slot's column; a key that the last relation already holds is read there, without its join."""
        if slot.path and slot.field.column in slot.path[-1].referenced:
            last = slot.path[-1]
            column = last.columns[last.referenced.index(slot.field.column)]
            return f"{self._reach(block, slot.path[:-1])}.{self.dialect.quoted(column)}"
        return f"{self._reach(block, slot.path)}.{self.dialect.quoted(slot.field.column)}"

    def _shown(self, block: Block, slot: Slot) -> str:
        """A slot as people read it: codes by their labels."""
        column = self._column(block, slot)
        if slot.field.codes is not None:
            return self._label(block, slot, column)
        return column

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
            block.joins.append(f"JOIN {self._table(codes.table)} AS {alias} ON {kind}{match}")
        return f"{block.aliases[key]}.{self.dialect.quoted(codes.label_column)}"

    def _from(self, block: Block) -> str:
        return " ".join([f"FROM {self._table(block.anchor)} AS {block.aliases[()]}", *block.joins])

    # ------------------------------------------------------------ expressions

    def expression(self, block: Block, expr: Expr) -> str:
        """An expression of one row."""
        columns = [self._column(block, slot) for slot in expr.slots]
        if expr.op == "column":
            return columns[0]
        if expr.op == "times":
            return " * ".join(columns)
        if expr.op == "minus":
            return f"({columns[0]} - {columns[1]})"
        if expr.op == "margin rate":
            return f"(1.0 * ({columns[0]} - {columns[1]}) / NULLIF({columns[0]}, 0))"
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
        """What must hold, as SQL that is true or not."""
        written = self._condition(block, condition)
        if condition.negated and condition.op != "exists":
            return f"NOT ({written})"
        return written

    def _condition(self, block: Block, c: Condition) -> str:
        if c.op in ("all", "any"):
            joiner = " AND " if c.op == "all" else " OR "
            return "(" + joiner.join(self.condition(block, part) for part in c.parts) + ")"
        if c.op == "exists":
            return self._exists(block, c)
        if c.op == "later":
            later, earlier = (self._column(block, slot) for slot in c.slots)
            if c.slots[0].field.form is not c.slots[1].field.form:
                later, earlier = (self.dialect.moment(self._column(block, s), s.field.form) for s in c.slots)
            return f"{later} {c.compare or '>'} {earlier}"
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
                f"{own} {c.compare} {c.number:g}"
                if abs(c.number) < 1e15
                else f"{own} {c.compare} {int(c.number)}"
            )
        slot = c.slots[0]
        if c.op == "period":
            assert c.period is not None
            return self._period(block, c, slot)
        column = self._column(block, slot)
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
                having = f" GROUP BY {pointing} HAVING {figure} {compare} {number:g}"
        where.append(f"{pointing} IS NOT NULL")
        word = "NOT IN" if negated else "IN"
        return f"{here}.{self.dialect.quoted(last.referenced[0])} {word} (SELECT {pointing} {self._from(inner)} WHERE {' AND '.join(where)}{having})"  # noqa: S608 - composed of quoted names

    # ------------------------------------------------------------ figures

    def figure(self, block: Block, measure: Measure, others: Sequence[Condition] = ()) -> str:
        """A measure as an aggregate of the block's rows that meet its own conditions."""
        where = [self.condition(block, part) for part in (*measure.where, *others)]
        met = " AND ".join(where)
        if measure.agg == "ratio":
            assert measure.over is not None and measure.under is not None
            over = self.figure(block, measure.over, (*measure.where, *others))
            under = self.figure(block, measure.under, (*measure.where, *others))
            return f"{'100.0' if measure.percent else '1.0'} * {over} / NULLIF({under}, 0)"
        if measure.agg == "rows":
            return f"COUNT(CASE WHEN {met} THEN 1 END)" if met else "COUNT(*)"
        assert measure.expr is not None
        own = self.expression(block, measure.expr)
        if met:
            own = f"CASE WHEN {met} THEN {own}{' ELSE 0' if measure.agg == 'sum' else ''} END"
        if measure.agg == "median":
            raise NoPlan("a median beside other figures")
        if measure.agg == "distinct":
            return f"COUNT(DISTINCT {own})"
        return f"{measure.agg.upper()}({own})"

    def _dimension(self, block: Block, dimension: Dimension) -> tuple[list[str], list[str]]:
        """What is shown of a dimension, and what its groups are told apart by."""
        if dimension.grain:
            column = self._column(block, dimension.shown[0])
            label = self.dialect.grain(column, dimension.shown[0].field.form, dimension.grain)
            return [label], [label]
        if dimension.op == "age":
            years = self.expression(block, Expr("age", dimension.shown, "years"))
            width = dimension.bucket
            bucket = self.dialect.whole(years if width <= 1 else f"{years} / {width:g}")
            bucket = bucket if width <= 1 else f"{bucket} * {width:g}"
            return [bucket], [bucket]
        if dimension.bucket:
            column = self._column(block, dimension.shown[0])
            bucket = f"{self.dialect.whole(f'{column} / {dimension.bucket:g}')} * {dimension.bucket:g}"
            return [bucket], [bucket]
        shown = [self._shown(block, slot) for slot in dimension.shown]
        keys = [self._column(block, slot) for slot in dimension.keys]
        return shown, ([*keys, *shown] if keys else shown)

    def _figures(self, frame: Frame) -> str:
        anchor = frame.measures[0].anchor
        block = self._block(anchor)
        shown: list[str] = []
        keys: list[str] = []
        for dimension in (*frame.per, *frame.by):
            some, apart = self._dimension(block, dimension)
            shown += [s for s in some if s not in shown]
            keys += [k for k in apart if k not in keys]
        if frame.pivot:
            return self._pivot(frame)
        if frame.transform == "between":
            return self._between(frame, block, shown, keys)
        figures = [self.figure(block, m) for m in frame.measures]
        having = [self._having(block, frame, h, keys) for h in frame.having]
        names = [f"label_{n}" for n in range(1, len(shown) + 1)]
        labels = self._names(frame, len(shown), len(figures))
        where = [self.condition(block, c) for c in frame.where]
        if frame.with_empty and frame.by and frame.by[0].keys:
            return self._with_empty(frame, labels)
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
        grouped += f" HAVING {' AND '.join(having)}" if having else ""
        picked = [f"{s} AS {n}" for s, n in zip((*shown, *figures), labels, strict=True)]
        del names
        if frame.transform == "average" and keys and any(d.grain for d in frame.by) and len(frame.by) > 1:
            outer = [n for n, d in zip(labels, frame.by, strict=False) if not d.grain and len(d.shown) == 1]
            inner = f"SELECT {', '.join(picked)} {body}{grouped}"
            return f"SELECT {', '.join([*outer, f'AVG(1.0 * {labels[-1]}) AS average'])} FROM ({inner}) AS groups_of GROUP BY {', '.join(outer)} ORDER BY {', '.join(outer)}"  # noqa: S608
        if frame.transform == "average" and keys:
            inner = f"SELECT {figures[0]} AS figure {body}{grouped}"
            return f"SELECT AVG(1.0 * figure) AS {self.dialect.quoted('average')} FROM ({inner}) AS groups_of"  # noqa: S608
        if frame.transform == "spread" and keys:
            inner = f"SELECT {figures[0]} AS figure {body}{grouped}"
            return f"SELECT figure AS {labels[-1]}, COUNT(*) AS how_many FROM ({inner}) AS groups_of GROUP BY figure ORDER BY figure"  # noqa: S608
        if frame.transform in ("share", "running", "moving", "change", "growth"):
            return self._windowed(frame, picked, labels, len(shown), body + grouped)
        if frame.transform == "groups" and keys:
            inner = f"SELECT 1 AS one {body}{grouped}"
            return f"SELECT COUNT(*) AS how_many FROM ({inner}) AS groups_of"  # noqa: S608
        if frame.per and frame.limit is not None:
            return self._within(frame, block, picked, labels, body + grouped, figures)
        chosen = picked
        if "only groups" in frame.flags:
            chosen = picked[: len(shown)]
        order = self._order(frame, block, figures, shown)
        return f"SELECT {', '.join(chosen)} {body}{grouped}{order}{self._limit(frame)}"

    def _having(self, block: Block, frame: Frame, having: Having, keys: Sequence[str]) -> str:
        own = self.figure(block, having.measure)
        if having.slot is not None:
            column = self._column(block, having.slot)
            if column not in keys:
                column = f"MAX({column})"
            return f"{own} {having.compare} {column}"
        if having.average:
            inner = self._block(block.anchor, set())
            where = [self.condition(inner, c) for c in frame.where]
            inner_keys = [k for d in (*frame.per, *frame.by) for k in self._dimension(inner, d)[1]]
            figure = self.figure(inner, having.measure)
            met = f" WHERE {' AND '.join(where)}" if where else ""
            each = f"SELECT {figure} AS figure {self._from(inner)}{met} GROUP BY {', '.join(dict.fromkeys(inner_keys))}"
            return f"{own} {having.compare} (SELECT AVG(1.0 * figure) FROM ({each}) AS each_group)"  # noqa: S608
        return f"{own} {having.compare} {having.number:g}"

    def _order(self, frame: Frame, block: Block, figures: Sequence[str], shown: Sequence[str]) -> str:
        if not shown:
            return ""
        if frame.order is not None:
            way = "" if frame.order.ascending else " DESC"
            if frame.order.measure is not None:
                return f" ORDER BY {self.figure(block, frame.order.measure)}{way}"
            if frame.order.by is not None:
                return f" ORDER BY {self.expression(block, frame.order.by)}{way}"
            if frame.limit is None and len(frame.by) > 1 and any(d.grain for d in frame.by):
                return f" ORDER BY {', '.join(shown)}"
            return f" ORDER BY {figures[0]}{way}"
        weekday = next((d for d in frame.by if d.grain == "weekday"), None)
        if weekday is not None and len(frame.by) == 1:
            slot = weekday.shown[0]
            return f" ORDER BY MIN({self.dialect.weekday_place(self._column(block, slot), slot.field.form)})"
        if any(d.grain or d.bucket for d in (*frame.by, *frame.per)):
            return f" ORDER BY {', '.join(shown)}"
        return f" ORDER BY {figures[0]} DESC"

    @staticmethod
    def _limit(frame: Frame) -> str:
        if frame.limit is None or frame.per:
            return ""
        return f" LIMIT {frame.limit}" + (f" OFFSET {frame.offset}" if frame.offset else "")

    def _windowed(
        self, frame: Frame, picked: Sequence[str], labels: Sequence[str], count: int, body: str
    ) -> str:
        """Shares, running figures and changes, over the finished groups."""
        figure = labels[count]
        shown = list(labels[:count])
        grain = next((n for n, d in enumerate((*frame.per, *frame.by)) if d.grain), None)
        place = shown[grain] if grain is not None and grain < count else (shown[0] if shown else "")
        others = [s for s in shown if s != place]
        parts = f"PARTITION BY {', '.join(others)} " if others else ""
        inner = f"SELECT {', '.join(picked)} {body}"
        name = self.dialect.quoted(frame.transform)
        if frame.transform == "share":
            over = f"PARTITION BY {shown[0]}" if "within" in frame.flags and len(shown) > 1 else ""
            own = f"100.0 * {figure} / NULLIF(SUM({figure}) OVER ({over}), 0) AS {name}"
            return f"SELECT {', '.join([*shown, own])} FROM ({inner}) AS groups_of ORDER BY {figure} DESC{self._limit(frame)}"  # noqa: S608
        over = f"OVER ({parts}ORDER BY {place})"
        if frame.transform == "running":
            own = f"SUM({figure}) {over}"
        elif frame.transform == "moving":
            own = f"AVG(1.0 * {figure}) OVER ({parts}ORDER BY {place} ROWS BETWEEN {max(1, frame.window - 1)} PRECEDING AND CURRENT ROW)"
        elif frame.transform == "change":
            own = f"{figure} - LAG({figure}) {over}"
        else:
            own = f"100.0 * ({figure} - LAG({figure}) {over}) / NULLIF(LAG({figure}) {over}, 0)"
        keeps = [figure] if frame.transform in ("change", "growth", "running") else []
        return f"SELECT {', '.join([*shown, *keeps, f'{own} AS {name}'])} FROM ({inner}) AS groups_of ORDER BY {', '.join([*others, place])}"  # noqa: S608

    def _within(
        self,
        frame: Frame,
        block: Block,
        picked: Sequence[str],
        labels: Sequence[str],
        body: str,
        figures: Sequence[str],
    ) -> str:
        """The first few of each group."""
        per = [k for d in frame.per for k in self._dimension(block, d)[1]]
        way = "" if frame.order is not None and frame.order.ascending else " DESC"
        place = f"RANK() OVER (PARTITION BY {', '.join(per)} ORDER BY {figures[0]}{way})"
        inner = f"SELECT {', '.join(picked)}, {place} AS place {body}"
        return f"SELECT {', '.join(labels)} FROM ({inner}) AS ranked WHERE place <= {frame.limit} ORDER BY {labels[0]}, place"  # noqa: S608

    def _between(self, frame: Frame, block: Block, shown: Sequence[str], keys: Sequence[str]) -> str:
        """How a figure changed from one period to another: `measures` are the earlier and the later one."""
        earlier, later = (self.figure(block, m) for m in frame.measures[:2])
        change = (
            f"100.0 * ({later} - {earlier}) / NULLIF({earlier}, 0)"
            if "percent" in frame.flags
            else f"{later} - {earlier}"
        )
        where = [self.condition(block, c) for c in frame.where]
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        name = self.dialect.quoted("change")
        if not shown:
            return f"SELECT {change} AS {name} {body}"
        grouped = f" GROUP BY {', '.join(keys)}"
        way = "" if frame.order is not None and frame.order.ascending else " DESC"
        return f"SELECT {', '.join(shown)}, {change} AS {name} {body}{grouped} ORDER BY {change}{way}{self._limit(frame)}"

    def _pivot(self, frame: Frame) -> str:
        """The values of the last dimension as columns."""
        *others, last = frame.by
        block = self._block(frame.measures[0].anchor)
        shown: list[str] = []
        keys: list[str] = []
        for dimension in others:
            some, apart = self._dimension(block, dimension)
            shown, keys = shown + some, keys + apart
        slot = last.shown[0]
        figures = [
            self.figure(block, frame.measures[0], (Condition("in", (slot,), (value,)),))
            + f" AS {self.dialect.quoted(_safe(value))}"
            for value in frame.pivot
        ]
        where = [self.condition(block, c) for c in frame.where]
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        grouped = f" GROUP BY {', '.join(keys)} ORDER BY {', '.join(shown)}" if keys else ""
        return f"SELECT {', '.join([*shown, *figures])} {body}{grouped}"

    def _with_empty(self, frame: Frame, labels: Sequence[str]) -> str:
        """Figures of every thing, those without rows too."""
        dimension, measure = frame.by[0], frame.measures[0]
        key = dimension.keys[0]
        thing = self._block(key.field.table)
        inner = self._block(measure.anchor, thing.taken)
        pointing = self._column(inner, key)
        where = [self.condition(inner, c) for c in frame.where]
        met = f" WHERE {' AND '.join(where)}" if where else ""
        each = f"SELECT {pointing} AS pointed, {self.figure(inner, measure)} AS figure {self._from(inner)}{met} GROUP BY {pointing}"
        shown = [self._shown(thing, replace(s, path=())) for s in dimension.shown]
        named = [f"{s} AS {n}" for s, n in zip(shown, labels, strict=False)]
        own = f"{thing.aliases[()]}.{self.dialect.quoted(key.field.column)}"
        return f"SELECT {', '.join(named)}, COALESCE(figure, 0) AS {labels[-1]} {self._from(thing)} LEFT JOIN ({each}) AS figures ON figures.pointed = {own} ORDER BY COALESCE(figure, 0) DESC"  # noqa: S608

    def _side_by_side(self, frame: Frame) -> str:
        """Figures of several tables: each aggregated by itself, then joined on the dimensions."""
        groups: list[str] = []
        width = 0
        labels: list[str] = []
        for number, measure in enumerate(frame.measures):
            block = self._block(measure.anchor)
            by = _as_seen_from(frame.by, number)
            shown: list[str] = []
            keys: list[str] = []
            for dimension in by:
                some, apart = self._dimension(block, dimension)
                shown, keys = shown + some, keys + apart
            where = [self.condition(block, c) for c in measure_where(frame, number)]
            figure = self.figure(block, replace(measure, where=()))
            width = len(shown)
            labels = self._names(frame, width, len(frame.measures))
            cells = [f"{s} AS {n}" for s, n in zip(shown, labels, strict=False)]
            cells += [
                f"{figure if other == number else 'NULL'} AS {labels[width + other]}"
                for other in range(len(frame.measures))
            ]
            met = f" WHERE {' AND '.join(where)}" if where else ""
            grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
            groups.append(f"SELECT {', '.join(cells)} {self._from(block)}{met}{grouped}")
        summed = [f"SUM({n}) AS {n}" for n in labels[width:]]
        grouped = (
            f" GROUP BY {', '.join(labels[:width])} ORDER BY {', '.join(labels[:width])}" if width else ""
        )
        return f"SELECT {', '.join([*labels[:width], *summed])} FROM ({' UNION ALL '.join(groups)}) AS both_figures{grouped}"  # noqa: S608

    def _quotient(self, frame: Frame, beside: str) -> str:
        """One figure as a share of another that is of another table."""
        labels = self._names(frame, sum(len(d.shown) for d in frame.by), len(frame.measures))
        width = len(labels) - len(frame.measures)
        own = f"100.0 * {labels[width]} / NULLIF({labels[width + 1]}, 0) AS {self.dialect.quoted('percent')}"
        order = f" ORDER BY {', '.join(labels[:width])}" if width else ""
        return f"SELECT {', '.join([*labels[:width], own])} FROM ({beside}) AS figures{order}"  # noqa: S608

    def _median(self, frame: Frame) -> str:
        measure = frame.measures[0]
        assert measure.expr is not None
        block = self._block(measure.anchor)
        shown: list[str] = []
        for dimension in frame.by:
            shown += self._dimension(block, dimension)[0]
        own = self.expression(block, measure.expr)
        where = [self.condition(block, c) for c in (*frame.where, *measure.where)] + [f"{own} IS NOT NULL"]
        labels = self._names(frame, len(shown), 1)
        parts = f"PARTITION BY {', '.join(shown)} " if shown else ""
        cells = [f"{s} AS {n}" for s, n in zip(shown, labels, strict=False)]
        cells += [
            f"{own} AS figure",
            f"ROW_NUMBER() OVER ({parts}ORDER BY {own}) AS place",
            f"COUNT(*) OVER ({parts.strip()}) AS many",
        ]
        inner = f"SELECT {', '.join(cells)} {self._from(block)} WHERE {' AND '.join(where)}"
        grouped = f" GROUP BY {', '.join(labels[:-1])} ORDER BY {', '.join(labels[:-1])}" if shown else ""
        return f"SELECT {', '.join([*labels[:-1], f'AVG(1.0 * figure) AS {labels[-1]}'])} FROM ({inner}) AS placed WHERE 2 * place BETWEEN many AND many + 2{grouped}"  # noqa: S608

    # ------------------------------------------------------------ lists

    def _list(self, frame: Frame) -> str:
        block = self._block(frame.anchor)
        shown = [self._shown(block, slot) for slot in frame.columns]
        if not shown:
            shown = [f"{block.aliases[()]}.*"]
        where = [self.condition(block, c) for c in frame.where]
        order = ""
        own = (
            self.expression(block, frame.order.by)
            if frame.order is not None and frame.order.by is not None
            else ""
        )
        if own and frame.order is not None:
            where.append(f"{own} IS NOT NULL")
            order = f" ORDER BY {own}{'' if frame.order.ascending else ' DESC'}"
        if frame.per and own and frame.order is not None:
            groups = [self._dimension(block, d) for d in frame.per]
            labels = [f"label_{n}" for n in range(1, len(shown) + sum(len(g[0]) for g in groups) + 1)]
            cells = [cell for g in groups for cell in g[0]] + shown
            per = ", ".join(k for g in groups for k in g[1])
            way = "" if frame.order.ascending else " DESC"
            inner = ", ".join(f"{c} AS {n}" for c, n in zip(cells, labels, strict=True))
            body = f"{self._from(block)} WHERE {' AND '.join(where)}"
            ranked = f"SELECT {inner}, RANK() OVER (PARTITION BY {per} ORDER BY {own}{way}) AS place {body}"
            return f"SELECT {', '.join(labels)} FROM ({ranked}) AS ranked WHERE place <= {frame.limit or 1} ORDER BY {labels[0]}, place"  # noqa: S608
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        word = "SELECT DISTINCT" if frame.distinct else "SELECT"
        if frame.distinct and own and own not in shown:
            raise NoPlan("an order that is not shown")
        if frame.distinct and not order:
            body = body + " " if not where else body
            body += (
                f"{' AND' if where else 'WHERE'} {shown[0]} IS NOT NULL"
                if len(shown) == 1 and frame.columns
                else ""
            )
        return f"{word} {', '.join(shown)} {body}{order}{self._limit(frame)}"

    def _names(self, frame: Frame, shown: int, figures: int) -> list[str]:
        """Names of the result's columns: what people called them, each once."""
        out: list[str] = []
        said: list[str] = []
        for dimension in (*frame.per, *frame.by):
            if dimension.grain or dimension.bucket:
                said.append(dimension.said or dimension.grain or "range")
            else:
                said += [
                    dimension.said or s.field.said if len(dimension.shown) == 1 else s.field.said
                    for s in dimension.shown
                ]
        said = (said + ["label"] * shown)[:shown] + [m.said or "figure" for m in frame.measures][:figures]
        for name in said:
            plain = _safe(name)
            n = 2
            base = plain
            while plain in out:
                plain, n = f"{base}_{n}", n + 1
            out.append(plain)
        return [self.dialect.quoted(n) for n in out]


def _safe(name: str) -> str:
    """A name of a result's column made of words: letters, digits and underscores."""
    plain = "_".join(
        part for part in "".join(c.lower() if c.isalnum() and c.isascii() else " " for c in name).split()
    )[:48]
    return plain if plain and not plain[0].isdigit() else f"figure_{plain}" if plain else "figure"


def _as_seen_from(by: Iterable[Dimension], number: int) -> list[Dimension]:
    """The dimensions of one of several measures: each holds one slot a measure, in `keys`."""
    return [
        replace(d, shown=(d.keys[number],), keys=()) if len(d.keys) > number and d.op == "several" else d
        for d in by
    ]


def measure_where(frame: Frame, number: int) -> tuple[Condition, ...]:
    """The conditions of one of several measures: its own."""
    return frame.measures[number].where
