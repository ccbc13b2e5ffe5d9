"""A value that is said anew takes the place of the one before: "only closed ones" after open tickets are no open ones."""

from __future__ import annotations

from sqlagent.language.words import stem, tokenise
from sqlagent.makers.analyst.changing.doubting import denies
from sqlagent.makers.analyst.changing.intents import Intent
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE, Target


def keeps_other_value(before: Frame, after: Frame, meant: Intent, source: Source) -> bool:
    """Whether a frame keeps a column at its value though another of its values was said, or a state beside another where none was to be added."""
    if meant.way == "gone" or denies(meant.text):
        return False
    held = [one for one in before.where if one.op == "in" and not one.negated and len(one.slots) == 1]
    if meant.way not in ("add", "compare") and any(_is_widened(one, after, source) for one in held):
        return True
    said = _values_said(meant.text, source)
    return any(_contradicts(before, after, one) for one in said)


def _values_said(text: str, source: Source) -> list[Target]:
    """The values that a follow-up surely says; of a word that is one in several columns, each."""
    return [
        target
        for token in tokenise(text)
        for target in source.vocabulary.targets([token.low])
        if target.kind == "value" and target.cost < SURE
    ]


def _contradicts(before: Frame, after: Frame, said: Target) -> bool:
    """Whether a frame denies a value that was said, keeps its column at another, or its deed as it was: "only discharged" of those not discharged."""
    column = (said.table, said.column)
    of_it = [
        one for one in conditions(after) if any((s.field.table, s.field.column) == column for s in one.slots)
    ]
    keeping = [one for one in of_it if one.op == "in" and not one.negated]
    if any(said.value in one.values for one in of_it if one.op == "not in" or one.negated):
        return True
    if any(one in before.where for one in keeping) and not any(said.value in one.values for one in keeping):
        return True
    words = {stem(word) for word in said.value.lower().split()}
    return any(
        one.op in ("missing", "filled") and one in before.where and words & set(one.slots[0].field.words)
        for one in after.where
        if one.slots and one.slots[0].field.table == said.table
    )


def _is_widened(one: Condition, after: Frame, source: Source) -> bool:
    """Whether another state stands beside the one that rows are in."""
    field = one.slots[0].field
    return field.column == source.model.things[field.table].state and any(
        new.op == "in" and not new.negated and new.slots == one.slots and set(one.values) < set(new.values)
        for new in after.where
    )
