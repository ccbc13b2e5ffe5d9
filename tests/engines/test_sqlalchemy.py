"""The long tail's adapter beyond the shared suite: what its read-only transaction holds, and what breaks."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.values import FailureKind, Limits
from tests.engines import test_net
from tests.engines.lab import endless_begun
from tests.engines.labs import AlchemyMysqlLab, AlchemyPostgresLab

KINDS = {"mysql": AlchemyMysqlLab, "postgres": AlchemyPostgresLab}


@pytest.fixture(scope="module", params=sorted(KINDS))
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """One that opens its sessions as the long tail does, with a function that writes when it is called."""
    made = KINDS[request.param](tmp_path_factory.mktemp(f"alchemy_{request.param}"))
    if request.param == "postgres":
        made.look(
            "CREATE FUNCTION sneaky() RETURNS int LANGUAGE sql AS 'DELETE FROM line_notes RETURNING id';"
        )
    else:
        made.look("CREATE FUNCTION sneaky() RETURNS int BEGIN DELETE FROM line_notes; RETURN 1; END")
    return made


def test_no_hostile_statement_has_an_effect_as_a_user_who_may_write(lab) -> None:
    test_net.hold(lab, doors={"writer": lab.connect()})


def test_a_function_that_writes_is_stopped_by_the_read_only_transaction(lab) -> None:
    with closing(lab.connect()) as database, pytest.raises(StatementFailed) as caught:
        database.execute("SELECT sneaky()", Limits())
    assert caught.value.failure.kind is FailureKind.REFUSED
    assert "read-only" in caught.value.failure.message.lower().replace("read only", "read-only")
    assert lab.look("SELECT COUNT(*) FROM line_notes") == [(1,)]


def test_a_connection_that_is_ended_by_the_server_is_told_and_the_next_one_works(lab) -> None:
    database = lab.connect()
    thread, caught = endless_begun(lab, database)
    if lab.engine == "postgres":
        lab.look("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'writer'")
    else:
        ((number,),) = lab.look(
            f"SELECT id FROM information_schema.processlist WHERE user = '{lab.user}' AND command = 'Query'"
        )
        lab.look(f"KILL CONNECTION {number}")
    thread.join(10)
    assert isinstance(caught[0], Unreachable), caught[0].failure
    assert "was lost while the statement ran" in caught[0].failure.message
    assert database.execute("SELECT 1", Limits()).rows == ((1,),)
    database.close()


def test_a_statement_that_the_server_ended_was_not_stopped_by_mirror(lab) -> None:
    database = lab.connect()
    thread, caught = endless_begun(lab, database)
    while thread.is_alive():  # one that comes between two statements of a cursor ends neither
        if lab.engine == "postgres":
            lab.look("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'writer'")
        else:
            for (number,) in lab.look(
                f"SELECT id FROM information_schema.processlist WHERE user = '{lab.user}' AND command = 'Query'"
            ):
                lab.look(f"KILL QUERY {number}")
        thread.join(1)
    assert caught[0].failure.kind is FailureKind.ERROR
    assert caught[0].failure.message.startswith("The server ended the statement: ")
    database.close()


def test_a_fault_in_whose_words_something_is_cancelled_is_an_error(lab) -> None:
    with closing(lab.connect()) as database, pytest.raises(StatementFailed) as caught:
        database.execute("SELECT cancelled_orders FROM orders", Limits())
    assert caught.value.failure.kind is FailureKind.ERROR
    assert "cancelled_orders" in caught.value.failure.message
    assert "ended" not in caught.value.failure.message


def test_a_wrong_password_is_refused_without_being_told(lab) -> None:
    secret = "a secret of 2026"
    with closing(lab.connect(password=secret)) as database, pytest.raises(Unreachable) as caught:
        database.check()
    assert secret not in repr(caught.value.failure)
    assert "No connection to 127.0.0.1" in caught.value.failure.message


MANY = 400_000
ROWS = {
    "mysql": f"SELECT repeat('x', 100), seq FROM seq_1_to_{MANY}",
    "postgres": f"SELECT repeat('x', 100), i FROM generate_series(1, {MANY}) AS i",
}


def test_many_rows_pass_through_little_memory(lab) -> None:
    limits = Limits(60, rows=MANY, total_chars=10**9)
    with closing(lab.connect()) as database, database.stream(ROWS[lab.engine], limits) as rows:
        before = resident()
        count = sum(len(batch) for batch in rows)
        grown = resident() - before
    assert count == MANY
    assert grown < 25, f"{grown} MB more; as a list they take over 60"


def resident() -> int:
    """Megabytes this process holds."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024
