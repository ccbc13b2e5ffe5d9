"""Files read back by third-party readers: csv, pyarrow, json, openpyxl. Any value, any text."""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import openpyxl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils.escape import unescape

from mirror.exports import csv_files, parquet_lines
from mirror.exports.defusing import csv_text, csv_text_sql, defused
from mirror.exports.file_writing import pieces, write
from mirror.exports.texts import exact, whole
from mirror.results.opened_files import file_opened
from sqlagent.values import Rows
from tests.exports.keeping import sheet_kept, sheet_of_rows

# Letters that have hurt somebody: NUL, line ends, signs, quotes, separators, marks, half an emoji and a whole one.
LETTERS = "\x00\x01\t\r\n =+-@'\",;|.0159eEaé\x7f\x85\xa0\u200b\u2028\u2212\ufeff\ufffe\uff1d\ud800\udc00😀_x0041_<r></r>&"
TEXTS = st.text(st.sampled_from(LETTERS), max_size=8) | st.text(max_size=5) | st.just("<r><t>x</t></r>")
DECIMALS = st.integers(-(10**38) + 1, 10**38 - 1).flatmap(
    lambda n: st.integers(0, 38).map(lambda places: Decimal(n).scaleb(-places))
)
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-9))])
KINDS = {
    "text": TEXTS,
    "integer": st.integers(-(2**70), 2**70) | st.integers(-1000, 1000),
    "float": st.floats(),
    "decimal": DECIMALS,
    "date": st.dates(),
    "moment": MOMENTS,
    "instant": st.builds(lambda moment, zone: moment.replace(tzinfo=zone), MOMENTS, ZONES),
    "time": st.times(),
    "boolean": st.booleans(),
    "bytes": st.binary(max_size=5),
    "uuid": st.uuids(),
    "duration": st.timedeltas(timedelta(-9999), timedelta(9999)),
    "json": st.lists(st.integers() | TEXTS, max_size=3),
}
COLUMN = st.sampled_from([*KINDS.values(), st.one_of(*KINDS.values())])


@st.composite
def tables(draw):
    """A table of up to four columns, each of one type or of all of them, NULLs anywhere."""
    count = draw(st.integers(1, 4))
    length = draw(st.integers(0, 5))
    columns = [
        draw(st.lists(st.none() | draw(COLUMN), min_size=length, max_size=length)) for _ in range(count)
    ]
    names = tuple(draw(st.lists(TEXTS, min_size=count, max_size=count)))
    return Rows(names, tuple(zip(*columns, strict=True)))


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory(prefix="mirror-round-") as name:
        yield Path(name)


def both_ways(rows, folder):
    """The sheet cell by cell, and from a file of ours."""
    return sheet_of_rows(rows, "Rows"), sheet_kept(rows, folder / "kept.parquet", "Rows")


# ---------------------------------------------------------------- CSV


@settings(max_examples=40)
@given(rows=tables())
def test_csv_gives_back_every_cell_defused(folder, rows):
    for sheet in both_ways(rows, folder):
        assert write("csv", [sheet], folder / "out.csv").rows == len(rows.rows)
        written = (folder / "out.csv").read_bytes().decode("utf-8")
        assert written.startswith("\ufeff")
        read = list(csv.reader(io.StringIO(written[1:], newline="")))
        assert read[0] == [defused(whole(name)) for name in rows.columns]
        for row, cells in zip(rows.rows, read[1:], strict=True):
            assert cells == [csv_words(value) for value in row] or (cells == [] and len(row) == 1)


def csv_words(value):
    """The text of a value for a reader of CSV."""
    if value is None:
        return ""
    text = exact(value)
    return text if isinstance(value, int | float | Decimal | date | time) else defused(text)


@settings(max_examples=30)
@given(texts=st.lists(st.none() | TEXTS, min_size=1, max_size=6))
def test_csv_keeps_null_apart_from_the_empty_text(folder, texts):
    rows = Rows(("n", "text"), tuple(enumerate(texts)))
    for sheet in both_ways(rows, folder):
        write("csv", [sheet], folder / "null.csv")
        read = pa.csv.read_csv(
            folder / "null.csv",
            parse_options=pa.csv.ParseOptions(newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                column_types={"text": pa.string()}, strings_can_be_null=True, quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        )  # fmt: skip
        assert read["text"].to_pylist() == [None if t is None else defused(whole(t)) for t in texts]


@settings(max_examples=25)
@given(texts=st.lists(TEXTS.map(whole), min_size=1, max_size=30))
def test_the_rule_is_the_same_in_sql(folder, texts):
    pq.write_table(pa.table({"c": texts}), folder / "texts.parquet")
    with file_opened(folder / "texts.parquet") as connection:
        found = connection.execute(
            f"SELECT {csv_text_sql('c')} FROM read_parquet(?)", [str(folder / "texts.parquet")]
        ).fetchall()
    assert [text for (text,) in found] == [csv_text(text) for text in texts]


def test_kept_rows_of_every_usual_type_are_written_by_sql_and_alike(folder):
    rows = Rows(
        tuple("abcdefghijkl"),
        tuple(
            (
                *(n, Decimal(n).scaleb(-2), n / 3, float(n), f"text {n}", date(2024, 1, 1 + n), b"\x00\xff"),
                *(datetime(2024, 1, 1, n, 0, 0, n * 1000), datetime(2024, 1, 1, n, tzinfo=UTC), time(n, 1)),
                *(UUID(int=n), {"a": [n]} if n else None),
            )
            for n in range(9)
        ),
    )
    by_cell, kept = both_ways(rows, folder)
    with kept.kept() as file:
        assert parquet_lines.csv_lines(file) is not None
    assert b"".join(piece for piece, _ in pieces("csv", kept)) == b"".join(
        piece for piece, _ in pieces("csv", by_cell)
    )


def test_csv_has_lines_of_unix_and_the_mark_of_utf8(folder):
    rows = Rows(("a", "=b"), ((1, "x\r\ny"), (None, "")))
    assert b"".join(piece for piece, _ in pieces("csv", sheet_of_rows(rows))) == (
        csv_files.MARK + b'a,"\'=b"\n1,"x\r\ny"\n,""\n'
    )


# ---------------------------------------------------------------- JSON lines


@settings(max_examples=40)
@given(rows=tables())
def test_json_lines_give_back_every_cell_exactly(folder, rows):
    for sheet in both_ways(rows, folder):
        write("jsonl", [sheet], folder / "out.jsonl")
        lines = (folder / "out.jsonl").read_bytes().decode("utf-8").split("\n")
        assert lines.pop() == ""
        for row, line in zip(rows.rows, lines, strict=True):
            read = json.loads(line, object_pairs_hook=list)
            assert len({name for name, _ in read}) == len(row)
            assert [(type(cell), cell) for _, cell in read] == [(type(w), w) for w in map(json_words, row)]


def test_kept_json_is_written_by_sql_unless_a_reader_would_round_it(folder):
    for value, is_fit in (({"a": [1, "finance \u00e9"]}, True), ([2**60], False), (["\ud800"], False)):
        rows = Rows(("data",), ((value,), (None,)))
        by_cell, kept = both_ways(rows, folder)
        with kept.kept() as file:
            assert (parquet_lines.json_lines(file, ["data"]) is not None) is is_fit
        told = [b"".join(piece for piece, _ in pieces("jsonl", sheet)) for sheet in (by_cell, kept)]
        assert [json.loads(line) for line in told[0].splitlines()] == [
            json.loads(line) for line in told[1].splitlines()
        ]


def json_words(value):
    """A value for a reader of JSON."""
    match value:
        case None | bool():
            return value
        case int():
            return value if abs(value) < 2**53 else str(value)
        case float():
            return value if math.isfinite(value) else repr(value)
        case list():
            return [json_words(inner) for inner in value]
        case datetime():
            return exact(value).replace(" ", "T")
        case _:
            return exact(value)


# ---------------------------------------------------------------- Parquet


@settings(max_examples=40)
@given(rows=tables())
def test_parquet_gives_back_every_value_in_its_type_or_its_text(folder, rows):
    for sheet in both_ways(rows, folder):
        write("parquet", [sheet], folder / "out.parquet")
        read = pq.read_table(folder / "out.parquet")
        assert len(set(read.column_names)) == len(rows.columns)
        for place, column in enumerate(read.columns):
            given = [row[place] for row in rows.rows]
            for value, found in zip(given, column.to_pylist(), strict=True):
                assert same(value, found), (column.type, value, found)


def same(value, found):
    """Whether what Parquet holds is the value, or its exact text."""
    if isinstance(found, str) and not isinstance(value, str):
        return found == exact(value) or (isinstance(value, list) and json.loads(found) == value)
    if isinstance(value, float) and math.isnan(value):
        return math.isnan(found)
    return found == (whole(value) if isinstance(value, str) else value)


def test_parquet_has_real_types_and_its_own_names(folder):
    rows = Rows(
        ("id", "id", "", "big", "price", "at", "instant", "data"),
        (
            (
                1,
                2.5,
                True,
                2**64,
                Decimal("1.50"),
                datetime(2024, 1, 1),
                datetime(2024, 1, 1, tzinfo=UTC),
                b"x",
            ),
        ),
    )
    for sheet in both_ways(rows, folder):
        written = write("parquet", [sheet], folder / "typed.parquet")
        schema = pq.read_schema(folder / "typed.parquet")
        assert {field.name: str(field.type) for field in schema} == {
            "id": "int64",
            "id_2": "double",
            "column_3": "bool",
            "big": "decimal128(38, 0)",
            "price": "decimal128(38, 2)",
            "at": "timestamp[us]",
            "instant": "timestamp[us, tz=UTC]",
            "data": "binary",
        }
        assert written.notes == ("Columns of one name were renamed: id_2, column_3.",)


def test_decimals_of_several_scales_stay_numbers_in_parquet(folder):
    rows = Rows(("n",), ((Decimal("1.5"),), (Decimal("-0.125"),), (None,), (Decimal("10"),), (7,)))
    for sheet in both_ways(rows, folder):
        write("parquet", [sheet], folder / "scales.parquet")
        read = pq.read_table(folder / "scales.parquet")["n"]
        assert str(read.type) == "decimal128(38, 3)"
        assert read.to_pylist() == [Decimal("1.5"), Decimal("-0.125"), None, Decimal(10), Decimal(7)]


# ---------------------------------------------------------------- XLSX


@settings(max_examples=25)
@given(rows=tables())
def test_workbooks_give_back_every_value_or_its_text(folder, rows):
    write("xlsx", [sheet_of_rows(rows, "Rows")], folder / "out.xlsx")
    page = openpyxl.load_workbook(folder / "out.xlsx").worksheets[0]
    assert [found(cell) for cell in page[1]] == [whole(name) for name in rows.columns]
    for row, cells in zip(rows.rows, page.iter_rows(min_row=2, max_row=len(rows.rows) + 1), strict=True):
        for value, cell in zip(row, cells, strict=False):
            assert cell.data_type != "f"
            assert in_workbook(value, found(cell)), (value, cell.value, cell.data_type)


def found(cell):
    """The value of a cell; texts without the escapes that XLSX has for controls."""
    return unescape(cell.value) if isinstance(cell.value, str) else cell.value


def in_workbook(value, seen):
    """Whether a cell holds a value, or says its exact text."""
    match value:
        case str():
            return (seen or "") == whole(value)
        case datetime() if isinstance(seen, datetime):
            return abs(seen - value) <= timedelta(milliseconds=1)
        case date() if isinstance(seen, datetime):
            return seen.date() == value
        case time() if isinstance(seen, time):
            return abs(seconds(seen) - seconds(value)) <= 0.001
        case timedelta() if isinstance(seen, timedelta):
            return abs(seen - value) <= timedelta(milliseconds=1)
        case Decimal() if isinstance(seen, int | float):
            return Decimal(repr(seen)) == value
        case None:
            return seen is None
        case _ if isinstance(seen, str):
            return seen == exact(value)
        case _:
            return seen == value


def seconds(value):
    return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
