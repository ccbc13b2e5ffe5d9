"""Frames read back from plain SQL, and the questions they ask: one SELECT with joins along keys, conditions joined by AND, groups and figures.

Decides from which question a follow-up can start where the turn before was misunderstood. SQL of other shapes gives no frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sqlagent.catalog.semantics import DATED
from sqlagent.language.dates import shift
from sqlagent.language.words import plural_of
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Frame, Measure, Order, Path, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.telling import title

_GRAINS = {"%Y-%m": "month", "%Y": "year", "%Y-%m-%d": "day"}
_PREFIXES = {4: "year", 7: "month", 10: "day"}
_COMPARED: dict[type[exp.Expr], str] = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}
_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


_FLAGS = (re.compile(r", ([\w ]+): yes(?=,|$)"), re.compile(r", ([\w ]+): no(?=,|$)"))
_SINCE = re.compile(r"\bsince (\d{4})-01-01")


class _NoFrame(Exception):
    """The SQL says more than is read here."""


def frame_of_sql(sql: str, source: Source) -> Frame | None:
    """Read a frame back from SQL; None where it is of another shape."""
    try:
        tree = parse_one(sql, read=source.model.dialect)
        return _Reader(tree, source).frame() if isinstance(tree, exp.Select) else None
    except (_NoFrame, SqlglotError):
        return None


def questions_of(sql: str, source: Source) -> Iterator[str]:
    """Give questions that may ask for what SQL says, in the words of its frame's title; none where there is no frame."""
    frame = frame_of_sql(sql, source)
    said = title(frame) if frame is not None else ""
    if not said:
        return
    flagged = _FLAGS[1].sub(r", not \1", _FLAGS[0].sub(r", \1", said))
    yield from dict.fromkeys((said, flagged, _SINCE.sub(r"since \1", flagged), _SINCE.sub(r"\1", flagged)))


class _Reader:
    """One SELECT, its tables by their aliases and the ways to them."""

    def __init__(self, tree: exp.Select, source: Source) -> None:
        self.tree, self.source = tree, source
        if any(tree.args.get(name) for name in ("with", "with_", "having", "distinct", "offset")):
            raise _NoFrame
        if len(list(tree.find_all(exp.Select))) > 1 or tree.find(exp.Window):
            raise _NoFrame
        begun = tree.args.get("from") or tree.args.get("from_")
        joins = tree.args.get("joins") or []
        tables = [begun.this if begun is not None else None, *(join.this for join in joins)]
        self.tables: dict[str, str] = {}
        for table in tables:
            if not isinstance(table, exp.Table):
                raise _NoFrame
            known = next((t for t in source.model.things if t.lower() == table.name.lower()), None)
            if known is None:
                raise _NoFrame
            self.tables[table.alias_or_name] = known
        self.anchor, self.paths = self._ways(list(self._keys(joins)))

    def _keys(self, joins: list[exp.Join]) -> Iterator[tuple[str, str, str, str]]:
        """The equal columns of joins, as alias and column of both sides."""
        known: list[str] = list(self.tables)[:1]
        for join in joins:
            alias = join.this.alias_or_name
            for name in join.args.get("using") or ():
                holder = next(one for one in known if self.source.model.field(self.tables[one], name.name))
                yield holder, name.name, alias, name.name
            known.append(alias)
            on = join.args.get("on")
            for one in on.flatten() if isinstance(on, exp.And) else [on] if on is not None else []:
                left, right = one.args.get("this"), one.args.get("expression")
                if not isinstance(one, exp.EQ) or not (
                    isinstance(left, exp.Column) and isinstance(right, exp.Column)
                ):
                    raise _NoFrame
                if not (left.table and right.table):
                    raise _NoFrame
                yield left.table, left.name, right.table, right.name

    def _ways(self, keys: list[tuple[str, str, str, str]]) -> tuple[str, dict[str, Path]]:
        """The table whose rows are gone through, and the way from it to each other one."""
        sides = keys + [(b, y, a, x) for a, x, b, y in keys]
        for root in self.tables:
            paths: dict[str, Path] = {root: ()}
            for _ in self.tables:
                for here, column, there, other in sides:
                    if here not in paths or there in paths:
                        continue
                    for relation in self.source.model.relations:
                        ends = (relation.source, *relation.columns, relation.target, *relation.referenced)
                        said = (self.tables[here], column, self.tables[there], other)
                        if [one.lower() for one in ends] == [one.lower() for one in said]:
                            paths[there] = (*paths[here], relation)
                            break
            if len(paths) == len(self.tables):
                return self.tables[root], paths
        raise _NoFrame

    def frame(self) -> Frame:
        """The whole frame."""
        said = {one.alias: one.this for one in self.tree.expressions if isinstance(one, exp.Alias)}
        shown = [one.unalias() for one in self.tree.expressions]
        figures = [one for one in shown if one.find(exp.AggFunc)]
        if any(isinstance(one, exp.Star) for one in shown):
            return Frame(self.anchor, where=self._where())
        measures = tuple(map(self._measure, figures))
        plain = [one for one in shown if not one.find(exp.AggFunc)]
        if not measures:
            return Frame(self.anchor, where=self._where(), columns=tuple(map(self._slot, plain)))
        by = tuple(dict.fromkeys(map(self._dimension, plain)))
        group = self.tree.args.get("group")
        if bool(by) != bool(group) and not by:
            raise _NoFrame
        order, limit = self.tree.args.get("order"), self.tree.args.get("limit")
        ranked = None
        if order is not None:
            first = order.expressions[0]
            by_what = (
                said.get(first.this.name, first.this) if isinstance(first.this, exp.Column) else first.this
            )
            if by_what.find(exp.AggFunc):
                ranked = Order(ascending=not first.args.get("desc"))
        return Frame(
            self.anchor,
            measures,
            by,
            self._where(),
            order=ranked,
            limit=int(limit.expression.name) if limit is not None and limit.expression.is_int else None,
        )

    def _slot(self, one: exp.Expr) -> Slot:
        if not isinstance(one, exp.Column):
            raise _NoFrame
        for alias in [one.table] if one.table else self.tables:
            field = self.source.model.field(self.tables.get(alias, ""), one.name)
            if field is not None:
                return Slot(field, self.paths[alias])
        raise _NoFrame

    def _measure(self, one: exp.Expr) -> Measure:
        while isinstance(one, (exp.Div, exp.Mul, exp.Round, exp.Paren)) and not (
            isinstance(one, (exp.Div, exp.Mul)) and not one.expression.is_number
        ):
            one = one.this  # cents as euros, places
        if isinstance(one, exp.Count):
            what = one.this
            if isinstance(what, exp.Star):
                *words, noun = self.source.model.things[self.anchor].said.split()
                return Measure("rows", self.anchor, said=" ".join((*words, plural_of(noun))))
            if isinstance(what, exp.Distinct) and len(what.expressions) == 1:
                return Measure("distinct", self.anchor, Expr("column", (self._slot(what.expressions[0]),)))
            raise _NoFrame
        agg = _AGGREGATES.get(type(one))
        if agg is None:
            raise _NoFrame
        inner = one.this
        if isinstance(inner, exp.Mul):
            slots = (self._slot(inner.left), self._slot(inner.right))
            return Measure(agg, self.anchor, Expr("times", slots), said=slots[0].field.said)
        slot = self._slot(inner)
        return Measure(agg, self.anchor, Expr("column", (slot,)), said=slot.field.said)

    def _dimension(self, one: exp.Expr) -> Dimension:
        if (timed := self._timed(one)) is not None:
            slot, grain = timed
            return Dimension((slot,), grain=grain, said=grain)
        slot = self._slot(one)
        if slot.path and slot.field.column in self.source.names(slot.field.table):
            return self.source.dimension(slot.field.table, slot.path)
        return Dimension((slot,), said=slot.field.said)

    def _timed(self, one: exp.Expr) -> tuple[Slot, str] | None:
        """The time and the grain of a part of a date: `strftime('%Y-%m', t)`, `substr(t, 1, 7)`."""
        if isinstance(one, exp.Substring) and one.args["start"].name == "1" and one.args.get("length"):
            grain = _PREFIXES.get(int(one.args["length"].name), "")
            return (self._slot(one.this), grain) if grain else None
        if isinstance(one, exp.TimeToStr):
            of = one.this
            while isinstance(of, (exp.TsOrDsToTimestamp, exp.TsOrDsToDate, exp.Cast)):
                of = of.this
            grain = _GRAINS.get(one.args["format"].name, "")
            return (self._slot(of), grain) if grain else None
        return None

    def _where(self) -> tuple[Condition, ...]:
        where = self.tree.args.get("where")
        if where is None:
            return ()
        every = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
        found = [self._condition(one) for one in every if one.sql() != "1 = 1"]
        return tuple(_joined(found))

    def _condition(self, one: exp.Expr) -> Condition:
        negated = isinstance(one, exp.Not)
        if negated:
            one = one.this
        if isinstance(one, exp.Is) and isinstance(one.expression, exp.Null):
            return Condition("filled" if negated else "missing", (self._slot(one.this),))
        if isinstance(one, (exp.In, exp.EQ, exp.NEQ)):
            if isinstance(one, exp.In):
                values = [value.name for value in one.expressions if isinstance(value, exp.Literal)]
                if len(values) != len(one.expressions) or not values:
                    raise _NoFrame
            elif isinstance(one.expression, exp.Literal):
                values = [one.expression.name]
            else:
                raise _NoFrame
            if (timed := self._timed(one.this)) is not None:
                if len(values) != 1 or negated or isinstance(one, exp.NEQ):
                    raise _NoFrame
                return Condition("period", (timed[0],), period=_period(values[0]))
            is_out = negated != isinstance(one, exp.NEQ)
            return Condition("not in" if is_out else "in", (self._slot(one.this),), tuple(values))
        if isinstance(one, exp.Like) and not negated and one.expression.name.endswith("%"):
            slot, start = self._slot(one.this), one.expression.name.rstrip("%-")
            if slot.field.form in DATED and _DATE.fullmatch(start):
                return Condition("period", (slot,), period=_period(start))
        if isinstance(one, exp.Between) and not negated and isinstance(one.args["low"], exp.Literal):
            slot = self._slot(one.this)
            low, high = _period(one.args["low"].name), _period(one.args["high"].name)
            return Condition("period", (slot,), period=Period(low.first, high.until, "day"))
        compare = _COMPARED.get(type(one))
        if compare and not negated and isinstance(one.expression, exp.Literal):
            value = one.expression
            if (timed := self._timed(one.this)) is not None:
                return Condition("period", (timed[0],), period=_bounded(compare, value.name))
            slot = self._slot(one.this)
            if slot.field.form in DATED:
                return Condition("period", (slot,), period=_bounded(compare, value.name))
            if value.is_number:
                column = Expr("column", (slot,))
                return Condition("compare", (slot,), compare=compare, number=float(value.name), expr=column)
        raise _NoFrame


def _period(text: str) -> Period:
    if not _DATE.fullmatch(text):
        raise _NoFrame
    grain = _PREFIXES[len(text)]
    try:
        first = date.fromisoformat(f"{text}-01-01"[:10])
    except ValueError:
        raise _NoFrame from None
    return Period(first, shift(first, grain, 1), grain)


def _bounded(compare: str, text: str) -> Period:
    one = _period(text)
    if compare in (">", ">="):
        return Period(one.first if compare == ">=" else one.until, None, one.grain)
    return Period(None, one.first if compare == "<" else one.until, one.grain)


def _joined(some: list[Condition]) -> Iterator[Condition]:
    """Two bounds of one time as one period."""
    left = list(some)
    while left:
        one = left.pop(0)
        for other in left if one.period is not None else ():
            if other.period is not None and other.slots == one.slots:
                both = [p for p in (one.period, other.period) if p is not None]
                begins = [p.first for p in both if p.first is not None]
                ends = [p.until for p in both if p.until is not None]
                if len(begins) == len(ends) == 1:
                    period = _named(Period(begins[0], ends[0], "day"))
                    left.remove(other)
                    one = Condition("period", one.slots, period=period)
                    break
        yield one


def _named(one: Period) -> Period:
    """A period by the grain of which it is one."""
    assert one.first is not None
    return next(
        (
            Period(one.first, one.until, grain)
            for grain in ("year", "quarter", "month")
            if shift(one.first, grain, 1) == one.until
        ),
        one,
    )
