"""One source as the analyst sees it: its model, the ways between its tables, its words. Made once and kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from threading import Lock
from types import MappingProxyType

from sqlagent.catalog.keys import catalog_key
from sqlagent.catalog.semantics import (
    DATED,
    Field,
    Kind,
    Model,
    Relation,
    Role,
    Thing,
    corrected,
    derive,
)
from sqlagent.catalog.semantics.words import PARTS
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.personal import is_personal_column
from sqlagent.language.words import name_words, stem
from sqlagent.makers.analyst.frames import Dimension, Measure, Path, Slot
from sqlagent.makers.analyst.graph import Graph
from sqlagent.makers.analyst.targets import Target
from sqlagent.makers.analyst.vocabulary import Vocabulary
from sqlagent.values import Catalog

KEPT = 8

MANY_ROWS = 100
"""Rows from which on a table of events is a business's own, and no example of a schema."""

SORTS = frozenset(map(stem, ["type", "kind", "category", "template", "format"]))
"""Nouns of what sorts other rows."""


class Source:
    """Model, graph and vocabulary of one source, and the small questions that are asked of them again and again."""

    def __init__(self, model: Model, index: ValueIndex | None) -> None:
        self.model = model
        self.graph = Graph(model)
        self.vocabulary = Vocabulary(model, index)
        self.figures: Mapping[str, tuple[Measure, ...]] = {}
        self.times = frozenset(
            (one.table, one.column) for table in model.things for one in model.of_role(table, Role.TIME)
        )
        self.is_business = any(map(self._is_busy, model.things.values()))

    def knowing(self, index: ValueIndex | None) -> Source:
        """The same source, its words looked up in an index that knows some values more."""
        other = copy(self)
        other.vocabulary = copy(self.vocabulary)
        other.vocabulary.index = index
        return other

    def telling(
        self,
        explained: Mapping[tuple[str, ...], tuple[Target, ...]],
        fields: Iterable[Field] = (),
        figures: Mapping[str, tuple[Measure, ...]] = MappingProxyType({}),
    ) -> Source:
        """The same source, some words of one question meaning what a hint says of them.

        `fields` are columns besides that the hint computes, `figures` figures by the concept that a target names.
        """
        other = copy(self)
        other.figures = figures
        more = tuple(fields)
        grown = {
            table: (*own, *(f for f in more if f.table == table)) for table, own in self.model.fields.items()
        }
        other.model = replace(self.model, fields=grown) if more else self.model
        other.vocabulary = copy(self.vocabulary)
        other.vocabulary.model = other.model
        other.vocabulary.explained = explained
        return other

    def _is_busy(self, thing: Thing) -> bool:
        """Whether rows of a table happen on days, and many did."""
        if thing.kind not in (Kind.EVENT, Kind.LINES) or thing.rows < MANY_ROWS:
            return False
        time = self.time_of(thing.table)
        return time is not None and time.field.form in DATED

    def slot(self, table: str, column: str, path: Path = ()) -> Slot:
        """A column as a slot."""
        found = self.model.field(table, column)
        assert found is not None
        return Slot(found, path)

    def time_of(self, table: str) -> Slot | None:
        """When a table's rows happen: its own default time, or that of what they belong to."""
        found: tuple[int, Slot] | None = None
        for other, paths in self.graph.up(table).items():
            thing = self.model.things[other]
            if not thing.default_time or not paths:
                continue
            if other != table and thing.kind not in (Kind.EVENT, Kind.DATES):
                continue
            rank = len(paths[0])
            if found is None or rank < found[0]:
                found = (rank, self.slot(other, thing.default_time, paths[0]))
        return found[1] if found is not None else None

    def dimension(self, table: str, path: Path = (), said: str = "") -> Dimension:
        """A thing as something to group by: shown by its columns, told apart by its key; events without names by their sort."""
        thing = self.model.things[table]
        names = self.names(table)
        if not names and (sort := self._sort_of(thing)) is not None:
            return self.dimension(sort.target, (*path, sort), said)
        shown = names or thing.key or (self.model.fields[table][0].column,)
        keys = thing.key if thing.key and names else ()
        if len(names) == 1 and self._is_unique(table, names[0]) or len(keys) > 1:
            keys = () if len(keys) > 1 else keys
        return Dimension(
            tuple(self.slot(table, c, path) for c in shown),
            tuple(self.slot(table, c, path) for c in keys),
            said=_without_key(said) or thing.said,
        )

    def _sort_of(self, thing: Thing) -> Relation | None:
        """The relation that sorts events that have no names: class sessions by their class types."""
        if thing.kind is not Kind.EVENT or not thing.noun:
            return None
        for relation in self.model.relations:
            target = self.model.things[relation.target]
            if relation.source != thing.table or target.kind is not Kind.THING or not target.display:
                continue
            if len(target.noun) > 1 and target.noun[0] == thing.noun[0] and target.noun[-1] in SORTS:
                return relation
        return None

    def _is_unique(self, table: str, column: str) -> bool:
        return self.model.things[table].key == (column,)

    def is_name(self, table: str, column: str) -> bool:
        """Whether a column is what a thing's rows are called by; what an event holds of names is a column like others."""
        thing = self.model.things[table]
        return thing.kind is Kind.THING and column in thing.display

    def shown(self, table: str, path: Path = ()) -> tuple[Slot, ...]:
        """The columns that show a thing's rows in a list."""
        thing = self.model.things[table]
        return tuple(self.slot(table, c, path) for c in (self.names(table) or thing.key))

    def names(self, table: str) -> tuple[str, ...]:
        """The columns that rows are called by: a name, else the number that people know them by where the key is another."""
        thing = self.model.things[table]
        if thing.display or thing.kind not in (Kind.THING, Kind.EVENT):
            return thing.display
        known = (
            f
            for f in self.model.fields[table]
            if f.role is Role.KEY and not f.is_number and f.column not in thing.key and f.filled == 1
        )
        return tuple(f.column for f in known)[:1]

    def is_personal(self, one: Field) -> bool:
        """Whether a column is about single persons, by what it is called in the database or by what its owner calls it."""
        noun = self.model.things[one.table].noun
        stored = [stem(word) for word in name_words(one.column)]
        owner = {stem(word) for word in name_words(one.table.rpartition(".")[2])}
        return is_personal_column({*noun, *owner}, one.words) or is_personal_column({*noun, *owner}, stored)

    def measures(self, table: str) -> tuple[Field, ...]:
        """The measures of a table in their order, but a total before what it is made of, and what was taken off it last."""
        found = self.model.of_role(table, Role.MEASURE)
        if not any("total" in one.words and not set(one.words) & PARTS for one in found):
            return found
        return tuple(sorted(found, key=lambda one: (bool(set(one.words) & PARTS), "total" not in one.words)))


def _without_key(said: str) -> str:
    """The name of a column that points: the customer of customer number."""
    words = said.split()
    while len(words) > 1 and words[-1] in ("key", "id", "code", "number", "no"):
        words = words[:-1]
    return " ".join(words)


_sources: OrderedDict[Hashable, tuple[ValueIndex | None, Source]] = OrderedDict()
_lock = Lock()


def source_of(catalog: Catalog, index: ValueIndex | None) -> Source:
    """Give the source of a catalog and its values, derived once for as long as it is among the last few used."""
    base = index.base if index is not None else None
    if base is not index:
        return source_of(catalog, base).knowing(index)
    key = (catalog_key(catalog), id(index))
    with _lock:
        if key in _sources:
            _sources.move_to_end(key)
            return _sources[key][1]
    model, _ = corrected(derive(catalog, index), catalog.corrections)
    made = Source(model, index)
    with _lock:
        _sources[key] = (index, made)
        while len(_sources) > KEPT:
            _sources.popitem(last=False)
    return made
