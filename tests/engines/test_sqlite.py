"""Faults that only a file has."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sqlagent.adapters import open_database
from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.values import FailureKind, Limits


def test_a_missing_file_is_said_to_be_missing_and_is_not_made(tmp_path: Path) -> None:
    database = open_database("sqlite", database=str(tmp_path / "gone.sqlite3"))
    for ask in (database.check, database.catalog, lambda: database.execute("SELECT 1", Limits())):
        with pytest.raises(Unreachable, match="There is no file gone.sqlite3"):
            ask()
    assert not (tmp_path / "gone.sqlite3").exists()


def test_a_file_that_is_something_else_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear sir, this is no database. " * 100)
    with pytest.raises(Unreachable, match="is not a SQLite database"):
        open_database("sqlite", database=str(path)).check()


def test_what_a_statement_found_in_rows_is_no_fault_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "some.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (note)")
        db.execute("INSERT INTO t VALUES ('{locked'), ('unable to open'), ('readonly')")
        db.commit()
    database = open_database("sqlite", database=str(path))
    for sql, said in (
        ("SELECT json(note) FROM t", "malformed JSON"),
        ("SELECT json_extract('{}', note) FROM t WHERE note LIKE '%a%'", "path"),
        ("SELECT readonly FROM t", "no such column: readonly"),
        ("SELECT locked, is_not_authorized FROM t", "no such column: locked"),
    ):
        with pytest.raises(StatementFailed) as caught:
            database.execute(sql, Limits())
        assert caught.value.failure.kind is FailureKind.ERROR
        assert said in str(caught.value) and str(tmp_path) not in str(caught.value)


def test_no_message_tells_the_folder_of_the_file(tmp_path: Path) -> None:
    for name, content in (
        ("gone.sqlite3", None),
        ("letter.txt", b"Dear sir. " * 100),
        ("cut.sqlite3", b"SQLite format 3\0"),
    ):
        if content:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(Unreachable, match=name) as caught:
            open_database("sqlite", database=str(tmp_path / name)).check()
        assert str(tmp_path) not in str(caught.value) and "/" not in str(caught.value)


def test_full_text_tables_can_be_asked_and_their_shadows_are_not_listed(tmp_path: Path) -> None:
    path = tmp_path / "fts.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('hello world');"
        )
    database = open_database("sqlite", database=str(path))
    assert [table.name for table in database.catalog().tables] == ["notes"]
    assert database.execute("SELECT body FROM notes WHERE notes MATCH 'world'", Limits()).rows == (
        ("hello world",),
    )


def test_an_r_tree_can_be_asked_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "places.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE VIRTUAL TABLE places USING rtree(id, west, east); INSERT INTO places VALUES (1, 2, 3);"
        )
    database = open_database("sqlite", database=str(path))
    assert database.execute("SELECT id FROM places WHERE west < 2.5", Limits()).rows == ((1,),)
    for write in ("DELETE FROM places", "INSERT INTO places VALUES (2, 2, 3)", "DROP TABLE places"):
        with pytest.raises(StatementFailed):
            database.execute(write, Limits())
    assert [table.name for table in database.catalog().tables] == ["places"]
    assert database.execute("SELECT COUNT(*) FROM places", Limits()).rows == ((1,),)


def test_a_view_over_a_table_that_is_gone_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "views.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE t (a); CREATE TABLE u (b); CREATE VIEW v AS SELECT * FROM t; DROP TABLE t;"
        )
    assert [table.name for table in open_database("sqlite", database=str(path)).catalog().tables] == ["u"]


def test_tables_without_rowid_and_bare_columns_have_their_place(tmp_path: Path) -> None:
    path = tmp_path / "bare.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE a (x PRIMARY KEY, y) WITHOUT ROWID; CREATE TABLE b (x REFERENCES a, z GENERATED ALWAYS AS (x));"
        )
    catalog = open_database("sqlite", database=str(path)).catalog()
    assert [(t.name, [c.name for c in t.columns], t.row_estimate) for t in catalog.tables] == [
        ("a", ["x", "y"], 0),
        ("b", ["x", "z"], 0),
    ]
    assert catalog.tables[1].foreign_keys[0].referenced == ("x",)


def test_a_day_as_a_key_is_no_number_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "days.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE days (day_key INTEGER PRIMARY KEY); INSERT INTO days VALUES (20250101), (20251231);"
            "CREATE TABLE many (id INTEGER PRIMARY KEY);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) INSERT INTO many SELECT i FROM n;"
        )
    tables = open_database("sqlite", database=str(path)).catalog().tables
    assert {table.name: table.row_estimate for table in tables} == {"days": 2, "many": 30_000}


def test_rows_of_giant_cells_do_not_pile_up(tmp_path: Path) -> None:
    path = tmp_path / "small.sqlite3"
    sqlite3.connect(path).close()
    database = open_database("sqlite", database=str(path))
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT zeroblob(5000000) FROM n"
    rows = database.execute(sql, Limits(10, rows=10_000, cell_chars=1_000, total_chars=50_000))
    assert rows.truncated
    assert 50 <= len(rows.rows) == rows.cut_cells <= 66
    with pytest.raises(StatementFailed) as caught:
        database.execute("SELECT zeroblob(900000000)", Limits())
    assert caught.value.failure.kind is FailureKind.ERROR


# Linux: what lets root read and write whatever it likes, and how a program started from here does without.
_POWERS, _PR_CAPBSET_DROP = (1, 2), 24


def as_ordinary_user(ask: Callable[[], str]) -> str:
    """Ask in a child process where root's powers do not help, and give the answer.

    It stays root, who alone may start this Python where that lies in root's own folder.
    """
    here, there = multiprocessing.Pipe()

    def run() -> None:
        if os.geteuid() == 0:
            for power in _POWERS:
                assert ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, power, 0, 0, 0) == 0
        there.send(ask())

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    child.join(30)
    assert here.poll(), "the child died without an answer"
    return here.recv()


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    """A folder that everybody may look into and nobody but root may write to."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


def test_a_database_in_wal_mode_is_read_where_nothing_may_be_written(closed_folder: Path) -> None:
    path = closed_folder / "wal.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7);")
    path.chmod(0o444)
    closed_folder.chmod(0o555)
    database = open_database("sqlite", database=str(path))
    assert as_ordinary_user(lambda: repr(database.execute("SELECT a FROM t", Limits()).rows)) == "((7,),)"
    assert [entry.name for entry in closed_folder.iterdir()] == ["wal.sqlite3"]


def test_a_file_that_may_not_be_read_says_so(closed_folder: Path) -> None:
    path = closed_folder / "secret.sqlite3"
    sqlite3.connect(path).close()
    path.chmod(0o000)
    closed_folder.chmod(0o555)
    database = open_database("sqlite", database=str(path))

    def ask() -> str:
        try:
            return database.check().server
        except Unreachable as error:
            return str(error)

    assert "secret.sqlite3 cannot be opened" in as_ordinary_user(ask)


# Half a minute in one call, in little memory.
HELD = "SELECT instr(hex(zeroblob(5000000)), hex(zeroblob(2500000)) || '1')"


def test_a_call_that_cannot_be_broken_off_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "small.sqlite3"
    sqlite3.connect(path).close()
    database = open_database("sqlite", database=str(path))
    started = time.monotonic()
    with pytest.raises(StatementFailed) as caught:
        database.execute(HELD, Limits(seconds=0.3))
    assert caught.value.failure.kind is FailureKind.TIMEOUT
    assert time.monotonic() - started < 2.5
    assert database.execute("SELECT 1", Limits(seconds=5)).rows == ((1,),)
