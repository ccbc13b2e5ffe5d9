"""Rows that may come by column instead, for the adapters whose drivers can."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from sqlagent.adapters.base import Batch, Rowing
from sqlagent.adapters.flights import Flight
from sqlagent.values import Kind, Limits


class ColumnarRowing(Rowing):
    """A `Rowing` that may come by column instead; a `ColumnStream` of the ports.

    `batches` are columns as `sqlagent.adapters.arrow` keeps them within the limits; they and
    `chunks` must not begin before they are iterated. The caller closes the session it opened, and with it rows not read yet.
    """

    def __init__(
        self,
        columns: Iterable[str],
        kinds: Iterable[Kind],
        chunks: Iterable[Batch],
        batches: Generator[list[Any]],
        flight: Flight,
        limits: Limits,
    ) -> None:
        super().__init__(columns, kinds, chunks, flight, limits)
        self._batches = batches

    def column_batches(self) -> Iterator[list[Any]]:
        """Yield batches of columns. Raises: StatementFailed, Unreachable."""
        from sqlagent.adapters.arrow import ColumnLimits  # loads pyarrow, which rows do without

        kept = ColumnLimits(self.kinds, self._batches, self._flight, self._limits)
        yield from kept
        self.truncated, self.cut_cells = kept.truncated, kept.cut_cells

    def close(self) -> None:
        """Let go of the columns. Idempotent."""
        self._batches.close()
