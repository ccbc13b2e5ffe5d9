"""Values of sources that break the reading off: statements ended by the server, connections lost, Mirror's own errors."""

from __future__ import annotations

import sqlite3

import pytest
from django.utils import timezone

from mirror.asking import services as asking
from mirror.sources import index_services
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.index_services import index_ask_for
from mirror.sources.models import Source, StoredIndex
from mirror.work.doing import work_do
from mirror.work.leases import Status
from sqlagent.catalog.statistics import FactsReader
from tests.engines.lab import stopped_once
from tests.servers import MariadbServer, PostgresServer
from tests.web.working import answer, unwatched

pytestmark = pytest.mark.django_db(transaction=True)


def turns(source: Source, most: int = 12) -> tuple[int, StoredIndex]:
    """Read until no turn is due, or so many are done."""
    index_ask_for(source)
    index, done = StoredIndex.objects.get(source=source), 0
    with unwatched():
        while done < most and work_do("index", index.pk):
            done += 1
    index.refresh_from_db()
    return done, index


def test_a_view_whose_statements_are_ended_by_mysql_costs_itself_alone(alice):
    server = MariadbServer()
    server.start()
    try:
        with server.connect() as db:
            for sql in (
                "CREATE DATABASE shop",
                "USE shop",
                "CREATE TABLE orders (id INT PRIMARY KEY, status VARCHAR(20))",
                "INSERT INTO orders VALUES (1, 'open'), (2, 'shut')",
                "CREATE FUNCTION boom() RETURNS VARCHAR(20) DETERMINISTIC BEGIN SIGNAL SQLSTATE '70100' "
                "SET MYSQL_ERRNO = 1317, MESSAGE_TEXT = 'Query execution was interrupted'; RETURN 'x'; END",
                "CREATE VIEW dear AS SELECT id, CONCAT(boom()) AS name FROM orders",
            ):
                db.cursor().execute(sql)
        place = {"host": "127.0.0.1", "port": server.port, "database": "shop"}
        source = Source.objects.create(
            owner=alice, name="my", engine="mysql", username=server.user, password="correct horse battery", **place
        )  # fmt: skip
        catalog_refresh(source)
        done, index = turns(source)
    finally:
        server.remove()
    assert (index.state, index.status, index.coverage["left"]) == (StoredIndex.State.READY, Status.DONE, 0)
    assert done < 4
    words = "The server ended the statement: Query execution was interrupted."
    assert index.coverage["failed"] == {"dear": {"words": words, "columns": ["name"]}}
    assert index.size > 0


def test_a_view_that_ends_the_connection_costs_itself_alone(alice):
    server = PostgresServer()
    server.start()
    try:
        with server.connect() as db:
            db.execute("CREATE ROLE looker LOGIN PASSWORD 'look'")
            db.execute(
                "CREATE TABLE orders (id int PRIMARY KEY, status text);"
                "INSERT INTO orders SELECT g, 's' || g % 3 FROM generate_series(1, 50) g;"
                "CREATE VIEW boom AS SELECT 1 AS id, 'x' || pg_terminate_backend(pg_backend_pid())::text AS name;"
                "GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker"
            )
        place = {"host": "127.0.0.1", "port": server.port, "database": "postgres"}
        source = Source.objects.create(
            owner=alice, name="pg", engine="postgres", username="looker", password="look", **place
        )
        catalog_refresh(source)
        done, index = turns(source)
    finally:
        server.remove()
    assert (index.state, index.status, index.tries) == (StoredIndex.State.READY, Status.DONE, 0)
    assert done < 4
    assert set(index.coverage["failed"]) == {"boom"}
    assert "It was interrupted twice. The connection to " in index.coverage["failed"]["boom"]["words"]
    assert index.size > 0


@pytest.fixture
def endless(alice, tmp_path) -> Source:
    """A file with a view that never ends."""
    path = tmp_path / "endless.sqlite3"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT); INSERT INTO orders VALUES (1, 'open');"
            "CREATE VIEW about AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
            "SELECT sum(x) AS total, 'n' || max(x) AS name FROM n"
        )
    source = Source.objects.create(owner=alice, name="endless", engine="sqlite", database=str(path))
    catalog_refresh(source)
    return source


def test_a_turn_that_read_nothing_is_followed_by_a_pause(endless, monkeypatch):
    """Each statement on the view is stopped without a reason."""
    real = index_services.open_source

    def opened(source):
        database = real(source)
        execute = database.execute

        def stopped(sql, limits):
            if '"about"' in sql:
                stopped_once(lambda: database._flights, database)
            return execute(sql, limits)

        database.execute = stopped
        return database

    monkeypatch.setattr(index_services, "open_source", opened)
    with sqlite3.connect(endless.database) as db:
        db.execute("DROP TABLE orders")
    catalog_refresh(endless)
    done, index = turns(endless)
    assert (done, index.status, index.coverage["failed"]) == (1, Status.QUEUED, {})
    assert index.not_before > timezone.now()
    StoredIndex.objects.update(not_before=None)
    with unwatched():
        while work_do("index", index.pk):
            done += 1
            assert done < 12
    index.refresh_from_db()
    assert (index.status, set(index.coverage["failed"])) == (Status.DONE, {"about"})
    assert (
        index.coverage["failed"]["about"]["words"] == "It was interrupted twice. The statement was stopped."
    )


def test_an_error_of_mirrors_own_in_one_table_costs_no_question(endless, alice, monkeypatch):
    path = endless.database
    with sqlite3.connect(path) as db:
        db.execute("DROP VIEW about")
        db.execute("CREATE TABLE odd (id INTEGER PRIMARY KEY, note TEXT)")
        db.execute("INSERT INTO odd VALUES (1, 'x')")
    catalog_refresh(endless)
    real = FactsReader.facts
    monkeypatch.setattr(
        FactsReader, "facts", lambda self, table: ()[0] if table.name == "odd" else real(self, table)
    )
    with unwatched():
        run = answer(asking.run_ask(alice, endless, "number of orders by status"))
    assert run.outcome == "answered"
    _, index = turns(endless)
    assert (index.state, index.status) == (StoredIndex.State.READY, Status.DONE)
    words = "Something in Mirror itself broke while reading this. It was logged."
    assert index.coverage["failed"] == {"odd": {"words": words, "columns": []}}
