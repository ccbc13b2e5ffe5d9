"""Two columns of one row held against each other: "where the payer is not the holder", "the end station is the same as the start station".

Decides it by the words between two mentions of one table, or by "another" and "the same" before a thing that rows point at twice:
"ended at another station". The two mentions become one item, which is held as one condition. Leaves columns of which one is more
than the other to `held_against`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Model, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.starts import PERSONS
from sqlagent.makers.analyst.targets import Target

LIKELY = 0.2
"""Cost up to which a word likely means a column."""

_VERY = 0.05
"""Cost below which a word is the very name of a thing."""

_UNLIKE = frozenset({"differs", "differ", "differed", "different", "deviates", "deviate", "unequal"})
_NOT = frozenset({"not", "isn't", "wasn't", "aren't", "other than"})
_OTHER = frozenset({"another", "different", "other"})
_AT = frozenset({"at", "in", "to", "from", "on", "a", "the"})
_ALIKE = frozenset({"same", "equal", "equals", "identical"})
EQUAL = "="
"""The detail of a pair of columns that are said to be the same."""


def unequal(reading: Reading, model: Model) -> Reading:
    """Give a reading in which two columns that are said to differ, or to be the same, are one item of kind pair."""
    reading = _both_said(_ends_compared(reading, model), model)
    items = list(reading.items)
    unknown = list(reading.unknown)
    for at in range(len(items) - 2, 0, -1):
        length = _between(items, at) if at < len(items) else 0
        if not length or at + length >= len(items):
            continue
        first, second = items[at - 1], items[at + length]
        found = next(_columns(first, second, model), None)
        if found is None or not _lead_alike(found, model):
            continue
        if items[at].op == "not" and not _is_said_of(first, items[at], found, model):
            continue
        text = f"{first.text} {items[at].text} {second.text}"
        alike = EQUAL if _is_alike(items[at]) else ""
        pair = Item("pair", first.start, second.end, text, targets=found, detail=alike)
        if at > 2 and items[at - 2].op == "where":
            items[at - 2] = replace(items[at - 2], op="rel")
        unknown = [word for word in unknown if word != items[at].text]
        items[at - 1 : at + length + 1] = [pair]
    return paired(reading, items, unknown)


def paired(reading: Reading, items: Sequence[Item], unknown: Sequence[str]) -> Reading:
    """Give a reading with other items, of which pairs took in some, and with the words that are unknown still."""
    if len(items) == len(reading.items):
        return reading
    asked = tuple(word for word in reading.asked if word in unknown)
    return replace(reading, items=tuple(items), unknown=tuple(unknown), asked=asked)


def _both_said(reading: Reading, model: Model) -> Reading:
    """The reading with "the payer and the holder are the same" as one item; so are "are not the same", "differ" and "have the same payer and holder"."""
    items, unknown = list(reading.items), list(reading.unknown)
    for at in range(len(items) - 2, 0, -1):
        if at + 1 >= len(items) or items[at].op != "and":
            continue  # what stood there may be part of the item behind
        found = next(_columns(items[at - 1], items[at + 1], model), None)
        said = _said_of_both(items, at) if found is not None and _lead_alike(found, model) else None
        if said is None or found is None:
            continue
        first, end, alike = said
        text = " ".join(one.text for one in items[first:end])
        if first and items[first - 1].op == "where":
            items[first - 1] = replace(items[first - 1], op="rel")
        unknown = [one for one in unknown if one not in [item.text for item in items[first:end]]]
        pair = Item("pair", items[first].start, items[end - 1].end, text, targets=found, detail=alike)
        items[first:end] = [pair]
    return paired(reading, items, unknown)


def _said_of_both(items: Sequence[Item], joint: int) -> tuple[int, int, str] | None:
    """Where words begin and end that say of two joined mentions that they are alike or differ, and which of it; None where there are none."""
    denied = joint + 2 < len(items) and items[joint + 2].op == "not"
    at = joint + 2 + denied
    if at < len(items) and (_is_alike(items[at]) or _is_unlike(items[at])):
        named = at + 1 < len(items) and stem(items[at + 1].text.lower()) in PERSONS  # the same person
        if _ends_there(items, at + 1 + named):
            return joint - 1, at + 1 + named, EQUAL if _is_alike(items[at]) is not denied else ""
    before = items[joint - 2] if joint > 1 else None
    if before is not None and (_is_alike(before) or _is_unlike(before)) and joint > 2:
        return joint - 2, joint + 2, EQUAL if _is_alike(before) else ""
    return None


def _is_unlike(item: Item) -> bool:
    return item.text.lower().removeprefix("the ") in _UNLIKE


def _ends_there(items: Sequence[Item], at: int) -> bool:
    """Whether nothing that could be alike follows: "the same city" is of cities."""
    return at >= len(items) or items[at].kind not in ("mention", "unknown")


def _lead_alike(found: tuple[Target, Target], model: Model) -> bool:
    """Whether two columns that point at rows point at those of one table: a product is no order in any case."""
    ends = [
        {one.target for one in model.relations if one.source == t.table and one.columns == (t.column,)}
        for t in found
    ]
    return not all(ends) or bool(ends[0] & ends[1])


def _is_said_of(first: Item, no: Item, found: tuple[Target, Target], model: Model) -> bool:
    """Whether a verb stands before the "not", and neither is a deed: "paid but not shipped" are two things that happen."""
    roles = {one.role for t in found if (one := model.field(t.table, t.column)) is not None}
    return not roles & {Role.TIME, Role.FLAG} and (no.start > first.end or no.text.lower() != "not")


def _between(items: Sequence[Item], at: int) -> int:
    """Of how many items the words for being different are made that begin here; 0 where there are none."""
    low = items[at].text.lower().removeprefix("the ")
    if low in _NOT and items[at].kind == "op":
        return 1
    if low in _UNLIKE and at + 1 < len(items):
        return 2 if items[at + 1].text.lower() in ("from", "to") else 1
    if _is_alike(items[at]):
        return 2 if items[at + 1].text.lower() in ("as", "to") else 1
    return 0


def _is_alike(item: Item) -> bool:
    return item.text.lower().removeprefix("the ") in _ALIKE


def _ends_compared(reading: Reading, model: Model) -> Reading:
    """The reading with "at another station" as one item, where rows of a thing that is named point at two stations."""
    items, unknown = list(reading.items), list(reading.unknown)
    for at in range(len(items) - 2, -1, -1):
        if at + 1 >= len(items):
            continue  # what stood there is part of the item behind
        low, noun = items[at].text.lower().removeprefix("the "), items[at + 1]
        if low not in _OTHER and not _is_alike(items[at]) or noun.kind != "mention":
            continue
        found = _both_ends(noun, reading, model)
        if found is None:
            continue
        first = at
        while first > 0 and _is_of_end(items[first - 1], found[0].table, model):
            first -= 1
        if not any(one.kind == "mention" for one in items[first:at]):
            continue  # the station that others used is no end of this row
        text = " ".join(one.text for one in items[first : at + 2])
        alike = EQUAL if _is_alike(items[at]) else ""
        unknown = [word for word in unknown if word != items[at].text]
        items[first : at + 2] = [
            Item("pair", items[first].start, noun.end, text, targets=found, detail=alike)
        ]
    return paired(reading, items, unknown)


def _both_ends(noun: Item, reading: Reading, model: Model) -> tuple[Target, Target] | None:
    """The two columns by which the rows of a thing that is named, or of the only one that does, point at a thing."""
    thing = next((t.table for t in noun.targets if t.kind == "thing" and t.cost < LIKELY), "")
    named = {t.table for i in reading.items if i is not noun for t in i.targets[:2] if t.kind == "thing"}
    pointing: dict[str, list[Target]] = {}
    for one in model.relations if thing else ():
        if one.target == thing and one.source != thing and len(one.columns) == 1:
            made = Target("relation", one.source, one.columns[0], relation=one)
            pointing.setdefault(one.source, []).append(made)
    twice = [ends for table, ends in pointing.items() if len(ends) == 2 and table in named]
    return (twice[0][0], twice[0][1]) if len(twice) == 1 else None


def _is_of_end(item: Item, table: str, model: Model) -> bool:
    """Whether a word before only says that the row ends or begins there: "ended", "started and ended", "returned to"."""
    if item.op == "and" or item.op in ("of", "") and item.text.lower() in _AT:
        return True
    if any(one.kind == "thing" and one.table == table and one.cost < _VERY for one in item.targets):
        return False  # hired from the same station: that it was a hire says nothing of an end
    for one in item.targets[:1] if item.kind == "mention" else ():
        field = model.field(one.table, one.column) if one.column else None
        return one.table == table and (
            one.kind == "relation" or field is not None and field.role is Role.TIME
        )
    return False


def _columns(first: Item, second: Item, model: Model) -> Iterator[tuple[Target, Target]]:
    """The columns of one table that two mentions surely mean, of one role and leading to one table."""
    if first.kind != "mention" or second.kind != "mention":
        return
    for one in _sure(first):
        for other in _sure(second):
            if one.table != other.table or one.column == other.column:
                continue
            own, its = model.field(one.table, one.column), model.field(other.table, other.column)
            if own is None or its is None or own.role is not its.role or own.form is not its.form:
                continue
            if one.relation is None or other.relation is None or one.relation.target == other.relation.target:
                yield one, other


def _sure(item: Item) -> list[Target]:
    return [t for t in item.targets if t.kind in ("relation", "field") and t.cost <= LIKELY and t.column]
