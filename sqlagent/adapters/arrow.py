"""Rows that come by column: the limits they are kept within, as `base.Rowing` keeps those of rows.

A column of a batch is a list of cells or an Arrow array; which of the two is the adapter's decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

from sqlagent.adapters.base import NARROW, cell_chars, cut_cell
from sqlagent.adapters.flights import Flight
from sqlagent.values import Kind, Limits

Column = Any
"""A list of cells, or a `pyarrow.Array` that stands for them."""
Columns = list[Column]


class UuidScalar(pa.ExtensionScalar):  # type: ignore[misc]  # pyarrow has no types
    """One cell of a `UuidText` array."""

    def as_py(self, **how: Any) -> UUID | None:
        """Give the UUID. Unlike its base, it takes no heed of how maps are given."""
        return None if self.value is None else UUID(self.value.as_py())


class UuidText(pa.ExtensionType):  # type: ignore[misc]
    """UUIDs in their canonical text: stored and shown as it is, and a UUID to Python."""

    def __init__(self) -> None:
        super().__init__(pa.string(), "sqlagent.uuid")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> UuidText:
        return cls()

    def __arrow_ext_scalar_class__(self) -> type[UuidScalar]:
        return UuidScalar


def uuids(texts: pa.Array) -> pa.Array:
    """Say of canonical texts that they are UUIDs.

    Example:
        >>> uuids(pa.array([None, "550e8400-e29b-41d4-a716-446655440000"])).to_pylist()
        [None, UUID('550e8400-e29b-41d4-a716-446655440000')]
    """
    return pa.ExtensionArray.from_storage(UuidText(), texts)


class ColumnLimits:
    """Columns on their way: iterating gives batches that keep the limits.

    `truncated` and `cut_cells` are final once iteration ended. A batch is taken up to the row
    with which all cells together reach `total_chars`.
    """

    def __init__(
        self, kinds: Sequence[Kind], batches: Iterable[Columns], flight: Flight, limits: Limits
    ) -> None:
        self.truncated = False
        self.cut_cells = 0
        self._wide = [number for number, kind in enumerate(kinds) if kind not in NARROW]
        self._batches, self._flight, self._limits = batches, flight, limits

    def __iter__(self) -> Iterator[Columns]:
        rows, chars = self._limits.rows, self._limits.total_chars
        for batch in self._batches:
            count = len(batch[0])
            kept = min(count, rows) if chars > 0 else 0
            weights = {number: _weights(batch[number], self._limits.cell_chars) for number in self._wide}
            held = sum(_sum(weight[:kept]) for weight in weights.values())
            if kept and held >= chars:
                kept = min(kept, _rows_until(chars, list(weights.values())))
            self._flight.check()
            if kept < count:
                self.truncated = True
                batch = [column[:kept] for column in batch]
            if kept:
                yield self._cut(batch)
            if self.truncated:
                break
            rows -= kept
            chars -= held
        self._flight.check()

    def _cut(self, batch: Columns) -> Columns:
        most = self._limits.cell_chars
        for number in self._wide:
            column = batch[number]
            if isinstance(column, pa.Array):
                batch[number], cut = _cut_texts(column, most)
            else:
                long = [place for place, cell in enumerate(column) if cell_chars(cell) > most]
                for place in long:
                    column[place] = cut_cell(column[place], most)
                cut = len(long)
            self.cut_cells += cut
        return batch


def _weights(column: Column, most: int) -> Column:
    """Count the characters of each cell, as many as are kept."""
    if not isinstance(column, pa.Array):
        return [min(cell_chars(cell), most) for cell in column]
    if not pa.types.is_string(column.type):
        return pa.repeat(0, len(column))
    return pc.min_element_wise(pc.utf8_length(column), most, skip_nulls=False)


def _sum(weights: Column) -> int:
    return sum(weights) if isinstance(weights, list) else pc.sum(weights).as_py() or 0


def _rows_until(chars: int, weights: Sequence[Column]) -> int:
    """Count the rows up to the one with which their cells reach so many characters."""
    arrays = [pc.fill_null(pa.array(weight, pa.int64()), 0) for weight in weights]
    total = arrays[0]
    for array in arrays[1:]:
        total = pc.add(total, array)
    return 1 + int(pc.sum(pc.less(pc.cumulative_sum(total), chars)).as_py() or 0)


def _cut_texts(texts: pa.Array, most: int) -> tuple[pa.Array, int]:
    if not pa.types.is_string(texts.type):
        return texts, 0
    is_long = pc.greater(pc.utf8_length(texts), most)
    cut = int(pc.sum(is_long).as_py() or 0)
    if not cut:
        return texts, 0
    short = pc.binary_join_element_wise(pc.utf8_slice_codeunits(texts, 0, most), "…", "")
    return pc.if_else(is_long, short, texts), cut
