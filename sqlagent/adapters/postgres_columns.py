"""The columns of a COPY: Arrow arrays where its text means one thing, psycopg's values everywhere else.

Which type becomes which array is decided before the statement runs. A block that holds a value
Arrow does not (infinity, a date before Christ, NaN among numerics) is read
again with that column as bytes, and so is every block after it: psycopg's loaders make of them
what `execute` gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
from psycopg import abc
from pyarrow import csv

from sqlagent.adapters.arrow import Column, Columns, uuids
from sqlagent.adapters.postgres_copy import Copying

_ARROW = {
    "bool": pa.bool_(),
    "int2": pa.int64(),
    "int4": pa.int64(),
    "int8": pa.int64(),
    "oid": pa.int64(),
    "float4": pa.float64(),
    "float8": pa.float64(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "text": pa.string(),
    "varchar": pa.string(),
    "name": pa.string(),
    "other text": pa.string(),
    "uuid": pa.string(),
}
# Time zones whose times all end in +00.
_UTC = frozenset((b"UTC", b"Etc/UTC", b"GMT", b"Etc/GMT", b"UCT", b"Etc/UCT", b"Zulu", b"Etc/Zulu"))
# Digits of Arrow's wider decimals, and so the most that may stand after the point.
_DIGITS = 38
# A CSV reader strips a byte order mark at the start; so one is put there.
_MARK = b"\xef\xbb\xbf"
_LINES = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)


@dataclass(slots=True)
class Shape:
    """How one column is read: as an array of a type, or by a loader. `is_free` is a numeric of any scale."""

    loader: abc.Loader
    arrow: pa.DataType | None = None
    is_free: bool = False
    is_uuid: bool = False

    @property
    def read_as(self) -> pa.DataType:
        """The type that is asked of the reader."""
        return self.arrow or (pa.string() if self.is_free else pa.binary())

    def distrust(self) -> None:
        """Read it by the loader from now on."""
        self.arrow, self.is_free = None, False


def shape(name: str, modifier: int, zone: bytes, loader: abc.Loader) -> Shape:
    """Decide how a column of a type is read; `modifier` is its typmod, `zone` the session's time zone.

    Example:
        >>> shape("numeric", 12 << 16 | 2 + 4, b"UTC", None).arrow
        Decimal128Type(decimal128(38, 2))
        >>> shape("timestamptz", -1, b"Europe/Oslo", None).arrow is None
        True
    """
    if name == "timestamptz":
        return Shape(loader, pa.timestamp("us", "UTC") if zone in _UTC else None)
    if name != "numeric":
        return Shape(loader, _ARROW.get(name), is_uuid=name == "uuid")
    if modifier < 0:
        return Shape(loader, None, is_free=True)
    # Eleven bits with a sign: utils/adt/numeric.c, numeric_typmod_scale.
    scale = max(((modifier - 4 & 0x7FF) ^ 0x400) - 0x400, 0)
    return Shape(loader, pa.decimal128(_DIGITS, scale) if scale <= _DIGITS else None)


class CopiedColumns:
    """The columns of a COPY, batch by batch.

    One block is read as CSV in a thread while the next is received: that is half of the work, and
    done without Python's lock.
    """

    def __init__(self, copying: Copying, shapes: list[Shape]) -> None:
        self._copying, self._shapes = copying, shapes
        self._names = [f"c{number}" for number in range(len(shapes))]

    def __iter__(self) -> Iterator[Columns]:
        """Raises: StatementFailed, Unreachable."""
        with ThreadPoolExecutor(1, thread_name_prefix="columns") as pool:
            reading: tuple[bytes, Future[pa.Table]] | None = None
            for lines, _ in self._copying:
                block = _MARK + lines
                before, reading = reading, (block, pool.submit(_read, block, self._names, self._options()))
                if before is not None:
                    yield self._columns(*before)
            if reading is not None:
                yield self._columns(*reading)

    def _columns(self, block: bytes, reading: Future[pa.Table]) -> Columns:
        try:
            table = reading.result()
        except pa.ArrowInvalid:
            self._distrust(block)
            table = _read(block, self._names, self._options())
        arrays = [
            column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in table.columns
        ]
        return [self._column(shape, array) for shape, array in zip(self._shapes, arrays, strict=True)]

    def _distrust(self, block: bytes) -> None:
        """Find the columns that cannot be read as they should be."""
        for name, shape in zip(self._names, self._shapes, strict=True):
            try:
                _read(block, self._names, self._options(name))
            except pa.ArrowInvalid:
                shape.distrust()

    def _options(self, only: str = "") -> csv.ConvertOptions:
        """Say how columns are read now; `only` leaves all but one out."""
        return csv.ConvertOptions(
            column_types={name: shape.read_as for name, shape in zip(self._names, self._shapes, strict=True)},
            include_columns=[only] if only else None,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["t"],
            false_values=["f"],
        )

    def _column(self, shape: Shape, array: pa.Array) -> Column:
        if shape.is_free:
            decimals = _decimals(array)
            if decimals is not None:
                return decimals
            shape.distrust()
        if shape.arrow is not None or not _is_text(array.type):  # the latter was read before the distrust
            return uuids(array) if shape.is_uuid else array
        cells = array.cast(pa.binary()).to_pylist()
        return [None if cell is None else _loaded(shape.loader, cell) for cell in cells]


def _is_text(type: pa.DataType) -> bool:
    return bool(pa.types.is_string(type) or pa.types.is_binary(type))


def _read(block: bytes, names: list[str], options: csv.ConvertOptions) -> pa.Table:
    """Read whole lines of CSV. Raises: ArrowInvalid for what is not of its column's type."""
    reading = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names)
    return csv.read_csv(pa.BufferReader(block), reading, _LINES, options)


def _decimals(texts: pa.Array) -> pa.Array | None:
    """Read numerics that all have as many digits after the point; None where they do not."""
    first = next((text.as_py() for text in texts if text.is_valid), "0")
    digits = len(first.partition(".")[2])
    pattern = rf"^-?[0-9]{{1,{_DIGITS}}}" + (rf"\.[0-9]{{{digits}}}$" if digits else "$")
    if digits > _DIGITS or pc.all(pc.match_substring_regex(texts, pattern)).as_py() is False:
        return None
    try:
        return texts.cast(pa.decimal128(_DIGITS, digits))
    except pa.ArrowInvalid:
        return None


def _loaded(loader: abc.Loader, cell: bytes) -> Any:
    """Load a cell; a value that Python cannot hold stays text, as in rows."""
    try:
        return loader.load(cell)
    except (psycopg.DataError, UnicodeDecodeError):
        return cell.decode("utf-8", "replace")
