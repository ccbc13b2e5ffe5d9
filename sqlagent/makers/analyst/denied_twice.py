"""Frames that answer the other way around or drop a denial: a denial that is denied, role nouns read as what is missing, "again", "than they".

Decides what of it makes a draft: none of these has a frame of its own.
"""

from __future__ import annotations

from itertools import pairwise

from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.targets import SURE

_AGAIN = stem("again")
_BUT = stem("but")
_THEY = frozenset(map(stem, ("they", "it", "them", "we")))


def denied_twice(frame: Frame, reading: Reading) -> list[str]:
    """Words of a question that its frame turns around or drops."""
    return [
        *_left_out_twice(reading),
        *_denied_beyond(frame, reading),
        *_bound_denied(frame, reading),
        *_both_denied(frame, reading),
        *_never_of_others(frame, reading),
        *_done_and_undone(reading),
        *_roles_missing(frame, reading),
        *_again(reading),
        *_than_they(reading),
    ]


def _left_out_twice(reading: Reading) -> list[str]:
    """ "Revenue excluding stores without sales": what is left out is denied itself."""
    left_out = ""
    for item in reading.items:
        if item.op == "and":
            left_out = ""
        elif item.op == "except" and item.text.lower() != "non":
            left_out = item.text
        elif left_out and item.op in ("not", "missing"):
            return [left_out]
    return []


def _denied_beyond(frame: Frame, reading: Reading) -> list[str]:
    """ "Not finished and open": a "not" denies what it stands before, and "and" ends it."""
    denied = {
        (slot.field.table, slot.field.column)
        for one in conditions(frame)
        if one.op == "not in" or one.op == "in" and one.negated
        for slot in one.slots
    }
    four = zip(*(reading.items[n:] for n in range(4)), strict=False)
    return [
        second.text
        for no, first, joint, second in four
        if no.op == "not" and no.text.lower() == "not" and joint.op == "and"
        if first.kind == second.kind == "mention" and first.start == no.end and joint.start == first.end
        if any(t.kind == "value" and (t.table, t.column) in denied for t in second.targets[:1])
        if not any((t.table, t.column) in denied for t in first.targets[:1])
    ]


def _bound_denied(frame: Frame, reading: Reading) -> list[str]:
    """ "Never returned anything but ordered more than 10 times": the bound belongs to what follows the denial, and is not denied itself."""
    if not any(one.op == "exists" and one.negated and one.number is not None for one in conditions(frame)):
        return []
    items = reading.items
    for at, no in enumerate(items):
        more = next((n for n in range(at + 1, len(items)) if items[n].op == "more"), None)
        if no.op not in ("not", "missing", "without") or more is None:
            continue
        between = items[at + 1 : more]
        said = [item for item in between if item.kind == "mention"]
        behind = next((item for item in items[more + 1 :] if item.kind == "mention"), None)
        tables = {target.table for item in said for target in item.targets}
        others = behind is not None and not tables & {target.table for target in behind.targets}
        joined = _BUT in reading.glued or any(item.kind == "period" for item in between)
        if said and (len(said) > 1 or others or joined):
            return [no.text]
    return []


def _both_denied(frame: Frame, reading: Reading) -> list[str]:
    """ "Not sold in 2026 but sold in 2024": what was not done in either period answers half of it the other way around."""
    either = any(
        part.op == "any" and len(part.parts) > 1 and all(one.period is not None for one in part.parts)
        for one in conditions(frame)
        if one.op == "exists" and one.negated
        for part in one.parts
    )
    if not either or _BUT not in reading.glued:
        return []
    return [item.text for item in reading.items if item.op in ("not", "missing", "without")][:1]


def _never_of_others(frame: Frame, reading: Reading) -> list[str]:
    """ "Toppings we have never sold": a code called so, in rows of a further table, or such a row without a day, is not the deed that never was."""
    items = reading.items
    further = [
        part
        for one in conditions(frame)
        for part in (one.parts if one.op == "exists" and one.negated else (one,))
        if part.op in ("in", "not in", "missing") and any(slot.path for slot in part.slots)
    ]
    held = {(slot.field.table, slot.field.column) for part in further for slot in part.slots}
    return [
        no.text
        for no, deed in pairwise(items)
        if no.op == "not" and "never" in no.text.lower() and deed.kind == "mention"
        if any(t.kind in ("value", "field") and (t.table, t.column) in held for t in deed.targets[:1])
    ]


def _done_and_undone(reading: Reading) -> list[str]:
    """ "Unreturned loans that were returned": one deed is said to be done and not to be."""
    if any(item.op in ("and", "vs", "not") for item in reading.items):
        return []
    named = [(item, t) for item in reading.items for t in item.targets if t.kind == "field" and t.cost < SURE]
    undone = {(t.table, t.column) for _, t in named if t.label == "un"}
    return [item.text for item, t in named if t.label != "un" and (t.table, t.column) in undone][:1]


def _roles_missing(frame: Frame, reading: Reading) -> list[str]:
    """ "Without managers" of employees is none who has no manager: a role in the plural names persons, not a column that is empty."""
    missing = {
        (slot.field.table, slot.field.column)
        for one in conditions(frame)
        if one.op == "missing" and not one.negated
        for slot in one.slots
    }
    return [
        item.text
        for item in reading.items
        if item.kind == "mention"
        and item.text.lower().endswith("s")
        and any(t.kind == "relation" and (t.table, t.column) in missing for t in item.targets)
    ][:1]


def _again(reading: Reading) -> list[str]:
    """ "Customers who bought again": a second time is counted by no frame that only bounds the first."""
    if _AGAIN not in reading.glued:
        return []
    behind = any(
        before.kind == "mention" and after.start - before.end == 1
        for before, after in pairwise(reading.items)
    )
    return ["again"] if behind or not reading.items[0].start else []


def _than_they(reading: Reading) -> list[str]:
    """ "Products that cost more than they sell for" holds two figures of one thing against each other."""
    return [
        before.text
        for before, after in pairwise(reading.items)
        if before.op == "more"
        and after.kind != "number"
        and after.start > before.end
        and _THEY & reading.glued
    ]
