"""Rows by how those are that they point at in their own table: "clients with a closed parent", "employees whose manager lives in Bath".

The state is understood as it would be of the rows themselves, and then asked of the rows above. A state that is not understood makes a draft.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from sqlagent.catalog.semantics import Model, Relation
from sqlagent.language.words import plural_of
from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Slot
from sqlagent.makers.analyst.heeding import slots_of
from sqlagent.makers.analyst.own_kind import relation_of
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_ASKED = r"^(?P<count>how many |(?:the )?number of |count (?:of )?)?(?:list |show |which |what |all |the |our )*(?P<noun>[a-z][\w-]*(?: [a-z][\w-]*)??)"
_NO_STATE = (
    "same|different|other|another|common|direct|own|single|given|new|no|any|certain|specific|his|her|their"
)
_BY_STATE = (
    re.compile(
        rf"{_ASKED} (?:with|having|(?:who|that|which) (?:have|has)) (?:an? |the )?(?P<state>(?!(?:{_NO_STATE})\b)[a-z][\w-]*) (?P<role>[a-z]+)$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_ASKED} whose (?P<role>[a-z]+) (?P<rest>(?!(?:is|are|was|were) (?:missing|unknown|empty|null|the|an?|their|his|her)\b)[a-z].+)$",
        re.IGNORECASE,
    ),
)


@dataclass(frozen=True, slots=True)
class ThoseAbove:
    """A question of the rows themselves, and over which relation it is asked of those above."""

    text: str
    relation: Relation

    def frame(self, frame: Frame, source: Source) -> Frame | None:
        """Give the frame whose conditions are of those above; None where it says more than conditions."""
        is_list = not frame.measures and self.text.startswith("list ")
        is_count = [one.agg for one in frame.measures] == ["rows"] and not self.text.startswith("list ")
        if frame.anchor != self.relation.source or not (is_list or is_count) or frame.unused:
            return None
        if not frame.where or frame.by or frame.having or frame.limit or frame.transform:
            return None
        there = Condition("filled", (source.slot(self.relation.source, self.relation.columns[0]),))
        above = tuple(_of_above(one, self.relation) for one in frame.where)
        return replace(frame, where=(there, *above), columns=source.shown(frame.anchor) if is_list else ())


def those_above(text: str, source: Source) -> ThoseAbove | None:
    """Tell of which rows a state is asked that those above are to be in; None where it is another question."""
    text = text.strip().rstrip("?.! ")
    for pattern in _BY_STATE:
        found = pattern.match(text)
        one = relation_of(found["role"], found["noun"], source) if found is not None else None
        if found is None or one is None:
            continue
        nouns = plural_of(source.model.things[one.source].said)
        of_state = found.groupdict().get("state")
        bare = f"{of_state} {nouns}" if of_state else f"{nouns} that {found['rest']}"
        return ThoseAbove(f"{'how many ' if found['count'] else 'list '}{bare}", one)
    return None


def state_left_below(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """The role behind a state ("a closed parent") of which no row above is asked."""
    own = {one for one in model.relations if one.source == one.target}
    if any(slot.path and slot.path[0] in own for slot in slots_of(frame)):
        return []
    return [
        role.text
        for (opener, state), role in zip(pairwise(reading.items), reading.items[2:], strict=False)
        if opener.op == "rel" and _is_state(state) and state.end == role.start and role.kind == "mention"
        if role.targets[0].kind == "relation" and role.targets[0].relation in own
    ]


def _is_state(item: Item) -> bool:
    if item.op in ("past", "current", "late"):
        return True
    return item.kind == "mention" and item.targets[0].kind in ("field", "value")


def _of_above(one: Condition, relation: Relation) -> Condition:
    """The same condition of the row that a relation leads to."""

    def above(slot: Slot) -> Slot:
        return replace(slot, path=(relation, *slot.path))

    expr = one.expr
    if expr is not None:
        expr = Expr(expr.op, tuple(map(above, expr.slots)), expr.unit)
    if one.op == "exists":
        return replace(one, at=(relation, *one.at))
    return replace(
        one,
        slots=tuple(map(above, one.slots)),
        expr=expr,
        parts=tuple(_of_above(part, relation) for part in one.parts),
    )
