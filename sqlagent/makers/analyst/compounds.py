"""Two words that make one name: "service type", "dentist salary", "freight revenue". One word does not make up for a lack of the other.

Decides that a compound with a general head is never met by the column of another compound, that a figure nothing
here tells of is none of the rows it would be taken of, and that a figure's own column outdoes a business word after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Model, Role
from sqlagent.catalog.semantics.words import BUYERS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts.meant import AMOUNTS, NO_REVENUE, SELLING
from sqlagent.makers.analyst.reading import Item, Reading, asked_for
from sqlagent.makers.analyst.targets import PAY, Target, is_money
from sqlagent.makers.analyst.vocabulary import Vocabulary

_HEADS = frozenset(
    stem(w)
    for w in (
        "type", "category", "class", "group", "kind", "level", "tier", "segment", "status", "reason", "method", "mode", "code",
    )
)  # fmt: skip
"""Words that say of what sort something is, and nothing by themselves."""

_MONEY = frozenset({"revenue", "cost", "spend", "margin"})
"""Business words that a column of money right before them makes plainer."""

_GRAINS = frozenset({"day", "week", "month", "quarter", "year", "weekday", "hour"})
"""Words for a grain that a time's word may stand before: "order month"."""

_PAID = PAY | {"pay"}
_PICKED = frozenset({"desc", "asc", "dear", "cheap"})


def compounded(reading: Reading, vocabulary: Vocabulary) -> Reading:
    """Give a reading in which compounds are one item each, and whose `asked` name the figures that are not there."""
    model = vocabulary.model
    items = _spent_by_buyers(reading.items, model)
    unknown = list(reading.unknown)
    for at, item in enumerate(items):
        if (
            item.text.lower() == "pay"
            and item.kind == "mention"
            and at
            and items[at - 1].op in ("agg", "rank")
        ):
            kept = tuple(t for t in item.targets if is_money(t, "pay", vocabulary.model))
            items[at] = (
                replace(item, targets=kept) if kept else Item("unknown", item.start, item.end, item.text)
            )
            unknown += [] if kept else [item.text]
    items = _totals(_groups_joined(items, model), model)
    at = 0
    while at + 1 < len(items):
        first, second = items[at], items[at + 1]
        joined = _as_one_figure(first, second, vocabulary) if first.end == second.start else None
        if joined is not None:
            items[at : at + 2] = [joined]
        elif first.end == second.start and _is_met_by_another(first, second, model):
            whole = Item("unknown", first.start, second.end, f"{first.text} {second.text}")
            if first.kind == "unknown":
                unknown[unknown.index(first.text)] = whole.text
            else:
                unknown.append(whole.text)
            items[at : at + 2] = [whole]
        elif first.end == second.start and _is_said_twice(first, second, model):
            items[at : at + 2] = [replace(first, end=second.end, text=f"{first.text} {second.text}")]
        at += 1
    items = _timed(items, model)
    figures = tuple(dict.fromkeys(_figures(items, model)))
    asked = tuple(item.text for item in asked_for(items) if item.kind == "unknown")
    return replace(
        reading, items=tuple(items), unknown=tuple(unknown), asked=tuple(dict.fromkeys((*asked, *figures))), figures=figures,
    )  # fmt: skip


def _groups_joined(items: Sequence[Item], model: Model) -> list[Item]:
    """Items in which a group is one with the word that only qualifies it: "by sales channel" where a column is called channel.

    Such a word is a business word, or a part of another column's name, and stands between "by" and the column's whole name.
    """
    out: list[Item] = []
    for item in items:
        first = out[-1] if out else None
        if (
            len(out) > 1
            and first is not None
            and out[-2].op == "by"
            and first.kind == item.kind == "mention"
            and first.end == item.start
            and _only_qualifies(first.targets[0], item.targets[0], model)
        ):
            out[-1] = replace(item, start=first.start, text=f"{first.text} {item.text}")
            continue
        out.append(item)
    return out


def _only_qualifies(one: Target, head: Target, model: Model) -> bool:
    column = model.field(head.table, head.column) if head.kind == "field" and head.cost == 0 else None
    if column is None or column.role not in (Role.DIMENSION, Role.TEXT):
        return False
    return one.kind == "concept" or one.kind == "field" and one.cost > 0 and one.table == head.table


def _totals(items: Sequence[Item], model: Model) -> list[Item]:
    """Items without a "total" right behind the figure that it is of: "their gross total"."""
    return [
        item
        for at, item in enumerate(items)
        if not (
            item.op == "agg"
            and item.detail == "sum"
            and at
            and items[at - 1].end == item.start
            and items[at - 1].kind == "mention"
            and _is_amount(items[at - 1], model)
            and (at + 1 == len(items) or items[at + 1].kind == "op")
        )
    ]


def _spent_by_buyers(items: Sequence[Item], model: Model) -> list[Item]:
    """ "Top customers by money spent", "average spend per customer": what buyers spend is what they were sold."""
    heads = [item.targets[0] for item in items if item.targets]
    if not any(one.kind == "thing" and set(model.things[one.table].noun) & BUYERS for one in heads):
        return list(items)
    sold = (Target("concept", "", "revenue", cost=0.02),)
    return [
        replace(item, targets=sold)
        if item.targets
        and item.targets[0].kind == "concept"
        and item.targets[0].column == "spend"
        and _is_spent(item)
        else item
        for item in items
    ]


def _is_spent(item: Item) -> bool:
    """Whether a word is about spending rather than about costs."""
    return bool({"spend", "spent", "spending"} & set(item.text.lower().split()))


def _timed(items: Sequence[Item], model: Model) -> list[Item]:
    """Items in which each grain knows whose time it is of."""
    return _of_their_day(_before_grains(items, model), model)


def _of_their_day(items: Sequence[Item], model: Model) -> list[Item]:
    """ "by weekday of the show", "per month by date of the show": the event named after a grain, or after its date, has the time."""
    out: list[Item] = []
    rest = list(items)
    while rest:
        item = rest.pop(0)
        grain = next((at for at in reversed(range(len(out))) if out[at].kind == "grain"), None)
        dated = item.op == "by" and len(rest) > 1 and rest[0].text.lower() == "date of"
        told = (
            rest[1] if dated else rest[0] if item.op == "of" and item.text.lower() == "of" and rest else None
        )
        if (
            grain is not None
            and (dated or grain == len(out) - 1 and not _is_counted(out, grain))
            and told is not None
            and told.kind == "mention"
            and told.targets[0].kind == "thing"
            and _has_time(told, model)
            and not out[grain].owner
        ):
            out[grain] = replace(out[grain], owner=told.targets)
            del rest[: 2 if dated else 1]
            continue
        out.append(item)
    return out


def _is_counted(items: Sequence[Item], grain: int) -> bool:
    """Whether a grain is a number of days: "within 14 days of delivery" groups nothing."""
    return grain > 0 and items[grain - 1].kind == "number"


def _before_grains(items: Sequence[Item], model: Model) -> list[Item]:
    """ "per issue year", "by booking month": a time's word right before a grain says whose grain it is, so both are one group."""
    out: list[Item] = []
    grouped = False
    for item in items:
        before = out[-1] if out else None
        if (
            grouped
            and item.kind == "grain"
            and before is not None
            and before.kind == "mention"
            and before.end == item.start
            and item.text.lower() in _GRAINS
            and _has_time(before, model)
        ):
            text = f"{before.text} {item.text}"
            out[-1] = replace(item, start=before.start, text=text, targets=(), owner=before.targets)
            continue
        grouped = item.op == "by" or grouped and (item.op == "and" or item.kind in ("mention", "grain"))
        out.append(item)
    return out


def _has_time(item: Item, model: Model) -> bool:
    """Whether a word is a time's, or a thing's that happens at one."""
    best = item.targets[0]
    if best.kind == "thing":
        thing = model.things[best.table]
        return thing.kind is Kind.EVENT and bool(thing.default_time)
    one = model.field(best.table, best.column) if best.kind == "field" else None
    return one is not None and one.role is Role.TIME and best.cost < 0.3


def _is_met_by_another(first: Item, second: Item, model: Model) -> bool:
    """Whether a general word after a noun was found only in other nouns' columns: "service type" in vehicle type."""
    if second.kind != "mention" or stem(second.text.lower()) not in _HEADS:
        return False
    if first.kind == "mention" and second.targets[0].kind == "thing" and second.targets[0].cost < 0.1:
        return False  # "returns category": a table of categories is no column of another noun
    if first.kind == "unknown":
        return True
    if first.kind != "mention" or first.targets[0].kind not in ("thing", "concept", "field"):
        return False
    tables = {t.table for t in first.targets if t.table and t.cost <= first.targets[0].cost + 0.05}
    nouns = {w for table in tables for w in model.things[table].noun}
    return not any(_is_of(t, tables, nouns, model) for t in second.targets)


def _is_of(target: Target, tables: set[str], nouns: set[str], model: Model) -> bool:
    thing = model.things.get(target.table)
    return target.table in tables or thing is not None and bool(set(thing.noun) & nouns)


def _is_said_twice(first: Item, second: Item, model: Model) -> bool:
    """Whether a column of money stands before a business word for money: "freight revenue"."""
    if first.kind != "mention" or second.kind != "mention" or second.targets[0].kind != "concept":
        return False
    return second.targets[0].column in _MONEY and first.targets[0].cost < 0.3 and _is_amount(first, model)


def _is_amount(item: Item, model: Model) -> bool:
    """Whether a mention is money that adds up: a price is none."""
    one = model.field(item.targets[0].table, item.targets[0].column)
    return _is_figure(item, model, "money") and one is not None and one.aggregate == "sum"


def _as_one_figure(first: Item, second: Item, vocabulary: Vocabulary) -> Item | None:
    """ "room revenue" as the column of money that says both, a noun and a word for an amount; "order revenue" as the orders' own."""
    if first.kind != "mention" or second.kind != "mention" or second.targets[0].kind != "concept":
        return None
    if first.targets[0].kind == "thing" and second.targets[0].column.endswith(
        " rate"
    ):  # the rate of jobs, no figure beside them
        return replace(second, start=first.start, text=f"{first.text} {second.text}", owner=first.targets)
    if first.targets[0].kind != "thing" or second.targets[0].column != "revenue":
        return None
    said = {stem(word) for word in first.text.lower().split()}
    money = [
        one
        for fields in vocabulary.model.fields.values()
        for one in fields
        if one.role is Role.MEASURE and one.unit == "money" and one.aggregate == "sum"
    ]
    own = [
        one
        for one in money
        if one.table == first.targets[0].table
        and set(one.words) & (AMOUNTS | SELLING)
        and not set(one.words) & (NO_REVENUE - SELLING)
    ]
    named = own if len(own) == 1 else [f for f in money if said <= set(f.words) <= said | AMOUNTS | SELLING]
    found = [Target("field", one.table, one.column, cost=0.03) for one in named]
    if not found:
        return None
    return replace(first, end=second.end, text=f"{first.text} {second.text}", targets=tuple(found))


def _is_figure(item: Item, model: Model, unit: str = "") -> bool:
    """Whether a mention is a measure first of all, and of a unit where one is asked for."""
    best = item.targets[0]
    one = model.field(best.table, best.column) if best.kind == "field" else None
    return one is not None and one.role is Role.MEASURE and (not unit or one.unit == unit)


def _figures(items: Sequence[Item], model: Model) -> list[str]:
    """Words that stand where a figure does and are not known: right after "average", or a word for pay."""
    out = []
    for at, item in enumerate(items):
        if item.kind != "unknown":
            continue
        nxt = items[at + 1] if at + 1 < len(items) else None
        is_last = nxt is None or nxt.start > item.end or nxt.kind in ("op", "period")
        back = at
        while (
            back
            and items[back - 1].kind in ("mention", "unknown")
            and items[back - 1].end == items[back].start
        ):
            back -= 1
        if any(one.kind == "mention" for one in items[:back]):
            continue
        before = items[back - 1] if back else None
        summed = before is not None and (
            before.op == "agg"
            and before.end >= items[back].start - 1
            or before.op == "rank"
            and before.detail in _PICKED
            and stem(item.text.lower()) in _PAID
        )
        named = back < at and items[at - 1].kind == "mention" and _is_figure(items[at - 1], model)
        if item.text.lower().endswith(("ed", "ing")) or named:
            continue
        if is_last and (summed or stem(item.text.lower().split()[-1]) in _PAID):
            out.append(item.text)
    return out
