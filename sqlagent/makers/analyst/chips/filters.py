"""How rows may be restricted otherwise: other stored values, not instead of is, with instead of without, other bounds.

Values are those of the index that categories, places and names of things have: never ones of a single person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Role
from sqlagent.language.personal import looks_personal
from sqlagent.language.saying import worded
from sqlagent.makers.analyst import clocks, telling
from sqlagent.makers.analyst.chips.groups import anchor_of, groups
from sqlagent.makers.analyst.chips.settling import restricted
from sqlagent.makers.analyst.chips.values import REMOVE, Option, Part
from sqlagent.makers.analyst.frames import OFF, Condition, Frame, Having, Slot
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.voids import all_counted
from sqlagent.values import ColumnRef

VALUES = 60
"""Values offered for a filter that stands."""

ADDED_COLUMNS, ADDED_VALUES = 8, 12
"""Columns by which a filter may be added, the nearest first, and values of each; a column with more is left out."""

_BOUNDS = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}


def filter_part(frame: Frame, place: int, source: Source) -> Part:
    """The chip of a condition that is no period."""
    old = frame.where[place]
    is_off = old.said.startswith(OFF)
    options: list[Option] = []

    def put(new: Condition, words: str, key: str, group: str) -> None:
        where = (*frame.where[:place], new, *frame.where[place + 1 :])
        options.append(
            Option(
                words,
                key,
                group,
                restricted(frame, where),
                worded("filter changed: {condition}", condition=telling.condition(new)),
            )
        )

    if old.op in ("in", "not in") and len(old.slots) == 1 and not old.negated:
        field = old.slots[0].field
        typed = "" if is_off else old.said
        turned = replace(old, op="in" if old.op == "not in" else "not in", said=typed)
        put(turned, telling.condition(turned), "not", "")
        for value, words in values_of(source, field)[:VALUES]:
            if (value,) != old.values:
                put(
                    replace(old, values=(value,), said=""),
                    words,
                    f"value:{value}",
                    worded("Another {name}", name=field.said),
                )
    elif old.op in ("missing", "filled") and not old.negated:
        typed = "" if is_off else old.said
        turned = replace(old, op="filled" if old.op == "missing" else "missing", said=typed)
        put(turned, telling.condition(turned), "not", "")
    elif old.op == "exists" and old.number is None:
        turned = replace(old, negated=not old.negated)
        put(turned, telling.condition(turned), "not", "")
    elif old.op == "later" and old.compare in ("", ">", "<="):
        turned = replace(old, compare=">" if old.compare == "<=" else "<=")
        put(turned, telling.condition(turned), "not", "")
    elif old.op == "clock":
        for words, ends in clocks.PARTS.items():
            if ends != old.values:
                put(replace(old, values=ends), worded(words), f"hours:{ends[0]}", "")
    elif old.op == "weekday":
        for words, days in (
            (worded("on a weekend"), ("5", "6")),
            (worded("on a weekday"), ("0", "1", "2", "3", "4")),
        ):
            if set(days) != set(old.values):
                put(replace(old, values=days), words, f"days:{''.join(days)}", "")
    if old.number is not None and old.op in ("compare", "exists") and not old.negated:
        for compare in _BOUNDS:
            if compare != old.compare:
                turned = replace(old, compare=compare)
                put(turned, telling.condition(turned), f"bound:{compare}", "Another bound")
    left = (*frame.where[:place], *frame.where[place + 1 :])
    options.append(
        Option(
            "Remove this filter",
            REMOVE,
            "",
            all_counted(frame) if is_off else restricted(frame, left),
            worded("filter removed: {condition}", condition=telling.condition(old)),
        )
    )
    is_told = old.op == "exists" or telling.yes_or_no(old)
    label = "" if is_told else "where"
    return Part(f"where:{place}", "filter", label, telling.condition(old), tuple(options))


def having_part(frame: Frame, place: int) -> Part:
    """The chip of a bound on a figure of each group."""
    old = frame.having[place]
    options: list[Option] = []

    def put(having: tuple[Having, ...], words: str, key: str, said: str) -> None:
        options.append(Option(words, key, "", replace(frame, having=having), said))

    if old.slot is None:
        for compare in _BOUNDS:
            if compare != old.compare:
                new = replace(old, compare=compare)
                having = (*frame.having[:place], new, *frame.having[place + 1 :])
                put(
                    having,
                    telling.having(new),
                    f"bound:{compare}",
                    worded("bound changed: {bound}", bound=telling.having(new)),
                )
    left = (*frame.having[:place], *frame.having[place + 1 :])
    put(left, "Remove this bound", REMOVE, worded("bound removed: {bound}", bound=telling.having(old)))
    return Part(f"having:{place}", "filter", "", telling.having(old), tuple(options))


def filters_added(frame: Frame, source: Source) -> Iterator[Option]:
    """Values of the nearest columns that rows may be restricted to."""
    if len({m.anchor for m in frame.measures}) > 1:
        return
    held = {slot.field for c in frame.where for slot in c.slots}
    columns = 0
    for group in groups(source, anchor_of(frame)):
        slot = group.dimension.shown[0]
        values = values_of(source, slot.field)
        if not 1 < len(values) <= ADDED_VALUES or slot.field in held or len(group.dimension.shown) > 1:
            continue
        for value, words in values:
            new = Condition("in", (slot,), (value,))
            key = f"where:{group.key}:{value}"
            changed = restricted(frame, (*frame.where, new))
            yield Option(
                words,
                key,
                worded("Only one {name}", name=group.words),
                changed,
                worded("filter added: {condition}", condition=telling.condition(new)),
            )
        columns += 1
        if columns == ADDED_COLUMNS:
            return


def values_of(source: Source, field: Field) -> list[tuple[str, str]]:
    """The stored values of a column that may be offered, each with what it is called, in the order of that."""
    if source.is_personal(field):
        return []
    if field.codes is not None:
        return [(code, label) for code, label in field.codes.pairs if not looks_personal(label)]
    if field.role is Role.FLAG and field.yes and field.no:
        return [(field.yes.strip("'"), worded("yes")), (field.no.strip("'"), worded("no"))]
    if field.separator:
        return [
            (entry, entry) for entry in sorted(field.entries, key=str.casefold) if not looks_personal(entry)
        ]
    index = source.vocabulary.index
    if index is None or field.is_number or field.role not in (Role.DIMENSION, Role.TEXT, Role.KEY):
        return []
    texts = index.texts_of(ColumnRef(field.table, field.column))
    return [(text, text) for text in sorted(texts, key=str.casefold) if not looks_personal(text)]


def time_slot(one: Condition) -> Slot | None:
    """The time that a condition is about; None where it is about something else."""
    return one.slots[0] if one.op == "period" and one.period is not None and one.slots else None
