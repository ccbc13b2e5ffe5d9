"""Deeds of a period, told by a state that rows go on from: orders that were shipped in 2025 are delivered by now, or came back.

Where a time tells when it was done, that time is taken and nothing is decided here. "Shipped orders" are in that state now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics.words import stems
from sqlagent.catalog.value_index import normal
from sqlagent.language.words import stem
from sqlagent.makers.analyst.all_or_any import ANY
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.heeding import with_conditions
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.values import ColumnRef

_STAGES = (
    stems("confirmed accepted approved"),
    stems("packed picked prepared"),
    stems("shipped dispatched sent posted despatched"),
    stems("delivered received collected arrived"),
    stems("returned refunded"),
)
"""States in the order in which rows go through them."""

_GONE_ON = 3
"""The stage up to which a state says little of the past: what was delivered mostly stays so."""


def or_later(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """Give the frame of rows in a state or a later one, before that of rows in it now, where a period says when they came into it."""
    for item in _done_in_period(reading):
        best = item.targets[0]
        later = _later(best.table, best.column, best.value, source)
        if not later:
            continue

        def widened(one: Condition, value: str = best.value, more: tuple[str, ...] = later) -> Condition:
            is_it = one.op == "in" and not one.negated and one.values == (value,)
            return replace(one, values=(value, *more)) if is_it else one

        gone_on = with_conditions(frame, widened)
        if gone_on != frame:
            return [gone_on, replace(frame, cost=round(frame.cost + ANY, 4))]
    return [frame]


def _done_in_period(reading: Reading) -> Iterator[Item]:
    """Verbs that are stored states, said of rows before them, with a period behind."""
    items = reading.items
    for at, item in enumerate(items):
        is_state = item.kind == "mention" and item.targets[0].kind == "value"
        behind = items[at + 1 : at + 3]
        timed = behind[:1] if behind and behind[0].kind == "period" else behind[1:] if behind and behind[0].op == "of" else ()  # fmt: skip
        if (
            at
            and is_state
            and items[at - 1].kind in ("mention", "op")
            and timed
            and timed[0].kind == "period"
        ):
            yield item


def _later(table: str, column: str, value: str, source: Source) -> tuple[str, ...]:
    """Stored states of the same column that rows come to later than to this one."""
    index = source.vocabulary.index
    stage = _stage(value)
    if index is None or stage is None or stage >= _GONE_ON:
        return ()
    texts = index.texts_of(ColumnRef(table, column))
    return tuple(text for text in texts if (_stage(text) or 0) > stage)


def _stage(text: str) -> int | None:
    """The place of a state among the stages; None of other states."""
    said = stem(normal(text))
    return next((place for place, words in enumerate(_STAGES) if said in words), None)
