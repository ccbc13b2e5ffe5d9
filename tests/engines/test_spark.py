"""Spark SQL, a distributed engine, for real: the shared suite, hostile statements, a shop that is asked.

All in one file, so that one server is started for all of it; in the long run only, as that takes half a minute.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from mirror.sources.demo import SHOP_QUESTIONS
from mirror.sources.models import Source
from sqlagent import guard
from sqlagent.adapters import open_database, spark
from sqlagent.errors import Unreachable
from sqlagent.ports import SourceDatabase
from sqlagent.values import Answer, FailureKind, Limits, Outcome
from tests.engines import test_net, test_shop
from tests.engines.spark_lab import SparkLab, time_to_count  # noqa: F401 - a fixture
from tests.engines.spark_shop import make_shop
from tests.engines.test_engines import *  # noqa: F403 - the tests of the suite, run with the lab below
from tests.engines.test_engines import failure_of
from tests.engines.test_shop import expected  # noqa: F401 - a fixture
from tests.web.working import visited

pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> SparkLab:
    """Spark with the suite's tables."""
    return SparkLab(tmp_path_factory.mktemp("spark"))


@pytest.fixture(scope="module")
def shop(lab: SparkLab, part: Path) -> Iterator[SourceDatabase]:
    """The shop as Parquet files, opened by the adapter."""
    name = make_shop(lab.server, part)
    with closing(open_database("spark", host=lab.server.host, port=lab.server.port, database=name)) as opened:
        yield opened


QUESTIONS = (SHOP_QUESTIONS[0], SHOP_QUESTIONS[1], SHOP_QUESTIONS[9])


def test_questions_are_answered_end_to_end_as_on_sqlite(
    shop: SourceDatabase,
    expected: dict[str, Answer],  # noqa: F811
) -> None:
    for question, found in test_shop.answers(shop, QUESTIONS).items():
        assert found.rows is not None, (question, found.outcome, found.reason)
        assert found.outcome in (Outcome.ANSWERED, Outcome.AMBIGUOUS), (question, found.sql)
        assert "failed" not in found.reason, (question, found.reason)
        known = expected[question].rows
        assert known is not None
        assert test_shop.alike(found.rows.rows) == test_shop.alike(known.rows), (question, found.sql)


def test_no_hostile_statement_has_an_effect(lab: SparkLab) -> None:
    test_net.hold(lab)


def test_what_the_guard_lets_through_runs(lab: SparkLab, database: SourceDatabase) -> None:
    catalog = database.catalog()
    for sql in (
        "SELECT country, count(*) FILTER (WHERE is_member) FROM customers GROUP BY country WITH ROLLUP",
        "SELECT /*+ BROADCAST(customers) */ name FROM customers LEFT ANTI JOIN orders ON customer_id = customers.id",
        "SELECT transform(array(1, 2), x -> x + id) FROM customers",
        "SELECT name, w FROM customers LATERAL VIEW explode(split(name, '')) AS w",
        "SELECT date_format(seen, 'yyyy-MM'), percentile_approx(credit, 0.5) FROM customers GROUP BY 1",
        "SELECT \"a text\", r'\\d' /* and */ FROM customers -- a comment",
        "SELECT `Größe x`, `a.b` FROM odd_table",
        "VALUES (1, 'a')",
        "SHOW TABLES",
        "DESCRIBE customers",
        "EXPLAIN FORMATTED SELECT name FROM customers",
        f"SELECT * FROM {lab.archive}.old_orders",
    ):
        assert isinstance(guard.check(sql, catalog), guard.Passed), sql
        assert database.execute(sql, Limits(10)).columns, sql


def test_a_namespace_is_read_when_it_is_named(lab: SparkLab) -> None:
    def spaces(others: str) -> set[str]:
        return {table.schema for table in lab.connect(options={"namespaces": others}).catalog().tables}

    assert spaces("") == {""}
    assert spaces(f" {lab.archive} ,") == {"", lab.archive}
    assert spaces("*") >= {"", lab.archive}


def test_what_the_server_says_is_said_without_its_names_of_classes(database: SourceDatabase) -> None:
    failure = failure_of(database, "SELECT 1 / 0")
    assert failure.message == "Division by zero."
    failure = failure_of(database, "SELECT nam FROM customers")
    assert "`nam` cannot be resolved" in failure.message
    assert "`name`" in failure.advice
    assert failure.position == 7
    assert "org.apache" not in failure_of(database, "SELECT CAST('x' AS int)").message


def test_a_namespace_that_is_not_there_is_named(lab: SparkLab) -> None:
    with pytest.raises(Unreachable, match="no_such_space") as caught:
        lab.connect(database="no_such_space").check()
    assert "database's name" in caught.value.failure.advice


def test_what_answers_in_another_tongue_is_not_taken_for_spark(lab: SparkLab) -> None:
    with pytest.raises(Unreachable, match=f"127.0.0.1:{lab.server.port}"):
        lab.connect(options={"auth": "nosasl"}).check()
    with pytest.raises(Unreachable, match="No TLS connection to"):
        lab.connect(options={"sslmode": "require"}).check()
    with pytest.raises(Unreachable, match="Nothing answers at 127.0.0.1:1"):
        lab.connect(port=1).check()
    for name, value in (("auth", "kerberos"), ("sslmode", "maybe")):
        with pytest.raises(ValueError, match=f"Unknown {name} '{value}'"):
            lab.connect(options={name: value})


@pytest.mark.django_db
def test_it_is_connected_by_the_form_and_from_a_shell_with_a_word_about_its_locks(
    lab: SparkLab, as_alice: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = {"name": "lake", "host": lab.server.host, "port": lab.server.port, "privacy": "schema"}
    typed |= {"database": lab.database, "username": "reader", "namespaces": lab.archive}
    told = visited(as_alice, reverse("sources:test") + "?engine=spark", typed).content.decode()
    assert "Connected to Spark SQL 4" in told
    assert "Only Mirror&#x27;s guard" in told or "Only Mirror's guard" in told
    page = visited(as_alice, reverse("sources:connect") + "?engine=spark", typed).content.decode()
    assert "is connected" in page
    source = Source.objects.get(name="lake")
    assert source.options == {"namespaces": lab.archive}
    assert {"customers", "old_orders"} <= {table["name"] for table in source.catalog["tables"]}
    assert (
        "this engine has no read-only session"
        in as_alice.get(reverse("sources:source", args=[source.pk])).content.decode()
    )
    where = ["--host", lab.server.host, "--port", str(lab.server.port), "--database", lab.database]
    call_command("connect", "again", "--engine", "spark", "--owner", "alice", *where)
    assert "Spark has no read-only session" in capsys.readouterr().out


def test_a_connection_that_breaks_is_told_and_the_next_one_works(lab: SparkLab) -> None:
    """A way through that can be cut, as a server that goes away would cut it."""
    with closing(_Way(lab.server.port, cut_after=b"endless")) as way:
        database = lab.connect(port=way.port)
        failure = failure_of(database, lab.endless, Limits(seconds=5))
        assert failure.kind is FailureKind.LOST
        assert "was lost while the statement ran" in failure.message
    assert lab.connect().execute("SELECT 1", Limits()).rows == ((1,),)


def test_a_statement_that_was_cancelled_there_was_not_stopped_by_mirror(lab: SparkLab, monkeypatch) -> None:
    """The server is told to cancel it, as an administrator would, without Mirror's knowing."""
    monkeypatch.setattr(spark._Statement, "_stop_if_asked", lambda statement: statement._cursor.cancel())
    failure = failure_of(lab.connect(), lab.endless, Limits(seconds=60))
    assert (failure.kind, failure.message) == (
        FailureKind.ERROR,
        "The server ended the statement: It was cancelled there.",
    )


class _Way:
    """Passes bytes on to a port of this machine until shortly after a text went through."""

    def __init__(self, to: int, *, cut_after: bytes) -> None:
        self._to = to
        self._cut_after = cut_after
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._open, daemon=True).start()

    def _open(self) -> None:
        here, _ = self._door.accept()
        there = socket.create_connection(("127.0.0.1", self._to))
        self._ends = [here, there]
        for a, b in ((here, there), (there, here)):
            threading.Thread(target=self._pass_on, args=(a, b), daemon=True).start()

    def _pass_on(self, a: socket.socket, b: socket.socket) -> None:
        try:
            while data := a.recv(65_536):
                b.sendall(data)
                if self._cut_after in data:
                    threading.Timer(0.5, self.cut).start()
        except OSError:
            return

    def cut(self) -> None:
        with suppress(OSError):  # it may be closed by now
            for end in self._ends:
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for end in (*self._ends, self._door):
            end.close()
