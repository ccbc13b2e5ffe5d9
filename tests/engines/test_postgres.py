"""Faults that only a PostgreSQL server has: doors, roles, size, and lost connections."""

from __future__ import annotations

import re
import signal
import threading
import time
from contextlib import closing

import pytest

from sqlagent.errors import DatabaseError, Unreachable
from sqlagent.values import PASSWORD_HERE, FailureKind, Limits
from tests import servers
from tests.engines.lab import stopped_once
from tests.engines.postgres_lab import PostgresLab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> PostgresLab:
    return PostgresLab(tmp_path_factory.mktemp("postgres"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"password": "wrong"}, "refused the password of user 'writer'"),
        ({"password": ""}, "refused the password of user 'writer'"),
        ({"user": "nobody_here", "password": "x"}, "refused the password|knows no user 'nobody_here'"),
        ({"database": "nowhere"}, "has no database 'nowhere'"),
        ({"database": "dbname=postgres user=owner"}, "has no database 'dbname=postgres user=owner'"),
        ({"host": "no-such-host.invalid"}, "no host named 'no-such-host.invalid'"),
        ({"port": 1}, "Nothing answers at 127.0.0.1:1"),
    ],
)
def test_a_door_that_stays_shut_says_why(lab: PostgresLab, changes: dict, words: str) -> None:
    database = lab.connect(**changes)
    with pytest.raises(Unreachable, match=words) as caught:
        database.check()
    assert caught.value.failure.kind is FailureKind.LOST
    assert caught.value.failure.advice
    assert servers.PASSWORD not in str(caught.value)


def test_the_connection_test_says_what_could_be_written_and_offers_a_reader(lab: PostgresLab) -> None:
    check = lab.connect().check()
    assert check.user == "writer"
    assert any("schema public" in words for words in check.writable)
    assert any("schema archive" in words for words in check.writable)
    with closing(lab.server.connect(lab.database)) as db:
        db.execute(check.advice_sql)
    named = re.search(r'CREATE ROLE "(\w+)"', check.advice_sql)
    assert named
    try:
        reader = lab.connect(user=named[1], password=PASSWORD_HERE)
        assert reader.check().powers == reader.check().reader == ()
        assert {t.key for t in reader.catalog().tables} == {t.key for t in lab.connect().catalog().tables}
        assert reader.execute("SELECT COUNT(*) FROM orders", Limits()).rows == ((3,),)
    finally:
        with closing(lab.server.connect(lab.database)) as db:
            db.execute(f"DROP OWNED BY {named[1]}; DROP ROLE {named[1]}")


def test_a_superusers_powers_are_set_aside(lab: PostgresLab) -> None:
    database = lab.connect(user="owner")
    assert "superuser" in database.check().writable[0]
    assert database.execute("SELECT current_user::text", Limits()).rows == (("pg_read_all_data",),)
    assert len(database.execute("SELECT * FROM archive.old_orders", Limits()).rows) == 1


def test_only_what_may_be_selected_is_listed(lab: PostgresLab) -> None:
    with closing(lab.server.connect(lab.database)) as db:
        db.execute(f"CREATE ROLE narrow LOGIN PASSWORD '{servers.PASSWORD}'")
        db.execute("GRANT SELECT (id, name) ON customers TO narrow")
    try:
        catalog = lab.connect(user="narrow").catalog()
        assert [(t.key, [c.name for c in t.columns]) for t in catalog.tables] == [
            ("customers", ["id", "name"])
        ]
        with pytest.raises(DatabaseError, match="permission denied") as caught:
            lab.connect(user="narrow").execute("SELECT * FROM orders", Limits())
        assert "grant" in caught.value.failure.advice
    finally:
        with closing(lab.server.connect(lab.database)) as db:
            db.execute("DROP OWNED BY narrow; DROP ROLE narrow")


def test_parts_of_a_partitioned_table_are_not_listed(lab: PostgresLab) -> None:
    names = {table.name for table in lab.connect().catalog().tables}
    assert "by_year" in names
    assert "by_year_2025" not in names


def test_a_key_into_another_schema_is_followed(lab: PostgresLab) -> None:
    old = lab.connect().catalog().table("old_orders", "archive")
    assert old is not None
    assert (old.foreign_keys[0].schema, old.foreign_keys[0].table) == ("", "customers")
    assert [str(column.kind) for column in old.columns] == ["integer", "integer", "text", "other"]


def test_a_lock_held_by_somebody_else_does_not_hold_us_for_ever(lab: PostgresLab) -> None:
    with closing(lab.server.connect(lab.database)) as db:
        db.execute("BEGIN")
        db.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        started = time.monotonic()
        with pytest.raises(DatabaseError) as caught:
            lab.connect().execute("SELECT * FROM orders", Limits(seconds=1))
        assert caught.value.failure.kind is FailureKind.TIMEOUT
        assert time.monotonic() - started < 3


def test_a_server_that_goes_away_mid_statement_is_said_to_and_the_next_works(lab: PostgresLab) -> None:
    server = lab.server
    database = lab.connect()
    caught: list[DatabaseError] = []

    def run() -> None:
        try:
            database.execute(lab.endless, Limits(seconds=30))
        except DatabaseError as error:
            caught.append(error)

    for how in (signal.SIGINT, signal.SIGQUIT):
        thread = threading.Thread(target=run)
        thread.start()
        while not lab.in_flight(lab.endless[-30:]):
            time.sleep(0.02)
        server.stop(how)
        thread.join(10)
        failure = caught.pop().failure
        assert failure.kind is FailureKind.LOST
        assert f"The connection to 127.0.0.1:{server.port} was lost" in failure.message
        with pytest.raises(Unreachable, match="Nothing answers"):
            database.execute("SELECT 1", Limits())
        server.start()
        assert database.execute("SELECT COUNT(*) FROM orders", Limits()).rows == ((3,),)


def test_five_hundred_tables_are_read_in_under_five_seconds(lab: PostgresLab) -> None:
    columns = ", ".join(f"column_{n} varchar(20)" for n in range(9))
    with closing(lab.server.connect()) as db:
        db.execute("CREATE DATABASE wide")
    with closing(lab.server.connect("wide")) as db:
        db.execute(
            "DO $$ BEGIN FOR n IN 1..500 LOOP EXECUTE format("
            f"'CREATE TABLE table_%s (id int PRIMARY KEY, parent int REFERENCES table_1 (id), {columns})', n);"
            " END LOOP; END $$".replace("REFERENCES table_1 (id)", "")
        )
    started = time.monotonic()
    catalog = lab.connect(database="wide", user="owner").catalog()
    assert (len(catalog.tables), len(catalog.tables[0].columns)) == (500, 11)
    assert time.monotonic() - started < 5


# Two calls of functions, in which the server asks nobody whether it should stop: some five seconds.
HELD = "SELECT array_positions(array_fill(1.5::numeric, ARRAY[60000000]), 2)"


def test_a_server_that_does_not_end_a_statement_is_hung_up_on(lab: PostgresLab) -> None:
    database = lab.connect()
    started = time.monotonic()
    with pytest.raises(DatabaseError) as caught:
        database.execute(HELD, Limits(seconds=0.3))
    assert time.monotonic() - started < 3
    assert lab.in_flight("array_fill"), "the server was not waited for"
    assert caught.value.failure.kind is FailureKind.TIMEOUT
    assert database.execute("SELECT 1", Limits()).rows == ((1,),)
    until = time.monotonic() + 20
    while lab.in_flight("array_fill"):
        assert time.monotonic() < until, "the server goes on when it could stop"
        time.sleep(0.1)


def test_stop_hangs_up_too(lab: PostgresLab) -> None:
    database = lab.connect()
    stopping = stopped_once(lambda: lab.in_flight("array_fill"), database)
    started = time.monotonic()
    with pytest.raises(DatabaseError) as caught:
        database.execute(HELD, Limits(seconds=60))
    assert time.monotonic() - started < 3
    assert lab.in_flight("array_fill"), "the server was not waited for"
    assert caught.value.failure.kind is FailureKind.CANCELLED
    stopping.join()
