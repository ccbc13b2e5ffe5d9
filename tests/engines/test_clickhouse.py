"""ClickHouse's own engine: the shared suite, hostile statements, attacks, a shop that is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from mirror.sources.demo import SHOP_QUESTIONS
from mirror.sources.models import Source
from sqlagent import guard
from sqlagent.errors import Unreachable
from sqlagent.ports import SourceDatabase
from sqlagent.values import Answer
from tests import servers
from tests.engines import test_attacks, test_net, test_shop
from tests.engines.clickhouse_lab import ClickhouseLab
from tests.engines.clickhouse_shop import make_shop
from tests.engines.test_engines import *  # noqa: F403 - the tests of the suite, run with the lab below
from tests.engines.test_engines import FAST, failure_of
from tests.engines.test_shop import expected  # noqa: F401 - a fixture
from tests.web.working import visited


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> ClickhouseLab:
    """ClickHouse with the suite's tables."""
    return ClickhouseLab(tmp_path_factory.mktemp("clickhouse"))


def test_column_names_come_as_written_and_twice_if_twice(database: SourceDatabase) -> None:
    """In ClickHouse an alias stands for one expression; a column may be told twice."""
    rows = database.execute('SELECT 1 AS "Größe x", id, id FROM customers ORDER BY id LIMIT 1', FAST)
    assert rows.columns == ("Größe x", "id", "id")
    assert rows.rows == ((1, 1, 1),)


@pytest.fixture(scope="module")
def shop(lab: ClickhouseLab, part: Path) -> Iterator[SourceDatabase]:
    """The shop in tables of ClickHouse, opened by the adapter."""
    name = make_shop(lab.server, part)
    with closing(lab.connect(database=name, options={})) as opened:
        yield opened


@pytest.mark.parametrize("question", SHOP_QUESTIONS)
def test_the_example_questions_are_answered_as_on_sqlite(
    question: str,
    shop: SourceDatabase,
    expected: dict[str, Answer],  # noqa: F811
) -> None:
    (found,) = test_shop.answers(shop, (question,)).values()
    known = expected[question].rows
    assert found.rows is not None and known is not None, (found.outcome, found.reason)
    assert alike(found.rows.rows) == alike(known.rows), found.sql


def alike(rows: Iterable[Iterable[object]]) -> list[list[str]]:
    """Rows as a bag, in whichever order the columns come: the generator writes them here, and the analyst on SQLite."""
    return sorted(sorted(test_shop.plain(cell) for cell in row) for row in rows)


def test_no_hostile_statement_has_an_effect(lab: ClickhouseLab) -> None:
    test_net.hold(lab)


def test_each_attack_is_refused_or_known_to_be_harmless(database: SourceDatabase) -> None:
    catalog = database.catalog()
    wrong = [
        case["sql"]
        for case in test_attacks.attacks("clickhouse")
        if isinstance(guard.check(case["sql"], catalog), guard.Passed) != ("passes" in case)
    ]
    assert not wrong


def test_what_the_guard_lets_through_has_no_effect_by_a_user_who_may_do_everything(
    lab: ClickhouseLab,
) -> None:
    """Without the adapter's settings: the guard alone."""
    with closing(lab.connect()) as database:
        catalog = database.catalog()
    before, ran = lab.state(), 0
    harmless = [case["sql"] for case in test_attacks.attacks("clickhouse") if "passes" in case]
    for start in range(0, len(harmless), test_net.AT_ONCE):
        few = harmless[start : start + test_net.AT_ONCE]
        for sql in few:
            passed = guard.check(sql, catalog)
            assert isinstance(passed, guard.Passed)
            ran += lab.attempt(passed.sent, 2.0)
        assert lab.state() == before, few
    assert ran >= 25


def test_a_function_that_somebody_made_is_not_called(lab: ClickhouseLab) -> None:
    """Also by a name that differs from one of ClickHouse's own in the case of a letter."""
    lab.look("CREATE FUNCTION toStartofmonth AS (x) -> file('/etc/hostname')")
    try:
        with closing(lab.connect()) as database:
            catalog = database.catalog()
        for sql in (
            "SELECT toStartofmonth(ordered_at) FROM orders",
            "SELECT toStartOfMonth(ordered_at) FROM orders",
        ):
            assert isinstance(guard.check(sql, catalog), guard.Refusal), sql
    finally:
        lab.look("DROP FUNCTION toStartofmonth")
    with closing(lab.connect()) as database:
        assert isinstance(
            guard.check("SELECT toStartOfMonth(ordered_at) FROM orders", database.catalog()), guard.Passed
        )


def test_a_statement_that_would_read_too_much_is_not_run_and_says_so(
    lab: ClickhouseLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.look("CREATE TABLE many (id Int64, name String) ENGINE = MergeTree ORDER BY id")
    lab.look("INSERT INTO many SELECT number, repeat('x', 100) FROM numbers(200000)")
    try:
        with closing(lab.connect(scan_bytes=5_000_000)) as database:
            failure = failure_of(database, "SELECT count(name) FROM many WHERE name <> ''")
            assert re.fullmatch(
                r"This statement would read about 2\d(\.\d)? MB, and this source allows 5 MB\. It was not run\.",
                failure.message,
            )
            assert database.execute("SELECT count() FROM many WHERE id < 8000", FAST).rows == ((8000,),)
            # No estimate exists for a statement that reads no stored table: the server counts.
            failure = failure_of(database, "SELECT sum(sipHash64(number)) FROM numbers(10000000)")
            assert "it read more than the 5 MB that this source allows" in failure.message
            # Subqueries of one value are read while a statement is explained, so that is bounded too.
            running, bounds = database._running, list[int | None]()

            def watched(flight, sql, scan_bytes=None):
                bounds.append(scan_bytes)
                return running(flight, sql, scan_bytes)

            monkeypatch.setattr(database, "_running", watched)
            failure = failure_of(database, "WITH (SELECT max(reverse(name)) FROM many) AS s SELECT s, 1")
            assert "it read more than the 5 MB that this source allows" in failure.message
            assert bounds == [5_000_000]
        with closing(lab.connect()) as database:
            assert database.execute("SELECT count(name) FROM many WHERE name <> ''", FAST).rows == (
                (200_000,),
            )
    finally:
        lab.look("DROP TABLE many SYNC")


def test_what_answers_in_another_tongue_is_not_taken_for_clickhouse(lab: ClickhouseLab) -> None:
    secret = "a secret of 2026"
    with closing(lab.connect(password=secret)) as database, pytest.raises(Unreachable) as caught:
        database.check()
    assert "refused user 'default'" in caught.value.failure.message
    assert secret not in repr(caught.value.failure)
    for changes, said in (
        ({"port": 1}, "Nothing answers at 127.0.0.1:1"),
        ({"database": "no_such_space"}, "no_such_space"),
        ({"options": {"sslmode": "require"}}, "No TLS connection"),
        ({"port": servers.redis_server().port}, "does not speak as ClickHouse"),
    ):
        with closing(lab.connect(**changes)) as database, pytest.raises(Unreachable, match=said):
            database.check()


@pytest.mark.django_db
def test_it_is_connected_by_the_form_with_a_bound_of_its_own(lab: ClickhouseLab, as_alice: Client) -> None:
    typed = {"name": "events", "host": lab.server.host, "port": lab.server.port, "privacy": "schema"}
    typed |= {
        "database": lab.database,
        "username": "default",
        "password": servers.PASSWORD,
        "namespaces": lab.archive,
    }
    told = visited(as_alice, reverse("sources:test") + "?engine=clickhouse", typed).content.decode()
    assert "Connected to ClickHouse 26" in told
    page = visited(as_alice, reverse("sources:connect") + "?engine=clickhouse", typed).content.decode()
    assert "is connected" in page
    source = Source.objects.get(name="events")
    assert {"customers", "old_orders"} <= {table["name"] for table in source.catalog["tables"]}
    assert (
        "no read-only session"
        not in as_alice.get(reverse("sources:source", args=[source.pk])).content.decode()
    )
