"""Faults that only a DuckDB file has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import duckdb
import pytest

from sqlagent.adapters import open_database
from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.ports import ColumnStream
from sqlagent.values import FailureKind, Limits
from tests.engines.columns import assert_same, by_column


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "some.duckdb"
    with duckdb.connect(str(made)) as db:
        db.execute("CREATE TABLE t AS SELECT 1 AS a")
    return made


def test_a_missing_file_is_said_to_be_missing_and_is_not_made(tmp_path: Path) -> None:
    database = open_database("duckdb", database=str(tmp_path / "gone.duckdb"))
    with pytest.raises(Unreachable, match="There is no file gone.duckdb"):
        database.check()
    assert not (tmp_path / "gone.duckdb").exists()


def test_a_file_that_is_something_else_is_said_to_be(tmp_path: Path) -> None:
    other = tmp_path / "letter.txt"
    other.write_text("Dear sir, this is no database. " * 1000)
    with pytest.raises(Unreachable, match="is not a DuckDB database"):
        open_database("duckdb", database=str(other)).check()


def test_no_message_tells_the_folder_of_the_file(path: Path) -> None:
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE many AS SELECT i, 'x' || i AS s FROM range(20000) r(i)")
    whole, chance, said = path.read_bytes(), Random(1), set()
    for number in range(30):
        damaged = bytearray(whole)
        for _ in range(40):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        if number % 3 == 0:
            damaged = damaged[: chance.randrange(20, len(damaged))]
        other = path.with_name(f"damaged{number}.duckdb")
        other.write_bytes(bytes(damaged))
        try:
            open_database("duckdb", database=str(other)).execute("SELECT sum(i), max(s) FROM many", Limits())
        except (Unreachable, StatementFailed) as error:
            said.add(str(error).replace(str(number), "#"))
    assert said and not [text for text in said if str(path.parent) in text or "/" in text or "{" in text]


def test_a_file_that_another_program_writes_to_says_so(path: Path) -> None:
    holds = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    writer = subprocess.Popen(
        [sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "open\n"
    try:
        with pytest.raises(Unreachable, match="is open for writing in another program") as caught:
            open_database("duckdb", database=str(path)).check()
        assert "copy" in caught.value.failure.advice
    finally:
        writer.communicate("\n")
    assert open_database("duckdb", database=str(path)).execute("FROM t", Limits()).rows == ((1,),)


def test_a_python_variable_is_no_table(path: Path) -> None:
    import pyarrow

    secret = pyarrow.table({"password": ["hunter2"]})
    with pytest.raises(StatementFailed, match="secret does not exist"):
        open_database("duckdb", database=str(path)).execute("SELECT * FROM secret", Limits())
    assert secret.num_rows == 1


def test_memory_is_bounded(path: Path) -> None:
    with pytest.raises(StatementFailed, match="could not allocate|failed to") as caught:
        open_database("duckdb", database=str(path)).execute(
            "SELECT list(range::VARCHAR) FROM range(20000000)", Limits(seconds=20, memory=75_000_000)
        )
    assert caught.value.failure.kind is FailureKind.ERROR
    assert "Ask for less" in caught.value.failure.advice


def test_the_fault_is_found_in_a_long_statement_of_several_lines(path: Path) -> None:
    sql = "SELECT a,\n" + " + ".join(["a"] * 80) + " + nonsense\nFROM t"
    with pytest.raises(StatementFailed) as caught:
        open_database("duckdb", database=str(path)).execute(sql, Limits())
    assert caught.value.failure.position == sql.index("nonsense")


def test_a_pivot_that_looks_for_its_columns_is_a_read(path: Path) -> None:
    rows = open_database("duckdb", database=str(path)).execute("PIVOT t ON a USING count(*)", Limits())
    assert (rows.columns, rows.rows) == (("1",), ((1,),))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT true, 1::UTINYINT, -9223372036854775808, 0.1::FLOAT, -0.0::DOUBLE, 'nan'::DOUBLE, 1.50::DECIMAL(9,2)",
        "SELECT x FROM (VALUES (NULL), (''), (chr(0)), ('Ærø 😀'), (repeat('y', 999))) AS v (x)",
        "SELECT x::DATE, x::TIMESTAMP FROM (VALUES ('2020-01-01'), ('1899-12-31'), (NULL)) AS v (x)",
        "SELECT x::DATE, x::TIMESTAMP FROM (VALUES ('2020-01-01'), ('infinity'), ('0044-03-15 (BC)'), ('10000-01-01')) AS v (x)",
        "SELECT x::TIME FROM (VALUES ('10:00'), ('24:00')) AS v (x)",
        "SELECT x::UUID FROM (VALUES ('550E8400-E29B-41D4-A716-446655440000'), (NULL)) AS v (x)",
        "SELECT range AS i, 'n' || range AS t FROM range(9000) WHERE range % 3 = 0 ORDER BY i DESC",
        "SELECT 1 AS a, 2 AS a, NULL::INTEGER AS b WHERE false",
        "SELECT 1::HUGEINT, [1], INTERVAL 1 MONTH -- by rows alone",
    ],
)
def test_columns_hold_what_rows_hold(path: Path, tmp_path: Path, sql: str) -> None:
    database = open_database("duckdb", database=str(path))
    assert_same(database, sql, tmp_path)
    with database.stream(sql, Limits(9)) as stream:
        assert isinstance(stream, ColumnStream) is ("by rows alone" not in sql)


def test_limits_cut_columns_where_they_cut_rows(path: Path) -> None:
    database = open_database("duckdb", database=str(path))
    sql = "SELECT repeat('ø', range::INT % 9) AS t, range AS i FROM range(5000)"
    for limits in (Limits(9, 4_999, 5), Limits(9, 5_000), Limits(9, 3)):
        wanted = database.execute(sql, limits)
        rows, stream = by_column(database, sql, limits)
        assert (tuple(rows), stream.truncated, stream.cut_cells) == (
            wanted.rows,
            wanted.truncated,
            wanted.cut_cells,
        )
    rows, stream = by_column(database, sql, Limits(9, 5_000, 99, 1_000))
    assert stream.truncated
    assert sum(len(row[0]) for row in rows[:-1]) < 1_000 <= sum(len(row[0]) for row in rows)
