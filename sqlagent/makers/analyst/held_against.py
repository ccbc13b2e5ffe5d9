"""One column held against another by size: "products whose cost is above their price", "employees who earn more than their manager".

The other column stands in the same row or in one that the row points at: for a manager, the same column of another employee.
Decides it by the words between two mentions. The two mentions become one item of kind pair, as for two columns that differ or are the same (`unequal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Model, Relation, Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.makers.analyst.frames import Path
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.targets import Target
from sqlagent.makers.analyst.unequal import LIKELY, paired

ACROSS = "across"
"""The kind of a target that is a column of the row that a relation of its own table leads to."""

_ROLES = frozenset({Role.MEASURE, Role.TIME})
_IN_TIME = {"before": "<", "earlier than": "<", "sooner than": "<", "after": ">", "later than": ">"}
_SIGNS = frozenset({">", "<", ">=", "<="})


def held_against(reading: Reading, model: Model) -> Reading:
    """Give a reading in which a column that is said to be more or less than another is one item of kind pair."""
    items, unknown = list(reading.items), list(reading.unknown)
    for at in range(len(items) - 1, 1, -1):
        if at >= len(items) or items[at].kind != "mention":
            continue
        first, sign = _said_before(items, at)
        if not sign:
            continue
        own = items[first + 1] if items[first].op == "comparative" else items[first]
        found = next(_columns(own, items[at], model), None)
        if found is None:
            continue
        text = " ".join(one.text for one in items[first : at + 1])
        unknown = [word for word in unknown if word not in [one.text for one in items[first : at + 1]]]
        pair = Item("pair", items[first].start, items[at].end, text, targets=found, detail=sign)
        if first > 0 and items[first - 1].op == "where":
            items[first - 1] = replace(items[first - 1], op="rel")
        items[first : at + 1] = [pair]
    return paired(reading, items, unknown)


def _said_before(items: Sequence[Item], at: int) -> tuple[int, str]:
    """Where the words begin by which an item is held against another, and how: a sign, empty where there are none."""
    before = items[at - 1]
    if before.op == "more" and before.detail in _SIGNS and items[at - 2].kind == "mention":
        return at - 2, before.detail
    if items[at - 2].kind == "mention" and (sign := _IN_TIME.get(before.text.lower())):
        return at - 2, sign
    if before.op == "than" and at > 2 and items[at - 3].op == "comparative":  # a higher salary than
        return at - 3, items[at - 3].detail
    return at, ""


def _columns(own: Item, other: Item, model: Model) -> Iterator[tuple[Target, Target]]:
    """The columns that two mentions surely mean: two of one kind, or one of a table whose rows point at each other."""
    for one in own.targets:
        field = model.field(one.table, one.column) if one.kind == "field" and one.cost <= LIKELY else None
        if field is None or field.role not in _ROLES and not is_level(field):
            continue
        for its in other.targets:
            relation = its.relation
            if its.cost > LIKELY:
                continue
            if relation is not None and relation.source == relation.target == one.table:
                yield one, replace(one, kind=ACROSS, relation=relation)
            elif its.kind == "field" and (its.table, its.column) != (one.table, one.column):
                held = model.field(its.table, its.column)
                if held is None or not _is_alike(field, held):
                    continue
                if its.table == one.table:
                    yield one, its
                elif (across := _only(model, one.table, its.table)) is not None:
                    yield one, replace(its, kind=ACROSS, relation=across)


def _only(model: Model, table: str, other: str) -> Relation | None:
    """The one relation by which rows of a table point at those of another."""
    found = [one for one in model.relations if one.source == table and one.target == other]
    return found[0] if len(found) == 1 else None


def _is_alike(one: Field, other: Field) -> bool:
    """Whether two columns hold sizes of one kind, so that one may be more than the other."""
    if one.is_number and other.is_number and (is_level(one) or is_level(other)):
        return {one.unit, other.unit} <= _COUNTED
    return one.role is other.role and one.unit == other.unit and (one.form is None) == (other.form is None)


_COUNTED = frozenset({"", "count"})
"""Units of what is counted in pieces."""


def is_level(field: Field) -> bool:
    """Whether a number is a bound that another one is held against: a reorder level, a minimum stock."""
    return field.is_number and bool(set(field.words) & _LEVELS)


_LEVELS = stems("reorder minimum min maximum threshold safety target limit level")
"""Words of such numbers."""


def onward(path: Path, target: Target) -> Path:
    """The way to a column of a pair: for one across a relation, that of its row and the relation."""
    return (*path, target.relation) if target.kind == ACROSS and target.relation is not None else path
