"""Words that bound, compare or describe rows, and of which a frame keeps less than they say.

"Revenue higher than last year" that became the revenue of last year, "wines only made of merlot" of which merlot is one of several.
A name or a period that a frame lacks altogether is found by `checking`; here it is in the frame, and says something else.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, zip_longest

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.semantics.values import DAYS
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import MOVED, Condition, Frame
from sqlagent.makers.analyst.heeding import conditions, figures
from sqlagent.makers.analyst.pairing import AHEAD
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.said_of_rows import BUYING
from sqlagent.makers.analyst.source import Source


def bounds_dropped(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """Give such words of a question."""
    return [
        *_many_and_much(frame, reading),
        *_slow_counted(frame, reading),
        *_late_shown(frame, reading),
        *_held_against_nothing(frame, reading),
        *_held_against_no_column(frame, reading),
        *_those_too(frame, reading),
        *_nothing_else(frame, reading),
        *_other_ends(frame, reading, source),
        *_ahead_of_nothing(frame, reading),
        *_described(reading, source),
        *_both_ends(frame, reading),
        *_periods_of_their_own(frame, reading),
        *_moved_of_all(frame, reading),
        *_by_nothing(frame, reading),
        *_columns_beside(frame, reading),
        *_name_of_none(reading, source),
        *_bought(frame, reading),
        *_owed(frame, reading),
        *_minutes_of_days(frame, reading),
        *_never_now(frame, reading, source),
    ]


def _many_and_much(frame: Frame, reading: Reading) -> list[str]:
    """One figure where two were asked for: "how many were voided and how much was that", "how many were late, out of how many"."""
    ops = [item.op for item in reading.items if item.op in ("count", "much")]
    if len(frame.measures) == 1 and ops.count("count") > 1:
        return ["how many"]
    if len(frame.measures) != 1 or not any(pair == ("count", "much") for pair in pairwise(ops)):
        return []
    return ["how many"] if frame.measures[0].agg == "sum" else ["how much"]


def _by_nothing(frame: Frame, reading: Reading) -> list[str]:
    """ "Repairs per by": a group that nothing names; the groups of "per referred by" end so."""
    items = [item for item in reading.items if item.kind != "glue"]
    if len(items) < 2 or items[-1].op != "by" or items[-1].text.lower() not in ("by", "per"):
        return []
    return [items[-1].text] if not frame.by or items[-2].op == "by" else []


_THEIRS = frozenset({"and their", "with their", "and its", "with its"})


def _columns_beside(frame: Frame, reading: Reading) -> list[str]:
    """ "Revenue and their currencies" that is one sum: a figure has no column beside it but its groups."""
    if not frame.measures:
        return []
    told = [one for one in frame.where if one.op != "filled" or any(s.field.filled < 1 for s in one.slots)]
    known = {(s.field.table, s.field.column) for s in replace(frame, where=tuple(told), columns=()).slots()}
    known |= {(s.field.table, s.field.column) for m in figures(frame) if m.expr for s in m.expr.slots}
    best = [
        (noun.text, noun.targets[0])
        for their, noun in pairwise(reading.items)
        if their.text.lower() in _THEIRS and noun.kind == "mention"
    ]
    return [text for text, t in best if t.kind == "field" and (t.table, t.column) not in known]


def _bought(frame: Frame, reading: Reading) -> list[str]:
    """ "Bikes purchased" where nothing tells that: the word names a deed though it is no name here."""
    texts = [item.text for item in reading.items if item.kind == "unknown" and item.text.lower() in BUYING]
    return [text for text in texts if text not in frame.unused]


_OWING = frozenset({"owe", "owes", "owed", "owing"})


def _owed(frame: Frame, reading: Reading) -> list[str]:
    """ "Members who owe a book": what is owed and no money has not come back, and a day by which it is due says nothing of that."""
    owed = [
        item.text
        for item, noun in pairwise(reading.items)
        if item.text.lower() in _OWING and item.kind == noun.kind == "mention"
        if item.targets[0].kind == "field" and noun.targets[0].kind == "thing"
    ]
    is_held = any(one.op == "missing" for one in conditions(frame))
    return owed if not frame.measures and not is_held or _counts(frame) and not is_held else []


def _counts(frame: Frame) -> bool:
    return all(one.agg in ("rows", "distinct") for one in frame.measures)


_NAME_OF = frozenset({"name of", "names of", "the name of", "the names of"})


def _name_of_none(reading: Reading, source: Source) -> list[str]:
    """ "Name of the invoice" where invoices have none."""
    items = reading.items
    return [
        name.text
        for name, noun, behind in zip_longest(items, items[1:], items[2:])
        if name.text.lower() in _NAME_OF and noun is not None and noun.kind == "mention"
        if behind is None or behind.kind != "mention" or behind.targets[0].kind == "value"
        if noun.targets[0].kind == "thing" and not source.names(noun.targets[0].table)
    ]


_LATE = frozenset({"due", "overdue", "late", "delayed", "past-due"})
"""Words in stored states of what was not done in time."""


def _late_shown(frame: Frame, reading: Reading) -> list[str]:
    """ "Plans with an overdue review" that lists plans with the day of their review: nothing of the list says overdue."""
    late = [item.text for item in reading.items if item.op == "late"]
    held = any(one.op == "later" or one.said in ("late", "overdue") for one in conditions(frame))
    words = {word for one in conditions(frame) for value in one.values for word in value.lower().split()}
    told = held or bool(words & _LATE)
    exprs = [*(one.expr for one in conditions(frame)), *(one.expr for one in figures(frame))]
    spans = any(one is not None and one.op == "span" for one in exprs)
    return late[:1] if frame.columns and not frame.measures and not told and not spans else []


_SLOW = frozenset({"slowest", "fastest", "quickest"})
"""Words that rank by how long something takes."""

_LONG = frozenset({"longest", "shortest"})
"""Words that rank by how long something takes, or is."""

_LENGTHS = stems("length distance km mile kilometre meter metre m page word character letter stop depth")
"""Words in the names of figures that say how long something is."""

_LASTS = stems("time duration speed second minute hour day delay lap growth rate")
"""Words in the names of figures that say how long something takes, or how fast it changes."""


def _slow_counted(frame: Frame, reading: Reading) -> list[str]:
    """ "Who pays the slowest" that counts something, "longest job" that adds up money: how fast or long something is lies between two times, or in a figure called so."""
    ranks = [item.text for item in reading.items if item.text.lower().removeprefix("the ") in _SLOW | _LONG]
    slow = [text for text in ranks if text.lower().removeprefix("the ") in _SLOW]
    fields = [s.field for m in frame.measures if m.expr is not None for s in m.expr.slots]
    spans = any(m.expr is not None and m.expr.op == "span" for m in frame.measures)
    told = any(_LASTS & set(map(stem, one.words)) for one in fields) or frame.transform in (
        "growth",
        "change",
        "between",
    )
    times = any(one.grain for one in frame.by)  # the slowest month is the one with the least
    if not frame.measures or spans or told or times:
        return []
    is_long = any(_LENGTHS & set(map(stem, one.words)) for one in fields)
    return slow[:1] or ([] if is_long else ranks[:1])


_THAN = frozenset({"higher than", "lower than", "more than", "less than", "better than", "worse than", "fewer than"})  # fmt: skip


def _held_against_nothing(frame: Frame, reading: Reading) -> list[str]:
    """ "Revenue higher than last year" of which only last year is left: a period that something is held against bounds nothing."""
    if frame.transform or frame.having or len(frame.measures) > 1 or set(frame.flags) & set(MOVED):
        return []
    return [
        than.text
        for than, period in pairwise(reading.items)
        if than.op == "more" and than.text.lower() in _THAN and period.kind == "period"
    ][:1]


def _held_against_no_column(frame: Frame, reading: Reading) -> list[str]:
    """ "Built before 2010 and longer than their berth" of which the year is left: a noun behind "than" is something to hold a figure against."""
    held = frame.transform or any(one.slot is not None or one.average for one in frame.having)
    if held or len(frame.measures) > 1 or any(map(_holds_columns, conditions(frame))):
        return []
    return [
        than.text
        for than, noun in pairwise(reading.items)
        if than.op == "more" and than.text.lower().endswith(" than") and noun.kind == "mention"
        if noun.targets[0].kind in ("thing", "relation", "field")
    ][:1]


def _holds_columns(one: Condition) -> bool:
    """Whether a condition holds two figures of a row against each other."""
    return one.op == "later" or one.op == "compare" and (one.expr is not None or one.number is None)


def _those_too(frame: Frame, reading: Reading) -> list[str]:
    """ "Including those without a manager" of which only those are left."""
    if not any(one.op == "missing" or one.op == "exists" and one.negated for one in frame.where):
        return []
    return [
        including.text
        for including, lacking in pairwise(reading.items)
        if including.op in ("with", "zero")
        and lacking.op in ("not", "without", "no", "none")
        or including.op == "zero"
        and "without" in including.text.lower()
    ][:1]


def _nothing_else(frame: Frame, reading: Reading) -> list[str]:
    """ "Wines only made of merlot" of which merlot is one of several: one entry of a list, or one row among those that lead there."""
    several = {
        slot.field.column
        for one in frame.where
        for part in (one, *(one.parts if one.op == "exists" and not one.negated else ()))
        if part.op == "in" and (one.op == "exists" or part.slots[0].field.separator)
        for slot in part.slots
    }
    said = [
        only.text
        for n, only in enumerate(reading.items)
        if only.op == "only"
        for near in (reading.items[n - 1 : n] or ()) + _next_mention(reading, n)
        if near.kind == "mention" and near.targets[0].kind == "value" and near.targets[0].column in several
    ]
    return said[:1]


def _next_mention(reading: Reading, at: int) -> tuple[Item, ...]:
    """The value that is named behind a word, joined to it by "of", "for", a verb and the like at most."""
    for item in reading.items[at + 1 : at + 5]:
        if item.kind == "mention" and item.targets[0].kind == "value":
            return (item,)
        if item.kind == "mention" and item.targets[0].kind == "thing" or item.kind == "op" and item.op not in ("of", "with", "rel"):  # fmt: skip
            break
    return ()


_FROM_TO = frozenset({"after", "before", "of"})
"""Words between so many days and the time that they are counted from."""


def _other_ends(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """ "Paid within 14 days of delivery" that measures from another time than delivery, or to another one than the payment."""
    exprs = [one.expr for one in conditions(frame) if one.expr is not None and one.expr.op == "span"]
    held = {(slot.field.table, slot.field.column) for one in exprs for slot in one.slots}
    tables = {table for table, _ in held}
    left: list[str] = []
    for verb, bound, number, unit, way, noun in zip(*(reading.items[n:] for n in range(6)), strict=False):
        whole = verb.kind == noun.kind == "mention" and bound.op == "more" and number.kind == "number"
        if not exprs or not whole or unit.kind not in ("grain", "unit") or way.text.lower() not in _FROM_TO:
            continue
        for item in (verb, noun):
            near = [t for t in item.targets if t.cost <= item.targets[0].cost + 0.1]
            times = {
                (t.table, t.column)
                for t in near
                if t.kind == "field"
                and (one := source.model.field(t.table, t.column)) is not None
                and one.role is Role.TIME
            }
            things = {t.table for t in near if t.kind == "thing"}
            if times and not times & held and not (things & tables and item is noun):
                left.append(item.text)
    return left


def _ahead_of_nothing(frame: Frame, reading: Reading) -> list[str]:
    """ "With bookings made less than a day ahead" that bounds something else than the time between two times."""
    exprs = [*(one.expr for one in conditions(frame)), *(one.expr for one in figures(frame))]
    if any(one is not None and one.op == "span" for one in exprs):
        return []
    return [
        item.text
        for item in reading.items
        if item.op == "span" and AHEAD & set(map(stem, item.text.lower().split()))
    ][:1]


_DESCRIBING = frozenset({"full", "key"})
"""Words that names leave out, and that say beside the noun of rows which of them are meant: full courses, key customers."""

_CALLED = (["key", "account"], ["key", "accounts"])
"""Words for customers, as they are called where all of them are such."""


def _described(reading: Reading, source: Source) -> list[str]:
    """ "Full courses" that became all courses: the word before or after a noun that is none of its name."""
    out = []
    for item in reading.items:
        words = item.text.lower().split()
        best = item.targets[0] if item.kind == "mention" and len(words) > 1 else None
        if best is None or best.kind != "thing" or best.label:
            continue
        thing = source.model.things[best.table]
        named = {*thing.noun, *(stem(word) for also in thing.also for word in also.split())}
        if words[-2:] not in _CALLED:
            out += [word for word in (words[0], words[-1]) if word in _DESCRIBING and stem(word) not in named]
    return out


_OPPOSED = frozenset(map(frozenset, [("desc", "asc"), ("dear", "cheap"), ("old", "new")]))
"""Ends of an order, as words for them are read."""


def _both_ends(frame: Frame, reading: Reading) -> list[str]:
    """ "The most customers and which the fewest" of which one end is left."""
    ranks = [item for item in reading.items if item.op == "rank"]
    opposed = [
        other.text for one, other in pairwise(ranks) if frozenset({one.detail, other.detail}) in _OPPOSED
    ]
    return opposed[:1] if frame.limit is not None else []


def _periods_of_their_own(frame: Frame, reading: Reading) -> list[str]:
    """ "Revenue in 2024 and orders in 2025" of which each figure is of both years."""
    if any(one.where for one in figures(frame)):
        return []
    items = [item for item in reading.items if item.op != "of"]
    return [
        other.text
        for first, joint, other, second in zip(items, items[1:], items[2:], items[3:], strict=False)
        if first.kind == second.kind == "period" and joint.op == "and" and other.kind == "mention"
    ]


_GOING = stems("went gone go going")
_WAYS = stems("up down")
_MOVING = frozenset({"grow", "grew", "grown", "increase", "increased"})
"""Verbs that are read as the growth of a figure."""


def _moved_of_all(frame: Frame, reading: Reading) -> list[str]:
    """ "Clients whose orders grew", "translators whose fee went up" that keep all of them: a rise of each restricts which are meant."""
    if MOVED.keys() & set(frame.flags):
        return []
    went = sorted(reading.glued & _GOING) if reading.glued & _WAYS else []
    if went and frame.transform not in ("growth", "change", "between"):
        return [f"{went[0]} {min(reading.glued & _WAYS)}"]
    items = reading.items
    return [
        verb.text
        for thing, link, noun, verb in zip(items, items[1:], items[2:], items[3:], strict=False)
        if thing.kind == noun.kind == "mention" and link.op in ("rel", "where")
        if verb.op == "growth" and verb.text.lower() in _MOVING
    ]


_CLOCKED = frozenset({"minutes", "seconds"})
_SAID_CLOCKED = re.compile(r"\b(?:minutes?|mins?|seconds?|secs?)\b", re.IGNORECASE)


def _minutes_of_days(frame: Frame, reading: Reading) -> list[str]:
    """ "Average tour time in minutes" from one day to another: days hold no minutes, so another time is meant."""
    exprs = [one.expr for one in figures(frame)] + [one.expr for one in conditions(frame)]
    of_days = any(
        one is not None
        and one.op == "span"
        and one.unit in _CLOCKED
        and any(slot.field.form in DAYS for slot in one.slots)
        for one in exprs
    )
    said = [item.text for item in reading.items if _SAID_CLOCKED.search(item.text)]
    return said[:1] or ["minutes"] if of_days else []


def _never_now(frame: Frame, reading: Reading, source: Source) -> list[str]:
    """ "Machines that were never out on a hire" by their state of today: what a row is now tells nothing of what it never was."""
    said = [item.text for item in reading.items if re.search(r"\bnever\b", item.text, re.IGNORECASE)]
    states = {(thing.table, thing.state) for thing in source.model.things.values() if thing.state}
    told = list(conditions(frame))
    of_state = any(
        (one.op == "not in" or one.negated and one.op == "in")
        and any((s.field.table, s.field.column) in states for s in one.slots)
        for one in told
    )
    is_held = any(one.op in ("exists", "missing") for one in told)
    return said[:1] if of_state and not is_held else []
