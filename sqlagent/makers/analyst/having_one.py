"""Things that have something: "guests with a phone" are those whose phone is filled, where "guests with their phone" lists it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.language.saying import worded
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.presence import present
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_WITH_A = re.compile(r"\b(?:with|have|has|having) an? (?P<what>[\w' ,&-]+)", re.IGNORECASE)
_AND_A = re.compile(r"\s*(?:,? and| &|,) an? ", re.IGNORECASE)
_LONGEST = 3
"""Words of one thing had, at most, behind which another may follow: "with a home pool and a phone"."""


def having_one(frame: Frame, text: str, reading: Reading, source: Source) -> Frame:
    """Give the list of the rows that have something in such a column, or that point at such a row; any other frame as it is.

    The row pointed at is shown, the column only where the list is sorted by it.
    """
    where = list(frame.where)
    columns = frame.columns
    by = frame.order.by.slots if frame.order is not None and frame.order.by is not None else ()
    for slot in _had(frame, text, reading):
        where.append(present(slot))
        columns = tuple(one for one in columns if one != slot or one in by)
    where += [Condition("filled", (key,)) for key in _pointed(frame, text, reading, source)]
    if len(where) == len(frame.where):
        return frame
    return replace(frame, columns=columns or source.shown(frame.anchor), where=tuple(dict.fromkeys(where)))


def or_nought(frame: Frame, text: str, reading: Reading) -> str:
    """Doubt rows that have a number, of which some are zero: "orders with a discount" may leave these out; empty elsewhere."""
    for slot in _had(frame, text, reading):
        is_figure = slot.field.role is Role.MEASURE and slot.field.is_number
        if is_figure and slot in frame.had and _may_be_zero(slot.field.low):
            return worded("rows whose {column} is zero are among them.", column=slot.field.said)
    return ""


def _had(frame: Frame, text: str, reading: Reading) -> Iterator[Slot]:
    """The columns of a list that stand right behind "with a"."""
    bound = {slot for one in frame.where for slot in one.slots if one.op != "filled"}
    for item in _said_to_be_had(frame, text, reading):
        named = {(target.table, target.column) for target in item.targets if target.kind == "field"}
        for slot in (*frame.columns, *frame.had):
            is_named = (slot.field.table, slot.field.column) in named and not slot.path
            if is_named and slot not in bound and slot.field.table == frame.anchor:
                yield slot
                break


def _pointed(frame: Frame, text: str, reading: Reading, source: Source) -> Iterator[Slot]:
    """The keys by which rows of a list point at what stands right behind "with a", where some point at none."""
    bound = {relation for one in frame.where for slot in one.slots for relation in slot.path}
    for item in _said_to_be_had(frame, text, reading):
        for slot in frame.columns:
            first = slot.path[0] if slot.path else None
            if first is None or first in bound or len(first.columns) != 1:
                continue
            key = source.model.field(first.source, first.columns[0])
            ends = {(t.table, "") for t in item.targets if t.kind == "thing"}
            ends |= {(t.table, t.column) for t in item.targets if t.kind in ("relation", "field")}
            is_named = {
                (first.target, ""),
                (first.source, first.columns[0]),
                (slot.field.table, slot.field.column),
            } & ends
            if key is not None and key.filled < 1 and is_named:
                bound.add(first)
                yield Slot(key)


def _said_to_be_had(frame: Frame, text: str, reading: Reading) -> Iterator[Item]:
    """The names that stand right behind "with a", and behind an "and a" that follows these; none where no rows are listed."""
    if frame.measures or frame.distinct:
        return
    behind = [part for found in _WITH_A.finditer(text) for part in _parts(found["what"].lower())]
    for item in reading.items if behind else ():
        if item.kind == "mention" and any(_begins(one, item.text.lower()) for one in behind):
            yield item


def _parts(what: str) -> Iterator[str]:
    """The words for each thing had.

    Example:
        >>> list(_parts("city, a phone and an email by year")), list(_parts("city who rents a boat and a car"))
        (['city', 'phone', 'email by year'], ['city who rents a boat'])
    """
    for part in _AND_A.split(what):
        yield part
        if len(part.split()) > _LONGEST:
            return


def _begins(behind: str, word: str) -> bool:
    return behind == word or behind.startswith((f"{word} ", f"{word}-", f"{word},"))


def _may_be_zero(low: str) -> bool:
    """Whether the lowest of some numbers is none above zero; unknown ones may be."""
    try:
        return float(low) <= 0
    except ValueError:
        return True
