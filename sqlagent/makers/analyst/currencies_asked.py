"""Amounts asked for in a currency that rows name: "revenue in EUR" adds up rows in euros where a column holds currencies.

Decides by a column's own name beside the money, in its table or in one that its rows point at. A currency that such a column does not
hold is left out by name. Leaves sources that keep no currencies to `minor_units`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Condition, Frame, Measure, Slot
from sqlagent.makers.analyst.minor_units import CODES, NAMED, in_whole_units
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_CURRENCY = frozenset(map(stem, ("currency", "currencies", "curr", "ccy")))
"""Words of columns that hold currencies."""

_AMOUNT = re.compile(
    rf"(?P<before>(?<!\w)(?:{NAMED}))\s?(?=\d)|(?<=\d)\s?(?P<after>(?:{NAMED}))(?!\w)", re.IGNORECASE
)
"""A currency beside a number."""

_ANY = re.compile(rf"(?<!\w)(?:{NAMED})(?!\w)", re.IGNORECASE)


def currency_of_bound(text: str, source: Source) -> tuple[str, str]:
    """Give a question without the currency beside its one bound, and the word for that; two empty texts where the source keeps no currencies."""
    if not any(_columns(source)):
        return "", ""
    found = list(_AMOUNT.finditer(text))
    words = {CODES[(one["before"] or one["after"]).lower()] for one in found}
    if len(words) != 1:
        return "", ""
    return _AMOUNT.sub("", text), found[0]["before"] or found[0]["after"]


def names_several(text: str, source: Source) -> bool:
    """Whether a question names several currencies of a source that keeps them: they are read as values of a column."""
    named = {CODES[one[0].lower()] for one in _ANY.finditer(text)}
    return len(named) > 1 and any(_columns(source))


def of_currency(frame: Frame, word: str, source: Source) -> Frame | None:
    """Give a frame with its figures in whole units, of rows in the currency asked for; None where nothing in it is money."""
    whole = in_whole_units(frame, word)
    return of_rows_in(whole, word, source) if whole is not None else None


def of_rows_in(frame: Frame, word: str, source: Source) -> Frame | None:
    """Give a frame of rows in a currency; with the word left out where none is told to be, and as it is where no currency is kept near its money."""
    money = list(dict.fromkeys(_money(frame)))
    kept = {slot for one in money for slot in kept_beside(one, source)}
    near = any(
        _CURRENCY & set(one.words) for t in source.graph.up(frame.anchor) for one in source.model.fields[t]
    )
    if not kept:
        return leaving_out(frame, (word,)) if near or not money else frame
    slot = next(iter(kept))
    held = (_stored(slot, said, source) for said in (CODES[word.lower()], word.lower()))
    stored = next(filter(None, held), "")
    if not stored or len(kept) > 1 or any(one.anchor != frame.anchor for one in frame.measures):
        return leaving_out(frame, (word,))
    if any(slot in one.slots for one in frame.where):
        return frame
    return replace(frame, where=(*frame.where, Condition("in", (slot,), (stored,))))


def _columns(source: Source) -> Iterator[Field]:
    """All columns that hold currencies."""
    for own in source.model.fields.values():
        yield from filter(_holds_currencies, own)


def _holds_currencies(one: Field) -> bool:
    return bool(_CURRENCY & set(one.words)) and not one.is_number and one.role is not Role.FOREIGN


def _money(frame: Frame) -> Iterator[Slot]:
    """The money that a frame computes, bounds or shows."""

    def of(measure: Measure) -> Iterator[Slot]:
        if measure.expr is not None:
            yield from measure.expr.slots
        for part in (measure.over, measure.under, *measure.parts):
            if part is not None:
                yield from of(part)

    slots = [slot for one in frame.measures for slot in of(one)]
    slots += [slot for one in frame.having for slot in of(one.measure)]
    for one in frame.where:
        slots += [*one.slots, *(one.expr.slots if one.expr is not None else ())]
    yield from (slot for slot in (*slots, *frame.columns) if slot.field.unit == "money")


def kept_beside(money: Slot, source: Source) -> list[Slot]:
    """The columns of currencies in the table of some money, else in that of the document that its rows are lines of."""
    table = money.field.table
    if own := [Slot(one, money.path) for one in source.model.fields[table] if _holds_currencies(one)]:
        return own
    return [
        Slot(one, (*money.path, relation))
        for relation in source.model.relations
        if relation.source == table and source.model.things[relation.target].kind is Kind.EVENT
        for one in source.model.fields[relation.target]
        if _holds_currencies(one)
    ]


def _stored(slot: Slot, word: str, source: Source) -> str:
    """How a column writes a currency; empty where it does not hold it."""
    key = (slot.field.table, slot.field.column)
    found = (t for t in source.vocabulary.targets([word]) if t.kind == "value" and t.cost <= SURE)
    return next((t.value for t in found if (t.table, t.column) == key), "")
