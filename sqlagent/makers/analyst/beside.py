"""Figures set beside those that were asked for: the same ones of the period before, or another one of the same groups."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.language.dates import shift
from sqlagent.language.saying import template
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.frames import OFF, Condition, Dimension, Expr, Frame, Measure, Path, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import Target

NAMED = 0.15
"""Cost up to which a word is a column's own name."""

A_WORD_OF = 0.3
"""The same of a column of whose name it is a word."""

_OF_YEAR = {"month": template("month of year"), "quarter": template("quarter of year")}
"""Grains by which the same parts of two years stand in one row."""


def beside_earlier(frame: Frame, unit: str) -> Frame | None:
    """Give every figure of one period and of the one before, which is a `unit` earlier: year, quarter, month, week, or the period itself.

    Groups by month or quarter become months and quarters of any year. None where no single period was asked for, or where two would
    not stand in one row.
    """
    if not frame.measures or frame.transform or frame.pivot or frame.with_empty or frame.having:
        return None
    if any(one.agg == "median" for one in frame.measures) or any(d.bucket for d in frame.by):
        return None
    several = len({one.anchor for one in frame.measures}) > 1
    made: list[Measure] = []
    where = frame.where
    if several:
        for one in frame.measures:
            dated = _dated(one.where, unit)
            if dated is None:
                return None
            rest = tuple(c for c in one.where if c is not dated[0])
            made += [_in(one, c, rest) for c in dated]
    else:
        dated = _dated(frame.where, unit)
        if dated is None:
            return None
        made = [_in(one, c, one.where) for one in frame.measures for c in dated]
        both = Condition("any", parts=dated)
        where = tuple(both if c is dated[0] else c for c in frame.where)
    assert dated is not None
    by = _of_any_year(frame.by, dated[0].period, dated[1].period)
    return replace(frame, measures=tuple(made), where=where, by=by) if by is not None else None


def _dated(where: Sequence[Condition], unit: str) -> tuple[Condition, Condition] | None:
    """The one period that rows are of, and the one before it."""
    dated = [c for c in where if c.op in ("period", "any") and "period" in (c.op, *(p.op for p in c.parts))]
    if len(dated) != 1 or dated[0].op != "period" or dated[0].negated or dated[0].period is None:
        return None
    earlier = period_before(dated[0].period, unit)
    return (dated[0], replace(dated[0], period=earlier)) if earlier is not None else None


def period_before(period: Period, unit: str) -> Period | None:
    """The period a unit earlier; of "period", the one of the same length right before.

    Example:
        >>> from datetime import date
        >>> period_before(Period(date(2025, 4, 1), date(2025, 7, 1), "quarter"), "year").first.isoformat()
        '2024-04-01'
    """
    first, until = period.first, period.until
    if first is None or until is None:
        return None
    if unit == "period":
        months = (until.year - first.year) * 12 + until.month - first.month
        if first.day == until.day == 1:
            return replace(period, first=shift(first, "month", -months), until=first)
        return replace(period, first=first - (until - first), until=first)
    return replace(period, first=_back(first, unit), until=_back(until, unit))


def _back(day: date, unit: str) -> date:
    """The same day a unit earlier, or the last one of a month that is too short."""
    moved = shift(day, unit, -1)
    if unit == "week":
        return moved
    return moved.replace(day=min(day.day, monthrange(moved.year, moved.month)[1]))


def _in(one: Measure, dated: Condition, where: Sequence[Condition]) -> Measure:
    """A figure of one period, called by it."""
    assert dated.period is not None
    named = telling.figure_name(one)
    return replace(one, where=(*where, dated), said=f"{named} {telling.period(dated.period)}")


def _of_any_year(
    by: tuple[Dimension, ...], now: Period | None, then: Period | None
) -> tuple[Dimension, ...] | None:
    """Groups in which a time of one period meets that of the other; None where there is none."""
    assert now is not None and then is not None and now.first and now.until and then.first
    whole_years = (now.first.month, now.first.day) == (then.first.month, then.first.day)
    within_one = now.until <= shift(now.first, "year", 1)
    made = []
    for one in by:
        if not one.grain or one.grain in ("weekday", "weekend", "hour", *_OF_YEAR.values()):
            made.append(one)
            continue
        grain = _OF_YEAR.get(one.grain, "")
        if not (grain and whole_years and within_one):
            return None
        made.append(replace(one, grain=grain, said=one.grain))
    return tuple(made)


def with_figure(frame: Frame, added: Frame, source: Source) -> Frame | None:
    """Set a figure beside those of a frame: of the same rows, of what these belong to, or of rows that belong to them.

    A list of things that something happened to becomes their groups. None where the two do not meet.
    """
    if len(added.measures) != 1 or added.by or added.transform or added.having or added.limit is not None:
        return None
    if frame.transform or frame.pivot or frame.with_empty or frame.per:
        return None
    if any(c.op == "period" for c in added.where) and any(
        "period" in (c.op, *(p.op for p in c.parts)) for c in frame.where
    ):
        return None
    figure = added.measures[0]
    if figure.agg in ("median", "ratio") and figure.anchor != frame.anchor:
        return None
    if not frame.measures:
        return _grouped(frame, figure, added.where, source)
    off = tuple(one for one in added.where if one.said.startswith(OFF))
    added = replace(added, where=tuple(one for one in added.where if one not in off))
    if not any(one.said.startswith(OFF) for one in frame.where):
        figure = replace(figure, where=(*figure.where, *off))  # what is counted beside money stays
    if len({one.anchor for one in frame.measures}) > 1 or any(m.agg == "median" for m in frame.measures):
        return None
    anchor = frame.measures[0].anchor
    if figure.anchor == anchor:
        fresh = replace(figure, where=(*figure.where, *added.where))
        return replace(frame, measures=(*frame.measures, fresh)) if fresh not in frame.measures else None
    if (seen := _seen_from(anchor, figure, source)) is not None and not added.where:
        return replace(frame, measures=(*frame.measures, seen))
    made = [_seen_from(figure.anchor, one, source) for one in frame.measures]
    way = _way(figure.anchor, anchor, source)
    if way is None or added.where or any(one is None for one in made):
        return None
    if source.model.things[figure.anchor].kind is not Kind.LINES:
        return None  # things without such rows would not be counted any more
    moved = _moved(frame, figure.anchor, way)
    return replace(moved, measures=(*(one for one in made if one is not None), figure))


def with_attribute(frame: Frame, name: str, source: Source) -> Frame | None:
    """Show a column of the things that are grouped or listed beside their names, or the name of a thing that they belong to.

    None where they have none of that very name, nor a single one that it is a word of: the handicap of `handicap_index`.
    """
    every = source.vocabulary.targets(name.split())
    found = [t for t in every if t.cost <= NAMED] or [
        t for t in every if t.kind == "field" and t.cost <= A_WORD_OF and _is_its_only_one(t, every)
    ]
    named = {(t.table, t.column) for t in found if t.kind == "field"}
    owners = list(dict.fromkeys(t.table for t in found if t.kind == "thing"))
    if not found or frame.pivot or frame.transform or frame.with_empty:
        return None
    for place, one in enumerate(frame.by if frame.measures else ()):
        if not one.keys or one.grain or one.bucket:
            continue
        table, path = one.shown[0].field.table, one.shown[0].path
        own = [
            f
            for f in source.model.fields[table]
            if (f.table, f.column) in named and f.role not in (Role.KEY, Role.FOREIGN)
        ]
        slots = (source.slot(table, own[0].column, path),) if own else _names_of(table, path, owners, source)
        if not slots:
            continue
        if slots[0] in one.shown:
            return None
        by = (*frame.by[:place], replace(one, shown=(*one.shown, *slots)), *frame.by[place + 1 :])
        return replace(frame, by=by)
    if frame.measures or not frame.columns or frame.distinct:
        return None
    own = [
        f
        for f in source.model.fields[frame.anchor]
        if (f.table, f.column) in named and f.role is not Role.KEY
    ]
    slots = (
        (source.slot(frame.anchor, own[0].column),) if own else _names_of(frame.anchor, (), owners, source)
    )
    if not slots or slots[0] in frame.columns:
        return None
    return replace(frame, columns=(*frame.columns, *slots))


def _is_its_only_one(one: Target, every: Sequence[Target]) -> bool:
    """Whether no other column of a table is meant by the same words."""
    return all(t.kind != "field" or t.table != one.table or t == one for t in every)


def _names_of(table: str, path: Path, owners: Sequence[str], source: Source) -> tuple[Slot, ...]:
    """The name columns of the first thing that rows of a table belong to by a key of their own; empty where they belong to none."""
    for owner in owners:
        way, thing = _way(table, owner, source), source.model.things[owner]
        if way is not None and len(way) == 1 and thing.kind is Kind.THING and thing.display:
            return tuple(source.slot(owner, column, (*path, *way)) for column in thing.display)
    return ()


def _seen_from(anchor: str, one: Measure, source: Source) -> Measure | None:
    """A count of rows seen from rows that belong to them: how many different ones there are."""
    if one.anchor == anchor:
        return one
    key = source.model.things[one.anchor].key
    way = _way(anchor, one.anchor, source)
    if one.agg != "rows" or one.where or way is None or len(key) != 1:
        return None
    return Measure("distinct", anchor, Expr("column", (source.slot(one.anchor, key[0], way),)), said=one.said)


def _grouped(frame: Frame, figure: Measure, where: Sequence[Condition], source: Source) -> Frame | None:
    """A list of things as groups of what happened to them, of which the list says that there is some."""
    if frame.limit is not None or frame.distinct or frame.order is not None:
        return None
    thing = source.model.things[frame.anchor]
    way = _way(figure.anchor, frame.anchor, source)
    deeds = [c for c in frame.where if c.op == "exists" and c.child == figure.anchor and not c.negated]
    if thing.kind is not Kind.THING or way is None or len(deeds) != 1 or deeds[0].at:
        return None
    deed = deeds[0]
    if deed.path and deed.path != way:
        return None
    kept = tuple(c for c in frame.where if c is not deed or c.number is not None)
    moved = _moved(replace(frame, where=kept), figure.anchor, way)
    held = (*moved.where, *deed.parts, *where)
    return replace(
        moved, measures=(figure,), by=(source.dimension(frame.anchor, way),), where=held, columns=()
    )


def _way(table: str, other: str, source: Source) -> Path | None:
    """The first way from rows of one table to those of another one that they belong to."""
    return next((path for path in source.graph.paths(table, other) if path), None)


def _moved(frame: Frame, anchor: str, way: Path) -> Frame:
    """A frame seen from rows that belong to its own."""
    by = tuple(replace(d, shown=_slots(d.shown, way), keys=_slots(d.keys, way)) for d in frame.by)
    return replace(frame, anchor=anchor, by=by, where=tuple(_from(c, way) for c in frame.where))


def _slots(some: Sequence[Slot], way: Path) -> tuple[Slot, ...]:
    return tuple(replace(slot, path=(*way, *slot.path)) for slot in some)


def _from(one: Condition, way: Path) -> Condition:
    expr = replace(one.expr, slots=_slots(one.expr.slots, way)) if one.expr is not None else None
    if one.op == "exists":
        return replace(one, at=(*way, *one.at), expr=expr)
    parts = tuple(_from(part, way) for part in one.parts)
    return replace(one, slots=_slots(one.slots, way), parts=parts, expr=expr)
