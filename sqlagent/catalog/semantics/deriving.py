"""Derives the semantic model of a source by rule, from its catalog, its statistics and its stored values.

Pure: nothing is read from the source here. Three hundred tables take a second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sqlagent.catalog.semantics.coding import Lists, codes_of, lists_of
from sqlagent.catalog.semantics.comments import labels_in
from sqlagent.catalog.semantics.displaying import display
from sqlagent.catalog.semantics.entries import entries_of
from sqlagent.catalog.semantics.happened import between, newest
from sqlagent.catalog.semantics.histories import history_of
from sqlagent.catalog.semantics.measuring import held, is_part_of_one, measured, moved
from sqlagent.catalog.semantics.naming import Names, shared_prefix
from sqlagent.catalog.semantics.relating import relations
from sqlagent.catalog.semantics.times import absent_day, default_time, form_of, other_time
from sqlagent.catalog.semantics.values import Field, Form, History, Kind, Model, Relation, Role, Thing
from sqlagent.catalog.semantics.words import (
    ASSETS,
    CATEGORICAL,
    COUNTED,
    DATE_PARTS,
    FLAGS,
    GEOGRAPHY,
    KEYS,
    LATE,
    LEVELS_OF_STOCK,
    MONEY,
    NAMES,
    NEVER,
    PERSONAL,
    STATES,
)  # fmt: skip
from sqlagent.catalog.statistics import ColumnFacts, Statistics, TableFacts
from sqlagent.language.words import fold, split_name, stem
from sqlagent.values import Catalog, Column, ColumnRef, Table
from sqlagent.values import Kind as Cells

FEW = 60
"""Different values up to which people group by a column whatever it is called."""

STORED = 0.4
"""Share of the tables from which on a time of storing is every row's, whatever it is about."""

STORING = frozenset(
    {"created", "updated", "modified", "inserted", "changed", "loaded", "synced", "crt", "upd", "ins"}
)
"""Words in names of times at which rows were stored."""

_PARTS = frozenset(stem(w) for w in ("item", "line", "position", "detail"))
"""Last nouns of tables of lines."""

_USERS = 2
"""Columns that hold codes of a table of lists, at least, where only its values tell that it is one."""

_MOSTLY = 0.9
"""The share taken to be filled of a column in which a number stands for no day: how often it does is not counted."""

_YES = {"y": "n", "yes": "no", "t": "f", "true": "false", "j": "n", "1": "0", "active": "inactive"}
_CLOCK = re.compile(r"[012]?\d:[0-5]\d(:[0-5]\d)?")
_GEOGRAPHY = frozenset(stem(w) for w in GEOGRAPHY)
_PLACES = frozenset(stem(w) for w in ("city", "zip", "postcode", "street", "address", "country"))
_REGION = frozenset({"state", "code", stem("province")})
"""A state beside a city is no status."""


class Stored(Protocol):
    """The questions to a value index that a semantic model is derived from."""

    @property
    def facts(self) -> Statistics:
        """The facts of the columns."""
        ...

    def texts_of(self, column: ColumnRef) -> Sequence[str]:
        """The different texts of a column."""
        ...


@dataclass(frozen=True, slots=True)
class _Seen:
    """Facts of a column by which its role is told. `few` are its values, `coded` says that they are codes or have labels."""

    table: Table
    column: Column
    words: tuple[str, ...]
    relation: Relation | None
    flag: tuple[str, str] | None
    form: Form | None
    few: bool
    coded: bool
    distinct: int
    rows: int


def derive(catalog: Catalog, index: Stored | None = None) -> Model:
    """Give the model of a source; without an index by names and types alone. Tables without columns are left out."""
    filled = replace(catalog, tables=tuple(table for table in catalog.tables if table.columns))
    return _Deriving(filled, index).model()


class _Deriving:
    def __init__(self, catalog: Catalog, index: Stored | None) -> None:
        self.catalog = catalog
        self.index = index
        self.facts = index.facts.tables if index is not None else {}
        self.names = Names(catalog)
        self.prefixes = {t.key: shared_prefix(t) for t in catalog.tables}
        statistics = index.facts if index is not None else Statistics()
        self.relations = relations(catalog, statistics, self.names, lambda t: self.prefixes[t.key])
        self.lists = [
            found
            for t in catalog.tables
            if t.key not in {r.target for r in self.relations}
            and (found := lists_of(t, self.facts.get(t.key), self.names)) is not None
        ]
        self.lists = [one for one in self.lists if not one.is_told_by_values or self._has_users(one)]
        self.foreign = {(r.source, c.lower()): r for r in self.relations for c in r.columns}
        self.referenced = {(r.target, c) for r in self.relations for c in r.referenced}
        self.pointed = Counter(r.target for r in self.relations if r.target != r.source)
        self.kept_by_all = _kept_by_all(catalog)

    def model(self) -> Model:
        fields = {t.key: self._fields(t) for t in self.catalog.tables}
        things = {t.key: self._thing(t, fields[t.key]) for t in self.catalog.tables}
        fields = {key: held(things[key], moved(things[key].kind, some)) for key, some in fields.items()}
        return Model(
            self.catalog.dialect,
            things,
            fields,
            self.relations,
            newest(things, fields),
            {t.key: (t.schema, t.name) for t in self.catalog.tables},
        )

    def _has_users(self, lists: Lists) -> bool:
        """Whether two columns of other tables hold codes of such lists: fewer are chance."""
        users = 0
        for table in self.catalog.tables:
            known = self.facts[table.key].columns if table.key in self.facts else {}
            for column in table.columns if table.key != lists.table else ():
                stored = self._stored(column, known.get(column.name), self._texts(table, column))
                if not lists.holding({text for text in stored if text}):
                    continue
                words = tuple(
                    map(stem, self.names.column_words(table, column.name, self.prefixes[table.key]))
                )
                noun = [stem(w) for w in self.names.table_words(table)]
                users += codes_of(column.name, words, noun, stored, [lists], self.names) is not None
                if users >= _USERS:
                    return True
        return False

    def _texts(self, table: Table, column: Column) -> Sequence[str]:
        return self.index.texts_of(ColumnRef(table.key, column.name)) if self.index is not None else ()

    def _fields(self, table: Table) -> tuple[Field, ...]:
        facts = self.facts.get(table.key)
        noun = [stem(w) for w in self.names.table_words(table)]
        return tuple(self._field(table, column, facts, noun) for column in table.columns)

    def _field(self, table: Table, column: Column, facts: TableFacts | None, noun: Sequence[str]) -> Field:
        raw = self.names.column_words(table, column.name, self.prefixes[table.key])
        words = tuple(stem(w) for w in raw)
        known = facts.columns.get(column.name) if facts is not None else None
        texts = self._texts(table, column)
        rows = facts.rows if facts is not None else 0
        filled = known.filled / rows if known is not None and rows else 1.0
        distinct = known.distinct if known is not None else len(texts)
        is_number = column.kind in (Cells.INTEGER, Cells.NUMBER)
        flag = self._flag(column, words, known, texts)
        codes = codes_of(column.name, words, noun, self._stored(column, known, texts), self.lists, self.names)
        absent, known = absent_day(column, words, known)
        form = None if flag or codes else form_of(column, words, known, texts)
        relation = self.foreign.get((table.key, column.name.lower()))
        few = 0 < distinct <= FEW or (0 < distinct <= 0.05 * rows)
        is_text = column.kind is Cells.TEXT and not (relation or flag or codes or form)
        listed = entries_of(words, texts) if is_text and column.name not in table.primary_key else None
        few = few and listed is None  # nobody groups by whole lists
        told = listed.texts if listed is not None else self._told(column, known, texts)
        labels = labels_in(column.comment, told) if codes is None and not form else ()
        coded = codes is not None or bool(labels) or listed is not None
        role = self._role(_Seen(table, column, words, relation, flag, form, few, coded, distinct, rows))
        aggregate, unit = measured(words, is_number) if role is Role.MEASURE else ("", "")
        if stem("discount") in words and known is not None and is_part_of_one(known):
            aggregate, unit = "avg", ""  # a discount of 0.1 is a rate, and rates are not added up
        low, high = (known.low, known.high) if known is not None else ("", "")
        if absent:
            low, high = ("", high) if int(absent) <= 0 else (low, "")
        return Field(
            table.key, column.name, words, " ".join(raw), role, aggregate, unit, form,
            flag[0] if flag else "", flag[1] if flag else "", codes, few, is_number, column.kind is Cells.INTEGER,
            round(min(filled, _MOSTLY) if absent else filled, 4), low, high,
            labels=labels, absent=absent,
            separator=listed.separator if listed else "", entries=listed.texts if listed else (),
            gap=known.gap if known is not None else 0.0,
        )  # fmt: skip

    def _told(self, column: Column, known: ColumnFacts | None, texts: Sequence[str]) -> Sequence[str]:
        """The values of a column that its comment may name: few texts, or the whole numbers of a short range."""
        if column.kind is Cells.TEXT:
            return texts if len(texts) <= FEW else ()
        ends = self._stored(column, known, texts)
        if len(ends) != 2 or int(ends[1]) - int(ends[0]) >= FEW:
            return ()
        return [str(n) for n in range(int(ends[0]), int(ends[1]) + 1)]

    def _stored(self, column: Column, known: ColumnFacts | None, texts: Sequence[str]) -> Sequence[str]:
        """The values of a column that may be codes: texts, or whole numbers in a short range."""
        if column.kind is Cells.TEXT:
            return texts[:200]
        if column.kind is Cells.INTEGER and known is not None and known.distinct:
            try:
                low, high = int(known.low), int(known.high)
            except ValueError:
                return ()
            return [str(low), str(high)] if high - low < 1_000 and known.distinct <= FEW else ()
        return ()

    def _flag(
        self, column: Column, words: Sequence[str], known: ColumnFacts | None, texts: Sequence[str]
    ) -> tuple[str, str] | None:
        """The literals of yes and no of a column that holds nothing else."""
        if column.kind is Cells.BOOLEAN:
            number = self.catalog.dialect in ("sqlite", "mysql")
            return ("1", "0") if number else ("TRUE", "FALSE")
        if column.kind is Cells.TEXT and 1 <= len(texts) <= 2:
            yes = next((t for t in texts if fold(t) in _YES), "")
            no = next((t for t in texts if yes and fold(t) == _YES[fold(yes)]), "")
            if yes and no:
                return f"'{yes}'", f"'{no}'"
            return None
        said = set(words)
        ends = (known.low, known.high, known.distinct) if known is not None else None
        is_flag = ends == ("0", "1", 2) and bool(said & FLAGS or not said & (MONEY | COUNTED))
        return ("1", "0") if is_flag and column.kind is Cells.INTEGER else None

    def _role(self, seen: _Seen) -> Role:
        """The role of a column: a key, a time, a pointer, a flag, codes, else by its type and its words."""
        column = seen.column
        if column.name in seen.table.primary_key and len(seen.table.primary_key) == 1:
            return Role.KEY
        if seen.form is not None and (seen.relation is None or seen.form is Form.NUMBER_DAY):
            return Role.TIME
        if seen.relation is not None:
            return Role.FOREIGN
        if seen.flag:
            return Role.FLAG
        if seen.coded:
            return Role.DIMENSION
        if column.kind in (Cells.INTEGER, Cells.NUMBER):
            return self._role_of_number(seen)
        return _role_of_text(seen) if column.kind is Cells.TEXT else Role.TEXT

    def _role_of_number(self, seen: _Seen) -> Role:
        """Whether numbers tell rows apart, group them, or are measured."""
        said, last = set(seen.words), seen.words[-1] if seen.words else ""
        is_numbered = self.names.parts(seen.column.name)[-1:] in (("no",), ("nr",), ("nbr",))
        is_key = last in KEYS and not said & (MONEY | COUNTED)
        if is_key or last in ("id", "key", "fk") or is_numbered and len(seen.words) > 1:
            return Role.KEY
        is_whole = seen.column.kind is Cells.INTEGER
        is_unique = 20 < seen.rows * 0.95 <= seen.distinct
        is_referenced = (seen.table.key, seen.column.name) in self.referenced
        if last in KEYS and (is_referenced or is_unique) and is_whole:
            return Role.KEY
        is_rank = seen.few and last in CATEGORICAL and is_whole and not said & LEVELS_OF_STOCK
        if said & _GEOGRAPHY or is_rank:
            return Role.DIMENSION
        return Role.MEASURE

    def _thing(self, table: Table, fields: Sequence[Field]) -> Thing:
        """The thing in a table's rows: its kind and noun, the columns that show it, its times and its states."""
        words = self.names.table_words(table)
        noun = tuple(stem(w) for w in words)
        times = [f for f in fields if f.form is not None and f.role is Role.TIME]
        own = [f for f in times if f.column.lower() not in self.kept_by_all]
        happened = any(f.filled >= 0.5 and not set(f.words) & (NEVER | PERSONAL | LATE) for f in own)
        # a row that was cancelled, scanned or deleted happened before
        known = [
            (f.column, f.words, f.form, f.filled) for f in (own if happened else times) if f.form is not None
        ]
        heads = any(r.source == table.key and r.target != table.key for r in self.relations)
        # lines are of the day of their head
        stored = bool(noun) and noun[-1] in _PARTS and not own and heads
        begins, ends = between(fields)
        history = self._history(table, fields, noun)
        kind = Kind.HISTORY if history is not None else self._kind(table, fields, noun, begins, ends)
        facts = self.facts.get(table.key)
        rows = max(facts.rows if facts is not None else 0, table.row_estimate or 0)
        return Thing(
            table.key,
            kind,
            noun,
            " ".join(words),
            table.primary_key or self._key(table, fields, facts),
            display(fields, noun, facts),
            "" if stored else default_time(known, noun),
            "" if stored else other_time(known, noun),
            begins,
            ends,
            _state(fields),
            rows,
            clock=self._clock(table, facts),
            history=history,
        )

    def _history(self, table: Table, fields: Sequence[Field], noun: Sequence[str]) -> History | None:
        """The validity of a table's rows; None where other tables point at it, as at offers and contracts."""
        if self.pointed[table.key]:
            return None
        outgoing = [r for r in self.relations if r.source == table.key and r.target != table.key]
        columns = {column.name: column for column in table.columns}
        return history_of(
            fields, noun, table.primary_key, outgoing, lambda name: self._texts(table, columns[name])
        )

    @staticmethod
    def _clock(table: Table, facts: TableFacts | None) -> str:
        """The column that says at what time of day its rows begin: of that type, or with texts like 18:30."""
        known = facts.columns if facts is not None else {}
        for column in table.columns:
            ends = known.get(column.name)
            if column.kind is Cells.TIME or (
                column.kind is Cells.TEXT
                and ends is not None
                and all(_CLOCK.fullmatch(end) for end in (ends.low, ends.high))
            ):
                return column.name
        return ""

    def _key(self, table: Table, fields: Sequence[Field], facts: TableFacts | None) -> tuple[str, ...]:
        """The column that tells rows apart where no key is declared."""
        pointed = {
            r.referenced[0] for r in self.relations if r.target == table.key and len(r.referenced) == 1
        }
        if pointed:
            return (sorted(pointed)[0],)
        for one in fields:
            known = facts.columns.get(one.column) if facts is not None else None
            unique = facts is not None and known is not None and 0 < facts.rows == known.distinct
            if unique and set(one.words) & KEYS:
                return (one.column,)
        return ()

    def _kind(
        self, table: Table, fields: Sequence[Field], noun: Sequence[str], begins: str, ends: str
    ) -> Kind:
        if any(found.table == table.key for found in self.lists):
            return Kind.CODES
        outgoing = [r for r in self.relations if r.source == table.key and r.target != table.key]
        parts = sum(bool(set(f.words) & DATE_PARTS) for f in fields)
        if (
            not outgoing
            and parts >= 3
            and any(f.role is Role.TIME for f in fields)
            and parts >= 0.4 * len(fields)
        ):
            return Kind.DATES
        times = [f for f in fields if f.role is Role.TIME]
        paired = bool(begins and ends and {"valid", "effect"} & set(self._words(fields, begins)))
        if outgoing and ((paired and len(table.primary_key) != 1) or (begins and ends and "histori" in noun)):
            return Kind.HISTORY
        pointing = {r.source for r in self.relations if r.target == table.key and r.source != table.key}
        if noun and noun[-1] in ASSETS and pointing:
            return Kind.THING
        names = any(set(f.words) & NAMES and f.role in (Role.TEXT, Role.DIMENSION) for f in fields)
        measures = any(f.role is Role.MEASURE for f in fields)
        if (
            outgoing
            and (times or any(self._points_at_dates(r) for r in outgoing))
            and (not names or not self.pointed[table.key])
        ):
            return Kind.EVENT
        if len(pointing) > 1 and len(table.primary_key) <= 1:
            return Kind.THING  # a thing with several kinds of events is no line of another
        if outgoing and not names and (measures or len(outgoing) >= 2):
            return Kind.LINES
        return Kind.THING

    def _points_at_dates(self, relation: Relation) -> bool:
        return stem("date") in [stem(w) for w in self.names.table_words(self.catalog_table(relation.target))]

    def catalog_table(self, key: str) -> Table:
        """A table by its key."""
        return next(t for t in self.catalog.tables if t.key == key)

    @staticmethod
    def _words(fields: Sequence[Field], column: str) -> tuple[str, ...]:
        return next((f.words for f in fields if f.column == column), ())


def _role_of_text(seen: _Seen) -> Role:
    """Whether texts tell rows apart, group them, or only tell of them."""
    if seen.words and seen.words[-1] in KEYS and seen.rows and seen.distinct >= 0.95 * seen.rows:
        return Role.KEY
    is_grouped_by = seen.few or set(seen.words) & (CATEGORICAL | _GEOGRAPHY)
    return Role.DIMENSION if is_grouped_by else Role.TEXT


def _state(fields: Sequence[Field]) -> str:
    """The column that says how rows stand, a status first; empty where there is none. A state beside a city is none."""
    placed = any(set(f.words) & _PLACES for f in fields)
    states = [
        f
        for f in fields
        if set(f.words) & STATES
        and f.role is Role.DIMENSION
        and not (placed and (set(f.words) <= _REGION or f.words[-1] in _REGION - {"code"}))
    ]
    states.sort(key=lambda f: stem("status") not in f.words)  # a state may be a place
    return states[0].column if states else ""


def _kept_by_all(catalog: Catalog) -> frozenset[str]:
    """The times that a framework keeps of every row, created_at and the like: they say when it was stored, not when it happened.

    Columns of one name in at least `STORED` of at least four tables.
    """
    many = Counter(column.name.lower() for table in catalog.tables for column in table.columns)
    least = max(4.0, STORED * len(catalog.tables))
    return frozenset(
        name for name, count in many.items() if count >= least and set(split_name(name)) & STORING
    )
