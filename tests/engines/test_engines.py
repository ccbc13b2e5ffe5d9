"""The one suite every adapter passes: what comes back, and what does not go through."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from sqlagent.errors import DatabaseError, StatementFailed, Unreachable
from sqlagent.makers.analyst import WRITTEN
from sqlagent.makers.analyst.dialects import Dialect
from sqlagent.ports import SourceDatabase
from sqlagent.values import FailureKind, Kind, Limits
from tests.engines.killing import Working
from tests.engines.lab import Lab

CASES = Path(__file__).parent / "cases"
TYPES = [json.loads(line) for line in (CASES / "types.jsonl").read_text().splitlines()]
FAST = Limits(seconds=10)


def failure_of(database: SourceDatabase, sql: str, limits: Limits = FAST):
    with pytest.raises(DatabaseError) as caught:
        database.execute(sql, limits)
    return caught.value.failure


# ---------------------------------------------------------------- what comes back


def test_values_survive_exactly(lab: Lab, database: SourceDatabase) -> None:
    cases = [case for case in TYPES if case["engine"] == (lab.types or lab.engine)]
    assert len(cases) >= 8
    for case in cases:
        rows = database.execute(case["sql"].replace("archive.", f"{lab.archive}."), FAST).rows
        assert repr(rows[0][0]) == case["is"], case["sql"]


def test_column_names_come_as_written_and_twice_if_twice(database: SourceDatabase) -> None:
    rows = database.execute('SELECT 1 AS "Größe x", 2 AS a, 3 AS a'.replace('"', _mark(database)), FAST)
    assert rows.columns == ("Größe x", "a", "a")
    assert rows.rows == ((1, 2, 3),)


@pytest.mark.parametrize(
    ("stored", "entry", "holds"),
    [
        ("'wheel, kiln'", "kiln", True),
        ("'wheel,mini kiln'", "kiln", False),
        ("'50%,6x'", "50%", True),
        ("'500,6x'", "50%", False),
        ("'a_b'", "a_b", True),
        ("'acb'", "a_b", False),
        ("NULL", "kiln", False),
    ],
)
def test_an_entry_of_a_list_is_found_at_its_borders(
    database: SourceDatabase, stored: str, entry: str, holds: bool
) -> None:
    dialect = Dialect(database.dialect)
    if database.dialect not in WRITTEN:
        assert database.dialect not in ("sqlite", "postgres", "mysql", "duckdb")
        return
    cell = f"CAST({stored} AS {'CHAR(20)' if database.dialect == 'mysql' else 'VARCHAR(20)'})"
    for denied in (False, True):
        written = dialect.lists(cell, ", ", entry, denied=denied)
        found = database.execute(f"SELECT CASE WHEN {written} THEN 1 ELSE 0 END", FAST).rows
        assert int(found[0][0]) == (holds != denied)


def _mark(database: SourceDatabase) -> str:
    return "`" if database.dialect in ("mysql", "spark", "databricks") else '"'


def test_no_rows_still_have_columns(database: SourceDatabase) -> None:
    rows = database.execute("SELECT id, name FROM customers WHERE id < 0", FAST)
    assert (rows.columns, rows.rows, rows.truncated) == (("id", "name"), (), False)


@pytest.mark.parametrize(
    ("there", "kept", "is_cut"), [(10, 10, False), (11, 10, True), (9, 9, False), (2500, 10, True)]
)
def test_a_cut_result_is_known_to_be_cut(
    lab: Lab, database: SourceDatabase, there: int, kept: int, is_cut: bool
) -> None:
    rows = database.execute(lab.rows_of.format(count=there), Limits(10, rows=10))
    assert (len(rows.rows), rows.truncated) == (kept, is_cut)


def test_a_long_cell_is_cut_and_counted(database: SourceDatabase) -> None:
    long = "x" * 500
    rows = database.execute(f"SELECT '{long}' AS a, 'y' AS b", Limits(10, cell_chars=100))
    assert rows.rows == (("x" * 100 + "…", "y"),)
    assert (rows.cut_cells, rows.truncated) == (1, False)


def test_all_cells_together_are_bounded(lab: Lab, database: SourceDatabase) -> None:
    sql = f"SELECT r.*, '{'x' * 100}' AS a FROM ({lab.rows_of.format(count=900)}) AS r"
    rows = database.execute(sql, Limits(10, total_chars=1_000))
    assert rows.truncated
    assert 10 <= len(rows.rows) <= 210


def test_rows_stream_in_batches(lab: Lab, database: SourceDatabase) -> None:
    with database.stream(lab.rows_of.format(count=900), Limits(10, rows=800)) as stream:
        batches = list(stream)
    assert sum(map(len, batches)) == 800
    assert stream.truncated
    assert stream.columns == ("i",)


def test_several_threads_at_once(lab: Lab, database: SourceDatabase) -> None:
    found: dict[int, int] = {}

    def count(n: int) -> None:
        found[n] = len(database.execute(lab.rows_of.format(count=n), FAST).rows)

    threads = [threading.Thread(target=count, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: n for n in range(1, 9)}


# ---------------------------------------------------------------- what fails, in plain words


def test_a_missing_table_is_named(database: SourceDatabase) -> None:
    failure = failure_of(database, "SELECT * FROM no_such_table")
    assert failure.kind is FailureKind.ERROR
    assert "no_such_table" in failure.message


def test_a_wrong_column_has_a_position_where_the_engine_tells(lab: Lab, database: SourceDatabase) -> None:
    sql = "SELECT name, nonsense FROM customers"
    failure = failure_of(database, sql)
    assert failure.kind is FailureKind.ERROR
    assert failure.position in (None, sql.index("nonsense"))
    assert failure.position is not None or not lab.tells_position, failure


@pytest.mark.parametrize(
    "sql", ["", "   ", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1\0; SELECT 2", "SELECT '\ud800'"]
)
def test_what_is_no_single_statement_fails(database: SourceDatabase, sql: str) -> None:
    assert failure_of(database, sql).kind in (FailureKind.ERROR, FailureKind.REFUSED)


def test_the_deadline_holds(lab: Lab, database: SourceDatabase) -> None:
    started = time.monotonic()
    failure = failure_of(database, lab.endless, Limits(seconds=0.5))
    assert failure.kind is FailureKind.TIMEOUT
    assert "0.5 seconds" in failure.message
    assert 0.4 < time.monotonic() - started < 2


def test_after_a_failure_the_next_statement_works(lab: Lab, database: SourceDatabase) -> None:
    failure_of(database, lab.endless, Limits(seconds=0.2))
    failure_of(database, "SELEC 1")
    assert database.execute("SELECT COUNT(*) FROM orders", FAST).rows == ((3,),)


# ---------------------------------------------------------------- cancel


def test_cancel_ends_the_statement_in_the_database(lab: Lab, database: SourceDatabase) -> None:
    caught: list[DatabaseError] = []

    def run() -> None:
        try:
            database.execute(lab.endless, Limits(seconds=60))
        except DatabaseError as error:
            caught.append(error)

    works = Working(database)
    thread = threading.Thread(target=run)
    thread.start()
    mark, until = lab.endless[-30:], time.monotonic() + 15
    while lab.in_flight(mark) != 1 if lab.has_server else not works():
        assert time.monotonic() < until, "never seen in the server's process list, nor at work in a child"
        time.sleep(0.02)
    started = time.monotonic()
    database.cancel()
    thread.join(5)
    assert not thread.is_alive()
    assert time.monotonic() - started < 1
    if lab.has_server:
        # Its caller hears first, the list of processes a moment later.
        until = time.monotonic() + 5
        while lab.in_flight(mark) != 0:
            assert time.monotonic() < until, "still in the server's process list"
            time.sleep(0.02)
    assert caught[0].failure.kind is FailureKind.CANCELLED


def test_cancel_catches_a_statement_that_has_hardly_begun(lab: Lab, database: SourceDatabase) -> None:
    for _ in range(5):
        caught: list[DatabaseError] = []

        def run(caught: list[DatabaseError] = caught) -> None:
            try:
                database.execute(lab.endless, Limits(seconds=8))
            except DatabaseError as error:
                caught.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        while not database._flights:  # type: ignore[attr-defined]
            time.sleep(0)
        database.cancel()
        thread.join(5)
        assert caught[0].failure.kind is FailureKind.CANCELLED


def test_a_stream_left_early_ends_the_statement(lab: Lab, database: SourceDatabase) -> None:
    sql = lab.rows_of.format(count=lab.many).replace("SELECT i FROM", "SELECT i AS left_early FROM")
    with database.stream(sql, Limits(60, rows=10_000_000)) as stream:
        next(iter(stream))
    until = time.monotonic() + 1
    while lab.has_server and lab.in_flight("left_early"):
        assert time.monotonic() < until


# ---------------------------------------------------------------- the catalog


def test_the_catalog_tells_tables_columns_and_keys(lab: Lab, database: SourceDatabase) -> None:
    catalog = database.catalog()
    assert (catalog.dialect, catalog.default_schema) == (database.dialect, lab.home)
    home = {table.name for table in catalog.tables if not table.schema}
    assert home == {"customers", "orders", "order_lines", "line_notes", lab.odd, "big_spenders"}
    customers = catalog.table("customers")
    assert customers is not None
    assert [column.name for column in customers.columns] == [
        *("id", "name", "country", "credit", "born", "seen", "is_member", "photo")
    ]
    assert [column.kind for column in customers.columns] == [
        *(
            Kind.INTEGER,
            Kind.TEXT,
            Kind.TEXT,
            Kind.NUMBER,
            Kind.DATE,
            Kind.DATETIME,
            Kind.BOOLEAN,
            Kind.BINARY,
        )
    ]
    assert customers.primary_key == (("id",) if lab.has_keys else ())
    assert [c.nullable for c in customers.columns][:3] == [not lab.tells_nulls, not lab.tells_nulls, True]
    assert all(column.examples == () for table in catalog.tables for column in table.columns)


def test_foreign_keys_are_followed_whatever_their_form(lab: Lab, database: SourceDatabase) -> None:
    catalog = database.catalog()
    keys = {t.name: [(k.columns, k.table, k.referenced) for k in t.foreign_keys] for t in catalog.tables}
    if not lab.has_keys:
        assert not any(keys.values())
        return
    assert keys["orders"] == [(("customer_id",), "customers", ("id",))]
    assert keys["order_lines"] == [(("order_id",), "orders", ("id",))]
    assert keys["line_notes"] == [(("order_id", "line"), "order_lines", ("order_id", "line"))]
    order_lines = catalog.table("order_lines")
    assert order_lines is not None
    assert order_lines.primary_key == ("order_id", "line")


def test_views_are_views_and_odd_names_stay_odd(lab: Lab, database: SourceDatabase) -> None:
    catalog = database.catalog()
    assert [t.name for t in catalog.tables if t.is_view] == ["big_spenders"]
    odd = catalog.table(lab.odd)
    assert odd is not None
    assert [column.name for column in odd.columns] == ["select", "Größe x", "a.b"]
    names = ", ".join(lab.quoted(column.name) for column in odd.columns)
    rows = database.execute(f"SELECT {names} FROM {lab.quoted(odd.name)}", FAST)
    assert len(rows.rows) == 2
    assert list(database.values(odd.name, "Größe x", 5)) == ["large", "small"]


def test_comments_and_other_schemas_are_there_where_the_engine_has_them(
    lab: Lab, database: SourceDatabase
) -> None:
    catalog = database.catalog()
    orders = catalog.table("orders")
    assert orders is not None
    assert orders.comment == ("What customers bought" if lab.has_comments else "")
    assert orders.columns[3].comment == ("In euros" if lab.has_comments else "")
    old = [table for table in catalog.tables if table.name == "old_orders"]
    assert len(old) == int(lab.has_schemas)
    if old:
        assert old[0].schema
        assert database.execute(f"SELECT COUNT(*) FROM {old[0].key}", FAST).rows == ((1,),)


def test_row_estimates_are_about_right(lab: Lab, database: SourceDatabase) -> None:
    customers = database.catalog().table("customers")
    assert customers is not None
    assert customers.row_estimate in ((2, 3, 4) if lab.tells_rows else (None,))


def test_the_version_changes_with_the_structure_and_not_with_the_rows(
    lab: Lab, database: SourceDatabase
) -> None:
    before = database.catalog().version
    lab.look(lab.more_rows[0])
    assert database.catalog().version == before
    lab.look(lab.more_rows[1])
    more, fewer = (sql.format(odd=lab.quoted(lab.odd)) for sql in lab.more_columns)
    lab.look(more)
    try:
        assert database.catalog().version != before
    finally:
        lab.look(fewer)
    assert database.catalog().version == before


def test_stored_values_come_most_frequent_first(database: SourceDatabase) -> None:
    assert list(database.values("customers", "country", 10)) == ["Norway", "Ireland"]
    assert list(database.values("customers", "country", 1)) == ["Norway"]


def test_the_connection_test_tells_the_server(lab: Lab, database: SourceDatabase) -> None:
    check = database.check()
    assert any(character.isdigit() for character in check.server)
    assert bool(check.writable) == bool(check.advice_sql) == lab.has_server


def test_closing_twice_is_no_harm(lab: Lab) -> None:
    opened = lab.connect()
    opened.close()
    opened.close()


def test_an_unknown_option_is_named(lab: Lab) -> None:
    with pytest.raises(ValueError, match="Unknown option 'autocommit'"):
        lab.connect(options={"autocommit": "1"})


def test_failures_are_of_two_kinds(database: SourceDatabase) -> None:
    with pytest.raises(StatementFailed):
        database.execute("SELECT nothing_of_that_name", FAST)
    assert not issubclass(StatementFailed, Unreachable)
