"""Frames of questions about prices: the frame of a price today, turned into what `price_questions` read of it.

Decides as of which day, between which two days and of which rows of the history. A frame that may not be meant says what is in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from sqlagent.catalog.semantics import Field
from sqlagent.makers.analyst.as_of import day_of, held_now, held_on, outermost
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Frame, Measure, Order, Slot
from sqlagent.makers.analyst.minor_units import in_minor_units, is_minor, says_minor
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.price_questions import PriceQuestion
from sqlagent.makers.analyst.source import Source


def answers(
    frame: Frame, question: PriceQuestion, source: Source, today: date
) -> Iterator[tuple[Frame, str]]:
    """Turn the frame of a price today into what is asked, each with what is in doubt of it; none where that frame is of another figure."""
    history = source.model.things[frame.anchor].history
    if frame.anchor != question.table or history is None:
        return
    now = held_now(question.table, source, today)
    where = tuple(c for c in frame.where if c.op != "held")
    if question.asked == "held":
        if len(where) == len(frame.where):
            return
        day, doubt = _day(question, today)
        held = (
            now
            if day is None
            else held_on(question.table, source, day, "today" if day == day_of(today) else "")
        )
        changed = replace(frame, where=(*where, held))
        if is_minor(question.figure) and not question.is_minor:
            changed = in_minor_units(changed)
        yield changed, question.doubt or doubt
        return
    if frame.measures and (len(frame.measures) != 1 or frame.measures[0].agg != "avg") or frame.transform:
        return
    figure = frame.columns[-1] if frame.columns else frame.measures[0].expr.slots[0]  # type: ignore[union-attr]
    thing = _dimension(frame, source) if frame.columns else None
    by = frame.by if frame.measures else (thing,) if thing is not None and len(frame.columns) > 1 else ()
    bare = replace(frame, columns=(), where=where, by=by, order=None)
    begins = source.slot(question.table, history.begins)
    if question.asked == "change":
        yield from _changed(bare, figure, question, source, today)
    elif question.asked == "history":
        ends = (source.slot(question.table, history.ends),) if history.ends else ()
        if question.period is None and not by:
            order = Order(True, Expr("column", (begins,)))
            yield replace(bare, measures=(), by=(), columns=(begins, *ends, figure), order=order), ""
    elif question.asked == "since":
        if question.period is None and not by:
            yield replace(bare, measures=(), columns=(begins,), where=(*where, now)), ""
    elif question.asked == "when":
        if question.period is None:
            later = replace(outermost(question.table, source, "first"), negated=True)
            past = Condition("period", (begins,), period=Period(None, today + timedelta(days=1), "day"))
            last = Measure(
                "max",
                question.table,
                Expr("column", (begins,)),
                said=f"last change of {_called(question.figure)}",
            )
            yield replace(bare, measures=(last,), where=(*where, later, past)), ""
    else:
        yield from _how_often(bare, begins, question, source, today)


def _day(question: PriceQuestion, today: date) -> tuple[Period | None, str]:
    """The day as of which a price is asked for; None for today. A longer time is taken by its end, which may not be meant."""
    period = question.period
    if period is None:
        return None, ""
    if question.starts:
        edge = period.until if period.at else period.first
        return (day_of(edge), "") if edge is not None else (None, "no day is said.")
    if period.until is None or period.first is None and not period.at:
        return None, "it is not said as of which day; this is as of today."
    last = period.until - timedelta(days=1)
    if period.at or period.first == last:
        return day_of(last), ""
    if last >= today:
        return None, ""
    return day_of(last), f"prices may have changed in that time; these are as of its end, {last.isoformat()}."


def _is_up_to(period: Period, today: date) -> bool:
    """Whether these are the last so many days, up to today."""
    return period.relative and period.grain == "day" and period.until == today + timedelta(days=1)


def _changed(
    frame: Frame, figure: Slot, question: PriceQuestion, source: Source, today: date
) -> Iterator[tuple[Frame, str]]:
    table, period, doubt = question.table, question.period, ""
    if question.by_ends:
        if period is not None:
            return
        ends = (outermost(table, source, "first"), outermost(table, source, "latest", today))
    elif period is None:
        ends = (outermost(table, source, "first"), held_now(table, source, today))
        doubt = "it is not said since when; this is since the first price."
    elif period.first is not None and (period.until is None or _is_up_to(period, today)):
        ends = (held_on(table, source, day_of(period.first)), held_now(table, source, today))
    elif period.first is not None and period.until is not None and not period.at:
        before, last = period.first - timedelta(days=1), period.until - timedelta(days=1)
        if period.relative and period.grain != "month" or (period.until - period.first).days > 366:
            before = period.first
            doubt = f"this is from {period.first.isoformat()} to {min(last, today).isoformat()}."
        later = held_on(table, source, day_of(last)) if last < today else held_now(table, source, today)
        ends = (held_on(table, source, day_of(before)), later)
    else:
        return
    flags = tuple(flag for flag in ("percent" if question.is_percent else "", question.moved) if flag)
    expr = Expr("column", (figure,))
    measures = tuple(
        Measure("avg", table, expr, where=(end,), said=figure.field.said, unit=figure.field.unit)
        for end in ends
    )
    ascending = question.rank in ("smallest", "lowest", "least")
    limit = question.count or (1 if question.rank else None)
    if (question.rank or question.moved) and not frame.by:
        return
    yield (
        replace(
            frame, measures=measures, transform="between", flags=flags, limit=limit,
            order=Order(ascending) if question.rank else None,
        ),
        doubt,
    )  # fmt: skip


def _how_often(
    frame: Frame, begins: Slot, question: PriceQuestion, source: Source, today: date
) -> Iterator[tuple[Frame, str]]:
    """Rows that follow one of the same thing; without a thing also the days on which prices changed, which may be meant as well."""
    later = replace(outermost(question.table, source, "first"), negated=True)
    period = question.period or Period(None, today + timedelta(days=1), "day")
    if period.at:
        return
    where = (*frame.where, later, Condition("period", (begins,), period=period))
    rows = Measure("rows", question.table, said=f"changes of {_called(question.figure)}")
    by = (Dimension((begins,), grain=question.grain, said=question.grain),) if question.grain else frame.by
    counted = replace(frame, measures=(rows,), where=where, by=by)
    yield counted, ""
    if question.is_of_all and not frame.by:
        days = Measure(
            "distinct",
            question.table,
            Expr("column", (begins,)),
            said=f"days with changes of {_called(question.figure)}",
        )
        yield replace(counted, measures=(days,)), ""


def _called(figure: Field) -> str:
    """A figure's name without the currency that it is kept in."""
    return " ".join(word for word in figure.said.split() if not says_minor(word)) or figure.said


def _dimension(frame: Frame, source: Source) -> Dimension | None:
    """The things whose prices a list shows, as groups."""
    first = frame.columns[0]
    if not first.path or not frame.columns[1:]:
        return None
    return source.dimension(first.field.table, first.path)
