"""Stored results give back exactly what was stored, and only to whom they belong."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import duckdb
import pyarrow.parquet as pq
import pytest

from mirror.results import encoding
from mirror.results.encoding import StoredColumn

PLUS_2 = timezone(timedelta(hours=2))

COLUMNS = {
    "64-bit integers": [1, -(2**63), 2**63 - 1, None],
    "wider integers": [2**63, -(10**37), None],
    "integers beyond 38 digits": [10**50, -1, None],
    "integers and floats together": [1, 1.5, None],
    "floats": [0.1, -0.0, 1e308, None, float("inf")],
    "money": [Decimal("10.50"), Decimal("-0.05"), None],
    "decimals of several scales": [Decimal("1.5"), Decimal("1.50"), Decimal("NaN"), None],
    "large decimals": [Decimal("1E+20"), Decimal("12345678901234567890123456789012345678901.5")],
    "texts": ["", None, "plain", "ünïcode ☃", "a\nb", "nul\x00inside"],
    "text no encoding can hold": ["\udcff", "fine", None],
    "booleans": [True, False, None],
    "booleans and integers": [True, 1, 0, None],
    "dates": [date(1, 1, 1), date(1815, 6, 18), date(9999, 12, 31), None],
    "datetimes": [datetime(1, 1, 1), datetime(1815, 6, 18, 11, 30, 0, 5), datetime(9999, 12, 31, 23), None],
    "datetimes in one zone": [datetime(2024, 7, 1, 12, tzinfo=PLUS_2), None],
    "datetimes in UTC": [datetime(2024, 7, 1, 12, tzinfo=UTC), None],
    "datetimes in two zones": [datetime(2024, 7, 1, 12, tzinfo=PLUS_2), datetime(2024, 1, 1, tzinfo=UTC)],
    "a datetime at the end of time": [datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-5)))],
    "times": [time(23, 59, 59, 999999), None],
    "times with a zone": [time(12, tzinfo=PLUS_2), None],
    "intervals": [timedelta(days=-3, microseconds=7), None],
    "bytes": [b"\x00\xff", b"", None],
    "identifiers": [UUID(int=7), None],
    "lists": [[1, "a", None], [], None],
    "objects": [{"a": {"b": 1}}, None],
    "everything SQLite lets into one column": [1, 2.5, "three", b"\x04", None, "", 2**62],
    "only NULL": [None, None],
}


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS.keys())
def test_a_column_comes_back_as_it_was(tmp_path: Path, values: list) -> None:
    stored = encoding.write(tmp_path / "f.parquet", ["a"], [(v,) for v in values])
    back = read(tmp_path / "f.parquet", stored)
    assert [type(value) for value in back] == [type(value) for value in values]
    for before, after in zip(values, back, strict=True):
        if isinstance(before, float | Decimal) and math.isnan(before):
            assert math.isnan(after)
        else:
            assert after == before
            assert repr(after) == repr(before) or isinstance(before, datetime | time)
        if isinstance(before, datetime | time):
            assert after.utcoffset() == before.utcoffset()


@pytest.mark.parametrize("first", COLUMNS.values(), ids=COLUMNS.keys())
def test_a_column_that_changes_its_mind_is_kept_as_exactly(tmp_path: Path, first: list) -> None:
    """Each kind of column goes on as every other; 27 columns at once."""
    path, others = tmp_path / "f.parquet", list(COLUMNS.values())
    writer = encoding.Writer(path, list(COLUMNS))
    whole: list[list] = [[] for _ in others]
    for turn in ("first", "other", "first"):
        for row in range(4):
            values = [first if turn == "first" else other for other in others]
            cells = [column[row] if row < len(column) else None for column in values]
            writer.add([cells])
            writer._flush()
            for kept, cell in zip(whole, cells, strict=True):
                kept.append(cell)
    stored = [StoredColumn(**column) for column in writer.close()]
    table = pq.read_table(path)
    for number, column in enumerate(stored):
        back = list(encoding.decoded_column(table, number, column))
        assert [type(value) for value in back] == [type(value) for value in whole[number]]
        assert [str(value) for value in back] == [str(value) for value in whole[number]]
    assert list(tmp_path.iterdir()) == [path]


def test_nan_is_not_null(tmp_path: Path) -> None:
    stored = encoding.write(tmp_path / "f.parquet", ["a"], [(float("nan"),), (None,)])
    nan, null = read(tmp_path / "f.parquet", stored)
    assert math.isnan(nan)
    assert null is None


def test_columns_may_share_a_name_and_rows_may_be_absent(tmp_path: Path) -> None:
    stored = encoding.write(tmp_path / "f.parquet", ["a", "a", ""], [])
    assert [column["name"] for column in stored] == ["a", "a", ""]


def read(path: Path, stored: list[dict]) -> list:
    column = StoredColumn(**stored[0])
    names = encoding.file_columns(0, column)
    raw = duckdb.connect().execute(f"SELECT {', '.join(names)} FROM read_parquet(?)", [str(path)]).fetchall()
    decode = encoding.decoder(column)
    return [decode(row if len(names) > 1 else row[0]) for row in raw]


@pytest.mark.django_db(transaction=True)
def test_the_file_of_a_result_goes_with_its_source(shop, media):
    from mirror.results.services import result_store
    from mirror.sources.services import source_delete
    from sqlagent.values import Rows

    result = result_store(shop, Rows(("n",), ((1,),)))
    path = media / result.file.name
    assert path.is_file()
    source_delete(shop)
    assert not path.exists()
