"""Frames that nobody asks for: counted days of a calendar, shares of themselves, clients who worked. They cost more, or are drafts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.semantics.words import STAFF
from sqlagent.language.words import stem
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Frame, Measure
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import CURRENT, ENDED

DEAR = 0.4
"""What a reading costs besides that is about rows nobody speaks of."""

_DAYS = frozenset(map(stem, ["day", "date", "calendar", "holiday"]))
_STATES = frozenset({*CURRENT, *ENDED})
_GROUPING = frozenset({"by", "each", "for each"})
_WORKED = frozenset({"work", "hire"})


def unlikely(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame with its cost raised, or with the words that it cannot have meant left out."""
    frame = _in_all(_of_workers(_days_counted(frame, reading, source), reading, source), reading)
    words = [
        *_share_of_itself(frame, reading),
        *_flag_of_a_noun(frame, reading, source),
        *_many_and_much(frame, reading),
        *_state_counted(frame),
        *_adverb_of_time(frame, reading),
        *_stock(reading),
        *_again(frame, reading),
        *_not_yet(frame, reading),
        *_missing_and_always_there(frame, reading),
        *_heads_of_some_lines(frame, reading, source),
        *_average_of_lines(frame, reading, source),
        *_time_of_others(frame, reading, source),
        *_slow_counted(frame, reading),
    ]
    return leaving_out(frame, [word for word in words if word not in frame.unused])


_SLOW = frozenset({"slowest", "fastest", "quickest"})
"""Words that rank by how long something takes."""

_LASTS = frozenset(
    map(
        stem,
        ["time", "duration", "speed", "second", "minute", "hour", "day", "delay", "lap", "growth", "rate"],
    )
)
"""Words in the names of figures that say how long something takes, or how fast it changes."""


def _slow_counted(frame: Frame, reading: Reading) -> list[str]:
    """ "Who pays the slowest" that counts something: how fast something is lies between two times, or in a figure called so."""
    slow = [item.text for item in reading.items if item.text.lower().removeprefix("the ") in _SLOW]
    fields = [s.field for m in frame.measures if m.expr is not None for s in m.expr.slots]
    spans = any(m.expr is not None and m.expr.op == "span" for m in frame.measures)
    told = any(_LASTS & set(map(stem, one.words)) for one in fields) or frame.transform in (
        "growth",
        "change",
        "between",
    )
    times = any(one.grain for one in frame.by)  # the slowest month is the one with the least
    return slow[:1] if frame.measures and not (spans or told or times) else []


def _time_of_others(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """ "Open orders" that became orders of customers with an opening date: a word before a noun that names another table's time, and no period."""
    if any(one.op == "period" for one in frame.where) or any(one.grain for one in frame.by):
        return []
    out = []
    for item, noun in pairwise(reading.items):
        if item.kind != "mention" or noun.kind != "mention" or item.end != noun.start:
            continue
        best, named = item.targets[0], {t.table for t in noun.targets if t.kind == "thing" and t.cost < 0.1}
        one = source.model.field(best.table, best.column) if best.kind == "field" else None
        always = one is not None and one.role is Role.TIME and one.filled == 1
        if always and best.label != "un" and named and best.table not in named:
            out.append(item.text)
    return out


def _days_counted(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Rows of a calendar are days, and are meant only where days are asked for: "how many days had no orders"."""
    if source.model.things[frame.anchor].kind is not Kind.DATES:
        return frame
    if not any(stem(word) in _DAYS for item in reading.items for word in item.text.lower().split()):
        return replace(frame, cost=round(frame.cost + DEAR, 4))
    measures = tuple(
        Measure("rows", m.anchor, said=m.said) if m.agg == "distinct" and stem(m.said.lower()) in _DAYS else m
        for m in frame.measures
    )
    return replace(frame, measures=measures)


def _of_workers(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Who worked, or was hired, is staff rather than a client."""
    if not reading.glued & _WORKED or not any(item.text.lower().startswith("who") for item in reading.items):
        return frame
    thing = source.model.things[frame.anchor]
    staff = bool(set(thing.noun) & STAFF) or len(thing.display) > 1
    return frame if frame.measures or staff else replace(frame, cost=round(frame.cost + DEAR, 4))


def _in_all(frame: Frame, reading: Reading) -> Frame:
    """ "Total volunteer hours" is one number: what stands between the total and its figure says whose, and makes no groups."""
    if len(frame.by) > 1 or any(i.op in _GROUPING for i in reading.items):
        return frame
    counts = [m for m in frame.measures if m.agg in ("rows", "distinct")]
    if frame.by:
        grouped = {slot.field.table for slot in frame.by[0].shown} if len(frame.measures) == 1 else set()
    elif len(frame.measures) == 2 and len(counts) == 1:
        expr = counts[0].expr
        grouped = {relation.target for slot in (expr.slots if expr else ()) for relation in slot.path}
        grouped |= {slot.field.table for slot in (expr.slots if expr else ())}
    else:
        return frame
    for first, noun, figure in zip(reading.items, reading.items[1:], reading.items[2:], strict=False):
        said = first.op == "agg" and noun.kind == figure.kind == "mention" and noun.end == figure.start
        things = {t.table for t in noun.targets if t.cost < 0.1 and t.kind in ("thing", "field", "relation")}
        if said and things & grouped:
            rest = tuple(m for m in frame.measures if frame.by or m not in counts)
            return replace(frame, measures=rest, by=(), order=None, limit=None)
    return frame


def _adverb_of_time(frame: Frame, reading: Reading) -> list[str]:
    """Months and quarters of one time at once: of "monthly givers per quarter" the first says what givers they are."""
    grains = [d.shown[0] for d in frame.by if d.grain]
    if len(grains) == len(set(grains)):
        return []
    return [i.text for i in reading.items if i.kind == "grain" and i.text.lower().endswith("ly")][:1]


def _share_of_itself(frame: Frame, reading: Reading) -> list[str]:
    """How many rows of a group have the value that they are grouped by, or what part an average is of another average."""
    shown = {slot for one in frame.by for slot in one.shown}
    for measure in frame.measures:
        if measure.agg != "ratio" or measure.over is None or measure.under is None:
            continue
        itself = any(c.op == "filled" and set(c.slots) & shown for c in measure.over.where)
        averages = measure.over.agg == measure.under.agg == "avg" and measure.over.expr == measure.under.expr
        if itself or averages and measure.percent:
            return [i.text for i in reading.items if i.op in ("rate", "share", "percent", "of all")][:1] or [
                measure.said
            ]
    return []


def _flag_of_a_noun(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """Groups by a flag that only tells which rows of the noun behind it are meant: "per active sales rep"."""
    flags = {
        (slot.field.table, slot.field.column)
        for one in frame.by
        for slot in one.shown
        if slot.field.role is Role.FLAG
    }
    return [
        first.text
        for before, first, second in zip(reading.items, reading.items[1:], reading.items[2:], strict=False)
        if before.op == "by" and before.text.lower() in ("per", "by", "for each", "each")
        if first.kind == second.kind == "mention" and first.end == second.start
        if any((t.table, t.column) in flags for t in first.targets[:2])
        if second.targets[0].kind in ("thing", "value")
    ]


def _many_and_much(frame: Frame, reading: Reading) -> list[str]:
    """One figure where two were asked for: "how many were voided and how much was that", "how many were late, out of how many"."""
    ops = [item.op for item in reading.items if item.op in ("count", "much")]
    if len(frame.measures) == 1 and ops.count("count") > 1:
        return ["how many"]
    if len(frame.measures) != 1 or not any(pair == ("count", "much") for pair in pairwise(ops)):
        return []
    return ["how many"] if frame.measures[0].agg == "sum" else ["how much"]


def _state_counted(frame: Frame) -> list[str]:
    """A word for a state that is counted as if it were a noun: of "active members" the members are counted."""
    return [m.said for m in frame.measures if m.agg == "rows" and m.said.lower() in _STATES]


_HELD = frozenset(map(stem, ["value", "level", "quantity", "amount", "worth", "left"]))
"""Words beside "stock" that ask what stock holds, rather than what is sold."""


def _stock(reading: Reading) -> list[str]:
    """What stock holds, where nothing of it is stored: what is out of stock, what stock is worth."""
    asked = (word for item in reading.items for word in item.text.lower().split())
    held = any(i.text.lower() == "out of" for i in reading.items) or any(
        stem(word) in _HELD for word in asked
    )
    return ["stock"] if "stock" in reading.glued and held else []


def _again(frame: Frame, reading: Reading) -> list[str]:
    """How long it takes until something is done again, which is from row to row and not between two times of one."""
    spans = any(m.expr is not None and m.expr.op == "span" for m in frame.measures)
    return ["again"] if spans and stem("again") in reading.glued else []


def _not_yet(frame: Frame, reading: Reading) -> list[str]:
    """Of several states some come after the one that is not reached yet, and nothing tells which."""
    if not reading.glued & {"yet"} and not any(i.detail == "one" and i.op == "not" for i in reading.items):
        return []
    states = [
        c for c in frame.where if c.op == "not in" or c.op == "in" and c.negated and c.slots[0].field.few
    ]
    return ["yet" if "yet" in reading.glued else "not"] if states else []


def _missing_and_always_there(frame: Frame, reading: Reading) -> list[str]:
    """A figure of other rows that is always there cannot be what is missing."""
    gone = [
        c.slots[0].field
        for c in frame.where
        if c.op == "missing" and c.slots[0].path and c.slots[0].field.role is Role.MEASURE
    ]
    return [
        item.text
        for item in reading.items
        for one in gone
        if one.filled == 1 and any((t.table, t.column) == (one.table, one.column) for t in item.targets)
    ][:1]


def _heads_of_some_lines(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """Orders of which some line lacks something, where orders that lack it were asked for."""
    if source.model.things[frame.anchor].kind is not Kind.LINES or frame.by:
        return []
    if not any(m.agg == "distinct" for m in frame.measures):
        return []
    own = [c for c in frame.where if c.negated and c.op in ("compare", "in")]
    own = [c for c in own if not any(s.path for s in (c.slots or (c.expr.slots if c.expr else ())))]
    return [i.text for i in reading.items if i.op in ("not", "without")][:1] if own else []


def _average_of_lines(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """The average line where the average revenue of something is asked for: "avg revenue per country"."""
    lines = any(m.agg == "avg" and source.model.things[m.anchor].kind is Kind.LINES for m in frame.measures)
    earned = any(t.kind == "concept" and t.column == "revenue" for i in reading.items for t in i.targets[:1])
    return [i.text for i in reading.items if lines and earned and i.op == "agg"][:1]
