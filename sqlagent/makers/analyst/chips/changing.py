"""A frame's chips, and the frame that a choice leads to. Offered is only what the planner writes and what changes the SQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from sqlagent.errors import FrameError
from sqlagent.language.saying import worded
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.chips.columns import column_parts, columns_added
from sqlagent.makers.analyst.chips.filters import filter_part, filters_added, having_part, time_slot
from sqlagent.makers.analyst.chips.groups import group_parts, groups_added
from sqlagent.makers.analyst.chips.measures import measure_parts
from sqlagent.makers.analyst.chips.off_rows import off_parts
from sqlagent.makers.analyst.chips.orders import order_parts, orders_added, shown_options, shown_part
from sqlagent.makers.analyst.chips.periods import period_part, periods_added, shared_period
from sqlagent.makers.analyst.chips.values import REMOVE, Alternative, Changed, Chip, Option, Part
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.owning import named
from sqlagent.makers.analyst.planning import Planner
from sqlagent.makers.analyst.rows import NoPlan
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.voids import with_default

UNWRITTEN = (NoPlan, AssertionError, LookupError, ValueError)
"""Errors of the planner on a frame that it has no SQL for."""

_ONE_WAY = frozenset({"running", "moving", "change", "growth", "average", "spread", "groups", "quotient"})
"""Ways to show figures that have an order of their own."""


def chips(frame: Frame, source: Source, today: date) -> tuple[Chip, ...]:
    """Give the chips of a frame, in the order in which a sentence says them; the last one adds.

    `today` places "last month". Takes some milliseconds: every choice is planned. An alternative's key is
    what `changed` takes.
    """
    planner = Planner(source.model)
    out = []
    for part in _parts(frame, source, today):
        offered = tuple(_offered(part, planner, frame, source))
        if part.kind == "add" and not offered:
            continue
        alternatives = tuple(Alternative(o.words, o.key, o.group) for o, _ in offered)
        removable = any(one.key == REMOVE for one in alternatives)
        out.append(Chip(part.slot, part.kind, part.label, part.words, alternatives, removable))
    return tuple(out)


def changed(frame: Frame, slot: str, key: str, source: Source, today: date) -> Changed:
    """Change one slot of a frame as one of its alternatives says. Raises: FrameError where that is not offered."""
    planner = Planner(source.model)
    part = next((one for one in _parts(frame, source, today) if one.slot == slot), None)
    if part is not None:
        for option, sql in _offered(part, planner, frame, source, key):
            return Changed(_finished(option.frame, frame, source), sql, option.said)
    raise FrameError(worded("This cannot be chosen here any more. Look at what can be chosen now."))


def _sql(planner: Planner, frame: Frame) -> str:
    """Write a frame as it stands. Raises: FrameError where the source has changed so much that it cannot be."""
    try:
        return planner.sql(frame)
    except UNWRITTEN as error:
        raise FrameError(
            worded("This reading cannot be asked of this source any more ({error}).", error=error)
        ) from None


def _parts(frame: Frame, source: Source, today: date) -> Iterator[Part]:
    several = len({m.anchor for m in frame.measures}) > 1
    yield from measure_parts(frame, source)
    yield from column_parts(frame, source)
    yield from shown_part(frame)
    yield from group_parts(frame, source)
    for place, condition in enumerate(frame.where):
        if time_slot(condition) is not None and not condition.negated:
            yield period_part(frame, place, source, today)
        else:
            yield filter_part(frame, place, source)
    if several:
        yield from shared_period(frame, today)
    yield from off_parts(frame, source)
    for place in range(len(frame.having)):
        yield having_part(frame, place)
    yield from order_parts(frame)
    yield Part("add", "add", "", "Add", tuple(_added(frame, source, today)))


def _added(frame: Frame, source: Source, today: date) -> Iterator[Option]:
    yield from columns_added(frame, source)
    yield from groups_added(frame, source)
    yield from periods_added(frame, source, today)
    yield from filters_added(frame, source)
    yield from orders_added(frame)
    if not frame.transform:
        yield from shown_options(frame, "shown")


def _offered(
    part: Part, planner: Planner, before: Frame, source: Source, key: str | None = None
) -> Iterator[tuple[Option, str]]:
    """The options that the planner writes, that change something and that lose nothing, each once; or the one of a key."""
    seen = {_sql(planner, before)}
    for option in part.options:
        if key is not None and _one_break(option.key) != _one_break(key):
            continue
        frame = _finished(option.frame, before, source)
        if not _is_whole(frame):
            continue
        try:
            sql = planner.sql(frame)
        except UNWRITTEN:
            continue
        if sql not in seen:
            seen.add(sql)
            yield option, sql


def _one_break(key: str) -> str:
    """A key whose line breaks are all alike: a browser sends every one as two characters, whatever is stored."""
    return key.replace("\r\n", "\n").replace("\r", "\n")


def _finished(frame: Frame, before: Frame, source: Source) -> Frame:
    """A frame whose sums of money leave out what is none, and whose groups and values say over which way they are reached; a person chose it, so it is sure."""
    frame = with_default(frame, before, source)
    is_one_table = len({m.anchor for m in frame.measures}) <= 1
    return replace(named(frame, source) if is_one_table else frame, cost=0.0)


def _is_whole(frame: Frame) -> bool:
    """Whether all that a frame says comes into its SQL: some ways to show figures know no order, limit or bound."""
    few = frame.limit is not None or bool(frame.per)
    order = frame.order is not None
    anchors = {m.anchor for m in frame.measures}
    if any(m.agg == "median" for m in frame.measures):
        plain = not (few or order or frame.having or frame.transform or frame.pivot or frame.with_empty)
        return plain and len(frame.measures) == 1
    if len(anchors) > 1:
        return not (few or order or frame.having or frame.where or frame.with_empty or frame.pivot)
    if frame.with_empty and not frame.pivot:
        is_plain = not frame.measures or frame.order is None or frame.order.is_of_figure
        return is_plain and not (frame.per or frame.having or frame.transform)
    if frame.pivot:
        return not (few or order or frame.having or frame.transform)
    if frame.transform in _ONE_WAY:
        return not (few or order)
    if frame.transform == "concentration":
        adds = all(m.agg in ("rows", "sum", "distinct") for m in frame.measures)
        return adds and few and not frame.per and not order
    if frame.transform == "share":
        return not frame.per
    return True


def asked_again(frame: Frame, source: Source, today: date) -> str:
    """Say a frame as a question that is read as this very frame, so that a follow-up starts from it; empty where none is known."""
    text = telling.title(frame)
    if not text:
        return ""
    _, found = understand(text, source, today)
    return text if found and found[0].sql == _sql(Planner(source.model), frame) else ""


def title_of(frame: Frame) -> str:
    """The title of a frame's rows, in few words; as it is told where few words do not do."""
    return telling.title(frame) or telling.told(frame)
