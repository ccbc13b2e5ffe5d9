"""A value that is said anew takes the place of the one before: "only closed ones" after open tickets are no open ones."""

from __future__ import annotations

from sqlagent.language.words import tokenise
from sqlagent.makers.analyst.changing.doubting import denies
from sqlagent.makers.analyst.changing.intents import Intent
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE


def keeps_other_value(before: Frame, after: Frame, meant: Intent, source: Source) -> bool:
    """Whether a frame keeps a column at its value though another of its values was said, or a state beside another where none was to be added."""
    if meant.way == "gone" or denies(meant.text):
        return False
    held = [one for one in before.where if one.op == "in" and not one.negated and len(one.slots) == 1]
    if meant.way not in ("add", "compare") and any(_is_widened(one, after, source) for one in held):
        return True
    kept = {(f.table, f.column) for one in held if one in after.where for f in [one.slots[0].field]}
    shown = {value for one in conditions(after) for value in one.values}
    return any(
        t.kind == "value" and t.cost < SURE and (t.table, t.column) in kept and t.value not in shown
        for token in tokenise(meant.text)
        for t in source.vocabulary.targets([token.low])
    )


def _is_widened(one: Condition, after: Frame, source: Source) -> bool:
    """Whether another state stands beside the one that rows are in."""
    field = one.slots[0].field
    return field.column == source.model.things[field.table].state and any(
        new.op == "in" and not new.negated and new.slots == one.slots and set(one.values) < set(new.values)
        for new in after.where
    )
