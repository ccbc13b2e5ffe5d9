"""Frames as plain JSON and back, exactly. Columns and ways are named; the model is asked for them again.

Decides what a stored frame may hold: unknown parts, wrong types and words that no frame is made of are refused, and so is
a frame whose column or way has gone from the source. Whether it can be written as SQL is the planner's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from datetime import date
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from sqlagent.catalog.semantics import Field, Model, Relation
from sqlagent.errors import FrameError
from sqlagent.makers.analyst import clocks
from sqlagent.makers.analyst.formulas import is_shape
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Frame, Having, Measure, Order, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import GRAIN_PHRASES

FORM = 1
"""How frames are written down; another number is refused."""

DEEP = 24
"""Parts within parts at most: people's questions need ten."""

_PARTS = (Frame, Measure, Dimension, Condition, Having, Order, Expr, Slot, Period)

_COMPARISONS = frozenset({"", ">", ">=", "<", "<=", "=", "<>"})
_GRAINS = frozenset({"", "half", "weekend", *GRAIN_PHRASES.values()})
_WORDS: dict[tuple[type, str], frozenset[str]] = {
    (Measure, "agg"): frozenset(
        {"rows", "distinct", "sum", "avg", "median", "min", "max", "ratio", "formula"}
    ),
    (Condition, "compare"): _COMPARISONS | _GRAINS,
    (Having, "compare"): _COMPARISONS,
    (Dimension, "grain"): _GRAINS,
}
"""Words written into SQL as they stand: no other word may come from the store."""

_COLUMNS = {
    **dict.fromkeys(("given", "discounted profit"), 4),
    **dict.fromkeys(("discounted", "profit", "unit profit", "first"), 3),
    **dict.fromkeys(("times", "minus", "margin rate", "span", "later", "same"), 2),
}
"""Columns that are needed at least by what is computed or held; everything else needs one."""


def plain(frame: Frame, model: Model) -> dict[str, Any]:
    """Give a frame as plain data for JSON; `frame_of` gives the same frame back.

    Example:
        >>> plain(Frame("orders", (Measure("rows", "orders", said="orders"),)), Model("sqlite", {}, {}, ()))
        {'form': 1, 'frame': {'anchor': 'orders', 'measures': [{'agg': 'rows', 'anchor': 'orders', 'said': 'orders'}]}}
    """
    return {"form": FORM, "frame": _plain(frame, model)}


def _plain(value: Any, model: Model) -> Any:
    if isinstance(value, Field):
        known = model.field(value.table, value.column)
        own = {} if known is not None and known.said == value.said else {"said": value.said}
        return {"table": value.table, "column": value.column} | own
    if isinstance(value, Relation):
        ends = {"source": value.source, "columns": list(value.columns)}
        return ends | {"target": value.target, "referenced": list(value.referenced)}
    if isinstance(value, tuple):
        return [_plain(one, model) for one in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return str(value)
    if not isinstance(value, _PARTS):
        return value
    return {
        one.name: _plain(held, model)
        for one in fields(value)
        if (held := getattr(value, one.name)) != one.default
    }


def frame_of(data: Any, model: Model) -> Frame:
    """Read a frame that `plain` gave, over the model as it is now. Raises: FrameError, saying what has gone or is broken."""
    if not isinstance(data, Mapping) or data.keys() != {"form", "frame"}:
        raise FrameError("This is no stored frame.")
    if data["form"] != FORM:
        raise FrameError("This frame was stored by another version of Mirror. Ask the question again.")
    read: Frame = _Reader(model).read(Frame, data["frame"], 0)
    for table in _tables(read):
        if table not in model.things:
            raise FrameError(f"The table {table} is no longer there. Ask the question again.")
    if read.pivot and not (read.by and read.measures):
        raise FrameError("This stored frame makes columns of values, and does not say of what.")
    return read


class _Reader:
    """Reads one value of each type that frames are made of."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def read(self, kind: Any, data: Any, deep: int) -> Any:
        if deep > DEEP:
            raise FrameError("This stored frame is nested too deeply.")
        if get_origin(kind) is tuple:
            if not isinstance(data, list):
                raise _broken(data)
            return tuple(self.read(get_args(kind)[0], one, deep + 1) for one in data)
        if NoneType in get_args(kind):
            (inner,) = (one for one in get_args(kind) if one is not NoneType)
            return None if data is None else self.read(inner, data, deep)
        if kind is Field:
            return self.field(data)
        if kind is Relation:
            return self.relation(data)
        if kind in _PARTS:
            return self.part(kind, data, deep)
        return _simple(kind, data)

    def part(self, kind: type, data: Any, deep: int) -> Any:
        hints = _hints(kind)
        if not isinstance(data, Mapping) or not data.keys() <= hints.keys():
            raise _broken(data)
        read = {name: self.read(hints[name], held, deep + 1) for name, held in data.items()}
        for one in fields(kind):
            if one.default is MISSING and one.default_factory is MISSING and one.name not in read:
                raise FrameError(f"This stored frame lacks its “{one.name}”.")
            allowed = _WORDS.get((kind, one.name))
            if allowed is not None and one.name in read and read[one.name] not in allowed:
                raise _broken(read[one.name])
        made = kind(**read)
        if _lacks(made):
            raise FrameError(f"This stored frame lacks a part of its {kind.__name__.lower()}.")
        return made

    def field(self, data: Any) -> Field:
        held = _texts(data, {"table", "column"}, {"said"})
        known = self.model.field(held["table"], held["column"])
        if known is None:
            raise FrameError(
                f"The column {held['table']}.{held['column']} is no longer there. Ask the question again."
            )
        return replace(known, said=held.get("said", known.said))

    def relation(self, data: Any) -> Relation:
        if not isinstance(data, Mapping) or data.keys() != {"source", "columns", "target", "referenced"}:
            raise _broken(data)
        ends = data["source"], data["columns"], data["target"], data["referenced"]
        for one in self.model.relations:
            if (one.source, list(one.columns), one.target, list(one.referenced)) == ends:
                return one
        own = data["source"] == data["target"] and data["columns"] == data["referenced"]
        if own and isinstance(data["source"], str) and isinstance(data["columns"], list):
            columns = tuple(
                self.field({"table": data["source"], "column": c}).column for c in data["columns"]
            )
            return Relation(data["source"], columns, data["source"], columns)
        raise FrameError(f"The way from {data['source']} to {data['target']} is no longer there. Ask again.")


def _lacks(part: Any) -> bool:
    """Whether a part is without columns or figures that its SQL is made of."""
    match part:
        case Dimension():
            return not part.shown or (part.op == "several" and len(part.keys) < 2)
        case Measure(agg="ratio"):
            return part.over is None or part.under is None
        case Measure(agg="formula"):
            return not is_shape(part.shape, len(part.parts))
        case Measure():
            return part.agg != "rows" and part.expr is None
        case Condition(op="exists" | "all" | "any"):
            return False
        case Condition(op="clock"):
            return not part.slots or len(part.values) != 2 or not all(map(clocks.is_time, part.values))
        case Condition(op="compare") if part.expr is not None:
            return False
        case Expr(op="formula"):
            return not is_shape(part.unit, len(part.slots))
        case Frame(transform="concentration") if part.limit is None or not part.by:
            return True
        case Frame(formula=Measure() as whole):
            return not is_shape(whole.shape, len(part.measures))
        case Condition() | Expr():
            return len(part.slots) < _COLUMNS.get(part.op, 1)
    return False


def _simple(kind: Any, data: Any) -> Any:
    """A text, a number, a day or yes and no."""
    if kind is date and isinstance(data, str):
        try:
            return date.fromisoformat(data)
        except ValueError:
            raise _broken(data) from None
    is_number = isinstance(data, int | float) and not isinstance(data, bool)
    if kind is float and is_number and abs(data) < 1e300:
        return float(data)
    if kind in (str, int, bool) and type(data) is kind:
        return data
    raise _broken(data)


def _texts(data: Any, needed: set[str], more: set[str]) -> Mapping[str, str]:
    if not isinstance(data, Mapping) or not needed <= data.keys() <= needed | more:
        raise _broken(data)
    if not all(isinstance(one, str) for one in data.values()):
        raise _broken(data)
    return data


def _broken(data: Any) -> FrameError:
    return FrameError(f"This stored frame holds something that no frame is made of: {str(data)[:60]!r}.")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _tables(frame: Frame) -> set[str]:
    """The tables that a frame goes through by name."""
    out = {frame.anchor}

    def conditions(some: tuple[Condition, ...]) -> None:
        for one in some:
            out.update({one.child} - {""})
            conditions(one.parts)

    def measure(one: Measure | None) -> None:
        if one is not None:
            out.add(one.anchor)
            conditions(one.where)
            measure(one.over)
            measure(one.under)
            for part in one.parts:
                measure(part)

    conditions(frame.where)
    for own in (*frame.measures, *(h.measure for h in frame.having)):
        measure(own)
    if frame.order is not None:
        measure(frame.order.measure)
    return out
