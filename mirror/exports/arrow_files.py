"""Arrow: the columns of a Parquet file (`parquet_files`) as an IPC stream, which programs read while it comes."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa

from mirror.exports.parquet_files import arrow_batches
from mirror.exports.pieces import quietly
from mirror.exports.spooling import received
from mirror.exports.values import Sheet


def chunks(sheet: Sheet) -> Iterator[tuple[bytes, int]]:
    """Write a sheet piece by piece: bytes, and the rows that are in them. Raises: ResultGone, DatabaseError."""
    with ExitStack() as stack:
        if sheet.kept is not None:
            kept = stack.enter_context(sheet.kept())
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mirror-arrow-"))
            kept = stack.enter_context(received(sheet, Path(folder) / "rows", quietly))
        schema, batches = arrow_batches(kept, sheet)
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, schema) as stream:
            yield _taken(sink), 0
            for batch in batches:
                stream.write_batch(batch)
                yield _taken(sink), batch.num_rows
        yield _taken(sink), 0


def _taken(sink: io.BytesIO) -> bytes:
    written = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return written
