"""Implications of a frame: one deed holds of one row, a figure is named once."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Kind
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import meant, worth
from sqlagent.makers.analyst.frames import Condition, Frame, Measure, Slot
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import is_people


def of_one_deed(frame: Frame) -> Frame:
    """Look a period up in the row that shows the deed, where two rows of one chain were looked up side by side.

    Lines of orders for what was bought and orders for when become lines whose order was in the period. Two deeds that are
    denied, counted or of different chains stay apart.
    """
    where = list(frame.where)
    for deed in frame.where:
        for dated in frame.where:
            if dated is deed or dated not in where or deed not in where:
                continue
            if (joined := _joined(deed, dated)) is not None:
                where[where.index(deed)] = joined
                where.remove(dated)
                return of_one_deed(replace(frame, where=tuple(where)))
    return frame


def _joined(deed: Condition, dated: Condition) -> Condition | None:
    if not (_is_plain(deed) and _is_plain(dated)) or deed.at != dated.at or not dated.parts:
        return None
    if any(part.op != "period" or len(part.slots) != 1 or part.negated for part in dated.parts):
        return None
    over = len(deed.path) - len(dated.path)
    if over < 0 or deed.path[over:] != dated.path or any(part.op == "period" for part in deed.parts):
        return None
    way = deed.path[:over]
    if (way[-1].target if way else deed.child) != dated.child:
        return None
    periods = (
        replace(part, slots=tuple(replace(slot, path=(*way, *slot.path)) for slot in part.slots))
        for part in dated.parts
    )
    return replace(deed, parts=(*deed.parts, *periods))


def counted_as_said(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Count those rows only that a clause right behind their noun tells: "halls with more than 20 repairs that finished this year".

    Not those of halls with 20 repairs of which one finished then. A clause behind "who" tells of persons, so that "customers with more
    than 5 orders who came in May" stay as they are.
    """
    seen: set[str] = set()
    for noun, clause in pairwise(reading.items):
        best = noun.targets[0] if noun.kind == "mention" else None
        if best is None or best.kind != "thing" or best.table in seen:
            continue
        seen.add(best.table)
        if clause.op != "rel":
            continue
        links = [one for one in frame.where if one.op == "exists" and one.child == best.table]
        counted = [one for one in links if one.number is not None and one.counted is None]
        told = [one for one in links if _is_plain(one) and one.parts]
        if not counted or len(told) != 1 or len(counted) + 1 != len(links):
            continue
        if any((one.path, one.at) != (told[0].path, told[0].at) for one in counted):
            continue
        tells_people = clause.text.lower().split()[0] in ("who", "whos", "who's")
        joined = any(i.op in ("and", "or", "vs") for i in reading.items if i.start >= clause.end)
        if joined or tells_people and not is_people(source.model.things[best.table]):
            continue
        where = (
            replace(one, parts=(*one.parts, *told[0].parts)) if one in counted else one
            for one in frame.where
            if one is not told[0]
        )
        return replace(frame, where=tuple(where))
    return frame


def in_each_period(frame: Frame, reading: Reading) -> Frame:
    """Ask for a deed in each of two periods that "and" joins: "guests who booked in 2024 and 2025" did so in both."""
    joined = any(
        (one.kind, joint.op, two.kind) == ("period", "and", "period")
        for one, joint, two in zip(reading.items, reading.items[1:], reading.items[2:], strict=False)
    )
    if not joined or any(item.op == "or" for item in reading.items):
        return frame
    where: list[Condition] = []
    for one in frame.where:
        either = [part for part in one.parts if part.op == "any" and not part.negated]
        if (
            not _is_plain(one)
            or one.negated
            or len(either) != 1
            or any(p.op != "period" for p in either[0].parts)
        ):
            where.append(one)
            continue
        rest = tuple(part for part in one.parts if part is not either[0])
        where += [replace(one, parts=(*rest, period)) for period in either[0].parts]
    return replace(frame, where=tuple(where))


def values_ranked(frame: Frame) -> Frame:
    """Leave rows without a value out of the first few values: the most used promo code is one, and not none."""
    if frame.limit is None or len(frame.by) != 1 or frame.per or frame.by[0].grain or frame.by[0].keys:
        return frame
    shown = frame.by[0].shown
    if len(shown) != 1 or shown[0].field.filled == 1 or any(shown[0] in one.slots for one in frame.where):
        return frame
    return replace(frame, where=(*frame.where, Condition("filled", shown)))


def _is_plain(one: Condition) -> bool:
    return one.op == "exists" and not one.negated and one.number is None and one.counted is None


def dated_alike(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Hold a period and its months against one time: "per month in 2026 by date of the show" are shows of 2026, "orders shipped this year vs last year" are by the year of shipping."""
    own = source.time_of(frame.anchor)
    if own is not None and not any(item.kind == "grain" and item.owner for item in reading.items):
        return _grouped_as_dated(frame, own)
    grained = [d.shown[0] for d in frame.by if d.grain and d.shown and d.shown[0] != own]
    if own is None or len(grained) != 1:
        return frame
    where = tuple(
        replace(c, slots=(grained[0],)) if c.op == "period" and c.slots == (own,) else c for c in frame.where
    )
    return replace(frame, where=where)


def _grouped_as_dated(frame: Frame, own: Slot) -> Frame:
    """Group by the time of the anchor's rows that a deed's periods bound, where the grain is of no time that was said."""
    bounds = [
        one
        for one in conditions(frame)
        if one.op == "period" and not one.negated and one.period is not None and not one.period.at
        if one.slots[0].field.table == frame.anchor  # and no row of a deed that is looked up
    ]
    dated = {one.slots for one in bounds if one.period and one.period.first and one.period.until}
    dated -= {(own,)}
    times = [slots[0] for slots in dated if len(slots) == 1 and not slots[0].path]
    if len(dated) != 1 or not times or any(one.slots == (own,) for one in bounds):
        return frame
    by = tuple(replace(d, shown=tuple(times)) if d.grain and d.shown == (own,) else d for d in frame.by)
    return replace(frame, by=by) if by != frame.by else frame


def figures_once(frame: Frame) -> Frame:
    """Name a figure once that a question names to rank by and to show."""
    once = tuple(dict.fromkeys(frame.measures))
    return frame if len(once) == len(frame.measures) else replace(frame, measures=once)


def of_sums(frame: Frame) -> Frame:
    """ "Average fee per km" is all fees by all kilometres: an average by a sum is a figure of nothing."""
    return replace(frame, measures=tuple(map(_of_sums, frame.measures)))


def _of_sums(one: Measure) -> Measure:
    over, under = one.over, one.under
    if one.agg != "ratio" or over is None or under is None or over.agg != "avg" or under.agg != "sum":
        return one
    adds_up = (
        over.expr is not None and over.expr.op == "column" and over.expr.slots[0].field.aggregate == "sum"
    )
    return replace(one, over=replace(over, agg="sum")) if adds_up else one


_ASKING = frozenset({"count", "figures", "much", "agg", "share", "rank", "rate"})
"""Operators that say which figure is asked for."""


def _counts_unasked(frame: Frame, reading: Reading) -> bool:
    """Whether a frame counts rows and nothing else, though nobody said how many."""
    asked = any(item.op in _ASKING for item in reading.items)
    rows = len(frame.measures) == 1 and frame.measures[0].agg == "rows" and not frame.measures[0].where
    return rows and not asked and not frame.having and frame.formula is None


COUNTED_INSTEAD = 0.12
"""How much dearer it is to count what lacks something than to list it, where nobody says how many."""


def listed_where_lacking(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """ "Jobs without a final invoice", "contracts ending next month": events that bear a number people know are listed by it, and counted in another reading."""
    thing = source.model.things[frame.anchor]
    if not _counts_unasked(frame, reading) or frame.by or frame.transform or thing.kind is not Kind.EVENT:
        return [frame]
    lacks = any(_tells_lack(one) for one in frame.where)
    ahead = any(i.period is not None and "next" in i.text.lower().split()[:2] for i in reading.items)
    if thing.display or not source.names(frame.anchor) or not (lacks or ahead):
        return [frame]
    listed = replace(frame, measures=(), columns=source.shown(frame.anchor))
    return [listed, replace(frame, cost=round(frame.cost + COUNTED_INSTEAD, 4))]


def _tells_lack(one: Condition) -> bool:
    """Whether a condition says that something is not there, or so many times."""
    if one.op == "exists":
        return one.negated or one.number is not None
    return one.op == "missing" and not one.negated


_MONEYED = frozenset(map(stem, ["payment", "donation", "refund", "expense", "payout", "contribution"]))
"""Nouns of rows that are sums of money and nothing else: of these people mean the sum as often as the number."""

_BILLS = _MONEYED | {stem("invoice"), stem("bill")}

BESIDE = 0.01
"""How much dearer it is to count sums of money than to add them up: so near that somebody has to choose."""


def summed_or_counted(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """ "Payments by method": their sum, and how many there are as another reading; the number alone where a state is asked for."""
    thing = source.model.things[frame.anchor]
    total = any(item.op == "agg" and item.text.lower() == "total" for item in reading.items)
    nameless = set(thing.noun) & _BILLS and not _is_said(frame.anchor, reading)
    stated = any(one.op not in ("period", "any", "filled") for one in frame.where) and not nameless
    stated = stated and frame.transform != "running"
    if stated or not nameless and not set(thing.noun) & _MONEYED:
        return [frame]
    if not _counts_unasked(frame, reading) and not (
        nameless and total and frame.measures and frame.measures[0].agg == "rows"
    ):
        return [frame]
    sums = sorted(worth(source, thing, "sum"), key=lambda found: found.cost)
    if nameless and any(item.op == "late" for item in reading.items):
        sums = [*meant(source, "outstanding"), *sums]
    own = next((one.measure for one in sums if one.measure.anchor == frame.anchor), None)
    if own is None:
        return [frame]
    said = frame.measures[0].said
    summed = replace(frame, measures=(own if said == "count" else replace(own, said=said),))
    return [summed] if total else [summed, replace(frame, cost=round(frame.cost + BESIDE, 4))]


def _is_said(table: str, reading: Reading) -> bool:
    """Whether a table's rows are named, and not only the state they are in: "overdue", "written off by year"."""
    return any(
        target.kind == "thing" and target.table == table
        for item in reading.items
        for target in item.targets[:4]
    )
