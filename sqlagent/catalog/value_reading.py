"""Reads the stored values and the facts of a source, in parts that can be kept and gone on from.

Decides what is read next, what a failure of one table costs, and what a changed catalog leaves valid.
Leaves when to stop, where what was read is kept, and what it means to others.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlagent.catalog.statistics import FactsReader, FoundKey, Statistics, TableFacts
from sqlagent.catalog.value_order import Unit, readable, units_of
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.ports import Database
from sqlagent.values import Catalog, Column, ColumnRef, FailureKind, Kind, Limits, StoredTexts, Table

log = logging.getLogger(__name__)

MAX_VALUE_CHARS = 80
"""Longer texts are notes and descriptions, not names anyone types whole."""

SMALL = 1_000
"""Rows of a table whose columns are read together; a column by itself costs a connection, 25 ms and more."""

MAX_VALUES = 300_000
"""Distinct values kept over all columns; about 60 MB."""

BROKEN = "Something in Mirror itself broke while reading this. It was logged."

_INTERRUPTED = (FailureKind.CANCELLED, FailureKind.LOST)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading of a source came.

    `left` is still to be read, in this order; `failed` says in words why a step came to nothing. Of the columns in
    `parts` only the most frequent texts are kept. `shapes` tells what each table was when it was read. With
    `is_full` no more texts are kept, and what was not read stays so. Steps in `interrupted` were broken off once.
    """

    left: tuple[Unit, ...] = ()
    failed: Mapping[Unit, str] = field(default_factory=dict)
    parts: frozenset[ColumnRef] = frozenset()
    shapes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    is_full: bool = False
    interrupted: frozenset[Unit] = frozenset()

    def plain(self) -> dict[str, Any]:
        """Give plain data for keeping; `from_plain` gives equal progress back."""
        return {
            "left": [list(unit) for unit in self.left],
            "failed": [[*unit, words] for unit, words in self.failed.items()],
            "parts": [[c.table, c.column] for c in sorted(self.parts, key=lambda c: (c.table, c.column))],
            "shapes": self.shapes,
            "is_full": self.is_full,
            "interrupted": [list(unit) for unit in sorted(self.interrupted)],
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Progress:
        """Read what `plain` gave. Raises: KeyError, TypeError, ValueError where it is something else."""
        return cls(
            tuple(Unit(*map(str, unit)) for unit in data["left"]),
            {Unit(*map(str, unit)): str(words) for *unit, words in data["failed"]},
            frozenset(ColumnRef(str(table), str(column)) for table, column in data["parts"]),
            {str(table): dict(shape) for table, shape in data["shapes"].items()},
            bool(data["is_full"]),
            frozenset(Unit(*map(str, unit)) for unit in data.get("interrupted", ())),
        )


class ValueReading:
    """The values read of a source so far, and the reading on. Not for several threads at once."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.texts: dict[ColumnRef, tuple[str, ...]] = {}
        self.facts: dict[str, TableFacts] = {}
        self.keys: tuple[FoundKey, ...] = ()
        self.failed: dict[Unit, str] = {}
        self.parts: set[ColumnRef] = set()
        self.is_full = False
        self.interrupted: set[Unit] = set()
        self._singly: set[str] = set()
        self.left = list(units_of(catalog))

    @classmethod
    def resumed(
        cls,
        catalog: Catalog,
        texts: Mapping[ColumnRef, Iterable[str]],
        facts: Statistics,
        progress: Progress,
        *,
        again: bool = False,
    ) -> ValueReading:
        """Go on from an earlier reading, perhaps of an older catalog.

        Changed parts are to be read anew: of a table with other columns those columns and the facts, of one with
        other keys these. With `again` everything is, and failed parts too; until then the earlier values stay.
        """
        reading = cls(catalog)
        same = {t.key: _same(t, progress.shapes.get(t.key, {})) for t in catalog.tables}
        reading.texts = {
            ref: tuple(held) for ref, held in texts.items() if ref.column in same.get(ref.table, ())
        }
        reading.parts = {ref for ref in progress.parts if ref in reading.texts}
        unchanged = {t.key for t in catalog.tables if "" in same[t.key]}
        reading.facts = {name: known for name, known in facts.tables.items() if name in unchanged}
        reading.keys = tuple(k for k in facts.keys if {k.table, k.target} <= unchanged)
        if again:
            return reading
        left = set(progress.left)
        reading.failed = {unit: words for unit, words in progress.failed.items() if unit.table in unchanged}
        reading.is_full = progress.is_full

        def is_left(unit: Unit) -> bool:
            if unit in left:
                return True
            if unit in reading.failed:
                return False
            if unit.what == "keys":  # any table may hold the key of one that is new
                return not facts.tables or len(unchanged) < len(catalog.tables)
            return unit.ref not in reading.texts if unit.what == "values" else unit.table not in reading.facts

        reading.left = [unit for unit in reading.left if is_left(unit)]
        reading.interrupted = {
            unit for unit in progress.interrupted if unit in left and unit.table in unchanged
        }
        return reading

    def progress(self) -> Progress:
        """How far it came, to be kept beside what was read."""
        shapes = {table.key: _shape(table) for table in self.catalog.tables}
        return Progress(
            tuple(self.left),
            dict(self.failed),
            frozenset(self.parts),
            shapes,
            self.is_full,
            frozenset(self.interrupted),
        )

    def coverage(self) -> dict[str, Any]:
        """Tell how much is read, as plain data: columns `read` `of` how many, of which `parts` in part, steps `left`.

        `empty` are tables without rows, `failed` the words why a table, or some of its columns, could not be read.
        """
        of = readable(self.catalog)
        failed: dict[str, dict[str, Any]] = {}
        for unit, words in self.failed.items():
            told = failed.setdefault(unit.table, {"words": words, "columns": []})
            if unit.what == "values":
                told["columns"].append(unit.column)
        return {
            "read": sum(ref in self.texts for ref in of),
            "of": len(of),
            "parts": len(self.parts),
            "left": len(self.left),
            "is_full": self.is_full,
            "empty": sorted(name for name, known in self.facts.items() if known.whole and not known.rows),
            "failed": failed,
        }

    def statistics(self) -> Statistics:
        """The facts about columns that were read so far, and the keys that values confirmed."""
        return Statistics(dict(self.facts), self.keys)

    def read(
        self,
        database: Database,
        *,
        per_column: int,
        seconds: float,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read on until all is read, `seconds` are over or `stop` says so, which is asked before each step.

        A step takes some seconds at most. One that fails is left out with the database's words; where a
        table refuses both its facts and a column, its other columns are not tried. A step that was stopped ends the
        reading for now; one that lost the connection is tried again where the source answers. The second time it is left
        out. Raises: DatabaseError where the source does not answer, with the step that met it still to be done.
        """
        until = time.monotonic() + seconds
        tables = {table.key: table for table in self.catalog.tables}
        looked = FactsReader(self.catalog, database)
        held = {text for texts in self.texts.values() for text in texts}
        doubted = set(self.interrupted)
        while self.left and time.monotonic() < until and not stop():
            unit = self.left[0]
            if unit in doubted:
                _answers(database)
            try:
                self._step(unit, looked, tables[unit.table], per_column, held)
                self.failed.pop(unit, None)
            except DatabaseError as error:
                is_interrupted = error.failure.kind in _INTERRUPTED
                if is_interrupted and unit not in self.interrupted:
                    self.interrupted.add(unit)
                    if error.failure.kind is FailureKind.CANCELLED:
                        return
                    _answers(database)
                    continue
                words = error.failure.message
                self._fail(unit, f"It was interrupted twice. {words}" if is_interrupted else words)
            except Exception:
                log.exception("Reading %s broke", unit)
                self._fail(unit, BROKEN)
            self.interrupted.discard(unit)
            if unit in self.left:
                self.left.remove(unit)

    def _step(self, unit: Unit, looked: FactsReader, table: Table, per_column: int, held: set[str]) -> None:
        if unit.what == "facts":
            self.facts[table.key] = looked.facts(table)
        elif unit.what == "keys":
            found = tuple(looked.found_keys(table, self.facts))
            self.keys = (*(key for key in self.keys if key.table != table.key), *found)
        else:
            self._values(unit, looked, table, per_column, held)

    def _values(self, unit: Unit, looked: FactsReader, table: Table, per_column: int, held: set[str]) -> None:
        facts = self.facts.get(table.key)
        if facts is not None and facts.whole and not facts.rows:
            self.texts[unit.ref] = ()
            return
        if len(held) > MAX_VALUES:
            self.is_full = True
            return
        if facts is not None and facts.whole and facts.rows < min(SMALL, per_column):
            together = self._together(unit, table)
            is_singly = table.key in self._singly or unit in self.interrupted
            if len(together) > 1 and not is_singly:
                try:
                    self._small(together, looked, table, held)
                    return
                except DatabaseError as error:
                    self._singly.add(table.key)  # one of them is why
                    if error.failure.kind in _INTERRUPTED:
                        raise
        found = looked.database.values(table.name, unit.column, per_column, table.schema)
        listed = [str(text) for text in found]
        texts = tuple(dict.fromkeys(t for t in listed if t and len(t) <= MAX_VALUE_CHARS))
        self.texts[unit.ref] = texts
        held.update(texts)
        is_whole = not isinstance(found, StoredTexts) or found.is_whole
        (self.parts.discard if is_whole and len(listed) < per_column else self.parts.add)(unit.ref)

    def _together(self, unit: Unit, table: Table) -> list[Unit]:
        """The columns of texts that a step of a small table reads at once, its own among them; else it alone."""
        texts = {column.name for column in table.columns if column.kind is Kind.TEXT}
        left = [one for one in self.left if one.what == "values" and one.table == unit.table]
        return [one for one in left if one.column in texts] if unit.column in texts else [unit]

    def _small(self, units: list[Unit], looked: FactsReader, table: Table, held: set[str]) -> None:
        """Read columns of a small table by one statement: each costs a connection."""
        rows = looked.cells(table, [unit.column for unit in units], SMALL, MAX_VALUE_CHARS + 1).rows
        for number, unit in enumerate(units):
            cells = Counter(row[number] for row in rows if isinstance(row[number], str))
            ordered = sorted(cells, key=lambda text: (-cells[text], text))
            texts = tuple(text for text in ordered if text and len(text) <= MAX_VALUE_CHARS)
            self.texts[unit.ref] = texts
            self.parts.discard(unit.ref)
            held.update(texts)
            self.left.remove(unit)

    def _fail(self, unit: Unit, words: str) -> None:
        self.failed[unit] = words
        self.texts.pop(unit.ref, None)
        of_table = self.failed.get(Unit("facts", unit.table)) == words and unit.column not in words
        if unit.what != "values" or not of_table:
            return
        for other in [one for one in self.left if one.what == "values" and one.table == unit.table]:
            if other != unit:
                self.failed[other] = words
                self.left.remove(other)


def _answers(database: Database) -> None:
    """See that a source answers at all, if only with a refusal. Raises: DatabaseError."""
    try:
        database.execute("SELECT 1", Limits(seconds=5, rows=1))
    except StatementFailed as error:
        if error.failure.kind not in (FailureKind.ERROR, FailureKind.REFUSED):
            raise


def as_it_is(catalog: Catalog) -> Progress:
    """The progress of a reading that told none, taking the tables for those it read."""
    return Progress(shapes={table.key: _shape(table) for table in catalog.tables})


def unread(catalog: Catalog, columns: Iterable[ColumnRef]) -> tuple[ColumnRef, ...]:
    """The columns of a catalog whose texts are kept as a rule, and are not among those read."""
    known = set(columns)
    return tuple(ref for ref in readable(catalog) if ref not in known)


def _shape(table: Table) -> dict[str, str]:
    """The shape of a table, by column; under "" what holds its columns together."""
    whole = f"{table.primary_key} {sorted(map(repr, table.foreign_keys))} {[c.name for c in table.columns]}"
    return {"": whole, **{column.name: _column_shape(column) for column in table.columns}}


def _column_shape(column: Column) -> str:
    return f"{column.kind} {column.type}"


def _same(table: Table, shape: Mapping[str, str]) -> frozenset[str]:
    """The columns of a table that are as they were, and "" where all of it is."""
    now = _shape(table)
    columns = {name for name, said in now.items() if name and shape.get(name) == said}
    return frozenset(columns | {""}) if now == dict(shape) else frozenset(columns)
