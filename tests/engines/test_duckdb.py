"""What only a DuckDB file can get wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from sqlagent.adapters import open_database
from sqlagent.adapters.duckdb import CONFIG
from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.values import FailureKind, Limits


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "some.duckdb"
    with duckdb.connect(str(made)) as db:
        db.execute("CREATE TABLE t AS SELECT 1 AS a")
    return made


def test_a_missing_file_is_said_to_be_missing_and_is_not_made(tmp_path: Path) -> None:
    database = open_database("duckdb", database=str(tmp_path / "gone.duckdb"))
    with pytest.raises(Unreachable, match="There is no file at .*gone.duckdb"):
        database.check()
    assert not (tmp_path / "gone.duckdb").exists()


def test_a_file_that_is_something_else_is_said_to_be(tmp_path: Path) -> None:
    other = tmp_path / "letter.txt"
    other.write_text("Dear sir, this is no database. " * 1000)
    with pytest.raises(Unreachable, match="is not a DuckDB database"):
        open_database("duckdb", database=str(other)).check()


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


def test_memory_is_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONFIG, "memory_limit", "60MB")
    with pytest.raises(StatementFailed, match="could not allocate|failed to") as caught:
        open_database("duckdb", database=str(path)).execute(
            "SELECT list(range::VARCHAR) FROM range(20000000)", Limits(seconds=20)
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
