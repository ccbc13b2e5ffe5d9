"""Whether a frame does what each operator of its question says: an average averages, a rank orders, a "when" shows a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from sqlagent.catalog.semantics import Kind, Model, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Frame, Measure, Slot
from sqlagent.makers.analyst.happening import EDGE
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.states import CURRENT, ENDED


def is_met(item: Item, frame: Frame, model: Model) -> bool:
    """Whether a frame does what an operator says; true of every other item."""
    if item.kind != "op":
        return True
    if item.op == "running" and item.text.lower() == "running" and _holds_still(frame, model):
        return True  # "running rentals" have not ended
    met = _MET.get((item.op, item.detail)) or _MET.get((item.op, ""))
    return met is None or met(frame, model)


def figures(frame: Frame) -> Iterator[Measure]:
    """Every measure that a frame computes, those inside of ratios and bounds too."""
    more = [*frame.measures, *(having.measure for having in frame.having)]
    if frame.order is not None and frame.order.measure is not None:
        more.append(frame.order.measure)
    while more:
        measure = more.pop()
        yield measure
        more += [part for part in (measure.over, measure.under, *measure.parts) if part is not None]


def _holds_still(frame: Frame, model: Model) -> bool:
    """Whether rows are asked to hold still: by a state, or by having no end yet where no state would tell it better."""
    return any(
        not model.things[one.slots[0].field.table].state if one.op == "missing" else one.op == "in"
        for one in conditions(frame)
        if one.said in ("current", *CURRENT) and one.slots and not one.negated
    )


def _is_over(frame: Frame, model: Model) -> bool:
    """Whether rows are over: by a state, or by a day that has come."""
    return any(
        one.said in ("ended", *ENDED) or one.op in ("missing", "filled", "period")
        for one in conditions(frame)
    )


def _tells_when(frame: Frame, model: Model) -> bool:
    shown = [*frame.columns, *(slot for d in frame.by for slot in d.shown)]
    shown += [slot for m in figures(frame) if m.expr is not None for slot in m.expr.slots]
    return any(slot.field.role is Role.TIME for slot in shown)


def _is_rate(frame: Frame, model: Model) -> bool:
    """Whether a rate is one of something, or a figure that is called so: each group's part of the total is none, nor is one thing's part of all."""
    if any(m.agg == "ratio" and not _is_of_one_thing(m, model) for m in figures(frame)):
        return True
    if frame.transform in ("growth", "change", "quotient"):
        return True
    held = [slot for m in figures(frame) if m.expr is not None for slot in m.expr.slots]
    held += [*frame.columns, *(slot for one in frame.by for slot in one.shown), *slots_of(frame)]
    return any(
        {"rate", "percent"} & {*s.field.words, s.field.unit, *model.things[s.field.table].noun} for s in held
    )


def _is_of_one_thing(measure: Measure, model: Model) -> bool:
    """Whether a ratio is of the rows of one thing that is called by its name: one person in percent of the staff."""
    own = measure.over.where if measure.over is not None and measure.over.agg == "rows" else ()
    fields = [one.slots[0].field for one in own if one.op == "in" and len(one.values) == 1]
    things = (model.things[field.table] for field in fields)
    return (
        bool(own)
        and len(fields) == len(own)
        and all(
            thing.kind is Kind.THING and field.column in thing.display
            for thing, field in zip(things, fields, strict=True)
        )
    )


def _has_hours(frame: Frame, model: Model) -> bool:
    return any(c.op == "clock" for c in conditions(frame))


def _averages(frame: Frame, model: Model) -> bool:
    return (
        any(m.agg in ("avg", "ratio") for m in figures(frame))
        or frame.transform in ("average", "moving", "quotient")
        or any(having.average for having in frame.having)
    )


def _sums(frame: Frame, model: Model) -> bool:
    return (
        any(m.agg != "min" and m.agg != "max" for m in figures(frame))
        or frame.order is not None
        or any(c.counted is not None for c in conditions(frame))
    )


def _has_median(frame: Frame, model: Model) -> bool:
    return any(m.agg == "median" for m in figures(frame))


def _orders(frame: Frame, model: Model) -> bool:
    return (
        frame.order is not None
        or frame.limit is not None
        or any(m.agg in ("min", "max") for m in figures(frame))
        or any(c.said == EDGE for c in conditions(frame))
    )


def _by_price(frame: Frame, model: Model) -> bool:
    """Whether the cheapest are so by their price, where things have one: those that brought in least are others."""
    first = frame.by[-1].shown[0] if frame.by and not frame.by[-1].grain else None
    summed = bool(frame.measures) and frame.measures[0].agg in ("sum", "rows", "distinct")
    if first is None or not summed or model.things[first.field.table].kind is not Kind.THING:
        return _orders(frame, model)
    return not any(stem("price") in one.words for one in model.of_role(first.field.table, Role.MEASURE))


def _shares(frame: Frame, model: Model) -> bool:
    return (
        any(m.percent or m.agg == "ratio" for m in figures(frame))
        or frame.transform in ("share", "growth", "quotient", "concentration")
        or "share" in frame.flags
    )


def _changes(frame: Frame, model: Model) -> bool:
    return frame.transform in ("growth", "change") or len(frame.measures) > 1


def _bounds(frame: Frame, model: Model) -> bool:
    """Whether something is held against a bound; rows that are there at all are not: "longer than their berth" is not "with a berth"."""
    return bool(frame.having) or any(
        c.compare and c.op != "exists" or c.number is not None or c.period is not None or c.op == "later"
        for c in conditions(frame)
    )


def _runs(frame: Frame, model: Model) -> bool:
    return frame.transform in ("running", "moving")


def _is_distinct(frame: Frame, model: Model) -> bool:
    if frame.distinct or not frame.measures or frame.by and not any(m.agg == "rows" for m in frame.measures):
        return True
    return any(
        m.agg == "distinct" or m.agg == "rows" and model.things[m.anchor].kind not in (Kind.EVENT, Kind.LINES)
        for m in figures(frame)
    )


def conditions(part: object) -> Iterator[Condition]:
    """Every condition of a frame, wherever in it."""
    if isinstance(part, tuple):
        for one in part:
            yield from conditions(one)
    elif isinstance(part, Condition | Measure | Frame):
        if isinstance(part, Condition):
            yield part
        for one in fields(part):
            yield from conditions(getattr(part, one.name))


def slots_of(part: object) -> list[Slot]:
    """The columns of the conditions of a frame, a figure or a condition, wherever in it."""
    return [slot for one in conditions(part) for slot in one.slots]


def with_conditions(frame: Frame, mended: Callable[[Condition], Condition]) -> Frame:
    """Give a frame with each condition of its rows and of its figures mended, of those inside of ratios, formulas, bounds and orders too.

    A condition that others are part of is handed to `mended` whole.
    """

    def figure(one: Measure) -> Measure:
        return replace(
            one,
            where=tuple(map(mended, one.where)),
            over=figure(one.over) if one.over is not None else None,
            under=figure(one.under) if one.under is not None else None,
            parts=tuple(map(figure, one.parts)),
        )

    order = frame.order
    if order is not None and order.measure is not None:
        order = replace(order, measure=figure(order.measure))
    return replace(
        frame,
        measures=tuple(map(figure, frame.measures)),
        where=tuple(map(mended, frame.where)),
        having=tuple(replace(one, measure=figure(one.measure)) for one in frame.having),
        order=order,
    )


def _alternates(frame: Frame, model: Model) -> bool:
    """Either of several: values of one column, conditions of which one holds, a figure for each, or a bound that includes its end."""
    return (
        len(frame.measures) > 1
        or any(c.op == "any" or len(c.values) > 1 or c.compare for c in conditions(frame))
        or any(having.compare in (">=", "<=") for having in frame.having)
        or len(frame.by) > 1
    )


def _has_both(frame: Frame, model: Model) -> bool:
    """Two of something, each for itself; either of two values is both only of rows that bear one each."""
    inside = [c for one in conditions(frame) for c in one.parts]
    of_rows = not any(measure.agg == "distinct" for measure in frame.measures)
    return (
        len(frame.measures) > 1
        or len(frame.having) > 1
        or sum(c.op == "exists" for c in conditions(frame)) > 1
        or sum(c.op == "in" and bool(c.slots[0].field.separator) for c in frame.where) > 1
        or of_rows
        and any(len(c.values) > 1 and c not in inside for c in conditions(frame))
    )


def _has_figures(frame: Frame, model: Model) -> bool:
    return any(m.agg not in ("rows", "distinct") for m in figures(frame))


def _compares(frame: Frame, model: Model) -> bool:
    return len(frame.measures) > 1 or bool(frame.by or frame.pivot or frame.transform)


def _restricts(frame: Frame, model: Model) -> bool:
    """Whether rows or groups are restricted, ranked or compared at all: "by the same person" is more than to show the person."""
    return bool(frame.where or frame.having or frame.transform or frame.limit or len(frame.measures) > 1)


_MET: dict[tuple[str, str], Callable[[Frame, Model], bool]] = {
    ("much", ""): _has_figures,
    ("agg", "sum"): _sums,
    ("agg", "avg"): _averages,
    ("agg", "median"): _has_median,
    ("agg", "min"): _orders,
    ("agg", "max"): _orders,
    ("rank", ""): _orders,
    ("rank", "cheap"): _by_price,
    ("rankall", ""): _orders,
    ("share", ""): _shares,
    ("ratio", ""): _shares,
    ("growth", ""): _changes,
    ("more", ""): _bounds,
    ("between", ""): _bounds,
    ("running", ""): _runs,
    ("past", ""): _is_over,
    ("moving", ""): _runs,
    ("distinct", ""): _is_distinct,
    ("or", ""): _alternates,
    ("both", ""): _has_both,
    ("vs", ""): _compares,
    ("clock", ""): _has_hours,
    ("when", ""): _tells_when,
    ("rate", ""): _is_rate,
    ("same", ""): _restricts,
}
"""Signs that an operator is followed."""
