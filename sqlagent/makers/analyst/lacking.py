"""Figures that a question asks for and a frame lacks, or computes of something else than was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import date
from itertools import pairwise

from sqlagent.catalog.semantics import Field, Kind, Model, Relation, Role, Thing
from sqlagent.catalog.semantics.words import BUYERS, CAME_BACK
from sqlagent.language.words import stem
from sqlagent.makers.analyst.ends_asked import at_each_end, one_end_alone
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.heeding import conditions, figures
from sqlagent.makers.analyst.lengths import LENGTHS
from sqlagent.makers.analyst.lexicon import MONEY_EVENTS, UNIT_WORDS
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.sketching import Ask, Sketch
from sqlagent.makers.analyst.starts import BORN, is_people
from sqlagent.makers.analyst.targets import SURE

_VALUES_OF_HEADS = frozenset(
    f"{noun} {word}"
    for noun in ("order", "basket", "invoice", "receipt", "purchase")
    for word in ("value", "size", "amount", "total")
)
"""Figures of a whole whose lines are stored."""


def figures_left_out(frame: Frame, reading: Reading, drawn: Sketch, model: Model) -> list[str]:
    """Give the words of figures that were asked for and are not computed, or are computed of other rows than was said."""
    return [
        *_beside_left_out(frame, reading, drawn),
        *_whole_left_out(frame, drawn),
        *_share_of_each(frame, reading, drawn),
        *_spans_of_others(frame, reading),
        *_value_of_lines(frame, reading, model),
        *_total_counted(frame, reading, model),
        *_worth_counted(frame, reading, model),
        *_given_back(frame, reading, model),
        *_times_summed(frame, reading),
        *_extreme_span(frame, reading),
        *_first_in_each(frame, reading),
        *one_end_alone(frame, reading),
        *at_each_end(frame, reading, model),
        *_age_left_out(frame, reading, drawn),
        *_youngest_by_another(frame, reading, model),
        *_nothing_compared(frame, reading, drawn),
        *_within_one(frame, reading),
    ]


def _follows_comma(ask: Ask, reading: Reading) -> bool:
    """Whether something asked for stands right after a comma."""
    at = next((n for n, item in enumerate(reading.items) if item is ask.item), 0)
    return at > 0 and reading.items[at - 1].text == ","


def _beside_left_out(frame: Frame, reading: Reading, drawn: Sketch) -> list[str]:
    """Figures that were asked for side by side and are fewer in the frame: "orders and revenue" are two."""
    asks = [ask for ask in drawn.asks if ask.item is not None]
    if len(frame.measures) == 1 and any(ask.aggs == ("count", "sum") for ask in asks):
        return ["how many"] if frame.measures[0].agg == "sum" else ["how much"]
    joined = [ask.joined for ask in asks]
    for place in range(len(asks) - 2, 0, -1):  # "revenue, orders and customers" are three
        joined[place] = joined[place] or joined[place + 1] and _follows_comma(asks[place], reading)
    beside = [one for place, one in enumerate(asks) if joined[place] or any(joined[place + 1 : place + 2])]
    asked = [ask.item.text for ask in beside if ask.item is not None]
    if (
        len(asked) < 2
        or not frame.measures
        or drawn.rank is not None
        or drawn.ratio
        or drawn.vs
        or drawn.share
    ):
        return []
    named = {text.lower() for text in asked}
    plain = all(measure.agg != "ratio" or measure.said.lower() in named for measure in frame.measures)
    grouped = max(0, len(frame.by) - len(drawn.by))
    if (
        not plain
        or frame.formula
        or frame.transform
        or frame.pivot
        or len(frame.measures) + grouped >= len(asked)
    ):
        return []
    said = " ".join(measure.said.lower() for measure in frame.measures)
    return [text for text in asked if text.lower() not in said][: len(asked) - len(frame.measures) - grouped]


def _share_of_each(frame: Frame, reading: Reading, drawn: Sketch) -> list[str]:
    """The share that was asked for of all, where each thing is given its own part: "what share of patients pay for themselves"."""
    if frame.transform != "share" or not frame.by or drawn.by or drawn.per or drawn.distribution:
        return []
    first = next((n for n, item in enumerate(reading.items) if item.op == "share"), None)
    if first is None or first > 1 or first + 1 >= len(reading.items):
        return []
    whole = reading.items[first + 1]
    named = whole.kind == "mention" and whole.targets[0].kind == "thing"
    return [reading.items[first].text] if named and _groups_by(frame, whole.targets[0].table) else []


def _groups_by(frame: Frame, table: str) -> bool:
    return any(slot.field.table == table for one in frame.by for slot in one.shown)


def _whole_left_out(frame: Frame, drawn: Sketch) -> list[str]:
    """Totals that a share leaves out: it is of its own total, though another was asked for: "returns as a percentage of order lines"."""
    if not drawn.share_between or frame.transform != "share" or len(frame.measures) != 1:
        return []
    said = frame.measures[0].said.lower()
    asked = [ask.item.text for ask in drawn.asks[:2] if ask.item is not None]
    return [text for text in asked if text.lower() not in said and len(asked) > 1]


def _spans_of_others(frame: Frame, reading: Reading) -> list[str]:
    """A length that is measured on rows of another table than those it is said of: "average batch duration"."""
    spans = [item for item in reading.items if item.op == "span" and item.text.lower() in LENGTHS]
    if not spans or len(frame.measures) != 1:
        return []
    before = next((one for one in reading.items if one.end == spans[0].start and one.kind == "mention"), None)
    expr = frame.measures[0].expr
    if before is None or expr is None or expr.op != "span" or before.targets[0].kind != "thing":
        return []
    return [] if before.targets[0].table == expr.slots[0].field.table else [before.text]


def _total_counted(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """The total of something that has amounts, where rows are counted: "refund total by reason"."""
    counts = len(frame.measures) == 1 and frame.measures[0].agg == "rows"
    amounts = (one for one in model.fields[frame.anchor] if one.unit == "money" and one.aggregate == "sum")
    if not counts or next(amounts, None) is None:
        return []
    return [
        item.text
        for before, item in pairwise(reading.items)
        if item.op == "agg" and item.detail == "sum" and item.text.lower() == "total"
        if before.kind == "mention" and before.end == item.start and not before.text.lower().endswith("s")
    ]


_WORTH = frozenset({"value", "values", "worth", "amount", "amounts"})
"""Words behind a noun that ask for its money."""


def _worth_counted(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """The money of something, where its rows are counted or listed: "receipt value by town"."""
    if any(one.agg != "rows" for one in frame.measures) or any(
        one.field.unit == "money" for one in frame.columns
    ):
        return []
    noun = model.things[frame.anchor].noun
    mentions = (one for one in reading.items if one.kind == "mention" and one.targets[:1])
    ends = ((one.text.lower().split()[-1], one) for one in mentions if one.targets[0].kind == "thing")
    return [one.text for end, one in ends if end in _WORTH and stem(end) not in noun]


def _given_back(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """Money that was given back, where nobody said so: "receipt amount by town" where refunds alone have an amount."""
    tables = {one.anchor for one in figures(frame) if set(model.things[one.anchor].noun) & CAME_BACK}
    said = {stem(word) for item in reading.items for word in item.text.lower().split()}
    named = {t.table for i in reading.items for t in i.targets[:1] if t.kind == "thing" and t.cost < 0.2}
    if not tables or said & CAME_BACK or named & tables:
        return []
    return [item.text for item in reading.items if item.kind == "mention" and item.text.lower() in _WORTH]


def _times_summed(frame: Frame, reading: Reading) -> list[str]:
    """How often something happened, where a figure is added up: "how many times did someone log more than 10 hours"."""
    added = any(measure.agg not in ("rows", "distinct", "ratio") for measure in frame.measures)
    said = ["how many times", "how often"] if added else []
    if not frame.measures or any(measure.unit == "money" for measure in frame.measures):
        said += ["most often", "least often", "most frequently", "least frequently"]
    return [i.text for i in reading.items if i.text.lower() in said]


def _extreme_span(frame: Frame, reading: Reading) -> list[str]:
    """The longest of all spans, where the time to the first row of each thing is asked for."""
    extreme = any(
        m.agg in ("min", "max") and m.expr is not None and m.expr.op == "span" for m in frame.measures
    )
    return [
        i.text
        for i in reading.items
        if extreme and i.op == "rank" and i.text.lower() in ("first", "last", "next")
    ]


def _age_left_out(frame: Frame, reading: Reading, drawn: Sketch) -> list[str]:
    """An age that was asked for, where nobody's birth is known, or only who is oldest is told."""
    exprs = [one.expr for one in figures(frame) if one.expr is not None]
    slots = [*frame.columns, *(slot for one in exprs for slot in one.slots)]
    of_birth = any(set(slot.field.words) & (BORN | {stem("age")}) for slot in slots)
    if not drawn.age or of_birth or any(one.op == "age" for one in frame.by):
        return []
    return [item.text for item in reading.items if item.op == "age"][:1]


def _youngest_by_another(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """The youngest or oldest person by a time that is none of birth: who was hired last is not the youngest."""
    by = frame.order.by if frame.order is not None else None
    thing = model.things[frame.anchor]
    if by is None or not is_people(thing) or any(set(s.field.words) & BORN for s in by.slots):
        return []
    said = ("youngest",) if set(thing.noun) & BUYERS else ("youngest", "oldest")
    return [item.text for item in reading.items if item.op == "rank" and item.text.lower() in said]


def _nothing_compared(frame: Frame, reading: Reading, drawn: Sketch) -> list[str]:
    """Two periods held against each other, where no figure was named: "this year vs last year by country"."""
    named = [item for item in reading.items if item.kind == "mention" and item not in drawn.by]
    counted = all(one.agg == "rows" for one in frame.measures)
    periods = [item for item in reading.items if item.kind == "period"]
    if named or not counted or len(periods) < 2 or reading.figures:
        return []
    return [item.text for item in reading.items if item.op == "vs"][:1]


def _first_in_each(frame: Frame, reading: Reading) -> list[str]:
    """The first time in each month, where the month of the first time is asked for: "first order of each customer by month"."""
    grained = {slot for one in frame.by if one.grain for slot in one.shown}
    within = any(
        m.agg in ("min", "max") and m.expr is not None and set(m.expr.slots) & grained for m in frame.measures
    )
    firsts = (
        i.text for i in reading.items if i.op == "rank" and i.text.lower() in ("first", "last", "latest")
    )
    return list(firsts) if within and len(frame.by) + len(frame.per) > 1 else []


def _within_one(frame: Frame, reading: Reading) -> list[str]:
    """A bound that holds for all rows of one day or month together: "more than 10 hours in one day"."""
    if frame.per or frame.by or not any(c.op == "compare" for c in frame.where):
        return []
    return [
        f"{before.text} {item.text}"
        for before, item in pairwise(reading.items)
        if item.kind == "grain"
        and before.kind == "number"
        and before.number == 1
        and before.end == item.start
    ]


def _value_of_lines(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """The median, least, greatest or average value of an order, where the rows are lines of one, or nothing that is sold."""
    thing = model.things[frame.measures[0].anchor] if frame.measures else None
    aggs = (
        ("median", "min", "max", "avg")
        if thing is not None and thing.kind is Kind.LINES
        else ("median", "min", "max")
    )
    if thing is None or not any(one.agg in aggs for one in frame.measures):
        return []
    wholes = [item.text for item in reading.items if item.text.lower() in _VALUES_OF_HEADS]
    if thing.kind is not Kind.LINES and set(thing.noun) & set(MONEY_EVENTS):
        return [text for text in wholes if _is_one_of_several(thing, stem(text.split()[0]), model)]
    return wholes


def _is_one_of_several(thing: Thing, noun: str, model: Model) -> bool:
    """Whether a row bears the number of the order that it is only a part of."""
    numbers = (
        f for f in model.fields[thing.table] if f.words[:1] == (noun,) and f.words[-1:] == (stem("number"),)
    )
    return noun not in thing.noun and next(numbers, None) is not None


def numbers_left_out(frame: Frame, reading: Reading) -> list[str]:
    """Numbers of the question that the frame holds nowhere, where there are several: bounds of ranges that are listed ("20-24, 25-39")."""
    asked = [item for item in reading.items if item.kind == "number"]
    often = [item.text for item in asked if item.text.lower() in ("once", "twice")]
    if often and any(c.op == "compare" for c in frame.where):
        return often  # how often something was done bounds no figure of one row
    if len(asked) < 3:
        return []
    held = {round(one * scale, 6) for one in _numbers(frame) for scale in (1, 0.01, 100, 0.001, 1000)}
    return [item.text for item in asked if round(item.number, 6) not in held]


def _numbers(part: object) -> Iterator[float]:
    """Every number of a frame: bounds, limits, buckets, parts of periods, and those in values."""
    if isinstance(part, tuple):
        for one in part:
            yield from _numbers(one)
    elif isinstance(part, str):
        yield from (float(found) for found in re.findall(r"\d{1,15}(?:\.\d+)?", part))
    elif isinstance(part, date):
        yield from (part.year, part.month, part.day)
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield float(part)
    elif is_dataclass(part) and not isinstance(part, Field | Relation):
        for one in fields(part):
            yield from _numbers(getattr(part, one.name))


def asked_and_not_shown(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """The noun behind "which" that the frame does not show: "which carers" asks for carers, whatever is counted of them.

    A stored value is no such noun, unless it stands before one ("which cancelled orders"): no operator is among the reasons OPER.
    """
    for place, (one, other) in enumerate(pairwise(reading.items), 2):
        if one.text.lower() not in ("which", "what") or other.kind != "mention" or one.end != other.start:
            continue
        best = other.targets[0]
        behind = reading.items[place] if place < len(reading.items) else None
        before_noun = behind is not None and behind.kind == "mention" and behind.targets[0].kind == "thing"
        if best.kind == "value" and not before_noun:
            return [other.text]
        if best.kind != "thing" or best.cost >= SURE:
            return []
        shown = [*frame.columns, *(slot for d in (*frame.by, *frame.per) for slot in (*d.shown, *d.keys))]
        pointing = {(r.source, c) for r in model.relations if r.target == best.table for c in r.columns}
        if any(
            slot.field.table == best.table or (slot.field.table, slot.field.column) in pointing
            for slot in shown
        ):
            return []
        return [other.text]
    return []


def compared_in_part(frame: Frame, reading: Reading) -> list[str]:
    """Words of a comparison between two periods, or over all of them, of single things: frames count within one period alone."""
    ops = [item.op for item in reading.items]
    texts = [item.text.lower() for item in reading.items]
    if "comparative" in ops and "than" in ops and frame.transform not in ("growth", "change", "between"):
        at = ops.index("than")
        periods = [n for n, item in enumerate(reading.items) if item.kind == "period"]
        if any(n < at for n in periods) and any(n > at for n in periods) and not frame.having:
            return ["than"]
    for at, text in enumerate(texts[:-1]):
        if (
            text == "out of"
            and texts[at + 1] == "stock"
            and not any(c.number is not None for c in frame.where)
        ):
            return ["out of stock"]
        if text in ("every", "each") and at and texts[at - 1] == "in" and "more" in ops[:at]:
            return [f"in {text} {texts[at + 1]}"]
    return []


def bounded_otherwise(frame: Frame, reading: Reading) -> list[str]:
    """ "40+ rated visits" that bounds the rating: a number before a noun bounds how many of it there are."""
    bounds = [one.measure for one in frame.having if one.measure.agg not in ("rows", "distinct")]
    if not bounds:
        return []
    items = [item for item in reading.items if item.kind != "plus"]
    for number, first, second in zip(items, items[1:], items[2:], strict=False):
        if number.kind != "number" or first.kind != "mention" or second.kind != "mention":
            continue
        if first.end == second.start and first.text.lower().endswith("ed") and _is_noun(second):
            return [f"{first.text} {second.text}"]
    return []


def figures_dropped(frame: Frame, reading: Reading) -> list[str]:
    """A total that was asked for beside how many, of which only how many is left: "how many and total incl vat"."""
    said = [item for item in reading.items if item.op == "agg" and item.detail in ("sum", "avg")]
    counted = bool(frame.measures) and all(one.agg in ("rows", "distinct") for one in frame.measures)
    asked = any(item.op == "count" for item in reading.items)
    averaged = frame.transform == "average" and all(one.grain for one in frame.by)
    said = [item for item in said if item.detail != "avg" or not averaged]
    return [item.text for item in said] if counted and asked and len(frame.measures) < 2 else []


_TIMES = frozenset({"time", "duration", "durations", "length", "lengths", "hours", "minutes"})
"""Words behind what happens that ask how long it takes."""


def times_left_out(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """ "Hire time by boat" that counts hires, or sums up another figure: how long they took is not in it.

    Rows that are called times themselves ("slot times") take none.
    """
    timed = [
        one
        for one in figures(frame)
        if one.unit in UNIT_WORDS or one.expr is not None and one.expr.op in ("span", "age")
    ]
    if timed or not frame.measures:
        return []
    said = [
        item.text.lower().split()
        for item in reading.items
        if item.kind == "mention" and _is_noun(item) and not _is_called_time(item, model)
    ]
    return [words[-1] for words in said if len(words) > 1 and words[-1] in _TIMES]


def _is_called_time(item: Item, model: Model) -> bool:
    """Whether the last word of a mention is that of a table's own name."""
    best = item.targets[0]
    return best.kind == "thing" and stem(item.text.lower().split()[-1]) in model.things[best.table].noun


def shares_of_averages(frame: Frame, reading: Reading) -> list[str]:
    """ "Average discount in percent by category" as parts of a total of averages, which is the total of nothing."""
    if frame.transform != "share" or any(
        one.agg not in ("avg", "median", "min", "max") for one in frame.measures
    ):
        return []
    return [item.text for item in reading.items if item.op == "share"]


def bounds_in_percent(reading: Reading) -> list[str]:
    """ "More than 10 % of revenue": a bound on a part of a total, for which there is no frame."""
    return [
        f"{compare.text} {number.text} {share.text}"
        for compare, number, share in zip(reading.items, reading.items[1:], reading.items[2:], strict=False)
        if compare.op == "more"
        and number.kind == "number"
        and share.op == "share"
        and share.text.lower().endswith(" of")
    ]


def _is_noun(item: Item) -> bool:
    """Whether a mention names rows of a table."""
    return any(target.kind == "thing" and target.cost < 0.2 for target in item.targets)


def timed_otherwise(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """ "Signed contracts, 2025 over 2024" by the day on which they begin, where they hold the day on which they were signed too."""
    dated = {slot.field for one in conditions(frame) if one.period is not None for slot in one.slots}
    if not dated:
        return []
    undone = {slot.field for one in conditions(frame) if one.op == "missing" for slot in one.slots}
    spans = [one.expr for one in figures(frame) if one.expr is not None and one.expr.op == "span"]
    if len(spans) == 1 and dated & {slot.field for slot in spans[0].slots}:
        undone |= {
            slot.field for slot in spans[0].slots
        }  # the time until it is resolved, of those reported then
    out = []
    for item in reading.items:
        best = item.targets[0] if item.targets else None
        if best is None or best.kind != "field" or best.table != frame.anchor or best.cost > 0.05:
            continue
        one = model.field(best.table, best.column)
        if (
            one is not None
            and one.role is Role.TIME
            and item.text.lower().endswith("ed")
            and one not in dated | undone
        ):
            out.append(item.text)
    return out if not any(one.table != frame.anchor for one in dated) else []


def ends_left_out(frame: Frame, reading: Reading) -> list[str]:
    """ "From start to end" of which the end became another time."""
    if "end" not in reading.glued or not any(item.op == "span" for item in reading.items):
        return []
    spans = [m.expr for m in figures(frame) if m.expr is not None and m.expr.op == "span"]
    words = {word for expr in spans for slot in expr.slots for word in slot.field.words}
    return ["end"] if spans and not words & {"end", "ended", "until", "finish"} else []


def other_end(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """ "From report to repair" of which the time ends at another one than the repair: a word that names no time of it, nor rows by their own time."""
    spans = [one.expr for one in figures(frame) if one.expr is not None and one.expr.op == "span"]
    ends = {(slot.field.table, slot.field.column) for one in spans for slot in one.slots}
    for asked, begin, to, end in zip(*(reading.items[n:] for n in range(4)), strict=False):
        is_said = asked.op == "span" and begin.kind == end.kind == "mention" and to.text.lower() in _UNTIL
        if not spans or not is_said:
            continue
        times = {(t.table, t.column or model.things[t.table].default_time) for t in end.targets if t.table}
        if not times & ends:
            return [end.text]
    return []


_UNTIL = frozenset({"to", "until", "till"})
"""Words before the end of a length of time."""


def total_left_out(frame: Frame, reading: Reading) -> list[str]:
    """ "Total and % of the subtotal" that shows one of the two."""
    items = reading.items
    for first, second, third in zip(items, items[1:], items[2:], strict=False):
        if first.op == "agg" and second.op == "and" and third.op == "share" and len(frame.measures) < 2:
            return [first.text]
    return []
