"""Frames whose columns that a hint defines are taken apart into what the hint says of them.

While a question is read, a condition that a hint defines is one column that is met or not, and a formula of each row one number.
Here they become conditions and expressions of real columns, seen from where the frame stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar

from sqlagent.makers.analyst.formulas import DIVIDED
from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Measure, Order, Path, Slot
from sqlagent.makers.analyst.rows import NoPlan
from sqlagent.makers.analyst.source import Source

Kind = TypeVar("Kind")

UNSURE = 0.5
"""Cost of a definition that says too little: with it a frame is a draft."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table that a hint defines: conditions that are met, or what is computed of each row.

    `is_open` says that the hint leaves something open: of whose rows conditions over several tables hold, how rows are summed up.
    """

    clause: str
    where: tuple[Condition, ...] = ()
    expr: Expr | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """The parts of a hint that frames may hold: columns, and by clause the figures that it may give."""

    columns: Mapping[tuple[str, str], Column] = field(default_factory=dict)
    measures: Mapping[str, tuple[Measure, ...]] = field(default_factory=dict)

    def clauses(self) -> frozenset[str]:
        """The clauses that a frame may follow."""
        return frozenset((*(one.clause for one in self.columns.values()), *self.measures))

    def unnamed(self, frame: Frame) -> Frame:
        """A frame whose told figures are without the conditions that their names stand for."""
        told = [one for some in self.measures.values() for one in some if one.said and one.where]
        return replace(frame, measures=tuple(_unnamed(one, told) for one in frame.measures))


def _unnamed(figure: Measure, told: Sequence[Measure]) -> Measure:
    for one in told:
        if one.said == figure.said and _is_one(figure, one):
            inside = {replace(c, said="") for c in one.where}
            return replace(figure, where=tuple(c for c in figure.where if replace(c, said="") not in inside))
    return figure


NOTHING_TOLD = Told()


def followed(frame: Frame, told: Told) -> frozenset[str]:
    """The clauses of a hint that a frame follows; it is not yet taken apart."""
    out = set()
    figures = list(_parts(frame, Measure))
    for slot in _parts(frame, Slot):
        if (one := told.columns.get((slot.field.table, slot.field.column))) is not None:
            out.add(one.clause)
    for clause, meant in told.measures.items():
        if any(_is_one(figure, one) for figure in figures for one in meant):
            out.add(clause)
    return frozenset(out)


def _is_one(figure: Measure, meant: Measure) -> bool:
    """Whether a figure is what a hint gives, whatever it is called and restricted by."""
    if meant.shape == DIVIDED and figure.over is not None and figure.under is not None:
        sides = zip((figure.over, figure.under), meant.parts, strict=True)
        return all(_is_one(one, part) and len(one.where) == len(part.where) for one, part in sides)
    if meant.shape:
        return (figure.shape, figure.parts) == (meant.shape, meant.parts)
    sides_of = (figure.over, figure.under) == (meant.over, meant.under)
    inside = {replace(c, said="") for c in meant.where} <= {replace(c, said="") for c in figure.where}
    return (
        inside
        and sides_of
        and (figure.agg, figure.anchor, figure.expr) == (meant.agg, meant.anchor, meant.expr)
    )


def unfolded(frame: Frame, told: Told, source: Source, ops: frozenset[str]) -> tuple[Frame, str]:
    """Give a frame of real columns, and what the hint leaves open that decides it; such a frame is a draft.

    `ops` are the operators of the question. Raises: NoPlan where it groups by, or shows, that a condition is met.
    """
    if told is NOTHING_TOLD:
        return frame, ""
    frame = _shown_as_figure(frame, told, source)
    doubts = dict.fromkeys((*_doubts(frame, told, source, ops), *_times_apart(frame)))
    made: Frame = _said_once(_taken_apart(frame, told))
    if any((slot.field.table, slot.field.column) in told.columns for slot in _parts(made, Slot)):
        raise NoPlan("a condition of a hint as a column")
    if not doubts:
        return made, ""
    return replace(made, cost=round(made.cost + UNSURE, 4)), " ".join(doubts)


def _shown_as_figure(frame: Frame, told: Told, source: Source) -> Frame:
    """A list of things with what a formula gives for each, as that figure of each thing. Raises: NoPlan where more is shown."""
    computed = [
        slot
        for slot in frame.columns
        if (one := told.columns.get((slot.field.table, slot.field.column))) is not None
        and one.expr is not None
    ]
    if frame.measures or not computed:
        return frame
    slot, others = computed[0], set(frame.columns) - set(computed)
    thing = source.dimension(frame.anchor)
    if (
        len(computed) > 1
        or slot.path
        or frame.per
        or frame.distinct
        or not others <= {*thing.shown, *thing.keys}
    ):
        raise NoPlan("what a hint computes beside other columns")
    if not thing.keys:
        thing = replace(
            thing, keys=tuple(source.slot(frame.anchor, c) for c in source.model.things[frame.anchor].key)
        )
    if not thing.keys or frame.order is not None and frame.order.by != Expr("column", (slot,)):
        raise NoPlan("what a hint computes of rows that nothing tells apart")
    order = Order(frame.order.ascending) if frame.order is not None else None
    figure = Measure("max", frame.anchor, Expr("column", (slot,)), said=slot.field.said)
    return replace(frame, measures=(figure,), by=(thing,), columns=(), order=order)


def _said_once(frame: Frame) -> Frame:
    """ "The percentage of hens among the macaws", where the formula counts hens: it goes through all macaws."""
    inside = {replace(c, said="") for m in frame.measures for part in m.parts for c in part.where}
    kept = tuple(c for c in frame.where if replace(c, said="") not in inside)
    return replace(frame, where=kept) if len(kept) < len(frame.where) else frame


def _doubts(frame: Frame, told: Told, source: Source, ops: frozenset[str]) -> Iterator[str]:
    """The open points of a hint that decide the frame."""
    for condition in _parts(frame, Condition):
        for slot in condition.slots:
            one = told.columns.get((slot.field.table, slot.field.column))
            if one is not None and one.is_open and one.where and slot.path:
                yield f"the hint does not say whether “{slot.field.said}” holds of each of these rows or of what they belong to."
    for figure in _parts(frame, Measure) if "agg" not in ops else ():
        if figure.agg != "avg" or figure.expr is None or figure.expr.op != "column":
            continue
        named = figure.expr.slots[0].field
        one = told.columns.get((named.table, named.column))
        if one is not None and one.is_open and not _is_each(frame, figure, source):
            yield f"“{named.said}” is computed of each row and averaged, as the hint does not say how rows are summed up."


def _times_apart(frame: Frame) -> Iterator[str]:
    """That the figures of a formula go by times of their own: what was refunded in a month is rarely of what was sold in it."""
    if frame.formula is None:
        return
    times = [slot for m in frame.measures for c in m.where if c.op == "period" for slot in c.slots]
    times += [slot for d in frame.by if d.grain for slot in (d.keys if d.op == "several" else d.shown)]
    said = dict.fromkeys((slot.field.table, slot.field.column) for slot in times)
    if len(said) > 1:
        names = " and ".join(dict.fromkeys(slot.field.said for slot in times))
        yield f"the hint does not say by which time its figures go, here by {names}."


def _is_each(frame: Frame, figure: Measure, source: Source) -> bool:
    """Whether each group is one row of the figure's table."""
    key = source.model.things[figure.anchor].key
    own = {(figure.anchor, (column,)) for column in key} if len(key) == 1 else set()
    return any(
        (slot.field.table, (slot.field.column,)) in own and not slot.path
        for d in frame.by
        for slot in (*d.shown, *d.keys)
    )


def _taken_apart(value: Any, told: Told) -> Any:
    if isinstance(value, tuple):
        return tuple(_taken_apart(one, told) for one in value)
    if not is_dataclass(value) or isinstance(value, type | Slot):
        return value
    if isinstance(value, Condition) and len(value.slots) == 1:
        slot = value.slots[0]
        one = told.columns.get((slot.field.table, slot.field.column))
        if one is not None and one.where and value.op in ("in", "not in"):
            return _met(value, one, slot.path)
    if isinstance(value, Expr) and value.op == "column":
        slot = value.slots[0]
        one = told.columns.get((slot.field.table, slot.field.column))
        if one is not None and one.expr is not None:
            return replace(one.expr, slots=tuple(seen_from(s, slot.path) for s in one.expr.slots))
    changed = {
        part.name: new
        for part in fields(value)
        if isinstance(old := getattr(value, part.name), tuple) or is_dataclass(old)
        if (new := _taken_apart(old, told)) != old
    }
    return replace(value, **changed) if changed else value


def _met(value: Condition, one: Column, path: Path) -> Condition:
    """That all conditions are met, or that they are not."""
    denied = value.negated != (value.op == "not in")
    parts = tuple(condition_seen_from(part, path) for part in one.where)
    if len(parts) == 1 and not denied:
        return parts[0]
    return Condition("all", parts=parts, negated=denied)


def condition_seen_from(one: Condition, path: Path) -> Condition:
    """A condition of a row as one of the rows from which a path leads to it."""
    if not path:
        return one
    expr = (
        replace(one.expr, slots=tuple(seen_from(s, path) for s in one.expr.slots))
        if one.expr is not None
        else None
    )
    slots = tuple(seen_from(slot, path) for slot in one.slots)
    if one.op == "exists":
        return replace(one, at=(*path, *one.at))
    return replace(one, slots=slots, expr=expr, parts=tuple(condition_seen_from(p, path) for p in one.parts))


def seen_from(slot: Slot, path: Path) -> Slot:
    """A column as seen from the rows from which a path leads to its table's."""
    return replace(slot, path=(*path, *slot.path))


def _parts(value: Any, kind: type[Kind]) -> Iterator[Kind]:
    """All parts of one kind, wherever they stand."""
    if isinstance(value, kind):
        yield value
    if isinstance(value, tuple):
        for one in value:
            yield from _parts(one, kind)
    elif is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from _parts(getattr(value, part.name), kind)
