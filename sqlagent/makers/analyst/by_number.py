"""Groups told by a number, where a name was asked for and none is read: "revenue by plan" of a table of subscriptions alone."""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.catalog.semantics import Field, Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_NUMBERS = stems("id number no nr key code identifier")


def by_number(frame: Frame, reading: Reading, source: Source) -> str:
    """The remark on groups that are numbers of rows, though a word asked for them that is no name of these; empty where none are.

    Until values are read nobody knows which columns and lists hold names, so then every such group is told, unless its number was asked for.
    """
    for one in _numbers(frame):
        for item in reading.items:
            if not _means(item, one, source):
                continue
            said = {stem(word) for word in item.text.lower().split()}
            noun = set(source.model.things[one.table].noun) if one.role is Role.KEY else set()
            is_asked = bool(said & _NUMBERS) or stem("number") in one.words
            if not is_asked and (source.vocabulary.index is None or not said & (set(one.words) | noun)):
                return f"No name is read for “{item.text}”, so its groups are told by number."
    return ""


def _numbers(frame: Frame) -> Iterator[Field]:
    """The columns of numbers that groups are told by, where nothing else tells them."""
    for dimension in frame.by:
        roles = {slot.field.role for slot in dimension.shown}
        if not dimension.grain and not dimension.bucket and roles and roles <= {Role.KEY, Role.FOREIGN}:
            yield dimension.shown[0].field


def _means(item: Item, one: Field, source: Source) -> bool:
    """Whether a word may have led to a column of numbers: by its table, by what it points at or by itself."""
    if item.kind != "mention":
        return False
    pointed = {
        r.target for r in source.model.relations if (r.source, r.columns[0]) == (one.table, one.column)
    }
    return any(
        target.kind == "thing"
        and target.table in {one.table, *pointed}
        or target.kind in ("field", "relation")
        and (target.table, target.column) == (one.table, one.column)
        for target in item.targets
    )
