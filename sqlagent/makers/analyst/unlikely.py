"""Frames that nobody asks for: counted days of a calendar, shares of themselves, clients who worked. They cost more, or are drafts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.semantics.words import STAFF, stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.both_asked import there_beside
from sqlagent.makers.analyst.bounds_dropped import bounds_dropped
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Frame, Measure
from sqlagent.makers.analyst.happening import is_time_named
from sqlagent.makers.analyst.of_others import of_others
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import CURRENT, ENDED
from sqlagent.makers.analyst.targets import SURE

DEAR = 0.4
"""The cost of a reading besides that is about rows nobody speaks of."""

_DAYS = stems("day date calendar holiday")
_STATES = frozenset({*CURRENT, *ENDED})
_GROUPING = frozenset({"by", "each", "for each"})
_GROUPED_ON = _GROUPING | {"and"}
_PAY = frozenset({"pay", "pays", "paid", "earn", "earns"})
_WORKED = frozenset({"work", "hire"})

_BEGINNINGS = stems(
    "opened started begun joined registered created hired launched founded signed built established added introduced bought acquired"
)
"""Words in names of times at which things begin."""


def unlikely(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame with its cost raised, or with the words that it cannot have meant left out."""
    frame = _in_all(_of_workers(_days_counted(frame, reading, source), reading, source), reading)
    frame = _prices_counted(_figures_by_beginning(frame, reading, source), reading, source)
    words = [
        *_share_of_itself(frame, reading),
        *_flag_of_a_noun(frame, reading, source),
        *_each_of_a_flag(frame, reading),
        *_rate_of_rows(frame, source),
        *_state_counted(frame),
        *_adverb_of_time(frame, reading),
        *_stock(reading),
        *_again(frame, reading),
        *_done_to_others(frame, reading),
        *_no_figure(reading),
        *_not_yet(frame, reading),
        *_missing_and_always_there(frame, reading),
        *_heads_of_some_lines(frame, reading, source),
        *_lines_for_heads(frame, reading, source),
        *_average_of_lines(frame, reading, source),
        *_time_of_others(frame, reading, source),
        *there_beside(frame, reading),
        *_sorted_by_another(frame, reading),
        *of_others(frame, reading, source),
        *bounds_dropped(frame, reading, source),
    ]
    return leaving_out(frame, [word for word in words if word not in frame.unused])


def _done_to_others(frame: Frame, reading: Reading) -> list[str]:
    """ "Athletes paying more than 30" that became those whose trainer's wage is more: a verb is of the rows themselves."""
    far = {
        (slot.field.table, slot.field.column)
        for one in frame.where
        if one.op == "compare" and one.expr is not None
        for slot in one.expr.slots
        if slot.path
    }
    verbs = [i for i in reading.items if i.text.lower().endswith("ing") or i.text.lower() in _PAY]
    return [
        item.text
        for item in verbs
        if any(t.kind == "field" and t.cost > SURE and (t.table, t.column) in far for t in item.targets[:1])
    ]


def _sorted_by_another(frame: Frame, reading: Reading) -> list[str]:
    """ "Crews sorted by skipper" that are sorted by a figure of theirs."""
    if frame.measures or frame.order is None or frame.order.by is None:
        return []
    by = {(slot.field.table, slot.field.column) for slot in frame.order.by.slots}
    out = []
    for sorting, item in pairwise(reading.items):
        if (
            sorting.op == "rankall"
            and item.kind == "mention"
            and item.targets[0].kind in ("relation", "thing")
        ):
            out += [item.text] if not by & {(t.table, t.column) for t in item.targets} else []
    return out


def _no_figure(reading: Reading) -> list[str]:
    """ "By school" alone says no figure: the rows of some table that has a school are a guess."""
    said = reading.items
    is_bare = bool(said) and said[0].op in _GROUPING and all(i.op in _GROUPED_ON or not i.op for i in said)
    return [said[0].text] if is_bare and all(i.kind in ("op", "mention", "grain") for i in said) else []


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
        if (
            always
            and best.label != "un"
            and named
            and best.table not in named
            and not _is_stated(frame, item)
        ):
            out.append(item.text)
    return out


def _is_stated(frame: Frame, item: Item) -> bool:
    """Whether rows are restricted to a stored value that a word names: of open invoices, the state."""
    values = {(t.table, t.column, t.value) for t in item.targets if t.kind == "value"}
    return any(
        one.op == "in" and any((slot.field.table, slot.field.column, value) in values for value in one.values)
        for one in frame.where
        for slot in one.slots
    )


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


def _prices_counted(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Rows of a history of prices, counted by a kind that they are for: "how many schools" asks for customers of that kind."""
    thing = source.model.things[frame.anchor]
    counted = bool(frame.measures) and all(one.agg == "rows" for one in frame.measures)
    said = {stem(word) for item in reading.items for word in item.text.lower().split()}
    if thing.history is None or not counted or said & set(thing.noun):
        return frame
    return replace(frame, cost=round(frame.cost + DEAR, 4))


def _figures_by_beginning(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Raise the cost of a period on the beginning of things whose figures are asked for: "stock of warehouses in 2025" seldom means those opened then."""
    thing = source.model.things[frame.anchor]
    if thing.kind is not Kind.THING or not thing.default_time or not frame.measures:
        return frame
    own = source.slot(frame.anchor, thing.default_time)
    if not set(own.field.words) & _BEGINNINGS:
        return frame
    figures = all(one.expr is not None and one.agg in ("sum", "avg") for one in frame.measures)
    dated = any(one.op == "period" and one.slots == (own,) for one in frame.where)
    if not figures or not dated or is_time_named(own, reading):
        return frame
    return replace(frame, cost=round(frame.cost + DEAR, 4))


def _of_workers(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Raise the cost of clients where the question says that somebody worked or was hired: that is staff."""
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


def _flags(frame: Frame) -> set[tuple[str, str]]:
    """The flags that a frame groups by."""
    shown = (slot.field for one in frame.by for slot in one.shown)
    return {(field.table, field.column) for field in shown if field.role is Role.FLAG}


def _flag_of_a_noun(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """Groups by a flag that only tells which rows of the noun behind it are meant: "per active sales rep"."""
    flags = _flags(frame)
    return [
        first.text
        for before, first, second in zip(reading.items, reading.items[1:], reading.items[2:], strict=False)
        if before.op == "by" and before.text.lower() in ("per", "by", "for each", "each")
        if first.kind == second.kind == "mention" and first.end == second.start
        if any((t.table, t.column) in flags for t in first.targets[:2])
        if second.targets[0].kind in ("thing", "value")
    ]


def _each_of_a_flag(frame: Frame, reading: Reading) -> list[str]:
    """Both values of a flag, where "each" speaks of the things that have it: "for each key account" is not by yes and no."""
    flags = _flags(frame)
    return [
        noun.text
        for item, noun in pairwise(reading.items)
        if item.op == "by" and item.text.lower().endswith("each")
        if any((t.table, t.column) in flags for t in noun.targets[:1])
    ]


def _rate_of_rows(frame: Frame, source: Source) -> list[str]:
    """How many rows have some of another table, where they store how much of it they had: of "scrap rate" the runs with scrap."""
    out = []
    for measure in frame.measures:
        if measure.agg != "ratio" or measure.over is None or measure.over.agg != "rows":
            continue
        nouns = [
            source.model.things[c.child].noun for c in measure.over.where if c.op == "exists" and c.child
        ]
        stored = {
            word for one in source.model.of_role(measure.over.anchor, Role.MEASURE) for word in one.words
        }
        out += [measure.said for noun in nouns if noun[:1] and noun[0] in stored]
    return out


def _state_counted(frame: Frame) -> list[str]:
    """A word for a state that is counted as if it were a noun: of "active members" the members are counted."""
    return [m.said for m in frame.measures if m.agg == "rows" and m.said.lower() in _STATES]


_HELD = stems("value level quantity amount worth left")
"""Words beside "stock" that ask what stock holds, rather than what is sold."""


def _stock(reading: Reading) -> list[str]:
    """Name stock as missing where none of it is stored: things out of stock, the worth of stock."""
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


def _lines_for_heads(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """The line with the greatest amount, where the biggest order was asked for."""
    model = source.model
    by = frame.order.by if frame.order is not None else None
    if model.things[frame.anchor].kind is not Kind.LINES or frame.measures or by is None or by.slots[0].path:
        return []
    heads = {r.target for r in model.relations if r.source == frame.anchor}
    things = [[t for t in item.targets if t.kind == "thing"] for item in reading.items]
    named = {found[0].table for found in things if found}
    if frame.anchor in named or by.slots[0].field.role is not Role.MEASURE:
        return []
    ranks = [item.text for item in reading.items if item.op == "rank"]
    events = {table for table in heads & named if model.things[table].kind is Kind.EVENT}
    return ranks[:1] if events else []


def _average_of_lines(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """The average line where the average revenue of something is asked for: "avg revenue per country"."""
    lines = any(m.agg == "avg" and source.model.things[m.anchor].kind is Kind.LINES for m in frame.measures)
    earned = any(t.kind == "concept" and t.column == "revenue" for i in reading.items for t in i.targets[:1])
    return [i.text for i in reading.items if lines and earned and i.op == "agg"][:1]
