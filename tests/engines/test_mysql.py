"""Faults that only a MySQL or MariaDB server has: doors, modes, grants, and lost connections."""

from __future__ import annotations

import signal
import time
from typing import Any

import pytest

from sqlagent import guard
from sqlagent.errors import DatabaseError, Unreachable
from sqlagent.values import PASSWORD_HERE, FailureKind, Limits
from tests import servers
from tests.engines.lab import endless_begun, stopped_once
from tests.engines.mysql_lab import MysqlLab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> MysqlLab:
    return MysqlLab(tmp_path_factory.mktemp("mysql"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"password": "wrong"}, "refused the password of user 'writer_mysql"),
        ({"password": ""}, "refused the password of user 'writer_mysql"),
        ({"user": "nobody_here"}, "refused the password of user 'nobody_here'"),
        ({"database": "nowhere"}, "database 'nowhere'"),
        ({"host": "no-such-host.invalid"}, "no host named 'no-such-host.invalid'"),
        ({"port": 1}, "Nothing answers at 127.0.0.1:1"),
    ],
)
def test_a_door_that_stays_shut_says_why(lab: MysqlLab, changes: dict, words: str) -> None:
    with pytest.raises(Unreachable, match=words) as caught:
        lab.connect(**changes).check()
    assert caught.value.failure.kind is FailureKind.LOST
    assert caught.value.failure.advice
    assert servers.PASSWORD not in str(caught.value)


def test_the_connection_test_says_what_could_be_written_and_offers_a_reader(lab: MysqlLab) -> None:
    check = lab.connect().check()
    assert check.server.startswith("MariaDB 10")
    for name in (lab.database, lab.archive):
        assert any(f"`{name}`.* (ALL PRIVILEGES)" in words for words in check.writable)
    lab.look(check.advice_sql)
    try:
        reader = lab.connect(user="mirror_reader", password=PASSWORD_HERE)
        assert reader.check().powers == reader.check().reader == ()
        assert reader.execute("SELECT COUNT(*) FROM orders", Limits()).rows == ((3,),)
        assert reader.catalog().table("old_orders", lab.archive)
    finally:
        lab.look("DROP USER 'mirror_reader'@'%'")


def test_who_may_see_the_whole_server_sees_the_connected_database(lab: MysqlLab) -> None:
    seen = lab.connect(user=lab.server.user).catalog()
    assert {table.schema for table in seen.tables} == {""}
    assert {table.schema for table in lab.connect().catalog().tables} == {"", lab.archive}


def test_a_backslash_escapes_whatever_the_servers_mode(lab: MysqlLab) -> None:
    lab.look("SET GLOBAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'")
    try:
        assert lab.connect().execute(r"""SELECT "a\"b", 'c\'d'""", Limits()).rows == (('a"b', "c'd"),)
    finally:
        lab.look("SET GLOBAL sql_mode = DEFAULT")


@pytest.mark.parametrize("how", ["ANALYZE", "ANALYZE FORMAT=JSON", "analyze format = json"])
def test_a_read_can_be_measured_and_nothing_else(lab: MysqlLab, how: str) -> None:
    database, before = lab.connect(), lab.state()
    sql = f"{how} SELECT name FROM customers WHERE id > 1"
    assert isinstance(guard.check(sql, database.catalog()), guard.Passed)
    assert "r_rows" in str(database.execute(sql, Limits()))
    for writes in ("DELETE FROM orders", "UPDATE orders SET id = 7", "TABLE orders"):
        with pytest.raises(DatabaseError):
            database.execute(f"{how} {writes}", Limits())
    assert lab.state() == before


def test_a_text_that_is_none_is_said_in_words_however_the_rows_are_fetched(lab: MysqlLab) -> None:
    database, sql = lab.connect(), "SELECT JSON_UNQUOTE(photo) FROM customers"
    with pytest.raises(DatabaseError, match="The rows could not be read: 'utf-8' codec"):
        database.execute(sql, Limits())
    with pytest.raises(DatabaseError, match="could not be read"), database.stream(sql, Limits()) as rows:
        list(rows)
    assert database.execute("SELECT 1", Limits()).rows == ((1,),)


def test_a_zero_date_stays_text(lab: MysqlLab) -> None:
    rows = (
        lab.connect().execute("SELECT CAST('0000-00-00' AS date), CAST('2026-01-01' AS date)", Limits()).rows
    )
    assert str(rows[0][1]) == "2026-01-01"


def test_a_lock_held_by_somebody_else_does_not_hold_us_for_ever(lab: MysqlLab) -> None:
    holder = lab.server.connect(lab.database)
    try:
        holder.cursor().execute("LOCK TABLES orders WRITE")
        started = time.monotonic()
        with pytest.raises(DatabaseError) as caught:
            lab.connect().execute("SELECT * FROM orders", Limits(seconds=1))
        assert caught.value.failure.kind is FailureKind.TIMEOUT
        assert time.monotonic() - started < 3
    finally:
        holder.close()


def test_a_server_that_goes_away_mid_statement_is_said_to_and_the_next_works(lab: MysqlLab) -> None:
    server = lab.server
    database = lab.connect()
    thread, caught = endless_begun(lab, database)
    server.stop(signal.SIGKILL)
    thread.join(10)
    assert caught[0].failure.kind is FailureKind.LOST
    assert f"The connection to 127.0.0.1:{server.port} was lost" in caught[0].failure.message
    with pytest.raises(Unreachable, match="Nothing answers"):
        database.execute("SELECT 1", Limits())
    server.start()
    assert database.execute("SELECT COUNT(*) FROM orders", Limits()).rows == ((3,),)


# One call of a function, in which the server asks nobody whether it should stop.
HELD = "SELECT locate(concat(repeat('a', 250), 'b'), repeat('a', 16000000))"


def _held(lab: MysqlLab) -> list[tuple[Any, ...]]:
    """States of the statement in the server's list of processes, killed or not."""
    return lab.look(
        "SELECT command FROM information_schema.processlist WHERE info LIKE '%locate(concat%' AND id <> connection_id()"
    )


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_server_that_does_not_end_a_statement_is_hung_up_on(lab: MysqlLab, is_stopped: bool) -> None:
    database = lab.connect()
    if is_stopped:
        stopped_once(lambda: _held(lab), database)
    started = time.monotonic()
    with pytest.raises(DatabaseError) as caught:
        database.execute(HELD, Limits(seconds=60 if is_stopped else 0.3))
    assert caught.value.failure.kind is (FailureKind.CANCELLED if is_stopped else FailureKind.TIMEOUT)
    assert time.monotonic() - started < 3
    assert _held(lab), "the server was not waited for"
    assert database.execute("SELECT 1", Limits()).rows == ((1,),)
    until = time.monotonic() + 30
    while _held(lab):
        assert time.monotonic() < until, "the server goes on when it could stop"
        time.sleep(0.1)


def test_a_statement_that_a_killer_of_queries_ended_was_not_stopped_by_mirror(lab: MysqlLab) -> None:
    database = lab.connect()
    thread, caught = endless_begun(lab, database)
    ((number,),) = lab.look(
        f"SELECT id FROM information_schema.processlist WHERE user = '{lab.user}' AND command = 'Query'"
    )
    lab.look(f"KILL QUERY {number}")
    thread.join(10)
    failure = caught[0].failure
    assert (failure.kind, failure.code) == (FailureKind.ERROR, "1317")
    assert failure.message == "The server ended the statement: Query execution was interrupted."
    assert failure.advice
