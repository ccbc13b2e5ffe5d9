"""A noun in the singular right before another one says of what these are: "boat faults" are faults and no boats.

Decides that the rows of the second noun are meant, of those that have one of the first where not all do: "contract invoices".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.language.words import plural_of
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_NAMED = 0.1
"""Cost below which a word is the name of a thing."""

_ALIKE = 0.15
"""Cost below which a word is a name of a thing that another source has for the same: customer contacts of clients."""


def nouns_modified(reading: Reading, source: Source) -> Reading:
    """Give the reading in which each such pair is one noun, or the second one with the first."""
    items = list(reading.items)
    at = 0
    while at + 1 < len(items):
        first, second = items[at], items[at + 1]
        if not _is_said_of(first, second, source) or _may_be_a_deed(items, at):
            at += 1
            continue
        whole = replace(second, start=first.start, text=f"{first.text} {second.text}")
        if _all_have(second.targets[0].table, first.targets[0].table, source):
            items[at : at + 2] = [whole]
        else:
            having = Item("op", first.end, first.end, "with", op="rel")
            items[at : at + 2] = [replace(second, start=first.start), having, replace(first, start=first.end)]
        at += 1
    return replace(reading, items=tuple(items))


def _may_be_a_deed(items: Sequence[Item], at: int) -> bool:
    """Whether the second word may be a verb, or the first one a group: "which customer orders the most", unless another verb follows."""
    before = items[at - 1] if at else None
    after = items[at + 2] if at + 2 < len(items) else None
    if before is None or before.op not in ("rel", "by"):
        return False
    has_verb = after is not None and after.start > items[at + 1].end and after.op != "rank"
    return before.op == "by" or not has_verb


def _is_said_of(first: Item, second: Item, source: Source) -> bool:
    """Whether two mentions are a thing in the singular and rows in the plural that lead to it, none of them stored with what leads there."""
    if first.kind != "mention" or second.kind != "mention" or first.end != second.start:
        return False
    one, other = first.targets[0], second.targets[0]
    if one.kind != "thing" or other.kind != "thing" or one.cost >= _ALIKE or other.cost >= _NAMED:
        return False
    said, noun = first.text.lower(), second.text.lower()
    if said.endswith("s") or plural_of(said) == said or not noun.endswith("s") or one.table == other.table:
        return False
    if any(t.kind == "value" and t.table == other.table and t.cost < _NAMED for t in first.targets):
        return False
    return bool(source.graph.paths(other.table, one.table))


def _all_have(table: str, of: str, source: Source) -> bool:
    """Whether each row leads to one, on the nearest way."""
    nearest = min(source.graph.paths(table, of), key=len)
    keys = [
        source.model.field(relation.source, column) for relation in nearest for column in relation.columns
    ]
    return all(key is not None and key.filled == 1 for key in keys)
