"""Batches of columns as messages: Arrow arrays as one Arrow stream, lists of cells pickled."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sqlagent.adapters.arrow import Columns, UuidText, uuids
from sqlagent.forks.frames import Torn


def packed_columns(columns: Columns) -> tuple[list[Any], Any]:
    """Take a batch apart: a list of cells a column, or how its array is to be read; and the arrays' stream."""
    arrays: list[Any] = []
    parts: list[Any] = []
    for column in columns:
        if not isinstance(column, pa.Array):
            parts.append(list(column))
            continue
        is_uuid = isinstance(column.type, UuidText)
        parts.append("uuid" if is_uuid else "array")
        arrays.append(column.storage if is_uuid else column)
    if not arrays:
        return parts, b""
    batch = pa.RecordBatch.from_arrays(arrays, names=[str(number) for number in range(len(arrays))])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return parts, sink.getvalue()


def unpacked_columns(parts: list[Any], stream: bytearray) -> Columns:
    """Put a batch together again; the arrays lie in `stream`, nothing is copied. Raises: Torn."""
    arrays: list[Any] = []
    if stream:
        try:
            batch = pa.ipc.open_stream(pa.py_buffer(stream)).read_next_batch()
            batch.validate()
        except (pa.ArrowException, StopIteration) as error:
            raise Torn(str(error)) from error
        arrays = list(batch.columns)
    given = iter(arrays)
    try:
        return [
            part if isinstance(part, list) else uuids(next(given)) if part == "uuid" else next(given)
            for part in parts
        ]
    except (StopIteration, RuntimeError) as error:
        raise Torn("fewer arrays than columns") from error
