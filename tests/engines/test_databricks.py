"""Databricks' own driver and dialect on Spark SQL: the shared suite, and what the door of a warehouse tells.

One server for all of it; in the long run only, as that takes half a minute.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from sqlagent.errors import DatabaseError, Unreachable
from sqlagent.ports import SourceDatabase
from sqlagent.values import FailureKind, Limits
from tests.engines.databricks_lab import DatabricksLab
from tests.engines.spark_lab import time_to_count  # noqa: F401 - a fixture
from tests.engines.test_engines import *  # noqa: F403 - the tests of the suite, run with the lab below
from tests.engines.test_engines import FAST
from tests.servers import PASSWORD

pytestmark = pytest.mark.long

# Told by the adapter of Spark alone: exact types, the version of the server, positions. The dialect tells binary columns as
# texts. A statement that is stopped ends later than with other drivers, and the structure of all tables takes 42 statements,
# 4 s of a processor, each time: below both are tried in their own way, as are several threads, with sessions that each take 0.3 s.
del test_values_survive_exactly  # noqa: F821
del test_the_connection_test_tells_the_server  # noqa: F821
del test_several_threads_at_once  # noqa: F821
del test_a_wrong_column_has_a_position_where_the_engine_tells  # noqa: F821
del test_cancel_ends_the_statement_in_the_database  # noqa: F821
del test_the_catalog_tells_tables_columns_and_keys  # noqa: F821
del test_the_version_changes_with_the_structure_and_not_with_the_rows  # noqa: F821


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> DatabricksLab:
    """Spark with the suite's tables, as a Databricks warehouse."""
    made = DatabricksLab(tmp_path_factory.mktemp("databricks"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(made.door.folder / "cert.pem"))
        with closing(made.connect()) as database:
            database.execute("SELECT 1", Limits(seconds=60))  # the first statement takes Spark longest
        yield made


def test_values_come_in_their_types(database: SourceDatabase) -> None:
    sql = "SELECT 1 AS `Größe x`, CAST(1.50 AS decimal(10, 2)), DATE '2026-01-02', 'ü', true, NULL, 0.5D, x'00ff'"
    found = database.execute(sql, FAST)
    assert found.columns[0] == "Größe x"
    assert repr(found.rows[0]) == (
        "(1, Decimal('1.50'), datetime.date(2026, 1, 2), 'ü', True, None, 0.5, b'\\x00\\xff')"
    )


def test_a_statement_that_is_stopped_ends_in_the_database_too(
    lab: DatabricksLab, database: SourceDatabase
) -> None:
    """The caller hears at once; the driver's word comes after the answers to its looks, the deadline at the latest."""
    caught: list[DatabaseError] = []

    def run() -> None:
        try:
            database.execute(lab.endless, Limits(seconds=20))
        except DatabaseError as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    mark, until = lab.endless[-30:], time.monotonic() + 30
    while lab.in_flight(mark) != 1:
        assert time.monotonic() < until, "never seen in the server's list"
        time.sleep(0.05)
    started = time.monotonic()
    database.cancel()
    thread.join(5)
    assert time.monotonic() - started < 3
    assert caught[0].failure.kind is FailureKind.CANCELLED
    until = time.monotonic() + 40
    while lab.in_flight(mark):
        assert time.monotonic() < until, "still in the server's list"
        time.sleep(0.05)


def test_threads_ask_at_once(lab: DatabricksLab, database: SourceDatabase) -> None:
    found: dict[int, int] = {}

    def count(n: int) -> None:
        found[n] = len(database.execute(lab.rows_of.format(count=n), Limits(seconds=60)).rows)

    threads = [threading.Thread(target=count, args=(n,)) for n in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {1: 1, 2: 2, 3: 3}


def test_each_table_is_listed_once_and_the_version_follows_the_structure(
    lab: DatabricksLab, database: SourceDatabase
) -> None:
    """The dialect tells binary columns as texts, so kinds are not compared with those of other engines."""
    catalog = database.catalog()
    assert (catalog.dialect, catalog.default_schema) == ("databricks", lab.home)
    home = [table.name for table in catalog.tables if not table.schema]
    assert sorted(home) == sorted(
        ["customers", "orders", "order_lines", "line_notes", lab.odd, "big_spenders"]
    )
    assert not [table for table in catalog.tables if table.schema == lab.home]
    lab.look(lab.more_rows[0])
    assert database.catalog().version == catalog.version
    lab.look(lab.more_rows[1])
    lab.look(lab.more_columns[0])
    try:
        assert database.catalog().version != catalog.version
    finally:
        lab.look(lab.more_columns[1])


def test_what_keeps_it_from_connecting_is_told(lab: DatabricksLab) -> None:
    for changes, said in (
        ({"port": 1}, "No connection to 127.0.0.1:1"),
        ({"password": "another"}, "No connection to"),
        ({"database": "spark_catalog.nowhere"}, "nowhere"),
    ):
        with closing(lab.connect(**changes)) as database, pytest.raises(Unreachable, match=said) as caught:
            database.check()
        assert PASSWORD not in repr(caught.value.failure)
